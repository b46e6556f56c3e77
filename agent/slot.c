/* SPDX-License-Identifier: MIT */
/*
 * slot.c - threads take slots.
 *
 * The number of the CPU is only a hint: a thread may move to another CPU at once. With four slots
 * for each CPU, other threads can go on when the owner of a slot is preempted. If more owners are
 * preempted than there are slots, a thread yields to them for a limited number of times, since an
 * owner may be stopped.
 *
 * A signal handler may run on top of a hit and hit a site itself. That hit takes another slot, and
 * waits for one only shortly: hits of other threads below such handlers may have all slots. But a
 * handler may also leave the interrupted code for good, by longjmp(). Then the stack pointer is at
 * the owner's or a little above it, or the owner's mark is overwritten soon, and the slot is taken
 * over. It may also switch to another stack, and come back later: then the mark is intact.
 */
#include <linux/signal.h>
#include <asm/unistd.h>
#include <cpuid.h>
#include "impl.h"

/*
 * Turns for other threads before a hit is missed: first in any order, then without this thread,
 * unless the thread has interrupted another hit.
 */
#define TURNS 100
#define NAPS  200

static bool has_rdpid;

void slot_init(void)
{
	unsigned int eax, ebx, ecx, edx;

	has_rdpid = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ecx & 1U << 22;
	for (uint32_t i = 0; i < agent_head.nslots; i++) {
		agent_head.slots[i].number = i;
		agent_head.slots[i].lock_owner = PORT_OWNER(agent_head.process, i);
	}
}

/*
 * Return the CPU on which the thread runs. The kernel keeps its number where the vDSO can read it.
 */
static unsigned int current_cpu(void)
{
	uint64_t id;

	if (port_likely(has_rdpid))
		__asm__ volatile("rdpid %0" : "=r"(id));
	else
		__asm__ volatile("lsl %1, %0" : "=r"(id) : "r"(0x7bUL) : "cc"); /* slow on AMD */
	return id & 0xfff;
}

/* Return the first slot of a CPU. CPUs share slots if there are too few. */
static unsigned int first_slot(unsigned int cpu)
{
	if (port_unlikely(cpu >= agent_head.ncpus))
		cpu %= agent_head.ncpus;
	return cpu * AGENT_SLOTS_PER_CPU;
}

/*
 * Make a slot that the thread, self, has just taken the current one. Return false if a signal
 * handler has taken it over meanwhile. The handler runs in the same thread, so no bus lock is
 * needed.
 */
static bool slot_enter(struct agent_slot *slot, uint64_t self, unsigned int cpu, uint64_t sp,
		       uint64_t *mark)
{
	uint64_t was = self | AGENT_ENTERING;

	slot->cpu = cpu;
	slot->taken++;
	if (port_unlikely(slot->last != self)) {
		clock_forget(slot);
		slot->last = self;
	}
	if (mark)
		port_write_once(mark, agent_mark(slot));
	slot->mark = (uintptr_t)mark;
	slot->sp = sp;
	agent_slot = slot;
	__asm__ volatile("cmpxchgq %2, %1"
			 : "+a"(was), "+m"(slot->owner)
			 : "r"(self)
			 : "cc", "memory");
	return was == (self | AGENT_ENTERING);
}

/*
 * Return whether the thread runs on an alternate stack for signal handlers, to which an address
 * does not belong. That stack may be above the one that was interrupted.
 */
static bool on_other_stack(uint64_t addr)
{
	stack_t stack;

	return agent_syscall(__NR_sigaltstack, 0, (uintptr_t)&stack, 0, 0, 0, 0) == 0 &&
	       stack.ss_flags & SS_ONSTACK && addr - (uintptr_t)stack.ss_sp >= stack.ss_size;
}

/*
 * Return whether this process has no memory any more at the mark of a slot's owner, or something
 * else. A filter of system calls may refuse to tell.
 */
static bool mark_is_gone(const struct agent_slot *slot)
{
	uint64_t found;
	const int64_t n = target_peek(&found, slot->mark, sizeof(found));

	return n == sizeof(found) ? found != agent_mark(slot) : n == -EFAULT;
}

#define NEAR 4096 /* bytes between addresses of one stack; stacks are larger */

/*
 * Return whether the firing goes on with which this thread, or one with the same thread pointer,
 * took a slot. A handler may have left it by longjmp() if the stack pointer was lower. If it was
 * far lower, it may have been that of a coroutine, which goes on later: then the mark alone tells.
 */
static bool slot_is_live(const struct agent_slot *slot, uint64_t sp, bool desperate)
{
	if (slot->mark && mark_is_gone(slot))
		return false;
	target_note_stranger();
	if (agent_own()->shared && !desperate)
		return true;
	/* stacks of the agent have no order */
	return agent_head.small_stacks || sp < slot->sp || sp - slot->sp >= NEAR ||
	       on_other_stack(slot->sp);
}

/*
 * Take a slot from an owner. Return false if another thread has taken it, or if the session has
 * ended.
 *
 * Before this, a thread can be stopped anywhere, for as long as sessions come and go, and the
 * region may have been replaced. Either the end of the session sees the taken slot, and is given
 * up, or the thread sees the end: each side writes first, and then reads the other side's word.
 * Until then the thread has written nothing, and gives back only its own slot.
 */
static port_inline bool slot_claim(struct agent_slot *slot, uint64_t owner, uint64_t self,
				   uint32_t live)
{
	const uint64_t entering = self | AGENT_ENTERING;

	if (!port_cas(&slot->owner, owner, entering))
		return false;
	if (port_likely(port_read_once(&agent_own()->live) == live))
		return true;
	(void)port_cas(&slot->owner, entering, AGENT_FREE);
	return false;
}

/*
 * Take a slot from an owner that has left it, when it was taken for the last time of so many.
 * Return false if the owner has not: a thread of another process with this memory may have the same
 * number, and has given the slot back and taken it once more meanwhile.
 */
static bool slot_claim_left(struct agent_slot *slot, uint64_t owner, uint64_t self, uint32_t live,
			    uint64_t taken)
{
	port_write_once(&slot->left, 1);
	if (!slot_claim(slot, owner, self, live))
		return false;
	if (port_read_once(&slot->taken) == taken)
		return true;
	(void)port_cas(&slot->owner, self | AGENT_ENTERING, owner);
	return false;
}

/*
 * Return whether the thread was interrupted for good while it took the slot of an owner. Another
 * process with this memory may have the same number.
 */
static bool entering_is_left(uint64_t owner, uint64_t self)
{
	if (owner != (self | AGENT_ENTERING))
		return false;
	target_note_stranger();
	return !agent_own()->shared;
}

/* A thread that takes a slot. */
struct taker {
	uint64_t self, sp;
	uint32_t live;
	bool nested; /* it has interrupted a firing in another slot */
};

/*
 * Take one of the n slots from first on that is free, or that this thread has left for good. The
 * thread may have been interrupted while it took a slot; with desperate, take that slot too.
 */
static port_noinline struct agent_slot *slot_try(struct taker *by, unsigned int first,
						 unsigned int n, bool desperate)
{
	for (unsigned int i = first; i < first + n; i++) {
		struct agent_slot *slot = &agent_head.slots[i];
		const uint64_t taken = port_load_acquire(&slot->taken);
		const uint64_t owner = port_load_acquire(&slot->owner);

		if (owner == AGENT_FREE && slot_claim(slot, AGENT_FREE, by->self, by->live))
			return slot;
		if (owner == by->self && slot_is_live(slot, by->sp, desperate)) {
			by->nested = true;
			continue;
		}
		if (owner != by->self && !(desperate && entering_is_left(owner, by->self)))
			continue;
		if (slot_claim_left(slot, owner, by->self, by->live, taken))
			return slot;
	}
	return NULL;
}

/*
 * Let other threads run. If that does not help, ask dtrace for one slot after the other whether its
 * thread will ever give it back.
 */
static void slots_wait(int turn)
{
	if (turn >= TURNS)
		port_tell_stuck(agent_head.slots[(uint32_t)turn % agent_head.nslots].lock_owner);
	port_others_run(turn >= TURNS);
}

/* Take a slot if the first one of the CPU could not be taken. self: the thread. */
static port_noinline bool slot_search(uint64_t self, unsigned int cpu, uint64_t sp, uint64_t *mark,
				      uint32_t live)
{
	struct taker by = {.self = self, .sp = sp, .live = live};
	struct agent_slot *slot = slot_try(&by, first_slot(cpu), AGENT_SLOTS_PER_CPU, false);

	for (int turn = 0; turn < (by.nested ? TURNS : TURNS + NAPS); turn++) {
		if (slot && slot_enter(slot, self, cpu, sp, mark))
			return true;
		slot = slot_try(&by, 0, agent_head.nslots, turn > 0);
		if (!slot && port_read_once(&agent_own()->live) != live)
			return false;
		if (!slot)
			slots_wait(turn);
	}
	if (slot)
		port_store_release(&slot->owner, AGENT_FREE);
	return false;
}

bool slot_take(uint64_t sp, uint64_t *mark, uint32_t live)
{
	const unsigned int cpu = current_cpu();
	struct agent_slot *slot = &agent_head.slots[first_slot(cpu)];
	const uint64_t self = agent_thread();

	if (port_likely(slot_claim(slot, AGENT_FREE, self, live) &&
			slot_enter(slot, self, cpu, sp, mark)))
		return true;
	return slot_search(self, cpu, sp, mark, live);
}

bool slot_take_number(uint32_t number, uint64_t sp, uint32_t live)
{
	struct agent_slot *slot = &agent_head.slots[number];
	const uint64_t self = agent_thread();

	return slot_claim(slot, AGENT_FREE, self, live) &&
	       slot_enter(slot, self, slot->cpu, sp, NULL);
}

void slot_give(void)
{
	port_store_release(&agent_slot->owner, AGENT_FREE);
}

/*
 * Put in order what a firing has left that this thread has left for good, and free its slot. taken:
 * as of slot_claim_left().
 */
static void slot_free_left(struct agent_slot *slot, uint64_t self, uint64_t taken)
{
	struct agent_slot *before = agent_slot;

	if (slot_claim_left(slot, self, self, port_read_once(&agent_own()->live), taken) &&
	    slot_enter(slot, self, slot->cpu, before->sp - 1, NULL)) {
		slot_recover();
		slot_give();
	}
	agent_slot = before;
}

bool port_is_interrupted(uint32_t owner)
{
	const uint64_t self = agent_thread();
	struct agent_slot *slot;
	uint64_t taken;

	if (PORT_OWNER_PROCESS(owner) != agent_head.process ||
	    PORT_OWNER_CPU(owner) >= agent_head.nslots)
		return false;
	slot = &agent_head.slots[PORT_OWNER_CPU(owner)];
	taken = port_load_acquire(&slot->taken);
	if (port_load_acquire(&slot->owner) != self)
		return false;
	/* The mark alone is sure: another process with this memory may have the same number. */
	if (slot == agent_slot || !slot->mark || !mark_is_gone(slot))
		return true;
	slot_free_left(slot, self, taken);
	return false;
}

bool slot_is_used(const struct agent_slot *slot)
{
	const uint64_t owner = port_load_acquire(&slot->owner);

	if (owner == AGENT_FREE || owner == AGENT_DTRACE)
		return false;
	if (owner & AGENT_ENTERING)
		return true;
	if (!slot->mark)
		return AGENT_PID(owner) == agent_own()->pid;
	return !mark_is_gone(slot);
}

bool slots_end(void)
{
	for (uint32_t i = 0; i < agent_head.nslots && i < AGENT_SLOTS_MAX; i++)
		if (slot_is_used(&agent_head.slots[i]))
			return false;
	return true;
}
