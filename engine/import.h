/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * import.h - buffers of another process's engine, which a consumer reads in shared memory. User
 * land only. (import.c)
 *
 * The other process can write all of that memory at any time, whatever lock it ought to hold. A
 * consumer believes nothing in it: it copies a header once, and uses the copy only after a check.
 *
 * No lock protects anything here. The caller has taken the CPU of the other engine, so that an
 * honest process is not firing there.
 */
#ifndef DTRACE_ENGINE_IMPORT_H
#define DTRACE_ENGINE_IMPORT_H

#include "agg.h"
#include "buffer.h"

/* The memory in which the other engine allocates, as it is mapped here. */
struct import_map {
	uint8_t *here;	/* 8-byte aligned */
	uint64_t there; /* its address in the other process */
	uint64_t size;
};
/*
 * import_address - return where n bytes that the other process has at address there are here, or
 * NULL unless all of them are in the map and there is 8-byte aligned.
 */
void *import_address(const struct import_map *map, uint64_t there, uint64_t n);
/*
 * import_buffer - do as buffer_swap() with a buffer of the other process. theirs: its header, in
 * the map. Set *b to a checked copy, and *used to the bytes, for buffer_emit(); b->drops has the
 * drops since the last call. Return 0, or -EINVAL: the header is not valid, and unchanged.
 *
 * The memory that emit() gets can be written by the other process. emit() copies it once, and looks
 * at the copy only. Sizes within the copy may be wrong: its length is the argument of emit().
 */
int import_buffer(struct buffer *b, struct buffer *theirs, const struct import_map *map,
		  uint32_t *used);
/*
 * import_aggs - do as import_buffer() with an aggregation buffer, for agg_emit(), which passes
 * whole entries.
 */
int import_aggs(struct agg_buffer *b, struct agg_buffer *theirs, const struct import_map *map,
		uint32_t *used);

#endif
