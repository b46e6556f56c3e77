/* SPDX-License-Identifier: MIT */
/*
 * patch.c - code for the probe sites of a process: switched on and off by one byte of the program.
 *
 * This table shows the location (A) that is written, the bytes while the site is on, and the jump's
 * target:
 *
 *	site				A			becomes
 *	90, 66 66 66 66 90		the second NOP		e9 66 66 66 90	A + 5 - 0x6f99999a
 *	the same, if that is taken	the first NOP		e9 66 66 66 66	A + 5 + 0x66666666
 *	90, 66 66 66 90: of a call	the first NOP		e9 66 66 66 90	A + 5 - 0x6f99999a
 *	90, 66 66 90, c3: of a jump	the first NOP		e9 66 66 90 c3	A + 5 - 0x3c6f999a
 *	90, 66 90, c3, any		the first NOP		e9 66 90 c3 any
 *	31 c0, 66 66 90: is-enabled	the xor			b0 c0: sets al, and so eax is not 0
 *	any instruction			its first byte		e9 and the four bytes that follow
 *
 * One byte cannot cross a boundary of cache lines or pages, and the boundaries of instructions stay
 * the same. So a thread at the site executes either the original instruction or the jump. Where the
 * target is not free, a jump of five bytes is written. Threads that are within these bytes are
 * moved to the trampoline first, and so are signal frames (sigframe.h) that lead there.
 *
 * An instruction is moved into the trampoline (process/displace.h). Where the target of its
 * one-byte form is not free, all of its bytes may be written, while no thread runs; at the end of a
 * section also those behind it, which nothing uses. The following bytes are part of the distance
 * and stay as they are. So no other instruction is moved or split, whatever jumps to it.
 *
 * The bytes after an instruction may belong to another site. That site *supports* the first site,
 * whose distance consists of the bytes that the other site has while it is on. A supporting site is
 * switched on before the supported site, and off after it.
 *
 * The first NOP of a static probe's site may be an instruction with a site, such as the entry of a
 * function. Then the static probe's site leaves that NOP alone, and supports it.
 *
 * The distance of a short instruction may lead to memory in use. Then the instruction with the last
 * byte of the distance becomes an *aid*: a site that dtrace adds by itself. dtrace chooses the
 * distance of the aid so that both jumps lead to free pages. If that byte is the aid's first one,
 * the aid's jump may get a prefix without effect, as another value for it: in programs at low
 * addresses, e9 there would lead below address 0. An aid may have an aid itself.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "../list.h"
#include "patch_impl.h"

void patch_fail(const struct failed *failed, uint32_t index, int error, const char *format, ...)
{
	char why[DT_WHYLEN];
	va_list ap;

	if (!failed->func || index == INDEX_NONE)
		return;
	va_start(ap, format);
	vsnprintf(why, sizeof(why), format, ap);
	va_end(ap);
	failed->func(failed->arg, index, error, why);
}

void patch_unmapped(const struct failed *failed, const struct site *site)
{
	patch_fail(failed, site->index, -ENOENT, "the code at 0x%llx is not mapped any more",
		   (unsigned long long)site->pc);
}

/* ---- memory of the process ---- */

int patch_read(int mem, uint64_t addr, void *bytes, size_t n)
{
	ssize_t got = pread(mem, bytes, n, (off_t)addr);

	if (got == (ssize_t)n)
		return 0;
	return got == 0 ? -ESRCH : got == -1 ? -errno : -EFAULT;
}

int patch_write(int mem, uint64_t addr, const void *bytes, size_t n)
{
	ssize_t done = pwrite(mem, bytes, n, (off_t)addr);

	if (done == (ssize_t)n)
		return 0;
	return done == 0 ? -ESRCH : done == -1 ? -errno : -EFAULT;
}

/* ---- tables ---- */

size_t patch_sites_until(const struct dt_patches *patches, uint64_t pc)
{
	return dt_list_pointers_until(patches->list, patches->n, offsetof(struct site, pc), pc);
}

struct site *patch_site_find(const struct dt_patches *patches, uint64_t pc)
{
	const size_t i = patch_sites_until(patches, pc);

	return i && patches->list[i - 1]->pc == pc ? patches->list[i - 1] : NULL;
}

struct site *patch_site_get(struct dt_patches *patches, uint64_t pc)
{
	const size_t i = patch_sites_until(patches, pc);
	struct site **more, *site = patch_site_find(patches, pc);

	if (site)
		return site;
	more = dt_list_grow(patches->list, patches->n, sizeof(struct site *));
	if (!more)
		return NULL;
	patches->list = more;
	site = calloc(1, sizeof(*site));
	if (!site)
		return NULL;
	site->pc = pc;
	site->forgotten = true;
	memmove(more + i + 1, more + i, (patches->n - i) * sizeof(struct site *));
	more[i] = site;
	patches->n++;
	return site;
}

int patch_index_set(struct dt_patches *patches, uint32_t index, struct site *site)
{
	uint32_t size = patches->nindices ? patches->nindices : 64;
	struct site **more;

	if (index >= INDEX_END)
		return -EINVAL;
	while (size <= index)
		size *= 2;
	if (size > patches->nindices) {
		more = reallocarray(patches->by_index, size, sizeof(struct site *));
		if (!more)
			return -ENOMEM;
		memset(more + patches->nindices, 0,
		       (size - patches->nindices) * sizeof(struct site *));
		patches->by_index = more;
		patches->nindices = size;
	}
	patches->by_index[index] = site;
	return 0;
}

static struct site *patch_site_of(const struct dt_patches *patches, uint32_t index)
{
	return index < patches->nindices ? patches->by_index[index] : NULL;
}

/* ---- switching ---- */

bool dt_patch_is_due(const struct dt_patches *patches)
{
	for (size_t i = 0; i < patches->n; i++)
		if (patches->list[i]->resume)
			return true;
	return false;
}

int dt_patch_set(struct dt_patches *patches, const uint32_t *indices, size_t n, bool on, bool alone,
		 dt_patch_failed_f *func, dt_patch_note_f *note, void *arg)
{
	const struct failed failed = {func, arg};
	const struct noted noted = {note, arg};
	struct site **sites = calloc(n ? n : 1, sizeof(struct site *));
	int error;

	if (!sites)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		sites[i] = patch_site_of(patches, indices[i]);
	error = patch_sites_set(patches, &failed, &noted, sites, n, on, alone);
	free(sites);
	return error;
}

int dt_patch_forget(struct dt_patches *patches, const uint32_t *indices, size_t n,
		    dt_patch_note_f *note, void *arg)
{
	int error = dt_patch_set(patches, indices, n, false, false, NULL, note, arg);

	if (error == -ENOMEM)
		return error;
	for (size_t i = 0; i < n; i++) {
		struct site *site = patch_site_of(patches, indices[i]);

		if (!site)
			continue;
		dt_patch_semaphore(patches, indices[i], 0, note, arg);
		patches->by_index[indices[i]] = NULL;
		site->forgotten = true;
		if (site->trampoline)
			trampoline_number_set(patches, site->trampoline, INDEX_NONE);
	}
	return 0;
}

bool dt_patch_is_there(const struct dt_patches *patches, uint32_t index)
{
	const struct site *site = patch_site_of(patches, index);
	uint8_t first;

	return site && pread(patches->mem, &first, 1, (off_t)site->at) == 1 &&
	       first == site->on_bytes[0];
}

/* ---- semaphores ---- */

int dt_patch_count(int memory, uint64_t addr, int change)
{
	uint16_t count;
	int value;

	if (pread(memory, &count, sizeof(count), (off_t)addr) != sizeof(count))
		return -EFAULT;
	value = count + change;
	if (value > UINT16_MAX)
		return -EOVERFLOW;
	count = value < 0 ? 0 : (uint16_t)value;
	return patch_write(memory, addr, &count, sizeof(count));
}

int dt_patch_semaphore(struct dt_patches *patches, uint32_t index, uint64_t addr,
		       dt_patch_note_f *note, void *arg)
{
	const struct noted noted = {note, arg};
	struct site *site = patch_site_of(patches, index);
	int error;

	if (!site)
		return -EINVAL;
	if (site->sema == addr)
		return 0;
	if (site->on && site->sema)
		dt_patch_count(patches->mem, site->sema, -1);
	site->sema = addr;
	if (!site->on)
		return 0;
	patch_site_note(site, &noted);
	error = addr ? dt_patch_count(patches->mem, addr, 1) : 0;
	if (error) {
		site->sema = 0;
		patch_site_note(site, &noted);
	}
	return error;
}

/* ---- children and the end ---- */

/* Return whether a site takes more than one byte. */
static bool has_long(const struct dt_patches *patches)
{
	for (size_t i = 0; i < patches->n; i++)
		if (patches->list[i]->state != SITE_NEW && patches->list[i]->size > 1)
			return true;
	return false;
}

void dt_patch_forked(struct dt_patches *patches, pid_t child, int memory)
{
	const struct failed nobody = {0};
	struct dt_seized *threads = NULL;
	char why[DT_WHYLEN];
	bool any_long = has_long(patches);
	bool stopped = any_long && dt_seize_all(child, &threads, why) == 0;
	bool all = stopped || !any_long;

	for (size_t i = 0; i < patches->n; i++)
		if (patches->list[i]->state != SITE_NEW && (patches->list[i]->single || all))
			patch_site_write(memory, &nobody, patches->list[i], false);
	if (stopped)
		dt_seized_go(threads);
}

int dt_patch_open(pid_t pid, int memory, uint64_t hit, uint32_t *numbers, uint32_t n,
		  struct dt_patches **patches)
{
	struct dt_patches *p = calloc(1, sizeof(*p));

	if (!p) {
		close(memory);
		return -ENOMEM;
	}
	p->pid = pid;
	p->mem = memory;
	p->pages.hit = hit;
	p->numbers = numbers;
	p->nnumbers = n;
	*patches = p;
	return 0;
}

void dt_patch_off(struct dt_patches *patches)
{
	const struct failed failed = {0};
	const struct noted noted = {0};

	patch_sites_set(patches, &failed, &noted, patches->list, patches->n, false, false);
}

void dt_patch_close(struct dt_patches *patches)
{
	dt_patch_off(patches);
	for (size_t i = 0; i < patches->n; i++)
		free(patches->list[i]);
	free(patches->list);
	free(patches->by_index);
	code_pages_free(&patches->pages);
	close(patches->mem);
	free(patches);
}
