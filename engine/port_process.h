/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port_process.h - common parts of the ports that run the engine in a process: the library's
 * (port_user.h) and the agent's. (port_process.c)
 */
#ifndef DTRACE_PORT_PROCESS_H
#define DTRACE_PORT_PROCESS_H

#include <stdbool.h>
#include <stdint.h>

#define port_load_acquire(p)	 __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define port_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define port_read_once(p)	 __atomic_load_n(p, __ATOMIC_RELAXED)
#define port_write_once(p, v)	 __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define port_cas(p, old, new)	 __sync_bool_compare_and_swap(p, old, new)
#define port_xadd(p, n)		 __sync_fetch_and_add(p, n)

/* A process can read all of the memory in which its engine runs anyhow. */
#define port_nospec(i, n)     ((void)(n), (i))
#define port_nospec_barrier() ((void)0)

#define port_likely(x)	 __builtin_expect(!!(x), 1)
#define port_unlikely(x) __builtin_expect(!!(x), 0)
#define port_inline	 inline __attribute__((always_inline))
#define port_noinline	 __attribute__((noinline))

/*
 * A spin lock stores its owner: the number of a process in the session (1: the library's process),
 * and the CPU of its engine. All zeros: free. Processes may share it.
 */
typedef struct port_spin {
	uint32_t owner;
} port_spin_t;

#define PORT_OWNER(process, cpu)  ((uint32_t)(process) << 10 | (cpu))
#define PORT_OWNER_PROCESS(owner) ((owner) >> 10)
#define PORT_OWNER_CPU(owner)	  ((owner)&1023)
#define PORT_PROCESSES_MAX	  (1U << 22)

static inline void port_spin_init(port_spin_t *s)
{
	s->owner = 0;
}

#ifndef port_owner
/* port_owner - return PORT_OWNER() of the calling thread. */
uint32_t port_owner(void);
#endif
/*
 * port_is_interrupted - return whether owner, which is a PORT_OWNER(), is a firing that the calling
 * thread has interrupted by a signal handler. That firing does not go on before the current one
 * has ended. If a handler has left it for good, release its locks, and return false.
 */
bool port_is_interrupted(uint32_t owner);
/*
 * port_spin_wait - wait for a lock that is not free, for a bounded time. Return whether the thread
 * holds it now.
 */
bool port_spin_wait(port_spin_t *s);

static port_inline bool port_spin_lock(port_spin_t *s)
{
	return port_likely(port_cas(&s->owner, 0, port_owner())) || port_spin_wait(s);
}

static port_inline void port_spin_unlock(port_spin_t *s)
{
	port_store_release(&s->owner, 0);
}

/* Another process may write to a shared lock. */
#define PORT_ASSERT_SPIN_HELD(s) ((void)(s))

/* port_spin_recover - release a lock if it is the dead owner's. */
static inline void port_spin_recover(port_spin_t *s, uint32_t dead)
{
	if (port_read_once(&s->owner) == dead)
		(void)port_cas(&s->owner, dead, 0);
}

/*
 * port_others_run - let other threads run. nap: sleep for a millisecond, so that threads with a
 * lower priority run too.
 */
void port_others_run(bool nap);
/*
 * port_tell_stuck - tell the library's process that this thread has waited long for a lock of
 * owner, which is a PORT_OWNER().
 */
void port_tell_stuck(uint32_t owner);

#endif
