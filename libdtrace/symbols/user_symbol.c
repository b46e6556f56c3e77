/* SPDX-License-Identifier: MIT */
/*
 * user_symbol.c - names of addresses of processes. dtrace reads the mappings of a process when it
 * first sees the process, so that its addresses have names after its end. It reads them again after
 * a while, when the number may be that of another process. If a process ended before that, events
 * tell what it had mapped. Symbol tables are read once for each file. Files are kept open, as they
 * may be deleted while their processes run.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../process/mapevents.h"
#include "symtab.h"
#include "user_symbol.h"

#define DELETED	 " (deleted)"  /* after the path of a deleted file */
#define AGE	 1000000000ULL /* ns after which mappings are read again */
#define MISSAGE	 10000000ULL   /* ns after which they are, if they do not have an address */
#define MAXPROCS 1024	       /* processes remembered, the last used */
#define MAXOPEN	 256	       /* files that are kept open */

/* A mapped file; shared by all processes. */
struct object {
	struct object *next;
	char *path;
	char *name; /* last part of the path */
	uint64_t dev, ino;
	int fd; /* -1: not open */
	struct dt_symtab *tab;
	bool tried; /* reading tab was tried */
	struct dt_source *source;
	bool sourced; /* reading source was tried */
};

struct map {
	uint64_t start, end, offset;
	struct object *object;
};

struct user_proc {
	struct user_proc *next;
	pid_t pid;
	uint64_t when; /* ns: when the mappings were read */
	bool told;     /* it has ended, and events have reported its mappings */
	struct map *maps;
	size_t nmaps;
};

struct dt_user {
	struct object *objects;
	int nopen;		 /* of them */
	struct user_proc *procs; /* the last used first */
	int nprocs;
	struct dt_mapevents *events; /* or NULL */
};

/* Return the object of a file, added if it is new; NULL without memory. */
static struct object *object_get(struct dt_user *user, const char *path, uint64_t dev, uint64_t ino)
{
	struct object *obj;

	for (obj = user->objects; obj; obj = obj->next)
		if (obj->dev == dev && obj->ino == ino && strcmp(obj->path, path) == 0)
			return obj;
	obj = calloc(1, sizeof(*obj));
	if (!obj)
		return NULL;
	obj->path = strdup(path);
	obj->name = strdup(basename(path));
	if (obj->name && strstr(obj->name, DELETED))
		*strstr(obj->name, DELETED) = '\0';
	if (!obj->path || !obj->name) {
		free(obj->path);
		free(obj->name);
		free(obj);
		return NULL;
	}
	obj->dev = dev;
	obj->ino = ino;
	obj->fd = -1;
	obj->next = user->objects;
	user->objects = obj;
	return obj;
}

/*
 * Return a descriptor of the file, for the caller to close; -1 if it cannot be opened by this
 * process. By another it may be.
 */
static int object_fd(const struct object *obj, pid_t pid, const struct map *map)
{
	struct dt_mapping mapping = {.start = map->start,
				     .end = map->end,
				     .offset = map->offset,
				     .dev = obj->dev,
				     .ino = obj->ino,
				     .path = obj->path};

	return obj->fd != -1 ? fcntl(obj->fd, F_DUPFD_CLOEXEC, 0) : dt_mapping_open(pid, &mapping);
}

/* Keep the file of a running process open, unless its symbols are known. */
static void object_open(struct dt_user *user, struct object *obj, pid_t pid, const struct map *map)
{
	if (obj->fd != -1 || obj->tried || obj->ino == 0 || user->nopen == MAXOPEN)
		return;
	obj->fd = object_fd(obj, pid, map);
	user->nopen += obj->fd != -1;
}

struct reading {
	struct dt_user *user;
	struct user_proc *proc;
};

/* Add a mapping; a function for dt_mappings(). */
static int map_add(void *arg, const struct dt_mapping *map)
{
	struct reading *rd = arg;
	struct map *more = realloc(rd->proc->maps, (rd->proc->nmaps + 1) * sizeof(*more));

	if (!more)
		return 0;
	rd->proc->maps = more;
	more[rd->proc->nmaps].start = map->start;
	more[rd->proc->nmaps].end = map->end;
	more[rd->proc->nmaps].offset = map->offset;
	more[rd->proc->nmaps].object = object_get(rd->user, map->path, map->dev, map->ino);
	if (more[rd->proc->nmaps].object)
		rd->proc->nmaps++;
	return 0;
}

/* Return the mapping that contains an address, or NULL. */
static const struct map *map_find(const struct user_proc *proc, uint64_t addr)
{
	for (size_t i = 0; i < proc->nmaps; i++)
		if (proc->maps[i].start <= addr && addr < proc->maps[i].end)
			return &proc->maps[i];
	return NULL;
}

/* Add the mappings that were known before. Without memory they are lost. */
static void maps_keep(struct user_proc *now, const struct user_proc *proc)
{
	struct map *more = realloc(now->maps, (now->nmaps + proc->nmaps) * sizeof(*more));

	if (!more || proc->nmaps == 0)
		return;
	memcpy(more + now->nmaps, proc->maps, proc->nmaps * sizeof(*more));
	now->maps = more;
	now->nmaps += proc->nmaps;
}

/* Add the mappings of an ended process that events have reported. */
static void proc_ask(struct dt_user *user, struct user_proc *proc, struct reading *rd)
{
	proc->told = true;
	if (!dt_mapevents_each(user->events, proc->pid, map_add, rd) && rd->proc->nmaps > 0)
		maps_keep(rd->proc, proc);
}

/* Read the mappings again. If the process has ended, what was known stays. */
static void proc_read(struct dt_user *user, struct user_proc *proc)
{
	struct user_proc now = {.pid = proc->pid};
	struct reading rd = {user, &now};

	dt_mappings(proc->pid, map_add, &rd);
	for (size_t i = 0; i < now.nmaps; i++)
		object_open(user, now.maps[i].object, proc->pid, &now.maps[i]);
	if (now.nmaps > 0)
		proc->told = false;
	else if (user->events && !proc->told)
		proc_ask(user, proc, &rd);
	proc->when = dt_now();
	if (now.nmaps == 0) {
		free(now.maps);
		return;
	}
	free(proc->maps);
	proc->maps = now.maps;
	proc->nmaps = now.nmaps;
}

static void proc_free(struct user_proc *proc)
{
	free(proc->maps);
	free(proc);
}

/* Forget the least recently used process. */
static void procs_forget(struct dt_user *user)
{
	struct user_proc **at = &user->procs;

	while (*at && (*at)->next)
		at = &(*at)->next;
	if (!*at)
		return;
	proc_free(*at);
	*at = NULL;
	user->nprocs--;
}

/* Remove a process from the list, or make it if it is new. Return it, NULL without memory. */
static struct user_proc *proc_take(struct dt_user *user, pid_t pid)
{
	struct user_proc **at, *proc;

	for (at = &user->procs; (proc = *at); at = &proc->next)
		if (proc->pid == pid) {
			*at = proc->next;
			return proc;
		}
	if (user->nprocs == MAXPROCS)
		procs_forget(user);
	proc = calloc(1, sizeof(*proc));
	if (proc) {
		proc->pid = pid;
		user->nprocs++;
	}
	return proc;
}

/* Return the handle's part, made at the first call; NULL without memory. */
static struct dt_user *user_get(dtrace_hdl_t *dtp)
{
	if (!dtp->user)
		dtp->user = calloc(1, sizeof(*dtp->user));
	return dtp->user;
}

/* Return a process with mappings not older than age ns; NULL without memory. */
static struct user_proc *user_proc(dtrace_hdl_t *dtp, pid_t pid, uint64_t age)
{
	struct dt_user *user = user_get(dtp);
	struct user_proc *proc = user ? proc_take(user, pid) : NULL;

	if (!proc)
		return NULL;
	proc->next = user->procs;
	user->procs = proc;
	if (proc->when == 0 || dt_now() - proc->when >= age)
		proc_read(user, proc);
	return proc;
}

void dt_user_follow(dtrace_hdl_t *dtp)
{
	struct dt_user *user = user_get(dtp);

	if (user && !user->events)
		user->events = dt_mapevents_open(NULL, NULL);
}

void dt_user_child(dtrace_hdl_t *dtp, pid_t pid, pid_t parent)
{
	struct dt_user *user = user_get(dtp);

	if (user && user->events)
		dt_mapevents_fork(user->events, pid, parent);
}

void dt_user_know(dtrace_hdl_t *dtp, pid_t pid)
{
	struct dt_user *user = user_get(dtp);

	if (user && user->events)
		dt_mapevents_know(user->events, pid);
}

void dt_user_work(dtrace_hdl_t *dtp)
{
	struct dt_user *user = user_get(dtp);

	if (user && user->events)
		dt_mapevents_read(user->events);
}

void dt_user_refresh(dtrace_hdl_t *dtp, pid_t pid)
{
	user_proc(dtp, pid, 0);
}

/* Return the symbols of a file, read at the first call; NULL if there are none. */
static struct dt_symtab *object_symtab(struct object *obj, pid_t pid, const struct map *map)
{
	int fd = obj->tried ? -1 : object_fd(obj, pid, map);
	char path[DT_FDPATH];

	if (fd == -1)
		return obj->tab;
	obj->tried = true;
	obj->tab = dt_symtab_open(dt_fd_path(fd, path), obj->path);
	close(fd);
	return obj->tab;
}

/* Return the debug information of a file, read at the first call; NULL if there is none. */
static struct dt_source *object_source(struct object *obj, pid_t pid, const struct map *map)
{
	int fd = obj->sourced ? -1 : object_fd(obj, pid, map);
	char path[DT_FDPATH];

	if (fd == -1)
		return obj->source;
	obj->sourced = true;
	obj->source = dt_source_open(dt_fd_path(fd, path), obj->path);
	close(fd);
	return obj->source;
}

/* Return the mapping that contains an address of a process, NULL if none is known. */
static const struct map *user_map(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr)
{
	struct user_proc *proc = user_proc(dtp, pid, AGE);
	const struct map *map = proc ? map_find(proc, addr) : NULL;

	if (!map && proc)
		map = map_find(user_proc(dtp, pid, MISSAGE), addr);
	return map;
}

bool dt_user_symbol(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, const char **object,
		    const char **name, uint64_t *off)
{
	const struct map *map = user_map(dtp, pid, addr);
	struct dt_symtab *tab;

	if (!map)
		return false;
	tab = object_symtab(map->object, pid, map);
	*object = map->object->name;
	*name = tab ? dt_symtab_find(tab, addr - map->start + map->offset, off) : NULL;
	return true;
}

bool dt_user_lines(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, dt_line_f *func, void *ctx)
{
	const struct map *map = user_map(dtp, pid, addr);
	struct dt_symtab *tab = map ? object_symtab(map->object, pid, map) : NULL;
	struct dt_source *source = tab ? object_source(map->object, pid, map) : NULL;

	return source &&
	       dt_source_walk(source, dt_symtab_addr(tab, addr - map->start + map->offset), func,
			      ctx);
}

void dt_user_fini(struct dt_user *user)
{
	struct object *nextobj;
	struct user_proc *nextproc;

	if (!user)
		return;
	for (struct object *obj = user->objects; obj; obj = nextobj) {
		nextobj = obj->next;
		dt_symtab_close(obj->tab);
		dt_source_close(obj->source);
		if (obj->fd != -1)
			close(obj->fd);
		free(obj->path);
		free(obj->name);
		free(obj);
	}
	for (struct user_proc *proc = user->procs; proc; proc = nextproc) {
		nextproc = proc->next;
		proc_free(proc);
	}
	dt_mapevents_close(user->events);
	free(user);
}
