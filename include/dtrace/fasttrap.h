/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fasttrap.h - /dev/dtrace/fasttrap: registering static probes on behalf of a process that is
 * already running, for example one that was started before the module was loaded, or whose
 * libraries have probes that they do not register. The dtrace command reads the process's files,
 * makes the DOF that drti would have made, and hands it over.
 *
 *	fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC)
 *	gen = ioctl(fd, DTRACEFTIOC_REGISTER, &reg) >= 0: name of the registration, as for
 *		the helper device
 *	ioctl(fd, DTRACEFTIOC_COUNT, &count)		0: how many registrations a process has
 *
 * What is registered belongs to the process, exactly as if it had done it by itself, and stays
 * when the device is closed. A site that the process has registered already is not made twice.
 * The caller must be root (CAP_SYS_PTRACE), or have the user and group of a process that has not
 * changed its own.
 *
 * Errors: ESRCH (no such process, or one without memory of its own), EPERM (not allowed), EALREADY
 * (all its sites are registered; nothing was done), else those of DTRACEHIOC_ADDDOF.
 */
#ifndef DTRACE_FASTTRAP_H
#define DTRACE_FASTTRAP_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <dtrace/helper.h>

/*
 * DTRACEFTIOC_REGISTER. All addresses in the DOF are the process's; helper.dofhp_dof is the
 * caller's.
 */
typedef struct dtrace_ft_register {
	int32_t dtfr_pid;		/* in the pid namespace of the caller */
	uint32_t dtfr_pad;		/* 0 */
	/*
	 * address that the DOF has, or would have, in the process: what its sites are relative to
	 */
	uint64_t dtfr_dof;
	dof_helper_t dtfr_helper;
} dtrace_ft_register_t;

/* DTRACEFTIOC_COUNT. in: pid. out: the rest. */
typedef struct dtrace_ft_count {
	int32_t dtfc_pid;
	uint32_t dtfc_registrations;
	uint32_t dtfc_sites;
	uint32_t dtfc_pad;
} dtrace_ft_count_t;

/*
 * Holding threads: a tracer has a thread wait, at a place where nothing of the program depends on
 * it, until it has seen to what is new there. No ptrace is involved: who is held can be debugged,
 * and who is debugged can be held.
 *
 *	watch = ioctl(fd, DTRACEFTIOC_HOLD_EXEC, &exec)		from 1 on
 *	watch = ioctl(fd, DTRACEFTIOC_HOLD_ADDRESS, &address)
 *	poll(fd, POLLIN); read(fd, held, n * sizeof(held[0]))	as threads arrive
 *	ioctl(fd, DTRACEFTIOC_HOLD_RELEASE, tid)		let one go on
 *	ioctl(fd, DTRACEFTIOC_HOLD_END, watch)			no more; those that it holds go on
 *
 * A held thread sleeps on its way back to user mode, with no lock. It goes on when it is released,
 * when its watch ends, when the device is closed, and when the watch's time is over, whichever is
 * first; and a signal that kills ends it there. Other signals, stops and attaching debuggers take
 * effect when it goes on. Children of a process are not held for it. At most 16 threads of one
 * process, and 128 in all, are held at once: who comes then goes on, and is counted.
 *
 * HOLD_EXEC is for one process: the first that executes a file of that name, before its first
 * instruction. Any user's process for root (CAP_SYS_PTRACE); for others those of their own whose
 * user and group are unchanged. HOLD_ADDRESS is for each thread of one process that arrives at an
 * address, by the rules of REGISTER for the process; the address must be an instruction in a mapped
 * file. Its instruction is carried out after the thread goes on.
 *
 * Errors: EINVAL (a time of 0, a name that is empty or does not end), ENOSPC (too many watches),
 * ENOMEM; HOLD_ADDRESS: those of REGISTER, EFAULT (no code of a file at the address), and what
 * uprobes say: EOPNOTSUPP (an instruction that cannot have a breakpoint), EIO, EINVAL;
 * HOLD_RELEASE: ESRCH (no such thread is held, any more); HOLD_END: ENOENT. read: EAGAIN
 * (O_NONBLOCK, and no news), EINVAL (no room for one), EINTR.
 */
#define DTRACE_FT_NAMELEN	256	/* with the zero at its end */
#define DTRACE_FT_HOLD_MS	60000	/* longest time that a thread can be held; more is as much */

/* DTRACEFTIOC_HOLD_EXEC */
typedef struct dtrace_ft_hold_exec {
	uint32_t dtfx_timeout;		/* ms */
	uint32_t dtfx_pad;		/* 0 */
	/* of a file without its directories, or as exec was given it if there is a slash */
	char dtfx_name[DTRACE_FT_NAMELEN];
} dtrace_ft_hold_exec_t;

/* DTRACEFTIOC_HOLD_ADDRESS */
typedef struct dtrace_ft_hold_address {
	int32_t dtfa_pid;		/* in the pid namespace of the caller */
	uint32_t dtfa_timeout;		/* ms */
	uint64_t dtfa_address;
} dtrace_ft_hold_address_t;

/* What read gives: whole ones only. */
typedef struct dtrace_ft_held {
	int32_t dtfd_pid, dtfd_tid;	/* in the pid namespace of the reader */
	uint32_t dtfd_watch;		/* that it met */
	uint32_t dtfd_flags;		/* DTRACE_FT_HELD */
	/* threads that were not held, nor told of, since the last: too many were at once */
	uint32_t dtfd_missed;
	uint32_t dtfd_pad;
} dtrace_ft_held_t;

/* It is held still. Without it this is news only: it had gone on, or this kernel holds none. */
#define DTRACE_FT_HELD		1

#define DTRACEFTIOC_REGISTER	_IOW('F', 1, dtrace_ft_register_t)
#define DTRACEFTIOC_COUNT	_IOWR('F', 2, dtrace_ft_count_t)
#define DTRACEFTIOC_HOLD_EXEC	_IOW('F', 8, dtrace_ft_hold_exec_t)
#define DTRACEFTIOC_HOLD_ADDRESS	_IOW('F', 9, dtrace_ft_hold_address_t)
#define DTRACEFTIOC_HOLD_RELEASE	_IO('F', 10)
#define DTRACEFTIOC_HOLD_END	_IO('F', 11)

#endif
