/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * buffer.h - principal buffers. (buffer.c)
 *
 * A buffer belongs to the firings of its CPU, which run with interrupts off. buffer_swap() runs on
 * that CPU too; after it, the old half belongs to the caller, who holds the session's lock.
 */
#ifndef DTRACE_ENGINE_BUFFER_H
#define DTRACE_ENGINE_BUFFER_H

#include "core.h"

struct buffer {
	uint8_t *mem[2]; /* [1] only for the switch policy */
	uint32_t cur, policy;
	uint32_t size, reserve; /* reserve: for END, of a fill buffer */
	uint32_t limit;		/* the consumer is woken when it is filled up to here */
	uint32_t off;		/* where the next record goes */
	/* ring: first record and end of the part behind off, if wrapped */
	uint32_t oldest, end;
	uint8_t wrapped, full, half, read; /* no bool: see import.h */
	uint64_t drops;
};
/* buffer_init - allocate a buffer on the memory node of a CPU. -ENOMEM. May sleep. */
int buffer_init(struct buffer *b, uint32_t policy, uint32_t size, unsigned int cpu);
/* buffer_fini - free it. */
void buffer_fini(struct buffer *b);
/*
 * buffer_reserve - return where a record of size bytes may be written, or NULL if the buffer is
 * full. cooldown: END fires. Probe context, as the next.
 */
uint8_t *buffer_reserve(struct buffer *b, uint32_t size, bool cooldown);
/*
 * buffer_commit - make the reserved record part of the buffer; true: it has just passed its limit.
 */
bool buffer_commit(struct buffer *b, uint32_t size);
/* buffer_swap - exchange the halves; return the used bytes of the old one. On the buffer's CPU. */
uint32_t buffer_swap(struct buffer *b);
/* buffer_emit - give the records of the old half to emit(), as agg_emit() does. May sleep. */
int buffer_emit(struct buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
		void *ctx, uint64_t *n);

#endif
