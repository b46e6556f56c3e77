/* SPDX-License-Identifier: MIT */
/* loaded.S - an object with one site, for dlopen(). */
	.text
	.globl	loaded_site
loaded_site:
	.byte	0x90, 0x66, 0x66, 0x66, 0x66, 0x90
	ret
	.pushsection .data.rel.ro, "aw"
	.globl	loaded_check
	.type	loaded_check, @object
loaded_check:
	.quad	loaded_site + 1, loaded_site, 0
	.size	loaded_check, . - loaded_check
	.popsection
	.section .note.GNU-stack, "", @progbits
