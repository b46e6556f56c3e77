/* SPDX-License-Identifier: MIT */
/* format.c - takes formats apart and checks them against arguments. */
#include <ctype.h>
#include <string.h>

#include "compile.h"

#define FORMAT_MAXWIDTH 65536

/* The kind of argument of a conversion. */
typedef enum dt_takes {
	TAKES_NOTHING,
	TAKES_INT,
	TAKES_ADDRESS,
	TAKES_STRING,
	TAKES_FLOAT,
	TAKES_SYMBOL,
	TAKES_STACK,
	TAKES_ANY
} dt_takes_t;

static const struct {
	const char *conv;
	dt_takes_t takes;
} format_convs[] = {
	{"", TAKES_NOTHING}, {"%", TAKES_NOTHING}, {"d", TAKES_INT},	 {"i", TAKES_INT},
	{"u", TAKES_INT},    {"o", TAKES_INT},	   {"x", TAKES_INT},	 {"X", TAKES_INT},
	{"c", TAKES_INT},    {"wc", TAKES_INT},	   {"p", TAKES_ADDRESS}, {"T", TAKES_INT},
	{"Y", TAKES_INT},    {"s", TAKES_STRING},  {"S", TAKES_STRING},	 {"ws", TAKES_STRING},
	{"C", TAKES_INT},    {"e", TAKES_FLOAT},   {"E", TAKES_FLOAT},	 {"f", TAKES_FLOAT},
	{"g", TAKES_FLOAT},  {"G", TAKES_FLOAT},   {"a", TAKES_SYMBOL},	 {"A", TAKES_SYMBOL},
	{"k", TAKES_STACK},  {"I", TAKES_STRING},  {"P", TAKES_INT},
};

static dt_takes_t format_takes(const dt_conv_t *c)
{
	for (size_t i = 0; i < sizeof(format_convs) / sizeof(format_convs[0]); i++)
		if (strcmp(format_convs[i].conv, c->conv) == 0)
			return format_convs[i].takes;
	return TAKES_ANY;
}

/* ---- taking apart ---- */

typedef struct dt_format_reader {
	dt_ctx_t *cx;
	const dt_node_t *node;
	const char *p, *end;
	uint32_t number; /* of the conversion, for messages */
} dt_format_reader_t;

static void format_error(dt_format_reader_t *r, const char *what) __attribute__((noreturn));

static void format_error(dt_format_reader_t *r, const char *what)
{
	dt_error(dt_hint(r->cx, "conversions are %%d %%u %%x %%c %%s %%p %%a %%k %%Y and their "
				"like; for %% itself %%%%"),
		 &r->node->loc, D_SYNTAX, "conversion %u of the format %s", r->number, what);
}

static uint32_t format_flag(char c)
{
	switch (c) {
	case '#':
		return DT_CONV_ALT;
	case '0':
		return DT_CONV_ZERO;
	case '-':
		return DT_CONV_LEFT;
	case '+':
		return DT_CONV_PLUS;
	case ' ':
		return DT_CONV_SPACE;
	case '\'':
		return DT_CONV_GROUP;
	case '@':
		return DT_CONV_AGG;
	case '?':
		return DT_CONV_PTRWIDTH;
	default:
		return 0;
	}
}

static void format_flags(dt_format_reader_t *r, dt_conv_t *c)
{
	uint32_t bit;

	while (r->p < r->end && (bit = format_flag(*r->p)) != 0) {
		c->flags |= bit;
		r->p++;
	}
}

static int format_number(dt_format_reader_t *r)
{
	int n = 0;

	for (; r->p < r->end && isdigit((unsigned char)*r->p); r->p++) {
		n = n * 10 + *r->p - '0';
		if (n > FORMAT_MAXWIDTH)
			format_error(r, "has a width or precision that is too large");
	}
	return n;
}

static void format_width(dt_format_reader_t *r, dt_conv_t *c)
{
	c->width = c->prec = -1;
	if (r->p < r->end && *r->p == '*') {
		c->flags |= DT_CONV_WIDTH_ARG;
		r->p++;
	} else if (r->p < r->end && isdigit((unsigned char)*r->p)) {
		c->width = format_number(r);
	}
	if (r->p >= r->end || *r->p != '.')
		return;
	r->p++;
	if (r->p < r->end && *r->p == '*') {
		c->flags |= DT_CONV_PREC_ARG;
		r->p++;
	} else {
		c->prec = format_number(r);
	}
}

static void format_modifier(dt_format_reader_t *r, dt_conv_t *c)
{
	size_t n = 0;

	while (r->p < r->end && strchr("hlL", *r->p) && n < 2)
		c->mod[n++] = *r->p++;
	if (n && strcmp(c->mod, "h") != 0 && strcmp(c->mod, "hh") != 0 &&
	    strcmp(c->mod, "l") != 0 && strcmp(c->mod, "ll") != 0 && strcmp(c->mod, "L") != 0)
		format_error(r, "has a length modifier that does not exist");
}

static void format_letter(dt_format_reader_t *r, dt_conv_t *c)
{
	size_t n = r->p < r->end && *r->p == 'w' ? 2 : 1;

	if ((size_t)(r->end - r->p) < n)
		format_error(r, "is not complete");
	memcpy(c->conv, r->p, n);
	r->p += n;
	if (c->conv[0] == '%' && r->p[-2] != '%')
		format_error(r, "is a percent sign, which takes no flags, width or precision");
	if (format_takes(c) == TAKES_ANY || !c->conv[0])
		format_error(r, arena_printf(&r->cx->tmp, "does not exist: %%%s", c->conv));
}

/*
 * Read the text up to the next conversion, and the conversion. Return false at the end of the
 * format, if there is neither.
 */
static bool format_next(dt_format_reader_t *r, struct arena *arena, dt_conv_t *c)
{
	const char *start = r->p;

	while (r->p < r->end && *r->p != '%')
		r->p++;
	memset(c, 0, sizeof(*c));
	c->textlen = (uint32_t)(r->p - start);
	c->text = arena_memdup(arena, start, c->textlen);
	c->width = c->prec = -1;
	if (r->p == r->end)
		return c->textlen > 0;
	r->p++;
	r->number++;
	format_flags(r, c);
	format_width(r, c);
	format_flags(r, c);
	if (c->width < 0)
		c->width = r->p < r->end && isdigit((unsigned char)*r->p) ? format_number(r) : -1;
	format_modifier(r, c);
	format_letter(r, c);
	return true;
}

static uint32_t format_count_stars(const dt_conv_t *c)
{
	return !!(c->flags & DT_CONV_WIDTH_ARG) + !!(c->flags & DT_CONV_PREC_ARG);
}

static uint32_t format_count_args(const dt_conv_t *c)
{
	return format_count_stars(c) +
	       (format_takes(c) != TAKES_NOTHING && !(c->flags & DT_CONV_AGG));
}

struct dt_format *format_parse(dt_ctx_t *cx, struct arena *arena, const dt_node_t *node,
			       const char *text, uint32_t len)
{
	dt_format_reader_t r = {.cx = cx, .node = node, .p = text, .end = text + len};
	struct dt_format *f = arena_alloc(arena, sizeof(*f));
	uint32_t capacity = 0;
	dt_conv_t c;

	f->source = arena_memdup(arena, text, len);
	while (format_next(&r, arena, &c)) {
		if (f->nconvs == capacity) {
			capacity = capacity ? capacity * 2 : 4;
			f->convs =
				arena_grow(arena, f->convs, f->nconvs, capacity, sizeof(*f->convs));
		}
		f->convs[f->nconvs++] = c;
		f->nargs += format_count_args(&c);
	}
	return f;
}

/* ---- checking ---- */

static bool format_suits(dt_takes_t takes, const dt_type_t *t)
{
	dt_type_kind_t kind = type_resolve(t)->kind;

	switch (takes) {
	case TAKES_INT:
		return type_is_integer(t);
	case TAKES_ADDRESS:
		return type_is_scalar(t);
	case TAKES_STRING:
		return type_is_stringlike(t);
	case TAKES_FLOAT:
		return kind == TYPE_FLOAT;
	case TAKES_SYMBOL:
		return type_is_scalar(t) || kind == TYPE_SYMBOL;
	case TAKES_STACK:
		return kind == TYPE_STACK;
	default:
		return true;
	}
}

static const char *format_takes_text(dt_takes_t takes)
{
	switch (takes) {
	case TAKES_INT:
		return "an integer";
	case TAKES_ADDRESS:
		return "an integer or pointer";
	case TAKES_STRING:
		return "a string";
	case TAKES_FLOAT:
		return "a floating-point value";
	case TAKES_SYMBOL:
		return "an address";
	default:
		return "a stack";
	}
}

/* Report that the format needs more than the n arguments that there are. */
static void format_too_few(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag,
			   const struct dt_format *f, uint32_t n) __attribute__((noreturn));

static void format_too_few(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag,
			   const struct dt_format *f, uint32_t n)
{
	const char *has = n ? arena_printf(&cx->tmp, "only %u argument%s", n, n == 1 ? "" : "s")
			    : "no argument";
	uint32_t stars = 0;

	for (uint32_t i = 0; i < f->nconvs; i++)
		stars += format_count_stars(&f->convs[i]);
	if (stars)
		dt_error(cx, loc, tag, "format needs %u argument%s, one for each *, but has %s",
			 f->nargs, f->nargs == 1 ? "" : "s", has);
	dt_error(cx, loc, tag, "format has %u conversion%s but %s", f->nargs,
		 f->nargs == 1 ? "" : "s", has);
}

static void format_check_star(dt_ctx_t *cx, const dt_loc_t *loc, uint32_t number,
			      const dt_type_t *t)
{
	if (!type_is_integer(t))
		dt_error(cx, loc, D_PRINTF_DYN_TYPE,
			 "the * of conversion %u needs an integer, not %s", number,
			 check_type_text(cx, t));
}

/* Return the conversion for values of a type. */
static const char *format_for(const dt_type_t *t)
{
	switch (type_resolve(t)->kind) {
	case TYPE_STRING:
	case TYPE_ARRAY:
		return type_is_stringlike(t) ? "%s" : "print(), or name an element";
	case TYPE_POINTER:
		return type_is_stringlike(t) ? "%s, or %p for the address" : "%p for the address";
	case TYPE_FLOAT:
		return "%f, %e or %g";
	case TYPE_STACK:
		return "%k";
	case TYPE_SYMBOL:
		return "%a";
	case TYPE_STRUCT:
	case TYPE_UNION:
		return "print(), or name a member";
	default:
		return "%d, %u or %x; for a string at that address in the process copyinstr(x)";
	}
}

static void format_check_arg(dt_ctx_t *cx, const dt_conv_t *c, uint32_t number, const dt_loc_t *loc,
			     const dt_type_t *t)
{
	dt_takes_t takes = format_takes(c);

	if (!format_suits(takes, t))
		dt_error(dt_hint(cx, "use %s", format_for(t)), loc, D_PRINTF_ARG_TYPE,
			 "conversion %u (%%%s) needs %s, not %s", number, c->conv,
			 format_takes_text(takes), check_type_text(cx, t));
}

void format_check(dt_ctx_t *cx, const struct dt_format *f, const char *func, dt_node_t *node,
		  dt_node_t *args)
{
	uint32_t nargs = ast_count(args);

	for (uint32_t i = 0; i < f->nconvs; i++)
		if (f->convs[i].flags & DT_CONV_AGG)
			dt_error(cx, &node->loc, D_PRINTF_AGG_CONV,
				 "conversion %u has @, which is for printa() only", i + 1);
	for (uint32_t i = 0; i < f->nconvs; i++) {
		const dt_conv_t *c = &f->convs[i];

		for (uint32_t stars = format_count_stars(c); stars; stars--, args = args->next) {
			if (!args)
				format_too_few(cx, &node->loc, D_PRINTF_DYN_PROTO, f, nargs);
			format_check_star(cx, &args->loc, i + 1, args->type);
		}
		if (format_takes(c) == TAKES_NOTHING)
			continue;
		if (!args)
			format_too_few(cx, &node->loc, D_PRINTF_ARG_PROTO, f, nargs);
		format_check_arg(cx, c, i + 1, &args->loc, args->type);
		args = args->next;
	}
	if (args)
		dt_error(cx, &args->loc, D_PRINTF_ARG_EXTRA,
			 "the format of %s() takes only %u argument%s", func, f->nargs,
			 f->nargs == 1 ? "" : "s");
}

/* Check a conversion of the values of an aggregation, which are integers. */
static void format_check_value(dt_ctx_t *cx, const dt_conv_t *c, uint32_t number,
			       const dt_loc_t *loc)
{
	dt_takes_t takes = format_takes(c);

	if (takes != TAKES_INT && takes != TAKES_ADDRESS)
		dt_error(dt_hint(cx, "use %%@d, %%@u or %%@x"), loc, D_PRINTF_ARG_TYPE,
			 "conversion %u (%%@%s) needs %s, but the value of an aggregation is an "
			 "integer",
			 number, c->conv, format_takes_text(takes));
}

void format_check_keys(dt_ctx_t *cx, const struct dt_format *f, dt_node_t *node,
		       const dt_type_t *const *keys, uint32_t nkeys)
{
	uint32_t key = 0;

	for (uint32_t i = 0; i < f->nconvs; i++) {
		const dt_conv_t *c = &f->convs[i];

		for (uint32_t stars = format_count_stars(c); stars; stars--) {
			if (key >= nkeys)
				dt_error(
					cx, &node->loc, D_PRINTF_DYN_PROTO,
					"the * of conversion %u has no key: the aggregation has %u",
					i + 1, nkeys);
			format_check_star(cx, &node->loc, i + 1, keys[key++]);
		}
		if (format_takes(c) == TAKES_NOTHING)
			continue;
		if (c->flags & DT_CONV_AGG) {
			format_check_value(cx, c, i + 1, &node->loc);
			continue;
		}
		if (key >= nkeys)
			dt_error(dt_hint(cx, "a value of an aggregation takes an @, as in %%@d"),
				 &node->loc, D_PRINTF_ARG_PROTO,
				 "conversion %u has no key: the aggregation has %u", i + 1, nkeys);
		format_check_arg(cx, c, i + 1, &node->loc, keys[key++]);
	}
}
