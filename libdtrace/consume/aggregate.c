/* SPDX-License-Identifier: MIT */
/*
 * aggregate.c - aggregations: the contents of the CPUs' buffers are added up in a hash table by
 * variable and keys, and are sorted for output.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define FIRSTBUCKETS 256
#define WORD	     sizeof(uint64_t)

/* The effect of the consumer's actions on a variable. */
struct varstate {
	bool printed; /* by printa() */
};

struct dt_aggs {
	dt_aggentry_t **buckets;
	size_t nbuckets, nentries;
	struct varstate *vars; /* by id of the variable */
	uint32_t nvars;
	struct dt_snapshot snapshot;
	struct dt_symbol_keys *symbols;
	char *entry; /* one with such keys, changed */
	size_t entrysize;
};

/* Return the handle's aggregations, made at the first call; NULL with ENOMEM. */
static struct dt_aggs *aggs_get(dtrace_hdl_t *dtp)
{
	struct dt_aggs *aggs = dtp->aggs;

	if (aggs)
		return aggs;
	aggs = calloc(1, sizeof(*aggs));
	if (aggs) {
		aggs->nbuckets = FIRSTBUCKETS;
		aggs->buckets = calloc(aggs->nbuckets, sizeof(*aggs->buckets));
	}
	if (!aggs || !aggs->buckets) {
		free(aggs);
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	aggs->snapshot = (struct dt_snapshot){.request = DTRACEIOC_AGGSNAP,
					      .option = DTRACEOPT_AGGSIZE,
					      .usual = DTRACE_AGGSIZE_DEFAULT,
					      .drops = DTRACEDROP_AGGREGATION};
	dtp->aggs = aggs;
	return aggs;
}

/* Forget what each CPU has. */
static void percpu_free(dt_aggentry_t *ent)
{
	for (unsigned int cpu = 0; cpu < ent->ncpus; cpu++)
		free(ent->percpu[cpu]);
	free(ent->percpu);
	ent->percpu = NULL;
	ent->ncpus = 0;
}

static void entry_free(dt_aggentry_t *ent)
{
	percpu_free(ent);
	free(ent->data);
	free(ent);
}

void dt_aggs_fini(dtrace_hdl_t *dtp)
{
	struct dt_aggs *aggs = dtp->aggs;
	dt_aggentry_t *next;

	if (!aggs)
		return;
	for (size_t i = 0; i < aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = aggs->buckets[i]; ent; ent = next) {
			next = ent->next;
			entry_free(ent);
		}
	free(aggs->buckets);
	free(aggs->vars);
	free(aggs->snapshot.data);
	dt_symbol_keys_fini(aggs->symbols);
	free(aggs->entry);
	free(aggs);
	dtp->aggs = NULL;
}

const dtrace_recdesc_t *dt_agg_vrec(const dt_aggid_t *id)
{
	return &id->recs[id->desc.dtagd_nrecs - 1];
}

const void *dt_agg_value(const dt_aggentry_t *ent)
{
	return ent->data + dt_agg_vrec(ent->id)->dtrd_offset;
}

/* Return the number of keys. */
static uint32_t nkeys(const dt_aggid_t *id)
{
	return id->desc.dtagd_nrecs - 1;
}

/*
 * Return whether key i is a string. Keys of one variable may come from several clauses, in which
 * strings have other sizes and integers other offsets.
 */
static bool key_is_string(const dt_aggid_t *id, uint32_t i)
{
	const dt_difo_t *difo = i < id->stmt->nactions ? id->stmt->actions[i].difo : NULL;

	return id->recs[i].dtrd_action == DTRACEACT_DIFEXPR && difo &&
	       difo->rtype.dtdt_kind == DIF_TYPE_STRING;
}

/* Return the bytes of key i that count: a string without what follows its NUL. */
static size_t key_size(const dt_aggid_t *id, uint32_t i, const char *data)
{
	const dtrace_recdesc_t *rec = &id->recs[i];

	return key_is_string(id, i) ? strnlen(data + rec->dtrd_offset, rec->dtrd_size)
				    : rec->dtrd_size;
}

/* Return a hash of an aggregation and of the keys in data; strings count up to their NUL. */
static uint64_t keys_hash(const dt_aggid_t *id, const char *data)
{
	uint64_t h = 0xcbf29ce484222325ULL ^ id->var->id;

	for (uint32_t i = 0; i < nkeys(id); i++) {
		const unsigned char *c = (const void *)(data + id->recs[i].dtrd_offset);

		for (size_t n = key_size(id, i, data); n > 0; n--)
			h = (h ^ *c++) * 0x100000001b3ULL;
	}
	return h ^ h >> 29;
}

/* Return whether two entries have the same keys, which may lie at different offsets. */
static bool keys_equal(const dt_aggid_t *left, const char *ldata, const dt_aggid_t *right,
		       const char *rdata)
{
	if (nkeys(left) != nkeys(right))
		return false;
	for (uint32_t i = 0; i < nkeys(left); i++) {
		size_t n = key_size(left, i, ldata);

		if (n != key_size(right, i, rdata) ||
		    memcmp(ldata + left->recs[i].dtrd_offset, rdata + right->recs[i].dtrd_offset,
			   n) != 0)
			return false;
	}
	return true;
}

/* Make the hash table larger. Return false without memory. */
static bool aggs_rehash(struct dt_aggs *aggs)
{
	size_t n = aggs->nbuckets * 4;
	dt_aggentry_t **more = calloc(n, sizeof(*more)), *next;

	if (!more)
		return false;
	for (size_t i = 0; i < aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = aggs->buckets[i]; ent; ent = next) {
			next = ent->next;
			ent->next = more[ent->hash % n];
			more[ent->hash % n] = ent;
		}
	free(aggs->buckets);
	aggs->buckets = more;
	aggs->nbuckets = n;
	return true;
}

static uint64_t get(const char *p, size_t i)
{
	uint64_t w;

	memcpy(&w, p + i * WORD, WORD);
	return w;
}

static void put(char *p, size_t i, uint64_t w)
{
	memcpy(p + i * WORD, &w, WORD);
}

static void add(char *to, const char *from, size_t i)
{
	put(to, i, get(to, i) + get(from, i));
}

/* Add a number of 128 bits, such as a sum of squares; the low word is first. */
static void add128(char *to, const char *from, size_t i)
{
	uint64_t low = get(to, i) + get(from, i);

	put(to, i + 1, get(to, i + 1) + get(from, i + 1) + (low < get(from, i)));
	put(to, i, low);
}

/*
 * Return the words before the first that is added up: the argument of lquantize() and llquantize().
 */
static size_t value_head(dtrace_actkind_t func)
{
	return func == DTRACEAGG_LQUANTIZE || func == DTRACEAGG_LLQUANTIZE;
}

/* Add the value at from to that at to. */
static void value_merge(dtrace_actkind_t func, char *to, const char *from, size_t size)
{
	switch (func) {
	case DTRACEAGG_MIN:
		if ((int64_t)get(from, 0) < (int64_t)get(to, 0))
			put(to, 0, get(from, 0));
		return;
	case DTRACEAGG_MAX:
		if ((int64_t)get(from, 0) > (int64_t)get(to, 0))
			put(to, 0, get(from, 0));
		return;
	case DTRACEAGG_STDDEV:
		add(to, from, 0);
		add(to, from, 1);
		add128(to, from, 2);
		return;
	default:
		for (size_t i = value_head(func); i < size / WORD; i++)
			add(to, from, i);
	}
}

/*
 * Add the value of a snapshot of a CPU to what that CPU has, if the option aggpercpu asks for it.
 * Return 0, or -1 with ENOMEM.
 */
static int percpu_add(dtrace_hdl_t *dtp, dt_aggentry_t *ent, unsigned int cpu, const char *value)
{
	const dtrace_recdesc_t *rec = dt_agg_vrec(ent->id);

	if (!dt_copt(dtp, DT_COPT_AGGPERCPU))
		return 0;
	if (!ent->percpu) {
		ent->percpu = calloc(dt_ncpus(dtp), sizeof(*ent->percpu));
		if (!ent->percpu)
			return dt_set_errno(dtp, ENOMEM);
		ent->ncpus = dt_ncpus(dtp);
	}
	if (ent->percpu[cpu]) {
		value_merge(rec->dtrd_action, ent->percpu[cpu], value, rec->dtrd_size);
		return 0;
	}
	ent->percpu[cpu] = malloc(rec->dtrd_size);
	if (!ent->percpu[cpu])
		return dt_set_errno(dtp, ENOMEM);
	memcpy(ent->percpu[cpu], value, rec->dtrd_size);
	return 0;
}

/* Add an entry with these keys and this value of a CPU. Return 0, or -1 with ENOMEM. */
static int entry_new(dtrace_hdl_t *dtp, struct dt_aggs *aggs, unsigned int cpu,
		     const dt_aggid_t *id, const char *data, uint32_t size, uint64_t hash)
{
	dt_aggentry_t *ent = calloc(1, sizeof(*ent));

	if (ent)
		ent->data = malloc(size);
	if (!ent || !ent->data || (aggs->nentries >= 2 * aggs->nbuckets && !aggs_rehash(aggs))) {
		if (ent)
			entry_free(ent);
		return dt_set_errno(dtp, ENOMEM);
	}
	memcpy(ent->data, data, size);
	ent->id = id;
	ent->size = size;
	ent->hash = hash;
	ent->normal = 1;
	ent->next = aggs->buckets[hash % aggs->nbuckets];
	aggs->buckets[hash % aggs->nbuckets] = ent;
	aggs->nentries++;
	return percpu_add(dtp, ent, cpu, data + dt_agg_vrec(id)->dtrd_offset);
}

/* Add the value of an entry of a CPU's snapshot. Return 0, or -1 with ENOMEM. */
static int entry_add(dtrace_hdl_t *dtp, struct dt_aggs *aggs, unsigned int cpu,
		     const dt_aggid_t *id, const char *data, uint32_t size)
{
	const dtrace_recdesc_t *vrec = dt_agg_vrec(id);
	uint64_t hash = keys_hash(id, data);

	for (dt_aggentry_t *ent = aggs->buckets[hash % aggs->nbuckets]; ent; ent = ent->next) {
		char *value = ent->data + dt_agg_vrec(ent->id)->dtrd_offset;

		if (ent->hash != hash || ent->id->var != id->var ||
		    !keys_equal(ent->id, ent->data, id, data))
			continue;
		if (dt_agg_vrec(ent->id)->dtrd_action != vrec->dtrd_action ||
		    dt_agg_vrec(ent->id)->dtrd_size != vrec->dtrd_size)
			return dt_set_error(dtp, EDT_BADDATA,
					    "aggregation @%s has values of two kinds",
					    id->var->name);
		if (ent->cleared)
			memcpy(value, data + vrec->dtrd_offset, vrec->dtrd_size);
		else
			value_merge(vrec->dtrd_action, value, data + vrec->dtrd_offset,
				    vrec->dtrd_size);
		ent->cleared = false;
		return percpu_add(dtp, ent, cpu, data + vrec->dtrd_offset);
	}
	return entry_new(dtp, aggs, cpu, id, data, size, hash);
}

/*
 * Copy a record of an entry of a snapshot, of which left bytes are at p, to its place in to, which
 * is all zeros. Add to *saved the bytes by which a string is shorter in the snapshot than there
 * (record.h). Return whether the record is whole.
 */
static bool entry_take(char *to, const dtrace_recdesc_t *rec, const char *p, size_t left,
		       size_t *saved)
{
	size_t n = rec->dtrd_size;

	if (rec->dtrd_flags & DTRACE_REC_STRING) {
		n = strnlen(p, left < n ? left : n);
		if (n == left || n == rec->dtrd_size)
			return false;
		*saved += (rec->dtrd_size + WORD - 1) / WORD * WORD - (n / WORD + 1) * WORD;
	}
	if (n > left)
		return false;
	memcpy(to + rec->dtrd_offset, p, n);
	return true;
}

/* Return whether entries of a snapshot differ in size. */
static bool has_strings(const dt_aggid_t *id)
{
	for (uint32_t i = 0; i < nkeys(id); i++)
		if (id->recs[i].dtrd_flags & DTRACE_REC_STRING)
			return true;
	return false;
}

/*
 * Return an entry of a snapshot with each record where the description says, and in which keys with
 * one symbol name are the same: data, if it is such an entry, or a copy. NULL with an error.
 */
static const char *entry_read(dtrace_hdl_t *dtp, struct dt_aggs *aggs, const dt_aggid_t *id,
			      const char *data, size_t size)
{
	const bool symbols = dt_symbol_keys_needed(id);
	bool whole = true;
	size_t saved = 0;

	if (!symbols && size == id->desc.dtagd_size && !has_strings(id))
		return data;
	if (id->desc.dtagd_size > aggs->entrysize) {
		char *more = realloc(aggs->entry, id->desc.dtagd_size);

		if (!more) {
			dt_set_errno(dtp, ENOMEM);
			return NULL;
		}
		aggs->entry = more;
		aggs->entrysize = id->desc.dtagd_size;
	}
	memset(aggs->entry, 0, id->desc.dtagd_size);
	memcpy(aggs->entry, &(struct dtrace_aggrec){id->desc.dtagd_id, id->desc.dtagd_size},
	       sizeof(struct dtrace_aggrec));
	for (uint32_t i = 0; whole && i < id->desc.dtagd_nrecs; i++) {
		size_t off = id->recs[i].dtrd_offset - saved;

		whole = off <= size &&
			entry_take(aggs->entry, &id->recs[i], data + off, size - off, &saved);
	}
	if (!whole || size != id->desc.dtagd_size - saved) {
		dt_set_error(
			dtp, EDT_BADDATA,
			"an entry of aggregation @%s has a wrong size, or a string without an end",
			id->var->name);
		return NULL;
	}
	if (symbols && dt_symbol_keys_merge(dtp, &aggs->symbols, id, aggs->entry) != 0)
		return NULL;
	return aggs->entry;
}

int dt_aggs_add(dtrace_hdl_t *dtp, unsigned int cpu, const void *data, size_t size)
{
	struct dt_aggs *aggs = aggs_get(dtp);
	const char *p = data, *end = p + size;

	if (!aggs)
		return -1;
	while ((size_t)(end - p) >= sizeof(struct dtrace_aggrec)) {
		struct dtrace_aggrec rec;
		const dt_aggid_t *id;
		const char *entry;

		memcpy(&rec, p, sizeof(rec));
		if (rec.dtar_size < sizeof(rec) || rec.dtar_size % WORD != 0 ||
		    rec.dtar_size > (size_t)(end - p))
			return dt_set_error(dtp, EDT_BADDATA, "the aggregation data is damaged");
		id = dt_aggid_find(dtp, rec.dtar_id);
		if (!id)
			return -1;
		entry = entry_read(dtp, aggs, id, p, rec.dtar_size);
		if (!entry || entry_add(dtp, aggs, cpu, id, entry, id->desc.dtagd_size) != 0)
			return -1;
		p += rec.dtar_size;
	}
	return 0;
}

/* Add the snapshot of a CPU. Return 0, or -1 with an error. */
static int cpu_snap(dtrace_hdl_t *dtp, struct dt_aggs *aggs, int cpu)
{
	dtrace_bufdesc_t desc;
	int got = dt_snapshot_read(dtp, &aggs->snapshot, cpu, &desc);

	if (got != 1)
		return got;
	return dt_aggs_add(dtp, cpu, aggs->snapshot.data, desc.dtbd_size);
}

int dtrace_aggregate_snap(dtrace_hdl_t *dtp)
{
	struct dt_session *se = dt_session(dtp);
	struct dt_aggs *aggs;

	if (!dtp->active)
		return dt_set_errno(dtp, EDT_INACTIVE);
	if (!se)
		return -1;
	se->nextagg = dt_now() + dt_rate(dtp, DTRACEOPT_AGGRATE);
	if (!dtp->aggvars)
		return 0;
	aggs = aggs_get(dtp);
	if (!aggs)
		return -1;
	for (unsigned int cpu = 0; cpu < dt_ncpus(dtp); cpu++)
		if (cpu_snap(dtp, aggs, cpu) != 0)
			return -1;
	return 0;
}

/* Return the state of a variable, made at the first call; NULL without memory. */
static struct varstate *varstate(dtrace_hdl_t *dtp, const dt_aggvar_t *var)
{
	struct dt_aggs *aggs = aggs_get(dtp);

	if (!aggs)
		return NULL;
	if (var->id >= aggs->nvars) {
		struct varstate *more = realloc(aggs->vars, (var->id + 1) * sizeof(*more));

		if (!more)
			return NULL;
		memset(more + aggs->nvars, 0, (var->id + 1 - aggs->nvars) * sizeof(*more));
		aggs->vars = more;
		aggs->nvars = var->id + 1;
	}
	return &aggs->vars[var->id];
}

void dt_agg_normalize(dtrace_hdl_t *dtp, const dt_aggvar_t *var, uint64_t normal)
{
	for (size_t i = 0; dtp->aggs && i < dtp->aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = dtp->aggs->buckets[i]; ent; ent = ent->next)
			if (ent->id->var == var)
				ent->normal = normal;
}

void dt_agg_set_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var)
{
	struct varstate *st = varstate(dtp, var);

	if (st)
		st->printed = true;
}

bool dt_agg_printed(dtrace_hdl_t *dtp, const dt_aggvar_t *var)
{
	const struct varstate *st = varstate(dtp, var);

	return st && st->printed;
}

void dt_aggentry_clear(dt_aggentry_t *ent)
{
	const dtrace_recdesc_t *rec = dt_agg_vrec(ent->id);
	size_t head = value_head(rec->dtrd_action) * WORD;

	percpu_free(ent);
	memset(ent->data + rec->dtrd_offset + head, 0, rec->dtrd_size - head);
	ent->cleared = true;
}

void dt_aggs_prune(dtrace_hdl_t *dtp)
{
	struct dt_aggs *aggs = dtp->aggs;

	for (size_t i = 0; i < aggs->nbuckets; i++)
		for (dt_aggentry_t **entp = &aggs->buckets[i], *ent; (ent = *entp);)
			if (ent->removed) {
				*entp = ent->next;
				entry_free(ent);
				aggs->nentries--;
			} else {
				entp = &ent->next;
			}
}

void dt_agg_clear(dtrace_hdl_t *dtp, const dt_aggvar_t *var)
{
	for (size_t i = 0; dtp->aggs && i < dtp->aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = dtp->aggs->buckets[i]; ent; ent = ent->next)
			if (!var || ent->id->var == var)
				dt_aggentry_clear(ent);
}

void dtrace_aggregate_clear(dtrace_hdl_t *dtp)
{
	dt_agg_clear(dtp, NULL);
}

/* ---- order ---- */

/* The order of entries. */
struct order {
	bool bykey, reverse, byvar;
	uint32_t keypos, aggpos;
	uint32_t nvals; /* of rows */
};

static int cmp64(int64_t l, int64_t r)
{
	return l < r ? -1 : l > r;
}

/* Return whether key i is signed. */
static bool key_signed(const dt_aggid_t *id, uint32_t i)
{
	const dt_difo_t *difo = i < id->stmt->nactions ? id->stmt->actions[i].difo : NULL;

	return !difo || !difo->type || dt_type_signed(difo->type);
}

/* Compare key i: integers by value and sign, others by bytes, a prefix first. */
static int key_cmp(const dt_aggentry_t *l, const dt_aggentry_t *r, uint32_t i)
{
	const char *lp = l->data + l->id->recs[i].dtrd_offset,
		   *rp = r->data + r->id->recs[i].dtrd_offset;
	size_t ln = key_size(l->id, i, l->data), rn = key_size(r->id, i, r->data);
	int rv;

	if (!key_is_string(l->id, i) && ln == rn && (ln == 1 || ln == 2 || ln == 4 || ln == 8)) {
		if (key_signed(l->id, i))
			return cmp64(dt_value_load(lp, ln, true), dt_value_load(rp, rn, true));
		return (uint64_t)dt_value_load(lp, ln, false) <
				       (uint64_t)dt_value_load(rp, rn, false)
			       ? -1
			       : (uint64_t)dt_value_load(lp, ln, false) >
					 (uint64_t)dt_value_load(rp, rn, false);
	}
	rv = memcmp(lp, rp, ln < rn ? ln : rn);
	return rv != 0 ? rv : cmp64(ln, rn);
}

/*
 * Compare by key order->keypos first (0 if there is no such key), then by the keys after it, then
 * by those before it.
 */
static int keys_cmp(const struct order *order, const dt_aggentry_t *l, const dt_aggentry_t *r)
{
	uint32_t n = nkeys(l->id) < nkeys(r->id) ? nkeys(l->id) : nkeys(r->id);
	uint32_t first = order->keypos < n ? order->keypos : 0;

	for (uint32_t i = 0; i < n; i++) {
		int rv = key_cmp(l, r, (first + i) % n);

		if (rv != 0)
			return rv;
	}
	return cmp64(nkeys(l->id), nkeys(r->id));
}

/* Compare values. An entry that is missing in a row counts as zero. */
static int value_cmp(const dt_aggentry_t *l, const dt_aggentry_t *r)
{
	static const struct dt_weight none;
	const struct dt_weight *lw = l ? &l->weight : &none, *rw = r ? &r->weight : &none;

	if (lw->sum != rw->sum)
		return lw->sum < rw->sum ? -1 : 1;
	return cmp64(lw->zero, rw->zero);
}

/*
 * Compare entries by the order at arg, for qsort_r(); entries that are equal by it, by their
 * aggregation.
 */
static int entry_cmp(const void *left, const void *right, void *arg)
{
	const struct order *order = arg;
	const dt_aggentry_t *l = *(dt_aggentry_t *const *)left, *r = *(dt_aggentry_t *const *)right;
	int rv = order->byvar ? cmp64(l->id->var->id, r->id->var->id) : 0;

	if (rv != 0)
		return rv;
	rv = order->bykey ? keys_cmp(order, l, r) : value_cmp(l, r);
	if (rv == 0)
		rv = order->bykey ? value_cmp(l, r) : keys_cmp(order, l, r);
	if (rv == 0)
		rv = cmp64(l->id->var->id, r->id->var->id);
	return order->reverse ? -rv : rv;
}

/* Return the order that options set. */
static struct order order_options(dtrace_hdl_t *dtp)
{
	dtrace_optval_t keypos = dt_option(dtp, DTRACEOPT_AGGSORTKEYPOS),
			aggpos = dt_option(dtp, DTRACEOPT_AGGSORTPOS);

	return (struct order){
		.bykey = dt_option(dtp, DTRACEOPT_AGGSORTKEY) == 1,
		.reverse = dt_option(dtp, DTRACEOPT_AGGSORTREV) == 1,
		.byvar = true,
		.keypos = keypos == DTRACEOPT_UNSET ? 0 : keypos,
		.aggpos = aggpos == DTRACEOPT_UNSET ? 0 : aggpos,
	};
}

/* Set the sort key of an entry. */
static void entry_weigh(dt_aggentry_t *ent)
{
	const dtrace_recdesc_t *rec = dt_agg_vrec(ent->id);

	ent->weight = dt_agg_weight(rec->dtrd_action, dt_agg_value(ent), rec->dtrd_size);
}

/*
 * Return the entries of var, or all if it is NULL, unsorted, with their sort keys; NULL with
 * ENOMEM.
 */
static dt_aggentry_t **aggs_collect(dtrace_hdl_t *dtp, const dt_aggvar_t *var, size_t *n)
{
	struct dt_aggs *aggs = aggs_get(dtp);
	dt_aggentry_t **list;

	*n = 0;
	if (!aggs)
		return NULL;
	list = calloc(aggs->nentries + 1, sizeof(*list));
	if (!list) {
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	for (size_t i = 0; i < aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = aggs->buckets[i]; ent; ent = ent->next)
			if (!var || ent->id->var == var) {
				entry_weigh(ent);
				list[(*n)++] = ent;
			}
	return list;
}

const dt_aggentry_t *dt_agg_any(dtrace_hdl_t *dtp, const dt_aggvar_t *var)
{
	for (size_t i = 0; dtp->aggs && i < dtp->aggs->nbuckets; i++)
		for (dt_aggentry_t *ent = dtp->aggs->buckets[i]; ent; ent = ent->next)
			if (ent->id->var == var)
				return ent;
	return NULL;
}

dt_aggentry_t **dt_aggs_sorted(dtrace_hdl_t *dtp, const dt_aggvar_t *var, size_t *n)
{
	struct order order = order_options(dtp);
	dt_aggentry_t **list = aggs_collect(dtp, var, n);

	if (list)
		qsort_r(list, *n, sizeof(*list), entry_cmp, &order);
	return list;
}

dt_aggentry_t **dt_aggs_ordered(dtrace_hdl_t *dtp, bool bykey, bool byvar, bool reverse, size_t *n)
{
	struct order order = order_options(dtp);
	dt_aggentry_t **list = aggs_collect(dtp, NULL, n);

	order.bykey = bykey;
	order.byvar = byvar;
	order.reverse = reverse;
	if (list)
		qsort_r(list, *n, sizeof(*list), entry_cmp, &order);
	return list;
}

int dt_agg_trunc(dtrace_hdl_t *dtp, const dt_aggvar_t *var, int64_t keep)
{
	uint64_t most = keep < 0 ? -(uint64_t)keep : (uint64_t)keep;
	struct order order = {.bykey = false};
	dt_aggentry_t **list;
	size_t n;

	list = aggs_collect(dtp, var, &n);
	if (!list)
		return -1;
	qsort_r(list, n, sizeof(*list), entry_cmp, &order);
	for (size_t i = 0; i < n; i++)
		list[i]->removed = keep < 0 ? i >= most : i + most < n;
	free(list);
	dt_aggs_prune(dtp);
	return 0;
}

/* ---- rows of joined aggregations ---- */

/*
 * Compare rows by the order at arg, for qsort_r(): by the value at aggpos first, then by the next
 * ones.
 */
static int row_cmp(const void *left, const void *right, void *arg)
{
	const struct order *order = arg;
	const struct dt_aggrow *l = left, *r = right;
	uint32_t first = order->aggpos % order->nvals;
	int rv = 0;

	if (order->bykey)
		rv = keys_cmp(order, l->keys, r->keys);
	for (uint32_t i = 0; i < order->nvals && rv == 0; i++)
		rv = value_cmp(l->vals[(first + i) % order->nvals],
			       r->vals[(first + i) % order->nvals]);
	if (rv == 0)
		rv = keys_cmp(order, l->keys, r->keys);
	return order->reverse ? -rv : rv;
}

/* Return whether a row has a column for var. */
static bool row_has(dt_aggvar_t *const *vars, uint32_t nvars, const dt_aggvar_t *var)
{
	for (uint32_t i = 0; i < nvars; i++)
		if (vars[i] == var)
			return true;
	return false;
}

/* Put an entry into each column of its variable. */
static void row_fill(struct dt_aggrow *row, dt_aggvar_t *const *vars, uint32_t nvars,
		     dt_aggentry_t *ent)
{
	for (uint32_t i = 0; i < nvars; i++)
		if (vars[i] == ent->id->var)
			row->vals[i] = ent;
}

struct dt_aggrow *dt_aggs_joined(dtrace_hdl_t *dtp, dt_aggvar_t *const *vars, uint32_t nvars,
				 size_t *n)
{
	struct order order = {.bykey = true};
	dt_aggentry_t **list, **vals;
	struct dt_aggrow *rows;
	size_t nlist;

	*n = 0;
	list = aggs_collect(dtp, NULL, &nlist);
	if (!list)
		return NULL;
	rows = calloc(1, (nlist + 1) * (sizeof(*rows) + nvars * sizeof(*vals)));
	if (!rows) {
		free(list);
		dt_set_errno(dtp, ENOMEM);
		return NULL;
	}
	vals = (dt_aggentry_t **)(rows + nlist + 1);
	qsort_r(list, nlist, sizeof(*list), entry_cmp, &order);
	for (size_t i = 0; i < nlist; i++) {
		if (!row_has(vars, nvars, list[i]->id->var))
			continue;
		if (*n == 0 || !keys_equal(rows[*n - 1].keys->id, rows[*n - 1].keys->data,
					   list[i]->id, list[i]->data)) {
			rows[*n].keys = list[i];
			rows[*n].vals = vals + *n * nvars;
			(*n)++;
		}
		row_fill(&rows[*n - 1], vars, nvars, list[i]);
	}
	free(list);
	order = order_options(dtp);
	order.nvals = nvars;
	qsort_r(rows, *n, sizeof(*rows), row_cmp, &order);
	return rows;
}
