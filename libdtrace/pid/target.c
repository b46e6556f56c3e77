/* SPDX-License-Identifier: MIT */
/*
 * target.c - processes with probes of the pid provider, and the files that they map later. A
 * dynamic linker calls a function of its own for debuggers when it has mapped new files: the kernel
 * holds the thread there until their probes are made, so that not even constructors are missed; and a
 * process that executes another program before that begins. Who maps code in other ways is looked at
 * now and then. With option followfork the same is done for all that descend from a process; each of
 * those that executes a program is a target with the descriptions of its root.
 */
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "../process/memory.h"
#include "impl.h"

#define LOOK 1000000000ULL /* ns between looks for new files */
#define HOLD 5000	   /* ms for which a thread is held at most */
#define SHARED 0	   /* a watch that is not the target's alone */
#define BREAKPOINT 0xcc

struct pid_target *pid_target_open(struct dt_pid *pd, pid_t pid)
{
	struct pid_target *tg = calloc(1, sizeof(*tg));

	if (tg == NULL)
		return NULL;
	tg->pid = pid;
	tg->root = tg;
	tg->watch = tg->exec = -1;
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
	for (struct pid_target *tg = pd->targets; tg != NULL; tg = tg->next)
		if (tg->pid == pid)
			return tg;
	return pid_target_open(pd, pid);
}

static void target_free(struct pid_target *tg)
{
	struct pid_want *next;

	for (struct pid_want *want = tg->wants; want != NULL; want = next) {
		next = want->next;
		free(want);
	}
	pid_maps_free(&tg->seen);
	pid_maps_free(&tg->linkers);
	close(tg->fd);
	free(tg);
}

void pid_target_drop(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	struct pid_target **at = &pid_get(dtp)->targets;

	if (tg->watch > SHARED)
		dt_hold_end(dtp, tg->watch);
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

/* ---- the dynamic linker ---- */

static bool target_held(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg);

/* The function that a dynamic linker calls when it has mapped files; 0: the file has none. */
static uint64_t linker_breakpoint(const struct pid_object *obj)
{
	for (size_t i = 0; i < dt_symtab_count(obj->tab); i++) {
		const struct dt_function *func = dt_symtab_function(obj->tab, i);

		if (strcmp(func->name, "_dl_debug_state") == 0)
			return func->addr;
	}
	return 0;
}

static bool path_is_linker(const char *path)
{
	const char *base = basename(path);

	return fnmatch("ld-*.so*", base, 0) == 0 || fnmatch("ld.so*", base, 0) == 0 ||
	       fnmatch("libc.musl*", base, 0) == 0;
}

/*
 * Where a family is followed, one watch of a linker is for all members that map it later; it is not for
 * one that did so shortly before, while another's was looked at.
 */
static bool linker_is_watched(const struct pid_target *tg, const struct pid_map *map, uint64_t address)
{
	uint8_t byte = 0;

	return pid_maps_have(&tg->root->linkers, &map->map) &&
	       dt_memory_read(tg->pid, address, &byte, 1) && byte == BREAKPOINT;
}

static int linker_watch(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_map *map)
{
	struct pid_target *root = tg->root;
	struct pid_place place;
	uint64_t addr;
	bool first;
	int watch;

	if (!pid_place_init(&place, pid_get(dtp), tg->pid, map))
		return -1;
	addr = linker_breakpoint(place.obj);
	if (addr == 0 || pid_has_breakpoint(&place, addr))
		return -1;
	addr += place.bias;
	if (linker_is_watched(tg, map, addr))
		return SHARED;
	first = root->follows && !pid_maps_have(&root->linkers, &map->map);
	watch = dt_hold_address(dtp, tg->pid, addr, first, HOLD, target_held, root);
	if (watch == -1 || !first)
		return watch;
	pid_maps_add(&root->linkers, &map->map);
	return SHARED;
}

static void target_watch(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n && tg->watch == -1; i++)
		if (path_is_linker(maps->maps[i].map.path))
			tg->watch = linker_watch(dtp, tg, &maps->maps[i]);
}

/* ---- new files ---- */

/* Does the process execute another program than it did? Nothing of it has been looked at then. */
static bool target_executes_other(const struct pid_target *tg, const struct pid_maps *maps)
{
	const struct pid_map *was = pid_maps_program(&tg->seen), *is = pid_maps_program(maps);

	return was != NULL && is != NULL &&
	       (was->map.ino != is->map.ino || was->map.dev != is->map.dev ||
		was->map.start != is->map.start);
}

/* Files stay known when they are unmapped: their sites are there when they are mapped again. */
static void target_see(struct pid_target *tg, const struct pid_maps *maps)
{
	snprintf(tg->seen.program, sizeof(tg->seen.program), "%s", maps->program);
	for (size_t i = 0; i < maps->n; i++)
		pid_maps_add(&tg->seen, &maps->maps[i].map);
}

static bool maps_have_new(const struct pid_target *tg, const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (!pid_maps_have(&tg->seen, &maps->maps[i].map))
			return true;
	return false;
}

/* Can new files be meant by a description? Those of another program all can. */
static bool want_is_open(const struct pid_target *tg, const struct pid_want *want)
{
	return tg->begun ? strcmp(want->desc.dtpd_func, "-") != 0 : want->open;
}

/*
 * What cannot be in a program that a descendant executes is nothing that the user has asked for; only
 * that there is no room for what can.
 */
static void want_describe(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_want *want,
			  const struct pid_maps *maps)
{
	struct pid_outcome out = {.followed = tg->root != tg};
	struct dt_pid_error err;

	if (pid_maps_describe(dtp, tg->pid, maps, &tg->seen, &want->desc, &out, &err) != 0 &&
	    (!out.followed || (err.fault == DT_PID_CREATE && !pid_target_ended(tg))))
		pid_tell(dtp, tg->pid, err.text);
	if (!out.followed)
		pid_omissions_tell(dtp, &want->desc, tg->pid, &out.left);
	pid_omissions_free(&out.left);
}

static void target_describe(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps)
{
	for (const struct pid_want *want = tg->root->wants; want != NULL; want = want->next)
		if (want_is_open(tg, want))
			want_describe(dtp, tg, want, maps);
	target_see(tg, maps);
	if (tg->root == tg)
		dt_pid_refusals(dtp);
}

/* May there be more in files that are mapped later? a.out is what has been executed. */
static bool target_is_open(const struct pid_target *tg)
{
	for (const struct pid_want *want = tg->root->wants; want != NULL; want = want->next)
		if (want_is_open(tg, want) && strcmp(want->desc.dtpd_mod, "a.out") != 0)
			return true;
	return false;
}

/* Nothing is known of another program, and all that is wanted may be in what it maps. */
static void target_begin(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	pid_maps_free(&tg->seen);
	if (tg->watch > SHARED)
		dt_hold_end(dtp, tg->watch);
	tg->watch = -1;
	tg->begun = true;
}

static void target_look(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	struct pid_maps maps = {0};

	if (pid_maps_read(&maps, tg->pid) && maps.n > 0) {
		if (target_executes_other(tg, &maps))
			target_begin(dtp, tg);
		if (maps_have_new(tg, &maps))
			target_describe(dtp, tg, &maps);
		if (tg->watch == -1 && target_is_open(tg))
			target_watch(dtp, tg, &maps);
	}
	pid_maps_free(&maps);
}

/* ---- who is held ---- */

static bool target_held(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg)
{
	struct pid_target *tg = pid_family_find(dtp, held, arg);

	if (tg != NULL)
		target_look(dtp, tg);
	return false;
}

static bool target_execs(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg)
{
	struct pid_target *tg = pid_family_find(dtp, held, arg);

	if (tg == NULL)
		return false;
	target_begin(dtp, tg);
	target_look(dtp, tg);
	return false;
}

/* What is known of a family without that anybody of it is held. */
static bool target_unheld(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg)
{
	(void)dtp;
	(void)held;
	(void)arg;
	return false;
}

/* Who has a linker that tells of new files needs no look, if there may be many of them. */
static bool target_needs_look(struct pid_target *tg)
{
	return tg->root->wants != NULL && (tg->root == tg || tg->watch == -1) &&
	       !pid_target_ended(tg);
}

void dt_pid_follow(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = dtp->pid;

	if (pd == NULL || dt_now() < pd->nextlook)
		return;
	pd->nextlook = dt_now() + LOOK;
	for (struct pid_target *tg = pd->targets; tg != NULL; tg = tg->next)
		if (target_needs_look(tg))
			target_look(dtp, tg);
	pid_family_tell(dtp);
	pid_every_follow(pd);
}

/* ---- what is wanted ---- */

static void target_watch_execs(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	bool follow = dt_option(dtp, DTRACEOPT_FOLLOWFORK) == 1;

	if (tg->exec != -1)
		return;
	tg->exec = dt_hold_exec_of(dtp, tg->pid, follow, HOLD, target_execs, tg);
	tg->follows = follow && tg->exec != -1;
	tg->related |= tg->follows;
}

void pid_target_follow(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	if (!tg->related)
		tg->related = dt_hold_exec_of(dtp, tg->pid, true, 0, target_unheld, tg) != -1;
}

bool pid_target_keep(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps,
		     const dtrace_probedesc_t *desc, bool open)
{
	struct pid_want *want = malloc(sizeof(*want));

	if (want == NULL)
		return false;
	*want = (struct pid_want){tg->wants, *desc, open};
	tg->wants = want;
	target_see(tg, maps);
	target_watch_execs(dtp, tg);
	if (open && tg->watch == -1)
		target_watch(dtp, tg, maps);
	return true;
}

/* ---- the end ---- */

void pid_targets_free(struct pid_target *targets)
{
	struct pid_target *next;

	for (; targets != NULL; targets = next) {
		next = targets->next;
		target_free(targets);
	}
}
