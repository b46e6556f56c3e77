/* SPDX-License-Identifier: MIT */
/* tick.c - measures the processor's time stamp counter. */
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <unistd.h>
#include "tick.h"
#include "../now.h"

#define CLOCKSOURCE "/sys/devices/system/clocksource/clocksource0/current_clocksource"
#define TRIES	    16	    /* readings, of which the shortest counts */
#define LENGTH	    1000000 /* ns between the readings */
#define SLOWER	    1024

/* A moment, by the counter and by the clock. */
struct moment {
	uint64_t ticks, time;
};

/* Return whether the kernel relies on the counter: it is constant, and the same on all CPUs. */
static bool is_clock(void)
{
	char name[8] = "";
	int fd = open(CLOCKSOURCE, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd == -1 ? -1 : read(fd, name, sizeof(name) - 1);

	if (fd != -1)
		close(fd);
	return n > 0 && strcmp(name, "tsc\n") == 0;
}

#ifdef __x86_64__
static struct moment moment_read(void)
{
	struct moment best = {0};
	uint64_t shortest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		const uint64_t before = __builtin_ia32_rdtsc(), time = dt_now(),
			       took = __builtin_ia32_rdtsc() - before;

		if (took < shortest) {
			shortest = took;
			best = (struct moment){before + took / 2, time};
		}
	}
	return best;
}

uint64_t dt_tick(void)
{
	const struct timespec pause = {.tv_nsec = LENGTH};
	struct moment from, to;
	uint64_t tick;

	if (!is_clock())
		return 0;
	from = moment_read();
	clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, NULL);
	to = moment_read();
	tick = (uint64_t)((double)(to.time - from.time) / (double)(to.ticks - from.ticks) * 0x1p32);
	return tick - tick / SLOWER;
}
#else
uint64_t dt_tick(void)
{
	return 0;
}
#endif
