/* SPDX-License-Identifier: MIT */
/*
 * userland_collect.c - what is taken from the region of a process: records, aggregations and counts
 * of an honest one, and nothing but whole and known ones of a process that writes what it wants.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../libdtrace/process/procfs.h"
#include "state.h"
#include "traced.h"

#define THERE	0x550000000000ULL /* where the process has its region */
#define SIZE	1024		  /* of each half of a buffer */
#define NSLOTS	(2 * AGENT_SLOTS_PER_CPU)
#define NOBODY	(4194303ULL << 2 | 1) /* an owner in a process that does not exist */
#define BUCKETS 2

struct region {
	struct agent_head head;
	uint32_t activity;
	uint8_t exited;
	struct state_cpu cpus[NSLOTS];
	uint8_t records[NSLOTS][2][SIZE], aggs[NSLOTS][2][SIZE];
};

/* A record, and an entry of an aggregation without keys. */
struct record {
	dtrace_rechdr_t head;
	uint64_t value;
};
struct entry {
	struct agg_entry head;
	uint64_t arg, value;
};

static struct region *region;
static struct traced process;
static struct traced_session session;
static struct traced_slot slots[NSLOTS];
static struct traced_bytes records[2], aggs[2];
static dtrace_state_t engine;
static struct agg count = {.id = 1, .kind = DTRACEAGG_COUNT, .keys = 8, .value = 16},
		  steps = {.id = 2, .kind = DTRACEAGG_LQUANTIZE, .arg = 7, .keys = 8, .value = 16};
static struct agg *known[] = {&count, &steps};
static struct traced_epid epids[] = {{0, 0}, {11, sizeof(struct record)}, {0, 0}, {13, 32}};
static pid_t met[8];
static int nmet;

static void meet(void *arg, enum dt_world_met what, pid_t pid, pid_t parent)
{
	(void)arg;
	assert_int_equal(what, DT_WORLD_CHILD);
	assert_int_equal(parent, process.pid);
	met[nmet++] = pid;
}

static int setup(void **state)
{
	(void)state;
	region = calloc(1, sizeof(*region));
	memset(slots, 0, sizeof(slots));
	memset(&engine, 0, sizeof(engine));
	engine.activity = DTRACE_ACTIVITY_ACTIVE;
	engine.opts[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_SWITCH;
	engine.opts[DTRACEOPT_BUFSIZE] = engine.opts[DTRACEOPT_AGGSIZE] = SIZE;
	engine.opts[DTRACEOPT_CPU] = DTRACEOPT_UNSET;
	engine.aggs = known;
	engine.naggs = 2;
	process = (struct traced){.pid = getpid(),
				  .pidfd = -1,
				  .image = dt_proc_stat(getpid(), DT_PROC_STACK),
				  .joined = true};
	process.region = (struct traced_region){.mem = (char *)region,
						.address = THERE,
						.size = sizeof(*region),
						.activity = offsetof(struct region, activity),
						.exited = offsetof(struct region, exited),
						.cpus = offsetof(struct region, cpus),
						.nslots = NSLOTS,
						.slots = slots,
						.epids = epids,
						.nepids = 4};
	session = (struct traced_session){.state = &engine,
					  .processes = &process,
					  .records = records,
					  .aggs = aggs,
					  .ncpus = 2,
					  .met = meet};
	region->head.own_pid = (uint32_t)getpid();
	for (int i = 0; i < NSLOTS; i++) {
		struct buffer *b = &region->cpus[i].buffer;
		struct agg_buffer *a = &region->cpus[i].aggs;

		b->policy = DTRACEOPT_BUFPOLICY_SWITCH;
		b->size = a->size = SIZE;
		a->nbuckets = BUCKETS;
		a->off = BUCKETS * 4;
		for (int half = 0; half < 2; half++) {
			b->mem[half] = (uint8_t *)THERE + offsetof(struct region, records) +
				       (i * 2 + half) * SIZE;
			a->mem[half] = (uint8_t *)THERE + offsetof(struct region, aggs) +
				       (i * 2 + half) * SIZE;
		}
	}
	nmet = 0;
	return region ? 0 : -1;
}

static void bytes_reset(struct traced_bytes *bytes)
{
	free(bytes->data);
	*bytes = (struct traced_bytes){.complete = UINT64_MAX};
}

static int teardown(void **state)
{
	(void)state;
	for (int cpu = 0; cpu < 2; cpu++) {
		bytes_reset(&records[cpu]);
		bytes_reset(&aggs[cpu]);
	}
	free(region);
	return 0;
}

/* Collect anew. */
static const struct traced_bytes *collect(bool agg, uint32_t cpu)
{
	bytes_reset(agg ? &aggs[cpu] : &records[cpu]);
	return traced_collect(&session, agg, cpu);
}

/* Let the process record. */
static struct record *record(int slot, uint32_t epid, uint32_t size, uint64_t when, uint64_t value)
{
	struct buffer *b = &region->cpus[slot].buffer;
	struct record *r = (void *)(region->records[slot][b->cur] + b->off);

	*r = (struct record){.head = {.dtrh_epid = epid, .dtrh_size = size, .dtrh_timestamp = when},
			     .value = value};
	b->off += sizeof(*r);
	return r;
}

static struct entry *add(int slot, uint32_t id, uint64_t arg, uint64_t value)
{
	struct agg_buffer *b = &region->cpus[slot].aggs;
	struct entry *e = (void *)(region->aggs[slot][b->cur] + b->off);

	*e = (struct entry){
		.head.rec = {.dtar_id = id, .dtar_size = 24}, .arg = arg, .value = value};
	b->off += sizeof(*e);
	return e;
}

static const struct record *collected(const struct traced_bytes *bytes, int i)
{
	assert_in_range(bytes->size, (i + 1) * sizeof(struct record), SIZE);
	return (const void *)(bytes->data + i * sizeof(struct record));
}

static void records_get_numbers_of_the_session(void **state)
{
	const uint64_t begin = port_timestamp();
	const struct traced_bytes *bytes;

	(void)state;
	record(0, 1, sizeof(struct record), 5, 100);
	record(3, 1, sizeof(struct record), UINT64_MAX, 103); /* would delay all others */
	record(4, 1, sizeof(struct record), 5, 104);	      /* of the other CPU */
	bytes = collect(false, 0);
	assert_int_equal(bytes->size, 2 * sizeof(struct record));
	assert_int_equal(bytes->drops, 0);
	assert_int_equal(collected(bytes, 0)->head.dtrh_epid, 11);
	assert_int_equal(collected(bytes, 0)->head.dtrh_timestamp, 5);
	assert_int_equal(collected(bytes, 0)->value, 100);
	assert_int_equal(collected(bytes, 1)->value, 103);
	assert_int_equal(collected(bytes, 1)->head.dtrh_timestamp, slots[3].when);
	assert_in_range(bytes->complete, begin, port_timestamp());
	for (int i = 0; i < AGENT_SLOTS_PER_CPU; i++)
		assert_true(slots[i].when >= bytes->complete);
	assert_int_equal(region->head.slots[0].turn.owner, AGENT_FREE);
	/* They wait until the consumer has got them. */
	record(0, 1, sizeof(struct record), 6, 101);
	assert_int_equal(traced_collect(&session, false, 0)->size, 2 * sizeof(struct record));
	assert_int_equal(collected(collect(false, 0), 0)->value, 101);
	assert_int_equal(collected(collect(false, 1), 0)->value, 104);
	assert_int_equal(collect(false, 0)->size, 0);
	assert_int_equal(records[0].drops, 0);
}

static void a_session_of_one_cpu(void **state)
{
	(void)state;
	engine.opts[DTRACEOPT_CPU] = 1;
	record(0, 1, sizeof(struct record), 5, 100);
	record(4, 1, sizeof(struct record), 5, 104);
	assert_int_equal(collect(false, 0)->size, 0);
	assert_int_equal(collect(false, 1)->size, 2 * sizeof(struct record));
}

/* What is before a wrong record counts, what is behind it does not. */
static void wrong_records(void **state)
{
	static const struct {
		uint32_t epid, size;
	} wrong[] = {
		{0, 24}, {2, 24}, {4, 24}, {UINT32_MAX, 24}, {1, 0}, {1, 16}, {1, 32}, {3, 32},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		const struct traced_bytes *bytes;

		record(0, 1, sizeof(struct record), 5, 100);
		record(0, wrong[i].epid, wrong[i].size, 5, 101);
		record(1, 1, sizeof(struct record), 5, 102);
		bytes = collect(false, 0);
		assert_int_equal(bytes->size, 2 * sizeof(struct record));
		assert_int_equal(collected(bytes, 0)->value, 100);
		assert_int_equal(collected(bytes, 1)->value, 102);
		assert_int_equal(bytes->drops, 1);
	}
	record(0, 1, sizeof(struct record), 5, 100);
	region->cpus[0].buffer.off += 8; /* less than a header */
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	assert_int_equal(records[0].drops, 1);
}

static void wrong_buffers(void **state)
{
	struct buffer *b = &region->cpus[0].buffer;
	struct agg_buffer *a = &region->cpus[0].aggs;

	(void)state;
	b->drops = 3;
	a->drops = 4;
	assert_int_equal(collect(false, 0)->drops, 3);
	assert_int_equal(collect(true, 0)->drops, 4);
	b->off = SIZE + 8;
	assert_int_equal(collect(false, 0)->drops, 1);
	b->off = 0;
	b->policy = DTRACEOPT_BUFPOLICY_RING;
	assert_int_equal(collect(false, 0)->drops, 1);
	b->policy = DTRACEOPT_BUFPOLICY_SWITCH;
	b->size = a->size = SIZE + 8;
	assert_int_equal(collect(false, 0)->drops, 1);
	assert_int_equal(collect(true, 0)->drops, 1);
	b->size = a->size = SIZE;
	assert_int_equal(collect(false, 0)->drops, 0);
	assert_int_equal(collect(true, 0)->drops, 0);
}

static void aggregations(void **state)
{
	static const struct {
		uint32_t id;
		uint64_t arg;
		bool known;
	} cases[] = {{1, 0, true},  {1, 7, true},  {2, 7, true},	  {2, 0, false},
		     {0, 0, false}, {3, 0, false}, {UINT32_MAX, 0, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct traced_bytes *bytes;

		add(0, 1, 0, 5);
		add(0, cases[i].id, cases[i].arg, 6);
		bytes = collect(true, 0);
		assert_int_equal(bytes->size, cases[i].known ? 48 : 24);
		assert_int_equal(bytes->drops, !cases[i].known);
		assert_int_equal(((const dtrace_aggrec_t *)(const void *)bytes->data)->dtar_id, 1);
	}
	add(0, 1, 0, 5);
	add(0, 1, 0, 6)->head.rec.dtar_size = 16;
	assert_int_equal(collect(true, 0)->size, 24);
	assert_int_equal(aggs[0].drops, 1);
	add(4, 1, 0, 5);
	assert_int_equal(collect(true, 0)->size, 0);
	assert_int_equal(collect(true, 1)->size, 24);
	add(4, 1, 0, 5);
	engine.naggs = 0; /* the program has none */
	assert_int_equal(collect(true, 1)->size, 0);
	assert_int_equal(aggs[1].drops, 0);
}

/* A slot that a thread has is read later; records are complete up to when it was read before. */
static void slots_in_use(void **state)
{
	struct agent_slot *slot = &region->head.slots[0];
	const uint64_t owner = (uint64_t)getpid() << 2 | 1;
	uint64_t before;

	(void)state;
	collect(false, 0);
	before = slots[0].when;
	record(0, 1, sizeof(struct record), 5, 100);
	slot->turn.owner = owner;
	assert_int_equal(collect(false, 0)->size, 0);
	assert_int_equal(records[0].drops, 0);
	assert_int_equal(records[0].complete, before);
	assert_int_equal(slot->turn.owner, owner);
	assert_int_equal(collect(true, 0)->drops, 0);
	session.naps = UINT32_MAX; /* it has waited for long */
	engine.activity = DTRACE_ACTIVITY_STOPPED;
	/* It is not read again: so it is read in the hands of its thread. */
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	assert_int_equal(records[0].drops, 0);
	assert_int_equal(collect(true, 0)->drops, 0);
	assert_int_equal(slot->turn.owner, owner);
	engine.activity = DTRACE_ACTIVITY_ACTIVE;
	slot->turn.owner = AGENT_FREE;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	assert_int_equal(slot->left, 0);
	/* The owner's process has ended: a child, the process itself, any. */
	slot->turn.owner = NOBODY;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	assert_int_equal(slot->left, 1);
	assert_int_equal(slot->turn.owner, AGENT_FREE);
	process.ended = true;
	slot->turn.owner = owner;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	process.region.children = true;
	slot->turn.owner = (uint64_t)getppid() << 2 | 1;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, 0);
	process.region.children = false;
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	slot->turn.owner = AGENT_DTRACE;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, 0);
	process.region.left = true;
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
}

/* The buffer of a fill session is read once, at the end. */
static void fill_buffers(void **state)
{
	(void)state;
	engine.opts[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_FILL;
	for (int i = 0; i < NSLOTS; i++)
		region->cpus[i].buffer.policy = DTRACEOPT_BUFPOLICY_FILL;
	record(0, 1, sizeof(struct record), 5, 100);
	assert_int_equal(collect(false, 0)->size, 0);
	engine.activity = DTRACE_ACTIVITY_DRAINING;
	assert_int_equal(collect(false, 0)->size, 0);
	engine.activity = DTRACE_ACTIVITY_STOPPED;
	assert_int_equal(collect(false, 0)->size, sizeof(struct record));
	assert_int_equal(collect(false, 0)->size, 0);
	assert_int_equal(records[0].drops, 0);
}

static void counts(void **state)
{
	dtrace_status_t status = {0};
	dtrace_status_t *c = &region->cpus[1].count;

	(void)state;
	region->cpus[0].count.dtst_errors = 1;
	*c = (dtrace_status_t){.dtst_dyndrops = 1,
			       .dtst_specdrops = 2,
			       .dtst_specdrops_busy = 3,
			       .dtst_specdrops_unavail = 4,
			       .dtst_stkstroverflows = 5,
			       .dtst_errors = 6,
			       .dtst_dblerrors = 7,
			       .dtst_reentries = 8,
			       .dtst_missed = 9,
			       .dtst_aggdrops = 10,
			       .dtst_principaldrops = 11};
	region->head.missed = 100;
	region->cpus[2].buffer.full = 1; /* of another policy */
	region->cpus[3].buffer.full = 1;
	region->cpus[3].buffer.policy = DTRACEOPT_BUFPOLICY_FILL;
	region->cpus[4].buffer.policy = DTRACEOPT_BUFPOLICY_FILL;
	session.ended.dtst_filled = 20;
	session.ended.dtst_dyndrops = 30;
	traced_status(&session, &status);
	assert_int_equal(status.dtst_dyndrops, 31);
	assert_int_equal(status.dtst_specdrops, 2);
	assert_int_equal(status.dtst_specdrops_busy, 3);
	assert_int_equal(status.dtst_specdrops_unavail, 4);
	assert_int_equal(status.dtst_stkstroverflows, 5);
	assert_int_equal(status.dtst_errors, 7);
	assert_int_equal(status.dtst_dblerrors, 7);
	assert_int_equal(status.dtst_reentries, 8);
	assert_int_equal(status.dtst_missed, 109);
	assert_int_equal(status.dtst_aggdrops, 10);
	assert_int_equal(status.dtst_principaldrops, 11);
	assert_int_equal(status.dtst_filled, 21);
	/* Faults come with the records, each once. */
	assert_int_equal(collect(false, 0)->errors, 7);
	c->dtst_errors = 8;
	assert_int_equal(collect(false, 0)->errors, 2);
	c->dtst_errors = 1;
	assert_int_equal(collect(false, 0)->errors, 0);
	process.joined = false;
	memset(&status, 0, sizeof(status));
	traced_status(&session, &status);
	assert_int_equal(status.dtst_dyndrops, 30);
}

static void children(void **state)
{
	(void)state;
	region->head.child[0] = 4194301;
	collect(false, 0);
	assert_int_equal(nmet, 0); /* they have not fired */
	region->head.child[AGENT_CHILDREN_MAX - 1] = 4194302;
	region->head.child[5] = (uint32_t)-5;
	region->head.child[6] = (uint32_t)process.pid;
	region->head.nchildren = 4;
	collect(true, 0);
	assert_int_equal(nmet, 2);
	assert_int_equal(met[0], 4194301);
	assert_int_equal(met[1], 4194302);
	assert_int_equal(region->head.child[0], 0);
	assert_int_equal(process.nchildren, 4);
	region->head.child[0] = 4194301;
	collect(false, 0);
	assert_int_equal(nmet, 2);
}

static void wakes(void **state)
{
	bool exited;

	(void)state;
	assert_false(traced_poll(&session, &exited));
	assert_false(exited);
	region->exited = 1;
	region->head.wake = 1;
	assert_true(traced_poll(&session, &exited));
	assert_false(exited); /* no program of the session can call exit() */
	assert_false(traced_poll(&session, &exited));
	session.exits = true;
	region->head.wake = 1;
	assert_true(traced_poll(&session, &exited));
	assert_true(exited);
	region->exited = 2;
	region->head.wake = 1;
	assert_true(traced_poll(&session, &exited));
	assert_false(exited);
	session.woken = session.exited = true;
	assert_true(traced_poll(&session, &exited));
	assert_true(exited);
	assert_false(traced_poll(&session, &exited));
	region->head.wake = 1;
	process.joined = false;
	assert_false(traced_poll(&session, &exited));
}

/* A thread waits for a lock whose owner may have ended. */
static void stuck_threads(void **state)
{
	static const struct {
		uint32_t number, slot;
		bool frees;
	} cases[] = {{6, 2, false}, {5, 3, false}, {5, NSLOTS, false}, {5, 2, true}};
	struct agent_slot *slot = &region->head.slots[2];
	bool exited;

	(void)state;
	region->head.slots[0].turn.owner = slot->turn.owner = NOBODY;
	assert_false(traced_poll(&session, &exited));
	assert_int_equal(region->head.slots[0].turn.owner, NOBODY);
	process.number = 5;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		region->head.stuck = PORT_OWNER(cases[i].number, cases[i].slot);
		assert_false(traced_poll(&session, &exited));
		assert_int_equal(region->head.stuck, 0);
		assert_int_equal(slot->turn.owner, cases[i].frees ? AGENT_FREE : NOBODY);
		assert_int_equal(slot->left, cases[i].frees);
	}
	slot->turn.owner = (uint64_t)getpid() << 2 | 1;
	region->head.stuck = PORT_OWNER(5, 2);
	assert_false(traced_poll(&session, &exited));
	assert_int_equal(slot->turn.owner, (uint64_t)getpid() << 2 | 1);
}

/* What a process leaves behind. */
static void ends(void **state)
{
	(void)state;
	session.exits = true;
	record(0, 1, sizeof(struct record), 5, 100);
	record(4, 1, sizeof(struct record), 5, 104);
	add(4, 1, 0, 5);
	region->cpus[4].count.dtst_dyndrops = 3;
	region->head.child[1] = 4194301;
	region->head.nchildren = region->head.wake = region->exited = 1;
	process.ended = true;
	traced_collect_last(&session, &process);
	assert_int_equal(records[0].size, sizeof(struct record));
	assert_int_equal(records[1].size, sizeof(struct record));
	assert_int_equal(aggs[0].size, 0);
	assert_int_equal(aggs[1].size, 24);
	assert_int_equal(session.ended.dtst_dyndrops, 3);
	assert_int_equal(nmet, 1);
	assert_true(session.woken);
	assert_true(session.exited);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(records_get_numbers_of_the_session),
		TEST(a_session_of_one_cpu),
		TEST(wrong_records),
		TEST(wrong_buffers),
		TEST(aggregations),
		TEST(slots_in_use),
		TEST(fill_buffers),
		TEST(counts),
		TEST(children),
		TEST(wakes),
		TEST(stuck_threads),
		TEST(ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
