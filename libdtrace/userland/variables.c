/* SPDX-License-Identifier: MIT */
/* variables.c - the memory of a session's global variables. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <sys/mman.h>
#include "memfile.h"
#include "takeover.h"
#include "state.h"
#include "variables.h"

/* Map the memory of the file here. Return 0 or a negative errno. */
static int variables_map(struct dt_variables *v)
{
	void *mem = mmap(NULL, v->shared.size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
			 v->fd, 0);

	if (mem == MAP_FAILED)
		return -errno;
	v->shared.mem = mem;
	return dtrace_state_share(v->state, &v->shared);
}

int dt_variables_open(struct dt_variables *v)
{
	uint64_t dynvarsize = v->state->opts[DTRACEOPT_DYNVARSIZE];
	uint64_t size = dtrace_state_shared_bytes(v->state, dynvarsize);

	if (!size)
		return 0;
	v->fd = dt_memfile(DT_VARIABLES_NAME, size);
	if (v->fd < 0)
		return v->fd;
	v->shared.size = size;
	v->shared.dynvarsize = dynvarsize;
	port_secret(&v->shared.seed, sizeof(v->shared.seed));
	return variables_map(v);
}

/* Joined processes keep the mapping until they end, but not its pages. */
void dt_variables_close(struct dt_variables *v)
{
	if (v->shared.mem)
		munmap(v->shared.mem, v->shared.size);
	if (v->fd < 0)
		return;
	fallocate(v->fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, (off_t)v->shared.size);
	close(v->fd);
}

int64_t dt_variables_map(struct dt_variables *v, struct dt_remote *remote, uint32_t *number)
{
	if (v->processes >= PORT_PROCESSES_MAX - 2)
		return -EAGAIN;
	*number = 2 + v->processes++; /* 1 is dtrace */
	if (!v->shared.size)
		return 0;
	return remote->ops->map(remote, 0, v->shared.size, PROT_READ | PROT_WRITE,
				MAP_SHARED | MAP_NORESERVE, v->fd, 0);
}

void dt_variables_unmap(const struct dt_variables *v, struct dt_remote *remote, int64_t at)
{
	remote->ops->unmap(remote, (uint64_t)at, v->shared.size);
}

void dt_variables_recover(const struct dt_variables *v, uint32_t owner)
{
	if (v->shared.size)
		dtrace_state_recover(v->state, owner);
}
