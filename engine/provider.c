/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * provider.c - the registry of providers, and the calls to them that are made without the engine
 * lock.
 */
#include "core.h"

/* A star may stand at the end, for a number: the provider is that of all processes. */
static bool provider_name_valid(const char *name)
{
	size_t n = strlen(name);

	if (!n || n >= DTRACE_PROVNAMELEN || (name[0] >= '0' && name[0] <= '9'))
		return false;
	for (const char *s = name; *s; s++)
		if (!((*s >= 'a' && *s <= 'z') || (*s >= 'A' && *s <= 'Z') ||
		      (*s >= '0' && *s <= '9') || *s == '_' || *s == '-' || *s == '.' ||
		      (*s == '*' && !s[1] && s != name)))
			return false;
	return true;
}

static dtrace_provider_t *provider_find(const char *name)
{
	uint32_t hash = hash_bytes(name, strlen(name), 0);

	ENGINE_ASSERT_LOCKED();
	for (struct hnode *n = htable_first(&engine.providers_by_name, hash); n;
	     n = htable_next(n)) {
		dtrace_provider_t *p = link_entry(n, dtrace_provider_t, by_name);

		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static int provider_enter(dtrace_provider_t *p)
{
	int rc;

	ENGINE_ASSERT_LOCKED();
	if (provider_find(p->name))
		return -EEXIST;
	rc = htable_insert(&engine.providers_by_name, &p->by_name,
			   hash_bytes(p->name, strlen(p->name), 0));
	if (rc)
		return rc;
	p->number = ++engine.provider_number;
	link_append(&engine.providers, &p->link);
	return 0;
}

int dtrace_provider_register(const char *name, const dtrace_pattr_t *attr,
			     const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
			     void *arg, dtrace_provider_t **provp)
{
	dtrace_provider_t *p;
	int rc;

	if (!provider_name_valid(name))
		return -EINVAL;
	p = port_alloc(sizeof(*p));
	if (!p)
		return -ENOMEM;
	memcpy(p->name, name, strlen(name) + 1);
	p->attr = *attr;
	p->priv = *priv;
	p->ops = ops;
	p->arg = arg;
	link_init(&p->probes);
	link_init(&p->settle);
	engine_lock();
	rc = provider_enter(p);
	engine_unlock();
	if (rc)
		port_free(p);
	else
		*provp = p;
	return rc;
}

/* All probes of a provider, at most as many as fit; the number. */
static size_t provider_take_probes(const dtrace_provider_t *prov, dtrace_probe_t **probes,
				   size_t room)
{
	struct link *l;
	size_t n = 0;

	link_for_each(l, &prov->probes) {
		if (n == room)
			break;
		probes[n++] = link_entry(l, dtrace_probe_t, link);
	}
	return n;
}

/* Remove all probes, many at a time if there is memory for a long list of them. */
static void provider_destroy_probes(dtrace_provider_t *prov)
{
	dtrace_probe_t *few[16];
	dtrace_probe_t **probes = few;
	size_t n, room = 16;

	engine_lock();
	if (prov->nprobes > room)
		probes = port_alloc(prov->nprobes * sizeof(*probes));
	if (probes && prov->nprobes > room)
		room = prov->nprobes;
	else
		probes = few;
	engine_unlock();
	for (;;) {
		engine_lock();
		n = provider_take_probes(prov, probes, room);
		engine_unlock();
		if (!n)
			break;
		dtrace_probe_destroy(probes, n);
	}
	if (probes != few)
		port_free(probes);
}

void dtrace_provider_unregister(dtrace_provider_t *prov)
{
	engine_lock();
	htable_remove(&engine.providers_by_name, &prov->by_name);
	link_remove(&prov->link);
	engine_unlock();
	provider_destroy_probes(prov);
	/*
	 * A settle or provide of this provider may be running: both are called under the settle
	 * lock.
	 */
	port_mutex_lock(&engine.settle_lock);
	engine_lock();
	link_remove(&prov->settle);
	engine_unlock();
	port_mutex_unlock(&engine.settle_lock);
	port_free(prov);
}

void provider_note_settle(dtrace_provider_t *prov)
{
	ENGINE_ASSERT_LOCKED();
	if (prov->ops->settle && link_empty(&prov->settle))
		link_append(&engine.unsettled, &prov->settle);
}

void provider_settle_all(void)
{
	port_mutex_lock(&engine.settle_lock);
	engine_lock();
	while (!link_empty(&engine.unsettled)) {
		dtrace_provider_t *p = link_entry(engine.unsettled.next, dtrace_provider_t, settle);

		link_remove(&p->settle);
		engine_unlock();
		p->ops->settle(p->arg);
		engine_lock();
	}
	engine_unlock();
	port_mutex_unlock(&engine.settle_lock);
}

/* The first provider registered after number that has a provide operation. */
static dtrace_provider_t *provider_next_provide(uint32_t number)
{
	struct link *l;

	link_for_each(l, &engine.providers) {
		dtrace_provider_t *p = link_entry(l, dtrace_provider_t, link);

		if (p->number > number && p->ops->provide)
			return p;
	}
	return NULL;
}

int provider_provide_all(const dtrace_probedesc_t *desc)
{
	dtrace_provider_t *p;
	uint32_t number = 0;
	int rc = 0;

	port_mutex_lock(&engine.settle_lock);
	for (;;) {
		engine_lock();
		p = provider_next_provide(number);
		number = p ? p->number : 0;
		engine_unlock();
		if (!p)
			break;
		if (p->ops->provide(p->arg, desc) != 0)
			rc = -ENOSPC;
	}
	port_mutex_unlock(&engine.settle_lock);
	return rc;
}

void dtrace_provider_match(dtrace_provider_t *prov)
{
	struct link *l, *e;

	engine_lock();
	link_for_each(l, &engine.states) {
		dtrace_state_t *state = link_entry(l, dtrace_state_t, link);

		if (port_read_once(&state->activity) >= DTRACE_ACTIVITY_DRAINING)
			continue;
		link_for_each(e, &state->enablings)
			enabling_match(state, link_entry(e, struct enabling, link), prov);
	}
	for (l = prov->probes.prev; l != &prov->probes; l = l->prev) {
		if (!link_entry(l, dtrace_probe_t, link)->fresh)
			break;
		link_entry(l, dtrace_probe_t, link)->fresh = false;
	}
	engine_unlock();
	provider_settle_all();
}

static bool provider_is_in_view(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	char buf[DTRACE_PROVNAMELEN];

	return !cred->view || !prov->ops->called || prov->ops->called(prov->arg, cred->view, 0, buf);
}

static bool provider_owned(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	return prov->ops->owned ? prov->ops->owned(prov->arg, cred) :
				  prov->priv.dtpp_uid == cred->uid;
}

bool provider_visible(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	uint32_t needs = prov->priv.dtpp_flags;

	if (needs & ~cred->privs & DTRACE_PRIV_OWNER && provider_owned(prov, cred))
		needs &= ~(uint32_t)DTRACE_PRIV_OWNER;
	return !(needs & ~cred->privs) && provider_is_in_view(prov, cred);
}

const char *provider_name(const dtrace_provider_t *prov, const struct dtrace_cred *cred,
			  char buf[DTRACE_PROVNAMELEN])
{
	if (cred->view && prov->ops->called && prov->ops->called(prov->arg, cred->view, 0, buf))
		return buf;
	return prov->name;
}

/* By the name that it has for the session. */
static dtrace_provider_t *provider_find_seen(const dtrace_state_t *state, const char *name)
{
	char buf[DTRACE_PROVNAMELEN];
	struct link *l;

	if (!state->cred.view)
		return provider_find(name);
	link_for_each(l, &engine.providers) {
		dtrace_provider_t *p = link_entry(l, dtrace_provider_t, link);

		if (provider_visible(p, &state->cred) &&
		    !strcmp(provider_name(p, &state->cred, buf), name))
			return p;
	}
	return NULL;
}

int dtrace_state_provider(dtrace_state_t *state, dtrace_providerdesc_t *desc)
{
	dtrace_provider_t *p;

	desc->dtvd_name[DTRACE_PROVNAMELEN - 1] = '\0';
	engine_lock();
	p = provider_find_seen(state, desc->dtvd_name);
	if (p && !provider_visible(p, &state->cred))
		p = NULL;
	if (p) {
		desc->dtvd_attr = p->attr;
		desc->dtvd_priv = p->priv;
	}
	engine_unlock();
	return p ? 0 : -ESRCH;
}

static bool provider_lists(dtrace_probe_t *p, const dtrace_state_t *state, bool match,
			   const dtrace_probedesc_t *pattern)
{
	char buf[DTRACE_PROVNAMELEN];

	if (!provider_visible(p->prov, &state->cred))
		return false;
	return !match || (probe_matches_within(p, pattern) &&
			  glob_match(pattern->dtpd_provider,
				     provider_name(p->prov, &state->cred, buf)));
}

int dtrace_state_probes(dtrace_state_t *state, bool match, dtrace_probedesc_t *desc)
{
	dtrace_probedesc_t *pattern = port_alloc(sizeof(*pattern));
	dtrace_id_t id = desc->dtpd_id;
	char name[DTRACE_PROVNAMELEN];
	dtrace_probe_t *p;
	int rc = 0;

	if (!pattern)
		return -ENOMEM;
	desc->dtpd_provider[DTRACE_PROVNAMELEN - 1] = desc->dtpd_mod[DTRACE_MODNAMELEN - 1] = '\0';
	desc->dtpd_func[DTRACE_FUNCNAMELEN - 1] = desc->dtpd_name[DTRACE_NAMELEN - 1] = '\0';
	*pattern = *desc;
	pattern->dtpd_id = DTRACE_IDNONE;
	if (id < 2)
		rc = provider_provide_all(match ? pattern : NULL);
	engine_lock();
	for (p = idtable_next(&engine.probes, id); p; p = idtable_next(&engine.probes, p->id + 1))
		if (provider_lists(p, state, match, pattern))
			break;
	if (p)
		probe_desc(p, provider_name(p->prov, &state->cred, name), desc);
	engine_unlock();
	port_free(pattern);
	return p ? 0 : rc ? rc : -ESRCH;
}

int dtrace_state_probearg(dtrace_state_t *state, dtrace_argdesc_t *desc)
{
	dtrace_probe_t *p;
	int rc = -ESRCH;

	engine_lock();
	p = idtable_lookup(&engine.probes, desc->dtargd_id);
	if (p && provider_visible(p->prov, &state->cred)) {
		desc->dtargd_mapping = desc->dtargd_ndx;
		desc->dtargd_native[0] = desc->dtargd_xlate[0] = '\0';
		if (p->prov->ops->getargdesc)
			p->prov->ops->getargdesc(p->prov->arg, p, p->parg, desc);
		else
			desc->dtargd_ndx = DTRACE_ARGNONE;
		rc = 0;
	}
	engine_unlock();
	return rc;
}

int dtrace_providerinfo(uint32_t *after, struct dtrace_providerinfo *info)
{
	struct link *l;

	engine_lock();
	link_for_each(l, &engine.providers) {
		dtrace_provider_t *p = link_entry(l, dtrace_provider_t, link);

		if (p->number <= *after)
			continue;
		memcpy(info->name, p->name, sizeof(info->name));
		info->nprobes = p->nprobes;
		info->nenabled = p->nenabled;
		info->priv = p->priv.dtpp_flags;
		*after = p->number;
		engine_unlock();
		return 0;
	}
	engine_unlock();
	return -ESRCH;
}
