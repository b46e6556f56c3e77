/* SPDX-License-Identifier: MIT */
/* register.c - registers the sites of the pid provider with the world. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "impl.h"

/* Set the error for an errno; why is the world's own message, or "". Return -1. */
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
				"failed to create %lu probes: one process may not have so many",
				batch->nsites);
	case EOPNOTSUPP:
		if (*why != '\0')
			break;
		return pid_fail(err, DT_PID_CREATE,
				"name a process by pid$target with -p or -c; or load the module "
				"(modprobe dtrace, as root), and trace with -x world=kernel",
				"pid probes of all processes need the kernel module");
	default:
		break;
	}
	return pid_fail(err, DT_PID_CREATE, NULL, "failed to create probes: %s",
			*why != '\0' ? why : strerror(error));
}

/* Register sites in a process, and set *gen to the registration's number. Return 0 or errno. */
static int batch_request(dtrace_hdl_t *dtp, const struct mapped_object *mapped, const void *dof,
			 int *gen, char *why, size_t len)
{
	dtrace_ft_register_t reg = {
		.dtfr_pid = mapped->process,
		.dtfr_flags = DTRACE_FT_PID | (mapped->executed ? DTRACE_FT_PROGRAM : 0) |
			      (dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1 ? DTRACE_FT_FOLLOW : 0),
		.dtfr_dof = mapped->bias,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = len,
		.dtfr_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtfr_helper.dofhp_mod, sizeof(reg.dtfr_helper.dofhp_mod), "%s",
		 mapped->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER, &reg);
	return *gen != -1 ? 0 : errno;
}

/* Register sites in a file, for all processes, and set *gen. Return 0 or errno. */
static int batch_request_file(dtrace_hdl_t *dtp, const struct mapped_object *mapped,
			      const void *dof, int *gen, char *why, size_t len)
{
	dtrace_ft_register_file_t reg = {
		.dtff_fd = mapped->obj->fd,
		.dtff_errmsg = (uintptr_t)why,
		.dtff_errlen = len,
		.dtff_helper = {.dofhp_dof = (uintptr_t)dof},
	};

	snprintf(reg.dtff_helper.dofhp_mod, sizeof(reg.dtff_helper.dofhp_mod), "%s",
		 mapped->module);
	*gen = dt_world_process(dtp, DTRACEFTIOC_REGISTER_FILE, &reg);
	return *gen != -1 ? 0 : errno;
}

int pid_register(dtrace_hdl_t *dtp, struct pid_batch *batch, const struct mapped_object *mapped,
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
	if (!dof)
		return pid_fail_memory(err);
	dofbuild_write(&batch->b, dof, mapped->systemwide ? 0 : mapped->bias);
	error = mapped->systemwide
			? batch_request_file(dtp, mapped, dof, &batch->gen, why, sizeof(why))
			: batch_request(dtp, mapped, dof, &batch->gen, why, sizeof(why));
	free(dof);
	return error == 0 ? 0 : register_failed(err, batch, error, why);
}
