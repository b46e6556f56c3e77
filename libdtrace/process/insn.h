/* SPDX-License-Identifier: MIT */
/*
 * insn.h - the instructions of a function: where each begins, which leave the function, and which
 * can have a probe. (insn.c)
 */
#ifndef DT_INSN_H
#define DT_INSN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Code as it is in a file. */
struct insn_text {
	const uint8_t *bytes; /* borrowed */
	uint64_t addr, size;  /* in the file's own address space; in bytes */
	int bits;	      /* 32 or 64 */
	bool moved;	      /* probes move instructions (displace.h): they are no breakpoints */
};

struct insn {
	uint32_t offset; /* from the start, in bytes */
	uint8_t size;
	bool leaves;  /* it returns, or is a jump to another function, if that is taken */
	bool skipped; /* a breakpoint or move would do harm: see dtrace/uprobe.h */
};

struct insns {
	struct insn *list; /* in order of offset */
	size_t n;
	/* Why only the first instruction is known to be one; NULL: all are. A constant text. */
	const char *damage;
	uint64_t where; /* offset of the damage */
};

/*
 * Find the instructions of a function.
 *	stays		is called with arg, the address of each jump that may lead out of the text,
 *			and its target, 0 if that is in a register or in memory: does the jump stay
 *			in the function?
 * Return false without memory. The caller frees insns by insns_free() in any case.
 */
bool insns_read(struct insns *insns, const struct insn_text *text,
		bool (*stays)(void *arg, uint64_t at, uint64_t target), void *arg);
/* Free what insns_read() has found. */
void insns_free(struct insns *insns);
/* Return the last instruction that begins at offset or before; NULL if there is none. */
const struct insn *insns_at(const struct insns *insns, uint64_t offset);
/* Return whether a probe at the first instruction would do harm. */
bool insn_is_harmed(const struct insn_text *text);
/*
 * Return the size in bytes of the first instruction, 0 if there is none. Set *opcode to its opcode,
 * behind the prefixes.
 */
size_t insn_length(const struct insn_text *text, const uint8_t **opcode);
/* Write the first instruction to out as text; len, at least 8, is the size of out. */
void insn_print(const struct insn_text *text, char *out, size_t len);

#endif
