/* SPDX-License-Identifier: MIT */
/*
 * regs.c - assigns real registers to virtual ones.
 *
 * Code only branches forward, so a virtual register is alive from its first to its last use in the
 * order of the text, whatever branches are taken: this is its interval. A linear scan over the
 * instructions gives each interval a register, and frees it at the end. If all registers are in
 * use, the scan is repeated with three registers less. Then the interval that ends last is spilled
 * to a clause-local variable, and the three registers carry values from and to such variables
 * within one instruction, which never uses more than three.
 */
#include "dif_asm.h"

#define REGS_CARRIERS 3

typedef struct dt_interval {
	uint32_t start, end; /* instructions; start > end: not mentioned */
	uint32_t reg;	     /* real register, or 0: spilled */
	uint32_t spill;	     /* number of its spill variable, if it is spilled */
} dt_interval_t;

typedef struct dt_regs {
	dt_code_t *code;
	dt_interval_t *iv;	       /* by virtual register */
	uint32_t all;		       /* registers that may be used: %r1 to that one */
	uint32_t nreal;		       /* registers to give away */
	uint32_t owner[DIF_DIR_NREGS]; /* virtual register that has it, or 0 */
	bool spilled;
} dt_regs_t;

static void regs_mention(dt_interval_t *iv, uint32_t reg, uint32_t at)
{
	if (at < iv[reg].start)
		iv[reg].start = at;
	iv[reg].end = at;
}

static void regs_intervals(dt_regs_t *ra)
{
	for (uint32_t i = 0; i < ra->code->nregs; i++)
		ra->iv[i] = (dt_interval_t){.start = UINT32_MAX};
	for (uint32_t i = 0; i < ra->code->n; i++) {
		const dt_ins_t *ins = &ra->code->ins[i];
		uint32_t fields = dif_asm_fields(ins->op);

		if (fields & DIF_ASM_R1)
			regs_mention(ra->iv, ins->r1, i);
		if (fields & DIF_ASM_R2)
			regs_mention(ra->iv, ins->r2, i);
		if (fields & (DIF_ASM_RS | DIF_ASM_RD))
			regs_mention(ra->iv, ins->rd, i);
	}
}

/* ---- the scan ---- */

/*
 * Free the registers whose intervals end here or before, so that the instruction may write to them.
 */
static void regs_expire(dt_regs_t *ra, uint32_t at)
{
	for (uint32_t r = 1; r <= ra->nreal; r++)
		if (ra->owner[r] && ra->iv[ra->owner[r]].end <= at)
			ra->owner[r] = 0;
}

static uint32_t regs_free(const dt_regs_t *ra)
{
	for (uint32_t r = 1; r <= ra->nreal; r++)
		if (!ra->owner[r])
			return r;
	return 0;
}

static uint32_t regs_furthest(const dt_regs_t *ra)
{
	uint32_t best = 1;

	for (uint32_t r = 2; r <= ra->nreal; r++)
		if (ra->iv[ra->owner[r]].end > ra->iv[ra->owner[best]].end)
			best = r;
	return best;
}

static void regs_give(dt_regs_t *ra, uint32_t v)
{
	uint32_t r = regs_free(ra);

	if (!r) {
		ra->spilled = true;
		r = regs_furthest(ra);
		if (ra->iv[ra->owner[r]].end <= ra->iv[v].end)
			return;
		ra->iv[ra->owner[r]].reg = 0;
	}
	ra->owner[r] = v;
	ra->iv[v].reg = r;
}

static bool regs_scan(dt_regs_t *ra, uint32_t nreal)
{
	ra->nreal = nreal;
	ra->spilled = false;
	for (uint32_t r = 0; r < DIF_DIR_NREGS; r++)
		ra->owner[r] = 0;
	for (uint32_t v = 0; v < ra->code->nregs; v++)
		ra->iv[v].reg = 0;
	for (uint32_t i = 0; i < ra->code->n; i++) {
		const dt_ins_t *ins = &ra->code->ins[i];

		regs_expire(ra, i);
		if (dif_asm_fields(ins->op) & DIF_ASM_RD && ra->iv[ins->rd].start == i)
			regs_give(ra, ins->rd);
	}
	return !ra->spilled;
}

/* ---- spilling ---- */

/*
 * Return the clause-local variable of a spill. All clauses share these variables, because no value
 * outlives its DIFO.
 */
static uint16_t regs_spill_var(dt_code_t *code, uint32_t spill, uint16_t flags)
{
	struct dt_compiler *comp = code->cx->comp;
	dt_ident_t id = {.name = "spilled register", .scope = DIFV_SCOPE_LOCAL};

	if (spill >= comp->nspills) {
		comp->spills = arena_grow(&comp->arena, comp->spills, comp->nspills, spill + 1,
					  sizeof(*comp->spills));
		for (; comp->nspills <= spill; comp->nspills++) {
			ident_number(code->cx, &id, &code->loc);
			comp->spills[comp->nspills] = id.id;
		}
	}
	dif_asm_var(code, arena_printf(&code->cx->tmp, "spill.%u", spill), comp->spills[spill],
		    DIFV_KIND_SCALAR, DIFV_SCOPE_LOCAL, flags, &type_long);
	return comp->spills[spill];
}

/* Give numbers to spilled registers. Numbers are reused: busy[] tells when each is free again. */
static void regs_number_spills(dt_regs_t *ra)
{
	uint32_t *busy = arena_alloc(&ra->code->cx->tmp, (ra->code->nregs + 1) * sizeof(*busy));

	for (uint32_t i = 0; i < ra->code->n; i++) {
		const dt_ins_t *ins = &ra->code->ins[i];
		dt_interval_t *iv = &ra->iv[ins->rd];
		uint32_t spill = 0;

		if (!(dif_asm_fields(ins->op) & DIF_ASM_RD) || iv->start != i || iv->reg)
			continue;
		while (busy[spill] > i)
			spill++;
		iv->spill = spill;
		busy[spill] = iv->end + 1;
	}
}

/*
 * Return the real register for a read of virtual register v. A spilled register is first loaded
 * into a carrier.
 */
static uint32_t regs_read(dt_regs_t *ra, dt_code_t *out, uint32_t v, uint32_t carrier)
{
	if (v == 0 || ra->iv[v].reg)
		return ra->iv[v].reg;
	carrier += ra->all - REGS_CARRIERS + 1;
	dif_asm_wide(out, DIF_OP_LDLS, regs_spill_var(out, ra->iv[v].spill, DIFV_F_REF), carrier);
	return carrier;
}

static void regs_rewrite(dt_regs_t *ra, dt_code_t *out, dt_ins_t ins)
{
	uint32_t fields = dif_asm_fields(ins.op), v = ins.rd;
	bool store = fields & DIF_ASM_RD && !ra->iv[v].reg;

	if (fields & DIF_ASM_R1)
		ins.r1 = regs_read(ra, out, ins.r1, 0);
	if (fields & DIF_ASM_R2)
		ins.r2 = regs_read(ra, out, ins.r2, 1);
	if (fields & DIF_ASM_RS)
		ins.rd = regs_read(ra, out, ins.rd, 2);
	if (fields & DIF_ASM_RD)
		ins.rd = store ? ra->all : ra->iv[v].reg;
	if (ins.op == DIF_OP_MOV && ins.r1 == ins.rd && !store)
		return;
	dif_asm_emit(out, ins.op, ins.r1, ins.r2, ins.rd);
	out->ins[out->n - 1].index = ins.index;
	if (store)
		dif_asm_wide(out, DIF_OP_STLS, regs_spill_var(out, ra->iv[v].spill, DIFV_F_MOD),
			     ins.rd);
}

void regs_allocate(dt_code_t *code)
{
	uint64_t asked = dt_copt(code->cx->dtp, DT_COPT_IREGS);
	dt_regs_t ra = {.code = code, .all = (uint32_t)(asked ? asked : DIF_DIR_NREGS) - 1};
	dt_code_t out = *code;

	ra.iv = arena_alloc(&code->cx->tmp, code->nregs * sizeof(*ra.iv));
	regs_intervals(&ra);
	if (!regs_scan(&ra, ra.all)) {
		regs_scan(&ra, ra.all - REGS_CARRIERS);
		regs_number_spills(&ra);
	}
	out.ins = NULL;
	out.n = out.capacity = 0;
	for (uint32_t i = 0; i < code->n; i++)
		regs_rewrite(&ra, &out, code->ins[i]);
	*code = out;
}
