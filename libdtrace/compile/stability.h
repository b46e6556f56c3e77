/* SPDX-License-Identifier: MIT */
/* stability.h - stability of what programs name: of variables, functions, descriptions. */
#ifndef DT_STABILITY_H
#define DT_STABILITY_H

#include <dtrace/ioctl.h>

struct dt_ctx;
struct dt_node;
struct dtrace_hdl;

/* Names of the language itself. */
extern const dtrace_attribute_t stability_language;

/* A provider of which nothing is known. */
extern const dtrace_pattr_t stability_unknown;

/* stability_of_name - of a built-in variable or function. */
dtrace_attribute_t stability_of_name(const char *name);
/*
 * stability_expr - lower *least to the stability of a checked expression. An error if that is less
 * than -xamin asks for.
 */
void stability_expr(struct dt_ctx *cx, const struct dt_node *n, dtrace_attribute_t *least);

#endif
