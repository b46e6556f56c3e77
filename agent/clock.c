/* SPDX-License-Identifier: MIT */
/*
 * clock.c - the time of firings, computed from the processor's time stamp counter.
 *
 * Without this, most of the time of a small clause would go to the kernel's clock. A slot keeps a
 * *line*: one reading of the clock, and of the counter just after it. For the next LINE ticks, the
 * counter alone gives the time. The kernel may slew its clock meanwhile, or stop it for a suspend,
 * and a line is too short for a difference that matters.
 *
 * For a thread, the time never goes backwards. A line begins a little behind the clock, and is a
 * little slower. So the next reading is ahead of it, also if the thread takes another slot: that
 * slot has no line of the thread, or the thread has moved to another CPU, which takes longer than
 * the line is behind. If the clock is slewed so strongly that a line gets ahead, the time stands
 * still at the end of the line until the clock is there.
 *
 * On a line, no fence comes before the counter, since it would cost as much as the line saves. Some
 * of the instructions before it may end after it, but never those of the last hit.
 */
#include <linux/prctl.h>
#include <linux/time.h>
#include <asm/unistd.h>
#include "impl.h"

#define LINE	32768 /* ticks: 8 to 16 microseconds */
#define READING 512   /* ticks within which a line must begin: it is not behind by more */

static struct clock_line {
	uint64_t begin; /* the counter; 0: no line */
	uint64_t time;
} lines[AGENT_SLOTS_MAX];

void clock_init(void)
{
	int how = PR_TSC_ENABLE;

	agent_syscall(__NR_prctl, PR_GET_TSC, (uintptr_t)&how, 0, 0, 0, 0);
	if (how != PR_TSC_ENABLE)
		agent_head.clock = agent_head.tick = 0;
}

void clock_forget(const struct agent_slot *slot)
{
	lines[slot->number] = (struct clock_line){0};
}

/* Return the time of a clock of the kernel. */
static uint64_t clock_read(int clock)
{
	struct __kernel_timespec ts = {0};
	int (*vdso)(int, struct __kernel_timespec *) =
		(int (*)(int, struct __kernel_timespec *))(uintptr_t)agent_head.clock;

	if (!vdso || vdso(clock, &ts) != 0)
		agent_syscall(__NR_clock_gettime, (uint64_t)clock, (uintptr_t)&ts, 0, 0, 0, 0);
	return (uint64_t)ts.tv_sec * 1000000000 + (uint64_t)ts.tv_nsec;
}

static inline uint64_t clock_ns(uint64_t ticks)
{
	return ticks * agent_head.tick >> 32;
}

/*
 * Read the clock, and begin a line there, unless that has taken too long. now: the counter before.
 */
static port_noinline uint64_t line_begin(struct clock_line *line, uint64_t now)
{
	const uint64_t length = clock_ns(LINE), end = line->time + length;
	const uint64_t time = clock_read(CLOCK_MONOTONIC);
	uint64_t begin;

	if (end - time < length)
		return end;
	__asm__ volatile("lfence"); /* the counter after the clock */
	begin = __builtin_ia32_rdtsc();
	*line = begin - now < READING ? (struct clock_line){begin, time} : (struct clock_line){0};
	return time;
}

uint64_t port_timestamp(void)
{
	struct clock_line *line;
	uint64_t now;

	if (port_unlikely(!agent_slot || !agent_head.tick))
		return clock_read(CLOCK_MONOTONIC);
	line = &lines[agent_slot->number];
	now = __builtin_ia32_rdtsc();
	if (port_likely(now - line->begin < LINE))
		return line->time + clock_ns(now - line->begin);
	return line_begin(line, now);
}

uint64_t port_walltimestamp(void)
{
	return clock_read(CLOCK_REALTIME);
}

uint64_t port_firing_time(void)
{
	return clock_read(CLOCK_THREAD_CPUTIME_ID);
}

uint64_t port_vtimestamp(uint64_t now)
{
	return now;
}

void port_delay(uint64_t ns)
{
	uint64_t end = port_timestamp() + ns;

	while (port_timestamp() < end)
		__builtin_ia32_pause();
}
