/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * core.h - what the engine's files share, in the order in which a program travels through them:
 * tables, DOF, DIF, probes, clauses, variables, aggregations, buffers, speculations, sessions,
 * firings.
 *
 * "Probe context" is defined in port.h. [L]: the engine lock is held.
 */
#ifndef DTRACE_CORE_H
#define DTRACE_CORE_H

#include "engine.h"
#include "target.h"

/* ---- texts of errors ---- */

struct dof_err {
	char *text;		/* may be NULL */
	size_t len;
};
/* ERR - write what is wrong; the value is code. */
#define ERR(e, code, ...) \
	((e)->text && (e)->len ? (void)snprintf((e)->text, (e)->len, __VA_ARGS__) : (void)0, (code))

/*
 * relax_at - what a loop over user input calls with its counter: port_relax on every 256th turn,
 * the first one included, so that loops within loops are covered by the inner one. 0 or -EINTR.
 */
static inline int relax_at(uint64_t i)
{
	return i & 255 ? 0 : port_relax();
}

/*
 * An invariant that the verifier or a check before has established: complained of by the builds for
 * tests and fuzzing, so that a wrong bound is found by what passes it, whatever memory that hits.
 * Firings in the kernel do not pay for it.
 */
#ifdef __KERNEL__
#define core_assert(x)	((void)0)
#else
#define core_assert(x)	((void)(port_likely(x) || PORT_WARN_ON(!(x))))
#endif

/* What is written before it is written before, as far as interrupts on this CPU can tell. */
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

/* A hash table of things that have a struct hnode in them; it grows. */
struct hnode {
	struct hnode *next;
	uint32_t hash;
};
struct htable {
	struct hnode **buckets;
	uint32_t size, count;	/* size: a power of two, or 0 */
};
#define HTABLE_ENTRY	(2 * sizeof(struct hnode *))	/* bytes of the table for each entry, at most */
int htable_insert(struct htable *t, struct hnode *n, uint32_t hash);	/* -ENOMEM */
void htable_remove(struct htable *t, struct hnode *n);
/* htable_first, htable_next - the entries of that hash; the caller compares keys. */
struct hnode *htable_first(const struct htable *t, uint32_t hash);
struct hnode *htable_next(const struct hnode *n);
void htable_free(struct htable *t);	/* the table, not its entries */
uint64_t htable_bytes_next(const struct htable *t);	/* memory of the table with one entry more */
/*
 * hash_bytes - SipHash-2-4 with a key that is drawn when the engine begins (hash_init) and a seed: for
 * names, which users choose. Tables take the lower 32 bits. hash_siphash - the same with a given key.
 */
void hash_init(void);
uint64_t hash_bytes(const void *p, size_t n, uint64_t seed);
uint64_t hash_siphash(const uint64_t key[2], const void *p, size_t n);

/*
 * Entries of an array of the caller's, found by a key; it knows them by their numbers, counted from 1. The
 * hash is seeded: who chooses the keys cannot choose which share a bucket. Zeros: an index of nothing.
 */
struct hindex {
	uint32_t *slots;	/* the first entry of each bucket, then for each entry the next; 0: none */
	uint32_t size;		/* buckets, and largest number: a power of two, or 0 */
	uint32_t seed;
};
int hindex_init(struct hindex *h, uint32_t n);	/* for n entries; -ENOMEM */
void hindex_free(struct hindex *h);
uint64_t hindex_bytes(const struct hindex *h);	/* memory that it takes */
/* hindex_first, hindex_next - entries that may have the key, last added first; the caller compares. */
uint32_t hindex_first(const struct hindex *h, uint32_t key);
uint32_t hindex_next(const struct hindex *h, uint32_t number);
void hindex_add(struct hindex *h, uint32_t key, uint32_t number);
/* hindex_remove_last - remove the entry that was added last of those that are left. */
void hindex_remove_last(struct hindex *h, uint32_t key, uint32_t number);

/* These two are inline for the sake of firings. */
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
 * Things by number, from 1 on. Numbers of what is gone are used again only after at least as many
 * others.
 * idtable_next - the first thing with a number not below id, or NULL.
 */
struct idtable {
	void **slots;
	uint32_t size, count, cursor;
};
int idtable_insert(struct idtable *t, void *p, uint32_t *id);		/* -ENOMEM */
void idtable_remove(struct idtable *t, uint32_t id);
void *idtable_lookup(const struct idtable *t, uint32_t id);
void *idtable_next(const struct idtable *t, uint32_t id);
void idtable_free(struct idtable *t);

/*
 * Deferred free: the first member of an object that firings may still see. The object is freed
 * after a grace period.
 */
struct grave {
	struct grave *next;
};
void grave_add(struct grave **list, struct grave *g);
/* grave_free - wait for firings if the list is not empty, and free. May sleep. */
void grave_free(struct grave *list);

/* ---- accounts (account.c) ---- */

void account_init(void);
void account_fini(void);	/* all accounts must have been given back */
/*
 * account_rest - for how many ns from now on the user may have no more of this CPU's time in
 * interrupts; 0: the user may. account_spend - the user has had ns of it. Probe context: a CPU's share
 * is touched by that CPU only.
 */
uint64_t account_rest(struct dtrace_account *a, uint32_t cpu, uint64_t now);
void account_spend(struct dtrace_account *a, uint32_t cpu, uint64_t ns);
/*
 * account_match - take units from the work that the user's sessions may cause others with clauses that are
 * matched to probes which come: whoever makes a probe waits for that, and so do those behind them. False:
 * for now it is used up. [L]
 */
bool account_match(struct dtrace_account *a, uint64_t units);
/*
 * account_work - units of work that the user's sessions have been given in a CPU's firing number hit,
 * besides those that each begins with. *since: when the first of them asked for more. Who passes limits
 * has 0 of them. account_work_add - they get n more. account_chill - may the user stop that CPU for ns at
 * now? It is noted that they do. Probe context, as above.
 */
uint64_t account_work(struct dtrace_account *a, uint32_t cpu, uint64_t hit, uint64_t now,
		      uint64_t *since);
void account_work_add(struct dtrace_account *a, uint32_t cpu, uint64_t n);
bool account_chill(struct dtrace_account *a, uint32_t cpu, uint64_t now, uint64_t ns);

/* ---- DOF (dof_read.c): bytes that nobody has looked at yet ---- */

struct dof {
	const uint8_t *base;
	uint64_t size;			/* bytes that may be read: the load size */
	dof_hdr_t hdr;
	struct dof_err *err;
};
/*
 * dof_open - check header and section table. -EINVAL with a text; -EINTR: the caller is being killed.
 */
int dof_open(struct dof *dof, const void *buf, size_t size, struct dof_err *err);
/* dof_section - section by index, of that type and with at least min bytes. */
int dof_section(const struct dof *dof, uint32_t index, uint32_t type, uint64_t min, dof_sec_t *sec);
/* dof_section_any - section by index, whatever it is. */
void dof_section_any(const struct dof *dof, uint32_t index, dof_sec_t *sec);
/*
 * dof_entry - copy entry n of a table whose entries have size bytes (the file may have larger or,
 * down to min, shorter ones).
 */
void dof_entry(const struct dof *dof, const dof_sec_t *sec, uint64_t n, void *out, size_t size);
uint64_t dof_entries(const dof_sec_t *sec, size_t size);
/* dof_string - string at an offset of a STRTAB, NULL if it is not one. */
const char *dof_string(const struct dof *dof, const dof_sec_t *strtab, uint64_t offset);
const char *dof_section_name(uint32_t type);
/* dof_probedesc - a PROBEDESC section; desc is all zeros before. */
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
/* dif_size - bytes of a value of that type; a string's 0 means strsize. */
uint32_t dif_size(const dtrace_diftype_t *type, uint32_t strsize);

struct var_space;
/*
 * dif_verify - check a DIFO and bind its variables to vars, in a time that grows with instructions and
 * variables, not with their product. -EINVAL, -ENOMEM with text; -EINTR: the caller is being killed.
 * strsize: the session's. May sleep.
 */
int dif_verify(struct difo *difo, struct var_space *vars, uint32_t strsize, struct dof_err *err);
/* dif_subr_known - may programs call it? NULL or why not. nargs: least number of arguments. */
const char *dif_subr_refused(uint32_t subr);
unsigned int dif_subr_args(uint32_t subr);
#define DIF_MAX_VALUE	(1U << 20)	/* bytes of a variable or recorded value */
/* bytes of the tuple in a key of an associative array: a firing makes keys in its scratch */
#define DIF_MAX_KEY	(DTRACE_SCRATCHSIZE - 16U)

/*
 * The DIFOs of a DOF (difo.c), each read and verified when it is first asked for. To be zeroed but
 * for what it says of the program. difo_get - -EINVAL, -E2BIG, -ENOMEM, -EDQUOT with text; -EINTR.
 * difo_take - let n bytes be taken from the room, and charge the session: -E2BIG, -EDQUOT with text.
 */
struct difo_reader {
	const struct dof *dof;
	struct var_space *vars;		/* that they share */
	uint32_t strsize;
	bool helper;			/* they are a helper's */
	uint64_t room;			/* bytes that they may still take */
	dtrace_state_t *state;		/* that is charged for them; NULL: none */
	struct difo *list;
	struct htable by_section;
};
int difo_get(struct difo_reader *r, dof_secidx_t index, struct difo **out);
int difo_take(struct difo_reader *r, uint64_t n);
/* difo_reader_end - all that were read, also if one was refused. */
struct difo *difo_reader_end(struct difo_reader *r);
void difo_free_list(struct difo *list);

/* ---- probes (probe.c, provider.c) ---- */

struct ecb;
/*
 * Places of ECBs in the order in which they run. A place is NULL before its ECB joins and after it has
 * left. Places are filled in order and never twice.
 */
struct ecb_list {
	struct grave grave;
	uint32_t n;			/* places; does not change */
	uint32_t used;			/* places that have been filled */
	uint32_t live;			/* ECBs */
	struct ecb *ecbs[];
};

struct dtrace_probe {
	struct grave grave;
	struct ecb_list *ecbs;		/* read by firings; NULL: not enabled */
	dtrace_provider_t *prov;	/* NULL once destroyed */
	void *parg;
	struct hnode by_name;
	struct link link;		/* of the provider */
	dtrace_id_t id;
	/* 1 while it exists, 1 for each ECB, 1 for each thread that stopped there to let others run */
	uint32_t refs;
	uint64_t serial;		/* grows along the provider's list */
	bool fresh;			/* retained enablings have not seen it */
	const char *provname, *mod, *func, *name;	/* all in names */
	uint32_t nameslen;
	char names[];
};

struct dtrace_provider {
	struct hnode by_name;
	struct link providing;		/* in engine.providing, or empty */
	struct link sync;		/* in engine.unsynced, or empty */
	struct link probes;		/* fresh ones last */
	struct link *fresh;		/* the first fresh one, or &probes */
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
	struct grave *graves;
	struct mstate *mstates;		/* by CPU */
	uint32_t nvtime;		/* sessions that use vtimestamp */
	struct vtime *vtime;		/* while there are any; read by firings */
	dtrace_provider_t *prov;	/* the engine's own */
	dtrace_probe_t *begin, *end, *error;
};
extern struct engine engine;

void engine_lock(void);
/* ENGINE_ASSERT_LOCKED - complain if the engine lock is not held: in functions marked [L]. */
#define ENGINE_ASSERT_LOCKED()	PORT_ASSERT_HELD(&engine.lock)
/* engine_unlock - release, then free what was buried meanwhile. */
void engine_unlock(void);
/*
 * engine_pause - [L] once every so many turns let others have the lock, run, and find out whether the
 * caller is being killed: 0 or -EINTR; *paused says whether the lock was let go, after which nothing
 * that it covers is as it was. What was buried is moved to *graves, which the caller gives to
 * grave_free at the end: to wait for firings each time would take long.
 */
struct engine_pause {
	uint32_t turns;
	bool paused;
	struct grave *graves;
};
int engine_pause(struct engine_pause *pause);

/* ---- patterns (glob.c) ---- */

#define GLOB_WORDS	4		/* of 64 positions: a pattern has less than DTRACE_FUNCNAMELEN */
enum glob_kind { GLOB_ANY, GLOB_LITERAL, GLOB_PATTERN };
struct glob {
	const char *pattern;		/* kept by the caller */
	enum glob_kind kind;
	uint32_t last;			/* the position after all of the pattern */
	uint64_t stays[GLOB_WORDS];	/* positions that every character may leave as they are */
	uint64_t steps[256][GLOB_WORDS];	/* positions that a character leads on from */
};
struct glob_desc {
	struct glob prov, mod, func, name;
};
void glob_compile(struct glob *g, const char *pattern);
void glob_desc_compile(struct glob_desc *g, const dtrace_probedesc_t *desc);
/* glob_match - does all of s match? Takes time in proportion to s. */
bool glob_match(const struct glob *g, const char *s);
bool glob_is_literal(const char *pattern);

/* ---- probes and providers, continued ---- */

void probe_desc(const dtrace_probe_t *probe, const char *provname, dtrace_probedesc_t *desc);
/* probe_matches_within - does it match, as far as the provider's name is not concerned? [L] */
bool probe_matches_within(dtrace_probe_t *probe, const struct glob_desc *g);
void probe_unref(dtrace_probe_t *probe);	/* [L] */
/* [L] -ENOMEM, or the provider's error */
int probe_attach(dtrace_probe_t *probe, struct ecb *ecb);
void probe_detach(dtrace_probe_t *probe, struct ecb *ecb);	/* [L] */
void provider_note_sync(dtrace_provider_t *prov);	/* [L] */
void provider_sync_all(void);		/* no lock held */
/* provider_provide_all - no lock held; -ENOSPC: a provider has no room; -EINTR. */
int provider_provide_all(const dtrace_probedesc_t *desc);
/* provider_next - [L] the first provider with a number above that, or NULL. */
dtrace_provider_t *provider_next(uint32_t number);
bool provider_visible(const dtrace_provider_t *prov, const struct dtrace_cred *cred);
/* provider_name - return its name in a session: buf, or prov->name. The provider is visible. [L] */
const char *provider_name(const dtrace_provider_t *prov, const struct dtrace_cred *cred,
			  char buf[DTRACE_PROVNAMELEN]);

/* ---- clauses (enabling.c) ---- */

struct agg;
struct action {
	dtrace_actkind_t kind;
	bool key;			/* part of an aggregation's tuple, a key */
	bool weight;			/* likewise, the weight */
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
	 * Units of work that are known before: to begin (predicate, or if there is none all), and what
	 * the actions take when the predicate is true.
	 */
	uint64_t work_begin, work_acts;
};

struct clause {
	dtrace_probedesc_t desc;
	struct body *body;
	uint64_t uarg;
};

/* How far definitions of variables had come (var.c). */
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
	uint64_t held;			/* bytes charged to the session for all this */
	uint32_t naggs;			/* of the session before it */
	struct var_mark mark;		/* of definitions, when it began */
};

/* Enabling control block: a clause on a probe. */
struct ecb {
	struct grave grave;
	dtrace_state_t *state;
	dtrace_probe_t *probe;
	const struct clause *clause;
	const struct body *body;
	dtrace_epid_t epid;
	uint32_t place;			/* in its probe's list [L] */
	uint32_t nth;			/* of its session on the probe, counted from 1 [L] */
	uint64_t interrupts;		/* what the user is charged for it */
	bool recorded;			/* a record of it may be in a buffer */
	struct hnode by_epid;
	struct hnode by_pair;		/* of its clause and probe */
	struct link link;		/* state->retired */
	uint64_t retired;		/* snapshot count when its probe was destroyed */
	char seen[];	/* name of its provider, if the session has a PID namespace of its own */
};
/* ecb_provname - the name of its provider, in the session. */
const char *ecb_provname(const struct ecb *ecb);

int enabling_create(dtrace_state_t *state, const struct dof *dof, int32_t *bad_desc,
		    struct enabling **out);
void enabling_free(dtrace_state_t *state, struct enabling *en);
/* enabling_bind - [L] let the session's probes fire on the only CPU that it traces on. */
void enabling_bind(const dtrace_state_t *state, uint32_t cpu);
/* What one pass of matching needs. */
struct matching {
	struct glob_desc globs;		/* of one clause at a time */
	struct engine_pause pause;
	/*
	 * of the probes that were there when the pass began. Later ones are left to
	 * dtrace_provider_match: a pass that goes from clause to clause would attach only the rest
	 * of the clauses, which run in the order in which they are attached
	 */
	uint64_t newest;
};
/*
 * enabling_match - attach an enabling's clauses to all probes; *n: the number of new ECBs. The enabling
 * is in the session's list, so that probes which come meanwhile are matched by dtrace_provider_match.
 * -EDQUOT with text. -EINTR. Takes the engine lock, and lets it go now and then.
 */
int enabling_match(dtrace_state_t *state, struct enabling *en, uint32_t *n, struct dof_err *err);
/*
 * enabling_match_fresh - [L] attach the clauses of all sessions to probes of a provider, which the
 * caller holds. Lets the lock go now and then. It is not ended when the caller is killed: the
 * enablings are others', who would wait for their probes until the provider's next ones, or forever.
 */
void enabling_match_fresh(struct matching *m, dtrace_provider_t *prov, dtrace_probe_t **probes,
			  uint32_t n);
/*
 * enabling_drop - detach all ECBs of an enabling, or with NULL of the session. It is in no list any
 * more. Takes the engine lock, and lets it go now and then.
 */
void enabling_drop(dtrace_state_t *state, const struct enabling *en);
/* enabling_undo - drop and free the enabling that came last; its variables and aggregations too. */
void enabling_undo(dtrace_state_t *state, struct enabling *en);
void enabling_retire(dtrace_probe_t *probe);		/* [L] the probe is being destroyed */
/* [L] free retired ECBs that no record can name */
void enabling_reap(dtrace_state_t *state);
struct ecb *enabling_lookup(dtrace_state_t *state, dtrace_epid_t epid);	/* [L] */
/* action_records - does it have a place in the record (perhaps of size 0)? */
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
	struct hindex by_id;		/* has capacity for as many */
	uint32_t n, room;
	uint32_t bytes;			/* of storage */
};
struct var_space {
	struct var_table scopes[3];	/* DIFV_SCOPE_* */
	uint32_t max_key, max_value;	/* of dynamic variables */
};
struct mstate;
struct state_cpu;
struct dynvar;

int var_define(struct var_space *vs, const dtrace_difv_t *v, uint32_t strsize, const char *name,
	       uint32_t *index, struct dof_err *err);
void var_space_free(struct var_space *vs);
/* var_space_bytes - memory that the definitions take. */
uint64_t var_space_bytes(const struct var_space *vs);
/* var_space_mark, var_space_rollback - forget definitions made since the mark, and what they need. */
void var_space_mark(const struct var_space *vs, struct var_mark *mark);
void var_space_rollback(struct var_space *vs, const struct var_mark *mark);
bool var_is_byref(const struct var_def *def);
uint64_t var_scalar_load(struct mstate *m, const struct var_def *def, uint8_t *storage);
void var_scalar_store(struct mstate *m, const struct var_def *def, uint8_t *storage,
		      uint64_t value);
/* dynvar_create - memory for dynamic variables: bytes in all. NULL: none. */
struct dynvar *dynvar_create(const struct var_space *vs, uint64_t bytes);
/* dynvar_bytes - memory that dynvar_create takes: more than bytes, since the table is a power of two. */
uint64_t dynvar_bytes(const struct var_space *vs, uint64_t bytes);
void dynvar_free(struct dynvar *dv);
uint64_t dynvar_load(struct mstate *m, const struct var_def *def, uint32_t index, bool array);
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
	uint32_t limit;			/* filled up to there it is worth reading */
	uint32_t seed;			/* of the hash */
	uint64_t drops;
	bool half;
	struct agg_entry *last;		/* that got a value, in the current half; or NULL */
};
/* agg_value_size - bytes of a value, 0 if the argument word is not valid. */
uint32_t agg_value_size(dtrace_actkind_t kind, uint64_t arg);
int agg_buffer_init(struct agg_buffer *b, uint32_t size, unsigned int cpu);
void agg_buffer_fini(struct agg_buffer *b);
enum agg_result {
	AGG_ADDED,
	AGG_HALF,		/* and the buffer is worth reading from now on */
	AGG_DROPPED,		/* no room; counted */
};
/*
 * agg_add - aggregate a value in the session's buffer of this CPU; key is an entry with its keys
 * filled in. Probe context. Nothing is aggregated after a fault.
 */
enum agg_result agg_add(struct mstate *m, const struct agg *agg, const uint8_t *key, int64_t value,
			int64_t weight);
/* agg_swap - on the buffer's CPU: the used bytes of the buffer that was current. */
uint32_t agg_swap(struct agg_buffer *b);
/* agg_emit - give out what the other buffer holds, and empty it. */
int agg_emit(struct agg_buffer *b, uint32_t used, int (*emit)(void *, const void *, size_t),
	     void *ctx, uint64_t *n);

/* ---- principal buffers (buffer.c) ---- */

struct buffer {
	uint8_t *mem[2];		/* [1] only for the switch policy */
	uint32_t cur, policy;
	uint32_t size, reserve;		/* reserve: for END, of a fill buffer */
	uint32_t limit;			/* filled up to there it is worth reading */
	uint32_t off;			/* where the next record goes */
	/* ring: first record and end of the part behind off, if wrapped */
	uint32_t oldest, end;
	bool wrapped, full, half, read;
	uint64_t drops;
};
int buffer_init(struct buffer *b, uint32_t policy, uint32_t size, unsigned int cpu);
void buffer_fini(struct buffer *b);
/*
 * buffer_reserve - room for a record, or NULL (counted); cooldown: END fires. It is part of the
 * buffer after buffer_commit, which is true when the buffer has just passed its limit.
 * Probe context.
 */
uint8_t *buffer_reserve(struct buffer *b, uint32_t size, bool cooldown);
bool buffer_commit(struct buffer *b, uint32_t size);
/* buffer_swap - on the buffer's CPU: the used bytes of the buffer that was current. */
uint32_t buffer_swap(struct buffer *b);
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
	uint32_t from;			/* once it is committed: records before it have been moved */
};
struct speculation {
	/* enum spec_state; for ACTIVE_ONE also the CPU, from bit 8 on */
	uint32_t state;
	uint32_t waiting;		/* the state in which cleaning found it */
	uint64_t born;			/* snapshot count */
	struct spec_cpu *cpus;
};
int speculation_init(dtrace_state_t *state, uint32_t n, uint32_t size);
uint64_t speculation_bytes(uint32_t n, uint64_t size);	/* memory that n of that size take */
void speculation_fini(dtrace_state_t *state);
uint32_t speculation_new(struct mstate *m);		/* number, 0: none */
/* speculation_active - may records be added to it? As the next, for a number beyond those there may be. */
bool speculation_active(struct mstate *m, uint64_t id);
/*
 * speculation_reserve - room in a speculation's buffer of this CPU; NULL: not active, or full
 * (counted). Here, in commit and in discard 0 is no speculation, and a number beyond those that
 * there may be (nspec) is a fault.
 */
uint8_t *speculation_reserve(struct mstate *m, uint64_t id, uint32_t size);
void speculation_keep(struct mstate *m, uint64_t id, uint32_t size);
void speculation_commit(struct mstate *m, uint64_t id);
void speculation_discard(struct mstate *m, uint64_t id);
/*
 * speculation_clean_cpu - on that CPU: carry out what other CPUs have committed or discarded, until
 * work units have been spent, or a record and a look at each speculation more. work: what is left,
 * perhaps below 0. False: there is more to do. Probe context.
 */
bool speculation_clean_cpu(dtrace_state_t *state, struct state_cpu *sc, int64_t *work);
#define SPEC_CLEAN_FIRING	4096	/* units, in a firing */
#define SPEC_CLEAN_CALL		16384	/* in a call on another CPU */
/*
 * speculation_clean - the same on all CPUs, in as many calls as are needed; then those speculations can be
 * used again. turns: calls that may leave something to do; SPEC_CLEAN_SOME keeps a caller for a few
 * milliseconds. -EAGAIN: there is more to do, which st->spec_pending says too. -EINTR: the same, and the
 * caller is being killed. May sleep; under the session's lock.
 */
int speculation_clean(dtrace_state_t *state, uint32_t turns);
#define SPEC_CLEAN_SOME		256
#define SPEC_CLEAN_ALL		UINT32_MAX

/* ---- sessions (state.c) ---- */

/* The string that strtok() takes words from, in one firing. */
struct strtok {
	uint64_t number;		/* strtok_number of the firing; 0: there is none */
	uint32_t from, end;		/* of what is left of text */
	char text[];			/* strsize bytes */
};

struct state_cpu {
	uint32_t cpu;
	bool on;			/* has buffers */
	/* has none since the CPU was offline when tracing began: firings are counted as drops */
	bool absent;
	uint32_t spec_gen;		/* spec_gen of the session that was last seen */
	struct buffer buffer;
	struct agg_buffer aggs;
	uint8_t *locals;
	struct strtok *strtok;		/* NULL: no clause calls strtok() */
	/* session's count when this CPU's buffer was last read, and the two times before */
	uint64_t snapshots[3];
	uint64_t errors_reported;
	/*
	 * The session's work in this CPU's firing number hit: what it may do before fire_work_more
	 * is to be asked. granted: what it was given in firing number more, in which it asked. spent:
	 * number of the last firing in which it may do nothing more.
	 */
	uint64_t hit;
	int64_t work;
	uint64_t more, granted;
	uint64_t spent;
	dtrace_status_t count;		/* this CPU's part of the 64-bit counts */
};

struct dtrace_state {
	struct link link;
	uint32_t number;
	uint32_t activity;		/* DTRACE_ACTIVITY_* */
	struct dtrace_cred cred;
	struct dtrace_account *account;	/* charged with all that the session holds */
	uint64_t held;			/* bytes charged to it; changed by port_xadd */
	uint64_t cpus_held;		/* of these, memory that firings use */
	uint64_t vars_held;		/* of these, definitions of variables */
	uint64_t tables_held;		/* of these, the tables of ECBs, which never shrink */
	void *cookie;
	/* taken before the engine lock: one snapshot at a time, none while memory comes or goes */
	port_mutex_t snap_lock;
	uint64_t opts[DTRACEOPT_MAX];
	uint32_t strsize;
	uint32_t slice;			/* units of work that it is given at once */
	struct link enablings;
	uint32_t nenablings;
	uint32_t unattached;		/* probes that matched and could not be enabled; engine lock */
	struct htable ecbs;
	struct htable pairs;		/* the same, by clause and probe */
	dtrace_epid_t next_epid;
	struct link retired;
	struct var_space vars;
	struct agg **aggs;
	uint32_t naggs, aggroom;
	uint64_t snapshots;		/* taken so far */
	struct state_cpu *cpus;		/* by CPU; from go on */
	uint8_t *globals;
	struct dynvar *dynvars;
	struct speculation *specs;
	uint32_t nspecs, specsize;
	uint32_t spec_gen;		/* moves when a speculation waits for other CPUs */
	uint32_t spec_pending;
	bool exited;			/* exit() was called */
	bool vtime;			/* is one of engine.nvtime */
	uint64_t asked;			/* when the consumer asked for the status */
	uint64_t alive;			/* when the consumer and the machine were last alive */
};

/*
 * state_charge - charge the session's account with n bytes. -EDQUOT with text. state_uncharge - give n
 * bytes back. Any locks.
 */
int state_charge(dtrace_state_t *state, uint64_t n, struct dof_err *err);
void state_uncharge(dtrace_state_t *state, uint64_t n);
/* state_kill - no probe fires for it any more, unless it is destructive. Any context. */
void state_kill(dtrace_state_t *state);

/* ---- firings (fire.c) ---- */

struct dif_tuple {
	uint64_t value;
	uint64_t size;
	uint8_t type;			/* DIF_TYPE_* */
	bool byref;
};
#define MSTATE_THREAD	0x1		/* values that have been asked for */
#define MSTATE_WALL	0x2
#define MSTATE_VTIME	0x4
#define MSTATE_TIME	0x8

/* The state of the firing that a CPU is in the middle of; one for each CPU. */
struct mstate {
	/* set while it is in use: what fires meanwhile is dropped */
	uint32_t busy;
	uint32_t cpu;
	uint64_t hit;			/* number of this firing */
	/* of dtrace_fire_timed: has a session taken it, and if not, for how long will none */
	bool taken;
	uint64_t rest;
	const struct dtrace_fire *fire;
	dtrace_probe_t *probe;
	dtrace_state_t *state;
	struct state_cpu *sc;
	const struct ecb *ecb;
	const struct action *action;	/* of the ECB, that was reached last, or NULL */
	uint32_t have;			/* FIRING_* */
	uint64_t timestamp, walltimestamp, vtimestamp;
	struct vtime *vtime;		/* NULL: nobody uses vtimestamp */
	uint64_t began;			/* if somebody does */
	struct target_thread thread;
	struct target_thread numbers;	/* the same in the PID namespace of the session */
	/* all ones: programs get handles in the place of addresses, see mem_handle; 0: they do not */
	uint64_t hide;
	uint8_t *scratch, *scratch_top, *scratch_end;
	uint8_t *scratch_used;		/* from here on it is all zeros */
	const struct var_space *vars;	/* of the helper, if one runs; else those of state are meant */
	/* of the session, or of the helper that runs for it */
	uint8_t *locals;
	uint32_t strsize;
	bool helping;			/* a helper runs: the kernel is nobody's */
	bool faulted;
	int64_t steps;			/* work that helpers may still do, for this stack */
	struct dtrace_helper_counts helped;
	struct strtok *strtok;		/* NULL: no clause of the session calls strtok() */
	const struct difo *difo;
	struct dif_tuple tuple[DIF_DTR_NREGS];
	uint32_t ntuple;
	uint32_t fault;			/* DTRACEFLT_* */
	uint64_t fault_addr;
	uint32_t pc;			/* DIF_NO_PC outside of DIF */
};

/* strtok_number - of this firing, among the CPU's; an ERROR within it is another. Never 0. */
static inline uint64_t strtok_number(const struct mstate *m)
{
	return m->hit << 1 | (m->probe == engine.error);
}

#define DIF_NO_PC	UINT32_MAX
/* dif_run - value of a DIFO, whose length has been charged; check m->faulted. */
uint64_t dif_run(struct mstate *m, const struct difo *difo);
void dif_fault(struct mstate *m, uint32_t fault, uint64_t addr);
const struct target_thread *mstate_thread(struct mstate *m);
/* mstate_numbers - the same with pid, tid and ppid as the session's user has them. */
const struct target_thread *mstate_numbers(struct mstate *m);
/* mstate_timestamp - the D variable, taken when it is first needed: not every firing needs it. */
uint64_t mstate_timestamp(struct mstate *m);
/*
 * mstate_sees_process - may the session look into the current process? If it may not see the
 * kernel, only into its own user's, and none that was set-id.
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
uint64_t dif_subr_call(struct mstate *m, uint32_t subr);
/*
 * Work. A firing runs with interrupts off, so that what a session's clauses do in it is counted in
 * units (see DTRACE_WORK_USER): before it is done, where its amount is known. A session that has done
 * all that it may gets DTRACEFLT_WORK, and none of its clauses runs any more in this firing; those of
 * others do. Helpers have an amount of their own, which is taken off the session's afterwards.
 */
#define WORK_CLAUSE	32	/* units: what a clause takes besides what it does */
#define WORK_ACTION	8
#define WORK_FETCH	8	/* to begin to read memory of others */
#define WORK_UFRAME	64	/* a frame of a process's stack */
#define WORK_KFRAME	16
#define WORK_FAULT	256
#define WORK_RECORD	4096	/* bytes of a record that cost nothing besides */
#define WORK_DIVIDE	4
/* fire_work_more - the session's work is below 0: true if it may go on. Notes a fault otherwise. */
bool fire_work_more(struct mstate *m);
/* fire_work_left - what the session may still do in this firing. */
uint64_t fire_work_left(const struct mstate *m);
/* dif_charge - n units of work, at most 2^61; false: it must not be done, a fault is noted. */
static inline bool dif_charge(struct mstate *m, uint64_t n)
{
	m->sc->work -= (int64_t)n;
	return port_likely(m->sc->work >= 0) || fire_work_more(m);
}
/* dif_charge_bytes - to copy n bytes. dif_charge_scan - to go through them one by one. */
static inline bool dif_charge_bytes(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 32);
}
static inline bool dif_charge_scan(struct mstate *m, uint64_t n)
{
	return dif_charge(m, n / 4);
}

/* ---- the time of threads less that of firings (vtime.c) ---- */

/* vtime_ref - [L] a session will use vtimestamp; -ENOMEM. vtime_unref - [L] it is gone. */
int vtime_ref(void);
void vtime_unref(void);
/* vtime_now - the D variable; probe context, as the next. */
uint64_t vtime_now(struct mstate *m);
/* vtime_end - a firing ends: what it took is not its thread's. */
void vtime_end(struct mstate *m);

/* fire_special - BEGIN or END, for one session that is in the given activity. */
void fire_special(dtrace_probe_t *probe, dtrace_state_t *state, uint32_t activity, uint32_t *cpu);

/* ---- memory as a program sees it (dif_mem.c); probe context; false or 0: a fault is noted ---- */

/*
 * Handles. A program of a session that may not see the kernel, and a helper, must not learn where the
 * kernel keeps what they use. They are given handles in the place of addresses: a base for each kind of
 * memory that can be read in place, plus the offset. One can reckon with them as with addresses. No
 * address of a processor's, of 48 or 57 bits, begins with MEM_HANDLE's byte, or has its bit 47. Strings
 * and names have a number besides, which tells those of one program, or probe, from the others'.
 */
#define MEM_HANDLE		(0xd6ULL << 56)
#define MEM_HANDLE_SCRATCH	(MEM_HANDLE | 1ULL << 48)
#define MEM_HANDLE_STRS(n)	(MEM_HANDLE | 2ULL << 48 | ((uint64_t)(n) & 0x7fffff) << 24)
#define MEM_HANDLE_NAMES(n)	(MEM_HANDLE | 3ULL << 48 | ((uint64_t)(n) & 0x7fffff) << 24)

/* mem_base - start, as the program knows it: the address, or the handle. */
static inline uint64_t mem_base(const struct mstate *m, const void *start, uint64_t handle)
{
	uint64_t addr = (uint64_t)(uintptr_t)start;

	return addr ^ ((addr ^ handle) & m->hide);
}
/* mem_handle - what a program gets for a pointer to scratch, or for NULL: 0. */
static inline uint64_t mem_handle(const struct mstate *m, const void *p)
{
	if (!p)
		return 0;
	return mem_base(m, m->scratch, MEM_HANDLE_SCRATCH) +
	       (uint64_t)((const uint8_t *)p - m->scratch);
}
static inline uint64_t mem_handle_str(const struct mstate *m, const struct difo *d, uint32_t off)
{
	return mem_base(m, d->strs, MEM_HANDLE_STRS(d->section)) + off;
}
/* mem_handle_name - what a program gets for one of the names of the probe that fires. */
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
 * mem_direct - bytes that may be read in place from addr on, at most n; NULL: none (then it is
 * kernel memory).
 */
const uint8_t *mem_direct(struct mstate *m, uint64_t addr, size_t *n);
bool mem_load(struct mstate *m, void *dst, uint64_t addr, size_t n);
bool mem_load_user(struct mstate *m, void *dst, uint64_t addr, size_t n);
/*
 * mem_user_allowed - may the current process be read? BEGIN, END and ERROR fire whatever process
 * their CPU is in. mem_user_destructible - may it be written or sent signals? To see the kernel is
 * not enough. If not, a fault at addr is noted.
 */
bool mem_user_allowed(struct mstate *m, uint64_t addr);
bool mem_user_destructible(struct mstate *m, uint64_t addr);
/* mem_kernel_allowed - may the session see the kernel's memory? If not, a fault at addr is noted. */
bool mem_kernel_allowed(struct mstate *m, uint64_t addr);
/* mem_scratch - addr, if n bytes from it on are scratch that was given out. */
uint8_t *mem_scratch(struct mstate *m, uint64_t addr, size_t n);
/* bytes around scratch that a program can neither read nor write */
#define MEM_GUARD	4096
/* mem_note_used - scratch before end was written: it is cleared before others get it. */
static inline void mem_note_used(struct mstate *m, uint8_t *end)
{
	if (end > m->scratch_used)
		m->scratch_used = end;
}
/*
 * mem_alloc - scratch, 8-byte aligned, not cleared: the caller fills all that a program can reach, for
 * there may be addresses in it. What lies behind it cannot be read. It is charged as if all of it were
 * filled; mem_alloc_free leaves that to the caller.
 */
static inline void *mem_alloc_free(struct mstate *m, uint64_t n)
{
	uint64_t pad = -(uint64_t)(uintptr_t)m->scratch_top & 7;
	uint64_t room = (uint64_t)(m->scratch_end - m->scratch_top);
	uint8_t *p = m->scratch_top + pad;

	core_assert(m->scratch_top >= m->scratch && m->scratch_top <= m->scratch_end);
	if (room < pad || n > room - pad) {
		dif_fault(m, DTRACEFLT_NOSCRATCH, 0);
		return NULL;
	}
	if (pad)	/* what is skipped can be read, too */
		*(uint64_t *)(void *)(p - 8) &= UINT64_MAX >> (8 * pad);
	m->scratch_top = p + n;
	mem_note_used(m, m->scratch_top);
	return p;
}
static inline void *mem_alloc(struct mstate *m, uint64_t n)
{
	void *p = mem_alloc_free(m, n);

	return p && dif_charge_bytes(m, n) ? p : NULL;
}
/* mem_string - a string, at most max bytes of it; in place, or a copy in scratch. */
bool mem_string(struct mstate *m, uint64_t addr, size_t max, struct str *s);
bool mem_string_user(struct mstate *m, uint64_t addr, size_t max, struct str *s);
/* mem_put_string - a new string in scratch. mem_put - the same, as the program knows it. */
char *mem_put_string(struct mstate *m, const char *p, size_t n);
uint64_t mem_put(struct mstate *m, const char *p, size_t n);
/*
 * mem_copy_value - a by-reference value to dst: a string up to its NUL and cut to size, anything
 * else whole; the bytes used.
 */
uint32_t mem_copy_value(struct mstate *m, uint8_t *dst, uint64_t addr, uint32_t size,
			const dtrace_diftype_t *type);

/* ---- ustack helpers (helper_program.c, helper_run.c, ustack.c) ---- */

struct helper_clause {
	const struct difo *pred;	/* NULL: none */
	const struct difo **stmts;
	uint32_t nstmts;
};

/* What the clauses of dtrace:helper:ustack: in a DOF are. */
struct dtrace_helper_program {
	struct helper_clause *clauses;
	uint32_t nclauses;
	uint32_t nstmts, ninstrs;	/* in all */
	bool strtok;			/* one calls strtok() */
	struct difo *difos;
	struct var_space vars;
	uint64_t data;			/* what the process said is the helper's: arg3 */
};

/*
 * helper_verify - may a helper have that DIFO? To be asked before dif_verify. -EINVAL, -E2BIG with
 * text.
 */
int helper_verify(const struct difo *difo, struct dof_err *err);
/* helper_program_any - are there clauses in a DOF that is open, a helper's perhaps? */
bool helper_program_any(const struct dof *dof);
/*
 * helper_program_read - the clauses for helpers in a DOF that is open; *out is NULL if it has
 * none; *bytes: what they take. -EINVAL, -E2BIG, -ENOMEM with text.
 */
int helper_program_read(const struct dof *dof, struct dtrace_helper_program **out,
			uint64_t *bytes);
void helper_program_free(struct dtrace_helper_program *p);

/* A frame of the current process, as helpers know it. */
struct frame {
	uint64_t pc;
	uint64_t fp;			/* 0: not known */
	uint64_t slot;			/* where pc lies on the stack; 0: it is the program counter */
};
enum helper_said { HELPER_NOTHING, HELPER_NAME, HELPER_FAULT };
/*
 * helper_run - ask a helper about a frame. HELPER_NAME: a string that is not empty, valid until
 * scratch is used. Probe context; no fault is left.
 */
enum helper_said helper_run(struct mstate *m, const struct dtrace_helper_program *p,
			    const struct frame *frame, struct str *name);
/* ustack_how - how stacks of this firing are found: PORT_USTACK_*. */
unsigned int ustack_how(const struct mstate *m);
/*
 * ustack_record - what ustack() and jstack() record, in size bytes at dst: pid, nframes addresses,
 * strsize bytes of names. Probe context.
 */
void ustack_record(struct mstate *m, uint8_t *dst, uint32_t size, uint32_t nframes,
		   uint32_t strsize);

#endif
