/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * table.c - hash tables, tables of numbered things, and memory that is freed when no firing can see
 * it.
 */
#include "table.h"

#define HTABLE_MIN    64
#define IDTABLE_MIN   1024
#define IDTABLE_BLOCK 1024U

/* ---- keyed hashing: without the key, a user cannot choose names that collide ---- */

static uint64_t hash_key[2];

void hash_init(void)
{
	port_secret(hash_key, sizeof(hash_key));
}

struct sip {
	uint64_t a, b, c, d;
};

/* Rotate x to the left by n bits. */
static uint64_t sip_rotate(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

/* Do a round of SipHash. */
static void sip_round(struct sip *s)
{
	s->a += s->b;
	s->c += s->d;
	s->b = sip_rotate(s->b, 13) ^ s->a;
	s->d = sip_rotate(s->d, 16) ^ s->c;
	s->a = sip_rotate(s->a, 32);
	s->c += s->b;
	s->a += s->d;
	s->b = sip_rotate(s->b, 17) ^ s->c;
	s->d = sip_rotate(s->d, 21) ^ s->a;
	s->c = sip_rotate(s->c, 32);
}

/* Take a word into the hash. */
static void sip_word(struct sip *s, uint64_t word)
{
	s->d ^= word;
	sip_round(s);
	sip_round(s);
	s->a ^= word;
}

uint64_t hash_siphash(const uint64_t key[2], const void *p, size_t n)
{
	struct sip s = {key[0] ^ 0x736f6d6570736575ULL, key[1] ^ 0x646f72616e646f6dULL,
			key[0] ^ 0x6c7967656e657261ULL, key[1] ^ 0x7465646279746573ULL};
	const uint8_t *b = p;
	uint64_t word, last = (uint64_t)n << 56;

	for (; n >= 8; n -= 8, b += 8) {
		memcpy(&word, b, 8);
		sip_word(&s, word);
	}
	for (size_t i = 0; i < n; i++)
		last |= (uint64_t)b[i] << 8 * i;
	sip_word(&s, last);
	s.c ^= 0xff;
	for (int i = 0; i < 4; i++)
		sip_round(&s);
	return s.a ^ s.b ^ s.c ^ s.d;
}

uint64_t hash_bytes(const void *p, size_t n, uint64_t seed)
{
	uint64_t key[2] = {hash_key[0] ^ seed, hash_key[1]};

	return hash_siphash(key, p, n);
}

/* ---- tables ---- */

/* Return the number of buckets that a table allocates for one more entry. */
static uint32_t htable_capacity_next(const struct htable *t)
{
	if (t->count < t->size || t->size < t->capacity || t->capacity >= 1U << 30)
		return t->capacity;
	return t->capacity ? t->capacity * 2 : HTABLE_MIN;
}

uint64_t htable_bytes_next(const struct htable *t)
{
	return htable_capacity_next(t) * sizeof(*t->buckets);
}

/* Return the bucket of a hash. Buckets of the upper half that are not in use are split later. */
static struct hnode **htable_bucket(const struct htable *t, uint32_t hash)
{
	uint32_t i = hash & (t->capacity - 1);

	return &t->buckets[i < t->size ? i : i & (t->capacity / 2 - 1)];
}

/* Allocate more buckets, if none is left. Without memory the table is only slower. */
static void htable_grow(struct htable *t)
{
	uint32_t capacity = htable_capacity_next(t);
	struct hnode **buckets =
		capacity > t->capacity ? port_alloc(capacity * sizeof(*buckets)) : NULL;

	if (!buckets)
		return;
	if (t->size)
		memcpy(buckets, t->buckets, t->size * sizeof(*buckets));
	else
		t->size = capacity;
	port_free(t->buckets);
	t->buckets = buckets;
	t->capacity = capacity;
}

/* Take one more bucket in use: its entries are in the one of the lower half. */
static void htable_split(struct htable *t)
{
	struct hnode **from = &t->buckets[t->size - t->capacity / 2];
	struct hnode *n = *from, *next, **to;

	*from = NULL;
	t->size++;
	for (; n; n = next) {
		next = n->next;
		to = htable_bucket(t, n->hash);
		n->next = *to;
		*to = n;
	}
}

int htable_insert(struct htable *t, struct hnode *n, uint32_t hash)
{
	struct hnode **bucket;

	if (t->count >= t->size) {
		htable_grow(t);
		if (!t->size)
			return -ENOMEM;
		if (t->size < t->capacity)
			htable_split(t);
	}
	bucket = htable_bucket(t, hash);
	n->hash = hash;
	n->next = *bucket;
	*bucket = n;
	t->count++;
	return 0;
}

void htable_remove(struct htable *t, struct hnode *n)
{
	struct hnode **p = htable_bucket(t, n->hash);

	while (*p && *p != n)
		p = &(*p)->next;
	if (PORT_WARN_ON(!*p))
		return;
	*p = n->next;
	t->count--;
}

/* Return the first entry from n on with that hash, or NULL. */
static struct hnode *htable_same(struct hnode *n, uint32_t hash)
{
	while (n && n->hash != hash)
		n = n->next;
	return n;
}

struct hnode *htable_first(const struct htable *t, uint32_t hash)
{
	return t->size ? htable_same(*htable_bucket(t, hash), hash) : NULL;
}

struct hnode *htable_next(const struct hnode *n)
{
	return htable_same(n->next, n->hash);
}

void htable_free(struct htable *t)
{
	port_free(t->buckets);
	memset(t, 0, sizeof(*t));
}

/* ---- indices of arrays ---- */

int hindex_init(struct hindex *h, uint32_t n)
{
	uint32_t size = 1;

	while (size < n)
		size *= 2;
	h->links = port_alloc(2 * (size_t)size * sizeof(*h->links));
	h->size = h->links ? size : 0;
	h->seed = (uint32_t)port_random();
	return h->links ? 0 : -ENOMEM;
}

void hindex_free(struct hindex *h)
{
	port_free(h->links);
	memset(h, 0, sizeof(*h));
}

uint64_t hindex_bytes(const struct hindex *h)
{
	return 2 * (uint64_t)h->size * sizeof(*h->links);
}

/* Return the bucket of a key. */
static uint32_t *hindex_bucket(const struct hindex *h, uint32_t key)
{
	return &h->links[hash_int(key ^ h->seed) & (h->size - 1)];
}

uint32_t hindex_first(const struct hindex *h, uint32_t key)
{
	return h->size ? *hindex_bucket(h, key) : 0;
}

uint32_t hindex_next(const struct hindex *h, uint32_t number)
{
	return h->links[h->size + number - 1];
}

void hindex_add(struct hindex *h, uint32_t key, uint32_t number)
{
	uint32_t *bucket = hindex_bucket(h, key);

	core_assert(number && number <= h->size);
	h->links[h->size + number - 1] = *bucket;
	*bucket = number;
}

void hindex_remove_last(struct hindex *h, uint32_t key, uint32_t number)
{
	uint32_t *bucket = hindex_bucket(h, key);

	if (!PORT_WARN_ON(*bucket != number))
		*bucket = hindex_next(h, number);
}

/* ---- tables of numbered things ---- */

/* Make space for more objects. -ENOMEM. */
static int idtable_grow(struct idtable *t)
{
	uint32_t size = t->size ? t->size * 2 : IDTABLE_MIN;
	void **objects = size > t->size ? port_alloc(size * sizeof(*objects)) : NULL;
	uint16_t *live = objects ? port_alloc(size / IDTABLE_BLOCK * sizeof(*live)) : NULL;

	if (!live) {
		port_free(objects);
		return -ENOMEM;
	}
	if (t->size) {
		memcpy(objects, t->objects, t->size * sizeof(*objects));
		memcpy(live, t->live, t->size / IDTABLE_BLOCK * sizeof(*live));
	}
	port_free(t->objects);
	port_free(t->live);
	t->objects = objects;
	t->live = live;
	t->cursor = t->size;
	t->size = size;
	return 0;
}

int idtable_insert(struct idtable *t, void *p, uint32_t *id)
{
	if ((t->count - t->reserved) * 2 >= t->size - t->reserved && idtable_grow(t) != 0 &&
	    t->count == t->size)
		return -ENOMEM;
	while (t->objects[t->cursor])
		t->cursor = (t->cursor + 1) & (t->size - 1);
	t->objects[t->cursor] = p;
	t->live[t->cursor / IDTABLE_BLOCK]++;
	t->count++;
	*id = t->cursor + 1;
	t->cursor = (t->cursor + 1) & (t->size - 1);
	return 0;
}

void idtable_remove(struct idtable *t, uint32_t id)
{
	if (PORT_WARN_ON(!idtable_lookup(t, id)))
		return;
	t->objects[id - 1] = NULL;
	t->live[(id - 1) / IDTABLE_BLOCK]--;
	t->count--;
}

#define IDTABLE_MARK 1U /* in a pointer: the number is reserved, and nothing has it */

static bool object_is_marked(const void *p)
{
	return (uintptr_t)p & IDTABLE_MARK;
}

void *idtable_lookup(const struct idtable *t, uint32_t id)
{
	void *p = id >= 1 && id <= t->size ? t->objects[port_nospec(id - 1, t->size)] : NULL;

	return object_is_marked(p) ? NULL : p;
}

void *idtable_next(const struct idtable *t, uint32_t after)
{
	for (uint32_t i = after; i < t->size; i++)
		if (!t->live[i / IDTABLE_BLOCK])
			i |= IDTABLE_BLOCK - 1;
		else if (t->objects[i] && !object_is_marked(t->objects[i]))
			return t->objects[i];
	return NULL;
}

/* Return the first of n free numbers in a row, less 1, or UINT32_MAX. */
static uint32_t idtable_find_run(const struct idtable *t, uint32_t n)
{
	uint32_t run = 0;

	for (uint32_t i = 0; i < t->size; i++) {
		run = t->objects[i] ? 0 : run + 1;
		if (run == n)
			return i + 1 - n;
	}
	return UINT32_MAX;
}

int idtable_reserve(struct idtable *t, uint32_t n, void *owner, uint32_t *first)
{
	uint32_t at;

	while ((at = idtable_find_run(t, n)) == UINT32_MAX)
		if (idtable_grow(t) != 0)
			return -ENOMEM;
	for (uint32_t i = 0; i < n; i++)
		t->objects[at + i] = (void *)((uintptr_t)owner | IDTABLE_MARK);
	t->count += n;
	t->reserved += n;
	*first = at + 1;
	return 0;
}

void idtable_release(struct idtable *t, uint32_t first, uint32_t n)
{
	for (uint32_t i = first - 1; i < first - 1 + n; i++) {
		t->reserved--;
		if (!object_is_marked(t->objects[i]))
			continue;
		t->objects[i] = NULL;
		t->count--;
	}
}

void idtable_take(struct idtable *t, uint32_t id, void *p)
{
	t->objects[id - 1] = p;
	t->live[(id - 1) / IDTABLE_BLOCK]++;
}

void idtable_give_back(struct idtable *t, uint32_t id, void *owner)
{
	t->objects[id - 1] = (void *)((uintptr_t)owner | IDTABLE_MARK);
	t->live[(id - 1) / IDTABLE_BLOCK]--;
}

void *idtable_owner(const struct idtable *t, uint32_t id)
{
	void *p = id >= 1 && id <= t->size ? t->objects[port_nospec(id - 1, t->size)] : NULL;

	return object_is_marked(p) ? (void *)((uintptr_t)p & ~(uintptr_t)IDTABLE_MARK) : NULL;
}

void idtable_free(struct idtable *t)
{
	port_free(t->objects);
	port_free(t->live);
	memset(t, 0, sizeof(*t));
}

void deferred_add(struct deferred **list, struct deferred *d)
{
	d->next = *list;
	*list = d;
}

void deferred_free(struct deferred *list)
{
	struct deferred *next;
	uint32_t n = 0;

	if (list)
		port_grace_period();
	for (; list; list = next) {
		next = list->next;
		port_free(list);
		if (port_unlikely(++n % 256 == 0))
			port_relax();
	}
}
