/* SPDX-License-Identifier: MIT */
/* engine_session.c - run a session with any DOF, for fuzzing the engine. */
#include "engine_session.h"
#include <stdio.h>
#include <stdlib.h>
#include "engine_impl.h"
#include "fire.h"
#include "state.h"
#include <sys/mman.h>

/* ns by which the clock advances between sessions: more than the interval that limits chill(). */
#define FUZZ_SESSION_NS 2000000000

static dtrace_provider_t *fuzz_prov;
static dtrace_probe_t *fuzz_probes[2];

static uint64_t fuzz_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			       const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	(void)arg, (void)probe, (void)parg, (void)fire;
	return argno % 3 == 0 ? FUZZ_KERNEL + raw : argno % 3 == 1 ? FUZZ_USER : argno;
}

static void fuzz_area(uint64_t addr, bool user)
{
	char *p = mmap((void *)(uintptr_t)addr, FUZZ_AREA, PROT_READ | PROT_WRITE,
		       MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0);

	if (p != (void *)(uintptr_t)addr)
		abort();
	/* short strings first, then one longer than the longest allowed, ending in "b" and NUL */
	for (int i = 0; i < FUZZ_AREA; i++)
		p[i] = (char)(i >= 4096 ? 'a' : i % 61 == 60 ? 0 : 'a' + i % 26);
	memcpy(p + FUZZ_AREA - 2, "b", 2);
	port_user_window(p, FUZZ_AREA, user);
}

static void fuzz_begin(void)
{
	static const dtrace_provider_ops_t ops = {.getargval = fuzz_getargval};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static const uint64_t pcs[] = {1, 2, 3};

	if (fuzz_prov)
		return;
	port_user_init(2);
	port_user_limit(8 << 20);
	fuzz_area(FUZZ_KERNEL, false);
	fuzz_area(FUZZ_USER, true);
	port_user_world.pcs = pcs;
	port_user_world.npcs = 3;
	port_user_world.execname = "fuzz";
	port_user_world.uid = FUZZ_UID;
	/* Keep this account: the first one allocates the table of accounts, which stays. */
	if (dtrace_engine_init() || !dtrace_account_get(0, false) ||
	    dtrace_provider_register("test", &attr, &priv, &ops, NULL, &fuzz_prov) ||
	    dtrace_probe_create(fuzz_prov, "mod", "func", "a", NULL, &fuzz_probes[0]) ||
	    dtrace_probe_create(fuzz_prov, "mod", "func", "b", NULL, &fuzz_probes[1]))
		abort();
}

static int fuzz_emit(void *ctx, const void *data, size_t n)
{
	const uint8_t *p = data;

	for (size_t i = 0; i < n; i++)
		*(uint64_t *)ctx += p[i];
	return 0;
}

/* Read the records and aggregations of both CPUs, and their descriptions. */
static void fuzz_read(dtrace_state_t *st)
{
	dtrace_recdesc_t recs[8];
	uint64_t sum = 0;

	for (unsigned int cpu = 0; cpu < 2; cpu++) {
		dtrace_bufdesc_t d = {.dtbd_cpu = cpu, .dtbd_size = UINT64_MAX};
		dtrace_bufdesc_t a = d;

		dtrace_state_snapshot(st, false, &d, fuzz_emit, &sum);
		dtrace_state_snapshot(st, true, &a, fuzz_emit, &sum);
	}
	for (uint32_t id = 1; id < 5; id++) {
		dtrace_eprobedesc_t ep = {.dtepd_epid = id};
		dtrace_aggdesc_t ad = {.dtagd_id = id};

		dtrace_state_eprobe(st, &ep, recs, 8);
		dtrace_state_aggdesc(st, &ad, recs, 8);
	}
}

/* Return the work that the session's clauses were charged for in the last firing on this CPU. */
static uint64_t fuzz_units(const dtrace_state_t *st, unsigned int cpu, uint64_t limit)
{
	const struct state_cpu *sc = &st->cpus[cpu];
	uint64_t granted = sc->more == sc->hit ? sc->granted : st->slice;

	/* a fault may cost more than was left; ERROR has a budget of its own */
	fuzz_check(granted <= limit && sc->work >= -(int64_t)WORK_FAULT * 64);
	if (sc->spent == sc->hit)
		return limit + DTRACE_WORK_ERROR;
	return granted - (uint64_t)(sc->work > 0 ? sc->work : 0);
}

/*
 * Fire, and check that the work ends within the budget, by CPU time and not only by the count of
 * units. A unit takes some nanoseconds, with sanitisers FUZZ_UNIT_NS at most.
 */
static void fuzz_fire(const dtrace_state_t *st, unsigned int times)
{
	bool root = (st->cred.privs & DTRACE_PRIV_ALL) == DTRACE_PRIV_ALL;
	uint64_t limit = root ? DTRACE_WORK_ROOT : DTRACE_WORK_USER;
	uint64_t args[] = {FUZZ_KERNEL, FUZZ_USER, 1};
	struct dtrace_fire fire = {.args = args, .nargs = 3, .user = true};

	for (unsigned int i = 0; i < times; i++) {
		unsigned int cpu = i / (times / 2);
		uint64_t began = fuzz_cpu_time();

		port_user_set_cpu(cpu);
		args[2] = i;
		dtrace_fire(fuzz_probes[i % 2], &fire);
		if (!st->cpus || st->cpus[cpu].hit != engine.mstates[cpu].hit)
			continue;
		fuzz_time("a firing", began,
			  FUZZ_FIRE_NS + fuzz_units(st, cpu, limit) * FUZZ_UNIT_NS);
		fuzz_check_scratch(&engine.mstates[cpu]);
	}
	port_user_set_cpu(0);
}

static int session(const void *dof, size_t size, uint32_t privs, unsigned int times)
{
	struct dtrace_cred cred = {.privs = privs, .uid = FUZZ_UID};
	dtrace_enable_io_t io;
	unsigned long allocated, bytes;
	uint64_t began;
	dtrace_status_t status;
	dtrace_state_t *st;
	dtrace_go_t go;
	char msg[256];
	int rc;

	fuzz_begin();
	/* chill() does not wait, as the test sets the clock. Each session may chill() again. */
	port_user_world.timestamp += FUZZ_SESSION_NS;
	allocated = port_user_allocated();
	if (dtrace_state_create(&cred, NULL, &st) != 0)
		abort();
	bytes = port_user_bytes();
	began = fuzz_cpu_time();
	rc = dtrace_state_enable(st, dof, size, &io, msg, sizeof(msg));
	bytes = port_user_bytes() - bytes;
	if (bytes > FUZZ_DOF_BYTES(size)) {
		fprintf(stderr, "a DOF of %zu bytes took %lu\n", size, bytes);
		abort();
	}
	fuzz_time("reading a DOF", began, FUZZ_DOF_NS(size));
	fuzz_check(rc == 0 || msg[0]);
	if (rc == 0)
		rc = dtrace_state_go(st, &go);
	if (rc == 0) {
		fuzz_fire(st, times);
		fuzz_read(st);
		dtrace_state_status(st, &status);
		fuzz_fire(st, times);
		dtrace_state_stop(st, &go);
		fuzz_read(st);
	}
	dtrace_state_destroy(st);
	fuzz_check(port_user_allocated() == allocated && !port_user_warnings());
	return rc;
}

int engine_session_as(const void *dof, size_t size, uint32_t privs, unsigned int times)
{
	int rc;

	do
		rc = session(dof, size, privs, times);
	while (fuzz_again());
	return rc;
}

void engine_session(const void *dof, size_t size)
{
	engine_session_as(dof, size, DTRACE_PRIV_ALL, 8);
}
