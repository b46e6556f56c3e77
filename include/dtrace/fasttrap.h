/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fasttrap.h - /dev/dtrace/fasttrap: probes in processes that are already running, registered by
 * another process. The dtrace command reads the process's files, makes DOF of what it finds there,
 * and registers it. There are three kinds:
 *
 *	static probes	of a process that was started before the module was loaded, or whose
 *			libraries do not register theirs: as if it had registered them itself
 *	pid probes	of the pid provider, in any process
 *	pid* probes	of the pid provider, in a file, for all processes that map it
 *
 *	fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC)
 *	gen = ioctl(fd, DTRACEFTIOC_REGISTER, &reg) >= 0: name of the registration, as for
 *		the helper device
 *	gen = ioctl(fd, DTRACEFTIOC_REGISTER_FILE, &reg) >= 0: the same for pid* probes
 *	ioctl(fd, DTRACEFTIOC_REMOVE, &remove)		0: pid and pid* probes of this file
 *	ioctl(fd, DTRACEFTIOC_FAILURES, &failures)	0: sites that could not be instrumented
 *	ioctl(fd, DTRACEFTIOC_COUNT, &count)		0: how many registrations a process has
 *
 * Static probes belong to the process and stay when the device is closed. A site that the process
 * has registered already is not made twice.
 *
 * Pid and pid* probes belong to the open file. When its last descriptor is closed, also because its
 * process is killed, the probes and all breakpoints are removed before close returns. It does not
 * matter whether /dev/dtrace/dtrace is closed first. Several open files may register the same
 * sites; they share the probes.
 *
 * Requests for a process are permitted to root (CAP_SYS_PTRACE), to users with the right
 * proc_owner, and to users with the right dtrace_proc who could attach a debugger to it:
 * docs/security.md. Others cannot open the device (EACCES). Pid* probes need CAP_SYS_ADMIN.
 *
 * Errors: ESRCH (no such process, or one without memory of its own), EPERM (not allowed), EALREADY
 * (static probes: all sites are registered; nothing was done), EBADF, ENOEXEC (pid* probes: not an
 * open file; one of a kind that cannot be instrumented), ENOSPC (DTRACE_FT_MAXREGS,
 * DTRACE_FT_MAXSITES or DTRACE_FT_MAXBYTES of one open file), EDQUOT (a limit of the user, who has
 * opened the file, or whose process gets static probes: docs/security.md), EINTR (the caller is
 * being killed), ENOENT (DTRACEFTIOC_REMOVE: no such registration), EINVAL (unknown flags; what the
 * DOF says is not allowed), else those of DTRACEHIOC_ADDDOF.
 */
#ifndef DTRACE_FASTTRAP_H
#define DTRACE_FASTTRAP_H

#ifdef __KERNEL__
#include <linux/ioctl.h>
#else
#include <sys/ioctl.h>
#endif
#include <dtrace/helper.h>
#include <dtrace/unwind.h> /* ioctls 16 to 18 */

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
#define DTRACE_FT_PID 1
/*
 * With DTRACE_FT_PID: children that the process forks from now on get the same probes, as pidCHILD,
 * which belong to the same open file, and so do their children. Without it children get none, and
 * lose inherited breakpoints at the first hit.
 */
#define DTRACE_FT_FOLLOW 2
/*
 * With DTRACE_FT_PID: it is what the process executes; descriptions may call the module a.out too.
 */
#define DTRACE_FT_PROGRAM 4

/*
 * DTRACEFTIOC_REGISTER. All addresses in the DOF are the process's; helper.dofhp_dof is the
 * caller's.
 */
typedef struct dtrace_ft_register {
	int32_t dtfr_pid;    /* in the pid namespace of the caller */
	uint32_t dtfr_flags; /* DTRACE_FT_*; 0: static probes */
	/*
	 * address that the DOF has, or would have, in the process: what its sites are relative to
	 */
	uint64_t dtfr_dof;
	uint64_t dtfr_errmsg; /* char *: gets the reason of an error, or 0 */
	uint32_t dtfr_errlen; /* bytes there are for it, its NUL included */
	uint32_t dtfr_pad;    /* 0 */
	dof_helper_t dtfr_helper;
} dtrace_ft_register_t;

/*
 * DTRACEFTIOC_REGISTER_FILE. DOF as with DTRACE_FT_PID, but that its sites are offsets in the file
 * (sa_addr itself). The engine's provider is "pid*", with a star for the number: so the description
 * pid\*:libc:malloc:entry means these alone, pid*:libc:malloc:entry those of single processes too.
 */
typedef struct dtrace_ft_register_file {
	int32_t dtff_fd;      /* the executable or library, open for reading */
	uint32_t dtff_flags;  /* 0 */
	uint64_t dtff_errmsg; /* as dtfr_errmsg */
	uint32_t dtff_errlen;
	uint32_t dtff_pad; /* 0 */
	dof_helper_t dtff_helper;
} dtrace_ft_register_file_t;

/* DTRACEFTIOC_REMOVE: its probes are gone when it returns, if no other registration has them. */
typedef struct dtrace_ft_remove {
	int32_t dtfm_pid; /* 0: of a file */
	int32_t dtfm_gen; /* what registering it returned */
} dtrace_ft_remove_t;

/*
 * DTRACEFTIOC_FAILURES: sites of enabled pid and pid* probes of this open file that have no
 * breakpoint, because the kernel refuses the instruction (ENOTSUPP, 524, is EOPNOTSUPP here) or
 * could not write it. To be asked for when enabling has returned.
 */
typedef struct dtrace_ft_failure {
	int32_t dtfe_pid;   /* in the pid namespace of the caller; 0: of a file */
	int32_t dtfe_gen;   /* registration */
	uint64_t dtfe_addr; /* as in the DOF: address in the process, or file offset */
	int32_t dtfe_error; /* errno */
	uint32_t dtfe_pad;
} dtrace_ft_failure_t;
typedef struct dtrace_ft_failures {
	uint64_t dtfl_list;	/* dtrace_ft_failure_t *, for the first of them */
	uint32_t dtfl_capacity; /* elements that fit there */
	uint32_t dtfl_n;	/* out: how many there are in all */
} dtrace_ft_failures_t;

/* DTRACEFTIOC_COUNT. in: pid. out: the rest: what it has registered, or others in its name. */
typedef struct dtrace_ft_count {
	int32_t dtfc_pid;
	uint32_t dtfc_registrations;
	uint32_t dtfc_sites;
	uint32_t dtfc_pad;
} dtrace_ft_count_t;

/*
 * Stop points: a tracer stops a thread, at an instruction where nothing of the program depends on it,
 * until the tracer has handled what is new there. No ptrace is involved: stopped threads can be
 * debugged, and debugged threads can be stopped.
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
 * first instruction. For root (CAP_SYS_PTRACE) and holders of proc_owner it can be any user's
 * process. For others it must be their own, with unchanged user and group. With a process number
 * instead of a name, each exec of that process stops it. REGISTER's rules decide by what the
 * process is now. It also stops when it executes a set-user-ID program, as long as the user may
 * send it signals, and the tracer learns no more than that.
 *
 * With DTRACE_FT_FOLLOW the execs of all descendants stop too: those that the process forks from
 * now on, however deep and whatever they execute, if the caller may trace the new program. At most
 * 1,024 descendants are followed at a time; later ones count as missed. While the stop point
 * exists, names of providers that end in the process's number also match its descendants, for
 * sessions with the option followfork. With a time of 0, the stop point serves this purpose only
 * and stops no thread.
 *
 * STOP_ADDRESS stops each thread of one process that arrives at an address. REGISTER's rules apply
 * to the process, and the address must be an instruction in a mapped file. The instruction is
 * executed after the thread goes on. With DTRACE_FT_FOLLOW, the same location in the file also
 * stops the processes that the caller follows by STOP_EXEC, if they map the file later. When the
 * stop point is removed, its threads execute their instruction anew, and so hit probes that were
 * put there meanwhile.
 *
 * Errors: EINVAL (a time of 0; neither name nor pid, or both; a name without its NUL; unknown
 * flags), ENOSPC (too many stop points), ENOMEM. STOP_EXEC with a pid: those of REGISTER.
 * STOP_ADDRESS: those of REGISTER, EFAULT (no code of a file at the address), and those of uprobes:
 * EOPNOTSUPP (an instruction that cannot have a breakpoint), EIO, EINVAL. STOP_RELEASE: ESRCH (no
 * such thread is stopped). STOP_END: ENOENT. read: EAGAIN (O_NONBLOCK, and nothing new), EINVAL (a
 * buffer too small for one element), EINTR.
 */
#define DTRACE_FT_NAMELEN 256	/* with the zero at its end */
#define DTRACE_FT_STOP_MS 60000 /* longest stop; longer times are cut to it */

/* DTRACEFTIOC_STOP_EXEC */
typedef struct dtrace_ft_stop_exec {
	uint32_t dtfx_timeout; /* ms */
	int32_t dtfx_pid;      /* in the pid namespace of the caller; 0: by name */
	uint32_t dtfx_flags;   /* 0, or of a process DTRACE_FT_FOLLOW */
	/* of a file without its directories, or as exec was given it if there is a slash */
	char dtfx_name[DTRACE_FT_NAMELEN];
} dtrace_ft_stop_exec_t;

/* DTRACEFTIOC_STOP_ADDRESS */
typedef struct dtrace_ft_stop_address {
	int32_t dtfa_pid;      /* in the pid namespace of the caller */
	uint32_t dtfa_timeout; /* ms */
	uint64_t dtfa_address;
	uint32_t dtfa_flags; /* 0 or DTRACE_FT_FOLLOW */
	uint32_t dtfa_pad;   /* 0 */
} dtrace_ft_stop_address_t;

/* An element of what read returns: a thread that has arrived at a stop point. */
typedef struct dtrace_ft_stopped {
	int32_t dtfd_pid, dtfd_tid; /* in the pid namespace of the reader */
	uint32_t dtfd_point;	    /* where it arrived */
	uint32_t dtfd_flags;	    /* DTRACE_FT_STOPPED or DTRACE_FT_KILLED, or 0 */
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
} dtrace_ft_stopped_t;

/*
 * The thread is still stopped. Without this flag it has gone on, or this kernel cannot stop
 * threads.
 */
#define DTRACE_FT_STOPPED 1
/* The thread has gone on because of a fatal signal. */
#define DTRACE_FT_KILLED 2

#define DTRACEFTIOC_REGISTER	  _IOW('F', 1, dtrace_ft_register_t)
#define DTRACEFTIOC_COUNT	  _IOWR('F', 2, dtrace_ft_count_t)
#define DTRACEFTIOC_REGISTER_FILE _IOW('F', 3, dtrace_ft_register_file_t)
#define DTRACEFTIOC_FAILURES	  _IOWR('F', 4, dtrace_ft_failures_t)
#define DTRACEFTIOC_REMOVE	  _IOW('F', 5, dtrace_ft_remove_t)
#define DTRACEFTIOC_STOP_EXEC	  _IOW('F', 8, dtrace_ft_stop_exec_t)
#define DTRACEFTIOC_STOP_ADDRESS  _IOW('F', 9, dtrace_ft_stop_address_t)
#define DTRACEFTIOC_STOP_RELEASE  _IO('F', 10)
#define DTRACEFTIOC_STOP_END	  _IO('F', 11)

#endif
