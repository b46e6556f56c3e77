/* SPDX-License-Identifier: MIT */
/* world.c - passes the requests of a handle to its world, if it has one. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include "handle.h"
#include "world.h"

/* The first is the default. */
static const struct dt_world_type *const worlds[] = {&dt_world_kernel, &dt_world_user};
#define NWORLDS (sizeof(worlds) / sizeof(worlds[0]))

const struct dt_world_type *dt_world_by_flags(int flags)
{
	for (size_t i = 0; i < NWORLDS; i++)
		if (worlds[i]->flag & flags)
			return worlds[i];
	return worlds[0];
}

const struct dt_world_type *dt_world_by_name(const char *name)
{
	for (size_t i = 0; i < NWORLDS; i++)
		if (strcmp(worlds[i]->name, name) == 0)
			return worlds[i];
	return NULL;
}

int dtrace_world_flag(const char *name)
{
	const struct dt_world_type *type = dt_world_by_name(name);

	return type ? type->flag : -1;
}

void dt_world_names(char *buf, size_t size)
{
	size_t n = 0;

	*buf = '\0';
	for (size_t i = 0; i < NWORLDS && n < size; i++)
		n += (size_t)snprintf(buf + n, size - n, "%s%s", i ? " or " : "", worlds[i]->name);
}

int dt_world_request(dtrace_hdl_t *dtp, unsigned long request, void *arg)
{
	if (!dtp->world) {
		errno = ENODEV;
		return dt_set_errno(dtp, EDT_NODEV);
	}
	return dtp->world->ops->request(dtp->world, request, arg);
}

const char *dt_world_lacks_processes(dtrace_hdl_t *dtp)
{
	return dtp->world ? dtp->world->ops->lacks_processes(dtp->world) : "there is no device";
}

int dt_world_process(dtrace_hdl_t *dtp, unsigned long request, void *arg)
{
	if (dt_world_lacks_processes(dtp)) {
		errno = ENODEV;
		return -1;
	}
	return dtp->world->ops->process(dtp->world, request, arg);
}

const char *dt_world_lacks_kernel(const dtrace_hdl_t *dtp)
{
	return dtp->world_type->kernel_hint;
}

bool dt_world_has_stop_points(dtrace_hdl_t *dtp)
{
	return !dt_world_lacks_processes(dtp) && dtp->world->ops->stop_points;
}

bool dt_world_moves(const dtrace_hdl_t *dtp)
{
	return dtp->world && dtp->world->ops->moves;
}

bool dt_world_numbers(const dtrace_hdl_t *dtp)
{
	return !dtp->world || dtp->world->ops->numbers;
}

int dt_world_process_number(dtrace_hdl_t *dtp, unsigned long request, int number)
{
	return dt_world_process(dtp, request, (void *)(intptr_t)number);
}

int dt_world_fds(dtrace_hdl_t *dtp, enum dt_world_news news, struct pollfd *fds, int max)
{
	return dtp->world ? dtp->world->ops->fds(dtp->world, news, fds, max) : 0;
}

void dt_world_work(dtrace_hdl_t *dtp, dt_world_stopped_f *func, void *arg)
{
	if (dtp->world)
		dtp->world->ops->work(dtp->world, func, arg);
}

bool dt_world_complaint(dtrace_hdl_t *dtp, pid_t *pid, char *message, size_t size)
{
	return dtp->world && dtp->world->ops->complaint(dtp->world, pid, message, size);
}

bool dt_world_has_breakpoint(dtrace_hdl_t *dtp, uint64_t offset, const char *name)
{
	return dtp->world && dtp->world->ops->has_breakpoint(dtp->world, offset, name);
}

void dt_world_code(dtrace_hdl_t *dtp, uint64_t addr, uint64_t size, uint64_t spare)
{
	if (dtp->world && dtp->world->ops->code)
		dtp->world->ops->code(dtp->world, addr, size, spare);
}

void dt_world_follow(dtrace_hdl_t *dtp, dt_world_met_f *func, void *arg)
{
	if (dtp->world && dtp->world->ops->follow)
		dtp->world->ops->follow(dtp->world, func, arg);
}
