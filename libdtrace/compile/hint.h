/* SPDX-License-Identifier: MIT */
/*
 * hint.h - find the hint for the error that the caller reports next. Each function calls dt_hint if
 * it finds a better hint than the one of the error's tag, and returns cx, for dt_error.
 */
#ifndef DT_HINT_H
#define DT_HINT_H

#include "compile.h"

/*
 * Suggest the variable whose name is similar to an unknown one, or that Linux has instead of one of
 * another system.
 */
dt_ctx_t *hint_variable(dt_ctx_t *cx, const char *name);
/* Suggest a function in the same way. */
dt_ctx_t *hint_function(dt_ctx_t *cx, const char *name);
/* Suggest a type in the same way. */
dt_ctx_t *hint_type(dt_ctx_t *cx, const char *name);
/* Suggest a member of a struct or union in the same way. */
dt_ctx_t *hint_member(dt_ctx_t *cx, const dt_type_t *record, const char *name);
/* Suggest an aggregation in the same way. */
dt_ctx_t *hint_agg(dt_ctx_t *cx, const char *name);
/* Suggest a tag for a struct or union that is not defined. */
dt_ctx_t *hint_tag(dt_ctx_t *cx, const dt_type_t *t);
/* Suggest a symbol of a kernel module ("": of any). */
dt_ctx_t *hint_symbol(dt_ctx_t *cx, const char *module, const char *name);
/* Suggest a word of a list that ends with NULL. */
dt_ctx_t *hint_word(dt_ctx_t *cx, const char *word, const char *const *words);

/* Tell how to convert a value of one type to another type. */
dt_ctx_t *hint_convert(dt_ctx_t *cx, const dt_type_t *from, const dt_type_t *to);
/* Tell how to convert one of two operands to the type of the other. */
dt_ctx_t *hint_both(dt_ctx_t *cx, const dt_type_t *a, const dt_type_t *b);
/* Tell how to get an integer or a pointer from a value of type t. */
dt_ctx_t *hint_scalar(dt_ctx_t *cx, const dt_type_t *t);
/* Show the n keys that the array or aggregation had at its first use. */
dt_ctx_t *hint_keys(dt_ctx_t *cx, const char *name, const dt_type_t *const *types, uint32_t n);
/* Show the parameters of an inline. */
dt_ctx_t *hint_params(dt_ctx_t *cx, const dt_ident_t *id);

/* Tell which field of a description matches no probe, and suggest another. */
dt_ctx_t *hint_probe(dt_ctx_t *cx, const dtrace_probedesc_t *desc);

#endif
