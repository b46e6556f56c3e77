/* SPDX-License-Identifier: MIT */
/*
 * sites.S - probe sites of all forms, each in a function that fills everything a program may have in
 * use, passes the site, and stores what it finds: struct state in victim.c.
 *
 * The table `checks` has for each: the site's pc, the function, the kind.
 */
#define RED	0		/* 16 words below the stack pointer; the functions that end at a jump use 15 */
#define GPR	128		/* rax rcx rdx rsi rdi rbp r8-r15 */
#define VEC	256		/* 16 times 32 bytes */
#define X87	768		/* 8 times 16 bytes */
#define FLAGS	896		/* as lahf has them in ah */
#define OVER	904		/* the overflow flag */
#define OUT	1024		/* the same again */
#define AVX	2048		/* whether there are upper halves */

	.text
	.macro	vectors_load
	cmpb	$0, AVX(%rbx)
	jne	771f
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu	VEC + 32 * \i(%rbx), %xmm\i
	.endr
	jmp	772f
771:
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu	VEC + 32 * \i(%rbx), %ymm\i
	.endr
772:
	fninit
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7
	fldt	X87 + 16 * \i(%rbx)
	.endr
	.endm

	.macro	vectors_store
	cmpb	$0, AVX(%rbx)
	jne	773f
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	movdqu	%xmm\i, OUT + VEC + 32 * \i(%rbx)
	.endr
	jmp	774f
773:
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	vmovdqu	%ymm\i, OUT + VEC + 32 * \i(%rbx)
	.endr
	vzeroupper
774:
	.irp	i, 7, 6, 5, 4, 3, 2, 1, 0
	fstpt	OUT + X87 + 16 * \i(%rbx)
	.endr
	.endm

	.macro	registers_load words
	vectors_load
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.if	\i < \words
	mov	RED + 8 * \i(%rbx), %rax
	mov	%rax, -8 * (\i + 1)(%rsp)
	.endif
	.endr
	mov	OVER(%rbx), %al
	add	$127, %al
	mov	FLAGS(%rbx), %ah
	sahf
	mov	GPR + 0(%rbx), %rax
	mov	GPR + 8(%rbx), %rcx
	mov	GPR + 16(%rbx), %rdx
	mov	GPR + 24(%rbx), %rsi
	mov	GPR + 32(%rbx), %rdi
	mov	GPR + 40(%rbx), %rbp
	mov	GPR + 48(%rbx), %r8
	mov	GPR + 56(%rbx), %r9
	mov	GPR + 64(%rbx), %r10
	mov	GPR + 72(%rbx), %r11
	mov	GPR + 80(%rbx), %r12
	mov	GPR + 88(%rbx), %r13
	mov	GPR + 96(%rbx), %r14
	mov	GPR + 104(%rbx), %r15
	.endm

	/* above: how many words the stack pointer is higher than at the site */
	.macro	registers_store words, above
	mov	%rax, OUT + GPR + 0(%rbx)
	mov	%rcx, OUT + GPR + 8(%rbx)
	mov	%rdx, OUT + GPR + 16(%rbx)
	mov	%rsi, OUT + GPR + 24(%rbx)
	mov	%rdi, OUT + GPR + 32(%rbx)
	mov	%rbp, OUT + GPR + 40(%rbx)
	mov	%r8, OUT + GPR + 48(%rbx)
	mov	%r9, OUT + GPR + 56(%rbx)
	mov	%r10, OUT + GPR + 64(%rbx)
	mov	%r11, OUT + GPR + 72(%rbx)
	mov	%r12, OUT + GPR + 80(%rbx)
	mov	%r13, OUT + GPR + 88(%rbx)
	mov	%r14, OUT + GPR + 96(%rbx)
	mov	%r15, OUT + GPR + 104(%rbx)
	lahf
	seto	%al
	mov	%ah, OUT + FLAGS(%rbx)
	mov	%al, OUT + OVER(%rbx)
	.irp	i, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	.if	\i < \words
	mov	-8 * (\i + 1 + \above)(%rsp), %rax
	mov	%rax, OUT + RED + 8 * \i(%rbx)
	.endif
	.endr
	vectors_store
	.endm

	.macro	enter
	push	%rbx
	push	%rbp
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rdi, %rbx
	.endm

	.macro	leave_function
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbp
	pop	%rbx
	ret
	.endm

	.macro	entry pc, function, kind
	.pushsection .data.rel.ro.checks, "aw"
	.quad	\pc, \function, \kind
	.popsection
	.endm

	/* Alignments of all kinds come by skip. */
	.macro	inline_site kind, trap, bytes:vararg
	.balign	16, 0xcc
880:	enter
	registers_load 16
881:	.byte	\bytes
	registers_store 16, 0
	leave_function
	entry	881b + \trap, 880b, \kind
	.endm

	.macro	jump_site kind, bytes:vararg
	.balign	16, 0xcc
880:	enter
	call	882f
	registers_store 15, 1
	leave_function
882:	registers_load 15
881:	.byte	\bytes
	.byte	0x90
	entry	881b + 1, 880b, \kind
	.endm

	.pushsection .data.rel.ro.checks, "aw"
	.balign	8
	.globl	checks
checks:
	.popsection

	.set	count, 0
	.rept	40
	inline_site 0, 1, 0x90, 0x66, 0x66, 0x66, 0x66, 0x90
	.skip	1 + count % 61, 0xcc
	inline_site 1, 1, 0x90, 0x66, 0x66, 0x66, 0x90
	.skip	1 + count % 59, 0xcc
	jump_site 2, 0x90, 0x66, 0x66, 0x90, 0xc3
	.skip	1 + count % 53, 0xcc
	.set	count, count + 1
	.endr
	.rept	4
	jump_site 3, 0x90, 0x66, 0x90, 0xc3
	inline_site 4, 0, 0x90, 0x0f, 0x1f, 0x40, 0x66	/* SystemTap's, with an instruction behind */
	.endr

	/* Across a line and across a page. */
	.rept	2
	.balign	4096, 0xcc
	.skip	4096 - 3, 0xcc
881:	.byte	0x90, 0x66, 0x66, 0x66, 0x66, 0x90
	ret
	.balign	16, 0xcc
880:	enter
	call	882f
	registers_store 15, 1
	leave_function
882:	registers_load 15
	jmp	881b
	entry	881b + 1, 880b, 0
	.endr

	/* What asks whether it is traced. */
	.rept	16
881:	.byte	0x31, 0xc0, 0x66, 0x66, 0x90
	ret
	.skip	13, 0xcc
	entry	881b + 2, 881b, 5
	.endr

	.pushsection .data.rel.ro.checks, "aw"
	.globl	checks_end
checks_end:
	.popsection
	.section .note.GNU-stack, "", @progbits
