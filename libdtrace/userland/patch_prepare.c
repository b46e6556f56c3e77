/* SPDX-License-Identifier: MIT */
/* patch_prepare.c - write and map the code of sites before they are switched on. (patch.c) */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "access.h"
#include "patch_impl.h"

#define ATTEMPTS 4 /* to map pages, while the process maps */

/* A site to prepare. */
struct pending {
	struct site *site;
	uint32_t index;
	int error;  /* 0: it has to be mapped, or is ready */
	bool first; /* a static probe: sites of instructions yield to it */
};

/* Return whether a site and a static probe's site at an address would overwrite each other. */
static bool sites_overlap(const struct site *a, uint64_t at)
{
	const uint64_t end = a->at + (a->state == SITE_INSTRUCTION ? a->insn.size : JUMP_SIZE);

	return a->state != SITE_NEW && a->at < at + JUMP_SIZE && at < end;
}

/* Return the site that a form of another site would overlap, or NULL. */
static const struct site *overlap_find(const struct dt_patches *patches, const struct site *site,
				       uint64_t at)
{
	size_t i = patch_sites_until(patches, at + 2 * AROUND);

	for (; i-- > 0 && patches->list[i]->pc + 2 * AROUND > at;)
		if (patches->list[i] != site && sites_overlap(patches->list[i], at))
			return patches->list[i];
	return NULL;
}

/*
 * Read the bytes around an address of a range. If some are not mapped, those outside of the range
 * are 0.
 */
static bool around_read(int mem, const struct dt_range *range, uint64_t pc, uint8_t code[AROUND])
{
	const uint64_t begin = pc - BEFORE, end = begin + AROUND;
	const uint64_t from = begin < range->start ? range->start : begin;
	const uint64_t to = end < range->end ? end : range->end;

	if (patch_read(mem, begin, code, AROUND) == 0)
		return true;
	memset(code, 0, AROUND);
	return patch_read(mem, from, code + (from - begin), to - from) == 0;
}

/* Read the bytes around a site. Return 0, or report and return a negative errno. */
static int site_read(struct dt_patches *patches, const struct failed *failed, struct site *site,
		     uint8_t code[AROUND])
{
	const struct dt_range *range = dt_space_at(&patches->pages.space, site->pc);

	if (!range || !range->executable || !around_read(patches->mem, range, site->pc, code)) {
		patch_unmapped(failed, site);
		return -ENOENT;
	}
	if (range->shared) {
		patch_fail(failed, site->index, -ENOTSUP,
			   "the code at 0x%llx is shared with other processes (MAP_SHARED), which "
			   "would be changed too",
			   (unsigned long long)site->pc);
		return -ENOTSUP;
	}
	site->dev = range->dev;
	site->ino = range->ino;
	site->offset = range->ino ? range->offset + (site->pc - range->start) : 0;
	return 0;
}

/* Prepare an is-enabled site, which needs no further code. */
static int enabled_prepare(const struct failed *failed, struct site *site, const uint8_t *code)
{
	static const uint8_t xor [] = {0x31, 0xc0}, mov[] = {0xb0, 0xc0};

	if (memcmp(code, xor, sizeof(xor)) != 0 || (code[BEFORE] != 0x66 && code[BEFORE] != NOP)) {
		form_fail(failed, site, code);
		return -EILSEQ;
	}
	site->at = site->pc - BEFORE;
	site->state = SITE_ONE_BYTE;
	site->size = 1;
	site->span = JUMP_SIZE;
	site->depth = 0;
	site->trampoline = 0;
	memcpy(site->off_bytes, code, JUMP_SIZE);
	memcpy(site->on_bytes, code, JUMP_SIZE);
	site->on_bytes[0] = mov[0];
	return 0;
}

/*
 * Write the code for the best possible form of a site. before: as of form_emit_jump(). Return 0 or
 * a negative errno, without a report.
 */
static int forms_emit(struct dt_patches *patches, struct site *site, const struct form *forms,
		      int n, bool before)
{
	int error = -ENOSPC;

	for (int i = 0; i < n && error; i++) {
		uint64_t trampoline =
			trampoline_mirror_find(patches, site, &forms[i], form_target(&forms[i]));

		if (!trampoline || overlap_find(patches, site, forms[i].at))
			continue;
		form_take(site, &forms[i], SITE_ONE_BYTE, trampoline);
		error = 0;
	}
	for (int i = 0; i < n && error; i++)
		if (!overlap_find(patches, site, forms[i].at))
			error = form_emit_mirror(patches, site, &forms[i]);
	for (int i = 0; i < n && error; i++)
		if (forms[i].near && !overlap_find(patches, site, forms[i].at))
			error = form_emit_jump(patches, site, &forms[i], before);
	return error == -EEXIST ? -ENOSPC : error;
}

/* Write the code of a site. Return 0, or report and return a negative errno. */
static int site_emit(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	struct form forms[2];
	const struct site *other;
	uint8_t code[AROUND];
	int error, n, free;

	if (site->on) /* it has code, and only its index may have changed */
		return 0;
	error = site_read(patches, failed, site, code);
	if (error)
		return error;
	if (site->enabled)
		return enabled_prepare(failed, site, code);
	n = site->instruction ? 0 : form_find_all(site->pc, code, forms);
	if (code[BEFORE] != INT3 && (site->instruction || (!n && code[BEFORE] == NOP)))
		return patch_insn_emit(patches, failed, site);
	if (!n) {
		form_fail(failed, site, code);
		return -EILSEQ;
	}
	/* The second form takes the first NOP, which may be an instruction with a site. */
	free = n == 2 && patch_is_asked_for(patches, forms[1].at) ? 1 : n;
	/* If the site was prepared in one of these forms before, its code can be used again. */
	for (int i = 0; i < free; i++)
		if (site->state != SITE_NEW && site->at == forms[i].at &&
		    site->back == forms[i].back && site->trampoline &&
		    memcmp(site->off_bytes, forms[i].bytes, JUMP_SIZE) == 0)
			return 0;
	site->state = SITE_NEW;
	error = forms_emit(patches, site, forms, free, free < n);
	if (error && free < n)
		error = forms_emit(patches, site, forms, n, false);
	if (!error)
		return 0;
	other = overlap_find(patches, site, forms[0].at);
	if (other)
		patch_fail(failed, site->index, -EBUSY,
			   "the site at 0x%llx overlaps that at 0x%llx",
			   (unsigned long long)site->pc, (unsigned long long)other->pc);
	else
		patch_fail(failed, site->index, error,
			   "no page can be mapped where a jump from 0x%llx would reach it",
			   (unsigned long long)site->pc);
	return error;
}

/* Return whether an instruction's site is an aid, or part of no other site's distance. */
static bool site_is_free(const struct dt_patches *patches, const struct site *site)
{
	const size_t i = patch_sites_until(patches, site->pc - 1);

	return site->index == INDEX_NONE ||
	       (site->instruction && (!i || patches->list[i - 1]->pc + SPAN_MAX <= site->pc));
}

/*
 * Write the code of a site, not in the way of a growing heap or stack if the site has a choice.
 * Return 0, or report and return a negative errno.
 */
static int site_emit_aside(struct dt_patches *patches, const struct failed *failed,
			   struct site *site)
{
	static const uint64_t kept[] = {256 << 20, 16 << 20};
	const struct failed nobody = {0};
	const struct site before = *site;
	int error;

	if (!site_is_free(patches, site))
		return site_emit(patches, failed, site);
	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
		patches->pages.space.heap_most = kept[i];
		error = site_emit(patches, &nobody, site);
		patches->pages.space.heap_most = 0;
		if (!error || error == -EAGAIN)
			return error;
		*site = before;
	}
	return site_emit(patches, failed, site);
}

/*
 * Write the code of a site, and assign hits of its trampoline to its index. Return 0, or report and
 * return a negative errno.
 */
static int site_ready(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	const uint64_t before = site->trampoline;
	int error = site_emit_aside(patches, failed, site);

	if (before && (error || before != site->trampoline))
		trampoline_number_set(patches, before, INDEX_NONE);
	if (error || !site->trampoline)
		return error;
	code_take(&patches->pages, site->trampoline);
	trampoline_number_set(patches, site->trampoline, site->index);
	return 0;
}

/* Return whether all code of a site is in the process. */
static bool site_is_mapped(const struct dt_patches *patches, const struct site *site)
{
	uint64_t target;

	if (!site->trampoline)
		return true;
	if (!code_is_mapped(&patches->pages, site->trampoline))
		return false;
	target =
		jump_target(site->on_bytes + patch_prefixes(site), site->at + patch_prefixes(site));
	return code_is_mapped(&patches->pages, target) &&
	       code_is_mapped(&patches->pages, target + JUMP_SIZE - 1);
}

/* Write to why[DT_WHYLEN] why the code of sites cannot be mapped in a process. */
static void why_unmapped(char *why, pid_t pid, int error)
{
	static const char what[] = "its code cannot be mapped";

	if (error == -ENOMEM)
		dt_why_memory(why, pid, what, DT_PAGE, 0);
	else
		dt_why_errno(why, error, what);
}

/*
 * Write and map the code of pending sites, once. Return the number of sites to try again, or a
 * negative errno.
 */
static int pending_map(struct dt_patches *patches, struct dt_remote *remote,
		       const struct failed *failed, struct pending *pending, size_t n, bool last)
{
	int error = code_pages_begin(&patches->pages, patches->pid, patches->mem), again = 0;
	char why[DT_WHYLEN] = "";

	if (error)
		return error;
	if (!patches->numbered)
		trampoline_numbers_begin(patches);
	patches->numbered = true;
	for (size_t i = 0; i < n; i++)
		if (!pending[i].error)
			pending[i].error = site_ready(patches, failed, pending[i].site);
	error = code_pages_map(&patches->pages, remote);
	if (error == -ESRCH)
		return error;
	for (size_t i = 0; i < n; i++) {
		if (pending[i].error || site_is_mapped(patches, pending[i].site))
			continue;
		pending[i].site->state = SITE_NEW;
		if (error == -EEXIST && !last) {
			again++;
			continue;
		}
		pending[i].error = error;
		if (!*why)
			why_unmapped(why, patches->pid, error);
		patch_fail(failed, pending[i].index, error, "%s", why);
	}
	return again;
}

/* Add a site to the pending ones. Return 0 or -ENOMEM. */
static int pending_add(struct pending **pending, size_t *n, struct site *site)
{
	struct pending *more = dt_list_grow(*pending, *n, sizeof(*more));

	if (!more)
		return -ENOMEM;
	*pending = more;
	site->tries = 0;
	more[(*n)++] = (struct pending){.site = site, .index = site->index};
	return 0;
}

/* Make the records of sites. Return 0 or a negative errno. */
static int pending_make(struct dt_patches *patches, const struct dt_patch_site *sites, size_t n,
			struct pending **pending, size_t *npending)
{
	for (size_t i = 0; i < n; i++) {
		struct site *site = patch_site_get(patches, sites[i].pc);
		int error;

		if (!site)
			return -ENOMEM;
		if (!site->forgotten && site->index != sites[i].index && site->index != INDEX_NONE)
			patches->by_index[site->index] = NULL;
		site->index = sites[i].index;
		site->aid = 0;
		site->links = 0;
		site->prefixed = false;
		site->end = sites[i].end;
		site->spare = sites[i].spare;
		site->enabled = sites[i].enabled;
		site->instruction = sites[i].instruction;
		error = patch_index_set(patches, site->index, site);
		if (!error)
			error = pending_add(pending, npending, site);
		if (error)
			return error;
		site->forgotten = false;
	}
	return 0;
}

/*
 * Compare pending sites by the order in which code is written: a site before the sites that it
 * supports.
 */
static int pending_compare(const void *a, const void *b)
{
	const struct pending *one = a, *two = b;

	if (one->first != two->first)
		return one->first ? -1 : 1;
	return one->site->pc > two->site->pc ? -1 : one->site->pc < two->site->pc;
}

/* Mark the sites of static probes. */
static void pending_judge(const struct dt_patches *patches, struct pending *pending, size_t n)
{
	uint8_t byte;

	for (size_t i = 0; i < n; i++) {
		const struct site *site = pending[i].site;

		pending[i].first =
			site->enabled ||
			(!site->instruction && patch_read(patches->mem, site->pc, &byte, 1) == 0 &&
			 byte != NOP);
	}
}

/* Set or clear the mark of the pending sites. */
static void pending_list(const struct pending *pending, size_t n, bool listed)
{
	for (size_t i = 0; i < n; i++)
		pending[i].site->listed = listed;
}

/* Add a site that is not pending, to prepare it again. Return 0 or -ENOMEM. */
static int pending_again(struct pending **pending, size_t *n, struct site *site)
{
	site->listed = true;
	site->resume |= site->on;
	return pending_add(pending, n, site);
}

/* Return the static probe's site that takes the NOP of an instruction, but need not; or NULL. */
static struct site *taker_find(const struct dt_patches *patches, const struct site *insn)
{
	static const uint8_t rest[] = {0x66, 0x66, 0x66, 0x66};
	struct site *site = insn->instruction ? patch_site_find(patches, insn->pc + 1) : NULL;

	return site && site->state == SITE_ONE_BYTE && site->at == insn->pc && !site->listed &&
			       memcmp(site->off_bytes + 1, rest, sizeof(rest)) == 0
		       ? site
		       : NULL;
}

/*
 * Add the instructions whose distances contain bytes of the pending sites, and those that these
 * support, and so on; and sites that take the bytes of pending ones. Meanwhile they are switched
 * off. Return 0 or -ENOMEM.
 */
static int pending_extend(struct dt_patches *patches, struct pending **pending, size_t *n)
{
	int error = 0;

	pending_list(*pending, *n, true);
	for (size_t i = 0; i < *n && !error; i++) {
		const struct site *new = (*pending)[i].site;
		struct site *taker;

		if (new->on && !new->resume)
			continue;
		taker = taker_find(patches, new);
		if (taker)
			error = pending_again(pending, n, taker);
		for (size_t k = patch_sites_until(patches, new->pc); k-- > 0 && !error;) {
			struct site *site = patches->list[k];

			if (site->pc + AROUND <= new->pc)
				break;
			if (site->listed || site->state != SITE_INSTRUCTION)
				continue;
			error = pending_again(pending, n, site);
		}
	}
	pending_list(*pending, *n, false);
	return error;
}

/*
 * Add the aids of instructions that could not be patched, to try these again. Return the number of
 * aids, or -ENOMEM.
 */
static int pending_aid(struct dt_patches *patches, struct pending **pending, size_t *n)
{
	int again = 0, error = 0;

	pending_list(*pending, *n, true);
	for (size_t i = 0, end = *n; i < end && !error; i++) {
		const struct site *site = (*pending)[i].site;
		struct site *aid;

		if ((*pending)[i].error != -EAGAIN)
			continue;
		(*pending)[i].error = 0;
		again++;
		aid = patch_site_get(patches, site->aid);
		if (!aid) {
			error = -ENOMEM;
			break;
		}
		if (aid->forgotten) {
			aid->forgotten = false;
			aid->instruction = true;
			aid->enabled = false;
			aid->index = INDEX_NONE;
			aid->aid = 0;
			aid->end = aid->pc < site->end ? site->end : 0;
			aid->spare = aid->pc < site->end ? site->spare : 0;
			aid->links = 0;
			aid->prefixed = false;
		}
		if (aid->links <= site->links)
			aid->links = site->links + 1;
		aid->resume |= aid->on;
		if (!aid->listed)
			error = pending_add(pending, n, aid);
		aid->listed = true;
	}
	pending_list(*pending, *n, false);
	return error ? error : again;
}

/* Switch off the sites that are prepared again. Return 0 or -ENOMEM. */
static int pending_suspend(struct dt_patches *patches, const struct failed *failed,
			   const struct pending *pending, size_t n)
{
	struct site **sites = calloc(n ? n : 1, sizeof(struct site *));
	const struct noted nobody = {0};
	size_t many = 0;
	int error = sites ? 0 : -ENOMEM;

	for (size_t i = 0; i < n && sites; i++)
		if (pending[i].site->resume && pending[i].site->on)
			sites[many++] = pending[i].site;
	if (many)
		error = patch_sites_set(patches, failed, &nobody, sites, many, false, false);
	free(sites);
	return error;
}

/* Write and map the code of pending sites. Return 0 or a negative errno. */
static int pending_prepare(struct dt_patches *patches, struct dt_remote *remote,
			   const struct failed *failed, struct pending **pending, size_t *n)
{
	int rv = pending_extend(patches, pending, n);

	if (!rv)
		rv = pending_suspend(patches, failed, *pending, *n);
	if (rv)
		return rv;
	pending_judge(patches, *pending, *n);
	if (*n)
		qsort(*pending, *n, sizeof(**pending), pending_compare);
	for (int i = 1; i <= ATTEMPTS; i++) {
		rv = pending_map(patches, remote, failed, *pending, *n, i == ATTEMPTS);
		if (rv <= 0)
			return rv;
	}
	return 0;
}

int dt_patch_prepare(struct dt_patches *patches, struct dt_remote *remote,
		     const struct dt_patch_site *sites, size_t n, dt_patch_failed_f *func,
		     void *arg)
{
	const struct failed failed = {func, arg};
	struct pending *pending = NULL;
	size_t npending = 0;
	int rv = pending_make(patches, sites, n, &pending, &npending);

	do {
		if (rv >= 0)
			rv = pending_prepare(patches, remote, &failed, &pending, &npending);
		if (!rv)
			rv = pending_aid(patches, &pending, &npending);
	} while (rv > 0);
	for (size_t i = 0; i < patches->n; i++)
		patches->list[i]->listed = false; /* after an error */
	free(pending);
	return rv;
}
