/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * uprobe.h - x86 instructions at which a uprobe is harmful or impossible. The consumer registers no
 * probe there, and the module refuses such probes.
 *
 * A uprobe is a breakpoint; the kernel carries out the instruction by single-stepping a copy of it.
 * This fails for two kinds of instructions:
 *
 * If an instruction has a VEX, EVEX or XOP prefix, the kernel looks at the opcode as if there were
 * no prefix: it takes vpcmpeqb for a jump, and vxorps for a push.
 *
 * The step over a system call ends late, behind the instruction after it. A thread that returns
 * from the call elsewhere, or twice, returns into the copy.
 *
 * The kernel itself refuses other instructions, but since 6.12 this takes a tenth of a second and
 * more: instructions with some prefixes, and those with a privileged opcode. Here, too, it takes
 * the opcode behind a VEX or EVEX prefix for one without: vpxor for out.
 */
#ifndef DTRACE_UPROBE_H
#define DTRACE_UPROBE_H

#include <dtrace/types.h>

/*
 * dtrace_uprobe_vector - how far behind op, where an instruction begins after its legacy prefixes,
 * the opcode of one with a VEX, EVEX or XOP prefix is; 0: it is none. op: two bytes. In 32-bit code
 * one whose second byte is less than 0xc0 is none either, which is not looked at here.
 */
static inline unsigned int dtrace_uprobe_vector(const uint8_t *op)
{
	switch (op[0]) {
	case 0xc5:
		return 2;
	case 0xc4:
		return 3;
	case 0x62:
		return 4;
	case 0x8f: /* XOP, if it is no pop */
		return (op[1] & 0x1f) >= 8 ? 3 : 0;
	default:
		return 0;
	}
}

/* dtrace_uprobe_misreads - not 0: the opcode of such an instruction is taken for another one's. */
static inline int dtrace_uprobe_misreads(uint8_t opcode)
{
	switch (opcode) {
	case 0x0f:
	case 0x90:
	case 0x9a:
	case 0x9d:
	case 0xc2:
	case 0xc3:
	case 0xca:
	case 0xcb:
	case 0xe8:
	case 0xe9:
	case 0xea:
	case 0xeb:
	case 0xff:
		return 1;
	default:
		return (opcode >= 0x50 && opcode <= 0x57) || (opcode >= 0x70 && opcode <= 0x7f);
	}
}

/* dtrace_uprobe_refuses_prefix - not 0: the kernel has no uprobe at an instruction with it. */
static inline int dtrace_uprobe_refuses_prefix(uint8_t prefix)
{
	switch (prefix) {
	case 0x26: /* es, */
	case 0x2e: /* cs, also as a part of long NOPs, */
	case 0x36: /* ss, */
	case 0x3e: /* ds, also as notrack */
	case 0xf0: /* lock */
		return 1;
	default:
		return 0;
	}
}

/* In code of both kinds. */
static inline int dtrace_uprobe_refuses32(uint8_t opcode)
{
	switch (opcode) {
	case 0x07: /* pop es, */
	case 0x17: /* ss, */
	case 0x1f: /* ds */
	case 0xf1: /* int1 */
	case 0xf4: /* hlt */
	case 0xfa: /* cli */
	case 0xfb: /* sti */
		return 1;
	default: /* ins, outs; int, iret; in, out */
		return (opcode >= 0x6c && opcode <= 0x6f) || (opcode >= 0xcc && opcode <= 0xcf) ||
		       (opcode & 0xf4) == 0xe4;
	}
}

/* In 64-bit code these are none, but for those behind a VEX or EVEX prefix. */
static inline int dtrace_uprobe_refuses64(uint8_t opcode)
{
	switch (opcode) {
	case 0x06:
	case 0x0e:
	case 0x16:
	case 0x1e:
	case 0x27:
	case 0x2f:
	case 0x37:
	case 0x3f:
	case 0x60:
	case 0x61:
	case 0x62:
	case 0x82:
	case 0x9a:
	case 0xd4:
	case 0xd5:
	case 0xd6:
	case 0xea:
		return 1;
	default:
		return dtrace_uprobe_refuses32(opcode);
	}
}

/*
 * dtrace_uprobe_refuses - not 0: the kernel has no uprobe at an instruction with that opcode in
 * code of 32 or 64 bits: its first byte behind all prefixes, REX, VEX and EVEX among them.
 */
static inline int dtrace_uprobe_refuses(int bits, uint8_t opcode)
{
	return bits == 64 ? dtrace_uprobe_refuses64(opcode) : dtrace_uprobe_refuses32(opcode);
}

/*
 * A system call of 64-bit code that comes back once, to where it was made. number: -1: not known.
 */
static inline int dtrace_uprobe_call_is_plain(int32_t number)
{
	switch (number) {
	case 15:  /* rt_sigreturn */
	case 56:  /* clone */
	case 57:  /* fork */
	case 58:  /* vfork */
	case 59:  /* execve */
	case 322: /* execveat */
	case 435: /* clone3 */
		return 0;
	default:
		return number >= 0;
	}
}

/* The number of the system call, if it is put into its register right before; or -1. */
static inline int32_t dtrace_uprobe_call_number(const uint8_t *at)
{
	if (at[-5] == 0xb8)
		return (int32_t)((uint32_t)at[-4] | (uint32_t)at[-3] << 8 | (uint32_t)at[-2] << 16 |
				 (uint32_t)at[-1] << 24);
	return at[-2] == 0x31 && at[-1] == 0xc0 ? 0 : -1;
}

#define DTRACE_UPROBE_BEFORE 5 /* bytes in front of a system call that tell what it is, */
#define DTRACE_UPROBE_AFTER  4 /* and from its beginning */

/*
 * dtrace_uprobe_call_is_safe - not 0: at is a system call of 64-bit code that can be stepped over.
 * The instruction behind it is stepped with it, so that a probe there would not fire: it may only
 * be one that is the same anywhere, the comparison of the result with a constant.
 */
static inline int dtrace_uprobe_call_is_safe(const uint8_t *at)
{
	return at[0] == 0x0f && at[1] == 0x05 && at[2] == 0x48 && at[3] == 0x3d &&
	       dtrace_uprobe_call_is_plain(dtrace_uprobe_call_number(at));
}

#endif
