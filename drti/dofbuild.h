/* SPDX-License-Identifier: MIT */
/*
 * dofbuild.h - merges declarations and site records (dtrace/site.h) into the DOF that a process
 * registers.
 *
 *	struct dofbuild b;
 *
 *	dofbuild_init(&b, &operands_x86_64, alloc, ctx);
 *	dofbuild_declare(&b, dof, size);		each file of section dtrace_dof
 *	dofbuild_site(&b, record, address, func);	each record of section dtrace_sites
 *	dofbuild_probe(&b, probe);			each probe made at run time
 *	size = dofbuild_size(&b);
 *	dofbuild_write(&b, out, address_of_out);
 *
 * Time and memory grow linearly with the number of sites. Probes without a site are omitted. A
 * probe without declaration has no types.
 */
#ifndef DRTI_DOFBUILD_H
#define DRTI_DOFBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dtrace/dof.h>
#include <dtrace/site.h>
#include "operand.h"

/* A growing table, and a hash over the entries of a table. */
struct dofbuild_table {
	void *entries;
	uint32_t used, capacity;
};
struct dofbuild_hash {
	uint32_t *buckets;	 /* entry + 1, or 0 */
	uint32_t used, capacity; /* capacity is a power of two */
};

struct dofbuild {
	const struct operands *machine;
	void *(*alloc)(void *ctx, size_t size);
	void *ctx;
	bool failed; /* no memory, or too much of something: nothing can be written */
	struct dofbuild_table strings, providers, probes, map, sites, locs;
	struct dofbuild_hash string_hash, probe_hash;
	uint32_t recent;  /* provider of the last site */
	uint32_t refused; /* records that cannot be a probe: damaged, or names too long */
	uint32_t *order;  /* sites by provider and probe */
};

/*
 * Prepare b.
 *
 * machine: the machine of the process. alloc: a function that returns memory aligned to 16 bytes,
 * or NULL. The functions here never free it; free all of it after dofbuild_write().
 */
void dofbuild_init(struct dofbuild *b, const struct operands *machine,
		   void *(*alloc)(void *ctx, size_t size), void *ctx);

/*
 * Add the providers and probes that a DOF file declares. The first declaration of a probe counts.
 * The file is not needed afterwards. Return the file's size, whose multiple of 8 is the offset of
 * the next file, or 0 if the file is damaged.
 */
size_t dofbuild_declare(struct dofbuild *b, const void *dof, size_t size);

/* Return the size of a DOF file of which `left` bytes are readable, or 0 if it is damaged. */
size_t dofbuild_file_size(const void *dof, size_t left);
/* Return whether a DOF file of which `left` bytes are readable has a section of a type. */
bool dofbuild_has(const void *dof, size_t left, uint32_t type);

/*
 * Add one site.
 *	record	the record, readable for `left` bytes
 *	left	bytes to the end of the section
 *	address	of the record in the process
 *	func	the function: what the compiler or a demangler says of it (function.h), or NULL if
 *		it is unknown
 * Return the size of the record in bytes, or 0 if its size is damaged, so that later records cannot
 * be found. A record with other damage is counted in b->refused and omitted.
 */
size_t dofbuild_site(struct dofbuild *b, const struct dtrace_site_record *record, size_t left,
		     uint64_t address, const char *func);

/* A probe that is made at run time, at one site. */
struct dofbuild_probe {
	const char *provider, *name, *func; /* name with __ or - */
	uint64_t pc, sema;		    /* addresses in the process; sema 0: none */
	unsigned int nargs;		    /* of types and locs */
	const char *const *types;	    /* in C */
	const dof_argloc_t *locs;
};

/*
 * Add one such probe; its strings are copied. Return false, and count it in b->refused, if its
 * names are too long or it has too many arguments.
 */
bool dofbuild_probe(struct dofbuild *b, const struct dofbuild_probe *p);

/*
 * Add a site to such a probe, which is made if it is new. Its types are ignored. Otherwise the
 * function is like dofbuild_probe().
 */
bool dofbuild_add_site(struct dofbuild *b, const struct dofbuild_probe *p);

/*
 * Return the number of bytes that dofbuild_write() needs, or 0 if there is no site or no memory.
 * Nothing can be added afterwards.
 */
size_t dofbuild_size(struct dofbuild *b);

/* Write the DOF to out, which is zeroed, and is at `address` in the process that registers it. */
void dofbuild_write(const struct dofbuild *b, void *out, uint64_t address);

#endif
