/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * dynvar.h - dynamic variables: associative arrays and thread-local variables. (dynvar.c)
 *
 * They are in one block of memory, which engines in several processes may share. Each of the
 * processes can write all of it at any time, so no engine trusts its contents. Locations in it are
 * stored as references only, which dynvar_at() checks. An engine keeps data on which it relies in
 * its own struct dynvar.
 *
 * The lock of a bucket protects its chain, and the chunks in it. The common list of free chunks has
 * no lock. A struct dynvar_cpu belongs to its CPU.
 */
#ifndef DTRACE_ENGINE_DYNVAR_H
#define DTRACE_ENGINE_DYNVAR_H

#include "var.h"

/*
 * References are in words: 1 is the first chunk, 0 is none. The memory may be all zeros, which is
 * an empty table.
 *
 * All chunks have one size. An element is a key, then a value, in as many chunks as these need: a
 * string in either of them takes its own length. The first chunk is in the chain. Its last word
 * refers to the second one, unless the elements of the session need one chunk only. Each of the
 * others refers to the next.
 */
struct dynvar_chunk {
	uint32_t next; /* reference: in the chain, in the element, or in a list of free chunks */
	uint32_t hash; /* of the key, in all chunks of the element */
	uint16_t keywords, chunks; /* of the element, in its first chunk */
	uint32_t owner;		   /* port_owner() of the CPU that works on it, 0: none */
	uint64_t data[];
};
#define DYNVAR_HEADER (sizeof(struct dynvar_chunk) / 8) /* words */

struct dynvar_bucket {
	port_spin_t lock;
	uint32_t first; /* reference */
};

/* The beginning of the memory. Buckets and chunks follow. */
struct dynvar_pool {
	uint64_t free;	/* reference of the first free chunk; above it, a count of changes */
	uint64_t fresh; /* words of the chunks, from the first on, that have been given out */
	uint64_t pad[6];
};

/* Free chunks that a CPU has for itself. */
struct dynvar_cpu {
	uint64_t free;	 /* reference of the first; above it, their number */
	uint8_t pad[56]; /* a cache line each */
};

struct dynvar {
	struct dynvar_pool *pool;
	struct dynvar_bucket *buckets;
	uint8_t *origin; /* where reference 0 would be */
	struct dynvar_cpu *cpus;
	uint32_t nbuckets, nchunks;
	uint32_t limit;	   /* the largest reference */
	uint32_t words;	   /* of a chunk */
	uint32_t first;	   /* words of an element that its first chunk holds */
	uint32_t keywords; /* most words of a key */
	uint32_t chunks;   /* most chunks of an element */
	uint32_t batch;	   /* chunks that a CPU takes at once; 0: it keeps none */
	uint32_t seed;
	bool shared; /* the memory is not the engine's own */
};

#define DYNVAR_CHAIN 64 /* longest chain */

/* dynvar_at - return the chunk that a reference stands for; NULL: none. Probe context. */
static inline struct dynvar_chunk *dynvar_at(const struct dynvar *dv, uint32_t ref)
{
	return (uint32_t)(ref - 1) < dv->limit
		       ? (struct dynvar_chunk *)(void *)(dv->origin + (size_t)ref * 8)
		       : NULL;
}
/* dynvar_ref - return the reference of a chunk. Any context. */
static inline uint32_t dynvar_ref(const struct dynvar *dv, const struct dynvar_chunk *c)
{
	return (uint32_t)((size_t)((const uint8_t *)c - dv->origin) / 8);
}
/*
 * dynvar_link - return where a chunk of an element, of which others follow, refers to the next.
 * head: whether it is the first. Any context.
 */
static inline uint32_t *dynvar_link(const struct dynvar *dv, struct dynvar_chunk *c, bool head)
{
	return head ? (uint32_t *)&c->data[dv->first] : &c->next;
}
/*
 * dynvar_chunks - return the number of chunks of an element, whatever the memory says. Any context.
 */
static inline uint32_t dynvar_chunks(const struct dynvar *dv, const struct dynvar_chunk *c)
{
	uint32_t n = port_read_once(&c->chunks);

	return n < dv->chunks ? n : dv->chunks;
}

/*
 * dynvar_next - return the chunk of an element that follows c, NULL after the last. *n: how many
 * there are from c on; the number of all for the first. Any context.
 */
static inline struct dynvar_chunk *dynvar_next(const struct dynvar *dv,
					       struct dynvar_chunk *element, struct dynvar_chunk *c,
					       uint32_t *n)
{
	if (port_likely(*n < 2))
		return NULL;
	(*n)--;
	return dynvar_at(dv, port_read_once(dynvar_link(dv, c, c == element)));
}
/* dynvar_bucket - return the bucket of a hash. Any context. */
static inline struct dynvar_bucket *dynvar_bucket(const struct dynvar *dv, uint32_t hash)
{
	return &dv->buckets[hash & (dv->nbuckets - 1)];
}

/*
 * dynvar_bytes - return the bytes that dynvar_create() takes: more, since its table is a power of
 * two.
 */
uint64_t dynvar_bytes(const struct var_space *vs, uint64_t bytes);
/* dynvar_memory_bytes - return those of dynvar_bytes() that engines can share. */
uint64_t dynvar_memory_bytes(const struct var_space *vs, uint64_t bytes);
/*
 * dynvar_create - allocate dynamic variables, of about that many bytes in all. mem:
 * dynvar_memory_bytes() bytes that engines share, which all of them give the same seed; or NULL.
 * They stay the caller's. NULL: no memory.
 */
struct dynvar *dynvar_create(const struct var_space *vs, uint64_t bytes, void *mem, uint32_t seed);
/* dynvar_free - free them; dv may be NULL. */
void dynvar_free(struct dynvar *dv);
/*
 * dynvar_load - return the value of a dynamic variable, or 0 if it is not set. index: number of the
 * definition; array: the tuple in m is the key of an element. May fault. Probe context, as the
 * next.
 */
uint64_t dynvar_load(struct mstate *m, const struct var_def *def, uint32_t index, bool array);
/* dynvar_store - assign a value; 0 frees the variable. May fault, or count a drop. */
void dynvar_store(struct mstate *m, const struct var_def *def, uint32_t index, bool array,
		  uint64_t value);
/*
 * dynvar_put_free - give n chunks, which are linked from first to last, to the common list. Return
 * false if others changed it all the time. Probe context.
 */
bool dynvar_put_free(struct dynvar *dv, uint32_t first, struct dynvar_chunk *last);
/*
 * dynvar_recover - take back the locks that a CPU held in shared memory, and its chunks that were
 * neither used nor free, after its process ended, or its firing was left for good. dead:
 * port_owner() of that CPU. Chunks that are not found are lost. Any context in which the caller is
 * an owner itself; user land only. (recover.c)
 */
void dynvar_recover(struct dynvar *dv, uint32_t dead);

#endif
