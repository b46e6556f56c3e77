/* SPDX-License-Identifier: MIT */
/* systemtap_asm.S - probes in an assembler file, as glibc's setjmp.S has them. */
#include <sys/sdt.h>

#define MODULE	systemtap
#ifdef __x86_64__
#define SIZE	8
#define FIRST	%rdi
#define COUNT	%rcx
#else
#define SIZE	4
#define FIRST	%eax
#define COUNT	%ecx
#endif

	.text
	.globl assembled
	.type assembled, @function
assembled:
#ifdef __i386__
	movl 4(%esp), FIRST
#endif
	movl $263, %ecx
	STAP_PROBE(MODULE, asm0)
	STAP_PROBE2(MODULE, asm2, -SIZE@COUNT, -4@$-3)
	STAP_PROBEV(MODULE, asmv, -4@(FIRST), -4@4(FIRST), SIZE@stranger)
	DTRACE_PROBE1(MODULE, asm1, %ch)
	ret
	.size assembled, . - assembled
	.section .note.GNU-stack, "", @progbits
