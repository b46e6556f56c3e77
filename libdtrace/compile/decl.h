/* SPDX-License-Identifier: MIT */
/*
 * decl.h - declarators, for those who read declarations of their own kind: translators and
 * providers.
 */
#ifndef DT_DECL_H
#define DT_DECL_H

#include "compile.h"

/* A parameter of an associative array, an inline or a function: a type and perhaps a name. */
typedef struct dt_decl_param {
	const dt_type_t *type;
	const char *name;		/* or NULL */
	struct dt_decl_param *next;
} dt_decl_param_t;

/* What a declarator declares. */
typedef struct dt_decl {
	dt_loc_t loc;
	const char *name;		/* NULL if there is none */
	const dt_type_t *type;
	dt_decl_param_t *keys;		/* types in brackets: of an array or inline */
	uint32_t nkeys;
	dt_decl_param_t *params;	/* of the outermost function declarator, with names */
	uint32_t nparams;
	bool is_array;			/* keys are valid */
	bool no_dim;			/* array of a length that is not given */
} dt_decl_t;

/* decl_specifiers - the type before declarators, without storage class. */
const dt_type_t *decl_specifiers(dt_ctx_t *cx);
/* decl_declarator - a declarator of base. */
dt_decl_t decl_declarator(dt_ctx_t *cx, const dt_type_t *base);

#endif
