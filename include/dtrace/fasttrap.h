/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fasttrap.h - /dev/dtrace/fasttrap: probes in processes that are already running, registered by
 * somebody else. The dtrace command reads the process's files, makes DOF of what it finds there,
 * and hands it over. There are three kinds:
 *
 *	static probes	of a process that was started before the module was loaded, or whose
 *			libraries do not register theirs: as if it had registered them itself
 *	pid probes	of the pid provider, in a process that nobody prepared
 *	pid* probes	of the pid provider, in a file, for all processes that map it
 *
 *	fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC)
 *	gen = ioctl(fd, DTRACEFTIOC_REGISTER, &reg) >= 0: name of the registration, as for
 *		the helper device
 *	gen = ioctl(fd, DTRACEFTIOC_REGISTER_FILE, &reg) likewise, pid* probes
 *	ioctl(fd, DTRACEFTIOC_REMOVE, &remove)		0: pid and pid* probes of this file
 *	ioctl(fd, DTRACEFTIOC_FAILURES, &failures)	0: sites that could not be instrumented
 *	ioctl(fd, DTRACEFTIOC_COUNT, &count)		0: how many registrations a process has
 *
 * Static probes belong to the process and stay when the device is closed. A site that the process
 * has registered already is not made twice.
 *
 * Pid and pid* probes belong to the open file: when its last descriptor is closed, that of a
 * process that is killed included, they are gone, and all breakpoints with them, before close
 * returns. Closing /dev/dtrace/dtrace first, or last, makes no difference. Several open files may
 * register the same sites; they share the probes.
 *
 * Who may do something with a process: root (CAP_SYS_PTRACE), who has the right proc_owner, and who
 * has the right dtrace_proc and could attach a debugger to it: docs/security.md. Others cannot open
 * it (EACCES). Pid* probes need CAP_SYS_ADMIN.
 *
 * Errors: ESRCH (no such process, or one without memory of its own), EPERM (not allowed), EALREADY
 * (static probes: all sites are registered; nothing was done), EBADF, ENOEXEC (pid* probes: not an
 * open file; one of a kind that cannot be instrumented), ENOSPC (DTRACE_FT_MAXREGS,
 * DTRACE_FT_MAXSITES or DTRACE_FT_MAXBYTES of one open file), EDQUOT (a limit of the user, who has
 * opened the file, or whose process gets static probes: docs/security.md), EINTR (the caller is being
 * killed), ENOENT (DTRACEFTIOC_REMOVE: no such
 * registration), EINVAL (unknown flags; what the DOF says is not allowed), else those of
 * DTRACEHIOC_ADDDOF.
 */
#ifndef DTRACE_FASTTRAP_H
#define DTRACE_FASTTRAP_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <dtrace/helper.h>
#include <dtrace/unwind.h>	/* ioctls 16 to 18 */

/*
 * Pid probes: the DOF has one provider, named "pid", whose sites (DOF_SECT_PRSITES) have no
 * semaphores. dofhp_mod is the module as its probes have it (empty: the base name of the mapped
 * file). Each site carries its function's name. Probes are
 *
 *	entry		at the first instruction. No locations: argN is argument N of the calling
 *			convention, as the machine has it there
 *	return		at an instruction that leaves the function. Two locations: the constant
 *			offset of the instruction in the function, and the register ax
 *	1f		at that offset, hexadecimal without 0x. No locations: argN is 0
 *
 * The engine's provider is pidPID, as it is for static ones.
 */
#define DTRACE_FT_PID		1
/*
 * With DTRACE_FT_PID: children that the process forks from now on get the same probes, as pidCHILD,
 * which belong to the same open file, and so do their children. Without it children get none, and
 * lose inherited breakpoints at the first hit.
 */
#define DTRACE_FT_FOLLOW	2
/* With DTRACE_FT_PID: it is what the process executes; descriptions may call the module a.out too. */
#define DTRACE_FT_PROGRAM	4

/*
 * DTRACEFTIOC_REGISTER. All addresses in the DOF are the process's; helper.dofhp_dof is the
 * caller's.
 */
typedef struct dtrace_ft_register {
	int32_t dtfr_pid;		/* in the pid namespace of the caller */
	uint32_t dtfr_flags;		/* DTRACE_FT_*; 0: static probes */
	/*
	 * address that the DOF has, or would have, in the process: what its sites are relative to
	 */
	uint64_t dtfr_dof;
	uint64_t dtfr_errmsg;		/* char *: gets the reason of an error, or 0 */
	uint32_t dtfr_errlen;		/* bytes there are for it, its NUL included */
	uint32_t dtfr_pad;		/* 0 */
	dof_helper_t dtfr_helper;
} dtrace_ft_register_t;

/*
 * DTRACEFTIOC_REGISTER_FILE. DOF as with DTRACE_FT_PID, but that its sites are offsets in the file
 * (sa_addr itself). The engine's provider is "pid*", with a star for the number: so the description
 * pid\*:libc:malloc:entry means these alone, pid*:libc:malloc:entry those of single processes too.
 */
typedef struct dtrace_ft_register_file {
	int32_t dtff_fd;		/* the executable or library, open for reading */
	uint32_t dtff_flags;		/* 0 */
	uint64_t dtff_errmsg;		/* as dtfr_errmsg */
	uint32_t dtff_errlen;
	uint32_t dtff_pad;		/* 0 */
	dof_helper_t dtff_helper;
} dtrace_ft_register_file_t;

/* DTRACEFTIOC_REMOVE: its probes are gone when it returns, if no other registration has them. */
typedef struct dtrace_ft_remove {
	int32_t dtfm_pid;		/* 0: of a file */
	int32_t dtfm_gen;		/* what registering it returned */
} dtrace_ft_remove_t;

/*
 * DTRACEFTIOC_FAILURES: sites of enabled pid and pid* probes of this open file that have no
 * breakpoint, because the kernel refuses the instruction (ENOTSUPP, 524, is EOPNOTSUPP here) or
 * could not write it. To be asked for when enabling has returned.
 */
typedef struct dtrace_ft_failure {
	int32_t dtfe_pid;		/* in the pid namespace of the caller; 0: of a file */
	int32_t dtfe_gen;		/* registration */
	uint64_t dtfe_addr;		/* as the DOF says it: address in the process, offset in the file */
	int32_t dtfe_error;		/* errno */
	uint32_t dtfe_pad;
} dtrace_ft_failure_t;
typedef struct dtrace_ft_failures {
	uint64_t dtfl_list;		/* dtrace_ft_failure_t *, for the first of them */
	uint32_t dtfl_room;		/* how many fit there */
	uint32_t dtfl_n;		/* out: how many there are in all */
} dtrace_ft_failures_t;

/* DTRACEFTIOC_COUNT. in: pid. out: the rest: what it has registered, or others in its name. */
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
 *	n = ioctl(fd, DTRACEFTIOC_HOLD_END, watch)		no more; the n that it holds go on
 *
 * A held thread sleeps on its way back to user mode, with no lock. It goes on when it is released,
 * when its watch ends, when the device is closed, and when the watch's time is over, whichever is
 * first; and a signal that kills ends it there. Other signals, stops and attaching debuggers take
 * effect when it goes on. Children of a process are not held for it. At most 16 threads of one
 * process are held at once, by all who hold threads of it; 24 for who may hold any process. And 128
 * by one open file. Who comes then goes on, and is counted.
 *
 * HOLD_EXEC is for one process: the first that executes a file of that name, before its first
 * instruction. Any user's process for root (CAP_SYS_PTRACE) and who has proc_owner; for others
 * those of their own whose user and group are unchanged. With a pid instead of a name it is for
 * each exec of that process, by the rules of REGISTER for what it is now; what it becomes is held
 * whatever its rights are then, and is no more told of than that.
 *
 * With DTRACE_FT_FOLLOW besides it is for each exec of those as well that descend from the process
 * by forks from now on, however deep and whatever they execute, if the caller may trace what they
 * become. A thousand of them may live at once; those born beyond that count as missed and are not
 * followed. While the watch lasts, names of providers that end with the process's number mean its
 * descendants' too, for sessions with the option followfork; a time of 0 is for that alone: nobody
 * is held.
 *
 * HOLD_ADDRESS is for each thread of one process that arrives at an address, by the rules of
 * REGISTER for the process; the address must be an instruction in a mapped file. Its instruction
 * is carried out after the thread goes on. With DTRACE_FT_FOLLOW the same place in the file is
 * meant in those too whom the caller follows by HOLD_EXEC, and who map the file later. When the watch ends, the threads that it holds come to their instruction anew, and so meet
 * probes that were put there meanwhile.
 *
 * Errors: EINVAL (a time of 0; neither name nor pid, or both; a name that does not end; unknown
 * flags), ENOSPC (too many watches), ENOMEM; HOLD_EXEC with a pid: those of REGISTER; HOLD_ADDRESS: those of
 * REGISTER, EFAULT (no code of a file at the address), and what uprobes say: EOPNOTSUPP (an
 * instruction that cannot have a breakpoint), EIO, EINVAL; HOLD_RELEASE: ESRCH (no such thread
 * is held, any more); HOLD_END: ENOENT. read: EAGAIN (O_NONBLOCK, and no news), EINVAL (no room
 * for one), EINTR.
 */
#define DTRACE_FT_NAMELEN	256	/* with the zero at its end */
#define DTRACE_FT_HOLD_MS	60000	/* longest time that a thread can be held; more is as much */

/* DTRACEFTIOC_HOLD_EXEC */
typedef struct dtrace_ft_hold_exec {
	uint32_t dtfx_timeout;		/* ms */
	int32_t dtfx_pid;		/* in the pid namespace of the caller; 0: by name */
	uint32_t dtfx_flags;		/* 0, or of a process DTRACE_FT_FOLLOW */
	/* of a file without its directories, or as exec was given it if there is a slash */
	char dtfx_name[DTRACE_FT_NAMELEN];
} dtrace_ft_hold_exec_t;

/* DTRACEFTIOC_HOLD_ADDRESS */
typedef struct dtrace_ft_hold_address {
	int32_t dtfa_pid;		/* in the pid namespace of the caller */
	uint32_t dtfa_timeout;		/* ms */
	uint64_t dtfa_address;
	uint32_t dtfa_flags;		/* 0 or DTRACE_FT_FOLLOW */
	uint32_t dtfa_pad;		/* 0 */
} dtrace_ft_hold_address_t;

/* What read gives: whole ones only. */
typedef struct dtrace_ft_held {
	int32_t dtfd_pid, dtfd_tid;	/* in the pid namespace of the reader */
	uint32_t dtfd_watch;		/* that it met */
	uint32_t dtfd_flags;		/* DTRACE_FT_HELD, or why it is not DTRACE_FT_ENDS */
	/* threads that were not held, nor told of, since the last: too many were at once */
	uint32_t dtfd_missed;
	uint32_t dtfd_pad;
	/*
	 * HOLD_ADDRESS: the first argument, should the instruction there call a function: register di,
	 * or in 32-bit programs the word at the top of the stack
	 */
	uint64_t dtfd_arg0;
} dtrace_ft_held_t;

/* It is held still. Without it this is news only: it had gone on, or this kernel holds none. */
#define DTRACE_FT_HELD		1
/* A signal that kills had it go on. */
#define DTRACE_FT_ENDS		2

#define DTRACEFTIOC_REGISTER		_IOW('F', 1, dtrace_ft_register_t)
#define DTRACEFTIOC_COUNT		_IOWR('F', 2, dtrace_ft_count_t)
#define DTRACEFTIOC_REGISTER_FILE	_IOW('F', 3, dtrace_ft_register_file_t)
#define DTRACEFTIOC_FAILURES		_IOWR('F', 4, dtrace_ft_failures_t)
#define DTRACEFTIOC_REMOVE		_IOW('F', 5, dtrace_ft_remove_t)
#define DTRACEFTIOC_HOLD_EXEC		_IOW('F', 8, dtrace_ft_hold_exec_t)
#define DTRACEFTIOC_HOLD_ADDRESS	_IOW('F', 9, dtrace_ft_hold_address_t)
#define DTRACEFTIOC_HOLD_RELEASE	_IO('F', 10)
#define DTRACEFTIOC_HOLD_END		_IO('F', 11)

#endif
