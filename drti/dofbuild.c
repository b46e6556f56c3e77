/* SPDX-License-Identifier: MIT */
/*
 * dofbuild.c - merges declarations and site records into DOF. The file that it makes:
 *
 *	header, section table, STRTAB, PRARGS, PROFFS (empty),
 *	then for each provider PROBES PRSITES PROVIDER
 */
#include <string.h>
#include <dtrace/ioctl.h>
#include <dtrace/limits.h>
#include "dofbuild.h"
#include "function.h"

#define PROVIDER_SIZE	  (DTRACE_PROVNAMELEN - 11) /* a pid is put behind the name */
#define SECTIONS_SHARED	  3
#define SECTIONS_PROVIDER 3
#define SECTION_STRTAB	  0
#define SECTION_PRARGS	  1
#define SECTION_PROFFS	  2

struct provider {
	dof_stridx_t name;
	dof_attr_t attrs[5];		 /* as in dof_provider_t */
	uint32_t nprobes, nsites, nlocs; /* that will be written */
	uint32_t next;			 /* in the order of sites: where its next probe's begin */
	uint32_t section;		 /* its PROBES */
};

struct probe {
	uint32_t provider;
	dof_stridx_t name, nargv, xargv;
	uint32_t map;
	uint8_t nargc, xargc;
	uint32_t nsites;
	uint32_t index; /* in PROBES, once sizes are known */
	uint32_t next;	/* in the order of sites: where its next one goes */
};

struct site {
	uint32_t probe;
	dof_stridx_t func;
	uint32_t loc;
	uint8_t nargs, kind;
	uint64_t pc, sema;
};

void dofbuild_init(struct dofbuild *b, const struct operands *machine,
		   void *(*alloc)(void *ctx, size_t size), void *ctx)
{
	*b = (struct dofbuild){.machine = machine, .alloc = alloc, .ctx = ctx};
}

static void *get_memory(struct dofbuild *b, uint64_t entries, size_t size)
{
	void *memory = NULL;

	if (entries * size <= SIZE_MAX / 2)
		memory = b->alloc(b->ctx, entries * size);
	if (!memory)
		b->failed = true;
	return memory;
}

/* Return space for n more entries at the end of a table, or NULL if there is no memory. */
static void *table_add(struct dofbuild *b, struct dofbuild_table *t, uint32_t n, size_t size)
{
	uint64_t need = (uint64_t)t->used + n;
	uint64_t capacity = t->capacity ? t->capacity : 64;
	void *entries;

	if (need > UINT32_MAX / 2) {
		b->failed = true;
		return NULL;
	}
	while (capacity < need)
		capacity *= 2;
	if (capacity > t->capacity) {
		entries = get_memory(b, capacity, size);
		if (!entries)
			return NULL;
		if (t->used)
			memcpy(entries, t->entries, t->used * size);
		t->entries = entries;
		t->capacity = capacity;
	}
	entries = (char *)t->entries + t->used * size;
	t->used += n;
	return entries;
}

static struct provider *provider_at(const struct dofbuild *b, uint32_t i)
{
	return (struct provider *)b->providers.entries + i;
}

static struct probe *probe_at(const struct dofbuild *b, uint32_t i)
{
	return (struct probe *)b->probes.entries + i;
}

static struct site *site_at(const struct dofbuild *b, uint32_t i)
{
	return (struct site *)b->sites.entries + i;
}

static const char *string_at(const struct dofbuild *b, dof_stridx_t at)
{
	return (const char *)b->strings.entries + at;
}

/* Hash bytes by FNV-1a. */
static uint32_t hash_bytes(const void *bytes, size_t len)
{
	const uint8_t *p = bytes;
	uint32_t hash = 2166136261u;

	while (len--)
		hash = (hash ^ *p++) * 16777619u;
	return hash;
}

static uint32_t hash_string(const struct dofbuild *b, uint32_t at)
{
	const char *s = string_at(b, at);

	return hash_bytes(s, strlen(s));
}

static uint32_t hash_probe(const struct dofbuild *b, uint32_t i)
{
	const uint32_t key[2] = {probe_at(b, i)->provider, probe_at(b, i)->name};

	return hash_bytes(key, sizeof key);
}

/* Return the bucket at *at, starting with the hash's own, and advance *at. */
static uint32_t *hash_bucket(struct dofbuild_hash *h, uint32_t *at)
{
	return &h->buckets[(*at)++ & (h->capacity - 1)];
}

static void hash_put(struct dofbuild_hash *h, uint32_t hash, uint32_t entry)
{
	uint32_t *bucket;

	do {
		bucket = hash_bucket(h, &hash);
	} while (*bucket);
	*bucket = entry + 1;
	h->used++;
}

/* Grow the hash so that it remains at least half empty with one more entry. */
static bool hash_grow(struct dofbuild *b, struct dofbuild_hash *h,
		      uint32_t (*hash)(const struct dofbuild *b, uint32_t entry))
{
	struct dofbuild_hash bigger = {.capacity = h->capacity ? h->capacity * 2 : 256};

	if (h->used < h->capacity / 2)
		return true;
	bigger.buckets = get_memory(b, bigger.capacity, sizeof *bigger.buckets);
	if (!bigger.buckets)
		return false;
	memset(bigger.buckets, 0, bigger.capacity * sizeof *bigger.buckets);
	for (uint32_t i = 0; i < h->capacity; i++)
		if (h->buckets[i])
			hash_put(&bigger, hash(b, h->buckets[i] - 1), h->buckets[i] - 1);
	*h = bigger;
	return true;
}

static dof_stridx_t string_append(struct dofbuild *b, const char *s, size_t len)
{
	char *to = table_add(b, &b->strings, len + 1, 1);

	if (!to)
		return 0;
	memcpy(to, s, len);
	to[len] = '\0';
	return to - (char *)b->strings.entries;
}

/* Return the offset of a string, of which one copy is kept. The empty string is at 0. */
static dof_stridx_t string_intern(struct dofbuild *b, const char *s)
{
	size_t len = strlen(s);
	uint32_t at, hash = hash_bytes(s, len), *bucket;

	if (!b->strings.used)
		string_append(b, "", 0);
	if (!len || b->failed || !hash_grow(b, &b->string_hash, hash_string))
		return 0;
	at = hash;
	while (*(bucket = hash_bucket(&b->string_hash, &at)))
		if (strcmp(string_at(b, *bucket - 1), s) == 0)
			return *bucket - 1;
	at = string_append(b, s, len);
	if (!b->failed)
		hash_put(&b->string_hash, hash, at);
	return at;
}

/*
 * Return the index of a provider. A linear search suffices: providers are few, and sites of one
 * mostly follow each other.
 */
static uint32_t provider_intern(struct dofbuild *b, const char *name)
{
	dof_stridx_t at = string_intern(b, name);
	struct provider *new;

	if (b->recent < b->providers.used && provider_at(b, b->recent)->name == at)
		return b->recent;
	for (uint32_t i = 0; i < b->providers.used; i++)
		if (provider_at(b, i)->name == at)
			return b->recent = i;
	new = b->providers.used < DTRACE_HELPER_MAXPROVS
		      ? table_add(b, &b->providers, 1, sizeof *new)
		      : NULL;
	if (!new) {
		b->failed = true;
		return 0;
	}
	*new = (struct provider){.name = at};
	for (int i = 0; i < 5; i++)
		new->attrs[i] = DOF_ATTR(DTRACE_STABILITY_UNSTABLE, DTRACE_STABILITY_UNSTABLE,
					 DTRACE_CLASS_COMMON);
	return b->recent = b->providers.used - 1;
}

/* Set *i to the probe. Return true if it is new. Failures set b->failed. */
static bool probe_intern(struct dofbuild *b, uint32_t provider, const char *name, uint32_t *i)
{
	struct probe *new = table_add(b, &b->probes, 1, sizeof *new);
	uint32_t hash, at, *bucket;

	*i = 0;
	if (!new)
		return false;
	*new = (struct probe){.provider = provider, .name = string_intern(b, name)};
	if (!hash_grow(b, &b->probe_hash, hash_probe) || b->failed)
		return false;
	hash = at = hash_probe(b, b->probes.used - 1);
	while (*(bucket = hash_bucket(&b->probe_hash, &at))) {
		*i = *bucket - 1;
		if (probe_at(b, *i)->provider == provider && probe_at(b, *i)->name == new->name) {
			b->probes.used--;
			return false;
		}
	}
	*i = b->probes.used - 1;
	hash_put(&b->probe_hash, hash, *i);
	return true;
}

/* A declaration that is being read. */
struct decl {
	const char *dof;
	const dof_hdr_t *hdr;
	const char *strings;
	uint64_t nstrings;
	const dof_probe_t *probes;
	uint64_t nprobes;
	const uint8_t *map;
	uint64_t nmap;
};

/*
 * Return the contents of section i if it has the type, the alignment and the size of entries, else
 * NULL.
 */
static const void *decl_section(const struct decl *d, dof_secidx_t i, uint32_t type, size_t align,
				uint64_t *size)
{
	const dof_sec_t *sec = (const dof_sec_t *)(d->dof + d->hdr->dofh_secoff) + i;

	if (i >= d->hdr->dofh_secnum || sec->dofs_type != type || sec->dofs_offset % align)
		return NULL;
	if (sec->dofs_offset > d->hdr->dofh_filesz ||
	    sec->dofs_size > d->hdr->dofh_filesz - sec->dofs_offset)
		return NULL;
	*size = sec->dofs_size;
	return d->dof + sec->dofs_offset;
}

/* Return a string, or the empty string if its offset is outside the table, which ends with NUL. */
static const char *decl_string(const struct decl *d, uint64_t at)
{
	return at < d->nstrings ? d->strings + at : "";
}

/* Copy n consecutive strings. */
static dof_stridx_t declare_types(struct dofbuild *b, const struct decl *d, uint64_t at,
				  unsigned int n)
{
	dof_stridx_t first = 0;

	for (unsigned int i = 0; i < n; i++) {
		const char *type = decl_string(d, at);
		dof_stridx_t copy = string_append(b, type, strlen(type));

		if (i == 0)
			first = copy;
		at += strlen(type) + 1;
	}
	return first;
}

static uint32_t declare_map(struct dofbuild *b, const struct decl *d, const dof_probe_t *p)
{
	uint8_t *map = table_add(b, &b->map, p->dofpr_xargc, 1);

	for (unsigned int i = 0; map && i < p->dofpr_xargc; i++)
		map[i] = (uint64_t)p->dofpr_argidx + i < d->nmap ? d->map[p->dofpr_argidx + i] : 0;
	return b->map.used - p->dofpr_xargc;
}

static void declare_probe(struct dofbuild *b, const struct decl *d, uint32_t provider,
			  const dof_probe_t *p)
{
	uint32_t i;
	struct probe *probe;

	if (!probe_intern(b, provider, decl_string(d, p->dofpr_name), &i))
		return;
	probe = probe_at(b, i);
	probe->nargc = p->dofpr_nargc;
	probe->xargc = p->dofpr_xargc;
	probe->nargv = declare_types(b, d, p->dofpr_nargv, p->dofpr_nargc);
	probe->xargv = declare_types(b, d, p->dofpr_xargv, p->dofpr_xargc);
	probe->map = declare_map(b, d, p);
}

/* Find the tables of a provider. Return false if it is damaged. */
static bool decl_tables(struct decl *d, const dof_provider_t *pv)
{
	uint64_t size;

	d->strings = decl_section(d, pv->dofpv_strtab, DOF_SECT_STRTAB, 1, &d->nstrings);
	d->probes = decl_section(d, pv->dofpv_probes, DOF_SECT_PROBES, 8, &size);
	d->map = decl_section(d, pv->dofpv_prargs, DOF_SECT_PRARGS, 1, &d->nmap);
	if (!d->strings || !d->nstrings || d->strings[d->nstrings - 1] || !d->probes)
		return false;
	if (!d->map)
		d->nmap = 0;
	d->nprobes = size / sizeof *d->probes;
	return true;
}

static bool declare_provider(struct dofbuild *b, struct decl *d, const dof_provider_t *pv)
{
	uint32_t provider;

	if (!decl_tables(d, pv))
		return false;
	provider = provider_intern(b, decl_string(d, pv->dofpv_name));
	if (b->failed)
		return true;
	memcpy(provider_at(b, provider)->attrs, &pv->dofpv_provattr,
	       sizeof provider_at(b, provider)->attrs);
	for (uint64_t i = 0; i < d->nprobes; i++)
		declare_probe(b, d, provider, &d->probes[i]);
	return true;
}

static bool decl_header(const struct decl *d, size_t size)
{
	const dof_hdr_t *h = d->hdr;

	return size >= sizeof *h && memcmp(h->dofh_ident, DOF_MAG_STRING, 4) == 0 &&
	       h->dofh_filesz >= sizeof *h && h->dofh_filesz <= size &&
	       h->dofh_secsize == sizeof(dof_sec_t) && h->dofh_secoff % 8 == 0 &&
	       h->dofh_secoff <= h->dofh_filesz &&
	       h->dofh_secnum <= (h->dofh_filesz - h->dofh_secoff) / sizeof(dof_sec_t);
}

size_t dofbuild_file_size(const void *dof, size_t left)
{
	const struct decl d = {.dof = dof, .hdr = dof};

	return decl_header(&d, left) ? d.hdr->dofh_filesz : 0;
}

bool dofbuild_has(const void *dof, size_t left, uint32_t type)
{
	const struct decl d = {.dof = dof, .hdr = dof};
	uint64_t size;

	if (!decl_header(&d, left))
		return false;
	for (uint32_t i = 0; i < d.hdr->dofh_secnum; i++)
		if (decl_section(&d, i, type, 1, &size))
			return true;
	return false;
}

size_t dofbuild_declare(struct dofbuild *b, const void *dof, size_t size)
{
	struct decl d = {.dof = dof, .hdr = dof};
	const dof_provider_t *pv;
	uint64_t len;

	if (!decl_header(&d, size))
		return 0;
	for (uint32_t i = 0; i < d.hdr->dofh_secnum; i++) {
		pv = decl_section(&d, i, DOF_SECT_PROVIDER, 4, &len);
		if (pv && (len < offsetof(dof_provider_t, dofpv_prenoffs) ||
			   !declare_provider(b, &d, pv)))
			return 0;
	}
	return d.hdr->dofh_filesz;
}

/* Convert a probe's name to its form in D: "-" for "__". */
static void dashed(char *out, const char *name)
{
	while (*name) {
		if (name[0] == '_' && name[1] == '_') {
			*out++ = '-';
			name += 2;
		} else {
			*out++ = *name++;
		}
	}
	*out = '\0';
}

/*
 * Read the arguments of a record in text form. Text is never damaged, but operands may be unknown.
 */
static bool site_text(struct dofbuild *b, struct site *site, const char *in, size_t len)
{
	dof_argloc_t loc, *to;
	size_t used;

	site->loc = b->locs.used;
	for (; (used = operand_text(b->machine, in, len, NULL, NULL, &loc));
	     in += used, len -= used) {
		if (site->nargs == DTRACE_USDT_MAXARGS)
			return false;
		to = table_add(b, &b->locs, 1, sizeof *to);
		if (!to)
			return true;
		*to = loc;
		site->nargs++;
	}
	return len != 0;
}

/* Read the arguments of a record. Return false if they are damaged. */
static bool site_args(struct dofbuild *b, struct site *site, const uint8_t *in, size_t len,
		      uint64_t address)
{
	dof_argloc_t *loc;
	size_t used;

	site->loc = b->locs.used;
	while (len && *in) {
		loc = table_add(b, &b->locs, 1, sizeof *loc);
		if (!loc)
			return true;
		used = operand_decode(b->machine, in, len, address, loc);
		if (!used || site->nargs == DTRACE_USDT_MAXARGS)
			return false;
		site->nargs++;
		in += used;
		address += used;
		len -= used;
	}
	return len != 0;
}

/* Return the address to which a field refers by its distance. */
static uint64_t named(const struct dofbuild *b, uint64_t address, size_t offset, int32_t distance)
{
	uint64_t at = distance ? address + offset + (int64_t)distance : 0;

	return b->machine->bits == 32 ? (uint32_t)at : at;
}

/* Append a site of a known probe. */
static void site_append(struct dofbuild *b, struct site *site, const char *func)
{
	struct site *new;
	struct provider *pv;

	site->func = func ? string_intern(b, func) : DOF_STRIDX_NONE;
	new = table_add(b, &b->sites, 1, sizeof *new);
	if (!new || b->failed)
		return;
	*new = *site;
	probe_at(b, site->probe)->nsites++;
	pv = provider_at(b, probe_at(b, site->probe)->provider);
	pv->nsites++;
	pv->nlocs += site->nargs;
}

static void site_add(struct dofbuild *b, struct site *site, const char *provider, const char *name,
		     const char *func)
{
	char written[DTRACE_NAMELEN];

	dashed(written, name);
	probe_intern(b, provider_intern(b, provider), written, &site->probe);
	site_append(b, site, func);
}

/* Read the strings and arguments of a record. Return false if they cannot belong to a probe. */
static bool site_read(struct dofbuild *b, const struct dtrace_site_record *r, uint64_t address,
		      const char *func)
{
	const char *end = (const char *)r + r->size, *provider = r->data;
	const char *name = provider + strnlen(provider, end - provider) + 1;
	const char *args = name < end ? name + strnlen(name, end - name) + 1 : end;
	char plain[FUNCTION_SIZE];
	struct site site = {
		.kind = r->kind & ~DTRACE_SITE_TEXT,
		.pc = named(b, address, offsetof(struct dtrace_site_record, pc), r->pc),
		.sema = named(b, address, offsetof(struct dtrace_site_record, sema), r->sema),
	};

	if (args >= end || name - provider > PROVIDER_SIZE || args - name > DTRACE_NAMELEN)
		return false;
	if (r->version != DTRACE_SITE_VERSION || site.kind > DOF_SITE_ISENABLED)
		return false;
	if (r->kind & DTRACE_SITE_TEXT ? !site_text(b, &site, args, end - args)
				       : !site_args(b, &site, (const uint8_t *)args, end - args,
						    address + (args - (const char *)r)))
		return false;
	if (func)
		function_name(func, plain, sizeof plain);
	site_add(b, &site, provider, name, func ? plain : NULL);
	return true;
}

size_t dofbuild_site(struct dofbuild *b, const struct dtrace_site_record *r, size_t left,
		     uint64_t address, const char *func)
{
	uint32_t nlocs = b->locs.used;

	if (left < 4)
		return 0;
	if (!r->size)
		return 4;
	if (r->size > left || r->size % 4 || r->size < sizeof *r)
		return 0;
	if (!site_read(b, r, address, func)) {
		b->locs.used = nlocs;
		b->refused++;
	}
	return r->size;
}

/* Set the probe's types. Each argument is mapped to itself. */
static void probe_types(struct dofbuild *b, struct probe *to, const struct dofbuild_probe *p)
{
	uint8_t *map = table_add(b, &b->map, p->nargs, 1);

	to->map = b->map.used - p->nargs;
	to->nargc = to->xargc = p->nargs;
	for (unsigned int i = 0; i < p->nargs; i++) {
		dof_stridx_t at = string_append(b, p->types[i], strlen(p->types[i]));

		if (i == 0)
			to->nargv = to->xargv = at;
		if (map)
			map[i] = i;
	}
}

static void probe_locs(struct dofbuild *b, struct site *site, const struct dofbuild_probe *p)
{
	dof_argloc_t *locs = table_add(b, &b->locs, p->nargs, sizeof *locs);

	site->loc = b->locs.used - p->nargs;
	if (locs && p->nargs)
		memcpy(locs, p->locs, p->nargs * sizeof *locs);
}

bool dofbuild_probe(struct dofbuild *b, const struct dofbuild_probe *p)
{
	struct site site = {
		.nargs = p->nargs, .kind = DOF_SITE_PROBE, .pc = p->pc, .sema = p->sema};
	char written[DTRACE_NAMELEN];
	struct probe *probe;

	if (p->nargs > DTRACE_USDT_MAXARGS || strlen(p->name) >= sizeof written ||
	    strlen(p->provider) >= PROVIDER_SIZE) {
		b->refused++;
		return false;
	}
	dashed(written, p->name);
	probe = table_add(b, &b->probes, 1, sizeof *probe);
	if (!probe)
		return true;
	site.probe = b->probes.used - 1;
	*probe = (struct probe){.provider = provider_intern(b, p->provider),
				.name = string_intern(b, written)};
	probe_types(b, probe, p);
	probe_locs(b, &site, p);
	if (!b->failed)
		site_append(b, &site, p->func);
	return true;
}

bool dofbuild_add_site(struct dofbuild *b, const struct dofbuild_probe *p)
{
	struct site site = {
		.nargs = p->nargs, .kind = DOF_SITE_PROBE, .pc = p->pc, .sema = p->sema};

	if (p->nargs > DTRACE_USDT_MAXARGS || strlen(p->name) >= DTRACE_NAMELEN ||
	    strlen(p->provider) >= PROVIDER_SIZE) {
		b->refused++;
		return false;
	}
	probe_locs(b, &site, p);
	site_add(b, &site, p->provider, p->name, p->func);
	return true;
}

/* Number the probes with sites within their providers, and sort the sites by provider and probe. */
static void arrange(struct dofbuild *b)
{
	uint32_t next = 0;

	for (uint32_t v = 0; v < b->providers.used; v++) {
		provider_at(b, v)->next = next;
		next += provider_at(b, v)->nsites;
	}
	for (uint32_t i = 0; i < b->probes.used; i++) {
		struct probe *probe = probe_at(b, i);
		struct provider *pv = provider_at(b, probe->provider);

		if (probe->nsites)
			probe->index = pv->nprobes++;
		probe->next = pv->next;
		pv->next += probe->nsites;
	}
	for (uint32_t i = 0; i < b->sites.used; i++)
		b->order[probe_at(b, site_at(b, i)->probe)->next++] = i;
}

static uint64_t align8(uint64_t n)
{
	return (n + 7) & ~7ULL;
}

static uint64_t prsites_size(const struct provider *pv)
{
	return sizeof(dof_prsites_t) +
	       (uint64_t)pv->nsites * (sizeof(dof_siteaddr_t) + sizeof(dof_site_t)) +
	       (uint64_t)pv->nlocs * sizeof(dof_argloc_t);
}

static uint32_t sections(const struct dofbuild *b)
{
	uint32_t n = SECTIONS_SHARED;

	for (uint32_t v = 0; v < b->providers.used; v++)
		n += provider_at(b, v)->nsites ? SECTIONS_PROVIDER : 0;
	return n;
}

size_t dofbuild_size(struct dofbuild *b)
{
	uint64_t size = sizeof(dof_hdr_t) + (uint64_t)sections(b) * sizeof(dof_sec_t) +
			align8(b->strings.used) + align8(b->map.used);

	if (b->failed || !b->sites.used)
		return 0;
	b->order = get_memory(b, b->sites.used, sizeof *b->order);
	if (!b->order)
		return 0;
	arrange(b);
	for (uint32_t v = 0; v < b->providers.used; v++) {
		const struct provider *pv = provider_at(b, v);

		if (pv->nsites)
			size += pv->nprobes * sizeof(dof_probe_t) + prsites_size(pv) +
				align8(sizeof(dof_provider_t));
	}
	return size <= SIZE_MAX / 2 ? size : 0;
}

/* The state of writing the file. */
struct out {
	char *dof;
	uint64_t address;
	uint32_t section; /* the next one */
	uint64_t offset;  /* where its bytes go */
};

/* Begin the next section, of `size` bytes. Return the address to write them to. */
static void *out_section(struct out *o, uint32_t type, uint32_t align, uint32_t entsize,
			 uint64_t size)
{
	dof_sec_t *sec = (dof_sec_t *)(o->dof + sizeof(dof_hdr_t)) + o->section++;
	void *at = o->dof + o->offset;

	*sec = (dof_sec_t){
		.dofs_type = type,
		.dofs_align = align,
		.dofs_flags = type == DOF_SECT_PRSITES ? 0 : DOF_SECF_LOAD,
		.dofs_entsize = entsize,
		.dofs_offset = o->offset,
		.dofs_size = size,
	};
	o->offset += align8(size);
	return at;
}

static void out_header(const struct dofbuild *b, struct out *o)
{
	*(dof_hdr_t *)o->dof = (dof_hdr_t){
		.dofh_ident =
			{
				DOF_MAG_MAG0,
				DOF_MAG_MAG1,
				DOF_MAG_MAG2,
				DOF_MAG_MAG3,
				b->machine->bits == 32 ? DOF_MODEL_ILP32 : DOF_MODEL_LP64,
				DOF_ENCODE_LSB,
				DOF_VERSION,
				DIF_VERSION,
				DIF_DIR_NREGS,
				DIF_DTR_NREGS,
			},
		.dofh_hdrsize = sizeof(dof_hdr_t),
		.dofh_secsize = sizeof(dof_sec_t),
		.dofh_secnum = sections(b),
		.dofh_secoff = sizeof(dof_hdr_t),
	};
	o->offset = sizeof(dof_hdr_t) + (uint64_t)sections(b) * sizeof(dof_sec_t);
}

static void out_shared(const struct dofbuild *b, struct out *o)
{
	memcpy(out_section(o, DOF_SECT_STRTAB, 1, 0, b->strings.used), b->strings.entries,
	       b->strings.used);
	if (b->map.used)
		memcpy(out_section(o, DOF_SECT_PRARGS, 1, 1, b->map.used), b->map.entries,
		       b->map.used);
	else
		out_section(o, DOF_SECT_PRARGS, 1, 1, 0);
	out_section(o, DOF_SECT_PROFFS, 4, sizeof(uint32_t), 0);
}

/* Write the probes of all providers, whose sections exist already. */
static void out_probes(const struct dofbuild *b, struct out *o)
{
	const dof_sec_t *sections = (dof_sec_t *)(o->dof + sizeof(dof_hdr_t));

	for (uint32_t i = 0; i < b->probes.used; i++) {
		const struct probe *p = probe_at(b, i);
		const dof_sec_t *sec = &sections[provider_at(b, p->provider)->section];

		if (!p->nsites)
			continue;
		((dof_probe_t *)(o->dof + sec->dofs_offset))[p->index] = (dof_probe_t){
			.dofpr_name = p->name,
			.dofpr_nargv = p->nargv,
			.dofpr_xargv = p->xargv,
			.dofpr_argidx = p->map,
			.dofpr_nargc = p->nargc,
			.dofpr_xargc = p->xargc,
		};
	}
}

/* Write the operands of arguments. Absolute addresses become relative to the DOF. */
static void out_locs(const struct dofbuild *b, const struct out *o, const struct site *site,
		     dof_argloc_t *to)
{
	for (unsigned int i = 0; i < site->nargs; i++) {
		to[i] = ((const dof_argloc_t *)b->locs.entries)[site->loc + i];
		if (to[i].al_kind == DOF_LOC_MEM && to[i].al_base == DOF_REG_IP)
			to[i].al_disp -= o->address;
	}
}

/* Write the sites of provider v, which begin at *next in the order, and advance *next past them. */
static void out_sites(const struct dofbuild *b, struct out *o, uint32_t v, uint32_t *next)
{
	const struct provider *pv = provider_at(b, v);
	dof_prsites_t *head = out_section(o, DOF_SECT_PRSITES, 8, 0, prsites_size(pv));
	dof_siteaddr_t *addr = (dof_siteaddr_t *)(head + 1);
	dof_site_t *out = (dof_site_t *)(addr + pv->nsites);
	dof_argloc_t *locs = (dof_argloc_t *)(out + pv->nsites);
	uint32_t loc = 0;

	*head = (dof_prsites_t){.ps_nsites = pv->nsites, .ps_nlocs = pv->nlocs};
	for (uint32_t i = 0; i < pv->nsites; i++) {
		const struct site *site = site_at(b, b->order[(*next)++]);

		addr[i].sa_addr = site->pc - o->address;
		addr[i].sa_sema = site->sema ? site->sema - o->address : 0;
		out[i] = (dof_site_t){
			.st_probe = probe_at(b, site->probe)->index,
			.st_func = site->func,
			.st_loc = loc,
			.st_nargs = site->nargs,
			.st_kind = site->kind,
		};
		out_locs(b, o, site, locs + loc);
		loc += site->nargs;
	}
}

static void out_provider(const struct dofbuild *b, struct out *o, uint32_t v, uint32_t *next)
{
	struct provider *pv = provider_at(b, v);
	dof_provider_t *out;

	pv->section = o->section;
	out_section(o, DOF_SECT_PROBES, 8, sizeof(dof_probe_t),
		    (uint64_t)pv->nprobes * sizeof(dof_probe_t));
	out_sites(b, o, v, next);
	out = out_section(o, DOF_SECT_PROVIDER, 4, 0, sizeof *out);
	*out = (dof_provider_t){
		.dofpv_strtab = SECTION_STRTAB,
		.dofpv_probes = pv->section,
		.dofpv_prargs = SECTION_PRARGS,
		.dofpv_proffs = SECTION_PROFFS,
		.dofpv_name = pv->name,
		.dofpv_prenoffs = DOF_SECIDX_NONE,
		.dofpv_prsites = pv->section + 1,
	};
	memcpy(&out->dofpv_provattr, pv->attrs, sizeof pv->attrs);
}

void dofbuild_write(const struct dofbuild *b, void *out, uint64_t address)
{
	struct out o = {.dof = out, .address = address};

	out_header(b, &o);
	out_shared(b, &o);
	for (uint32_t v = 0, next = 0; v < b->providers.used; v++) {
		if (provider_at(b, v)->nsites)
			out_provider(b, &o, v, &next);
	}
	out_probes(b, &o);
	((dof_hdr_t *)out)->dofh_loadsz = ((dof_hdr_t *)out)->dofh_filesz = o.offset;
}
