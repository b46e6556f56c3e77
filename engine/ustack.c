/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ustack.c - the records of ustack() and jstack(): addresses, and the names that the process's
 * helpers give to frames.
 *
 * Frames come from two sources: frame pointers are followed; and since most programs have none, the
 * stack is searched for addresses in the text of objects that registered a helper. Both are in the
 * order of the stack, and are merged by it. A frame of the search counts only if its helper returns
 * a name, or fails trying.
 */
#include "account.h"
#include "dif_mem.h"
#include "fire.h"
#include "ustack.h"

#define USTACK_CHUNK 4096 /* of the stack, that is read in one go: no page boundary in it */

struct ustack_hit { /* a word of the stack that is an address in a helper's text */
	uint64_t pc, pc_at;
	uint32_t helper;
};

struct ustack {
	struct mstate *m;
	const struct dtrace_helpers *helpers;
	uint64_t left;	     /* ns that they may take; UINT64_MAX: any time */
	unsigned int word;   /* bytes of an address */
	uint64_t *pcs, *fps; /* found by frame pointers */
	uint32_t nwalked;
	struct ustack_hit *hits;
	uint32_t nhits;
	uint32_t runs; /* of helpers */
	bool limited;  /* a limit was reached */
	/* the record */
	uint64_t *out;
	uint32_t n, capacity;
	char *strs;
	uint32_t used, strsize;
	bool overflow; /* names did not fit */
};

unsigned int ustack_how(const struct mstate *m)
{
	bool tables = m->state->opts[DTRACEOPT_UNWIND] == DTRACEOPT_UNWIND_TABLES;

	return (tables ? TARGET_USTACK_TABLES : 0) |
	       (m->fire->no_frame ? TARGET_USTACK_NO_FRAME : 0);
}

/* ---- the record ---- */

/* Write a frame's name, which is empty for most frames. A name that does not fit is cut. */
static void ustack_put_name(struct ustack *u, const struct str *name)
{
	uint32_t left = u->strsize - u->used;
	size_t n = name->n;

	if (n && n + 1 > left) {
		u->overflow = true;
		n = left ? left - 1 : 0;
	}
	if (!left)
		return;
	memcpy(u->strs + u->used, name->p, n);
	u->strs[u->used + n] = '\0';
	u->used += (uint32_t)n + 1;
}

static void ustack_put(struct ustack *u, uint64_t pc, const struct str *name)
{
	u->out[u->n++] = pc;
	ustack_put_name(u, name);
}

/* ---- the search ---- */

static bool ustack_in_text(const struct dtrace_helper *h, uint64_t pc)
{
	for (uint32_t i = 0; i < h->ntexts; i++)
		if (pc >= h->texts[i].start && pc < h->texts[i].end)
			return true;
	return false;
}

/* Note the words of a chunk of the stack that are addresses in text with a helper. */
static void ustack_search_chunk(struct ustack *u, const uint8_t *chunk, uint64_t addr, size_t n)
{
	const struct dtrace_helpers *helpers = u->helpers;
	uint32_t h;

	for (size_t i = 0; i + u->word <= n && !u->limited; i += u->word) {
		uint64_t pc = 0;

		memcpy(&pc, chunk + i, u->word); /* little-endian: the low bytes come first */
		for (h = 0; pc && h < helpers->n && !ustack_in_text(&helpers->list[h], pc);)
			h++;
		if (!pc || h == helpers->n)
			continue;
		if (u->nhits == DTRACE_UHELP_MAXRUNS)
			u->limited = true;
		else
			u->hits[u->nhits++] = (struct ustack_hit){pc, addr + i, h};
	}
}

static bool ustack_any_text(const struct dtrace_helpers *helpers)
{
	for (uint32_t i = 0; i < helpers->n; i++)
		if (helpers->list[i].ntexts)
			return true;
	return false;
}

/*
 * Search the stack for return addresses into text with a helper, from the stack pointer up to the
 * first page that cannot be read.
 */
static void ustack_search(struct ustack *u, uint64_t sp)
{
	uint64_t addr = (sp + u->word - 1) & ~(uint64_t)(u->word - 1);
	uint64_t end = addr + DTRACE_UHELP_SEARCH;
	struct mstate *m = u->m;
	uint8_t *top = m->scratch_top, *chunk = mem_alloc(m, USTACK_CHUNK);
	uint64_t ntexts = 0;
	size_t n;

	for (uint32_t i = 0; i < u->helpers->n; i++)
		ntexts += u->helpers->list[i].ntexts;
	for (; chunk && addr < end && !u->limited; addr += n) {
		n = USTACK_CHUNK - addr % USTACK_CHUNK;
		if (n > end - addr)
			n = end - addr;
		if (!dif_charge(m, WORK_FETCH + n / 32 + n / u->word * ntexts / 4) ||
		    target_load_user(chunk, addr, n) != 0)
			break;
		ustack_search_chunk(u, chunk, addr, n);
	}
	m->scratch_top = top;
}

/* ---- helpers ---- */

static enum helper_said ustack_ask(struct ustack *u, uint32_t helper, const struct frame *frame,
				   struct str *name)
{
	enum helper_said said = HELPER_NOTHING;
	bool may = u->runs < DTRACE_UHELP_MAXRUNS && u->m->steps;

	if (may) {
		u->runs++;
		said = helper_run(u->m, u->helpers->list[helper].program, frame, name);
	}
	u->limited |= !may || !u->m->steps;
	return said;
}

/* Record a frame that unwinding has found. The first helper that knows a name gives it. */
static void ustack_walked(struct ustack *u, const struct frame *frame)
{
	struct str name = {.p = ""};
	bool named = false;

	for (uint32_t i = 0; i < u->helpers->n && !named; i++)
		named = ustack_ask(u, i, frame, &name) == HELPER_NAME;
	ustack_put(u, frame->pc, named ? &name : &(struct str){.p = ""});
}

/* Record a word of the stack if its helper says that it is a return address. */
static void ustack_hit(struct ustack *u, const struct ustack_hit *hit)
{
	struct frame frame = {.pc = hit->pc, .pc_at = hit->pc_at};
	struct str name = {.p = ""};
	enum helper_said said = ustack_ask(u, hit->helper, &frame, &name);

	if (said != HELPER_NOTHING)
		ustack_put(u, hit->pc, said == HELPER_NAME ? &name : &(struct str){.p = ""});
}

/* Return where on the stack the return address of a frame is that frame pointers have found. */
static uint64_t ustack_pc_at(const struct ustack *u, uint32_t i)
{
	return i ? u->fps[i - 1] + u->word : 0;
}

static void ustack_merge(struct ustack *u)
{
	uint32_t w = 0, h = 0;

	while (u->n < u->capacity && (w < u->nwalked || h < u->nhits)) {
		uint64_t pc_at = w < u->nwalked ? ustack_pc_at(u, w) : UINT64_MAX;

		if (h < u->nhits && u->hits[h].pc_at < pc_at) {
			ustack_hit(u, &u->hits[h++]);
			continue;
		}
		h += h < u->nhits && u->hits[h].pc_at == pc_at;
		ustack_walked(u, &(struct frame){u->pcs[w], u->fps[w], pc_at});
		w++;
	}
}

/* Clear what earlier firings have left in scratch, since helpers are programs of users. */
static void ustack_clear_scratch(struct mstate *m)
{
	memset(m->scratch_top, 0, (size_t)(m->scratch_used - m->scratch_top));
	m->scratch_used = m->scratch_top;
}

/* Search the stack, and ask the helpers for names. */
static void ustack_help(struct ustack *u)
{
	struct mstate *m = u->m;
	uint64_t sp, steps;

	if (ustack_any_text(u->helpers) && target_reg(&sp, TARGET_REG_SP, m->fire->regs) == 0)
		ustack_search(u, sp);
	if (m->faulted)
		return;
	/* Helpers are the process's: they must not use up what the session's own clauses need. */
	steps = fire_work_left(m) / 2;
	m->steps = steps < DTRACE_UHELP_MAXSTEPS ? steps : DTRACE_UHELP_MAXSTEPS;
	steps = m->steps;
	ustack_merge(u);
	dif_charge(m, steps - m->steps);
	m->helped.limits += u->limited;
}

static void ustack_named(struct ustack *u)
{
	bool timed = u->left != UINT64_MAX;
	struct mstate *m = u->m;
	uint64_t began = 0;
	int n;

	u->pcs = mem_alloc(m, (uint64_t)u->capacity * 8);
	u->fps = mem_alloc(m, (uint64_t)u->capacity * 8);
	u->hits = mem_alloc(m, DTRACE_UHELP_MAXRUNS * sizeof(*u->hits));
	if (!u->pcs || !u->fps || !u->hits)
		return;
	ustack_clear_scratch(m);
	n = target_ustack(u->pcs, u->fps, u->capacity, m->fire->regs, ustack_how(m));
	u->nwalked = n > 0 ? (uint32_t)n : 0;
	if (!dif_charge(m, (uint64_t)u->nwalked * WORK_UFRAME))
		return;
	if (timed)
		began = port_timestamp();
	m->until = timed ? began + u->left : UINT64_MAX;
	ustack_help(u);
	if (timed)
		account_spend(u->helpers->account, m->cpu, ACCOUNT_HELPERS,
			      port_timestamp() - began);
}

/*
 * Return whether the user of a process has limits. A process that had root's rights when it
 * registered its helpers may have given them up.
 */
static bool ustack_is_limited(struct mstate *m, const struct dtrace_account *account)
{
	return !dtrace_account_privileged(account) || mstate_thread(m)->uid != 0;
}

/*
 * Find the helpers that may be asked, and for how long. The process has not asked for a firing in
 * an interrupt, so its helpers have a share of the CPU's time there. If the share is used up, no
 * helper is asked, and a pause is counted.
 */
static void ustack_find_helpers(struct ustack *u)
{
	const struct dtrace_helpers *helpers = target_helpers();
	struct mstate *m = u->m;

	if (!helpers || !helpers->n)
		return;
	u->left = UINT64_MAX;
	if (helpers->account && target_ipl() && ustack_is_limited(m, helpers->account))
		u->left = account_left(helpers->account, m->cpu, ACCOUNT_HELPERS, port_timestamp());
	if (u->left)
		u->helpers = helpers;
	else
		m->helped.pauses++;
}

void ustack_record(struct mstate *m, uint8_t *dst, uint32_t size, uint32_t nframes,
		   uint32_t strsize)
{
	uint64_t pid = mstate_numbers(m)->pid;
	struct ustack u = {
		.m = m,
		.word = (unsigned int)target_user_word(),
		.out = (uint64_t *)(void *)(dst + 8),
		.capacity = nframes,
		.strs = (char *)dst + 8 + (size_t)nframes * 8,
		.strsize = strsize,
	};
	uint8_t *top = m->scratch_top;
	int n;

	if (!mem_user_allowed(m, 0) || !dif_charge(m, WORK_UFRAME + size / 8))
		return;
	memcpy(dst, &pid, sizeof(pid));
	if (strsize)
		ustack_find_helpers(&u);
	if (u.helpers) {
		ustack_named(&u);
	} else {
		n = target_ustack(u.out, NULL, nframes, m->fire->regs, ustack_how(m));
		u.n = n > 0 ? (uint32_t)n : 0;
		dif_charge(m, (uint64_t)u.n * WORK_UFRAME);
	}
	m->scratch_top = top;
	m->sc->count.dtst_stkstroverflows += u.overflow;
	core_assert(u.n <= nframes && u.used <= strsize && u.strs + u.used <= (char *)dst + size);
	memset(u.out + u.n, 0, (size_t)(nframes - u.n) * 8);
	memset(u.strs + u.used, 0, size - 8 - (size_t)nframes * 8 - u.used);
}
