/* SPDX-License-Identifier: MIT */
/*
 * slab.c - allocates memory with sites. All code of a slab is written before any thread can run it,
 * and never changes: a page with a breakpoint is a private copy, in which a later change would not
 * appear.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "memory_file.h"
#include "site.h"
#include "slab.h"

#define MAX_OBJECTS (1 << 20)

struct slab {
	struct slab *next;
	uint8_t *code;
	volatile uint16_t *semaphores;
	uint32_t nobjects, nused;
	uint32_t at; /* where the search for a free one begins: not at the last given */
	bool used[];
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static size_t code_size(const struct slab *s)
{
	return (size_t)s->nobjects * SITE_SIZE;
}

static size_t data_size(const struct slab *s)
{
	return ((size_t)s->nobjects * sizeof(uint16_t) + page_size() - 1) & ~(page_size() - 1);
}

static bool code_write(const struct slab *s, int fd)
{
	uint8_t *code;

	code = mmap(NULL, code_size(s), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (code == MAP_FAILED)
		return false;
	for (uint32_t i = 0; i < s->nobjects; i++)
		memcpy(code + (size_t)i * SITE_SIZE, site_code, SITE_SIZE);
	munmap(code, code_size(s));
	return true;
}

/* Map code and semaphores privately: changes of a tracer affect this process only. */
static bool slab_map(struct slab *s, int fd)
{
	void *code, *data;

	if (!code_write(s, fd))
		return false;
	code = mmap(NULL, code_size(s), PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);
	if (code == MAP_FAILED)
		return false;
	data = mmap(NULL, data_size(s), PROT_READ | PROT_WRITE, MAP_PRIVATE, fd,
		    (off_t)code_size(s));
	if (data == MAP_FAILED) {
		munmap(code, code_size(s));
		return false;
	}
	s->code = code;
	s->semaphores = data;
	return true;
}

static struct slab *slab_create(uint32_t nobjects)
{
	struct slab *s = calloc(1, sizeof *s + nobjects * sizeof s->used[0]);
	int fd, error;
	bool mapped;

	if (!s)
		return NULL;
	s->nobjects = nobjects;
	fd = memory_file("dtrace-probes", code_size(s) + data_size(s));
	mapped = fd >= 0 && slab_map(s, fd);
	error = errno;
	if (fd >= 0)
		close(fd);
	if (mapped)
		return s;
	free(s);
	errno = error;
	return NULL;
}

static bool slab_object_take(struct slab *s, struct slab_object *object)
{
	for (uint32_t n = 0; n < s->nobjects && s->nused < s->nobjects; n++) {
		uint32_t i = s->at++ % s->nobjects;

		if (s->used[i] || s->semaphores[i])
			continue;
		s->used[i] = true;
		s->nused++;
		*object = (struct slab_object){
			.slab = s,
			.index = i,
			.semaphore = &s->semaphores[i],
			.pc = (uintptr_t)s->code + (size_t)i * SITE_SIZE + site_trap,
		};
		*(void **)&object->site = s->code + (size_t)i * SITE_SIZE;
		return true;
	}
	return false;
}

bool slab_take(struct slab **slabs, struct slab_object *object)
{
	uint32_t nobjects = (uint32_t)(page_size() / SITE_SIZE);
	struct slab *s;

	for (s = *slabs; s; s = s->next)
		if (slab_object_take(s, object))
			return true;
	if (*slabs)
		nobjects = (*slabs)->nobjects < MAX_OBJECTS ? (*slabs)->nobjects * 2 : MAX_OBJECTS;
	s = slab_create(nobjects);
	if (!s)
		return false;
	s->next = *slabs;
	*slabs = s;
	return slab_object_take(s, object);
}

void slab_give(const struct slab_object *object)
{
	object->slab->used[object->index] = false;
	object->slab->nused--;
}

void slab_free(struct slab *s)
{
	while (s) {
		struct slab *next = s->next;

		munmap(s->code, code_size(s));
		munmap((void *)s->semaphores, data_size(s));
		free(s);
		s = next;
	}
}
