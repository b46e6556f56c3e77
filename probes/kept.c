/* SPDX-License-Identifier: MIT */
/*
 * kept.c - keeps the DOF of registrations where later sessions find it: each in a private mapping
 * of a file in memory, whose name they look for. The file stays as it is, and forked children have
 * mappings of their own, so that no process can change what another one shows.
 */
#include "kept.h"

#if defined __x86_64__ && defined __LP64__

#include <elf.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <dtrace/join.h>
#include "memory_file.h"

struct kept {
	struct kept *next;
	struct dtrace_join_kept *pages;
	size_t size;
	int fd; /* -1: shown */
};

static struct kept *shown;

struct kept *kept_create(size_t size)
{
	struct kept *k = calloc(1, sizeof *k);
	int error;

	if (!k)
		return NULL;
	k->size = sizeof *k->pages + size;
	k->pages = MAP_FAILED;
	k->fd = memory_file(DTRACE_JOIN_KEPT, k->size);
	if (k->fd >= 0)
		k->pages = mmap(NULL, k->size, PROT_READ | PROT_WRITE, MAP_SHARED, k->fd, 0);
	if (k->pages != MAP_FAILED)
		return k;
	error = errno;
	kept_free(k);
	errno = error;
	return NULL;
}

void *kept_dof(const struct kept *k)
{
	return k->pages + 1;
}

void kept_show(struct kept *k, const void *instance, int number, const char *module)
{
	struct dtrace_join_kept *pages = k->pages;
	struct dof_helper *helper = &pages->dof.helper;

	pages->hello.machine = EM_X86_64;
	pages->hello.instance = (uintptr_t)instance;
	pages->dof.number = number;
	helper->dofhp_dof = (uintptr_t)kept_dof(k);
	memcpy(helper->dofhp_mod, module, strnlen(module, sizeof helper->dofhp_mod - 1));
	__atomic_store_n(&pages->hello.version, DTRACE_JOIN_VERSION, __ATOMIC_RELEASE);
	if (mmap(pages, k->size, PROT_READ, MAP_PRIVATE | MAP_FIXED, k->fd, 0) == MAP_FAILED) {
		pages->hello.version = 0;
		kept_free(k);
		return;
	}
	close(k->fd);
	k->fd = -1;
	kept_end(number); /* of a module that was removed since */
	k->next = shown;
	shown = k;
}

void kept_free(struct kept *k)
{
	if (!k)
		return;
	if (k->pages != MAP_FAILED)
		munmap(k->pages, k->size);
	if (k->fd >= 0)
		close(k->fd);
	free(k);
}

void kept_end(int number)
{
	for (struct kept **at = &shown, *k; (k = *at); at = &k->next)
		if (k->pages->dof.number == number) {
			*at = k->next;
			kept_free(k);
			return;
		}
}

#endif
