/* SPDX-License-Identifier: MIT */
/* userland_tick.c - the length of a tick of the time stamp counter, beside the clock. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>
#include <cmocka.h>
#include "tick.h"
#include "../../libdtrace/now.h"

#define LENGTH 50000 /* microseconds */
#define TRIES  20

static uint64_t counter(void)
{
#ifdef __x86_64__
	return __builtin_ia32_rdtsc();
#else
	return 0;
#endif
}

/* A tick is too short by a thousandth, within 400 millionths. */
static void test_tick(void **state)
{
	const uint64_t tick = dt_tick();
	double error = 1;

	(void)state;
	if (!tick)
		skip(); /* the kernel has another clock */
	for (int i = 0; i < TRIES && (error < 0.0006 || error > 0.0014); i++) {
		const uint64_t time = dt_now(), ticks = counter();

		usleep(LENGTH);
		error = 1 - (double)(counter() - ticks) * (double)tick * 0x1p-32 /
				    (double)(dt_now() - time);
	}
	assert_true(error >= 0.0006 && error <= 0.0014);
}

int main(void)
{
	const struct CMUnitTest tests[] = {cmocka_unit_test(test_tick)};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
