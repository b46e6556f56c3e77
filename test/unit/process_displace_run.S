/* SPDX-License-Identifier: MIT */
/*
 * process_displace_run.S - runs code with given registers and stack.
 *
 *	void run(struct regs *regs, const void *code)	until the code jumps to run_done
 *
 * The order of struct regs: rax rbx rcx rdx rsi rdi rbp rsp r8 to r15, flags.
 */
	.text
	.globl	run, run_done
	.type	run, @function
run:
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	mov	%rdi, run_regs(%rip)
	mov	%rsi, run_code(%rip)
	mov	%rsp, run_stack(%rip)
	pushq	128(%rdi)
	popfq
	mov	(%rdi), %rax
	mov	8(%rdi), %rbx
	mov	16(%rdi), %rcx
	mov	24(%rdi), %rdx
	mov	32(%rdi), %rsi
	mov	48(%rdi), %rbp
	mov	56(%rdi), %rsp
	mov	64(%rdi), %r8
	mov	72(%rdi), %r9
	mov	80(%rdi), %r10
	mov	88(%rdi), %r11
	mov	96(%rdi), %r12
	mov	104(%rdi), %r13
	mov	112(%rdi), %r14
	mov	120(%rdi), %r15
	mov	40(%rdi), %rdi
	jmp	*run_code(%rip)
run_done:
	mov	%rdi, run_rdi(%rip)
	mov	run_regs(%rip), %rdi
	mov	%rax, (%rdi)
	mov	%rbx, 8(%rdi)
	mov	%rcx, 16(%rdi)
	mov	%rdx, 24(%rdi)
	mov	%rsi, 32(%rdi)
	mov	%rbp, 48(%rdi)
	mov	%rsp, 56(%rdi)
	mov	%r8, 64(%rdi)
	mov	%r9, 72(%rdi)
	mov	%r10, 80(%rdi)
	mov	%r11, 88(%rdi)
	mov	%r12, 96(%rdi)
	mov	%r13, 104(%rdi)
	mov	%r14, 112(%rdi)
	mov	%r15, 120(%rdi)
	mov	run_stack(%rip), %rsp
	pushfq
	popq	128(%rdi)
	mov	run_rdi(%rip), %rax
	mov	%rax, 40(%rdi)
	cld
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret
	.size	run, . - run

	.bss
	.balign	8
run_regs:
	.skip	8
run_code:
	.skip	8
run_stack:
	.skip	8
run_rdi:
	.skip	8
	.section .note.GNU-stack, "", @progbits
