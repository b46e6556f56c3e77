/* SPDX-License-Identifier: MIT */
/*
 * codepage.h - pages of code that dtrace has put into a process. (codepage.c)
 *
 * The pages are private mappings of sealed memory files, which the process can neither write nor
 * change. dtrace keeps a copy of each page. Code that is placed later goes into a new file, and the
 * mapping of that file takes the place of the old one at once: no thread sees a page without code.
 *
 * Code that has been placed is never removed, and stays as it is. A thread may be within it, and nothing
 * tells for sure that none is: the address may be in the frame of a signal, in a context that a program has
 * saved in its own way, or nowhere but in a register of the kernel's. So the pages of sessions that have
 * ended are taken over by the next one instead: it finds each block of code by what it belongs to, and
 * compares it with what it would place itself.
 *
 *	a page of cells	the constant, CODE_MAGIC, cells from CODE_CELL on, and from the end of the page downwards
 *			a table of its blocks of code
 *	other pages	jumps of five bytes at given addresses, and int3 between them
 */
#ifndef DT_USERLAND_CODEPAGE_H
#define DT_USERLAND_CODEPAGE_H

#include "remote.h"
#include "space.h"

#define CODE_CELL 32 /* bytes: code of our choice begins at multiples of it */

struct code_page;

/* Code in a page of cells. */
struct code_block {
	uint64_t owner; /* what it belongs to, an address */
	uint64_t addr;
};

/* The pages of a process. All zero: none. */
struct code_pages {
	struct dt_space
		space; /* a snapshot, with the pages: of the process, or they would be there */
	struct code_page **list; /* in order of addresses */
	size_t n;
	struct code_block *found; /* of earlier sessions, in order of owners */
	size_t nfound;
	bool looked;  /* for these */
	uint64_t hit; /* a constant at the start of each page of cells */
};

/*
 * Begin to place code. The first time, the pages of earlier sessions are taken over.
 *	memory	of the process, to read
 * Return 0, -ESRCH or -ENOMEM.
 */
int code_pages_begin(struct code_pages *pages, pid_t pid, int memory);
/*
 * Return the i-th block of code of an owner that an earlier session has placed, counted from 0; 0 if there are no
 * more.
 */
uint64_t code_found(const struct code_pages *pages, uint64_t owner, size_t i);
/* Read n bytes of code at an address, as it was placed. Return false if not all of it is code. */
bool code_read(const struct code_pages *pages, uint64_t addr, void *bytes, size_t n);
/* Make use of code in a page of cells that an earlier session has placed: let the constant be that of this one. */
void code_take(struct code_pages *pages, uint64_t addr);
/* Return whether code_write_at() could place n bytes at an address that has no code of ours yet. */
bool code_is_possible(const struct code_pages *pages, uint64_t addr, size_t n);
/*
 * Place n bytes at an address, on one or two pages. Return 0; -EEXIST: there is something else; or
 * -ENOMEM. The same bytes may be placed again.
 */
int code_write_at(struct code_pages *pages, uint64_t addr, const void *bytes, size_t n);
/*
 * Find a place for n bytes, at most half a page: as near to an address as possible, from low up to
 * high at most. Return its address, of which only the next code_write() may make use; or 0 if there
 * is none, or no memory.
 */
uint64_t code_find(struct code_pages *pages, uint64_t near, uint64_t low, uint64_t high, size_t n);
/* Return the address of the constant of a page of cells. */
uint64_t code_constant(uint64_t addr);
/* Write n bytes that belong to owner to a place that has been found. */
void code_write(struct code_pages *pages, uint64_t owner, uint64_t addr, const void *bytes,
		size_t n);
/*
 * Map the pages with code that has been placed since. Return 0; or an error of the first page that
 * could not be mapped: -EEXIST, if the process has mapped there meanwhile.
 */
int code_pages_map(struct code_pages *pages, struct dt_remote *remote);
/* Return whether code at an address has been mapped in the process. */
bool code_is_mapped(const struct code_pages *pages, uint64_t addr);
/* Free the description of the pages. The code in the process stays. */
void code_pages_free(struct code_pages *pages);

#endif
