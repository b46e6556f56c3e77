/* SPDX-License-Identifier: MIT */
/* register.c - makes the sites of the pid provider known to the kernel. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"

static int register_failed(struct dt_pid_error *err, const struct pid_batch *batch, int error,
			   const char *why)
{
	switch (error) {
	case ESRCH:
		return pid_fail(err, DT_PID_GRAB, NULL, "the process has ended");
	case EPERM:
	case EACCES:
		return pid_fail(err, DT_PID_GRAB,
				"only root may trace processes of others, and pid*",
				"failed to create probes: permission denied");
	case ENOSPC:
	case E2BIG:
		return pid_fail(err, DT_PID_CREATE,
				"name fewer functions, or entry and return only",
				"failed to create %lu probes: that are more than one process may "
				"have",
				batch->nsites);
	default:
		return pid_fail(err, DT_PID_CREATE, NULL, "failed to create probes: %s",
				*why != '\0' ? why : strerror(error));
	}
}

/* The registration's number goes to *gen; 0, or errno. */
static int batch_request(dtrace_hdl_t *dtp, const struct pid_place *place, const void *dof,
			 int *gen, char *why, size_t len)
{
	dtrace_ft_register_t reg = {
		.dtfr_pid = place->process,
		.dtfr_flags = DTRACE_FT_PID | (place->executed ? DTRACE_FT_PROGRAM : 0) |
			      (dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1 ? DTRACE_FT_FOLLOW : 0),
		.dtfr_dof = place->bias,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = len,
		.dtfr_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtfr_helper.dofhp_mod, sizeof(reg.dtfr_helper.dofhp_mod), "%s",
		 place->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER, &reg);
	return *gen != -1 ? 0 : errno;
}

/* In a file, for all processes. */
static int batch_request_file(dtrace_hdl_t *dtp, const struct pid_place *place, const void *dof,
			      int *gen, char *why, size_t len)
{
	dtrace_ft_register_file_t reg = {
		.dtff_fd = place->obj->fd,
		.dtff_errmsg = (uintptr_t)why,
		.dtff_errlen = len,
		.dtff_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtff_helper.dofhp_mod, sizeof(reg.dtff_helper.dofhp_mod), "%s",
		 place->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER_FILE, &reg);
	return *gen != -1 ? 0 : errno;
}

/* Make the sites known to the kernel. */
int pid_register(dtrace_hdl_t *dtp, struct pid_batch *batch, const struct pid_place *place,
		 struct dt_pid_error *err)
{
	size_t size = batch->nsites > 0 ? dofbuild_size(&batch->b) : 0;
	char why[256] = "";
	void *dof;
	int error;

	if (batch->nsites == 0)
		return 0;
	if (size > DTRACE_HELPER_MAXSIZE)
		return register_failed(err, batch, E2BIG, why);
	if (dt_world_lacks_processes(dtp))
		return pid_fail(err, DT_PID_NODEV, "load it: modprobe dtrace",
				"the kernel module is not there to trace processes");
	dof = size > 0 ? calloc(1, size) : NULL;
	if (dof == NULL)
		return pid_fail_memory(err);
	dofbuild_write(&batch->b, dof, place->everywhere ? 0 : place->bias);
	error = place->everywhere
			? batch_request_file(dtp, place, dof, &batch->gen, why, sizeof(why))
			: batch_request(dtp, place, dof, &batch->gen, why, sizeof(why));
	free(dof);
	return error == 0 ? 0 : register_failed(err, batch, error, why);
}
