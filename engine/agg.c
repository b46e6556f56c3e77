/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * agg.c - aggregation buffers: a hash table per CPU in memory of fixed size, with a twin for
 * snapshots.
 *
 *	offsets of first entries, one per bucket | entries, as they came
 *
 * An entry is a header of the engine, then the bytes that record.h describes. Entries are only
 * removed all at once, after a snapshot.
 */
#include "agg.h"
#include "enabling.h"
#include "fire.h"
#include "table.h"

#define AGG_LINK  8	     /* units of work to follow a link: it is likely to be cold */
#define AGG_CLEAR (1U << 20) /* bytes of the table that are cleared at once */
#define AGG_CHAIN 64	     /* longest chain of a bucket: a longer one counts as a drop */

#define AGG_HEADER offsetof(struct agg_entry, rec)

/* Return the bytes of an entry from its record on: header, keys, value. */
static uint8_t *agg_bytes(struct agg_entry *e, uint32_t off)
{
	return (uint8_t *)e + AGG_HEADER + off;
}

/* ---- values ---- */

/*
 * Find the number and the width of the buckets for one magnitude of llquantize(), from lo to lo *
 * factor. Return false if it cannot be divided so.
 */
static bool agg_ll_magnitude(uint64_t arg, uint64_t lo, uint64_t *n, uint64_t *width)
{
	uint64_t factor = DTRACE_LLQUANTIZE_FACTOR(arg), steps = DTRACE_LLQUANTIZE_NSTEP(arg);
	uint64_t hi = lo * factor;

	if (steps > hi) {
		*n = hi - lo;
		*width = 1;
		return true;
	}
	*width = hi / steps;
	*n = steps - steps / factor;
	return hi % steps == 0 && steps % factor == 0;
}

/* Return base^exp; 0 if it is larger than an int64. */
static uint64_t agg_power(uint64_t base, unsigned int exp)
{
	uint64_t r = 1;

	while (exp--) {
		if (r > (uint64_t)INT64_MAX / base)
			return 0;
		r *= base;
	}
	return r;
}

/* Return the number of buckets of llquantize(); 0: the argument word is invalid. */
static uint32_t agg_ll_buckets(uint64_t arg)
{
	uint32_t factor = DTRACE_LLQUANTIZE_FACTOR(arg), low = DTRACE_LLQUANTIZE_LOW(arg);
	uint32_t high = DTRACE_LLQUANTIZE_HIGH(arg), total = 2;
	uint64_t lo, n, width;

	if (factor < 2 || low > high || DTRACE_LLQUANTIZE_NSTEP(arg) < factor ||
	    !agg_power(factor, high + 1))
		return 0;
	for (lo = agg_power(factor, low); low <= high; low++, lo *= factor) {
		if (!agg_ll_magnitude(arg, lo, &n, &width) || n > 65536)
			return 0;
		total += (uint32_t)n;
	}
	return total <= 65536 ? total : 0;
}

uint32_t agg_value_size(dtrace_actkind_t kind, uint64_t arg)
{
	uint32_t n;

	switch (kind) {
	case DTRACEAGG_COUNT:
	case DTRACEAGG_SUM:
	case DTRACEAGG_MIN:
	case DTRACEAGG_MAX:
		return 8;
	case DTRACEAGG_AVG:
		return 16;
	case DTRACEAGG_STDDEV:
		return 32;
	case DTRACEAGG_QUANTIZE:
		return 8 * DTRACE_QUANTIZE_NBUCKETS;
	case DTRACEAGG_LQUANTIZE:
		n = DTRACE_LQUANTIZE_LEVELS(arg);
		return n && DTRACE_LQUANTIZE_STEP(arg) ? 8 * (n + 3) : 0;
	case DTRACEAGG_LLQUANTIZE:
		n = agg_ll_buckets(arg);
		return n ? 8 * (n + 1) : 0;
	default:
		return 0;
	}
}

/* Return the bucket of a value for quantize(). */
static uint32_t agg_quantize_bucket(int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	uint32_t log;

	if (!value)
		return DTRACE_QUANTIZE_ZEROBUCKET;
	log = 63 - (uint32_t)__builtin_clzll(size);
	if (value > 0)
		return DTRACE_QUANTIZE_ZEROBUCKET + 1 + log;
	return log > DTRACE_QUANTIZE_ZEROBUCKET - 1 ? 0 : DTRACE_QUANTIZE_ZEROBUCKET - 1 - log;
}

/* Return the bucket of a value for lquantize(). */
static uint32_t agg_lquantize_bucket(uint64_t arg, int64_t value)
{
	int64_t base = DTRACE_LQUANTIZE_BASE(arg);
	uint64_t level;

	if (value < base)
		return 0;
	level = ((uint64_t)value - (uint64_t)base) / DTRACE_LQUANTIZE_STEP(arg);
	return level < DTRACE_LQUANTIZE_LEVELS(arg) ? (uint32_t)level + 1
						    : DTRACE_LQUANTIZE_LEVELS(arg) + 1U;
}

/* Return the bucket of a value for llquantize(). */
static uint32_t agg_llquantize_bucket(uint64_t arg, int64_t value)
{
	uint64_t factor = DTRACE_LLQUANTIZE_FACTOR(arg),
		 lo = agg_power(factor, DTRACE_LLQUANTIZE_LOW(arg));
	uint32_t first = 1;
	uint64_t n, width;

	if (value < (int64_t)lo)
		return 0;
	for (uint32_t m = DTRACE_LLQUANTIZE_LOW(arg); m <= DTRACE_LLQUANTIZE_HIGH(arg);
	     m++, lo *= factor) {
		agg_ll_magnitude(arg, lo, &n, &width);
		if ((uint64_t)value < lo * factor)
			return first + (uint32_t)(((uint64_t)value - lo) / width);
		first += (uint32_t)n;
	}
	return first;
}

/* Add the square of a value to a 128-bit sum. */
static void agg_add_square(uint64_t *v, int64_t value)
{
	uint64_t size = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
	unsigned __int128 sum =
		((unsigned __int128)v[1] << 64 | v[0]) + (unsigned __int128)size * size;

	v[0] = (uint64_t)sum;
	v[1] = (uint64_t)(sum >> 64);
}

#ifndef __KERNEL__
/* Return whether a value, a word and then buckets, has that bucket. */
static bool agg_holds(const struct agg *agg, uint32_t bucket)
{
	return 8ULL * (2 + bucket) <= agg->value;
}
#endif

/* Take a value into that of an entry, for the functions that need many registers. */
static port_noinline void agg_update_more(const struct agg *agg, uint64_t *v, int64_t value,
					  int64_t weight)
{
	switch (agg->kind) {
	case DTRACEAGG_MIN:
		if (value < (int64_t)v[0])
			v[0] = (uint64_t)value;
		break;
	case DTRACEAGG_MAX:
		if (value > (int64_t)v[0])
			v[0] = (uint64_t)value;
		break;
	case DTRACEAGG_AVG:
		v[0]++;
		v[1] += (uint64_t)value;
		break;
	case DTRACEAGG_STDDEV:
		v[0]++;
		v[1] += (uint64_t)value;
		agg_add_square(v + 2, value);
		break;
	case DTRACEAGG_QUANTIZE:
		core_assert(agg_quantize_bucket(value) < DTRACE_QUANTIZE_NBUCKETS);
		v[agg_quantize_bucket(value)] += (uint64_t)weight;
		break;
	case DTRACEAGG_LQUANTIZE:
		core_assert(agg_holds(agg, agg_lquantize_bucket(agg->arg, value)));
		v[1 + agg_lquantize_bucket(agg->arg, value)] += (uint64_t)weight;
		break;
	case DTRACEAGG_LLQUANTIZE:
		core_assert(agg_holds(agg, agg_llquantize_bucket(agg->arg, value)));
		v[1 + agg_llquantize_bucket(agg->arg, value)] += (uint64_t)weight;
		break;
	}
}

/*
 * Aggregate a value into an entry's value. Functions that need many registers are in functions of
 * their own.
 */
static void agg_update(const struct agg *agg, uint64_t *v, int64_t value, int64_t weight)
{
	if (agg->kind == DTRACEAGG_COUNT)
		v[0]++;
	else if (agg->kind == DTRACEAGG_SUM)
		v[0] += (uint64_t)value;
	else
		agg_update_more(agg, v, value, weight);
}

/* Make the first value of an entry, in memory that is all zeros. */
static void agg_begin(const struct agg *agg, uint64_t *v)
{
	switch (agg->kind) {
	case DTRACEAGG_MIN:
		v[0] = (uint64_t)INT64_MAX;
		break;
	case DTRACEAGG_MAX:
		v[0] = (uint64_t)INT64_MIN;
		break;
	case DTRACEAGG_LQUANTIZE:
	case DTRACEAGG_LLQUANTIZE:
		v[0] = agg->arg;
		break;
	default:
		break;
	}
}

/* ---- the table ---- */

/* Return the number of buckets: one for 64 bytes of the buffer, which take a sixteenth of it. */
static uint32_t agg_nbuckets(uint32_t size)
{
	uint32_t n = 1;

	while (n * 2 <= size / 64)
		n *= 2;
	return n;
}

int agg_buffer_init(struct agg_buffer *b, uint32_t size, unsigned int cpu)
{
	b->size = size;
	b->seed = (uint32_t)port_random(); /* random, so that users cannot choose colliding keys */
	b->nbuckets = agg_nbuckets(size);
	b->off = (b->nbuckets * 4 + 7) & ~7U;
	b->mem[0] = port_alloc_cpu(size, cpu);
	b->mem[1] = port_alloc_cpu(size, cpu);
	if (b->mem[0] && b->mem[1])
		return 0;
	agg_buffer_fini(b);
	return -ENOMEM;
}

void agg_buffer_fini(struct agg_buffer *b)
{
	port_free(b->mem[0]);
	port_free(b->mem[1]);
	memset(b, 0, sizeof(*b));
}

/* Return whether an entry is of an aggregation and has that key, whose end is keys bytes on. */
static inline bool agg_same(struct agg_entry *e, const struct agg *agg, const uint8_t *key,
			    uint32_t keys, bool strings)
{
	const uint64_t *a = (const uint64_t *)(const void *)agg_bytes(e, sizeof(e->rec));
	const uint64_t *b = (const uint64_t *)(const void *)(key + sizeof(e->rec));
	const uint64_t *end = (const uint64_t *)(const void *)(key + keys);

	if (e->rec.dtar_id != agg->id || (strings && e->rec.dtar_size != keys + agg->value))
		return false;
	for (; b < end; a++, b++)
		if (*a != *b)
			return false;
	return true;
}

/* Return the value of an entry, behind so many bytes. */
static uint64_t *agg_values(struct agg_entry *e, uint32_t keys)
{
	return (uint64_t *)(void *)agg_bytes(e, keys);
}

/* Return the entry at an offset of a buffer. */
static struct agg_entry *agg_at(uint8_t *mem, uint32_t off)
{
	return (struct agg_entry *)(void *)(mem + off);
}

/*
 * Make an entry with the key, in a bucket that has len entries. Return NULL if there is no memory,
 * which is counted.
 */
static struct agg_entry *agg_new(struct agg_buffer *b, const struct agg *agg, const uint8_t *key,
				 uint32_t keys, uint32_t hash, uint32_t *bucket, uint32_t len)
{
	uint32_t size = keys + agg->value, off;
	uint8_t *mem = b->mem[b->cur];
	struct agg_entry *e;

	if (len == AGG_CHAIN || b->off > b->size || AGG_HEADER + size > b->size - b->off) {
		b->drops++;
		return NULL;
	}
	core_assert(!(b->off & 7) && keys <= agg->keys);
	e = agg_at(mem, b->off);
	memcpy(agg_bytes(e, 0), key, keys);
	memset(agg_bytes(e, keys), 0, agg->value);
	agg_begin(agg, agg_values(e, keys));
	e->rec.dtar_id = agg->id;
	e->rec.dtar_size = size;
	e->hash = hash;
	e->next = *bucket;
	off = b->off;
	core_barrier(); /* a process that shares the buffer may be killed between any two writes */
	b->off += (uint32_t)AGG_HEADER + size;
	b->half |= b->off > b->limit;
	core_barrier();
	*bucket = off;
	return e;
}

/*
 * Find the entry with the key, or make it. A user who chooses keys can make hashes equal, so that
 * each comparison is charged. Return NULL if there is no memory, or after a fault.
 */
static port_noinline struct agg_entry *agg_find_charged(struct mstate *m, const struct agg *agg,
							const uint8_t *key, uint32_t keys,
							uint32_t hash, uint32_t *bucket)
{
	struct agg_buffer *b = &m->sc->aggs;
	uint8_t *mem = b->mem[b->cur];
	uint32_t len = 0;

	for (uint32_t off = *bucket; off; off = agg_at(mem, off)->next, len++) {
		bool same = agg_at(mem, off)->hash == hash;

		if (!dif_charge(m, AGG_LINK + (same ? keys / 8 : 0)))
			return NULL;
		if (same && agg_same(agg_at(mem, off), agg, key, keys, agg->strings))
			return agg_at(mem, off);
	}
	if (!dif_charge_bytes(m, keys + agg->value))
		return NULL;
	return agg_new(b, agg, key, keys, hash, bucket, len);
}

/*
 * Find the entry with the key, or make it. Return NULL if there is no memory, or after a fault. The
 * first comparison, which finds most entries, has been charged with the clause.
 */
static inline struct agg_entry *agg_find(struct mstate *m, const struct agg *agg,
					 const uint8_t *key, uint32_t keys, bool strings)
{
	uint32_t head = sizeof(dtrace_aggrec_t), hash;
	struct agg_buffer *b = &m->sc->aggs;
	uint8_t *mem = b->mem[b->cur];
	uint32_t *bucket;

	hash = hash_words((const uint64_t *)(const void *)(key + head), (keys - head) / 8,
			  b->seed ^ agg->id);
	bucket = (uint32_t *)(void *)mem + (hash & (b->nbuckets - 1));
	for (uint32_t off = *bucket; off; off = agg_at(mem, off)->next) {
		if (agg_at(mem, off)->hash != hash)
			continue;
		if (agg_same(agg_at(mem, off), agg, key, keys, strings))
			return agg_at(mem, off);
		break;
	}
	return agg_find_charged(m, agg, key, keys, hash, bucket);
}

/* Aggregate a value under a key without strings, in another entry than the last one. */
static port_noinline enum agg_result agg_add_other(struct mstate *m, const struct agg *agg,
						   const uint8_t *key, int64_t value,
						   int64_t weight)
{
	struct agg_buffer *b = &m->sc->aggs;
	bool half = b->half;
	struct agg_entry *e = agg_find(m, agg, key, agg->keys, false);

	if (!e)
		return m->faulted ? AGG_ADDED : AGG_DROPPED;
	b->last = e;
	agg_update(agg, agg_values(e, agg->keys), value, weight);
	return b->half == half ? AGG_ADDED : AGG_HALF;
}

/* Aggregate a value under a key with strings. */
static port_noinline enum agg_result agg_add_strings(struct mstate *m, const struct agg *agg,
						     const uint8_t *key, int64_t value,
						     int64_t weight)
{
	struct agg_buffer *b = &m->sc->aggs;
	struct agg_entry *e = b->last;
	bool half = b->half;

	if (!e || !agg_same(e, agg, key, m->keys, true))
		e = agg_find(m, agg, key, m->keys, true);
	if (!e)
		return m->faulted ? AGG_ADDED : AGG_DROPPED;
	b->last = e;
	agg_update(agg, agg_values(e, m->keys), value, weight);
	return b->half == half ? AGG_ADDED : AGG_HALF;
}

enum agg_result agg_add(struct mstate *m, const struct agg *agg, const uint8_t *key, int64_t value,
			int64_t weight)
{
	struct agg_entry *e = m->sc->aggs.last;

	if (agg->strings)
		return agg_add_strings(m, agg, key, value, weight);
	if (!e || !agg_same(e, agg, key, agg->keys, false))
		return agg_add_other(m, agg, key, value, weight);
	agg_update(agg, agg_values(e, agg->keys), value, weight);
	return AGG_ADDED;
}

uint32_t agg_swap(struct agg_buffer *b)
{
	uint32_t used = b->off;

	b->cur ^= 1;
	b->last = NULL;
	b->off = (b->nbuckets * 4 + 7) & ~7U;
	b->half = false;
	return used;
}

/*
 * Return the bytes of an entry from its record on, or 0 if it does not fit in left bytes. Another
 * process may write the entry at any time (import.h).
 */
static uint32_t agg_entry_size(const struct agg_entry *e, uint32_t left)
{
	uint32_t size;

	if (left < sizeof(*e))
		return 0;
	size = port_read_once(&e->rec.dtar_size);
	return size & 7 || size < sizeof(e->rec) || size > left - AGG_HEADER ? 0 : size;
}

int agg_emit(struct agg_buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
	     void *ctx, uint64_t *n)
{
	uint8_t *mem = b->mem[b->cur ^ 1];
	uint32_t off = (b->nbuckets * 4 + 7) & ~7U;
	uint32_t table = b->nbuckets * 4;
	int rc = 0;

	*n = 0;
	for (uint32_t size; !rc && off < used; off += (uint32_t)AGG_HEADER + size) {
		struct agg_entry *e = agg_at(mem, off);

		size = agg_entry_size(e, used - off);
		if (!size)
			rc = -EINVAL;
		else
			rc = emit(ctx, agg_bytes(e, 0), size);
		*n += size;
	}
	for (uint32_t done = 0, chunk; done < table; done += chunk) {
		chunk = table - done < AGG_CLEAR ? table - done : AGG_CLEAR;
		memset(mem + done, 0, chunk);
		port_relax(); /* killed or not: no entry may be found again */
	}
	return rc;
}

#ifndef __KERNEL__
/*
 * Return the bytes of the string key at the beginning of n bytes, its padding included; 0 if there
 * is no whole one.
 */
static uint32_t agg_string_bytes(const struct action *act, const uint8_t *p, uint32_t n)
{
	uint32_t max = action_string_size(act), len = 0;

	n = n < max ? n : max;
	while (len < n && p[len])
		len++;
	return len < n ? (len + 8) & ~7U : 0;
}

bool agg_entry_valid(const struct agg *agg, const uint8_t *entry, uint32_t size)
{
	uint32_t saved = 0; /* bytes that the strings so far are shorter than they may be */

	for (uint32_t i = 0; i < agg->nkeys; i++) {
		const struct action *act = &agg->body->acts[agg->first + i];
		uint32_t off = act->offset - saved, n;

		if (!act->string)
			continue;
		n = off < size ? agg_string_bytes(act, entry + off, size - off) : 0;
		if (!n)
			return false;
		saved += action_string_size(act) - n;
	}
	return size == agg->keys + agg->value - saved;
}
#endif
