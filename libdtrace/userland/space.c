/* SPDX-License-Identifier: MIT */
/* space.c - the mappings of a process's address space. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include "../list.h"
#include "../process/mappings.h"
#include "../process/procfs.h"
#include "space.h"

#define LOWEST	   0x10000ULL	  /* usual value of vm.mmap_min_addr */
#define STACK_MOST (256ULL << 20) /* that is left to a stack without limit */
#define STACK_GAP  (1ULL << 20)	  /* that the kernel leaves free below a stack */

/* Return the number of ranges that begin at addr or below. */
static size_t space_until(const struct dt_space *space, uint64_t addr)
{
	return dt_list_until(space->list, space->n, sizeof(*space->list),
			     offsetof(struct dt_range, start), addr);
}

/* Insert a range. Return 0 or -ENOMEM. */
static int space_insert(struct dt_space *space, const struct dt_range *range)
{
	struct dt_range *more = dt_list_grow(space->list, space->n, sizeof(*more));
	size_t at;

	if (!more)
		return -ENOMEM;
	space->list = more;
	at = space_until(space, range->start);
	memmove(more + at + 1, more + at, (space->n - at) * sizeof(*more));
	more[at] = *range;
	space->n++;
	return 0;
}

/* Insert a mapping. A callback of dt_mappings_all(). */
static int space_add_mapping(void *arg, const struct dt_mapping *map)
{
	return space_insert(arg, &(struct dt_range){
					 .start = map->start,
					 .end = map->end,
					 .offset = map->offset,
					 .dev = map->dev,
					 .ino = map->ino,
					 .writable = map->writable,
					 .executable = map->executable,
					 .shared = map->shared,
				 });
}

int dt_space_read(struct dt_space *space, pid_t pid)
{
	int error;

	dt_space_free(space);
	error = dt_mappings_all(pid, space_add_mapping, space);
	if (error || space->n)
		return error;
	return errno == ENOMEM || errno == EMFILE || errno == ENFILE ? -errno : -ESRCH;
}

void dt_space_free(struct dt_space *space)
{
	free(space->list);
	*space = (struct dt_space){0};
}

const struct dt_range *dt_space_at(const struct dt_space *space, uint64_t addr)
{
	size_t i = space_until(space, addr);

	return i && addr < space->list[i - 1].end ? &space->list[i - 1] : NULL;
}

bool dt_space_is_free(const struct dt_space *space, uint64_t start, uint64_t end)
{
	size_t i;

	if (start < LOWEST || end > DT_SPACE_END || start >= end)
		return false;
	if (space->heap_most && ((start < space->heap + space->heap_most && end > space->heap) ||
				 (start < space->stack_end && end > space->stack)))
		return false;
	i = space_until(space, start);
	return (i == 0 || space->list[i - 1].end <= start) &&
	       (i == space->n || space->list[i].start >= end);
}

void dt_space_growth(struct dt_space *space, pid_t pid)
{
	const uint64_t heap = dt_proc_stat(pid, DT_PROC_HEAP);
	const struct dt_range *range = dt_space_at(space, dt_proc_stat(pid, DT_PROC_STACK));
	struct rlimit limit = {.rlim_cur = STACK_MOST};

	if (range) {
		prlimit(pid, RLIMIT_STACK, NULL, &limit);
		if (limit.rlim_cur > STACK_MOST)
			limit.rlim_cur = STACK_MOST;
		space->stack_end = range->start;
		space->stack = range->end - limit.rlim_cur - STACK_GAP;
	}
	space->heap = (heap + DT_PAGE - 1) & ~(DT_PAGE - 1);
	while ((range = dt_space_at(space, space->heap)))
		space->heap = range->end;
}

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* Make a page the best so far if it is nearer, within the bounds, and free. */
static void near_try(const struct dt_space *space, uint64_t page, uint64_t addr, uint64_t low,
		     uint64_t high, uint64_t *best)
{
	if (page >= low && page + DT_PAGE <= high &&
	    (!*best || distance(page, addr) < distance(*best, addr)) &&
	    dt_space_is_free(space, page, page + DT_PAGE))
		*best = page;
}

/*
 * The nearest free page is at the address, at a bound, or next to a range that is used or kept:
 * above the address at the end of the first range that has a free page behind it, below it in front
 * of such a range.
 */
uint64_t dt_space_near(const struct dt_space *space, uint64_t addr, uint64_t low, uint64_t high)
{
	uint64_t best = 0;
	size_t at;

	low = low < LOWEST ? LOWEST : (low + DT_PAGE - 1) & ~(DT_PAGE - 1);
	high = high > DT_SPACE_END ? DT_SPACE_END : high & ~(DT_PAGE - 1);
	if (low >= high)
		return 0;
	addr &= ~(DT_PAGE - 1);
	near_try(space, addr, addr, low, high, &best);
	near_try(space, low, addr, low, high, &best);
	near_try(space, high - DT_PAGE, addr, low, high, &best);
	near_try(space, space->heap + space->heap_most, addr, low, high, &best);
	near_try(space, space->stack_end, addr, low, high, &best);
	near_try(space, space->stack - DT_PAGE, addr, low, high, &best);
	at = space_until(space, addr < low ? low : addr < high ? addr : high);
	for (size_t i = at ? at - 1 : 0; i < space->n; i++) {
		const uint64_t page = space->list[i].end;

		if (page >= high || (page > addr && best && page - addr >= distance(best, addr)))
			break;
		near_try(space, page, addr, low, high, &best);
	}
	for (size_t i = at; i > 0; i--) {
		const uint64_t page = space->list[i - 1].start - DT_PAGE;

		if (space->list[i - 1].start <= low ||
		    (page < addr && best && addr - page >= distance(best, addr)))
			break;
		near_try(space, page, addr, low, high, &best);
	}
	return best;
}

int dt_space_add(struct dt_space *space, uint64_t page)
{
	return space_insert(space, &(struct dt_range){.start = page, .end = page + DT_PAGE});
}
