/* SPDX-License-Identifier: MIT */
/*
 * check.h - what the files that give expressions their types share. Each NOUN_check takes a node
 * whose parts are unchecked and returns the one to use in its place.
 */
#ifndef DT_CHECK_H
#define DT_CHECK_H

#include "compile.h"

/* array_check - a subscript. */
dt_node_t *array_check(dt_ctx_t *cx, dt_node_t *n);
/* binary_check - an operator of two operands. */
dt_node_t *binary_check(dt_ctx_t *cx, dt_node_t *n);
/* assign_check - an assignment. assign_incdec - ++ or --. */
dt_node_t *assign_check(dt_ctx_t *cx, dt_node_t *n);
dt_node_t *assign_incdec(dt_ctx_t *cx, dt_node_t *n);
/*
 * assign_create_read - n is asked for a number: an element or a thread-local variable that is not
 * assigned yet is one.
 */
void assign_create_read(dt_ctx_t *cx, const dt_node_t *n);
/* inline_check - n is the use of inline id with these arguments. */
dt_node_t *inline_check(dt_ctx_t *cx, dt_node_t *n, dt_ident_t *id, dt_node_t *args);

/* check_operands - check what is left and right of n. */
void check_operands(dt_ctx_t *cx, dt_node_t *n);
/* check_decay - an array where a pointer is wanted: the address of its first element. */
dt_node_t *check_decay(dt_ctx_t *cx, dt_node_t *n);
/* check_op - the operator of n, for messages. */
const char *check_op(const dt_node_t *n);
/* check_is_null - is it the constant 0? */
bool check_is_null(const dt_node_t *n);
/* check_var_type - type of a variable that begins its life with the value of n. */
const dt_type_t *check_var_type(dt_ctx_t *cx, const dt_node_t *n);
/* check_lookup - what the name in n means; an error if it means nothing. */
dt_ident_t *check_lookup(dt_ctx_t *cx, const dt_node_t *n);
/* check_var_node - make n a reference to variable id. */
dt_node_t *check_var_node(dt_node_t *n, dt_ident_t *id);
/* check_known - complain if the type of n has only a name. */
void check_known(dt_ctx_t *cx, const dt_node_t *n);
/*
 * check_has_address - does n name a place in memory, and not a variable that is handled by its
 * value?
 */
bool check_has_address(const dt_node_t *n);

#endif
