/* SPDX-License-Identifier: MIT */
/*
 * userland_sample.c - records of the rings of perf events: split, truncated, and with wrong sizes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include "sample_record.h"

#define RING 4096

struct record {
	struct perf_event_header header;
	uint64_t id, ip;
	uint32_t pid, tid;
	uint64_t time;
	uint32_t cpu, reserved;
	uint64_t abi, regs[SAMPLE_NREGS], size;
	char stack[64];
	uint64_t filled;
};

static const struct record whole = {
	.header = {.type = PERF_RECORD_SAMPLE,
		   .misc = PERF_RECORD_MISC_USER,
		   .size = sizeof(whole)},
	.id = 7,
	.ip = 9,
	.pid = 1,
	.tid = 2,
	.time = 3,
	.cpu = 4,
	.abi = PERF_SAMPLE_REGS_ABI_64,
	.regs[SAMPLE_SP] = 0x1000,
	.size = 64,
	.stack[39] = 'e',
	.filled = 40,
};

static char ring[RING] __attribute__((aligned(8))),
	copy[UINT16_MAX + 1] __attribute__((aligned(8)));

/* A record is whole wherever it begins in the ring. */
static void test_split(void **state)
{
	const struct perf_event_header *record;
	struct sample sample;

	(void)state;
	for (uint64_t start = 0; start < RING; start += 8) {
		uint64_t tail = 2 * RING + start, head = tail + sizeof(whole);

		for (size_t i = 0; i < sizeof(whole); i++)
			ring[(start + i) % RING] = ((const char *)&whole)[i];
		assert_true(sample_next(ring, RING, head, &tail, copy, &record));
		assert_int_equal(tail, head);
		assert_true(sample_parse(record, &sample));
		assert_int_equal(sample.id, 7);
		assert_int_equal(sample.pid, 1);
		assert_int_equal(sample.tid, 2);
		assert_int_equal(sample.cpu, 4);
		assert_int_equal(sample.word, 8);
		assert_int_equal(sample.regs[SAMPLE_SP], 0x1000);
		assert_int_equal(sample.stack_size, 40);
		assert_int_equal(sample.stack[39], 'e');
		assert_false(sample.kernel);
	}
}

/* A record that ends early is refused. */
static void test_truncated(void **state)
{
	struct sample sample;

	(void)state;
	for (size_t n = sizeof(whole.header); n < sizeof(whole); n += 8) {
		struct perf_event_header *record = malloc(n);

		assert_non_null(record);
		memcpy(record, &whole, n);
		record->size = (uint16_t)n;
		assert_false(sample_parse(record, &sample));
		free(record);
	}
}

/* A record whose stack would be larger than the record is refused. */
static void test_stack(void **state)
{
	static const uint64_t sizes[] = {72, 80, UINT64_MAX, 1ULL << 63};
	struct record wrong = whole;
	struct sample sample;

	(void)state;
	wrong.filled = 65;
	assert_false(sample_parse(&wrong.header, &sample));
	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		wrong = whole;
		wrong.size = sizes[i];
		assert_false(sample_parse(&wrong.header, &sample));
	}
}

/* A wrong size in the ring skips what there is. */
static void test_ring(void **state)
{
	static const struct {
		uint16_t size;
		uint64_t head;
	} wrong[] = {{0, 64}, {4, 64}, {12, 64}, {128, 64}, {8, 4}, {8, RING + 8}};
	const struct perf_event_header *record;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		uint64_t tail = 0;

		((struct perf_event_header *)(void *)ring)->size = wrong[i].size;
		assert_false(sample_next(ring, RING, wrong[i].head, &tail, copy, &record));
		assert_int_equal(tail, wrong[i].head);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_split),
		cmocka_unit_test(test_truncated),
		cmocka_unit_test(test_stack),
		cmocka_unit_test(test_ring),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
