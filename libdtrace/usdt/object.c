/* SPDX-License-Identifier: MIT */
/* object.c - reads a relocatable object into memory. */
#include <stdlib.h>
#include <string.h>
#include "../symbols/symtab.h"
#include "object.h"

int object_damaged(struct object *object, const char *what)
{
	return diag_error(object->diag, "%s is damaged: %s; compile it again", object->path, what);
}

/* ---- sections ---- */

static int section_read(struct object *object, uint32_t i)
{
	struct object_section *section = &object->sections[i];
	Elf_Scn *scn = elf_getscn(object->elf, i);
	GElf_Shdr *h = &section->header;

	if (!scn || !gelf_getshdr(scn, h))
		return object_damaged(object, "a section header cannot be read");
	section->name = elf_strptr(object->elf, object->names, h->sh_name);
	if (!section->name)
		return object_damaged(object, "a section's name is not in the table of names");
	if (h->sh_type == SHT_NOBITS || h->sh_type == SHT_NULL)
		return 0;
	if (h->sh_offset > object->size || h->sh_size > object->size - h->sh_offset)
		return object_damaged(object, "a section reaches beyond the end of the file");
	if (h->sh_addralign & (h->sh_addralign - 1))
		return object_damaged(object, "a section's alignment is not a power of two");
	section->data = object->image + h->sh_offset;
	return 0;
}

static int sections_read(struct object *object)
{
	size_t count, names;
	uint32_t i;

	if (elf_getshdrnum(object->elf, &count) || elf_getshdrstrndx(object->elf, &names))
		return object_damaged(object, "the section header table cannot be read");
	if (count != object->header.e_shnum &&
	    (object->header.e_shnum || (object->header.e_shoff && !count)))
		return object_damaged(object, "its section headers are not all there");
	if (count > object->size || (count && names >= count))
		return object_damaged(object, "the section header table is too large");
	object->nsections = (uint32_t)count;
	object->names = (uint32_t)names;
	object->capacity = object->nsections + 1;
	object->sections = calloc(object->capacity, sizeof(*object->sections));
	if (!object->sections)
		return diag_nomem(object->diag);
	for (i = 1; i < object->nsections; i++)
		if (section_read(object, i))
			return -1;
	return 0;
}

static size_t symbol_size(const struct object *object)
{
	return object->model == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
}

static size_t reloc_size(const struct object *object, uint32_t type)
{
	if (type == SHT_RELA)
		return object->model == 64 ? sizeof(Elf64_Rela) : sizeof(Elf32_Rela);
	return object->model == 64 ? sizeof(Elf64_Rel) : sizeof(Elf32_Rel);
}

static int symtab_check(struct object *object, uint32_t i)
{
	const GElf_Shdr *h = &object->sections[i].header;

	if (object->symtab)
		return object_damaged(object, "it has two symbol tables");
	if (h->sh_size % symbol_size(object) || h->sh_size / symbol_size(object) >= UINT32_MAX)
		return object_damaged(object, "the size of the symbol table is wrong");
	if (!h->sh_link || h->sh_link >= object->nsections || !object->sections[h->sh_link].data)
		return object_damaged(object, "the symbols' names are missing");
	if (h->sh_info > h->sh_size / symbol_size(object) || (h->sh_size && !h->sh_info))
		return object_damaged(object,
				      "the symbol table's number of local symbols is wrong");
	object->symtab = i;
	object->nsymbols = (uint32_t)(h->sh_size / symbol_size(object));
	return 0;
}

/* Find the symbol table and its companions, and check the sizes of all tables that are read. */
static int tables_find(struct object *object)
{
	const GElf_Shdr *h;
	uint32_t i;

	for (i = 1; i < object->nsections; i++)
		if (object->sections[i].header.sh_type == SHT_SYMTAB && symtab_check(object, i))
			return -1;
	for (i = 1; i < object->nsections; i++) {
		h = &object->sections[i].header;
		if (h->sh_type == SHT_SYMTAB_SHNDX && h->sh_link == object->symtab)
			object->xindex = i;
		else if (!object_is_relocs(object, i))
			continue;
		else if (h->sh_size % reloc_size(object, h->sh_type) || !h->sh_info ||
			 h->sh_info >= object->nsections)
			return object_damaged(object,
					      "the header of a section of relocations is wrong");
	}
	if (object->xindex &&
	    object->sections[object->xindex].header.sh_size != 4ULL * object->nsymbols)
		return object_damaged(object,
				      "the size of the table of symbols' sections is wrong");
	return 0;
}

/* Report why programs of this machine cannot have probes. */
static int header_refuse(struct object *object)
{
	const GElf_Ehdr *h = &object->header;
	bool narrow = h->e_ident[EI_CLASS] == ELFCLASS32;

	if (h->e_ident[EI_DATA] == ELFDATA2MSB)
		return diag_error(object->diag,
				  "%s is for a big-endian machine: only objects for x86-64, i386 "
				  "and little-endian aarch64 can have probes",
				  object->path);
	if (h->e_machine == EM_386)
		return object_damaged(object, "machine and word size do not fit together");
	if (narrow && h->e_machine == EM_X86_64)
		return diag_error(
			object->diag,
			"%s is an x32 object, which cannot have probes: compile with -m64 or -m32",
			object->path);
	if (narrow && h->e_machine == EM_AARCH64)
		return diag_error(object->diag,
				  "%s is an ILP32 object, which cannot have probes: compile with "
				  "-mabi=lp64",
				  object->path);
	return diag_error(object->diag,
			  "%s is for another machine (ELF machine %u): only objects for x86-64, "
			  "i386 and aarch64 can have probes",
			  object->path, h->e_machine);
}

/* Check the start of the header, which identifies the kind of file. */
static int header_check(struct object *object)
{
	const GElf_Ehdr *h = &object->header;

	object->machine = machine_of(h);
	if (!object->machine)
		return header_refuse(object);
	if (h->e_type != ET_REL && h->e_type != ET_EXEC && h->e_type != ET_DYN)
		return diag_error(object->diag, "%s is neither an object nor a program",
				  object->path);
	object->model = object->machine->bits;
	return 0;
}

int object_open(struct object *object, struct diag *diag, const char *path, Elf *elf,
		uint8_t *image, size_t size)
{
	memset(object, 0, sizeof(*object));
	object->diag = diag;
	object->path = path;
	object->elf = elf;
	object->image = image;
	object->size = size;
	if (!gelf_getehdr(elf, &object->header))
		return object_damaged(object, "the ELF header cannot be read");
	if (header_check(object) || sections_read(object))
		return -1;
	return tables_find(object);
}

void object_close(struct object *object)
{
	uint32_t i;

	for (i = 0; i < object->nsections && object->sections; i++)
		if (object->sections[i].owned)
			free(object->sections[i].data);
	free(object->sections);
	object->sections = NULL;
	object_forget_functions(object);
}

/* ---- symbols ---- */

static void symbol_read(const struct object *object, uint32_t i, GElf_Sym *symbol)
{
	const uint8_t *at = object->sections[object->symtab].data + i * symbol_size(object);
	Elf32_Sym narrow;

	if (object->model == 64) {
		memcpy(symbol, at, sizeof(*symbol));
		return;
	}
	memcpy(&narrow, at, sizeof(narrow));
	*symbol = (GElf_Sym){.st_name = narrow.st_name,
			     .st_info = narrow.st_info,
			     .st_other = narrow.st_other,
			     .st_shndx = narrow.st_shndx,
			     .st_value = narrow.st_value,
			     .st_size = narrow.st_size};
}

void object_symbol(const struct object *object, uint32_t i, GElf_Sym *symbol, uint32_t *section)
{
	symbol_read(object, i, symbol);
	*section = symbol->st_shndx;
	if (symbol->st_shndx == SHN_XINDEX && object->xindex)
		memcpy(section, object->sections[object->xindex].data + 4ULL * i, 4);
}

static const struct object_section *symbol_names(const struct object *object)
{
	return &object->sections[object->sections[object->symtab].header.sh_link];
}

bool object_symbol_has_name(const struct object *object, const GElf_Sym *symbol)
{
	const struct object_section *names = symbol_names(object);
	uint64_t size = names->header.sh_size;

	return symbol->st_name < size &&
	       memchr(names->data + symbol->st_name, 0, size - symbol->st_name);
}

const char *object_symbol_name(const struct object *object, const GElf_Sym *symbol)
{
	if (!object_symbol_has_name(object, symbol))
		return "";
	return (const char *)symbol_names(object)->data + symbol->st_name;
}

/* Append a symbol to the end of the table, where the global symbols are. */
static void add_global(const struct object *object, struct bytes *symbols, size_t name,
		       unsigned char binding, uint32_t section)
{
	const unsigned char info = GELF_ST_INFO(binding, STT_NOTYPE);
	Elf64_Sym wide = {.st_name = (Elf64_Word)name,
			  .st_info = info,
			  .st_other = STV_HIDDEN,
			  .st_shndx = (Elf64_Section)section};
	Elf32_Sym narrow = {.st_name = (Elf32_Word)name,
			    .st_info = info,
			    .st_other = STV_HIDDEN,
			    .st_shndx = (Elf32_Section)section};

	if (object->model == 64)
		bytes_add(symbols, &wide, sizeof(wide));
	else
		bytes_add(symbols, &narrow, sizeof(narrow));
}

int64_t object_add_symbol_name(struct object *object, const char *name)
{
	const struct object_section *names = symbol_names(object);
	struct bytes strings = {0};
	size_t at;

	bytes_add(&strings, names->data, names->header.sh_size);
	at = bytes_string(&strings, name);
	if (strings.failed) {
		bytes_free(&strings);
		return -1;
	}
	object_set_data(object, object->sections[object->symtab].header.sh_link, strings.data,
			strings.len);
	return (int64_t)at;
}

int object_add_global(struct object *object, const char *name, unsigned char binding,
		      uint32_t section)
{
	const struct object_section *table = &object->sections[object->symtab];
	struct bytes symbols = {0};
	int64_t at = object_add_symbol_name(object, name);

	if (at < 0)
		return diag_nomem(object->diag);
	bytes_add(&symbols, table->data, table->header.sh_size);
	add_global(object, &symbols, (size_t)at, binding, section);
	if (symbols.failed) {
		bytes_free(&symbols);
		return diag_nomem(object->diag);
	}
	object_set_data(object, object->symtab, symbols.data, symbols.len);
	object->nsymbols++;
	object_forget_functions(object);
	return 0;
}

/* ---- relocations ---- */

bool object_is_relocs(const struct object *object, uint32_t i)
{
	const GElf_Shdr *h = &object->sections[i].header;

	return (h->sh_type == SHT_RELA || h->sh_type == SHT_REL) && object->symtab &&
	       h->sh_link == object->symtab;
}

size_t object_nrelocs(const struct object *object, uint32_t i)
{
	const GElf_Shdr *h = &object->sections[i].header;

	return h->sh_size / reloc_size(object, h->sh_type);
}

/* Read relocation n. Elf32_Rela and Elf64_Rela begin like Elf32_Rel and Elf64_Rel. */
void object_reloc(const struct object *object, uint32_t i, size_t n, struct object_reloc *reloc)
{
	uint32_t type = object->sections[i].header.sh_type;
	const uint8_t *at = object->sections[i].data + n * reloc_size(object, type);
	size_t size = reloc_size(object, type);
	Elf64_Rela wide = {0};
	Elf32_Rela narrow = {0};

	if (object->model == 64) {
		memcpy(&wide, at, size);
		*reloc = (struct object_reloc){wide.r_offset, (uint32_t)ELF64_R_SYM(wide.r_info),
					       (uint32_t)ELF64_R_TYPE(wide.r_info), wide.r_addend};
	} else {
		memcpy(&narrow, at, size);
		*reloc = (struct object_reloc){narrow.r_offset, ELF32_R_SYM(narrow.r_info),
					       ELF32_R_TYPE(narrow.r_info), narrow.r_addend};
	}
}

void object_set_reloc(struct object *object, uint32_t i, size_t n, const struct object_reloc *reloc)
{
	size_t size = reloc_size(object, object->sections[i].header.sh_type);
	uint8_t *at = object->sections[i].data + n * size;
	Elf64_Rela wide = {reloc->offset, ELF64_R_INFO((uint64_t)reloc->symbol, reloc->type),
			   reloc->addend};
	Elf32_Rela narrow = {(Elf32_Addr)reloc->offset,
			     ELF32_R_INFO(reloc->symbol, reloc->type & 0xff),
			     (Elf32_Sword)reloc->addend};

	memcpy(at, object->model == 64 ? (void *)&wide : (void *)&narrow, size);
}

/* ---- functions ---- */

static int function_compare(const void *a, const void *b)
{
	const struct object_function *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->symbol < y->symbol ? -1 : x->symbol > y->symbol;
}

/* List all symbols of code. If several have the same address, the first in the table counts. */
bool object_find_functions(struct object *object)
{
	uint32_t i, section;
	GElf_Sym symbol;

	if (object->functions)
		return true;
	object->functions = calloc((size_t)object->nsymbols + 1, sizeof(*object->functions));
	for (i = 1; object->functions && i < object->nsymbols; i++) {
		object_symbol(object, i, &symbol, &section);
		if (section == SHN_UNDEF || (GELF_ST_TYPE(symbol.st_info) != STT_FUNC &&
					     GELF_ST_TYPE(symbol.st_info) != STT_GNU_IFUNC))
			continue;
		object->functions[object->nfunctions++] =
			(struct object_function){section, i, symbol.st_value};
	}
	if (object->functions)
		qsort(object->functions, object->nfunctions, sizeof(*object->functions),
		      function_compare);
	return object->functions;
}

/* Return the last function that begins at or before the offset. */
static const struct object_function *function_at(const struct object *object, uint32_t section,
						 uint64_t offset)
{
	size_t low = 0, high = object->nfunctions, middle;
	const struct object_function *f;

	while (low < high) {
		middle = low + (high - low) / 2;
		f = &object->functions[middle];
		if (f->section < section || (f->section == section && f->start <= offset))
			low = middle + 1;
		else
			high = middle;
	}
	if (!low || object->functions[low - 1].section != section)
		return NULL;
	for (f = &object->functions[--low];
	     low && f[-1].section == section && f[-1].start == f->start; low--)
		f--;
	return f;
}

bool object_function(struct object *object, uint32_t section, uint64_t offset, char *name)
{
	const struct object_function *f;
	GElf_Sym symbol;
	uint32_t unused;

	*name = '\0';
	if (!object->symtab || !object_find_functions(object))
		return false;
	f = function_at(object, section, offset);
	if (!f)
		return false;
	object_symbol(object, f->symbol, &symbol, &unused);
	dt_site_function(object_symbol_name(object, &symbol), name, FUNCTION_SIZE);
	return *name;
}

void object_forget_functions(struct object *object)
{
	free(object->functions);
	object->functions = NULL;
	object->nfunctions = 0;
}
