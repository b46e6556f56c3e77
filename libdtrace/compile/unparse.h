/* SPDX-License-Identifier: MIT */
/* unparse.h - trees as text: D again (dtrace -d), or the tree itself (-xtree). */
#ifndef DT_UNPARSE_H
#define DT_UNPARSE_H

#include <stdio.h>
#include <dtrace/ioctl.h>

#include "ast.h"

/* Passes whose trees -xtree=MASK asks for. */
#define TREE_PARSED	0x1
#define TREE_CHECKED	0x2

/*
 * unparse_head - descriptions and predicate (or NULL) of a clause, and the brace that opens it.
 * unparse_statement - a statement in it.
 */
void unparse_head(const dtrace_probedesc_t *descs, uint32_t n, const dt_node_t *pred, FILE *fp);
void unparse_statement(const dt_node_t *expr, FILE *fp);

/* tree_print - if -xtree asks for that pass, the tree of n with a line per node, to stderr. */
void tree_print(struct dt_ctx *cx, const dt_node_t *n, unsigned int pass);

#endif
