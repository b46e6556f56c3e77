/* SPDX-License-Identifier: MIT */
/*
 * visit.h - walks a value of a C type member by member, for print(): its text and structured output
 * see the same fields in the same order.
 */
#ifndef DT_VISIT_H
#define DT_VISIT_H

#include "../compile/type.h"

#define DT_FIELD_TEXT 512 /* bytes that a leaf's text needs at most, but for strings */

/* A value within the value: the whole, a member or an element. Valid during the call. */
typedef struct dt_field {
	const char *name;      /* of a member; NULL: the whole, an element, or anonymous */
	const dt_type_t *type; /* as declared: typedefs are not resolved */
	const char *data;
	size_t size;	      /* bytes at data */
	uint8_t bits, bitoff; /* of a bit-field, see dt_member_t; else 0 */
	bool element;	      /* of an array */
	bool last;	      /* element: no other follows */
	int depth;	      /* of the whole 0; of its members and elements 1 ... */
} dt_field_t;

/* What a walk calls for the parts of a value. */
typedef struct dt_walk {
	/* a struct, a union or an array begins; ends: what is in it comes between */
	void (*enter)(const dt_field_t *f, void *arg);
	void (*leave)(const dt_field_t *f, void *arg);
	/* any other value, a string or an array of characters that holds one included */
	void (*leaf)(const dt_field_t *f, void *arg);
	void *arg;
} dt_walk_t;

/*
 * Visit a value of size bytes at data. Members beyond size are skipped.
 */
void dt_visit(const dt_type_t *type, const void *data, size_t size, const dt_walk_t *walk);
/*
 * Write the type of a field to buf, cut to len bytes; types without a tag have no word. Return buf.
 */
const char *dt_field_type(const dt_field_t *f, char *buf, size_t len);
/* Return whether the elements of an array are structs or unions. */
bool dt_field_holds_records(const dt_field_t *f);
/* Return whether a leaf is a text, and set *len to its length; it begins at f->data. */
bool dt_field_string(const dt_field_t *f, size_t *len);
/* Return the value of a leaf that is an integer, enumeration, pointer or bit-field. */
int64_t dt_field_integer(const dt_field_t *f);
/* Return the name of an enumeration's value, or NULL. */
const char *dt_field_enum(const dt_field_t *f);
/*
 * Write a leaf that is no text as print() does to buf, which has DT_FIELD_TEXT bytes. Return buf.
 */
const char *dt_field_text(dtrace_hdl_t *dtp, const dt_field_t *f, char *buf);

#endif
