/* SPDX-License-Identifier: MIT */
/*
 * hit.S - the agent's entries: from a trampoline, and for calls of dtrace.
 *
 * A trampoline has skipped the red zone, pushed the number of its location, and called. All
 * registers and flags of the program are preserved; nothing here touches vector registers and x87.
 * Flags are kept by lahf and seto, which take a fifth of the time of pushfq and popfq. The code
 * uses no string instruction, so the direction flag does not matter.
 *
 * Where the program's stacks are small, a hit runs on another one (stack.c).
 *
 * Register r15 is the current slot in all of the agent's code.
 */
	.text
	.globl	agent_hit_entry
	.type	agent_hit_entry, @function
/* words of struct usdt_regs */
#define R(n)	((n) * 8)(%rsp)
#define WORDS	21
/* offset of small_stacks in struct agent_head; stack.c checks it */
#define SMALL_STACKS	376
agent_hit_entry:
	lea	-(WORDS * 8)(%rsp), %rsp
	mov	%rax, R(10)
	lahf
	seto	%al
	mov	%r15, R(0)
	mov	%r14, R(1)
	mov	%r13, R(2)
	mov	%r12, R(3)
	mov	%rbp, R(4)
	mov	%rbx, R(5)
	mov	%r11, R(6)
	mov	%r10, R(7)
	mov	%r9, R(8)
	mov	%r8, R(9)
	mov	%rcx, R(11)
	mov	%rdx, R(12)
	mov	%rsi, R(13)
	mov	%rdi, R(14)
	movq	$-1, R(15)
	movzwl	%ax, %eax
	mov	%rax, R(18)
	movq	$0x33, R(17)
	lea	(WORDS * 8 + 16 + 128)(%rsp), %rax
	mov	%rax, R(19)
	movq	$0x2b, R(20)
	mov	%rsp, %rbp
	and	$-16, %rsp
	cmpl	$0, agent_head + SMALL_STACKS(%rip)
	jne	2f
	mov	%rbp, %rdi
	mov	(WORDS * 8 + 8)(%rbp), %esi
	call	agent_hit
1:	mov	%rbp, %rsp
	mov	R(18), %rax
	add	$127, %al
	sahf
	mov	R(0), %r15
	mov	R(1), %r14
	mov	R(2), %r13
	mov	R(3), %r12
	mov	R(4), %rbp
	mov	R(5), %rbx
	mov	R(6), %r11
	mov	R(7), %r10
	mov	R(8), %r9
	mov	R(9), %r8
	mov	R(10), %rax
	mov	R(11), %rcx
	mov	R(12), %rdx
	mov	R(13), %rsi
	mov	R(14), %rdi
	lea	(WORDS * 8)(%rsp), %rsp
	ret
2:	call	stack_take
	test	%rax, %rax
	jz	1b
	mov	%rsp, %r12
	mov	%rax, %rbx
	mov	%rax, %rsp
	mov	%rbp, %rdi
	mov	(WORDS * 8 + 8)(%rbp), %esi
	call	agent_hit
	mov	%r12, %rsp
	mov	%rbx, %rdi
	call	stack_give
	jmp	1b
	.size	agent_hit_entry, . - agent_hit_entry

	.globl	agent_call_entry
	.type	agent_call_entry, @function
agent_call_entry:
	push	%r15
	xor	%r15d, %r15d
	call	agent_call
	pop	%r15
	ret
	.size	agent_call_entry, . - agent_call_entry

	.globl	agent_trap
	.type	agent_trap, @function
agent_trap:
	int3
	.size	agent_trap, . - agent_trap

	.section .note.GNU-stack, "", @progbits
