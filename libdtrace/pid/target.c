/* SPDX-License-Identifier: MIT */
/*
 * target.c - processes with probes of the pid provider, and the files that they map later.
 *
 * When a dynamic linker has mapped new files, it calls a function of its own that debuggers know. A
 * stop point there stops the thread until the probes in these files are made, so that not even
 * constructors are missed. A process also stops when it executes another program. All processes are
 * looked at now and then as well, for code that is mapped in other ways.
 *
 * With option followfork the descendants of a process are followed too: each that executes a
 * program is a target with the descriptions of its root.
 */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "../process/memory.h"
#include "impl.h"

#define LOOK	   1000000000ULL /* ns between looks for new files */
#define STOP_MS	   5000		 /* longest stop of a thread */
#define SHARED	   0		 /* a stop point that belongs to the root */
#define BREAKPOINT 0xcc
#define PRUNE_FROM 64  /* number of descendants from which on ended ones are dropped */
#define MAXLIVING  512 /* descendants */

/* Add a target for a process. Return it, or NULL with errno. */
static struct pid_target *target_open(struct dt_pid *pd, pid_t pid)
{
	struct pid_target *tg = calloc(1, sizeof(*tg));

	if (!tg)
		return NULL;
	tg->pid = pid;
	tg->root = tg;
	tg->linker = tg->exec = -1;
	tg->fd = syscall(SYS_pidfd_open, pid, 0);
	if (tg->fd == -1) {
		free(tg);
		return NULL;
	}
	tg->next = pd->targets;
	pd->targets = tg;
	return tg;
}

struct pid_target *pid_target(struct dt_pid *pd, pid_t pid)
{
	for (struct pid_target *tg = pd->targets; tg; tg = tg->next)
		if (tg->pid == pid)
			return tg;
	return target_open(pd, pid);
}

/* Free a target. */
static void target_free(struct pid_target *tg)
{
	struct pid_pending *next;

	for (struct pid_pending *pending = tg->pending; pending; pending = next) {
		next = pending->next;
		free(pending);
	}
	pid_maps_free(&tg->seen);
	pid_maps_free(&tg->mapped);
	pid_maps_free(&tg->linkers);
	close(tg->fd);
	free(tg);
}

/* Remove a target, and free it. */
static void target_drop(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	struct pid_target **at = &pid_get(dtp)->targets;

	if (tg->linker > SHARED)
		dt_stop_end(dtp, tg->linker);
	while (*at != tg)
		at = &(*at)->next;
	*at = tg->next;
	target_free(tg);
}

bool pid_target_ended(struct pid_target *tg)
{
	struct pollfd pfd = {.fd = tg->fd, .events = POLLIN};

	tg->ended = tg->ended || poll(&pfd, 1, 0) == 1;
	return tg->ended;
}

/* ---- descendants ---- */

/* Remove a descendant that has ended. */
static void descendant_drop(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	target_drop(dtp, tg);
	pid_get(dtp)->nfollowed--;
}

/* Remove all descendants that have ended. */
static void descendants_prune(dtrace_hdl_t *dtp)
{
	struct pid_target *next;

	for (struct pid_target *tg = pid_get(dtp)->targets; tg; tg = next) {
		next = tg->next;
		if (tg->root != tg && pid_target_ended(tg))
			descendant_drop(dtp, tg);
	}
}

/* Add a descendant of a root. Return NULL if it has ended, or there are too many. */
static struct pid_target *descendant_add(dtrace_hdl_t *dtp, struct pid_target *root, pid_t pid)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_target *tg;

	if (pd->nfollowed >= PRUNE_FROM)
		descendants_prune(dtp);
	tg = pd->nfollowed < MAXLIVING ? target_open(pd, pid) : NULL;
	if (!tg)
		return NULL;
	pd->nfollowed++;
	tg->root = root;
	tg->begun = true;
	return tg;
}

/*
 * Return the target of a descendant, added if it is new. A target of the same number may be that of
 * a process that has ended.
 */
static struct pid_target *descendant_find(dtrace_hdl_t *dtp, struct pid_target *root, pid_t pid)
{
	struct pid_target *tg = pid_get(dtp)->targets;

	while (tg && tg->pid != pid)
		tg = tg->next;
	if (tg && tg->root != tg && pid_target_ended(tg)) {
		descendant_drop(dtp, tg);
		tg = NULL;
	}
	return tg ? tg : descendant_add(dtp, root, pid);
}

/*
 * Return the target of a process that has arrived at a stop point of root: root itself, or a
 * descendant. Return NULL if it has ended, or there are too many.
 */
static struct pid_target *descendant_stopped(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped,
					     struct pid_target *root)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_target *tg;

	pid_files_trim(pd);
	tg = descendant_find(dtp, root, stopped->dtfd_pid);
	if (!root->follows)
		return tg;
	pd->late += stopped->dtfd_missed + (stopped->dtfd_flags == 0);
	if ((stopped->dtfd_flags & DTRACE_STOP_STOPPED) != 0 && !tg)
		pd->late += kill(stopped->dtfd_pid, 0) == 0;
	return tg;
}

/* Tell the user how many programs ran before they were looked at. */
static void descendants_tell(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = pid_get(dtp);
	char message[128];

	if (pd->late == 0)
		return;
	snprintf(message, sizeof(message),
		 "%lu programs that were executed could not be stopped, and ran before they were "
		 "traced",
		 pd->late);
	pd->late = 0;
	pid_tell(dtp, 0, message);
}

/* ---- the dynamic linker ---- */

static bool target_linked(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg);

/* Return the function that a dynamic linker calls when it has mapped files, 0 if there is none. */
static uint64_t linker_breakpoint(const struct pid_object *obj)
{
	for (size_t i = 0; i < dt_symtab_count(obj->tab); i++) {
		const struct dt_function *func = dt_symtab_function(obj->tab, i);

		if (strcmp(func->name, "_dl_debug_state") == 0)
			return func->addr;
	}
	return 0;
}

/* Return whether a file may be a dynamic linker. */
static bool path_is_linker(const char *path)
{
	const char *base = basename(path);

	return fnmatch("ld-*.so*", base, 0) == 0 || fnmatch("ld.so*", base, 0) == 0 ||
	       fnmatch("libc.musl*", base, 0) == 0;
}

/*
 * Return whether a stop point of the root covers a linker in this process. With followed
 * descendants it covers all that map the linker later, but not one that mapped it shortly before.
 * Without the kernel module, each process has a stop point of its own.
 */
static bool linker_has_stop(dtrace_hdl_t *dtp, const struct pid_target *tg,
			    const struct pid_map *map, uint64_t address)
{
	uint8_t byte = 0;

	return dt_world_has_stop_points(dtp) && pid_maps_have(&tg->root->linkers, &map->map) &&
	       dt_memory_read(tg->pid, address, &byte, 1) && byte == BREAKPOINT;
}

/* Make a stop point in a linker. Return its number, SHARED or -1. */
static int linker_stop(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_map *map)
{
	struct pid_target *root = tg->root;
	struct mapped_object mapped;
	uint64_t addr;
	bool first;
	int point;

	if (!mapped_object_init(&mapped, pid_get(dtp), tg->pid, map))
		return -1;
	addr = linker_breakpoint(mapped.obj);
	if (addr == 0 || mapped_object_has_breakpoint(&mapped, addr))
		return -1;
	addr += mapped.bias;
	if (linker_has_stop(dtp, tg, map, addr))
		return SHARED;
	first = dt_world_has_stop_points(dtp) && root->follows &&
		!pid_maps_have(&root->linkers, &map->map);
	point = dt_stop_address(dtp, tg->pid, addr, first, STOP_MS, target_linked, root);
	if (point == -1 || !first)
		return point;
	pid_maps_add(&root->linkers, &map->map);
	return SHARED;
}

/* Make a stop point in the linker of a process, if it has one. */
static void target_stop_linker(dtrace_hdl_t *dtp, struct pid_target *tg,
			       const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n && tg->linker == -1; i++)
		if (path_is_linker(maps->maps[i].map.path))
			tg->linker = linker_stop(dtp, tg, &maps->maps[i]);
}

/* ---- new files ---- */

/* Return whether a process executes another program than before: nothing of it is known then. */
static bool maps_are_of_other(const struct pid_maps *seen, const struct pid_maps *maps)
{
	const struct pid_map *was = pid_maps_program(seen), *is = pid_maps_program(maps);

	return was && is &&
	       (was->map.ino != is->map.ino || was->map.dev != is->map.dev ||
		was->map.start != is->map.start);
}

/* Note all files as seen. */
static void maps_see(struct pid_maps *seen, const struct pid_maps *maps)
{
	snprintf(seen->program, sizeof(seen->program), "%s", maps->program);
	for (size_t i = 0; i < maps->n; i++)
		pid_maps_add(seen, &maps->maps[i].map);
}

/* Return whether there are files that have not been seen. */
static bool maps_have_new(const struct pid_maps *seen, const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (!pid_maps_have(seen, &maps->maps[i].map))
			return true;
	return false;
}

/* Return whether a file was not mapped at the last look: a dt_mapping_filter_f. */
static bool mapping_is_new(void *arg, const struct dt_mapping *map)
{
	const struct pid_target *tg = arg;

	return !pid_maps_have(&tg->mapped, map);
}

/*
 * Register the sites of files that a process has mapped since the last time. A file may be mapped
 * again.
 */
static void target_register(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps)
{
	if (maps_are_of_other(&tg->mapped, maps))
		pid_maps_free(&tg->mapped);
	if (maps_have_new(&tg->mapped, maps))
		dt_proc_register(dtp, tg->pid, mapping_is_new, tg);
	pid_maps_free(&tg->mapped);
	maps_see(&tg->mapped, maps);
}

/* Return whether a description may match new files. In another program all descriptions may. */
static bool pending_is_open(const struct pid_target *tg, const struct pid_pending *pending)
{
	return tg->begun ? strcmp(pending->desc.dtpd_func, "-") != 0 : pending->open;
}

/*
 * Make the probes of a description in the new files of a process. The user did not ask for a probe
 * in every program that a descendant executes, so only a lack of memory, or of permitted probes, is
 * reported there.
 */
static void pending_describe(dtrace_hdl_t *dtp, struct pid_target *tg,
			     const struct pid_pending *pending, struct pid_maps *maps)
{
	struct pid_outcome out = {.followed = tg->root != tg};
	struct dt_pid_error err;

	if (pid_maps_describe(dtp, tg->pid, maps, &tg->seen, &pending->desc, &out, &err) != 0 &&
	    (!out.followed || (err.fault == DT_PID_CREATE && !pid_target_ended(tg))))
		pid_tell(dtp, tg->pid, err.message);
	if (!out.followed)
		pid_skips_tell(dtp, &pending->desc, tg->pid, &out.skips);
	pid_skips_free(&out.skips);
}

/* Make the probes of all descriptions in the new files of a process. */
static void target_describe(dtrace_hdl_t *dtp, struct pid_target *tg, struct pid_maps *maps)
{
	for (const struct pid_pending *pending = tg->root->pending; pending;
	     pending = pending->next)
		if (pending_is_open(tg, pending))
			pending_describe(dtp, tg, pending, maps);
	maps_see(&tg->seen, maps); /* for good: their probes fire when they are mapped again */
	if (tg->root == tg)
		dt_pid_report_failed(dtp);
}

/*
 * Return whether a description may match files that are mapped later. a.out cannot: it is mapped
 * first.
 */
static bool target_is_open(const struct pid_target *tg)
{
	if (tg->root->registers && (tg->root->libraries || tg->begun))
		return true;
	for (const struct pid_pending *pending = tg->root->pending; pending;
	     pending = pending->next)
		if (pending_is_open(tg, pending) && strcmp(pending->desc.dtpd_mod, "a.out") != 0)
			return true;
	return false;
}

/* Forget what is known of a process that executes another program. */
static void target_begin(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	pid_maps_free(&tg->seen);
	pid_maps_free(&tg->mapped);
	if (tg->linker > SHARED)
		dt_stop_end(dtp, tg->linker);
	tg->linker = -1;
	tg->begun = true;
}

/*
 * Return whether the world has to know when a program has its C library: without the kernel module,
 * it follows execs by what it finds there.
 */
static bool target_needs_library(dtrace_hdl_t *dtp, const struct pid_target *tg)
{
	return tg->begun && !dt_world_has_stop_points(dtp);
}

/* Look for new files of a process, and make the probes in them. */
static void target_look(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	struct pid_maps maps = {0};

	if (pid_maps_read(&maps, tg->pid) && maps.n > 0) {
		if (maps_are_of_other(&tg->seen, &maps))
			target_begin(dtp, tg);
		if (tg->root->registers)
			target_register(dtp, tg, &maps);
		if (maps_have_new(&tg->seen, &maps))
			target_describe(dtp, tg, &maps);
		if (tg->linker == -1 && (target_is_open(tg) || target_needs_library(dtp, tg)))
			target_stop_linker(dtp, tg, &maps);
	}
	pid_maps_free(&maps);
}

/* ---- stopped threads ---- */

/* Handle a thread whose linker has mapped files: a dt_stopped_f. */
static bool target_linked(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg)
{
	struct pid_target *tg = descendant_stopped(dtp, stopped, arg);

	if (tg)
		target_look(dtp, tg);
	return false;
}

/* Handle an exec: a dt_stopped_f. */
static bool target_execs(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg)
{
	struct pid_target *tg = descendant_stopped(dtp, stopped, arg);

	if (!tg)
		return false;
	target_begin(dtp, tg);
	target_look(dtp, tg);
	return false;
}

/* Do nothing: a dt_stopped_f for a stop point at which nothing stops. */
static bool target_related(dtrace_hdl_t *dtp, const dtrace_stopped_t *stopped, void *arg)
{
	(void)dtp;
	(void)stopped;
	(void)arg;
	return false;
}

/*
 * Return whether a process has to be looked at now and then. A descendant need not if its linker
 * reports new files.
 */
static bool target_needs_look(struct pid_target *tg)
{
	return (tg->root->pending || tg->root->registers) && (tg->root == tg || tg->linker == -1) &&
	       !pid_target_ended(tg);
}

void dt_pid_follow(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = dtp->pid;

	if (!pd || dt_now() < pd->nextlook)
		return;
	pd->nextlook = dt_now() + LOOK;
	for (struct pid_target *tg = pd->targets; tg; tg = tg->next)
		if (target_needs_look(tg))
			target_look(dtp, tg);
	descendants_tell(dtp);
	pid_systemwide_follow(pd);
}

/* ---- descriptions ---- */

/* Make a stop point at the execs of a process. */
static void target_stop_execs(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	bool follow = dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1;

	if (tg->exec != -1)
		return;
	tg->exec = dt_stop_exec_of(dtp, tg->pid, follow, STOP_MS, target_execs, tg);
	tg->follows = follow && tg->exec != -1;
	tg->related |= tg->follows;
}

void pid_target_follow(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	if (!tg->related)
		tg->related = dt_stop_exec_of(dtp, tg->pid, true, 0, target_related, tg) != -1;
}

void pid_target_register(dtrace_hdl_t *dtp, struct pid_target *tg, bool libraries)
{
	struct pid_maps maps = {0};

	if (!pid_maps_read(&maps, tg->pid))
		return;
	if (!tg->registers)
		maps_see(&tg->mapped, &maps);
	tg->registers = true;
	tg->libraries |= libraries;
	target_stop_execs(dtp, tg);
	if (libraries && tg->linker == -1)
		target_stop_linker(dtp, tg, &maps);
	pid_maps_free(&maps);
}

bool pid_target_keep(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps,
		     const dtrace_probedesc_t *desc, bool open)
{
	struct pid_pending *pending = malloc(sizeof(*pending));

	if (!pending)
		return false;
	*pending = (struct pid_pending){tg->pending, *desc, open};
	tg->pending = pending;
	maps_see(&tg->seen, maps);
	target_stop_execs(dtp, tg);
	if (open && tg->linker == -1)
		target_stop_linker(dtp, tg, maps);
	return true;
}

/* ---- the end ---- */

void pid_targets_free(struct pid_target *targets)
{
	struct pid_target *next;

	for (; targets; targets = next) {
		next = targets->next;
		target_free(targets);
	}
}
