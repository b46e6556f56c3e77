/* SPDX-License-Identifier: MIT */
/*
 * process_notes.c - the SystemTap notes of a file that a process has mapped, as sites for dofbuild.
 * Each becomes a record at the address of its NOP.
 */
#include <stdlib.h>
#include <string.h>
#include <gelf.h>
#include "note.h"
#include "../symbols/symtab.h"
#include "function.h"
#include "process_notes.h"

#define PC   offsetof(struct dtrace_site_record, pc)
#define SEMA offsetof(struct dtrace_site_record, sema)

struct notes {
	struct dofbuild *b;
	const struct machine *machine;
	Elf *elf;
	uint64_t bias; /* of the mapping */
	uint64_t base; /* of section .stapsdt.base in the file */
	bool (*known)(void *arg, uint64_t pc);
	void *arg;
};

/* ---- symbols ---- */

/* A symbol that is looked for: by its name, or by an address in a function. */
struct wanted {
	const char *name;
	size_t len;
	uint64_t address; /* as in the file; of the name, once found */
	const char *func; /* at the address, once found */
};

/* Return whether it is that symbol, and set its name and address. */
static bool symbol_is(Elf *elf, const GElf_Shdr *sh, const GElf_Sym *sym, struct wanted *w)
{
	const char *name;

	if (sym->st_shndx == SHN_UNDEF)
		return false;
	if (!w->name && (GELF_ST_TYPE(sym->st_info) != STT_FUNC || w->address < sym->st_value ||
			 w->address - sym->st_value >= sym->st_size))
		return false;
	name = elf_strptr(elf, sh->sh_link, sym->st_name);
	if (!name)
		return false;
	w->func = name;
	if (!w->name)
		return true;
	w->address = sym->st_value;
	return strlen(name) == w->len && memcmp(name, w->name, w->len) == 0;
}

/* Find a symbol in the symbol tables of the file. Return false if there is none. */
static bool symbol_find(Elf *elf, struct wanted *w)
{
	GElf_Shdr sh;
	GElf_Sym sym;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		Elf_Data *data = gelf_getshdr(scn, &sh) && (sh.sh_type == SHT_SYMTAB ||
							    sh.sh_type == SHT_DYNSYM)
					 ? elf_getdata(scn, NULL)
					 : NULL;

		for (int i = 0; data && gelf_getsym(data, i, &sym); i++)
			if (symbol_is(elf, &sh, &sym, w))
				return true;
	}
	return false;
}

/* Set *address to that of a symbol in the process; a function for operand_text(). */
static bool symbol_address(void *context, const char *name, size_t len, uint64_t *address)
{
	const struct notes *n = context;
	struct wanted w = {.name = name, .len = len};

	if (!symbol_find(n->elf, &w))
		return false;
	*address = w.address + n->bias;
	return true;
}

/* ---- arguments ---- */

/* Append the text of the arguments, with numbers for symbols. Without arguments data stays NULL. */
static void arguments_print(struct notes *n, const char *args, struct bytes *text)
{
	const char *end = args + strlen(args) + 1;
	dof_argloc_t loc;
	size_t len;

	for (; (len = operand_text(n->machine->operands, args, end - args, symbol_address, n,
				   &loc)) != 0;
	     args += len)
		if (loc.al_kind == DOF_LOC_MEM || loc.al_kind == DOF_LOC_CONST)
			machine_print(n->machine, text, &loc);
		else
			bytes_printf(text, " %.*s", (int)len, args);
}

/* ---- records ---- */

/* Return the distance from the record to the semaphore, 0 if there is none. */
static int32_t sema_distance(const struct notes *n, const struct note *note, uint64_t pc,
			     uint64_t moved)
{
	int64_t distance = (int64_t)(note->semaphore + moved + n->bias - (pc + SEMA));

	return note->semaphore != 0 && distance == (int32_t)distance ? (int32_t)distance : 0;
}

/* Add a site to the DOF. Without memory it is left out. */
static void site_build(struct notes *n, const struct note *note, uint64_t pc, uint64_t moved,
		       const char *args)
{
	size_t size = sizeof(struct dtrace_site_record) + strlen(note->provider) +
		      strlen(note->name) + strlen(args) + 3;
	struct wanted w = {.address = pc - n->bias};
	bool found = symbol_find(n->elf, &w);
	struct dtrace_site_record *rec;
	char func[FUNCTION_SIZE];

	size = (size + 3) & ~(size_t)3;
	rec = size <= UINT16_MAX ? calloc(1, size) : NULL;
	if (!rec)
		return;
	rec->size = size;
	rec->version = DTRACE_SITE_VERSION;
	rec->kind = DOF_SITE_PROBE | DTRACE_SITE_TEXT;
	rec->pc = -(int32_t)PC;
	rec->sema = sema_distance(n, note, pc, moved);
	memcpy(stpcpy(stpcpy(rec->data, note->provider) + 1, note->name) + 1, args, strlen(args));
	if (found)
		dt_site_function(w.func, func, sizeof(func));
	dofbuild_site(n->b, rec, size, pc, found ? func : NULL);
	free(rec);
}

/* Add the site of a note, unless there is a record of it; a function for note_each(). */
static int note_build(void *context, const struct note *note)
{
	struct notes *n = context;
	uint64_t moved = n->base != 0 && note->base != 0 ? n->base - note->base : 0;
	uint64_t pc = note->pc + moved + n->bias;
	struct bytes args = {0};

	if (note->pc == 0 || n->known(n->arg, pc + n->machine->note_trap))
		return 0;
	arguments_print(n, note->args, &args);
	if (!args.failed)
		site_build(n, note, pc, moved, args.data ? args.data : "");
	bytes_free(&args);
	return 0;
}

void dt_notes_build(struct dofbuild *b, const struct machine *machine, Elf *elf, uint64_t bias,
		    bool (*known)(void *arg, uint64_t pc), void *arg)
{
	struct notes n = {b, machine, elf, bias, 0, known, arg};
	Elf_Scn *found = NULL;
	Elf_Data *data;
	GElf_Shdr sh;
	size_t strs;

	if (elf_getshdrstrndx(elf, &strs) != 0)
		return;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn));) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, strs, sh.sh_name) : NULL;

		if (name && strcmp(name, NOTE_BASE_SECTION) == 0)
			n.base = sh.sh_addr;
		else if (name && strcmp(name, NOTE_SECTION) == 0)
			found = scn;
	}
	data = found ? elf_rawdata(found, NULL) : NULL;
	if (data && data->d_buf)
		note_each(data->d_buf, data->d_size, machine->bits, note_build, &n);
}
