// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * session.c - tracing sessions that have registered pid probes: what sessions and processes may
 * register, which of a session's sites failed, and the end of a session.
 */
#include <linux/memcontrol.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "impl.h"

/* ---- sessions ---- */

struct fasttrap_session *fasttrap_session_create(struct dtrace_account *account)
{
	struct fasttrap_session *session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);

	if (!session)
		return NULL;
	INIT_LIST_HEAD(&session->registrations);
	session->account = account;
	session->memcg = get_mem_cgroup_from_mm(current->mm);
	return session;
}

/*
 * Remove one registration at a time, because others may wait for the registry lock, and the last
 * one first: the earlier ones have the sites that it shares with them, so none must be transferred.
 */
void fasttrap_session_destroy(struct fasttrap_session *session)
{
	struct fasttrap_registration *r;
	bool any = false;

	for (;;) {
		fasttrap_registry_lock();
		session->ended = true;
		if (list_empty(&session->registrations))
			break;
		r = list_last_entry(&session->registrations, struct fasttrap_registration,
				    in_session);
		fasttrap_registration_remove(r);
		fasttrap_registry_unlock();
		any = true;
		cond_resched();
	}
	fasttrap_registry_unlock();
	if (any) {
		fasttrap_events_flush();
		fasttrap_uprobe_wait_closing();
	}
	mem_cgroup_put(session->memcg);
	kfree(session);
}

/* ---- what may be registered ---- */

/* Return whether a provider's name is "pid", or would be pidN with a number behind it. */
static bool name_is_pid(const char *name)
{
	return !strncmp(name, "pid", 3) && !name[3 + strspn(name + 3, "0123456789")];
}

int fasttrap_check_dof(const struct fasttrap_target *target, const struct dtrace_helper_dof *dof,
		       char *errmsg, size_t len)
{
	const struct dtrace_helper_provider *provider = dof->providers;
	const struct dtrace_helper_probe *probe;
	const struct dtrace_helper_site *site;
	unsigned int i;

	if (!target->session) {
		for (i = 0; i < dof->nproviders; i++)
			if (name_is_pid(dof->providers[i].name)) {
				snprintf(errmsg, len,
					 "provider %s: names of the pid provider are taken",
					 dof->providers[i].name);
				return -EINVAL;
			}
		return 0;
	}
	if (dof->nproviders != 1 || strcmp(provider->name, "pid")) {
		strscpy(errmsg, "pid probes are those of a provider pid, alone", len);
		return -EINVAL;
	}
	if (dof->program) {
		strscpy(errmsg, "pid probes have no helpers", len);
		return -EINVAL;
	}
	for (probe = provider->probes; probe < provider->probes + provider->nprobes; probe++) {
		if (probe->nargs || probe->nxargs)
			goto not_plain;
		for (site = probe->sites; site < probe->sites + probe->nsites; site++)
			if (site->sema || site->isenabled || !site->locs)
				goto not_plain;
	}
	return 0;

not_plain:
	strscpy(errmsg, "pid probes have recorded sites, and no semaphores or types", len);
	return -EINVAL;
}

static const struct fasttrap_load process_limits = {
	.nregistrations = DTRACE_HELPER_MAXREGS,
	.nsites = DTRACE_HELPER_MAXSITES,
	.bytes = DTRACE_HELPER_MAXBYTES,
};

static const struct fasttrap_load session_limits = {
	.nregistrations = DTRACE_FT_MAXREGS,
	.nsites = DTRACE_FT_MAXSITES,
	.bytes = DTRACE_FT_MAXBYTES,
};

int fasttrap_check_limits(const struct fasttrap_session *session,
			  const struct fasttrap_process *process,
			  const struct dtrace_helper_dof *dof, char *errmsg, size_t len)
{
	const struct fasttrap_load *limits = session ? &session_limits : &process_limits;
	const struct fasttrap_load *load = session ? &session->load : &process->load;
	const char *who = session ? "the session" : "the process";

	fasttrap_registry_assert_locked();
	if (!session && dof->program && process->nhelpers >= DTRACE_UHELP_MAXHELPERS)
		snprintf(errmsg, len, "the process has %u registrations with helpers already",
			 process->nhelpers);
	else if (load->nregistrations >= limits->nregistrations)
		snprintf(errmsg, len, "%s has %u registrations already", who, load->nregistrations);
	else if (dof->nsites > limits->nsites - load->nsites)
		snprintf(errmsg, len, "%s would have more than %u sites", who, limits->nsites);
	else if (dof->bytes > limits->bytes - load->bytes)
		snprintf(errmsg, len, "the probes of %s would take more than %llu bytes", who,
			 (unsigned long long)limits->bytes);
	else
		return 0;
	return -ENOSPC;
}

/* ---- failures ---- */

#define FAILURES_BATCH 256U /* sites that are looked at while the tracepoint lock is held */

struct failures {
	struct fasttrap_failure *list;
	unsigned int capacity, n;
};

/* Add the failures of a group's sites. */
static void failures_of_group(const struct fasttrap_group *group, struct failures *failures)
{
	const struct fasttrap_registration *r = group->registration;
	const struct fasttrap_site *site = group->sites, *end = site + group->nsites, *pause;
	const struct fasttrap_probe *probe = group->probe;
	int error;

	while (site < end) {
		pause = site + min_t(unsigned int, end - site, FAILURES_BATCH);
		fasttrap_tracepoints_lock();
		for (; site < pause; site++) {
			error = probe->enabled ? fasttrap_site_error(site) : probe->error;
			if (!error)
				continue;
			if (failures->n < failures->capacity)
				failures->list[failures->n] = (struct fasttrap_failure){
					.pid = r->process->pid,
					.gen = r->gen,
					.addr = site->desc->addr,
					.error = error,
				};
			failures->n++;
		}
		fasttrap_tracepoints_unlock();
		cond_resched();
	}
}

int fasttrap_session_failures(struct fasttrap_session *session, struct fasttrap_failure *list,
			      unsigned int capacity)
{
	struct failures failures = {.list = list, .capacity = capacity};
	const struct fasttrap_registration *r;
	unsigned int i;
	int error = fasttrap_uprobe_wait() ?: fasttrap_registry_lock_killable();

	if (error)
		return error;
	list_for_each_entry(r, &session->registrations, in_session)
		for (i = 0; i < r->ngroups; i++)
			failures_of_group(&r->groups[i], &failures);
	fasttrap_registry_unlock();
	return failures.n;
}
