/* SPDX-License-Identifier: MIT */
/*
 * process_register.c - registers on a process's behalf the probes that it has not registered itself: it was
 * started without the module, was told not to, or has libraries with SystemTap's notes only.
 */
#include <errno.h>
#include <string.h>
#include "process_sites.h"

/* Who is registered for, and where. */
struct proxy {
	dtrace_hdl_t *dtp;
	pid_t pid;
};

/* errno of the device, or 0: what is there already is fine. */
static int proxy_register(void *arg, const void *dof, uint64_t address, uint64_t data,
			  const struct dt_mapping *map)
{
	const struct proxy *proxy = arg;
	dtrace_ft_register_t reg = {.dtfr_pid = proxy->pid,
				    .dtfr_dof = address,
				    .dtfr_helper = {.dofhp_dof = (uintptr_t)dof,
						    .dofhp_addr = data}};

	(void)map;
	if (dt_world_process(proxy->dtp, DTRACEFTIOC_REGISTER, &reg) != -1 || errno == EALREADY)
		return 0;
	return errno;
}

int dt_register(dtrace_hdl_t *dtp, pid_t pid)
{
	struct proxy proxy = {.dtp = dtp, .pid = pid};
	int err;

	if (dt_world_lacks_processes(dtp))
		return 0;
	err = dt_proc_dof(pid, proxy_register, &proxy);
	if (err == 0)
		return 0;
	return dt_set_error(dtp, EDT_PROC, "failed to register the probes of process %d: %s",
			    (int)pid, strerror(err));
}
