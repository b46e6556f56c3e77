/* SPDX-License-Identifier: MIT */
/*
 * registrar.c - registers a program at the helper device and at doors. It is part of other
 * projects' programs, and runs before their constructors, so it needs neither malloc nor stdio.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include <dtrace/limits.h>
#include "registrar.h"
#include "say.h"

/* A chunk of zeroed pages; all chunks of a list are freed together. */
struct registrar_chunk {
	struct registrar_chunk *next;
	size_t size, used;
};

#define CHUNK_SIZE (256 * 1024)
/* In the number of a registration that the module does not have. */
#define LOCAL 0x40000000

static void *pages(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	return p == MAP_FAILED ? NULL : p;
}

void *registrar_alloc(void *ctx, size_t size)
{
	struct registrar_chunk **chunks = ctx, *chunk = *chunks;
	size_t need = (size + 15) & ~(size_t)15, header = (sizeof *chunk + 15) & ~(size_t)15;

	if (!chunk || chunk->size - chunk->used < need) {
		size_t total = need + header > CHUNK_SIZE ? need + header : CHUNK_SIZE;

		chunk = pages(total);
		if (!chunk)
			return NULL;
		*chunk = (struct registrar_chunk){.next = *chunks, .size = total, .used = header};
		*chunks = chunk;
	}
	chunk->used += need;
	return (char *)chunk + chunk->used - need;
}

void registrar_free(struct registrar_chunk *chunk)
{
	while (chunk) {
		struct registrar_chunk *next = chunk->next;

		munmap(chunk, chunk->size);
		chunk = next;
	}
}

static int open_device(void)
{
	const char *name = secure_getenv("DTRACE_DOF_INIT_DEVNAME");
	struct stat st;
	int fd;

	if (!name)
		name = DTRACE_HELPER_DEVICE;
	/* Most machines have no device. This costs less than open() then. */
	fd = stat(name, &st) ? -1 : open(name, O_RDWR | O_CLOEXEC);
	if (fd < 0)
		drti_say("cannot open ", name, ": errno ", errno);
	return fd;
}

bool registrar_open(struct registrar *r, const void *instance)
{
	r->fd = open_device();
	r->error = errno;
	join_open(&r->join, instance);
	errno = r->error;
	return r->fd >= 0 || join_any(&r->join);
}

void registrar_close(struct registrar *r)
{
	int error = errno;

	join_close(&r->join);
	if (r->fd >= 0)
		close(r->fd);
	errno = error;
}

bool registrar_is_local(int registration)
{
	return registration & LOCAL;
}

/*
 * Register at the device, or where that fails, with sessions only. kept: those that begin later
 * find the DOF. what is for a message.
 */
static int add(struct registrar *r, const struct dof_helper *helper, bool kept, const char *what)
{
	static int locals;
	int registration = -1;

	errno = r->error;
	if (r->fd >= 0) {
		registration = ioctl(r->fd, DTRACEHIOC_ADDDOF, helper);
		r->error = errno;
	}
	if (registration < 0 && r->fd >= 0)
		drti_say(what, "/proc/dtrace/helper_errors says why", ": errno ", r->error);
	if (registration < 0 && (join_any(&r->join) || (kept && r->fd < 0)))
		return LOCAL | (locals++ & (LOCAL - 1));
	errno = r->error;
	return registration;
}

static void set_module(struct dof_helper *helper, const char *module)
{
	size_t len = strnlen(module, sizeof helper->dofhp_mod - 1);

	memcpy(helper->dofhp_mod, module, len);
}

int registrar_add(struct dofbuild *b, size_t size, struct registrar *r, const char *module,
		  void *kept)
{
	void *dof = !size || size > DTRACE_HELPER_MAXSIZE ? NULL : kept ? kept : pages(size);
	struct dof_helper helper = {.dofhp_dof = (uintptr_t)dof};
	int registration, error;

	if (!dof) {
		drti_say("no memory for the probes", "", ", bytes of DOF: ", size);
		errno = size > DTRACE_HELPER_MAXSIZE ? E2BIG : ENOMEM;
		return -1;
	}
	dofbuild_write(b, dof, (uintptr_t)dof);
	set_module(&helper, module);
	registration = add(r, &helper, kept, "the module refuses the probes, ");
	error = errno;
	if (registration >= 0)
		drti_say("registered probes", "", ", sites: ", b->sites.used);
	if (registration >= 0 && (kept || join_any(&r->join)))
		join_dof(&r->join, registration, &helper, dof, size, !kept);
	else if (!kept)
		munmap(dof, size);
	errno = error;
	return registration;
}

int registrar_add_helper(struct registrar *r, const void *dof, const void *data)
{
	struct dof_helper helper = {
		.dofhp_addr = (uintptr_t)data,
		.dofhp_dof = (uintptr_t)dof,
	};
	int registration = add(r, &helper, false, "the module refuses the ustack helper, "),
	    error = errno;

	if (registration >= 0) {
		drti_say("registered a ustack helper", "", ": ", registration);
		join_dof(&r->join, registration, &helper, dof,
			 ((const dof_hdr_t *)dof)->dofh_filesz, false);
	}
	errno = error;
	return registration;
}

int registrar_remove(struct registrar *r, int registration)
{
	if (registrar_is_local(registration))
		return 0;
	errno = r->error;
	if (r->fd >= 0 && !ioctl(r->fd, DTRACEHIOC_REMOVE, registration))
		return 0;
	drti_say("the module does not know the registration", "", " ", registration);
	return -1;
}
