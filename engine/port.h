/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * port.h - all that the engine asks of the world it runs in: the kernel (kmod/port/port.c) or a
 * process (engine/port_user.c). No engine file includes a kernel or libc header but through this
 * one.
 *
 * "Probe context" means: between port_fire_enter and port_fire_exit, with interrupts off, on one
 * CPU. In the kernel a provider may turn them off itself. What may be called there says so, and
 * neither sleeps, allocates nor takes a lock that can be held by what was interrupted.
 */
#ifndef DTRACE_PORT_H
#define DTRACE_PORT_H

#ifdef __KERNEL__
#include "port/port_kernel.h"
#else
#include "port_user.h"
#endif
#include <dtrace/types.h>

/*
 * The two headers above define, besides integer types, bool, size_t, NULL, offsetof, errno numbers,
 * memcpy, memmove, memset, memcmp, strlen, strcmp, strncmp, strchr, snprintf:
 *
 *	port_mutex_t		a sleeping lock, with port_mutex_init, port_mutex_lock,
 *				port_mutex_unlock, port_mutex_held, and PORT_ASSERT_HELD(m), which
 *				complains if the current thread does not hold it;
 *				port_mutex_lock_killable(m): 0, or -EINTR when a fatal signal is
 *				pending; port_mutex_trylock(m): true if it was free
 *	port_spin_t		a raw spin lock, taken with interrupts off, with port_spin_init,
 *				port_spin_lock, port_spin_unlock, and PORT_ASSERT_SPIN_HELD(s)
 *	port_load_acquire(p), port_store_release(p, v), port_read_once(p), port_write_once(p, v)
 *				any integer or pointer
 *	port_cas(p, old, new)	compare and swap a 32- or 64-bit integer or a pointer, full barrier;
 *				true if it was swapped
 *	port_xadd(p, n)		add to a 32- or 64-bit integer, full barrier; the old value
 *	port_cpu()		number of this CPU; probe context
 *	port_fire_enter()	interrupts off, stay on this CPU; the value, an unsigned long, is
 *				for port_fire_exit(flags)
 *	port_nospec(i, n)	i, which was found to be below n, a number that is not constant; where
 *				the processor only guesses that it is, 0. For indices and offsets that
 *				programs choose, before memory is read with them
 *	port_nospec_barrier()	nothing behind it is begun on a guess about what is before it
 *	PORT_WARN_ON(x)		a broken invariant of ours: complain once, go on; value of x
 *	port_likely(x), port_unlikely(x), port_inline (always), port_noinline
 */

/* ---- memory; may sleep ---- */

/*
 * port_alloc - size bytes, zeroed, 8-byte aligned, any size; NULL if there is none. Charged to the
 * caller where it can be.
 */
void *port_alloc(size_t size);
/* port_alloc_cpu - as port_alloc, on the memory node of that CPU. */
void *port_alloc_cpu(size_t size, unsigned int cpu);
/* port_free - give back; NULL is fine. */
void port_free(void *p);

/* port_memory - bytes of memory that the machine has. */
uint64_t port_memory(void);

/* ---- CPUs ---- */

/* port_ncpus - CPU numbers are 0 .. port_ncpus() - 1; constant. */
unsigned int port_ncpus(void);
/* port_cpu_online - is it running now? */
bool port_cpu_online(unsigned int cpu);
/*
 * port_xcall - run fn(arg) on that CPU with interrupts off and wait for it. An offline CPU's turn
 * is taken by the caller with nothing running there. May sleep.
 */
void port_xcall(unsigned int cpu, void (*fn)(void *arg), void *arg);
/*
 * port_relax - let others run, and find out whether the caller should end. Loops over what user land
 * gives call it at a stride that keeps them below a few milliseconds between calls, and end with its
 * error. 0; -EINTR: a fatal signal is pending. May sleep, and may be called with sleeping locks.
 */
int port_relax(void);
/* port_grace_period - wait until every firing under way, on any CPU, has ended. May sleep. */
void port_grace_period(void);

/* ---- time; probe context ---- */

uint64_t port_timestamp(void);		/* ns, monotonic, the same on all CPUs */
uint64_t port_walltimestamp(void);	/* ns since the epoch */
uint64_t port_vtimestamp(void);		/* ns that the current thread has run on CPUs */

/* ---- memory of others; probe context; 0 or -EFAULT, nothing else happens on a bad address ---- */

int port_load_kernel(void *dst, uint64_t addr, size_t n);
int port_load_user(void *dst, uint64_t addr, size_t n);
int port_store_user(uint64_t addr, const void *src, size_t n);
/* port_user_word - bytes of a pointer of the current process: 4 or 8. */
int port_user_word(void);

/* ---- the current thread; probe context ---- */

struct port_thread {
	uint64_t thread;	/* curthread */
	/*
	 * for thread-local variables: both together are of no other thread, living or dead. In an
	 * interrupt they are those of the thread that it interrupts; idle threads differ by CPU
	 */
	uint64_t key, born;
	uint32_t pid, tid, ppid;	/* in the first PID namespace */
	uint32_t uid, gid;
};
void port_thread(struct port_thread *t);
/*
 * port_owns - is the current process one that the user of a session may debug? Their own, then, and
 * none that has changed its user or group or has capabilities that they have not.
 */
struct dtrace_cred;
bool port_owns(const struct dtrace_cred *cred);
/* port_execname - its name, cut to size, NUL-terminated. */
void port_execname(char *buf, size_t size);
/* port_thread_in_ns - replace pid, tid and ppid in t by those in pid_ns; 0: it has none there. */
void port_thread_in_ns(const void *pid_ns, struct port_thread *t);
/* port_progenyof - is pid, a number in pid_ns, the current process or an ancestor of it? */
bool port_progenyof(const void *pid_ns, uint32_t pid);
/* port_args - its arguments, NUL after each, at most size bytes; 0: they cannot be read. */
size_t port_args(char *buf, size_t size);
/* port_zone - the container that it is in: its pid namespace, 0 the first, and its host name. */
struct port_zone {
	uint32_t id;
	char name[65];
};
void port_zone(struct port_zone *z);
/* port_getf - struct file of a descriptor of the current process; 0: it is not open. */
uint64_t port_getf(uint32_t fd);
/* port_ipl - 0 thread, 1 softirq, 2 hardirq, 3 NMI. */
unsigned int port_ipl(void);

/* ---- stacks and registers; probe context; regs is what the provider gave, or NULL ---- */

/*
 * port_stack - return addresses of the kernel, probe machinery left out; the number stored, at most
 * n.
 */
unsigned int port_stack(uint64_t *pcs, unsigned int n, const void *regs);
/*
 * port_ustack - program counter, then return addresses of the current process; fps, if not NULL:
 * the frame pointer of each, that is the address of the word before the next return address, or 0.
 * how: PORT_USTACK_*. -EFAULT: none (kernel thread).
 */
#define PORT_USTACK_TABLES	1	/* use unwind tables where there are any, not only frame pointers */
#define PORT_USTACK_NO_FRAME	2	/* the return address is at the stack pointer */
int port_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how);
/*
 * port_reg - a register of the interrupted user context by its number in ptrace's order; 0 or
 * -EINVAL.
 */
int port_reg(uint64_t *value, unsigned int reg, const void *regs);
#define PORT_REG_SP	19
/*
 * port_helpers - the ustack helpers of the current process, or NULL. Valid until the firing ends.
 */
struct dtrace_helpers;
const struct dtrace_helpers *port_helpers(void);

/* ---- things of the kernel; probe context; -EFAULT: there is none at addr ---- */

/*
 * port_d_path - path of the struct path at addr, as the current process sees it, without NUL; its
 * length, at most size. A path that is longer keeps its end.
 */
int port_d_path(char *buf, size_t size, uint64_t addr);

enum port_lock_kind { PORT_LOCK_MUTEX, PORT_LOCK_SPIN, PORT_LOCK_RWSEM, PORT_LOCK_RWLOCK };
struct port_lock {
	uint64_t owner;		/* thread, of a mutex; 0: none */
	bool read;		/* held by readers */
	bool written;		/* held by a writer; a spin lock: held */
	bool wanted;		/* a writer waits for it, as far as that can be told */
};
/* port_lock - what the lock at addr says of itself. */
int port_lock(struct port_lock *l, enum port_lock_kind kind, uint64_t addr);

/* ---- destructive actions; probe context; carried out as soon as the context allows ---- */

/* stop the current process; -EPERM for kernel threads and init */
int port_stop(void);
int port_raise(unsigned int sig);
/* enter the kernel's debugger; without one say so in the log */
void port_breakpoint(void);
void port_panic(const char *msg);
void port_delay(uint64_t ns);			/* busy wait; the caller bounds it */

/* ---- lockdown ---- */

/*
 * port_locked_down - is the kernel locked down, so that nobody, root included, may do that? Writing
 * it: to change the kernel or a process's memory. The kernel's log says who asked in vain. May sleep.
 */
enum port_lockdown { PORT_LOCKDOWN_READ, PORT_LOCKDOWN_WRITE };
bool port_locked_down(enum port_lockdown what);

/* ---- consumers ---- */

/*
 * port_wake - wake a consumer asleep in poll on this session; cookie is the one of
 * dtrace_state_create; probe context.
 */
void port_wake(void *cookie);
/* port_random - a random word; probe context. */
uint64_t port_random(void);
/* port_secret - n bytes that nobody can guess. May sleep. */
void port_secret(void *p, size_t n);

#endif
