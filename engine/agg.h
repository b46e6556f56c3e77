/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * agg.h - aggregations. (agg.c)
 *
 * A buffer belongs to the firings of its CPU, which run with interrupts off. agg_swap() runs on
 * that CPU too; after it, the old half belongs to the caller, who holds the session's lock.
 */
#ifndef DTRACE_ENGINE_AGG_H
#define DTRACE_ENGINE_AGG_H

#include "core.h"

struct body;
struct mstate;

struct agg {
	dtrace_aggid_t id;
	dtrace_aggvarid_t varid;
	dtrace_epid_t epid; /* of the first ECB */
	dtrace_actkind_t kind;
	uint64_t arg;
	uint32_t first, nkeys; /* actions of the body */
	const struct body *body;
	bool strings;	/* a key is a string: entries differ in size */
	uint32_t keys;	/* most bytes of an entry before its value */
	uint32_t value; /* bytes of the value, with which an entry ends */
};
/* An entry of a buffer. */
struct agg_entry {
	uint32_t next; /* offset of the next of the bucket, 0: none */
	uint32_t hash;
	dtrace_aggrec_t rec; /* then keys and value */
};
struct agg_buffer {
	uint8_t *mem[2];
	uint32_t cur, size, nbuckets, off;
	uint32_t limit; /* the consumer is woken when it is filled up to here */
	uint32_t seed;	/* of the hash */
	uint64_t drops;
	uint8_t half;
	struct agg_entry *last; /* the last to get a value, in the current half; or NULL */
};
/* agg_value_size - return the bytes of a value; 0 if the argument word is invalid. */
uint32_t agg_value_size(dtrace_actkind_t kind, uint64_t arg);
/* agg_buffer_init - allocate both halves on the memory node of a CPU. -ENOMEM. May sleep. */
int agg_buffer_init(struct agg_buffer *b, uint32_t size, unsigned int cpu);
/* agg_buffer_fini - free both halves. */
void agg_buffer_fini(struct agg_buffer *b);
enum agg_result {
	AGG_ADDED,
	AGG_HALF,    /* added, and the consumer is to be woken */
	AGG_DROPPED, /* there was no memory */
};
/*
 * agg_add - aggregate a value in the session's buffer of this CPU. key: an entry with its keys
 * filled in; m->keys has its size, if a key is a string. After a fault, nothing has been
 * aggregated. Probe context.
 */
enum agg_result agg_add(struct mstate *m, const struct agg *agg, const uint8_t *key, int64_t value,
			int64_t weight);
/*
 * agg_count - add 1 to a count() without keys. Return false, and add nothing, unless it was the
 * last aggregation of the buffer to get a value. Probe context.
 */
static inline bool agg_count(struct agg_buffer *b, const struct agg *agg)
{
	struct agg_entry *e = b->last;

	if (!e || e->rec.dtar_id != agg->id)
		return false;
	core_assert(agg->kind == DTRACEAGG_COUNT && !agg->nkeys);
	++*(uint64_t *)(void *)(&e->rec + 1);
	return true;
}
/* agg_swap - exchange the halves; return the used bytes of the old one. On the buffer's CPU. */
uint32_t agg_swap(struct agg_buffer *b);
/*
 * agg_emit - give the entries of the old half to emit(), as dtrace_state_snapshot() says, and empty
 * it. used: from agg_swap(). *n becomes the bytes given. -EINVAL: an entry has an impossible size,
 * as only another process can write it. May sleep.
 */
int agg_emit(struct agg_buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
	     void *ctx, uint64_t *n);
/*
 * agg_entry_valid - return whether an entry, from its record on, of the size that the record says,
 * is one of the aggregation. User land only.
 */
bool agg_entry_valid(const struct agg *agg, const uint8_t *entry, uint32_t size);

#endif
