// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * retire.c - free processes, registrations and probes without sites.
 *
 * Waiting for firings to end takes long. So the worker waits once for many at a time, without the
 * registry lock. It collects them under the lock before, and frees them afterwards. It lets others
 * have the lock after each process.
 */
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>

#include "impl.h"

#define RETIRE_CROWDED 65536 /* sites; with more, requests wait for the worker */
#define RETIRE_MANY    4096  /* probes for one grace period, */
#define RETIRE_FEW     16    /* or so many, without memory for a list of many */

static LIST_HEAD(retire_registrations); /* registry lock, as all here */
static LIST_HEAD(retire_probes);	/* without groups; may get one until the worker comes */
static unsigned int retire_sites;	/* read without the lock */

/* The groups that were published come first. */
void fasttrap_retire(struct fasttrap_registration *r)
{
	unsigned int i;

	fasttrap_registry_assert_locked();
	for (i = 0; i < r->ngroups && r->groups[i].probe; i++)
		if (fasttrap_group_unlink(&r->groups[i]))
			list_add_tail(&r->groups[i].probe->retire, &retire_probes);
	list_add_tail(&r->all, &retire_registrations);
	WRITE_ONCE(retire_sites, retire_sites + r->nsites + 1);
}

bool fasttrap_retire_is_crowded(void)
{
	return READ_ONCE(retire_sites) > RETIRE_CROWDED;
}

/* Destroy probes in the engine, which waits for firings. No lock is held. */
static void retire_destroy_probes(struct list_head *probes)
{
	dtrace_probe_t *few[RETIRE_FEW];
	dtrace_probe_t **many = kvmalloc_array(RETIRE_MANY, sizeof(*many), GFP_KERNEL);
	unsigned int n, max = many ? RETIRE_MANY : RETIRE_FEW;
	struct fasttrap_probe *probe, *next;

	while (!list_empty(probes)) {
		n = 0;
		list_for_each_entry_safe(probe, next, probes, retire) {
			if (n == max)
				break;
			list_del(&probe->retire);
			(many ?: few)[n++] = probe->probe;
		}
		dtrace_probe_destroy(many ?: few, n);
	}
	kvfree(many);
}

/*
 * Remove the process from the tables first, so that no more forks refer to it, and then handle
 * pending forks that do.
 */
static void process_retire(struct fasttrap_process *process, struct list_head *dead)
{
	fasttrap_events_process_remove(process);
	fasttrap_fork_copy_to_children(process);
	list_add_tail(&process->dying, dead);
}

/*
 * Move to the list, as RETIRED, the processes that have ended and those without registrations; or
 * all.
 */
static void process_take_dead(struct list_head *dead, bool all)
{
	struct fasttrap_process *process;

	fasttrap_registry_assert_locked();
	while ((process = fasttrap_events_next_dying()))
		process_retire(process, dead);
	list_for_each_entry(process, &fasttrap_processes, all)
		if ((all || list_empty(&process->registrations)) &&
		    READ_ONCE(process->state) == FASTTRAP_PROCESS_LIVE)
			process_retire(process, dead);
}

/* Free a process that has no registrations, and that no hit can see. */
static void process_free(struct fasttrap_process *process)
{
	fasttrap_registry_assert_locked();
	list_del(&process->all);
	dtrace_account_put(process->account);
	mmdrop(process->mm);
	kfree_rcu(process, rcu);
	atomic64_inc(&fasttrap_counts.retired);
}

void fasttrap_retire_run(bool all)
{
	LIST_HEAD(processes);
	LIST_HEAD(registrations);
	LIST_HEAD(probes);
	struct fasttrap_registration *r, *next_r;
	struct fasttrap_process *process, *next;
	struct fasttrap_probe *probe;

	fasttrap_registry_lock();
	process_take_dead(&processes, all);
	list_for_each_entry(process, &processes, dying) {
		list_for_each_entry_safe(r, next_r, &process->registrations, all) {
			fasttrap_registration_remove(r);
			cond_resched();
		}
		fasttrap_registry_pause();
	}
	list_for_each_entry(probe, &retire_probes, retire) {
		probe->retired = true;
		probe->provider->nprobes--;
	}
	list_splice_tail_init(&retire_probes, &probes);
	list_splice_tail_init(&retire_registrations, &registrations);
	WRITE_ONCE(retire_sites, 0);
	fasttrap_registry_unlock();
	if (list_empty(&registrations) && list_empty(&processes))
		return;

	retire_destroy_probes(&probes);
	synchronize_rcu(); /* hits may still be looking at the sites of other probes */

	fasttrap_registry_lock();
	/* Look at each process once: with many registrations it may have many providers. */
	list_for_each_entry(r, &registrations, all) {
		if (r->process->providers_checked)
			continue;
		fasttrap_provider_free_unused(r->process);
		r->process->providers_checked = true;
		fasttrap_registry_pause();
	}
	fasttrap_registry_unlock();
	list_for_each_entry_safe(r, next_r, &registrations, all) {
		r->process->providers_checked = false;
		fasttrap_registration_free(r);
		cond_resched();
	}
	fasttrap_registry_lock();
	list_for_each_entry_safe(process, next, &processes, dying)
		process_free(process);
	fasttrap_registry_unlock();
}
