// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * insn.c - instructions that are emulated or refused, and not left to uprobes.
 *
 * Uprobes carry out most instructions by single-stepping a copy, which is slow. This file carries
 * out the most frequent instructions at pid probes: NOPs, returns, pops, and instructions that work
 * on registers alone. Uprobes need no step for pushes, calls and jumps. So only about a third of a
 * program's instructions are stepped, most of which read or write memory.
 *
 * A step goes wrong where the trap comes one instruction late, after a system call or a change of
 * the stack segment. Such instructions are refused, except harmless calls. The instruction after
 * such a call is refused instead, since it is carried out with the call, beside its breakpoint.
 * Vector instructions are refused, too, if uprobes takes the last byte of their opcode for a jump,
 * a push, a call or a return: it sees nothing else of VEX and EVEX. Instructions that uprobes
 * refuse are refused here already, since uprobes take long to find out.
 *
 * At the first instruction of a function there may be a uretprobe of another tracer. After all
 * handlers, the kernel looks for the return address, and takes the program counter for the
 * function's. Therefore only NOPs are carried out there, and instructions that change the stack by
 * arithmetic are carried out nowhere, unless there is no other uprobe consumer.
 */
#include <linux/errno.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/string.h>
#include <asm/prctl.h>
#include <asm/processor-flags.h>
#include <dtrace/uprobe.h>

#include "insn.h"
#include "target.h"

#define CALL_SIZE 2 /* of a system call */
#define BEFORE                  \
	(DTRACE_UPROBE_BEFORE + \
	 CALL_SIZE)    /* bytes in front of the instruction that are looked at */
#define AFTER	  16   /* from its beginning */
#define CONDITION 0x10 /* there is one */

/* Code in the file around an instruction; what is outside of the file is 0. */
struct code {
	u8 bytes[BEFORE + AFTER];
};

static int code_read(struct code *code, struct file *file, loff_t offset)
{
	loff_t from = max_t(loff_t, offset - BEFORE, 0);
	ssize_t n;

	memset(code, 0, sizeof(*code));
	if (!(file->f_mode & FMODE_READ))
		return -EACCES;
	n = kernel_read(file, code->bytes + (from - (offset - BEFORE)),
			sizeof(code->bytes) - (from - (offset - BEFORE)), &from);
	return n < 0 ? (int)n : 0;
}

/* ---- what an instruction is ---- */

/* Return the length of a ModRM byte and the bytes that belong to it. */
static unsigned int modrm_length(const u8 *at)
{
	unsigned int mod = at[0] >> 6, rm = at[0] & 7, length = 1;
	bool sib = mod != 3 && rm == 4;

	if (sib)
		length++;
	if (mod == 1)
		return length + 1;
	if (mod == 2 || (mod == 0 && (sib ? (at[1] & 7) == 5 : rm == 5)))
		return length + 4;
	return length;
}

/* Return the length of a NOP of several bytes, with prefixes without effect; 0: it is no NOP. */
static unsigned int nop_length(const u8 *at)
{
	unsigned int n = 0;

	while (n < 8 && at[n] == 0x66)
		n++;
	if (at[n] != 0x0f || at[n + 1] != 0x1f)
		return 0;
	return n + 2 + modrm_length(at + n + 2);
}

/* Return whether an instruction is endbr64 or endbr32, at which indirect branches may land. */
static bool is_landing(const u8 *at)
{
	return at[0] == 0xf3 && at[1] == 0x0f && at[2] == 0x1e && (at[3] & 0xfe) == 0xfa;
}

static bool is_return(const u8 *at, u16 *pop)
{
	*pop = at[0] == 0xc2 ? at[1] | at[2] << 8 : 0;
	return at[0] == 0xc2 || at[0] == 0xc3 ||
	       ((at[0] == 0xf2 || at[0] == 0xf3) && at[1] == 0xc3);
}

/* Return whether an instruction pops a register in 64-bit code. Set its length and register. */
static bool is_pop(const u8 *at, struct dtrace_insn *insn)
{
	unsigned int rex = at[0] == 0x41;

	insn->length = (u8)(rex + 1);
	insn->to = (u8)((at[rex] & 7) | rex << 3);
	return (at[rex] & 0xf8) == 0x58;
}

/* Return whether an instruction is stepped together with the system call before it. */
static bool is_behind_call(const u8 *at)
{
	return dtrace_uprobe_call_is_safe(at - CALL_SIZE);
}

static bool is_late(const u8 *at)
{
	if (at[0] == 0x0f && (at[1] == 0x05 || at[1] == 0x34))
		return !dtrace_uprobe_call_is_safe(at);
	if (at[0] == 0x8e)
		return (at[1] >> 3 & 7) == 2;  /* to the stack segment */
	return at[0] == 0xc7 && at[1] == 0xf8; /* xbegin */
}

/*
 * Return whether uprobes takes an instruction for another one, or refuses it in both 64-bit and
 * 32-bit code. It is not known here which code this is.
 */
static bool is_unfit(const u8 *at)
{
	static const u8 prefixes[] = {0x64, 0x65, 0x66, 0x67, 0xf2, 0xf3};
	unsigned int n = 0, vector;

	while (n < 4 && memchr(prefixes, at[n], sizeof(prefixes)))
		n++;
	vector = dtrace_uprobe_vector(at + n);
	return dtrace_uprobe_refuses_prefix(at[n]) || dtrace_uprobe_refuses(32, at[n + vector]) ||
	       (vector && dtrace_uprobe_misreads(at[n + vector]));
}

/* Return the condition of a jump by the flags, which may have a prefix; 0: it is no such jump. */
static u8 jump_condition(const u8 *at)
{
	unsigned int n = at[0] == 0xf2;

	if ((at[n] & 0xf0) == 0x70)
		return CONDITION | (at[n] & 0xf);
	if (at[n] == 0x0f && (at[n + 1] & 0xf0) == 0x80)
		return CONDITION | (at[n + 1] & 0xf);
	return 0;
}

int insn_read(struct dtrace_insn *insn, struct file *file, loff_t offset)
{
	struct code code;
	const u8 *at = code.bytes + BEFORE;
	int error = code_read(&code, file, offset);

	if (error)
		return error;
	if (is_late(at) || is_behind_call(at) || is_unfit(at))
		return -EOPNOTSUPP;
	insn->condition = jump_condition(at);
	insn->length = is_landing(at) ? 4 : (u8)nop_length(at);
	if (insn->length)
		insn->kind = INSN_NOP;
	else if (is_return(at, &insn->pop))
		insn->kind = INSN_RETURN;
	else if (at[0] == 0x9c)
		insn->kind = INSN_PUSHF;
	else if (is_pop(at, insn))
		insn->kind = INSN_POP;
	else if (operation_decode(&insn->operation, at))
		insn->kind = INSN_OPERATION;
	return 0;
}

/* ---- where it leads ---- */

/* Conditions come in pairs, of which the second is the negation of the first. */
bool insn_is_taken(const struct dtrace_insn *insn, const struct pt_regs *regs)
{
	unsigned long flags = regs->flags;
	bool less = !(flags & X86_EFLAGS_SF) != !(flags & X86_EFLAGS_OF), met;

	if (!insn->condition)
		return true;
	switch ((insn->condition & 0xf) >> 1) {
	case 0:
		met = flags & X86_EFLAGS_OF;
		break;
	case 1:
		met = flags & X86_EFLAGS_CF;
		break;
	case 2:
		met = flags & X86_EFLAGS_ZF;
		break;
	case 3:
		met = flags & (X86_EFLAGS_CF | X86_EFLAGS_ZF);
		break;
	case 4:
		met = flags & X86_EFLAGS_SF;
		break;
	case 5:
		met = flags & X86_EFLAGS_PF;
		break;
	case 6:
		met = less;
		break;
	default:
		met = less || flags & X86_EFLAGS_ZF;
	}
	return met != (insn->condition & 1);
}

/* ---- carrying it out ---- */

#ifdef COMPAT_UPROBE_HANDLER_IP

static bool shadow_stack(void)
{
#ifdef CONFIG_X86_USER_SHADOW_STACK
	return current->thread.features & ARCH_SHSTK_SHSTK;
#else
	return false;
#endif
}

static bool do_return(struct pt_regs *regs, unsigned int pop)
{
	unsigned int word = user_64bit_mode(regs) ? 8 : 4;
	u64 to = 0;

	if (shadow_stack() || target_load_user(&to, regs->sp, word) || to >= TASK_SIZE)
		return false;
	regs->ip = to;
	regs->sp += word + pop;
	return true;
}

/* Emulate a pop. The register may be the stack pointer itself. */
static bool do_pop(struct pt_regs *regs, const struct dtrace_insn *insn)
{
	u64 value;

	if (!user_64bit_mode(regs) || target_load_user(&value, regs->sp, sizeof(value)))
		return false;
	regs->sp += sizeof(value);
	*operation_register(regs, insn->to) = value;
	regs->ip += insn->length;
	return true;
}

/* Emulate pushf. Single-stepped, it would also push the trap flag. */
static bool do_pushf(struct pt_regs *regs)
{
	unsigned int word = user_64bit_mode(regs) ? 8 : 4;
	u64 flags = regs->flags & ~(X86_EFLAGS_TF | X86_EFLAGS_RF | X86_EFLAGS_VM);

	if (target_store_user(regs->sp - word, &flags, word))
		return false;
	regs->sp -= word;
	regs->ip++;
	return true;
}

static bool do_operation(struct pt_regs *regs, const struct dtrace_operation *operation)
{
	if (!user_64bit_mode(regs))
		return false;
	operation_do(operation, regs);
	return true;
}

/*
 * Return whether a uretprobe of another tracer may be there, which emulating would mislead: see
 * above.
 */
static bool misleads(const struct dtrace_insn *insn)
{
	if (insn->kind == INSN_NOP)
		return false;
	return insn->first || (insn->kind == INSN_OPERATION && insn->operation.to == OPERATION_SP);
}

static bool instruction_try(const struct dtrace_insn *insn, struct pt_regs *regs)
{
	switch (insn->kind) {
	case INSN_NOP:
		regs->ip += insn->length;
		return true;
	case INSN_RETURN:
		return do_return(regs, insn->pop);
	case INSN_PUSHF:
		return do_pushf(regs);
	case INSN_POP:
		return do_pop(regs, insn);
	case INSN_OPERATION:
		return do_operation(regs, &insn->operation);
	default:
		return false;
	}
}

/*
 * A thread that a debugger single-steps must stop after the instruction, as it does after one that
 * uprobes emulates.
 */
void insn_emulate(const struct dtrace_insn *insn, struct pt_regs *regs, bool alone)
{
	if (!alone && misleads(insn))
		return;
	if (instruction_try(insn, regs) && regs->flags & X86_EFLAGS_TF)
		send_sig(SIGTRAP, current, 0);
}

#else

void insn_emulate(const struct dtrace_insn *insn, struct pt_regs *regs, bool alone)
{
}

#endif
