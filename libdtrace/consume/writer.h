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

/* The syntax of one language: beginning, separators and end of objects, lists and values. */
struct dt_language {
	/* begin an object, or a list */
	void (*open)(struct dt_writer *w, const char *name, bool list);
	/* end it */
	void (*close)(struct dt_writer *w, const char *name, bool list);
	/* write a string of len bytes, escaped */
	void (*string)(struct dt_writer *w, const char *name, const char *text, size_t len);
	/* write a number or a word, as text has it */
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

/* Begin an empty text. Return false without memory. */
bool dt_writer_init(struct dt_writer *w, const struct dt_language *language);
/* Free the text. */
void dt_writer_fini(struct dt_writer *w);
/* Return the text, in which nothing may be open; NULL if there was no memory for it. */
const char *dt_writer_text(struct dt_writer *w);

/* Begin an object. The name is borrowed until its end, here and below. */
void dt_writer_object(struct dt_writer *w, const char *name);
/* Begin a list. */
void dt_writer_list(struct dt_writer *w, const char *name);
/* End the innermost object or list. */
void dt_writer_end(struct dt_writer *w);

/*
 * Write len bytes as a string. Bytes that are not UTF-8, or no character of the language, become
 * U+FFFD.
 */
void dt_writer_string(struct dt_writer *w, const char *name, const char *text, size_t len);
/* Write a string that ends with NUL. */
void dt_writer_cstring(struct dt_writer *w, const char *name, const char *text);
/* Write a signed number. */
void dt_writer_int(struct dt_writer *w, const char *name, int64_t value);
/* Write an unsigned number. */
void dt_writer_uint(struct dt_writer *w, const char *name, uint64_t value);
/* Write a floating-point number; infinities and NaN become strings. */
void dt_writer_double(struct dt_writer *w, const char *name, double value);
/* Write bytes as a string of two hexadecimal digits each. */
void dt_writer_hex(struct dt_writer *w, const char *name, const void *bytes, size_t len);

/* ---- for the languages ---- */

/* Return the innermost open object or list, NULL outside all. */
struct dt_level *dt_writer_top(struct dt_writer *w);
/*
 * Read the first character of text. Return its length in bytes, and set *out to the code point;
 * where the text is not UTF-8, to U+FFFD, with length 1.
 */
size_t dt_writer_character(const char *text, size_t len, uint32_t *out);

#endif
