/* SPDX-License-Identifier: MIT */
/* dif_asm.c - collects instructions, labels and tables, and makes a DIFO of them. */
#include <string.h>

#include "dif_asm.h"

#define DIF_ASM_MAXINDEX 0xffff /* of a table, in an instruction */
#define DIF_ASM_ALU	 (DIF_ASM_R1 | DIF_ASM_R2 | DIF_ASM_RD)
#define DIF_ASM_UNARY	 (DIF_ASM_R1 | DIF_ASM_RD)
#define DIF_ASM_STORE	 (DIF_ASM_R1 | DIF_ASM_RS)
#define DIF_ASM_LDVAR	 (DIF_ASM_WIDE | DIF_ASM_RD)
#define DIF_ASM_STVAR	 (DIF_ASM_WIDE | DIF_ASM_RS)

static const uint8_t dif_asm_ops[DIF_OP_MAX + 1] = {
	[DIF_OP_OR] = DIF_ASM_ALU,
	[DIF_OP_XOR] = DIF_ASM_ALU,
	[DIF_OP_AND] = DIF_ASM_ALU,
	[DIF_OP_SLL] = DIF_ASM_ALU,
	[DIF_OP_SRL] = DIF_ASM_ALU,
	[DIF_OP_SUB] = DIF_ASM_ALU,
	[DIF_OP_ADD] = DIF_ASM_ALU,
	[DIF_OP_MUL] = DIF_ASM_ALU,
	[DIF_OP_SDIV] = DIF_ASM_ALU,
	[DIF_OP_UDIV] = DIF_ASM_ALU,
	[DIF_OP_SREM] = DIF_ASM_ALU,
	[DIF_OP_UREM] = DIF_ASM_ALU,
	[DIF_OP_SRA] = DIF_ASM_ALU,
	[DIF_OP_NOT] = DIF_ASM_UNARY,
	[DIF_OP_MOV] = DIF_ASM_UNARY,
	[DIF_OP_CMP] = DIF_ASM_R1 | DIF_ASM_R2,
	[DIF_OP_SCMP] = DIF_ASM_R1 | DIF_ASM_R2,
	[DIF_OP_TST] = DIF_ASM_R1,
	[DIF_OP_BA] = DIF_ASM_BRANCH,
	[DIF_OP_BE] = DIF_ASM_BRANCH,
	[DIF_OP_BNE] = DIF_ASM_BRANCH,
	[DIF_OP_BG] = DIF_ASM_BRANCH,
	[DIF_OP_BGU] = DIF_ASM_BRANCH,
	[DIF_OP_BGE] = DIF_ASM_BRANCH,
	[DIF_OP_BGEU] = DIF_ASM_BRANCH,
	[DIF_OP_BL] = DIF_ASM_BRANCH,
	[DIF_OP_BLU] = DIF_ASM_BRANCH,
	[DIF_OP_BLE] = DIF_ASM_BRANCH,
	[DIF_OP_BLEU] = DIF_ASM_BRANCH,
	[DIF_OP_LDSB] = DIF_ASM_UNARY,
	[DIF_OP_LDSH] = DIF_ASM_UNARY,
	[DIF_OP_LDSW] = DIF_ASM_UNARY,
	[DIF_OP_LDUB] = DIF_ASM_UNARY,
	[DIF_OP_LDUH] = DIF_ASM_UNARY,
	[DIF_OP_LDUW] = DIF_ASM_UNARY,
	[DIF_OP_LDX] = DIF_ASM_UNARY,
	[DIF_OP_ULDSB] = DIF_ASM_UNARY,
	[DIF_OP_ULDSH] = DIF_ASM_UNARY,
	[DIF_OP_ULDSW] = DIF_ASM_UNARY,
	[DIF_OP_ULDUB] = DIF_ASM_UNARY,
	[DIF_OP_ULDUH] = DIF_ASM_UNARY,
	[DIF_OP_ULDUW] = DIF_ASM_UNARY,
	[DIF_OP_ULDX] = DIF_ASM_UNARY,
	[DIF_OP_RET] = DIF_ASM_RS,
	[DIF_OP_SETX] = DIF_ASM_LDVAR,
	[DIF_OP_SETS] = DIF_ASM_LDVAR,
	[DIF_OP_LDGA] = DIF_ASM_R2 | DIF_ASM_RD,
	[DIF_OP_LDGS] = DIF_ASM_LDVAR,
	[DIF_OP_LDTS] = DIF_ASM_LDVAR,
	[DIF_OP_LDLS] = DIF_ASM_LDVAR,
	[DIF_OP_LDGAA] = DIF_ASM_LDVAR,
	[DIF_OP_LDTAA] = DIF_ASM_LDVAR,
	[DIF_OP_STGS] = DIF_ASM_STVAR,
	[DIF_OP_STTS] = DIF_ASM_STVAR,
	[DIF_OP_STLS] = DIF_ASM_STVAR,
	[DIF_OP_STGAA] = DIF_ASM_STVAR,
	[DIF_OP_STTAA] = DIF_ASM_STVAR,
	[DIF_OP_CALL] = DIF_ASM_LDVAR,
	[DIF_OP_PUSHTR] = DIF_ASM_R2 | DIF_ASM_RS,
	[DIF_OP_PUSHTV] = DIF_ASM_R2 | DIF_ASM_RS,
	[DIF_OP_ALLOCS] = DIF_ASM_UNARY,
	[DIF_OP_COPYS] = DIF_ASM_R1 | DIF_ASM_R2 | DIF_ASM_RS,
	[DIF_OP_STB] = DIF_ASM_STORE,
	[DIF_OP_STH] = DIF_ASM_STORE,
	[DIF_OP_STW] = DIF_ASM_STORE,
	[DIF_OP_STX] = DIF_ASM_STORE,
};

uint32_t dif_asm_fields(uint8_t op)
{
	return dif_asm_ops[op];
}

void dif_asm_init(dt_code_t *code, dt_ctx_t *cx, const dt_loc_t *loc)
{
	*code = (dt_code_t){.cx = cx, .loc = *loc, .nregs = 1};
}

uint32_t dif_asm_reg(dt_code_t *code)
{
	return code->nregs++;
}

uint32_t dif_asm_label(dt_code_t *code)
{
	return code->nlabels++;
}

static void dif_asm_append(dt_code_t *code, const dt_ins_t *ins)
{
	if (code->n >= DTRACE_DIFO_MAXINSTRS)
		dt_error(code->cx, &code->loc, D_TOO_BIG,
			 "expression needs more than %d instructions", DTRACE_DIFO_MAXINSTRS);
	if (code->n == code->capacity) {
		code->capacity = code->capacity ? code->capacity * 2 : 64;
		code->ins = arena_grow(&code->cx->tmp, code->ins, code->n, code->capacity,
				       sizeof(*code->ins));
	}
	code->ins[code->n++] = *ins;
}

void dif_asm_emit(dt_code_t *code, uint8_t op, uint32_t r1, uint32_t r2, uint32_t rd)
{
	dif_asm_append(code, &(dt_ins_t){.op = op, .r1 = r1, .r2 = r2, .rd = rd});
}

void dif_asm_wide(dt_code_t *code, uint8_t op, uint32_t index, uint32_t rd)
{
	dif_asm_append(code, &(dt_ins_t){.op = op, .index = index, .rd = rd});
}

void dif_asm_branch(dt_code_t *code, uint8_t op, uint32_t label)
{
	dif_asm_append(code, &(dt_ins_t){.op = op, .index = label});
}

void dif_asm_bind(dt_code_t *code, uint32_t label)
{
	dif_asm_append(code, &(dt_ins_t){.op = DIF_ASM_LABEL, .index = label});
}

uint32_t dif_asm_int(dt_code_t *code, uint64_t value)
{
	for (uint32_t i = 0; i < code->nints; i++)
		if (code->ints[i] == value)
			return i;
	if (code->nints > DIF_ASM_MAXINDEX)
		dt_error(code->cx, &code->loc, D_TOO_BIG, "expression has more than %d integers",
			 DIF_ASM_MAXINDEX + 1);
	if (code->nints == code->introom) {
		code->introom = code->introom ? code->introom * 2 : 16;
		code->ints = arena_grow(&code->cx->tmp, code->ints, code->nints, code->introom,
					sizeof(*code->ints));
	}
	code->ints[code->nints] = value;
	return code->nints++;
}

static void dif_asm_string_reserve(dt_code_t *code, uint32_t n)
{
	if (code->nstrs + n <= code->strcapacity)
		return;
	if (code->nstrs + n > DTRACE_DIFO_MAXSTRTAB)
		dt_error(code->cx, &code->loc, D_TOO_BIG,
			 "expression has more than %d bytes of strings", DTRACE_DIFO_MAXSTRTAB);
	code->strcapacity = (code->nstrs + n) * 2;
	code->strs = arena_grow(&code->cx->tmp, code->strs, code->nstrs, code->strcapacity, 1);
}

/* The table has each string once, and none that is the end of another one. */
uint32_t dif_asm_string(dt_code_t *code, const char *s)
{
	uint32_t n = (uint32_t)strlen(s) + 1, at;
	const char *found;

	if (code->nstrs == 0) {
		dif_asm_string_reserve(code, 1);
		code->strs[code->nstrs++] = '\0';
	}
	found = memmem(code->strs, code->nstrs, s, n);
	if (found)
		return (uint32_t)(found - code->strs);
	dif_asm_string_reserve(code, n);
	at = code->nstrs;
	memcpy(code->strs + at, s, n);
	code->nstrs += n;
	return at;
}

void dif_asm_var(dt_code_t *code, const char *name, uint16_t id, uint8_t kind, uint8_t scope,
		 uint16_t flags, const dt_type_t *type)
{
	dtrace_difv_t *v;

	for (uint32_t i = 0; i < code->nvars; i++) {
		v = &code->vars[i];
		if (v->dtdv_id == id && v->dtdv_scope == scope && v->dtdv_kind == kind) {
			v->dtdv_flags |= flags;
			return;
		}
	}
	if (code->nvars == code->varroom) {
		code->varroom = code->varroom ? code->varroom * 2 : 8;
		code->vars = arena_grow(&code->cx->tmp, code->vars, code->nvars, code->varroom,
					sizeof(*code->vars));
	}
	v = &code->vars[code->nvars++];
	*v = (dtrace_difv_t){.dtdv_name = dif_asm_string(code, name),
			     .dtdv_id = id,
			     .dtdv_kind = kind,
			     .dtdv_scope = scope,
			     .dtdv_flags = flags};
	type_dif(type, &v->dtdv_type);
}

/* ---- the end ---- */

static uint32_t *dif_asm_targets(const dt_code_t *code)
{
	uint32_t *targets = arena_alloc(&code->cx->tmp, (code->nlabels + 1) * sizeof(*targets)),
		 pc = 0;

	for (uint32_t i = 0; i < code->n; i++) {
		if (code->ins[i].op == DIF_ASM_LABEL)
			targets[code->ins[i].index] = pc;
		else
			pc++;
	}
	return targets;
}

static dif_instr_t dif_asm_encode(const dt_ins_t *ins, const uint32_t *targets)
{
	uint32_t fields = dif_asm_ops[ins->op];

	if (fields & DIF_ASM_BRANCH)
		return DIF_INSTR_BRANCH(ins->op, targets[ins->index]);
	if (fields & DIF_ASM_WIDE)
		return DIF_INSTR_WIDE(ins->op, ins->index, ins->rd);
	return DIF_INSTR_FMT(ins->op, ins->r1, ins->r2, ins->rd);
}

static void dif_asm_text(const dt_code_t *code, dt_difo_t *difo)
{
	const uint32_t *targets = dif_asm_targets(code);

	difo->text = arena_alloc(&code->cx->prog->arena, (code->n + 1) * sizeof(*difo->text));
	for (uint32_t i = 0; i < code->n; i++)
		if (code->ins[i].op != DIF_ASM_LABEL)
			difo->text[difo->len++] = dif_asm_encode(&code->ins[i], targets);
}

dt_difo_t *dif_asm_finish(dt_code_t *code, const dt_type_t *rtype)
{
	struct arena *arena = &code->cx->prog->arena;
	dt_difo_t *difo = arena_alloc(arena, sizeof(*difo));

	dif_asm_text(code, difo);
	difo->intlen = code->nints;
	difo->inttab = arena_grow(arena, code->ints, code->nints, code->nints, sizeof(*code->ints));
	difo->strlen = code->nstrs;
	difo->strtab = arena_memdup(arena, code->strs, code->nstrs);
	difo->varlen = code->nvars;
	difo->vartab = arena_grow(arena, code->vars, code->nvars, code->nvars, sizeof(*code->vars));
	difo->type = rtype;
	difo->destructive = code->destructive;
	difo->pending = code->pending;
	type_dif(rtype, &difo->rtype);
	return difo;
}
