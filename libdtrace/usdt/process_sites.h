/* SPDX-License-Identifier: MIT */
/*
 * process_sites.h - the probes of a process from outside: read as DOF from the files that it has
 * mapped, and registered on its behalf. (process_sites.c)
 */
#ifndef DT_PROCESS_SITES_H
#define DT_PROCESS_SITES_H

#include "../handle.h"
#include "../process/mappings.h"

/*
 * Called with the DOF of a file that a process has mapped.
 *	dof		valid during the call; as if it were at
 *	address		in the process, to which its sites are relative
 *	data		address in the process that helpers are given as arg3, or 0
 *	map		the mapping
 * Return 0 to go on, anything else to stop.
 */
typedef int process_sites_f(void *arg, const void *dof, uint64_t address, uint64_t data,
			    const struct dt_mapping *map);
/*
 * Call func with the DOF of each file with probes that a process has mapped for execution: what
 * drti would register, helpers too, and SystemTap's notes. Return 0, also if there are none, or
 * they cannot be read; or what func returned.
 */
int process_sites_read(pid_t pid, process_sites_f *func, void *arg);
/*
 * Register the probes that a process has not registered itself. With filter, only those that have
 * only SystemTap's notes, in the files that it returns true for, called with arg. Return 0, also if
 * there are none, or the world takes no requests about processes; or -1 with EDT_PROC and a
 * message.
 */
int process_sites_register(dtrace_hdl_t *dtp, pid_t pid, dt_mapping_filter_f *filter, void *arg);

#endif
