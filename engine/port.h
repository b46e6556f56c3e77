/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port.h - the run time that the engine asks of the system in which it runs: memory, CPUs, locks,
 * time. target.h has the other half of the port: what the engine asks about the traced system.
 *
 * The kernel module implements both in kmod/port/ (target_helpers() in kmod/providers/provider.c),
 * and a traced process in agent/. Another process implements them in port_user.c and, in tests,
 * target_user.c. port_process.c and target_process.c are what processes have in common. No file of
 * the engine includes a header of the kernel or of libc except through these two.
 *
 * "Probe context" means: between port_fire_enter() and port_fire_exit(), with interrupts off, on
 * one CPU. In the kernel, a provider may turn interrupts off itself. A function may be called there
 * if its comment says "probe context". Such a function does not sleep, does not allocate, and takes
 * no lock that the interrupted code may hold. All other functions may sleep.
 *
 * Results are 0 or a negative errno unless the comment says otherwise.
 */
#ifndef DTRACE_PORT_H
#define DTRACE_PORT_H

#if defined(__KERNEL__)
#include "port/port_kernel.h"
#elif defined(DTRACE_AGENT)
#include "port_agent.h"
#else
#include "port_user.h"
#endif
#include <dtrace/types.h>

/*
 * Each of the three headers above defines integer types, bool, size_t, NULL, offsetof, errno
 * numbers, memcpy, memmove, memset, memcmp, strlen, strcmp, strncmp, strchr, snprintf, and:
 *
 *	port_mutex_t		a sleeping lock
 *	port_mutex_init(m)	make it; it is not held
 *	port_mutex_lock(m)	take it; may sleep
 *	port_mutex_lock_killable(m)	take it; 0, or -EINTR if a fatal signal is pending and it is
 *				not held
 *	port_mutex_trylock(m)	take it if it is free; true if it is held now
 *	port_mutex_unlock(m)	release it
 *	port_mutex_held(m)	return whether it is held, where possible by the current thread
 *	PORT_ASSERT_HELD(m)	complain if the current thread does not hold it
 *
 *	port_spin_t		a raw spin lock; taken in probe context only
 *	port_spin_init(s)	make it; it is not held
 *	port_spin_lock(s)	take it; return false, without the lock, if its owner keeps it for
 *				too long. That happens only where an owner can be stopped or end
 *	port_spin_unlock(s)	release it
 *	PORT_ASSERT_SPIN_HELD(s)	complain if it is not held, where possible by this CPU
 *	port_owner()		return the number of this CPU as an owner of locks, by which others
 *				find out whether it has ended; 0 where no CPU ends; probe context
 *
 *	port_load_acquire(p), port_store_release(p, v), port_read_once(p), port_write_once(p, v)
 *				for any integer or pointer; any context
 *	port_cas(p, old, new)	compare and swap a 32- or 64-bit integer or a pointer, with a full
 *				barrier; true if it was swapped; any context
 *	port_xadd(p, n)		add n to a 32- or 64-bit integer, with a full barrier; return the
 *				old value; any context
 *
 *	port_cpu()		return the number of this CPU; probe context
 *	port_cpu_number(cpu)	return the number that programs see for a CPU of the engine (the D
 *				variable cpu). It differs from cpu where an engine has several CPUs
 *				for each of the machine's; probe context
 *	port_fire_enter()	turn interrupts off and stay on this CPU; return the flags for
 *				port_fire_exit(); any context; may be nested
 *	port_fire_exit(flags)	undo it
 *
 *	port_nospec(i, n)	return i, which the caller has found to be below n; where the
 *				processor only predicts that, return 0. For indices and offsets that
 *				programs choose, before memory is read with them. n must not be a
 *				constant; any context
 *	port_nospec_barrier()	keep the processor from executing what follows on a prediction
 *				about what precedes
 *
 *	PORT_WARN_ON(x)		complain once of a broken invariant, and go on; return x
 *	port_likely(x), port_unlikely(x), port_inline (always), port_noinline
 */

/* ---- memory ---- */

/*
 * port_alloc - allocate any number of bytes, zeroed and 8-byte aligned. Where the system can,
 * it charges them to the caller. Return NULL if there is no memory. The caller owns the memory and
 * gives it to port_free().
 */
void *port_alloc(size_t size);
/* port_alloc_cpu - allocate as port_alloc() does, on the memory node of the given CPU. */
void *port_alloc_cpu(size_t size, unsigned int cpu);
/* port_free - free memory of port_alloc() or port_alloc_cpu(); p may be NULL. */
void port_free(void *p);
/*
 * port_uncharged_begin - charge nobody for what the current thread allocates, until
 * port_uncharged_end() is called with the result. For allocations under a lock for which other
 * users wait: who charges the caller may make it wait for seconds, or look for memory to free.
 */
void *port_uncharged_begin(void);
void port_uncharged_end(void *before);
/* port_memory - return the bytes of memory of the machine. Any context. */
uint64_t port_memory(void);

/* ---- CPUs ---- */

/*
 * port_ncpus - return the number of possible CPUs, which is constant; they count from 0. Any
 * context.
 */
unsigned int port_ncpus(void);
/* port_cpu_online - return whether the CPU is running now. Any context. */
bool port_cpu_online(unsigned int cpu);
/*
 * port_xcall - run fn(arg) on the CPU with interrupts off, and wait for it. If the CPU is offline,
 * the caller runs it, and the CPU stays offline meanwhile. Return false if fn was not called,
 * because the CPU is busy; only an agent's may be.
 */
bool port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg);
/*
 * port_relax - let other threads run, and find out whether the caller should end. A loop over input
 * from user land calls it at least every few milliseconds, and ends with its error. Return 0, or
 * -EINTR if a fatal signal is pending. Sleeping locks may be held.
 */
int port_relax(void);
/*
 * port_rest - let other threads run for about ns. Return what port_relax() does. Sleeping locks may
 * be held if only requests of one session wait for them.
 */
int port_rest(uint64_t ns);
/* port_grace_period - wait until every firing under way, on any CPU, has ended. */
void port_grace_period(void);

/* ---- time; probe context ---- */

/* port_timestamp - return ns of a monotonic clock that is the same on all CPUs. */
uint64_t port_timestamp(void);
/* port_walltimestamp - return ns since 1970-01-01 UTC. */
uint64_t port_walltimestamp(void);
/*
 * port_firing_time - return ns of a clock that never goes back while a firing is under way. If a
 * firing can be preempted, the clock stops while the thread waits for a CPU.
 */
uint64_t port_firing_time(void);
/*
 * port_vtimestamp - return ns that the current thread had run on CPUs at a time that
 * port_firing_time() has returned in this firing.
 */
uint64_t port_vtimestamp(uint64_t now);
/* port_delay - wait ns without sleeping. The caller bounds ns. */
void port_delay(uint64_t ns);

/* ---- random numbers ---- */

/* port_random - return a random word, which is not secret. Probe context. */
uint64_t port_random(void);
/* port_secret - fill n bytes at p with unpredictable random bytes. */
void port_secret(void *p, size_t n);

/* ---- consumers and policy ---- */

/*
 * port_wake - wake the consumers that sleep in poll on a session. cookie: the argument of
 * dtrace_state_create(). Probe context.
 */
void port_wake(void *cookie);

/*
 * port_copy_in - copy n bytes from an address of the caller of a request to dst. Return 0 or
 * -EFAULT. May sleep.
 */
int port_copy_in(void *dst, uint64_t from, size_t n);
/*
 * port_copy_out - copy n bytes from src to an address of the caller. Return 0 or -EFAULT. May
 * sleep.
 */
int port_copy_out(uint64_t to, const void *src, size_t n);

enum port_lockdown {
	PORT_LOCKDOWN_READ, /* read the memory of the kernel */
	PORT_LOCKDOWN_WRITE /* change the kernel, or the memory of a process */
};
/*
 * port_locked_down - return whether the kernel's lockdown forbids an operation to all users, root
 * included. If so, the log of the kernel names the caller.
 */
bool port_locked_down(enum port_lockdown what);

#endif
