/* SPDX-License-Identifier: MIT */
/*
 * sites.c - code at the locations of a joined process: on where a probe is enabled, off elsewhere.
 * It also sets semaphores, and reports locations that could not have code.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../list.h"
#include "../process/procfs.h"
#include "golang.h"
#include "patch.h"
#include "traced.h"

/* A location of a process, by its index. */
struct traced_site {
	bool prepared, on, failed;
	bool raises; /* its semaphore: the first location that is on does */
	int error;   /* of the last attempt */
};

/* ---- failures ---- */

/* Note that a location has no code. A dt_patch_failed_f. */
static void site_failed(void *arg, uint32_t index, int error, const char *why)
{
	struct traced *t = arg;

	if (index >= t->nsites)
		return;
	t->sites[index].failed = true;
	t->sites[index].error = error;
	if (!t->nfailed++)
		snprintf(t->why_site, sizeof(t->why_site), "%s", why);
}

void traced_sites_complain(struct traced_session *session, struct traced *t)
{
	char text[sizeof(t->why_site) + 64];

	if (t->nfailed > 1)
		snprintf(text, sizeof(text), "%u sites cannot be traced; the first: %s", t->nfailed,
			 t->why_site);
	else
		snprintf(text, sizeof(text), "a site cannot be traced: %s", t->why_site);
	if (t->nfailed)
		traced_complain(session, t->pid, text);
	t->nfailed = 0;
}

/* Return the registration of a location's first site, or 0. */
static int site_registration(const struct traced *t, const struct usdt_location *location)
{
	for (const struct traced_dof *dof = t->dofs; dof; dof = dof->next)
		if (dof->dof && location->sites >= dof->dof->sites &&
		    location->sites < dof->dof->sites + dof->dof->nsites)
			return dof->number;
	return 0;
}

int traced_failures(struct traced_session *session, dtrace_ft_failures_t *failures)
{
	dtrace_ft_failure_t *list = (void *)(uintptr_t)failures->dtfl_list;
	uint32_t n = 0;

	for (const struct traced *t = session->processes; t; t = t->next)
		for (uint32_t i = 0; i < t->nsites; i++) {
			const struct usdt_location *location = t->usdt.locations[i];

			if (!location || !location->sites || !t->sites[i].failed)
				continue;
			if (n < failures->dtfl_capacity)
				list[n] = (dtrace_ft_failure_t){
					.dtfe_pid = t->pid,
					.dtfe_gen = site_registration(t, location),
					.dtfe_addr = location->addr,
					.dtfe_error = -t->sites[i].error};
			n++;
		}
	failures->dtfl_n = n;
	return 0;
}

/* ---- the table of patches in the region ---- */

/* A site's entry in the table of patches. */
struct traced_patch {
	uint64_t addr;
	uint32_t number; /* in the table */
};

/*
 * Return whether a patch is equal to the entry of a site that is on, so that the entry can stay
 * valid all the time.
 */
static bool patch_is_same(const struct agent_patch *a, const struct agent_patch *b)
{
	return a->addr == b->addr && memcmp(a->before, b->before, sizeof(a->before)) == 0 &&
	       memcmp(a->now, b->now, sizeof(a->now)) == 0 && a->size == b->size &&
	       a->stop == b->stop && a->depth == b->depth && a->sema == b->sema;
}

/* Return the entry of an address, and make one if there is none; NULL without space. */
static struct agent_patch *patch_get(struct traced *t, uint64_t addr)
{
	struct agent_patch *table = (void *)(t->region.mem + t->region.patches);
	size_t i = dt_list_until(t->patched, t->npatches, sizeof(*t->patched),
				 offsetof(struct traced_patch, addr), addr);
	struct traced_patch *more;

	if (i && t->patched[i - 1].addr == addr)
		return &table[t->patched[i - 1].number];
	more = t->npatches < AGENT_PATCHES_MAX
		       ? dt_list_grow(t->patched, t->npatches, sizeof(*more))
		       : NULL;
	if (!more)
		return NULL;
	t->patched = more;
	memmove(more + i + 1, more + i, (t->npatches - i) * sizeof(*more));
	more[i] = (struct traced_patch){.addr = addr, .number = t->npatches};
	return &table[t->npatches++];
}

/* Note how to undo a patch, for the agent. A dt_patch_note_f. */
static void patch_note(void *arg, const struct agent_patch *from)
{
	struct traced *t = arg;
	struct agent_head *head = (void *)t->region.mem;
	struct agent_patch *patch = patch_get(t, from->addr), none = *from;

	none.addr = 0;
	if (!patch) /* if one is missing, none may be undone */
		t->full = true;
	else if (!from->size)
		__atomic_store_n(&patch->addr, 0, __ATOMIC_RELEASE);
	else if (!patch_is_same(patch, from)) {
		__atomic_store_n(&patch->addr, 0, __ATOMIC_RELEASE);
		*patch = none;
		__atomic_store_n(&patch->addr, from->addr, __ATOMIC_RELEASE);
	}
	__atomic_store_n(&head->npatches, t->full ? 0 : t->npatches, __ATOMIC_RELEASE);
}

/* ---- locations ---- */

/* Make space for new locations. Return 0 or -ENOMEM. */
static int sites_grow(struct traced *t)
{
	struct traced_site *more;

	if (t->usdt.nlocations <= t->nsites)
		return 0;
	more = realloc(t->sites, t->usdt.nlocations * sizeof(*more));
	if (!more)
		return -ENOMEM;
	memset(more + t->nsites, 0, (t->usdt.nlocations - t->nsites) * sizeof(*more));
	t->sites = more;
	t->nsites = t->usdt.nlocations;
	return 0;
}

/* Return the code that contains a location; without an end if it is unknown. */
static struct traced_code site_code(const struct traced *t, const struct usdt_location *location)
{
	for (const struct traced_dof *dof = t->dofs; dof; dof = dof->next) {
		const struct traced_code *list = dof->codes.list;
		size_t i = dt_list_until(list, dof->codes.n, sizeof(*list),
					 offsetof(struct traced_code, start), location->addr);

		if (i && location->addr < list[i - 1].end)
			return list[i - 1];
	}
	return (struct traced_code){0};
}

/* Return whether a location should have code. */
static bool site_wanted(const struct traced *t, uint32_t i)
{
	return t->usdt.locations[i] && usdt_enabled(t->usdt.locations[i]);
}

/* Let hits run on stacks of the agent from now on if the process has got code of Go. */
static void stacks_choose(struct traced *t)
{
	struct agent_head *head = (void *)t->region.mem;

	if (!head->small_stacks && dt_golang(t->pid, t->memory))
		__atomic_store_n(&head->small_stacks, 1, __ATOMIC_RELAXED);
}

int traced_sites_prepare(struct traced *t, struct dt_remote *remote)
{
	struct dt_patch_site *list;
	uint32_t n = 0;
	int error = sites_grow(t);

	if (!error && !t->patches) {
		uint32_t *numbers = (void *)(t->region.mem + t->region.numbers);
		int memory = dup(t->memory);

		error = memory == -1 ? -errno
				     : dt_patch_open(t->pid, memory, t->entries.hit, numbers,
						     AGENT_NUMBERS_MAX, &t->patches);
	}
	list = error ? NULL : malloc((t->nsites + 1) * sizeof(*list));
	if (!list)
		return error ? error : -ENOMEM;
	for (uint32_t i = 0; i < t->nsites; i++) {
		const struct usdt_location *location = t->usdt.locations[i];
		struct traced_code code;

		if (!site_wanted(t, i) || t->sites[i].prepared)
			continue;
		code = site_code(t, location);
		list[n++] = (struct dt_patch_site){.pc = location->addr,
						   .index = i,
						   .end = code.end,
						   .spare = code.spare,
						   .enabled = location->isenabled,
						   .instruction = location->kind != USDT_STATIC};
	}
	if (n)
		stacks_choose(t);
	error = dt_patch_prepare(t->patches, remote, list, n, site_failed, t);
	for (uint32_t i = 0; !error && i < n; i++)
		t->sites[list[i].index].prepared = true;
	free(list);
	return error;
}

/* Switch the locations whose state differs from the wanted one. Return 0 or a negative errno. */
static int sites_set(struct traced *t, bool on, bool alone)
{
	uint32_t *list = malloc((t->nsites + 1) * sizeof(*list)), n = 0;
	int error = list ? 0 : -ENOMEM;

	for (uint32_t i = 0; !error && i < t->nsites; i++) {
		struct traced_site *site = &t->sites[i];

		if (!site->prepared || site->failed || site->on == on || site_wanted(t, i) != on)
			continue;
		list[n++] = i;
	}
	if (!error && (n || (on && t->patches && dt_patch_is_due(t->patches))))
		error = dt_patch_set(t->patches, list, n, on, alone, site_failed, patch_note, t);
	for (uint32_t i = 0; !error && i < n; i++)
		t->sites[list[i]].on = on && !t->sites[list[i]].failed;
	free(list);
	return error;
}

/* Return whether a location raises a semaphore. */
static bool semaphore_is_raised(const struct traced *t, uint64_t sema)
{
	for (uint32_t i = 0; i < t->nsites; i++)
		if (t->sites[i].raises && t->usdt.locations[i] &&
		    t->usdt.locations[i]->sema == sema)
			return true;
	return false;
}

/* Raise the semaphores of wanted locations, and lower all others. */
static void semaphores_set(struct traced *t)
{
	for (uint32_t i = 0; i < t->nsites; i++) {
		const struct usdt_location *location = t->usdt.locations[i];
		struct traced_site *site = &t->sites[i];
		bool wanted = site->on && site_wanted(t, i);

		if (!location || !location->sema || wanted == site->raises)
			continue;
		if (wanted && semaphore_is_raised(t, location->sema))
			continue; /* count a semaphore once: it has only 16 bits */
		if (dt_patch_semaphore(t->patches, i, wanted ? location->sema : 0, patch_note, t) ==
		    0)
			site->raises = wanted;
	}
}

void traced_sites_off(struct traced *t)
{
	if (t->patches)
		dt_patch_off(t->patches);
}

void traced_sites_restore(const struct traced *parent, pid_t child, int memory)
{
	if (parent->patches)
		dt_patch_forked(parent->patches, child, memory);
}

/* Return whether a process has one thread. */
static bool is_alone(pid_t pid)
{
	DIR *threads = dt_proc_list(pid);
	const bool alone = dt_proc_next(threads) && !dt_proc_next(threads);

	dt_proc_end(threads);
	return alone;
}

int traced_sites_switch(struct traced *t, bool constructing)
{
	bool alone = constructing && is_alone(t->pid);
	int error = sites_set(t, false, alone);

	if (!error)
		error = sites_set(t, true, alone);
	if (!error)
		semaphores_set(t);
	return error;
}

bool traced_sites_are_there(const struct traced *t, const struct usdt_dof *dof)
{
	for (uint32_t i = 0; i < dof->nsites; i++) {
		const uint32_t index = dof->sites[i].location->index;

		if (index < t->nsites && t->sites[index].on)
			return dt_patch_is_there(t->patches, index);
	}
	return true;
}

void traced_sites_forget_stop(struct traced *t, const struct usdt_location *location)
{
	if (location->sites || location->index >= t->nsites || !t->patches)
		return;
	dt_patch_forget(t->patches, &location->index, 1, patch_note, t);
	memset(&t->sites[location->index], 0, sizeof(t->sites[0]));
}

void traced_sites_forget(struct traced *t, const struct usdt_dof *dof)
{
	for (uint32_t i = 0; i < dof->nsites; i++) {
		const struct usdt_location *location = dof->sites[i].location;

		if (location->index >= t->nsites || !usdt_owns(dof, location))
			continue;
		dt_patch_forget(t->patches, &location->index, 1, patch_note, t);
		memset(&t->sites[location->index], 0, sizeof(t->sites[0]));
	}
}

void traced_sites_end(struct traced *t)
{
	if (t->patches)
		dt_patch_close(t->patches);
	t->patches = NULL;
	free(t->sites);
	free(t->patched);
	t->sites = NULL;
	t->patched = NULL;
	t->nsites = t->npatches = 0;
}
