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
 * target is not free, a jump of five bytes is written, and no thread may be within these bytes.
 *
 * An instruction is moved into the trampoline (process/displace.h). Where the target of its
 * one-byte form is not free, all of its bytes may be written, while no thread runs. The following
 * bytes are part of the distance and stay as they are. So no other instruction is moved or split,
 * whatever jumps to it.
 *
 * The bytes after an instruction may belong to another site. That site *supports* the first site,
 * whose distance consists of the bytes that the other site has while it is on. A supporting site is
 * switched on before the supported site, and off after it.
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
#include "../process/displace.h"
#include "agent.h"
#include "codepage.h"
#include "patch.h"
#include "access.h"

#define JUMP	  0xe9
#define JUMP_SIZE 5
#define SPAN_MAX  (1 + JUMP_SIZE) /* bytes of a jump with a prefix */
#define NOP	  0x90
#define RET	  0xc3
#define INT3	  0xcc
#define LOCK	  0xf0
#define REACH	  0x7fff0000LL /* of a jump, with some margin */
#define ASIDE \
	(128 << 20) /* bytes from mirror pages to trampolines, which leave space for more mirrors */
#define AWAY	   (1 << 30) /* bytes from the program to trampolines without mirror */
#define ATTEMPTS   4	     /* to map pages, while the process maps */
#define INDEX_END  ((1 << 24) - 1)
#define INDEX_NONE INDEX_END /* of a site that dtrace has added */
#define BEFORE	   2	     /* bytes that are read before pc */
#define AROUND	   8	     /* bytes that are read in all */
#define PAGES_MANY \
	4096 /* above this number, sites share pages where possible, though that stops threads */

enum site_state {
	SITE_NEW,      /* no code yet */
	SITE_ONE_BYTE, /* with mirror page, or is-enabled */
	SITE_FIVE_BYTES,
	SITE_INSTRUCTION,
};

struct site {
	uint64_t pc, at; /* at: A */
	uint64_t back;	 /* return address of the trampoline; 0: it executes ret */
	uint64_t trampoline;
	uint64_t dev, ino, offset; /* the mapped file, and the offset of A in it */
	uint32_t index;
	enum site_state state;
	bool enabled, instruction, on, forgotten;
	bool kept;	/* on only because it supports another site */
	bool resume;	/* it was on before it was prepared again */
	bool single;	/* it can be taken back by one byte */
	bool noted;	/* dtrace has noted how to undo it */
	bool listed;	/* it is in the list in use */
	uint8_t size;	/* bytes that are written */
	uint8_t span;	/* bytes of its jump, and its prefix */
	uint16_t depth; /* length of the chain of sites that support it */
	uint64_t end;	/* instructions extend up to this address; 0: unknown */
	uint64_t aid;	/* address of its aid; 0: none */
	uint8_t links;	/* length of the chain of sites whose aid it is */
	uint8_t tries;	/* how often it has waited for aids */
	uint8_t off_bytes[SPAN_MAX], on_bytes[SPAN_MAX]; /* while all supporting sites are on */
	struct displace insn;				 /* of SITE_INSTRUCTION */
};

struct semaphore {
	uint64_t addr;
	int added;
};

struct dt_patches {
	pid_t pid;
	int mem;
	struct code_pages pages;
	struct site **list; /* in order of pc */
	size_t n;
	struct site **by_index;
	uint32_t nindices;
	uint32_t *numbers; /* by the number of a trampoline: the index of its site, plus 1 */
	uint32_t nnumbers, next_number;
	bool numbered; /* next_number is beyond the numbers of earlier sessions */
	struct semaphore *semaphores;
	size_t nsemaphores;
};

/* The callback for failures. */
struct failed {
	dt_patch_failed_f *func;
	void *arg;
};

/* The callback for notes on how to undo patches. */
struct noted {
	dt_patch_note_f *func;
	void *arg;
};

static void site_fail(const struct failed *failed, uint32_t index, int error, const char *format,
		      ...) __attribute__((format(printf, 4, 5)));

static void site_fail(const struct failed *failed, uint32_t index, int error, const char *format,
		      ...)
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

/* ---- memory of the process ---- */

static int mem_read(const struct dt_patches *patches, uint64_t addr, void *bytes, size_t n)
{
	ssize_t got = pread(patches->mem, bytes, n, (off_t)addr);

	if (got == (ssize_t)n)
		return 0;
	return got == 0 ? -ESRCH : -EFAULT;
}

static int mem_write(int mem, uint64_t addr, const void *bytes, size_t n)
{
	ssize_t done = pwrite(mem, bytes, n, (off_t)addr);

	if (done == (ssize_t)n)
		return 0;
	return done == 0 ? -ESRCH : done == -1 ? -errno : -EFAULT;
}

/* ---- tables ---- */

/* Return the number of sites with pc or less. */
static size_t sites_until(const struct dt_patches *patches, uint64_t pc)
{
	return dt_list_pointers_until(patches->list, patches->n, offsetof(struct site, pc), pc);
}

/* Return the site of an address, or NULL. */
static struct site *site_find(const struct dt_patches *patches, uint64_t pc)
{
	const size_t i = sites_until(patches, pc);

	return i && patches->list[i - 1]->pc == pc ? patches->list[i - 1] : NULL;
}

/* Return the site of an address, and make one if there is none. Return NULL without memory. */
static struct site *site_get(struct dt_patches *patches, uint64_t pc)
{
	const size_t i = sites_until(patches, pc);
	struct site **more, *site = site_find(patches, pc);

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

/* Give a site an index. Return 0, -EINVAL or -ENOMEM. */
static int index_set(struct dt_patches *patches, uint32_t index, struct site *site)
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

static struct site *site_of(const struct dt_patches *patches, uint32_t index)
{
	return index < patches->nindices ? patches->by_index[index] : NULL;
}

/* ---- forms of sites ---- */

/* A way to patch a site. */
struct form {
	uint64_t at;
	uint64_t back; /* 0: the trampoline returns */
	int32_t distance;
	uint8_t bytes[JUMP_SIZE]; /* as they are off */
	bool near;		  /* the five bytes belong to the site, and may all be written */
};

static struct form form_make(uint64_t at, const uint8_t *bytes, uint64_t back, bool near)
{
	struct form form = {.at = at, .back = back, .near = near};

	memcpy(form.bytes, bytes, JUMP_SIZE);
	memcpy(&form.distance, bytes + 1, sizeof(form.distance));
	return form;
}

/*
 * Find the ways to patch a site by the bytes around it, the best first. code[BEFORE] is at pc.
 * Return their number; 0: there is no site.
 */
static int forms_find(uint64_t pc, const uint8_t *code, struct form forms[2])
{
	static const uint8_t five[] = {0x66, 0x66, 0x66, 0x66, NOP};
	static const uint8_t four[] = {0x66, 0x66, 0x66, NOP};
	static const uint8_t three[] = {0x66, 0x66, NOP, RET};
	static const uint8_t two[] = {0x66, NOP, RET};
	const uint8_t *at = code + BEFORE, *before = at - 1;
	const bool noted = *before == NOP;
	int n = 0;

	if (memcmp(at, five, sizeof(five)) == 0) {
		forms[n++] = form_make(pc, at, pc + 5, true);
		if (noted)
			forms[n++] = form_make(pc - 1, before, pc + 5, false);
	} else if (noted && memcmp(at, four, sizeof(four)) == 0) {
		forms[n++] = form_make(pc - 1, before, pc + 4, true);
	} else if (noted && memcmp(at, three, sizeof(three)) == 0) {
		forms[n++] = form_make(pc - 1, before, 0, true);
	} else if (noted && memcmp(at, two, sizeof(two)) == 0) {
		forms[n++] = form_make(pc - 1, before, 0, false);
	}
	return n;
}

/* Report that the bytes at a site are not those of any form of site. */
static void bytes_fail(const struct failed *failed, const struct site *site, const uint8_t *code)
{
	const uint8_t *at = code + BEFORE;

	if (at[0] == JUMP || at[-1] == JUMP || at[-2] == 0xb0)
		site_fail(failed, site->index, -EBUSY,
			  "the site at 0x%llx is being traced by another dtrace",
			  (unsigned long long)site->pc);
	else if (at[0] == INT3 || at[-1] == INT3)
		site_fail(
			failed, site->index, -EBUSY,
			"the site at 0x%llx has the breakpoint of a debugger or of another tracer",
			(unsigned long long)site->pc);
	else
		site_fail(failed, site->index, -EILSEQ,
			  "there is no code of a site at 0x%llx: %02x %02x %02x %02x %02x",
			  (unsigned long long)site->pc, at[0], at[1], at[2], at[3], at[4]);
}

/* ---- trampolines ---- */

static void put32(uint8_t *at, int64_t value)
{
	const int32_t cut = (int32_t)value;

	memcpy(at, &cut, sizeof(cut));
}

/* Write a jump of five bytes. */
static void jump_make(uint8_t bytes[JUMP_SIZE], uint64_t at, uint64_t target)
{
	*bytes = JUMP;
	put32(bytes + 1, (int64_t)(target - at - JUMP_SIZE));
}

/* Return the target of a jump at an address. Its first byte may still be another instruction's. */
static uint64_t jump_target(const uint8_t bytes[JUMP_SIZE], uint64_t at)
{
	int32_t distance;

	memcpy(&distance, bytes + 1, sizeof(distance));
	return at + JUMP_SIZE + (uint64_t)(int64_t)distance;
}

#define TRAMPOLINE_HIT	  24 /* bytes that call the agent */
#define TRAMPOLINE_SIZE	  (TRAMPOLINE_HIT + JUMP_SIZE)
#define TRAMPOLINE_NUMBER 6 /* offset of the number */
#define TRAMPOLINE_MAX	  (TRAMPOLINE_HIT + DISPLACE_CODE)

/* Return the operand (agent.h) of the trampoline with a number. form: NULL for an instruction. */
static uint32_t trampoline_operand(const struct site *site, const struct form *form,
				   uint32_t number)
{
	const bool conditional = !form && site->insn.kind == DISPLACE_JUMP_IF;

	return AGENT_NUMBER(number) | (conditional ? AGENT_CONDITION(site->insn.condition) : 0);
}

/* Write the code that calls the agent. */
static void hit_make(uint8_t *code, uint64_t at, uint32_t operand)
{
	static const uint8_t model[TRAMPOLINE_HIT] = {
		0x48, 0x8d, 0x64, 0x24, 0x80,			/* lea -128(%rsp),%rsp */
		0x68, 0,    0,	  0,	0,			/* push $operand */
		0xff, 0x15, 0,	  0,	0,    0,		/* call *constant(%rip) */
		0x48, 0x8d, 0xa4, 0x24, 0x88, 0x00, 0x00, 0x00, /* lea 136(%rsp),%rsp */
	};

	memcpy(code, model, sizeof(model));
	put32(code + TRAMPOLINE_NUMBER, operand);
	put32(code + 12, (int64_t)(code_constant(at) - at - 16));
}

/* Addresses that distances of 32 bits must reach, or between which code must be. */
struct bounds {
	uint64_t low, high;
};

static void bounds_add(struct bounds *bounds, uint64_t addr)
{
	const uint64_t low = addr > (uint64_t)REACH ? addr - REACH : 0;

	if (bounds->low < low)
		bounds->low = low;
	if (bounds->high > addr + REACH)
		bounds->high = addr + REACH;
}

static size_t trampoline_size(const struct site *site, const struct form *form)
{
	return form ? TRAMPOLINE_SIZE : TRAMPOLINE_HIT + displace_size(&site->insn);
}

/*
 * Write the trampoline of a site for an address. form: NULL for an instruction. Return false if the
 * code does not work at that address.
 */
static bool trampoline_make(const struct site *site, const struct form *form, uint64_t at,
			    uint32_t number, uint8_t code[TRAMPOLINE_MAX])
{
	static const uint8_t ret[JUMP_SIZE] = {RET, INT3, INT3, INT3, INT3};

	memset(code, INT3, TRAMPOLINE_MAX); /* moved code may be shorter than its size */
	hit_make(code, at, trampoline_operand(site, form, number));
	if (!form) {
		if (!displace_reaches(&site->insn, at + TRAMPOLINE_HIT))
			return false;
		displace_write(&site->insn, at + TRAMPOLINE_HIT, code + TRAMPOLINE_HIT);
	} else if (form->back) {
		jump_make(code + TRAMPOLINE_HIT, at + TRAMPOLINE_HIT, form->back);
	} else {
		memcpy(code + TRAMPOLINE_HIT, ret, sizeof(ret));
	}
	return true;
}

/* Return the number of the trampoline at an address. */
static uint32_t trampoline_number(const struct dt_patches *patches, uint64_t at)
{
	uint32_t operand = 0;

	code_read(&patches->pages, at + TRAMPOLINE_NUMBER, &operand, sizeof(operand));
	return AGENT_NUMBER(operand);
}

/* Return whether the trampoline at an address is equal to the one of a site. */
static bool trampoline_is_same(const struct dt_patches *patches, const struct site *site,
			       const struct form *form, uint64_t at)
{
	const size_t size = trampoline_size(site, form);
	const uint32_t number = trampoline_number(patches, at);
	uint8_t code[TRAMPOLINE_MAX], found[TRAMPOLINE_MAX];

	return number < patches->nnumbers && trampoline_make(site, form, at, number, code) &&
	       code_read(&patches->pages, at, found, size) && memcmp(code, found, size) == 0;
}

/* Return an earlier trampoline of a site within bounds; 0 if there is none. */
static uint64_t trampoline_find(const struct dt_patches *patches, const struct site *site,
				const struct form *form, struct bounds bounds)
{
	uint64_t at;

	for (size_t i = 0; (at = code_found(&patches->pages, site->pc, i)); i++)
		if (at >= bounds.low && at <= bounds.high &&
		    trampoline_is_same(patches, site, form, at))
			return at;
	return 0;
}

/*
 * Return the trampoline to which an earlier jump at an address leads, if it is the one of a site;
 * else 0.
 */
static uint64_t mirror_find(const struct dt_patches *patches, const struct site *site,
			    const struct form *form, uint64_t target)
{
	uint8_t jump[JUMP_SIZE];
	uint64_t to, at;

	if (!code_read(&patches->pages, target, jump, sizeof(jump)) || *jump != JUMP)
		return 0;
	to = jump_target(jump, target);
	for (size_t i = 0; (at = code_found(&patches->pages, site->pc, i)); i++)
		if (at == to)
			return trampoline_is_same(patches, site, form, at) ? at : 0;
	return 0;
}

/* Find the numbers of the trampolines of earlier sessions. */
static void numbers_begin(struct dt_patches *patches)
{
	for (size_t i = 0; i < patches->pages.nfound; i++) {
		const uint32_t number = trampoline_number(patches, patches->pages.found[i].addr);

		if (number >= patches->next_number && number < patches->nnumbers)
			patches->next_number = number + 1;
	}
}

/*
 * Return a trampoline for a site, within bounds and as near to an address as possible: an earlier
 * one, or a new one. form: NULL for an instruction. Return 0 if there is no free memory.
 */
static uint64_t trampoline_emit(struct dt_patches *patches, const struct site *site,
				const struct form *form, struct bounds bounds, uint64_t near)
{
	uint8_t code[TRAMPOLINE_MAX];
	uint64_t at;

	bounds_add(&bounds, form ? form->at : site->at);
	if (!form && site->insn.target)
		bounds_add(&bounds, site->insn.target);
	if (bounds.low >= bounds.high)
		return 0;
	at = trampoline_find(patches, site, form, bounds);
	if (at || patches->next_number >= patches->nnumbers)
		return at;
	at = code_find(&patches->pages, near, bounds.low, bounds.high, trampoline_size(site, form));
	if (!at || !trampoline_make(site, form, at, patches->next_number, code))
		return 0;
	code_write(&patches->pages, site->pc, at, code, trampoline_size(site, form));
	patches->next_number++;
	return at;
}

/* Assign hits of a trampoline to an index; INDEX_NONE: to no site. */
static void number_set(struct dt_patches *patches, uint64_t trampoline, uint32_t index)
{
	const uint32_t number = trampoline_number(patches, trampoline);

	if (number < patches->nnumbers)
		__atomic_store_n(&patches->numbers[number], index == INDEX_NONE ? 0 : index + 1,
				 __ATOMIC_RELEASE);
}

/* Note how a site is patched. */
static void site_take(struct site *site, const struct form *form, enum site_state state,
		      uint64_t trampoline)
{
	site->at = form->at;
	site->back = form->back;
	site->state = state;
	site->trampoline = trampoline;
	site->size = state == SITE_FIVE_BYTES ? JUMP_SIZE : 1;
	site->span = JUMP_SIZE;
	site->depth = 0;
	memcpy(site->off_bytes, form->bytes, JUMP_SIZE);
	memcpy(site->on_bytes, form->bytes, JUMP_SIZE);
	if (state == SITE_FIVE_BYTES)
		jump_make(site->on_bytes, form->at, trampoline);
	else
		site->on_bytes[0] = JUMP;
}

/* Return the target of the jump in the one-byte form of a site. */
static uint64_t form_target(const struct form *form)
{
	return form->at + JUMP_SIZE + (uint64_t)(int64_t)form->distance;
}

/* Write the code for the one-byte form of a site. Return 0, -EEXIST, -ENOSPC or -ENOMEM. */
static int mirror_emit(struct dt_patches *patches, struct site *site, const struct form *form)
{
	const uint64_t target = form_target(form);
	const uint64_t near = target < form->at ? target - ASIDE : target + ASIDE;
	struct bounds bounds = {0, UINT64_MAX};
	uint8_t jump[JUMP_SIZE];
	uint64_t trampoline;
	int error;

	if (!code_is_possible(&patches->pages, target, sizeof(jump)))
		return -EEXIST;
	bounds_add(&bounds, target);
	trampoline = trampoline_emit(patches, site, form, bounds, near);
	if (!trampoline)
		return -ENOSPC;
	jump_make(jump, target, trampoline);
	error = code_write_at(&patches->pages, target, jump, sizeof(jump));
	if (!error)
		site_take(site, form, SITE_ONE_BYTE, trampoline);
	return error;
}

/* Write the code for the five-byte form of a site. Return 0 or -ENOSPC. */
static int jump_emit(struct dt_patches *patches, struct site *site, const struct form *form)
{
	const uint64_t near = form->at > AWAY ? form->at - AWAY : form->at + AWAY;
	uint64_t trampoline =
		trampoline_emit(patches, site, form, (struct bounds){0, UINT64_MAX}, near);

	if (!trampoline)
		return -ENOSPC;
	site_take(site, form, SITE_FIVE_BYTES, trampoline);
	return 0;
}

/* ---- preparing ---- */

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
	size_t i = sites_until(patches, at + 2 * AROUND);

	for (; i-- > 0 && patches->list[i]->pc + 2 * AROUND > at;)
		if (patches->list[i] != site && sites_overlap(patches->list[i], at))
			return patches->list[i];
	return NULL;
}

static void site_unmapped(const struct failed *failed, const struct site *site)
{
	site_fail(failed, site->index, -ENOENT, "the code at 0x%llx is not mapped any more",
		  (unsigned long long)site->pc);
}

/* Read the bytes around a site. Return 0, or report and return a negative errno. */
static int site_read(struct dt_patches *patches, const struct failed *failed, struct site *site,
		     uint8_t code[AROUND])
{
	const struct dt_range *range = dt_space_at(&patches->pages.space, site->pc);

	if (!range || !range->executable ||
	    mem_read(patches, site->pc - BEFORE, code, AROUND) != 0) {
		site_unmapped(failed, site);
		return -ENOENT;
	}
	if (range->shared) {
		site_fail(failed, site->index, -ENOTSUP,
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
		bytes_fail(failed, site, code);
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
 * Write the code for the best possible form of a site. Return 0 or a negative errno, without a
 * report.
 */
static int forms_emit(struct dt_patches *patches, struct site *site, const struct form *forms,
		      int n)
{
	int error = -ENOSPC;

	for (int i = 0; i < n && error; i++) {
		uint64_t trampoline = mirror_find(patches, site, &forms[i], form_target(&forms[i]));

		if (!trampoline || overlap_find(patches, site, forms[i].at))
			continue;
		site_take(site, &forms[i], SITE_ONE_BYTE, trampoline);
		error = 0;
	}
	for (int i = 0; i < n && error; i++)
		if (!overlap_find(patches, site, forms[i].at))
			error = mirror_emit(patches, site, &forms[i]);
	for (int i = 0; i < n && error; i++)
		if (forms[i].near && !overlap_find(patches, site, forms[i].at))
			error = jump_emit(patches, site, &forms[i]);
	return error == -EEXIST ? -ENOSPC : error;
}

/* ---- instructions ---- */

/* Return whether a site writes bytes of the distance of an instruction's site. */
static bool site_supports(const struct site *other, const struct site *site)
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
	for (size_t i = sites_until(patches, site->at + 2 * AROUND); i-- > 0;) {
		const struct site *other = patches->list[i];

		if (other->pc + 2 * AROUND <= site->at)
			break;
		if (other == site || other->state == SITE_NEW || (other->forgotten && !other->on))
			continue;
		if (other->state != SITE_INSTRUCTION && other->at < end &&
		    site->at < other->at + JUMP_SIZE)
			return other;
		if (!site_supports(other, site))
			continue;
		for (int k = 0; k < other->size && other->at + k < site->at + site->span; k++)
			bytes[other->at + k - site->at] = other->on_bytes[k];
		if (site->depth <= other->depth)
			site->depth = other->depth + 1;
	}
	return NULL;
}

/* Return the number of prefixes of a site's jump. */
static uint8_t site_prefixes(const struct site *site)
{
	return site->span - JUMP_SIZE;
}

/*
 * Note that an instruction is patched by size bytes of a jump to target, which leads to its
 * trampoline. If the jump has a prefix, that is in on_bytes already.
 */
static void insn_take(struct site *site, const uint8_t *bytes, uint8_t size, uint64_t target,
		      uint64_t trampoline)
{
	const uint8_t prefixes = site_prefixes(site);

	site->trampoline = trampoline;
	site->size = size;
	memcpy(site->off_bytes, bytes, site->span);
	jump_make(site->on_bytes + prefixes, site->at + prefixes, target);
}

/* Use an earlier jump at target for an instruction. Return false if there is none. */
static bool insn_mirror_found(struct dt_patches *patches, struct site *site, const uint8_t *bytes,
			      uint8_t size, uint64_t target)
{
	uint64_t trampoline = mirror_find(patches, site, NULL, target);

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

/*
 * Write the code for the form that writes all bytes of an instruction, five at most. The bytes
 * after it are the high bytes of the distance. A jump may skip the prefix `lock`, so the bytes
 * after the prefix must stay. Return false if there is no free memory.
 */
static bool insn_all_bytes(struct dt_patches *patches, struct site *site, const uint8_t *bytes)
{
	const uint8_t size = site->insn.size < JUMP_SIZE ? site->insn.size : JUMP_SIZE;
	const uint64_t span = 1ULL << 8 * (size - 1);
	struct bounds bounds = {0, UINT64_MAX};
	const uint64_t first = jump_first(bytes, site->at, size);
	uint64_t trampoline;

	if (size == 1 || *site->insn.bytes == LOCK)
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
 * Return the number of bytes of an instruction that may be written. A jump may skip the prefix
 * `lock`.
 */
static uint8_t insn_own(const struct site *site)
{
	return *site->insn.bytes == LOCK     ? 1
	       : site->insn.size < JUMP_SIZE ? site->insn.size
					     : JUMP_SIZE;
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

/* The prefixes that jumps ignore, those of segments; the first: none. */
static const uint8_t segments[] = {0, 0x2e, 0x36, 0x3e, 0x26, 0x64, 0x65};

static bool is_segment(uint8_t byte)
{
	return byte != 0 && memchr(segments, byte, sizeof(segments));
}

static bool is_nop(const struct displace *insn)
{
	const uint8_t *op = insn->bytes + insn->opcode;

	return (op[0] == NOP && (insn->opcode == 0 || insn->bytes[insn->opcode - 1] == 0x66)) ||
	       (op[0] == 0x0f && op[1] == 0x1f);
}

/* Return whether execution may continue after an instruction. */
static bool falls_through(const struct displace *insn)
{
	return insn->kind != DISPLACE_LEAVE && insn->kind != DISPLACE_JUMP;
}

/*
 * Return whether the bytes at an address are a jump to code of dtrace: of a patch that was not
 * taken back.
 */
static bool is_patched(const struct dt_patches *patches, uint64_t at, const uint8_t *bytes)
{
	uint8_t code;

	if (is_segment(*bytes)) {
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
	const struct site *site = site_find(patches, pc);
	uint8_t bytes[BEFORE + DISPLACE_INSN];
	const uint8_t *op = insn->bytes;
	struct form forms[2];

	if (site && site->state == SITE_INSTRUCTION) {
		*insn = site->insn;
		return *insn->bytes != LOCK;
	}
	if ((site && !site->instruction && !site->forgotten) ||
	    mem_read(patches, pc - BEFORE, bytes, sizeof(bytes)) != 0 ||
	    forms_find(pc, bytes, forms) != 0 || is_patched(patches, pc, bytes + BEFORE) ||
	    displace_read(insn, bytes + BEFORE, DISPLACE_INSN, pc))
		return false;
	op += insn->opcode;
	return *insn->bytes != LOCK && !(op[0] == 0x0f && (op[1] == 0x05 || op[1] == 0x34));
}

/* Return whether a site was requested for the instruction at an address. */
static bool is_asked_for(const struct dt_patches *patches, uint64_t pc)
{
	const struct site *site = site_find(patches, pc);

	return site && site->instruction && !site->forgotten;
}

/*
 * Find the instruction with the last byte of another one's distance. The bytes after a return or a
 * jump may be data, unless they are known to be code, or are padding. Return its address, or 0.
 */
static uint64_t aid_find(const struct dt_patches *patches, const struct site *site)
{
	const uint64_t last = site->at + JUMP_SIZE - 1;
	struct displace insn = site->insn;
	bool known = true;
	uint64_t at;

	while (insn.next <= last) {
		at = insn.next;
		known = at < site->end || is_asked_for(patches, at) ||
			(known && falls_through(&insn));
		if (!insn_read(patches, at, &insn) || (!known && !is_nop(&insn)))
			return 0;
		if (insn.next > last)
			return at;
	}
	return 0;
}

/* Return whether an instruction can be patched if an aid's jump is part of its distance. */
static bool aid_suffices(struct dt_patches *patches, struct site *site, const struct site *aid,
			 const uint8_t jump[SPAN_MAX])
{
	const size_t own = insn_own(site);
	const uint64_t span = 1ULL << 8 * (own - 1);
	const uint8_t before = site->span;
	uint8_t bytes[SPAN_MAX];
	uint64_t first;
	bool fits;

	site->span = JUMP_SIZE;
	fits = mem_read(patches, site->at, bytes, sizeof(bytes)) == 0 &&
	       !support_apply(patches, site, bytes);
	site->span = before;
	if (!fits)
		return false;
	for (uint64_t i = 0; aid->at + i < site->at + JUMP_SIZE; i++)
		bytes[aid->at + i - site->at] = jump[i];
	first = jump_first(bytes, site->at, own);
	if (own > 2)
		return insn_trampoline_found(patches, site, first, (uint8_t)own) ||
		       dt_space_near(&patches->pages.space, first + span / 2, first,
				     first + span) != 0;
	for (uint64_t i = 0; i < span; i++)
		if (mirror_find(patches, site, NULL, first + i) ||
		    code_is_possible(&patches->pages, first + i, JUMP_SIZE))
			return true;
	return false;
}

/* Return the next site, from *i downwards, for which an aid was chosen; NULL if there is none. */
static struct site *aid_next(const struct dt_patches *patches, const struct site *aid, size_t *i)
{
	while (*i > 0) {
		struct site *site = patches->list[--*i];

		if (site->pc + JUMP_SIZE <= aid->at)
			break;
		if (site->aid == aid->at && !site->forgotten && !site->on)
			return site;
	}
	return NULL;
}

/*
 * Return whether all instructions with this aid could be patched. Set *fixed to whether that
 * depends on the first byte of the jump only.
 */
static bool aid_suffices_all(struct dt_patches *patches, const struct site *aid,
			     const uint8_t jump[SPAN_MAX], bool *fixed)
{
	size_t i = sites_until(patches, aid->at);
	struct site *site;
	bool suffices = true;

	*fixed = true;
	while ((site = aid_next(patches, aid, &i))) {
		*fixed &= site->at + JUMP_SIZE - 1 == aid->at;
		suffices = suffices && aid_suffices(patches, site, aid, jump);
	}
	return suffices;
}

/* Return whether an instruction needs this aid. waiting: the instruction is not patched yet. */
static bool aid_is_wanted(const struct dt_patches *patches, const struct site *aid, bool waiting)
{
	size_t i = sites_until(patches, aid->at);
	const struct site *site;

	while ((site = aid_next(patches, aid, &i)))
		if (!waiting || site->state == SITE_NEW)
			return true;
	return false;
}

#define AID_HIGH  256 /* distances to try: of the byte that changes both targets, */
#define AID_LOW	  8   /* and of the other bytes */
#define AID_LINKS 3   /* longest chain of aids */

/*
 * Write the code of an aid, whose jump has a prefix (0: none), with a distance that all waiting
 * instructions can use: one that was written before, if there is one. Return false if no distance
 * suits.
 */
static bool aid_emit_form(struct dt_patches *patches, struct site *site, uint8_t prefix)
{
	const uint8_t size = site->insn.size < JUMP_SIZE ? site->insn.size : JUMP_SIZE;
	const bool found = code_found(&patches->pages, site->pc, 0) != 0;
	const size_t start = prefix ? 1 : 0; /* of the jump */
	const unsigned int highs = size > start + 1 ? AID_HIGH : 1;
	uint8_t bytes[SPAN_MAX], jump[SPAN_MAX];
	uint64_t target;
	bool fixed;

	site->span = (uint8_t)(JUMP_SIZE + start);
	if (size <= start || mem_read(patches, site->at, bytes, sizeof(bytes)) != 0 ||
	    support_apply(patches, site, bytes))
		return false;
	site->on_bytes[0] = prefix;
	for (unsigned int i = found ? 0 : AID_LOW; i < 2 * AID_LOW; i++)
		for (unsigned int high = 0; high < highs; high++) {
			const bool old = i < AID_LOW;

			memcpy(jump, bytes, sizeof(jump));
			*jump = prefix;
			jump[start] = JUMP;
			for (size_t k = start + 1; k < size; k++)
				jump[k] = (uint8_t)(i % AID_LOW * 37 + high);
			target = jump_target(jump + start, site->at + start);
			if (old ? !mirror_find(patches, site, NULL, target)
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
	for (size_t i = 0; i < sizeof(segments); i++)
		if (aid_emit_form(patches, site, segments[i]))
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
		site_fail(failed, site->index, -EILSEQ, "the code ends at 0x%llx",
			  (unsigned long long)site->pc);
		return -EILSEQ;
	}
	if (is_patched(patches, site->pc, bytes)) {
		site_fail(failed, site->index, -EBUSY,
			  "the code at 0x%llx has a patch of another dtrace",
			  (unsigned long long)site->pc);
		return -EBUSY;
	}
	why = displace_read(&insn, bytes, (size_t)n, site->pc);
	if (why) {
		site_fail(failed, site->index, -EOPNOTSUPP,
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
	site_fail(failed, site->index, -EBUSY, "the site at 0x%llx overlaps that at 0x%llx",
		  (unsigned long long)site->pc, (unsigned long long)other->pc);
	return -EBUSY;
}

/*
 * Choose an aid for an instruction that cannot be patched, once. Return whether the instruction
 * has to be tried again: it has just got an aid, or its aid has.
 */
static bool aid_choose(struct dt_patches *patches, struct site *site)
{
	const struct site *aid = site->aid ? site_find(patches, site->aid) : NULL;

	if (site->tries++ > AID_LINKS)
		return false;
	if (aid)
		return aid->state == SITE_NEW && aid->aid;
	if (site->links < AID_LINKS)
		site->aid = aid_find(patches, site);
	return site->aid != 0;
}

/*
 * Write the code of an instruction. Return 0; -EAGAIN if the instruction site->aid has to become an
 * aid; or report and return another negative errno.
 */
static int insn_emit(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	const bool one_first = patches->pages.n < PAGES_MANY;
	bool alone = true, again = false; /* it need not be an aid */
	uint8_t planned[SPAN_MAX];
	int error = insn_take_up(patches, failed, site, planned);

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
	support_apply(patches, site, planned); /* of a jump without prefix */
	if (alone && (insn_found(patches, site, planned) ||
		      (one_first && insn_one_byte(patches, site, planned)) ||
		      insn_all_bytes(patches, site, planned) ||
		      (!one_first && insn_one_byte(patches, site, planned))))
		return 0;
	site->state = SITE_NEW;
	if (again || (alone && aid_choose(patches, site)))
		return -EAGAIN;
	site->aid = 0;
	site_fail(failed, site->index, -ENOSPC,
		  "no page can be mapped where a jump from 0x%llx would reach it",
		  (unsigned long long)site->pc);
	return -ENOSPC;
}

/* Write the code of a site. Return 0, or report and return a negative errno. */
static int site_emit(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	struct form forms[2];
	const struct site *other;
	uint8_t code[AROUND];
	int error, n;

	if (site->on) /* it has code, and only its index may have changed */
		return 0;
	error = site_read(patches, failed, site, code);
	if (error)
		return error;
	if (site->enabled)
		return enabled_prepare(failed, site, code);
	n = site->instruction ? 0 : forms_find(site->pc, code, forms);
	if (code[BEFORE] != INT3 && (site->instruction || (!n && code[BEFORE] == NOP)))
		return insn_emit(patches, failed, site);
	if (!n) {
		bytes_fail(failed, site, code);
		return -EILSEQ;
	}
	/* If the site was prepared in one of these forms before, its code can be used again. */
	for (int i = 0; i < n; i++)
		if (site->state != SITE_NEW && site->at == forms[i].at &&
		    site->back == forms[i].back && site->trampoline &&
		    memcmp(site->off_bytes, forms[i].bytes, JUMP_SIZE) == 0)
			return 0;
	site->state = SITE_NEW;
	error = forms_emit(patches, site, forms, n);
	if (!error)
		return 0;
	other = overlap_find(patches, site, forms[0].at);
	if (other)
		site_fail(failed, site->index, -EBUSY, "the site at 0x%llx overlaps that at 0x%llx",
			  (unsigned long long)site->pc, (unsigned long long)other->pc);
	else
		site_fail(failed, site->index, error,
			  "no page can be mapped where a jump from 0x%llx would reach it",
			  (unsigned long long)site->pc);
	return error;
}

/*
 * Write the code of a site, and assign hits of its trampoline to its index. Return 0, or report and
 * return a negative errno.
 */
static int site_ready(struct dt_patches *patches, const struct failed *failed, struct site *site)
{
	const uint64_t before = site->trampoline;
	int error = site_emit(patches, failed, site);

	if (before && (error || before != site->trampoline))
		number_set(patches, before, INDEX_NONE);
	if (error || !site->trampoline)
		return error;
	code_take(&patches->pages, site->trampoline);
	number_set(patches, site->trampoline, site->index);
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
	target = jump_target(site->on_bytes + site_prefixes(site), site->at + site_prefixes(site));
	return code_is_mapped(&patches->pages, target) &&
	       code_is_mapped(&patches->pages, target + JUMP_SIZE - 1);
}

/*
 * Write and map the code of pending sites, once. Return the number of sites to try again, or a
 * negative errno.
 */
static int pending_map(struct dt_patches *patches, struct dt_remote *remote,
		       const struct failed *failed, struct pending *pending, size_t n, bool last)
{
	int error = code_pages_begin(&patches->pages, patches->pid, patches->mem), again = 0;

	if (error)
		return error;
	if (!patches->numbered)
		numbers_begin(patches);
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
		site_fail(failed, pending[i].index, error,
			  "code for the site at 0x%llx cannot be mapped: %s",
			  (unsigned long long)pending[i].site->pc, strerror(-error));
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
		struct site *site = site_get(patches, sites[i].pc);
		int error;

		if (!site)
			return -ENOMEM;
		if (!site->forgotten && site->index != sites[i].index && site->index != INDEX_NONE)
			patches->by_index[site->index] = NULL;
		site->index = sites[i].index;
		site->aid = 0;
		site->links = 0;
		site->end = sites[i].end;
		site->enabled = sites[i].enabled;
		site->instruction = sites[i].instruction;
		error = index_set(patches, site->index, site);
		if (!error)
			error = pending_add(pending, npending, site);
		if (error)
			return error;
		site->forgotten = false;
	}
	return 0;
}

/* ---- switching ---- */

/* Return whether the code of a site is still mapped, from the same file. */
static bool site_is_there(const struct dt_space *space, const struct site *site)
{
	const struct dt_range *range = dt_space_at(space, site->pc);

	return range && range->executable && range->dev == site->dev && range->ino == site->ino &&
	       (!range->ino || range->offset + (site->pc - range->start) == site->offset);
}

/*
 * Write the bytes of a site, if the expected bytes are there. Return 0, or report and return a
 * negative errno.
 */
static int site_write(int mem, const struct failed *failed, const struct site *site, bool on)
{
	const uint8_t *new = on ? site->on_bytes : site->off_bytes;
	const uint8_t *old = on ? site->off_bytes : site->on_bytes;
	uint8_t bytes[SPAN_MAX];
	int error = 0;

	if (pread(mem, bytes, site->span, (off_t)site->at) != site->span)
		error = -ENOENT;
	else if (memcmp(bytes, new, site->span) == 0)
		return 0;
	else if (memcmp(bytes, old, site->span) != 0)
		error = -EBUSY;
	if (!error)
		error = mem_write(mem, site->at, new, site->size);
	if (error == -EBUSY)
		site_fail(failed, site->index, error,
			  "the code of the site at 0x%llx has been changed by another tracer",
			  (unsigned long long)site->pc);
	else if (error)
		site_fail(failed, site->index, error, "the site at 0x%llx cannot be written: %s",
			  (unsigned long long)site->pc, strerror(-error));
	return error;
}

/* Switch a site, unless that fails. */
static void site_switch(struct dt_patches *patches, const struct failed *failed, struct site *site,
			bool on)
{
	if (site_write(patches->mem, failed, site, on) == 0)
		site->on = on;
}

/* Move threads that are within the bytes of a future jump to its trampoline. */
static void threads_move(struct dt_seized *threads, const struct site *site)
{
	const uint64_t to = site->back ? site->back : site->trampoline + TRAMPOLINE_HIT;

	for (size_t i = 0; i < dt_seized_count(threads); i++) {
		uint64_t ip = dt_seized_ip(threads, i);

		if (ip > site->at && ip < site->at + JUMP_SIZE)
			dt_seized_move(threads, i, to);
	}
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
		site_unmapped(failed, site);
	return false;
}

/* Sites that are being switched. */
struct due {
	struct site **list;
	size_t n;
	bool stop; /* threads must be stopped */
};

static void due_add(struct due *due, struct site *site)
{
	site->listed = true;
	due->list[due->n++] = site;
	due->stop |= site->size > 1;
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
		for (size_t k = sites_until(patches, due->list[i]->at + 2 * AROUND); k-- > 0;) {
			struct site *other = patches->list[k];

			if (other->pc + 2 * AROUND <= due->list[i]->at)
				break;
			if (other->listed || other->forgotten ||
			    !site_supports(other, due->list[i]) ||
			    !site_is_due(failed, space, other, true))
				continue;
			other->kept = true;
			due_add(due, other);
		}
}

/* Return whether a site supports a site that stays on. */
static bool site_is_needed(const struct dt_patches *patches, const struct site *site)
{
	for (size_t k = sites_until(patches, site->at); k-- > 0;) {
		const struct site *other = patches->list[k];

		if (other->pc + AROUND <= site->at)
			break;
		if (other->on && !other->listed && site_supports(site, other))
			return true;
	}
	return false;
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

			site->kept = site_is_needed(patches, site);
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
 * off in the other direction.
 */
static void due_switch(struct dt_patches *patches, const struct failed *failed,
		       const struct due *due, bool on, bool alone)
{
	struct dt_seized *threads = NULL;
	char why[DT_WHYLEN];
	int error = due->stop && !alone ? dt_seize_all(patches->pid, &threads, why) : 0;

	qsort(due->list, due->n, sizeof(struct site *), site_compare);
	for (size_t i = 0; i < due->n; i++) {
		struct site *site = due->list[on ? due->n - 1 - i : i];

		if (site->size > 1 && error) {
			site_fail(failed, site->index, error, "%s", why);
			continue;
		}
		if (threads && on && site->state == SITE_FIVE_BYTES)
			threads_move(threads, site);
		site_switch(patches, failed, site, on);
	}
	if (threads)
		dt_seized_go(threads);
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
			site_write(patches->mem, &nobody, site, false);
			site->on = false;
			if (on)
				site_unmapped(failed, site);
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
	for (size_t k = sites_until(patches, site->at); k-- > 0;) {
		const struct site *other = patches->list[k];

		if (other->pc + AROUND <= site->at)
			break;
		if (other->on && !other->single && site_supports(site, other))
			return false;
	}
	return true;
}

/* Report how to undo the sites that are on, and which sites are off now. */
static void patches_note(struct dt_patches *patches, const struct noted *noted)
{
	if (!noted->func)
		return;
	for (size_t i = 0; i < patches->n; i++) {
		struct site *site = patches->list[i];
		struct agent_patch patch = {
			.addr = site->at, .size = site->on ? site->size : 0, .depth = site->depth};
		bool was = site->noted;

		site->noted = site->on;
		site->single = site_is_single(patches, site);
		patch.stop = !site->single;
		memcpy(patch.before, site->off_bytes, sizeof(patch.before));
		memcpy(patch.now, site->on_bytes, sizeof(patch.now));
		if (site->noted || was)
			noted->func(noted->arg, &patch);
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

/* Switch n sites, of which some may be NULL. Return 0 or a negative errno. */
static int sites_set(struct dt_patches *patches, const struct failed *failed,
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

		pending[i].first = site->enabled ||
				   (!site->instruction &&
				    mem_read(patches, site->pc, &byte, 1) == 0 && byte != NOP);
	}
}

/* Set or clear the mark of the pending sites. */
static void pending_list(const struct pending *pending, size_t n, bool listed)
{
	for (size_t i = 0; i < n; i++)
		pending[i].site->listed = listed;
}

/*
 * Add the instructions whose distances contain bytes of the pending sites, and those that these
 * support, and so on. Meanwhile they are switched off. Return 0 or -ENOMEM.
 */
static int pending_extend(struct dt_patches *patches, struct pending **pending, size_t *n)
{
	int error = 0;

	pending_list(*pending, *n, true);
	for (size_t i = 0; i < *n && !error; i++) {
		const struct site *new = (*pending)[i].site;

		if (new->on && !new->resume)
			continue;
		for (size_t k = sites_until(patches, new->pc); k-- > 0 && !error;) {
			struct site *site = patches->list[k];

			if (site->pc + AROUND <= new->pc)
				break;
			if (site->listed || site->state != SITE_INSTRUCTION)
				continue;
			error = pending_add(pending, n, site);
			site->listed = true;
			site->resume |= site->on;
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
		struct site *aid;

		if ((*pending)[i].error != -EAGAIN)
			continue;
		(*pending)[i].error = 0;
		again++;
		aid = site_get(patches, (*pending)[i].site->aid);
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
			aid->links = 0;
		}
		if (aid->links <= (*pending)[i].site->links)
			aid->links = (*pending)[i].site->links + 1;
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
		error = sites_set(patches, failed, &nobody, sites, many, false, false);
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
		sites[i] = site_of(patches, indices[i]);
	error = sites_set(patches, &failed, &noted, sites, n, on, alone);
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
		struct site *site = site_of(patches, indices[i]);

		if (!site)
			continue;
		patches->by_index[indices[i]] = NULL;
		site->forgotten = true;
		if (site->trampoline)
			number_set(patches, site->trampoline, INDEX_NONE);
	}
	return 0;
}

bool dt_patch_is_there(const struct dt_patches *patches, uint32_t index)
{
	const struct site *site = site_of(patches, index);
	uint8_t first;

	return site && pread(patches->mem, &first, 1, (off_t)site->at) == 1 &&
	       first == site->on_bytes[0];
}

/* ---- semaphores ---- */

/* Add to a uint16_t of a process. Return 0 or a negative errno. */
static int count_add(int mem, uint64_t addr, int change)
{
	uint16_t count;
	int value;

	if (pread(mem, &count, sizeof(count), (off_t)addr) != sizeof(count))
		return -EFAULT;
	value = count + change;
	if (value > UINT16_MAX)
		return -EOVERFLOW;
	count = value < 0 ? 0 : (uint16_t)value;
	return mem_write(mem, addr, &count, sizeof(count));
}

int dt_patch_semaphore(struct dt_patches *patches, uint64_t addr, int change)
{
	struct semaphore *more;
	size_t i = 0;
	int error;

	while (i < patches->nsemaphores && patches->semaphores[i].addr != addr)
		i++;
	if (i == patches->nsemaphores) {
		more = dt_list_grow(patches->semaphores, i, sizeof(*more));
		if (!more)
			return -ENOMEM;
		patches->semaphores = more;
		more[patches->nsemaphores++] = (struct semaphore){.addr = addr};
	}
	error = count_add(patches->mem, addr, change);
	if (!error)
		patches->semaphores[i].added += change;
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
	bool stopped = has_long(patches) && dt_seize_all(child, &threads, why) == 0;

	for (size_t i = 0; i < patches->n; i++)
		if (patches->list[i]->state != SITE_NEW && (patches->list[i]->size == 1 || stopped))
			site_write(memory, &nobody, patches->list[i], false);
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

void dt_patch_close(struct dt_patches *patches)
{
	const struct failed failed = {0};
	const struct noted noted = {0};

	sites_set(patches, &failed, &noted, patches->list, patches->n, false, false);
	for (size_t i = 0; i < patches->nsemaphores; i++)
		if (patches->semaphores[i].added)
			count_add(patches->mem, patches->semaphores[i].addr,
				  -patches->semaphores[i].added);
	for (size_t i = 0; i < patches->n; i++)
		free(patches->list[i]);
	free(patches->list);
	free(patches->by_index);
	free(patches->semaphores);
	code_pages_free(&patches->pages);
	close(patches->mem);
	free(patches);
}
