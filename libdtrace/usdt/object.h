/* SPDX-License-Identifier: MIT */
/*
 * object.h - a relocatable object in memory: reads, changes and writes its sections and symbols.
 *
 * The file's bytes are read into our own memory and changed there. libelf parses the headers and
 * lays out the output. All data of the file is checked before it is used; inconsistent data is
 * reported as "damaged".
 */
#ifndef DT_USDT_OBJECT_H
#define DT_USDT_OBJECT_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include "bytes.h"
#include "diag.h"
#include "function.h"
#include "machine.h"

#ifndef SHF_GNU_RETAIN
#define SHF_GNU_RETAIN (1 << 21)
#endif

struct object_section {
	GElf_Shdr header;
	const char *name;
	uint8_t *data; /* header.sh_size bytes; NULL if it has none in the file */
	bool owned;    /* data is from malloc, not part of the image */
};

struct object_function {
	uint32_t section;
	uint32_t symbol;
	uint64_t start;
};

struct object {
	struct diag *diag;
	const char *path; /* for messages */
	uint8_t *image;	  /* the file; not owned */
	size_t size;
	Elf *elf;
	GElf_Ehdr header;
	const struct machine *machine;
	int model;			 /* 32 or 64: of the machine */
	struct object_section *sections; /* [0] is unused, as in the file */
	uint32_t nsections;
	uint32_t capacity; /* for sections */
	uint32_t names;	   /* section of the sections' names */
	uint32_t symtab;   /* section of symbols, 0 if there is none */
	uint32_t xindex;   /* SHT_SYMTAB_SHNDX, or 0 */
	uint32_t nsymbols;
	struct object_function *functions; /* sorted; made when first asked for */
	size_t nfunctions;
};

struct object_reloc {
	uint64_t offset;
	uint32_t symbol;
	uint32_t type;
	int64_t addend; /* SHT_RELA; 0 in SHT_REL */
};

/* Report that the file is damaged, and how. Return -1. */
int object_damaged(struct object *object, const char *what);

/*
 * Parse an ELF file of size bytes at image. image and elf must outlive the object; elf is from
 * elf_memory() or an archive's member, and remains the caller's. Return 0, or -1 after a message.
 * Call object_close() in either case.
 */
int object_open(struct object *object, struct diag *diag, const char *path, Elf *elf,
		uint8_t *image, size_t size);
/* Free what object_open() has allocated. */
void object_close(struct object *object);

/*
 * Get symbol i < nsymbols, and its section with SHN_XINDEX resolved. SHN_UNDEF, SHN_ABS and similar
 * values are returned as they are.
 */
void object_symbol(const struct object *object, uint32_t i, GElf_Sym *symbol, uint32_t *section);
/* Return whether the symbol's name lies within the string table. */
bool object_symbol_has_name(const struct object *object, const GElf_Sym *symbol);
/* Return the symbol's name; if it is not within the string table, the empty string. */
const char *object_symbol_name(const struct object *object, const GElf_Sym *symbol);

/* Return whether section i has relocations that refer to this object's symbols. */
bool object_is_relocs(const struct object *object, uint32_t i);
/* Return the number of entries of such a section. */
size_t object_nrelocs(const struct object *object, uint32_t i);
/* Get entry n of such a section. */
void object_reloc(const struct object *object, uint32_t i, size_t n, struct object_reloc *reloc);
/* Set entry n of such a section. */
void object_set_reloc(struct object *object, uint32_t i, size_t n,
		      const struct object_reloc *reloc);

/* Build the table of object_function(), unless it exists. Return false if there is no memory. */
bool object_find_functions(struct object *object);
/*
 * Write to name, of FUNCTION_SIZE bytes, what the function at the offset is called in its source.
 * Return false, and an empty name, if the function is unknown, or there is no memory.
 */
bool object_function(struct object *object, uint32_t section, uint64_t offset, char *name);

/* Discard the table of functions, after symbols have changed; it is rebuilt when it is needed. */
void object_forget_functions(struct object *object);

/*
 * Append a section. data is from malloc, or NULL, and becomes the object's. The function sets
 * header's sh_name and sh_size. Return the section's index, or 0 if there is no memory; data is
 * then freed.
 */
uint32_t object_add_section(struct object *object, const char *name, const GElf_Shdr *header,
			    void *data, size_t size);
/* Replace the bytes of section i by data from malloc, which becomes the object's. */
void object_set_data(struct object *object, uint32_t i, void *data, size_t size);

/* Append a name to the symbol names. Return its offset, or -1 if there is no memory. */
int64_t object_add_symbol_name(struct object *object, const char *name);

/*
 * Append a hidden symbol, STB_GLOBAL or STB_WEAK, at the start of a section below SHN_LORESERVE or
 * in SHN_ABS. Return 0, or -1 after a message.
 */
int object_add_global(struct object *object, const char *name, unsigned char binding,
		      uint32_t section);

/*
 * Write the object to a new, empty file, whose name is path in messages. Return 0, or -1 after a
 * message.
 */
int object_write(struct object *object, int fd, const char *path);

#endif
