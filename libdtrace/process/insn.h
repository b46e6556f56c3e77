/* SPDX-License-Identifier: MIT */
/* insn.h - the instructions of a function: where each begins, and which leave it. (insn.c) */
#ifndef DT_INSN_H
#define DT_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code as it stands in a file. */
struct pid_text {
	const uint8_t *bytes;
	uint64_t addr, size; /* in the file's own address space */
	int bits;	     /* 32 or 64 */
};

struct pid_insn {
	uint32_t offset; /* from the start */
	uint8_t size;
	bool leaves;  /* it returns, or is a jump to another function, if that is taken */
	bool refused; /* a breakpoint there would do harm: see dtrace/uprobe.h */
};

struct pid_code {
	struct pid_insn *insns; /* in order */
	size_t n;
	/* Why no place but the start is known to be an instruction; NULL: all are. */
	const char *damage;
	uint64_t where; /* the damage is at this offset */
};

/*
 * pid_code_read - find the instructions. same(arg, address): does this address outside of the text
 * belong to the same function? False without memory. pid_code_free - what it has found.
 */
bool pid_code_read(struct pid_code *code, const struct pid_text *text,
		   bool (*same)(void *arg, uint64_t address), void *arg);
void pid_code_free(struct pid_code *code);
/* pid_code_is_harmed - would a breakpoint at the first instruction do harm? */
bool pid_code_is_harmed(const struct pid_text *text);
/* pid_code_at - the last instruction that begins at offset or before; NULL: there is none. */
const struct pid_insn *pid_code_at(const struct pid_code *code, uint64_t offset);
/*
 * pid_code_length - the size of the instruction at the beginning of bytes; 0: there is none. opcode:
 * where it is behind the prefixes.
 */
size_t pid_code_length(const struct pid_text *text, const uint8_t **opcode);
/* pid_code_print - the instruction at the beginning of bytes as text; out: at least 8 bytes. */
void pid_code_print(const struct pid_text *text, char *out, size_t len);

#endif
