/* SPDX-License-Identifier: MIT */
/* patch_switch.c - write the bytes of sites that are switched on or off. (patch.c) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "access.h"
#include "patch_impl.h"
#include "sigframe.h"

#define READS 3 /* of the bytes of a site, while they are neither on nor off */

/* Return whether the code of a site is still mapped, from the same file. */
static bool site_is_there(const struct dt_space *space, const struct site *site)
{
	const struct dt_range *range = dt_space_at(space, site->pc);

	return range && range->executable && range->dev == site->dev && range->ino == site->ino &&
	       (!range->ino || range->offset + (site->pc - range->start) == site->offset);
}

int patch_site_write(int mem, const struct failed *failed, const struct site *site, bool on)
{
	const uint8_t *new = on ? site->on_bytes : site->off_bytes;
	const uint8_t *old = on ? site->off_bytes : site->on_bytes;
	uint8_t bytes[SPAN_MAX];
	int error = 0;

	/* The agent undoes sites that a session has left. If that happens now, read again. */
	for (int i = 0; i < READS; i++) {
		error = patch_read(mem, site->at, bytes, site->span);
		if (error == -EIO) {
			patch_unmapped(failed, site);
			return -ENOENT;
		}
		if (error)
			break;
		if (memcmp(bytes, new, on ? site->span : site->size) == 0)
			return 0;
		if (memcmp(bytes, old, site->span) == 0)
			break;
		error = -EBUSY;
	}
	if (!error)
		error = patch_write(mem, site->at, new, site->size);
	if (!error && site->sema)
		dt_patch_count(mem, site->sema, on ? 1 : -1);
	if (error == -EBUSY)
		patch_fail(failed, site->index, error,
			   "the code of the site at 0x%llx has been changed by another tracer",
			   (unsigned long long)site->pc);
	else if (error)
		patch_fail(failed, site->index, error, "the site at 0x%llx cannot be written: %s",
			   (unsigned long long)site->pc, strerror(-error));
	return error;
}

/* Switch a site, unless that fails. */
static void site_switch(struct dt_patches *patches, const struct failed *failed, struct site *site,
			bool on)
{
	if (patch_site_write(patches->mem, failed, site, on) == 0)
		site->on = on;
}

/* Sites that are being switched. */
struct due {
	struct site **list;
	size_t n;
	bool stop;   /* threads must be stopped */
	bool splits; /* a jump replaces several instructions */
};

/* The threads of a process, stopped, and signal frames that lead into future jumps. */
struct stopped_threads {
	struct dt_seized *threads;
	struct dt_sigframes frames;
};

/* Return whether an address is within a site's jump of five bytes, and not its beginning. */
static bool is_within(const struct site *site, uint64_t ip)
{
	return site->state == SITE_FIVE_BYTES && ip > site->at && ip < site->at + JUMP_SIZE;
}

/* Return whether an address is within a future jump. A callback of dt_sigframes_find(). */
static bool due_splits_at(const void *arg, uint64_t ip)
{
	const struct due *due = arg;

	for (size_t i = 0; i < due->n; i++)
		if (is_within(due->list[i], ip))
			return true;
	return false;
}

/* Find the signal frames of the stopped threads that lead into future jumps. */
static int stopped_find(const struct dt_patches *patches, const struct due *due,
			struct stopped_threads *stopped)
{
	struct dt_space space = {0};
	int error = dt_space_read(&space, patches->pid);

	for (size_t i = 0; !error && i < dt_seized_count(stopped->threads); i++)
		error = dt_sigframes_find(patches->mem, &space, dt_seized_sp(stopped->threads, i),
					  due_splits_at, due, &stopped->frames);
	dt_space_free(&space);
	return error;
}

/*
 * Stop the threads to switch sites on or off. Return 0; or a negative errno, with the reason in
 * why[DT_WHYLEN].
 */
static int stopped_begin(const struct dt_patches *patches, const struct due *due, bool on,
			 struct stopped_threads *stopped, char *why)
{
	int error = dt_seize_all(patches->pid, &stopped->threads, why);

	if (error || !on || !due->splits)
		return error;
	error = stopped_find(patches, due, stopped);
	if (error == -ESRCH)
		return dt_why(why, error, "process %d has ended", patches->pid);
	if (error == -E2BIG)
		return dt_why(why, error, "its stacks have too many signal frames to search");
	return error ? dt_why_errno(why, error, "its stacks cannot be searched") : 0;
}

static void stopped_end(struct stopped_threads *stopped)
{
	if (stopped->threads)
		dt_seized_go(stopped->threads);
	dt_sigframes_free(&stopped->frames);
}

/*
 * Move threads that are within the bytes of a future jump to its trampoline, and change the signal
 * frames that return there. Return 0 or a negative errno.
 */
static int stopped_move(const struct dt_patches *patches, struct stopped_threads *stopped,
			const struct site *site)
{
	const uint64_t to = site->back ? site->back : site->trampoline + TRAMPOLINE_HIT;
	const struct dt_sigframes *frames = &stopped->frames;
	int error = 0;

	for (size_t i = 0; i < dt_seized_count(stopped->threads); i++)
		if (is_within(site, dt_seized_ip(stopped->threads, i)))
			dt_seized_move(stopped->threads, i, to);
	for (size_t i = 0; !error && i < frames->n; i++)
		if (is_within(site, frames->list[i].ip))
			error = patch_write(patches->mem, frames->list[i].at, &to, sizeof(to));
	return error;
}

/* Return whether a site has to be switched. A site whose code is not mapped any more is off. */
static bool site_is_due(const struct failed *failed, const struct dt_space *space,
			struct site *site, bool on)
{
	if (!site || site->state == SITE_NEW || site->on == on)
		return false;
	if (site_is_there(space, site))
		return true;
	site->on = false;
	if (on)
		patch_unmapped(failed, site);
	return false;
}

static void due_add(struct due *due, struct site *site)
{
	site->listed = true;
	due->list[due->n++] = site;
	due->stop |= site->size > 1;
	due->splits |= site->state == SITE_FIVE_BYTES;
}

/* Add the sites to switch on: those of n that are off, and their supporting sites. */
static void due_on(struct dt_patches *patches, const struct failed *failed,
		   const struct dt_space *space, struct site **sites, size_t n, struct due *due)
{
	for (size_t i = 0; i < n; i++) {
		if (sites[i])
			sites[i]->kept = false;
		if (sites[i] && !sites[i]->listed && site_is_due(failed, space, sites[i], true))
			due_add(due, sites[i]);
	}
	for (size_t i = 0; i < patches->n; i++) {
		struct site *site = patches->list[i];

		if (site->resume && !site->listed && site_is_due(failed, space, site, true))
			due_add(due, site);
		site->resume = false;
	}
	for (size_t i = 0; i < due->n; i++)
		for (size_t k = patch_sites_until(patches, due->list[i]->at + 2 * AROUND);
		     k-- > 0;) {
			struct site *other = patches->list[k];

			if (other->pc + 2 * AROUND <= due->list[i]->at)
				break;
			if (other->listed || other->forgotten ||
			    !patch_supports(other, due->list[i]) ||
			    !site_is_due(failed, space, other, true))
				continue;
			other->kept = true;
			due_add(due, other);
		}
}

/* Return whether a site supports a site that is on, and is not in the list, unless all is true. */
static bool site_is_needed(const struct dt_patches *patches, const struct site *site, bool all)
{
	for (size_t k = patch_sites_until(patches, site->at); k-- > 0;) {
		const struct site *other = patches->list[k];

		if (other->pc + AROUND <= site->at)
			break;
		if (other->on && (all || !other->listed) && patch_supports(site, other))
			return true;
	}
	return false;
}

/* Return whether all sites that support a site are on. */
static bool site_is_supported(const struct dt_patches *patches, const struct site *site)
{
	for (size_t k = patch_sites_until(patches, site->at + 2 * AROUND); k-- > 0;) {
		const struct site *other = patches->list[k];

		if (other->pc + 2 * AROUND <= site->at)
			break;
		if (!other->on && !other->forgotten && patch_supports(other, site))
			return false;
	}
	return true;
}

/* Add the sites to switch off: those of n that are on and support no other site. */
static void due_off(struct dt_patches *patches, const struct failed *failed,
		    const struct dt_space *space, struct site **sites, size_t n, struct due *due)
{
	size_t left;

	for (size_t i = 0; i < n; i++)
		if (sites[i] && !sites[i]->listed && site_is_due(failed, space, sites[i], false))
			due_add(due, sites[i]);
	/* Supporting sites that are no longer needed. */
	for (size_t i = 0; i < patches->n; i++)
		if (patches->list[i]->kept && !patches->list[i]->listed &&
		    site_is_due(failed, space, patches->list[i], false))
			due_add(due, patches->list[i]);
	do {
		left = due->n;
		due->n = 0;
		for (size_t i = 0; i < left; i++) {
			struct site *site = due->list[i];

			site->kept = site_is_needed(patches, site, false);
			site->listed = !site->kept;
			if (site->listed)
				due->list[due->n++] = site;
		}
	} while (due->n < left);
}

/* Compare sites by address, for qsort(). */
static int site_compare(const void *a, const void *b)
{
	const struct site *one = *(struct site *const *)a, *two = *(struct site *const *)b;

	return one->at < two->at ? -1 : one->at > two->at;
}

/*
 * Switch sites: on from the highest address down, since sites are supported by those behind them;
 * off in the other direction. If a site cannot be switched, those that depend on it stay as they
 * are: half of a chain would be a jump to nowhere.
 */
static void due_switch(struct dt_patches *patches, const struct failed *failed,
		       const struct due *due, bool on, bool alone)
{
	struct stopped_threads stopped = {0};
	char why[DT_WHYLEN];
	int error = due->stop && !alone ? stopped_begin(patches, due, on, &stopped, why) : 0;

	qsort(due->list, due->n, sizeof(struct site *), site_compare);
	for (size_t i = 0; i < due->n; i++) {
		struct site *site = due->list[on ? due->n - 1 - i : i];
		int moved = 0;

		if (site->size > 1 && error) {
			site->kept = !on;
			patch_fail(failed, site->index, error, "%s", why);
			continue;
		}
		if (on ? !site_is_supported(patches, site) : site_is_needed(patches, site, true)) {
			site->kept = !on;
			if (on)
				patch_fail(failed, site->index, error ? error : -EBUSY,
					   "a site behind 0x%llx cannot be written%s%s",
					   (unsigned long long)site->pc, error ? ": " : "",
					   error ? why : "");
			continue;
		}
		if (stopped.threads && on && site->state == SITE_FIVE_BYTES)
			moved = stopped_move(patches, &stopped, site);
		if (moved)
			patch_fail(failed, site->index, moved,
				   "a signal frame that leads to 0x%llx cannot be written: %s",
				   (unsigned long long)site->pc, strerror(-moved));
		else
			site_switch(patches, failed, site, on);
	}
	stopped_end(&stopped);
}

/* Return whether some sites are on whose file is not mapped there any more. */
static bool due_lost(const struct due *due, const struct dt_space *space)
{
	for (size_t i = 0; i < due->n; i++)
		if (due->list[i]->on && !site_is_there(space, due->list[i]))
			return true;
	return false;
}

/*
 * The process may have unmapped a file while its sites were switched, and may have mapped another
 * one there with the same bytes, which was patched then. Take such patches back, while no thread
 * runs.
 */
static void due_check(struct dt_patches *patches, const struct failed *failed,
		      const struct due *due, bool on)
{
	const struct failed nobody = {0};
	struct dt_seized *threads = NULL;
	struct dt_space space = {0};
	char why[DT_WHYLEN];
	bool lost = dt_space_read(&space, patches->pid) == 0 && due_lost(due, &space);

	if (lost && dt_seize_all(patches->pid, &threads, why) == 0 &&
	    dt_space_read(&space, patches->pid) == 0)
		for (size_t i = 0; i < due->n; i++) {
			struct site *site = due->list[i];

			if (!site->on || site_is_there(&space, site))
				continue;
			patch_site_write(patches->mem, &nobody, site, false);
			site->on = false;
			if (on)
				patch_unmapped(failed, site);
		}
	if (threads)
		dt_seized_go(threads);
	dt_space_free(&space);
}

/* Return whether a site is on, and can be undone by one byte, as can all sites that it supports. */
static bool site_is_single(const struct dt_patches *patches, const struct site *site)
{
	if (!site->on || site->size != 1)
		return false;
	for (size_t k = patch_sites_until(patches, site->at); k-- > 0;) {
		const struct site *other = patches->list[k];

		if (other->pc + AROUND <= site->at)
			break;
		if (other->on && !other->single && patch_supports(site, other))
			return false;
	}
	return true;
}

void patch_site_note(const struct site *site, const struct noted *noted)
{
	struct agent_patch patch = {.addr = site->at,
				    .size = site->on ? site->size : 0,
				    .stop = !site->single,
				    .depth = site->depth,
				    .sema = site->sema};

	memcpy(patch.before, site->off_bytes, sizeof(patch.before));
	memcpy(patch.now, site->on_bytes, sizeof(patch.now));
	if (noted->func)
		noted->func(noted->arg, &patch);
}

/* Report how to undo the sites that are on, and which sites are off now. */
static void patches_note(struct dt_patches *patches, const struct noted *noted)
{
	if (!noted->func)
		return;
	for (size_t i = 0; i < patches->n; i++) {
		struct site *site = patches->list[i];
		bool was = site->noted;

		site->noted = site->on;
		site->single = site_is_single(patches, site);
		if (site->noted || was)
			patch_site_note(site, noted);
	}
}

/* Report how to undo the sites that are about to be switched on. */
static void due_note(struct dt_patches *patches, const struct noted *noted, const struct due *due)
{
	for (size_t i = 0; i < due->n; i++)
		due->list[i]->on = true;
	patches_note(patches, noted);
	for (size_t i = 0; i < due->n; i++)
		due->list[i]->on = false;
}

int patch_sites_set(struct dt_patches *patches, const struct failed *failed,
		    const struct noted *noted, struct site **sites, size_t n, bool on, bool alone)
{
	struct due due = {.list = calloc(patches->n + 1, sizeof(struct site *))};
	struct dt_space space = {0};
	int error = due.list ? dt_space_read(&space, patches->pid) : -ENOMEM;

	if (!error && on)
		due_on(patches, failed, &space, sites, n, &due);
	else if (!error)
		due_off(patches, failed, &space, sites, n, &due);
	if (due.n && on)
		due_note(patches, noted, &due);
	if (due.n) {
		due_switch(patches, failed, &due, on, alone);
		if (!alone)
			due_check(patches, failed, &due, on);
		patches_note(patches, noted);
	}
	for (size_t i = 0; i < due.n; i++)
		due.list[i]->listed = false;
	dt_space_free(&space);
	free(due.list);
	return error;
}
