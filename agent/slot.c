/* SPDX-License-Identifier: MIT */
/*
 * slot.c - threads take slots.
 *
 * The number of the CPU is only a hint: a thread may move to another CPU at once. Four slots for each
 * CPU let others go on when a thread is preempted while it holds one. Where more threads are preempted
 * in the middle of hits than there are slots, a thread lets them run, for a limited number of times: the
 * owner may be stopped.
 *
 * A signal handler may run on top of a hit and hit a site itself. That is a reentry, as a probe within
 * a probe is, and is counted. But a handler may also leave the interrupted code for good, by longjmp().
 * Then the stack pointer is above that of the owner, and the slot is taken over.
 */
#include <asm/unistd.h>
#include <linux/time_types.h>
#include "impl.h"
#include "fire.h"

/* What others get before a hit is missed: turns, and then times without this thread. */
#define TURNS 100
#define NAPS  200
#define NAP   1000000 /* ns */

/* Return the CPU on which the thread runs. */
static unsigned int current_cpu(void)
{
	unsigned int cpu;

	/* The kernel keeps it in the limit of this segment, for its vDSO. */
	__asm__ volatile("lsl %1, %0" : "=r"(cpu) : "r"(0x7b) : "cc");
	return cpu & 0xfff;
}

/* Make a slot that the thread has got the current one. */
static void slot_enter(struct agent_slot *slot, unsigned int cpu, uint64_t sp)
{
	slot->sp = sp;
	slot->cpu = cpu;
	slot->taken++;
	agent_slot = slot;
}

/*
 * Try the slots from first on, n of them. *reentry becomes whether the thread holds one of them in the
 * middle of a firing.
 */
static bool slot_try(unsigned int first, unsigned int n, unsigned int cpu, uint64_t sp,
		     bool *reentry)
{
	uint64_t self = agent_thread(), owner;

	for (unsigned int i = first; i < first + n; i++) {
		struct agent_slot *slot = &agent_head.slots[i];

		owner = port_read_once(&slot->owner);
		if (owner == AGENT_FREE && port_cas(&slot->owner, AGENT_FREE, self)) {
			slot_enter(slot, cpu, sp);
			return true;
		}
		if (owner != self)
			continue;
		if (sp <= slot->sp) {
			*reentry = true;
			return false;
		}
		port_write_once(&engine.mstates[i].busy, 0);
		slot_enter(slot, cpu, sp);
		return true;
	}
	return false;
}

static void others_run(bool nap)
{
	const struct __kernel_timespec ts = {.tv_nsec = NAP};

	if (nap)
		agent_syscall(__NR_nanosleep, (uintptr_t)&ts, 0, 0, 0, 0, 0);
	else
		agent_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

bool slot_take(uint64_t sp)
{
	unsigned int cpu = current_cpu(), first = cpu % agent_head.ncpus * AGENT_SLOTS_PER_CPU;
	bool reentry = false;

	if (port_likely(slot_try(first, AGENT_SLOTS_PER_CPU, cpu, sp, &reentry)))
		return true;
	for (int turn = 0; turn < TURNS + NAPS && !reentry; turn++) {
		if (slot_try(0, agent_head.nslots, cpu, sp, &reentry))
			return true;
		others_run(turn >= TURNS);
	}
	return false;
}

void slot_give(void)
{
	port_store_release(&agent_slot->owner, AGENT_FREE);
}
