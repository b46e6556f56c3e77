/* SPDX-License-Identifier: MIT */
/*
 * rewrite.c - called sites become NOPs and records.
 *
 * The passes, in order: drop the relocations of the calls and patch the code; renumber the symbols,
 * without the functions that nobody calls any more and with symbols for the sections of code that
 * had none; then add the sections of records, whose relocations name those. Where an is-enabled
 * call cannot be one instruction (machine.h), a section of functions is added first, which they
 * call.
 */
#include <dtrace/limits.h>
#include <dtrace/site.h>
#include <stdlib.h>
#include <string.h>
#include "rewrite.h"

struct rewrite {
	struct object *object;
	const struct provider_file *decls;
	const struct sites *sites;
	uint32_t *section_symbol; /* by section of code: its symbol in the new table; 0: none yet */
	uint32_t *group_of;	  /* by section: the SHT_GROUP it is in, or 0 */
	uint32_t *symbol_map;	  /* by old symbol: new one; 0 for those dropped */
	uint32_t answers; /* section of functions for is-enabled calls; 0: there are none */
	struct bytes *args; /* by called function: arguments when called; then when jumped to */
};

/* ---- code and relocations ---- */

static bool is_called(const struct rewrite *w, const struct object_reloc *reloc)
{
	return w->sites->called_of[reloc->symbol];
}

/* Whether the call goes to a function of its own instead. */
static bool is_answered(const struct rewrite *w, const struct object_reloc *reloc)
{
	return w->answers && is_called(w, reloc) && reloc->type != MACHINE_RELOC_NONE &&
	       w->sites->called[w->sites->called_of[reloc->symbol] - 1].enabled;
}

/*
 * What is not loaded (debugging information, profiles) keeps its entries, so that their number
 * stays what it is, but they do nothing.
 */
static void relocs_disarm(struct rewrite *w, uint32_t i)
{
	size_t n, count = object_nrelocs(w->object, i);
	struct object_reloc reloc;

	for (n = 0; n < count; n++) {
		object_reloc(w->object, i, n, &reloc);
		if (reloc.symbol >= w->object->nsymbols || !is_called(w, &reloc))
			continue;
		reloc = (struct object_reloc){ .offset = reloc.offset };
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
		if (!is_called(w, &reloc) || is_answered(w, &reloc))
			object_set_reloc(w->object, i, kept++, &reloc);
	}
	header->sh_size = header->sh_size / (count ? count : 1) * kept;
}

static void code_rewrite(struct rewrite *w)
{
	const struct site *site;

	for (site = w->sites->sites; site < w->sites->sites + w->sites->nsites; site++)
		w->object->machine->rewrite(&site->at, w->sites->called[site->called].enabled,
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

static int section_symbol_want(struct rewrite *w, uint32_t section)
{
	if (w->section_symbol[section])
		return 0;
	if (section >= SHN_LORESERVE && !w->object->xindex)
		return object_damaged(w->object,
				      "there is no table for symbols of its many sections");
	w->section_symbol[section] = UINT32_MAX;
	return 0;
}

/*
 * The sections of code that have sites and no symbol of their own are marked in section_symbol.
 * Returns 0, or -1 after a message.
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
		if (section_symbol_want(w, site->section))
			return -1;
	return w->answers ? section_symbol_want(w, w->answers) : 0;
}

/* The table that is being made: symbols and, if there is one, the table of their sections. */
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

static void table_add_section_symbol(struct rewrite *w, struct symbol_table *table,
				     uint32_t section)
{
	const uint32_t xindex = section < SHN_LORESERVE ? 0 : section;
	const uint16_t shndx = section < SHN_LORESERVE ? (uint16_t)section : SHN_XINDEX;
	const unsigned char info = GELF_ST_INFO(STB_LOCAL, STT_SECTION);
	Elf64_Sym wide = { .st_info = info, .st_shndx = shndx };
	Elf32_Sym narrow = { .st_info = info, .st_shndx = shndx };

	if (w->object->model == 64)
		bytes_add(&table->symbols, &wide, sizeof(wide));
	else
		bytes_add(&table->symbols, &narrow, sizeof(narrow));
	if (w->object->xindex)
		bytes_add(&table->xindex, &xindex, sizeof(xindex));
	w->section_symbol[section] = table->count++;
}

/*
 * Local symbols come first: the old ones, those of sections, then the global ones but the called
 * functions. Returns the first global one.
 */
static uint32_t table_fill(struct rewrite *w, struct symbol_table *table)
{
	struct object *object = w->object;
	uint32_t i, nlocals = object->sections[object->symtab].header.sh_info, first_global;

	for (i = 0; i < nlocals; i++)
		table_copy(w, table, i);
	for (i = 1; i < object->nsections; i++)
		if (w->section_symbol[i] == UINT32_MAX)
			table_add_section_symbol(w, table, i);
	first_global = table->count;
	for (i = nlocals; i < object->nsymbols; i++)
		if (!w->sites->called_of[i])
			table_copy(w, table, i);
	return first_global;
}

static int symbols_rewrite(struct rewrite *w)
{
	struct object *object = w->object;
	struct symbol_table table = { .count = 0 };
	uint32_t first_global;

	if (section_symbols_find(w))
		return -1;
	first_global = table_fill(w, &table);
	if (table.symbols.failed || table.xindex.failed) {
		bytes_free(&table.symbols);
		bytes_free(&table.xindex);
		return diag_nomem(object->diag);
	}
	object_set_data(object, object->symtab, table.symbols.data, table.symbols.len);
	object->sections[object->symtab].header.sh_info = first_global;
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

/* Where the function for a site's is-enabled call begins in its section. */
static uint64_t answer_start(const struct rewrite *w, const struct site *site)
{
	return (uint64_t)site->enabled * w->object->machine->enabled_size;
}

static void reloc_answer(struct rewrite *w, uint32_t code, struct object_reloc *reloc)
{
	struct site wanted = {.section = code, .at.start = reloc->offset};
	const struct site *site = sites_at(w->sites, &wanted);

	reloc->symbol = w->section_symbol[w->answers];
	reloc->addend = (int64_t)answer_start(w, site);
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
		if (is_answered(w, &reloc))
			reloc_answer(w, w->object->sections[i].header.sh_info, &reloc);
		else
			reloc.symbol = w->symbol_map[reloc.symbol];
		object_set_reloc(w->object, i, n, &reloc);
	}
	return 0;
}

/*
 * Sections of compilers that hold symbols' numbers (such as .llvm_addrsig) lose their link to the
 * table, by which linkers see that an editor who does not know them was here.
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

/* ---- records ---- */

/* The arguments of a called function into args; an is-enabled function has none. */
static int args_add(struct rewrite *w, const struct called *called, enum machine_call call,
		    struct bytes *args)
{
	int bad = 0;

	if (called->enabled || !called->probe)
		bytes_add(args, "", 1);
	else
		bad = machine_args(w->object->machine, w->decls, called->probe, call, args);
	if (args->failed)
		return diag_nomem(w->object->diag);
	if (!bad)
		return 0;
	return diag_error(
		w->object->diag,
		"%s: argument %d of the called probe %s of provider %s is a %s, which cannot "
		"be traced by value: pass a pointer",
		w->object->path, bad - 1, called->probe->name, called->provider->name,
		called->probe->args[bad - 1].type.text);
}

/* The arguments of each called function, as a call and as a jump have them. */
static int args_make(struct rewrite *w)
{
	size_t i;

	for (i = 0; i < 2 * w->sites->ncalled; i++)
		if (args_add(w, &w->sites->called[i / 2], i % 2 ? MACHINE_JUMP : MACHINE_CALL,
			     &w->args[i]))
			return -1;
	return 0;
}

/* The function's name lies in the record, after the arguments. */
static int32_t record_add_function(struct rewrite *w, const struct site *site, size_t start,
				   struct bytes *records)
{
	const char *name;
	size_t len, at;

	name = object_function(w->object, site->section, site->at.start, &len);
	if (!name)
		return 0;
	at = bytes_add(records, name, len < DTRACE_FUNCNAMELEN ? len : DTRACE_FUNCNAMELEN - 1);
	bytes_add(records, "", 1);
	return (int32_t)(at - start - offsetof(struct dtrace_site_record, func));
}

static void record_add(struct rewrite *w, const struct site *site, struct bytes *records)
{
	const struct called *called = &w->sites->called[site->called];
	const struct bytes *args = &w->args[2 * site->called + (site->at.call != MACHINE_CALL)];
	struct dtrace_site_record record = { .version = DTRACE_SITE_VERSION };
	size_t start = bytes_add(records, NULL, sizeof(record));

	record.kind = (called->enabled ? DOF_SITE_ISENABLED : DOF_SITE_PROBE) |
		      w->object->machine->record_kind;
	if (w->object->model == 32)
		record.pc = (int32_t)(site->at.start + site->at.trap);
	bytes_string(records, called->provider->name);
	bytes_string(records, called->name);
	bytes_add(records, args->data, args->len);
	record.func = record_add_function(w, site, start, records);
	bytes_align(records, 4);
	record.size = (uint16_t)(records->len - start);
	if (!records->failed)
		memcpy(records->data + start, &record, sizeof(record));
}

static void record_add_reloc(struct rewrite *w, const struct site *site, size_t start,
			     struct bytes *relocs)
{
	const struct machine *machine = w->object->machine;
	const bool answered = w->answers && w->sites->called[site->called].enabled;
	const uint64_t offset = start + offsetof(struct dtrace_site_record, pc),
		       trap = answered ? answer_start(w, site) + machine->enabled_trap
				       : site->at.start + site->at.trap;
	const uint32_t symbol = w->section_symbol[answered ? w->answers : site->section],
		       type = machine->pc_reloc;
	Elf64_Rela wide = { offset, ELF64_R_INFO((uint64_t)symbol, type), (Elf64_Sxword)trap };
	Elf32_Rel narrow = { (Elf32_Addr)offset, ELF32_R_INFO(symbol, type) };

	if (w->object->model == 64)
		bytes_add(relocs, &wide, sizeof(wide));
	else
		bytes_add(relocs, &narrow, sizeof(narrow));
}

/* A section's index joins the group. */
static bool group_add(struct rewrite *w, uint32_t group, uint32_t section)
{
	struct object_section *g = &w->object->sections[group];
	size_t size = g->header.sh_size;
	uint8_t *data = malloc(size + sizeof(section));

	if (!data)
		return false;
	memcpy(data, g->data, size);
	memcpy(data + size, &section, sizeof(section));
	object_set_data(w->object, group, data, size + sizeof(section));
	return true;
}

/*
 * The section of records of one section of code, and that of their relocations. Takes the bytes
 * over.
 */
static int records_add(struct rewrite *w, uint32_t code, struct bytes *records,
		       struct bytes *relocs)
{
	const bool wide = w->object->model == 64;
	const uint32_t group = w->group_of[code];
	GElf_Shdr header = { .sh_type = SHT_PROGBITS,
			     .sh_flags = SHF_ALLOC | SHF_LINK_ORDER,
			     .sh_link = code,
			     .sh_addralign = 4 };
	GElf_Shdr reloc_header = { .sh_type = wide ? SHT_RELA : SHT_REL,
				   .sh_flags = SHF_INFO_LINK,
				   .sh_link = w->object->symtab,
				   .sh_addralign = wide ? 8 : 4,
				   .sh_entsize = wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel) };
	const char *reloc_name = wide ? ".rela" DTRACE_SITES_SECTION : ".rel" DTRACE_SITES_SECTION;
	uint32_t index = w->object->nsections;

	if (group) {
		header.sh_flags |= SHF_GROUP;
		reloc_header.sh_flags |= SHF_GROUP;
	}
	/* The relocations' name first: the other is its end, and they share it. */
	reloc_header.sh_info = index + 1;
	if (!object_add_section(w->object, reloc_name, &reloc_header, relocs->data, relocs->len)) {
		free(records->data);
		return -1;
	}
	if (!object_add_section(w->object,
				reloc_name + strlen(reloc_name) - strlen(DTRACE_SITES_SECTION),
				&header, records->data, records->len))
		return -1;
	return group && !(group_add(w, group, index + 1) && group_add(w, group, index)) ? -1 : 0;
}

/* All sites of the section of code that *site is in; leaves *site behind them. */
static int section_records(struct rewrite *w, const struct site **site, const struct site *end)
{
	struct bytes records = { 0 }, relocs = { 0 };
	const uint32_t code = (*site)->section;

	for (; *site < end && (*site)->section == code; ++*site) {
		record_add_reloc(w, *site, records.len, &relocs);
		record_add(w, *site, &records);
	}
	if (!records.failed && !relocs.failed)
		return records_add(w, code, &records, &relocs);
	bytes_free(&records);
	bytes_free(&relocs);
	return -1;
}

static int records_make(struct rewrite *w)
{
	const struct site *site = w->sites->sites, *end = site + w->sites->nsites;

	while (site < end)
		if (section_records(w, &site, end))
			return diag_nomem(w->object->diag);
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

/* The functions for is-enabled calls, if the machine needs them: one for each. */
static int answers_add(struct rewrite *w)
{
	const GElf_Shdr header = {.sh_type = SHT_PROGBITS,
				  .sh_flags = SHF_ALLOC | SHF_EXECINSTR,
				  .sh_addralign = 4};
	const struct machine *machine = w->object->machine;
	size_t i, size = (size_t)w->sites->nenabled * machine->enabled_size;
	uint8_t *code;

	if (!size)
		return 0;
	code = malloc(size);
	for (i = 0; code && i < size; i += machine->enabled_size)
		memcpy(code + i, machine->enabled_code, machine->enabled_size);
	if (code)
		w->answers = object_add_section(w->object, ".text.dtrace_enabled", &header, code,
						size);
	return w->answers ? 0 : diag_nomem(w->object->diag);
}

static bool rewrite_init(struct rewrite *w)
{
	w->section_symbol = calloc(w->object->nsections, sizeof(*w->section_symbol));
	w->group_of = calloc(w->object->nsections, sizeof(*w->group_of));
	w->symbol_map = calloc(w->object->nsymbols, sizeof(*w->symbol_map));
	w->args = calloc(2 * w->sites->ncalled, sizeof(*w->args));
	return w->section_symbol && w->group_of && w->symbol_map && w->args;
}

static void rewrite_free(struct rewrite *w)
{
	size_t i;

	for (i = 0; w->args && i < 2 * w->sites->ncalled; i++)
		bytes_free(&w->args[i]);
	free(w->args);
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
	return object_find_functions(w->object) ? records_make(w) : diag_nomem(w->object->diag);
}

int rewrite_object(struct object *object, const struct provider_file *decls,
		   const struct sites *sites)
{
	struct rewrite w = { .object = object, .decls = decls, .sites = sites };
	int result = answers_add(&w);

	if (!result)
		result = rewrite_init(&w) ? rewrite_passes(&w) : diag_nomem(object->diag);
	rewrite_free(&w);
	return result;
}
