/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* usdt.c - providers, probes and locations of a process, from the DOF that describe them. */
#include "core.h"
#include "enabling.h"
#include "probe.h"
#include "state.h"
#include "usdt.h"

/* ---- registers, for usdt_args.h ---- */

static inline uint64_t usdt_reg(const void *regs, unsigned int reg)
{
	/* Indexes of struct usdt_regs. <sys/reg.h> has names for them only on x86-64. */
	static const uint8_t words[] = {
		[DOF_REG_AX] = 10, [DOF_REG_CX] = 11, [DOF_REG_DX] = 12, [DOF_REG_BX] = 5,
		[DOF_REG_SP] = 19, [DOF_REG_BP] = 4,  [DOF_REG_SI] = 13, [DOF_REG_DI] = 14,
		[DOF_REG_R8] = 9,  [DOF_REG_R9] = 8,  [DOF_REG_R10] = 7, [DOF_REG_R11] = 6,
		[DOF_REG_R12] = 3, [DOF_REG_R13] = 2, [DOF_REG_R14] = 1, [DOF_REG_R15] = 0,
	};
	const struct usdt_regs *r = regs;

	return reg < sizeof(words) ? r->words[words[reg]] : 0;
}

#define XMM_READ(n)                                            \
	case n:                                                \
		__asm__("movq %%xmm" #n ", %0" : "=r"(value)); \
		break

/* Firings leave vector registers as they are. */
static inline uint64_t usdt_xmm(unsigned int reg)
{
	uint64_t value = 0;

#ifdef __x86_64__
	switch (reg) {
		XMM_READ(0);
		XMM_READ(1);
		XMM_READ(2);
		XMM_READ(3);
		XMM_READ(4);
		XMM_READ(5);
		XMM_READ(6);
		XMM_READ(7);
		XMM_READ(8);
		XMM_READ(9);
		XMM_READ(10);
		XMM_READ(11);
		XMM_READ(12);
		XMM_READ(13);
		XMM_READ(14);
		XMM_READ(15);
	}
#endif
	return value;
}

static inline uint64_t usdt_thread_pointer(const void *regs)
{
	uint64_t value = 0;

	(void)regs;
#ifdef __x86_64__
	__asm__("movq %%fs:0, %0" : "=r"(value));
#endif
	return value;
}

static inline bool usdt_is_64bit(const void *regs)
{
	(void)regs;
	return true;
}

#include "usdt_args.h"

struct usdt_provider {
	struct link link; /* of the process */
	struct usdt_process *process;
	dtrace_provider_t *provider;
	uint32_t nprobes;
	char name[DTRACE_PROVNAMELEN];
	uint32_t base; /* bytes of the name before the number of the process */
};

/* ---- operations for the engine ---- */

static int usdt_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct usdt_provider *provider = arg;

	(void)probe, (void)parg;
	if (provider->process->changed)
		provider->process->changed(provider->process);
	return 0;
}

static void usdt_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	usdt_enable(arg, probe, parg);
}

static bool usdt_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
			struct dtrace_arg *out)
{
	const struct usdt_probe *p = parg;

	(void)arg, (void)probe;
	return dtrace_helper_getarg(p->desc, n, out);
}

/* fire->cookie is the site. */
static uint64_t usdt_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			       const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct usdt_probe *p = parg;
	const struct usdt_site *site = fire->cookie;

	(void)arg, (void)probe, (void)raw;
	return usdt_argument(p->desc, site->desc, site->kind == USDT_ENTRY, fire->regs, argno);
}

/* Write the name that a provider has in a process. Return false if it is too long. */
static bool usdt_name(const struct usdt_provider *provider, uint32_t pid,
		      char name[DTRACE_PROVNAMELEN])
{
	const size_t space = DTRACE_PROVNAMELEN - provider->base;

	memcpy(name, provider->name, provider->base);
	return (size_t)snprintf(name + provider->base, space, "%u", pid) < space;
}

static bool usdt_name_in_ns(void *arg, const void *pid_ns, unsigned int n,
			    char name[DTRACE_PROVNAMELEN])
{
	const struct usdt_provider *provider = arg;
	const struct usdt_process *process = provider->process;
	uint32_t pid = n == 0 ? process->pid : n <= USDT_ANCESTORS ? process->ancestors[n - 1] : 0;

	(void)pid_ns;
	return pid && usdt_name(provider, pid, name);
}

static void usdt_name_of_child(void *arg, uint32_t pid, char name[DTRACE_PROVNAMELEN])
{
	usdt_name(arg, pid, name);
}

static bool usdt_module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name)
{
	const struct usdt_probe *p = parg;

	(void)arg, (void)probe;
	return p->program && !strcmp(name, "a.out");
}

static void usdt_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct usdt_probe *p = parg;

	(void)arg, (void)probe;
	link_remove(&p->link);
	p->provider->nprobes--;
	port_free(p);
}

static const dtrace_provider_ops_t usdt_ops = {
	.enable = usdt_enable,
	.disable = usdt_disable,
	.getarg = usdt_getarg,
	.getargval = usdt_getargval,
	.name_in_ns = usdt_name_in_ns,
	.name_of_child = usdt_name_of_child,
	.module_alias = usdt_module_alias,
	.destroy = usdt_destroy,
};

/* ---- providers and probes ---- */

/* Find or make the process's provider. *out is set on success. -EINVAL with a message, -ENOMEM. */
static int provider_get(struct usdt_process *process, const struct dtrace_helper_provider *desc,
			struct usdt_provider **out, struct dof_err *err)
{
	const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
				     .dtpp_uid = process->uid};
	struct usdt_provider *provider;
	char name[DTRACE_PROVNAMELEN];
	int rc;

	if ((size_t)snprintf(name, sizeof(name), "%s%u", desc->name, process->pid) >= sizeof(name))
		return ERR(err, -EINVAL,
			   "provider %s: with the number of the process the name is too long",
			   desc->name);
	*out = dtrace_provider_find(process->key, name);
	if (*out)
		return 0;
	provider = port_alloc(sizeof(*provider));
	if (!provider)
		return ERR(err, -ENOMEM, "no memory for provider %s", name);
	provider->process = process;
	memcpy(provider->name, name, sizeof(name));
	provider->base = (uint32_t)strlen(desc->name);
	rc = dtrace_provider_register_for(process->key, name, &desc->attr, &priv, &usdt_ops,
					  provider, &provider->provider);
	if (rc) {
		port_free(provider);
		return ERR(err, rc, "provider %s: cannot be made (error %d)", name, rc);
	}
	link_append(&process->providers, &provider->link);
	*out = provider;
	return 0;
}

/*
 * Find or make a probe of a provider. given: its number, or NULL. *out is set on success. With a
 * message.
 */
static int probe_get(struct usdt_provider *provider, const struct dtrace_helper_probe *desc,
		     const char *mod, const char *func, uint32_t flags,
		     const struct usdt_number *given, struct usdt_probe **out, struct dof_err *err)
{
	dtrace_probe_t *found = dtrace_probe_lookup(provider->provider, mod, func, desc->name);
	struct usdt_probe *p;
	int rc;

	if (found) {
		*out = dtrace_probe_arg(found);
		return 0;
	}
	p = port_alloc(sizeof(*p));
	if (!p)
		return ERR(err, -ENOMEM, "no memory for probe %s", desc->name);
	p->provider = provider;
	p->desc = desc;
	p->program = flags & USDT_PROGRAM;
	p->number = given ? given->probe : provider->process->nprobes;
	rc = dtrace_probe_create(provider->provider, mod, func, desc->name, p, &p->probe);
	if (rc) {
		port_free(p);
		return ERR(err, rc, "probe %s:%s:%s:%s: cannot be made (error %d)", provider->name,
			   mod, func, desc->name, rc);
	}
	provider->process->nprobes++;
	provider->nprobes++;
	link_append(&provider->process->probes, &p->link);
	*out = p;
	return 0;
}

/* ---- locations ---- */

static uint32_t addr_hash(uint64_t addr)
{
	return (uint32_t)hash_bytes(&addr, sizeof(addr), 0);
}

static struct usdt_location *location_find(const struct usdt_process *process, uint64_t addr)
{
	struct hnode *n = htable_first(&process->by_addr, addr_hash(addr));

	for (; n; n = htable_next(n))
		if (link_entry(n, struct usdt_location, by_addr)->addr == addr)
			return link_entry(n, struct usdt_location, by_addr);
	return NULL;
}

#define LOCATIONS_MAX (1U << 30)

/*
 * Make space for a location by its index. Firings may read the old table until the grace period
 * ends.
 */
static int locations_grow(struct usdt_process *process, uint32_t index)
{
	uint32_t capacity = process->capacity ? process->capacity : 64;
	struct usdt_location **old = process->locations, **table;

	if (index < process->capacity)
		return 0;
	if (index >= LOCATIONS_MAX)
		return -ENOMEM;
	while (index >= capacity)
		capacity *= 2;
	table = port_alloc(capacity * sizeof(struct usdt_location *));
	if (!table)
		return -ENOMEM;
	for (uint32_t i = 0; i < process->nlocations; i++)
		table[i] = old[i];
	port_store_release(&process->locations, table);
	process->capacity = capacity;
	if (old)
		port_grace_period();
	port_free(old);
	return 0;
}

/* Make the location of a site. Return NULL without memory. */
static struct usdt_location *location_make(struct usdt_process *process,
					   const struct usdt_location *from)
{
	struct usdt_location *loc;

	if (locations_grow(process, from->index) != 0)
		return NULL;
	loc = port_alloc(sizeof(*loc));
	if (!loc)
		return NULL;
	*loc = *from;
	if (htable_insert(&process->by_addr, &loc->by_addr, addr_hash(loc->addr)) != 0) {
		port_free(loc);
		return NULL;
	}
	port_store_release(&process->locations[loc->index], loc);
	if (loc->index >= process->nlocations)
		port_store_release(&process->nlocations, loc->index + 1);
	return loc;
}

/*
 * Find or make the location of a site. given: its number, or NULL. NULL: no memory. If the location
 * was made for a stop point, the first site completes it.
 */
static struct usdt_location *location_get(struct usdt_process *process,
					  const struct usdt_site *site,
					  const struct usdt_number *given)
{
	struct usdt_location *loc = location_find(process, site->desc->addr);
	struct usdt_location new = {
		.addr = site->desc->addr,
		.index = given ? given->location : process->nlocations,
		.kind = site->kind,
		.sema = site->desc->sema,
		.isenabled = site->desc->isenabled,
	};

	if (!loc)
		return location_make(process, &new);
	if (!loc->sites) {
		loc->kind = new.kind;
		loc->sema = new.sema;
		loc->isenabled = new.isenabled;
	}
	return loc;
}

/* Take a location from the process. The caller frees it after a grace period. */
static void location_remove(struct usdt_process *process, struct usdt_location *loc)
{
	htable_remove(&process->by_addr, &loc->by_addr);
	port_store_release(&process->locations[loc->index], (struct usdt_location *)NULL);
}

/*
 * Add a site to its location: behind those that fire before it by their kind, or as the last
 * duplicate of that of the same probe. Firings do not read duplicates.
 */
static void location_append(struct usdt_location *loc, struct usdt_site *site)
{
	struct usdt_site **at = &loc->sites;

	while (*at && (*at)->probe != site->probe && (*at)->kind <= site->kind)
		at = &(*at)->next;
	if (*at && (*at)->probe != site->probe)
		site->next = *at;
	while (*at && (*at)->probe == site->probe)
		at = &(*at)->duplicate;
	site->location = loc;
	port_store_release(at, site);
}

/* Return the first site of a site's probe at its location. */
static const struct usdt_site *site_first(const struct usdt_site *site)
{
	const struct usdt_site *first = site->location->sites;

	while (first->probe != site->probe)
		first = first->next;
	return first;
}

bool usdt_enabled(const struct usdt_location *location)
{
	if (port_read_once(&location->stop))
		return true;
	for (const struct usdt_site *s = port_load_acquire(&location->sites); s;
	     s = port_load_acquire(&s->next))
		if (dtrace_probe_enabled(s->probe->probe))
			return true;
	return false;
}

/* ---- stop points ---- */

struct usdt_location *usdt_stop_set(struct usdt_process *process, uint64_t addr, uint32_t stop,
				    uint32_t index)
{
	struct usdt_location *loc = location_find(process, addr);
	const struct usdt_location new = {
		.addr = addr,
		.index = index == UINT32_MAX ? process->nlocations : index,
		.kind = USDT_OFFSET,
		.stop = stop,
	};

	if (!loc)
		return location_make(process, &new);
	if (loc->stop)
		return NULL;
	port_write_once(&loc->stop, stop);
	return loc;
}

void usdt_stop_clear(struct usdt_process *process, struct usdt_location *loc)
{
	port_write_once(&loc->stop, 0);
	if (loc->sites)
		return;
	location_remove(process, loc);
	port_grace_period();
	port_free(loc);
}

/* ---- DOF ---- */

void usdt_init(struct usdt_process *process, uint64_t key, uint32_t pid, uint32_t uid)
{
	memset(process, 0, sizeof(*process));
	process->key = key;
	process->pid = pid;
	process->uid = uid;
	link_init(&process->providers);
	link_init(&process->probes);
	link_init(&process->dofs);
}

static enum usdt_kind site_kind(const char *name, uint32_t flags)
{
	if (!(flags & USDT_PID))
		return USDT_STATIC;
	if (!strcmp(name, "entry"))
		return USDT_ENTRY;
	return strcmp(name, "return") ? USDT_OFFSET : USDT_RETURN;
}

/* Add a site of a DOF. given: its numbers, or NULL. With a message. */
static int site_add(struct usdt_process *process, struct usdt_provider *provider,
		    const struct dtrace_helper_probe *desc, const char *mod, uint32_t flags,
		    const struct usdt_number *given, struct usdt_site *site, struct dof_err *err)
{
	struct usdt_location *loc;
	int rc;

	site->kind = site_kind(desc->name, flags);
	rc = probe_get(provider, desc, mod, site->desc->func, flags, given, &site->probe, err);
	if (rc)
		return rc;
	loc = location_get(process, site, given);
	if (!loc)
		return ERR(err, -ENOMEM, "no memory for the sites of probe %s", desc->name);
	location_append(loc, site);
	site->probe->nsites++;
	return 0;
}

/* Add all sites of a DOF. numbers: as for usdt_add(). With a message. */
static int dof_add_sites(struct usdt_process *process, struct usdt_dof *dof, const char *mod,
			 uint32_t flags, const struct usdt_number *numbers, struct dof_err *err)
{
	struct usdt_site *site = dof->sites;
	struct usdt_provider *provider;
	int rc = 0;

	for (uint32_t i = 0; !rc && i < dof->helper->nproviders; i++) {
		const struct dtrace_helper_provider *prov = &dof->helper->providers[i];

		rc = provider_get(process, prov, &provider, err);
		for (uint32_t j = 0; !rc && j < prov->nprobes; j++)
			for (uint32_t k = 0; !rc && k < prov->probes[j].nsites; k++, site++) {
				site->desc = &prov->probes[j].sites[k];
				rc = site_add(process, provider, &prov->probes[j], mod, flags,
					      numbers ? &numbers[site - dof->sites] : NULL, site,
					      err);
				if (!rc)
					rc = relax_at(k);
			}
	}
	return rc;
}

int usdt_add(struct usdt_process *process, struct dtrace_helper_dof *helper, const char *mod,
	     uint32_t flags, const struct usdt_number *numbers, struct usdt_dof **out, char *errmsg,
	     size_t len)
{
	struct dof_err err = {errmsg, len};
	struct usdt_dof *dof = port_alloc(sizeof(*dof) + helper->nsites * sizeof(struct usdt_site));
	int rc;

	if (!dof) {
		dtrace_helper_free(helper);
		return ERR(&err, -ENOMEM, "no memory for %u sites", helper->nsites);
	}
	dof->helper = helper;
	dof->nsites = helper->nsites;
	link_append(&process->dofs, &dof->link);
	rc = dof_add_sites(process, dof, mod, flags, numbers, &err);
	if (rc)
		usdt_remove(process, dof);
	else
		*out = dof;
	return rc;
}

/* Return whether the process has the ustack helpers of a DOF by another one. */
static bool helper_is_duplicate(const struct usdt_process *process, const struct usdt_dof *dof)
{
	struct link *l;

	link_for_each(l, &process->dofs) {
		const struct usdt_dof *other = link_entry(l, struct usdt_dof, link);

		if (other != dof && other->helper->program &&
		    other->helper->user == dof->helper->user)
			return true;
	}
	return false;
}

bool usdt_is_duplicate(const struct usdt_process *process, const struct usdt_dof *dof)
{
	for (uint32_t i = 0; i < dof->nsites; i++)
		if (site_first(&dof->sites[i]) == &dof->sites[i])
			return false;
	return dof->nsites || !dof->helper->program || helper_is_duplicate(process, dof);
}

bool usdt_owns(const struct usdt_dof *dof, const struct usdt_location *location)
{
	if (location->stop)
		return false;
	for (const struct usdt_site *s = location->sites; s; s = s->next)
		for (const struct usdt_site *d = s; d; d = d->duplicate)
			if (d < dof->sites || d >= dof->sites + dof->nsites)
				return false;
	return true;
}

void usdt_match(struct usdt_process *process)
{
	struct link *l;

	link_for_each(l, &process->providers)
		dtrace_provider_match(link_entry(l, struct usdt_provider, link)->provider);
}

/* ---- removal ---- */

/*
 * Take a site from its location, where a duplicate takes its place. A location without sites goes
 * to *gone, unless it is a stop point.
 */
static void site_unlink(struct usdt_process *process, struct usdt_site *site,
			struct usdt_location **gone, uint32_t *n)
{
	struct usdt_location *loc = site->location;
	struct usdt_site **at = &loc->sites;

	while (*at != site)
		at = (*at)->probe == site->probe ? &(*at)->duplicate : &(*at)->next;
	if (site->duplicate)
		site->duplicate->next = site->next;
	port_store_release(at, site->duplicate ? site->duplicate : site->next);
	site->probe->nsites--;
	if (loc->sites || loc->stop)
		return;
	location_remove(process, loc);
	gone[(*n)++] = loc;
}

/* Destroy the probes without sites, and the providers without probes. */
static void remove_empty(struct usdt_process *process)
{
	struct link *l, *next;

	link_for_each_safe(l, next, &process->probes) {
		struct usdt_probe *p = link_entry(l, struct usdt_probe, link);

		if (!p->nsites)
			dtrace_probe_destroy(&p->probe, 1);
	}
	link_for_each_safe(l, next, &process->providers) {
		struct usdt_provider *provider = link_entry(l, struct usdt_provider, link);

		if (provider->nprobes)
			continue;
		dtrace_provider_unregister(provider->provider);
		link_remove(&provider->link);
		port_free(provider);
	}
}

/*
 * A probe may go on to exist by sites of other DOF, while its description is a part of this DOF:
 * give the probe the description of another site.
 */
static void probes_hand_over(struct usdt_process *process, const struct usdt_dof *dof)
{
	struct link *l;

	link_for_each(l, &process->dofs) {
		struct usdt_dof *other = link_entry(l, struct usdt_dof, link);
		struct usdt_site *site = other->sites;

		for (uint32_t i = 0; i < other->helper->nproviders; i++) {
			struct dtrace_helper_provider *prov = &other->helper->providers[i];

			for (uint32_t j = 0; j < prov->nprobes; j++)
				for (uint32_t k = 0; k < prov->probes[j].nsites; k++, site++)
					if (other != dof && site->location)
						port_write_once(&site->probe->desc,
								&prov->probes[j]);
		}
	}
}

void usdt_remove(struct usdt_process *process, struct usdt_dof *dof)
{
	struct usdt_location **gone = port_alloc((dof->nsites + 1) * sizeof(*gone));
	uint32_t n = 0;

	for (uint32_t i = 0; gone && i < dof->nsites; i++)
		if (dof->sites[i].location)
			site_unlink(process, &dof->sites[i], gone, &n);
	if (!gone)
		return; /* without memory for that, it stays, and does no harm */
	probes_hand_over(process, dof);
	link_remove(&dof->link);
	remove_empty(process);
	port_grace_period();
	while (n)
		port_free(gone[--n]);
	port_free(gone);
	dtrace_helper_free(dof->helper);
	port_free(dof);
}

void usdt_fini(struct usdt_process *process)
{
	struct link *l, *next;

	link_for_each_safe(l, next, &process->dofs)
		usdt_remove(process, link_entry(l, struct usdt_dof, link));
	for (uint32_t i = 0; i < process->nlocations; i++)
		if (process->locations[i])
			usdt_stop_clear(process, process->locations[i]);
	port_free(process->locations);
	htable_free(&process->by_addr);
	usdt_init(process, process->key, process->pid, process->uid);
}

/* ---- ECBs ---- */

/* Find the clause of an ECB among those of its session. [L] */
static void ecb_find_clause(const dtrace_state_t *state, struct usdt_ecb *out)
{
	const struct clause *clause = out->ecb->clause;
	const struct enabling *en;
	struct link *l;

	out->enabling = 0;
	link_for_each(l, &state->enablings) {
		en = link_entry(l, struct enabling, link);
		if (clause >= en->clauses && clause < en->clauses + en->nclauses) {
			out->clause = (uint32_t)(clause - en->clauses);
			return;
		}
		out->enabling++;
	}
}

/* Call func for the ECBs of a session at one probe. [L] */
static void probe_each_ecb(const dtrace_probe_t *probe, uint32_t number, dtrace_state_t *state,
			   void (*func)(void *arg, const struct usdt_ecb *ecb), void *arg)
{
	const struct ecb_list *list = probe->ecbs;

	for (uint32_t i = 0; list && i < list->used; i++) {
		struct usdt_ecb out = {.ecb = list->ecbs[i], .probe = number};

		if (!out.ecb || out.ecb->state != state)
			continue;
		out.epid = out.ecb->epid;
		ecb_find_clause(state, &out);
		func(arg, &out);
	}
}

void usdt_each_ecb(const struct usdt_process *process, dtrace_state_t *state,
		   void (*func)(void *arg, const struct usdt_ecb *ecb), void *arg)
{
	struct link *l;

	engine_lock();
	link_for_each(l, &process->probes) {
		const struct usdt_probe *p = link_entry(l, struct usdt_probe, link);

		probe_each_ecb(p->probe, p->number, state, func, arg);
	}
	probe_each_ecb(engine.error, UINT32_MAX, state, func, arg);
	engine_unlock();
}
