/* SPDX-License-Identifier: MIT */
/*
 * link.h - dtrace -G: rewrites call sites in objects, and makes an object with declarations and
 * drti.
 */
#ifndef DT_USDT_LINK_H
#define DT_USDT_LINK_H

#include "input.h"
#include "output_file.h"
#include "provider_file.h"

struct link {
	struct diag *diag;
	struct provider_file decls;
	bool learn; /* there is no provider file: take the providers from the objects */
	int model;  /* 32 or 64, if only such objects are accepted; 0: any */
	const struct machine *machine; /* NULL until it was named or the first object tells */
	char *machine_from;	       /* source of machine, for messages */
	struct output_batch *batch;    /* of rewritten objects; NULL: nothing is written */
	struct stat output;	       /* what has the output's name now; st_nlink 0: nothing */
	size_t nrewritten;	       /* objects */
	size_t nsites;		       /* call sites and records seen */
};

/* Process one input: an input_visit whose context is a struct link. */
int link_visit(void *context, const struct input *input);

#endif
