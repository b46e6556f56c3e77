/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * recover.c - put in order what belongs to a CPU whose process has ended, or whose firing was
 * interrupted for good: the state of the firing, locks and chunks of dynamic variables. User land
 * only.
 *
 * No list has the locks and chunks of a CPU. They have its number, and all of them are searched
 * when the CPU is gone. Every loop is bounded by the engine's own knowledge of the memory.
 */
#include "dynvar.h"
#include "fire.h"

void fire_recover(uint32_t cpu)
{
	struct mstate *m = &engine.mstates[cpu];

	m->helping = false;
	m->scratch = m->scratch_top = m->cpu_scratch;
	port_write_once(&m->busy, 0);
}

/*
 * Take a bucket's lock, if need be from the dead CPU. Return false if another CPU holds it for too
 * long.
 */
static bool recover_lock(struct dynvar_bucket *b, uint32_t dead)
{
	return port_cas(&b->lock.owner, dead, port_owner()) || port_spin_lock(&b->lock);
}

/* Return whether an element has a chunk. The caller holds the bucket's lock. */
static bool recover_has(const struct dynvar *dv, struct dynvar_chunk *element,
			const struct dynvar_chunk *chunk)
{
	struct dynvar_chunk *c = element;
	uint32_t n = dynvar_chunks(dv, element);

	while (c && c != chunk)
		c = dynvar_next(dv, element, c, &n);
	return c == chunk;
}

/* Return whether an element of a chain has a chunk. The caller holds the bucket's lock. */
static bool recover_is_used(const struct dynvar *dv, const struct dynvar_bucket *b,
			    const struct dynvar_chunk *chunk)
{
	uint32_t ref = port_read_once(&b->first);
	struct dynvar_chunk *c;

	for (unsigned int i = 0; i < DYNVAR_CHAIN && (c = dynvar_at(dv, ref)); i++) {
		if (recover_has(dv, c, chunk))
			return true;
		ref = port_read_once(&c->next);
	}
	return false;
}

/*
 * Free a chunk that the dead CPU owned, unless it belongs to an element. A chunk gets its hash
 * before it becomes part of an element.
 */
static void recover_chunk(struct dynvar *dv, struct dynvar_chunk *c, uint32_t dead)
{
	struct dynvar_bucket *b = dynvar_bucket(dv, port_read_once(&c->hash));
	bool used;

	if (!recover_lock(b, dead))
		return;
	used = recover_is_used(dv, b, c);
	port_write_once(&c->owner, 0);
	port_spin_unlock(&b->lock);
	if (!used)
		dynvar_put_free(dv, dynvar_ref(dv, c), c);
}

void dynvar_recover(struct dynvar *dv, uint32_t dead)
{
	uint64_t n = port_read_once(&dv->pool->fresh) / dv->words;

	if (n > dv->nchunks)
		n = dv->nchunks;
	for (uint32_t i = 0; i < n; i++) {
		struct dynvar_chunk *c = dynvar_at(dv, 1 + i * dv->words);

		if (port_read_once(&c->owner) == dead)
			recover_chunk(dv, c, dead);
	}
	for (uint32_t i = 0; i < dv->nbuckets; i++)
		port_spin_recover(&dv->buckets[i].lock, dead);
}
