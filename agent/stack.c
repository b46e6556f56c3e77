/* SPDX-License-Identifier: MIT */
/*
 * stack.c - stacks for hits in programs whose own stacks are small, such as those of Go: less than
 * a kilobyte is left where a function begins.
 *
 * The signal handlers of such a program run on alternate stacks, and none leaves the interrupted
 * code for good. Other programs get their signals on the stack in use, and may look there for the
 * stack of the thread, so their hits stay on it.
 */
#include "impl.h"

#define TURNS 100 /* for other threads before a hit is missed */

_Static_assert(sizeof(struct agent_own) <= AGENT_PAGE, "stacks begin on a page of their own");
_Static_assert(offsetof(struct agent_head, small_stacks) == 376, "SMALL_STACKS in hit.S");

/* Threads begin to look at different stacks. */
uint64_t stack_take(void)
{
	struct agent_own *own = agent_own();
	const uint64_t first = agent_thread_pointer() >> 8;

	for (int turn = 0; turn < TURNS; turn++) {
		for (uint64_t i = first; i < first + AGENT_STACKS; i++) {
			const uint64_t n = i % AGENT_STACKS;

			if (!port_read_once(&own->stacks[n]) && port_cas(&own->stacks[n], 0, 1))
				return (uintptr_t)own + AGENT_PAGE + (n + 1) * AGENT_STACK;
		}
		port_others_run(turn > TURNS / 2);
	}
	port_xadd(&agent_head.missed, 1);
	return 0;
}

void stack_give(uint64_t end)
{
	struct agent_own *own = agent_own();

	port_store_release(&own->stacks[(end - (uintptr_t)own - AGENT_PAGE) / AGENT_STACK - 1], 0);
}
