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
#include <dtrace/stop.h>
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

#define DTRACEFTIOC_REGISTER	  _IOW('F', 1, dtrace_ft_register_t)
#define DTRACEFTIOC_COUNT	  _IOWR('F', 2, dtrace_ft_count_t)
#define DTRACEFTIOC_REGISTER_FILE _IOW('F', 3, dtrace_ft_register_file_t)
#define DTRACEFTIOC_FAILURES	  _IOWR('F', 4, dtrace_ft_failures_t)
#define DTRACEFTIOC_REMOVE	  _IOW('F', 5, dtrace_ft_remove_t)
/* Stop points: <dtrace/stop.h> */
#define DTRACEFTIOC_STOP_EXEC	 _IOW('F', 8, dtrace_stop_exec_t)
#define DTRACEFTIOC_STOP_ADDRESS _IOW('F', 9, dtrace_stop_address_t)
#define DTRACEFTIOC_STOP_RELEASE _IO('F', 10)
#define DTRACEFTIOC_STOP_END	 _IO('F', 11)

#endif
