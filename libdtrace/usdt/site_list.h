/* SPDX-License-Identifier: MIT */
/*
 * site_list.h - the probe sites and declarations of objects, archives and programs, for people and
 * tests: what dtrace -G --list and dtrace -l FILE show.
 */
#ifndef DT_USDT_SITE_LIST_H
#define DT_USDT_SITE_LIST_H

#include "arena.h"
#include "input.h"
#include "libdtrace.h"

/* The types of a probe's arguments, as a program declares them. */
struct site_types {
	const char *provider;
	const char *name; /* with - */
	unsigned int nnatives;
	const char **natives; /* as the program passes them */
	unsigned int nargs;
	const char **args; /* of args[] */
};

struct site_list {
	struct diag *diag;
	struct arena arena; /* of all texts */
	dtrace_usdt_site_t *sites;
	size_t nsites;
	struct site_types *types;
	size_t ntypes;
};

/*
 * site_list_visit - add what an input has: an input_visit whose context is a struct site_list,
 * zeroed but for diag.
 */
int site_list_visit(void *context, const struct input *input);
/* site_list_join - give the sites the types that were declared, in whatever file. */
void site_list_join(struct site_list *list);
/* site_list_read - visit all of args' objects. Returns 0, or 1 after messages. */
int site_list_read(struct site_list *list, const struct dtrace_usdt_args *args);
void site_list_free(struct site_list *list);

#endif
