/* SPDX-License-Identifier: MIT */
/*
 * engine_shared.c - two sessions, as of the engines of two processes, whose global variables are in
 * one block of memory: each reads the values that the other one assigns. An owner that ends with a
 * lock or a chunk loses it. Whatever is written to the memory causes no access outside of it (the
 * sanitiser checks this), no broken invariant, and no endless loop.
 */
#include "engine_fixture.h"
#include "dynvar.h"
#include "state.h"
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#define ROUNDS 20000
#define KILLS  100
#define LIMIT  300 /* s of a test, and of a process that it forks: longer is an endless loop */
#define DEAD   PORT_OWNER(7, 3) /* a CPU of a process that is none of the two */

static struct {
	dtrace_state_t *first, *second; /* their clauses are at test:::a and test:::b */
	struct dtrace_shared shared;
	bool mapped;
} pair;

static int setup(void **state)
{
	memset(&pair, 0, sizeof(pair));
	alarm(LIMIT);
	return fixture_setup(state);
}

static int teardown(void **state)
{
	if (pair.first && pair.first != fix.state)
		dtrace_state_destroy(pair.first);
	if (pair.second && pair.second != fix.state)
		dtrace_state_destroy(pair.second);
	if (fix.state) {
		dtrace_state_destroy(fix.state);
		fix.state = NULL;
	}
	if (pair.mapped)
		munmap(pair.shared.mem, pair.shared.size);
	else
		free(pair.shared.mem);
	alarm(0);
	return fixture_teardown(state);
}

/* ---- two sessions ---- */

/* A session that is prepared, with the clauses at one probe; NULL-terminated. */
static dtrace_state_t *prepare(const char *desc, const struct build_action *const *clauses,
			       uint64_t dynvarsize)
{
	dtrace_state_t *st;
	char msg[256];

	if (!fix.state)
		fixture_session(DTRACE_PRIV_ALL, 0);
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, dynvarsize);
	while (*clauses)
		fixture_clause(desc, NULL, *clauses++);
	if (fixture_enable(NULL, msg) != 0)
		fail_msg("enable: %s", msg);
	assert_int_equal(dtrace_state_prepare(fix.state), 0);
	st = fix.state;
	fix.state = NULL;
	return st;
}

/*
 * Memory for a session's variables: of the heap, behind which the sanitiser looks, or of all
 * processes.
 */
static void memory(const dtrace_state_t *st, uint64_t dynvarsize, bool mapped)
{
	uint64_t size = dtrace_state_shared_bytes(st, dynvarsize);

	assert_true(size > 0);
	pair.mapped = mapped;
	pair.shared = (struct dtrace_shared){.size = size, .dynvarsize = dynvarsize, .seed = 5};
	if (mapped) {
		pair.shared.mem =
			mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
		assert_true(pair.shared.mem != MAP_FAILED);
		return;
	}
	assert_int_equal(posix_memalign(&pair.shared.mem, 64, size), 0);
	memset(pair.shared.mem, 0, size);
}

static void go(dtrace_state_t *st)
{
	dtrace_go_t io;

	assert_int_equal(dtrace_state_share(st, &pair.shared), 0);
	assert_int_equal(dtrace_state_go(st, &io), 0);
}

static void begin(const struct build_action *const *clauses, uint64_t dynvarsize, bool mapped)
{
	pair.first = prepare("test:::a", clauses, dynvarsize);
	pair.second = prepare("test:::b", clauses, dynvarsize);
	memory(pair.first, dynvarsize, mapped);
	go(pair.first);
	go(pair.second);
	port_user_nap(100); /* a process with a lock may get no CPU for seconds on a busy machine */
}

static struct dynvar *arrays(const dtrace_state_t *st)
{
	return st->dynvars[DIFV_SCOPE_GLOBAL];
}

static uint64_t drops(dtrace_state_t *st)
{
	dtrace_status_t status;

	assert_int_equal(dtrace_state_status(st, &status), 0);
	return status.dtst_dyndrops;
}

/* Ask for the status, as consumers do: a session is ended some seconds after the last request. */
static void keep_alive(void)
{
	drops(pair.first);
	drops(pair.second);
}

/* The last record of a CPU of a session, off bytes behind its header. */
static const uint8_t *last(dtrace_state_t *st, unsigned int cpu, size_t off)
{
	static struct bytes out;
	const dtrace_rechdr_t *hdr = NULL;
	dtrace_bufdesc_t desc;

	out.n = 0;
	assert_int_equal(build_snapshot(st, false, cpu, &out, &desc), 0);
	for (size_t at = 0; at < out.n; at += hdr->dtrh_size)
		hdr = (const void *)(out.p + at);
	assert_non_null(hdr);
	return (const uint8_t *)(hdr + 1) + off;
}

static uint64_t last_u64(dtrace_state_t *st)
{
	uint64_t v;

	memcpy(&v, last(st, 0, 0), sizeof(v));
	return v;
}

/* ---- programs ---- */

/* n += arg0, recorded */
static const struct build_action add[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global n int; ldgs n, %r1; ldgs arg0, %r2; add %r1, %r2, %r1; stgs n, %r1; "
		 "ret %r1"},
	ACT_END};
/* s is recorded, then s = execname */
static const struct build_action text[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global s string; ldgs s, %r1; ret %r1"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type void; var global s string; ldgs execname, %r1; stgs s, %r1; ret %r0"},
	ACT_END};
/* a[arg0]++, recorded */
static const struct build_action count[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global[] a int; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; ldgaa a, %r2; "
		 "setx 1, %r3; add %r2, %r3, %r2; stgaa a, %r2; ret %r2"},
	ACT_END};
/* self->x++, recorded */
static const struct build_action own[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var thread x int; ldts x, %r1; setx 1, %r2; add %r1, %r2, %r1; stts x, %r1; "
		 "ret %r1"},
	ACT_END};
/* t[arg0] = !t[arg0], recorded */
static const struct build_action toggle[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "var global[] t int; ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; ldgaa t, %r2; "
		 "setx 1, %r3; xor %r2, %r3, %r2; stgaa t, %r2; ret %r2"},
	ACT_END};
/* strings and structures as keys and values, and a structure that is written in place */
static const struct build_action large[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global[] byname string; ldgs execname, %r1; ldgs arg0, %r4; flushts; "
		 "pushtr string, %r0, %r1; pushtv ctf, %r0, %r4; ldgaa byname, %r2; flushts; "
		 "pushtr string, %r0, %r1; pushtv ctf, %r0, %r4; stgaa byname, %r1; ret %r2"},
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type struct(24); var global whole struct(24); ldgs whole, %r1; ldgs arg0, %r2; "
		 "stx %r2, %r1; ret %r1"},
	ACT_END};

/* v[arg0] = the string at arg1, or 0; v[arg0] is recorded before */
static const struct build_action vary[] = {
	{.kind = DTRACEACT_DIFEXPR,
	 .difo = "type string; var global[] v string; ldgs arg0, %r4; flushts; pushtv ctf, %r0, %r4; "
		 "ldgaa v, %r2; ldgs arg1, %r1; tst %r1; be store; flushts; pushtv ctf, %r0, %r1; "
		 "call copyinstr, %r1; store:; flushts; pushtv ctf, %r0, %r4; stgaa v, %r1; ret %r2"},
	ACT_END};

#define CLAUSES(...) ((const struct build_action *const[]){__VA_ARGS__, NULL})

/* ---- one value for both ---- */

static void scalars_are_one(void **state)
{
	(void)state;
	begin(CLAUSES(add), 4096, false);
	fixture_fire(fix.a, 5);
	fixture_fire(fix.b, 7);
	assert_int_equal(last_u64(pair.second), 12);
	fixture_fire(fix.a, 1);
	assert_int_equal(last_u64(pair.first), 13);
}

static void strings_are_one(void **state)
{
	(void)state;
	begin(CLAUSES(text), 4096, false);
	port_user_world.execname = "somebody";
	fixture_fire(fix.a, 0);
	assert_string_equal((const char *)last(pair.first, 0, 0), "");
	port_user_world.execname = "else";
	fixture_fire(fix.b, 0);
	assert_string_equal((const char *)last(pair.second, 0, 0), "somebody");
	fixture_fire(fix.a, 0);
	assert_string_equal((const char *)last(pair.first, 0, 0), "else");
}

static void arrays_are_one(void **state)
{
	(void)state;
	begin(CLAUSES(count), 4096, false);
	for (uint64_t i = 1; i <= 6; i++) {
		fixture_fire(i % 2 ? fix.a : fix.b, 40);
		assert_int_equal(last_u64(i % 2 ? pair.first : pair.second), i);
	}
	fixture_fire(fix.b, 41);
	assert_int_equal(last_u64(pair.second), 1);
	assert_int_equal(drops(pair.first) + drops(pair.second), 0);
}

/*
 * Thread-local variables of two processes are two, though the thread has the same number in both.
 */
static void thread_local_ones_are_two(void **state)
{
	(void)state;
	begin(CLAUSES(add, count, own), 4096, false);
	port_user_world.key = 9;
	for (uint64_t i = 1; i <= 3; i++) {
		fixture_fire(fix.a, 0);
		assert_int_equal(last_u64(pair.first), i);
	}
	fixture_fire(fix.b, 0);
	assert_int_equal(last_u64(pair.second), 1);
}

static void a_session_without_globals_shares_nothing(void **state)
{
	(void)state;
	pair.first = prepare("test:::a", CLAUSES(own), 4096);
	assert_int_equal(dtrace_state_shared_bytes(pair.first, 4096), 0);
}

static void memory_of_another_size_is_refused(void **state)
{
	struct dtrace_shared other;

	(void)state;
	pair.first = prepare("test:::a", CLAUSES(count, add), 4096);
	memory(pair.first, 4096, false);
	other = pair.shared;
	other.size--;
	assert_int_equal(dtrace_state_share(pair.first, &other), -EINVAL);
	other = pair.shared;
	other.dynvarsize = 8192;
	assert_int_equal(dtrace_state_share(pair.first, &other), -EINVAL);
	go(pair.first);
	assert_int_equal(dtrace_state_share(pair.first, &pair.shared), -EINVAL);
}

/* A session that has been prepared takes no more programs, and begins once. */
static void a_prepared_session_only_begins(void **state)
{
	char msg[256];
	dtrace_go_t io;

	(void)state;
	pair.first = fix.state = prepare("test:::a", CLAUSES(add), 4096);
	assert_int_equal(dtrace_state_prepare(pair.first), -EBUSY);
	fixture_clause("test:::b", NULL, add);
	assert_int_equal(fixture_enable(NULL, msg), -EBUSY);
	assert_int_equal(dtrace_state_go(pair.first, &io), 0);
	assert_int_equal(dtrace_state_go(pair.first, &io), -EBUSY);
	fixture_fire(fix.a, 3);
	assert_int_equal(last_u64(pair.first), 3);
}

/* ---- many at once ---- */

struct worker {
	pthread_t thread;
	unsigned int cpu;
	uint64_t first, keys, rounds;
};

static void *work(void *arg)
{
	const struct worker *w = arg;

	port_user_set_cpu(w->cpu);
	port_user_world.key = 100 + w->cpu;
	port_user_world.execname = w->cpu % 2 ? "odd-length-name" : "even";
	for (uint64_t i = 0; i < w->rounds; i++)
		fixture_fire(w->cpu % 2 ? fix.a : fix.b, w->first + i % w->keys);
	return NULL;
}

/* Fire on all CPUs, half of them in each session. apart: each has keys of its own. */
static void work_on_all_cpus(uint64_t keys, bool apart)
{
	struct worker w[FIXTURE_CPUS] = {0};

	for (unsigned int c = 0; c < FIXTURE_CPUS; c++) {
		w[c] = (struct worker){
			.cpu = c, .keys = keys, .rounds = ROUNDS, .first = apart ? c * keys : 0};
		assert_int_equal(pthread_create(&w[c].thread, NULL, work, &w[c]), 0);
	}
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
		while (pthread_tryjoin_np(w[c].thread, NULL) == EBUSY) {
			keep_alive();
			usleep(10000);
		}
}

static void elements_are_counted_exactly(void **state)
{
	(void)state;
	begin(CLAUSES(count), 64 << 10, false);
	work_on_all_cpus(10, true);
	assert_int_equal(drops(pair.first) + drops(pair.second), 0);
	for (uint64_t key = 0; key < 10 * FIXTURE_CPUS; key++) {
		fixture_fire(fix.b, key);
		assert_int_equal(last_u64(pair.second), ROUNDS / 10 + 1);
	}
}

static void both_toggle_the_same_elements(void **state)
{
	(void)state;
	begin(CLAUSES(toggle, large), 64 << 10, false);
	work_on_all_cpus(7, false);
	assert_int_equal(drops(pair.first) + drops(pair.second), 0);
}

/* Return the number of elements for which there is space. key: the smallest that is not set. */
static unsigned int space(uint64_t key)
{
	uint64_t before = drops(pair.first);
	unsigned int n = 0;

	while (drops(pair.first) == before)
		fixture_fire(fix.a, key + n++);
	for (unsigned int i = 0; i < n - 1; i++)
		fixture_fire(fix.a, key + i);
	return n - 1;
}

static void all_space_is_used_again(void **state)
{
	unsigned int chunks;

	(void)state;
	begin(CLAUSES(toggle), 16 << 10, false);
	chunks = arrays(pair.first)->nchunks;
	assert_in_range(chunks, 50, 1000);
	for (int i = 0; i < 3; i++)
		assert_int_equal(space(1000), chunks);
	work_on_all_cpus(1001, false);
	assert_true(drops(pair.first) + drops(pair.second) > 3);
}

/* ---- owners that end ---- */

/* Return the bucket in which a firing with that argument looks, the only one that it locks. */
static struct dynvar_bucket *bucket_of(uint64_t arg0)
{
	const struct dynvar *dv = arrays(pair.first);

	fixture_fire(fix.a, arg0);
	for (uint32_t i = 0; i < dv->nbuckets; i++)
		if (dv->buckets[i].first)
			return &dv->buckets[i];
	fail_msg("no bucket has the element");
	return NULL;
}

static void a_lock_of_the_dead_is_a_drop_until_it_is_taken_back(void **state)
{
	struct dynvar_bucket *b;

	(void)state;
	begin(CLAUSES(count), 4096, false);
	port_user_nap(1);
	b = bucket_of(40);
	(void)port_user_stuck();
	b->lock.owner = DEAD;
	fixture_fire(fix.b, 40); /* neither read nor written */
	assert_int_equal(drops(pair.second), 2);
	assert_int_equal(port_user_stuck(), DEAD);
	fixture_fire(fix.b, 40);
	assert_int_equal(drops(pair.second), 4);
	assert_int_equal(port_user_stuck(), 0); /* no thread waits long for that owner again */
	dtrace_state_recover(pair.first, DEAD + 1);
	assert_int_equal(b->lock.owner, DEAD);
	dtrace_state_recover(pair.first, DEAD);
	assert_int_equal(b->lock.owner, 0);
	fixture_fire(fix.b, 40);
	assert_int_equal(last_u64(pair.second), 2);
	assert_int_equal(drops(pair.second), 4);
}

/* Chunks that a dead CPU had taken are free afterwards, except for those in use. */
static void chunks_of_the_dead_are_taken_back(void **state)
{
	struct dynvar_chunk *used;
	struct dynvar *dv;
	uint32_t chunks;

	(void)state;
	begin(CLAUSES(toggle), 16 << 10, false);
	used = dynvar_at(arrays(pair.first), bucket_of(40)->first);
	dv = arrays(pair.first);
	chunks = dv->nchunks;
	assert_int_equal(space(1000), chunks - 1);
	used->owner = DEAD; /* the owner was about to release it */
	dv->buckets[used->hash & (dv->nbuckets - 1)].lock.owner = DEAD;
	for (int i = 0; i < 5; i++) { /* the owner has taken these from the list */
		struct dynvar_chunk *c = dynvar_at(dv, (uint32_t)dv->pool->free);

		dv->pool->free = c->next;
		c->owner = DEAD;
	}
	dtrace_state_recover(pair.second, DEAD);
	assert_int_equal(used->owner, 0);
	assert_int_equal(space(1000), chunks - 1);
	fixture_fire(fix.b, 40);
	assert_int_equal(last_u64(pair.second), 0); /* it was set */
	assert_int_equal(space(1000), chunks);
}

/* Toggle elements until this process is killed. */
_Noreturn static void toggle_for_ever(unsigned int cpu)
{
	alarm(LIMIT);
	port_user_set_cpu(cpu);
	for (uint64_t i = 0;; i++)
		fixture_fire(fix.b, i % 16);
}

/*
 * Processes are killed in the middle of their work. No lock stays, all chains can be used, and at
 * most one chunk is lost with each process.
 */
static void processes_are_killed(void **state)
{
	uint32_t chunks;
	unsigned int left;

	(void)state;
	begin(CLAUSES(toggle), 32 << 10, true);
	chunks = arrays(pair.first)->nchunks;
	assert_in_range(chunks, 3 * KILLS, 10 * KILLS);
	for (unsigned int i = 0; i < KILLS; i++) {
		unsigned int cpu = 1 + i % (FIXTURE_CPUS - 1);
		const uint64_t *fresh = &arrays(pair.first)->pool->fresh;
		pid_t pid = fork();
		int status;

		assert_int_not_equal(pid, -1);
		if (!pid)
			toggle_for_ever(cpu);
		while (!port_read_once(fresh)) /* it is at work */
			sched_yield();
		for (uint64_t n = 0; n < 50 + i; n++)
			fixture_fire(fix.a, n % 16);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_true(WIFSIGNALED(status));
		dtrace_state_recover(pair.first, PORT_OWNER(1, cpu));
		keep_alive();
		for (uint32_t b = 0; b < arrays(pair.first)->nbuckets; b++)
			assert_int_equal(arrays(pair.first)->buckets[b].lock.owner, 0);
	}
	assert_int_equal(drops(pair.first), 0);
	for (uint64_t key = 0; key < 16;
	     key++) { /* twice: the second sees what the first has set */
		uint64_t before;

		fixture_fire(fix.a, key);
		before = last_u64(pair.first);
		fixture_fire(fix.a, key);
		assert_int_equal(last_u64(pair.first), !before);
	}
	left = space(1000);
	assert_in_range(left, chunks - 16 - KILLS, chunks);
}

/* Assign a string of n characters to an element of vary, or remove it if n is negative. */
static void assign(dtrace_probe_t *probe, uint64_t key, int n)
{
	static const char text[] =
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz"
		"0123456789abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnopqrstuvwxyz";
	const uint64_t args[] = {key,
				 n < 0 ? 0 : (uint64_t)(uintptr_t)(text + sizeof(text) - 1 - n)};
	const struct dtrace_fire firing = {.args = args, .nargs = 2};

	assert_true(n < (int)sizeof(text));
	dtrace_fire(probe, &firing);
}

/* Assign strings of all lengths, until this process is killed. */
_Noreturn static void vary_for_ever(unsigned int cpu)
{
	alarm(LIMIT);
	port_user_set_cpu(cpu);
	for (uint64_t i = 0;; i++)
		assign(fix.b, i % 8, (int)(i * 37 % 140) - 10);
}

/* Return the number of elements of two chunks or more for which there is space. */
static unsigned int space_for_long(void)
{
	uint64_t before = drops(pair.first);
	unsigned int n = 0;

	while (drops(pair.first) == before)
		assign(fix.a, 100 + n++, 140);
	for (unsigned int i = 0; i < n - 1; i++)
		assign(fix.a, 100 + i, -1);
	return n - 1;
}

/* As above, with elements that have several chunks each, now more and now fewer. */
static void processes_are_killed_with_long_strings(void **state)
{
	uint32_t chunks;
	unsigned int before, left;

	(void)state;
	begin(CLAUSES(vary), 64 << 10, true);
	before = space_for_long();
	chunks = arrays(pair.first)->nchunks;
	assert_in_range(before, chunks / 4, chunks / 2);
	for (unsigned int i = 0; i < KILLS; i++) {
		unsigned int cpu = 1 + i % (FIXTURE_CPUS - 1);
		uint64_t head = port_read_once(&arrays(pair.first)->pool->free);
		pid_t pid = fork();
		int status;

		assert_int_not_equal(pid, -1);
		if (!pid)
			vary_for_ever(cpu);
		while (port_read_once(&arrays(pair.first)->pool->free) == head) /* it is at work */
			sched_yield();
		for (int n = 0; n < 50 + (int)i; n++)
			assign(fix.a, (uint64_t)n % 8, n * 41 % 140 - 10);
		kill(pid, SIGKILL);
		assert_int_equal(waitpid(pid, &status, 0), pid);
		dtrace_state_recover(pair.first, PORT_OWNER(1, cpu));
		keep_alive();
	}
	for (uint64_t key = 0; key < 8; key++) {
		assign(fix.a, key, 100);
		assign(fix.a, key, 3);
		assert_int_equal(strlen((const char *)last(pair.first, 0, 0)), 100);
		assign(fix.a, key, -1);
	}
	left = space_for_long();
	assert_in_range(left, before - KILLS, before);
	assert_int_equal(port_user_warnings(), 0);
}

/* ---- hostile processes ---- */

static bool hostile_ends;

/* Write any value to any word; to locks, mostly values that let the other threads go on. */
static void *hostile(void *arg)
{
	uint32_t *words = pair.shared.mem, n = (uint32_t)(pair.shared.size / 4);
	uint32_t *locks = (uint32_t *)arrays(pair.first)->buckets;
	uint32_t *chains = locks + 2ULL * arrays(pair.first)->nbuckets, *at, value;
	uint64_t x = 88172645463325252ULL;

	(void)arg;
	while (!port_read_once(&hostile_ends)) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		at = &words[(uint32_t)(x >> 32) % n];
		value = x & 1 ? (uint32_t)x : x & 2 ? (uint32_t)x % n : x & 4 ? UINT32_MAX : 0;
		if (at >= locks && at < chains && (at - locks) % 2 == 0 && x & 0xf0)
			value = 0;
		port_write_once(at, value);
	}
	return NULL;
}

static void a_hostile_process_harms_nobody(void **state)
{
	pthread_t thread;

	(void)state;
	begin(CLAUSES(large, vary, count, text, add, own, toggle), 4096, false);
	port_user_nap(0);
	hostile_ends = false;
	assert_int_equal(pthread_create(&thread, NULL, hostile, NULL), 0);
	for (uint64_t i = 0; i < ROUNDS; i++) {
		port_user_world.execname = i % 3 ? "a" : "longer";
		fixture_fire(i % 2 ? fix.a : fix.b, i % 40);
		assign(i % 2 ? fix.b : fix.a, i % 3, (int)(i % 140));
		if (i % 64 == 0)
			dtrace_state_recover(pair.first, (uint32_t)i);
		if (i % 1024 == 1) {
			last(pair.first, 0, 0);
			last(pair.second, 0, 0);
			keep_alive();
		}
	}
	port_write_once(&hostile_ends, true);
	pthread_join(thread, NULL);
	assert_int_equal(port_user_warnings(), 0);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(scalars_are_one),
		T(strings_are_one),
		T(arrays_are_one),
		T(thread_local_ones_are_two),
		T(a_session_without_globals_shares_nothing),
		T(memory_of_another_size_is_refused),
		T(a_prepared_session_only_begins),
		T(elements_are_counted_exactly),
		T(both_toggle_the_same_elements),
		T(all_space_is_used_again),
		T(a_lock_of_the_dead_is_a_drop_until_it_is_taken_back),
		T(chunks_of_the_dead_are_taken_back),
		T(processes_are_killed),
		T(processes_are_killed_with_long_strings),
		T(a_hostile_process_harms_nobody),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
