/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stop.h - stop points. A tracer stops a thread at an instruction where nothing of the program
 * depends on the thread, until the tracer has handled the new program or library. No ptrace is
 * involved: stopped threads can be debugged, and debugged threads can be stopped.
 *
 *	point = ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec)		from 1 on
 *	point = ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &address)
 *	poll(fd, POLLIN); read(fd, stopped, n * sizeof(stopped[0]))	as threads arrive
 *	ioctl(fd, DTRACEFTIOC_STOP_RELEASE, tid)		let one thread go on
 *	n = ioctl(fd, DTRACEFTIOC_STOP_END, point)		remove it; its n threads go on
 *
 * A stopped thread sleeps on its way back to user mode, without a lock. It goes on when the tracer
 * releases it, when the stop point is removed, when the device is closed, or when the time of the
 * stop point has passed, whichever is first. A fatal signal ends it there. Other signals, job
 * control and attaching debuggers take effect when the thread goes on. Fork children do not stop at
 * the stop points of their parents. All tracers together stop at most 16 threads of one process; a
 * tracer that may stop any process stops up to 24. One open file stops at most 128 threads. Further
 * threads go on and are counted.
 *
 * STOP_EXEC by name stops one process: the first that executes a file of that name, before its
 * first instruction. For root (CAP_SYS_PTRACE) and users with proc_owner it can be any user's
 * process. For others it must be their own, with unchanged user and group. With a process number
 * instead of a name, each exec of that process stops it. REGISTER's rules decide by what the
 * process is now. It also stops when it executes a set-user-ID program, as long as the user may
 * send it signals, and the tracer learns no more than that.
 *
 * With DTRACE_STOP_FOLLOW the execs of all descendants stop too: those that the process forks from
 * now on, however deep and whatever they execute, if the caller may trace the new program. At most
 * 1,024 descendants are followed at a time; later ones count as missed. While the stop point
 * exists, names of providers that end in the process's number also match its descendants, for
 * sessions with the option followfork. With a time of 0, the stop point serves this purpose only
 * and stops no thread.
 *
 * STOP_ADDRESS stops each thread of one process that arrives at an address. REGISTER's rules apply
 * to the process, and the address must be an instruction in a mapped file. The instruction is
 * executed after the thread goes on. With DTRACE_STOP_FOLLOW, the same location in the file also
 * stops the processes that the caller follows by STOP_EXEC, if they map the file later. When the
 * stop point is removed, its threads execute their instruction anew, and so hit probes that were
 * put there meanwhile.
 *
 * Errors: EINVAL (a time of 0; neither name nor pid, or both; a name without its NUL; unknown
 * flags), ENOSPC (too many stop points), EDQUOT (a limit of the user), ENOMEM. STOP_EXEC with a
 * pid: those of REGISTER. STOP_ADDRESS: those of REGISTER, EFAULT (no code of a file at the
 * address), EUSERS (the file is mapped too often there for a user with limits: user_mappings), and
 * those of uprobes: EOPNOTSUPP (an instruction that cannot have a breakpoint), EIO, EINVAL.
 * STOP_RELEASE: ESRCH (no such thread is stopped). STOP_END: ENOENT. read: EAGAIN (O_NONBLOCK, and
 * nothing new), EINVAL (a buffer too small for one element), EINTR.
 *
 * fd is an open file of /dev/dtrace/fasttrap. <dtrace/fasttrap.h> has the numbers of the requests,
 * and REGISTER, whose rules and errors the requests share.
 */
#ifndef DTRACE_STOP_H
#define DTRACE_STOP_H

#include <dtrace/types.h>

#define DTRACE_STOP_NAMELEN 256	  /* with the zero at its end */
#define DTRACE_STOP_MS	    60000 /* longest stop; longer times are cut to it */
/* Flag of a stop point: it also concerns the descendants of the process. */
#define DTRACE_STOP_FOLLOW 2

/* DTRACEFTIOC_STOP_EXEC */
typedef struct dtrace_stop_exec {
	uint32_t dtfx_timeout; /* ms */
	int32_t dtfx_pid;      /* in the pid namespace of the caller; 0: by name */
	uint32_t dtfx_flags;   /* 0, or of a process DTRACE_STOP_FOLLOW */
	/* of a file without its directories, or as exec was given it if there is a slash */
	char dtfx_name[DTRACE_STOP_NAMELEN];
} dtrace_stop_exec_t;

/* DTRACEFTIOC_STOP_ADDRESS */
typedef struct dtrace_stop_address {
	int32_t dtfa_pid;      /* in the pid namespace of the caller */
	uint32_t dtfa_timeout; /* ms */
	uint64_t dtfa_address;
	uint32_t dtfa_flags; /* 0 or DTRACE_STOP_FOLLOW */
	uint32_t dtfa_pad;   /* 0 */
} dtrace_stop_address_t;

/* An element of what read returns: a thread that has arrived at a stop point. */
typedef struct dtrace_stopped {
	int32_t dtfd_pid, dtfd_tid; /* in the pid namespace of the reader */
	uint32_t dtfd_point;	    /* where it arrived */
	uint32_t dtfd_flags;	    /* DTRACE_STOP_STOPPED or DTRACE_STOP_KILLED, or 0 */
	/*
	 * threads since the last element that were neither stopped nor reported: too many at once
	 */
	uint32_t dtfd_missed;
	uint32_t dtfd_pad;
	/*
	 * STOP_ADDRESS: the first argument, should the instruction there call a function: register
	 * di, or in 32-bit programs the word at the top of the stack
	 */
	uint64_t dtfd_arg0;
} dtrace_stopped_t;

/*
 * The thread is still stopped. Without this flag it has gone on, or this kernel cannot stop
 * threads.
 */
#define DTRACE_STOP_STOPPED 1
/* The thread has gone on because of a fatal signal. */
#define DTRACE_STOP_KILLED 2

#endif
