/* SPDX-License-Identifier: MIT */
/*
 * writer.h - structured text: objects of named members and lists, written as JSON or XML into
 * memory.
 *
 * Functions take the name of the member that they write; in a list, and for the outermost object of
 * JSON, it has no effect. In XML an element of a list has the name of the list. Writing returns
 * nothing: dt_writer_text says whether all went well.
 */
#ifndef DT_WRITER_H
#define DT_WRITER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct dt_writer;

/* What begins, sets off and ends an open object or list, and a value, in one language. */
struct dt_language {
	void (*open)(struct dt_writer *w, const char *name, bool list);
	void (*close)(struct dt_writer *w, const char *name, bool list);
	void (*string)(struct dt_writer *w, const char *name, const char *text, size_t len);
	void (*plain)(struct dt_writer *w, const char *name, const char *text);
};

extern const struct dt_language dt_json, dt_xml;

/* An object or list that is open. */
struct dt_level {
	const char *name;
	bool list;
	bool filled; /* has something in it */
};

struct dt_writer {
	const struct dt_language *language;
	FILE *fp; /* the memory below */
	char *text;
	size_t len;
	struct dt_level *levels;
	size_t nlevels, maxlevels;
	bool failed; /* no memory */
};

/* dt_writer_init - an empty text. False: no memory. dt_writer_fini - free it. */
bool dt_writer_init(struct dt_writer *w, const struct dt_language *language);
void dt_writer_fini(struct dt_writer *w);
/* dt_writer_text - the text when nothing is open any more; NULL: no memory. */
const char *dt_writer_text(struct dt_writer *w);

/* dt_writer_object, dt_writer_list - begin one; names are not copied. dt_writer_end - end it. */
void dt_writer_object(struct dt_writer *w, const char *name);
void dt_writer_list(struct dt_writer *w, const char *name);
void dt_writer_end(struct dt_writer *w);

/* dt_writer_string - len bytes; what is not UTF-8, or no character of the language, becomes U+FFFD. */
void dt_writer_string(struct dt_writer *w, const char *name, const char *text, size_t len);
/* dt_writer_cstring - a string that ends with NUL. */
void dt_writer_cstring(struct dt_writer *w, const char *name, const char *text);
void dt_writer_int(struct dt_writer *w, const char *name, int64_t value);
void dt_writer_uint(struct dt_writer *w, const char *name, uint64_t value);
/* dt_writer_double - a number; infinities and what is not a number become strings. */
void dt_writer_double(struct dt_writer *w, const char *name, double value);
/* dt_writer_hex - bytes as a string of two hexadecimal digits each. */
void dt_writer_hex(struct dt_writer *w, const char *name, const void *bytes, size_t len);

/* ---- for the languages ---- */

/* dt_writer_top - the innermost open object or list, NULL outside all. */
struct dt_level *dt_writer_top(struct dt_writer *w);
/*
 * dt_writer_character - the character that text begins with: its length in bytes, *out the code
 * point; U+FFFD and 1 where it is not UTF-8.
 */
size_t dt_writer_character(const char *text, size_t len, uint32_t *out);

#endif
