/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port_user.h - the engine's world when it runs in a process: threads play CPUs.
 *
 * A thread says which CPU it is (port_user_set_cpu). While it fires it has that CPU to itself;
 * port_xcall borrows it. Loads from "kernel" and "user" addresses read this process, safely; tests
 * can leave only some memory readable.
 */
#ifndef DTRACE_PORT_USER_H
#define DTRACE_PORT_USER_H

#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "port_process.h"

typedef struct port_mutex {
	pthread_mutex_t mutex;
	pthread_t owner;
	bool held;
} port_mutex_t;
/* port_mutex_init - make a lock that is not held. */
void port_mutex_init(port_mutex_t *m);
/* port_mutex_lock - take a lock, and wait for it if need be. */
void port_mutex_lock(port_mutex_t *m);
/* port_mutex_unlock - release a lock, which the calling thread holds. */
void port_mutex_unlock(port_mutex_t *m);
/* port_mutex_lock_killable - take a lock. Return 0, or what port_relax() returns meanwhile. */
int port_mutex_lock_killable(port_mutex_t *m);
/* port_mutex_trylock - take a lock if it is free. Return whether the thread holds it now. */
bool port_mutex_trylock(port_mutex_t *m);
/* port_mutex_held - return whether the calling thread holds a lock. */
bool port_mutex_held(const port_mutex_t *m);

/* port_cpu - return the CPU of the calling thread: see port_user_set_cpu(). */
unsigned int port_cpu(void);
/* port_cpu_number - return the number that programs see for a CPU: see port_user_slots(). */
unsigned int port_cpu_number(unsigned int cpu);
/* port_fire_enter - have this CPU to itself; may be nested. Return 0, for port_fire_exit(). */
unsigned long port_fire_enter(void);
/* port_fire_exit - undo port_fire_enter(). */
void port_fire_exit(unsigned long flags);

#define PORT_WARN_ON(x)	      port_user_warn((x) != 0, #x, __FILE__, __LINE__)
#define PORT_ASSERT_HELD(m)   ((void)PORT_WARN_ON(!port_mutex_held(m)))
#define target_thread_more(t) ((void)(t))
/*
 * port_user_warn - if an invariant is broken, count it, and print what and where on standard error.
 * Return broken.
 */
bool port_user_warn(bool broken, const char *what, const char *file, int line);

/* ---- for programs that run the engine ---- */

#define PORT_USER_CPUS 1024
/*
 * port_user_init - set the number of CPUs, at most PORT_USER_CPUS. Call it before
 * dtrace_engine_init().
 */
void port_user_init(unsigned int ncpus);
/*
 * port_user_slots - set how many CPUs the engine has, in a row, for each CPU that programs see; 1
 * after port_user_init().
 */
void port_user_slots(unsigned int slots);
/*
 * port_user_set_cpu - let the calling thread play this CPU from now on. A thread begins as CPU 0.
 */
void port_user_set_cpu(unsigned int cpu);
/* port_user_offline - set whether port_cpu_online() reports the CPU as offline. */
void port_user_offline(unsigned int cpu, bool offline);
/*
 * port_user_window - add a window of size bytes at base. Once there is a window, only memory in
 * windows can be loaded or stored. user: the window is memory of the process, else of the kernel.
 * base NULL: remove all windows, so that all memory can be read again.
 */
void port_user_window(void *base, size_t size, bool user);
/*
 * port_user_fail - let the n-th allocation from now on fail, once. 1: the next; 0: none. Return
 * whether the allocation that the previous call chose has failed.
 */
bool port_user_fail(unsigned long n);
/* port_user_limit - let allocations of more than largest bytes fail; 0: no limit. */
void port_user_limit(size_t largest);
/* port_user_allocated - return the number of blocks of memory that are not freed. */
unsigned long port_user_allocated(void);
/*
 * port_user_relax - let relax(arg) be what port_relax does: 0, or -EINTR as if the process were
 * being killed. NULL: it does nothing.
 */
void port_user_relax(int (*relax)(void *arg), void *arg);
/* port_user_relaxed - return the number of calls of port_relax since the start. */
unsigned long port_user_relaxed(void);
/* port_user_bytes - return the bytes allocated since the start, whether freed or not. */
unsigned long port_user_bytes(void);
/* port_user_on_wake - have port_wake() also call wake(cookie). Probe context. */
void port_user_on_wake(void (*wake)(void *cookie));
/*
 * port_user_nap - set for how many milliseconds a thread sleeps at a time while it waits for a spin
 * lock. It gives up after 200 naps. 0: it does not sleep.
 */
void port_user_nap(unsigned int ms);
/*
 * port_user_stuck - return the owner of a lock for which a thread has waited long since the last
 * call; 0: none.
 */
uint32_t port_user_stuck(void);
/* port_user_seed - begin the random numbers with seed. Without a call they are always the same. */
void port_user_seed(uint64_t seed);
/* port_user_warnings - return how often PORT_WARN_ON() has complained. */
unsigned long port_user_warnings(void);

/*
 * For tests: the results of port_* functions, and their recorded arguments. Zero: use the real
 * system.
 */
struct port_user_world {
	uint64_t timestamp;
	uint64_t tick; /* ns by which port_timestamp() moves timestamp on */
	uint64_t random;
	uint64_t key, born; /* of the thread */
	uint32_t pid, tid, ppid, uid, gid;
	bool root;	       /* uid 0 */
	bool setid;	       /* the process has changed its user */
	unsigned int lockdown; /* 1: integrity, 2: confidentiality */
	const char *execname;
	const char *args; /* of the process, NUL after each */
	size_t argslen;
	uint32_t zone;
	const uint64_t *pcs; /* both stacks */
	unsigned int npcs;
	const uint64_t *fps; /* of the process's, npcs of them */
	const struct dtrace_helpers *helpers;
	unsigned int how; /* target_ustack was asked */
	unsigned int ipl; /* as target_ipl() says */
	unsigned int wakes, stops, raised, breakpoints, panics;
	uint64_t delayed;
};
extern _Thread_local struct port_user_world port_user_world;

#endif
