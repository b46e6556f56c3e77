/* SPDX-License-Identifier: MIT */
/*
 * sites.h - the probe sites of an object: the called ones, which -G rewrites, and the recorded
 * ones, which it only compares with the declarations.
 */
#ifndef DT_USDT_SITES_H
#define DT_USDT_SITES_H

#include "machine.h"
#include "object.h"
#include "provider_file.h"

/* A function that an object calls for a probe. */
struct called {
	uint32_t symbol;
	const char *name;		    /* of the probe, as the symbol has it */
	bool enabled;			    /* it is the is-enabled function */
	bool sited;			    /* it has a site */
	const struct provider *provider;    /* NULL: not declared */
	const struct provider_probe *probe; /* NULL: not declared */
};

struct site {
	uint32_t section; /* of code */
	uint32_t called;  /* index in called[] */
	uint32_t enabled; /* among the calls of is-enabled functions: which one */
	struct machine_site at;
};

struct sites {
	struct called *called;
	size_t ncalled;
	uint32_t *called_of; /* by symbol: index in called[] + 1; NULL if there is no called
				function */
	struct site *sites;  /* sorted by section and place */
	size_t nsites;
	uint32_t nenabled; /* sites that call is-enabled functions */
};

/*
 * sites_find - all call sites of a relocatable object. decls: the declarations; with learn set,
 * what the object calls is added to them, else everything must be declared. References that are no
 * calls are errors. Returns 0, or -1 after messages. sites_free in either case.
 */
int sites_find(struct object *object, struct provider_file *decls, bool learn, struct sites *sites);
void sites_free(struct sites *sites);
/* sites_at - the call site of the place (its section and at.start), or NULL. */
const struct site *sites_at(const struct sites *sites, const struct site *place);

/*
 * sites_check_records - compare the records of an object or program with the declarations: a probe
 * that its provider does not declare, and another number of arguments, are errors. With learn set,
 * providers and probes are added instead. *count: records seen. Returns 0, or -1 after messages.
 */
int sites_check_records(struct object *object, struct provider_file *decls, bool learn,
			size_t *count);

/*
 * sites_called_in_bytes - the first name of a called probe's function among bytes that are no ELF
 * symbols; NULL if there is none. *len: its length.
 */
const char *sites_called_in_bytes(const void *bytes, size_t size, size_t *len);

#endif
