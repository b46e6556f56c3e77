/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * speculation.c - records that wait until a program commits or discards them.
 *
 * A speculation has a buffer on each CPU. While it is ACTIVE it has no data, in ACTIVE_ONE data on
 * one CPU, in ACTIVE_MANY perhaps on several. commit() and discard() deal with their own CPU at
 * once. If others may have data the speculation waits in COMMITTING or DISCARDING: each CPU
 * does its part at its next firings for the session, or when dtrace_state_clean asks it to, which
 * then makes the speculation INACTIVE. A CPU that has read an active state ends its firing before
 * it can be asked, so nothing is added late.
 *
 * Buffers may be large, and CPUs move their records with interrupts off: a block at a time. A
 * commit() of more than SPEC_AT_ONCE waits as if other CPUs had data.
 */
#include "buffer.h"
#include "fire.h"
#include "speculation.h"
#include "state.h"

#define SPEC_KIND(word) ((word)&0xff)
#define SPEC_ONE(cpu)	(SPEC_ACTIVE_ONE | (cpu) << 8)
/* a CPU ends the speculation alone; kind: SPEC_COMMITTING or SPEC_DISCARDING */
#define SPEC_ALONE(kind, cpu) ((kind) | ((cpu) + 1) << 8)

/* Units of work to move a record of that size: 4 bytes a unit, since most records are small. */
#define SPEC_WORK(size) ((size) / 4)
#define SPEC_AT_ONCE	(64U * 1024) /* bytes that commit() moves itself */

/*
 * Return a speculation by its number. Return NULL for 0, which a program gets when no speculation
 * is free, and for all numbers in a session that never calls speculation(), which has no memory for
 * them. Other numbers fault.
 */
static struct speculation *speculation_get(struct mstate *m, uint64_t id)
{
	uint32_t n = m->state->nspecs;

	if (id > m->state->opts[DTRACEOPT_NSPEC])
		dif_fault(m, DTRACEFLT_ILLOP, 0);
	return id >= 1 && id <= n ? &m->state->specs[port_nospec(id - 1, n)] : NULL;
}

int speculation_init(dtrace_state_t *st, uint32_t n, uint32_t size)
{
	st->specs = n ? port_alloc(n * sizeof(*st->specs)) : NULL;
	if (n && !st->specs)
		return -ENOMEM;
	st->nspecs = n;
	st->specsize = size;
	for (uint32_t i = 0; i < n; i++) {
		if (port_relax() != 0)
			return -EINTR;
		st->specs[i].cpus = port_alloc(port_ncpus() * sizeof(struct spec_cpu));
		for (uint32_t c = 0; st->specs[i].cpus && c < port_ncpus(); c++) {
			st->specs[i].cpus[c].mem = port_alloc_cpu(size, c);
			if (!st->specs[i].cpus[c].mem)
				return -ENOMEM;
		}
		if (!st->specs[i].cpus)
			return -ENOMEM;
	}
	return 0;
}

uint64_t speculation_bytes(uint32_t n, uint64_t size)
{
	return n * (sizeof(struct speculation) + port_ncpus() * (sizeof(struct spec_cpu) + size));
}

void speculation_fini(dtrace_state_t *st)
{
	for (uint32_t i = 0; i < st->nspecs; i++) {
		for (uint32_t c = 0; st->specs[i].cpus && c < port_ncpus(); c++)
			port_free(st->specs[i].cpus[c].mem);
		port_free(st->specs[i].cpus);
	}
	port_free(st->specs);
	st->specs = NULL;
	st->nspecs = 0;
}

uint32_t speculation_new(struct mstate *m)
{
	dtrace_state_t *st = m->state;
	bool busy = false;

	if (!dif_charge(m, st->nspecs))
		return 0;
	for (uint32_t i = 0; i < st->nspecs; i++) {
		struct speculation *s = &st->specs[i];
		uint32_t now = port_read_once(&s->state);

		if (now == SPEC_INACTIVE && port_cas(&s->state, SPEC_INACTIVE, SPEC_ACTIVE)) {
			port_write_once(&s->born, port_read_once(&st->snapshots));
			return i + 1;
		}
		busy |= SPEC_KIND(now) >= SPEC_COMMITTING;
	}
	if (busy)
		m->sc->count.dtst_specdrops_busy++;
	else
		m->sc->count.dtst_specdrops_unavail++;
	return 0;
}

/*
 * Return whether this CPU may add records, and note in the state that it will. If a step of the
 * state fails, another CPU has moved it on, which can happen three times before the speculation has
 * ended.
 */
static bool speculation_use_cpu(struct speculation *s, uint32_t cpu)
{
	for (int tries = 0; tries < 4; tries++) {
		uint32_t now = port_load_acquire(&s->state);

		switch (SPEC_KIND(now)) {
		case SPEC_ACTIVE_MANY:
			return true;
		case SPEC_ACTIVE_ONE:
			if (now == SPEC_ONE(cpu) || port_cas(&s->state, now, SPEC_ACTIVE_MANY))
				return true;
			break;
		case SPEC_ACTIVE:
			if (port_cas(&s->state, now, SPEC_ONE(cpu)))
				return true;
			break;
		default:
			return false;
		}
	}
	return false;
}

bool speculation_active(struct mstate *m, uint64_t id)
{
	const struct speculation *s = speculation_get(m, id);
	uint32_t now = s ? SPEC_KIND(port_load_acquire(&s->state)) : SPEC_INACTIVE;

	return now == SPEC_ACTIVE || now == SPEC_ACTIVE_ONE || now == SPEC_ACTIVE_MANY;
}

uint8_t *speculation_reserve(struct mstate *m, uint64_t id, uint32_t size)
{
	struct speculation *s = speculation_get(m, id);
	struct spec_cpu *sc;

	if (!s || !speculation_use_cpu(s, m->cpu))
		return NULL;
	sc = &s->cpus[m->cpu];
	if (size <= m->state->specsize - sc->off)
		return sc->mem + sc->off;
	m->sc->count.dtst_specdrops++;
	return NULL;
}

void speculation_keep(struct mstate *m, uint64_t id, uint32_t size)
{
	speculation_get(m, id)->cpus[m->cpu].off += size;
}

/*
 * Move this CPU's records to its principal buffer, one by one, until *work units have been spent.
 * Subtract these from *work. Return whether all records have been moved.
 */
static bool speculation_flush(dtrace_state_t *st, struct speculation *s, struct state_cpu *sc,
			      int64_t *work)
{
	struct spec_cpu *spec = &s->cpus[sc->cpu];
	dtrace_rechdr_t hdr;
	uint8_t *to;

	for (; spec->from < spec->off; spec->from += hdr.dtrh_size) {
		uint32_t off = spec->from;

		if (*work <= 0)
			return false;
		memcpy(&hdr, spec->mem + off, sizeof(hdr));
		*work -= SPEC_WORK(hdr.dtrh_size);
		to = buffer_reserve(&sc->buffer, hdr.dtrh_size, false);
		if (to) {
			memcpy(to, spec->mem + off, hdr.dtrh_size);
			if (buffer_commit(&sc->buffer, hdr.dtrh_size))
				port_wake(st->cookie);
		} else {
			sc->count.dtst_principaldrops++;
		}
	}
	spec->from = spec->off = 0;
	return true;
}

/* Do this CPU's part of a speculation's end. work and result as in speculation_flush(). */
static bool speculation_end_cpu(dtrace_state_t *st, struct speculation *s, struct state_cpu *sc,
				bool commit, int64_t *work)
{
	if (commit)
		return speculation_flush(st, s, sc, work);
	s->cpus[sc->cpu].from = s->cpus[sc->cpu].off = 0;
	return true;
}

/*
 * End an active speculation: at once if no other CPU has data and this one has not too many;
 * otherwise with the help of the other CPUs.
 */
static void speculation_end(struct mstate *m, uint64_t id, bool commit)
{
	dtrace_state_t *st = m->state;
	struct speculation *s = m->faulted ? NULL : speculation_get(m, id);
	uint32_t waiting = commit ? SPEC_COMMITTING : SPEC_DISCARDING, now;
	int64_t work = INT64_MAX;
	bool later;

	if (!s)
		return;
	later = commit && s->cpus[m->cpu].off > SPEC_AT_ONCE;
	if (commit && !later && !dif_charge(m, SPEC_WORK(s->cpus[m->cpu].off)))
		return;
	for (int tries = 0; tries < 4; tries++) {
		now = port_load_acquire(&s->state);
		if (now == SPEC_ACTIVE && port_cas(&s->state, now, SPEC_INACTIVE))
			return;
		if (now == SPEC_ONE(m->cpu) && !later &&
		    port_cas(&s->state, now, SPEC_ALONE(waiting, m->cpu))) {
			speculation_end_cpu(st, s, m->sc, commit, &work);
			port_store_release(&s->state, SPEC_INACTIVE);
			return;
		}
		if (SPEC_KIND(now) != SPEC_ACTIVE_ONE && now != SPEC_ACTIVE_MANY &&
		    now != SPEC_ACTIVE)
			return;
		if (now != SPEC_ACTIVE && (now != SPEC_ONE(m->cpu) || later) &&
		    port_cas(&s->state, now, waiting))
			break;
	}
	if (!later)
		speculation_end_cpu(st, s, m->sc, commit, &work);
	port_xadd(&st->spec_gen, 1);
	port_write_once(&st->spec_pending, 1);
}

void speculation_commit(struct mstate *m, uint64_t id)
{
	speculation_end(m, id, true);
}

void speculation_discard(struct mstate *m, uint64_t id)
{
	speculation_end(m, id, false);
}

bool speculation_clean_cpu(dtrace_state_t *st, struct state_cpu *sc, int64_t *work)
{
	uint32_t gen = port_read_once(&st->spec_gen);
	bool done = true;

	for (uint32_t i = 0; i < st->nspecs && done; i++) {
		uint32_t now = port_load_acquire(&st->specs[i].state);

		if (now == SPEC_COMMITTING || now == SPEC_DISCARDING)
			done = speculation_end_cpu(st, &st->specs[i], sc, now == SPEC_COMMITTING,
						   work);
	}
	*work -= st->nspecs; /* which are at most 4096; what is moved may not wait for them */
	if (done)
		port_write_once(&sc->spec_gen, gen);
	return done;
}

#ifndef __KERNEL__
void speculation_recover(dtrace_state_t *st, uint32_t cpu)
{
	for (uint32_t i = 0; i < st->nspecs; i++) {
		uint32_t *there = &st->specs[i].state, kind = SPEC_KIND(port_read_once(there));

		if (kind < SPEC_COMMITTING)
			continue;
		(void)port_cas(there, SPEC_ALONE(kind, cpu), kind);
		port_xadd(&st->spec_gen, 1);
		port_write_once(&st->spec_pending, 1);
	}
}
#endif

struct speculation_turn {
	dtrace_state_t *state;
	struct state_cpu *sc;
	bool done;
};

/* Call speculation_clean_cpu() on this CPU. */
static void speculation_clean_here(void *arg)
{
	struct speculation_turn *turn = arg;
	int64_t work = SPEC_CLEAN_CALL;

	turn->done = speculation_clean_cpu(turn->state, turn->sc, &work);
}

int speculation_clean(dtrace_state_t *st, uint32_t turns)
{
	struct speculation_turn turn = {.state = st};
	const bool wait = turns == SPEC_CLEAN_ALL;
	int rc = 0;

	PORT_ASSERT_HELD(&st->snap_lock);
	port_write_once(&st->spec_pending, 0);
	for (uint32_t i = 0; i < st->nspecs; i++) {
		uint32_t now = port_load_acquire(&st->specs[i].state);

		st->specs[i].waiting =
			now == SPEC_COMMITTING || now == SPEC_DISCARDING ? now : SPEC_INACTIVE;
	}
	for (uint32_t c = 0; c < port_ncpus(); c++) {
		turn.sc = &st->cpus[c];
		for (;;) {
			rc = state_call(st, c, speculation_clean_here, &turn, wait);
			if (!rc && turn.done)
				break;
			if (!rc)
				rc = turns-- ? port_relax() : -EAGAIN;
			if (rc)
				goto later;
		}
	}
	for (uint32_t i = 0; i < st->nspecs; i++)
		if (st->specs[i].waiting != SPEC_INACTIVE)
			port_cas(&st->specs[i].state, st->specs[i].waiting, SPEC_INACTIVE);
	return 0;

later:
	port_write_once(&st->spec_pending, 1);
	return rc;
}
