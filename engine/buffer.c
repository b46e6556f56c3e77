/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * buffer.c - principal buffers: where a CPU's records go, by policy.
 *
 * switch: two blocks of memory; a snapshot swaps them on the CPU and reads the other at leisure.
 * fill: one block, recording on this CPU ends when it is full, and space for END is kept. ring: one
 * block, the oldest records give way to new ones, whole records at a time.
 */
#include "buffer.h"

int buffer_init(struct buffer *b, uint32_t policy, uint32_t size, unsigned int cpu)
{
	b->policy = policy;
	b->size = size;
	b->mem[0] = port_alloc_cpu(size, cpu);
	if (policy == DTRACEOPT_BUFPOLICY_SWITCH)
		b->mem[1] = port_alloc_cpu(size, cpu);
	if (b->mem[0] && (b->mem[1] || policy != DTRACEOPT_BUFPOLICY_SWITCH))
		return 0;
	buffer_fini(b);
	return -ENOMEM;
}

void buffer_fini(struct buffer *b)
{
	port_free(b->mem[0]);
	port_free(b->mem[1]);
	memset(b, 0, sizeof(*b));
}

/* Return the size of the record at an offset. */
static uint32_t buffer_record_size(const struct buffer *b, uint32_t off)
{
	dtrace_rechdr_t hdr;

	memcpy(&hdr, b->mem[0] + off, sizeof(hdr));
	return hdr.dtrh_size;
}

/* Remove the oldest records until size bytes at off are free. */
static uint8_t *buffer_reserve_ring(struct buffer *b, uint32_t size)
{
	if (size > b->size) {
		b->drops++;
		return NULL;
	}
	if (size > b->size - b->off) {
		b->end = b->off;
		b->off = b->oldest = 0;
		b->wrapped = true;
	}
	while (b->wrapped && b->oldest < b->off + size) {
		b->oldest += buffer_record_size(b, b->oldest);
		if (b->oldest >= b->end) {
			b->wrapped = false;
			b->oldest = 0;
		}
	}
	return b->mem[0] + b->off;
}

uint8_t *buffer_reserve(struct buffer *b, uint32_t size, bool cooldown)
{
	uint32_t limit = b->size;

	if (b->policy == DTRACEOPT_BUFPOLICY_RING)
		return buffer_reserve_ring(b, size);
	if (b->policy == DTRACEOPT_BUFPOLICY_FILL && !cooldown)
		limit = b->full || b->reserve > limit ? 0 : limit - b->reserve;
	if (port_likely(b->off <= limit && size <= limit - b->off))
		return b->mem[b->cur] + b->off;
	b->full = true;
	b->drops++;
	return NULL;
}

bool buffer_commit(struct buffer *b, uint32_t size)
{
	b->off += size;
	if (b->half || b->off <= b->limit || b->policy != DTRACEOPT_BUFPOLICY_SWITCH)
		return false;
	b->half = true;
	return true;
}

uint32_t buffer_swap(struct buffer *b)
{
	uint32_t used = b->off;

	if (b->policy == DTRACEOPT_BUFPOLICY_SWITCH) {
		b->cur ^= 1;
		b->off = 0;
		b->half = b->full = false;
	}
	return used;
}

int buffer_emit(struct buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
		void *ctx, uint64_t *n)
{
	const uint8_t *mem =
		b->policy == DTRACEOPT_BUFPOLICY_SWITCH ? b->mem[b->cur ^ 1] : b->mem[0];
	int rc = 0;

	*n = used;
	if (b->wrapped) {
		rc = emit(ctx, mem + b->oldest, b->end - b->oldest);
		*n += b->end - b->oldest;
	}
	return rc || !used ? rc : emit(ctx, mem, used);
}
