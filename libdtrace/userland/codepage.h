/* SPDX-License-Identifier: MIT */
/*
 * codepage.h - pages of code that dtrace has put into a process. (codepage.c)
 *
 * The pages are private mappings of sealed memory files, which the process can neither write nor
 * change. dtrace keeps a copy of each page. New code goes into a new file, and the mapping of that
 * file replaces the old mapping at once: no thread sees a page without code.
 *
 * Code is never removed or changed. A thread may be within it, and dtrace cannot find out for sure
 * that no thread is: the address may be in a signal frame, in a context that the program has saved
 * in its own way, or only in a register that the kernel has saved. Therefore a session takes over
 * the pages of ended sessions. It finds each block of code by its site, and compares it with the
 * code that it would write itself.
 *
 *	a page of cells	the constant, CODE_MAGIC, cells from CODE_CELL on, and from the end of the
 *			page downwards a table of its blocks of code
 *	other pages	jumps of five bytes at given addresses, and int3 between them
 */
#ifndef DT_USERLAND_CODEPAGE_H
#define DT_USERLAND_CODEPAGE_H

#include "remote.h"
#include "space.h"

#define CODE_CELL 32 /* bytes: alignment of code at chosen addresses */

struct code_page;

/* A block of code in a page of cells. */
struct code_block {
	uint64_t site; /* address of its site */
	uint64_t addr;
};

/* The pages of a process. All zero: none. */
struct code_pages {
	struct dt_space space;	 /* a snapshot, which includes pages that are not mapped yet */
	struct code_page **list; /* in order of addresses */
	size_t n;
	struct code_block *found; /* blocks of all pages, sorted by site */
	size_t nfound;
	bool looked;  /* the pages of earlier sessions are in the list */
	bool written; /* some blocks are not in found yet */
	uint64_t hit; /* a constant at the start of each page of cells */
};

/*
 * Begin to write code. The first call takes over the pages of earlier sessions. code_found() knows
 * all blocks that were written before the call.
 *	memory	of the process, to read
 * Return 0, -ESRCH or -ENOMEM.
 */
int code_pages_begin(struct code_pages *pages, pid_t pid, int memory);
/*
 * Return the address of the i-th block, counted from 0, that was written for a site before the last
 * code_pages_begin(), in this session or in earlier ones; 0 if there is none.
 */
uint64_t code_found(const struct code_pages *pages, uint64_t site, size_t i);
/* Read n bytes of code at an address. Return false if some of the bytes are not code of dtrace. */
bool code_read(const struct code_pages *pages, uint64_t addr, void *bytes, size_t n);
/*
 * Make a page of cells of an earlier session call this session's agent: set the constant of the
 * page.
 */
void code_take(struct code_pages *pages, uint64_t addr);
/* Return whether code_write_at() can write n bytes at an address that has no code of dtrace yet. */
bool code_is_possible(const struct code_pages *pages, uint64_t addr, size_t n);
/*
 * Write n bytes at an address, on one or two pages. Return 0; -EEXIST if other bytes are there; or
 * -ENOMEM. The same bytes may be written again.
 */
int code_write_at(struct code_pages *pages, uint64_t addr, const void *bytes, size_t n);
/*
 * Find free cells for n bytes, at most half a page: as near to an address as possible, from low up
 * to high. Return the address, which is valid for the next code_write() only; or 0 if there are no
 * free cells or no memory.
 */
uint64_t code_find(struct code_pages *pages, uint64_t near, uint64_t low, uint64_t high, size_t n);
/* Return the address of the constant of a page of cells. */
uint64_t code_constant(uint64_t addr);
/* Write n bytes for a site to the cells that code_find() has found. */
void code_write(struct code_pages *pages, uint64_t site, uint64_t addr, const void *bytes,
		size_t n);
/*
 * Map the pages that have changed. Return 0, or the error of the first page that could not be
 * mapped: -EEXIST if the process has mapped something there meanwhile.
 */
int code_pages_map(struct code_pages *pages, struct dt_remote *remote);
/* Return whether code at an address has been mapped in the process. */
bool code_is_mapped(const struct code_pages *pages, uint64_t addr);
/* Free the description of the pages. The code in the process stays. */
void code_pages_free(struct code_pages *pages);

#endif
