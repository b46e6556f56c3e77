/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * core.h - what the engine's files share, in the order in which a program travels through them:
 * tables, DOF, DIF, probes, clauses, variables, aggregations, buffers, speculations, sessions,
 * firings.
 *
 * Results are 0 or a negative errno unless a comment says otherwise. "With text" means that the
 * function has written the reason to err. port.h defines "probe context". [L]: the caller holds the
 * engine lock.
 */
#ifndef DTRACE_CORE_H
#define DTRACE_CORE_H

#include "engine.h"
#include "target.h"

/* ---- messages ---- */

/* Where the reason of an error goes. */
struct dof_err {
	char *text;		/* may be NULL */
	size_t len;
};
/* ERR - format the reason of an error; the value is code. */
#define ERR(e, code, ...) \
	((e)->text && (e)->len ? (void)snprintf((e)->text, (e)->len, __VA_ARGS__) : (void)0, (code))

/*
 * relax_at - call port_relax() on every 256th turn of a loop over user input, the first turn
 * included, so that an inner loop covers the outer one. i: the loop's counter. 0 or -EINTR. May
 * sleep.
 */
static inline int relax_at(uint64_t i)
{
	return i & 255 ? 0 : port_relax();
}

/*
 * Assert an invariant that the verifier or an earlier check has established. Builds for tests and
 * fuzzing complain if it is broken, so that they find a wrong bound whatever memory it hits.
 * Firings in the kernel do not pay for it.
 */
#ifdef __KERNEL__
#define core_assert(x)	((void)0)
#else
#define core_assert(x)	((void)(port_likely(x) || PORT_WARN_ON(!(x))))
#endif

/* Keep the order of writes, as an interrupt on this CPU sees it. */
#define core_barrier()	__asm__ __volatile__("" ::: "memory")

/* ---- lists and tables (table.c) ---- */

struct link {
	struct link *next, *prev;
};
#define link_entry(p, type, member)	((type *)(void *)((char *)(p) - offsetof(type, member)))
#define link_for_each(l, head)		for ((l) = (head)->next; (l) != (head); (l) = (l)->next)
#define link_for_each_safe(l, n, head)	\
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

/* A hash table of objects that contain a struct hnode. It grows. */
struct hnode {
	struct hnode *next;
	uint32_t hash;
};
struct htable {
	struct hnode **buckets;
	uint32_t size, count;	/* size: a power of two, or 0 */
};
#define HTABLE_ENTRY	(2 * sizeof(struct hnode *))	/* most bytes of the table for an entry */
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
	uint32_t *slots;	/* the first of each bucket, then the next of each entry; 0: none */
	uint32_t size;		/* buckets, and largest number: a power of two, or 0 */
	uint32_t seed;
};
/* hindex_init - make an index for n entries. -ENOMEM. May sleep. */
int hindex_init(struct hindex *h, uint32_t n);
/* hindex_free - free the index. */
void hindex_free(struct hindex *h);
/* hindex_bytes - return the bytes of the index. */
uint64_t hindex_bytes(const struct hindex *h);
/*
 * hindex_first - return the entry added last of those that may have the key; 0: none. The caller
 * compares keys.
 */
uint32_t hindex_first(const struct hindex *h, uint32_t key);
/* hindex_next - return the entry before that one that may have the same key; 0: none. */
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
 * many other numbers. idtable_insert() may sleep. idtable_next() returns the first object whose
 * number is not below id, or NULL.
 */
struct idtable {
	void **slots;
	uint32_t size, count, cursor;	/* count: with reserved numbers */
	uint32_t reserved;
};
int idtable_insert(struct idtable *t, void *p, uint32_t *id);		/* -ENOMEM */
void idtable_remove(struct idtable *t, uint32_t id);
void *idtable_lookup(const struct idtable *t, uint32_t id);
void *idtable_next(const struct idtable *t, uint32_t id);
void idtable_free(struct idtable *t);
/*
 * idtable_reserve - keep n numbers in a row for things of an owner (aligned to 2 bytes), which come and
 * go; *first is the first. -ENOMEM. idtable_release - the owner ends: numbers that nothing has are free,
 * those of things end as other numbers do. idtable_take, idtable_give_back - a thing gets, or leaves, a
 * reserved number. idtable_owner - of a reserved number that nothing has; else NULL. Reserved numbers
 * are no things for the functions above.
 */
int idtable_reserve(struct idtable *t, uint32_t n, void *owner, uint32_t *first);
void idtable_release(struct idtable *t, uint32_t first, uint32_t n);
void idtable_take(struct idtable *t, uint32_t id, void *p);
void idtable_give_back(struct idtable *t, uint32_t id, void *owner);
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

/* ---- accounts (account.c) ---- */

/* account_init - set default limits, before there are accounts. */
void account_init(void);
/* account_fini - undo account_init(). All accounts must have been given back. */
void account_fini(void);
/*
 * The next five functions are for probe context, on the given CPU: only that CPU touches its part
 * of an account.
 *
 * account_rest - return for how many ns from now on interrupts may take no more of the CPU's time
 * for the user; 0: they may.
 */
uint64_t account_rest(struct dtrace_account *a, uint32_t cpu, uint64_t now);
/* account_spend - count ns that interrupts have taken from the CPU for the user. */
void account_spend(struct dtrace_account *a, uint32_t cpu, uint64_t ns);
/*
 * account_work - return the units of work that the user's sessions have been given in the CPU's
 * firing number hit, besides those with which each begins. *since becomes the time when the first
 * of them asked for more. A privileged user always has 0.
 */
uint64_t account_work(struct dtrace_account *a, uint32_t cpu, uint64_t hit, uint64_t now,
		      uint64_t *since);
/* account_work_add - count n more units for account_work(). */
void account_work_add(struct dtrace_account *a, uint32_t cpu, uint64_t n);
/* account_chill - return whether the user may stop the CPU for ns at now, and count it if so. */
bool account_chill(struct dtrace_account *a, uint32_t cpu, uint64_t now, uint64_t ns);
/*
 * account_match - [L] take units from the work that the user's sessions may cause others: a process
 * that makes a probe waits while the clauses of all sessions are matched with it. False: the work
 * is used up, until time has given new units.
 */
bool account_match(struct dtrace_account *a, uint64_t units);

/* ---- DOF (dof_read.c): bytes that may be hostile ---- */

struct dof {
	const uint8_t *base;
	uint64_t size;			/* bytes that may be read: the load size */
	dof_hdr_t hdr;
	struct dof_err *err;
};
/*
 * dof_open - check the header and the section table of size bytes at buf, and fill in dof. buf and
 * err must be valid as long as dof. -EINVAL with text. -EINTR: a fatal signal is pending. May
 * sleep.
 */
int dof_open(struct dof *dof, const void *buf, size_t size, struct dof_err *err);
/*
 * dof_section - copy the description of a section, which must have that type and at least min
 * bytes.
 * -EINVAL with text.
 */
int dof_section(const struct dof *dof, uint32_t index, uint32_t type, uint64_t min, dof_sec_t *sec);
/* dof_section_any - copy the description of a section of any type. index is below their number. */
void dof_section_any(const struct dof *dof, uint32_t index, dof_sec_t *sec);
/*
 * dof_entry - copy entry n of a table to out. size: bytes of an entry as the engine knows it; the
 * entries of the file may be longer, or, as far as dof_section() has let them, shorter.
 */
void dof_entry(const struct dof *dof, const dof_sec_t *sec, uint64_t n, void *out, size_t size);
/* dof_entries - return the number of entries of a table. */
uint64_t dof_entries(const dof_sec_t *sec, size_t size);
/* dof_string - return the string at an offset of a STRTAB section; NULL: there is none. */
const char *dof_string(const struct dof *dof, const dof_sec_t *strtab, uint64_t offset);
/* dof_section_name - return the name of a type of sections, for messages. */
const char *dof_section_name(uint32_t type);
/* dof_probedesc - read a PROBEDESC section into desc, which is all zeros. -EINVAL with text. */
int dof_probedesc(const struct dof *dof, dof_secidx_t index, dtrace_probedesc_t *desc);

/* ---- DIF (dif_verify.c, dif_run.c, dif_subr.c) ---- */

struct difo {
	struct difo *next;		/* of the enabling, or helper, that owns it */
	struct hnode by_section;
	uint32_t section;		/* DIFOHDR in the DOF, for sharing and for texts */
	/* variables renumbered: DIF_VAR_OTHER_UBASE + index of the definition */
	dif_instr_t *text;
	uint32_t len;
	uint64_t *ints;
	uint32_t nints;
	char *strs;
	uint32_t nstrs;			/* bytes */
	dtrace_difv_t *vars;
	uint32_t nvars;
	dtrace_diftype_t rtype;
	bool destructive;		/* changes a process */
	bool speculates;		/* calls speculation() */
	bool vtime;			/* uses vtimestamp */
	bool strtok;			/* calls strtok() */
};
/* dif_size - return the bytes of a value of a type; for a string of size 0, strsize. */
uint32_t dif_size(const dtrace_diftype_t *type, uint32_t strsize);

struct var_space;
/*
 * dif_verify - check a DIFO and bind its variables to vars. The time grows with instructions and
 * variables, not with their product. strsize: the session's. -EINVAL or -ENOMEM with text. -EINTR:
 * a fatal signal is pending. May sleep.
 */
int dif_verify(struct difo *difo, struct var_space *vars, uint32_t strsize, struct dof_err *err);
/* dif_subr_refused - return why programs must not call a subroutine; NULL: they may. */
const char *dif_subr_refused(uint32_t subr);
/* dif_subr_args - return the least number of arguments of a subroutine. */
unsigned int dif_subr_args(uint32_t subr);
#define DIF_MAX_VALUE	(1U << 20)	/* bytes of a variable or recorded value */
/* bytes of the tuple in a key of an associative array: a firing makes keys in its scratch */
#define DIF_MAX_KEY	(DTRACE_SCRATCHSIZE - 16U)

/*
 * The DIFOs of a DOF (difo.c). Each is read and verified when a caller first asks for it. The
 * caller fills in the first six members, and zeroes the others.
 */
struct difo_reader {
	const struct dof *dof;
	struct var_space *vars;		/* that they share */
	uint32_t strsize;
	bool helper;			/* they are a helper's */
	uint64_t left;			/* bytes that they may still take */
	dtrace_state_t *state;		/* that is charged for them; NULL: none */
	struct difo *list;
	struct htable by_section;
};
/*
 * difo_get - return the DIFO of a section in *out; the reader owns it. -EINVAL, -E2BIG, -ENOMEM or
 * -EDQUOT with text. -EINTR. May sleep.
 */
int difo_get(struct difo_reader *r, dof_secidx_t index, struct difo **out);
/* difo_take - take n bytes from r->left, and charge the session. -E2BIG or -EDQUOT with text. */
int difo_take(struct difo_reader *r, uint64_t n);
/*
 * difo_reader_end - return the list of all DIFOs that were read, and free the rest of the reader.
 */
struct difo *difo_reader_end(struct difo_reader *r);
/* difo_free_list - free a list of DIFOs. */
void difo_free_list(struct difo *list);

/* ---- probes (probe.c, provider.c) ---- */

struct ecb;
/*
 * The ECBs of a probe in the order in which they run. An element is NULL before its ECB joins and
 * after it has left. Elements are filled in order, and once only.
 */
struct ecb_list {
	struct deferred deferred;
	uint32_t n;			/* capacity; does not change */
	uint32_t used;			/* elements that have been filled */
	uint32_t live;			/* ECBs that have not left */
	struct ecb *ecbs[];
};

struct dtrace_probe {
	struct deferred deferred;
	struct ecb_list *ecbs;		/* read by firings; NULL: not enabled */
	dtrace_provider_t *prov;	/* NULL once destroyed */
	void *parg;
	struct hnode by_name;
	struct link link;		/* of the provider */
	dtrace_id_t id;
	/* 1 while it exists, 1 for each ECB, 1 for each thread that paused at it */
	uint32_t refs;
	uint64_t serial;		/* grows along the provider's list */
	bool fresh;			/* retained enablings have not seen it */
	struct dtrace_listing *listing;	/* whose element it is, or NULL */
	struct link unused;		/* of an element without ECBs: in prov->unused, or empty */
	const char *provname, *mod, *func, *name;	/* all in names */
	uint32_t nameslen;
	char names[];
};

/* Probes of a provider that exist while they are enabled (listing.c). All [L]. */
struct dtrace_listing {
	struct link link;		/* of the provider, in the order of serial */
	dtrace_provider_t *prov;
	void *arg;			/* the provider's */
	const char *const *names;
	uint32_t nnames, n;		/* n: elements, nnames for each function */
	dtrace_id_t first;		/* number of the first element */
	uint64_t serial;		/* in the order of probes */
	bool fresh;			/* retained enablings have not seen it */
};

struct dtrace_provider {
	struct hnode by_name;
	struct link providing;		/* in engine.providing, or empty */
	struct link sync;		/* in engine.unsynced, or empty */
	struct link probes;		/* fresh ones last */
	struct link *fresh;		/* the first fresh one, or &probes */
	struct link listings, unused;
	uint32_t nprobes, nenabled;
	uint32_t number;		/* in engine.providers */
	uint64_t serial;		/* never used again */
	uint64_t key;			/* of several that have the same name */
	dtrace_pattr_t attr;
	dtrace_ppriv_t priv;
	const dtrace_provider_ops_t *ops;
	void *arg;
	char name[DTRACE_PROVNAMELEN];
};

struct engine {
	/* taken before lock: calls of provide and sync, one at a time */
	port_mutex_t sync_lock;
	port_mutex_t lock;		/* the engine lock: all below, and the lists of sessions */
	struct idtable providers;
	struct htable providers_by_name;
	struct link providing;		/* providers with the operation provide, by serial */
	uint64_t provider_serial, probe_serial;
	struct idtable probes;
	struct htable probes_by_name;
	struct link unsynced;
	struct link states;
	uint32_t state_number;
	struct deferred *deferred;
	struct mstate *mstates;		/* by CPU */
	uint32_t nvtime;		/* sessions that use vtimestamp */
	struct vtime *vtime;		/* while there are any; read by firings */
	dtrace_provider_t *prov;	/* the engine's own */
	dtrace_probe_t *begin, *end, *error;
};
extern struct engine engine;

/* engine_lock - take the engine lock. May sleep. */
void engine_lock(void);
/* ENGINE_ASSERT_LOCKED - complain if the engine lock is not held: in functions marked [L]. */
#define ENGINE_ASSERT_LOCKED()	PORT_ASSERT_HELD(&engine.lock)
/* engine_unlock - release the engine lock, then free engine.deferred. May sleep. */
void engine_unlock(void);
struct engine_pause {
	uint32_t turns;
	bool paused;			/* the last call has released the lock */
	struct deferred *deferred;	/* for deferred_free() at the end */
};
/*
 * engine_pause - [L] release the lock once every so many turns, let other threads run, and take it
 * again. If pause->paused, nothing that the lock covers need be as it was. Objects in
 * engine.deferred move to pause->deferred, since a grace period for each pause would take long. 0,
 * or -EINTR: a fatal signal is pending. May sleep.
 */
int engine_pause(struct engine_pause *pause);

/* ---- patterns (glob.c) ---- */

#define GLOB_WORDS	4	/* of 64 positions; a pattern has less than DTRACE_FUNCNAMELEN */
enum glob_kind { GLOB_ANY, GLOB_LITERAL, GLOB_PATTERN };
struct glob {
	const char *pattern;		/* kept by the caller */
	enum glob_kind kind;
	uint32_t last;			/* the position behind the pattern */
	uint64_t stays[GLOB_WORDS];	/* positions that stay at any character */
	uint64_t steps[256][GLOB_WORDS];	/* positions that move on at a character */
};
struct glob_desc {
	struct glob prov, mod, func, name;
};
/* glob_compile - prepare a pattern, which must be valid as long as g. */
void glob_compile(struct glob *g, const char *pattern);
/* glob_desc_compile - prepare the four patterns of desc, which must be valid as long as g. */
void glob_desc_compile(struct glob_desc *g, const dtrace_probedesc_t *desc);
/* glob_match - return whether all of s matches. The time is proportional to the length of s. */
bool glob_match(const struct glob *g, const char *s);
/* glob_is_literal - return whether a pattern matches only itself. */
bool glob_is_literal(const char *pattern);

/* ---- probes and providers, continued ---- */

/* probe_desc - fill in number and names of a probe; provname: the name of its provider. */
void probe_desc(const dtrace_probe_t *probe, const char *provname, dtrace_probedesc_t *desc);
/* probe_matches_within - [L] return whether module, function and name match. */
bool probe_matches_within(dtrace_probe_t *probe, const struct glob_desc *g);
/*
 * probe_unref - [L] give a reference back; without references, the probe is freed after a grace
 * period.
 */
void probe_unref(dtrace_probe_t *probe);
/* probe_attach - [L] add an ECB; the first enables the probe. -ENOMEM, or the provider's error. */
int probe_attach(dtrace_probe_t *probe, struct ecb *ecb);
/* probe_detach - [L] remove an ECB; the last disables the probe. The ECB keeps its reference. */
void probe_detach(dtrace_probe_t *probe, struct ecb *ecb);
/* provider_note_sync - [L] note that provider_sync_all() is to call sync of a provider. */
void provider_note_sync(dtrace_provider_t *prov);
/* provider_sync_all - call sync of all providers that were noted. No lock is held. May sleep. */
void provider_sync_all(void);
/*
 * provider_provide_all - let all providers create the probes that desc may name; see the operation
 * provide. No lock is held. -ENOSPC: a provider can make no more probes. -EINTR. May sleep.
 */
int provider_provide_all(const dtrace_probedesc_t *desc);
/* provider_next - [L] return the first provider with a number above that one, or NULL. */
dtrace_provider_t *provider_next(uint32_t number);
/* provider_visible - [L] return whether a session with these credentials sees the provider. */
bool provider_visible(const dtrace_provider_t *prov, const struct dtrace_cred *cred);
/*
 * provider_name - [L] return the name of a visible provider for a session with these credentials:
 * buf, or prov->name.
 */
const char *provider_name(const dtrace_provider_t *prov, const struct dtrace_cred *cred,
			  char buf[DTRACE_PROVNAMELEN]);

/* ---- listings (listing.c): all [L] ---- */

/* listing_of - the listing that has reserved a number, and the element; NULL: none, or it exists. */
dtrace_listing_t *listing_of(dtrace_id_t id, uint32_t *nth);
/* listing_after - the provider's first listing with a higher serial, or NULL. */
dtrace_listing_t *listing_after(dtrace_provider_t *prov, uint64_t serial);
/* listing_could - may a pattern match elements at all, as far as their names go? */
bool listing_could(const dtrace_listing_t *l, const struct glob_desc *g);
/* listing_matches - as probe_matches_within, for an element. False: there is no such element. */
bool listing_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob_desc *g);
/* listing_module_matches - the same for the module of an element alone, by any of its names. */
bool listing_module_matches(const dtrace_listing_t *l, uint32_t nth, const struct glob *g);
/* listing_desc - describe an element. False: there is no such element. */
bool listing_desc(const dtrace_listing_t *l, uint32_t nth, const char *provname,
		  dtrace_probedesc_t *desc);
/*
 * listing_probe - the probe of an element, made if it does not exist: then *made. The caller attaches
 * an ECB, or calls probe_remove_unused. NULL: no memory, or there is no such element.
 */
dtrace_probe_t *listing_probe(dtrace_listing_t *l, uint32_t nth, bool *made);
/*
 * listing_reap - no lock held, under the sync lock, after sync: end the elements of a provider that
 * have no ECBs any more.
 */
void listing_reap(dtrace_provider_t *prov);
/* probe_create_at - [L] add a probe to a provider, as an element of a listing; names fit. NULL: no memory. */
dtrace_probe_t *probe_create_at(dtrace_listing_t *l, uint32_t nth, const struct dtrace_listed *names,
				const char *name, void *parg);
/*
 * probe_forget - [L] the first half of a probe's end: no ECBs, no names, and disabled. probes_end - the
 * second, for all in a list by their members unused: waits for firings. No lock held; may sleep.
 * probe_remove_unused - [L] both, for a probe that no firing can have seen.
 */
void probe_forget(dtrace_probe_t *probe);
void probes_end_list(struct link *list);
void probe_remove_unused(dtrace_probe_t *probe);

/* ---- clauses (enabling.c) ---- */

struct agg;
struct action {
	dtrace_actkind_t kind;
	bool key;			/* part of an aggregation's tuple, a key */
	bool weight;			/* part of an aggregation's tuple, the weight */
	uint64_t arg, uarg;
	struct difo *difo;
	uint32_t size, offset, align;	/* in the record, or in the aggregation's entry */
	/* of aggregating actions, and of the first of their tuple */
	struct agg *agg;
};

/* Predicate and actions, shared by all probe descriptions of a clause. */
struct body {
	struct body *next;
	struct hnode by_sections;
	dof_secidx_t pred_sec, act_sec;
	struct difo *pred;
	struct action *acts;
	uint32_t nacts;
	uint32_t size;			/* of a record, header included */
	bool records;			/* writes a record at all */
	bool speculates;		/* speculate() */
	/*
	 * Units of work that are known in advance: of the predicate (without one, of everything),
	 * and of the actions if the predicate is true.
	 */
	uint64_t work_begin, work_acts;
};

struct clause {
	dtrace_probedesc_t desc;
	struct body *body;
	uint64_t uarg;
};

/* A point to which var_space_rollback() can go back. */
struct var_mark {
	uint32_t n[3], bytes[3];
	uint32_t max_key, max_value;
};

struct enabling {
	struct link link;		/* of the session */
	struct clause *clauses;
	uint32_t nclauses;
	struct body *bodies;
	struct difo *difos;
	uint64_t held;			/* bytes charged to the session for it */
	uint32_t naggs;			/* aggregations of the session before it */
	struct var_mark mark;		/* of definitions, when it began */
};

/* Enabling control block: a probe joined with one clause's actions. */
struct ecb {
	struct deferred deferred;
	dtrace_state_t *state;
	dtrace_probe_t *probe;
	const struct clause *clause;
	const struct body *body;
	dtrace_epid_t epid;
	uint32_t index;			/* in its probe's list [L] */
	uint32_t nth;			/* of its session on the probe, counted from 1 [L] */
	uint64_t interrupts;		/* for which the user is charged */
	bool recorded;			/* a record of it may be in a buffer */
	struct hnode by_epid;
	struct hnode by_pair;		/* of its clause and probe */
	struct link link;		/* state->retired */
	uint64_t retired;		/* snapshot count when its probe was destroyed */
	char seen[];	/* name of its provider, if the session has a PID namespace of its own */
};
/* ecb_provname - return the name of the ECB's provider in its session. Any context. */
const char *ecb_provname(const struct ecb *ecb);

/*
 * enabling_create - read and verify the clauses of a DOF, charge the session for them, and let
 * providers create the probes that they name. *bad_desc becomes the number of the refused
 * description, counted from 0, or -1. -EINVAL, -EPERM, -E2BIG, -ENOMEM, -ENOSPC or -EDQUOT with
 * text in dof->err. -EINTR. May sleep.
 */
int enabling_create(dtrace_state_t *state, const struct dof *dof, int32_t *bad_desc,
		    struct enabling **out);
/* enabling_free - free an enabling without ECBs, and uncharge the session. */
void enabling_free(dtrace_state_t *state, struct enabling *en);
/* enabling_bind - [L] let the session's probes fire on cpu, the only one that it traces. */
void enabling_bind(const dtrace_state_t *state, uint32_t cpu);
/* The state of one pass of matching. */
struct matching {
	struct glob_desc globs;		/* of one clause at a time */
	struct engine_pause pause;
	/*
	 * The serial number of the newest probe when the pass began. dtrace_provider_match()
	 * matches later probes. A pass, which goes from clause to clause, would attach only the
	 * rest of the clauses, but clauses must be attached in the order in which they run.
	 */
	uint64_t newest;
};
/*
 * enabling_match - attach the clauses of an enabling to all probes that they match. *n becomes the
 * number of new ECBs. The enabling is in the session's list already, so that
 * dtrace_provider_match() matches the probes that come meanwhile. Takes the engine lock, and
 * pauses. -EDQUOT with text. -EINTR.
 */
int enabling_match(dtrace_state_t *state, struct enabling *en, uint32_t *n, struct dof_err *err);
/* Probes that have come: some of them, or elements of a listing that the caller keeps. */
struct fresh {
	dtrace_probe_t **probes;	/* NULL: elements */
	dtrace_listing_t *listing;
	uint32_t from, n;		/* from: the first element */
};
/*
 * enabling_match_fresh - [L] attach the clauses of all sessions to new probes of a provider, which
 * the caller holds. Pauses. A fatal signal does not end it: the sessions of others would miss the
 * probes.
 */
void enabling_match_fresh(struct matching *m, dtrace_provider_t *prov, const struct fresh *fresh);
/*
 * enabling_drop - detach all ECBs of an enabling; en NULL: of the session. It is in no list any
 * more. Takes the engine lock, and pauses. May sleep.
 */
void enabling_drop(dtrace_state_t *state, const struct enabling *en);
/*
 * enabling_undo - drop and free the session's last enabling, with its variables and aggregations.
 * May sleep.
 */
void enabling_undo(dtrace_state_t *state, struct enabling *en);
/* enabling_retire - [L] detach all ECBs of a probe that is being destroyed. */
void enabling_retire(dtrace_probe_t *probe);
/* enabling_reap - [L] free the retired ECBs that no record in a buffer can name. */
void enabling_reap(dtrace_state_t *state);
/* enabling_lookup - [L] return the ECB with that number, or NULL. */
struct ecb *enabling_lookup(dtrace_state_t *state, dtrace_epid_t epid);
/* action_records - return whether an action has data in the record, perhaps of size 0. */
bool action_records(const struct action *act);

/* ---- variables (var.c) ---- */

struct var_def {
	uint16_t id;
	uint8_t kind, scope;
	dtrace_diftype_t type;
	uint32_t size;			/* bytes of a value */
	uint32_t offset;		/* of the storage of a global or clause-local scalar */
};
struct var_table {
	struct var_def *defs;
	struct hindex by_id;		/* with the same capacity */
	uint32_t n, capacity;
	uint32_t bytes;			/* of storage */
};
struct var_space {
	struct var_table scopes[3];	/* DIFV_SCOPE_* */
	uint32_t max_key, max_value;	/* of dynamic variables */
};
struct mstate;
struct state_cpu;
struct dynvar;

/*
 * var_define - define a variable, or find its definition; *index becomes its number in its scope.
 * name: for messages. -EINVAL, -E2BIG or -ENOMEM with text. May sleep.
 */
int var_define(struct var_space *vs, const dtrace_difv_t *v, uint32_t strsize, const char *name,
	       uint32_t *index, struct dof_err *err);
/* var_space_free - free all definitions. */
void var_space_free(struct var_space *vs);
/* var_space_bytes - return the bytes of the definitions. */
uint64_t var_space_bytes(const struct var_space *vs);
/* var_space_mark - note which definitions there are. */
void var_space_mark(const struct var_space *vs, struct var_mark *mark);
/* var_space_rollback - forget the definitions made since the mark, and their storage. */
void var_space_rollback(struct var_space *vs, const struct var_mark *mark);
/* var_is_byref - return whether the value of a variable is an address. Any context. */
bool var_is_byref(const struct var_def *def);
/*
 * var_scalar_load - return the value of a global or clause-local variable; storage: of its scope.
 * By reference, the value is a handle of a copy in scratch. After a fault, 0. Probe context, as the
 * next.
 */
uint64_t var_scalar_load(struct mstate *m, const struct var_def *def, uint8_t *storage);
/* var_scalar_store - assign a value to a global or clause-local variable. May fault. */
void var_scalar_store(struct mstate *m, const struct var_def *def, uint8_t *storage,
		      uint64_t value);
/* dynvar_create - allocate dynamic variables, of about that many bytes in all; NULL: no memory. */
struct dynvar *dynvar_create(const struct var_space *vs, uint64_t bytes);
/*
 * dynvar_bytes - return the bytes that dynvar_create() takes: more, since its table is a power of
 * two.
 */
uint64_t dynvar_bytes(const struct var_space *vs, uint64_t bytes);
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

/* ---- aggregations (agg.c) ---- */

struct agg {
	dtrace_aggid_t id;
	dtrace_aggvarid_t varid;
	dtrace_epid_t epid;		/* of the first ECB */
	dtrace_actkind_t kind;
	uint64_t arg;
	uint32_t first, nkeys;		/* actions of the body */
	const struct body *body;
	uint32_t value;			/* offset of the value in the entry */
	uint32_t size;			/* of the entry */
};
struct agg_buffer {
	uint8_t *mem[2];
	uint32_t cur, size, nbuckets, off;
	uint32_t limit;			/* the consumer is woken when it is filled up to here */
	uint32_t seed;			/* of the hash */
	uint64_t drops;
	bool half;
	struct agg_entry *last;		/* the last to get a value, in the current half; or NULL */
};
/* agg_value_size - return the bytes of a value; 0 if the argument word is invalid. */
uint32_t agg_value_size(dtrace_actkind_t kind, uint64_t arg);
/* agg_buffer_init - allocate both halves on the memory node of a CPU. -ENOMEM. May sleep. */
int agg_buffer_init(struct agg_buffer *b, uint32_t size, unsigned int cpu);
/* agg_buffer_fini - free both halves. */
void agg_buffer_fini(struct agg_buffer *b);
enum agg_result {
	AGG_ADDED,
	AGG_HALF,		/* added, and the consumer is to be woken */
	AGG_DROPPED,		/* there was no memory */
};
/*
 * agg_add - aggregate a value in the session's buffer of this CPU. key: an entry with its keys
 * filled in. After a fault, nothing has been aggregated. Probe context.
 */
enum agg_result agg_add(struct mstate *m, const struct agg *agg, const uint8_t *key, int64_t value,
			int64_t weight);
/* agg_swap - exchange the halves; return the used bytes of the old one. On the buffer's CPU. */
uint32_t agg_swap(struct agg_buffer *b);
/*
 * agg_emit - give the entries of the old half to emit(), as dtrace_state_snapshot() says, and empty
 * it. used: from agg_swap(). *n becomes the bytes given. May sleep.
 */
int agg_emit(struct agg_buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
	     void *ctx, uint64_t *n);

/* ---- principal buffers (buffer.c) ---- */

struct buffer {
	uint8_t *mem[2];		/* [1] only for the switch policy */
	uint32_t cur, policy;
	uint32_t size, reserve;		/* reserve: for END, of a fill buffer */
	uint32_t limit;			/* the consumer is woken when it is filled up to here */
	uint32_t off;			/* where the next record goes */
	/* ring: first record and end of the part behind off, if wrapped */
	uint32_t oldest, end;
	bool wrapped, full, half, read;
	uint64_t drops;
};
/* buffer_init - allocate a buffer on the memory node of a CPU. -ENOMEM. May sleep. */
int buffer_init(struct buffer *b, uint32_t policy, uint32_t size, unsigned int cpu);
/* buffer_fini - free it. */
void buffer_fini(struct buffer *b);
/*
 * buffer_reserve - return where a record of size bytes may be written, or NULL if the buffer is
 * full. cooldown: END fires. Probe context, as the next.
 */
uint8_t *buffer_reserve(struct buffer *b, uint32_t size, bool cooldown);
/*
 * buffer_commit - make the reserved record part of the buffer; true: it has just passed its limit.
 */
bool buffer_commit(struct buffer *b, uint32_t size);
/* buffer_swap - exchange the halves; return the used bytes of the old one. On the buffer's CPU. */
uint32_t buffer_swap(struct buffer *b);
/* buffer_emit - give the records of the old half to emit(), as agg_emit() does. May sleep. */
int buffer_emit(struct buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
		void *ctx, uint64_t *n);

/* ---- speculations (speculation.c) ---- */

enum spec_state {
	SPEC_INACTIVE,
	SPEC_ACTIVE,
	SPEC_ACTIVE_ONE,
	SPEC_ACTIVE_MANY,
	SPEC_COMMITTING,
	SPEC_COMMITTING_MANY,
	SPEC_DISCARDING
};
struct spec_cpu {
	uint8_t *mem;
	uint32_t off;			/* where the next record goes */
	uint32_t from;			/* after the commit: records before it have been moved */
};
struct speculation {
	/* enum spec_state; for ACTIVE_ONE also the CPU, from bit 8 on */
	uint32_t state;
	uint32_t waiting;		/* the state in which cleaning found it */
	uint64_t born;			/* snapshot count */
	struct spec_cpu *cpus;
};
/* speculation_init - allocate n speculations with buffers of size bytes. -ENOMEM. May sleep. */
int speculation_init(dtrace_state_t *state, uint32_t n, uint32_t size);
/* speculation_bytes - return the bytes that n speculations of that size take. */
uint64_t speculation_bytes(uint32_t n, uint64_t size);
/* speculation_fini - free them. */
void speculation_fini(dtrace_state_t *state);
/*
 * The next six functions are for probe context. In all of them, 0 is the number of no speculation.
 * A number above nspec is a fault.
 *
 * speculation_new - return the number of a speculation that is free, or 0.
 */
uint32_t speculation_new(struct mstate *m);
/* speculation_active - return whether records may be added to a speculation. */
bool speculation_active(struct mstate *m, uint64_t id);
/*
 * speculation_reserve - return where a record of size bytes may be written for a speculation on
 * this CPU; NULL: it is not active, or full, which is counted.
 */
uint8_t *speculation_reserve(struct mstate *m, uint64_t id, uint32_t size);
/* speculation_keep - make the reserved record part of the speculation. */
void speculation_keep(struct mstate *m, uint64_t id, uint32_t size);
/* speculation_commit - move the records of this CPU to its principal buffer; other CPUs follow. */
void speculation_commit(struct mstate *m, uint64_t id);
/* speculation_discard - forget the records of this CPU; other CPUs follow. */
void speculation_discard(struct mstate *m, uint64_t id);
/*
 * speculation_clean_cpu - do for the CPU of sc what other CPUs have begun by commit or discard,
 * until about *work units have been spent. *work becomes the units left, perhaps below 0. False:
 * there is more to do. Probe context on that CPU.
 */
bool speculation_clean_cpu(dtrace_state_t *state, struct state_cpu *sc, int64_t *work);
#define SPEC_CLEAN_FIRING	4096	/* units, in a firing */
#define SPEC_CLEAN_CALL		16384	/* in a call on another CPU */
/*
 * speculation_clean - call speculation_clean_cpu() on all CPUs until nothing is left, and make the
 * speculations free. turns: how many calls may leave something; SPEC_CLEAN_SOME takes a few
 * milliseconds. -EAGAIN: there is more to do, as state->spec_pending says too. -EINTR: the same,
 * and a fatal signal is pending. The caller holds the session's lock. May sleep.
 */
int speculation_clean(dtrace_state_t *state, uint32_t turns);
#define SPEC_CLEAN_SOME		256
#define SPEC_CLEAN_ALL		UINT32_MAX

/* ---- sessions (state.c) ---- */

/* The string from which strtok() takes words, in one firing. */
struct strtok {
	uint64_t number;		/* strtok_number() of the firing; 0: there is no string */
	uint32_t from, end;		/* of the rest of text */
	char text[];			/* strsize bytes */
};

struct state_cpu {
	uint32_t cpu;
	bool on;			/* has buffers */
	/* has no buffers, as the CPU was offline when tracing began: firings count as drops */
	bool absent;
	uint32_t spec_gen;		/* the last value of the session's spec_gen that it saw */
	struct buffer buffer;
	struct agg_buffer aggs;
	uint8_t *locals;
	struct strtok *strtok;		/* NULL: no clause calls strtok() */
	/* the session's count at the last three snapshots of this CPU, the latest first */
	uint64_t snapshots[3];
	uint64_t errors_reported;
	/* The session's work in the CPU's firing number hit: see "Work" below. */
	uint64_t hit;
	int64_t work;			/* units before fire_work_more() must be asked */
	uint64_t more, granted;		/* units got in firing number more, the last that asked */
	uint64_t spent;			/* the last firing in which it may do no more */
	dtrace_status_t count;		/* this CPU's part of the 64-bit counts */
};

struct dtrace_state {
	struct link link;
	uint32_t number;
	uint32_t activity;		/* DTRACE_ACTIVITY_* */
	struct dtrace_cred cred;
	struct dtrace_account *account;	/* charged with all that the session holds */
	uint64_t held;			/* bytes charged to it; changed by port_xadd */
	uint64_t cpus_held;		/* of held: memory that firings use */
	uint64_t vars_held;		/* of held: definitions of variables */
	uint64_t tables_held;		/* of held: the tables of ECBs, which never shrink */
	void *cookie;
	/* the session's lock, taken before the engine lock: requests happen one at a time */
	port_mutex_t snap_lock;
	uint64_t opts[DTRACEOPT_MAX];
	uint32_t strsize;
	uint32_t slice;			/* units of work that it gets at a time */
	struct link enablings;
	uint32_t nenablings;
	uint32_t unattached;		/* probes that matched and could not be enabled [L] */
	struct htable ecbs;
	struct htable pairs;		/* the same, by clause and probe */
	dtrace_epid_t next_epid;
	struct link retired;
	struct var_space vars;
	struct agg **aggs;
	uint32_t naggs, naggs_max;	/* of aggs: number, capacity */
	uint64_t snapshots;		/* taken so far */
	struct state_cpu *cpus;		/* by CPU; from go on */
	uint8_t *globals;
	struct dynvar *dynvars;
	struct speculation *specs;
	uint32_t nspecs, specsize;
	uint32_t spec_gen;		/* grows when a speculation waits for other CPUs */
	uint32_t spec_pending;
	bool exited;			/* exit() was called */
	bool vtime;			/* it is counted in engine.nvtime */
	struct search *search;		/* patterns of the last dtrace_state_probes(); session's lock */
	uint64_t asked;			/* when the consumer last asked for the status */
	uint64_t alive;			/* when consumer and machine were last known to be alive */
};

/* state_charge - charge the session's account with n bytes. -EDQUOT with text. Any context. */
int state_charge(dtrace_state_t *state, uint64_t n, struct dof_err *err);
/* state_uncharge - give n bytes back. Any context. */
void state_uncharge(dtrace_state_t *state, uint64_t n);
/*
 * state_kill - let no probe fire for the session any more, unless it is destructive. Any context.
 */
void state_kill(dtrace_state_t *state);

/* ---- firings (fire.c) ---- */

struct dif_tuple {
	uint64_t value;
	uint64_t size;
	uint8_t type;			/* DIF_TYPE_* */
	bool byref;
};
#define MSTATE_THREAD	0x1		/* the values that m has read: once in a firing */
#define MSTATE_WALL	0x2
#define MSTATE_VTIME	0x4
#define MSTATE_TIME	0x8

/* The state of the firing that a CPU is in the middle of; one for each CPU. */
struct mstate {
	uint32_t busy;			/* a firing is under way; a nested one is dropped */
	uint32_t cpu;
	uint64_t hit;			/* number of the firing, counted on each CPU */
	bool taken;			/* dtrace_fire_timed(): a session has taken the firing */
	uint64_t rest;			/* dtrace_fire_timed(): for how many ns none will */
	const struct dtrace_fire *fire;
	dtrace_probe_t *probe;
	dtrace_state_t *state;
	struct state_cpu *sc;
	const struct ecb *ecb;
	const struct action *action;	/* the last action of the ECB that has begun, or NULL */
	uint32_t have;			/* FIRING_* */
	uint64_t timestamp, walltimestamp, vtimestamp;
	struct vtime *vtime;		/* NULL: no session uses vtimestamp */
	uint64_t began;			/* valid with vtime */
	struct target_thread thread;
	struct target_thread numbers;	/* the same in the PID namespace of the session */
	/* all ones: programs get handles instead of addresses (mem_handle()); 0: addresses */
	uint64_t hide;
	uint8_t *scratch, *scratch_top, *scratch_end;
	uint8_t *scratch_used;		/* from here on, scratch is all zeros */
	const struct var_space *vars;	/* of the helper that runs; not used for a session */
	/* of the session, or of the helper that runs for it */
	uint8_t *locals;
	uint32_t strsize;
	bool helping;			/* a helper runs: it may see nothing of the kernel */
	bool faulted;
	int64_t steps;			/* units of work left to helpers for this stack */
	struct dtrace_helper_counts helped;
	struct strtok *strtok;		/* NULL: no clause of the session calls strtok() */
	const struct difo *difo;
	struct dif_tuple tuple[DIF_DTR_NREGS];
	uint32_t ntuple;
	uint32_t fault;			/* DTRACEFLT_* */
	uint64_t fault_addr;
	uint32_t pc;			/* DIF_NO_PC outside of DIF */
};

/*
 * strtok_number - return a number that tells this firing from the CPU's others, and from a firing
 * of ERROR within it. Never 0.
 */
static inline uint64_t strtok_number(const struct mstate *m)
{
	return m->hit << 1 | (m->probe == engine.error);
}

#define DIF_NO_PC	UINT32_MAX
/*
 * All functions from here on are for probe context unless their comment says otherwise. A fault
 * sets m->faulted; the caller checks it before it uses a value.
 *
 * dif_run - run a DIFO and return its value. The caller has charged the work for its length.
 */
uint64_t dif_run(struct mstate *m, const struct difo *difo);
/* dif_fault - note a fault (DTRACEFLT_*) at an address. Only the first of a clause counts. */
void dif_fault(struct mstate *m, uint32_t fault, uint64_t addr);
/* mstate_thread - return the current thread, read once in a firing. */
const struct target_thread *mstate_thread(struct mstate *m);
/* mstate_numbers - return the same, with the numbers of the session's PID namespace. */
const struct target_thread *mstate_numbers(struct mstate *m);
/* mstate_timestamp - return the D variable timestamp, read once in a firing. */
uint64_t mstate_timestamp(struct mstate *m);
/*
 * mstate_sees_process - return whether the session may look into the current process. A session
 * that may see neither the kernel nor all processes may look into those of its user only, except
 * set-id ones.
 */
static inline bool mstate_sees_process(const struct mstate *m)
{
	return (m->state->cred.privs & (DTRACE_PRIV_KERNEL | DTRACE_PRIV_OWNER)) ||
	       target_owns(&m->state->cred);
}
/*
 * mstate_hides_thread - return whether the session must not see the current thread: the probe does
 * not concern the process in which it fires, and the session may not look into that process.
 */
static inline bool mstate_hides_thread(const struct mstate *m)
{
	return m->fire->no_process && !mstate_sees_process(m);
}
/* dif_subr_call - call a subroutine with the tuple in m as its arguments; return its value. */
uint64_t dif_subr_call(struct mstate *m, uint32_t subr);
/*
 * Work. A firing runs with interrupts off, so that the work of a session's clauses is bounded. It
 * is counted in units (see DTRACE_WORK_USER), before it is done where the amount is known. A
 * session without units left gets DTRACEFLT_WORK, and none of its clauses runs any more in this
 * firing; those of other sessions do. Helpers have units of their own, which are taken off the
 * session's afterwards.
 */
#define WORK_CLAUSE	32	/* units of a clause, besides its actions */
#define WORK_ACTION	8
#define WORK_FETCH	8	/* to begin to read memory of the target */
#define WORK_UFRAME	64	/* a frame of a process's stack */
#define WORK_KFRAME	16	/* a frame of the kernel's stack */
#define WORK_FAULT	256
#define WORK_RECORD	4096	/* bytes of a record that are free of charge */
#define WORK_DIVIDE	4
/*
 * fire_work_more - try to give the session more units, after its work has gone below 0. Return
 * false, after a fault, if it gets none.
 */
bool fire_work_more(struct mstate *m);
/* fire_work_left - return the units that the session can still get in this firing. */
uint64_t fire_work_left(const struct mstate *m);
/*
 * dif_charge - charge n units, at most 2^61. Return false, after a fault, if there are not so many.
 */
static inline bool dif_charge(struct mstate *m, uint64_t n)
{
	m->sc->work -= (int64_t)n;
	return port_likely(m->sc->work >= 0) || fire_work_more(m);
}
/* dif_charge_bytes - charge as dif_charge() does, for copying n bytes. */
static inline bool dif_charge_bytes(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 32);
}
/* dif_charge_scan - charge as dif_charge() does, for looking at each of n bytes. */
static inline bool dif_charge_scan(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 4);
}

/* ---- the time of threads less that of firings (vtime.c) ---- */

/* vtime_ref - [L] count a session that uses vtimestamp. -ENOMEM. May sleep. */
int vtime_ref(void);
/* vtime_unref - [L] undo vtime_ref(). */
void vtime_unref(void);
/* vtime_now - return the D variable vtimestamp. */
uint64_t vtime_now(struct mstate *m);
/* vtime_end - take the time of a firing that ends from that of its thread. */
void vtime_end(struct mstate *m);

/*
 * fire_special - fire BEGIN or END for one session, if it is in the given activity. *cpu becomes
 * the number of the CPU. Any context.
 */
void fire_special(dtrace_probe_t *probe, dtrace_state_t *state, uint32_t activity, uint32_t *cpu);

/* ---- memory as a program sees it (dif_mem.c); false, NULL or 0 as a result: after a fault ---- */

/*
 * Handles. A helper, or a program of a session that may not see the kernel, must not learn
 * addresses of the kernel. It gets handles instead of addresses: a base for each kind of memory
 * that can be read in place, plus the offset. Arithmetic on handles works as on addresses. No
 * address of a processor with 48 or 57 bits begins with the byte of MEM_HANDLE. The handles of
 * strings and of names contain a number, which tells programs and probes apart.
 */
#define MEM_HANDLE		(0xd6ULL << 56)
#define MEM_HANDLE_SCRATCH	(MEM_HANDLE | 1ULL << 48)
#define MEM_HANDLE_STRS(n)	(MEM_HANDLE | 2ULL << 48 | ((uint64_t)(n) & 0x7fffff) << 24)
#define MEM_HANDLE_NAMES(n)	(MEM_HANDLE | 3ULL << 48 | ((uint64_t)(n) & 0x7fffff) << 24)

/* mem_base - return start as the program knows it: the address, or the handle. */
static inline uint64_t mem_base(const struct mstate *m, const void *start, uint64_t handle)
{
	uint64_t addr = (uint64_t)(uintptr_t)start;

	return addr ^ ((addr ^ handle) & m->hide);
}
/* mem_handle - return what a program gets for a pointer to scratch; for NULL, 0. */
static inline uint64_t mem_handle(const struct mstate *m, const void *p)
{
	if (!p)
		return 0;
	return mem_base(m, m->scratch, MEM_HANDLE_SCRATCH) +
	       (uint64_t)((const uint8_t *)p - m->scratch);
}
/* mem_handle_str - return what a program gets for a string of its DIFO, at an offset. */
static inline uint64_t mem_handle_str(const struct mstate *m, const struct difo *d, uint32_t off)
{
	return mem_base(m, d->strs, MEM_HANDLE_STRS(d->section)) + off;
}
/* mem_handle_name - return what a program gets for one of the names of the firing probe. */
static inline uint64_t mem_handle_name(const struct mstate *m, const char *name)
{
	return mem_base(m, m->probe->names, MEM_HANDLE_NAMES(m->probe->id)) +
	       (uint64_t)(name - m->probe->names);
}

struct str {			/* not always NUL-terminated */
	const char *p;
	size_t n;
	uint64_t addr;		/* of the first byte, as the program knows it */
};
/*
 * mem_direct - return where the memory at addr can be read in place. *n: the bytes wanted, on
 * return those that can be read, at most as many. NULL without a fault: addr is memory of the
 * kernel.
 */
const uint8_t *mem_direct(struct mstate *m, uint64_t addr, size_t *n);
/* mem_load - copy n bytes from addr, in place or from the kernel's memory. */
bool mem_load(struct mstate *m, void *dst, uint64_t addr, size_t n);
/* mem_load_user - copy n bytes from an address of the current process. */
bool mem_load_user(struct mstate *m, void *dst, uint64_t addr, size_t n);
/*
 * mem_user_allowed - return whether the session may read the current process; if not, it faults at
 * addr. BEGIN, END and ERROR fire in whatever process their CPU runs.
 */
bool mem_user_allowed(struct mstate *m, uint64_t addr);
/*
 * mem_user_destructible - return whether the session may write the current process or send it
 * signals; if not, it faults at addr. The right to see the kernel is not enough.
 */
bool mem_user_destructible(struct mstate *m, uint64_t addr);
/*
 * mem_kernel_allowed - return whether the session may read the kernel's memory; if not, it faults
 * at addr.
 */
bool mem_kernel_allowed(struct mstate *m, uint64_t addr);
/* mem_scratch - return a pointer to the n bytes at addr, which must be allocated scratch. */
uint8_t *mem_scratch(struct mstate *m, uint64_t addr, size_t n);
#define MEM_GUARD	4096	/* bytes on each side of scratch that programs cannot reach */
/*
 * mem_note_used - note that scratch before end was written, and must be cleared before others get
 * it.
 */
static inline void mem_note_used(struct mstate *m, uint8_t *end)
{
	if (end > m->scratch_used)
		m->scratch_used = end;
}
/*
 * mem_alloc_free - allocate n bytes of scratch, 8-byte aligned and not cleared, free of charge. The
 * caller fills all that a program can reach, since there may be addresses in it. A program cannot
 * read what lies behind.
 */
static inline void *mem_alloc_free(struct mstate *m, uint64_t n)
{
	uint64_t pad = -(uint64_t)(uintptr_t)m->scratch_top & 7;
	uint64_t left = (uint64_t)(m->scratch_end - m->scratch_top);
	uint8_t *p = m->scratch_top + pad;

	core_assert(m->scratch_top >= m->scratch && m->scratch_top <= m->scratch_end);
	if (left < pad || n > left - pad) {
		dif_fault(m, DTRACEFLT_NOSCRATCH, 0);
		return NULL;
	}
	if (pad)	/* a program can read the bytes that are skipped */
		*(uint64_t *)(void *)(p - 8) &= UINT64_MAX >> (8 * pad);
	m->scratch_top = p + n;
	mem_note_used(m, m->scratch_top);
	return p;
}
/* mem_alloc - allocate as mem_alloc_free() does, and charge for filling n bytes. */
static inline void *mem_alloc(struct mstate *m, uint64_t n)
{
	void *p = mem_alloc_free(m, n);

	return p && dif_charge_bytes(m, n) ? p : NULL;
}
/* mem_string - find the string at addr, of at most max bytes: in place, or as a copy in scratch. */
bool mem_string(struct mstate *m, uint64_t addr, size_t max, struct str *s);
/* mem_string_user - copy the string at an address of the current process to scratch. */
bool mem_string_user(struct mstate *m, uint64_t addr, size_t max, struct str *s);
/* mem_put_string - make a string of n bytes in scratch, and a NUL; return it. */
char *mem_put_string(struct mstate *m, const char *p, size_t n);
/* mem_put - make a string as mem_put_string() does; return it as the program knows it. */
uint64_t mem_put(struct mstate *m, const char *p, size_t n);
/*
 * mem_copy_value - copy a by-reference value to dst: a string up to its NUL and cut to size,
 * anything else whole. Return the bytes used.
 */
uint32_t mem_copy_value(struct mstate *m, uint8_t *dst, uint64_t addr, uint32_t size,
			const dtrace_diftype_t *type);

/* ---- ustack helpers (helper_program.c, helper_run.c, ustack.c) ---- */

struct helper_clause {
	const struct difo *pred;	/* NULL: none */
	const struct difo **stmts;
	uint32_t nstmts;
};

/* The clauses of dtrace:helper:ustack: in a DOF. */
struct dtrace_helper_program {
	struct helper_clause *clauses;
	uint32_t nclauses;
	uint32_t nstmts, ninstrs;	/* in all */
	bool strtok;			/* a clause calls strtok() */
	struct difo *difos;
	struct var_space vars;
	uint64_t data;			/* the process's data for the helper: arg3 */
};

/*
 * helper_verify - check that a helper may have a DIFO, before dif_verify(). -EINVAL or -E2BIG with
 * text. Any context.
 */
int helper_verify(const struct difo *difo, struct dof_err *err);
/* helper_program_any - return whether an open DOF has clauses, which may be a helper's. */
bool helper_program_any(const struct dof *dof);
/*
 * helper_program_read - read and verify the clauses for helpers in an open DOF. *out becomes NULL
 * if there are none; *bytes, the memory that they take. -EINVAL, -E2BIG or -ENOMEM with text. May
 * sleep.
 */
int helper_program_read(const struct dof *dof, struct dtrace_helper_program **out,
			uint64_t *bytes);
/* helper_program_free - free them; p may be NULL. */
void helper_program_free(struct dtrace_helper_program *p);

/* A frame of the current process, as helpers know it. */
struct frame {
	uint64_t pc;
	uint64_t fp;			/* 0: not known */
	uint64_t slot;			/* where pc is on the stack; 0: it is the program counter */
};
enum helper_said { HELPER_NOTHING, HELPER_NAME, HELPER_FAULT };
/*
 * helper_run - ask a helper for the name of a frame. HELPER_NAME: *name is not empty, and valid
 * until scratch is used again. A fault of the helper does not fault the session.
 */
enum helper_said helper_run(struct mstate *m, const struct dtrace_helper_program *p,
			    const struct frame *frame, struct str *name);
/* ustack_how - return how target_ustack() must find stacks in this firing: TARGET_USTACK_*. */
unsigned int ustack_how(const struct mstate *m);
/*
 * ustack_record - write the data of ustack() or jstack() to size bytes at dst: pid, nframes
 * addresses, strsize bytes of names.
 */
void ustack_record(struct mstate *m, uint8_t *dst, uint32_t size, uint32_t nframes,
		   uint32_t strsize);

#endif
