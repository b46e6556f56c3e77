/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dynvar.c - dynamic variables: thread-local ones and associative arrays.
 *
 * They are in a hash table whose memory is given when tracing begins. An element is a key
 * (definition, thread, tuple) and a value, in one or more chunks. Each bucket has a raw spin lock;
 * values are copied out under it, so chunks can be used again as soon as they are unlinked. Free
 * chunks wait in a small list per CPU, touched by that CPU only, and in a common list, which is
 * changed by compare and swap. Chains are bounded: a longer one counts as a drop.
 *
 * The memory may be shared by engines in several processes (dynvar.h). Then a lock whose owner
 * keeps it for too long counts as a drop, and a CPU keeps no free chunks, which would be lost with
 * its process. A chain or a list is consistent after each single write, so that a process may end
 * at any instruction.
 */
#include "dif_mem.h"
#include "dynvar.h"
#include "fire.h"
#include "table.h"

#define DYNVAR_LINK  8		  /* units of work to follow a link: it is likely to be cold */
#define DYNVAR_BATCH 16		  /* chunks moved between a CPU's list and the common one */
#define DYNVAR_TRIES 1000	  /* to change the common list, while others change it */
#define DYNVAR_WORDS (1U << 31)	  /* most words of all chunks */
#define DYNVAR_SMALL 12		  /* words of a chunk, if the largest element has not many more */
#define DYNVAR_CPU   (1ULL << 63) /* in the first word of a key: the second is a CPU's number */

/* ---- memory ---- */

/* Return the smallest power of two that is not below n, at most 2^26. */
static uint32_t dynvar_pow2(uint64_t n)
{
	uint32_t p = 1;

	while (p < n && p < (1U << 26))
		p *= 2;
	return p;
}

/* Return the number of chunks of an element with so many words of key and value. */
static uint32_t dynvar_needs(const struct dynvar *dv, uint32_t n)
{
	uint32_t more = dv->words - (uint32_t)DYNVAR_HEADER;

	return n <= dv->first ? 1 : 1 + (n - dv->first + more - 1) / more;
}

#ifndef __KERNEL__
/* Return whether an element can have a key of n words and a value of size bytes. */
static bool dynvar_size_fits(const struct dynvar *dv, uint32_t n, uint32_t size)
{
	return n <= dv->keywords && dynvar_needs(dv, n + (size + 7) / 8) <= dv->chunks;
}
#endif

/*
 * Return the number of words of a key before those of its tuple: the definition, and two for the
 * thread.
 */
static uint32_t dynvar_fixed_words(const struct var_space *vs)
{
	return vs->scopes[DIFV_SCOPE_THREAD].n ? 3 : 1;
}

/*
 * Choose the size of a chunk. If the largest element is small, a chunk can hold it. Otherwise most
 * elements are likely to be smaller, by far if they have strings: a chunk is then small too, but
 * large enough for ten chunks to hold any element.
 */
static void dynvar_choose(struct dynvar *dv, uint32_t largest)
{
	uint32_t words = (uint32_t)DYNVAR_HEADER + largest, small = (words + 7) / 8;

	if (small < DYNVAR_SMALL)
		small = DYNVAR_SMALL;
	dv->words = words < small ? words : small;
	dv->first = dv->words - (uint32_t)DYNVAR_HEADER - (words > dv->words);
	dv->chunks = dynvar_needs(dv, largest);
}

/* Find out how many chunks and buckets fit in so many bytes, and how large a chunk is. */
static void dynvar_measure(struct dynvar *dv, const struct var_space *vs, uint64_t bytes)
{
	uint64_t n;

	dv->keywords = dynvar_fixed_words(vs) + (vs->max_key + 7) / 8;
	dynvar_choose(dv, dv->keywords + (vs->max_value + 7) / 8);
	n = bytes / (dv->words * 8ULL + sizeof(struct dynvar_bucket));
	if (n > DYNVAR_WORDS / dv->words)
		n = DYNVAR_WORDS / dv->words;
	dv->nchunks = n > dv->chunks ? (uint32_t)n : dv->chunks;
	dv->limit = (dv->nchunks - 1) * dv->words + 1;
	dv->nbuckets = dynvar_pow2(dv->nchunks);
}

/* Return the bytes of the memory, as measured. */
static uint64_t dynvar_size(const struct dynvar *dv)
{
	return sizeof(struct dynvar_pool) + (uint64_t)dv->nbuckets * sizeof(struct dynvar_bucket) +
	       dv->nchunks * (dv->words * 8ULL);
}

uint64_t dynvar_memory_bytes(const struct var_space *vs, uint64_t bytes)
{
	struct dynvar dv;

	dynvar_measure(&dv, vs, bytes);
	return dynvar_size(&dv);
}

uint64_t dynvar_bytes(const struct var_space *vs, uint64_t bytes)
{
	return dynvar_memory_bytes(vs, bytes) + sizeof(struct dynvar) +
	       port_ncpus() * sizeof(struct dynvar_cpu);
}

/* Make the locks of the engine's own memory. -EINTR: a fatal signal is pending. */
static int dynvar_begin(struct dynvar *dv)
{
	int rc = 0;

	for (uint32_t i = 0; !rc && i < dv->nbuckets; i++) {
		rc = relax_at(i);
		port_spin_init(&dv->buckets[i].lock);
	}
	return rc;
}

/* Note where in its memory everything is. */
static void dynvar_lay_out(struct dynvar *dv)
{
	dv->buckets = (struct dynvar_bucket *)(dv->pool + 1);
	dv->origin = (uint8_t *)(dv->buckets + dv->nbuckets) - 8;
}

struct dynvar *dynvar_create(const struct var_space *vs, uint64_t bytes, void *mem, uint32_t seed)
{
	struct dynvar *dv = port_alloc(sizeof(*dv));

	/* The verifier has bounded both; nothing below can wrap then. */
	if (!dv || vs->max_key > DIF_MAX_KEY || vs->max_value > DIF_MAX_VALUE) {
		port_free(dv);
		return NULL;
	}
	dynvar_measure(dv, vs, bytes);
	core_assert(dynvar_size_fits(dv, dv->keywords, vs->max_value) &&
		    dv->keywords * 8ULL >= dynvar_fixed_words(vs) * 8ULL + vs->max_key);
	dv->shared = mem;
	dv->seed = seed;
	dv->batch = dv->nchunks / (4 * port_ncpus());
	dv->batch = dv->batch < DYNVAR_BATCH ? dv->batch : DYNVAR_BATCH;
	if (dv->shared)
		dv->batch = 0;
	dv->pool = mem ? mem : port_alloc(dynvar_size(dv));
	dv->cpus = port_alloc(port_ncpus() * sizeof(*dv->cpus));
	if (!dv->pool || !dv->cpus)
		goto fail;
	dynvar_lay_out(dv);
	if (dv->shared || dynvar_begin(dv) == 0)
		return dv;
fail: /* there is no memory, or the caller is being killed */
	dynvar_free(dv);
	return NULL;
}

void dynvar_free(struct dynvar *dv)
{
	if (!dv)
		return;
	if (!dv->shared)
		port_free(dv->pool);
	port_free(dv->cpus);
	port_free(dv);
}

/* ---- free chunks ---- */

/*
 * Note in a chunk whether this CPU owns it, for dynvar_recover(). The kernel's CPUs do not
 * end.
 */
static inline void dynvar_set_owner(struct dynvar_chunk *c, bool owned)
{
#ifndef __KERNEL__
	core_barrier();
	c->owner = owned ? port_owner() : 0;
	core_barrier();
#else
	(void)c, (void)owned;
#endif
}

/*
 * Return what pool->free becomes after it was head: the count of changes tells it from all before.
 */
static uint64_t dynvar_next_head(uint64_t head, uint32_t ref)
{
	return ((head >> 32) + 1) << 32 | ref;
}

/*
 * Take up to n chunks from the common list. Return their number; *first becomes a reference to the
 * first of them, and they are linked.
 */
static uint32_t dynvar_take_free(struct dynvar *dv, uint32_t n, uint32_t *first)
{
	for (unsigned int i = 0; i < DYNVAR_TRIES; i++) {
		uint64_t head = port_read_once(&dv->pool->free);
		uint32_t ref = (uint32_t)head, got = 0;
		const struct dynvar_chunk *c;

		*first = ref;
		while (got < n && (c = dynvar_at(dv, ref))) {
			ref = port_read_once(&c->next);
			got++;
		}
		/* The read list is valid only if the head has not changed. */
		if (!got || port_cas(&dv->pool->free, head, dynvar_next_head(head, ref)))
			return got;
	}
	return 0;
}

/* Take up to n chunks that were never used, as dynvar_take_free() does. */
static uint32_t dynvar_take_fresh(struct dynvar *dv, uint32_t n, uint32_t *first)
{
	uint64_t end = (uint64_t)dv->nchunks * dv->words, at;

	if (port_read_once(&dv->pool->fresh) >= end)
		return 0;
	at = port_xadd(&dv->pool->fresh, (uint64_t)n * dv->words);
	if (at >= end)
		return 0;
	*first = (uint32_t)at + 1;
	for (uint32_t got = 0;; at += dv->words) {
		struct dynvar_chunk *c = dynvar_at(dv, (uint32_t)at + 1);

		if (!c || ++got == n)
			return got;
		port_write_once(&c->next, (uint32_t)at + dv->words + 1);
	}
}

bool dynvar_put_free(struct dynvar *dv, uint32_t first, struct dynvar_chunk *last)
{
	for (unsigned int i = 0; i < DYNVAR_TRIES; i++) {
		uint64_t head = port_read_once(&dv->pool->free);

		port_write_once(&last->next, (uint32_t)head);
		if (port_cas(&dv->pool->free, head, dynvar_next_head(head, first)))
			return true;
	}
	return false;
}

/* Return the number of chunks in a CPU's list. */
static inline uint32_t dynvar_list_n(const struct dynvar_cpu *dc)
{
	return (uint32_t)(dc->free >> 32);
}

/*
 * Make n chunks, from a reference on, the list of a CPU. The firing may be interrupted for good
 * before or after this, but no chunk is ever in two lists.
 */
static inline void dynvar_list_set(struct dynvar_cpu *dc, uint32_t first, uint32_t n)
{
	core_barrier();
	port_write_once(&dc->free, (uint64_t)n << 32 | first);
	core_barrier();
}

/* Move up to a batch of chunks from the common list to the CPU's own; without batches, one. */
static void dynvar_refill(struct dynvar *dv, struct dynvar_cpu *dc)
{
	uint32_t n = dv->batch ? dv->batch : 1, first;
	uint32_t got = dynvar_take_free(dv, n, &first);

	if (!got)
		got = dynvar_take_fresh(dv, n, &first);
	dynvar_list_set(dc, got ? first : 0, got);
}

/* Take a free chunk; NULL: there is none. */
static struct dynvar_chunk *dynvar_take(struct mstate *m, struct dynvar *dv)
{
	struct dynvar_cpu *dc = &dv->cpus[m->cpu];
	struct dynvar_chunk *c;

	if (!dynvar_list_n(dc))
		dynvar_refill(dv, dc);
	c = dynvar_list_n(dc) ? dynvar_at(dv, (uint32_t)dc->free) : NULL;
	if (!c)
		return NULL;
	dynvar_list_set(dc, port_read_once(&c->next), dynvar_list_n(dc) - 1);
	dynvar_set_owner(c, true);
	return c;
}

/* Move chunks of the CPU to the common list, until it has a batch. */
static void dynvar_spill(struct dynvar *dv, struct dynvar_cpu *dc)
{
	const uint32_t first = (uint32_t)dc->free, n = dynvar_list_n(dc) - dv->batch;
	struct dynvar_chunk *last = dynvar_at(dv, first);
	uint32_t rest;

	for (uint32_t i = 1; last && i < n; i++)
		last = dynvar_at(dv, port_read_once(&last->next));
	if (!last) { /* another process has written to them */
		dynvar_list_set(dc, 0, 0);
		return;
	}
	rest = port_read_once(&last->next);
	dynvar_list_set(dc, rest, dv->batch);
	if (dynvar_put_free(dv, first, last))
		return;
	port_write_once(&last->next, rest);
	dynvar_list_set(dc, first, dv->batch + n);
}

/* Give a chunk back. */
static void dynvar_give(struct mstate *m, struct dynvar *dv, struct dynvar_chunk *c)
{
	struct dynvar_cpu *dc = &dv->cpus[m->cpu];

	dynvar_set_owner(c, false);
	port_write_once(&c->next, (uint32_t)dc->free);
	dynvar_list_set(dc, dynvar_ref(dv, c), dynvar_list_n(dc) + 1);
	if (dynvar_list_n(dc) > 2 * dv->batch)
		dynvar_spill(dv, dc);
}

/* ---- elements ---- */

/* Give the chunks of an element back, which is in no chain, or not any more. */
static inline void dynvar_release(struct mstate *m, struct dynvar *dv, struct dynvar_chunk *element)
{
	struct dynvar_chunk *c = element, *next;
	uint32_t n = dynvar_chunks(dv, element);

	for (; c; c = next) {
		next = dynvar_next(dv, element, c, &n);
		dynvar_give(m, dv, c);
	}
}

/*
 * Note in all chunks of an element whether this CPU owns them. In the kernel, this does
 * nothing.
 */
static inline void dynvar_set_owner_all(const struct dynvar *dv, struct dynvar_chunk *element,
					bool owned)
{
#ifndef __KERNEL__
	uint32_t n = dynvar_chunks(dv, element);

	for (struct dynvar_chunk *c = element; c; c = dynvar_next(dv, element, c, &n))
		dynvar_set_owner(c, owned);
#else
	(void)dv, (void)element, (void)owned;
#endif
}

/*
 * Take the chunks for an element of n words, which are then in the hands of this CPU. Return the
 * first; NULL: there are not as many.
 */
static struct dynvar_chunk *dynvar_obtain(struct mstate *m, struct dynvar *dv, uint32_t n,
					  uint32_t hash)
{
	struct dynvar_chunk *element = dynvar_take(m, dv), *c = element;
	uint32_t chunks = dynvar_needs(dv, n);

	core_assert(chunks <= dv->chunks);
	for (uint32_t i = 1; c; i++) {
		uint32_t *link = dynvar_link(dv, c, c == element);

		c->hash = hash;
		port_write_once(&element->chunks, (uint16_t)i);
		if (i == chunks)
			return element;
		c = dynvar_take(m, dv);
		if (c)
			port_write_once(link, dynvar_ref(dv, c));
	}
	if (element)
		dynvar_release(m, dv, element);
	return NULL;
}

/* A position in the words of an element. */
struct dynvar_cursor {
	struct dynvar_chunk *c; /* NULL: another process has damaged the element */
	uint32_t at, end;	/* words of its data */
	bool head;		/* it is the first chunk */
};

/*
 * Return the words at the cursor that lie in one chunk, and move behind them. *n: how many are
 * requested, not 0; it becomes how many there are. Return NULL if there are none.
 */
static inline uint64_t *dynvar_words(const struct dynvar *dv, struct dynvar_cursor *cur,
				     uint32_t *n)
{
	uint64_t *p;

	if (cur->c && cur->at == cur->end) {
		cur->c = dynvar_at(dv, port_read_once(dynvar_link(dv, cur->c, cur->head)));
		cur->head = false;
		cur->at = 0;
		cur->end = dv->words - (uint32_t)DYNVAR_HEADER;
	}
	if (!cur->c)
		return NULL;
	if (*n > cur->end - cur->at)
		*n = cur->end - cur->at;
	p = &cur->c->data[cur->at];
	cur->at += *n;
	return p;
}

/* Return a cursor that is n words behind the beginning of an element, which has as many. */
static inline struct dynvar_cursor dynvar_seek(const struct dynvar *dv, struct dynvar_chunk *c,
					       uint32_t n)
{
	struct dynvar_cursor cur = {.c = c, .end = dv->first, .head = true};
	uint32_t some;

	for (; n > cur.end - cur.at && cur.c; n -= some) {
		some = n;
		(void)dynvar_words(dv, &cur, &some);
	}
	cur.at += cur.c ? n : 0;
	return cur;
}

/* Write bytes at the cursor; the rest of the last word becomes zeros. */
static void dynvar_write(const struct dynvar *dv, struct dynvar_cursor *cur, const void *from,
			 uint32_t size)
{
	const uint8_t *p = from;

	while (size) {
		uint32_t n = (size + 7) / 8, bytes;
		uint64_t *to = dynvar_words(dv, cur, &n);

		if (!to)
			return;
		bytes = n * 8 < size ? n * 8 : size;
		if (bytes % 8)
			to[n - 1] = 0;
		memcpy(to, p, bytes);
		p += bytes;
		size -= bytes;
	}
}

/* Write the key of an element. */
static inline void dynvar_write_key(const struct dynvar *dv, struct dynvar_chunk *c,
				    const uint64_t *key, uint32_t n)
{
	struct dynvar_cursor cur;

	c->keywords = (uint16_t)n;
	if (n <= dv->first) {
		memcpy(c->data, key, n * 8);
		return;
	}
	cur = dynvar_seek(dv, c, 0);
	dynvar_write(dv, &cur, key, n * 8);
}

/* A value as it will be stored. */
struct dynvar_value {
	const void *p;
	uint32_t size; /* bytes */
	bool cut;      /* a string of fewer bytes than its variable has */
};

/* Write the value of an element, behind a key of n words: its chunks are those for both. */
static inline void dynvar_write_value(const struct dynvar *dv, struct dynvar_chunk *c, uint32_t n,
				      const struct dynvar_value *value)
{
	struct dynvar_cursor cur;

	if (value->size == 8 && !value->cut && n < dv->first) {
		memcpy(&c->data[n], value->p, 8);
		return;
	}
	cur = dynvar_seek(dv, c, n);
	dynvar_write(dv, &cur, value->p, value->size);
	if (value->cut && cur.c) /* readers read to the end of the chunk */
		memset(&cur.c->data[cur.at], 0, (cur.end - cur.at) * 8);
}

/*
 * Read a value of size bytes behind a key of n words. Bytes that the chunks do not have are zeros.
 */
static void dynvar_read_value(const struct dynvar *dv, struct dynvar_chunk *c, uint32_t n, void *to,
			      uint32_t size)
{
	struct dynvar_cursor cur = dynvar_seek(dv, c, n);
	uint32_t chunks = dynvar_chunks(dv, c), left;
	uint8_t *p = to;

	left = dv->first + (chunks > 1 ? (chunks - 1) * (dv->words - (uint32_t)DYNVAR_HEADER) : 0);
	for (left = left > n ? left - n : 0; left && size;) {
		uint32_t words = (size + 7) / 8 < left ? (size + 7) / 8 : left, bytes;
		const uint64_t *from = dynvar_words(dv, &cur, &words);

		if (!from)
			break;
		bytes = words * 8 < size ? words * 8 : size;
		memcpy(p, from, bytes);
		p += bytes;
		size -= bytes;
		left -= words;
	}
	memset(p, 0, size);
}

/* ---- keys ---- */

/*
 * Append bytes by reference to a key: their number, then the bytes, padded with zeros to a word. A
 * string that must be fetched first is copied to where the key has space for it. *n: words so far,
 * below max, the most that a key may have. Return false after a fault: the bytes do not fit in the
 * key or in scratch, or cannot be read.
 */
static bool dynvar_key_bytes(struct mstate *m, const struct dif_tuple *t, uint64_t *key,
			     uint32_t *n, uint32_t max)
{
	uint64_t size = t->size ? t->size : m->strsize;
	dtrace_diftype_t type = {.dtdt_kind = t->type, .dtdt_flags = DIF_TF_BYREF};
	uint64_t space = *n + 1 < max ? (uint64_t)(max - *n - 1) * 8 : 0;
	uint64_t left = (uint64_t)(m->scratch_end - (uint8_t *)key) / 8;
	uint8_t *to = (uint8_t *)&key[*n + 1];
	uint32_t words, used = 0;

	if (t->type == DIF_TYPE_STRING && size > space)
		size = space;
	if (size > space || !size) {
		dif_fault(m, DTRACEFLT_TUPOFLOW, 0);
		return false;
	}
	if (*n + 1 + (size + 7) / 8 > left) {
		dif_fault(m, DTRACEFLT_NOSCRATCH, 0);
		return false;
	}
	if (t->type != DIF_TYPE_STRING || t->value) { /* a null string is an empty one */
		m->scratch_top = to;
		if (t->type != DIF_TYPE_STRING)
			mem_note_used(m, to + size);
		used = mem_copy_value(m, to, t->value, (uint32_t)size, &type);
		if (m->faulted)
			return false;
	}
	words = (used + 7) / 8;
	memset(to + used, 0, words * 8 - used);
	key[*n] = used;
	*n += 1 + words;
	return true;
}

/*
 * Write the thread of a thread-local variable to the first three words of a key. In a thread that
 * the session may not know, the variable belongs to the CPU, with a pair of words that no thread
 * has: the session can use it, within a clause and beyond, but cannot tell which threads there are.
 */
static void dynvar_key_thread(struct mstate *m, uint64_t key[3])
{
	const struct target_thread *t;

	if (port_unlikely(mstate_hides_thread(m))) {
		key[0] |= DYNVAR_CPU;
		key[1] = m->cpu;
		key[2] = 0;
	} else {
		t = mstate_thread(m);
		key[1] = t->key;
		key[2] = t->born;
	}
}

/*
 * Make the key in scratch: definition, thread, tuple. It takes no more scratch than it needs. *n
 * becomes the number of its words, at most dv->keywords. Return NULL after a fault.
 */
static uint64_t *dynvar_key(struct mstate *m, const struct dynvar *dv, const struct var_def *def,
			    uint32_t index, bool array, uint32_t *n)
{
	uint32_t max = dv->keywords, fixed = def->scope == DIFV_SCOPE_THREAD ? 3 : 1;
	uint64_t *key = mem_alloc(m, fixed * sizeof(*key));

	if (!key)
		return NULL;
	key[0] = ((uint64_t)def->scope << 32) | index;
	if (fixed > 1)
		dynvar_key_thread(m, key);
	*n = fixed;
	for (uint32_t i = 0; array && i < m->ntuple; i++) {
		if (m->tuple[i].byref) {
			if (!dynvar_key_bytes(m, &m->tuple[i], key, n, max))
				goto fail;
		} else if (*n >= max) {
			dif_fault(m, DTRACEFLT_TUPOFLOW, 0);
			goto fail;
		} else if ((uint8_t *)(key + *n + 1) > m->scratch_end) {
			dif_fault(m, DTRACEFLT_NOSCRATCH, 0);
			goto fail;
		} else {
			key[(*n)++] = m->tuple[i].value;
		}
	}
	m->scratch_top = (uint8_t *)(key + *n);
	mem_note_used(m, m->scratch_top);
	core_assert(*n <= dv->keywords && m->scratch_top <= m->scratch_end);
	return key;
fail:
	mem_note_used(m, (uint8_t *)(key + *n)); /* what there is of it is in scratch */
	return NULL;
}

/* ---- use ---- */

/* Return whether n words are the same. */
static inline bool dynvar_equal(const uint64_t *a, const uint64_t *b, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (a[i] != b[i])
			return false;
	return true;
}

/* Return whether the first n words of an element, in whichever chunks, are those of a key. */
static bool dynvar_has_key(const struct dynvar *dv, struct dynvar_chunk *c, const uint64_t *key,
			   uint32_t n)
{
	struct dynvar_cursor cur = dynvar_seek(dv, c, 0);

	while (n) {
		uint32_t some = n;
		const uint64_t *p = dynvar_words(dv, &cur, &some);

		if (!p || !dynvar_equal(p, key, some))
			return false;
		key += some;
		n -= some;
	}
	return true;
}

/* Return whether an element has that key. */
static inline bool dynvar_same(const struct dynvar *dv, struct dynvar_chunk *c, const uint64_t *key,
			       uint32_t n, uint32_t hash)
{
	if (c->hash != hash || c->keywords != n)
		return false;
	return n <= dv->first ? dynvar_equal(c->data, key, n) : dynvar_has_key(dv, c, key, n);
}

/* Return the units of work to go through n words of an element: each chunk is likely to be cold. */
static inline uint32_t dynvar_work(const struct dynvar *dv, uint32_t n)
{
	return n + DYNVAR_LINK * (dynvar_needs(dv, n) - 1);
}

/*
 * Return the key's element, or NULL. *link becomes the link that points to it, or the one that ends
 * the chain; NULL: the chain is as long as it may be. A user who chooses keys can make hashes
 * equal, so that each comparison is charged: after a fault, the result means nothing. The caller
 * holds the bucket's lock.
 */
static port_inline struct dynvar_chunk *dynvar_find(struct mstate *m, const struct dynvar *dv,
						    struct dynvar_bucket *b, const uint64_t *key,
						    uint32_t n, uint32_t hash, uint32_t **link)
{
	struct dynvar_chunk *c = NULL;
	uint32_t *p = &b->first;

	PORT_ASSERT_SPIN_HELD(&b->lock);
	for (unsigned int len = 0;; len++, p = &c->next) {
		if (len == DYNVAR_CHAIN) {
			p = NULL;
			c = NULL;
			break;
		}
		c = dynvar_at(dv, port_read_once(p));
		if (!c || dynvar_same(dv, c, key, n, hash) ||
		    !dif_charge(m, DYNVAR_LINK + (c->hash == hash ? dynvar_work(dv, n) : 0)))
			break;
	}
	*link = p;
	return c;
}

/*
 * Return the value of a variable that is not set: by reference, NULL for a string, and zeros for a
 * structure or an array.
 */
static uint64_t dynvar_unset(struct mstate *m, const struct var_def *def)
{
	void *p = NULL;

	if (def->type.dtdt_kind != DIF_TYPE_STRING)
		p = mem_alloc(m, def->size);
	if (p)
		memset(p, 0, def->size);
	return mem_handle(m, p);
}

uint64_t dynvar_load(struct mstate *m, const struct var_def *def, uint32_t index, bool array)
{
	struct dynvar *dv = m->state->dynvars[def->scope];
	bool byref = var_is_byref(def);
	uint8_t *top = m->scratch_top;
	struct dynvar_bucket *b;
	struct dynvar_chunk *c;
	uint64_t value = 0, *key;
	uint32_t n, hash, *link;

	key = dynvar_key(m, dv, def, index, array, &n);
	/* to hash and to compare it, and to find the value */
	if (!key || !dif_charge(m, DYNVAR_LINK + n + dynvar_work(dv, n + def->size / 8)))
		return 0;
	hash = hash_words(key, n, dv->seed);
	core_assert(dynvar_size_fits(dv, n, def->size));
	if (byref && !mem_alloc(m, def->size))
		return 0;
	b = dynvar_bucket(dv, hash);
	if (!port_spin_lock(&b->lock)) {
		m->sc->count.dtst_dyndrops++;
	} else {
		c = dynvar_find(m, dv, b, key, n, hash, &link);
		if (c && byref) {
			/* The key is not needed any more: the value takes its place in scratch. */
			value = mem_handle(m, key);
			dynvar_read_value(dv, c, n, key, def->size);
		} else if (c && n < dv->first) {
			value = port_read_once(&c->data[n]);
		} else if (c) {
			dynvar_read_value(dv, c, n, &value, sizeof(value));
		}
		port_spin_unlock(&b->lock);
	}
	/* A string has an end, whatever another process has written. */
	if (value && def->type.dtdt_kind == DIF_TYPE_STRING)
		((uint8_t *)key)[def->size - 1] = '\0';
	m->scratch_top = value && byref ? (uint8_t *)key + def->size : top;
	return value || !byref ? value : dynvar_unset(m, def);
}

/* Unlink an element and free it. The caller holds the bucket's lock. */
static void dynvar_delete(struct mstate *m, struct dynvar *dv, struct dynvar_bucket *b,
			  uint32_t *link, struct dynvar_chunk *c)
{
	PORT_ASSERT_SPIN_HELD(&b->lock);
	dynvar_set_owner_all(dv, c, true);
	port_write_once(link, port_read_once(&c->next));
	dynvar_release(m, dv, c);
}

/*
 * Put a new element at a link of the chain: in place of the element old, or at the end if that is
 * NULL. If there is no space, which is counted, nothing changes. The caller holds the bucket's
 * lock.
 */
static void dynvar_insert(struct mstate *m, struct dynvar *dv, struct dynvar_bucket *b,
			  uint32_t *link, struct dynvar_chunk *old, const uint64_t *key, uint32_t n,
			  uint32_t hash, const struct dynvar_value *value)
{
	struct dynvar_chunk *c = NULL;

	PORT_ASSERT_SPIN_HELD(&b->lock);
	if (link)
		c = dynvar_obtain(m, dv, n + (value->size + 7) / 8, hash);
	if (!c) {
		m->sc->count.dtst_dyndrops++;
		return;
	}
	port_write_once(&c->next, old ? port_read_once(&old->next) : 0);
	dynvar_write_key(dv, c, key, n);
	dynvar_write_value(dv, c, n, value);
	if (old)
		dynvar_set_owner_all(dv, old, true);
	core_barrier(); /* a reader that finds the element finds all its contents */
	port_write_once(link, dynvar_ref(dv, c));
	dynvar_set_owner_all(dv, c, false);
	if (old)
		dynvar_release(m, dv, old);
}

/* Return whether an element has as many chunks as it needs with a value. */
static bool dynvar_fits(const struct dynvar *dv, const struct dynvar_chunk *c, uint32_t n,
			const struct dynvar_value *value)
{
	return port_read_once(&c->chunks) == dynvar_needs(dv, n + (value->size + 7) / 8);
}

/*
 * Prepare the value to store: an integer, or bytes copied to scratch; of a string, only its own
 * bytes. p becomes NULL after a fault.
 */
static struct dynvar_value dynvar_value(struct mstate *m, const struct var_def *def,
					const uint64_t *value)
{
	uint8_t *copy;
	uint32_t used;

	if (!var_is_byref(def))
		return (struct dynvar_value){value, sizeof(*value), false};
	copy = mem_alloc(m, def->size);
	used = copy ? mem_copy_value(m, copy, *value, def->size, &def->type) : 0;
	return (struct dynvar_value){used ? copy : NULL, used, used < def->size};
}

void dynvar_store(struct mstate *m, const struct var_def *def, uint32_t index, bool array,
		  uint64_t value)
{
	struct dynvar *dv = m->state->dynvars[def->scope];
	uint8_t *top = m->scratch_top;
	struct dynvar_value from = {NULL, 0, false};
	struct dynvar_bucket *b;
	struct dynvar_chunk *c;
	uint32_t n, hash, *link;
	uint64_t *key = dynvar_key(m, dv, def, index, array, &n);

	if (key && value)
		from = dynvar_value(m, def, &value);
	if (!key || m->faulted ||
	    !dif_charge(m, DYNVAR_LINK + 2ULL * n + dynvar_work(dv, n + def->size / 8)))
		return;
	hash = hash_words(key, n, dv->seed);
	core_assert(dynvar_size_fits(dv, n, def->size));
	b = dynvar_bucket(dv, hash);
	if (!port_spin_lock(&b->lock)) {
		m->sc->count.dtst_dyndrops++;
	} else {
		c = dynvar_find(m, dv, b, key, n, hash, &link);
		if (m->faulted)
			;
		else if (from.p && c && dynvar_fits(dv, c, n, &from))
			dynvar_write_value(dv, c, n, &from);
		else if (from.p)
			dynvar_insert(m, dv, b, link, c, key, n, hash, &from);
		else if (c)
			dynvar_delete(m, dv, b, link, c);
		port_spin_unlock(&b->lock);
	}
	m->scratch_top = top;
}
