/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * unwind.c - the stack of a process, frame by frame: by the rules of unwind tables, and by frame
 * pointers without tables.
 *
 * Tables come from user land and are not trusted. Memory is read through the port only. Each frame
 * lies above the previous one, except a signal's, and the number of steps is bounded by the number
 * of frames asked for. Registers that functions keep are followed as locations, and read only if
 * they are needed.
 */
#include "engine.h"
#include "target.h"

#define REG_FP	       6
#define REG_SP	       7
#define UNWIND_NOWHERE UINT32_MAX

/* The differences between the two kinds of code that a process can have. */
struct unwind_abi {
	unsigned int word;		    /* bytes of an address */
	unsigned int nregs;		    /* number of valid registers */
	uint8_t kept[DTRACE_UNWIND_NSAVED]; /* those for which there are rules */
	uint16_t keptbits;
	/* struct sigcontext: where it has which registers, one after the other, and two of them */
	uint8_t regs, sp, pc;
	uint8_t order[DTRACE_UNWIND_NREGS];
};

static const struct unwind_abi unwind_wide = {
	.word = 8,
	.nregs = DTRACE_UNWIND_NREGS,
	.kept = {3, 6, 12, 13, 14, 15},
	.keptbits = 0xf048,
	.regs = 0,
	.sp = 120,
	.pc = 128,
	.order = {8, 9, 10, 11, 12, 13, 14, 15, 5, 4, 6, 3, 1, 0, 2, 7},
};

static const struct unwind_abi unwind_narrow = {
	.word = 4,
	.nregs = 8,
	.kept = {3, 6, 4, 5, 1, 2},
	.keptbits = 0x7e,
	.regs = 16,
	.sp = 28,
	.pc = 56,
	.order = {5, 4, 6, 7, 3, 1, 2, 0},
};

struct unwind {
	const struct dtrace_unwind_maps *maps; /* or NULL */
	const struct unwind_abi *abi;
	uint64_t pc, sp;
	uint64_t pc_at; /* where pc was on the stack */
	uint64_t regs[DTRACE_UNWIND_NREGS];
	uint16_t known; /* bit r: regs[r] is what it holds */
	uint16_t saved; /* bit r: regs[r] is the address of that */
	unsigned int word;
	bool exact;    /* pc is of an instruction to come, not of one behind a call */
	bool no_frame; /* the address of return is at sp */
	bool stray;    /* a pc was in no mapping */
};

static const struct unwind_abi *unwind_abi(unsigned int word)
{
	return word == 4 ? &unwind_narrow : &unwind_wide;
}

/* ---- tables ---- */

static bool rule_valid(const dtrace_unwind_rule_t *r, unsigned int nregs)
{
	return r->dtur_kind < DTRACE_UNWIND_NKINDS && r->dtur_base < nregs && r->dtur_ra <= nregs &&
	       !(r->dtur_fromfp >> DTRACE_UNWIND_NSAVED) && !r->dtur_pad[0] && !r->dtur_pad[1] &&
	       !r->dtur_pad[2];
}

int dtrace_unwind_verify(const struct dtrace_unwind_table *t)
{
	if (t->word != 4 && t->word != 8)
		return -EINVAL;
	for (uint32_t i = 0; i < t->nrules; i++)
		if (!rule_valid(&t->rules[i], unwind_abi(t->word)->nregs))
			return -EINVAL;
	for (uint32_t i = 0; i < t->nrows; i++)
		if (t->index[i] >= t->nrules || (i && t->addrs[i] <= t->addrs[i - 1]))
			return -EINVAL;
	return 0;
}

/* Return the index of the last of n ascending numbers that is not above x, or UNWIND_NOWHERE. */
static uint32_t row_find(const uint32_t *addrs, uint32_t n, uint64_t x)
{
	uint32_t lo = 0, hi = n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (addrs[mid] <= x)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : UNWIND_NOWHERE;
}

static const struct dtrace_unwind_map *map_find(const struct dtrace_unwind_maps *maps, uint64_t pc)
{
	uint32_t lo = 0, hi = maps->n;

	while (lo < hi) {
		uint32_t mid = lo + (hi - lo) / 2;

		if (maps->list[mid].start <= pc)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo && pc < maps->list[lo - 1].end ? &maps->list[lo - 1] : NULL;
}

/*
 * Return the rule for the position of u, or NULL. A call may be the last instruction of a function,
 * so that a return address is looked up as the call.
 */
static const dtrace_unwind_rule_t *unwind_rule(struct unwind *u)
{
	uint64_t pc = u->exact ? u->pc : u->pc - 1;
	const struct dtrace_unwind_map *map = u->maps ? map_find(u->maps, pc) : NULL;
	const struct dtrace_unwind_table *t = map ? map->table : NULL;
	uint32_t row;

	u->stray |= !map;
	row = t && t->word == u->word ? row_find(t->addrs, t->nrows, pc - map->bias)
				      : UNWIND_NOWHERE;
	return row != UNWIND_NOWHERE ? &t->rules[t->index[row]] : NULL;
}

/* ---- registers ---- */

static int unwind_load(const struct unwind *u, uint64_t addr, uint64_t *value)
{
	*value = 0; /* little-endian: the low bytes come first */
	return target_load_user(value, addr, u->word);
}

static int unwind_reg(const struct unwind *u, unsigned int r, uint64_t *value)
{
	if (u->saved & 1u << r)
		return unwind_load(u, u->regs[r], value);
	*value = u->regs[r];
	return u->known & 1u << r ? 0 : -EFAULT;
}

static void unwind_set_saved(struct unwind *u, unsigned int r, uint64_t addr)
{
	u->regs[r] = addr;
	u->saved |= (uint16_t)(1u << r);
	u->known &= (uint16_t) ~(1u << r);
}

static void unwind_set(struct unwind *u, unsigned int r, uint64_t value)
{
	u->regs[r] = value;
	u->known |= (uint16_t)(1u << r);
	u->saved &= (uint16_t) ~(1u << r);
}

/*
 * Leave a frame: the stack pointer becomes sp, and only registers that functions preserve are
 * known.
 */
static void unwind_leave(struct unwind *u, uint64_t sp, uint64_t pc_at)
{
	u->known &= u->abi->keptbits;
	u->saved &= u->abi->keptbits;
	unwind_set(u, REG_SP, sp);
	u->sp = sp;
	u->pc_at = pc_at;
	u->exact = false;
}

/* ---- steps: 0, or -EFAULT: no further ---- */

static int unwind_cfa(const struct unwind *u, const dtrace_unwind_rule_t *r, uint64_t *cfa)
{
	int rc = unwind_reg(u, r->dtur_base, cfa);

	*cfa += (uint64_t)(int64_t)r->dtur_cfa;
	if (!rc && r->dtur_kind == DTRACE_UNWIND_DEREF)
		rc = unwind_load(u, *cfa, cfa);
	else if (r->dtur_kind == DTRACE_UNWIND_PLT && (u->pc & 15) >= r->dtur_arg)
		*cfa += u->word;
	return rc;
}

static void unwind_restore(struct unwind *u, const dtrace_unwind_rule_t *r, uint64_t cfa)
{
	uint64_t fp = 0;
	bool have = !r->dtur_fromfp || !unwind_reg(u, REG_FP, &fp);

	for (unsigned int i = 0; i < DTRACE_UNWIND_NSAVED; i++) {
		bool fromfp = r->dtur_fromfp & 1u << i;
		int16_t at = r->dtur_saved[i];

		if (at == DTRACE_UNWIND_SAME)
			continue;
		unwind_set_saved(u, u->abi->kept[i],
				 (fromfp ? fp : cfa) + (uint64_t)((int64_t)at * (int)u->word));
		if (at == DTRACE_UNWIND_LOST || (fromfp && !have))
			u->saved &= (uint16_t) ~(1u << u->abi->kept[i]);
	}
}

static int unwind_by_rule(struct unwind *u, const dtrace_unwind_rule_t *r)
{
	uint64_t cfa, pc;
	int rc = unwind_cfa(u, r, &cfa);

	if (rc || cfa < u->sp || (!r->dtur_ra && cfa - u->sp < u->word))
		return -EFAULT;
	rc = r->dtur_ra ? unwind_reg(u, r->dtur_ra - 1u, &pc) : unwind_load(u, cfa - u->word, &pc);
	if (rc)
		return rc;
	unwind_restore(u, r, cfa);
	unwind_leave(u, cfa, cfa - u->word);
	u->pc = pc;
	return 0;
}

/*
 * Step by the frame pointer. A frame must lie above the stack pointer, whatever else the register
 * is used for.
 */
static int unwind_by_frame(struct unwind *u)
{
	uint64_t fp, pc;

	if (unwind_reg(u, REG_FP, &fp) || fp < u->sp || unwind_load(u, fp + u->word, &pc))
		return -EFAULT;
	u->known = u->saved = 0;
	unwind_set_saved(u, REG_FP, fp);
	unwind_leave(u, fp + 2 * u->word, fp + u->word);
	u->pc = pc;
	return 0;
}

/* Step from the first instruction of a function, or from its return, where it has no frame. */
static int unwind_caller(struct unwind *u)
{
	uint64_t pc;

	if (unwind_load(u, u->sp, &pc))
		return -EFAULT;
	unwind_leave(u, u->sp + u->word, u->sp);
	u->pc = pc;
	u->no_frame = false;
	return 0;
}

/*
 * Step from a signal's handler, which returns to the trampoline: there is a struct sigcontext with
 * the registers of the interrupted code, which may have had another stack.
 */
static int unwind_signal(struct unwind *u, uint64_t context)
{
	const struct unwind_abi *abi = u->abi;
	uint64_t pc, sp;

	if (unwind_load(u, context + abi->pc, &pc) || unwind_load(u, context + abi->sp, &sp))
		return -EFAULT;
	for (unsigned int i = 0; i < abi->nregs; i++)
		unwind_set_saved(u, abi->order[i], context + abi->regs + i * u->word);
	u->pc = pc;
	u->sp = sp;
	u->pc_at = context + abi->pc;
	u->exact = true;
	return 0;
}

static int unwind_by_context(struct unwind *u, const dtrace_unwind_rule_t *r)
{
	uint64_t context;

	if (unwind_reg(u, r->dtur_base, &context))
		return -EFAULT;
	return unwind_signal(u, context + (uint64_t)(int64_t)r->dtur_cfa);
}

/* Of C libraries that have no rule for it, and how far above the stack pointer the context is. */
static const struct {
	uint8_t word, n, context, code[9];
} unwind_trampolines[] = {
	/* mov $__NR_rt_sigreturn, %rax; syscall */
	{8, 9, 40, {0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05}},
	/* mov $__NR_rt_sigreturn, %eax; int $0x80 */
	{4, 7, 160, {0xb8, 0xad, 0, 0, 0, 0xcd, 0x80}},
	/* pop %eax; mov $__NR_sigreturn, %eax; int $0x80 */
	{4, 8, 4, {0x58, 0xb8, 0x77, 0, 0, 0, 0xcd, 0x80}},
};
#define UNWIND_NTRAMPOLINES (sizeof(unwind_trampolines) / sizeof(unwind_trampolines[0]))

static bool unwind_at_code(const struct unwind *u, const uint8_t *code, unsigned int n)
{
	uint8_t here[sizeof(unwind_trampolines[0].code)];

	return !target_load_user(here, u->pc, n) && !memcmp(here, code, n);
}

static bool unwind_at_trampoline(const struct unwind *u, uint64_t *context)
{
	for (unsigned int i = 0; u->maps && !u->exact && i < UNWIND_NTRAMPOLINES; i++)
		if (unwind_trampolines[i].word == u->word &&
		    unwind_at_code(u, unwind_trampolines[i].code, unwind_trampolines[i].n)) {
			*context = u->sp + unwind_trampolines[i].context;
			return true;
		}
	return false;
}

/* Step to the caller's frame. 0 or -EFAULT. */
static int unwind_step(struct unwind *u)
{
	const dtrace_unwind_rule_t *r = unwind_rule(u);
	unsigned int kind = r ? r->dtur_kind : DTRACE_UNWIND_NONE;
	uint64_t context;

	if (u->no_frame)
		return unwind_caller(u);
	switch (kind) {
	case DTRACE_UNWIND_NONE:
		return unwind_at_trampoline(u, &context) ? unwind_signal(u, context)
							 : unwind_by_frame(u);
	case DTRACE_UNWIND_END:
		return -EFAULT;
	case DTRACE_UNWIND_SIGNAL:
		return unwind_by_context(u, r);
	default:
		return unwind_by_rule(u, r);
	}
}

unsigned int dtrace_unwind(const struct dtrace_unwind_maps *maps,
			   const struct dtrace_unwind_regs *regs, uint64_t *pcs, uint64_t *fps,
			   unsigned int n, bool *stray)
{
	struct unwind u = {
		.maps = maps,
		.abi = unwind_abi(regs->word),
		.pc = regs->pc,
		.sp = regs->regs[REG_SP],
		.word = regs->word,
		.known = 0xffff,
		.exact = true,
		.no_frame = regs->no_frame,
	};
	unsigned int found = 0;

	memcpy(u.regs, regs->regs, sizeof(u.regs));
	while (found < n && u.pc) {
		pcs[found++] = u.pc;
		if (fps)
			fps[found - 1] = 0;
		if ((found == n && !fps) || unwind_step(&u))
			break;
		if (fps)
			fps[found - 1] = u.pc_at - u.word;
	}
	*stray = u.stray;
	return found;
}
