/* SPDX-License-Identifier: MIT */
/*
 * sites.h - finds the probe sites of an object: call sites, which -G rewrites, and recorded sites,
 * which it only compares with the declarations.
 */
#ifndef DT_USDT_SITES_H
#define DT_USDT_SITES_H

#include "machine.h"
#include "object.h"
#include "provider_file.h"

/* A function that an object calls for a probe. */
struct callee {
	uint32_t symbol;
	const char *name;		    /* of the probe, as the symbol has it */
	bool enabled;			    /* it is the is-enabled function */
	bool sited;			    /* it has a site */
	const struct provider *provider;    /* NULL: not declared */
	const struct provider_probe *probe; /* NULL: not declared */
};

struct site {
	uint32_t section; /* of code */
	uint32_t callee;  /* index in callees[] */
	uint32_t enabled; /* among the calls of is-enabled functions: which one */
	struct machine_site at;
};

struct sites {
	struct callee *callees;
	size_t ncallees;
	uint32_t *callee_of; /* by symbol: index in callees[] + 1; NULL if there is no such
				function */
	struct site *sites;  /* sorted by section and offset */
	size_t nsites;
	uint32_t nenabled; /* sites that call is-enabled functions */
};

/*
 * Find all call sites of a relocatable object. With learn set, the probes of callees are added to
 * decls; otherwise decls must declare them. References other than calls are errors. Return 0, or -1
 * after messages. Call sites_free() in either case.
 */
int sites_find(struct object *object, struct provider_file *decls, bool learn, struct sites *sites);
/* Free all that sites hold. */
void sites_free(struct sites *sites);
/* Return the call site with the section and at.start of the given one, or NULL. */
const struct site *sites_at(const struct sites *sites, const struct site *site);

/*
 * Compare the records of an object or program with the declarations. Probes that their provider
 * does not declare, and wrong numbers of arguments, are errors. With learn set, providers and
 * probes are added instead. *count is set to the number of records. Return 0, or -1 after
 * messages.
 */
int sites_check_records(struct object *object, struct provider_file *decls, bool learn,
			size_t *count);

/*
 * Return the first name of a callee in bytes that are no ELF symbols, and set *len to its length.
 * Return NULL if there is none.
 */
const char *sites_callee_in_bytes(const void *bytes, size_t size, size_t *len);

#endif
