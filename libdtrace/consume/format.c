/* SPDX-License-Identifier: MIT */
/*
 * format.c - printf and similar actions: makes text from a parsed format and its arguments. The
 * compiler has checked that they match; still, no argument is read beyond its size.
 */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>
#include "consume.h"

#define NANOSEC	  1000000000LL
#define PTRDIGITS 16

/* A conversion in which stars are replaced by their values. */
struct spec {
	dtrace_hdl_t *dtp;
	FILE *fp;
	const dt_conv_t *conv;
	uint32_t flags;
	int width, prec;
	const struct dt_arg *arg;
};

/*
 * Write the C format for a conversion. tail: its letter with the length. "%-0*.*" is "%", flags,
 * "*", ".*", tail.
 */
static void spec_format(const struct spec *sp, const char *tail, char *out, size_t len)
{
	snprintf(out, len, "%%%s%s%s%s%s%s*%s%s", sp->flags & DT_CONV_ALT ? "#" : "",
		 sp->flags & DT_CONV_ZERO ? "0" : "", sp->flags & DT_CONV_LEFT ? "-" : "",
		 sp->flags & DT_CONV_PLUS ? "+" : "", sp->flags & DT_CONV_SPACE ? " " : "",
		 sp->flags & DT_CONV_GROUP ? "'" : "", sp->prec >= 0 ? ".*" : "", tail);
}

#define SPEC_PRINT(sp, tail, value)                                                 \
	do {                                                                        \
		char format_[32];                                                   \
		spec_format(sp, tail, format_, sizeof(format_));                    \
		if ((sp)->prec >= 0)                                                \
			fprintf((sp)->fp, format_, (sp)->width, (sp)->prec, value); \
		else                                                                \
			fprintf((sp)->fp, format_, (sp)->width, value);             \
	} while (0)

/* Print text of len bytes, which may contain NULs, in the field. */
static void spec_text(const struct spec *sp, const char *text, size_t len)
{
	size_t pad;

	if (sp->prec > 0 && len > (size_t)sp->prec) /* 0 is no precision, as in all DTraces */
		len = sp->prec;
	pad = sp->width > 0 && (size_t)sp->width > len ? sp->width - len : 0;
	if (!(sp->flags & DT_CONV_LEFT))
		fprintf(sp->fp, "%*s", (int)pad, "");
	fwrite(text, 1, len, sp->fp);
	if (sp->flags & DT_CONV_LEFT)
		fprintf(sp->fp, "%*s", (int)pad, "");
}

static bool spec_is_agg(const struct spec *sp)
{
	return DTRACEACT_ISAGG(sp->arg->rec->dtrd_action);
}

/* Return the argument as an integer. With h and hh it has at most their size. */
static int64_t spec_int(const struct spec *sp, bool is_signed)
{
	size_t size = sp->arg->rec->dtrd_size;
	size_t most = strcmp(sp->conv->mod, "hh") == 0	? 1
		      : strcmp(sp->conv->mod, "h") == 0 ? 2
							: 8;

	if (spec_is_agg(sp))
		return dt_agg_number(sp->arg->rec->dtrd_action, sp->arg->data, sp->arg->normal);
	if (sp->arg->rec->dtrd_action >= DTRACEACT_USYM &&
	    sp->arg->rec->dtrd_action <= DTRACEACT_UADDR)
		return dt_value_load((const char *)sp->arg->data + 8, 8, false);
	return dt_value_load(sp->arg->data, size < most ? size : most, is_signed);
}

/*
 * Return whether the argument is signed. %d, %i and %P print values of unsigned types as unsigned;
 * aggregated values are signed.
 */
static bool spec_signed(const struct spec *sp)
{
	return strchr("diP", *sp->conv->conv) &&
	       (spec_is_agg(sp) || !sp->arg->type || dt_type_signed(sp->arg->type));
}

/* Return C's conversion letter for an integer. */
static char spec_letter(const struct spec *sp, bool is_signed)
{
	char c = *sp->conv->conv;

	return c == 'p' ? 'x' : !strchr("diP", c) ? c : is_signed ? 'd' : 'u';
}

static void print_int(const struct spec *sp)
{
	bool is_signed = spec_signed(sp);
	char tail[] = {'j', spec_letter(sp, is_signed), '\0'};

	if (spec_is_agg(sp) && dt_picture(sp->arg->rec->dtrd_action)) {
		dt_picture_print(sp->dtp, sp->fp, sp->arg->rec->dtrd_action, sp->arg->data,
				 sp->arg->rec->dtrd_size, sp->arg->normal);
		return;
	}
	SPEC_PRINT(sp, tail, (intmax_t)spec_int(sp, is_signed));
}

static void print_char(const struct spec *sp)
{
	char c = spec_int(sp, false);

	spec_text(sp, &c, 1);
}

/* Write a character as in a literal of C. Return the length. */
static size_t escape_char(unsigned char c, char *out)
{
	static const char plain[] = "\a\b\f\n\r\t\v\\\"", letter[] = "abfnrtv\\\"";
	const char *at = c != '\0' ? strchr(plain, c) : NULL;

	if (at)
		return sprintf(out, "\\%c", letter[at - plain]);
	if (c == '\0')
		return sprintf(out, "\\0");
	return sprintf(out, isprint(c) ? "%c" : "\\%03o", c);
}

static void print_escaped_char(const struct spec *sp)
{
	char out[8];

	spec_text(sp, out, escape_char(spec_int(sp, false), out));
}

/* Print a string. Bytes end at the first NUL. */
static void print_string(const struct spec *sp)
{
	size_t size = sp->arg->rec->dtrd_size;

	spec_text(sp, sp->arg->data, strnlen(sp->arg->data, size));
}

/* Print the name of the host with the address that the text is; other text is printed as it is. */
static void print_host(const struct spec *sp)
{
	bool is_text = memchr(sp->arg->data, '\0', sp->arg->rec->dtrd_size);
	const char *name = is_text ? dt_host_name(sp->dtp, sp->arg->data) : NULL;

	if (name)
		spec_text(sp, name, strlen(name));
	else
		print_string(sp);
}

/* Print the name of the service at a port, or the number. */
static void print_port(const struct spec *sp)
{
	int64_t port = spec_int(sp, spec_signed(sp));
	const char *name =
		port >= 0 && port <= UINT16_MAX ? dt_service_name(sp->dtp, (uint16_t)port) : NULL;

	if (name)
		spec_text(sp, name, strlen(name));
	else
		print_int(sp);
}

static void print_escaped_string(const struct spec *sp)
{
	const unsigned char *c = sp->arg->data;
	size_t n = strnlen(sp->arg->data, sp->arg->rec->dtrd_size), len = 0;
	char *out = malloc(4 * n + 8);

	if (!out)
		return;
	for (size_t i = 0; i < n; i++)
		len += escape_char(c[i], out + len);
	spec_text(sp, out, len);
	free(out);
}

static void print_wchar(const struct spec *sp)
{
	SPEC_PRINT(sp, "lc", (wint_t)spec_int(sp, false));
}

static void print_wstring(const struct spec *sp)
{
	size_t n = sp->arg->rec->dtrd_size / sizeof(wchar_t), i;
	wchar_t *text = calloc(n + 1, sizeof(*text));

	if (!text)
		return;
	memcpy(text, sp->arg->data, n * sizeof(*text));
	for (i = 0; i < n && text[i] != 0; i++)
		if (text[i] < 0 || text[i] > 0x10ffff)
			text[i] = L'?';
	SPEC_PRINT(sp, "ls", text);
	free(text);
}

static void print_float(const struct spec *sp)
{
	char tail[3] = {*sp->conv->conv, '\0'};
	long double ld;
	double d;
	float f;

	if (sp->arg->rec->dtrd_size == sizeof(ld)) {
		memcpy(&ld, sp->arg->data, sizeof(ld));
		tail[0] = 'L';
		tail[1] = *sp->conv->conv;
		SPEC_PRINT(sp, tail, ld);
		return;
	}
	if (sp->arg->rec->dtrd_size == sizeof(f)) {
		memcpy(&f, sp->arg->data, sizeof(f));
		d = f;
	} else if (sp->arg->rec->dtrd_size == sizeof(d)) {
		memcpy(&d, sp->arg->data, sizeof(d));
	} else {
		d = dt_value_load(sp->arg->data, sp->arg->rec->dtrd_size, true);
	}
	SPEC_PRINT(sp, tail, d);
}

/* Print nanoseconds since the epoch for %Y or %T. */
static void print_time(const struct spec *sp)
{
	const char *format = *sp->conv->conv == 'Y' ? "%Y %b %e %T" : "%a, %d %b %Y %T %Z";
	time_t sec = (uint64_t)spec_int(sp, false) / NANOSEC;
	char out[64];
	struct tm tm;

	if (!localtime_r(&sec, &tm))
		strcpy(out, "?");
	else
		strftime(out, sizeof(out), format, &tm);
	spec_text(sp, out, strlen(out));
}

/*
 * Print an address. For %A, an address of user land is one of $target, and all others are the
 * kernel's. Records of usym() and similar actions contain the process.
 */
static void print_address(const struct spec *sp)
{
	dtrace_actkind_t kind = sp->arg->rec->dtrd_action;
	char out[DTRACE_FULLNAMELEN];
	int64_t addr;

	switch (kind) {
	case DTRACEACT_USYM:
	case DTRACEACT_UMOD:
	case DTRACEACT_UADDR:
	case DTRACEACT_SYM:
	case DTRACEACT_MOD:
		dt_symbol_text(sp->dtp, kind, sp->arg->data, out, sizeof(out));
		break;
	default:
		addr = spec_int(sp, false);
		if (*sp->conv->conv == 'A' && sp->dtp->target != 0 && addr > 0)
			dtrace_uaddr2str(sp->dtp, sp->dtp->target, addr, out, sizeof(out));
		else
			dtrace_addr2str(sp->dtp, addr, out, sizeof(out));
	}
	spec_text(sp, out, strlen(out));
}

/*
 * Print one frame per line, in the width given. For text to the left, the width is also the
 * indentation.
 */
static void print_stack(const struct spec *sp)
{
	const dtrace_recdesc_t *rec = sp->arg->rec;
	bool left = sp->flags & DT_CONV_LEFT;
	int indent = left ? sp->width : 0, width = left ? -sp->width : sp->width;

	fputc('\n', sp->fp);
	dt_frames_print(sp->dtp, sp->fp, rec, sp->arg->data, indent, width);
}

static const struct {
	const char *conv;
	void (*print)(const struct spec *sp);
} printers[] = {
	{"d", print_int},
	{"i", print_int},
	{"u", print_int},
	{"x", print_int},
	{"X", print_int},
	{"o", print_int},
	{"p", print_int},
	{"c", print_char},
	{"C", print_escaped_char},
	{"s", print_string},
	{"S", print_escaped_string},
	{"wc", print_wchar},
	{"ws", print_wstring},
	{"e", print_float},
	{"E", print_float},
	{"f", print_float},
	{"F", print_float},
	{"g", print_float},
	{"G", print_float},
	{"Y", print_time},
	{"T", print_time},
	{"a", print_address},
	{"A", print_address},
	{"k", print_stack},
	{"I", print_host},
	{"P", print_port},
};

/* Return whether a record suits its conversion. If not, it is printed in its own form. */
static bool arg_suits(const struct spec *sp)
{
	const dtrace_recdesc_t *rec = sp->arg->rec;
	bool stack = rec->dtrd_action == DTRACEACT_STACK || rec->dtrd_action == DTRACEACT_USTACK ||
		     rec->dtrd_action == DTRACEACT_JSTACK;
	bool usym = rec->dtrd_action >= DTRACEACT_USYM && rec->dtrd_action <= DTRACEACT_UADDR;

	if (stack || *sp->conv->conv == 'k')
		return stack && *sp->conv->conv == 'k';
	return !usym || rec->dtrd_size >= 2 * sizeof(uint64_t);
}

static void spec_print(const struct spec *sp)
{
	if (!arg_suits(sp)) {
		if (*sp->conv->conv != 'k')
			print_stack(sp);
		return;
	}
	if (sp->arg->rtype && sp->arg->rtype->dtdt_kind == DIF_TYPE_STRING &&
	    !strchr("sSwI", *sp->conv->conv)) {
		print_string(sp);
		return;
	}
	for (size_t i = 0; i < sizeof(printers) / sizeof(*printers); i++)
		if (strcmp(printers[i].conv, sp->conv->conv) == 0) {
			printers[i].print(sp);
			return;
		}
}

/* The next arguments. */
struct cursor {
	const struct dt_arg *args, *aggs;
	uint32_t nargs, naggs, arg, agg;
};

static const struct dt_arg *cursor_arg(struct cursor *cur)
{
	return cur->arg < cur->nargs ? &cur->args[cur->arg++] : NULL;
}

static const struct dt_arg *cursor_agg(struct cursor *cur)
{
	if (cur->naggs == 0)
		return NULL;
	return &cur->aggs[cur->agg < cur->naggs ? cur->agg++ : cur->naggs - 1];
}

static int cursor_star(struct cursor *cur)
{
	const struct dt_arg *arg = cursor_arg(cur);
	int64_t n = arg ? dt_value_load(arg->data, arg->rec->dtrd_size, true) : 0;

	return n > 65536 ? 65536 : n < -65536 ? -65536 : n;
}

static void conv_print(dtrace_hdl_t *dtp, FILE *fp, const dt_conv_t *conv, struct cursor *cur)
{
	struct spec sp = {.dtp = dtp,
			  .fp = fp,
			  .conv = conv,
			  .flags = conv->flags,
			  .width = conv->width,
			  .prec = conv->prec};

	if (strcmp(conv->conv, "%") == 0) {
		fputc('%', fp);
		return;
	}
	if (conv->flags & DT_CONV_WIDTH_ARG)
		sp.width = cursor_star(cur);
	if (conv->flags & DT_CONV_PREC_ARG)
		sp.prec = cursor_star(cur);
	if (sp.width < 0 && (conv->flags & DT_CONV_WIDTH_ARG)) {
		sp.flags |= DT_CONV_LEFT;
		sp.width = -sp.width;
	}
	if (conv->flags & DT_CONV_PTRWIDTH)
		sp.width = PTRDIGITS;
	if (sp.width < 0)
		sp.width = 0;
	sp.arg = conv->flags & DT_CONV_AGG ? cursor_agg(cur) : cursor_arg(cur);
	if (sp.arg)
		spec_print(&sp);
}

void dt_format_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_format *format,
		     const struct dt_arg *args, uint32_t nargs, const struct dt_arg *aggs,
		     uint32_t naggs)
{
	struct cursor cur = {.args = args, .aggs = aggs, .nargs = nargs, .naggs = naggs};

	if (!format)
		return;
	for (uint32_t i = 0; i < format->nconvs; i++) {
		const dt_conv_t *conv = &format->convs[i];

		fwrite(conv->text, 1, conv->textlen, fp);
		if (*conv->conv != '\0')
			conv_print(dtp, fp, conv, &cur);
	}
}

char *dt_format_text(dtrace_hdl_t *dtp, const struct dt_format *format, const struct dt_arg *args,
		     uint32_t nargs)
{
	char *text = NULL;
	size_t len;
	FILE *fp = open_memstream(&text, &len);

	if (fp) {
		dt_format_print(dtp, fp, format, args, nargs, NULL, 0);
		if (fclose(fp) == 0)
			return text;
	}
	free(text);
	dt_set_errno(dtp, ENOMEM);
	return NULL;
}
