/* SPDX-License-Identifier: MIT */
/* unparse.h - trees as text: D again (dtrace -d), or the tree itself (-xtree). */
#ifndef DT_UNPARSE_H
#define DT_UNPARSE_H

#include <stdio.h>
#include <dtrace/ioctl.h>

#include "ast.h"

/* Passes whose trees -xtree=MASK asks for. */
#define TREE_PARSED  0x1
#define TREE_CHECKED 0x2

/* Print descriptions and predicate, which may be NULL, of a clause, and its opening brace. */
void unparse_head(const dtrace_probedesc_t *descs, uint32_t n, const dt_node_t *pred, FILE *fp);
/* Print a statement. */
void unparse_statement(const dt_node_t *expr, FILE *fp);

/* Print the tree of n to stderr, a line for each node, if option tree has this pass. */
void tree_print(struct dt_ctx *cx, const dt_node_t *n, unsigned int pass);

#endif
