/* SPDX-License-Identifier: MIT */
/* mapevents.h - what processes map, as it happens. (mapevents.c) */
#ifndef DT_MAPEVENTS_H
#define DT_MAPEVENTS_H

#include "mappings.h"

struct dt_mapevents;

/* Called with an executable mapping that a process has made; map is valid during the call. */
typedef void dt_mapevent_f(void *arg, pid_t pid, const struct dt_mapping *map);
/*
 * Begin to collect events of all processes. func is called with arg when events are read; if it is
 * NULL, mappings of the most recent processes are remembered for dt_mapevents_each(). Return what
 * the caller closes; or NULL without memory, or if there is a func and the user has no right to
 * such events.
 */
struct dt_mapevents *dt_mapevents_open(dt_mapevent_f *func, void *arg);
/* End, and free; NULL is allowed. */
void dt_mapevents_close(struct dt_mapevents *me);
/* Remember what a process has mapped so far: its children, which have the same, may end unseen. */
void dt_mapevents_know(struct dt_mapevents *me, pid_t pid);
/*
 * Remember that a child, which may have ended, was forked from a process. Nothing happens if events
 * tell this.
 */
void dt_mapevents_fork(struct dt_mapevents *me, pid_t pid, pid_t parent);
/* Handle the events since the last call. */
void dt_mapevents_read(struct dt_mapevents *me);
/*
 * Call func for each known mapping of a process, the most recent first; its result is ignored.
 * Return true if these are all mappings of the process.
 */
bool dt_mapevents_each(struct dt_mapevents *me, pid_t pid,
		       int (*func)(void *arg, const struct dt_mapping *map), void *arg);

#endif
