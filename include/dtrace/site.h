/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * site.h - the record of a probe site, and the section of declarations: what sys/sdt.h and dtrace -G leave in objects and
 * drti reads when the program starts.
 *
 * Section dtrace_sites (allocated, read-only, SHF_LINK_ORDER to the code, in its COMDAT group; the linker's symbols
 * __start_dtrace_sites and __stop_dtrace_sites bound it): records one after another, 4-byte aligned. The compiler
 * emits them from DTRACE_PROBE; dtrace -G adds them to an object whose probe calls it has turned into NOPs. A record of size 0 is padding of 4 bytes.
 *
 * Section dtrace_dof (likewise bounded): whole DOF files, 8-byte aligned, one per provider file given to dtrace -G: PROVIDER,
 * PROBES with argument types and mappings, and no sites. drti joins declarations and records by provider and probe name into the DOF that it
 * registers; a record without declaration still makes a probe, without types.
 */
#ifndef DTRACE_SITE_H
#define DTRACE_SITE_H

#include <dtrace/types.h>

#define DTRACE_SITES_SECTION	"dtrace_sites"
#define DTRACE_DOF_SECTION	"dtrace_dof"
#define DTRACE_SITE_VERSION	1

struct dtrace_site_record {
	uint16_t size;		/* of the record with its strings and padding; a multiple of 4 */
	uint8_t version;	/* DTRACE_SITE_VERSION */
	uint8_t kind;		/* DOF_SITE_PROBE or DOF_SITE_ISENABLED */
	int32_t pc;		/* address of the byte to trap, less the address of this field */
	int32_t sema;		/* address of the semaphore (uint16_t), less the address of this field; 0: none */
	int32_t func;		/* address of the function's name (NUL-terminated), less the address of this field; 0: unknown */
	char strings[];		/* provider NUL, name as written (with __) NUL, operands NUL */
};

/*
 * Operands, separated by spaces, are those of SystemTap's notes: [-]SIZE[f]@PLACE in AT&T syntax, a minus sign for a signed
 * value, f for a floating one; PLACE is %reg, $constant, disp(%base,%index,scale), symbol+disp(%rip) or a plain symbol (the last two cannot be resolved
 * by drti and read as 0, so the header avoids them).
 *
 * Code at a site, x86: 90 | 66 66 66 66 90, six bytes; the note for other tracers names the first, pc the second. Both are NOPs
 * that uprobes emulate without single-stepping. Rewritten calls have only the second, five bytes; see sdk/README.md.
 */

#endif
