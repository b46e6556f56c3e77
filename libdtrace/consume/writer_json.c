/* SPDX-License-Identifier: MIT */
/* writer_json.c - structured text as JSON, an outermost object a line. */
#include <string.h>
#include "writer.h"

static void json_string(FILE *fp, const char *text, size_t len)
{
	static const char plain[] = "\b\f\n\r\t\"\\", letter[] = "bfnrt\"\\";
	uint32_t c;

	fputc('"', fp);
	for (size_t i = 0, n; i < len; i += n) {
		const char *at;

		n = dt_writer_character(text + i, len - i, &c);
		at = c < 0x80 && c != 0 ? strchr(plain, (int)c) : NULL;
		if (at)
			fprintf(fp, "\\%c", letter[at - plain]);
		else if (c < 0x20 || c == 0x7f || c == 0xfffd)
			fprintf(fp, "\\u%04x", c);
		else
			fwrite(text + i, 1, n, fp);
	}
	fputc('"', fp);
}

/* Write the comma before a member, and its name. */
static void json_before(struct dt_writer *w, const char *name)
{
	struct dt_level *top = dt_writer_top(w);

	if (top && top->filled)
		fputs(", ", w->fp);
	if (top && !top->list) {
		json_string(w->fp, name, strlen(name));
		fputs(": ", w->fp);
	}
}

static void json_open(struct dt_writer *w, const char *name, bool list)
{
	json_before(w, name);
	fputc(list ? '[' : '{', w->fp);
}

static void json_close(struct dt_writer *w, const char *name, bool list)
{
	(void)name;
	fputc(list ? ']' : '}', w->fp);
	if (!dt_writer_top(w))
		fputc('\n', w->fp);
}

static void json_value(struct dt_writer *w, const char *name, const char *text, size_t len)
{
	json_before(w, name);
	json_string(w->fp, text, len);
}

static void json_plain(struct dt_writer *w, const char *name, const char *text)
{
	json_before(w, name);
	fputs(text, w->fp);
}

const struct dt_language dt_json = {json_open, json_close, json_value, json_plain};
