/* SPDX-License-Identifier: MIT */
/*
 * slab.h - sites that are made at run time: executable memory mapped from a file, as uprobes
 * require, each with a semaphore in a writable mapping of the same file.
 */
#ifndef PROBES_SLAB_H
#define PROBES_SLAB_H

#include <stdbool.h>
#include <stdint.h>

struct slab;

/* The object of one probe. */
struct slab_object {
	struct slab *slab;
	uint32_t index;
	void (*site)(const uint64_t *args); /* to be called */
	const volatile uint16_t *semaphore;
	uint64_t pc; /* where the breakpoint goes */
};

/*
 * Take an object of the list *slabs, which grows when it has no free object; NULL is an empty list.
 * Return false and set errno (of memfd_create, mmap or malloc) on errors.
 */
bool slab_take(struct slab **slabs, struct slab_object *object);

/* Give back an object. It is not reused before its semaphore is 0, and not at once. */
void slab_give(const struct slab_object *object);

/* Unmap all slabs of a list. No thread may be in any of its sites. */
void slab_free(struct slab *slabs);

#endif
