/* SPDX-License-Identifier: MIT */
/*
 * writer.c - structured text: open objects and lists, and values before they get the syntax of a
 * language.
 */
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include "writer.h"

#define REPLACEMENT 0xfffd

bool dt_writer_init(struct dt_writer *w, const struct dt_language *language)
{
	memset(w, 0, sizeof(*w));
	w->language = language;
	w->fp = open_memstream(&w->text, &w->len);
	return w->fp;
}

void dt_writer_fini(struct dt_writer *w)
{
	if (w->fp)
		fclose(w->fp);
	free(w->text);
	free(w->levels);
	memset(w, 0, sizeof(*w));
}

const char *dt_writer_text(struct dt_writer *w)
{
	return !w->failed && fflush(w->fp) == 0 && !ferror(w->fp) ? w->text : NULL;
}

struct dt_level *dt_writer_top(struct dt_writer *w)
{
	return w->nlevels != 0 ? &w->levels[w->nlevels - 1] : NULL;
}

/* Note that an object or a list is open. Without memory the writer fails. */
static void writer_push(struct dt_writer *w, const char *name, bool list)
{
	if (w->nlevels == w->maxlevels) {
		size_t max = 2 * w->maxlevels + 8;
		struct dt_level *more = realloc(w->levels, max * sizeof(*more));

		if (!more) {
			w->failed = true;
			return;
		}
		w->levels = more;
		w->maxlevels = max;
	}
	w->levels[w->nlevels++] = (struct dt_level){.name = name, .list = list};
}

/* Return the name of the next value. In a list it is that of the list. */
static const char *writer_name(struct dt_writer *w, const char *name)
{
	struct dt_level *top = dt_writer_top(w);

	return top && top->list ? top->name : name;
}

static void writer_filled(struct dt_writer *w)
{
	struct dt_level *top = dt_writer_top(w);

	if (top)
		top->filled = true;
}

static void writer_open(struct dt_writer *w, const char *name, bool list)
{
	if (w->failed)
		return;
	name = writer_name(w, name);
	w->language->open(w, name, list);
	writer_filled(w);
	writer_push(w, name, list);
}

void dt_writer_object(struct dt_writer *w, const char *name)
{
	writer_open(w, name, false);
}

void dt_writer_list(struct dt_writer *w, const char *name)
{
	writer_open(w, name, true);
}

void dt_writer_end(struct dt_writer *w)
{
	struct dt_level *top = dt_writer_top(w), level;

	if (w->failed || !top)
		return;
	level = *top;
	w->nlevels--;
	w->language->close(w, level.name, level.list);
}

void dt_writer_string(struct dt_writer *w, const char *name, const char *text, size_t len)
{
	if (w->failed)
		return;
	w->language->string(w, writer_name(w, name), text, len);
	writer_filled(w);
}

void dt_writer_cstring(struct dt_writer *w, const char *name, const char *text)
{
	dt_writer_string(w, name, text, strlen(text));
}

static void writer_plain(struct dt_writer *w, const char *name, const char *text)
{
	if (w->failed)
		return;
	w->language->plain(w, writer_name(w, name), text);
	writer_filled(w);
}

void dt_writer_int(struct dt_writer *w, const char *name, int64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRId64, value);
	writer_plain(w, name, text);
}

void dt_writer_uint(struct dt_writer *w, const char *name, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%" PRIu64, value);
	writer_plain(w, name, text);
}

void dt_writer_double(struct dt_writer *w, const char *name, double value)
{
	char text[40];

	snprintf(text, sizeof(text), "%.17g", value);
	if (isfinite(value))
		writer_plain(w, name, text);
	else
		dt_writer_cstring(w, name, text);
}

void dt_writer_hex(struct dt_writer *w, const char *name, const void *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const unsigned char *c = bytes;
	char *text = malloc(2 * len + 1);

	if (!text) {
		w->failed = true;
		return;
	}
	for (size_t i = 0; i < len; i++) {
		text[2 * i] = digits[c[i] >> 4];
		text[2 * i + 1] = digits[c[i] & 15];
	}
	dt_writer_string(w, name, text, 2 * len);
	free(text);
}

/* ---- UTF-8 ---- */

/*
 * Return the length of the sequence that a byte begins, or 0. Set *bits to the byte's part of the
 * code point.
 */
static size_t lead_byte(unsigned char c, uint32_t *bits)
{
	if (c < 0x80) {
		*bits = c;
		return 1;
	}
	if (c >= 0xc2 && c < 0xe0) {
		*bits = c & 0x1f;
		return 2;
	}
	if ((c & 0xf0) == 0xe0) {
		*bits = c & 0x0f;
		return 3;
	}
	*bits = c & 0x07;
	return c >= 0xf0 && c < 0xf5 ? 4 : 0;
}

/*
 * Return whether a code point is valid: as short as possible, not half of a pair, not beyond the
 * last code point.
 */
static bool code_point_valid(uint32_t c, size_t n)
{
	static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};

	return c >= least[n] && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff);
}

size_t dt_writer_character(const char *text, size_t len, uint32_t *out)
{
	size_t n = lead_byte(*text, out);
	bool valid = n != 0 && n <= len;

	for (size_t i = 1; valid && i < n; i++) {
		valid = ((unsigned char)text[i] & 0xc0) == 0x80;
		*out = *out << 6 | (text[i] & 0x3f);
	}
	if (valid && code_point_valid(*out, n))
		return n;
	*out = REPLACEMENT;
	return 1;
}
