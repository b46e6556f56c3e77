/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port_process.h - what ports have in common that run the engine in a process: the library's
 * (port_user.h) and the agent's. (port_process.c)
 */
#ifndef DTRACE_PORT_PROCESS_H
#define DTRACE_PORT_PROCESS_H

#define port_load_acquire(p)	 __atomic_load_n(p, __ATOMIC_ACQUIRE)
#define port_store_release(p, v) __atomic_store_n(p, v, __ATOMIC_RELEASE)
#define port_read_once(p)	 __atomic_load_n(p, __ATOMIC_RELAXED)
#define port_write_once(p, v)	 __atomic_store_n(p, v, __ATOMIC_RELAXED)
#define port_cas(p, old, new)	 __sync_bool_compare_and_swap(p, old, new)
#define port_xadd(p, n)		 __sync_fetch_and_add(p, n)

/* Who runs the engine in a process has all of that memory anyhow. */
#define port_nospec(i, n)     ((void)(n), (i))
#define port_nospec_barrier() ((void)0)

#define port_likely(x)	 __builtin_expect(!!(x), 1)
#define port_unlikely(x) __builtin_expect(!!(x), 0)
#define port_inline	 inline __attribute__((always_inline))
#define port_noinline	 __attribute__((noinline))

#endif
