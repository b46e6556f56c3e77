/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * table.h - lists, hash tables, indices, objects by number, and deferred free. (table.c)
 *
 * None of them has a lock: the lock of the owner protects each, for readers too. The exception is
 * struct deferred, whose objects firings may still read without a lock until the grace period ends.
 */
#ifndef DTRACE_ENGINE_TABLE_H
#define DTRACE_ENGINE_TABLE_H

#include "core.h"

struct link {
	struct link *next, *prev;
};
#define link_entry(p, type, member) ((type *)(void *)((char *)(p)-offsetof(type, member)))
#define link_for_each(l, head)	    for ((l) = (head)->next; (l) != (head); (l) = (l)->next)
#define link_for_each_safe(l, n, head) \
	for ((l) = (head)->next, (n) = (l)->next; (l) != (head); (l) = (n), (n) = (l)->next)

static inline void link_init(struct link *head)
{
	head->next = head->prev = head;
}

static inline void link_append(struct link *head, struct link *l)
{
	l->prev = head->prev;
	l->next = head;
	head->prev->next = l;
	head->prev = l;
}

static inline void link_remove(struct link *l)
{
	l->prev->next = l->next;
	l->next->prev = l->prev;
	link_init(l);
}

static inline bool link_empty(const struct link *head)
{
	return head->next == head;
}

/*
 * A hash table of objects that contain a struct hnode. It grows by one bucket for one object, so
 * that nobody waits until all objects are in other buckets.
 */
struct hnode {
	struct hnode *next;
	uint32_t hash;
};
struct htable {
	struct hnode **buckets;
	uint32_t size, capacity; /* buckets: in use, and allocated: a power of two, or 0 */
	uint32_t count;
};
#define HTABLE_ENTRY (2 * sizeof(struct hnode *)) /* most bytes of the table for an entry */
/* htable_insert - add n, whose key has that hash. -ENOMEM. May sleep. */
int htable_insert(struct htable *t, struct hnode *n, uint32_t hash);
/* htable_remove - remove n, which is in the table. */
void htable_remove(struct htable *t, struct hnode *n);
/* htable_first - return the first entry with that hash, or NULL. The caller compares keys. */
struct hnode *htable_first(const struct htable *t, uint32_t hash);
/* htable_next - return the next entry with the hash of n, or NULL. */
struct hnode *htable_next(const struct hnode *n);
/* htable_free - free the table, but not its entries. */
void htable_free(struct htable *t);
/* htable_bytes_next - return the bytes of the table with one more entry. */
uint64_t htable_bytes_next(const struct htable *t);
/* hash_init - draw the key of hash_bytes(), when the engine begins. */
void hash_init(void);
/*
 * hash_bytes - return SipHash-2-4 of n bytes with the engine's key and a seed: for names, which
 * users choose. Tables take the lower 32 bits. Any context.
 */
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
/* hash_siphash - return SipHash-2-4 of n bytes with a given key. Any context. */
uint64_t hash_siphash(const uint64_t key[2], const void *p, size_t n);

/*
 * An index of the entries of an array, by a key. It knows the entries by their numbers, counted
 * from 1. The hash is seeded, so that a user who chooses keys cannot put them into one bucket. All
 * zeros: an index without entries.
 */
struct hindex {
	uint32_t *links; /* the first of each bucket, then the next of each entry; 0: none */
	uint32_t size;	 /* buckets, and largest number: a power of two, or 0 */
	uint32_t seed;
};
/* hindex_init - make an index for n entries. -ENOMEM. May sleep. */
int hindex_init(struct hindex *h, uint32_t n);
/* hindex_free - free the index. */
void hindex_free(struct hindex *h);
/* hindex_bytes - return the bytes of the index. */
uint64_t hindex_bytes(const struct hindex *h);
/*
 * hindex_first - return the newest entry that may have the key; 0: none. The caller compares keys.
 */
uint32_t hindex_first(const struct hindex *h, uint32_t key);
/* hindex_next - return the next older entry that may have the same key; 0: none. */
uint32_t hindex_next(const struct hindex *h, uint32_t number);
/* hindex_add - add an entry with a key. Its number is new and at most n of hindex_init(). */
void hindex_add(struct hindex *h, uint32_t key, uint32_t number);
/* hindex_remove_last - remove the entry that was added last of those still there. */
void hindex_remove_last(struct hindex *h, uint32_t key, uint32_t number);

/* hash_int, hash_words - return a hash. Inline, since firings use them. Any context. */
static inline uint32_t hash_int(uint32_t x)
{
	x ^= x >> 16;
	x *= 0x7feb352dU;
	x ^= x >> 15;
	x *= 0x846ca68bU;
	return x ^ (x >> 16);
}

static inline uint32_t hash_words(const uint64_t *p, size_t n, uint32_t seed)
{
	uint64_t h = seed;

	while (n--) {
		h = (h ^ *p++) * 0x9e3779b97f4a7c15ULL;
		h ^= h >> 29;
	}
	return hash_int((uint32_t)h ^ (uint32_t)(h >> 32));
}

/*
 * Objects by number, from 1 on. The number of a removed object is used again only after at least as
 * many other numbers. idtable_insert() may sleep. Tables do not become smaller, and may be sparse:
 * blocks of numbers without objects are passed in one step.
 */
struct idtable {
	void **objects;
	uint16_t *live; /* objects in each block of numbers, without marks of reserved ones */
	uint32_t size, count, cursor; /* count: with reserved numbers */
	uint32_t reserved;
};
/* idtable_insert - give p a number that is free, and return it in *id. -ENOMEM. */
int idtable_insert(struct idtable *t, void *p, uint32_t *id);
/* idtable_remove - free a number that has an object. */
void idtable_remove(struct idtable *t, uint32_t id);
/* idtable_lookup - return the object with a number, or NULL. */
void *idtable_lookup(const struct idtable *t, uint32_t id);
/* idtable_next - return the object with the lowest number above a number or 0, or NULL. */
void *idtable_next(const struct idtable *t, uint32_t after);
/* idtable_free - free the memory of a table. Its objects stay. */
void idtable_free(struct idtable *t);
/*
 * idtable_reserve - reserve n numbers in a row for objects of an owner, which come and go. The
 * address of the owner is a multiple of 2. *first is the first number. The functions above find no
 * object at a reserved number until idtable_take(). -ENOMEM.
 */
int idtable_reserve(struct idtable *t, uint32_t n, void *owner, uint32_t *first);
/* idtable_release - end a reservation. Objects that have taken numbers keep them. */
void idtable_release(struct idtable *t, uint32_t first, uint32_t n);
/* idtable_take - give a reserved number to an object. */
void idtable_take(struct idtable *t, uint32_t id, void *p);
/* idtable_give_back - take a reserved number from its object. It stays reserved. */
void idtable_give_back(struct idtable *t, uint32_t id, void *owner);
/* idtable_owner - return the owner of a reserved number that no object has, or NULL. */
void *idtable_owner(const struct idtable *t, uint32_t id);

/*
 * Deferred free: the first member of an object that firings may still see. The object is freed
 * after a grace period.
 */
struct deferred {
	struct deferred *next;
};
/* deferred_add - add an object, which no new firing can find, to a list. */
void deferred_add(struct deferred **list, struct deferred *d);
/* deferred_free - free a list after a grace period; without waiting if it is empty. May sleep. */
void deferred_free(struct deferred *list);

#endif
