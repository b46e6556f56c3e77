/* SPDX-License-Identifier: MIT */
/*
 * hit.S - what trampolines call in the tests, instead of the agent: counts the hit of an index that a number has. The
 * test copies it, and sets the address of the counters behind it.
 */
	.section .rodata
	.globl	hit_code, hit_counters, hit_end
	.balign	8
hit_code:
	push	%rax
	lahf
	seto	%al
	push	%rax
	push	%rcx
	push	%rdx
	mov	40(%rsp), %ecx
	and	$0xffffff, %ecx
	mov	hit_counters(%rip), %rdx
	mov	1 << 20(%rdx,%rcx,4), %ecx	/* the table of numbers is behind the counters */
	sub	$1, %ecx
	js	1f				/* no session traces that site */
	lock incq (%rdx,%rcx,8)
1:	pop	%rdx
	pop	%rcx
	pop	%rax
	add	$127, %al
	sahf
	pop	%rax
	ret
	.balign	8
hit_counters:
	.quad	0
hit_end:
	.section .note.GNU-stack, "", @progbits
