// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * session.c - tracing sessions that have registered pid probes: which of a session's sites failed,
 * and the end of a session.
 */
#include <linux/sched.h>
#include <linux/sched/signal.h>
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
	mutex_init(&session->failures);
	session->account = account;
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
	kfree(session);
}

/* ---- failures ---- */

#define FAILURES_BATCH 256U /* sites and registrations in a turn, with locks held */

struct failures {
	struct fasttrap_failure *list;
	unsigned int capacity, n;
	/*
	 * Element of the session's list behind the registrations that have been handled. The list
	 * may change while the registry lock is released.
	 */
	struct list_head cursor;
	const struct fasttrap_registration *at; /* the registration behind it, partly looked at, */
	unsigned int next;			/* from this site on */
};

/* Note why a site has no breakpoint, if it should have one [tracepoint lock]. */
static void failures_note(struct failures *failures, const struct fasttrap_registration *r,
			  const struct fasttrap_site *site)
{
	const struct fasttrap_probe *probe = site->group->probe;
	int error = probe->enabled ? fasttrap_site_error(site) : probe->error;

	fasttrap_tracepoints_assert_locked();
	if (!error)
		return;
	if (failures->n < failures->capacity)
		failures->list[failures->n] = (struct fasttrap_failure){
			.pid = r->process->pid,
			.gen = r->gen,
			.addr = site->desc->addr,
			.error = error,
		};
	failures->n++;
}

/* Look at the next sites of the session. Return false if there are no more [registry lock]. */
static bool failures_turn(struct failures *failures, const struct fasttrap_session *session)
{
	unsigned int left = FAILURES_BATCH;

	fasttrap_registry_assert_locked();
	fasttrap_tracepoints_lock();
	while (left && !list_is_last(&failures->cursor, &session->registrations)) {
		const struct fasttrap_registration *r =
			list_entry(failures->cursor.next, struct fasttrap_registration, in_session);

		if (failures->at != r)
			failures->next = 0;
		failures->at = r;
		for (; left && failures->next < r->nsites; failures->next++, left--)
			failures_note(failures, r, &r->sites[failures->next]);
		if (failures->next < r->nsites)
			break;
		list_move(&failures->cursor, failures->cursor.next);
		failures->at = NULL;
		left -= !!left;
	}
	fasttrap_tracepoints_unlock();
	return !list_is_last(&failures->cursor, &session->registrations);
}

/*
 * A session may have a million sites, and all who register wait for the registry lock: so look at
 * some of the sites in a turn. No other list of the session's failures is made meanwhile.
 */
int fasttrap_session_failures(struct fasttrap_session *session, struct fasttrap_failure *list,
			      unsigned int capacity)
{
	struct failures failures = {.list = list, .capacity = capacity};
	int error = fasttrap_uprobe_wait() ?: mutex_lock_killable(&session->failures);

	if (error)
		return error;
	error = fasttrap_registry_lock_killable();
	if (error)
		goto out;
	list_add(&failures.cursor, &session->registrations);
	while (!error && failures_turn(&failures, session)) {
		fasttrap_registry_unlock();
		cond_resched();
		error = fatal_signal_pending(current) ? -EINTR : 0;
		error = error ?: fasttrap_registry_lock_killable();
		if (error)
			fasttrap_registry_lock();
	}
	list_del(&failures.cursor);
	fasttrap_registry_unlock();
out:
	mutex_unlock(&session->failures);
	return error ?: failures.n;
}
