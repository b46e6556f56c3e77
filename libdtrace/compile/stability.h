/* SPDX-License-Identifier: MIT */
/* stability.h - the stability of variables, functions and descriptions. */
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

/* Return the stability of a built-in variable or function. */
dtrace_attribute_t stability_of_name(const char *name);
/*
 * Lower *least to the stability of a checked expression. Report an error if that is less than the
 * option amin requires.
 */
void stability_expr(struct dt_ctx *cx, const struct dt_node *n, dtrace_attribute_t *least);

#endif
