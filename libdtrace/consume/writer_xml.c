/* SPDX-License-Identifier: MIT */
/* writer_xml.c - structured text as XML: a member is an element, a list a run of elements. */
#include <string.h>
#include "writer.h"

/* Return whether an XML document may contain a character. */
static bool xml_allows(uint32_t c)
{
	return c == '\t' || c == '\n' || (c >= 0x20 && c != 0xfffe && c != 0xffff);
}

static void xml_text(FILE *fp, const char *text, size_t len)
{
	uint32_t c;

	for (size_t i = 0, n; i < len; i += n) {
		n = dt_writer_character(text + i, len - i, &c);
		if (c == '&')
			fputs("&amp;", fp);
		else if (c == '<')
			fputs("&lt;", fp);
		else if (c == '>')
			fputs("&gt;", fp);
		else if (c == '\r')
			fputs("&#13;", fp);
		else if (c == 0xfffd || !xml_allows(c))
			fputs("&#xfffd;", fp);
		else
			fwrite(text + i, 1, n, fp);
	}
}

static void xml_open(struct dt_writer *w, const char *name, bool list)
{
	if (!list)
		fprintf(w->fp, "<%s>", name);
}

static void xml_close(struct dt_writer *w, const char *name, bool list)
{
	if (!list)
		fprintf(w->fp, "</%s>", name);
	if (!dt_writer_top(w))
		fputc('\n', w->fp);
}

static void xml_string(struct dt_writer *w, const char *name, const char *text, size_t len)
{
	fprintf(w->fp, "<%s>", name);
	xml_text(w->fp, text, len);
	fprintf(w->fp, "</%s>", name);
}

static void xml_plain(struct dt_writer *w, const char *name, const char *text)
{
	fprintf(w->fp, "<%s>%s</%s>", name, text, name);
}

const struct dt_language dt_xml = {xml_open, xml_close, xml_string, xml_plain};
