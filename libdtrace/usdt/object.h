/* SPDX-License-Identifier: MIT */
/*
 * object.h - a relocatable object in memory: its sections and symbols, what can be changed in it,
 * and writing it out.
 *
 * The file's bytes are read into memory of our own and changed there; libelf reads the headers and
 * lays out what is written. Everything taken from the file is checked before it is used, and
 * whatever is wrong is "damaged" in a message.
 */
#ifndef DT_USDT_OBJECT_H
#define DT_USDT_OBJECT_H

#include <gelf.h>
#include <stdbool.h>
#include <stdint.h>
#include "bytes.h"
#include "diag.h"
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

/* object_damaged - a message that names the file and what is wrong with it. Always returns -1. */
int object_damaged(struct object *object, const char *what);

/*
 * object_open - understand an ELF file of size bytes that is in memory at image; both must outlive
 * the object. elf is from elf_memory or an archive's member and stays the caller's. Returns 0, or
 * -1 after a message. object_close in either case.
 */
int object_open(struct object *object, struct diag *diag, const char *path, Elf *elf,
		uint8_t *image, size_t size);
void object_close(struct object *object);

/*
 * object_symbol - symbol i < nsymbols; its section with SHN_XINDEX resolved in *section (SHN_UNDEF,
 * SHN_ABS.. as they are).
 */
void object_symbol(const struct object *object, uint32_t i, GElf_Sym *symbol, uint32_t *section);
/*
 * object_symbol_has_name - whether its name lies in the string table. object_symbol_name - never
 * NULL; the empty string if not.
 */
bool object_symbol_has_name(const struct object *object, const GElf_Sym *symbol);
const char *object_symbol_name(const struct object *object, const GElf_Sym *symbol);

/* object_is_relocs - whether section i holds relocations that name this object's symbols. */
bool object_is_relocs(const struct object *object, uint32_t i);
/*
 * object_nrelocs - entries of such a section. object_reloc - entry n. object_set_reloc - change it.
 */
size_t object_nrelocs(const struct object *object, uint32_t i);
void object_reloc(const struct object *object, uint32_t i, size_t n, struct object_reloc *reloc);
void object_set_reloc(struct object *object, uint32_t i, size_t n,
		      const struct object_reloc *reloc);

/*
 * object_find_functions - make the table that object_function looks into, if it is not there;
 * false: no memory.
 */
bool object_find_functions(struct object *object);
/*
 * object_function - the name of the function that the place belongs to, without what compilers add
 * to the names of its parts and clones
 * (".cold", ".isra.0"). *len: its length. NULL: unknown, or no memory.
 */
const char *object_function(struct object *object, uint32_t section, uint64_t offset, size_t *len);

/* object_forget_functions - the symbols have changed: the table is made anew when it is needed. */
void object_forget_functions(struct object *object);

/*
 * object_add_section - append a section; data (may be NULL) is from malloc and becomes the
 * object's. header's sh_name and sh_size are set. Returns its index, 0 if there is no memory (data
 * is then freed).
 */
uint32_t object_add_section(struct object *object, const char *name, const GElf_Shdr *header,
			    void *data, size_t size);
/*
 * object_set_data - replace the bytes of section i by data from malloc, which becomes the object's.
 */
void object_set_data(struct object *object, uint32_t i, void *data, size_t size);

/*
 * object_add_symbol_name - append to the names of symbols; its offset there, or -1: no memory.
 */
int64_t object_add_symbol_name(struct object *object, const char *name);

/*
 * object_add_global - append a hidden symbol, STB_GLOBAL or STB_WEAK, at the start of a section
 * below SHN_LORESERVE or in SHN_ABS. Returns 0, or -1 after a message.
 */
int object_add_global(struct object *object, const char *name, unsigned char binding,
		      uint32_t section);

/*
 * object_write - write the object to a new, empty file; path is its name for messages. Returns 0,
 * or -1 after a message.
 */
int object_write(struct object *object, int fd, const char *path);

#endif
