/* SPDX-License-Identifier: MIT */
/*
 * collect.c - takes records, aggregations and counts from the regions of joined processes.
 *
 * A process can write its records at any time, so the records are copied before they are checked.
 * Numbers of ECBs are translated to those of dtrace's engine. Numbers of aggregations are the same
 * in both engines, because both have read the same programs.
 */
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "import.h"
#include "state.h"
#include "traced.h"

#define SLOT_TURNS 200	  /* of waiting for a slot that a thread holds */
#define LAST_NAP   100000 /* ns */
#define LAST_NAPS  20000  /* in all, for the slots of a session that has ended: 2 s */

/* Append bytes. Return false without memory. */
static bool bytes_append(struct traced_bytes *bytes, const void *data, size_t size)
{
	if (!size)
		return true;
	if (size > bytes->capacity - bytes->size) {
		size_t capacity = (bytes->size + size) * 2;
		char *more = realloc(bytes->data, capacity);

		if (!more)
			return false;
		bytes->data = more;
		bytes->capacity = capacity;
	}
	memcpy(bytes->data + bytes->size, data, size);
	bytes->size += size;
	return true;
}

/* ---- slots ---- */

static struct agent_head *head_of(const struct traced *t)
{
	return (struct agent_head *)(void *)t->region.mem;
}

static struct agent_slot *slot_at(const struct traced *t, uint32_t i)
{
	return &head_of(t)->slots[i];
}

static struct state_cpu *slot_state(const struct traced *t, uint32_t i)
{
	return (struct state_cpu *)(void *)(t->region.mem + t->region.cpus) + i;
}

/* Return whether a forked process has ended. A zombie has ended. */
static bool child_has_ended(pid_t pid)
{
	struct pollfd pfd = {.fd = (int)syscall(SYS_pidfd_open, pid, 0), .events = POLLIN};
	bool ended = pfd.fd == -1 ? errno == ESRCH : poll(&pfd, 1, 0) == 1;

	if (pfd.fd != -1)
		close(pfd.fd);
	return ended;
}

/*
 * Return whether the process of the thread that has a slot has ended: the one that was joined, or
 * one that was forked from it or has its memory. Such children in another PID namespace than
 * dtrace's cannot be found.
 */
static bool owner_has_ended(const struct traced *t, uint64_t owner)
{
	uint32_t own = head_of(t)->own_pid, pid = AGENT_PID(owner);

	if (t->region.left)
		return true;
	if (pid == own)
		return traced_has_ended(t);
	if (!t->region.children && traced_has_ended(t))
		return true;
	return own == (uint32_t)t->pid && pid && child_has_ended((pid_t)pid);
}

/* Take a slot if it is free. */
static bool slot_lock_free(const struct traced *t, uint32_t i)
{
	uint64_t owner = AGENT_FREE;

	return __atomic_compare_exchange_n(&slot_at(t, i)->turn.owner, &owner, AGENT_DTRACE, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/*
 * Return whether a word in the memory of the process is not what it was: another value, or no
 * memory. Return false if that cannot be found out.
 */
static bool word_is_gone(const struct traced *t, uint64_t addr, uint64_t value)
{
	uint64_t word;
	ssize_t n;

	errno = 0;
	n = pread(t->memory, &word, sizeof(word), (off_t)addr);
	return n == sizeof(word) ? word != value : n == -1 && errno == EIO;
}

/*
 * Return whether the thread that has a slot has left its firing for good, by longjmp() from a
 * signal handler or by its end: the owner's mark is gone. The memory of forked children is not
 * looked at: the numbers of those in other PID namespaces may be those of other processes here.
 */
static bool owner_has_left(const struct traced *t, const struct agent_slot *slot,
			   struct agent_turn turn)
{
	const uint64_t marked = agent_marked(turn.place);

	return marked && AGENT_PID(turn.owner) == head_of(t)->own_pid &&
	       word_is_gone(t, marked, agent_mark(slot, turn.place));
}

/*
 * Take a slot whose owner has ended or left, unless it has got another turn since, and release the
 * owner's locks on the session's variables. The next owner releases the locks on the process's own
 * variables.
 */
static bool slot_lock_dead(const struct traced *t, uint32_t i)
{
	struct agent_slot *slot = slot_at(t, i);
	const struct agent_turn turn = {__atomic_load_n(&slot->turn.owner, __ATOMIC_ACQUIRE),
					__atomic_load_n(&slot->turn.place, __ATOMIC_ACQUIRE)};

	if (turn.owner == AGENT_FREE)
		return false;
	if (turn.owner == AGENT_DTRACE
		    ? !t->region.left
		    : !owner_has_ended(t, turn.owner) && !owner_has_left(t, slot, turn))
		return false;
	if (!agent_turn_change(&slot->turn, turn, (struct agent_turn){AGENT_DTRACE, turn.place}))
		return false;
	__atomic_store_n(&slot->left, 1, __ATOMIC_RELAXED);
	if (t->variables)
		dt_variables_recover(t->variables, PORT_OWNER(t->number, i));
	return true;
}

bool traced_slot_lock(const struct traced *t, uint32_t i)
{
	for (int turn = 0; turn < SLOT_TURNS; turn++) {
		if (slot_lock_free(t, i))
			return true;
		if (turn == 0 && slot_lock_dead(t, i))
			return true;
		sched_yield();
	}
	return false;
}

void traced_slot_unlock(const struct traced *t, uint32_t i)
{
	__atomic_store_n(&slot_at(t, i)->turn.owner, AGENT_FREE, __ATOMIC_RELEASE);
}

/*
 * Take a slot to read it. After tracing has ended it is not read again, so wait for a thread that
 * was preempted in a firing. A process may keep its slots for ever: the wait of a session is
 * bounded.
 */
static bool slot_lock_read(struct traced_session *session, const struct traced *t, uint32_t i)
{
	static const struct timespec nap = {.tv_nsec = LAST_NAP};
	bool locked = traced_slot_lock(t, i);

	while (!locked && port_read_once(&session->state->activity) >= DTRACE_ACTIVITY_DRAINING &&
	       session->naps < LAST_NAPS) {
		session->naps++;
		nanosleep(&nap, NULL);
		locked = traced_slot_lock(t, i);
	}
	return locked;
}

/*
 * Return whether a slot that could not be taken will be tried again. If not, it is read in the
 * hands of its thread, which may never go on: its buffers are complete at each instruction, since a
 * process may be killed at any.
 */
static bool slot_read_again(const struct traced_session *session)
{
	return port_read_once(&session->state->activity) != DTRACE_ACTIVITY_STOPPED;
}

/* ---- records ---- */

/*
 * Translate the records in bytes from an offset on; they were recorded before a time. If the
 * process has damaged its buffer, cut the records at the first invalid record and return false. A
 * record with a later time would delay others, so its time becomes the given one.
 */
static bool records_translate(const struct traced *t, struct traced_bytes *bytes, size_t from,
			      uint64_t until)
{
	while (from < bytes->size) {
		size_t left = bytes->size - from;
		const struct traced_epid *epid;
		dtrace_rechdr_t hdr;

		if (left < sizeof(hdr))
			break;
		memcpy(&hdr, bytes->data + from, sizeof(hdr));
		epid = hdr.dtrh_epid < t->region.nepids ? &t->region.epids[hdr.dtrh_epid] : NULL;
		if (!epid || !epid->size || hdr.dtrh_size != epid->size || hdr.dtrh_size > left)
			break;
		hdr.dtrh_epid = epid->epid;
		if (hdr.dtrh_timestamp > until)
			hdr.dtrh_timestamp = until;
		memcpy(bytes->data + from, &hdr, sizeof(hdr));
		from += hdr.dtrh_size;
	}
	if (from < bytes->size) {
		bytes->size = from;
		return false;
	}
	return true;
}

/*
 * Return whether an entry of a size has the layout of an aggregation, and its value has the
 * argument of the program's aggregating function.
 */
static bool entry_matches(const struct agg *agg, const char *entry, uint32_t size)
{
	uint64_t arg;

	if (!agg_entry_valid(agg, (const uint8_t *)entry, size))
		return false;
	if (agg->kind != DTRACEAGG_LQUANTIZE && agg->kind != DTRACEAGG_LLQUANTIZE)
		return true;
	memcpy(&arg, entry + size - agg->value, sizeof(arg));
	return arg == agg->arg;
}

/*
 * Check the entries of aggregations in bytes from an offset on. Cut them at the first invalid entry
 * and return false.
 */
static bool entries_check(const struct traced_session *session, struct traced_bytes *bytes,
			  size_t from)
{
	const dtrace_state_t *state = session->state;

	while (from < bytes->size) {
		size_t left = bytes->size - from;
		dtrace_aggrec_t rec;

		if (left < sizeof(rec))
			break;
		memcpy(&rec, bytes->data + from, sizeof(rec));
		if (rec.dtar_id < 1 || rec.dtar_id > state->naggs || rec.dtar_size > left ||
		    !entry_matches(state->aggs[rec.dtar_id - 1], bytes->data + from, rec.dtar_size))
			break;
		from += rec.dtar_size;
	}
	if (from < bytes->size) {
		bytes->size = from;
		return false;
	}
	return true;
}

struct emitting {
	struct traced_bytes *bytes;
	bool failed;
};

static int emit_bytes(void *ctx, const void *data, size_t n)
{
	struct emitting *e = ctx;

	e->failed |= !bytes_append(e->bytes, data, n);
	return 0;
}

/*
 * Return whether the buffer of a slot can be read now. A fill or ring buffer is read only when the
 * session ends, or when all processes that can write to it have ended.
 */
static bool slot_readable(const struct traced_session *session, const struct traced *t, uint32_t i)
{
	if (t->region.left ||
	    session->state->opts[DTRACEOPT_BUFPOLICY] == DTRACEOPT_BUFPOLICY_SWITCH)
		return true;
	return session->state->activity == DTRACE_ACTIVITY_STOPPED && !t->region.slots[i].read;
}

/*
 * Return whether a valid header describes a buffer as the agent makes it for the session. Another
 * valid header might claim the whole region for each slot.
 */
static bool buffer_is_ours(const struct traced_session *session, const struct buffer *b)
{
	const uint64_t *opts = session->state->opts;

	return b->policy == opts[DTRACEOPT_BUFPOLICY] && b->size <= opts[DTRACEOPT_BUFSIZE];
}

#define HELD_MOST 1000000000 /* ns */

/*
 * Hold later records of others back, since a slot that could not be taken may have earlier ones. A
 * thread may keep it for ever, for example if its process is stopped: so this ends after a time.
 */
static void slot_hold_back(struct traced_slot *slot, struct traced_bytes *bytes)
{
	const uint64_t now = port_timestamp();

	if (!slot->held)
		slot->held = now;
	if (now - slot->held < HELD_MOST && slot->when < bytes->complete)
		bytes->complete = slot->when;
}

/* Append the records of a slot to bytes. */
static void slot_records(struct traced_session *session, struct traced *t, uint32_t i,
			 struct traced_bytes *bytes)
{
	const struct import_map map = {.here = (uint8_t *)t->region.mem,
				       .there = t->region.address,
				       .size = t->region.size};
	struct emitting e = {.bytes = bytes};
	struct state_cpu *sc = slot_state(t, i);
	struct traced_slot *slot = &t->region.slots[i];
	size_t from = bytes->size;
	struct buffer b;
	uint64_t errors, n;
	uint32_t used;
	bool locked, whole;
	int rc;

	if (!slot_readable(session, t, i))
		return;
	locked = slot_lock_read(session, t, i);
	if (!locked && slot_read_again(session)) {
		slot_hold_back(slot, bytes);
		return;
	}
	slot->held = 0;
	slot->when = port_timestamp();
	rc = import_buffer(&b, &sc->buffer, &map, &used);
	errors = port_read_once(&sc->count.dtst_errors);
	if (locked)
		traced_slot_unlock(t, i);
	if (slot->when < bytes->complete)
		bytes->complete = slot->when;
	slot->read = true;
	if (errors > slot->errors) {
		bytes->errors += (uint32_t)(errors - slot->errors);
		slot->errors = errors;
	}
	if (rc || !buffer_is_ours(session, &b)) {
		bytes->drops++;
		return;
	}
	bytes->drops += b.drops;
	buffer_emit(&b, used, emit_bytes, &e, &n);
	whole = records_translate(t, bytes, from, slot->when); /* also what came before a failure */
	if (e.failed || !whole)
		bytes->drops++;
}

/* Append the aggregations of a slot to bytes. */
static void slot_aggs(struct traced_session *session, struct traced *t, uint32_t i,
		      struct traced_bytes *bytes)
{
	const struct import_map map = {.here = (uint8_t *)t->region.mem,
				       .there = t->region.address,
				       .size = t->region.size};
	struct emitting e = {.bytes = bytes};
	size_t from = bytes->size;
	struct agg_buffer b;
	uint64_t n;
	uint32_t used;
	bool locked, whole;
	int rc;

	if (!session->state->naggs)
		return;
	locked = slot_lock_read(session, t, i);
	if (!locked && slot_read_again(session))
		return;
	rc = import_aggs(&b, &slot_state(t, i)->aggs, &map, &used);
	if (locked)
		traced_slot_unlock(t, i);
	if (rc || b.size > session->state->opts[DTRACEOPT_AGGSIZE]) {
		bytes->drops++;
		return;
	}
	bytes->drops += b.drops;
	rc = agg_emit(&b, used, emit_bytes, &e, &n);
	whole = entries_check(session, bytes, from); /* also what came before a failure */
	if (rc || e.failed || !whole)
		bytes->drops++;
}

/* ---- processes ---- */

void traced_met(struct traced_session *session, struct traced *t)
{
	const enum dt_world_met what = t->met ? DT_WORLD_LIBRARY : DT_WORLD_PROGRAM;

	if (!session->met || !t->joined)
		return;
	t->met = true;
	session->met(session->met_arg, what, t->pid, 0);
}

/*
 * Tell the session of forked children, whose records have been collected. A process may write any
 * numbers, but not those of other traced processes.
 */
static void children_tell(struct traced_session *session, struct traced *t)
{
	struct agent_head *head = (struct agent_head *)(void *)t->region.mem;

	if (!session->met || port_read_once(&head->nchildren) == t->nchildren)
		return;
	for (uint32_t i = 0; i < AGENT_CHILDREN_MAX; i++) {
		pid_t pid = (pid_t)__atomic_exchange_n(&head->child[i], 0, __ATOMIC_RELAXED);

		t->nchildren += pid != 0;
		if (pid > 0 && !traced_by_pid(session, pid))
			session->met(session->met_arg, DT_WORLD_CHILD, pid, t->pid);
	}
}

/* Return the CPU of a slot: in a session of one CPU this one, for all slots. */
static uint32_t slot_cpu(const struct traced_session *session, uint32_t i)
{
	const uint64_t only = session->state->opts[DTRACEOPT_CPU];

	return only == DTRACEOPT_UNSET ? i / AGENT_SLOTS_PER_CPU : (uint32_t)only;
}

struct traced_bytes *traced_collect(struct traced_session *session, bool agg, uint32_t cpu)
{
	struct traced_bytes *bytes = agg ? &session->aggs[cpu] : &session->records[cpu];

	if (bytes->waiting)
		return bytes;
	bytes->waiting = true;
	for (struct traced *t = session->processes; t; t = t->next) {
		for (uint32_t i = 0; t->joined && i < t->region.nslots; i++) {
			if (slot_cpu(session, i) != cpu)
				continue;
			if (agg)
				slot_aggs(session, t, i, bytes);
			else
				slot_records(session, t, i, bytes);
		}
		if (t->joined)
			children_tell(session, t);
	}
	return bytes;
}

/* ---- counts ---- */

/* Add counts to status. An agent may be writing the counts. */
static void counts_add(dtrace_status_t *status, const dtrace_status_t *c)
{
	status->dtst_dyndrops += port_read_once(&c->dtst_dyndrops);
	status->dtst_specdrops += port_read_once(&c->dtst_specdrops);
	status->dtst_specdrops_busy += port_read_once(&c->dtst_specdrops_busy);
	status->dtst_specdrops_unavail += port_read_once(&c->dtst_specdrops_unavail);
	status->dtst_stkstroverflows += port_read_once(&c->dtst_stkstroverflows);
	status->dtst_errors += port_read_once(&c->dtst_errors);
	status->dtst_dblerrors += port_read_once(&c->dtst_dblerrors);
	status->dtst_reentries += port_read_once(&c->dtst_reentries);
	status->dtst_missed += port_read_once(&c->dtst_missed);
	status->dtst_aggdrops += port_read_once(&c->dtst_aggdrops);
	status->dtst_principaldrops += port_read_once(&c->dtst_principaldrops);
}

/* Add the counts of a process. */
static void traced_counts(const struct traced *t, dtrace_status_t *status)
{
	const struct agent_head *head = (const void *)t->region.mem;

	for (uint32_t i = 0; i < t->region.nslots; i++) {
		const struct state_cpu *sc = slot_state(t, i);

		counts_add(status, &sc->count);
		status->dtst_filled += sc->buffer.policy == DTRACEOPT_BUFPOLICY_FILL &&
				       port_read_once(&sc->buffer.full);
	}
	status->dtst_missed += port_read_once(&head->missed);
}

void traced_status(struct traced_session *session, dtrace_status_t *status)
{
	counts_add(status, &session->ended);
	status->dtst_filled += session->ended.dtst_filled;
	for (const struct traced *t = session->processes; t; t = t->next)
		if (t->joined)
			traced_counts(t, status);
}

/* ---- polling ---- */

void traced_drain(struct traced_session *session)
{
	for (const struct traced *t = session->processes; t; t = t->next)
		for (uint32_t i = 0; t->joined && i < t->region.nslots; i++)
			if (slot_lock_read(session, t, i))
				traced_slot_unlock(t, i);
}

/* Release the locks of an owner for whom other threads wait, if the owner's process has ended. */
static void recover_stuck(const struct traced_session *session, uint32_t stuck)
{
	uint32_t i = PORT_OWNER_CPU(stuck);
	const struct traced *t = session->processes;

	while (t && (!t->joined || t->number != PORT_OWNER_PROCESS(stuck)))
		t = t->next;
	if (!t || i >= t->region.nslots)
		return;
	if (slot_lock_free(t, i) || slot_lock_dead(t, i))
		traced_slot_unlock(t, i);
}

/*
 * Return whether an agent asks dtrace to read its buffers. Set *exited if a program has called
 * exit().
 */
static bool poll_process(const struct traced_session *session, const struct traced *t, bool *exited)
{
	struct agent_head *head = (void *)t->region.mem;

	if (!port_read_once(&head->wake))
		return false;
	port_write_once(&head->wake, 0);
	*exited |= session->exits &&
		   *(const volatile uint8_t *)(t->region.mem + t->region.exited) == 1;
	return true;
}

bool traced_poll(struct traced_session *session, bool *exited)
{
	uint32_t stuck = port_user_stuck();
	bool wake = session->woken;

	*exited = session->exited;
	session->woken = session->exited = false;
	if (stuck)
		recover_stuck(session, stuck);
	for (struct traced *t = session->processes; t; t = t->next) {
		struct agent_head *head = (void *)t->region.mem;

		if (!t->joined)
			continue;
		stuck = port_read_once(&head->stuck);
		if (stuck) {
			port_write_once(&head->stuck, 0);
			recover_stuck(session, stuck);
		}
		wake |= poll_process(session, t, exited);
	}
	return wake;
}

/* ---- the end of processes ---- */

void traced_collect_last(struct traced_session *session, struct traced *t)
{
	for (uint32_t i = 0; i < t->region.nslots; i++) {
		const uint32_t cpu = slot_cpu(session, i);

		slot_records(session, t, i, &session->records[cpu]);
		slot_aggs(session, t, i, &session->aggs[cpu]);
	}
	children_tell(session, t);
	traced_counts(t, &session->ended);
	session->woken |= poll_process(session, t, &session->exited);
}
