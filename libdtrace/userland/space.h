/* SPDX-License-Identifier: MIT */
/* space.h - the mappings of a process's address space. (space.c) */
#ifndef DT_USERLAND_SPACE_H
#define DT_USERLAND_SPACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define DT_PAGE	     4096ULL
#define DT_SPACE_END 0x7ffffffff000ULL /* of addresses of 47 bits */

struct dt_range {
	uint64_t start, end;
	uint64_t offset, dev, ino; /* of the file; ino 0: it has none */
	bool writable, executable, shared;
};

/* A snapshot. All zero: an empty one. */
struct dt_space {
	struct dt_range *list; /* in order of addresses */
	size_t n;
	/*
	 * Kept free if heap_most is not 0: so many bytes from heap on, for the heap, and those from
	 * stack up to stack_end, for the stack.
	 */
	uint64_t heap, heap_most, stack, stack_end;
};

/* Take a new snapshot of a process. Return 0, -ESRCH or -ENOMEM. */
int dt_space_read(struct dt_space *space, pid_t pid);
/* Find out where the heap (brk) and the stack of the main thread may grow. */
void dt_space_growth(struct dt_space *space, pid_t pid);
/* Free a snapshot, which is empty afterwards. */
void dt_space_free(struct dt_space *space);
/* Return the range of an address, or NULL. */
const struct dt_range *dt_space_at(const struct dt_space *space, uint64_t addr);
/* Return whether the range from start up to end is free, and can be mapped. */
bool dt_space_is_free(const struct dt_space *space, uint64_t start, uint64_t end);
/* Return the address of the free page nearest to addr, from low up to high; 0 if there is none. */
uint64_t dt_space_near(const struct dt_space *space, uint64_t addr, uint64_t low, uint64_t high);
/* Note that a page has been mapped. Return 0 or -ENOMEM. */
int dt_space_add(struct dt_space *space, uint64_t page);

#endif
