// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * owner.c - tracing sessions that have registered pid probes: what they may register, what
 * became of it, and its end.
 */
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"

/* ---- one session ---- */

struct fasttrap_owner *fasttrap_owner_create(struct dtrace_account *account)
{
	struct fasttrap_owner *owner = kzalloc(sizeof(*owner), GFP_KERNEL_ACCOUNT);

	if (!owner)
		return NULL;
	INIT_LIST_HEAD(&owner->registrations);
	owner->account = account;
	owner->memcg = get_mem_cgroup_from_mm(current->mm);
	return owner;
}

/*
 * The one that came last: earlier ones have what it shares with them, so it leaves nothing to look
 * for heirs for. False: there is none.
 */
static bool owner_remove_one(struct fasttrap_owner *owner)
{
	struct fasttrap_registration *r = NULL;

	registry_lock();
	owner->ended = true;
	if (!list_empty(&owner->registrations)) {
		r = list_last_entry(&owner->registrations, struct fasttrap_registration, owned);
		registration_remove(r);
	}
	registry_unlock();
	return r;
}

/* One at a time: others may wait for the registry. */
static bool owner_remove_all(struct fasttrap_owner *owner)
{
	bool any = false;

	while (owner_remove_one(owner)) {
		any = true;
		cond_resched();
	}
	return any;
}

void fasttrap_owner_destroy(struct fasttrap_owner *owner)
{
	if (owner_remove_all(owner)) {
		events_flush();
		fasttrap_uprobe_wait_closing();
	}
	mem_cgroup_put(owner->memcg);
	kfree(owner);
}

/* ---- what may be registered ---- */

static int owner_refuse(char *errmsg, size_t len, const char *why)
{
	strscpy(errmsg, why, len);
	return -EINVAL;
}

/* "pid", or what would be pidN with a number behind it. */
static bool name_is_pid(const char *name)
{
	return !strncmp(name, "pid", 3) && !name[3 + strspn(name + 3, "0123456789")];
}

static int check_program(const struct dtrace_helper_dof *dof, char *errmsg, size_t len)
{
	unsigned int i;

	for (i = 0; i < dof->nproviders; i++)
		if (name_is_pid(dof->providers[i].name)) {
			snprintf(errmsg, len, "provider %s: names of the pid provider are taken",
				 dof->providers[i].name);
			return -EINVAL;
		}
	return 0;
}

static bool probe_is_plain(const struct dtrace_helper_probe *probe)
{
	unsigned int i;

	for (i = 0; i < probe->nsites; i++)
		if (probe->sites[i].sema || probe->sites[i].isenabled || !probe->sites[i].locs)
			return false;
	return !probe->nargs && !probe->nxargs;
}

static int check_pid(const struct dtrace_helper_dof *dof, char *errmsg, size_t len)
{
	const struct dtrace_helper_provider *provider = dof->providers;
	unsigned int i;

	if (dof->nproviders != 1 || strcmp(provider->name, "pid"))
		return owner_refuse(errmsg, len, "pid probes are those of a provider pid, alone");
	if (dof->program)
		return owner_refuse(errmsg, len, "pid probes have no helpers");
	for (i = 0; i < provider->nprobes; i++)
		if (!probe_is_plain(&provider->probes[i]))
			return owner_refuse(errmsg, len,
					    "pid probes have recorded sites, and no semaphores or types");
	return 0;
}

int owner_check(const struct fasttrap_target *target, const struct dtrace_helper_dof *dof,
		char *errmsg, size_t len)
{
	return target->owner ? check_pid(dof, errmsg, len) : check_program(dof, errmsg, len);
}

/* ---- limits ---- */

static const struct fasttrap_load process_limits = {
	.nregistrations = DTRACE_HELPER_MAXREGS,
	.nsites = DTRACE_HELPER_MAXSITES,
	.bytes = DTRACE_HELPER_MAXBYTES,
};

static const struct fasttrap_load owner_limits = {
	.nregistrations = DTRACE_FT_MAXREGS,
	.nsites = DTRACE_FT_MAXSITES,
	.bytes = DTRACE_FT_MAXBYTES,
};

static int load_check(const struct fasttrap_load *load, const struct fasttrap_load *limits,
		      const struct dtrace_helper_dof *dof, const char *who, char *errmsg,
		      size_t len)
{
	if (load->nregistrations >= limits->nregistrations)
		snprintf(errmsg, len, "%s has %u registrations already", who,
			 load->nregistrations);
	else if (dof->nsites > limits->nsites - load->nsites)
		snprintf(errmsg, len, "%s would have more than %u sites", who, limits->nsites);
	else if (dof->bytes > limits->bytes - load->bytes)
		snprintf(errmsg, len, "the probes of %s would take more than %llu bytes", who,
			 (unsigned long long)limits->bytes);
	else
		return 0;
	return -ENOSPC;
}

int owner_has_room(const struct fasttrap_owner *owner, const struct fasttrap_process *process,
		   const struct dtrace_helper_dof *dof, char *errmsg, size_t len)
{
	lockdep_assert_registry();
	if (owner)
		return load_check(&owner->load, &owner_limits, dof, "the session", errmsg, len);
	if (dof->program && process->nhelpers >= DTRACE_UHELP_MAXHELPERS) {
		snprintf(errmsg, len, "the process has %u registrations with helpers already",
			 process->nhelpers);
		return -ENOSPC;
	}
	return load_check(&process->load, &process_limits, dof, "the process", errmsg, len);
}

struct fasttrap_load *registration_load(struct fasttrap_registration *r)
{
	return r->owner ? &r->owner->load : &r->process->load;
}

/* ---- what failed ---- */

#define FAILURE_SITES	256U	/* that are looked at while the tracepoint lock is held */

struct failure_list {
	struct fasttrap_failure *list;
	unsigned int room, n;
};

static void failure_add(struct failure_list *failures, const struct fasttrap_site *site, int error)
{
	const struct fasttrap_registration *r = site->group->registration;

	if (failures->n < failures->room)
		failures->list[failures->n] = (struct fasttrap_failure){
			.pid = r->process->pid,
			.gen = r->gen,
			.addr = site->desc->addr,
			.error = error,
		};
	failures->n++;
}

/* [tracepoint lock] n sites of a group, from one on. */
static void sites_failures(const struct fasttrap_site *site, unsigned int n,
			   struct failure_list *failures)
{
	const struct fasttrap_probe *probe = site->group->probe;
	int error;

	fasttrap_tracepoints_assert_locked();
	if (!probe->enabled && !probe->error)
		return;
	for (; n--; site++) {
		error = probe->enabled ? fasttrap_site_error(site) : probe->error;
		if (error)
			failure_add(failures, site, error);
	}
}

/* Some at a time: others may wait for the lock. */
static void group_failures(const struct fasttrap_group *group, struct failure_list *failures)
{
	unsigned int i, n;

	for (i = 0; i < group->nsites; i += n) {
		n = min(group->nsites - i, FAILURE_SITES);
		fasttrap_tracepoints_lock();
		sites_failures(&group->sites[i], n, failures);
		fasttrap_tracepoints_unlock();
		cond_resched();
	}
}

static void registration_failures(const struct fasttrap_registration *r,
				  struct failure_list *failures)
{
	unsigned int i;

	for (i = 0; i < r->ngroups; i++)
		group_failures(&r->groups[i], failures);
}

int fasttrap_failures(struct fasttrap_owner *owner, struct fasttrap_failure *list,
			       unsigned int room)
{
	struct failure_list failures = { .list = list, .room = room };
	const struct fasttrap_registration *r;
	int error = fasttrap_uprobe_wait() ?: registry_lock_killable();

	if (error)
		return error;
	list_for_each_entry(r, &owner->registrations, owned)
		registration_failures(r, &failures);
	registry_unlock();
	return failures.n;
}
