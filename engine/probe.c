/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * probe.c - the registry of probes: by number, by name and by pattern; and the list of ECBs that
 * each one has.
 *
 * Firings read the list of ECBs without a lock. An ECB is added as the next element of the list, or
 * of a larger list that replaces it. It is removed when its element is cleared. Lists and ECBs are
 * freed after a grace period.
 */
#include "enabling.h"
#include "engine_impl.h"
#include "glob.h"
#include "listing.h"
#include "probe.h"
#include "table.h"

/* Return whether a pattern matches the module of a probe, by either of its names. */
static bool module_matches(dtrace_probe_t *probe, const struct glob *g)
{
	const dtrace_provider_t *prov = probe->prov;

	return glob_match(g, probe->mod) ||
	       (prov->ops->module_alias &&
		prov->ops->module_alias(prov->arg, probe, probe->parg, g->pattern));
}

bool probe_matches_within(dtrace_probe_t *probe, const struct glob_desc *g)
{
	ENGINE_ASSERT_LOCKED();
	if (probe->listing)
		return listing_matches(probe->listing, probe->id - probe->listing->first, g);
	return glob_match(&g->name, probe->name) && glob_match(&g->func, probe->func) &&
	       module_matches(probe, &g->mod);
}

void probe_desc(const dtrace_probe_t *probe, const char *provname, dtrace_probedesc_t *desc)
{
	memset(desc, 0, sizeof(*desc));
	desc->dtpd_id = probe->id;
	memcpy(desc->dtpd_provider, provname, strlen(provname));
	memcpy(desc->dtpd_mod, probe->mod, strlen(probe->mod));
	memcpy(desc->dtpd_func, probe->func, strlen(probe->func));
	memcpy(desc->dtpd_name, probe->name, strlen(probe->name));
}

/*
 * Return the hash of a probe's names for engine.probes_by_name. The module is no part of it, since
 * most descriptions leave it out.
 */
static uint32_t probe_hash(const dtrace_provider_t *prov, const char *func, const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name),
				    hash_bytes(func, strlen(func), prov->serial));
}

/* Return the provider's probe of exactly that name, or NULL. hash: from probe_hash(). [L] */
static dtrace_probe_t *probe_find(const dtrace_provider_t *prov, const char *mod, const char *func,
				  const char *name, uint32_t hash)
{
	ENGINE_ASSERT_LOCKED();
	for (struct hnode *n = htable_first(&engine.probes_by_name, hash); n; n = htable_next(n)) {
		dtrace_probe_t *p = link_entry(n, dtrace_probe_t, by_name);

		if (p->prov == prov && !strcmp(p->name, name) && !strcmp(p->func, func) &&
		    !strcmp(p->mod, mod))
			return p;
	}
	return NULL;
}

bool provider_is_indexed(const dtrace_provider_t *prov, const struct glob_desc *g)
{
	ENGINE_ASSERT_LOCKED();
	return link_empty(&prov->listings) && g->name.kind == GLOB_LITERAL &&
	       (g->func.kind == GLOB_LITERAL || (g->func.kind == GLOB_ANY && !prov->nfuncs));
}

/*
 * Return the first probe from an entry of the index on that is the provider's and matches, or NULL.
 * [L]
 */
static dtrace_probe_t *probe_indexed(struct hnode *n, const dtrace_provider_t *prov,
				     const struct glob_desc *g)
{
	ENGINE_ASSERT_LOCKED();
	for (; n; n = htable_next(n)) {
		dtrace_probe_t *p = link_entry(n, dtrace_probe_t, by_name);

		if (p->prov == prov && probe_matches_within(p, g))
			return p;
	}
	return NULL;
}

dtrace_probe_t *probe_first_indexed(const dtrace_provider_t *prov, const struct glob_desc *g)
{
	const char *func = g->func.kind == GLOB_LITERAL ? g->func.pattern : "";
	uint32_t hash = probe_hash(prov, func, g->name.pattern);

	return probe_indexed(htable_first(&engine.probes_by_name, hash), prov, g);
}

dtrace_probe_t *probe_next_indexed(dtrace_probe_t *probe, const struct glob_desc *g)
{
	return probe_indexed(htable_next(&probe->by_name), probe->prov, g);
}

/* Copy a name to *at in the block of names, and move *at behind it. Return the copy. */
static const char *probe_put_name(char **at, const char *s)
{
	char *start = *at;

	memcpy(start, s, strlen(s) + 1);
	*at += strlen(s) + 1;
	return start;
}

/* Allocate a probe with its names; NULL: no memory. */
static dtrace_probe_t *probe_alloc(dtrace_provider_t *prov, const char *mod, const char *func,
				   const char *name)
{
	size_t len = strlen(prov->name) + strlen(mod) + strlen(func) + strlen(name) + 4;
	dtrace_probe_t *p = port_alloc(sizeof(*p) + len);
	char *at;

	if (!p)
		return NULL;
	at = p->names;
	p->nameslen = (uint32_t)len;
	p->provname = probe_put_name(&at, prov->name);
	p->mod = probe_put_name(&at, mod);
	p->func = probe_put_name(&at, func);
	p->name = probe_put_name(&at, name);
	p->prov = prov;
	link_init(&p->unused);
	p->refs = 1;
	p->fresh = true;
	return p;
}

/*
 * Number a probe and make it known by its names. listing: whose element nth it is, or NULL.
 * -ENOMEM. [L]
 */
static int probe_enter(dtrace_provider_t *prov, dtrace_probe_t *p, uint32_t hash,
		       dtrace_listing_t *listing, uint32_t nth)
{
	int rc = htable_insert(&engine.probes_by_name, &p->by_name, hash);

	ENGINE_ASSERT_LOCKED();
	if (rc)
		return rc;
	p->listing = listing;
	if (listing) {
		p->id = listing->first + nth;
		idtable_take(&engine.probes, p->id, p);
	} else {
		rc = idtable_insert(&engine.probes, p, &p->id);
	}
	if (rc) {
		htable_remove(&engine.probes_by_name, &p->by_name);
		return rc;
	}
	link_append(&prov->probes, &p->link);
	if (prov->fresh == &prov->probes)
		prov->fresh = &p->link;
	p->serial = ++engine.probe_serial;
	prov->nprobes++;
	if (*p->func)
		prov->nfuncs++;
	return 0;
}

int dtrace_probe_create(dtrace_provider_t *prov, const char *mod, const char *func,
			const char *name, void *parg, dtrace_probe_t **probep)
{
	dtrace_probe_t *p = NULL;
	uint32_t hash;
	int rc = -EEXIST;

	if (strlen(mod) >= DTRACE_MODNAMELEN || strlen(func) >= DTRACE_FUNCNAMELEN ||
	    strlen(name) >= DTRACE_NAMELEN)
		return -ENAMETOOLONG;
	engine_lock();
	hash = probe_hash(prov, func, name);
	if (!probe_find(prov, mod, func, name, hash)) {
		p = probe_alloc(prov, mod, func, name);
		rc = p ? probe_enter(prov, p, hash, NULL, 0) : -ENOMEM;
	}
	if (rc) {
		port_free(p);
	} else {
		p->parg = parg;
		if (probep)
			*probep = p;
	}
	engine_unlock();
	return rc;
}

dtrace_probe_t *probe_create_at(dtrace_listing_t *l, uint32_t nth,
				const struct dtrace_listed *names, const char *name, void *parg)
{
	dtrace_probe_t *p = probe_alloc(l->prov, names->mod, names->func, name);

	ENGINE_ASSERT_LOCKED();
	if (!p || probe_enter(l->prov, p, probe_hash(l->prov, names->func, name), l, nth)) {
		port_free(p);
		return NULL;
	}
	p->parg = parg;
	return p;
}

dtrace_probe_t *dtrace_probe_lookup(dtrace_provider_t *prov, const char *mod, const char *func,
				    const char *name)
{
	dtrace_probe_t *p;

	engine_lock();
	p = probe_find(prov, mod, func, name, probe_hash(prov, func, name));
	engine_unlock();
	return p;
}

void probe_unref(dtrace_probe_t *probe)
{
	ENGINE_ASSERT_LOCKED();
	if (--probe->refs == 0)
		deferred_add(&engine.deferred, &probe->deferred);
}

/*
 * Put an ECB into the next element of a list, and into the row of the element before it if that is
 * the same session's. Firings may read the list. A row that is too short for a moment costs time
 * only. [L]
 */
static void probe_put_ecb(struct ecb_list *list, struct ecb *ecb)
{
	uint32_t index = list->used;
	struct ecb *before = index ? list->ecbs[index - 1] : NULL;
	struct ecb *first =
		before && before->state == ecb->state ? list->ecbs[before->first] : NULL;

	ENGINE_ASSERT_LOCKED();
	list->live++;
	ecb->index = index;
	ecb->first = first ? first->index : index;
	port_write_once(&ecb->row, 0);
	port_store_release(&list->ecbs[index], ecb);
	port_store_release(&list->used, index + 1);
	if (first)
		port_write_once(&first->row, index - first->index);
}

/*
 * Copy the live ECBs of a list, which may be NULL, to one with twice their capacity, so that all
 * lists that a probe has had take at most twice the memory of the last. NULL: no memory. [L]
 */
static struct ecb_list *probe_copy_ecbs(const struct ecb_list *old)
{
	uint32_t n = old && old->live ? 2 * old->live : 1;
	struct ecb_list *list = port_alloc(sizeof(*list) + n * sizeof(list->ecbs[0]));

	if (!list)
		return NULL;
	list->n = n;
	for (uint32_t i = 0; old && i < old->used; i++)
		if (old->ecbs[i])
			probe_put_ecb(list, old->ecbs[i]);
	return list;
}

/*
 * Note that a probe has no ECBs any more. That of a listing ends after the provider's sync and a
 * grace period: a hit that the provider knew of may be under way. [L]
 */
static void probe_note_unused(dtrace_probe_t *probe)
{
	dtrace_provider_t *prov = probe->prov;

	ENGINE_ASSERT_LOCKED();
	link_remove(&probe->unused);
	if (probe->listing)
		link_append(&prov->unused, &probe->unused);
	provider_note_sync(prov);
}

int probe_attach(dtrace_probe_t *probe, struct ecb *ecb)
{
	dtrace_provider_t *prov = probe->prov;
	struct ecb_list *old = probe->ecbs;
	struct ecb_list *list = old && old->used < old->n ? old : probe_copy_ecbs(old);
	int rc;

	ENGINE_ASSERT_LOCKED();
	if (!list)
		return -ENOMEM;
	probe_put_ecb(list, ecb);
	if (list != old) /* a hit must find it as soon as there can be hits */
		port_store_release(&probe->ecbs, list);
	if (!old) {
		rc = prov->ops->enable ? prov->ops->enable(prov->arg, probe, probe->parg) : 0;
		if (rc) {
			port_store_release(&probe->ecbs, NULL);
			deferred_add(&engine.deferred, &list->deferred);
			probe_note_unused(probe);
			return rc;
		}
		prov->nenabled++;
		provider_note_sync(prov);
	}
	link_remove(&probe->unused);
	probe->refs++;
	if (old && list != old)
		deferred_add(&engine.deferred, &old->deferred);
	return 0;
}

/* Disable a probe, whose last ECB has left. [L] */
static void probe_disable(dtrace_probe_t *probe)
{
	dtrace_provider_t *prov = probe->prov;

	ENGINE_ASSERT_LOCKED();
	deferred_add(&engine.deferred, &probe->ecbs->deferred);
	port_store_release(&probe->ecbs, NULL);
	prov->nenabled--;
	if (prov->ops->disable)
		prov->ops->disable(prov->arg, probe, probe->parg);
	probe_note_unused(probe);
}

void probe_detach(dtrace_probe_t *probe, struct ecb *ecb)
{
	struct ecb_list *list = probe->ecbs;
	struct ecb *first;

	ENGINE_ASSERT_LOCKED();
	if (PORT_WARN_ON(!list || ecb->index >= list->used || list->ecbs[ecb->index] != ecb))
		return;
	port_write_once(&list->ecbs[ecb->index], NULL);
	first = list->ecbs[ecb->first];
	while (first && first->row && !list->ecbs[first->index + first->row])
		port_write_once(&first->row, first->row - 1);
	if (--list->live == 0)
		probe_disable(probe);
}

/*
 * Begin the end of a probe: retire its ECBs, disable it, and forget its names and its number.
 * Firings may still be under way. [L]
 */
void probe_forget(dtrace_probe_t *probe)
{
	dtrace_provider_t *prov = probe->prov;

	ENGINE_ASSERT_LOCKED();
	enabling_retire(probe);
	if (PORT_WARN_ON(probe->ecbs))
		probe_disable(probe);
	htable_remove(&engine.probes_by_name, &probe->by_name);
	if (probe->listing)
		idtable_give_back(&engine.probes, probe->id, probe->listing);
	else
		idtable_remove(&engine.probes, probe->id);
	if (prov->fresh == &probe->link)
		prov->fresh = probe->link.next;
	link_remove(&probe->link);
	link_remove(&probe->unused);
	prov->nprobes--;
	if (*probe->func)
		prov->nfuncs--;
}

/* Complete the end of a probe after a grace period: let the provider free its part. [L] */
static void probe_end(dtrace_probe_t *probe)
{
	dtrace_provider_t *prov = probe->prov;

	ENGINE_ASSERT_LOCKED();
	if (prov->ops->destroy)
		prov->ops->destroy(prov->arg, probe, probe->parg);
	probe->prov = NULL;
	probe->parg = NULL;
	probe_unref(probe);
}

void probe_remove_unused(dtrace_probe_t *probe)
{
	ENGINE_ASSERT_LOCKED();
	probe_forget(probe);
	probe_end(probe);
}

/*
 * Wait for the firings of n probes, which probe_forget() has seen, and end them. Pauses. May sleep.
 */
static void probes_end(dtrace_probe_t **probes, size_t n, struct engine_pause *pause)
{
	port_grace_period();
	engine_lock();
	for (size_t i = 0; i < n; i++) {
		probe_end(probes[i]);
		engine_pause(pause);
	}
	engine_unlock();
	deferred_free(pause->deferred);
}

void probes_end_list(struct link *list)
{
	struct engine_pause pause = {0};

	if (link_empty(list))
		return;
	port_grace_period();
	engine_lock();
	while (!link_empty(list)) {
		dtrace_probe_t *p = link_entry(list->next, dtrace_probe_t, unused);

		link_remove(&p->unused);
		probe_end(p);
		engine_pause(&pause);
	}
	engine_unlock();
	deferred_free(pause.deferred);
}

void dtrace_probe_destroy(dtrace_probe_t **probes, size_t n)
{
	struct engine_pause pause = {0};
	bool sync = false;

	engine_lock();
	for (size_t i = 0; i < n; i++) {
		if (probes[i]->prov->ops->sync)
			sync = true;
		if (probes[i]->ecbs)
			pause.turns += probes[i]->ecbs->live;
		probe_forget(probes[i]);
		engine_pause(&pause);
	}
	engine_unlock();
	if (sync)
		provider_sync_all();
	probes_end(probes, n, &pause);
}

void dtrace_probe_destroy_unused(dtrace_probe_t **probes, size_t n)
{
	struct engine_pause pause = {0};
	size_t unused = 0;

	engine_lock();
	for (size_t i = 0; i < n; i++) {
		if (probes[i]->ecbs)
			continue;
		probe_forget(probes[i]);
		probes[unused++] = probes[i];
		engine_pause(&pause);
	}
	engine_unlock();
	if (unused)
		probes_end(probes, unused, &pause);
}

dtrace_id_t dtrace_probe_id(const dtrace_probe_t *probe)
{
	return probe->id;
}

void *dtrace_probe_arg(const dtrace_probe_t *probe)
{
	return probe->parg;
}

bool dtrace_probe_enabled(const dtrace_probe_t *probe)
{
	return port_read_once(&probe->ecbs);
}

int dtrace_proberow(uint32_t *after, struct dtrace_proberow *info)
{
	dtrace_probe_t *p;

	engine_lock();
	p = idtable_next(&engine.probes, *after);
	if (p) {
		probe_desc(p, p->provname, &info->desc);
		info->necbs = p->ecbs ? p->ecbs->live : 0;
		*after = p->id;
	}
	engine_unlock();
	return p ? 0 : -ESRCH;
}
