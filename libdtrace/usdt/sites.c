/* SPDX-License-Identifier: MIT */
/* sites.c - finds the probe sites of an object. */
#include <ctype.h>
#include <dtrace/limits.h>
#include <dtrace/site.h>
#include <stdlib.h>
#include <string.h>
#include "operand.h"
#include "sites.h"

#define PREFIX_PROBE   "__dtrace_"
#define PREFIX_ENABLED "__dtraceenabled_"

/* Declarations of sys/sdt.h within a C++ template, whose names g++ mangles. */
#define LOCAL_PROBE   "_dtrace_call_"
#define LOCAL_ENABLED "_dtrace_enabled_"

/* ---- which functions are probes ---- */

/* Return the part after the prefix in a callee's name, PROVIDER___PROBE, or NULL. */
static const char *callee_name(const char *symbol, bool *enabled)
{
	const char *name = NULL, *bars;

	*enabled = !strncmp(symbol, PREFIX_ENABLED, strlen(PREFIX_ENABLED));
	if (*enabled)
		name = symbol + strlen(PREFIX_ENABLED);
	else if (!strncmp(symbol, PREFIX_PROBE, strlen(PREFIX_PROBE)))
		name = symbol + strlen(PREFIX_PROBE);
	bars = name ? strstr(name, "___") : NULL;
	return bars && bars != name && bars[3] ? name : NULL;
}

/* Split a name at bars into provider and probe. Return false if a part is too long. */
static bool name_split(const char *name, const char *bars, char *provider, const char **probe)
{
	size_t len = (size_t)(bars - name);

	if (len >= DTRACE_PROVNAMELEN)
		return false;
	memcpy(provider, name, len);
	provider[len] = '\0';
	*probe = bars + 3;
	return true;
}

/*
 * Split a name by the declarations: both parts may have underscores beside the three that separate
 * them.
 */
static void callee_declared(const struct provider_file *decls, const char *name,
			    struct callee *callee)
{
	char provider_name[DTRACE_PROVNAMELEN];
	const char *bars, *probe_name;
	struct provider *provider;

	for (bars = strstr(name, "___"); bars && !callee->probe; bars = strstr(bars + 1, "___")) {
		if (!name_split(name, bars, provider_name, &probe_name))
			return;
		provider = provider_file_find(decls, provider_name);
		if (!provider)
			continue;
		callee->provider = provider;
		callee->probe = provider_find_probe(provider, probe_name);
		callee->name = probe_name;
	}
}

/* Without a provider file, add the callee's probe to the declarations. */
static int callee_learn(struct object *object, struct provider_file *decls, const char *name,
			struct callee *callee)
{
	char provider_name[DTRACE_PROVNAMELEN];
	const char *probe_name, *conflict;
	struct provider *provider;

	if (!name_split(name, strstr(name, "___"), provider_name, &probe_name))
		return 0;
	conflict = provider_name_conflict(provider_name);
	if (conflict)
		return diag_error(object->diag,
				  "%s: the name of provider %s %s: choose another name",
				  object->path, provider_name, conflict);
	provider = provider_file_add(decls, provider_name);
	callee->provider = provider;
	callee->name = probe_name;
	callee->probe = provider ? provider_add_probe(decls, provider, probe_name) : NULL;
	return callee->probe ? 0 : diag_nomem(object->diag);
}

/*
 * Return the length of the identifier at p in a mangled name, which its number of bytes precedes.
 */
static size_t mangled_length(const char *symbol, const char *p)
{
	const char *digits = p;

	while (digits > symbol && isdigit((unsigned char)digits[-1]))
		digits--;
	return digits < p ? strtoul(digits, NULL, 10) : 0;
}

/*
 * Return the part PROVIDER___PROBE of the mangled name of a declaration in a template, in memory of
 * the declarations; NULL if it is another name, or there is no memory.
 */
static const char *callee_mangled(struct provider_file *decls, const char *symbol, bool *enabled)
{
	const char *local, *name;
	size_t len, prefix;

	if (strncmp(symbol, "_Z", 2) != 0)
		return NULL;
	local = strstr(symbol, LOCAL_PROBE);
	*enabled = !local;
	local = local ? local : strstr(symbol, LOCAL_ENABLED);
	prefix = strlen(*enabled ? LOCAL_ENABLED : LOCAL_PROBE);
	len = local ? mangled_length(symbol, local) : 0;
	if (len <= prefix || len > strlen(local))
		return NULL;
	name = arena_memdup(&decls->arena, local + prefix, len - prefix);
	return name && strstr(name, "___") ? name : NULL;
}

/* Add an undefined symbol, whose PROVIDER___PROBE is name, to the callees. */
static int callee_add(struct object *object, struct provider_file *decls, bool learn,
		      struct sites *sites, uint32_t symbol, const char *name, bool enabled)
{
	struct callee *callee = array_grow(sites->callees, sites->ncallees, sizeof(*callee));

	if (callee)
		sites->callees = callee;
	if (callee && !sites->callee_of)
		sites->callee_of = calloc(object->nsymbols, sizeof(*sites->callee_of));
	if (!callee || !sites->callee_of)
		return diag_nomem(object->diag);
	callee += sites->ncallees++;
	*callee = (struct callee){.symbol = symbol, .enabled = enabled};
	sites->callee_of[symbol] = (uint32_t)sites->ncallees;
	callee_declared(decls, name, callee);
	return !callee->probe && learn ? callee_learn(object, decls, name, callee) : 0;
}

/* Find the callees among the undefined symbols. */
static int callees_find(struct object *object, struct provider_file *decls, bool learn,
			struct sites *sites)
{
	uint32_t i, section;
	const char *name, *written;
	GElf_Sym symbol;
	bool enabled;

	for (i = 1; i < object->nsymbols; i++) {
		object_symbol(object, i, &symbol, &section);
		if (section != SHN_UNDEF)
			continue;
		if (!object_symbol_has_name(object, &symbol))
			return object_damaged(
				object, "an undefined symbol's name is not in the table of names");
		name = object_symbol_name(object, &symbol);
		written = callee_name(name, &enabled);
		name = written ? written : callee_mangled(decls, name, &enabled);
		if (!name)
			continue;
		if (i < object->sections[object->symtab].header.sh_info)
			return object_damaged(object, "an undefined symbol is local");
		if (callee_add(object, decls, learn, sites, i, name, enabled))
			return -1;
	}
	return 0;
}

/* ---- call sites ---- */

static const char *callee_symbol(struct object *object, const struct callee *callee)
{
	GElf_Sym symbol;
	uint32_t section;

	object_symbol(object, callee->symbol, &symbol, &section);
	return object_symbol_name(object, &symbol);
}

/* Print "FILE: function NAME", or its known part. */
static void location_print(struct object *object, uint32_t section, uint64_t offset,
			   struct bytes *message)
{
	char name[FUNCTION_SIZE];

	if (object_function(object, section, offset, name))
		bytes_printf(message, "%s: function %s", object->path, name);
	else
		bytes_printf(message, "%s: section %s+0x%llx", object->path,
			     object->sections[section].name, (unsigned long long)offset);
}

static int location_error(struct object *object, uint32_t section, uint64_t offset,
			  const char *format, ...) __attribute__((format(printf, 4, 5)));

static int location_error(struct object *object, uint32_t section, uint64_t offset,
			  const char *format, ...)
{
	struct bytes message = {0};
	va_list args;

	location_print(object, section, offset, &message);
	bytes_printf(&message, ": ");
	va_start(args, format);
	bytes_vprintf(&message, format, args);
	va_end(args);
	if (message.failed)
		diag_nomem(object->diag);
	else
		diag_error(object->diag, "%s", message.data);
	bytes_free(&message);
	return -1;
}

static int not_a_call(struct object *object, const struct callee *callee, uint32_t section,
		      uint64_t offset)
{
	if (!(object->sections[section].header.sh_flags & SHF_EXECINSTR))
		return location_error(object, section, offset,
				      "the address of %s is stored; a probe can only be called",
				      callee_symbol(object, callee));
	return location_error(
		object, section, offset,
		"the address of %s is taken, as by a function pointer, -mcmodel=large or "
		"some uses of -fno-plt: call it by name and compile without these options, or "
		"without SDT_USE_CALLS",
		callee_symbol(object, callee));
}

static int site_add(struct object *object, struct sites *sites, const struct site *site)
{
	struct site *list = array_grow(sites->sites, sites->nsites, sizeof(*list));

	if (!list)
		return diag_nomem(object->diag);
	sites->sites = list;
	list[sites->nsites++] = *site;
	return 0;
}

static int undeclared(struct object *object, const struct site *site, const struct callee *callee)
{
	if (callee->provider)
		return location_error(object, site->section, site->at.start,
				      "probe %s of provider %s is called, but the provider file "
				      "does not declare it: add it there",
				      callee->name, callee->provider->name);
	return location_error(object, site->section, site->at.start,
			      "%s is called, but the provider file does not declare such a "
			      "provider: add it there, or give -G the file that declares it",
			      callee_symbol(object, callee));
}

/* Add a reference from loaded code to a callee. */
static int reference_add(struct object *object, struct sites *sites, uint32_t section,
			 const struct object_reloc *reloc)
{
	struct callee *callee = &sites->callees[sites->callee_of[reloc->symbol] - 1];
	struct object_section *code = &object->sections[section];
	struct site site = {.section = section, .callee = (uint32_t)(callee - sites->callees)};

	if (code->header.sh_flags & SHF_EXECINSTR)
		site.at = machine_find(object->machine, reloc->type, reloc->addend, code->data,
				       code->header.sh_size, reloc->offset, callee->enabled);
	if (site.at.call == MACHINE_NOT)
		return not_a_call(object, callee, section, reloc->offset);
	if (!callee->probe && !callee->sited)
		undeclared(object, &site, callee);
	callee->sited = true;
	if (!callee->probe)
		return -1;
	return site_add(object, sites, &site);
}

static int references_find(struct object *object, struct sites *sites, uint32_t relocs)
{
	uint32_t section = object->sections[relocs].header.sh_info;
	size_t n, count = object_nrelocs(object, relocs);
	struct object_reloc reloc;
	int result = 0;

	for (n = 0; n < count; n++) {
		object_reloc(object, relocs, n, &reloc);
		if (reloc.symbol >= object->nsymbols)
			return object_damaged(object,
					      "a relocation names a symbol that is not there");
		if (sites->callee_of[reloc.symbol] && reloc.type != MACHINE_RELOC_NONE &&
		    reference_add(object, sites, section, &reloc))
			result = -1;
	}
	return result;
}

static int site_compare(const void *a, const void *b)
{
	const struct site *x = a, *y = b;

	if (x->section != y->section)
		return x->section < y->section ? -1 : 1;
	return x->at.start < y->at.start ? -1 : x->at.start > y->at.start;
}

/* Sort the sites, check that no two share bytes, and number the is-enabled sites. */
static int sites_sort(struct object *object, struct sites *sites)
{
	const struct site *s;
	size_t i;

	if (sites->nsites)
		qsort(sites->sites, sites->nsites, sizeof(*sites->sites), site_compare);
	for (i = 1; i < sites->nsites; i++) {
		s = &sites->sites[i];
		if (s[-1].section == s->section && s->at.start < s[-1].at.start + s[-1].at.size)
			return object_damaged(object, "two calls overlap");
	}
	for (i = 0; i < sites->nsites; i++)
		if (sites->callees[sites->sites[i].callee].enabled)
			sites->sites[i].enabled = sites->nenabled++;
	return 0;
}

const struct site *sites_at(const struct sites *sites, const struct site *site)
{
	return bsearch(site, sites->sites, sites->nsites, sizeof(*site), site_compare);
}

int sites_find(struct object *object, struct provider_file *decls, bool learn, struct sites *sites)
{
	uint32_t i;
	int result = 0;

	memset(sites, 0, sizeof(*sites));
	if (!object->symtab || object->header.e_type != ET_REL)
		return 0;
	if (callees_find(object, decls, learn, sites))
		return -1;
	for (i = 1; i < object->nsections && sites->ncallees; i++) {
		if (!object_is_relocs(object, i) ||
		    !(object->sections[object->sections[i].header.sh_info].header.sh_flags &
		      SHF_ALLOC))
			continue;
		if (references_find(object, sites, i))
			result = -1;
	}
	return result ? result : sites_sort(object, sites);
}

void sites_free(struct sites *sites)
{
	free(sites->callees);
	free(sites->callee_of);
	free(sites->sites);
	memset(sites, 0, sizeof(*sites));
}

/* Return the length of the C name at the start of the bytes. */
static size_t c_name_length(const char *at, size_t size)
{
	size_t len = 0;

	while (len < size && (isalnum((unsigned char)at[len]) || at[len] == '_'))
		len++;
	return len;
}

const char *sites_callee_in_bytes(const void *bytes, size_t size, size_t *len)
{
	const char *at = bytes, *end = at + size;
	char name[256];
	bool enabled;

	for (; (at = memmem(at, (size_t)(end - at), "__dtrace", 8)); at++) {
		*len = c_name_length(at, (size_t)(end - at));
		snprintf(name, sizeof(name), "%.*s", *len < 255 ? (int)*len : 255, at);
		if (callee_name(name, &enabled))
			return at;
	}
	return NULL;
}

/* ---- records ---- */

struct record {
	uint8_t kind; /* without DTRACE_SITE_TEXT */
	const char *provider;
	const char *name;
	unsigned int nargs;
	uint32_t section; /* of records */
	size_t at;
};

/* Find the code address of a record by the relocation of its field pc, for messages. */
static bool record_target(struct object *object, const struct record *record, uint32_t *section,
			  uint64_t *offset)
{
	const uint64_t field = record->at + offsetof(struct dtrace_site_record, pc);
	struct object_reloc reloc;
	GElf_Sym symbol;
	int32_t implicit_addend;
	uint32_t i;
	size_t n;

	for (i = 1; i < object->nsections; i++) {
		if (!object_is_relocs(object, i) ||
		    object->sections[i].header.sh_info != record->section)
			continue;
		for (n = 0; n < object_nrelocs(object, i); n++) {
			object_reloc(object, i, n, &reloc);
			if (reloc.offset != field || reloc.symbol >= object->nsymbols)
				continue;
			object_symbol(object, reloc.symbol, &symbol, section);
			memcpy(&implicit_addend, object->sections[record->section].data + field,
			       sizeof(implicit_addend));
			*offset = symbol.st_value +
				  (uint64_t)(object->model == 32 ? implicit_addend : reloc.addend);
			return *section && *section < object->nsections;
		}
	}
	return false;
}

static int record_error(struct object *object, const struct record *record, const char *what)
{
	uint32_t section = record->section;
	uint64_t offset = record->at;

	if (object->diag->errors < DIAG_MAX && object->header.e_type == ET_REL &&
	    !record_target(object, record, &section, &offset)) {
		section = record->section;
		offset = record->at;
	}
	return location_error(object, section, offset, "probe %s of provider %s %s", record->name,
			      record->provider, what);
}

/* Count the arguments of a record. Return false if they are damaged. */
static bool record_args(const struct object *object, bool text, const uint8_t *at,
			const uint8_t *end, unsigned int *nargs)
{
	const struct operands *machine = object->machine->operands;
	dof_argloc_t loc;
	size_t len;

	for (*nargs = 0; at < end && *at; ++*nargs, at += len) {
		len = text ? operand_text(machine, (const char *)at, (size_t)(end - at), NULL, NULL,
					  &loc)
			   : operand_decode(machine, at, (size_t)(end - at), 0, &loc);
		if (!len)
			return false;
	}
	return at < end;
}

/* Read the record of len bytes at section->data + record->at. */
static int record_read(struct object *object, struct record *record, size_t len)
{
	const uint8_t *start = object->sections[record->section].data + record->at, *name_end;
	const uint8_t *at = start + sizeof(struct dtrace_site_record), *end = start + len;
	const uint8_t *provider_end = at < end ? memchr(at, 0, (size_t)(end - at)) : NULL;
	const uint8_t kind = start[offsetof(struct dtrace_site_record, kind)];

	name_end =
		provider_end ? memchr(provider_end + 1, 0, (size_t)(end - provider_end - 1)) : NULL;
	if (start[offsetof(struct dtrace_site_record, version)] != DTRACE_SITE_VERSION)
		return diag_error(
			object->diag,
			"%s: its probe sites are of another version of dtrace: compile it again",
			object->path);
	record->kind = kind & ~DTRACE_SITE_TEXT;
	if (!name_end ||
	    !record_args(object, kind & DTRACE_SITE_TEXT, name_end + 1, end, &record->nargs))
		return object_damaged(object, "a probe site's record makes no sense");
	record->provider = (const char *)at;
	record->name = (const char *)provider_end + 1;
	if (provider_end - at >= DTRACE_PROVNAMELEN || name_end - provider_end > DTRACE_NAMELEN)
		return diag_error(object->diag,
				  "%s: the name of probe %s or of its provider %s is too long",
				  object->path, record->name, record->provider);
	return 0;
}

static int record_learn(struct object *object, struct provider_file *decls,
			const struct record *record)
{
	const char *conflict = provider_name_conflict(record->provider);
	struct provider *provider;
	char what[160];

	if (conflict) {
		snprintf(what, sizeof(what),
			 "cannot be traced: the name of its provider %s: choose another name",
			 conflict);
		return record_error(object, record, what);
	}
	provider = provider_file_add(decls, record->provider);
	return provider && provider_add_probe(decls, provider, record->name)
		       ? 0
		       : diag_nomem(object->diag);
}

/*
 * Check a record against the declarations. A provider without a declaration may belong to another
 * file, or to none: sys/sdt.h makes probes without declarations too.
 */
static int record_check(struct object *object, struct provider_file *decls, bool learn,
			const struct record *record)
{
	const struct provider *provider = provider_file_find(decls, record->provider);
	const struct provider_probe *probe;
	char what[80];

	if (learn)
		return record_learn(object, decls, record);
	if (!provider)
		return 0;
	probe = provider_find_probe(provider, record->name);
	if (!probe)
		return record_error(
			object, record,
			"is used, but the provider file does not declare it: add it there");
	if (record->kind != DOF_SITE_PROBE || !probe->typed || probe->nargs == record->nargs)
		return 0;
	snprintf(what, sizeof(what), "has %u argument%s here, but %u in the provider file",
		 record->nargs, record->nargs == 1 ? "" : "s", probe->nargs);
	return record_error(object, record, what);
}

static int records_check(struct object *object, struct provider_file *decls, bool learn, uint32_t i,
			 size_t *count)
{
	const struct object_section *section = &object->sections[i];
	struct record record = {.section = i};
	int result = 0;
	uint16_t len;

	for (; record.at + 4 <= section->header.sh_size; record.at += len ? len : 4) {
		memcpy(&len, section->data + record.at, sizeof(len));
		if (!len)
			continue;
		if (len % 4 || len <= sizeof(struct dtrace_site_record) ||
		    len > section->header.sh_size - record.at)
			return object_damaged(object, "a probe site's record makes no sense");
		if (record_read(object, &record, len))
			return -1;
		if (record_check(object, decls, learn, &record))
			result = -1;
		++*count;
	}
	return result;
}

int sites_check_records(struct object *object, struct provider_file *decls, bool learn,
			size_t *count)
{
	int result = 0;
	uint32_t i;

	*count = 0;
	for (i = 1; i < object->nsections; i++) {
		if (strcmp(object->sections[i].name, DTRACE_SITES_SECTION) ||
		    !object->sections[i].data)
			continue;
		if (records_check(object, decls, learn, i, count))
			result = -1;
	}
	return result;
}
