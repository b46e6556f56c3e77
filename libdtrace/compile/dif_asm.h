/* SPDX-License-Identifier: MIT */
/*
 * dif_asm.h - DIF while it is being made: instructions on virtual registers, labels, and the tables
 * of integers, strings and variables. regs.c gives virtual registers real ones; dif_asm_finish
 * makes the DIFO.
 */
#ifndef DT_DIF_ASM_H
#define DT_DIF_ASM_H

#include "compile.h"

#define DIF_ASM_LABEL 0 /* pseudo-opcode: the position of label index */

/* An instruction. Register fields hold virtual registers; 0 is %r0, which always reads 0. */
typedef struct dt_ins {
	uint8_t op; /* DIF_OP_* or DIF_ASM_LABEL */
	uint32_t r1, r2, rd;
	uint32_t index; /* of wide instructions; label of branches */
} dt_ins_t;

typedef struct dt_code {
	dt_ctx_t *cx;
	dt_loc_t loc; /* for messages */
	dt_ins_t *ins;
	uint32_t n, capacity;
	uint32_t nregs; /* virtual registers used so far, 0 included */
	uint32_t nlabels;
	uint64_t *ints;
	uint32_t nints, introom;
	char *strs;
	uint32_t nstrs, strcapacity;
	dtrace_difv_t *vars;
	uint32_t nvars, varroom;
	bool destructive;
	bool pending; /* see dt_difo_t */
} dt_code_t;

/* The use of an instruction's register fields. */
#define DIF_ASM_R1     0x1  /* reads r1 */
#define DIF_ASM_R2     0x2  /* reads r2 */
#define DIF_ASM_RS     0x4  /* reads rd */
#define DIF_ASM_RD     0x8  /* writes rd */
#define DIF_ASM_WIDE   0x10 /* has an index */
#define DIF_ASM_BRANCH 0x20 /* has a label */

/* Begin; loc is for messages. */
void dif_asm_init(dt_code_t *code, dt_ctx_t *cx, const dt_loc_t *loc);
/* Return the fields of an opcode, DIF_ASM_*. */
uint32_t dif_asm_fields(uint8_t op);
/* Return a new virtual register. */
uint32_t dif_asm_reg(dt_code_t *code);
/* Return a new label. */
uint32_t dif_asm_label(dt_code_t *code);
/* Append an instruction of three registers. */
void dif_asm_emit(dt_code_t *code, uint8_t op, uint32_t r1, uint32_t r2, uint32_t rd);
/* Append an instruction of an index and a register. */
void dif_asm_wide(dt_code_t *code, uint8_t op, uint32_t index, uint32_t rd);
/* Append a branch to a label. */
void dif_asm_branch(dt_code_t *code, uint8_t op, uint32_t label);
/* Put a label here. */
void dif_asm_bind(dt_code_t *code, uint32_t label);
/* Return the index of a value in the integer table. */
uint32_t dif_asm_int(dt_code_t *code, uint64_t value);
/* Return the offset of s in the string table. */
uint32_t dif_asm_string(dt_code_t *code, const char *s);
/* Enter a variable in the variable table; flags are DIFV_F_*. */
void dif_asm_var(dt_code_t *code, const char *name, uint16_t id, uint8_t kind, uint8_t scope,
		 uint16_t flags, const dt_type_t *type);
/* Return a DIFO, in the program's arena, of code whose registers are real. */
dt_difo_t *dif_asm_finish(dt_code_t *code, const dt_type_t *rtype);

/*
 * Give virtual registers real ones; values that do not fit are kept in clause-local variables.
 * (regs.c)
 */
void regs_allocate(dt_code_t *code);

#endif
