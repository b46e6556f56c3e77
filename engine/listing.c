/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * listing.c - probes that exist only while they are enabled: the engine lists and matches them by
 * the names that their provider has, and makes the provider create the probes that a clause takes.
 *
 * A listing has a number for each of its elements from the beginning, so that an element has the
 * same number whether its probe exists or not. An element is a function and a name: elements with
 * the same function follow each other.
 */
#include "engine_impl.h"
#include "glob.h"
#include "listing.h"
#include "probe.h"
#include "table.h"

int dtrace_listing_create(dtrace_provider_t *prov, uint32_t n, const char *const *names, void *larg,
			  dtrace_listing_t **listing)
{
	dtrace_listing_t *l = port_alloc(sizeof(*l));
	int rc;

	if (!l)
		return -ENOMEM;
	while (names[l->nnames])
		l->nnames++;
	l->names = names;
	l->n = n * l->nnames;
	l->prov = prov;
	l->arg = larg;
	engine_lock();
	rc = idtable_reserve(&engine.probes, l->n, l, &l->first);
	if (!rc) {
		l->serial = ++engine.probe_serial;
		link_append(&prov->listings, &l->link);
	}
	engine_unlock();
	if (rc)
		port_free(l);
	else
		*listing = l;
	return rc;
}

/* Forget a probe, which is to end with others of a list. [L] */
static void listing_forget(dtrace_probe_t *p, struct link *list)
{
	ENGINE_ASSERT_LOCKED();
	probe_forget(p);
	link_append(list, &p->unused);
}

void dtrace_listing_destroy(dtrace_listing_t *l)
{
	struct engine_pause pause = {0};
	struct link list;

	link_init(&list);
	engine_lock();
	link_remove(&l->link); /* from here on no element comes into being */
	for (dtrace_id_t id = l->first; id < l->first + l->n; id++) {
		dtrace_probe_t *p = idtable_lookup(&engine.probes, id);

		if (p)
			listing_forget(p, &list);
		engine_pause(&pause);
	}
	idtable_release(&engine.probes, l->first, l->n);
	engine_unlock();
	deferred_free(pause.deferred);
	provider_sync_all();
	probes_end_list(&list);
	port_free(l);
}

void listing_reap(dtrace_provider_t *prov)
{
	struct engine_pause pause = {0};
	struct link list;

	link_init(&list);
	engine_lock();
	while (!link_empty(&prov->unused)) {
		listing_forget(link_entry(prov->unused.next, dtrace_probe_t, unused), &list);
		engine_pause(&pause);
	}
	engine_unlock();
	deferred_free(pause.deferred);
	probes_end_list(&list);
}

dtrace_listing_t *listing_of(dtrace_id_t id, uint32_t *nth)
{
	dtrace_listing_t *l = idtable_owner(&engine.probes, id);

	ENGINE_ASSERT_LOCKED();
	if (!l || link_empty(&l->link))
		return NULL;
	*nth = id - l->first;
	return l;
}

dtrace_listing_t *listing_after(dtrace_provider_t *prov, uint64_t serial)
{
	struct link *i;

	ENGINE_ASSERT_LOCKED();
	link_for_each(i, &prov->listings)
		if (link_entry(i, dtrace_listing_t, link)->serial > serial)
			return link_entry(i, dtrace_listing_t, link);
	return NULL;
}

static bool listing_names(const dtrace_listing_t *l, uint32_t nth, struct dtrace_listed *names)
{
	ENGINE_ASSERT_LOCKED();
	return l->prov->ops->listed(l->prov->arg, l->arg, nth / l->nnames, names) &&
	       !(names->lacks >> nth % l->nnames & 1);
}

bool listing_could(const dtrace_listing_t *l, const struct glob_desc *g)
{
	for (uint32_t i = 0; i < l->nnames; i++)
		if (glob_match(&g->name, l->names[i]))
			return true;
	return false;
}

static bool listed_module_matches(const struct dtrace_listed *names, const struct glob *g)
{
	if (glob_match(g, names->mod))
		return true;
	for (const char *const *other = names->mod_names; other && *other; other++)
		if (glob_match(g, *other))
			return true;
	return false;
}

bool listing_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob_desc *g)
{
	struct dtrace_listed names = {0};

	if (g && !glob_match(&g->name, l->names[nth % l->nnames]))
		return false;
	if (!listing_names(l, nth, &names) || (names.named && (!g || g->func.kind != GLOB_LITERAL)))
		return false;
	return !g || (glob_match(&g->func, names.func) && listed_module_matches(&names, &g->mod));
}

bool listing_desc(const dtrace_listing_t *l, uint32_t nth, const char *provname,
		  dtrace_probedesc_t *desc)
{
	const char *name = l->names[nth % l->nnames];
	struct dtrace_listed names = {0};

	if (!listing_names(l, nth, &names))
		return false;
	memset(desc, 0, sizeof(*desc));
	desc->dtpd_id = l->first + nth;
	memcpy(desc->dtpd_provider, provname, strlen(provname));
	memcpy(desc->dtpd_mod, names.mod, strlen(names.mod));
	memcpy(desc->dtpd_func, names.func, strlen(names.func));
	memcpy(desc->dtpd_name, name, strlen(name));
	return true;
}

dtrace_probe_t *listing_probe(dtrace_listing_t *l, uint32_t nth, bool *made)
{
	dtrace_probe_t *p = idtable_lookup(&engine.probes, l->first + nth);
	const dtrace_provider_t *prov = l->prov;
	struct dtrace_listed names = {0};
	uint32_t name = nth % l->nnames;
	void *parg;

	ENGINE_ASSERT_LOCKED();
	*made = false;
	if (p)
		return p;
	if (!listing_names(l, nth, &names))
		return NULL;
	parg = prov->ops->make(prov->arg, l->arg, nth / l->nnames, name);
	if (!parg)
		return NULL;
	p = probe_create_at(l, nth, &names, l->names[name], parg);
	if (p)
		prov->ops->made(parg, p);
	else
		prov->ops->destroy(prov->arg, NULL, parg);
	*made = p;
	return p;
}
