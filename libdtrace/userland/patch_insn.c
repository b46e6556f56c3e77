/* SPDX-License-Identifier: MIT */
/*
 * patch_insn.c - code for sites at any instruction, and the aids that give their jumps a distance.
 * (patch.c)
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "patch_impl.h"

#define LOCK 0xf0
#define PAGES_MANY \
	4096 /* above this number, sites share pages where possible, though that stops threads */

/* ---- instructions ---- */

bool patch_is_asked_for(const struct dt_patches *patches, uint64_t pc)
{
	const struct site *site = patch_site_find(patches, pc);

	return site && site->instruction && !site->forgotten;
}

bool patch_supports(const struct site *other, const struct site *site)
{
	return other != site && other->state != SITE_NEW && site->state == SITE_INSTRUCTION &&
	       other->at >= site->at + site->insn.size && other->at < site->at + site->span;
}

/*
 * Set the bytes at an instruction to those while all supporting sites are on. Return NULL, or the
 * site that overlaps the instruction.
 */
static const struct site *support_apply(const struct dt_patches *patches, struct site *site,
					uint8_t bytes[SPAN_MAX])
{
	const uint64_t end = site->at + site->insn.size;

	site->depth = 0;
	for (size_t i = patch_sites_until(patches, site->at + 2 * AROUND); i-- > 0;) {
		const struct site *other = patches->list[i];

		if (other->pc + 2 * AROUND <= site->at)
			break;
		if (other == site || other->state == SITE_NEW || (other->forgotten && !other->on))
			continue;
		if (other->state != SITE_INSTRUCTION && other->at < end &&
		    site->at < other->at + JUMP_SIZE)
			return other;
		if (!patch_supports(other, site))
			continue;
		for (int k = 0; k < other->size && other->at + k < site->at + site->span; k++)
			bytes[other->at + k - site->at] = other->on_bytes[k];
		if (site->depth <= other->depth)
			site->depth = other->depth + 1;
	}
	return NULL;
}

uint8_t patch_prefixes(const struct site *site)
{
	return site->span - JUMP_SIZE;
}

/*
 * Note that an instruction is patched by size bytes of a jump to target, which leads to its
 * trampoline. If the jump has prefixes, these are in on_bytes already.
 */
static void insn_take(struct site *site, const uint8_t *bytes, uint8_t size, uint64_t target,
		      uint64_t trampoline)
{
	const uint8_t prefixes = patch_prefixes(site);

	site->trampoline = trampoline;
	site->size = size;
	memcpy(site->off_bytes, bytes, site->span);
	jump_make(site->on_bytes + prefixes, site->at + prefixes, target);
}

/* Use an earlier jump at target for an instruction. Return false if there is none. */
static bool insn_mirror_found(struct dt_patches *patches, struct site *site, const uint8_t *bytes,
			      uint8_t size, uint64_t target)
{
	uint64_t trampoline = trampoline_mirror_find(patches, site, NULL, target);

	if (trampoline)
		insn_take(site, bytes, size, target, trampoline);
	return trampoline != 0;
}

/*
 * Write a jump at an address that leads to the trampoline. Return false if there is no free memory
 * for either.
 */
static bool insn_mirror(struct dt_patches *patches, struct site *site, const uint8_t *bytes,
			uint8_t size, uint64_t target)
{
	struct bounds bounds = {0, UINT64_MAX};
	uint8_t jump[JUMP_SIZE];
	uint64_t trampoline;

	if (!code_is_possible(&patches->pages, target, sizeof(jump)))
		return false;
	bounds_add(&bounds, target);
	trampoline = trampoline_emit(patches, site, NULL, bounds,
				     target < site->at ? target - ASIDE : target + ASIDE);
	if (!trampoline)
		return false;
	jump_make(jump, target, trampoline);
	if (code_write_at(&patches->pages, target, jump, sizeof(jump)) != 0)
		return false;
	insn_take(site, bytes, size, target, trampoline);
	return true;
}

/*
 * Write the code for the one-byte form of an instruction. Return false if there is no free memory.
 */
static bool insn_one_byte(struct dt_patches *patches, struct site *site, const uint8_t *bytes)
{
	return insn_mirror(patches, site, bytes, 1, jump_target(bytes, site->at));
}

/*
 * Return the lowest target of a jump whose first n bytes of distance are free to choose, and whose
 * other bytes are given.
 */
static uint64_t jump_first(const uint8_t bytes[JUMP_SIZE], uint64_t at, size_t n)
{
	uint8_t lowest[JUMP_SIZE];

	memcpy(lowest, bytes, sizeof(lowest));
	memset(lowest + 1, 0, n - 1);
	return jump_target(lowest, at);
}

/* Return whether execution may continue after an instruction. */
static bool falls_through(const struct displace *insn)
{
	return insn->kind != DISPLACE_LEAVE && insn->kind != DISPLACE_JUMP;
}

/* Return the number of bytes behind an instruction of a site's code that nothing uses. */
static uint64_t insn_spare(const struct site *site, const struct displace *insn)
{
	return insn->next == site->end && !falls_through(insn) ? site->spare : 0;
}

/*
 * Return the number of bytes at an instruction that may be written: its own, and those behind it
 * that nothing uses. A jump may skip the prefix `lock`, so the bytes after the prefix must stay.
 */
static uint8_t insn_own(const struct site *site)
{
	uint64_t own = site->insn.size;

	if (*site->insn.bytes == LOCK)
		return 1;
	own += insn_spare(site, &site->insn);
	return own < JUMP_SIZE ? (uint8_t)own : JUMP_SIZE;
}

/*
 * Write the code for the form that writes all bytes that may be written at an instruction, five at
 * most. The bytes after them are the high bytes of the distance. Return false if there is no free
 * memory.
 */
static bool insn_all_bytes(struct dt_patches *patches, struct site *site, const uint8_t *bytes)
{
	const uint8_t size = insn_own(site);
	const uint64_t span = 1ULL << 8 * (size - 1);
	struct bounds bounds = {0, UINT64_MAX};
	const uint64_t first = jump_first(bytes, site->at, size);
	uint64_t trampoline;

	if (size == 1)
		return false;
	if (size == 2) {
		for (uint64_t i = 0; i < span; i++)
			if (insn_mirror(patches, site, bytes, size, first + i))
				return true;
		return false;
	}
	if (size < JUMP_SIZE)
		bounds = (struct bounds){first, first + span - 1};
	trampoline = trampoline_emit(patches, site, NULL, bounds,
				     size < JUMP_SIZE  ? first + span / 2
				     : site->at > AWAY ? site->at - AWAY
						       : site->at + AWAY);
	if (!trampoline)
		return false;
	insn_take(site, bytes, size, trampoline, trampoline);
	return true;
}

/*
 * Return the trampoline to which a jump with own bytes of choice, at least 3, can lead at an
 * instruction; 0: there is none.
 */
static uint64_t insn_trampoline_found(const struct dt_patches *patches, const struct site *site,
				      uint64_t first, uint8_t own)
{
	struct bounds bounds = {0, UINT64_MAX};

	if (own < JUMP_SIZE)
		bounds = (struct bounds){first, first + (1ULL << 8 * (own - 1)) - 1};
	bounds_add(&bounds, site->at);
	return trampoline_find(patches, site, NULL, bounds);
}

/* Use code that was written for an instruction before. Return false if there is none. */
static bool insn_found(struct dt_patches *patches, struct site *site, const uint8_t *bytes)
{
	const uint8_t own = insn_own(site);
	const uint64_t first = jump_first(bytes, site->at, own);
	uint64_t trampoline;

	if (!code_found(&patches->pages, site->pc, 0))
		return false;
	if (insn_mirror_found(patches, site, bytes, 1, jump_target(bytes, site->at)))
		return true;
	if (own == 2)
		for (uint64_t i = 0; i < 256; i++)
			if (insn_mirror_found(patches, site, bytes, own, first + i))
				return true;
	trampoline = own > 2 ? insn_trampoline_found(patches, site, first, own) : 0;
	if (trampoline)
		insn_take(site, bytes, own, trampoline, trampoline);
	return trampoline != 0;
}

/* ---- aids: instructions whose distance is chosen for other sites ---- */

/* The prefixes that jumps ignore, those of segments. */
static const uint8_t segments[] = {0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};

static bool is_segment(uint8_t byte)
{
	return memchr(segments, byte, sizeof(segments));
}

static bool is_nop(const struct displace *insn)
{
	const uint8_t *op = insn->bytes + insn->opcode;

	return (op[0] == NOP && (insn->opcode == 0 || insn->bytes[insn->opcode - 1] == 0x66)) ||
	       (op[0] == 0x0f && op[1] == 0x1f);
}

/*
 * Return whether the bytes at an address are a jump to code of dtrace: of a patch that was not
 * taken back.
 */
static bool is_patched(const struct dt_patches *patches, uint64_t at, const uint8_t *bytes)
{
	uint8_t code;

	for (int i = 0; i < PREFIXES && is_segment(*bytes); i++) {
		bytes++;
		at++;
	}
	return *bytes == JUMP && code_read(&patches->pages, jump_target(bytes, at), &code, 1);
}

/*
 * Read the instruction at an address, without the bytes of sites. Return false if it cannot become
 * an aid: it is a static probe or a system call, or may be entered after a prefix.
 */
static bool insn_read(const struct dt_patches *patches, uint64_t pc, struct displace *insn)
{
	const struct site *site = patch_site_find(patches, pc);
	uint8_t bytes[BEFORE + DISPLACE_INSN];
	const uint8_t *op = insn->bytes;
	struct form forms[2];

	if (site && site->state == SITE_INSTRUCTION) {
		*insn = site->insn;
		return *insn->bytes != LOCK;
	}
	if ((site && !site->instruction && !site->forgotten) ||
	    patch_read(patches->mem, pc - BEFORE, bytes, sizeof(bytes)) != 0 ||
	    form_find_all(pc, bytes, forms) != 0 || is_patched(patches, pc, bytes + BEFORE) ||
	    displace_read(insn, bytes + BEFORE, DISPLACE_INSN, pc))
		return false;
	op += insn->opcode;
	return *insn->bytes != LOCK && !(op[0] == 0x0f && (op[1] == 0x05 || op[1] == 0x34));
}

/*
 * Find the instruction with the last byte of another one's distance, whose jump with its prefixes
 * has span bytes. The bytes after a return or a jump may be data, unless they are known to be code,
 * or are padding. Return its address, or 0.
 */
static uint64_t aid_find(const struct dt_patches *patches, const struct site *site, uint8_t span)
{
	const uint64_t last = site->at + span - 1;
	struct displace insn = site->insn;
	uint64_t at, next = insn.next + insn_spare(site, &insn);
	bool known = true;

	while (next <= last) {
		at = next;
		known = at < site->end || patch_is_asked_for(patches, at) ||
			(known && falls_through(&insn));
		if (!insn_read(patches, at, &insn) || (!known && !is_nop(&insn)))
			return 0;
		next = insn.next + insn_spare(site, &insn);
		if (next > last)
			return at;
	}
	return 0;
}

/* Return the next site, from *i downwards, for which an aid was chosen; NULL if there is none. */
static struct site *aid_next(const struct dt_patches *patches, const struct site *aid, size_t *i)
{
	while (*i > 0) {
		struct site *site = patches->list[--*i];

		if (site->pc + SPAN_MAX <= aid->at)
			break;
		if (site->aid == aid->at && !site->forgotten && !site->on)
			return site;
	}
	return NULL;
}

/* Return whether an instruction needs this aid. waiting: the instruction is not patched yet. */
static bool aid_is_wanted(const struct dt_patches *patches, const struct site *aid, bool waiting)
{
	size_t i = patch_sites_until(patches, aid->at);
	const struct site *site;

	while ((site = aid_next(patches, aid, &i)))
		if (!waiting || site->state == SITE_NEW)
			return true;
	return false;
}

/* Read the bytes at an instruction, or copy them from an earlier look. Return false on an error. */
static bool insn_look(struct dt_patches *patches, uint64_t at, uint8_t bytes[SPAN_MAX])
{
	const uint64_t i = at % SEEN;

	if (patches->seen[i].at != at) {
		patches->seen[i].at = 0;
		if (patch_read(patches->mem, at, patches->seen[i].bytes, SPAN_MAX) != 0)
			return false;
		patches->seen[i].at = at;
	}
	memcpy(bytes, patches->seen[i].bytes, SPAN_MAX);
	return true;
}

/*
 * Return whether an instruction can be patched if an aid's jump is part of its distance. start:
 * bytes of its own prefix.
 */
static bool aid_fits(struct dt_patches *patches, struct site *site, const struct site *aid,
		     const uint8_t jump[SPAN_MAX], size_t start)
{
	const size_t own = insn_own(site) - start;
	const uint64_t span = 1ULL << 8 * (own - 1);
	const uint8_t before = site->span;
	uint8_t bytes[SPAN_MAX];
	uint64_t first;
	bool fits;

	site->span = (uint8_t)(JUMP_SIZE + start);
	fits = insn_look(patches, site->at, bytes) && !support_apply(patches, site, bytes);
	site->span = before;
	if (!fits)
		return false;
	for (uint64_t i = 0; aid->at + i < site->at + start + JUMP_SIZE; i++)
		bytes[aid->at + i - site->at] = jump[i];
	first = jump_first(bytes + start, site->at + start, own);
	if (own > 2)
		return insn_trampoline_found(patches, site, first, (uint8_t)own) ||
		       dt_space_near(&patches->pages.space, first + span / 2, first,
				     first + span) != 0;
	for (uint64_t i = 0; i < span; i++)
		if (trampoline_mirror_find(patches, site, NULL, first + i) ||
		    code_is_possible(&patches->pages, first + i, JUMP_SIZE))
			return true;
	return false;
}

/*
 * Return whether an instruction can be patched if an aid's jump is part of its distance. If it is
 * an aid itself, its jump may have prefixes.
 */
static bool aid_suffices(struct dt_patches *patches, struct site *site, const struct site *aid,
			 const uint8_t jump[SPAN_MAX])
{
	const size_t most = aid_is_wanted(patches, site, false) ? PREFIXES : 0;

	for (size_t start = site->prefixed; start <= most && start < insn_own(site); start++)
		if (aid_fits(patches, site, aid, jump, start))
			return true;
	return false;
}

/*
 * Return whether all instructions with this aid could be patched. Set *fixed to whether that
 * depends on the first byte of the jump only.
 */
static bool aid_suffices_all(struct dt_patches *patches, const struct site *aid,
			     const uint8_t jump[SPAN_MAX], bool *fixed)
{
	size_t i = patch_sites_until(patches, aid->at);
	struct site *site;
	bool suffices = true;

	*fixed = true;
	while ((site = aid_next(patches, aid, &i))) {
		*fixed &=
			site->at + JUMP_SIZE - 1 == aid->at && !aid_is_wanted(patches, site, false);
		suffices = suffices && aid_suffices(patches, site, aid, jump);
	}
	return suffices;
}

#define AID_HIGH  256 /* distances to try: of the byte that changes both targets, */
#define AID_LOW	  8   /* and of the other bytes */
#define AID_LINKS 3   /* longest chain of aids */

/*
 * Write the code of an aid, whose jump begins with a prefix start times, with a distance that all
 * waiting instructions can use: one that was written before, if there is one. Return false if no
 * distance suits.
 */
static bool aid_emit_form(struct dt_patches *patches, struct site *site, uint8_t prefix,
			  size_t start)
{
	const uint8_t size = insn_own(site);
	const bool found = code_found(&patches->pages, site->pc, 0) != 0;
	const unsigned int highs = size > start + 1 ? AID_HIGH : 1;
	uint8_t bytes[SPAN_MAX], jump[SPAN_MAX];
	uint64_t target;
	bool fixed;

	site->span = (uint8_t)(JUMP_SIZE + start);
	if (size <= start || patch_read(patches->mem, site->at, bytes, sizeof(bytes)) != 0 ||
	    support_apply(patches, site, bytes))
		return false;
	memset(site->on_bytes, prefix, start);
	for (unsigned int i = found ? 0 : AID_LOW; i < 2 * AID_LOW; i++)
		for (unsigned int high = 0; high < highs; high++) {
			const bool old = i < AID_LOW;

			memcpy(jump, bytes, sizeof(jump));
			memset(jump, prefix, start);
			jump[start] = JUMP;
			for (size_t k = start + 1; k < size; k++)
				jump[k] = (uint8_t)(i % AID_LOW * 37 + high);
			target = jump_target(jump + start, site->at + start);
			if (old ? !trampoline_mirror_find(patches, site, NULL, target)
				: !code_is_possible(&patches->pages, target, JUMP_SIZE))
				continue;
			if (!aid_suffices_all(patches, site, jump, &fixed)) {
				if (fixed)
					return false;
				continue;
			}
			if (old ? insn_mirror_found(patches, site, bytes, size, target)
				: insn_mirror(patches, site, bytes, size, target))
				return true;
		}
	return false;
}

/*
 * Write the code of an aid. Return false, without a prefix, if no distance suits all waiting
 * instructions.
 */
static bool aid_emit(struct dt_patches *patches, struct site *site)
{
	if (aid_emit_form(patches, site, 0, 0))
		return true;
	for (size_t start = 1; start <= PREFIXES; start++)
		for (size_t i = 0; i < sizeof(segments); i++)
			if (aid_emit_form(patches, site, segments[i], start))
				return true;
	site->span = JUMP_SIZE;
	return false;
}

/* Read and check the instruction of a site. Return 0, or report and return a negative errno. */
static int insn_take_up(struct dt_patches *patches, const struct failed *failed, struct site *site,
			uint8_t planned[SPAN_MAX])
{
	uint8_t bytes[DISPLACE_INSN + 1] = {0};
	ssize_t n = pread(patches->mem, bytes, sizeof(bytes), (off_t)site->pc);
	const struct site *other;
	struct displace insn;
	const char *why;

	if (n < JUMP_SIZE) {
		patch_fail(failed, site->index, -EILSEQ, "the code ends at 0x%llx",
			   (unsigned long long)site->pc);
		return -EILSEQ;
	}
	if (is_patched(patches, site->pc, bytes)) {
		patch_fail(failed, site->index, -EBUSY,
			   "the code at 0x%llx has a patch of another dtrace",
			   (unsigned long long)site->pc);
		return -EBUSY;
	}
	why = displace_read(&insn, bytes, (size_t)n, site->pc);
	if (why) {
		patch_fail(failed, site->index, -EOPNOTSUPP,
			   "the instruction at 0x%llx cannot be traced: %s",
			   (unsigned long long)site->pc, why);
		return -EOPNOTSUPP;
	}
	memcpy(planned, bytes, SPAN_MAX);
	if (site->state == SITE_INSTRUCTION &&
	    (site->insn.size != insn.size ||
	     memcmp(site->insn.bytes, insn.bytes, sizeof(insn.bytes)) != 0))
		site->state = SITE_NEW;
	site->at = site->pc;
	site->insn = insn;
	if (site->state != SITE_INSTRUCTION) {
		site->trampoline = 0;
		site->span = JUMP_SIZE;
	}
	site->state = SITE_INSTRUCTION;
	other = support_apply(patches, site, planned);
	if (!other)
		return 0;
	site->state = SITE_NEW;
	patch_fail(failed, site->index, -EBUSY, "the site at 0x%llx overlaps that at 0x%llx",
		   (unsigned long long)site->pc, (unsigned long long)other->pc);
	return -EBUSY;
}

/* Return whether the jump of an aid suits the waiting instructions only if it has a prefix. */
static bool aid_needs_prefix(struct dt_patches *patches, const struct site *aid)
{
	const uint8_t jump[SPAN_MAX] = {JUMP};
	bool fixed;

	return !aid_suffices_all(patches, aid, jump, &fixed) && fixed;
}

/*
 * Choose an aid for an instruction that cannot be patched, once. Return whether the instruction
 * has to be tried again: it has just got an aid, or its aid has.
 */
static bool aid_choose(struct dt_patches *patches, struct site *site)
{
	const struct site *aid = site->aid ? patch_site_find(patches, site->aid) : NULL;

	if (site->tries++ > AID_LINKS)
		return false;
	if (aid)
		return aid->state == SITE_NEW && aid->aid;
	if (site->links < AID_LINKS) {
		site->prefixed = aid_needs_prefix(patches, site);
		if (!site->prefixed || insn_own(site) > 1)
			site->aid = aid_find(patches, site, JUMP_SIZE + site->prefixed);
	}
	return site->aid != 0;
}

int patch_insn_emit(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	const bool one_first = patches->pages.n < PAGES_MANY;
	bool alone = true, again = false; /* it need not be an aid */
	uint8_t planned[SPAN_MAX];
	int error = insn_take_up(patches, failed, site, planned);

	memset(patches->seen, 0, sizeof(patches->seen));
	if (error)
		return error;
	if (site->trampoline && memcmp(site->off_bytes, planned, site->span) == 0 &&
	    !aid_is_wanted(patches, site, true))
		return 0;
	site->span = JUMP_SIZE;
	if (aid_is_wanted(patches, site, false)) {
		if (aid_emit(patches, site))
			return 0;
		again = aid_choose(patches, site);
		alone = site->index != INDEX_NONE && !again;
	}
	support_apply(patches, site, planned); /* of a jump without prefixes */
	if (alone && (insn_found(patches, site, planned) ||
		      (one_first && insn_one_byte(patches, site, planned)) ||
		      insn_all_bytes(patches, site, planned) ||
		      (!one_first && insn_one_byte(patches, site, planned))))
		return 0;
	site->state = SITE_NEW;
	if (again || (alone && aid_choose(patches, site)))
		return -EAGAIN;
	site->aid = 0;
	patch_fail(failed, site->index, -ENOSPC,
		   "no page can be mapped where a jump from 0x%llx would reach it",
		   (unsigned long long)site->pc);
	return -ENOSPC;
}
