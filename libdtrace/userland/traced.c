/* SPDX-License-Identifier: MIT */
/* traced.c - processes and their registrations. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include "../list.h"
#include "../process/mappings.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "access.h"
#include "door.h"
#include "door_remote.h"
#include "enabling.h"
#include "helper_text.h"
#include "inject.h"
#include "memfile.h"
#include "seize.h"
#include "space.h"
#include "state.h"
#include "tick.h"
#include "traced.h"

/* ---- processes ---- */

struct traced *traced_by_pid(struct traced_session *session, pid_t pid)
{
	for (struct traced *t = session->processes; t; t = t->next)
		if (t->pid == pid && !t->ended)
			return t;
	return NULL;
}

int traced_allowed(const struct traced_session *session, pid_t pid)
{
	uid_t owner;
	int error = dt_proc_owner(pid, &owner);

	if (error)
		return error;
	return session->uid == 0 || (owner == session->uid && !dt_proc_hides(pid)) ? 0 : -EPERM;
}

/* A search in the mappings of a process for the process whose region it has. */
struct agent_search {
	const struct traced_session *session;
	struct traced *found;
};

/*
 * Find a region. A callback of dt_mappings_all(). A forked child has the regions of all its
 * ancestors; the newest mapping is its parent's.
 */
static int region_found(void *arg, const struct dt_mapping *map)
{
	struct agent_search *search = arg;

	for (struct traced *t = search->session->processes; t && t != search->found; t = t->next)
		if (t->joined && map->dev == t->region_dev && map->ino == t->region_ino)
			search->found = t;
	return 0;
}

struct traced *traced_parent(const struct traced_session *session, pid_t pid)
{
	struct agent_search search = {.session = session};

	dt_mappings_all(pid, region_found, &search);
	return search.found;
}

void traced_ancestors(const struct traced *t, pid_t pid, uint32_t ancestors[USDT_ANCESTORS])
{
	const bool child = pid != t->pid;

	if (child)
		ancestors[0] = (uint32_t)t->pid;
	memcpy(ancestors + child, t->usdt.ancestors, (USDT_ANCESTORS - child) * sizeof(*ancestors));
}

/* Note the ancestors of a process. from: its parent, as far as known. */
static void ancestors_note(struct traced *t, const struct traced *from)
{
	uint32_t n = 0;
	pid_t pid = t->pid;

	if (from) {
		traced_ancestors(from, t->pid, t->usdt.ancestors);
		return;
	}
	while (n < USDT_ANCESTORS && (pid = (pid_t)dt_proc_stat(pid, DT_PROC_PARENT)) > 1)
		t->usdt.ancestors[n++] = (uint32_t)pid;
}

static void dof_free(struct traced_dof *dof)
{
	free(dof->codes.list);
	free(dof->bytes);
	free(dof);
}

/*
 * Copy a DOF that a process has for a forked child, which knows it by the same number. Return NULL
 * without memory.
 */
static struct traced_dof *dof_fork(const struct traced_dof *dof)
{
	struct traced_dof *copy = malloc(sizeof(*copy));
	void *bytes = malloc(dof->size);

	if (!copy || !bytes) {
		free(copy);
		free(bytes);
		return NULL;
	}
	*copy = *dof;
	copy->bytes = memcpy(bytes, dof->bytes, dof->size);
	copy->codes = (struct traced_codes){0};
	copy->at = (struct traced_file_at){0};
	copy->dof = NULL;
	copy->in_agent = -1;
	return copy;
}

/* Give a process a DOF, as the last one. */
static void dof_append(struct traced_session *session, struct traced *t, struct traced_dof *dof)
{
	struct traced_dof **at = &t->dofs;

	while (*at)
		at = &(*at)->next;
	dof->next = NULL;
	dof->number = session->next_number++;
	*at = dof;
}

static int dof_add(struct traced *t, struct traced_dof *dof, char *why, size_t len);

/* Give a forked child copies of its parent's DOF. Without memory, some are missing. */
static void dofs_inherit(struct traced_session *session, struct traced *t,
			 const struct traced *from)
{
	for (const struct traced_dof *dof = from->dofs; dof; dof = dof->next) {
		struct traced_dof *copy = dof_fork(dof);

		if (copy && dof_add(t, copy, t->why, sizeof(t->why)) == 0)
			dof_append(session, t, copy);
		else if (copy)
			dof_free(copy);
	}
	usdt_match(&t->usdt);
}

/* Note that a process has executed another program: it gets another struct traced. */
static void traced_executed(struct traced *t)
{
	t->ended = true;
	t->region.children = false;
}

int traced_get(struct traced_session *session, pid_t pid, struct traced **out)
{
	struct traced *t = traced_by_pid(session, pid);
	const struct traced *from;
	uint64_t image = dt_proc_stat(pid, DT_PROC_STACK);
	int error;

	if (t && t->image != image) {
		traced_executed(t);
		t = NULL;
	}
	error = t ? 0 : traced_allowed(session, pid);
	if (error)
		return error;
	*out = t;
	if (t)
		return 0;
	t = calloc(1, sizeof(*t));
	if (!t)
		return -ENOMEM;
	t->pidfd = (int)syscall(SYS_pidfd_open, pid, 0);
	if (t->pidfd == -1) {
		error = -errno;
		free(t);
		return error == -EINVAL ? -ESRCH : error;
	}
	t->pid = pid;
	t->image = image;
	t->region.fd = t->memory = -1;
	usdt_init(&t->usdt, (uintptr_t)t, (uint32_t)pid, session->uid);
	from = traced_parent(session, pid);
	ancestors_note(t, from);
	t->next = session->processes;
	session->processes = t;
	traced_execs_begin(session, t, from);
	if (from && from->region.children)
		dofs_inherit(session, t, from);
	*out = t;
	return 0;
}

/* Forget a process that the agent has left. */
static void traced_free(struct traced_session *session, struct traced *t)
{
	struct traced_dof *next;

	for (struct traced **at = &session->processes; *at; at = &(*at)->next)
		if (*at == t) {
			*at = t->next;
			break;
		}
	usdt_fini(&t->usdt);
	traced_stops_free(t);
	for (struct traced_dof *dof = t->dofs; dof; dof = next) {
		next = dof->next;
		dof_free(dof);
	}
	close(t->pidfd);
	free(t->searched);
	free(t->maps);
	free(t);
}

/* ---- registrations ---- */

/* A search in the mappings of a process for the file at the first site of a DOF. */
struct file_search {
	uint64_t addr;
	struct traced_dof *dof;
	bool name, file; /* what the DOF lacks: the name of its module, the file of its probes */
};

/* Replace the characters of a module's name that are not valid in names. */
static void module_clean(char *mod)
{
	for (char *c = mod; *c; c++)
		if (*c == ' ' || *c == ':' || dtrace_is_control(c))
			*c = '_';
}

/* Name a module after a file. */
static void module_name(char mod[DTRACE_HELPER_MODLEN], const char *file)
{
	const char *base = strrchr(file, '/');
	char path[DT_MAPPATH];

	snprintf(path, sizeof(path), "%s", base ? base + 1 : file);
	dt_path_undelete(path);
	snprintf(mod, DTRACE_HELPER_MODLEN, "%.*s", DTRACE_HELPER_MODLEN - 1, path);
	module_clean(mod);
}

/* Note for a DOF what it lacks of the file at its first site. A callback of dt_mappings_all(). */
static int file_found(void *arg, const struct dt_mapping *map)
{
	const struct file_search *search = arg;
	struct traced_dof *dof = search->dof;

	if (search->addr < map->start || search->addr >= map->end)
		return 0;
	if (search->name && map->executable && *map->path)
		module_name(dof->mod, map->path);
	if (search->file)
		dof->at = (struct traced_file_at){.addr = search->addr,
						  .dev = map->dev,
						  .ino = map->ino,
						  .offset = map->offset +
							    (search->addr - map->start)};
	return 1;
}

/* Return the address of the first site of a DOF, 0 if it has none. */
static uint64_t first_site(const struct dtrace_helper_dof *helper)
{
	for (uint32_t i = 0; i < helper->nproviders; i++)
		for (uint32_t j = 0; j < helper->providers[i].nprobes; j++)
			if (helper->providers[i].probes[j].nsites)
				return helper->providers[i].probes[j].sites[0].addr;
	return 0;
}

/*
 * Name the module of a DOF that does not name it, and note the file of probes that the process does
 * not remove itself.
 */
static void dof_find_file(const struct traced *t, struct traced_dof *dof,
			  const struct dtrace_helper_dof *helper)
{
	struct file_search search = {.addr = first_site(helper),
				     .dof = dof,
				     .name = !*dof->mod,
				     .file = !dof->instance && !dof->at.addr};

	if (search.addr && (search.name || search.file))
		dt_mappings_all(t->pid, file_found, &search);
}

/* Copy a DOF. *out is set on success. Return 0 or a negative errno. */
static int dof_copy(const dtrace_ft_register_t *reg, struct traced_dof **out)
{
	const dof_hdr_t *header = (const void *)(uintptr_t)reg->dtfr_helper.dofhp_dof;
	struct traced_dof *dof;

	if (header->dofh_loadsz < sizeof(*header))
		return -EINVAL;
	if (header->dofh_loadsz > DTRACE_HELPER_MAXSIZE)
		return -E2BIG;
	dof = calloc(1, sizeof(*dof));
	if (!dof)
		return -ENOMEM;
	dof->size = header->dofh_loadsz;
	dof->bytes = malloc(dof->size);
	if (!dof->bytes) {
		free(dof);
		return -ENOMEM;
	}
	memcpy(dof->bytes, header, dof->size);
	dof->user = reg->dtfr_dof;
	dof->base = reg->dtfr_helper.dofhp_addr;
	dof->flags = reg->dtfr_flags;
	dof->in_agent = -1;
	memcpy(dof->mod, reg->dtfr_helper.dofhp_mod, sizeof(dof->mod));
	dof->mod[sizeof(dof->mod) - 1] = '\0';
	module_clean(dof->mod);
	*out = dof;
	return 0;
}

/* Return whether the same file is mapped there, as code. */
static bool file_is_at(const struct dt_space *space, const struct traced_file_at *at)
{
	const struct dt_range *range = dt_space_at(space, at->addr);

	return range && range->executable && range->dev == at->dev && range->ino == at->ino &&
	       range->offset + (at->addr - range->start) == at->offset;
}

/*
 * Return 0 if a process may have one more DOF, or -ENOSPC with a reason. Pid probes are the
 * session's.
 */
static int limits_check(const struct traced *t, const struct traced_dof *dof,
			const struct dtrace_helper_dof *helper, char *why, size_t len)
{
	uint32_t n = 0, helpers = 0;
	uint64_t sites = helper->nsites, bytes = helper->bytes;

	if (dof->flags & DTRACE_FT_PID)
		return 0;
	for (const struct traced_dof *other = t->dofs; other; other = other->next) {
		if (!other->dof || other->flags & DTRACE_FT_PID)
			continue;
		n++;
		sites += other->dof->nsites;
		bytes += other->dof->helper->bytes;
		if (other->dof->helper->program)
			helpers++;
	}
	if (helper->program && helpers >= DTRACE_UHELP_MAXHELPERS)
		snprintf(why, len, "the process has %u registrations with helpers already",
			 helpers);
	else if (n >= DTRACE_HELPER_MAXREGS)
		snprintf(why, len, "the process has %u registrations already", n);
	else if (sites > DTRACE_HELPER_MAXSITES)
		snprintf(why, len, "the process would have more than %u sites",
			 DTRACE_HELPER_MAXSITES);
	else if (bytes > DTRACE_HELPER_MAXBYTES)
		snprintf(why, len, "the probes of the process would take more than %llu bytes",
			 (unsigned long long)DTRACE_HELPER_MAXBYTES);
	else
		return 0;
	return -ENOSPC;
}

/* Make the probes of a DOF in the engine of dtrace. Return 0 or a negative errno, with a reason. */
static int dof_add(struct traced *t, struct traced_dof *dof, char *why, size_t len)
{
	void *scratch = malloc(dof->size); /* relocation changes it */
	struct dtrace_helper_dof *helper;
	int error;

	if (!scratch)
		return -ENOMEM;
	memcpy(scratch, dof->bytes, dof->size);
	error = dtrace_helper_parse(scratch, dof->size, dof->user, dof->base, UINT64_MAX, &helper,
				    why, len);
	free(scratch);
	if (error)
		return error;
	if (!(dof->flags & DTRACE_FT_PID))
		error = dtrace_helper_check_names(helper, why, len);
	if (!error)
		error = limits_check(t, dof, helper, why, len);
	if (error) {
		dtrace_helper_free(helper);
		return error;
	}
	dof_find_file(t, dof, helper);
	if (helper->program)
		dof->ntexts = dt_helper_text(t->pid, dof->user, dof->texts);
	return usdt_add(&t->usdt, helper, dof->mod, traced_dof_flags(dof), NULL, &dof->dof, why,
			len);
}

/* Return whether a process has a probe that is enabled, or a stop point. */
static bool traced_wanted(const struct traced *t)
{
	for (uint32_t i = 0; i < t->usdt.nlocations; i++)
		if (t->usdt.locations[i] && usdt_enabled(t->usdt.locations[i]))
			return true;
	return false;
}

#define JOIN_ATTEMPTS 100
/* ns for which a process is let go again and again, and between that */
#define JOIN_PATIENCE 2000000000
#define JOIN_PAUSE    10000000

/*
 * Join a process by ptrace. If it is still doing work for a killed dtrace, let it run, and try
 * again. Return 0 and set *remote, or a negative errno with a reason in t->why.
 */
static int traced_join_running(struct traced_session *session, struct traced *t,
			       struct dt_remote **remote)
{
	const struct timespec pause = {.tv_nsec = JOIN_PAUSE};
	const uint64_t end = port_timestamp() + JOIN_PATIENCE;

	for (;;) {
		int error = dt_inject_begin(t->pid, remote, t->why);

		if (error)
			return error;
		error = traced_join(session, t, *remote,
				    port_timestamp() < end ? DT_TAKEOVER_WAIT : DT_TAKEOVER_LAST);
		if (!error)
			return 0;
		(*remote)->ops->end(*remote);
		*remote = NULL;
		if (error != -EINPROGRESS)
			return error;
		nanosleep(&pause, NULL);
	}
}

/*
 * Bring a process up to date with its probes and stop points while the session traces. dof: it is
 * new, or NULL. stops: some are new. remote: its start-up object, or NULL: it waits there, or is
 * stopped by ptrace. On an error the reason is in t->why.
 */
static int traced_update(struct traced_session *session, struct traced *t, struct traced_dof *dof,
			 bool stops, struct dt_remote *remote)
{
	struct dt_remote *own = NULL;
	int error = 0;

	if (!session->going || (!t->joined && !traced_wanted(t)))
		return 0;
	/* The engine attaches no clause any more, but the agent would. */
	if (port_read_once(&session->state->activity) >= DTRACE_ACTIVITY_DRAINING)
		return 0;
	if (!remote)
		remote = traced_waiting(session, t->pid);
	if (!remote && !t->joined) {
		error = traced_join_running(session, t, &own);
		dof = NULL;
		stops = false;
	} else if (!remote) {
		error = dt_inject_begin(t->pid, &own, t->why);
	} else if (!t->joined) {
		error = traced_join(session, t, remote, DT_TAKEOVER_LOOK);
		dof = NULL;
		stops = false;
	}
	if (own)
		remote = own;
	if (!error && dof)
		error = traced_join_dof(session, t, remote, dof);
	if (!error && stops)
		error = traced_stops_join(t, remote, false);
	if (!error && stops)
		error = traced_sites_prepare(t, remote);
	if (own)
		own->ops->end(own);
	if (!error && t->joined)
		error = traced_sites_switch(t, remote != own);
	if (t->joined)
		traced_sites_complain(session, t);
	return error;
}

int traced_update_stops(struct traced_session *session, struct traced *t)
{
	return traced_update(session, t, NULL, true, NULL);
}

/* A comparison of functions by their start for qsort(). */
static int code_compare(const void *a, const void *b)
{
	const struct traced_code *one = a, *two = b;

	return one->start < two->start ? -1 : one->start > two->start;
}

/* Return a DOF that a process has registered itself; NULL if the session does not have it. */
static struct traced_dof *dof_find(const struct traced *t, uint64_t user, uint64_t instance,
				   int instance_number)
{
	struct traced_dof *dof = t ? t->dofs : NULL;

	while (dof && (dof->user != user || dof->instance != instance ||
		       dof->instance_number != instance_number))
		dof = dof->next;
	return dof;
}

/*
 * Do as traced_register(), also for a process that registers itself. instance, instance_number: see
 * join.h; 0 if dtrace registers. remote: by which the process is at work for dtrace, or NULL.
 */
static int register_from(struct traced_session *session, const dtrace_ft_register_t *reg,
			 uint64_t instance, int instance_number, struct dt_remote *remote)
{
	char *why = (char *)(uintptr_t)reg->dtfr_errmsg, none[1], reason[DT_WHYLEN];
	size_t len = reg->dtfr_errlen;
	struct traced_dof *dof = NULL;
	struct traced *t;
	int error;

	if (!why || !len) {
		why = none;
		len = sizeof(none);
	}
	*why = '\0';
	error = traced_get(session, reg->dtfr_pid, &t);
	if (error == -EMFILE || error == -ENFILE) {
		dt_why_errno(reason, error, "its probes cannot be registered");
		snprintf(why, len, "%s", reason);
	}
	if (!error && instance)
		dof = dof_find(t, reg->dtfr_dof, instance, instance_number);
	if (dof)
		return dof->number;
	if (!error)
		error = dof_copy(reg, &dof);
	if (error)
		return error;
	dof->instance = instance;
	dof->instance_number = instance_number;
	if (dof->flags & DTRACE_FT_PID && session->codes.n) {
		dof->codes = session->codes;
		session->codes = (struct traced_codes){0};
		qsort(dof->codes.list, dof->codes.n, sizeof(*dof->codes.list), code_compare);
	}
	error = dof_add(t, dof, why, len);
	if (!error && !instance && !(dof->flags & DTRACE_FT_PID) &&
	    usdt_is_duplicate(&t->usdt, dof->dof)) {
		usdt_remove(&t->usdt, dof->dof);
		error = -EALREADY;
	}
	if (error) {
		dof_free(dof);
		return error;
	}
	dof_append(session, t, dof);
	usdt_match(&t->usdt);
	error = traced_update(session, t, dof, false, remote);
	if (error)
		snprintf(why, len, "%s", t->why);
	return error ? error : dof->number;
}

static void codes_forget(struct traced_session *session)
{
	free(session->codes.list);
	session->codes = (struct traced_codes){0};
}

void traced_code(struct traced_session *session, uint64_t addr, uint64_t size, uint64_t spare)
{
	struct traced_codes *codes = &session->codes;
	struct traced_code *more;

	if (!size) {
		codes_forget(session);
		return;
	}
	more = dt_list_grow(codes->list, codes->n, sizeof(*more));
	if (!more)
		return;
	codes->list = more;
	more[codes->n++] = (struct traced_code){addr, addr + size, spare};
}

static void met_pid(struct traced_session *session, pid_t pid)
{
	struct traced *t = traced_by_pid(session, pid);

	if (t)
		traced_met(session, t);
}

int traced_register(struct traced_session *session, const dtrace_ft_register_t *reg)
{
	int number = register_from(session, reg, 0, 0, NULL);

	met_pid(session, reg->dtfr_pid);
	return number;
}

void traced_register_kept(struct traced_session *session, const dtrace_ft_register_t *reg,
			  uint64_t instance, int number)
{
	register_from(session, reg, instance, number, NULL);
	traced_has_kept(session, reg->dtfr_pid, reg->dtfr_dof, instance, number);
}

bool traced_has_kept(struct traced_session *session, pid_t pid, uint64_t user, uint64_t instance,
		     int number)
{
	struct traced_dof *dof = dof_find(traced_by_pid(session, pid), user, instance, number);

	if (dof)
		dof->scan = session->nscans;
	return dof;
}

/* ---- complaints ---- */

/* Note a message about a process. Without memory it is lost. */
void traced_complain(struct traced_session *session, pid_t pid, const char *message)
{
	struct traced_complaint *c = malloc(sizeof(*c) + strlen(message) + 1),
				**at = &session->complaints;

	if (!c)
		return;
	c->next = NULL;
	c->pid = pid;
	strcpy(c->message, message);
	while (*at)
		at = &(*at)->next;
	*at = c;
}

struct traced_complaint *traced_complaint(struct traced_session *session)
{
	struct traced_complaint *c = session->complaints;

	if (c)
		session->complaints = c->next;
	return c;
}

/*
 * Note why a process cannot be traced, unless the user has been told, or the process has ended and
 * no description names it.
 */
static void complain_once(struct traced_session *session, pid_t pid, const char *message)
{
	struct traced *t = traced_by_pid(session, pid);

	if (t && strcmp(t->told, message) == 0)
		return;
	if (t && traced_has_ended(t) && !traced_is_named(session, pid))
		return;
	if (t)
		snprintf(t->told, sizeof(t->told), "%s", message);
	traced_complain(session, pid, message);
}

/* ---- files that are unmapped, and mapped again ---- */

/* Take the probes of a DOF from a process and its agent. */
static void dof_suspend(struct traced *t, struct traced_dof *dof, struct dt_remote *remote)
{
	if (t->joined && !t->ended)
		traced_leave_dof(t, remote, dof);
	dof->in_agent = -1;
	usdt_remove(&t->usdt, dof->dof);
	dof->dof = NULL;
}

static void dof_look(struct traced_session *session, struct traced *t, struct traced_dof *dof,
		     const struct dt_space *space)
{
	const bool mapped = file_is_at(space, &dof->at);
	struct dt_remote *remote = NULL;
	int error = 0;

	if (dof->dof && (!mapped || !traced_sites_are_there(t, dof->dof))) {
		if (dt_inject_begin(t->pid, &remote, t->why) != 0)
			return;
		dof_suspend(t, dof, remote);
		remote->ops->end(remote);
	}
	if (dof->dof || !mapped)
		return;
	error = dof_add(t, dof, t->why, sizeof(t->why));
	if (error)
		dof->dof = NULL;
	else
		usdt_match(&t->usdt);
	if (!error)
		error = traced_update(session, t, dof, false, NULL);
	if (error)
		complain_once(session, t->pid, t->why);
}

void traced_files_look(struct traced_session *session, struct traced *t)
{
	struct dt_space space = {0};
	struct traced_dof *dof;

	if (dt_space_read(&space, t->pid) != 0)
		return;
	for (struct traced_dof **at = &t->dofs; (dof = *at);) {
		if (dof->at.addr)
			dof_look(session, t, dof, &space);
		if (dof->dof || dof->flags & DTRACE_FT_PID) {
			at = &dof->next;
			continue;
		}
		*at = dof->next;
		dof_free(dof);
	}
	dt_space_free(&space);
	if (t->execs && traced_calls_look(t) && traced_update_stops(session, t) != 0)
		complain_once(session, t->pid, t->why);
}

/* Take a DOF from a process and its agent. */
static void dof_remove(struct traced *t, struct traced_dof **at, struct dt_remote *remote)
{
	struct traced_dof *dof = *at;

	if (dof->dof)
		dof_suspend(t, dof, remote);
	*at = dof->next;
	dof_free(dof);
}

int traced_remove(struct traced_session *session, const dtrace_ft_remove_t *remove)
{
	struct traced *t = traced_by_pid(session, remove->dtfm_pid);
	struct dt_remote *remote = NULL;

	for (struct traced_dof **at = t ? &t->dofs : NULL; at && *at; at = &(*at)->next) {
		if ((*at)->number != remove->dtfm_gen)
			continue;
		if (t->joined && dt_inject_begin(t->pid, &remote, t->why) != 0)
			remote = NULL;
		dof_remove(t, at, remote);
		if (remote)
			remote->ops->end(remote);
		return 0;
	}
	return -ENOENT;
}

/* Return the number of a registration that the process kept in an earlier scan only, or 0. */
static int dof_stale(struct traced_session *session, pid_t pid)
{
	const struct traced *t = traced_by_pid(session, pid);

	for (const struct traced_dof *dof = t ? t->dofs : NULL; dof; dof = dof->next)
		if (dof->scan && dof->scan != session->nscans)
			return dof->number;
	return 0;
}

void traced_sweep_kept(struct traced_session *session, pid_t pid)
{
	dtrace_ft_remove_t remove = {.dtfm_pid = pid};

	while ((remove.dtfm_gen = dof_stale(session, pid)))
		traced_remove(session, &remove);
}

int traced_count(struct traced_session *session, dtrace_ft_count_t *count)
{
	const struct traced *t = traced_by_pid(session, count->dtfc_pid);
	int error = t ? 0 : traced_allowed(session, count->dtfc_pid);

	if (error)
		return error;
	count->dtfc_registrations = count->dtfc_sites = 0;
	for (const struct traced_dof *dof = t ? t->dofs : NULL; dof; dof = dof->next) {
		if (!dof->dof || dof->flags & DTRACE_FT_PID)
			continue;
		count->dtfc_registrations++;
		count->dtfc_sites += dof->dof->nsites;
	}
	return 0;
}

/* ---- the session ---- */

/*
 * Take the lock by which the agents see that dtrace lives. When dtrace's thread dies, the kernel
 * marks the lock. Return 0 or an errno.
 */
static int leader_begin(pthread_mutex_t *leader)
{
	pthread_mutexattr_t attr;
	int error;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setpshared(&attr, PTHREAD_PROCESS_SHARED);
	pthread_mutexattr_setrobust(&attr, PTHREAD_MUTEX_ROBUST);
	error = pthread_mutex_init(leader, &attr);
	pthread_mutexattr_destroy(&attr);
	return error ? error : pthread_mutex_lock(leader);
}

#define CONTROL_SIZE 4096 /* the page of struct agent_control */

int traced_open(struct traced_session *session, dtrace_state_t *state)
{
	int fd, error;

	*session = (struct traced_session){.state = state,
					   .control_fd = -1,
					   .variables = {.state = state, .fd = -1},
					   .next_number = 1,
					   .uid = geteuid(),
					   .tick = dt_tick(),
					   .ncpus = port_ncpus()};
	session->records = calloc(session->ncpus, sizeof(*session->records));
	session->aggs = calloc(session->ncpus, sizeof(*session->aggs));
	if (!session->records || !session->aggs)
		return -ENOMEM;
	for (uint32_t i = 0; i < session->ncpus; i++)
		session->records[i].complete = session->aggs[i].complete = UINT64_MAX;
	fd = dt_memfile_sealable(DT_CONTROL_NAME, CONTROL_SIZE);
	if (fd < 0)
		return fd;
	session->control_fd = fd;
	session->leader = mmap(NULL, CONTROL_SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (session->leader == MAP_FAILED) {
		session->leader = NULL;
		return -errno;
	}
	error = dt_memfile_keep(fd);
	return error ? error : -leader_begin(session->leader);
}

/*
 * Restore the code of forked children that have not been joined. The code of their parents has been
 * restored, so that later children have none.
 */
static void children_restore(struct traced_session *session)
{
	const uint64_t begin = dt_proc_stat(getpid(), DT_PROC_START);
	DIR *processes = session->processes ? dt_proc_list(0) : NULL;
	pid_t pid;

	while ((pid = dt_proc_next(processes))) {
		const struct traced *child = traced_by_pid(session, pid), *parent = NULL;
		int memory;

		if (dt_proc_stat(pid, DT_PROC_START) >= begin && !(child && child->joined))
			parent = traced_parent(session, pid);
		memory = parent ? dt_memory_open(pid, O_RDWR) : -1;
		if (memory == -1)
			continue;
		traced_sites_restore(parent, pid, memory);
		close(memory);
	}
	dt_proc_end(processes);
}

void traced_close(struct traced_session *session)
{
	struct traced_program *next;
	struct traced_complaint *c;

	for (struct traced *t = session->processes; t; t = t->next)
		traced_sites_off(t);
	children_restore(session);
	if (session->leader) /* agents undo sites that are still on */
		pthread_mutex_unlock(session->leader);
	if (session->door)
		dt_door_close(session->door);
	while (session->processes) {
		traced_leave(session->processes);
		traced_free(session, session->processes);
	}
	traced_await_fini(session);
	traced_exec_fini(session);
	traced_execs_fini(session);
	codes_forget(session);
	while ((c = traced_complaint(session)))
		free(c);
	for (struct traced_program *p = session->programs; p; p = next) {
		next = p->next;
		free(p->dof);
		free(p);
	}
	for (uint32_t i = 0; i < session->ncpus; i++) {
		free(session->records ? session->records[i].data : NULL);
		free(session->aggs ? session->aggs[i].data : NULL);
	}
	traced_scan_fini(session);
	traced_unwind_fini(session);
	free(session->records);
	free(session->aggs);
	if (session->leader)
		munmap(session->leader, CONTROL_SIZE);
	if (session->control_fd != -1)
		close(session->control_fd);
}

/* Return whether a program of the session can call exit(). */
static bool session_exits(const struct traced_session *session)
{
	struct link *l;

	link_for_each(l, &session->state->enablings) {
		const struct enabling *en = link_entry(l, struct enabling, link);

		for (uint32_t i = 0; i < en->nclauses; i++)
			for (uint32_t k = 0; k < en->clauses[i].body->nacts; k++)
				if (en->clauses[i].body->acts[k].kind == DTRACEACT_EXIT)
					return true;
	}
	return false;
}

int traced_program(struct traced_session *session, const void *dof)
{
	size_t size = ((const dof_hdr_t *)dof)->dofh_loadsz;
	struct traced_program *program = calloc(1, sizeof(*program)), **at = &session->programs;

	if (program)
		program->dof = malloc(size);
	if (!program || !program->dof) {
		free(program);
		return -ENOMEM;
	}
	memcpy(program->dof, dof, size);
	program->size = size;
	session->exits = session_exits(session);
	while (*at)
		at = &(*at)->next;
	*at = program;
	return 0;
}

/* ---- programs at the door ---- */

/* Register a DOF of a program at the door. Print no message if the program has ended. */
static void visitor_register(struct traced_session *session, struct dt_visitor *visitor,
			     const struct dt_visitor_item *item)
{
	char why[256] = "";
	dtrace_ft_register_t reg = {
		.dtfr_pid = visitor->pid,
		.dtfr_dof = item->helper.dofhp_dof,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = sizeof(why),
		.dtfr_helper = item->helper,
	};
	int rv;

	reg.dtfr_helper.dofhp_dof = (uintptr_t)item->dof;
	rv = register_from(session, &reg, visitor->instance, item->number, visitor->remote);
	if (rv < 0 && (*why || rv != -ESRCH))
		complain_once(session, visitor->pid, *why ? why : strerror(-rv));
}

/* Remove a registration that a program has ended. */
static void visitor_remove(struct traced_session *session, struct dt_visitor *visitor,
			   const struct dt_visitor_item *item)
{
	struct traced *t = traced_by_pid(session, visitor->pid);

	for (struct traced_dof **at = t ? &t->dofs : NULL; at && *at; at = &(*at)->next)
		if ((*at)->instance == visitor->instance &&
		    (*at)->instance_number == item->number) {
			dof_remove(t, at, visitor->remote);
			return;
		}
}

/*
 * Join the process of a visitor. If it is a forked child that uses its parent's agent, it gets one
 * of its own, because its probes may now differ from its parent's.
 */
static void visitor_begin(struct traced_session *session, struct dt_visitor *visitor)
{
	struct traced *t;

	if (traced_get(session, visitor->pid, &t) == 0 && !t->joined &&
	    traced_update(session, t, NULL, false, visitor->remote) != 0)
		complain_once(session, t->pid, t->why);
}

/*
 * Carry out the requests of a program at the door, then let it go on, unless a stop point waits for
 * it. Before tracing begins, other programs are let go at once. A program that has not waited may
 * have become another one meanwhile: it is looked at anew, like programs that dtrace finds.
 */
static void visitor_serve(struct traced_session *session, struct dt_visitor *visitor)
{
	struct traced_wait *wait = traced_wait_for(session, visitor);

	if (!wait && !session->going) {
		dt_visitor_free(visitor, ECANCELED);
		return;
	}
	if (!wait && dt_door_remote_left(visitor->remote)) {
		traced_scan_process(session, visitor->pid);
		dt_visitor_free(visitor, 0);
		return;
	}
	visitor_begin(session, visitor);
	for (size_t i = 0; i < visitor->nitems; i++) {
		if (visitor->items[i].dof)
			visitor_register(session, visitor, &visitor->items[i]);
		else
			visitor_remove(session, visitor, &visitor->items[i]);
	}
	met_pid(session, visitor->pid);
	if (wait)
		traced_wait_keep(wait, visitor);
	else
		visitor->remote->ops->end(visitor->remote);
	visitor->remote = NULL;
	dt_visitor_free(visitor, 0);
}

int traced_fd(const struct traced_session *session)
{
	return session->door ? dt_door_fd(session->door) : -1;
}

int traced_door_open(struct traced_session *session)
{
	char why[256], text[320];
	int error = session->door ? 0 : dt_door_open(&session->door, why, sizeof(why));

	if (error) {
		snprintf(text, sizeof(text), "programs that start later are not seen: %s", why);
		traced_complain(session, getpid(), text);
	}
	return error;
}

/* Return whether a process has ended. A zombie has ended. */
static bool has_ended(const struct traced *t)
{
	struct pollfd pfd = {.fd = t->pidfd, .events = POLLIN};

	return poll(&pfd, 1, 0) == 1;
}

bool traced_has_ended(const struct traced *t)
{
	return t->ended || has_ended(t) || dt_proc_stat(t->pid, DT_PROC_STACK) != t->image;
}

/* Scan the processes that have executed another program since their probes were registered. */
static void executed_scan(struct traced_session *session)
{
	for (struct traced *t = session->processes; t; t = t->next)
		if (!t->ended && !has_ended(t) && traced_has_ended(t)) {
			traced_executed(t);
			traced_scan_process(session, t->pid);
		}
}

int traced_prepare(struct traced_session *session)
{
	int result = 0;

	traced_door_open(session);
	traced_scan_again(session);
	executed_scan(session);
	session->going = true;
	for (struct traced *t = session->processes; t; t = t->next) {
		int error = t->ended ? 0 : traced_update(session, t, NULL, false, NULL);

		traced_met(session, t);
		if (!error)
			continue;
		complain_once(session, t->pid, t->why);
		if (error != -ESRCH && !t->joined && traced_is_named(session, t->pid))
			result = error;
	}
	return result;
}

/* ---- the end of processes ---- */

/* ns between checks of the children of an ended process, doubled each time */
#define LOOK_FIRST 1000000
#define LOOK_LAST  1000000000

/*
 * Return whether an ended process can be freed: all records of it and of its forked children are
 * collected.
 */
static bool ended_is_taken(struct traced_session *session, struct traced *t)
{
	uint64_t now = port_timestamp();

	if (!t->joined)
		return true;
	if (now < t->look)
		return false;
	if (!traced_region_leave(t)) {
		t->pause = t->pause ? t->pause * 2 : LOOK_FIRST;
		if (t->pause > LOOK_LAST)
			t->pause = LOOK_LAST;
		t->look = now + t->pause;
		return false;
	}
	traced_collect_last(session, t);
	traced_leave(t);
	return true;
}

/* Free the processes that have ended. */
static void ended_work(struct traced_session *session)
{
	struct traced *next;

	for (struct traced *t = session->processes; t; t = next) {
		next = t->next;
		t->ended = t->ended || has_ended(t);
		if (t->ended && ended_is_taken(session, t))
			traced_free(session, t);
	}
}

/* Free ended processes first: programs at the door may need their descriptors. */
void traced_work(struct traced_session *session)
{
	struct dt_visitor *visitor;

	dt_seize_reap();
	ended_work(session);
	traced_exec_work(session);
	while (session->door && (visitor = dt_door_accept(session->door))) {
		visitor_serve(session, visitor);
		ended_work(session);
	}
}
