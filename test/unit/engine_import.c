/* SPDX-License-Identifier: MIT */
/*
 * engine_import.c - buffers of another process's engine: what an honest one has recorded is read as
 * its own engine reads it; what a hostile one writes leads to no access outside of the shared
 * memory (the sanitiser looks) and to no endless loop.
 */
#include "engine_fixture.h"
#include "import.h"
#include "state.h"
#include <pthread.h>

#define THERE  0x550000000000ULL /* where the other process says that it has the memory */
#define SIZE   4096		 /* of each half */
#define ROUNDS 200000

/* The shared memory: headers, then halves. */
struct shared {
	struct buffer buffer;
	struct agg_buffer aggs;
	uint8_t halves[4][SIZE];
};

static struct import_map map;

static int setup(void **state)
{
	map.here = calloc(1, sizeof(struct shared));
	map.there = THERE;
	map.size = sizeof(struct shared);
	return fixture_setup(state) || !map.here;
}

static int teardown(void **state)
{
	free(map.here);
	return fixture_teardown(state);
}

static struct shared *shared(void)
{
	return (struct shared *)(void *)map.here;
}

/* Return the address of one of the halves in the other process. */
static uint8_t *there(unsigned int half)
{
	return (uint8_t *)(THERE + offsetof(struct shared, halves) + (uint64_t)half * SIZE);
}

static const struct build_action acts[] = {
	ACT_ARG0,
	{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg0, %r1; ret %r1"},
	{.kind = DTRACEAGG_COUNT, .ntuple = 2},
	ACT_END};

/* Fire, and put the buffers of CPU 0 into the shared memory as if its engine had them there. */
static void record(uint32_t policy, unsigned int fires)
{
	struct state_cpu *sc;

	build_option(&fix.dof, DTRACEOPT_BUFSIZE, SIZE);
	build_option(&fix.dof, DTRACEOPT_AGGSIZE, SIZE);
	build_option(&fix.dof, DTRACEOPT_BUFPOLICY, policy);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	for (unsigned int i = 0; i < fires; i++)
		fixture_fire(fix.a, i);
	sc = &fix.state->cpus[0];
	shared()->buffer = sc->buffer;
	shared()->aggs = sc->aggs;
	for (unsigned int i = 0; i < 2; i++) {
		if (sc->buffer.mem[i])
			memcpy(shared()->halves[i], sc->buffer.mem[i], SIZE);
		memcpy(shared()->halves[2 + i], sc->aggs.mem[i], SIZE);
		shared()->buffer.mem[i] = there(i);
		shared()->aggs.mem[i] = there(2 + i);
	}
	if (sc->aggs.last)
		shared()->aggs.last = (struct agg_entry *)(void *)there(2);
}

static int append(void *ctx, const void *data, size_t n)
{
	bytes_add(ctx, data, n);
	return 0;
}

static void records_are_read_as_their_engine_reads_them(void **state)
{
	struct bytes want = {0}, got = {0};
	struct buffer b;
	uint64_t n;
	uint32_t used;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 1000); /* more than fit */
	assert_int_equal(import_buffer(&b, &shared()->buffer, &map, &used), 0);
	assert_int_equal(buffer_emit(&b, used, append, &got, &n), 0);
	assert_int_equal(b.drops, fixture_read(0, &want).dtbd_drops);
	assert_true(b.drops > 0);
	assert_int_equal(n, want.n);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.p, want.p, want.n);
	/* the other engine goes on in the other half */
	assert_int_equal(shared()->buffer.cur, 1);
	assert_int_equal(shared()->buffer.off, 0);
	assert_int_equal(shared()->buffer.drops, 0);
	assert_int_equal(shared()->buffer.full, 0);
	assert_ptr_equal(shared()->buffer.mem[1], there(1));
	assert_int_equal(import_buffer(&b, &shared()->buffer, &map, &used), 0);
	assert_int_equal(used, 0);
	assert_int_equal(shared()->buffer.cur, 0);
	bytes_free(&want);
	bytes_free(&got);
}

static void a_ring_is_read_from_its_oldest_record(void **state)
{
	struct bytes want = {0}, got = {0};
	struct buffer b;
	uint64_t n;
	uint32_t used;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_RING, 1000);
	assert_int_equal(import_buffer(&b, &shared()->buffer, &map, &used), 0);
	assert_true(b.wrapped);
	assert_int_equal(buffer_emit(&b, used, append, &got, &n), 0);
	fixture_stop();
	fixture_read(0, &want);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.p, want.p, want.n);
	bytes_free(&want);
	bytes_free(&got);
}

static void aggregations_are_read_as_their_engine_reads_them(void **state)
{
	struct bytes want = {0}, got = {0};
	struct agg_buffer b;
	uint64_t n;
	uint32_t used;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 1000);
	assert_int_equal(import_aggs(&b, &shared()->aggs, &map, &used), 0);
	assert_int_equal(agg_emit(&b, used, append, &got, &n), 0);
	assert_int_equal(b.drops, fixture_read_aggs(0, &want).dtbd_drops);
	assert_true(b.drops > 0);
	assert_int_equal(got.n, want.n);
	assert_memory_equal(got.p, want.p, want.n);
	/* the other engine goes on in the other half, and finds this one empty next time */
	assert_int_equal(shared()->aggs.cur, 1);
	assert_null(shared()->aggs.last);
	assert_int_equal(shared()->aggs.off, b.nbuckets * 4);
	for (uint32_t i = 0; i < b.nbuckets * 4; i++)
		assert_int_equal(shared()->halves[2][i], 0);
	bytes_free(&want);
	bytes_free(&got);
}

static void addresses_outside_of_the_map(void **state)
{
	(void)state;
	assert_ptr_equal(import_address(&map, THERE, map.size), map.here);
	assert_null(import_address(&map, THERE, map.size + 1));
	assert_null(import_address(&map, THERE - 8, 8));
	assert_null(import_address(&map, THERE + 4, 8));
	assert_null(import_address(&map, THERE + 8, UINT64_MAX));
	assert_null(import_address(&map, THERE + map.size + 8, 0));
	assert_null(import_address(&map, 0, 8));
}

/* Each field that a check looks at, with a value that it must not take. */
static void headers_that_are_not_sound(void **state)
{
	struct shared was;
	struct agg_buffer a;
	struct buffer b;
	uint32_t used;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 10);
	was = *shared();
#define REFUSED(change, call)                                           \
	do {                                                            \
		struct shared before;                                   \
                                                                        \
		*shared() = was;                                        \
		change;                                                 \
		before = *shared();                                     \
		assert_int_equal(call, -EINVAL);                        \
		assert_memory_equal(shared(), &before, sizeof(before)); \
	} while (0)
#define BUFFER(change) \
	REFUSED(shared()->buffer.change, import_buffer(&b, &shared()->buffer, &map, &used))
#define AGGS(change) REFUSED(shared()->aggs.change, import_aggs(&a, &shared()->aggs, &map, &used))
	BUFFER(cur = 2);
	BUFFER(off = SIZE + 8);
	BUFFER(size = sizeof(struct shared));
	BUFFER(size = UINT32_MAX);
	BUFFER(wrapped = 1); /* of the switch policy */
	BUFFER(policy = DTRACEOPT_BUFPOLICY_RING; shared()->buffer.cur = 1);
	BUFFER(policy = DTRACEOPT_BUFPOLICY_RING; shared()->buffer.wrapped = 2;
	       shared()->buffer.end = SIZE + 8);
	BUFFER(policy = DTRACEOPT_BUFPOLICY_RING; shared()->buffer.wrapped = 255;
	       shared()->buffer.end = 8; shared()->buffer.oldest = 16);
	BUFFER(mem[0] = NULL);
	BUFFER(mem[1] = (uint8_t *)&was);
	BUFFER(mem[1] += 4);
	BUFFER(mem[0] += 3 * SIZE + 8);
	AGGS(cur = 2);
	AGGS(off = SIZE + 8);
	AGGS(nbuckets = SIZE / 4 + 1);
	AGGS(nbuckets = 0x40000001);
	AGGS(size = UINT32_MAX);
	AGGS(mem[0] = NULL);
	AGGS(mem[1] = (uint8_t *)&was);
	*shared() = was;
	assert_int_equal(import_buffer(&b, &shared()->buffer, &map, &used), 0);
	assert_int_equal(import_aggs(&a, &shared()->aggs, &map, &used), 0);
}

static void entries_with_impossible_sizes(void **state)
{
	static const uint32_t sizes[] = {0, 4, 12, SIZE, UINT32_MAX, UINT32_MAX - 7};
	struct shared was;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 10);
	was = *shared();
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct bytes got = {0};
		struct agg_buffer b;
		struct agg_entry *e;
		uint64_t n;
		uint32_t used;

		*shared() = was;
		assert_int_equal(import_aggs(&b, &shared()->aggs, &map, &used), 0);
		e = (struct agg_entry *)(void *)(b.mem[0] + b.nbuckets * 4);
		e = (struct agg_entry *)(void *)((uint8_t *)e + 8 + e->rec.dtar_size);
		e->rec.dtar_size = sizes[i];
		assert_int_equal(agg_emit(&b, used, append, &got, &n), -EINVAL);
		assert_int_equal(got.n, 24); /* the entry before it */
		bytes_free(&got);
	}
}

/* ---- memory of random words ---- */

static uint64_t seed = 88172645463325252ULL;

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	return *x ^= *x << 17;
}

/* Write a word of the shared memory: most often of the headers, most often a likely one. */
static void scribble(uint64_t *x)
{
	const uint64_t words[] = {0,
				  1,
				  2,
				  8,
				  16,
				  24,
				  SIZE,
				  SIZE - 8,
				  UINT32_MAX,
				  UINT64_MAX,
				  (uint64_t)(uintptr_t)there(next(x) % 4),
				  next(x)};
	size_t n = (next(x) % 4 ? offsetof(struct shared, halves) : sizeof(struct shared)) / 4;
	uint64_t word = words[next(x) % (sizeof(words) / sizeof(words[0]))];
	uint32_t *at = (uint32_t *)(void *)map.here + next(x) % (n - 1);

	if (next(x) % 2)
		__atomic_store_n(at, (uint32_t)word, __ATOMIC_RELAXED);
	else
		__atomic_store_n((uint64_t *)(void *)((uintptr_t)at & ~7UL), word,
				 __ATOMIC_RELAXED);
}

struct sum {
	uint64_t calls, bytes, sum;
};

/* Read all that was given: the sanitiser finds what is outside. */
static int add_up(void *ctx, const void *data, size_t n)
{
	struct sum *s = ctx;

	s->calls++;
	s->bytes += n;
	for (size_t i = 0; i < n; i++)
		s->sum += __atomic_load_n((const uint8_t *)data + i, __ATOMIC_RELAXED);
	return 0;
}

/* Read both buffers once. Return whether each was sound, as two bits. */
static unsigned int read_all(void)
{
	struct sum sum = {0};
	struct agg_buffer a;
	struct buffer b;
	unsigned int sound = 0;
	uint64_t n;
	uint32_t used;

	if (import_buffer(&b, &shared()->buffer, &map, &used) == 0) {
		buffer_emit(&b, used, add_up, &sum, &n);
		assert_in_range(sum.bytes, 0, 2 * map.size);
		sound |= 1;
	}
	memset(&sum, 0, sizeof(sum));
	if (import_aggs(&a, &shared()->aggs, &map, &used) == 0) {
		agg_emit(&a, used, add_up, &sum, &n);
		assert_in_range(sum.calls, 0, map.size / 16);
		sound |= 2;
	}
	return sound;
}

static void random_words(void **state)
{
	unsigned int sound = 0, refused = 0;
	struct shared was;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 50);
	was = *shared();
	for (unsigned int i = 0; i < ROUNDS; i++) {
		unsigned int now;

		if (i % 8 == 0)
			*shared() = was;
		scribble(&seed);
		now = read_all();
		sound |= now;
		refused |= ~now;
	}
	assert_int_equal(sound & refused & 3, 3); /* each was tried both ways */
}

static bool stop;

static void *write_words(void *arg)
{
	uint64_t x = 123456789;

	(void)arg;
	while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE))
		scribble(&x);
	return NULL;
}

/* The words change while they are read. */
static void random_words_at_any_time(void **state)
{
	pthread_t thread;
	struct shared was;

	(void)state;
	record(DTRACEOPT_BUFPOLICY_SWITCH, 50);
	was = *shared();
	assert_int_equal(pthread_create(&thread, NULL, write_words, NULL), 0);
	for (unsigned int i = 0; i < ROUNDS; i++) {
		if (i % 8 == 0)
			memcpy(shared(), &was, sizeof(was));
		read_all();
	}
	__atomic_store_n(&stop, true, __ATOMIC_RELEASE);
	pthread_join(thread, NULL);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(records_are_read_as_their_engine_reads_them),
		T(a_ring_is_read_from_its_oldest_record),
		T(aggregations_are_read_as_their_engine_reads_them),
		T(addresses_outside_of_the_map),
		T(headers_that_are_not_sound),
		T(entries_with_impossible_sizes),
		T(random_words),
		T(random_words_at_any_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
