/* SPDX-License-Identifier: MIT */
/*
 * port_agent.h - the agent's part of engine/port.h: no libc, and slots instead of CPUs.
 *
 * Register r15 is the slot of the current thread, or NULL. All code of the agent is compiled with
 * -ffixed-r15.
 */
#ifndef DTRACE_AGENT_PORT_AGENT_H
#define DTRACE_AGENT_PORT_AGENT_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent.h"

/* The slot of the current thread, or NULL. */
register struct agent_slot *agent_slot __asm__("r15");

#define port_owner() (agent_slot->lock_owner)

#include "port_process.h"

/*
 * The agent has no libc: these functions follow C, as far as the agent needs them. snprintf() knows
 * the conversions d, i, u, x, c and s. (libc.c)
 */
void *memcpy(void *restrict dst, const void *restrict src, size_t n);
void *memmove(void *dst, const void *src, size_t n);
void *memset(void *dst, int c, size_t n);
int memcmp(const void *a, const void *b, size_t n);
size_t strlen(const char *s);
int strcmp(const char *a, const char *b);
int strncmp(const char *a, const char *b, size_t n);
char *strchr(const char *s, int c);
int snprintf(char *buf, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#define PORT_WARN_ON(x) port_broken(x)

struct target_thread;
/* Fill in the fields that each need a system call. (target_agent.c) */
void target_thread_more(struct target_thread *t);

/* A traced process does not report broken invariants. */
static inline bool port_broken(bool broken)
{
	return broken;
}

/* A lock for calls of dtrace, which come one at a time. */
typedef struct port_mutex {
	uint32_t held;
} port_mutex_t;

static inline void port_mutex_init(port_mutex_t *m)
{
	m->held = 0;
}

static inline bool port_mutex_trylock(port_mutex_t *m)
{
	return __atomic_exchange_n(&m->held, 1, __ATOMIC_ACQUIRE) == 0;
}

static inline void port_mutex_unlock(port_mutex_t *m)
{
	__atomic_store_n(&m->held, 0, __ATOMIC_RELEASE);
}

static inline bool port_mutex_held(const port_mutex_t *m)
{
	return __atomic_load_n(&m->held, __ATOMIC_RELAXED) != 0;
}

/* port_mutex_lock - take a lock, and let other threads run until it is free. */
void port_mutex_lock(port_mutex_t *m);

static inline int port_mutex_lock_killable(port_mutex_t *m)
{
	port_mutex_lock(m);
	return 0;
}

#define PORT_ASSERT_HELD(m) ((void)(m))

static port_inline unsigned int port_cpu(void)
{
	return agent_slot->number;
}

/* The thread took its slot on this CPU. */
static port_inline unsigned int port_cpu_number(unsigned int cpu)
{
	(void)cpu;
	return agent_slot->cpu;
}

/*
 * port_fire_enter - take a slot, and let other threads run until one is free. Return the slot that
 * the thread had before, for port_fire_exit().
 */
unsigned long port_fire_enter(void);
/* port_fire_exit - give the slot back. flags: the result of port_fire_enter(). */
void port_fire_exit(unsigned long flags);

#endif
