/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port_kernel.h - what engine/port.h leaves to the system to define, here the kernel; and the
 * beginning and end of the port.
 */
#ifndef DTRACE_PORT_PORT_KERNEL_H
#define DTRACE_PORT_PORT_KERNEL_H

#include <linux/atomic.h>
#include <linux/bug.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/irqflags.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/nospec.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/stddef.h>
#include <linux/string.h>
#include <linux/types.h>

#ifndef UINT8_MAX
#define UINT8_MAX  U8_MAX
#define UINT16_MAX U16_MAX
#define UINT32_MAX U32_MAX
#define UINT64_MAX U64_MAX
#define INT8_MIN   S8_MIN
#define INT8_MAX   S8_MAX
#define INT16_MIN  S16_MIN
#define INT16_MAX  S16_MAX
#define INT32_MIN  S32_MIN
#define INT32_MAX  S32_MAX
#define INT64_MIN  S64_MIN
#define INT64_MAX  S64_MAX
#endif

typedef struct mutex port_mutex_t;

#define port_mutex_init(m)	    mutex_init(m)
#define port_mutex_lock(m)	    mutex_lock(m)
#define port_mutex_unlock(m)	    mutex_unlock(m)
#define port_mutex_lock_killable(m) mutex_lock_killable(m)
#define port_mutex_trylock(m)	    mutex_trylock(m)
#ifdef CONFIG_LOCKDEP
#define port_mutex_held(m) (lockdep_is_held(m) != LOCK_STATE_NOT_HELD)
#else
#define port_mutex_held(m) mutex_is_locked(m)
#endif

#define PORT_ASSERT_HELD(m) lockdep_assert_held(m)

typedef raw_spinlock_t port_spin_t;

#define port_spin_init(s) raw_spin_lock_init(s)
/*
 * The handler of a breakpoint looks like that of a non-maskable interrupt, where lockdep allows no
 * lock of a class that is used elsewhere. Probes do not fire within one another, so that the lock
 * is free of its own CPU, and has a subclass there.
 */
#define PORT_SPIN_SUBCLASS	 (IS_ENABLED(CONFIG_LOCKDEP) && in_nmi() ? 1 : 0)
#define port_spin_lock(s)	 (raw_spin_lock_nested(s, PORT_SPIN_SUBCLASS), true)
#define port_spin_unlock(s)	 raw_spin_unlock(s)
#define port_owner()		 0
#define PORT_ASSERT_SPIN_HELD(s) lockdep_assert_held(s)

#define port_load_acquire(p)	 smp_load_acquire(p)
#define port_store_release(p, v) smp_store_release(p, v)
#define port_read_once(p)	 READ_ONCE(*(p))
#define port_write_once(p, v)	 WRITE_ONCE(*(p), v)
#define port_cas(p, old, new)	 __sync_bool_compare_and_swap(p, old, new)
#define port_xadd(p, n)		 __sync_fetch_and_add(p, n)

static __always_inline unsigned int port_cpu(void)
{
	return raw_smp_processor_id();
}

#define port_cpu_number(cpu) (cpu)

static __always_inline unsigned long port_fire_enter(void)
{
	unsigned long flags;

	local_irq_save(flags);
	return flags;
}

static __always_inline void port_fire_exit(unsigned long flags)
{
	local_irq_restore(flags);
}

#define port_nospec(i, n)     array_index_nospec(i, n)
#define port_nospec_barrier() barrier_nospec()

#define PORT_WARN_ON(x)	 WARN_ON_ONCE(x)
#define port_likely(x)	 likely(x)
#define port_unlikely(x) unlikely(x)
#define port_inline	 __always_inline
#define port_noinline	 noinline
#define PORT_ALIGNED(n)	 __aligned(n)

/* target_thread() fills in all members: in the kernel they cost nothing. */
#define target_thread_more(t) ((void)(t))

/* Inline, so that objtool sees in each file that it does not return. */
static inline void __noreturn target_panic(const char *msg)
{
	panic("dtrace: %s", msg);
}

/* Return the base of the segment fs of the current process. Probe context. (stack.c) */
uint64_t port_fs_base(void);
/* Return the base of the segment gs of the current process. Probe context. (stack.c) */
uint64_t port_gs_base(void);

/* port_init - get the port ready before the first firing. Return 0. */
int port_init(void);
/* port_exit - undo port_init(). No firing can happen any more. */
void port_exit(void);

#endif
