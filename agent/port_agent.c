/* SPDX-License-Identifier: MIT */
/*
 * port_agent.c - the run time of the engine in a traced process: memory of the region, grace
 * periods. Its time is in clock.c.
 *
 * Only calls of dtrace allocate, and they come one at a time: the heap needs no lock. Hits make
 * system calls only for services of the kernel.
 */
#include <linux/time.h>
#include <asm/unistd.h>
#include "impl.h"

/* ---- memory ---- */

#define HEAP_CLASSES 48 /* powers of two */
#define HEAP_MIN     5	/* the smallest class: 32 bytes, the header included */

/* The header of a chunk. */
struct heap_chunk {
	uint64_t class;
	struct heap_chunk *next; /* while it is free */
};

static struct {
	struct heap_chunk *free[HEAP_CLASSES];
	uint64_t used; /* offset of the unused rest, which is all zeros */
} heap;

static unsigned int heap_class(size_t size)
{
	unsigned int class = HEAP_MIN;

	while (class < HEAP_CLASSES && ((uint64_t)1 << class) < size)
		class ++;
	return class;
}

/* Return unused memory of the region, or NULL. */
static struct heap_chunk *heap_take(unsigned int class)
{
	uint64_t size = (uint64_t)1 << class;
	struct heap_chunk *chunk;

	if (!heap.used)
		heap.used = agent_head.heap;
	if (size > agent_head.heap_end - heap.used)
		return NULL;
	chunk = agent_at(heap.used);
	heap.used += size;
	return chunk;
}

void *port_alloc(size_t size)
{
	unsigned int class = heap_class(size + sizeof(struct heap_chunk));
	struct heap_chunk *chunk;

	if (size > SIZE_MAX / 2 || class >= HEAP_CLASSES)
		return NULL;
	chunk = heap.free[class];
	if (chunk) {
		heap.free[class] = chunk->next;
		memset(chunk + 1, 0, size);
	} else {
		chunk = heap_take(class);
		if (!chunk)
			return NULL;
	}
	chunk->class = class;
	return chunk + 1;
}

void *port_alloc_cpu(size_t size, unsigned int cpu)
{
	(void)cpu;
	return port_alloc(size);
}

void *port_uncharged_begin(void)
{
	return NULL;
}

void port_uncharged_end(void *before)
{
	(void)before;
}

/* A grace period was given up: memory that firings may still use is not freed. */
static bool grace_failed;

void port_free(void *p)
{
	struct heap_chunk *chunk = (struct heap_chunk *)p - 1;

	if (!p || grace_failed)
		return;
	chunk->next = heap.free[chunk->class];
	heap.free[chunk->class] = chunk;
}

/*
 * dtrace has sized the region for all that its session may take. A user's account may have an
 * eighth of the memory: so the account is not what limits the session.
 */
uint64_t port_memory(void)
{
	return agent_head.size * 8;
}

/* ---- locks ---- */

void port_mutex_lock(port_mutex_t *m)
{
	while (!port_mutex_trylock(m))
		agent_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

void port_others_run(bool nap)
{
	const struct __kernel_timespec ts = {.tv_nsec = 1000000};

	if (nap)
		agent_syscall(__NR_nanosleep, (uintptr_t)&ts, 0, 0, 0, 0, 0);
	else
		agent_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
}

void port_tell_stuck(uint32_t owner)
{
	port_write_once(&agent_head.stuck, owner);
}

/* ---- slots as CPUs ---- */

unsigned int port_ncpus(void)
{
	return agent_head.nslots;
}

bool port_cpu_online(unsigned int cpu)
{
	(void)cpu;
	return true;
}

unsigned long port_fire_enter(void)
{
	unsigned long before = (unsigned long)agent_slot;

	while (!slot_take(__builtin_frame_address(0), false, port_read_once(&agent_own()->live)))
		agent_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
	slot_recover_left();
	return before;
}

void port_fire_exit(unsigned long flags)
{
	slot_give();
	agent_slot = (struct agent_slot *)flags;
}

bool port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg)
{
	struct agent_slot *before = agent_slot;
	bool taken;

	if (cpu == before->number) {
		fn(arg);
		return true;
	}
	taken = slot_take_number(cpu, __builtin_frame_address(0),
				 port_read_once(&agent_own()->live));
	if (taken) {
		fn(arg);
		slot_give();
	}
	agent_slot = before;
	return taken;
}

int port_relax(void)
{
	return 0;
}

int port_rest(uint64_t ns)
{
	(void)ns;
	return 0;
}

/*
 * ns for which calls wait for a slot. A thread may keep a slot for ever: if a signal handler on top
 * of a hit does not return, or if its process is stopped.
 */
#define SLOT_PATIENCE 1000000000

/* Return whether the firing goes on that had a slot when its turn had that place. */
static bool slot_goes_on(const struct agent_slot *slot, uint64_t place)
{
	const uint64_t owner = port_load_acquire(&slot->turn.owner);

	if (slot == agent_slot || owner == AGENT_FREE || owner == AGENT_DTRACE ||
	    port_read_once(&slot->turn.place) != place)
		return false;
	return AGENT_PID(owner) != agent_own()->pid || slot_is_used(slot);
}

/* Each firing has a slot: wait until each slot has been free, or has got a new owner. */
void port_grace_period(void)
{
	const uint64_t until = port_timestamp() + SLOT_PATIENCE;

	grace_failed = false;
	for (unsigned int i = 0; i < agent_head.nslots; i++) {
		const struct agent_slot *slot = &agent_head.slots[i];
		const uint64_t place = port_read_once(&slot->turn.place);

		while (slot_goes_on(slot, place) && !grace_failed) {
			agent_syscall(__NR_sched_yield, 0, 0, 0, 0, 0, 0);
			grace_failed = port_timestamp() >= until;
		}
	}
}

/* ---- random numbers ---- */

uint64_t port_random(void)
{
	uint64_t z = port_xadd(&agent_head.random, 0x9e3779b97f4a7c15ULL);

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	return z ^ (z >> 27);
}

/* Fall back to the time: a predictable secret only harms the process itself. */
void port_secret(void *p, size_t n)
{
	uint64_t now = port_timestamp();

	if (agent_syscall(__NR_getrandom, (uintptr_t)p, n, 0, 0, 0, 0) == (int64_t)n)
		return;
	for (size_t i = 0; i < n; i++)
		((uint8_t *)p)[i] = (uint8_t)(now >> i % 8 * 8);
}

/* ---- the consumer ---- */

void port_wake(void *cookie)
{
	(void)cookie;
	port_write_once(&agent_head.wake, 1);
}

bool port_locked_down(enum port_lockdown what)
{
	(void)what;
	return false;
}
