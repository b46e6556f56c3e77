/* SPDX-License-Identifier: MIT */
/* mapevents.h - what processes map, as it happens. (mapevents.c) */
#ifndef DT_MAPEVENTS_H
#define DT_MAPEVENTS_H

#include "mappings.h"

struct dt_mapevents;

/* What is done with a mapping for execution that a process has made. */
typedef void dt_mapevent_f(void *arg, pid_t pid, const struct dt_mapping *map);
/*
 * dt_mapevents_open - begin; NULL if the user may not, or without memory. func: what is done when
 * events are read; NULL: they are remembered for dt_mapevents_each, of the processes last heard of.
 */
struct dt_mapevents *dt_mapevents_open(dt_mapevent_f *func, void *arg);
void dt_mapevents_close(struct dt_mapevents *me);
/* dt_mapevents_know - what the process has mapped so far; its children may end before they are seen. */
void dt_mapevents_know(struct dt_mapevents *me, pid_t pid);
/* dt_mapevents_read - take in what has happened. */
void dt_mapevents_read(struct dt_mapevents *me);
/*
 * dt_mapevents_each - call func for each mapping of a process that is known, the last first; what
 * func returns does not matter. True: these are all that it has.
 */
bool dt_mapevents_each(struct dt_mapevents *me, pid_t pid,
		       int (*func)(void *arg, const struct dt_mapping *map), void *arg);

#endif
