/* SPDX-License-Identifier: MIT */
/* probed.S - a program for the pid provider to look at: it is never let run. */
	.section .note.GNU-stack, "", @progbits
	.text

	.macro function name
	.globl \name
	.type \name, @function
\name:
	.endm

	.macro end name
	.size \name, . - \name
	.endm

	function _start
	call do_work
	mov $60, %eax
	syscall
	end _start

	function do_work
	push %rbp
	mov %rsp, %rbp
	xor %eax, %eax
	pop %rbp
	ret
	end do_work

	/* Data within the code: no instruction of 64-bit programs begins with this byte. */
	function do_data
	jmp 1f
	.byte 0x06
1:	ret
	end do_data

	/* A jump leads into an instruction. */
	function do_overlap
	jmp 1f + 1
1:	mov $0xc3c3c3c3, %eax
	ret
	end do_overlap

	/* Instructions that the kernel cannot step over. */
	function do_harm
	mov $39, %eax
	syscall
	lea do_work(%rip), %rdx
	vpcmpeqb %ymm1, %ymm0, %ymm1
	mov $57, %eax
	syscall
	test %eax, %eax
	mov $39, %eax
	syscall
	test %eax, %eax
	ret
	end do_harm

	function do_harm_first
	vxorps %ymm0, %ymm0, %ymm0
	ret
	end do_harm_first

	/* Instructions that the kernel has no breakpoints at. */
	function do_refused
	vpxor %xmm1, %xmm0, %xmm0
	lock addl $1, (%rsp)
	cs nopw 512(%rax, %rax, 1)
	ret
	hlt
	end do_refused

	function do_forever
	jmp do_forever
	end do_forever
