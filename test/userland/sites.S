/* SPDX-License-Identifier: MIT */
/*
 * sites.S - probe sites of all forms, each in a function that fills everything a program may have in
 * use, passes the site, and stores what it finds: struct state in victim.c.
 *
 * The table `checks` has for each: the site's pc, the function, the kind, and a function of the same code without
 * a site, or 0: then what is found is what was filled in.
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

	.macro	entry pc, function, kind, twin=0
	.pushsection .data.rel.ro.checks, "aw"
	.quad	\pc, \function, \kind, \twin
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

	/* A function with an instruction between others. */
	.macro	insn_function before, insn, after
	enter
	registers_load 16
	\before
881:	\insn
	\after
	registers_store 16, 0
	leave_function
	.endm

	/* The instruction may use all but rbx. */
	.macro	insn_site before, insn, after
	.balign	16, 0xcc
880:	insn_function "\before", "\insn", "\after"
	entry	881b, 880b, 6, 882f
	.balign	16, 0xcc
882:	insn_function "\before", "\insn", "\after"
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

	/* The functions that ask whether they are traced. */
	.rept	16
881:	.byte	0x31, 0xc0, 0x66, 0x66, 0x90
	ret
	.skip	13, 0xcc
	entry	881b + 2, 881b, 5
	.endr

	/*
	 * Instructions. A call leaves its address below the stack pointer, which is removed; what is called compares
	 * it, so that the flags tell.
	 */
	insn_site "", "push %rax", "pop %rdx"
	insn_site "push %rax", "pop %rdx", ""
	insn_site "", "push %r12", "pop %rcx"
	insn_site "", "mov %rax, %rcx", ""
	insn_site "", "xor %eax, %eax", ""
	insn_site "", "adc %rdx, %rax", ""
	insn_site "", "adc $0x12345678, %rax", ""
	insn_site "", "movabs $0x1122334455667788, %r15", ""
	insn_site "", "sub $24, %rsp", "lea 24(%rsp), %rsp"
	insn_site "", "nop", ""
	insn_site "", "endbr64", ""
	insn_site "", "lea data(%rip), %rax", ""
	insn_site "", "mov data(%rip), %r9", ""
	insn_site "", "testl $0x77777777, data(%rip)", ""
	insn_site "", "cmpl $77, data(%rip)", ""
	insn_site "", "cmpb $7, data(%rip)", ""
	insn_site "", "addsd data(%rip), %xmm3", ""
	insn_site "", "pshufb %xmm4, %xmm5", ""
	insn_site "fstp %st(0)", "fldt data(%rip)", ""
	insn_site "", "xchg %al, %ah", ""
	/* The last byte of the distance is the first byte of the instruction behind, and leads below address 0 in low programs. */
	insn_site "", "mov 8(%rbx), %rax", "test %eax, %eax; lea 1(%rax), %rax"
	insn_site "", "or $-1, %r8d", "add $0x12345678, %edx"
	insn_site "", "push %rax", "mov %rax, %rdx; add $0x1234, %edx; pop %rcx"
	insn_site "", "push %r12", "push %r13; sub $8, %rsp; lea 8(%rsp), %rsp; pop %rcx; pop %rdx"
	.irp	cc, o, no, b, ae, e, ne, be, a, s, ns, p, np, l, ge, le, g
	insn_site "", "j\cc 883f", "lea 1(%rax), %rax; 883:"
	insn_site "", "j\cc 883f", "lea 1(%rax), %rax; .skip 200, 0x90; 883:"
	.endr
	insn_site "", "jmp 883f", "lea 1(%rax), %rax; 883:"
	insn_site "", "jmp 883f", "lea 1(%rax), %rax; .skip 200, 0x90; 883:"
	insn_site "and $3, %ecx", "jrcxz 883f", "lea 1(%rax), %rax; 883:"
	insn_site "and $3, %ecx; lea 1(%rcx), %ecx", "loop 883f", "lea 1(%rax), %rax; 883:"
	insn_site "", "call 883f", "jmp 884f; 883: lea 883b - 2(%rip), %rax; cmp %rax, (%rsp); ret; 884: mov $0, %eax; movq $0, -8(%rsp)"
	insn_site "lea called(%rip), %r12", "call *%r12", "movq $0, -8(%rsp); mov $0, %r12d"
	insn_site "", "call *data_called(%rip)", "movq $0, -8(%rsp)"
	insn_site "lea called(%rip), %rax; push %rax", "call *(%rsp)", "mov $0, %eax; movq $0, -8(%rsp); lea 8(%rsp), %rsp; movq $0, -8(%rsp)"
	insn_site "lea 883f(%rip), %rax", "jmp *%rax", "ud2; 883: mov $0, %eax"
	insn_site "call 883f; jmp 884f; 883:", "ret", "884: movq $0, -8(%rsp)"
	insn_site "push %rax; call 883f; jmp 884f; 883:", "ret $8", "884: movq $0, -8(%rsp); movq $0, -16(%rsp)"

	/* Each instruction is a site: the bytes of one are a part of the distances of others. */
	.macro	insn_row
	push	%rax
	push	%rcx
	xor	%eax, %eax
	inc	%rcx
	nop
	pop	%rdx
	pop	%rax
	cld
	.endm
	.balign	16, 0xcc
885:	insn_function "", "insn_row", ""
	.balign	16, 0xcc
880:	insn_function "", "insn_row", ""
	.set	count, 0
	.irp	at, 0, 1, 2, 4, 7, 8, 9, 10
	entry	881b + \at, 880b, 7, 885b
	.endr

called:
	lea	1(%rax), %rax
	ret
	.pushsection .data
	.balign	16
data:	.quad	0x4008123456789abc, 0x3fff, 0
data_called:
	.quad	called
	.popsection

	.pushsection .data.rel.ro.checks, "aw"
	.globl	checks_end
checks_end:
	.popsection
	.section .note.GNU-stack, "", @progbits
