/* SPDX-License-Identifier: MIT */
/*
 * filters.c - tells agents that their processes have filters of system calls.
 *
 * When dtrace has ended, an agent undoes the code at its sites by system calls. A filter (seccomp)
 * may kill the process for them. The agent cannot ask for filters without a system call, so dtrace
 * looks for filters while it traces. A process makes its filters soon after its start, or never.
 */
#include "access.h"
#include "traced.h"

#define INTERVAL 50000000 /* ns between looks at one process, if there are few */
#define SHARE	 100	  /* of a processor that looks take at most: one part of so many */

static void filters_look(struct traced *t, uint64_t now)
{
	struct agent_head *head = (void *)t->region.mem;

	t->filters.seen = now;
	t->filters.others = dt_access_filtered(t->pid, t->filters.shared);
	if (t->filters.others)
		port_write_once(&head->filtered, 1);
}

void traced_filters_begin(struct traced *t)
{
	t->filters.shared = dt_access_filters(t->pid);
	filters_look(t, port_timestamp());
}

void traced_filters_look(struct traced_session *session)
{
	const uint64_t now = port_timestamp();
	struct traced *oldest = NULL;
	uint64_t n = 0, took, pause;

	if (now < session->filters_next)
		return;
	for (struct traced *t = session->processes; t; t = t->next) {
		if (!t->joined || t->ended || t->filters.others)
			continue;
		n++;
		if (!oldest || t->filters.seen < oldest->filters.seen)
			oldest = t;
	}
	if (!oldest)
		return;
	filters_look(oldest, now);
	took = port_timestamp() - now;
	pause = INTERVAL / n;
	session->filters_next = now + (pause > SHARE * took ? pause : SHARE * took);
}
