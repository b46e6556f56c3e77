/* SPDX-License-Identifier: MIT */
/*
 * unwind_rule.c - makes rules from libdw's descriptions of frames. These are small programs; rules
 * exist for the forms that compilers and linkers write.
 */
#include <string.h>
#include <dwarf.h>
#include <gelf.h>
#include "unwind_rule.h"

static const struct dt_unwind_machine machines[] = {
	{
		.elf = EM_X86_64,
		.class = ELFCLASS64,
		.word = 8,
		.sp = 7,
		.fp = 6,
		.ra = 16,
		.nregs = 16,
		.regs = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
		.kept = {3, 6, 12, 13, 14, 15},
		.context_sp = 120,
	},
	{
		.elf = EM_386,
		.class = ELFCLASS32,
		.word = 4,
		.sp = 4,
		.fp = 5,
		.ra = 8,
		.nregs = 8,
		.regs = {0, 2, 1, 3, 7, 6, 4, 5},
		.kept = {3, 5, 6, 7, 2, 1},
		.context_sp = 28,
	},
};

const struct dt_unwind_machine *dt_unwind_machine(Elf *elf)
{
	GElf_Ehdr eh;

	for (size_t i = 0; i < sizeof(machines) / sizeof(machines[0]); i++)
		if (gelf_getehdr(elf, &eh) && eh.e_machine == machines[i].elf &&
		    eh.e_ident[EI_CLASS] == machines[i].class)
			return &machines[i];
	return NULL;
}

/* Read an operation "register + offset". Return false if it is another one. */
static bool ops_register(const struct dt_unwind_machine *m, const Dwarf_Op *op, uint8_t *reg,
			 int64_t *off)
{
	bool any = op->atom == DW_OP_bregx;
	uint64_t number = any ? op->number : (uint64_t)op->atom - DW_OP_breg0;

	if (number >= m->nregs)
		return false;
	*reg = m->regs[number];
	*off = (int64_t)(any ? op->number2 : op->number);
	return true;
}

/*
 * Set the rule of the stubs of a PLT, if the operations are as linkers write them: breg(sp) + word,
 * breg(pc) + 0, lit15, and, litN, ge, lit(log word), shl, plus. Return false if they are not.
 */
static bool ops_plt(const struct dt_unwind_machine *m, const Dwarf_Op *ops, size_t n,
		    dtrace_unwind_rule_t *rule)
{
	const uint8_t atoms[] = {DW_OP_breg0 + m->sp,
				 DW_OP_breg0 + m->ra,
				 DW_OP_lit15,
				 DW_OP_and,
				 0,
				 DW_OP_ge,
				 m->word == 8 ? DW_OP_lit3 : DW_OP_lit2,
				 DW_OP_shl,
				 DW_OP_plus};

	if (n != sizeof(atoms) || ops[4].atom < DW_OP_lit0 || ops[4].atom > DW_OP_lit15)
		return false;
	for (size_t i = 0; i < n; i++)
		if (i != 4 && ops[i].atom != atoms[i])
			return false;
	rule->dtur_kind = DTRACE_UNWIND_PLT;
	rule->dtur_base = m->regs[m->sp];
	rule->dtur_cfa = (int32_t)ops[0].number;
	rule->dtur_arg = ops[4].atom - DW_OP_lit0;
	return true;
}

/* Set the CFA of a rule. Return false if there is no rule for its form. */
static bool rule_cfa(const struct dt_unwind_machine *m, dtrace_unwind_rule_t *rule, Dwarf_Op *ops,
		     size_t n)
{
	bool deref = n == 2 && ops[1].atom == DW_OP_deref;
	int64_t off = 0;

	if (ops_plt(m, ops, n, rule))
		return true;
	if (n != 1u + deref || !ops_register(m, ops, &rule->dtur_base, &off) || off != (int32_t)off)
		return false;
	rule->dtur_kind = deref ? DTRACE_UNWIND_DEREF : DTRACE_UNWIND_CFA;
	rule->dtur_cfa = (int32_t)off;
	return true;
}

/* Return an offset in words; DTRACE_UNWIND_LOST if it is no such number. */
static int16_t saved_at(const struct dt_unwind_machine *m, int64_t off)
{
	int64_t words = off / m->word;

	return off % m->word == 0 && words > DTRACE_UNWIND_SAME && words < DTRACE_UNWIND_LOST
		       ? (int16_t)words
		       : DTRACE_UNWIND_LOST;
}

/* Read an expression "CFA + offset". Return false if it is another one. */
static bool ops_cfa(const Dwarf_Op *ops, size_t n, int64_t *off)
{
	*off = 0;
	if (n == 0 || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (n == 2 && ops[1].atom == DW_OP_plus_uconst)
		*off = (int64_t)ops[1].number;
	return n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst);
}

/* Set where the i-th register of a rule is saved. */
static void rule_saved(const struct dt_unwind_machine *m, dtrace_unwind_rule_t *rule, int i,
		       Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	uint8_t reg;
	int64_t off;
	size_t n;

	rule->dtur_saved[i] = DTRACE_UNWIND_LOST;
	if (dwarf_frame_register(frame, m->kept[i], mem, &ops, &n) != 0)
		return;
	if (n == 0 && !ops) {
		rule->dtur_saved[i] = DTRACE_UNWIND_SAME;
	} else if (ops_cfa(ops, n, &off)) {
		rule->dtur_saved[i] = saved_at(m, off);
	} else if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa && /* libdw adds it */
		   ops_register(m, ops + 1, &reg, &off) && reg == m->regs[m->fp]) {
		rule->dtur_saved[i] = saved_at(m, off);
		rule->dtur_fromfp |= 1u << i;
	}
}

/*
 * Set where the return address is. Return false unless it is just below the CFA, or in a register.
 */
static bool rule_return(const struct dt_unwind_machine *m, dtrace_unwind_rule_t *rule,
			Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	int64_t off;
	size_t n;

	if (dwarf_frame_register(frame, m->ra, mem, &ops, &n) != 0)
		return false;
	if (n == 0) {
		rule->dtur_kind = ops == mem ? DTRACE_UNWIND_END : DTRACE_UNWIND_NONE;
		return true;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom < DW_OP_reg0 + m->nregs) {
		rule->dtur_ra = 1 + m->regs[ops[0].atom - DW_OP_reg0];
		return true;
	}
	return ops_cfa(ops, n, &off) && off == -m->word;
}

/*
 * Set the rule of a signal trampoline: the stack pointer is in a struct sigcontext at a known
 * offset. Return false if it is not.
 */
static bool rule_signal(const struct dt_unwind_machine *m, dtrace_unwind_rule_t *rule)
{
	if (rule->dtur_kind != DTRACE_UNWIND_DEREF || rule->dtur_cfa < m->context_sp)
		return false;
	rule->dtur_kind = DTRACE_UNWIND_SIGNAL;
	rule->dtur_cfa -= m->context_sp;
	return true;
}

dtrace_unwind_rule_t dt_unwind_rule(const struct dt_unwind_machine *m, Dwarf_Frame *frame,
				    bool signal)
{
	dtrace_unwind_rule_t rule = {.dtur_kind = DTRACE_UNWIND_NONE}, none = rule;
	Dwarf_Op *ops;
	size_t n;

	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || !rule_cfa(m, &rule, ops, n))
		return none;
	if (signal)
		return rule_signal(m, &rule) ? rule : none;
	if (!rule_return(m, &rule, frame))
		return none;
	if (rule.dtur_kind == DTRACE_UNWIND_END)
		return (dtrace_unwind_rule_t){.dtur_kind = DTRACE_UNWIND_END};
	if (rule.dtur_kind == DTRACE_UNWIND_NONE)
		return none;
	for (int i = 0; i < (int)DTRACE_UNWIND_NSAVED; i++)
		rule_saved(m, &rule, i, frame);
	return rule;
}
