/* SPDX-License-Identifier: MIT */
/* symtab.h - functions of an ELF file. (symtab.c) */
#ifndef DT_SYMTAB_H
#define DT_SYMTAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_symtab;

/*
 * Read the functions of the file at path; name is its path in its own file system, to find a debug
 * file beside it. Return what the caller closes, or NULL without memory, or if path cannot be
 * opened.
 */
struct dt_symtab *dt_symtab_open(const char *path, const char *name);
/* Free; NULL is allowed. */
void dt_symtab_close(struct dt_symtab *tab);
/*
 * Return the name of the function at a file offset, and set *dist to the bytes from its start; NULL
 * if there is none. The name belongs to the table.
 */
const char *dt_symtab_find(struct dt_symtab *tab, uint64_t offset, uint64_t *dist);
/* Return the address, in the file's own address space, of a file offset. */
uint64_t dt_symtab_addr(const struct dt_symtab *tab, uint64_t offset);

/* A function of a file, under one of its names. */
struct dt_function {
	const char *name; /* as it is in the symbol table */
	uint64_t addr;	  /* in the file's own address space */
	uint64_t size;	  /* in bytes; 0: not known */
	uint8_t bind;	  /* STB_* */
	bool ifunc;	  /* the function at addr chooses another */
};

/* Return the number of functions. */
size_t dt_symtab_count(const struct dt_symtab *tab);
/* Return how many functions begin at addr or before. */
size_t dt_symtab_until(const struct dt_symtab *tab, uint64_t addr);
/* Return function i, in order of address. It belongs to the table. */
const struct dt_function *dt_symtab_function(const struct dt_symtab *tab, size_t i);
/* Return the name of function i as in its source. It belongs to the table. */
const char *dt_symtab_plain(struct dt_symtab *tab, size_t i);

/*
 * Return a function's name as in its source (C++, Rust, D), for the caller to free; NULL without
 * memory. (demangle.c)
 */
char *dt_demangle(const char *name);
/*
 * Write to name what a function is called at probe sites: its name as in the source, without
 * parameters and template arguments (drti/function.h), and without the suffixes of compilers for
 * parts and clones (".cold", ".isra.0"). size: of name.
 */
void dt_site_function(const char *symbol, char *name, size_t size);

#endif
