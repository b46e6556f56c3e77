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

#define DTRACEFTIOC_REGISTER	_IOW('F', 1, dtrace_ft_register_t)
#define DTRACEFTIOC_COUNT	_IOWR('F', 2, dtrace_ft_count_t)

#endif
