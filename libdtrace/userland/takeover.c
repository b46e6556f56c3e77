/* SPDX-License-Identifier: MIT */
/* takeover.c - removes and takes over what earlier sessions have left in a process. */
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../list.h"
#include "../process/mappings.h"
#include "../process/memory.h"
#include "image.h"
#include "patch.h"
#include "seize.h"
#include "takeover.h"

enum kind { KIND_IMAGE, KIND_REGION, KIND_CONTROL, KIND_VARIABLES, KINDS };

/* A mapping of a session. */
struct found {
	enum kind kind;
	uint64_t start, end;
	/* of a region */
	struct agent_head *head; /* a copy, not trusted; NULL: it could not be read */
	bool behind;		 /* an image is in front of it */
	bool same;		 /* the image is equal to that of this library */
	bool lives;		 /* its session has not ended */
	bool idle;		 /* no thread is within its session */
	struct agent_image entries;
};

struct takeover {
	struct dt_remote *remote;
	int memory;
	uint32_t leader;
	char *why;
	struct found *list; /* in order of addresses */
	size_t n;
	int error;
};

/* ---- mappings ---- */

/* Note a mapping of dtrace. A callback of dt_mappings_all(). */
static int mapping_note(void *arg, const struct dt_mapping *map)
{
	static const char *const names[KINDS] = {
		[KIND_IMAGE] = DT_IMAGE_NAME,
		[KIND_REGION] = DT_REGION_NAME,
		[KIND_CONTROL] = DT_CONTROL_NAME,
		[KIND_VARIABLES] = DT_VARIABLES_NAME,
	};
	static const char prefix[] = "/memfd:", suffix[] = " (deleted)";
	struct takeover *takeover = arg;
	struct found *more;
	size_t len;

	if (strncmp(map->path, prefix, sizeof(prefix) - 1) != 0)
		return 0;
	for (int kind = 0; kind < KINDS; kind++) {
		const char *rest = map->path + sizeof(prefix) - 1;

		len = strlen(names[kind]);
		if (strncmp(rest, names[kind], len) != 0 ||
		    (rest[len] && strcmp(rest + len, suffix) != 0))
			continue;
		more = dt_list_grow(takeover->list, takeover->n, sizeof(*more));
		if (!more)
			return takeover->error = -ENOMEM;
		takeover->list = more;
		more[takeover->n++] = (struct found){
			.kind = (enum kind)kind, .start = map->start, .end = map->end};
	}
	return 0;
}

static bool memory_read(const struct takeover *takeover, uint64_t addr, void *bytes, size_t n)
{
	return pread(takeover->memory, bytes, n, (off_t)addr) == (ssize_t)n;
}

/* Read the head of a region. Return 0 or -ENOMEM. */
static int region_read(const struct takeover *takeover, struct found *region)
{
	uint32_t leader;

	region->head = malloc(sizeof(*region->head));
	if (!region->head)
		return -ENOMEM;
	if (!memory_read(takeover, region->start, region->head, sizeof(*region->head))) {
		free(region->head);
		region->head = NULL;
		return 0;
	}
	region->lives = region->head->magic == AGENT_MAGIC &&
			memory_read(takeover, region->head->control, &leader, sizeof(leader)) &&
			leader == region->head->leader;
	return 0;
}

/* List the mappings of sessions in a process, with their heads. Return 0 or -ENOMEM. */
static int takeover_read(struct takeover *takeover, pid_t pid)
{
	dt_mappings_all(pid, mapping_note, takeover);
	for (size_t i = 0; i < takeover->n && !takeover->error; i++)
		if (takeover->list[i].kind == KIND_REGION)
			takeover->error = region_read(takeover, &takeover->list[i]);
	return takeover->error;
}

static void takeover_free(struct takeover *takeover)
{
	for (size_t i = 0; i < takeover->n; i++)
		free(takeover->list[i].head);
	free(takeover->list);
}

/*
 * Compare the image in front of the region in the i-th mapping with this library's image. Return 0
 * or a negative errno.
 */
static int image_compare(const struct takeover *takeover, size_t i)
{
	struct found *region = &takeover->list[i];
	const struct found *image = i ? region - 1 : NULL;
	size_t code, data;
	char *own, *there;
	int error = -ENOMEM;

	region->behind = image && image->kind == KIND_IMAGE && image->end == region->start;
	if (!region->behind || !region->head || !dt_image_sizes(&code, &data) ||
	    image->end - image->start != code)
		return 0;
	own = malloc(code);
	there = malloc(code);
	if (own && there)
		error = dt_image_copy(image->start, own, &region->entries);
	if (!error)
		region->same = memory_read(takeover, image->start, there, code) &&
			       memcmp(own, there, code) == 0;
	free(own);
	free(there);
	return error;
}

/* ---- patches ---- */

static bool patch_is_there(const struct takeover *takeover, const struct agent_patch *patch)
{
	uint8_t now[sizeof(patch->now)];

	return patch->addr && memory_read(takeover, patch->addr, now, sizeof(now)) &&
	       memcmp(now, patch->now, sizeof(now)) == 0;
}

/* Undo a patch if it is still there, and lower its semaphore. */
static void patch_undo(const struct takeover *takeover, const struct agent_patch *patch)
{
	if (patch->size <= sizeof(patch->before) && patch_is_there(takeover, patch) &&
	    pwrite(takeover->memory, patch->before, patch->size, (off_t)patch->addr) ==
		    patch->size &&
	    patch->sema)
		dt_patch_count(takeover->memory, patch->sema, -1);
}

/* Compare patches for qsort(): larger depths first. */
static int patch_compare(const void *a, const void *b)
{
	return ((const struct agent_patch *)b)->depth - ((const struct agent_patch *)a)->depth;
}

/* Return whether patches exist that can only be undone while threads are stopped. */
static bool patches_stop(const struct takeover *takeover, const struct agent_patch *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (list[i].stop && patch_is_there(takeover, &list[i]))
			return true;
	return false;
}

/*
 * List the patches of a session in the order in which agent.h requires that they are undone. Return
 * their number; 0 without memory too. The caller frees *list.
 */
static size_t patches_list(const struct takeover *takeover, const struct found *region,
			   struct agent_patch **list)
{
	const uint32_t told = region->head->npatches;
	const size_t n = told < AGENT_PATCHES_MAX ? told : AGENT_PATCHES_MAX;

	*list = n ? reallocarray(NULL, n, sizeof(**list)) : NULL;
	if (!*list || !memory_read(takeover, region->start + region->head->patches, *list,
				   n * sizeof(**list)))
		return 0;
	qsort(*list, n, sizeof(**list), patch_compare);
	return n;
}

/*
 * Undo the patches of an ended session. If a thread cannot be stopped, or without memory, the
 * patches stay.
 */
static void patches_undo(const struct takeover *takeover, const struct found *region)
{
	struct dt_seized *threads = NULL;
	struct agent_patch *list;
	const size_t n = patches_list(takeover, region, &list);
	char why[DT_WHYLEN];

	if (!patches_stop(takeover, list, n) ||
	    dt_seize_all(takeover->remote->pid, &threads, why) == 0)
		for (size_t i = 0; i < n; i++)
			patch_undo(takeover, &list[i]);
	if (threads)
		dt_seized_go(threads);
	free(list);
}

/* Undo the patches of a session in a copy of code. */
static void patches_hide(const struct takeover *takeover, const struct found *region,
			 uint64_t start, uint8_t *code, size_t n)
{
	struct agent_patch *list;
	const size_t npatches = patches_list(takeover, region, &list);

	for (size_t i = 0; i < npatches; i++) {
		const struct agent_patch *patch = &list[i];
		const uint64_t at = patch->addr - start;

		if (patch->addr >= start && n >= sizeof(patch->now) &&
		    at <= n - sizeof(patch->now) && patch->size <= sizeof(patch->before) &&
		    memcmp(code + at, patch->now, sizeof(patch->now)) == 0)
			memcpy(code + at, patch->before, patch->size);
	}
	free(list);
}

/* ---- the end of sessions ---- */

/*
 * Make the process leave an ended session. If the agent's code has been changed, the agent stays as
 * it is. Return 0; -EINPROGRESS if the caller will call again; or -ESRCH.
 */
static int region_end(const struct takeover *takeover, struct found *region,
		      enum dt_takeover_how how)
{
	int64_t result;
	int error;

	if (region->head->magic != AGENT_MAGIC) { /* the session has not begun */
		region->idle = true;
		return 0;
	}
	patches_undo(takeover, region);
	error = takeover->remote->ops->call(takeover->remote, region->entries.call, AGENT_END, 0,
					    &result);
	if (error)
		return error == -ESRCH ? error : 0;
	if (result == -EBUSY && how == DT_TAKEOVER_WAIT)
		return -EINPROGRESS;
	region->idle = result == 0;
	return 0;
}

/*
 * Handle a region by the state of its session. Return 0; -EBUSY with a reason if another session
 * traces the process by it; or another negative errno. A region of this session, which the process
 * has inherited and left, is no obstacle.
 */
static int region_look(const struct takeover *takeover, struct found *region,
		       enum dt_takeover_how how)
{
	if (!region->head)
		return 0;
	if (region->lives && region->head->leader != takeover->leader) {
		snprintf(takeover->why, DT_WHYLEN, "process %d is traced by another dtrace (%u)",
			 (int)takeover->remote->pid, region->head->leader);
		return -EBUSY;
	}
	if (region->lives)
		return 0;
	if (region->same && how != DT_TAKEOVER_LOOK)
		return region_end(takeover, region, how);
	if (region->head->magic == AGENT_MAGIC)
		patches_undo(takeover, region);
	return 0;
}

/* Return the mapping of a kind that begins at an address, or NULL. */
static const struct found *found_at(const struct takeover *takeover, enum kind kind, uint64_t start)
{
	for (size_t i = 0; i < takeover->n; i++)
		if (takeover->list[i].kind == kind && takeover->list[i].start == start)
			return &takeover->list[i];
	return NULL;
}

/* Return the largest region that no thread uses, or NULL. */
static const struct found *region_choose(const struct takeover *takeover)
{
	const struct found *best = NULL;

	for (size_t i = 0; i < takeover->n; i++) {
		const struct found *region = &takeover->list[i];

		if (!region->idle ||
		    (best && best->end - best->start >= region->end - region->start))
			continue;
		if (!region->head->control ||
		    found_at(takeover, KIND_CONTROL, region->head->control))
			best = region;
	}
	return best;
}

/* Return whether an agent in the process uses a mapping, or might use it. */
static bool is_used(const struct takeover *takeover, const struct found *found)
{
	for (size_t i = 0; i < takeover->n; i++) {
		const struct found *region = &takeover->list[i];

		if (region->kind != KIND_REGION || !region->behind)
			continue;
		if (!region->same || !region->head)
			return true; /* another version: its layout is unknown */
		if (found->kind == KIND_CONTROL && region->head->control == found->start)
			return true;
		if (found->kind == KIND_VARIABLES && !region->idle &&
		    region->head->variables == found->start)
			return true;
	}
	return false;
}

/*
 * Unmap the leftovers that no code refers to: an image or a region without the other, because
 * dtrace was killed between their mappings; variables of ended sessions; mappings that belong to no
 * region.
 */
static void rest_unmap(const struct takeover *takeover)
{
	for (size_t i = 0; i < takeover->n; i++) {
		const struct found *found = &takeover->list[i];
		bool used = true;

		switch (found->kind) {
		case KIND_IMAGE:
			used = i + 1 < takeover->n && found[1].kind == KIND_REGION &&
			       found[1].start == found->end;
			break;
		case KIND_REGION:
			used = found->behind;
			break;
		case KIND_CONTROL:
		case KIND_VARIABLES:
			used = is_used(takeover, found);
			break;
		case KINDS:
			break;
		}
		if (!used)
			takeover->remote->ops->unmap(takeover->remote, found->start,
						     found->end - found->start);
	}
}

int dt_takeover(struct dt_remote *remote, int memory, uint32_t leader, enum dt_takeover_how how,
		struct dt_old_agent *old, char *why)
{
	struct takeover takeover = {
		.remote = remote, .memory = memory, .leader = leader, .why = why};
	const struct found *region;
	int error;

	*old = (struct dt_old_agent){0};
	if (how != DT_TAKEOVER_LOOK && dt_seize_is_shared(remote->pid)) {
		if (how == DT_TAKEOVER_WAIT)
			return -EINPROGRESS;
		how = DT_TAKEOVER_LOOK;
	}
	error = takeover_read(&takeover, remote->pid);
	for (size_t i = 0; i < takeover.n && !error; i++)
		if (takeover.list[i].kind == KIND_REGION)
			error = image_compare(&takeover, i);
	for (size_t i = 0; i < takeover.n && !error; i++)
		error = region_look(&takeover, &takeover.list[i], how);
	region = error ? NULL : region_choose(&takeover);
	if (!error && how != DT_TAKEOVER_LOOK)
		rest_unmap(&takeover);
	if (region)
		*old = (struct dt_old_agent){
			.image = region[-1].start,
			.region = region->start,
			.size = region->end - region->start,
			.control = region->head->control,
			.own = region->head->own,
			.entries = region->entries,
		};
	takeover_free(&takeover);
	return error;
}

bool dt_takeover_code(pid_t pid, uint64_t start, uint8_t *code, size_t n)
{
	struct takeover takeover = {.memory = dt_memory_open(pid, O_RDONLY)};
	bool read = takeover.memory != -1 && memory_read(&takeover, start, code, n) &&
		    takeover_read(&takeover, pid) == 0;

	for (size_t i = 0; i < takeover.n && read; i++)
		if (takeover.list[i].head && takeover.list[i].head->magic == AGENT_MAGIC)
			patches_hide(&takeover, &takeover.list[i], start, code, n);
	takeover_free(&takeover);
	if (takeover.memory != -1)
		close(takeover.memory);
	return read;
}
