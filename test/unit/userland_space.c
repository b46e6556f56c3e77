/* SPDX-License-Identifier: MIT */
/* userland_space.c - the nearest free page of an address space, of small ones and of large ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <cmocka.h>
#include "space.h"

#define BASE  0x400000ULL
#define PAGES 24 /* of a small space */

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Find the nearest free page by looking at each. Return 0 if none is free. */
static uint64_t nearest(const struct dt_space *space, uint64_t addr, uint64_t low, uint64_t high)
{
	uint64_t best = 0;

	for (uint64_t page = BASE - DT_PAGE; page <= BASE + PAGES * DT_PAGE; page += DT_PAGE)
		if (page >= low && page + DT_PAGE <= high &&
		    dt_space_is_free(space, page, page + DT_PAGE) &&
		    (!best || distance(page, addr) < distance(best, addr)))
			best = page;
	return best;
}

static void small(void **state)
{
	(void)state;
	srandom(1);
	for (unsigned int round = 0; round < 20000; round++) {
		struct dt_space space = {0};
		const uint64_t low = BASE + (uint64_t)random() % (PAGES * DT_PAGE);
		const uint64_t high = low + (uint64_t)random() % (BASE + PAGES * DT_PAGE - low);
		const uint64_t addr = BASE + (uint64_t)random() % (PAGES * DT_PAGE);
		const uint64_t at = addr & ~(DT_PAGE - 1);
		uint64_t found, wanted;

		for (unsigned int page = 0; page < PAGES; page++)
			if (random() % 4)
				assert_return_code(dt_space_add(&space, BASE + page * DT_PAGE), 0);
		found = dt_space_near(&space, addr, low, high);
		wanted = nearest(&space, at, low, high);
		if (!found != !wanted || distance(found, at) != distance(wanted, at))
			fail_msg("round %u: %#llx, not %#llx", round, (unsigned long long)found,
				 (unsigned long long)wanted);
		dt_space_free(&space);
	}
}

static void bounds(void **state)
{
	struct dt_space space = {0};

	(void)state;
	assert_int_equal(dt_space_near(&space, BASE + 5, 0, UINT64_MAX), BASE);
	assert_int_equal(dt_space_near(&space, 0, 0, UINT64_MAX), 0x10000);
	assert_int_equal(dt_space_near(&space, BASE, BASE + 1, BASE + DT_PAGE), 0);
	assert_int_equal(dt_space_near(&space, BASE, UINT64_MAX - BASE, UINT64_MAX), 0);
	assert_int_equal(dt_space_near(&space, BASE, BASE, BASE - DT_PAGE), 0);
}

/* A program with tens of thousands of probes asks that often: the work must not grow with both. */
static void large(void **state)
{
	struct dt_space space = {0};
	const uint64_t n = 40000;

	(void)state;
	for (uint64_t i = 0; i < n; i++)
		assert_return_code(dt_space_add(&space, BASE + 2 * i * DT_PAGE), 0);
	for (uint64_t i = 0; i < 10 * n; i++) {
		const uint64_t page = BASE + 2 * (i % n) * DT_PAGE;

		assert_int_equal(dt_space_near(&space, page + DT_PAGE, page, page + 3 * DT_PAGE),
				 page + DT_PAGE);
		assert_int_equal(dt_space_near(&space, page, page, page + DT_PAGE), 0);
		assert_int_equal(dt_space_near(&space, -page, -page, -page + DT_PAGE), 0);
	}
	dt_space_free(&space);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(small),
		cmocka_unit_test(bounds),
		cmocka_unit_test(large),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
