// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * retire.c - the end of what is gone: processes, registrations, and probes without sites.
 *
 * Waiting for firings to end takes long; the worker does it for many at once, without the registry.
 * With the registry it collects them before, and frees them afterwards.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "impl.h"

#define DOOMED_SITES_MAX	65536	/* with more, who makes them waits for the worker */

static LIST_HEAD(doomed_registrations);	/* registry, as all here */
static LIST_HEAD(doomed_probes);	/* no sites left; may be used again until they are buried */
static unsigned int doomed_sites;

/* What goes together: there is as much to wait for as for one. */
struct burial {
	struct list_head processes, registrations, probes;
};

/* ---- what waits ---- */

/* Take the groups from their probes. Those that were never published come last. */
static void burial_unlink(struct fasttrap_registration *r)
{
	unsigned int i;

	for (i = 0; i < r->ngroups && r->groups[i].probe; i++)
		if (group_unlink(&r->groups[i]))
			list_add_tail(&r->groups[i].probe->doomed, &doomed_probes);
}

void burial_add(struct fasttrap_registration *r)
{
	lockdep_assert_registry();
	burial_unlink(r);
	list_add_tail(&r->all, &doomed_registrations);
	WRITE_ONCE(doomed_sites, doomed_sites + r->nsites + 1);
}

bool burial_crowded(void)
{
	return READ_ONCE(doomed_sites) > DOOMED_SITES_MAX;
}

/* ---- probes ---- */

#define BURY_MANY	4096	/* probes for one wait, */
#define BURY_FEW	16	/* or so many when there is no memory for a list of many */

/* The first of the probes; how many. */
static unsigned int burial_take_probes(struct list_head *probes, dtrace_probe_t **taken,
				       unsigned int room)
{
	struct fasttrap_probe *probe, *next;
	unsigned int n = 0;

	list_for_each_entry_safe(probe, next, probes, doomed) {
		if (n == room)
			break;
		list_del(&probe->doomed);
		taken[n++] = probe->probe;
	}
	return n;
}

static void burial_end_probes(struct list_head *probes)
{
	dtrace_probe_t *few[BURY_FEW];
	dtrace_probe_t **many = kvmalloc_array(BURY_MANY, sizeof(*many), GFP_KERNEL);
	unsigned int n;

	while ((n = burial_take_probes(probes, many ?: few, many ? BURY_MANY : BURY_FEW)))
		dtrace_probe_destroy(many ?: few, n);
	kvfree(many);
	synchronize_rcu();	/* hits may still be looking at the sites of other probes */
}

/* ---- all that waits ---- */

/* [registry] */
static void burial_take(struct burial *burial)
{
	struct fasttrap_probe *probe;

	lockdep_assert_registry();
	list_for_each_entry(probe, &doomed_probes, doomed) {
		probe->buried = true;
		probe->provider->nprobes--;
	}
	list_splice_tail_init(&doomed_probes, &burial->probes);
	list_splice_tail_init(&doomed_registrations, &burial->registrations);
	WRITE_ONCE(doomed_sites, 0);
}

/* [registry] False: nothing waits. */
static bool burial_begin(struct burial *burial, bool all)
{
	struct fasttrap_process *process;

	lockdep_assert_registry();
	INIT_LIST_HEAD(&burial->processes);
	INIT_LIST_HEAD(&burial->registrations);
	INIT_LIST_HEAD(&burial->probes);
	processes_take_dead(&burial->processes, all);
	list_for_each_entry(process, &burial->processes, dying)
		process_remove_registrations(process);
	burial_take(burial);
	return !list_empty(&burial->registrations) || !list_empty(&burial->processes);
}

/* [registry] With providers that have no probes left. */
static void burial_free(struct burial *burial)
{
	struct fasttrap_registration *r, *next_r;
	struct fasttrap_process *process, *next;

	lockdep_assert_registry();
	/* Each process once: with many registrations it may have many providers. */
	list_for_each_entry(r, &burial->registrations, all) {
		if (!r->process->dropped)
			providers_drop_unused(r->process);
		r->process->dropped = true;
	}
	list_for_each_entry_safe(r, next_r, &burial->registrations, all) {
		r->process->dropped = false;
		registration_free(r);
		cond_resched();
	}
	list_for_each_entry_safe(process, next, &burial->processes, dying)
		process_destroy(process);
}

void burial_run(bool all)
{
	struct burial burial;
	bool any;

	registry_lock();
	any = burial_begin(&burial, all);
	registry_unlock();
	if (!any)
		return;
	burial_end_probes(&burial.probes);
	registry_lock();
	burial_free(&burial);
	registry_unlock();
}
