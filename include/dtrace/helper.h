/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper.h - how a program registers its DOF: /dev/dtrace/helper.
 *
 * Anybody may open the device. A registration belongs to the address space of the caller, not to
 * the open file: fork copies it, exec and exit drop it, munmap of its sites makes them silent.
 * Commands have the published numbers; the values of other Linux DTraces (made by _IOW) are taken
 * too, so that existing producers work.
 *
 *	open("/dev/dtrace/helper", O_RDWR | O_CLOEXEC)
 *	gen = ioctl(fd, DTRACEHIOC_ADDDOF, &helper)	>= 0: name of this registration
 *	ioctl(fd, DTRACEHIOC_REMOVE, gen)		0
 *
 * Errors of ADDDOF: EFAULT (an address is outside the caller's mappings), EINVAL (damaged DOF;
 * the reason is in /proc/dtrace/helper_errors and the kernel's debug log), E2BIG (larger than
 * DTRACE_HELPER_MAXSIZE), ENOSPC (too many registrations or sites for one process), EDQUOT (too
 * much for its user: docs/security.md), ENOMEM, EINTR (the caller is being killed). Of REMOVE:
 * ENOENT (no such registration of this address space), EINTR.
 */
#ifndef DTRACE_HELPER_H
#define DTRACE_HELPER_H

#include <dtrace/types.h>

#define DTRACE_HELPER_DEVICE "/dev/dtrace/helper"
#define DTRACE_HELPER_MODLEN 64

typedef struct dof_helper {
	/* module name of the probes; empty: base name of the file mapped at the sites */
	char dofhp_mod[DTRACE_HELPER_MODLEN];
	/* added by DOF_RELO_SETX, given to ustack helpers as arg3; 0 if the DOF has none */
	uint64_t dofhp_addr;
	uint64_t dofhp_dof; /* address of the DOF in the caller */
} dof_helper_t;

#define DTRACEHIOC (('d' << 24) | ('t' << 16) | ('h' << 8))
/* argument: dof_hdr_t *; module name from the mapping */
#define DTRACEHIOC_ADD	  (DTRACEHIOC | 1)
#define DTRACEHIOC_REMOVE (DTRACEHIOC | 2) /* argument: registration */
#define DTRACEHIOC_ADDDOF (DTRACEHIOC | 3) /* argument: dof_helper_t * */

#define DTRACEHIOC_LINUX_ADD	0x40406801u /* _IOW('h', 1, dof_hdr_t) */
#define DTRACEHIOC_LINUX_REMOVE 0x40046802u /* _IOW('h', 2, int) */
#define DTRACEHIOC_LINUX_ADDDOF 0x40506803u /* _IOW('h', 3, dof_helper_t) */

#endif
