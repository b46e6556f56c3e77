/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * site.h - the record of a probe site, and the section of declarations: what sys/sdt.h and dtrace
 * -G leave in objects and drti reads when the program starts.
 *
 * Section dtrace_sites (allocated, read-only, SHF_LINK_ORDER to the code, in its COMDAT group; the
 * linker's symbols __start_dtrace_sites and __stop_dtrace_sites bound it): records one after
 * another, 4-byte aligned. The compiler emits them from DTRACE_PROBE; dtrace -G adds them to an
 * object whose probe calls it has turned into NOPs.
 *
 * Section dtrace_dof (bounded in the same way): whole DOF files, 8-byte aligned, one per provider
 * file given to dtrace -G: PROVIDER, PROBES with argument types and mappings, and no sites. drti
 * merges declarations and records by provider and probe name into the DOF that it registers; a
 * record without declaration still makes a probe, without types.
 */
#ifndef DTRACE_SITE_H
#define DTRACE_SITE_H

#include <dtrace/types.h>

#define DTRACE_SITES_SECTION  "dtrace_sites"
#define DTRACE_DOF_SECTION    "dtrace_dof"
#define DTRACE_HELPER_SECTION "dtrace_helper" /* addresses of a helper's arg3; 0: there is none */
#define DTRACE_SITE_VERSION   1

/*
 * The record. Distances are from the field that holds them to the address they name, so a record
 * needs no relocation when the program starts.
 */
struct dtrace_site_record {
	uint16_t size;	 /* of all of it, a multiple of 4; 0: padding of 4 bytes */
	uint8_t version; /* DTRACE_SITE_VERSION */
	uint8_t kind;	 /* DOF_SITE_PROBE or DOF_SITE_ISENABLED; DTRACE_SITE_TEXT */
	int32_t pc;	 /* to the byte to trap */
	int32_t sema;	 /* to the semaphore (uint16_t, in .probes); 0: none */
	int32_t func;	 /* to what the compiler calls the function (NUL-terminated): its name,
				 * in C++ also its types (drti/function.h); 0: unknown */
	char data[];	 /* provider NUL, name with __ NUL, arguments, 0, padding */
};

/* In kind: arguments are text as in SystemTap's notes, with blanks between them. */
#define DTRACE_SITE_TEXT 0x80

/*
 * An argument is a byte, DTRACE_SITE_ARG | log2 of its size | flags, and then an instruction that
 * reads the argument, as the assembler encodes it: "mov ARGUMENT,%rcx", or in 32-bit objects "imul
 * ARGUMENT,%ecx". It is never executed: it is a precise form, made by assembler and linker, of
 * where the argument is, whatever the addressing mode and relocation. These instructions may come
 * after the prefixes [64|65] (thread-local memory) and [40..4f] (REX):
 *
 *	89 /r			mov %reg,%rcx
 *	8b /r			mov memory,%rcx
 *	8d /r (rip)		lea memory,%rcx: a constant, from a load from the GOT
 *	c7 /0 id, b8+ id, b8+ iq	mov $constant,%rcx
 *	0f af /r		imul %reg|memory,%ecx: 32-bit, where linkers would turn a mov from
 *				the GOT into a lea
 *	66 REX.W 0f 7e /r	movq %xmm,%rcx: of rewritten calls
 *	69 /r id, 6b /r ib	imul $constant,%ecx
 *
 * A 32-bit register that holds 8 bytes is the lower half of a pair in GCC's order: ax dx cx bx si
 * di bp. drti/operand_x86.c reads and writes all this.
 *
 * Arguments of aarch64 are always text.
 */
#define DTRACE_SITE_ARG	      0x10 /* set in every argument's first byte */
#define DTRACE_SITE_ARGSIZE   0x03 /* log2 of the bytes: 1 2 4 8 */
#define DTRACE_SITE_ARGSIGNED 0x04
#define DTRACE_SITE_ARGFLOAT  0x08 /* bits of a float or double */

/*
 * Code at a site, x86: 90 | 66 66 66 66 90, six bytes; aarch64: two NOPs. The note for other
 * tracers names the first, pc the second. On x86 uprobes emulate both without single-stepping.
 * Rewritten calls have only the second, of five bytes on x86; see sdk/README.md.
 */

#endif
