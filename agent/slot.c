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

int slot_init(void)
{
	unsigned int eax, ebx, ecx, edx;

	if (!__get_cpuid(1, &eax, &ebx, &ecx, &edx) || !(ecx & bit_CMPXCHG16B)) {
		snprintf(agent_head.message, sizeof(agent_head.message),
			 "the processor has no cmpxchg16b");
		return -ENOTSUP;
	}
	has_rdpid = __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && ecx & 1U << 22;
	for (uint32_t i = 0; i < agent_head.nslots; i++) {
		agent_head.slots[i].number = i;
		agent_head.slots[i].lock_owner = PORT_OWNER(agent_head.process, i);
	}
	return 0;
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

/* Return the turn in a slot. Another thread may change it at any time: see agent_turn_change(). */
static struct agent_turn turn_read(const struct agent_slot *slot)
{
	return (struct agent_turn){port_load_acquire(&slot->turn.owner),
				   port_load_acquire(&slot->turn.place)};
}

/* Make a slot that the thread, self, has just taken the current one. */
static void slot_enter(struct agent_slot *slot, uint64_t self, unsigned int cpu)
{
	slot->cpu = cpu;
	if (port_unlikely(slot->last != self)) {
		clock_forget(slot);
		slot->last = self;
	}
	agent_slot = slot;
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
 * Return whether this process has no memory any more at the mark of a turn in a slot, or something
 * else. A filter of system calls may refuse to tell.
 */
static bool mark_is_gone(const struct agent_slot *slot, uint64_t place)
{
	uint64_t found;
	const int64_t n = target_peek(&found, agent_marked(place), sizeof(found));

	return n == sizeof(found) ? found != agent_mark(slot, place) : n == -EFAULT;
}

#define NEAR 4096 /* bytes between addresses of one stack; stacks are larger */

/* A thread that takes a slot. */
struct taker {
	uint64_t self;
	uint64_t *at;  /* a word of its stack, below which the firing is */
	bool marked;   /* that word lives as long as the firing, and gets the mark */
	bool nested;   /* the thread has interrupted a firing in another slot */
	uint32_t live; /* an earlier value of agent_own()->live */
};

/*
 * Return whether the firing goes on for which this thread, or one with the same thread pointer,
 * took a slot. A handler may have left it by longjmp() if the stack pointer was lower. If it was
 * far lower, it may have been that of a coroutine, which goes on later: then the mark alone tells.
 */
static bool slot_is_live(const struct agent_slot *slot, uint64_t place, const struct taker *by,
			 bool desperate)
{
	const uint64_t below = (uintptr_t)by->at, addr = place & AGENT_PLACE_ADDR;

	if (agent_marked(place) && mark_is_gone(slot, place))
		return false;
	target_note_stranger();
	if (agent_own()->shared && !desperate)
		return true;
	/* stacks of the agent have no order */
	return agent_head.small_stacks || below < addr || below - addr >= NEAR ||
	       on_other_stack(addr);
}

/*
 * Take a slot that is free, or whose owner has left it, if its turn is still the one that was seen.
 * Return false if it is not, or if the session has ended.
 *
 * The mark is written first, so that the turn has it from its beginning: the firing of a thread
 * that a signal handler interrupts here goes on later, and the handler can tell.
 *
 * Before this, a thread can be stopped anywhere, for as long as sessions come and go, and the
 * region may have been replaced. Either the end of the session sees the taken slot, and is given
 * up, or the thread sees the end: each side writes first, and then reads the other side's word.
 * Until then the thread has written nothing, and gives back only its own slot.
 */
static port_inline bool slot_claim(struct agent_slot *slot, struct agent_turn seen,
				   const struct taker *by)
{
	const struct agent_turn next = {by->self,
					agent_place(seen.place, (uintptr_t)by->at, by->marked)};

	if (by->marked)
		port_write_once(by->at, agent_mark(slot, next.place));
	if (!agent_turn_change(&slot->turn, seen, next))
		return false;
	if (port_unlikely(seen.owner != AGENT_FREE))
		port_write_once(&slot->left, 1);
	if (port_likely(port_read_once(&agent_own()->live) == by->live))
		return true;
	port_store_release(&slot->turn.owner, AGENT_FREE);
	return false;
}

/* Take one of the n slots from first on that is free, or that this thread has left for good. */
static port_noinline struct agent_slot *slot_try(struct taker *by, unsigned int first,
						 unsigned int n, bool desperate)
{
	for (unsigned int i = first; i < first + n; i++) {
		struct agent_slot *slot = &agent_head.slots[i];
		const struct agent_turn seen = turn_read(slot);

		if (seen.owner != AGENT_FREE && seen.owner != by->self)
			continue;
		if (seen.owner == by->self && slot_is_live(slot, seen.place, by, desperate))
			by->nested = true;
		else if (slot_claim(slot, seen, by))
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

/* Take a slot if the first one of the CPU could not be taken. */
static port_noinline struct agent_slot *slot_search(struct taker *by, unsigned int cpu)
{
	struct agent_slot *slot = slot_try(by, first_slot(cpu), AGENT_SLOTS_PER_CPU, false);

	for (int turn = 0; !slot && turn < (by->nested ? TURNS : TURNS + NAPS); turn++) {
		slot = slot_try(by, 0, agent_head.nslots, turn > 0);
		if (slot || port_read_once(&agent_own()->live) != by->live)
			break;
		slots_wait(turn);
	}
	return slot;
}

bool slot_take(uint64_t *at, bool marked, uint32_t live)
{
	struct taker by = {.self = agent_thread(), .at = at, .marked = marked, .live = live};
	const unsigned int cpu = current_cpu();
	struct agent_slot *slot = &agent_head.slots[first_slot(cpu)];
	const struct agent_turn seen = {AGENT_FREE, port_read_once(&slot->turn.place)};

	if (port_unlikely(!slot_claim(slot, seen, &by)))
		slot = slot_search(&by, cpu);
	if (port_likely(slot))
		slot_enter(slot, by.self, cpu);
	return slot;
}

bool slot_take_number(uint32_t number, uint64_t *at, uint32_t live)
{
	const struct taker by = {.self = agent_thread(), .at = at, .live = live};
	struct agent_slot *slot = &agent_head.slots[number];
	const struct agent_turn seen = {AGENT_FREE, port_read_once(&slot->turn.place)};

	if (!slot_claim(slot, seen, &by))
		return false;
	slot_enter(slot, by.self, slot->cpu);
	return true;
}

void slot_give(void)
{
	port_store_release(&agent_slot->turn.owner, AGENT_FREE);
}

/*
 * Put in order what a firing has left that this thread has left for good, and free its slot, if its
 * turn is still the one that was seen.
 */
static void slot_free_left(struct agent_slot *slot, struct agent_turn seen)
{
	struct agent_slot *before = agent_slot;
	const struct taker by = {
		.self = seen.owner,
		.at = (uint64_t *)(uintptr_t)(before->turn.place & AGENT_PLACE_ADDR) - 1,
		.live = port_read_once(&agent_own()->live)};

	if (slot_claim(slot, seen, &by)) {
		slot_enter(slot, by.self, slot->cpu);
		slot_recover();
		slot_give();
	}
	agent_slot = before;
}

bool port_is_interrupted(uint32_t owner)
{
	struct agent_slot *slot;
	struct agent_turn seen;

	if (PORT_OWNER_PROCESS(owner) != agent_head.process ||
	    PORT_OWNER_CPU(owner) >= agent_head.nslots)
		return false;
	slot = &agent_head.slots[PORT_OWNER_CPU(owner)];
	seen = turn_read(slot);
	if (seen.owner != agent_thread())
		return false;
	/* The mark alone is sure: another process with this memory may have the same number. */
	if (slot == agent_slot || !agent_marked(seen.place) || !mark_is_gone(slot, seen.place))
		return true;
	slot_free_left(slot, seen);
	return false;
}

bool slot_is_used(const struct agent_slot *slot)
{
	const struct agent_turn turn = turn_read(slot);

	if (turn.owner == AGENT_FREE || turn.owner == AGENT_DTRACE)
		return false;
	if (!agent_marked(turn.place))
		return AGENT_PID(turn.owner) == agent_own()->pid;
	return !mark_is_gone(slot, turn.place);
}

bool slots_end(void)
{
	for (uint32_t i = 0; i < agent_head.nslots && i < AGENT_SLOTS_MAX; i++)
		if (slot_is_used(&agent_head.slots[i]))
			return false;
	return true;
}
