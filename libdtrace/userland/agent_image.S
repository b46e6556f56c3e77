/* SPDX-License-Identifier: MIT */
/* agent_image.S - the agent's image, as the linker has made it, as constants of the library. */
	.section .rodata
	.balign	16
	.globl	dt_agent_elf, dt_agent_elf_end
	.hidden	dt_agent_elf, dt_agent_elf_end
dt_agent_elf:
	.incbin	DTRACE_AGENT_IMAGE
dt_agent_elf_end:
	.section .note.GNU-stack, "", @progbits
