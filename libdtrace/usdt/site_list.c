/* SPDX-License-Identifier: MIT */
/*
 * site_list.c - lists the probe sites of a file.
 *
 * The records are read first, then the notes: a note at the instruction before a record's trap is
 * the same site, and its text says where the arguments are, relocations and all. In objects a field
 * is what its relocation says.
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

/* A place in a file: an offset in a section of an object, an address otherwise. */
struct place {
	uint32_t section;
	uint64_t value;
};

struct reader {
	struct site_list *list;
	struct object *object;
	const char *file;
	struct place *places; /* of the sites from first on */
	size_t first;
	uint32_t section; /* that is being read */
	size_t near;	  /* record that is likely to be a note's */
	uint32_t relocs;  /* of that section; 0: none */
	size_t next;	  /* relocation that is likely to be asked for */
};

static const char *copy(struct reader *r, const char *text, size_t len)
{
	return arena_string(&r->list->arena, text, len);
}

/* Two underscores are a hyphen. */
static const char *hyphenated(struct reader *r, const char *name)
{
	char *result = arena_string(&r->list->arena, name, strlen(name)), *to = result;

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

/* ---- places ---- */

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

/* The relocation of an offset; they are in order, mostly. */
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

/* What the field at offset names; false if nothing. in_place: what the field itself holds. */
static bool field_place(struct reader *r, uint64_t offset, int64_t in_place, struct place *place)
{
	struct object_reloc reloc;
	GElf_Sym symbol;

	if (!find_reloc(r, offset, &reloc))
		return false;
	object_symbol(r->object, reloc.symbol, &symbol, &place->section);
	place->value =
		symbol.st_value + (uint64_t)(r->object->model == 64 ? reloc.addend : in_place);
	return true;
}

/* The section that an address of a program is in; 0: none. */
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

/* The text at an address of a program, which ends within its section. */
static const char *address_text(const struct object *object, uint64_t address)
{
	uint32_t i = address_section(object, address);
	const struct object_section *s = &object->sections[i];
	uint64_t at = i ? address - s->header.sh_addr : 0;

	if (!i || !s->data || !memchr(s->data + at, 0, s->header.sh_size - at))
		return NULL;
	return (const char *)s->data + at;
}

/* ---- arguments ---- */

/* The arguments of a record, from at to end. */
static const char *record_places(struct reader *r, bool as_text, const uint8_t *at,
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

size_t dtrace_usdt_place(const char *places)
{
	bool inside = false;
	size_t len;

	for (len = 0; places[len] && (places[len] != ' ' || inside); len++)
		if (places[len] == '[' || places[len] == ']')
			inside = places[len] == '[';
	return len;
}

/* ---- sites ---- */

static int site_add(struct reader *r, const dtrace_usdt_site_t *site, struct place place)
{
	dtrace_usdt_site_t *sites = array_grow(r->list->sites, r->list->nsites, sizeof(*sites));
	struct place *places = array_grow(r->places, r->list->nsites - r->first, sizeof(*places));

	if (sites)
		r->list->sites = sites;
	if (places)
		r->places = places;
	if (!sites || !places || !site->provider || !site->name || !site->func || !site->places)
		return diag_nomem(r->list->diag);
	places[r->list->nsites - r->first] = place;
	sites[r->list->nsites] = *site;
	sites[r->list->nsites].file = r->file;
	sites[r->list->nsites].model = r->object->model;
	sites[r->list->nsites].address = place.value;
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
 * Return the text at a place of an object, which ends within its section; NULL if there is none. The
 * place is what a symbol says: its section may be SHN_ABS, or any number in a damaged file.
 */
static const char *place_text(const struct object *object, struct place place)
{
	const struct object_section *s;

	if (!place.section || place.section >= object->nsections)
		return NULL;
	s = &object->sections[place.section];
	if (!s->data || place.value >= s->header.sh_size ||
	    !memchr(s->data + place.value, 0, s->header.sh_size - place.value))
		return NULL;
	return (const char *)s->data + place.value;
}

/* The function's name that the record at offset `at` of the section has, or NULL. */
static const char *record_function(struct reader *r, const uint8_t *record, size_t at)
{
	const int32_t distance = field(record, FUNC);
	const uint64_t offset = at + FUNC + (uint64_t)(int64_t)distance;
	struct place place = {r->section, offset};

	if (!is_object(r))
		return distance ? address_text(r->object,
					       r->object->sections[r->section].header.sh_addr +
						       offset)
				: NULL;
	if (!field_place(r, at + FUNC, distance, &place) && !distance)
		return NULL;
	return place_text(r->object, place);
}

/*
 * The function's name: what the record says, as it will be when the program is traced, of an inline
 * function too; else that of the symbol.
 */
static const char *site_function(struct reader *r, struct place place, const char *recorded)
{
	const char *func;
	size_t len = 0;

	if (recorded && *recorded)
		return copy(r, recorded, strlen(recorded));
	func = object_function(r->object, place.section, place.value, &len);
	return func ? copy(r, func, len) : "";
}

static int damaged(struct reader *r)
{
	return object_damaged(r->object, "a probe site's record makes no sense");
}

/* The record of len bytes at offset at of the section. */
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
	struct place place = {0}, unused;

	if (!args)
		return damaged(r);
	if (is_object(r)) {
		if (!field_place(r, at + PC, field(record, PC), &place))
			return damaged(r);
		site.semaphore = field_place(r, at + SEMA, 0, &unused);
	} else {
		place.value = address + PC + (uint64_t)(int64_t)field(record, PC);
		place.section = address_section(r->object, place.value);
		site.semaphore = field(record, SEMA);
	}
	site.isenabled = (kind & ~DTRACE_SITE_TEXT) == DOF_SITE_ISENABLED;
	site.provider = copy(r, provider, strlen(provider));
	site.name = hyphenated(r, name + 1);
	site.func = site_function(r, place, record_function(r, record, at));
	args++;
	site.places = record_places(r, kind & DTRACE_SITE_TEXT, (const uint8_t *)args, end,
				    address + (uint64_t)((const uint8_t *)args - record));
	return site_add(r, &site, place);
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

static int place_compare(const struct place *a, const struct place *b)
{
	if (a->section != b->section)
		return a->section < b->section ? -1 : 1;
	return a->value < b->value ? -1 : a->value > b->value;
}

/*
 * The record of a note: compilers write both in the same order, so the search goes on from the last
 * one. Where a call had no room for two NOPs, both name the same.
 */
static dtrace_usdt_site_t *note_record(struct reader *r, struct place pc, size_t nrecords)
{
	const struct place trap = {pc.section, pc.value + r->object->machine->note_trap};
	size_t i;

	for (i = 0; i < nrecords; i++, r->near++) {
		if (r->near >= nrecords)
			r->near = 0;
		if (!place_compare(&r->places[r->near], &trap) ||
		    !place_compare(&r->places[r->near], &pc))
			return &r->list->sites[r->first + r->near];
	}
	return NULL;
}

struct note_reader {
	struct reader *reader;
	size_t nrecords;
	uint64_t base; /* address of section .stapsdt.base, 0: not there */
};

static bool note_place(struct note_reader *n, const struct note *note, struct place *place,
		       bool *semaphore)
{
	struct reader *r = n->reader;
	struct place unused;

	if (is_object(r)) {
		*semaphore = field_place(r, note->at + 2 * (size_t)r->object->model / 8,
					 (int64_t)note->semaphore, &unused);
		return field_place(r, note->at, (int64_t)note->pc, place);
	}
	*semaphore = note->semaphore;
	place->value = note->pc + (n->base && note->base ? n->base - note->base : 0);
	place->section = address_section(r->object, place->value);
	return place->section;
}

static int read_note(void *context, const struct note *note)
{
	struct note_reader *n = context;
	struct reader *r = n->reader;
	dtrace_usdt_site_t *record, site = {.form = DTRACE_SITE_NOTED};
	struct place place;

	if (!note_place(n, note, &place, &site.semaphore))
		return 0; /* its code was dropped by a linker that keeps notes */
	record = note_record(r, place, n->nrecords);
	site.places = copy(r, note->args, strlen(note->args));
	if (record) {
		record->places = site.places;
		return site.places ? 0 : diag_nomem(r->list->diag);
	}
	site.provider = copy(r, note->provider, strlen(note->provider));
	site.name = hyphenated(r, note->name);
	site.func = site_function(r, place, NULL);
	return site_add(r, &site, place);
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
		const struct called *called = &sites.called[sites.sites[i].called];
		struct place place = {sites.sites[i].section, sites.sites[i].at.start};
		dtrace_usdt_site_t site = {
			.form = DTRACE_SITE_CALLED, .isenabled = called->enabled, .places = ""};

		site.provider = copy(r, called->provider->name, strlen(called->provider->name));
		site.name = hyphenated(r, called->name);
		site.func = site_function(r, place, NULL);
		result = site_add(r, &site, place);
	}
	sites_free(&sites);
	provider_file_free(&decls);
	return result;
}

/* ---- declarations ---- */

/* A section of a DOF file, of the type; NULL if it is not there. */
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

/* The first DOF file in len bytes that are aligned to 8, or NULL. */
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

/* count types from offset at on; NULL: no memory. */
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

/* In a file it may be anywhere. */
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
		return 0; /* the sites are made when it is linked */
	r.file = arena_string(&list->arena, input->name, strlen(input->name));
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
	free(r.places);
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

void site_list_join(struct site_list *list)
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
