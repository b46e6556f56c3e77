/* SPDX-License-Identifier: MIT */
/*
 * decl.h - the parts of declarations, for files that parse other kinds of declarations.
 */
#ifndef DT_DECL_H
#define DT_DECL_H

#include "compile.h"

#define DECL_MAXARRAY (1u << 24) /* bytes of an object */

/* Storage classes, as a mask. */
#define DECL_TYPEDEF 0x01
#define DECL_EXTERN  0x02
#define DECL_STATIC  0x04
#define DECL_INLINE  0x08
#define DECL_SELF    0x10
#define DECL_THIS    0x20
#define DECL_AUTO    0x40 /* and register: where there are no functions, nothing to do */

/* A parameter of an associative array, an inline or a function: a type and perhaps a name. */
typedef struct dt_decl_param {
	const dt_type_t *type;
	const char *name; /* or NULL */
	struct dt_decl_param *next;
} dt_decl_param_t;

/* The result of a declarator. */
typedef struct dt_decl {
	dt_loc_t loc;
	const char *name; /* NULL if there is none */
	const dt_type_t *type;
	dt_decl_param_t *keys; /* types in brackets: of an array or inline */
	uint32_t nkeys;
	dt_decl_param_t *params; /* of the outermost function declarator, with names */
	uint32_t nparams;
	bool is_array; /* keys are valid */
	bool no_dim;   /* array of a length that is not given */
} dt_decl_t;

/*
 * Return whether a location is in a C header that -C includes: not in the program or a file NAME.d.
 */
bool decl_is_c(const dt_loc_t *loc);
/* Parse the type before declarators, without storage class. */
const dt_type_t *decl_specifiers(dt_ctx_t *cx);
/* Parse the type with storage classes, and add these (DECL_*) to *storage. */
const dt_type_t *decl_specifiers_with(dt_ctx_t *cx, uint32_t *storage);
/* Parse a declarator of base. */
dt_decl_t decl_declarator(dt_ctx_t *cx, const dt_type_t *base);
/*
 * Parse a struct, union or enum; the current token is that word. late: if D does not know the tag,
 * do not look for it in the kernel now: the type that is returned is for tagged_complete().
 */
const dt_type_t *tagged_parse(dt_ctx_t *cx, bool late);
/*
 * Return the type that a tag of such a type, or of what a pointer leads to, means by now; t if it
 * means none.
 */
const dt_type_t *tagged_complete(dt_ctx_t *cx, const dt_type_t *t);
/* Return the word that declares such a type. */
const char *tagged_word(dt_type_kind_t kind);
/* Parse an inline from the = on; d is its declarator. */
void inline_parse(dt_ctx_t *cx, const dt_decl_t *d);

#endif
