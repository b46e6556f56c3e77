/* SPDX-License-Identifier: MIT */
/* process_sites.h - the probes of a process from outside. (process_sites.c, process_register.c) */
#ifndef DT_PROCESS_SITES_H
#define DT_PROCESS_SITES_H

#include "../handle.h"
#include "../process/mappings.h"

/*
 * What is done with the DOF of a file that a process has mapped; not 0: no more.
 *	dof		valid during the call; as if it were at
 *	address		in the process, to which its sites are relative
 *	data		in the process: what helpers are given as arg3, or 0
 *	map		the mapping
 */
typedef int dt_proc_dof_f(void *arg, const void *dof, uint64_t address, uint64_t data,
			  const struct dt_mapping *map);
/*
 * dt_proc_dof - call func with the DOF of each file with probes that a process has mapped for
 * execution: what drti would register, helpers too, and SystemTap's notes. 0 (also if there are none,
 * or they cannot be read), or what func returned.
 */
int dt_proc_dof(pid_t pid, dt_proc_dof_f *func, void *arg);

/*
 * dt_register - register the probes of a process that it has not registered itself; 0 (also if
 * there are none), or -1 with EDT_PROC.
 */
int dt_register(dtrace_hdl_t *dtp, pid_t pid);

#endif
