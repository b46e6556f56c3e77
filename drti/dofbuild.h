/* SPDX-License-Identifier: MIT */
/*
 * dofbuild.h - joins declarations and site records (dtrace/site.h) into the DOF that a process
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
 * Work and memory grow linearly with the sites. Probes without a site are left out; a probe without
 * declaration has no types.
 */
#ifndef DRTI_DOFBUILD_H
#define DRTI_DOFBUILD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <dtrace/dof.h>
#include <dtrace/site.h>
#include "operand.h"

/* A table that grows, and a table of hashes over the entries of one. */
struct dofbuild_table {
	void *entries;
	uint32_t used, room;
};
struct dofbuild_hash {
	uint32_t *slots;     /* entry + 1, or 0 */
	uint32_t used, room; /* room is a power of two */
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
 *	machine	of the process
 *	alloc	returns memory aligned to 16 bytes, or NULL. It is never freed here; free it all
 *		after dofbuild_write
 */
void dofbuild_init(struct dofbuild *b, const struct operands *machine,
		   void *(*alloc)(void *ctx, size_t size), void *ctx);

/*
 * Take the providers and probes that a DOF file declares. The first declaration of a probe counts.
 * The file may go away afterwards. Returns the file's size, by which the next one is found (rounded
 * up to 8), or 0 if it is damaged.
 */
size_t dofbuild_declare(struct dofbuild *b, const void *dof, size_t size);

/*
 * The size of a DOF file of which `left` bytes can be read, 0 if it is damaged; and whether it has
 * a section of that type.
 */
size_t dofbuild_file_size(const void *dof, size_t left);
bool dofbuild_has(const void *dof, size_t left, uint32_t type);

/*
 * Take one site.
 *	record	the record, readable for `left` bytes
 *	left	bytes to the end of the section
 *	address	of the record in the process
 *	func	name of the function, or NULL if it is not known
 * Returns the bytes the record takes, 0 if its size is damaged, so that nothing after it can be
 * found. A record that is damaged otherwise is counted in b->refused and left out.
 */
size_t dofbuild_site(struct dofbuild *b, const struct dtrace_site_record *record, size_t left,
		     uint64_t address, const char *func);

/* A probe that is made while the program runs, at one site. */
struct dofbuild_probe {
	const char *provider, *name, *func; /* name with __ or - */
	uint64_t pc, sema;		    /* addresses in the process; sema 0: none */
	unsigned int nargs;		    /* of types and locs */
	const char *const *types;	    /* in C */
	const dof_argloc_t *locs;
};

/*
 * Take one. Nothing of it is needed afterwards. Returns false, and counts it in b->refused, if its
 * names are too long or its arguments too many.
 */
bool dofbuild_probe(struct dofbuild *b, const struct dofbuild_probe *p);

/*
 * Take one more site of a probe, which is made if it is new; types are not looked at. For the rest
 * as dofbuild_probe.
 */
bool dofbuild_place(struct dofbuild *b, const struct dofbuild_probe *p);

/*
 * Bytes that dofbuild_write needs; 0 if there is no site or no memory. Nothing can be added after
 * this.
 */
size_t dofbuild_size(struct dofbuild *b);

/*
 * Write the DOF to out, which is zeroed and is at `address` in the process that will register it.
 */
void dofbuild_write(const struct dofbuild *b, void *out, uint64_t address);

#endif
