/* SPDX-License-Identifier: MIT */
/*
 * site_list.c - lists the probe sites of a file.
 *
 * Records are read before notes. A note at the instruction before a record's trap describes the
 * same site, and its text has the operands with their relocations resolved. In relocatable objects,
 * the relocation of a field determines its value.
 */
#include <dtrace/dof.h>
#include <dtrace/site.h>
#include <stdlib.h>
#include <string.h>
#include "note.h"
#include "object.h"
#include "operand.h"
#include "site_list.h"
#include "sites.h"

/* A code or data address: section and offset in a relocatable object, an address otherwise. */
struct address {
	uint32_t section;
	uint64_t value;
};

struct reader {
	struct site_list *list;
	struct object *object;
	const char *file;
	struct address *addresses; /* of the sites from index first on */
	size_t first;
	uint32_t section; /* the section that is being read */
	size_t near;	  /* the record that probably belongs to the next note */
	uint32_t relocs;  /* the relocation section of that section; 0: none */
	size_t next;	  /* the relocation that is probably looked up next */
};

static const char *copy(struct reader *r, const char *text, size_t len)
{
	return arena_memdup(&r->list->arena, text, len);
}

/* Return a copy of the name with each double underscore replaced by a hyphen. */
static const char *hyphenated(struct reader *r, const char *name)
{
	char *result = arena_memdup(&r->list->arena, name, strlen(name)), *to = result;

	for (; result && *name; name++, to++) {
		*to = *name == '_' && name[1] == '_' ? '-' : *name;
		if (*to == '-' && *name == '_')
			name++;
	}
	if (result)
		*to = '\0';
	return result;
}

static bool is_object(const struct reader *r)
{
	return r->object->header.e_type == ET_REL;
}

/* ---- addresses and relocations ---- */

static void section_begin(struct reader *r, uint32_t section)
{
	uint32_t i;

	r->section = section;
	r->relocs = 0;
	r->next = 0;
	for (i = 1; i < r->object->nsections && is_object(r); i++)
		if (object_is_relocs(r->object, i) &&
		    r->object->sections[i].header.sh_info == section)
			r->relocs = i;
}

/* Find the relocation of an offset. The search starts at the last one, as most are in order. */
static bool find_reloc(struct reader *r, uint64_t offset, struct object_reloc *reloc)
{
	size_t i, count = r->relocs ? object_nrelocs(r->object, r->relocs) : 0;

	for (i = 0; i < count; i++, r->next++) {
		if (r->next >= count)
			r->next = 0;
		object_reloc(r->object, r->relocs, r->next, reloc);
		if (reloc->offset == offset)
			return reloc->symbol < r->object->nsymbols;
	}
	return false;
}

/*
 * Get the address that the relocation of the field at offset refers to. implicit_addend is the
 * value of the field, used with SHT_REL. Return false if the field has no relocation.
 */
static bool reloc_target(struct reader *r, uint64_t offset, int64_t implicit_addend,
			 struct address *target)
{
	struct object_reloc reloc;
	GElf_Sym symbol;

	if (!find_reloc(r, offset, &reloc))
		return false;
	object_symbol(r->object, reloc.symbol, &symbol, &target->section);
	target->value = symbol.st_value +
			(uint64_t)(r->object->model == 64 ? reloc.addend : implicit_addend);
	return true;
}

/* Return the section that an address of a program is in, or 0. */
static uint32_t address_section(const struct object *object, uint64_t address)
{
	const GElf_Shdr *h;
	uint32_t i;

	for (i = 1; i < object->nsections; i++) {
		h = &object->sections[i].header;
		if ((h->sh_flags & SHF_ALLOC) && address >= h->sh_addr &&
		    address - h->sh_addr < h->sh_size)
			return i;
	}
	return 0;
}

/* Return the string at an address of a program, or NULL if it does not end within its section. */
static const char *program_text(const struct object *object, uint64_t address)
{
	uint32_t i = address_section(object, address);
	const struct object_section *s = &object->sections[i];
	uint64_t at = i ? address - s->header.sh_addr : 0;

	if (!i || !s->data || !memchr(s->data + at, 0, s->header.sh_size - at))
		return NULL;
	return (const char *)s->data + at;
}

/* ---- arguments ---- */

/* Return the operands of a record's arguments, which are encoded from at to end, as text. */
static const char *record_operands(struct reader *r, bool as_text, const uint8_t *at,
				   const uint8_t *end, uint64_t address)
{
	const struct machine *machine = r->object->machine;
	struct bytes text = {0};
	const char *result;
	dof_argloc_t loc;
	size_t len;

	if (as_text)
		return copy(r, (const char *)at, strnlen((const char *)at, (size_t)(end - at)));
	for (; (len = operand_decode(machine->operands, at, (size_t)(end - at), address, &loc));
	     at += len, address += len)
		machine_print(machine, &text, &loc);
	result = text.failed ? NULL : copy(r, text.data ? text.data : "", text.len);
	bytes_free(&text);
	return result;
}

size_t dtrace_usdt_operand(const char *operands)
{
	bool inside = false;
	size_t len;

	for (len = 0; operands[len] && (operands[len] != ' ' || inside); len++)
		if (operands[len] == '[' || operands[len] == ']')
			inside = operands[len] == '[';
	return len;
}

/* ---- sites ---- */

static int site_add(struct reader *r, const dtrace_usdt_site_t *site, struct address pc)
{
	dtrace_usdt_site_t *sites = array_grow(r->list->sites, r->list->nsites, sizeof(*sites));
	struct address *addresses =
		array_grow(r->addresses, r->list->nsites - r->first, sizeof(*addresses));

	if (sites)
		r->list->sites = sites;
	if (addresses)
		r->addresses = addresses;
	if (!sites || !addresses || !site->provider || !site->name || !site->func ||
	    !site->operands)
		return diag_nomem(r->list->diag);
	addresses[r->list->nsites - r->first] = pc;
	sites[r->list->nsites] = *site;
	sites[r->list->nsites].file = r->file;
	sites[r->list->nsites].model = r->object->model;
	sites[r->list->nsites].address = pc.value;
	r->list->nsites++;
	return 0;
}

static int32_t field(const uint8_t *record, size_t offset)
{
	int32_t value;

	memcpy(&value, record + offset, sizeof(value));
	return value;
}

#define PC   offsetof(struct dtrace_site_record, pc)
#define SEMA offsetof(struct dtrace_site_record, sema)
#define FUNC offsetof(struct dtrace_site_record, func)

/*
 * Return the string at an address of an object, or NULL if it does not end within its section. The
 * section comes from a symbol: it may be SHN_ABS, or any number in a damaged file.
 */
static const char *object_text(const struct object *object, struct address at)
{
	const struct object_section *s;

	if (!at.section || at.section >= object->nsections)
		return NULL;
	s = &object->sections[at.section];
	if (!s->data || at.value >= s->header.sh_size ||
	    !memchr(s->data + at.value, 0, s->header.sh_size - at.value))
		return NULL;
	return (const char *)s->data + at.value;
}

/* Return the function's name in the record at offset `at` of the section, or NULL. */
static const char *record_function(struct reader *r, const uint8_t *record, size_t at)
{
	const int32_t distance = field(record, FUNC);
	const uint64_t offset = at + FUNC + (uint64_t)(int64_t)distance;
	struct address target = {r->section, offset};

	if (!is_object(r))
		return distance ? program_text(r->object,
					       r->object->sections[r->section].header.sh_addr +
						       offset)
				: NULL;
	if (!reloc_target(r, at + FUNC, distance, &target) && !distance)
		return NULL;
	return object_text(r->object, target);
}

/*
 * Return the function's name. The record's name comes first, since probes have it when the program
 * is traced, also within inline functions; otherwise the symbol's name is used.
 */
static const char *site_function(struct reader *r, struct address pc, const char *recorded)
{
	char func[FUNCTION_SIZE];

	if (recorded && *recorded)
		function_name(recorded, func, sizeof(func));
	else
		object_function(r->object, pc.section, pc.value, func);
	return copy(r, func, strlen(func));
}

static int damaged(struct reader *r)
{
	return object_damaged(r->object, "a probe site's record makes no sense");
}

/* Read the record of len bytes at offset `at` of the section. */
static int read_record(struct reader *r, size_t at, size_t len)
{
	const struct object_section *section = &r->object->sections[r->section];
	const uint8_t *record = section->data + at, *end = record + len;
	const uint8_t kind = record[offsetof(struct dtrace_site_record, kind)];
	const uint64_t address = section->header.sh_addr + at;
	const char *provider = (const char *)record + sizeof(struct dtrace_site_record);
	const char *name = memchr(provider, 0, (size_t)((const char *)end - provider));
	const char *args =
		name ? memchr(name + 1, 0, (size_t)((const char *)end - name - 1)) : NULL;
	dtrace_usdt_site_t site = {.form = DTRACE_SITE_RECORDED};
	struct address pc = {0}, unused;

	if (!args)
		return damaged(r);
	if (is_object(r)) {
		if (!reloc_target(r, at + PC, field(record, PC), &pc))
			return damaged(r);
		site.semaphore = reloc_target(r, at + SEMA, 0, &unused);
	} else {
		pc.value = address + PC + (uint64_t)(int64_t)field(record, PC);
		pc.section = address_section(r->object, pc.value);
		site.semaphore = field(record, SEMA);
	}
	site.isenabled = (kind & ~DTRACE_SITE_TEXT) == DOF_SITE_ISENABLED;
	site.provider = copy(r, provider, strlen(provider));
	site.name = hyphenated(r, name + 1);
	site.func = site_function(r, pc, record_function(r, record, at));
	args++;
	site.operands = record_operands(r, kind & DTRACE_SITE_TEXT, (const uint8_t *)args, end,
					address + (uint64_t)((const uint8_t *)args - record));
	return site_add(r, &site, pc);
}

static int read_records(struct reader *r, uint32_t section)
{
	const struct object_section *s = &r->object->sections[section];
	size_t at;
	uint16_t len;

	section_begin(r, section);
	for (at = 0; at + 4 <= s->header.sh_size; at += len ? len : 4) {
		memcpy(&len, s->data + at, sizeof(len));
		if (!len)
			continue;
		if (len % 4 || len <= sizeof(struct dtrace_site_record) ||
		    len > s->header.sh_size - at)
			return damaged(r);
		if (read_record(r, at, len))
			return -1;
	}
	return 0;
}

/* ---- notes ---- */

static int address_compare(const struct address *a, const struct address *b)
{
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/*
 * Return the record of a note, or NULL. Compilers write both in the same order, so the search
 * starts at the last record. Where a call site had no space for two NOPs, both have the same
 * address.
 */
static dtrace_usdt_site_t *note_record(struct reader *r, struct address pc, size_t nrecords)
{
	const struct address trap = {pc.section, pc.value + r->object->machine->note_trap};
	size_t i;

	for (i = 0; i < nrecords; i++, r->near++) {
		if (r->near >= nrecords)
			r->near = 0;
		if (!address_compare(&r->addresses[r->near], &trap) ||
		    !address_compare(&r->addresses[r->near], &pc))
			return &r->list->sites[r->first + r->near];
	}
	return NULL;
}

struct note_reader {
	struct reader *reader;
	size_t nrecords;
	uint64_t base; /* address of section .stapsdt.base, 0: not there */
};

static bool note_address(struct note_reader *n, const struct note *note, struct address *pc,
			 bool *semaphore)
{
	struct reader *r = n->reader;
	struct address unused;

	if (is_object(r)) {
		*semaphore = reloc_target(r, note->at + 2 * (size_t)r->object->model / 8,
					  (int64_t)note->semaphore, &unused);
		return reloc_target(r, note->at, (int64_t)note->pc, pc);
	}
	*semaphore = note->semaphore;
	pc->value = note->pc + (n->base && note->base ? n->base - note->base : 0);
	pc->section = address_section(r->object, pc->value);
	return pc->section;
}

static int read_note(void *context, const struct note *note)
{
	struct note_reader *n = context;
	struct reader *r = n->reader;
	dtrace_usdt_site_t *record, site = {.form = DTRACE_SITE_NOTED};
	struct address pc;

	if (!note_address(n, note, &pc, &site.semaphore))
		return 0; /* the linker has dropped the code, but kept the note */
	record = note_record(r, pc, n->nrecords);
	site.operands = copy(r, note->args, strlen(note->args));
	if (record) {
		record->operands = site.operands;
		return site.operands ? 0 : diag_nomem(r->list->diag);
	}
	site.provider = copy(r, note->provider, strlen(note->provider));
	site.name = hyphenated(r, note->name);
	site.func = site_function(r, pc, NULL);
	return site_add(r, &site, pc);
}

static int read_notes(struct reader *r, uint32_t section)
{
	const struct object_section *s = &r->object->sections[section];
	struct note_reader n = {.reader = r, .nrecords = r->list->nsites - r->first};
	uint32_t i;

	for (i = 1; i < r->object->nsections; i++)
		if (!strcmp(r->object->sections[i].name, NOTE_BASE_SECTION))
			n.base = r->object->sections[i].header.sh_addr;
	section_begin(r, section);
	r->near = 0;
	return note_each(s->data, s->header.sh_size, r->object->model, read_note, &n);
}

/* ---- calls ---- */

static int read_calls(struct reader *r)
{
	struct provider_file decls = {0};
	struct sites sites;
	int result = sites_find(r->object, &decls, true, &sites);
	size_t i;

	for (i = 0; i < sites.nsites && !result; i++) {
		const struct callee *callee = &sites.callees[sites.sites[i].callee];
		struct address pc = {sites.sites[i].section, sites.sites[i].at.start};
		dtrace_usdt_site_t site = {
			.form = DTRACE_SITE_CALL, .isenabled = callee->enabled, .operands = ""};

		site.provider = copy(r, callee->provider->name, strlen(callee->provider->name));
		site.name = hyphenated(r, callee->name);
		site.func = site_function(r, pc, NULL);
		result = site_add(r, &site, pc);
	}
	sites_free(&sites);
	provider_file_free(&decls);
	return result;
}

/* ---- declarations ---- */

/* Return the contents of section i of a DOF file if it has the type, else NULL. */
static const void *dof_section(const dof_hdr_t *dof, uint32_t i, uint32_t type, size_t *size)
{
	const dof_sec_t *s = (const dof_sec_t *)((const char *)dof + dof->dofh_secoff) + i;

	if (i >= dof->dofh_secnum || s->dofs_type != type ||
	    s->dofs_offset % (type == DOF_SECT_PROBES	  ? 8
			      : type == DOF_SECT_PROVIDER ? 4
							  : 1) ||
	    s->dofs_offset > dof->dofh_filesz || s->dofs_size > dof->dofh_filesz - s->dofs_offset)
		return NULL;
	*size = s->dofs_size;
	return (const char *)dof + s->dofs_offset;
}

/* Return the DOF file at the beginning of len bytes aligned to 8, or NULL. */
static const dof_hdr_t *dof_header(const uint8_t *data, size_t len)
{
	const dof_hdr_t *dof = (const dof_hdr_t *)data;

	if (len < sizeof(*dof) || memcmp(dof->dofh_ident, DOF_MAG_STRING, 4) ||
	    dof->dofh_filesz < sizeof(*dof) || dof->dofh_filesz > len ||
	    dof->dofh_secoff > dof->dofh_filesz || dof->dofh_secoff % 8 ||
	    dof->dofh_secnum > (dof->dofh_filesz - dof->dofh_secoff) / sizeof(dof_sec_t))
		return NULL;
	return dof;
}

struct strings {
	const char *data;
	size_t size;
};

static const char *string_at(const struct strings *strings, size_t at)
{
	return at < strings->size && memchr(strings->data + at, 0, strings->size - at)
		       ? strings->data + at
		       : "";
}

/* Copy count types from offset `at` on. Return NULL if there is no memory. */
static const char **read_types(struct reader *r, const struct strings *strings, size_t at,
			       unsigned int count)
{
	const char **types = arena_alloc(&r->list->arena, sizeof(*types) * (count + 1U)), *type;
	unsigned int i;

	for (i = 0; i < count && types; i++, at += strlen(type) + 1) {
		type = string_at(strings, at);
		types[i] = copy(r, type, strlen(type));
		if (!types[i])
			return NULL;
	}
	return types;
}

static int add_types(struct reader *r, const struct strings *strings, const char *provider,
		     const dof_probe_t *probe)
{
	struct site_list *list = r->list;
	struct site_types *types = array_grow(list->types, list->ntypes, sizeof(*types));
	const char *name = string_at(strings, probe->dofpr_name);

	if (!types)
		return diag_nomem(list->diag);
	list->types = types;
	types += list->ntypes;
	*types = (struct site_types){
		.provider = copy(r, provider, strlen(provider)),
		.name = copy(r, name, strlen(name)),
		.nnatives = probe->dofpr_nargc,
		.natives = read_types(r, strings, probe->dofpr_nargv, probe->dofpr_nargc),
		.nargs = probe->dofpr_xargc,
		.args = read_types(r, strings, probe->dofpr_xargv, probe->dofpr_xargc),
	};
	if (!types->provider || !types->name || !types->natives || !types->args)
		return diag_nomem(list->diag);
	list->ntypes++;
	return 0;
}

static int read_provider(struct reader *r, const dof_hdr_t *dof, const dof_provider_t *provider)
{
	struct strings strings;
	const dof_probe_t *probes;
	size_t size, i;
	int result = 0;

	strings.data = dof_section(dof, provider->dofpv_strtab, DOF_SECT_STRTAB, &strings.size);
	probes = dof_section(dof, provider->dofpv_probes, DOF_SECT_PROBES, &size);
	if (!strings.data || !probes)
		return 0;
	for (i = 0; i < size / sizeof(*probes) && !result; i++)
		result = add_types(r, &strings, string_at(&strings, provider->dofpv_name),
				   &probes[i]);
	return result;
}

static int read_declarations(struct reader *r, const uint8_t *data, size_t len)
{
	const dof_provider_t *provider;
	const dof_hdr_t *dof;
	size_t at = 0, size;
	int result = 0;
	uint32_t i;

	while (!result && (dof = dof_header(data + at, len - at))) {
		for (i = 0; i < dof->dofh_secnum && !result; i++) {
			provider = dof_section(dof, i, DOF_SECT_PROVIDER, &size);
			if (provider && size >= offsetof(dof_provider_t, dofpv_prenoffs))
				result = read_provider(r, dof, provider);
		}
		size = (dof->dofh_filesz + 7) & ~(size_t)7;
		at = size < len - at ? at + size : len;
	}
	return result;
}

/* ---- files ---- */

typedef int section_reader(struct reader *r, uint32_t section);

/* Read declarations from an aligned copy: in a file, DOF may begin at any offset. */
static int declarations_section(struct reader *r, uint32_t section)
{
	const struct object_section *s = &r->object->sections[section];
	uint8_t *copy = malloc(s->header.sh_size + 1);
	int result;

	if (!copy)
		return diag_nomem(r->list->diag);
	memcpy(copy, s->data, s->header.sh_size);
	result = read_declarations(r, copy, s->header.sh_size);
	free(copy);
	return result;
}

static int sections_each(struct reader *r, const char *name, section_reader *read)
{
	int result = 0;
	uint32_t i;

	for (i = 1; i < r->object->nsections && !result; i++)
		if (!strcmp(r->object->sections[i].name, name) && r->object->sections[i].data)
			result = read(r, i);
	return result;
}

int site_list_visit(void *context, const struct input *input)
{
	struct site_list *list = context;
	struct object object;
	struct reader r = {.list = list, .object = &object, .first = list->nsites};
	int result;

	if (input->kind == INPUT_BITCODE)
		return 0; /* the linker generates the sites */
	r.file = arena_memdup(&list->arena, input->name, strlen(input->name));
	if (!r.file)
		return diag_nomem(list->diag);
	result = object_open(&object, list->diag, r.file, input->elf, input->image, input->size);
	if (!result)
		result = sections_each(&r, DTRACE_SITES_SECTION, read_records);
	if (!result)
		result = sections_each(&r, NOTE_SECTION, read_notes);
	if (!result)
		result = sections_each(&r, DTRACE_DOF_SECTION, declarations_section);
	if (!result)
		result = read_calls(&r);
	object_close(&object);
	free(r.addresses);
	return result;
}

int site_list_read(struct site_list *list, const struct dtrace_usdt_args *args)
{
	int i, result = 0;

	for (i = 0; i < args->nobjects; i++)
		if (input_read(list->diag, args->objects[i], site_list_visit, list))
			result = 1;
	return result;
}

static int types_compare(const void *a, const void *b)
{
	const struct site_types *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	return order ? order : strcmp(x->name, y->name);
}

void site_list_set_types(struct site_list *list)
{
	struct site_types wanted, *types;
	size_t i;

	if (!list->ntypes)
		return;
	qsort(list->types, list->ntypes, sizeof(*list->types), types_compare);
	for (i = 0; i < list->nsites; i++) {
		wanted.provider = list->sites[i].provider;
		wanted.name = list->sites[i].name;
		types = bsearch(&wanted, list->types, list->ntypes, sizeof(*types), types_compare);
		if (!types)
			continue;
		list->sites[i].typed = true;
		list->sites[i].nnatives = types->nnatives;
		list->sites[i].natives = types->natives;
		list->sites[i].ntypes = types->nargs;
		list->sites[i].types = types->args;
	}
}

void site_list_free(struct site_list *list)
{
	arena_free(&list->arena);
	free(list->sites);
	free(list->types);
}
