/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.c - reads the registrations of a process: providers, probes and sites, from DOF of unknown
 * origin.
 *
 * Relocations come first; since they may change any byte, data is checked when it is used and not
 * before. Then providers and probes of the same name are merged: probes are found by a hash of
 * their names, sites are appended to lists in a separate store, and at the end the lists become
 * arrays. Memory is bounded by a multiple of the DOF's size.
 *
 * helper_program.c reads the clauses of dtrace:helper.
 */
#include "dof_read.h"
#include "table.h"
#include "ustack.h"

#define STORE_CHUNK	 (32 * 1024)
#define STORE_FACTOR	 8 /* bytes that a byte of DOF may cost, and a constant */
#define STORE_BASE	 (1024 * 1024)
#define HELPER_MAXPROBES DTRACE_HELPER_MAXSITES /* entries of PROBES, all providers */
#define HELPER_MAXRELOCS (2 * DTRACE_HELPER_MAXSITES)
#define HELPER_MAXCHARS	 (256U << 20) /* of types and functions, each time that one is used */
#define HELPER_PROVNAME	 (DTRACE_PROVNAMELEN - 11) /* a pid follows the name */

struct store_chunk {
	struct store_chunk *next;
	size_t used, size;
	uint64_t data[];
};
/* The account that is charged for the memory of reading, until it ends. */
struct store_charge {
	struct dtrace_account *account; /* NULL: not charged */
	uint64_t bytes;
	bool refused; /* err says why */
	struct dof_err *err;
};
struct store {
	struct store_chunk *chunks;
	struct store_charge *charge;
	uint64_t left; /* bytes that it may still take */
};

/* The results of dtrace_helper_parse, with their memory. */
struct helper_out {
	struct dtrace_helper_dof dof;
	struct store store;
};

struct helper_site_item {
	struct helper_site_item *next;
	struct dtrace_helper_site site;
};

struct helper_probe_item { /* a probe being put together */
	struct helper_probe_item *next;
	struct hnode by_name;
	const struct helper_provider_item *prov;
	struct dtrace_helper_probe probe;
	struct helper_site_item *first, **last;
};

struct helper_provider_item {
	struct helper_provider_item *next;
	struct dtrace_helper_provider prov;
	struct helper_probe_item *first, **last;
};

struct helper_parse {
	struct dof dof;
	uint8_t *buf; /* the DOF, for relocations */
	uint64_t user, base, limit;
	struct dof_err *err;
	struct helper_out *out;
	struct store_charge charge;
	struct store work; /* items */
	struct htable probes;
	struct helper_provider_item *first, **last;
	/* Sections may be used many times over: these bound the work. */
	uint64_t allprobes, allrelocs, allchars;
	/* of the provider that is being read */
	uint32_t section;
	dof_provider_t pv;
	dof_sec_t strtab, sec_probes;
	struct helper_provider_item *prov;
	struct helper_probe_item **items; /* by index in PROBES */
	uint64_t nprobes;
	dof_stridx_t func_index; /* the function name that was copied last */
	const char *func;
};

#define REFUSE(h, fmt, ...) \
	ERR((h)->err, -EINVAL, "DOF section %u (PROVIDER): " fmt, (h)->section, __VA_ARGS__)

/* ---- memory ---- */

/*
 * Charge n bytes to the account, if there is one. Return false with the reason in c->err if the
 * user may not have so much.
 */
static bool store_take(struct store_charge *c, uint64_t n)
{
	if (c->account &&
	    dtrace_account_charge(c->account, DTRACE_RES_BYTES, n, c->err->msg, c->err->len) != 0) {
		c->refused = true;
		return false;
	}
	c->bytes += n;
	return true;
}

/* Give n charged bytes back. */
static void store_give(struct store_charge *c, uint64_t n)
{
	if (c->account)
		dtrace_account_uncharge(c->account, DTRACE_RES_BYTES, n);
	c->bytes -= n;
}

/*
 * Return n bytes of zeros, aligned to 8, that last as long as the store; NULL without memory, or if
 * the store has reached its limit or the account refuses.
 */
static void *store_alloc(struct store *s, size_t n)
{
	struct store_chunk *p = s->chunks;
	size_t size = n > STORE_CHUNK ? n : STORE_CHUNK;

	n = (n + 7) & ~(size_t)7;
	if (!p || n > p->size - p->used) {
		if (size + sizeof(*p) > s->left || !store_take(s->charge, size + sizeof(*p)))
			return NULL;
		p = port_alloc(sizeof(*p) + size + 8);
		if (!p)
			return NULL;
		s->left -= size + sizeof(*p);
		p->size = size + 8;
		p->next = s->chunks;
		s->chunks = p;
	}
	p->used += n;
	return (uint8_t *)p->data + p->used - n;
}

/* Free all memory of a store. Its charge is the caller's to give back. */
static void store_free(struct store *s)
{
	struct store_chunk *p;

	while ((p = s->chunks)) {
		s->chunks = p->next;
		port_free(p);
		port_relax(); /* there may be thousands; all of them must go */
	}
}

/* Set the reason why an allocation has failed, and return the error: -EDQUOT or -ENOMEM. */
static int helper_no_memory(struct helper_parse *h)
{
	if (h->charge.refused)
		return -EDQUOT;
	return ERR(h->err, -ENOMEM,
		   "no memory for the probes of a DOF of %llu bytes, or they take too much for its "
		   "size",
		   (unsigned long long)h->dof.size);
}

/* Return a copy of n characters, with a NUL, in the memory of the result; NULL without memory. */
static char *helper_copy(struct helper_parse *h, const char *s, size_t n)
{
	char *copy = store_alloc(&h->out->store, n + 1);

	if (copy)
		memcpy(copy, s, n);
	return copy;
}

/* ---- relocations ---- */

/*
 * Carry out one relocation in the copy of the DOF. target: the section that it changes. -EINVAL
 * with a message.
 */
static int helper_relocate_one(struct helper_parse *h, uint32_t index, const dof_sec_t *target,
			       const dof_relodesc_t *r)
{
	uint64_t value, at = target->dofs_offset + r->dofr_offset;

	if (r->dofr_type == DOF_RELO_NONE)
		return 0;
	if (r->dofr_type > DOF_RELO_DOFREL)
		return ERR(h->err, -EINVAL,
			   "DOF section %u (URELHDR): relocation type %u is unknown", index,
			   r->dofr_type);
	if (r->dofr_offset > target->dofs_size ||
	    target->dofs_size - r->dofr_offset < sizeof(value))
		return ERR(h->err, -EINVAL,
			   "DOF section %u (URELHDR): relocation at %llu passes the target's %llu "
			   "bytes",
			   index, (unsigned long long)r->dofr_offset,
			   (unsigned long long)target->dofs_size);
	memcpy(&value, h->buf + at, sizeof(value));
	value += r->dofr_type == DOF_RELO_SETX ? h->base + r->dofr_data : h->user + at;
	memcpy(h->buf + at, &value, sizeof(value));
	return 0;
}

/*
 * Carry out the relocations of the URELHDR section with that index. -EINVAL or -E2BIG with a
 * message. -EINTR.
 */
static int helper_relocate_section(struct helper_parse *h, uint32_t index)
{
	dof_sec_t sec, table, target;
	dof_relohdr_t hdr;
	dof_relodesc_t r;
	int rc = dof_section(&h->dof, index, DOF_SECT_URELHDR, sizeof(hdr), &sec);

	if (rc)
		return rc;
	memcpy(&hdr, h->buf + sec.dofs_offset, sizeof(hdr));
	rc = dof_section(&h->dof, hdr.dofr_relsec, DOF_SECT_RELTAB, 0, &table);
	if (rc)
		return rc;
	if (hdr.dofr_tgtsec >= h->dof.hdr.dofh_secnum)
		return ERR(h->err, -EINVAL,
			   "DOF section %u (URELHDR): there is no target section %u", index,
			   hdr.dofr_tgtsec);
	dof_section_any(&h->dof, hdr.dofr_tgtsec, &target);
	rc = dof_section(&h->dof, hdr.dofr_tgtsec, target.dofs_type, 0, &target);
	/*
	 * An entry may change any byte, the header of this very table included. So the table's
	 * offset and size are read again after each entry, and entries are counted as they are
	 * carried out.
	 */
	for (uint64_t i = 0; !rc && i < dof_entries(&table, sizeof(r)); i++) {
		if (++h->allrelocs > HELPER_MAXRELOCS)
			return ERR(h->err, -E2BIG, "DOF: more than %u relocations",
				   HELPER_MAXRELOCS);
		rc = relax_at(i);
		if (rc)
			break;
		dof_entry(&h->dof, &table, i, &r, sizeof(r));
		rc = helper_relocate_one(h, index, &target, &r);
		if (!rc)
			rc = dof_section(&h->dof, hdr.dofr_relsec, DOF_SECT_RELTAB, 0, &table);
	}
	return rc;
}

/* Carry out all relocations of the DOF. Errors as for a section. */
static int helper_relocate(struct helper_parse *h)
{
	dof_sec_t sec;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < h->dof.hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		dof_section_any(&h->dof, i, &sec);
		if (!rc && sec.dofs_type == DOF_SECT_URELHDR && sec.dofs_flags & DOF_SECF_LOAD)
			rc = helper_relocate_section(h, i);
	}
	return rc;
}

/* ---- names ---- */

bool dtrace_is_control(const char *s)
{
	unsigned char c = (unsigned char)s[0], next = c ? (unsigned char)s[1] : 0;

	return c < ' ' || c == 0x7f || (c == 0xc2 && next >= 0x80 && next < 0xa0);
}

static bool helper_name_valid(const char *s, size_t n, bool identifier)
{
	for (size_t i = 0; i < n; i++) {
		char c = s[i];
		bool word = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
			    (c >= '0' && c <= '9');

		if (identifier ? !(word && (i || c > '9'))
			       : (c == ' ' || c == ':' || dtrace_is_control(s + i)))
			return false;
	}
	return n != 0;
}

/* Return whether a name may be a function's. Names of C++ functions have blanks and colons. */
static bool helper_func_valid(const char *s)
{
	for (; *s; s++)
		if (dtrace_is_control(s))
			return false;
	return true;
}

/*
 * Replace control characters by question marks: text of unprivileged users ends up on root's
 * terminal, in lists and messages.
 */
static void helper_clean(char *s)
{
	for (; *s; s++)
		if (dtrace_is_control(s))
			*s = '?';
}

/* Return a string of the provider's STRTAB that is shorter than max and a valid name. */
static int helper_string(struct helper_parse *h, dof_stridx_t index, const char *what, size_t max,
			 bool identifier, const char **s)
{
	*s = dof_string(&h->dof, &h->strtab, index);
	if (!*s)
		return REFUSE(h, "%s: there is no string at %u", what, index);
	if (strlen(*s) >= max)
		return REFUSE(h, "%s: longer than %u characters", what, (unsigned int)max - 1);
	if (!helper_name_valid(*s, strlen(*s), identifier))
		return REFUSE(h, "%s: \"%.64s\" is not a valid name", what, *s);
	return 0;
}

/* Return a string of any length at an offset of the provider's STRTAB. */
static int helper_text(struct helper_parse *h, uint64_t at, const char *what, const char **s,
		       size_t *n)
{
	*s = dof_string(&h->dof, &h->strtab, at);
	if (!*s)
		return REFUSE(h, "%s: there is no string at %llu", what, (unsigned long long)at);
	*n = strlen(*s);
	h->allchars += *n;
	if (h->allchars > HELPER_MAXCHARS)
		return ERR(h->err, -E2BIG, "DOF: more than %u characters of types and functions",
			   HELPER_MAXCHARS);
	return *n < DTRACE_FUNCNAMELEN ? 0 : port_relax();
}

/* Return FNV-1a of a name. A cut name ends with it, so that it is always the same. */
static uint32_t helper_name_hash(const char *s, size_t n)
{
	uint32_t h = 2166136261U;

	while (n--)
		h = (h ^ (uint8_t)*s++) * 16777619U;
	return hash_int(h);
}

/* Return the name of a function. A name that is too long is cut, and a hash makes it unique. */
static int helper_func(struct helper_parse *h, dof_stridx_t index, const char **func)
{
	const char *s;
	size_t n;
	char *copy;
	int rc;

	if (h->func && h->func_index == index) {
		*func = h->func;
		return 0;
	}
	rc = helper_text(h, index, "function name", &s, &n);
	if (rc)
		return rc;
	copy = helper_copy(h, s, n < DTRACE_FUNCNAMELEN ? n : DTRACE_FUNCNAMELEN - 1);
	if (!copy)
		return helper_no_memory(h);
	if (n >= DTRACE_FUNCNAMELEN)
		snprintf(copy + DTRACE_FUNCNAMELEN - 10, 10, "~%08x", helper_name_hash(s, n));
	if (!helper_func_valid(copy))
		return REFUSE(h, "function name: \"%.64s\" is not a valid name", copy);
	h->func = *func = copy;
	h->func_index = index;
	return 0;
}

/* Return a probe's name with - for __; s is shorter than DTRACE_NAMELEN. */
static void helper_probe_name(const char *s, char name[DTRACE_NAMELEN])
{
	for (; *s; s++) {
		bool dash = s[0] == '_' && s[1] == '_';

		*name++ = dash ? '-' : *s;
		s += dash;
	}
	*name = '\0';
}

/* ---- arguments ---- */

/* Read n consecutive strings. */
static int helper_types(struct helper_parse *h, dof_stridx_t index, uint8_t n,
			const char *const **out)
{
	const char **types = store_alloc(&h->out->store, n * sizeof(*types));
	uint64_t at = index;

	if (!types)
		return helper_no_memory(h);
	for (uint8_t i = 0; i < n; i++) {
		const char *s;
		char *type;
		size_t len;
		int rc = helper_text(h, at, "argument type", &s, &len);

		if (rc)
			return rc;
		at += len + 1;
		len = len < DTRACE_ARGTYPELEN ? len : DTRACE_ARGTYPELEN - 1;
		type = helper_copy(h, s, len);
		if (!type)
			return helper_no_memory(h);
		helper_clean(type);
		types[i] = type;
	}
	*out = types;
	return 0;
}

/* Read the native argument of each translated argument. */
static int helper_map(struct helper_parse *h, const dof_probe_t *dp, uint8_t *map)
{
	dof_sec_t sec;
	int rc = dof_section(&h->dof, h->pv.dofpv_prargs, DOF_SECT_PRARGS, 0, &sec);

	if (rc)
		return rc;
	if ((uint64_t)dp->dofpr_argidx + dp->dofpr_xargc > sec.dofs_size)
		return REFUSE(h, "arguments %u to %u pass the %llu bytes of PRARGS",
			      dp->dofpr_argidx, dp->dofpr_argidx + dp->dofpr_xargc,
			      (unsigned long long)sec.dofs_size);
	memcpy(map, h->buf + sec.dofs_offset + dp->dofpr_argidx, dp->dofpr_xargc);
	for (uint8_t i = 0; i < dp->dofpr_xargc; i++)
		if (map[i] >= dp->dofpr_nargc)
			return REFUSE(h, "argument %u is made of native argument %u, there are %u",
				      i, map[i], dp->dofpr_nargc);
	return 0;
}

/*
 * Read the arguments of a probe. Without translated arguments, native ones mean the declaration ":
 * ()".
 */
static int helper_args(struct helper_parse *h, const dof_probe_t *dp, struct dtrace_helper_probe *p)
{
	uint8_t *map;
	int rc = 0;

	if (dp->dofpr_nargc > DTRACE_USDT_MAXARGS || dp->dofpr_xargc > DTRACE_USDT_MAXARGS)
		return REFUSE(h, "probe %s: %u native and %u translated arguments, allowed are %u",
			      p->name, dp->dofpr_nargc, dp->dofpr_xargc, DTRACE_USDT_MAXARGS);
	p->nargs = dp->dofpr_nargc;
	p->nxargs = dp->dofpr_xargc;
	if (p->nargs)
		rc = helper_types(h, dp->dofpr_nargv, p->nargs, &p->nargv);
	if (rc || !p->nxargs)
		return rc;
	map = store_alloc(&h->out->store, p->nxargs);
	if (!map)
		return helper_no_memory(h);
	p->map = map;
	rc = helper_map(h, dp, map);
	return rc ? rc : helper_types(h, dp->dofpr_xargv, p->nxargs, &p->xargv);
}

/* ---- probes ---- */

/* Return the probe of that name of the provider being read, or NULL. hash: of name and provider. */
static struct helper_probe_item *helper_find(struct helper_parse *h, const char *name,
					     uint32_t hash)
{
	for (struct hnode *n = htable_first(&h->probes, hash); n; n = htable_next(n)) {
		struct helper_probe_item *it = link_entry(n, struct helper_probe_item, by_name);

		if (it->prov == h->prov && !strcmp(it->probe.name, name))
			return it;
	}
	return NULL;
}

/* Add a probe to the provider being read. NULL without memory. */
static struct helper_probe_item *helper_new_probe(struct helper_parse *h, const char *name,
						  uint32_t hash)
{
	struct helper_probe_item *it = store_alloc(&h->work, sizeof(*it));

	if (!it || !store_take(&h->charge, HTABLE_ENTRY))
		return NULL;
	it->probe.name = helper_copy(h, name, strlen(name));
	if (!it->probe.name || htable_insert(&h->probes, &it->by_name, hash) != 0)
		return NULL;
	it->prov = h->prov;
	it->last = &it->first;
	*h->prov->last = it;
	h->prov->last = &it->next;
	h->prov->prov.nprobes++;
	return it;
}

/*
 * Read entry i of the provider's PROBES. Version 1 of the format has no offsets of is-enabled
 * sites.
 */
static void helper_get_probe(const struct helper_parse *h, uint64_t i, dof_probe_t *dp)
{
	dof_entry(&h->dof, &h->sec_probes, i, dp, sizeof(*dp));
	if (h->dof.hdr.dofh_ident[DOF_ID_VERSION] < DOF_VERSION_2 ||
	    h->pv.dofpv_prenoffs == DOF_SECIDX_NONE)
		dp->dofpr_nenoffs = 0;
}

/*
 * Read probe i of the provider: its name and arguments. Entries of one name are one probe, whose
 * arguments are those of the first entry that has any. -EINVAL, -ENOMEM or -EDQUOT with a message.
 */
static int helper_read_probe(struct helper_parse *h, uint64_t i)
{
	struct helper_probe_item *it;
	char name[DTRACE_NAMELEN];
	const char *s;
	dof_probe_t dp;
	uint32_t hash;
	int rc;

	helper_get_probe(h, i, &dp);
	rc = helper_string(h, dp.dofpr_name, "probe name", DTRACE_NAMELEN, false, &s);
	if (rc)
		return rc;
	helper_probe_name(s, name);
	hash = (uint32_t)hash_bytes(name, strlen(name), (uintptr_t)h->prov);
	it = helper_find(h, name, hash);
	if (!it)
		it = helper_new_probe(h, name, hash);
	if (!it)
		return helper_no_memory(h);
	h->items[i] = it;
	return it->probe.nargs ? 0 : helper_args(h, &dp, &it->probe);
}

/* ---- sites ---- */

/*
 * Add a copy of a site to a probe, after a check of its addresses. -EINVAL, -E2BIG, -ENOMEM or
 * -EDQUOT with a message.
 */
static int helper_add_site(struct helper_parse *h, struct helper_probe_item *it,
			   const struct dtrace_helper_site *site)
{
	struct helper_site_item *si;

	if (!site->addr || site->addr >= h->limit || (site->sema && site->sema > h->limit - 2))
		return REFUSE(h,
			      "probe %s: site 0x%llx or semaphore 0x%llx is not an address of the "
			      "process",
			      it->probe.name, (unsigned long long)site->addr,
			      (unsigned long long)site->sema);
	if (++h->out->dof.nsites > DTRACE_HELPER_MAXSITES)
		return ERR(h->err, -E2BIG, "DOF: more than %u sites", DTRACE_HELPER_MAXSITES);
	si = store_alloc(&h->work, sizeof(*si));
	if (!si)
		return helper_no_memory(h);
	si->site = *site;
	*it->last = si;
	it->last = &si->next;
	it->probe.nsites++;
	return 0;
}

/* Make classic sites of n offsets of a table from first on, relative to the probe's address. */
static int helper_offsets(struct helper_parse *h, uint64_t i, const dof_probe_t *dp, bool isenabled)
{
	uint32_t first = isenabled ? dp->dofpr_enoffidx : dp->dofpr_offidx;
	uint32_t n = isenabled ? dp->dofpr_nenoffs : dp->dofpr_noffs;
	uint32_t type = isenabled ? DOF_SECT_PRENOFFS : DOF_SECT_PROFFS, offset;
	struct dtrace_helper_site site = {.isenabled = isenabled};
	dof_sec_t sec;
	int rc;

	if (!n)
		return 0;
	rc = dof_section(&h->dof, isenabled ? h->pv.dofpv_prenoffs : h->pv.dofpv_proffs, type, 0,
			 &sec);
	if (rc)
		return rc;
	if ((uint64_t)first + n > sec.dofs_size / sizeof(offset))
		return REFUSE(h, "probe %s: offsets %u to %llu pass the table of %llu",
			      h->items[i]->probe.name, first, (unsigned long long)first + n,
			      (unsigned long long)sec.dofs_size / sizeof(offset));
	rc = helper_func(h, dp->dofpr_func, &site.func);
	for (uint32_t k = 0; !rc && k < n; k++) {
		rc = relax_at(k);
		if (rc)
			break;
		memcpy(&offset, h->buf + sec.dofs_offset + ((uint64_t)first + k) * sizeof(offset),
		       sizeof(offset));
		site.addr = dp->dofpr_addr + offset;
		rc = helper_add_site(h, h->items[i], &site);
	}
	return rc;
}

/* Read the sites of a provider without PRSITES: offsets from each probe's address. */
static int helper_classic_sites(struct helper_parse *h)
{
	dof_probe_t dp;
	int rc = 0;

	for (uint64_t i = 0; !rc && i < h->nprobes; i++) {
		helper_get_probe(h, i, &dp);
		rc = relax_at(i);
		if (!rc)
			rc = helper_offsets(h, i, &dp, false);
		if (!rc)
			rc = helper_offsets(h, i, &dp, true);
	}
	return rc;
}

/* Return whether a number names a register of the program's machine. */
static bool helper_reg_valid(const struct helper_parse *h, uint8_t reg)
{
	return reg < (h->out->dof.model == DOF_MODEL_ILP32 ? DOF_REG_R8 : DOF_REG_R15 + 1);
}

/* Return whether an argument or a scale may have n bytes. */
static bool helper_size_valid(uint8_t n)
{
	return n == 1 || n == 2 || n == 4 || n == 8;
}

/* Return whether base, index and scale of an operand in memory are valid. */
static bool helper_mem_valid(const struct helper_parse *h, const dof_argloc_t *l)
{
	bool base = helper_reg_valid(h, l->al_base) || l->al_base == DOF_REG_NONE ||
		    l->al_base == DOF_REG_IP;

	if (l->al_index == DOF_REG_NONE)
		return base;
	return base && helper_reg_valid(h, l->al_index) && helper_size_valid(l->al_scale);
}

/* Return whether the operand of an argument is valid for the program's machine. */
static bool helper_loc_valid(const struct helper_parse *h, const dof_argloc_t *l)
{
	if (l->al_flags & ~(DOF_LOCF_SIGNED | DOF_LOCF_FLOAT | DOF_LOCF_HIGHBYTE | DOF_LOCF_TLS) ||
	    (l->al_flags & DOF_LOCF_TLS && l->al_kind != DOF_LOC_MEM))
		return false;
	if (l->al_kind != DOF_LOC_NONE && !helper_size_valid(l->al_size))
		return false;
	switch (l->al_kind) {
	case DOF_LOC_NONE:
	case DOF_LOC_CONST:
		return true;
	case DOF_LOC_REG:
		return helper_reg_valid(h, l->al_base) &&
		       (!(l->al_flags & DOF_LOCF_HIGHBYTE) ||
			(l->al_base <= DOF_REG_BX && l->al_size == 1));
	case DOF_LOC_MEM:
		return helper_mem_valid(h, l);
	case DOF_LOC_XMM:
		return l->al_base < 16;
	case DOF_LOC_PAIR:
		return h->out->dof.model == DOF_MODEL_ILP32 && l->al_size == 8 &&
		       helper_reg_valid(h, l->al_base) && helper_reg_valid(h, l->al_index);
	default:
		return false;
	}
}

/* A PRSITES section, as far as its counts say. */
struct helper_prsites {
	const uint8_t *addrs, *sites, *locs;
	uint32_t nsites, nlocs;
};

/*
 * Find the three tables of the provider's PRSITES section, and check that they lie in it. -EINVAL
 * with a message.
 */
static int helper_open_prsites(struct helper_parse *h, struct helper_prsites *ps)
{
	dof_sec_t sec;
	dof_prsites_t hdr;
	uint64_t need;
	int rc = dof_section(&h->dof, h->pv.dofpv_prsites, DOF_SECT_PRSITES, sizeof(hdr), &sec);

	if (rc)
		return rc;
	memcpy(&hdr, h->buf + sec.dofs_offset, sizeof(hdr));
	need = sizeof(hdr) +
	       (uint64_t)hdr.ps_nsites * (sizeof(dof_siteaddr_t) + sizeof(dof_site_t)) +
	       (uint64_t)hdr.ps_nlocs * sizeof(dof_argloc_t);
	if (need > sec.dofs_size)
		return REFUSE(h, "%u sites and %u locations need %llu bytes, PRSITES has %llu",
			      hdr.ps_nsites, hdr.ps_nlocs, (unsigned long long)need,
			      (unsigned long long)sec.dofs_size);
	ps->nsites = hdr.ps_nsites;
	ps->nlocs = hdr.ps_nlocs;
	ps->addrs = h->buf + sec.dofs_offset + sizeof(hdr);
	ps->sites = ps->addrs + (uint64_t)ps->nsites * sizeof(dof_siteaddr_t);
	ps->locs = ps->sites + (uint64_t)ps->nsites * sizeof(dof_site_t);
	return 0;
}

/* Read the operands of a site's arguments; those relative to the DOF become absolute. */
static int helper_locs(struct helper_parse *h, const struct helper_prsites *ps, uint32_t nth,
		       const dof_site_t *st, struct dtrace_helper_site *site)
{
	dof_argloc_t *locs;

	if (st->st_nargs > DTRACE_USDT_MAXARGS || (uint64_t)st->st_loc + st->st_nargs > ps->nlocs)
		return REFUSE(h, "site %u: locations %u and %u more pass the %u there are", nth,
			      st->st_loc, st->st_nargs, ps->nlocs);
	locs = store_alloc(&h->out->store, (st->st_nargs + 1) * sizeof(*locs));
	if (!locs)
		return helper_no_memory(h);
	if (st->st_nargs)
		memcpy(locs, ps->locs + (uint64_t)st->st_loc * sizeof(*locs),
		       st->st_nargs * sizeof(*locs));
	for (uint8_t i = 0; i < st->st_nargs; i++) {
		if (!helper_loc_valid(h, &locs[i]))
			return REFUSE(h,
				      "site %u: location of argument %u (kind %u, size %u, "
				      "register %u) is not valid",
				      nth, i, locs[i].al_kind, locs[i].al_size, locs[i].al_base);
		if (locs[i].al_kind == DOF_LOC_MEM && locs[i].al_base == DOF_REG_IP) {
			locs[i].al_base = DOF_REG_NONE;
			locs[i].al_disp = (int64_t)(h->user + (uint64_t)locs[i].al_disp);
		}
	}
	site->locs = locs;
	site->nlocs = st->st_nargs;
	return 0;
}

/* Read site i of a PRSITES section, with its function and its operands, and add it to its probe. */
static int helper_read_site(struct helper_parse *h, const struct helper_prsites *ps, uint32_t i)
{
	struct dtrace_helper_site site = {0};
	dof_siteaddr_t sa;
	dof_probe_t dp;
	dof_site_t st;
	int rc;

	memcpy(&sa, ps->addrs + (uint64_t)i * sizeof(sa), sizeof(sa));
	memcpy(&st, ps->sites + (uint64_t)i * sizeof(st), sizeof(st));
	if (st.st_probe >= h->nprobes)
		return REFUSE(h, "site %u: is of probe %u, there are %llu", i, st.st_probe,
			      (unsigned long long)h->nprobes);
	if (st.st_kind > DOF_SITE_ISENABLED)
		return REFUSE(h, "site %u: kind %u is unknown", i, st.st_kind);
	site.addr = h->user + (uint64_t)sa.sa_addr;
	site.sema = sa.sa_sema ? h->user + (uint64_t)sa.sa_sema : 0;
	site.isenabled = st.st_kind == DOF_SITE_ISENABLED;
	helper_get_probe(h, st.st_probe, &dp);
	rc = helper_func(h, st.st_func == DOF_STRIDX_NONE ? dp.dofpr_func : st.st_func, &site.func);
	if (!rc)
		rc = helper_locs(h, ps, i, &st, &site);
	return rc ? rc : helper_add_site(h, h->items[st.st_probe], &site);
}

/* Read all sites of the provider's PRSITES section. */
static int helper_recorded_sites(struct helper_parse *h)
{
	struct helper_prsites ps;
	int rc = helper_open_prsites(h, &ps);

	for (uint32_t i = 0; !rc && i < ps.nsites; i++) {
		rc = relax_at(i);
		if (!rc)
			rc = helper_read_site(h, &ps, i);
	}
	return rc;
}

/* ---- providers ---- */

/* Return an attribute of the DOF; values that are not known become 0, the least stability. */
static dtrace_attribute_t helper_attr(dof_attr_t a)
{
	dtrace_attribute_t attr = {(uint8_t)DOF_ATTR_NAME(a), (uint8_t)DOF_ATTR_DATA(a),
				   (uint8_t)DOF_ATTR_CLASS(a)};

	attr.dtat_name = attr.dtat_name > DTRACE_STABILITY_MAX ? 0 : attr.dtat_name;
	attr.dtat_data = attr.dtat_data > DTRACE_STABILITY_MAX ? 0 : attr.dtat_data;
	attr.dtat_class = attr.dtat_class > DTRACE_CLASS_MAX ? 0 : attr.dtat_class;
	return attr;
}

/* Set the attributes of a provider from the DOF. */
static void helper_attrs(const dof_provider_t *pv, dtrace_pattr_t *attr)
{
	attr->dtpa_provider = helper_attr(pv->dofpv_provattr);
	attr->dtpa_mod = helper_attr(pv->dofpv_modattr);
	attr->dtpa_func = helper_attr(pv->dofpv_funcattr);
	attr->dtpa_name = helper_attr(pv->dofpv_nameattr);
	attr->dtpa_args = helper_attr(pv->dofpv_argsattr);
}

/*
 * Set h->prov to the provider being read. Several PROVIDER sections of one name are one provider.
 */
static int helper_get_provider(struct helper_parse *h)
{
	struct helper_provider_item *p;
	const char *name;
	int rc = helper_string(h, h->pv.dofpv_name, "provider name", HELPER_PROVNAME, true, &name);

	if (rc)
		return rc;
	for (p = h->first; p && strcmp(p->prov.name, name) != 0; p = p->next)
		;
	h->prov = p;
	if (p)
		return 0;
	if (++h->out->dof.nproviders > DTRACE_HELPER_MAXPROVS)
		return ERR(h->err, -E2BIG, "DOF: more than %u providers", DTRACE_HELPER_MAXPROVS);
	h->prov = p = store_alloc(&h->work, sizeof(*p));
	if (!p)
		return helper_no_memory(h);
	p->prov.name = helper_copy(h, name, strlen(name));
	helper_attrs(&h->pv, &p->prov.attr);
	p->last = &p->first;
	*h->last = p;
	h->last = &p->next;
	return p->prov.name ? 0 : helper_no_memory(h);
}

/*
 * Read the provider's own section, which had 40 bytes at first, later is-enabled offsets, and later
 * sites.
 */
static int helper_open_provider(struct helper_parse *h, uint32_t index)
{
	dof_sec_t sec;
	int rc = dof_section(&h->dof, index, DOF_SECT_PROVIDER,
			     offsetof(dof_provider_t, dofpv_prenoffs), &sec);

	if (rc)
		return rc;
	h->section = index;
	h->func = NULL;
	memset(&h->pv, 0xff, sizeof(h->pv)); /* DOF_SECIDX_NONE for what it does not have */
	memcpy(&h->pv, h->buf + sec.dofs_offset,
	       sec.dofs_size < sizeof(h->pv) ? sec.dofs_size : sizeof(h->pv));
	if (sec.dofs_size < sizeof(h->pv))
		h->pv.dofpv_prsites = DOF_SECIDX_NONE;
	if (sec.dofs_size < offsetof(dof_provider_t, dofpv_prsites))
		h->pv.dofpv_prenoffs = DOF_SECIDX_NONE;
	rc = dof_section(&h->dof, h->pv.dofpv_strtab, DOF_SECT_STRTAB, 1, &h->strtab);
	if (!rc)
		rc = dof_section(&h->dof, h->pv.dofpv_probes, DOF_SECT_PROBES, 0, &h->sec_probes);
	if (!rc && h->sec_probes.dofs_entsize &&
	    h->sec_probes.dofs_entsize < offsetof(dof_probe_t, dofpr_enoffidx))
		return REFUSE(h, "entries of %u bytes in PROBES are too small",
			      h->sec_probes.dofs_entsize);
	return rc;
}

/* Read the PROVIDER section with that index: its probes and their sites. */
static int helper_read_provider(struct helper_parse *h, uint32_t index)
{
	uint64_t bytes;
	int rc = helper_open_provider(h, index);

	if (!rc)
		rc = helper_get_provider(h);
	if (rc)
		return rc;
	h->nprobes = dof_entries(&h->sec_probes, sizeof(dof_probe_t));
	h->allprobes += h->nprobes;
	if (h->allprobes > HELPER_MAXPROBES)
		return ERR(h->err, -E2BIG, "DOF: more than %u probes", HELPER_MAXPROBES);
	bytes = (h->nprobes + 1) * sizeof(h->items[0]);
	if (!store_take(&h->charge, bytes))
		return helper_no_memory(h);
	h->items = port_alloc(bytes);
	if (!h->items)
		return helper_no_memory(h);
	for (uint64_t i = 0; !rc && i < h->nprobes; i++) {
		rc = relax_at(i);
		if (!rc)
			rc = helper_read_probe(h, i);
	}
	if (!rc)
		rc = h->pv.dofpv_prsites == DOF_SECIDX_NONE ? helper_classic_sites(h)
							    : helper_recorded_sites(h);
	port_free(h->items);
	store_give(&h->charge, bytes);
	h->items = NULL;
	return rc;
}

/* Read all PROVIDER sections of the DOF. -E2BIG with a message if there are too many. */
static int helper_read_providers(struct helper_parse *h)
{
	uint32_t n = 0;
	dof_sec_t sec;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < h->dof.hdr.dofh_secnum; i++) {
		rc = relax_at(i);
		if (rc)
			break;
		dof_section_any(&h->dof, i, &sec);
		if (sec.dofs_type != DOF_SECT_PROVIDER || !(sec.dofs_flags & DOF_SECF_LOAD))
			continue;
		if (++n > DTRACE_HELPER_MAXPROVS)
			return ERR(h->err, -E2BIG, "DOF: more than %u providers",
				   DTRACE_HELPER_MAXPROVS);
		rc = helper_read_provider(h, i);
	}
	return rc;
}

/* ---- from lists to arrays ---- */

/* Make the probe of what was read; it has at least one site. The first site names its function. */
static int helper_finish_probe(struct helper_parse *h, const struct helper_probe_item *it,
			       struct dtrace_helper_probe *out)
{
	uint32_t n = 0;
	int rc = 0;

	*out = it->probe;
	out->sites = store_alloc(&h->out->store, it->probe.nsites * sizeof(*out->sites));
	if (!out->sites)
		return helper_no_memory(h);
	for (const struct helper_site_item *si = it->first; !rc && si; si = si->next) {
		rc = relax_at(n);
		out->sites[n++] = si->site;
		if (si->site.nlocs > out->nlocs)
			out->nlocs = si->site.nlocs;
	}
	out->func = out->sites[0].func;
	return rc;
}

/* Make the provider of what was read. Probes without a site are left out. */
static int helper_finish_provider(struct helper_parse *h, const struct helper_provider_item *p,
				  struct dtrace_helper_provider *out)
{
	int rc = 0;

	*out = p->prov;
	out->nprobes = 0;
	out->probes = store_alloc(&h->out->store, (p->prov.nprobes + 1) * sizeof(*out->probes));
	if (!out->probes)
		return helper_no_memory(h);
	for (const struct helper_probe_item *it = p->first; !rc && it; it = it->next)
		if (it->first)
			rc = helper_finish_probe(h, it, &out->probes[out->nprobes++]);
	return rc;
}

/* Make the array of providers of what was read. */
static int helper_finish(struct helper_parse *h)
{
	struct dtrace_helper_dof *d = &h->out->dof;
	uint32_t n = 0;
	int rc = 0;

	d->providers = store_alloc(&h->out->store, (d->nproviders + 1) * sizeof(*d->providers));
	if (!d->providers)
		return helper_no_memory(h);
	for (const struct helper_provider_item *p = h->first; !rc && p; p = p->next)
		rc = helper_finish_provider(h, p, &d->providers[n++]);
	return rc;
}

/* Read the clauses of a ustack helper, if the DOF has any, and charge their memory. */
static int helper_read_program(struct helper_parse *h)
{
	uint64_t bytes = 0;
	int rc;

	/* before its size is known, as if it were of the largest */
	if (helper_program_any(&h->dof) && !store_take(&h->charge, DTRACE_UHELP_MAXBYTES))
		return helper_no_memory(h);
	rc = helper_program_read(&h->dof, &h->out->dof.program, &bytes);
	h->out->dof.bytes += bytes;
	if (!rc && h->out->dof.program)
		h->out->dof.program->data = h->base;
	return rc;
}

/*
 * Read a DOF of size bytes in h->buf: relocate it, read providers and clauses, and make the result.
 */
static int helper_parse(struct helper_parse *h, size_t size)
{
	int rc = dof_open(&h->dof, h->buf, size, h->err);

	if (rc)
		return rc;
	h->out->dof.user = h->user;
	h->out->dof.model = h->dof.hdr.dofh_ident[DOF_ID_MODEL];
	if (h->out->dof.model == DOF_MODEL_ILP32 && h->limit > 1ULL << 32)
		h->limit = 1ULL << 32;
	rc = helper_relocate(h);
	if (!rc)
		rc = helper_read_providers(h);
	if (!rc)
		rc = helper_read_program(h);
	return rc ? rc : helper_finish(h);
}

int dtrace_helper_parse(void *buf, size_t size, uint64_t user, uint64_t base, uint64_t limit,
			struct dtrace_helper_dof **out, char *errmsg, size_t len)
{
	return dtrace_helper_parse_charged(NULL, buf, size, user, base, limit, out, errmsg, len);
}

int dtrace_helper_parse_charged(struct dtrace_account *account, void *buf, size_t size,
				uint64_t user, uint64_t base, uint64_t limit,
				struct dtrace_helper_dof **out, char *errmsg, size_t len)
{
	struct dof_err err = {.msg = errmsg, .len = len};
	struct helper_parse h = {
		.buf = buf,
		.user = user,
		.base = base,
		.limit = limit,
		.err = &err,
		.charge = {.account = account, .err = &err},
	};
	uint64_t most = (uint64_t)size * STORE_FACTOR + STORE_BASE;
	int rc;

	if (errmsg && len)
		errmsg[0] = '\0';
	if (size > DTRACE_HELPER_MAXSIZE)
		return ERR(&err, -E2BIG, "DOF: %llu bytes, allowed are %u",
			   (unsigned long long)size, DTRACE_HELPER_MAXSIZE);
	h.out = port_alloc(sizeof(*h.out));
	if (!h.out)
		return ERR(&err, -ENOMEM, "no memory for the DOF of a process");
	h.last = &h.first;
	h.work.left = h.out->store.left = most;
	h.work.charge = h.out->store.charge = &h.charge;
	rc = helper_parse(&h, size);
	htable_free(&h.probes);
	store_free(&h.work);
	h.out->store.charge = NULL;
	store_give(&h.charge, h.charge.bytes);
	if (rc) {
		if (errmsg && len)
			helper_clean(errmsg);
		dtrace_helper_free(&h.out->dof);
		return rc;
	}
	h.out->dof.bytes += most - h.out->store.left;
	*out = &h.out->dof;
	return 0;
}

int dtrace_helper_check_names(const struct dtrace_helper_dof *dof, char *errmsg, size_t len)
{
	for (uint32_t i = 0; i < dof->nproviders; i++) {
		const char *name = dof->providers[i].name, *digits = name + 3;

		if (strncmp(name, "pid", 3) != 0)
			continue;
		while (*digits >= '0' && *digits <= '9')
			digits++;
		if (!*digits) {
			snprintf(errmsg, len, "provider %s: names of the pid provider are taken",
				 name);
			return -EINVAL;
		}
	}
	return 0;
}

void dtrace_helper_free(struct dtrace_helper_dof *dof)
{
	struct helper_out *out;

	if (!dof)
		return;
	out = link_entry(dof, struct helper_out, dof);
	helper_program_free(dof->program);
	store_free(&out->store);
	port_free(out);
}

/* ---- arguments ---- */

/* Return the declared type of argN, or an empty one. */
static const char *helper_native_type(const struct dtrace_helper_probe *probe, unsigned int arg)
{
	return arg < probe->nargs && probe->nargv[arg] ? probe->nargv[arg] : "";
}

/*
 * Return whether the probe has no declared types, and a site that gives argument n. The caller may
 * hold the engine lock, so the sites, of which there may be very many, are not searched.
 */
static bool helper_arg_untyped(const struct dtrace_helper_probe *probe, unsigned int n)
{
	return !probe->nargs && !probe->nxargs && n < probe->nlocs;
}

bool dtrace_helper_getarg(const struct dtrace_helper_probe *probe, unsigned int n,
			  struct dtrace_arg *out)
{
	if (helper_arg_untyped(probe, n))
		return true;
	if (n >= probe->nxargs)
		return false;
	out->type = helper_native_type(probe, probe->map[n]);
	if (strcmp(probe->xargv[n], out->type))
		out->xlate = probe->xargv[n];
	return true;
}
