/* SPDX-License-Identifier: MIT */
/*
 * fuzz_vars.c - two sessions whose global variables are in shared memory, as of two processes,
 * while a third process writes to that memory as the input says.
 *
 * Whatever is in the memory, no firing reads or writes outside of it, breaks an invariant of the
 * engine, or takes more time than its work allows. Once the memory is all zeros again, no variable
 * has a value.
 */
#include "choices.h"
#include "dynvar.h"
#include "engine_build.h"
#include "engine_session.h"
#include "fire.h"
#include "state.h"
#include <stdio.h>
#include <stdlib.h>

#define FUZZ_KEYS  8
#define FUZZ_STEPS 400
#define FUZZ_SEED  5

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static dtrace_provider_t *prov;
static dtrace_probe_t *probes[2]; /* of the first session, of the second one */

/* Scalars, elements with integers and strings as keys and values, and values changed in storage. */
static const struct build_action acts[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global n int; ldgs n, %r1; ldgs arg0, %r2; add %r1, %r2, %r1; stgs n, %r1; "
		 "ret %r1"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global s string; ldgs s, %r1; ldgs execname, %r2; stgs s, %r2; "
		 "ret %r1"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type struct(24); var global whole struct(24); ldgs whole, %r1; ldgs arg0, %r2; "
		 "stx %r2, %r1; ret %r1"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global[] a int; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; ldgaa a, %r2; "
		 "setx 1, %r3; xor %r2, %r3, %r2; stgaa a, %r2; ret %r2"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global[] b string; ldgs execname, %r1; ldgs arg0, %r4; flushts; "
		 "pushtr string, %r0, %r1; pushtv ctf, %r0, %r4; ldgaa b, %r2; stgaa b, %r1; "
		 "ret %r2"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type struct(40); var global[] c struct(40); ldgs arg0, %r1; flushts; "
		 "pushtv ctf, %r0, %r1; ldgaa c, %r2; stgaa c, %r2; ret %r2"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var thread x int; ldts x, %r1; setx 1, %r2; add %r1, %r2, %r1; stts x, %r1; "
		 "ret %r1"},
};

static void begin(void)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;

	if (prov)
		return;
	port_user_init(2);
	port_user_nap(0);
	port_user_world.timestamp = 1;
	if (dtrace_engine_init() || !dtrace_account_get(0, false) ||
	    dtrace_provider_register("test", &attr, &priv, &ops, NULL, &prov) ||
	    dtrace_probe_create(prov, "mod", "func", "a", NULL, &probes[0]) ||
	    dtrace_probe_create(prov, "mod", "func", "b", NULL, &probes[1]))
		abort();
}

/* Prepare a session that has the clause at the probe desc. */
static dtrace_state_t *prepare(const char *desc, uint64_t dynvarsize)
{
	static struct build_dof b;
	const struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL};
	dtrace_enable_io_t io;
	dtrace_state_t *st;
	const void *dof;
	size_t n;

	build_dof_init(&b);
	build_option(&b, DTRACEOPT_BUFSIZE, 4096);
	build_option(&b, DTRACEOPT_STRSIZE, 60); /* elements have up to two chunks */
	build_option(&b, DTRACEOPT_DYNVARSIZE, dynvarsize);
	build_clause(&b, desc, NULL, build_actions(&b, acts, sizeof(acts) / sizeof(acts[0])), 0);
	dof = build_finish(&b, &n);
	if (dtrace_state_create(&cred, NULL, &st) != 0)
		abort();
	fuzz_check(dtrace_state_enable(st, dof, n, &io, NULL, 0) == 0);
	fuzz_check(dtrace_state_prepare(st) == 0);
	build_dof_free(&b);
	return st;
}

static void fire(struct choices *c)
{
	static const char *const names[] = {"fuzz", "", "a name of thirty characters ...", "x"};
	uint64_t arg0 = choose(c, FUZZ_KEYS), began = fuzz_cpu_time();
	const struct dtrace_fire firing = {.args = &arg0, .nargs = 1};
	unsigned int cpu = choose(c, 2);

	port_user_set_cpu(cpu);
	port_user_world.execname = names[choose(c, 4)];
	dtrace_fire(probes[choose(c, 2)], &firing);
	port_user_set_cpu(0);
	fuzz_time("a firing", began, FUZZ_FIRE_NS + 100000ULL * FUZZ_UNIT_NS);
	fuzz_check_scratch(&engine.mstates[cpu]);
}

/* Return a word that is valid somewhere in the memory, or any word. */
static uint32_t value(struct choices *c, const struct dynvar *dv)
{
	switch (choose(c, 6)) {
	case 0:
		return 0;
	case 1:
		return 1 + choose(c, dv->nchunks) * dv->words;
	case 2:
		return dv->limit - 1 + choose(c, 4);
	case 3:
		return PORT_OWNER(choose(c, 3), choose(c, 2));
	case 4:
		return choose_byte(c);
	default:
		return choose_word(c);
	}
}

/* Write to a word that the engine reads, or to any word. */
static void write_word(struct choices *c, const struct dynvar *dv, uint32_t *words, size_t nwords)
{
	struct dynvar_chunk *chunk = dynvar_at(dv, 1 + choose(c, dv->nchunks) * dv->words);
	uint32_t *at;

	switch (choose(c, 5)) {
	case 0:
		at = (uint32_t *)dv->pool + choose(c, 4);
		break;
	case 1:
		at = &dv->buckets[choose(c, dv->nbuckets)].first;
		break;
	case 2:
		at = &dv->buckets[choose(c, dv->nbuckets)].lock.owner;
		break;
	case 3:
		at = (uint32_t *)chunk + choose(c, 4);
		break;
	default:
		at = words + choose(c, 65536) % nwords;
		break;
	}
	*at = value(c, dv);
}

static int emit(void *ctx, const void *data, size_t n)
{
	(void)ctx, (void)data, (void)n;
	return 0;
}

static void steps(struct choices *c, dtrace_state_t *first, const struct dtrace_shared *shared)
{
	const struct dynvar *dv = first->dynvars[DIFV_SCOPE_GLOBAL];
	dtrace_bufdesc_t desc = {.dtbd_size = UINT64_MAX};

	for (unsigned int i = 0; i < FUZZ_STEPS && choices_left(c); i++) {
		switch (choose(c, 8)) {
		case 0:
			dtrace_state_recover(first, PORT_OWNER(choose(c, 3), choose(c, 2)));
			break;
		case 1:
		case 2:
		case 3:
			write_word(c, dv, shared->mem, shared->size / 4);
			break;
		default:
			fire(c);
			break;
		}
	}
	fuzz_check(dtrace_state_snapshot(first, false, &desc, emit, NULL) == 0);
}

/* Clear the memory, and check that each session reads what the other one assigns. */
static void check_empty(const struct dtrace_shared *shared)
{
	const uint64_t *n = shared->mem; /* the first scalar */
	uint64_t arg0 = 3;
	const struct dtrace_fire firing = {.args = &arg0, .nargs = 1};

	memset(shared->mem, 0, shared->size);
	dtrace_fire(probes[0], &firing);
	dtrace_fire(probes[1], &firing);
	fuzz_check(*n == 6);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const uint64_t sizes[] = {4096, 1, 600, 1 << 16};
	struct choices c = {data, data + size};
	struct dtrace_shared shared = {.seed = FUZZ_SEED};
	dtrace_state_t *states[2];
	unsigned long allocated;
	dtrace_go_t go;

	begin();
	allocated = port_user_allocated();
	shared.dynvarsize = sizes[choose(&c, 4)];
	states[0] = prepare("test:::a", shared.dynvarsize);
	states[1] = prepare("test:::b", shared.dynvarsize);
	shared.size = dtrace_state_shared_bytes(states[0], shared.dynvarsize);
	if (posix_memalign(&shared.mem, 64, shared.size) != 0)
		abort();
	memset(shared.mem, 0, shared.size);
	for (int i = 0; i < 2; i++)
		fuzz_check(dtrace_state_share(states[i], &shared) == 0 &&
			   dtrace_state_go(states[i], &go) == 0);
	steps(&c, states[0], &shared);
	check_empty(&shared);
	dtrace_state_destroy(states[0]);
	dtrace_state_destroy(states[1]);
	free(shared.mem);
	fuzz_check(port_user_allocated() == allocated && !port_user_warnings());
	fuzz_again();
	return 0;
}
