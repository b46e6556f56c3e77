/* SPDX-License-Identifier: MIT */
/*
 * mark.h - an instruction that does nothing, by which instructions.c knows where to read its count.
 */
#ifndef DTRACE_BENCH_MARK_H
#define DTRACE_BENCH_MARK_H

/* nopl 0x6b72616d(%rax) */
#define MARK "\x0f\x1f\x80mark"

static inline void mark(void)
{
	__asm__ volatile(".byte 0x0f, 0x1f, 0x80; .ascii \"mark\"");
}

#endif
