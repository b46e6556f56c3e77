/* SPDX-License-Identifier: MIT */
/*
 * slab.h - sites that are made at run time: pieces of executable memory that lie in a file, as
 * uprobes needs them, each with a semaphore in a writable mapping of the same file.
 */
#ifndef PROBES_SLAB_H
#define PROBES_SLAB_H

#include <stdbool.h>
#include <stdint.h>

struct slab;

/* A place for one probe. */
struct slab_slot {
	struct slab *slab;
	uint32_t index;
	void (*site)(const uint64_t *args); /* to be called */
	const volatile uint16_t *semaphore;
	uint64_t pc; /* where the breakpoint goes */
};

/*
 * slab_take - a slot of the list *slabs, which grows when it has none; NULL is an empty list.
 * Returns false and sets errno (of memfd_create, mmap, malloc) if it cannot.
 */
bool slab_take(struct slab **slabs, struct slab_slot *slot);

/* slab_give - the slot may be taken again; not at once, and not before its semaphore is 0. */
void slab_give(const struct slab_slot *slot);

/* slab_free - unmap all of a list; nobody is in any of its sites. */
void slab_free(struct slab *slabs);

#endif
