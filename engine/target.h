/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * target.h - what the engine asks about the traced system: the current thread, memory of the kernel
 * and of the current process, stacks, registers, and the effects of destructive actions on them.
 * port.h has the other half of the port.
 *
 * All functions here are for probe context, as port.h defines it: none sleeps, allocates, or takes
 * a lock that the interrupted code may hold. A bad address has no effect but -EFAULT. "The current
 * process" is that of the thread in which the probe fires; a kernel thread has none.
 *
 * regs is the pointer of struct dtrace_fire: the registers that the provider found, or NULL.
 */
#ifndef DTRACE_TARGET_H
#define DTRACE_TARGET_H

#include "port.h"

struct dtrace_cred;
struct dtrace_helpers;

/* ---- memory ---- */

/*
 * target_load_kernel - copy n bytes from the kernel's address addr to dst. 0; -EFAULT: it cannot be
 * read, or may be a device's, which reading could change.
 */
int target_load_kernel(void *dst, uint64_t addr, size_t n);
/*
 * target_load_user - copy n bytes from address addr of the current process to dst. 0, or -EFAULT:
 * also if the memory is not resident.
 */
int target_load_user(void *dst, uint64_t addr, size_t n);
/*
 * target_store_user - copy n bytes from src to address addr of the current process. 0 or -EFAULT.
 */
int target_store_user(uint64_t addr, const void *src, size_t n);
/* target_user_word - return the bytes of a pointer of the current process: 4 or 8. */
int target_user_word(void);

/* ---- the current thread ---- */

struct target_thread {
	uint64_t thread; /* curthread: the address of its descriptor in the kernel */
	/*
	 * Identify thread-local variables: no two threads have the same pair, whether living or
	 * ended. In an interrupt, the pair is that of the interrupted thread. The idle threads of
	 * two CPUs differ.
	 */
	uint64_t key, born;
	uint32_t pid, tid, ppid; /* process, thread, parent, in the first PID namespace */
	uint32_t uid, gid;	 /* real, in the first user namespace */
};
/* target_thread - fill in t; perhaps without ppid, uid and gid. */
void target_thread(struct target_thread *t);
/*
 * target_thread_more(t) - fill in ppid, uid and gid as well, where that costs so much that
 * target_thread() leaves them out. A macro or an inline function of the port's own header.
 */
/*
 * target_thread_in_ns - replace pid, tid and ppid in t by the numbers in the PID namespace pid_ns
 * (NULL: the first); by 0 where the thread has no number there.
 */
void target_thread_in_ns(const void *pid_ns, struct target_thread *t);
/*
 * target_owns - return whether the user of a session may debug the current process: the process is
 * the user's, has not changed its user or group, and has no capability that the user has not.
 */
bool target_owns(const struct dtrace_cred *cred);
/*
 * target_progenyof - return whether the process numbered pid in pid_ns (NULL: the first) is the
 * current process or one of its ancestors.
 */
bool target_progenyof(const void *pid_ns, uint32_t pid);
/*
 * target_execname - write the name of the thread's program, NUL-terminated and cut to size bytes.
 */
void target_execname(char *buf, size_t size);
/*
 * target_args - write at most size bytes of the arguments of the process, with a NUL after each.
 * Return the number of bytes; 0 if they cannot be read.
 */
size_t target_args(char *buf, size_t size);
/* The container of the current process. */
struct target_zone {
	uint32_t id;   /* inode number of its PID namespace; 0: the first */
	char name[65]; /* host name */
};
/* target_zone - fill in z. */
void target_zone(struct target_zone *z);
/*
 * target_getf - return the address of the struct file of a descriptor of the current process; 0 if
 * the descriptor is not open.
 */
uint64_t target_getf(uint32_t fd);
/* target_ipl - return what the CPU is running: 0 a thread, 1 a softirq, 2 a hardirq, 3 an NMI. */
unsigned int target_ipl(void);

/* ---- stacks and registers ---- */

/*
 * target_stack - write at most n return addresses of the kernel to pcs, without those of the
 * tracing module. Return their number.
 */
unsigned int target_stack(uint64_t *pcs, unsigned int n, const void *regs);

#define TARGET_USTACK_TABLES   1 /* use unwind tables besides frame pointers */
#define TARGET_USTACK_NO_FRAME 2 /* the return address is at the stack pointer */
/*
 * target_ustack - write the program counter, then the return addresses of the current process to
 * pcs, at most n in all. fps, if not NULL, gets the frame pointer of each: the address of the word
 * before the next return address, or 0. how: TARGET_USTACK_*. Return their number, or -EFAULT for a
 * kernel thread.
 */
int target_ustack(uint64_t *pcs, uint64_t *fps, unsigned int n, const void *regs, unsigned int how);

#define TARGET_REG_SP 19 /* the stack pointer */
/*
 * target_reg - read a register of the interrupted user code into *value. reg: its number in the
 * order of ptrace's struct user_regs_struct. 0, or -EINVAL: there is no such register, or no user
 * code.
 */
int target_reg(uint64_t *value, unsigned int reg, const void *regs);
/*
 * target_kernel_reg - read a register of the interrupted kernel code into *value. reg: as in
 * target_reg. regs is not NULL. 0, or -EINVAL: there is no such register.
 */
int target_kernel_reg(uint64_t *value, unsigned int reg, const void *regs);
/*
 * target_helpers - return the ustack helpers of the current process, or NULL. They stay valid until
 * the firing ends.
 */
const struct dtrace_helpers *target_helpers(void);

/* ---- objects of the kernel ---- */

/*
 * target_d_path - write the path of the struct path at the kernel's address addr to buf, without a
 * NUL, as the current process sees it. A path longer than size bytes keeps its end. Return its
 * length in bytes, or -EFAULT.
 */
int target_d_path(char *buf, size_t size, uint64_t addr);

enum target_lock_kind {
	TARGET_LOCK_MUTEX,
	TARGET_LOCK_SPIN,
	TARGET_LOCK_RWSEM,
	TARGET_LOCK_RWLOCK
};
struct target_lock {
	uint64_t owner;	   /* address of the thread that holds a mutex; 0: none */
	bool read;	   /* readers hold it */
	bool written;	   /* a writer holds it; of a spin lock: it is held */
	bool writer_waits; /* false also if the lock does not show it */
};
/* target_lock - read the state of the kernel's lock at addr into l. 0 or -EFAULT. */
int target_lock(struct target_lock *l, enum target_lock_kind kind, uint64_t addr);

/* ---- destructive actions: carried out as soon as the context allows ---- */

/* target_stop - stop the current process. 0; -EPERM for kernel threads and init; -EAGAIN. */
int target_stop(void);
/*
 * target_raise - send signal sig to the current process. 0; -EPERM as above; -EINVAL: there is no
 * such signal; -EAGAIN: too many signals of this CPU wait to be sent.
 */
int target_raise(unsigned int sig);
/* target_breakpoint - enter the debugger of the kernel; without one, log that. */
void target_breakpoint(void);
/* target_panic - panic, with a message. Does not return where there is a kernel. */
void target_panic(const char *msg);

#endif
