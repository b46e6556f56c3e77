/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * var.c - variables of programs: definitions, scalars in fixed storage, and dynamic variables
 * (thread-local ones and associative arrays).
 *
 * Dynamic variables live in a hash table whose memory is given when tracing begins. A chunk holds a
 * key (definition, thread, tuple) and a value. Each bucket has a raw spin lock; values are copied
 * out under it, so a chunk can be used again as soon as it is unlinked. Free chunks wait in a small
 * list per CPU, touched by that CPU only, and in a common list with a lock of its own, which is
 * taken inside bucket locks and never around them. Chains are bounded: a longer one counts as a
 * drop.
 */
#include "dif_mem.h"
#include "difo.h"
#include "fire.h"
#include "table.h"
#include "var.h"

#define DYNVAR_CHAIN  64	   /* longest chain */
#define DYNVAR_LINK   8		   /* units of work to follow a link: it is likely to be cold */
#define DYNVAR_BATCH  16	   /* chunks moved between a CPU's list and the common one */
#define DYNVAR_CHUNKS (1U << 30)   /* most chunks */
#define DYNVAR_CPU    (1ULL << 63) /* in the first word of a key: the second is a CPU's number */

struct dynvar_chunk {
	struct dynvar_chunk *next;
	uint32_t hash;
	uint32_t keywords;
	uint64_t data[]; /* key, then value */
};

struct dynvar_bucket {
	port_spin_t lock;
	struct dynvar_chunk *first;
};

struct dynvar_cpu {
	struct dynvar_chunk *free;
	uint32_t nfree;
	uint8_t pad[48]; /* a cache line each */
};

struct dynvar {
	struct dynvar_bucket *buckets;
	struct dynvar_cpu *cpus;
	uint8_t *chunks;
	uint32_t nbuckets, nchunks;
	size_t chunksize;
	uint32_t keywords; /* most words of a key; a chunk can hold as many */
	uint32_t batch;
	uint32_t seed;
	port_spin_t lock; /* of free */
	struct dynvar_chunk *free;
};

/* ---- definitions ---- */

bool var_is_byref(const struct var_def *def)
{
	return def->type.dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF) ||
	       def->type.dtdt_kind == DIF_TYPE_STRING;
}

/* Return the definition of a variable, or NULL. */
static struct var_def *var_find(const struct var_table *t, const dtrace_difv_t *v)
{
	for (uint32_t i = hindex_first(&t->by_id, v->dtdv_id); i; i = hindex_next(&t->by_id, i))
		if (t->defs[i - 1].id == v->dtdv_id)
			return &t->defs[i - 1];
	return NULL;
}

/* Make space for one more definition. -ENOMEM. */
static int var_table_grow(struct var_table *t)
{
	uint32_t capacity = t->capacity ? t->capacity * 2 : 32;
	struct hindex by_id;
	struct var_def *defs;

	if (t->n < t->capacity)
		return 0;
	if (hindex_init(&by_id, capacity) != 0)
		return -ENOMEM;
	defs = port_alloc(capacity * sizeof(*defs));
	if (!defs) {
		hindex_free(&by_id);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		defs[i] = t->defs[i];
		hindex_add(&by_id, defs[i].id, i + 1);
	}
	port_free(t->defs);
	hindex_free(&t->by_id);
	t->defs = defs;
	t->by_id = by_id;
	t->capacity = capacity;
	return 0;
}

/* Check that a definition agrees with one made before. -EINVAL with text. */
static int var_check(const struct var_def *def, const dtrace_difv_t *v, uint32_t size,
		     const char *name, struct dof_err *err)
{
	if (def->kind != v->dtdv_kind || def->type.dtdt_kind != v->dtdv_type.dtdt_kind ||
	    def->type.dtdt_flags != v->dtdv_type.dtdt_flags ||
	    (var_is_byref(def) && def->size != size))
		return ERR(err, -EINVAL, "variable %s (0x%x) is declared with two different types",
			   name, v->dtdv_id);
	return 0;
}

/* Give a scalar its part of the storage. */
static void var_place(struct var_table *t, struct var_def *def)
{
	if (def->kind != DIFV_KIND_SCALAR || def->scope == DIFV_SCOPE_THREAD)
		return;
	def->offset = t->bytes;
	t->bytes += var_is_byref(def) ? 8 + ((def->size + 7) & ~7U) : 8;
}

int var_define(struct var_space *vs, const dtrace_difv_t *v, uint32_t strsize, const char *name,
	       uint32_t *index, struct dof_err *err)
{
	struct var_table *t = &vs->scopes[v->dtdv_scope];
	struct var_def *def = var_find(t, v);
	uint32_t size = dif_size(&v->dtdv_type, strsize);

	if (def) {
		*index = (uint32_t)(def - t->defs);
		return var_check(def, v, size, name, err);
	}
	if (v->dtdv_type.dtdt_kind > DIF_TYPE_STRING || size > DIF_MAX_VALUE ||
	    t->bytes > (64U << 20) || t->n >= DIF_VAR_OTHER_MAX - DIF_VAR_OTHER_UBASE)
		return ERR(err, -EINVAL, "variable %s (0x%x): type %u of %u bytes is not valid",
			   name, v->dtdv_id, v->dtdv_type.dtdt_kind, size);
	if (var_table_grow(t) != 0)
		return ERR(err, -ENOMEM, "no memory for variable %s", name);
	def = &t->defs[t->n];
	memset(def, 0, sizeof(*def));
	def->id = (uint16_t)v->dtdv_id;
	def->kind = v->dtdv_kind;
	def->scope = v->dtdv_scope;
	def->type = v->dtdv_type;
	def->size = var_is_byref(def) ? size : 8;
	if (!def->size)
		return ERR(err, -EINVAL, "variable %s (0x%x) has size 0", name, v->dtdv_id);
	var_place(t, def);
	if (def->size > vs->max_value &&
	    (def->kind == DIFV_KIND_ARRAY || def->scope == DIFV_SCOPE_THREAD))
		vs->max_value = def->size;
	*index = t->n++;
	hindex_add(&t->by_id, def->id, t->n);
	return 0;
}

uint64_t var_space_bytes(const struct var_space *vs)
{
	uint64_t bytes = 0;

	for (int i = 0; i < 3; i++)
		bytes += vs->scopes[i].capacity * sizeof(struct var_def) +
			 hindex_bytes(&vs->scopes[i].by_id);
	return bytes;
}

void var_space_free(struct var_space *vs)
{
	for (int i = 0; i < 3; i++) {
		port_free(vs->scopes[i].defs);
		hindex_free(&vs->scopes[i].by_id);
	}
	memset(vs, 0, sizeof(*vs));
}

void var_space_mark(const struct var_space *vs, struct var_mark *mark)
{
	for (int i = 0; i < 3; i++) {
		mark->n[i] = vs->scopes[i].n;
		mark->bytes[i] = vs->scopes[i].bytes;
	}
	mark->max_key = vs->max_key;
	mark->max_value = vs->max_value;
}

void var_space_rollback(struct var_space *vs, const struct var_mark *mark)
{
	for (int i = 0; i < 3; i++) {
		struct var_table *t = &vs->scopes[i];

		for (; t->n > mark->n[i]; t->n--)
			hindex_remove_last(&t->by_id, t->defs[t->n - 1].id, t->n);
		t->bytes = mark->bytes[i];
	}
	vs->max_key = mark->max_key;
	vs->max_value = mark->max_value;
}

/* ---- scalars ---- */

#ifndef __KERNEL__
/* Return whether a variable lies within the storage of its scope. */
static bool var_holds(const struct mstate *m, const struct var_def *def, const uint8_t *storage)
{
	const struct var_space *vs = m->helping ? m->vars : &m->state->vars;
	uint64_t size = var_is_byref(def) ? 8 + (((uint64_t)def->size + 7) & ~7ULL) : 8;

	return storage && def->kind == DIFV_KIND_SCALAR &&
	       def->offset + size <= vs->scopes[def->scope].bytes;
}
#endif

/*
 * Copy a helper's string to scratch, without the rest of its storage: the strings are long, and
 * scratch must hold many copies.
 */
static uint64_t var_copy_string(struct mstate *m, const uint8_t *s, uint32_t size)
{
	uint32_t n = 0;

	while (n < size - 1 && s[n])
		n++;
	if (!dif_charge_scan(m, n))
		return 0;
	return mem_put(m, (const char *)s, n);
}

/*
 * A by-reference value in storage: a word that is not 0 if the variable was made NULL, then the
 * bytes. So what was never assigned is all zeros, an empty string. Loads of strings give a copy in
 * scratch, of the whole variable: programs may look behind the end of a string. Arrays and
 * structures stay where they are: programs have pointers into them.
 */
uint64_t var_scalar_load(struct mstate *m, const struct var_def *def, uint8_t *storage)
{
	uint8_t *slot = storage + def->offset, *copy;

	core_assert(var_holds(m, def, storage));
	if (!var_is_byref(def))
		return port_read_once((uint64_t *)(void *)slot);
	if (port_read_once((uint64_t *)(void *)slot))
		return 0;
	if (def->type.dtdt_kind != DIF_TYPE_STRING)
		return mem_handle_var(m, storage, def->scope, def->offset + 8);
	if (m->helping)
		return var_copy_string(m, slot + 8, def->size);
	copy = mem_alloc(m, def->size);
	if (!copy)
		return 0;
	memcpy(copy, slot + 8, def->size);
	copy[def->size - 1] = '\0';
	return mem_handle(m, copy);
}

void var_scalar_store(struct mstate *m, const struct var_def *def, uint8_t *storage, uint64_t value)
{
	uint8_t *slot = storage + def->offset;

	core_assert(var_holds(m, def, storage));
	if (!var_is_byref(def)) {
		port_write_once((uint64_t *)(void *)slot, value);
		return;
	}
	if (value && !mem_copy_value(m, slot + 8, value, def->size, &def->type))
		return;
	port_write_once((uint64_t *)(void *)slot, value == 0);
}

/* ---- dynamic variables: memory ---- */

/* Return the smallest power of two that is not below n, at most 2^26. */
static uint32_t dynvar_pow2(uint64_t n)
{
	uint32_t p = 1;

	while (p < n && p < (1U << 26))
		p *= 2;
	return p;
}

/* Make the buckets and the list of free chunks. -EINTR: a fatal signal is pending. */
static int dynvar_fill(struct dynvar *dv)
{
	int rc = 0;

	for (uint32_t i = dv->nchunks; !rc && i-- > 0;) {
		struct dynvar_chunk *c =
			(struct dynvar_chunk *)(void *)(dv->chunks + i * dv->chunksize);

		rc = relax_at(i);
		c->next = dv->free;
		dv->free = c;
	}
	for (uint32_t i = 0; !rc && i < dv->nbuckets; i++) {
		rc = relax_at(i);
		port_spin_init(&dv->buckets[i].lock);
	}
	port_spin_init(&dv->lock);
	return rc;
}

#ifndef __KERNEL__
/* Return whether a chunk can hold a key of n words and a value of size bytes. */
static bool dynvar_holds(const struct dynvar *dv, uint32_t n, uint32_t size)
{
	return n <= dv->keywords &&
	       sizeof(struct dynvar_chunk) + (uint64_t)n * 8 + size <= dv->chunksize;
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

/* Find out how many chunks and buckets fit in so many bytes, and how large a chunk is. */
static void dynvar_measure(struct dynvar *dv, const struct var_space *vs, uint64_t bytes)
{
	uint64_t n;

	dv->keywords = dynvar_fixed_words(vs) + (vs->max_key + 7) / 8;
	dv->chunksize = sizeof(struct dynvar_chunk) + (size_t)dv->keywords * 8 +
			(((size_t)vs->max_value + 7) & ~(size_t)7);
	n = bytes / (dv->chunksize + sizeof(struct dynvar_bucket));
	dv->nchunks = (uint32_t)(n > DYNVAR_CHUNKS ? DYNVAR_CHUNKS : n ? n : 1);
	dv->nbuckets = dynvar_pow2(dv->nchunks);
}

uint64_t dynvar_bytes(const struct var_space *vs, uint64_t bytes)
{
	struct dynvar dv;

	dynvar_measure(&dv, vs, bytes);
	return sizeof(dv) + port_ncpus() * sizeof(*dv.cpus) +
	       (uint64_t)dv.nbuckets * sizeof(*dv.buckets) + (uint64_t)dv.nchunks * dv.chunksize;
}

struct dynvar *dynvar_create(const struct var_space *vs, uint64_t bytes)
{
	struct dynvar *dv = port_alloc(sizeof(*dv));

	/* The verifier has bounded both; nothing below can wrap then. */
	if (!dv || vs->max_key > DIF_MAX_KEY || vs->max_value > DIF_MAX_VALUE) {
		port_free(dv);
		return NULL;
	}
	dynvar_measure(dv, vs, bytes);
	core_assert(dynvar_holds(dv, dv->keywords, vs->max_value) &&
		    dv->keywords * 8ULL >= dynvar_fixed_words(vs) * 8ULL + vs->max_key);
	dv->batch = dv->nchunks / (4 * port_ncpus());
	dv->batch = dv->batch < DYNVAR_BATCH ? dv->batch : DYNVAR_BATCH;
	dv->seed = (uint32_t)port_random();
	dv->buckets = port_alloc(dv->nbuckets * sizeof(*dv->buckets));
	dv->cpus = port_alloc(port_ncpus() * sizeof(*dv->cpus));
	dv->chunks = port_alloc(dv->nchunks * dv->chunksize);
	if (!dv->buckets || !dv->cpus || !dv->chunks) {
		dynvar_free(dv);
		return NULL;
	}
	if (dynvar_fill(dv) != 0) { /* the caller is being killed */
		dynvar_free(dv);
		return NULL;
	}
	return dv;
}

void dynvar_free(struct dynvar *dv)
{
	if (!dv)
		return;
	port_free(dv->buckets);
	port_free(dv->cpus);
	port_free(dv->chunks);
	port_free(dv);
}

/* Move up to a batch of chunks from the common list to the CPU's own; without batches, one. */
static void dynvar_refill(struct dynvar *dv, struct dynvar_cpu *dc)
{
	uint32_t n = dv->batch ? dv->batch : 1;
	struct dynvar_chunk *c;

	port_spin_lock(&dv->lock);
	while (n-- && (c = dv->free)) {
		dv->free = c->next;
		c->next = dc->free;
		dc->free = c;
		dc->nfree++;
	}
	port_spin_unlock(&dv->lock);
}

/* Take a free chunk; NULL: there is none, which is counted. */
static struct dynvar_chunk *dynvar_take(struct mstate *m, struct dynvar *dv)
{
	struct dynvar_cpu *dc = &dv->cpus[m->cpu];
	struct dynvar_chunk *c;

	if (!dc->free)
		dynvar_refill(dv, dc);
	c = dc->free;
	if (c) {
		dc->free = c->next;
		dc->nfree--;
	}
	return c;
}

/* Give a chunk back. */
static void dynvar_give(struct mstate *m, struct dynvar *dv, struct dynvar_chunk *c)
{
	struct dynvar_cpu *dc = &dv->cpus[m->cpu];

	c->next = dc->free;
	dc->free = c;
	if (++dc->nfree <= 2 * dv->batch)
		return;
	port_spin_lock(&dv->lock);
	while (dc->nfree > dv->batch) {
		c = dc->free;
		dc->free = c->next;
		dc->nfree--;
		c->next = dv->free;
		dv->free = c;
	}
	port_spin_unlock(&dv->lock);
}

/* ---- dynamic variables: keys ---- */

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
 * becomes the number of its words, at most dynvars->keywords. Return NULL after a fault.
 */
static uint64_t *dynvar_key(struct mstate *m, const struct var_def *def, uint32_t index, bool array,
			    uint32_t *n)
{
	uint32_t max = m->state->dynvars->keywords, fixed = def->scope == DIFV_SCOPE_THREAD ? 3 : 1;
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
	core_assert(*n <= m->state->dynvars->keywords && m->scratch_top <= m->scratch_end);
	return key;
fail:
	mem_note_used(m, (uint8_t *)(key + *n)); /* what there is of it is in scratch */
	return NULL;
}

/* ---- dynamic variables: use ---- */

/* Return whether a chunk has that key. */
static bool dynvar_same(const struct dynvar_chunk *c, const uint64_t *key, uint32_t n,
			uint32_t hash)
{
	return c->hash == hash && c->keywords == n && memcmp(c->data, key, n * 8) == 0;
}

/*
 * Return the link that points to the key's chunk, or that ends the chain; *len becomes the number
 * of links before it. A user who chooses keys can make hashes equal, so that each comparison is
 * charged: after a fault, the result means nothing. The caller holds the bucket's lock.
 */
static struct dynvar_chunk **dynvar_find(struct mstate *m, struct dynvar_bucket *b,
					 const uint64_t *key, uint32_t n, uint32_t hash,
					 unsigned int *len)
{
	struct dynvar_chunk **p = &b->first;

	PORT_ASSERT_SPIN_HELD(&b->lock);
	for (*len = 0; *p && !dynvar_same(*p, key, n, hash); p = &(*p)->next) {
		if (!dif_charge(m, DYNVAR_LINK + ((*p)->hash == hash ? n : 0)))
			break;
		(*len)++;
	}
	return p;
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
	struct dynvar *dv = m->state->dynvars;
	bool byref = var_is_byref(def);
	uint8_t *top = m->scratch_top;
	struct dynvar_bucket *b;
	struct dynvar_chunk *c;
	uint64_t value = 0, *key;
	uint32_t n, hash;
	unsigned int len;

	key = dynvar_key(m, def, index, array, &n);
	if (!key || !dif_charge(m, DYNVAR_LINK + 2ULL * n)) /* to hash and to compare it */
		return 0;
	hash = hash_words(key, n, dv->seed);
	core_assert(dynvar_holds(dv, n, def->size));
	if (byref && !mem_alloc(m, def->size))
		return 0;
	b = &dv->buckets[hash & (dv->nbuckets - 1)];
	port_spin_lock(&b->lock);
	c = *dynvar_find(m, b, key, n, hash, &len);
	if (m->faulted) {
		c = NULL;
	} else if (c && byref) {
		/* The key is not needed any more: the value takes its place in scratch. */
		value = mem_handle(m, key);
		memcpy(key, &c->data[c->keywords], def->size);
	} else if (c) {
		value = c->data[c->keywords];
	}
	port_spin_unlock(&b->lock);
	m->scratch_top = value && byref ? (uint8_t *)key + def->size : top;
	return value || !byref ? value : dynvar_unset(m, def);
}

/* Unlink a chunk and give it back. The caller holds the bucket's lock. */
static void dynvar_delete(struct mstate *m, struct dynvar_bucket *b, struct dynvar_chunk **p)
{
	struct dynvar_chunk *c = *p;

	PORT_ASSERT_SPIN_HELD(&b->lock);
	*p = c->next;
	dynvar_give(m, m->state->dynvars, c);
}

/*
 * Add a chunk at the end of the chain; NULL: there is none, which is counted. The caller holds the
 * bucket's lock.
 */
static struct dynvar_chunk *dynvar_insert(struct mstate *m, struct dynvar_bucket *b,
					  struct dynvar_chunk **p, const uint64_t *key, uint32_t n,
					  uint32_t hash, unsigned int len)
{
	struct dynvar_chunk *c = len < DYNVAR_CHAIN ? dynvar_take(m, m->state->dynvars) : NULL;

	PORT_ASSERT_SPIN_HELD(&b->lock);
	if (!c) {
		m->sc->count.dtst_dyndrops++;
		return NULL;
	}
	c->next = NULL;
	c->hash = hash;
	c->keywords = n;
	memcpy(c->data, key, n * 8);
	*p = c;
	return c;
}

/*
 * Return the value as it will be stored: an integer, or bytes copied to scratch. Return NULL after
 * a fault.
 */
static const void *dynvar_value(struct mstate *m, const struct var_def *def, uint64_t *value)
{
	uint8_t *copy;
	uint32_t used;

	if (!var_is_byref(def))
		return value;
	copy = mem_alloc(m, def->size);
	if (!copy)
		return NULL;
	used = mem_copy_value(m, copy, *value, def->size, &def->type);
	if (!used)
		return NULL;
	memset(copy + used, 0, def->size - used);
	return copy;
}

void dynvar_store(struct mstate *m, const struct var_def *def, uint32_t index, bool array,
		  uint64_t value)
{
	struct dynvar *dv = m->state->dynvars;
	uint8_t *top = m->scratch_top;
	const void *from = NULL;
	struct dynvar_bucket *b;
	struct dynvar_chunk **p, *c;
	unsigned int len;
	uint32_t n, hash;
	uint64_t *key = dynvar_key(m, def, index, array, &n);

	if (key && value)
		from = dynvar_value(m, def, &value);
	if (!key || m->faulted || !dif_charge(m, DYNVAR_LINK + 3ULL * n + def->size / 8))
		return;
	hash = hash_words(key, n, dv->seed);
	core_assert(dynvar_holds(dv, n, def->size));
	b = &dv->buckets[hash & (dv->nbuckets - 1)];
	port_spin_lock(&b->lock);
	p = dynvar_find(m, b, key, n, hash, &len);
	c = m->faulted ? NULL : *p;
	if (m->faulted)
		from = NULL;
	if (!from && c)
		dynvar_delete(m, b, p);
	else if (from && !c)
		c = dynvar_insert(m, b, p, key, n, hash, len);
	if (from && c)
		memcpy(&c->data[c->keywords], from, def->size);
	port_spin_unlock(&b->lock);
	m->scratch_top = top;
}
