/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * provider.c - the registry of providers, and the calls to them that are made without the engine
 * lock.
 */
#include "account.h"
#include "enabling.h"
#include "engine_impl.h"
#include "glob.h"
#include "listing.h"
#include "probe.h"
#include "state.h"
#include "table.h"

/*
 * Return whether a name is valid for a provider. It may end with a star instead of a number: such a
 * provider is that of all processes.
 */
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

/* Return the hash of a name for engine.providers_by_name. */
static uint32_t provider_hash(const char *name)
{
	return (uint32_t)hash_bytes(name, strlen(name), 0);
}

static dtrace_provider_t *provider_entry(struct hnode *n)
{
	return n ? link_entry(n, dtrace_provider_t, by_name) : NULL;
}

/* Return the first provider of that name, or NULL. [L] */
static dtrace_provider_t *provider_first(const char *name)
{
	struct hnode *n = htable_first(&engine.providers_by_name, provider_hash(name));

	ENGINE_ASSERT_LOCKED();
	while (n && strcmp(provider_entry(n)->name, name) != 0)
		n = htable_next(n);
	return provider_entry(n);
}

/* Return the next provider with the same name, or NULL. [L] */
static dtrace_provider_t *provider_same(const dtrace_provider_t *prov)
{
	struct hnode *n = htable_next(&prov->by_name);

	while (n && strcmp(provider_entry(n)->name, prov->name) != 0)
		n = htable_next(n);
	return provider_entry(n);
}

dtrace_provider_t *provider_next(uint32_t number)
{
	ENGINE_ASSERT_LOCKED();
	return idtable_next(&engine.providers, number);
}

/*
 * Number a provider and make it known by its name. -EEXIST: the key has a provider of that name.
 * -ENOMEM. [L]
 */
static int provider_enter(dtrace_provider_t *p)
{
	const dtrace_provider_t *other;
	int rc;

	ENGINE_ASSERT_LOCKED();
	for (other = provider_first(p->name); other; other = provider_same(other))
		if (other->key == p->key)
			return -EEXIST;
	rc = idtable_insert(&engine.providers, p, &p->number);
	if (rc)
		return rc;
	rc = htable_insert(&engine.providers_by_name, &p->by_name, provider_hash(p->name));
	if (rc) {
		idtable_remove(&engine.providers, p->number);
		return rc;
	}
	p->serial = ++engine.provider_serial;
	if (p->ops->prepare || p->ops->provide)
		link_append(&engine.providing, &p->providing);
	return 0;
}

int dtrace_provider_register_for(uint64_t key, const char *name, const dtrace_pattr_t *attr,
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
	p->key = key;
	p->attr = *attr;
	p->priv = *priv;
	p->ops = ops;
	p->arg = arg;
	link_init(&p->probes);
	p->fresh = &p->probes;
	link_init(&p->listings);
	link_init(&p->unused);
	link_init(&p->sync);
	link_init(&p->providing);
	engine_lock();
	rc = provider_enter(p);
	engine_unlock();
	if (rc)
		port_free(p);
	else
		*provp = p;
	return rc;
}

void *dtrace_provider_find(uint64_t key, const char *name)
{
	dtrace_provider_t *p;
	void *arg;

	engine_lock();
	for (p = provider_first(name); p && p->key != key; p = provider_same(p))
		;
	arg = p ? p->arg : NULL;
	engine_unlock();
	return arg;
}

int dtrace_provider_register(const char *name, const dtrace_pattr_t *attr,
			     const dtrace_ppriv_t *priv, const dtrace_provider_ops_t *ops,
			     void *arg, dtrace_provider_t **provp)
{
	return dtrace_provider_register_for(0, name, attr, priv, ops, arg, provp);
}

void provider_note_sync(dtrace_provider_t *prov)
{
	ENGINE_ASSERT_LOCKED();
	if (prov->ops->sync && link_empty(&prov->sync)) {
		prov->noted = ++engine.nnoted;
		link_append(&engine.unsynced, &prov->sync);
	}
}

/* Return the number of notes until now: a thread waits for these, however many others come. */
static uint64_t provider_count_notes(void)
{
	uint64_t n;

	engine_lock();
	n = engine.nnoted;
	engine_unlock();
	return n;
}

/* ---- the sync lock, under which nobody is charged for what operations allocate ---- */

static void sync_lock(void)
{
	port_mutex_lock(&engine.sync_lock);
	engine.sync_uncharged = port_uncharged_begin();
}

static int sync_lock_killable(void)
{
	int rc = port_mutex_lock_killable(&engine.sync_lock);

	if (rc == 0)
		engine.sync_uncharged = port_uncharged_begin();
	return rc;
}

static bool sync_try(void)
{
	bool locked = port_mutex_trylock(&engine.sync_lock);

	if (locked)
		engine.sync_uncharged = port_uncharged_begin();
	return locked;
}

static void sync_unlock(void)
{
	port_uncharged_end(engine.sync_uncharged);
	port_mutex_unlock(&engine.sync_lock);
}

/*
 * Call sync of the provider that was noted first, if it is one of the first n notes. Return whether
 * there was one; if not, sync of all of these has returned. [sync_lock]
 */
static bool provider_sync_first(uint64_t n)
{
	dtrace_provider_t *p = NULL;

	engine_lock();
	if (link_empty(&engine.unsynced))
		engine.sync_left = false;
	else
		p = link_entry(engine.unsynced.next, dtrace_provider_t, sync);
	if (p && p->noted > n)
		p = NULL;
	if (p)
		link_remove(&p->sync);
	engine_unlock();
	if (!p)
		return false;
	p->ops->sync(p->arg);
	listing_reap(p);
	return true;
}

/* Return whether a thread has left the providers that it noted to others. */
static bool provider_sync_is_left(void)
{
	bool left;

	engine_lock();
	left = engine.sync_left;
	engine_unlock();
	return left;
}

/* Call sync for threads that have left that to others, unless the owner of the sync lock will. */
static void provider_sync_left(void)
{
	while (provider_sync_is_left() && sync_try()) {
		provider_sync_first(UINT64_MAX);
		sync_unlock();
	}
}

/* Release the sync lock, and do what was left to its owner until then. */
static void provider_sync_unlock(void)
{
	sync_unlock();
	provider_sync_left();
}

void provider_sync_all(void)
{
	uint64_t n = provider_count_notes();
	bool more;

	do {
		sync_lock();
		more = provider_sync_first(n);
		provider_sync_unlock(); /* others need not wait for all providers */
	} while (more);
}

int provider_sync_killable(void)
{
	uint64_t n = provider_count_notes();
	bool more;

	do {
		if (sync_lock_killable() != 0)
			return -EINTR;
		more = provider_sync_first(n);
		provider_sync_unlock();
	} while (more);
	return 0;
}

void provider_sync_soon(void)
{
	engine_lock();
	engine.sync_left = true;
	engine_unlock();
	provider_sync_left();
}

/* Copy the provider's probes to an array of that capacity. Return their number. [L] */
static size_t provider_take_probes(const dtrace_provider_t *prov, dtrace_probe_t **probes,
				   size_t capacity)
{
	struct link *l;
	size_t n = 0;

	link_for_each(l, &prov->probes) {
		if (n == capacity)
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
	size_t n, capacity = 16;

	engine_lock();
	if (prov->nprobes > capacity)
		probes = port_alloc(prov->nprobes * sizeof(*probes));
	if (probes && prov->nprobes > capacity)
		capacity = prov->nprobes;
	else
		probes = few;
	engine_unlock();
	for (;;) {
		engine_lock();
		n = provider_take_probes(prov, probes, capacity);
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
	idtable_remove(&engine.providers, prov->number);
	link_remove(&prov->providing);
	engine_unlock();
	provider_destroy_probes(prov);
	/*
	 * A sync or provide of this provider may be running: both are called under the sync
	 * lock.
	 */
	if (prov->ops->sync || prov->ops->provide) {
		sync_lock();
		engine_lock();
		link_remove(&prov->sync);
		engine_unlock();
		provider_sync_unlock();
	}
	port_free(prov);
}

/*
 * Return the first visible provider whose serial number is higher and that has the operation
 * prepare, or provide. cred: decides visibility. [L]
 */
static dtrace_provider_t *provider_next_providing(const struct dtrace_cred *cred, uint64_t serial,
						  bool prepare)
{
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	link_for_each(l, &engine.providing) {
		dtrace_provider_t *p = link_entry(l, dtrace_provider_t, providing);

		if (p->serial > serial && (prepare ? p->ops->prepare : p->ops->provide) &&
		    provider_visible(p, cred))
			return p;
	}
	return NULL;
}

/* Call prepare of all visible providers, and charge nobody for what it allocates. */
static int provider_prepare_all(const struct dtrace_cred *cred, const dtrace_probedesc_t *desc)
{
	dtrace_provider_t *p;
	uint64_t serial = 0;
	int error, rc = 0;
	void *before;

	do {
		engine_lock();
		p = provider_next_providing(cred, serial, true);
		serial = p ? p->serial : 0;
		engine_unlock();
		before = port_uncharged_begin();
		error = p ? p->ops->prepare(p->arg, desc) : 0;
		port_uncharged_end(before);
		if (!rc || error == -EINTR)
			rc = error;
	} while (p && rc != -EINTR);
	return rc;
}

int provider_provide_all(const dtrace_state_t *state, const dtrace_probedesc_t *desc)
{
	int error, rc = provider_prepare_all(&state->cred, desc);
	dtrace_provider_t *p;
	uint64_t serial = 0;

	if (rc == -EINTR || account_turn_begin(state->account) != 0)
		return -EINTR;
	do {
		if (sync_lock_killable() != 0) {
			rc = -EINTR;
			break;
		}
		engine_lock();
		p = provider_next_providing(&state->cred, serial, false);
		serial = p ? p->serial : 0;
		engine_unlock();
		error = p ? p->ops->provide(p->arg, desc) : 0;
		provider_sync_unlock(); /* others need not wait for all providers */
		if (!rc)
			rc = error;
		if (port_relax() != 0)
			rc = -EINTR;
	} while (p && rc != -EINTR);
	account_turn_end(state->account);
	return rc;
}

#define FRESH_BATCH 64U /* probes that are matched at a time */

/* Hold the first fresh probes of a provider, at most FRESH_BATCH. Return their number. [L] */
static uint32_t provider_take_fresh(dtrace_provider_t *prov, dtrace_probe_t **batch)
{
	uint32_t n = 0;
	struct link *l;

	ENGINE_ASSERT_LOCKED();
	for (l = prov->fresh; l != &prov->probes && n < FRESH_BATCH; l = l->next) {
		batch[n] = link_entry(l, dtrace_probe_t, link);
		batch[n++]->refs++;
	}
	return n;
}

/* Release them: enablings have seen them. [L] */
static void provider_put_fresh(dtrace_provider_t *prov, dtrace_probe_t **batch, uint32_t n)
{
	ENGINE_ASSERT_LOCKED();
	for (uint32_t i = 0; i < n; i++) {
		batch[i]->fresh = false;
		probe_unref(batch[i]);
	}
	while (prov->fresh != &prov->probes &&
	       !link_entry(prov->fresh, dtrace_probe_t, link)->fresh)
		prov->fresh = prov->fresh->next;
}

/*
 * End a pass over probes that have come, and have providers do what it has left to their sync
 * operations. If the caller is being killed, leave it to a thread that does such work.
 */
static void provider_end_match(dtrace_provider_t *prov, struct matching *m)
{
	bool wait = m->found && prov->ops->sync;

	deferred_free(m->pause.deferred);
	port_free(m);
	if (wait && provider_sync_killable() != 0)
		provider_sync_soon();
}

int dtrace_provider_match(dtrace_provider_t *prov)
{
	dtrace_probe_t *batch[FRESH_BATCH];
	struct matching *m = port_alloc(sizeof(*m));
	uint32_t n;

	if (!m)
		return -ENOMEM;
	engine_lock();
	while ((n = provider_take_fresh(prov, batch))) {
		struct fresh fresh = {.probes = batch, .n = n};

		enabling_match_fresh(m, prov, &fresh);
		provider_put_fresh(prov, batch, n);
	}
	engine_unlock();
	provider_end_match(prov, m);
	return 0;
}

int dtrace_listing_match(dtrace_listing_t *l)
{
	struct matching *m = port_alloc(sizeof(*m));
	struct fresh fresh = {.listing = l};

	if (!m)
		return -ENOMEM;
	engine_lock();
	for (; fresh.from < l->n; fresh.from += fresh.n) {
		fresh.n = l->n - fresh.from < FRESH_BATCH ? l->n - fresh.from : FRESH_BATCH;
		enabling_match_fresh(m, l->prov, &fresh);
	}
	engine_unlock();
	provider_end_match(l->prov, m);
	return 0;
}

/* Return whether a provider is visible in the PID namespace of a session. */
static bool provider_in_ns(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	char buf[DTRACE_PROVNAMELEN];

	return !cred->pid_ns || !prov->ops->name_in_ns ||
	       prov->ops->name_in_ns(prov->arg, cred->pid_ns, 0, buf);
}

/* Return whether the user of a session owns what a provider describes. [L] */
static bool provider_owned(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	return prov->ops->owned_by ? prov->ops->owned_by(prov->arg, cred)
				   : prov->priv.dtpp_uid == cred->uid;
}

bool provider_visible(const dtrace_provider_t *prov, const struct dtrace_cred *cred)
{
	uint32_t needs = prov->priv.dtpp_flags;

	ENGINE_ASSERT_LOCKED();
	if (needs & ~cred->privs & DTRACE_PRIV_OWNER && provider_owned(prov, cred))
		needs &= ~(uint32_t)DTRACE_PRIV_OWNER;
	return !(needs & ~cred->privs) && provider_in_ns(prov, cred);
}

const char *provider_name(const dtrace_provider_t *prov, const struct dtrace_cred *cred,
			  char buf[DTRACE_PROVNAMELEN])
{
	if (cred->pid_ns && prov->ops->name_in_ns &&
	    prov->ops->name_in_ns(prov->arg, cred->pid_ns, 0, buf))
		return buf;
	return prov->name;
}

/* Return the first provider of that name that a session sees, or NULL. [L] */
static dtrace_provider_t *provider_find_name(const dtrace_state_t *state, const char *name)
{
	dtrace_provider_t *p;

	ENGINE_ASSERT_LOCKED();
	for (p = provider_first(name); p; p = provider_same(p))
		if (provider_visible(p, &state->cred))
			return p;
	return NULL;
}

/*
 * Return the first provider that has that name in the session's PID namespace, or NULL. Pauses.
 * NULL too if a fatal signal is pending. [L]
 */
static dtrace_provider_t *provider_find_seen(const dtrace_state_t *state, const char *name,
					     struct engine_pause *pause)
{
	char buf[DTRACE_PROVNAMELEN];
	uint32_t number = 0;
	dtrace_provider_t *p;

	ENGINE_ASSERT_LOCKED();
	while ((p = provider_next(number))) {
		number = p->number;
		if (provider_visible(p, &state->cred) &&
		    !strcmp(provider_name(p, &state->cred, buf), name))
			return p;
		if (engine_pause(pause) != 0)
			return NULL;
	}
	return NULL;
}

int dtrace_state_provider(dtrace_state_t *state, dtrace_providerdesc_t *desc)
{
	struct engine_pause pause = {0};
	dtrace_provider_t *p;
	int rc = account_turn_begin(state->account);

	if (rc)
		return rc;
	desc->dtvd_name[DTRACE_PROVNAMELEN - 1] = '\0';
	engine_lock();
	p = state->cred.pid_ns ? provider_find_seen(state, desc->dtvd_name, &pause)
			       : provider_find_name(state, desc->dtvd_name);
	if (p) {
		desc->dtvd_attr = p->attr;
		desc->dtvd_priv = p->priv;
	}
	engine_unlock();
	account_turn_end(state->account);
	deferred_free(pause.deferred);
	return p ? 0 : -ESRCH;
}

/* Return whether a session sees a probe, and the patterns in match, if not NULL, match it. [L] */
static bool provider_lists(dtrace_probe_t *p, const dtrace_state_t *state,
			   const struct glob_desc *match)
{
	char buf[DTRACE_PROVNAMELEN];

	if (match && !probe_matches_within(p, match))
		return false;
	if (!provider_visible(p->prov, &state->cred))
		return false;
	return !match || glob_match(&match->prov, provider_name(p->prov, &state->cred, buf));
}

/* The patterns of a session's last request, which most often is followed by one with the same. */
struct search {
	dtrace_probedesc_t pattern;
	struct glob_desc globs;
};

/*
 * Describe the thing with that number if it is a probe, or an element of a listing, that the
 * session sees and that matches. *next: the number to go on with. [L]
 */
static bool search_at(const dtrace_state_t *state, const struct glob_desc *match, dtrace_id_t *next,
		      dtrace_probedesc_t *desc)
{
	dtrace_id_t id = *next;
	dtrace_probe_t *p = idtable_lookup(&engine.probes, id);
	char name[DTRACE_PROVNAMELEN];
	const dtrace_listing_t *l;
	uint32_t nth;

	ENGINE_ASSERT_LOCKED();
	*next = id + 1;
	if (p) {
		if (!provider_lists(p, state, match))
			return false;
		probe_desc(p, provider_name(p->prov, &state->cred, name), desc);
		return true;
	}
	l = listing_of(id, &nth);
	if (!l)
		return false;
	if (!provider_visible(l->prov, &state->cred) ||
	    (match && (!listing_could(l, match) || !glob_match(&match->prov, l->prov->name)))) {
		/* the elements that exist match no more than these */
		*next = l->first + l->n;
		return false;
	}
	return listing_matches(l, nth, match) &&
	       listing_desc(l, nth, provider_name(l->prov, &state->cred, name), desc);
}

/*
 * Go on to the first number whose probe the session may see and the description matches, as far as
 * the index of names finds all of them; otherwise stay. Pauses. -EINTR. [L]
 */
static int search_indexed(const dtrace_state_t *state, const struct glob_desc *match,
			  dtrace_id_t *next, struct engine_pause *pause)
{
	dtrace_id_t best = engine.probes.size + 1;
	char name[DTRACE_PROVNAMELEN];
	const dtrace_provider_t *prov;
	uint32_t number = 0;
	int rc = 0;

	ENGINE_ASSERT_LOCKED();
	while (!rc && (prov = provider_next(number))) {
		number = prov->number;
		if (provider_visible(prov, &state->cred) &&
		    glob_match(&match->prov, provider_name(prov, &state->cred, name))) {
			if (!provider_is_indexed(prov, match))
				return 0;
			for (dtrace_probe_t *p = probe_first_indexed(prov, match); p;
			     p = probe_next_indexed(p, match))
				if (p->id >= *next && p->id < best)
					best = p->id;
		}
		rc = engine_pause(pause);
	}
	if (!rc)
		*next = best;
	return rc;
}

/*
 * Make the patterns of a request ready, or take those of the request before. They stay as long as
 * the lock is held. NULL: no memory. [session's lock]
 */
static const struct glob_desc *search_patterns(dtrace_state_t *state,
					       const dtrace_probedesc_t *desc)
{
	struct search *s = state->search;

	STATE_ASSERT_LOCKED(state);
	if (!s)
		s = state->search = port_alloc(sizeof(*s));
	else if (!memcmp(&s->pattern, desc, sizeof(*desc)))
		return &s->globs;
	if (!s)
		return NULL;
	s->pattern = *desc;
	glob_desc_compile(&s->globs, &s->pattern);
	return &s->globs;
}

/* Carry out dtrace_state_probes(). [session's lock] */
static int search_next(dtrace_state_t *state, bool match, dtrace_probedesc_t *desc)
{
	dtrace_id_t id = desc->dtpd_id ? desc->dtpd_id : 1;
	const struct glob_desc *globs = NULL;
	struct engine_pause pause = {0};
	bool found = false;
	int refused = 0, rc;

	STATE_ASSERT_LOCKED(state);
	desc->dtpd_provider[DTRACE_PROVNAMELEN - 1] = desc->dtpd_mod[DTRACE_MODNAMELEN - 1] = '\0';
	desc->dtpd_func[DTRACE_FUNCNAMELEN - 1] = desc->dtpd_name[DTRACE_NAMELEN - 1] = '\0';
	desc->dtpd_id = DTRACE_IDNONE;
	if (match) {
		globs = search_patterns(state, desc);
		if (!globs)
			return -ENOMEM;
	}
	if (id < 2)
		refused = provider_provide_all(state, match ? desc : NULL);
	rc = refused == -EINTR ? refused : account_turn_begin(state->account);
	if (rc)
		return rc;
	engine_lock();
	if (globs)
		rc = search_indexed(state, globs, &id, &pause);
	while (!rc && id <= engine.probes.size) {
		found = search_at(state, globs, &id, desc);
		if (found)
			break;
		rc = engine_pause(&pause);
	}
	if (!rc && !found)
		rc = refused ? refused : -ESRCH;
	engine_unlock();
	account_turn_end(state->account);
	deferred_free(pause.deferred);
	return rc;
}

int dtrace_state_probes(dtrace_state_t *state, bool match, dtrace_probedesc_t *desc)
{
	int rc = state_lock(state);

	if (rc)
		return rc;
	rc = search_next(state, match, desc);
	state_unlock(state);
	return rc;
}

int dtrace_state_probe_list(dtrace_state_t *state, dtrace_probes_io_t *io,
			    dtrace_probedesc_t *descs)
{
	dtrace_id_t next = io->pattern.dtpd_id;
	int rc = state_lock(state);

	io->n = 0;
	if (rc)
		return rc;
	do {
		descs[io->n] = io->pattern;
		descs[io->n].dtpd_id = next;
		rc = search_next(state, io->match, &descs[io->n]);
		if (rc)
			break;
		next = descs[io->n++].dtpd_id + 1;
	} while (io->n < io->capacity && next && !port_relax());
	state_unlock(state);
	return io->n ? 0 : rc;
}

/* Copy the name of a type, which may be NULL, and cut it to size. */
static void arg_copy_type(char to[DTRACE_ARGTYPELEN], const char *type)
{
	size_t n = type ? strlen(type) : 0;

	if (n >= DTRACE_ARGTYPELEN)
		n = DTRACE_ARGTYPELEN - 1;
	if (n)
		memcpy(to, type, n);
	to[n] = '\0';
}

int dtrace_state_probearg(dtrace_state_t *state, dtrace_argdesc_t *desc)
{
	struct dtrace_arg arg = {.native = (unsigned int)desc->dtargd_ndx};
	const dtrace_listing_t *l;
	dtrace_probe_t *p;
	uint32_t nth;
	/* One thread of a session at a time takes the engine lock. */
	int rc = state_lock(state);

	if (rc)
		return rc;
	rc = -ESRCH;
	engine_lock();
	p = idtable_lookup(&engine.probes, desc->dtargd_id);
	if (p && provider_visible(p->prov, &state->cred)) {
		if (desc->dtargd_ndx < 0 || !p->prov->ops->getarg ||
		    !p->prov->ops->getarg(p->prov->arg, p, p->parg, arg.native, &arg))
			desc->dtargd_ndx = DTRACE_ARGNONE;
		desc->dtargd_mapping = (int32_t)arg.native;
		arg_copy_type(desc->dtargd_native, arg.type);
		arg_copy_type(desc->dtargd_xlate, arg.xlate);
		rc = 0;
	} else if (!p && (l = listing_of(desc->dtargd_id, &nth)) &&
		   provider_visible(l->prov, &state->cred)) {
		desc->dtargd_ndx = DTRACE_ARGNONE;
		rc = 0;
	}
	engine_unlock();
	state_unlock(state);
	return rc;
}

int dtrace_providerrow(uint32_t *after, struct dtrace_providerrow *info)
{
	const dtrace_provider_t *p;

	engine_lock();
	p = provider_next(*after);
	if (p) {
		memcpy(info->name, p->name, sizeof(info->name));
		info->nprobes = p->nprobes;
		info->nenabled = p->nenabled;
		info->priv = p->priv.dtpp_flags;
		*after = p->number;
	}
	engine_unlock();
	return p ? 0 : -ESRCH;
}
