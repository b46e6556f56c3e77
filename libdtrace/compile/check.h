/* SPDX-License-Identifier: MIT */
/*
 * check.h - common parts of the files that give expressions their types. Each NOUN_check() takes a
 * node whose parts are unchecked, and returns the node to use in its place.
 */
#ifndef DT_CHECK_H
#define DT_CHECK_H

#include "compile.h"

/* Check a subscript. */
dt_node_t *array_check(dt_ctx_t *cx, dt_node_t *n);
/* Check an operator of two operands. */
dt_node_t *binary_check(dt_ctx_t *cx, dt_node_t *n);
/* Check an assignment. */
dt_node_t *assign_check(dt_ctx_t *cx, dt_node_t *n);
/* Check ++ or --. */
dt_node_t *assign_incdec(dt_ctx_t *cx, dt_node_t *n);
/*
 * Make the element or thread-local variable n a number, if it is read before it is assigned.
 */
void assign_create_read(dt_ctx_t *cx, const dt_node_t *n);
/* Check n, which is the use of inline id with these arguments. */
dt_node_t *inline_check(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args);

/* Check both operands of n. */
void check_operands(dt_ctx_t *cx, dt_node_t *n);
/* Return the address of the first element of an array, n itself if it is none. */
dt_node_t *check_decay(dt_ctx_t *cx, dt_node_t *n);
/*
 * Return a call of copyin() for size bytes at the address n if that is in memory of the process, n
 * itself if it is not.
 */
dt_node_t *check_copyin(dt_ctx_t *cx, dt_node_t *n, uint64_t size);
/* Return the operator of n, for messages. */
const char *check_op(const dt_node_t *n);
/* Return whether n is the constant 0. */
bool check_is_null(const dt_node_t *n);
/* Return the type of a variable whose first value is n. */
const dt_type_t *check_var_type(dt_ctx_t *cx, const dt_node_t *n);
/* Return the meaning of the name in n. Report an error if it has none. */
dt_ident_t *check_lookup(dt_ctx_t *cx, const dt_node_t *n);
/* Make n a reference to variable id. Return n. */
dt_node_t *check_var_node(dt_node_t *n, dt_ident_t *id);
/*
 * Return n, the value of a variable, as the program sees it: as a pointer if the variable is an
 * element of an array that keeps the text of pointers.
 */
dt_node_t *check_seen(dt_ctx_t *cx, const dt_ident_t *id, dt_node_t *n);
/* Return the element with the text if n is such a pointer, n itself if it is none. */
dt_node_t *check_text(dt_node_t *n);
/* Report n if only the name of its type is known. */
void check_known(dt_ctx_t *cx, const dt_node_t *n);
/*
 * Return whether n names an object in memory, and not a variable that is handled by its value.
 */
bool check_has_address(const dt_node_t *n);

#endif
