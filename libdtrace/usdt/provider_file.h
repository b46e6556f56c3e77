/* SPDX-License-Identifier: MIT */
/*
 * provider_file.h - provider files: providers, probes, and the types of their arguments.
 *
 * The parser skips other declarations, D clauses and directives around providers. But it never
 * skips a probe: an unknown form within a provider is an error with file and line.
 */
#ifndef DT_USDT_PROVIDER_FILE_H
#define DT_USDT_PROVIDER_FILE_H

#include <dtrace/dof.h>
#include "c_type.h"
#include "diag.h"
#include "libdtrace.h"

struct provider_arg {
	const char *name; /* or NULL */
	struct c_type type;
	const char *spelled; /* the type as it is spelled, for output */
};

struct provider_probe {
	const char *name;     /* as written: saw__line, saw-line */
	const char *hyphened; /* as D shows it: saw-line */
	const char *file;
	unsigned int line;
	struct provider_arg *args;
	unsigned int nargs;
	struct provider_arg *xargs; /* translated arguments; the same array if none were written */
	unsigned int nxargs;
	uint8_t *map; /* nxargs: which argument each one is made from */
	bool typed;   /* declared by a file: else nothing is known of the arguments */
};

enum { ATTR_PROVIDER, ATTR_MODULE, ATTR_FUNCTION, ATTR_NAME, ATTR_ARGS, ATTR_COUNT };

struct provider {
	const char *name;
	struct provider_probe **probes; /* in the order of the file */
	size_t nprobes;
	struct provider_probe **index; /* hash table by hyphened name; a power of two of buckets */
	size_t nindex;
	dof_attr_t attrs[ATTR_COUNT];
};

struct provider_file {
	struct arena arena;
	const char *path;
	struct provider **providers;
	size_t nproviders;
	struct typedefs typedefs;
	bool helpers; /* it has clauses of dtrace:helper */
};

/*
 * Return why a provider's name conflicts with another when the process number is appended, as a
 * phrase that follows the name; NULL if it does not. "app1" of process 23 and "app" of process 123
 * would be one name; "pid" of process 23 would be pid23, whose probes are functions.
 */
const char *provider_name_conflict(const char *name);

/*
 * Add the declarations in len bytes of text to *file, which is initially zero. path is for
 * messages, and must outlive the file. A probe may be declared again with the same arguments.
 * Return 0, or -1 after messages. Call provider_file_free() in either case.
 */
int provider_file_parse(struct provider_file *file, struct diag *diag, const char *path,
			const char *text, size_t len);
/* Add the declarations of the file at path, preprocessed as args say. Return as above. */
int provider_file_read(struct provider_file *file, struct diag *diag, const char *path,
		       const struct dtrace_usdt_args *args);
/* Free all that a provider file holds. */
void provider_file_free(struct provider_file *file);

/* Return the provider of that name, or NULL. */
struct provider *provider_file_find(const struct provider_file *file, const char *name);
/*
 * Return the provider of that name. If it does not exist, add it. Return NULL if there is no
 * memory.
 */
struct provider *provider_file_add(struct provider_file *file, const char *name);
/*
 * Do as provider_file_add() for a probe of a provider. An added probe has no types, since sites
 * define it.
 */
struct provider_probe *provider_add_probe(struct provider_file *file, struct provider *provider,
					  const char *name);
/* Return the probe of that name, as written or with hyphens, or NULL. */
struct provider_probe *provider_find_probe(const struct provider *provider, const char *name);

#endif
