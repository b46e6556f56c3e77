/* SPDX-License-Identifier: MIT */
/* value.c - plain values: integers, strings, bytes. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "consume.h"

#define ROW    16 /* bytes in a line of a dump */
#define MARGIN 5  /* columns before it */

int64_t dt_value_load(const void *p, size_t size, bool is_signed)
{
	uint64_t v = 0;

	memcpy(&v, p, size < sizeof(v) ? size : sizeof(v));
	if (is_signed && size < sizeof(v) && size > 0) {
		unsigned int shift = 64 - 8 * size;

		return (int64_t)(v << shift) >> shift;
	}
	return v;
}

static bool value_printable(unsigned char c)
{
	return isprint(c) || isspace(c) || c == '\b' || c == '\a' || c >= 0x80;
}

bool dt_value_text(const void *p, size_t size, size_t *len)
{
	const unsigned char *c = p;
	size_t n = strnlen(p, size);

	for (size_t i = 0; i < n; i++)
		if (!value_printable(c[i]) || c[i] >= 0x80)
			return false;
	for (size_t i = n; i < size; i++)
		if (c[i] != '\0')
			return false;
	*len = n;
	return n > 0;
}

static void dump_row(FILE *fp, const unsigned char *c, size_t n)
{
	for (size_t i = 0; i < ROW; i++)
		if (i < n)
			fprintf(fp, " %02x", c[i]);
		else
			fputs("   ", fp);
	fputs("  ", fp);
	for (size_t i = 0; i < n; i++)
		fputc(c[i] >= ' ' && c[i] < 0x7f ? c[i] : '.', fp);
	fputc('\n', fp);
}

void dt_value_dump(FILE *fp, const void *p, size_t size)
{
	const unsigned char *c = p;

	if (size == 0)
		return;
	fprintf(fp, "\n%*s      ", MARGIN, "");
	for (int i = 0; i < ROW; i++)
		fprintf(fp, "  %x", i);
	fputs("  0123456789abcdef\n", fp);
	for (size_t off = 0; off < size; off += ROW) {
		fprintf(fp, "%*s%5zx:", MARGIN, "", off);
		dump_row(fp, c + off, size - off < ROW ? size - off : ROW);
	}
}

/* Return the columns for an integer of a size, outside quiet output. */
static int value_width(size_t size)
{
	return size == 8 ? 16 : size == 4 ? 8 : size == 2 ? 5 : 3;
}

static void value_int(FILE *fp, const struct dt_type *type, const void *p, size_t size, bool quiet)
{
	bool is_signed = type ? dt_type_signed(type) : size >= 4;
	int64_t v = dt_value_load(p, size, is_signed);
	int width = quiet ? 0 : value_width(size);

	if (!quiet)
		fputc(' ', fp);
	if (is_signed)
		fprintf(fp, "%*" PRId64, width, v);
	else
		fprintf(fp, "%*" PRIu64, width, (uint64_t)v);
}

static void value_string(FILE *fp, const char *p, size_t len, bool quiet, int width)
{
	if (quiet)
		fwrite(p, 1, len, fp);
	else
		fprintf(fp, " %s%*.*s", width < 0 ? " " : "", width, (int)len, p);
}

void dt_value_print(dtrace_hdl_t *dtp, FILE *fp, const dtrace_diftype_t *rtype,
		    const struct dt_type *type, const void *p, size_t size, bool quiet, int width)
{
	bool raw = dt_option(dtp, DTRACEOPT_RAWBYTES) == 1;
	size_t len;

	if (rtype && rtype->dtdt_kind == DIF_TYPE_STRING && !raw)
		value_string(fp, p, strnlen(p, size), quiet, width);
	else if ((size == 1 || size == 2 || size == 4 || size == 8) &&
		 (!rtype || !(rtype->dtdt_flags & DIF_TF_BYREF)))
		value_int(fp, type, p, size, quiet);
	else if (!raw && !(type && type_is_record(type)) && dt_value_text(p, size, &len))
		value_string(fp, p, len, quiet, width);
	else
		dt_value_dump(fp, p, size);
}
