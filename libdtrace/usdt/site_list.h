/* SPDX-License-Identifier: MIT */
/*
 * site_list.h - lists the probe sites and declarations of objects, archives and programs, for
 * dtrace -G --list and dtrace -l FILE.
 */
#ifndef DT_USDT_SITE_LIST_H
#define DT_USDT_SITE_LIST_H

#include "../arena.h"
#include "input.h"
#include "libdtrace.h"

/* The declared types of a probe's arguments. */
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
 * Add the sites of an input: an input_visit whose context is a struct site_list, zeroed except
 * diag.
 */
int site_list_visit(void *context, const struct input *input);
/* Give the sites the declared types, from any of the files. */
void site_list_set_types(struct site_list *list);
/* Visit all objects of args. Return 0, or 1 after messages. */
int site_list_read(struct site_list *list, const struct dtrace_usdt_args *args);
/* Free all that the list holds. */
void site_list_free(struct site_list *list);

#endif
