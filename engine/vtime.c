/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * vtime.c - vtimestamp: the time that a thread has run, less what firings have taken of it.
 *
 * While a session uses the variable each firing is timed, and what it took is added to its thread's
 * account. Accounts are in a table of a fixed number of sets, each with a lock of its own; a thread
 * that finds its set full takes over the account that has rested longest. Whose account is lost
 * begins another one, so that its vtimestamp leaps forward by what was in it.
 */
#include "engine_impl.h"
#include "fire.h"
#include "table.h"
#include "vtime.h"

#define VTIME_SETS 2048 /* a power of two */
#define VTIME_WAYS 8

struct vtime_account {
	uint64_t key;	/* of the thread; 0: free */
	uint64_t spent; /* ns in firings */
	uint64_t used;	/* the turn of the last one */
};

struct vtime_set {
	port_spin_t lock;
	uint64_t turn; /* number of the last firing */
	struct vtime_account ways[VTIME_WAYS];
};

struct vtime {
	struct deferred deferred;
	struct vtime_set sets[VTIME_SETS];
};

int vtime_ref(void)
{
	struct vtime *v = engine.vtime;

	ENGINE_ASSERT_LOCKED();
	if (!v) {
		v = port_alloc(sizeof(*v));
		if (!v)
			return -ENOMEM;
		for (uint32_t i = 0; i < VTIME_SETS; i++)
			port_spin_init(&v->sets[i].lock);
		port_store_release(&engine.vtime, v);
	}
	engine.nvtime++;
	return 0;
}

void vtime_unref(void)
{
	struct vtime *v = engine.vtime;

	ENGINE_ASSERT_LOCKED();
	if (--engine.nvtime)
		return;
	port_store_release(&engine.vtime, (struct vtime *)NULL);
	deferred_add(&engine.deferred, &v->deferred);
}

/*
 * Return the number of the current thread's account. A thread that is born at the address of an
 * ended one gets another number.
 */
static uint64_t vtime_key(struct mstate *m)
{
	const struct target_thread *t = mstate_thread(m);

	return (t->key ^ (uint64_t)t->tid << 48 ^ (uint64_t)t->tid >> 16) | 1;
}

/* Return the set of accounts to which a key belongs. */
static struct vtime_set *vtime_set(struct mstate *m, uint64_t key)
{
	return &m->vtime->sets[hash_words(&key, 1, 0) & (VTIME_SETS - 1)];
}

/*
 * Return the thread's account. If it has none, return NULL, or with make take over the least used
 * account. The caller holds the set's lock.
 */
static struct vtime_account *vtime_account(struct vtime_set *s, uint64_t key, bool make)
{
	struct vtime_account *oldest = &s->ways[0];

	PORT_ASSERT_SPIN_HELD(&s->lock);
	for (uint32_t i = 0; i < VTIME_WAYS; i++) {
		if (s->ways[i].key == key)
			return &s->ways[i];
		if (s->ways[i].used < oldest->used)
			oldest = &s->ways[i];
	}
	if (!make)
		return NULL;
	oldest->key = key;
	oldest->spent = 0;
	return oldest;
}

/* Return the time that firings have taken from the current thread. */
static uint64_t vtime_spent(struct mstate *m)
{
	uint64_t key = vtime_key(m), spent;
	struct vtime_set *s = vtime_set(m, key);
	const struct vtime_account *a;

	if (!port_spin_lock(&s->lock))
		return 0;
	a = vtime_account(s, key, false);
	spent = a ? a->spent : 0;
	port_spin_unlock(&s->lock);
	return spent;
}

uint64_t vtime_now(struct mstate *m)
{
	uint64_t now = port_firing_time(), ran = port_vtimestamp(now), spent;

	if (!m->vtime) /* it began when no clause used the variable */
		return ran;
	spent = vtime_spent(m) + (now - m->began);
	return ran > spent ? ran - spent : 0;
}

void vtime_end(struct mstate *m)
{
	uint64_t key = vtime_key(m);
	struct vtime_set *s = vtime_set(m, key);
	struct vtime_account *a;

	if (!port_spin_lock(&s->lock))
		return;
	a = vtime_account(s, key, true);
	a->spent += port_firing_time() - m->began;
	a->used = ++s->turn;
	port_spin_unlock(&s->lock);
}

#ifndef __KERNEL__
void vtime_recover(uint32_t dead)
{
	struct vtime *v = port_load_acquire(&engine.vtime);

	for (uint32_t i = 0; v && i < VTIME_SETS; i++)
		port_spin_recover(&v->sets[i].lock, dead);
}
#endif
