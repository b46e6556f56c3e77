/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - turns call sites into NOPs with records and notes.
 *
 * The passes, in order: remove the relocations of the calls and patch the code. Renumber the
 * symbols: remove the callees, add symbols for sections of code without one, and the symbol that
 * notes refer to. Then add the sections of records and notes (rewrite_records.c), whose relocations
 * refer to these symbols. If an is-enabled call cannot become one instruction (machine.h), a
 * section of stubs is added first, and the calls go to the stubs.
 */
#include <stdlib.h>
#include <string.h>
#include "note.h"
#include "rewrite.h"
#include "rewrite_impl.h"

/* ---- code and relocations ---- */

/* Return whether the relocation names a callee. */
static bool is_callee(const struct rewrite *w, const struct object_reloc *reloc)
{
	return w->sites->callee_of[reloc->symbol];
}

/* Return whether the relocation belongs to a call that goes to a stub. */
static bool needs_stub(const struct rewrite *w, const struct object_reloc *reloc)
{
	return w->stubs && is_callee(w, reloc) && reloc->type != MACHINE_RELOC_NONE &&
	       w->sites->callees[w->sites->callee_of[reloc->symbol] - 1].enabled;
}

/*
 * Neutralise the relocations of a section that is not loaded (debugging information, profiles).
 * Their number must not change.
 */
static void relocs_disarm(struct rewrite *w, uint32_t i)
{
	size_t n, count = object_nrelocs(w->object, i);
	struct object_reloc reloc;

	for (n = 0; n < count; n++) {
		object_reloc(w->object, i, n, &reloc);
		if (reloc.symbol >= w->object->nsymbols || !is_callee(w, &reloc))
			continue;
		reloc = (struct object_reloc){.offset = reloc.offset};
		object_set_reloc(w->object, i, n, &reloc);
	}
}

static void relocs_drop(struct rewrite *w, uint32_t i)
{
	size_t n, kept = 0, count = object_nrelocs(w->object, i);
	GElf_Shdr *header = &w->object->sections[i].header;
	struct object_reloc reloc;

	for (n = 0; n < count; n++) {
		object_reloc(w->object, i, n, &reloc);
		if (!is_callee(w, &reloc) || needs_stub(w, &reloc))
			object_set_reloc(w->object, i, kept++, &reloc);
	}
	header->sh_size = header->sh_size / (count ? count : 1) * kept;
}

static void code_rewrite(struct rewrite *w)
{
	const struct site *site;

	for (site = w->sites->sites; site < w->sites->sites + w->sites->nsites; site++)
		w->object->machine->rewrite(&site->at, w->sites->callees[site->callee].enabled,
					    w->object->sections[site->section].data);
}

static void relocs_rewrite(struct rewrite *w)
{
	struct object *object = w->object;
	uint32_t i;

	for (i = 1; i < object->nsections; i++) {
		if (!object_is_relocs(object, i))
			continue;
		if (object->sections[object->sections[i].header.sh_info].header.sh_flags &
		    SHF_ALLOC)
			relocs_drop(w, i);
		else
			relocs_disarm(w, i);
	}
}

/* ---- symbols ---- */

static int no_xindex(struct object *object)
{
	return object_damaged(object, "there is no table for symbols of its many sections");
}

static int section_symbol_need(struct rewrite *w, uint32_t section)
{
	if (w->section_symbol[section])
		return 0;
	if (section >= SHN_LORESERVE && !w->object->xindex)
		return no_xindex(w->object);
	w->section_symbol[section] = UINT32_MAX;
	return 0;
}

/*
 * Mark the sections of code that have sites, but no section symbol, in section_symbol. Return 0, or
 * -1 after a message.
 */
static int section_symbols_find(struct rewrite *w)
{
	struct object *object = w->object;
	uint32_t i, section, nlocals = object->sections[object->symtab].header.sh_info;
	const struct site *site;
	GElf_Sym symbol;

	for (i = 1; i < nlocals; i++) {
		object_symbol(object, i, &symbol, &section);
		if (GELF_ST_TYPE(symbol.st_info) == STT_SECTION && section < object->nsections)
			w->section_symbol[section] = i;
	}
	for (site = w->sites->sites; site < w->sites->sites + w->sites->nsites; site++)
		if (section_symbol_need(w, site->section))
			return -1;
	return w->stubs ? section_symbol_need(w, w->stubs) : 0;
}

/* Return whether a site has a note; is-enabled sites have none. */
static bool has_notes(const struct rewrite *w)
{
	const struct site *site;

	for (site = w->sites->sites; site < w->sites->sites + w->sites->nsites; site++)
		if (!w->sites->callees[site->callee].enabled)
			return true;
	return false;
}

/*
 * Find the symbol that notes refer to. If it does not exist, set the section that it will be in:
 * the second of the next ones added.
 */
static int base_find(struct rewrite *w)
{
	struct object *object = w->object;
	uint32_t i, section;
	GElf_Sym symbol;

	if (!has_notes(w))
		return 0;
	for (i = object->sections[object->symtab].header.sh_info; i < object->nsymbols; i++) {
		object_symbol(object, i, &symbol, &section);
		if (section != SHN_UNDEF &&
		    !strcmp(object_symbol_name(object, &symbol), NOTE_BASE_SYMBOL))
			w->old_base = i;
	}
	if (w->old_base)
		return 0;
	w->base_section = object->nsections + 1;
	return w->base_section < SHN_LORESERVE || object->xindex ? 0 : no_xindex(object);
}

/* The symbol table that is being built, and the table of its section indices, if any. */
struct symbol_table {
	struct bytes symbols;
	struct bytes xindex;
	uint32_t count;
};

static void table_copy(struct rewrite *w, struct symbol_table *table, uint32_t i)
{
	const struct object *object = w->object;
	size_t size = object->model == 64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);

	bytes_add(&table->symbols, object->sections[object->symtab].data + i * size, size);
	if (object->xindex)
		bytes_add(&table->xindex, object->sections[object->xindex].data + i * 4ULL, 4);
	w->symbol_map[i] = table->count++;
}

/* Append a symbol at the start of a section. Return its number. */
static uint32_t table_add(struct rewrite *w, struct symbol_table *table, size_t name,
			  unsigned char info, unsigned char other, uint32_t section)
{
	const uint32_t xindex = section < SHN_LORESERVE ? 0 : section;
	const uint16_t shndx = section < SHN_LORESERVE ? (uint16_t)section : SHN_XINDEX;
	Elf64_Sym wide = {
		.st_name = (Elf64_Word)name, .st_info = info, .st_other = other, .st_shndx = shndx};
	Elf32_Sym narrow = {
		.st_name = (Elf32_Word)name, .st_info = info, .st_other = other, .st_shndx = shndx};

	if (w->object->model == 64)
		bytes_add(&table->symbols, &wide, sizeof(wide));
	else
		bytes_add(&table->symbols, &narrow, sizeof(narrow));
	if (w->object->xindex)
		bytes_add(&table->xindex, &xindex, sizeof(xindex));
	return table->count++;
}

/* Add the symbol that notes refer to, unless the object has it for notes of its own. */
static int table_add_base(struct rewrite *w, struct symbol_table *table)
{
	int64_t name;

	w->base_symbol = w->symbol_map[w->old_base];
	if (!w->base_section)
		return 0;
	name = object_add_symbol_name(w->object, NOTE_BASE_SYMBOL);
	if (name < 0)
		return diag_nomem(w->object->diag);
	w->base_symbol = table_add(w, table, (size_t)name, GELF_ST_INFO(STB_WEAK, STT_NOTYPE),
				   STV_HIDDEN, w->base_section);
	return 0;
}

/*
 * Fill the table. Local symbols come first: the old ones, then those of sections. Global symbols
 * follow, without the callees. Return the first global symbol, or -1 after a message.
 */
static int64_t table_fill(struct rewrite *w, struct symbol_table *table)
{
	struct object *object = w->object;
	uint32_t i, nlocals = object->sections[object->symtab].header.sh_info, first_global;

	for (i = 0; i < nlocals; i++)
		table_copy(w, table, i);
	for (i = 1; i < object->nsections; i++)
		if (w->section_symbol[i] == UINT32_MAX)
			w->section_symbol[i] =
				table_add(w, table, 0, GELF_ST_INFO(STB_LOCAL, STT_SECTION), 0, i);
	first_global = table->count;
	for (i = nlocals; i < object->nsymbols; i++)
		if (!w->sites->callee_of[i])
			table_copy(w, table, i);
	return table_add_base(w, table) ? -1 : (int64_t)first_global;
}

static int symbols_rewrite(struct rewrite *w)
{
	struct object *object = w->object;
	struct symbol_table table = {.count = 0};
	int64_t first_global;

	if (section_symbols_find(w) || base_find(w))
		return -1;
	first_global = table_fill(w, &table);
	if (first_global < 0 || table.symbols.failed || table.xindex.failed) {
		bytes_free(&table.symbols);
		bytes_free(&table.xindex);
		return first_global < 0 ? -1 : diag_nomem(object->diag);
	}
	object_set_data(object, object->symtab, table.symbols.data, table.symbols.len);
	object->sections[object->symtab].header.sh_info = (uint32_t)first_global;
	if (object->xindex)
		object_set_data(object, object->xindex, table.xindex.data, table.xindex.len);
	object->nsymbols = table.count;
	object_forget_functions(object);
	return 0;
}

/* ---- what names symbols by number ---- */

static int group_renumber(struct rewrite *w, uint32_t i, uint32_t old_count)
{
	GElf_Shdr *header = &w->object->sections[i].header;

	if (header->sh_info >= old_count || !w->symbol_map[header->sh_info])
		return object_damaged(w->object, "a section group's symbol is not there");
	header->sh_info = w->symbol_map[header->sh_info];
	return 0;
}

uint64_t rewrite_stub(const struct rewrite *w, const struct site *site)
{
	return (uint64_t)site->enabled * w->object->machine->stub_size;
}

static void reloc_to_stub(struct rewrite *w, uint32_t code, struct object_reloc *reloc)
{
	struct site wanted = {.section = code, .at.start = reloc->offset};
	const struct site *site = sites_at(w->sites, &wanted);

	reloc->symbol = w->section_symbol[w->stubs];
	reloc->addend = (int64_t)rewrite_stub(w, site);
}

static int relocs_renumber(struct rewrite *w, uint32_t i, uint32_t old_count)
{
	size_t n, count = object_nrelocs(w->object, i);
	struct object_reloc reloc;

	for (n = 0; n < count; n++) {
		object_reloc(w->object, i, n, &reloc);
		if (reloc.symbol >= old_count)
			return object_damaged(w->object,
					      "a relocation names a symbol that is not there");
		if (needs_stub(w, &reloc))
			reloc_to_stub(w, w->object->sections[i].header.sh_info, &reloc);
		else
			reloc.symbol = w->symbol_map[reloc.symbol];
		object_set_reloc(w->object, i, n, &reloc);
	}
	return 0;
}

/*
 * Renumber symbols in relocations and groups. Compiler sections with symbol numbers, such as
 * .llvm_addrsig, lose their link to the table: that tells linkers that a tool without knowledge of
 * them has changed the object.
 */
static int symbols_renumber(struct rewrite *w, uint32_t old_count)
{
	struct object *object = w->object;
	GElf_Shdr *header;
	int result = 0;
	uint32_t i;

	for (i = 1; i < object->nsections && !result; i++) {
		header = &object->sections[i].header;
		if (object_is_relocs(object, i))
			result = relocs_renumber(w, i, old_count);
		else if (header->sh_type == SHT_GROUP && header->sh_link == object->symtab)
			result = group_renumber(w, i, old_count);
		else if (header->sh_type >= SHT_LOOS && header->sh_link == object->symtab)
			header->sh_link = 0;
	}
	return result;
}

/* ---- arguments ---- */

/* Append the arguments of a callee to args; an is-enabled test has none. */
static int args_add(struct rewrite *w, const struct callee *callee, enum machine_call call,
		    struct bytes *args, struct bytes *operands)
{
	int bad = 0;

	if (callee->enabled || !callee->probe)
		bytes_add(args, "", 1);
	else
		bad = machine_args(w->object->machine, w->decls, callee->probe, call, args,
				   operands);
	if (args->failed || operands->failed)
		return diag_nomem(w->object->diag);
	if (!bad)
		return 0;
	return diag_error(w->object->diag,
			  "%s: argument %d of probe %s of provider %s is a %s, which cannot "
			  "be traced by value: pass a pointer",
			  w->object->path, bad - 1, callee->probe->name, callee->provider->name,
			  callee->probe->args[bad - 1].type.text);
}

/* Make the arguments of each callee, for a call and for a jump. */
static int args_make(struct rewrite *w)
{
	size_t i;

	for (i = 0; i < 2 * w->sites->ncallees; i++)
		if (args_add(w, &w->sites->callees[i / 2], i % 2 ? MACHINE_JUMP : MACHINE_CALL,
			     &w->args[i], &w->operands[i]))
			return -1;
	return 0;
}

/* ---- all passes ---- */

static int groups_find(struct rewrite *w)
{
	struct object *object = w->object;
	uint32_t i, member;
	uint64_t at;

	for (i = 1; i < object->nsections; i++) {
		if (object->sections[i].header.sh_type != SHT_GROUP)
			continue;
		for (at = 4; at + 4 <= object->sections[i].header.sh_size; at += 4) {
			memcpy(&member, object->sections[i].data + at, sizeof(member));
			if (member >= object->nsections)
				return object_damaged(
					object, "a section group has a member that is not there");
			w->group_of[member] = i;
		}
	}
	return 0;
}

/* Add a section with one stub for each is-enabled call, if the machine needs stubs. */
static int stubs_add(struct rewrite *w)
{
	const GElf_Shdr header = {
		.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_EXECINSTR, .sh_addralign = 4};
	const struct machine *machine = w->object->machine;
	size_t i, size = (size_t)w->sites->nenabled * machine->stub_size;
	uint8_t *code;

	if (!size)
		return 0;
	code = malloc(size);
	for (i = 0; code && i < size; i += machine->stub_size)
		memcpy(code + i, machine->stub_code, machine->stub_size);
	if (code)
		w->stubs =
			object_add_section(w->object, ".text.dtrace_enabled", &header, code, size);
	return w->stubs ? 0 : diag_nomem(w->object->diag);
}

static bool rewrite_init(struct rewrite *w)
{
	w->section_symbol = calloc(w->object->nsections, sizeof(*w->section_symbol));
	w->group_of = calloc(w->object->nsections, sizeof(*w->group_of));
	w->symbol_map = calloc(w->object->nsymbols, sizeof(*w->symbol_map));
	w->args = calloc(2 * w->sites->ncallees, sizeof(*w->args));
	w->operands = calloc(2 * w->sites->ncallees, sizeof(*w->operands));
	return w->section_symbol && w->group_of && w->symbol_map && w->args && w->operands;
}

static void rewrite_free(struct rewrite *w)
{
	size_t i;

	for (i = 0; w->args && w->operands && i < 2 * w->sites->ncallees; i++) {
		bytes_free(&w->args[i]);
		bytes_free(&w->operands[i]);
	}
	free(w->args);
	free(w->operands);
	free(w->symbol_map);
	free(w->group_of);
	free(w->section_symbol);
}

static int rewrite_passes(struct rewrite *w)
{
	const uint32_t old_count = w->object->nsymbols;

	if (args_make(w) || groups_find(w))
		return -1;
	code_rewrite(w);
	relocs_rewrite(w);
	if (symbols_rewrite(w) || symbols_renumber(w, old_count))
		return -1;
	if (!object_find_functions(w->object))
		return diag_nomem(w->object->diag);
	return rewrite_records(w);
}

int rewrite_object(struct object *object, const struct provider_file *decls,
		   const struct sites *sites)
{
	struct rewrite w = {.object = object, .decls = decls, .sites = sites};
	int result = stubs_add(&w);

	if (!result)
		result = rewrite_init(&w) ? rewrite_passes(&w) : diag_nomem(object->diag);
	rewrite_free(&w);
	return result;
}
