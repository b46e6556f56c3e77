/* SPDX-License-Identifier: MIT */
/*
 * script_call.S - long script_call(struct function *f, long (*next)(struct function *f)): the
 * trampoline through which the toy interpreter calls functions, and by which its helper finds them.
 */
	.globl	script_call
	.type	script_call, @function
script_call:
	.cfi_startproc
#ifdef __x86_64__
	subq	$24, %rsp
	.cfi_adjust_cfa_offset 24
	movabsq	$0x7470697263736f74, %rax
	movq	%rax, (%rsp)
	movq	%rdi, 8(%rsp)
	call	*%rsi
	movq	$0, (%rsp)
	addq	$24, %rsp
	.cfi_adjust_cfa_offset -24
#else
	movl	4(%esp), %eax
	movl	8(%esp), %edx
	subl	$12, %esp
	.cfi_adjust_cfa_offset 12
	movl	$0x74706972, (%esp)
	movl	%eax, 4(%esp)
	pushl	%eax
	.cfi_adjust_cfa_offset 4
	call	*%edx
	addl	$4, %esp
	.cfi_adjust_cfa_offset -4
	movl	$0, (%esp)
	addl	$12, %esp
	.cfi_adjust_cfa_offset -12
#endif
	ret
	.cfi_endproc
	.size	script_call, . - script_call
	.data
	.globl	dtrace_helper_data
	.hidden	dtrace_helper_data
dtrace_helper_data:
	.string	"said by the library"
	.section .note.GNU-stack,"",@progbits
