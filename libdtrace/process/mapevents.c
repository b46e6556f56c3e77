/* SPDX-License-Identifier: MIT */
/*
 * mapevents.c - what processes map for execution, as the kernel's perf events tell it while a
 * session runs. So addresses have names even if their process ended before anybody looked at it.
 *
 * Each CPU has a ring. Events of one process may be in several rings; they are sorted by time
 * before they are handled. Events lost because a ring was full cost names, and nothing else.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <linux/perf_event.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "../list.h"
#include "mapevents.h"

#define RING_PAGES 64	/* of events; a power of two */
#define MAXSEEN	   1024 /* processes remembered, the most recent */

struct ring {
	int fd;
	struct perf_event_mmap_page *page;
};

/* A process, and its mappings since the first event of it. */
struct seen {
	struct seen *next;
	pid_t pid;
	bool whole;		 /* these are all its mappings */
	struct dt_mapping *maps; /* paths are malloc'ed */
	size_t nmaps;
};

struct event {
	uint64_t time;
	size_t at; /* in bytes */
};

struct dt_mapevents {
	struct ring *rings;
	int nrings;
	dt_mapevent_f *func; /* is called for mappings; NULL: they are remembered */
	void *arg;
	struct seen *seen; /* the most recent first */
	int nseen;
	char *bytes; /* events that are being handled */
	size_t nbytes;
	struct event *events;
	size_t nevents;
};

/* Events as they are in a ring; the time follows each. */
struct event_fork {
	struct perf_event_header header;
	uint32_t pid, ppid;
};

struct event_comm {
	struct perf_event_header header;
	uint32_t pid, tid;
};

struct event_map {
	struct perf_event_header header;
	uint32_t pid, tid;
	uint64_t start, len, offset;
	uint32_t major, minor;
	uint64_t ino, generation;
	uint32_t prot, flags;
	char path[];
};

/* ---- processes ---- */

/* Forget the mappings of a process. */
static void seen_forget_maps(struct seen *seen)
{
	for (size_t i = 0; i < seen->nmaps; i++)
		free((char *)seen->maps[i].path);
	free(seen->maps);
	seen->maps = NULL;
	seen->nmaps = 0;
}

/* Add a mapping to the process at arg; a function for dt_mappings(). */
static int seen_add_map(void *arg, const struct dt_mapping *map)
{
	struct seen *seen = arg;
	struct dt_mapping *more = dt_list_grow(seen->maps, seen->nmaps, sizeof(*more));
	char *path = more ? strdup(map->path) : NULL;

	if (more)
		seen->maps = more;
	if (!path)
		return 0;
	more[seen->nmaps] = *map;
	more[seen->nmaps++].path = path;
	return 0;
}

/* Return the process, or NULL if it is not known. */
static struct seen *seen_find(const struct dt_mapevents *me, pid_t pid)
{
	struct seen *seen = me->seen;

	while (seen && seen->pid != pid)
		seen = seen->next;
	return seen;
}

/* Forget the least recent process. */
static void seen_forget_last(struct dt_mapevents *me)
{
	struct seen **at = &me->seen;

	while ((*at)->next)
		at = &(*at)->next;
	seen_forget_maps(*at);
	free(*at);
	*at = NULL;
	me->nseen--;
}

/* Return the process, allocated if it is new; NULL without memory. */
static struct seen *seen_get(struct dt_mapevents *me, pid_t pid)
{
	struct seen *seen = seen_find(me, pid);

	if (seen)
		return seen;
	if (me->nseen == MAXSEEN)
		seen_forget_last(me);
	seen = calloc(1, sizeof(*seen));
	if (!seen)
		return NULL;
	seen->pid = pid;
	seen->next = me->seen;
	me->seen = seen;
	me->nseen++;
	return seen;
}

/* ---- events ---- */

/* Give a child the mappings of its parent, which are read if they are not known. */
static void take_fork(struct dt_mapevents *me, const struct event_fork *ev)
{
	struct seen *child = ev->pid != ev->ppid ? seen_get(me, ev->pid) : NULL, *parent;

	if (!child)
		return;
	seen_forget_maps(child);
	parent = seen_find(me, ev->ppid);
	child->whole = !parent || parent->whole;
	if (!parent)
		dt_mappings(ev->ppid, seen_add_map, child);
	for (size_t i = 0; parent && i < parent->nmaps; i++)
		seen_add_map(child, &parent->maps[i]);
}

/* Forget what a process had mapped before its exec. */
static void take_exec(struct dt_mapevents *me, const struct event_comm *ev)
{
	struct seen *seen = seen_get(me, ev->pid);

	if (!seen)
		return;
	seen_forget_maps(seen);
	seen->whole = true;
}

/* Report or remember a mapping. */
static void take_map(struct dt_mapevents *me, const struct event_map *ev)
{
	const struct dt_mapping map = {.start = ev->start,
				       .end = ev->start + ev->len,
				       .offset = ev->offset,
				       .dev = (uint64_t)ev->major << 32 | ev->minor,
				       .ino = ev->ino,
				       .path = ev->path,
				       .executable = true};
	struct seen *seen;

	if (ev->path[0] != '/')
		return;
	if (me->func) {
		me->func(me->arg, ev->pid, &map);
		return;
	}
	seen = seen_get(me, ev->pid);
	if (seen)
		seen_add_map(seen, &map);
}

/* Handle an event. */
static void take(struct dt_mapevents *me, const void *ev)
{
	const struct perf_event_header *header = ev;

	switch (header->type) {
	case PERF_RECORD_FORK:
		take_fork(me, ev);
		break;
	case PERF_RECORD_COMM:
		if (header->misc & PERF_RECORD_MISC_COMM_EXEC)
			take_exec(me, ev);
		break;
	case PERF_RECORD_MMAP2:
		take_map(me, ev);
		break;
	default:
		break;
	}
}

/* ---- rings ---- */

/* Append a copy of the events in a ring to bytes. */
static void ring_copy(struct dt_mapevents *me, struct ring *ring)
{
	struct perf_event_mmap_page *page = ring->page;
	const char *data = (const char *)page + page->data_offset;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	uint64_t n = head - page->data_tail, at = page->data_tail % page->data_size, first;
	char *more = n > 0 ? realloc(me->bytes, me->nbytes + n) : NULL;

	if (more) {
		first = n < page->data_size - at ? n : page->data_size - at;
		memcpy(more + me->nbytes, data + at, first);
		memcpy(more + me->nbytes + first, data, n - first);
		me->bytes = more;
		me->nbytes += n;
	}
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
}

/* List the events in bytes, with their times. */
static void events_find(struct dt_mapevents *me)
{
	struct perf_event_header header;
	struct event *more;

	for (size_t at = 0; at + sizeof(header) <= me->nbytes; at += header.size) {
		memcpy(&header, me->bytes + at, sizeof(header));
		if (header.size < sizeof(header) + sizeof(more->time))
			return;
		more = dt_list_grow(me->events, me->nevents, sizeof(*more));
		if (!more)
			return;
		me->events = more;
		memcpy(&more[me->nevents].time, me->bytes + at + header.size - sizeof(more->time),
		       sizeof(more->time));
		more[me->nevents++].at = at;
	}
}

static int event_cmp(const void *left, const void *right)
{
	const struct event *l = left, *r = right;

	return l->time < r->time ? -1 : l->time > r->time;
}

void dt_mapevents_read(struct dt_mapevents *me)
{
	me->nbytes = me->nevents = 0;
	for (int i = 0; i < me->nrings; i++)
		ring_copy(me, &me->rings[i]);
	events_find(me);
	if (me->nevents > 0)
		qsort(me->events, me->nevents, sizeof(*me->events), event_cmp);
	for (size_t i = 0; i < me->nevents; i++)
		take(me, me->bytes + me->events[i].at);
}

/* Open the ring of a CPU. Return false if the CPU has none: it is offline. */
static bool ring_open(struct ring *ring, int cpu, bool remember)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_DUMMY,
		.size = sizeof(attr),
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.mmap = 1,
		.mmap2 = 1,
		.comm = remember,
		.comm_exec = remember,
		.task = remember,
	};
	size_t size = (1 + RING_PAGES) * sysconf(_SC_PAGESIZE);

	ring->fd = syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	if (ring->fd == -1)
		return false;
	ring->page = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, ring->fd, 0);
	if (ring->page != MAP_FAILED)
		return true;
	close(ring->fd);
	return false;
}

struct dt_mapevents *dt_mapevents_open(dt_mapevent_f *func, void *arg)
{
	long ncpus = sysconf(_SC_NPROCESSORS_CONF);
	struct dt_mapevents *me = calloc(1, sizeof(*me));

	if (!me)
		return NULL;
	me->rings = calloc(ncpus > 0 ? ncpus : 1, sizeof(*me->rings));
	for (int cpu = 0; me->rings && cpu < ncpus; cpu++)
		me->nrings += ring_open(&me->rings[me->nrings], cpu, !func);
	me->func = func;
	me->arg = arg;
	if (me->nrings > 0 || !func)
		return me;
	dt_mapevents_close(me);
	return NULL;
}

void dt_mapevents_close(struct dt_mapevents *me)
{
	if (!me)
		return;
	for (int i = 0; i < me->nrings; i++) {
		munmap(me->rings[i].page, (1 + RING_PAGES) * sysconf(_SC_PAGESIZE));
		close(me->rings[i].fd);
	}
	while (me->seen)
		seen_forget_last(me);
	free(me->rings);
	free(me->bytes);
	free(me->events);
	free(me);
}

void dt_mapevents_fork(struct dt_mapevents *me, pid_t pid, pid_t parent)
{
	const struct event_fork fork = {.pid = (uint32_t)pid, .ppid = (uint32_t)parent};

	if (me->nrings == 0)
		take_fork(me, &fork);
}

void dt_mapevents_know(struct dt_mapevents *me, pid_t pid)
{
	struct seen *seen = seen_get(me, pid);

	if (!seen)
		return;
	seen_forget_maps(seen);
	dt_mappings(pid, seen_add_map, seen);
	seen->whole = seen->nmaps > 0;
}

bool dt_mapevents_each(struct dt_mapevents *me, pid_t pid,
		       int (*func)(void *arg, const struct dt_mapping *map), void *arg)
{
	const struct seen *seen;

	dt_mapevents_read(me);
	seen = seen_find(me, pid);
	for (size_t i = seen ? seen->nmaps : 0; i-- > 0;)
		func(arg, &seen->maps[i]);
	return seen && seen->whole;
}
