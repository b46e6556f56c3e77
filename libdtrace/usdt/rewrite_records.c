/* SPDX-License-Identifier: MIT */
/* rewrite_records.c - writes the records and notes of rewritten calls, in separate sections. */
#include <dtrace/limits.h>
#include <dtrace/site.h>
#include <stdlib.h>
#include <string.h>
#include "note.h"
#include "rewrite_impl.h"

/* Append the function's name after the arguments. Return its distance from the field func. */
static int32_t record_add_function(struct rewrite *w, const struct site *site, size_t start,
				   struct bytes *records)
{
	char name[FUNCTION_SIZE];
	size_t at;

	if (!object_function(w->object, site->section, site->at.start, name))
		return 0;
	at = bytes_string(records, name);
	return (int32_t)(at - start - offsetof(struct dtrace_site_record, func));
}

/* The contents of a section and its relocations. */
struct described {
	struct bytes bytes, relocs;
};

/*
 * Append a relocation of the field at offset: an address or a distance, relative to a symbol. The
 * addend is used with SHT_RELA.
 */
static void reloc_add(struct rewrite *w, struct described *d, uint64_t offset, uint32_t symbol,
		      uint32_t type, uint64_t addend)
{
	Elf64_Rela wide = {offset, ELF64_R_INFO((uint64_t)symbol, type), (Elf64_Sxword)addend};
	Elf32_Rel narrow = {(Elf32_Addr)offset, ELF32_R_INFO(symbol, type)};

	if (w->object->model == 64)
		bytes_add(&d->relocs, &wide, sizeof(wide));
	else
		bytes_add(&d->relocs, &narrow, sizeof(narrow));
}

/* ---- records ---- */

static void record_add_reloc(struct rewrite *w, struct described *d, const struct site *site)
{
	const struct machine *machine = w->object->machine;
	const bool stubbed = w->stubs && w->sites->callees[site->callee].enabled;

	reloc_add(w, d, d->bytes.len + offsetof(struct dtrace_site_record, pc),
		  w->section_symbol[stubbed ? w->stubs : site->section], machine->pc_reloc,
		  stubbed ? rewrite_stub(w, site) + machine->stub_trap
			  : site->at.start + site->at.trap);
}

/* Return the arguments of a site's callee, as a call or as a jump has them. */
static const struct bytes *site_args(const struct bytes *args, const struct site *site)
{
	return &args[2 * site->callee + (site->at.call != MACHINE_CALL)];
}

static void record_add(struct rewrite *w, struct described *d, const struct site *site)
{
	struct bytes *records = &d->bytes;
	const struct callee *callee = &w->sites->callees[site->callee];
	const struct bytes *args = site_args(w->args, site);
	struct dtrace_site_record record = {.version = DTRACE_SITE_VERSION};
	size_t start;

	record_add_reloc(w, d, site);
	start = bytes_add(records, NULL, sizeof(record));
	record.kind = (callee->enabled ? DOF_SITE_ISENABLED : DOF_SITE_PROBE) |
		      w->object->machine->record_kind;
	if (w->object->model == 32)
		record.pc = (int32_t)(site->at.start + site->at.trap);
	bytes_string(records, callee->provider->name);
	bytes_string(records, callee->name);
	bytes_add(records, args->data, args->len);
	record.func = record_add_function(w, site, start, records);
	bytes_align(records, 4);
	record.size = (uint16_t)(records->len - start);
	if (!records->failed)
		memcpy(records->data + start, &record, sizeof(record));
}

/* ---- notes ---- */

/*
 * Append three addresses: the code, the base that shows whether the file was moved, and a
 * semaphore, which is 0.
 */
static void note_add_addresses(struct rewrite *w, struct described *d, const struct site *site)
{
	const uint32_t type = w->object->machine->address_reloc;
	const uint64_t pc = site->at.start + site->at.note, wide[3] = {0};
	const uint32_t narrow[3] = {(uint32_t)pc};
	const bool is_wide = w->object->model == 64;
	const size_t at = is_wide ? bytes_add(&d->bytes, wide, sizeof(wide))
				  : bytes_add(&d->bytes, narrow, sizeof(narrow));

	reloc_add(w, d, at, w->section_symbol[site->section], type, pc);
	reloc_add(w, d, at + (is_wide ? 8 : 4), w->base_symbol, type, 0);
}

static void note_add(struct rewrite *w, struct described *d, const struct site *site)
{
	const struct callee *callee = &w->sites->callees[site->callee];
	const struct bytes *operands = site_args(w->operands, site);
	Elf32_Nhdr header = {.n_namesz = sizeof(NOTE_OWNER), .n_type = NOTE_TYPE};
	size_t at, start;

	if (callee->enabled)
		return;
	at = bytes_add(&d->bytes, NULL, sizeof(header));
	start = bytes_string(&d->bytes, NOTE_OWNER) + sizeof(NOTE_OWNER);
	note_add_addresses(w, d, site);
	bytes_string(&d->bytes, callee->provider->name);
	bytes_string(&d->bytes, callee->name);
	bytes_string(&d->bytes, operands->data ? operands->data : "");
	header.n_descsz = (Elf32_Word)(d->bytes.len - start);
	bytes_align(&d->bytes, 4);
	if (!d->bytes.failed)
		memcpy(d->bytes.data + at, &header, sizeof(header));
}

/* ---- sections ---- */

/* The two kinds of sections. A section's name is the end of its relocation section's name. */
struct kind {
	const char *name, *rela, *rel;
	GElf_Word type;
	GElf_Xword flags;
	void (*add)(struct rewrite *w, struct described *d, const struct site *site);
};

static const struct kind kinds[] = {
	{DTRACE_SITES_SECTION, ".rela" DTRACE_SITES_SECTION, ".rel" DTRACE_SITES_SECTION,
	 SHT_PROGBITS, SHF_ALLOC | SHF_LINK_ORDER, record_add},
	{NOTE_SECTION, ".rela" NOTE_SECTION, ".rel" NOTE_SECTION, SHT_NOTE, SHF_LINK_ORDER,
	 note_add},
};

/* Append a section's index to the group. */
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
 * Add the relocation section of the next section. Takes ownership of relocs. Return false if there
 * is no memory.
 */
static bool relocs_add(struct rewrite *w, const struct kind *kind, GElf_Xword flags,
		       struct bytes *relocs)
{
	const bool wide = w->object->model == 64;
	const GElf_Shdr header = {.sh_type = wide ? SHT_RELA : SHT_REL,
				  .sh_flags = SHF_INFO_LINK | flags,
				  .sh_link = w->object->symtab,
				  .sh_info = w->object->nsections + 1,
				  .sh_addralign = wide ? 8 : 4,
				  .sh_entsize = wide ? sizeof(Elf64_Rela) : sizeof(Elf32_Rel)};

	return object_add_section(w->object, wide ? kind->rela : kind->rel, &header, relocs->data,
				  relocs->len);
}

/*
 * Add the section that describes the sites of one section of code, after its relocation section, so
 * that both names share one string. Takes ownership of the bytes. Return false if there is no
 * memory.
 */
static bool described_add(struct rewrite *w, const struct kind *kind, uint32_t code,
			  struct described *d)
{
	const uint32_t group = w->group_of[code], index = w->object->nsections;
	const GElf_Xword flags = group ? SHF_GROUP : 0;
	const GElf_Shdr header = {.sh_type = kind->type,
				  .sh_flags = kind->flags | flags,
				  .sh_link = code,
				  .sh_addralign = 4};

	if (!relocs_add(w, kind, flags, &d->relocs)) {
		free(d->bytes.data);
		return false;
	}
	if (!object_add_section(w->object, kind->name, &header, d->bytes.data, d->bytes.len))
		return false;
	return !group || (group_add(w, group, index + 1) && group_add(w, group, index));
}

/* Describe all sites of the section of code that *site is in, and advance *site past them. */
static bool section_describe(struct rewrite *w, const struct kind *kind, const struct site **site,
			     const struct site *end)
{
	const uint32_t code = (*site)->section;
	struct described d = {0};
	bool good;

	for (; *site < end && (*site)->section == code; ++*site)
		kind->add(w, &d, *site);
	good = !d.bytes.failed && !d.relocs.failed;
	if (good && d.bytes.len)
		return described_add(w, kind, code, &d);
	bytes_free(&d.bytes);
	bytes_free(&d.relocs);
	return good;
}

/*
 * Add the base to which notes refer, one byte. The linker keeps one for all objects, and keeps it
 * although no loaded section refers to it. Return false if there is no memory.
 */
static bool base_add(struct rewrite *w)
{
	const uint32_t data[2] = {GRP_COMDAT, w->base_section};
	const GElf_Shdr group = {.sh_type = SHT_GROUP,
				 .sh_link = w->object->symtab,
				 .sh_info = w->base_symbol,
				 .sh_addralign = 4,
				 .sh_entsize = 4};
	const GElf_Shdr base = {.sh_type = SHT_PROGBITS,
				.sh_flags = SHF_ALLOC | SHF_GROUP | SHF_GNU_RETAIN,
				.sh_addralign = 1};
	void *copy, *byte;

	if (!w->base_section)
		return true;
	copy = malloc(sizeof(data));
	byte = calloc(1, 1);
	if (!copy || !byte) {
		free(copy);
		free(byte);
		return false;
	}
	memcpy(copy, data, sizeof(data));
	w->object->header.e_ident[EI_OSABI] = ELFOSABI_GNU; /* SHF_GNU_RETAIN is a GNU extension */
	if (object_add_section(w->object, ".group", &group, copy, sizeof(data)))
		return object_add_section(w->object, NOTE_BASE_SECTION, &base, byte, 1);
	free(byte);
	return false;
}

/* Add all sections of one kind before those of the other, so that their names share strings. */
int rewrite_records(struct rewrite *w)
{
	const struct site *site, *end = w->sites->sites + w->sites->nsites;
	bool good = base_add(w);
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]) && good; i++)
		for (site = w->sites->sites; site < end && good;)
			good = section_describe(w, &kinds[i], &site, end);
	return good ? 0 : diag_nomem(w->object->diag);
}
