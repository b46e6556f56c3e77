/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * engine.c - the engine as a whole: its beginning and end, its lock, and its own provider, dtrace.
 */
#include "account.h"
#include "dif_mem.h"
#include "engine_impl.h"
#include "fire.h"
#include "table.h"

struct engine engine;

/* ---- the engine lock ---- */

void engine_lock(void)
{
	port_mutex_lock(&engine.lock);
	engine.uncharged = port_uncharged_begin();
}

void dtrace_engine_assert_locked(void)
{
	ENGINE_ASSERT_LOCKED();
}

void engine_unlock(void)
{
	struct deferred *deferred = engine.deferred;

	engine.deferred = NULL;
	port_uncharged_end(engine.uncharged);
	port_mutex_unlock(&engine.lock);
	deferred_free(deferred);
}

#define PAUSE_TURNS 256 /* of engine_pause(), until it releases the lock */

int engine_pause(struct engine_pause *pause)
{
	struct deferred *d;
	int rc;

	pause->paused = ++pause->turns >= PAUSE_TURNS;
	if (!pause->paused)
		return 0;
	pause->turns = 0;
	while ((d = engine.deferred)) {
		engine.deferred = d->next;
		deferred_add(&pause->deferred, d);
	}
	port_uncharged_end(engine.uncharged);
	port_mutex_unlock(&engine.lock);
	rc = port_relax();
	engine_lock();
	return rc;
}

/* ---- beginning and end ---- */

static const dtrace_pattr_t engine_attr = {
	{DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE, DTRACE_CLASS_COMMON},
	{DTRACE_STABILITY_PRIVATE, DTRACE_STABILITY_PRIVATE, DTRACE_CLASS_UNKNOWN},
	{DTRACE_STABILITY_PRIVATE, DTRACE_STABILITY_PRIVATE, DTRACE_CLASS_UNKNOWN},
	{DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE, DTRACE_CLASS_COMMON},
	{DTRACE_STABILITY_STABLE, DTRACE_STABILITY_STABLE, DTRACE_CLASS_COMMON},
};

/* Register the provider dtrace and its probes BEGIN, END and ERROR. */
static int engine_init_provider(void)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_ppriv_t priv;
	int rc = dtrace_provider_register("dtrace", &engine_attr, &priv, &ops, NULL, &engine.prov);

	if (!rc)
		rc = dtrace_probe_create(engine.prov, "", "", "BEGIN", NULL, &engine.begin);
	if (!rc)
		rc = dtrace_probe_create(engine.prov, "", "", "END", NULL, &engine.end);
	if (!rc)
		rc = dtrace_probe_create(engine.prov, "", "", "ERROR", NULL, &engine.error);
	return rc;
}

/*
 * Allocate an mstate, with scratch, for each CPU. -ENOMEM: dtrace_engine_fini() frees what there
 * is.
 */
static int engine_init_mstates(void)
{
	uint8_t *scratch;

	engine.mstates = port_alloc(port_ncpus() * sizeof(*engine.mstates));
	if (!engine.mstates)
		return -ENOMEM;
	for (uint32_t i = 0; i < port_ncpus(); i++) {
		struct mstate *m = &engine.mstates[i];

		m->cpu = i;
		scratch = port_alloc_cpu(DTRACE_SCRATCHCPU + 2 * MEM_GUARD, i);
		if (!scratch)
			return -ENOMEM;
		m->scratch = m->cpu_scratch = scratch + MEM_GUARD;
		m->scratch_top = m->scratch_used = m->scratch;
		m->scratch_end = m->scratch + DTRACE_SCRATCHSIZE;
	}
	return 0;
}

int dtrace_engine_init(void)
{
	int rc;

	memset(&engine, 0, sizeof(engine));
	port_mutex_init(&engine.lock);
	port_mutex_init(&engine.sync_lock);
	link_init(&engine.providing);
	link_init(&engine.unsynced);
	link_init(&engine.states);
	hash_init();
	account_init();
	rc = engine_init_mstates();
	if (!rc)
		rc = engine_init_provider();
	if (rc)
		dtrace_engine_fini();
	return rc;
}

void dtrace_engine_fini(void)
{
	if (engine.prov)
		dtrace_provider_unregister(engine.prov);
	PORT_WARN_ON(engine.providers.count || !link_empty(&engine.states));
	for (uint32_t i = 0; engine.mstates && i < port_ncpus(); i++)
		if (engine.mstates[i].cpu_scratch)
			port_free(engine.mstates[i].cpu_scratch - MEM_GUARD);
	port_free(engine.mstates);
	account_fini();
	htable_free(&engine.providers_by_name);
	idtable_free(&engine.providers);
	htable_free(&engine.probes_by_name);
	idtable_free(&engine.probes);
	engine.prov = NULL;
	engine.mstates = NULL;
}
