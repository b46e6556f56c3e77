/* SPDX-License-Identifier: MIT */
/* symtab.h - functions of an ELF file. (symtab.c) */
#ifndef DT_SYMTAB_H
#define DT_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_symtab;

/*
 * dt_symtab_open - read the functions of the file at path; NULL if it cannot be read. name: what it
 * is called in its own file system, for a debug file beside it.
 * dt_symtab_close - free; NULL is fine.
 */
struct dt_symtab *dt_symtab_open(const char *path, const char *name);
void dt_symtab_close(struct dt_symtab *tab);
/*
 * dt_symtab_find - function at a file offset, and the distance from its start; NULL if there is
 * none.
 */
const char *dt_symtab_find(struct dt_symtab *tab, uint64_t offset, uint64_t *dist);

/* dt_symtab_addr - what is at a file offset, in the file's own address space. */
uint64_t dt_symtab_addr(const struct dt_symtab *tab, uint64_t offset);

/* A function of a file, under one of its names. */
struct dt_function {
	const char *name;		/* as it stands in the symbol table */
	uint64_t addr;			/* in the file's own address space */
	uint64_t size;			/* in bytes; 0: not known */
	uint8_t bind;			/* STB_* */
	bool ifunc;			/* at addr is what chooses the function */
};

/*
 * dt_symtab_count - how many there are. dt_symtab_until - how many begin at an address or before.
 * dt_symtab_function - one of them, in order of address, and the table's. dt_symtab_plain - its name
 * as in its source.
 */
size_t dt_symtab_count(const struct dt_symtab *tab);
size_t dt_symtab_until(const struct dt_symtab *tab, uint64_t addr);
const struct dt_function *dt_symtab_function(const struct dt_symtab *tab, size_t i);
const char *dt_symtab_plain(struct dt_symtab *tab, size_t i);

/*
 * dt_demangle - a function's name as in its source, for the caller to free; NULL without memory.
 * (demangle.c)
 */
char *dt_demangle(const char *name);

#endif
