/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * account.c - accounts: the resources of each user over all sessions, registrations and copies of
 * registrations, and their limits.
 *
 * Counts and references change by compare and swap, so neither charging nor another reference needs
 * a lock. The account lock protects the table of accounts: the first reference and the last come
 * and go with it. It is taken within any other lock, and no lock within it. An account without
 * references stays while it owes time of interrupts.
 */
#include "account.h"
#include "engine_impl.h"
#include "table.h"

struct dtrace_account {
	struct hnode by_uid;
	uint32_t uid;
	bool privileged;
	uint32_t refs;	 /* changed by port_cas and port_xadd; to 0 with the account lock */
	uint32_t number; /* for lists */
	uint64_t used[DTRACE_RES_MAX]; /* changed by port_cas and port_xadd */
	uint64_t match_began; /* [L] the span of time that units of matching are counted in */
	uint64_t matched;     /* [L] */
	port_mutex_t turn; /* one thread of the user waits for the sync lock or the engine lock */
	struct account_share {		/* of a CPU's time with interrupts off; that CPU's own */
		struct account_time {	/* in interrupts */
			uint64_t began; /* the span of time that it is counted in */
			uint64_t spent; /* ns, in this span and beyond the share in earlier ones */
		} times[ACCOUNT_USES];
		uint64_t hit;	      /* number of a firing in which sessions asked for more work */
		uint64_t since, work; /* when they began to, and what they were given */
		uint64_t chill_began, chilled; /* ns of chill() in a span of time */
	} shares[];			       /* by CPU */
};

static port_mutex_t account_lock;
static struct htable accounts;	/* account lock */
static uint32_t account_number; /* account lock */

uint64_t dtrace_account_limits[DTRACE_RES_MAX];
unsigned int dtrace_account_share = 10;
unsigned int dtrace_account_clauses = DTRACE_CLAUSES_MAX;
unsigned int dtrace_account_rows = DTRACE_ROWS_MAX;

static const struct {
	const char *what, *parameter;
	/* The default is the machine's memory divided by divisor, within bounds; 0: min. */
	uint64_t divisor, min, max;
} resources[DTRACE_RES_MAX] = {
	[DTRACE_RES_SESSIONS] = {"sessions", "user_sessions", 0, 64, 0},
	[DTRACE_RES_MEMORY] = {"bytes of memory of sessions", "user_memory", 8, 64 << 20,
			       UINT64_MAX},
	[DTRACE_RES_REGISTRATIONS] = {"registrations", "user_registrations", 0, 65536, 0},
	[DTRACE_RES_SITES] = {"sites of probes", "user_sites", 4096, 65536, 4 << 20},
	[DTRACE_RES_PROBES] = {"probes", "user_probes", 4096, 65536, 4 << 20},
	[DTRACE_RES_BYTES] = {"bytes of memory of registrations", "user_registration_memory", 8,
			      64 << 20, UINT64_MAX},
	[DTRACE_RES_UNWOUND] = {"processes with unwind tables", "user_unwound", 0, 8192, 0},
	[DTRACE_RES_INSTRUCTIONS] = {"enabled probes at single instructions", "user_instructions",
				     0, DTRACE_INSTRUCTIONS_USER, 0},
	[DTRACE_RES_INTERRUPTS] = {"interrupts a second on each CPU", "user_interrupts", 0, 20000,
				   0},
	[DTRACE_RES_STOP_POINTS] = {"stop points at addresses", "user_stop_points", 0, 1024, 0},
};

/* ---- shares ---- */

/*
 * A share is counted in spans of 100 ms: short enough that others hardly notice when it is used up
 * at once, long enough that one firing does not use it up. Each span pays for its share of the time
 * that was spent, so that a firing on a slow machine that takes longer than the share is paid for
 * by the spans after it.
 */
#define SHARE_SPAN 100000000ULL

/*
 * Return how many ns of each span interrupts may take for a use. Requests wait, so they have some.
 */
static uint64_t account_span_share(enum account_use use)
{
	uint64_t percent = port_read_once(&dtrace_account_share);

	if (use == ACCOUNT_CALLS && !percent)
		percent = 1;
	return SHARE_SPAN / 100 * (percent < 100 ? percent : 100);
}

/* Return how many ns of what was spent the spans since began have paid for. */
static uint64_t account_paid(const struct account_time *time, enum account_use use, uint64_t now)
{
	return (now - time->began) / SHARE_SPAN * account_span_share(use);
}

/* Return whether interrupts have taken time for the user that no span has paid for yet. */
static bool account_owes(const struct dtrace_account *a, uint64_t now)
{
	for (unsigned int i = 0; i < port_ncpus(); i++)
		for (unsigned int use = 0; use < ACCOUNT_USES; use++) {
			const struct account_time *time = &a->shares[i].times[use];

			if (time->spent > account_paid(time, use, now))
				return true;
		}
	return false;
}

/* ---- start and end ---- */

void account_init(void)
{
	port_mutex_init(&account_lock);
	for (uint32_t i = 0; i < DTRACE_RES_MAX; i++) {
		uint64_t n = resources[i].divisor ? port_memory() / resources[i].divisor : 0;

		if (n > resources[i].max)
			n = resources[i].max;
		if (n < resources[i].min)
			n = resources[i].min;
		if (!dtrace_account_limits[i])
			dtrace_account_limits[i] = n;
	}
}

/*
 * Free accounts without references, any or those that owe no time. The others stay in the table: a
 * user does not get a new share by letting go of all that is charged. Other users may wait for the
 * account lock, so the table is searched once for all of them.
 */
static void account_free_unused(bool any)
{
	uint64_t now = port_timestamp();
	struct hnode *n, *next;

	PORT_ASSERT_HELD(&account_lock);
	for (uint32_t i = 0; i < accounts.size; i++)
		for (n = accounts.buckets[i]; n; n = next) {
			struct dtrace_account *a = link_entry(n, struct dtrace_account, by_uid);

			next = n->next;
			if (a->refs || (!any && account_owes(a, now)))
				continue;
			htable_remove(&accounts, n);
			for (uint32_t res = 0; res < DTRACE_RES_MAX; res++)
				PORT_WARN_ON(a->used[res]);
			port_free(a);
		}
}

void account_fini(void)
{
	port_mutex_lock(&account_lock);
	account_free_unused(true);
	port_mutex_unlock(&account_lock);
	PORT_WARN_ON(accounts.count);
	htable_free(&accounts);
}

/* ---- accounts ---- */

/* Return the hash of an account's key. */
static uint32_t account_hash(uint32_t uid, bool privileged)
{
	return hash_int(uid * 2 + privileged);
}

/* Return the account of a user, or NULL. The caller holds the account lock. */
static struct dtrace_account *account_find(uint32_t uid, bool privileged)
{
	uint32_t hash = account_hash(uid, privileged);

	PORT_ASSERT_HELD(&account_lock);
	for (struct hnode *n = htable_first(&accounts, hash); n; n = htable_next(n)) {
		struct dtrace_account *a = link_entry(n, struct dtrace_account, by_uid);

		if (a->uid == uid && a->privileged == privileged)
			return a;
	}
	return NULL;
}

struct dtrace_account *dtrace_account_get(uint32_t uid, bool privileged)
{
	struct dtrace_account *fresh =
		port_alloc(sizeof(*fresh) + port_ncpus() * sizeof(fresh->shares[0]));
	struct dtrace_account *a;
	void *before;

	if (!fresh)
		return NULL;
	port_mutex_lock(&account_lock);
	before = port_uncharged_begin();
	a = account_find(uid, privileged);
	if (!a)
		account_free_unused(false);
	if (!a && htable_insert(&accounts, &fresh->by_uid, account_hash(uid, privileged)) == 0) {
		a = fresh;
		a->uid = uid;
		a->privileged = privileged;
		a->number = ++account_number;
		port_mutex_init(&a->turn);
		fresh = NULL;
	}
	if (a)
		port_xadd(&a->refs, 1);
	port_uncharged_end(before);
	port_mutex_unlock(&account_lock);
	port_free(fresh);
	return a;
}

struct dtrace_account *dtrace_account_ref(struct dtrace_account *a)
{
	port_xadd(&a->refs, 1);
	return a;
}

void dtrace_account_put(struct dtrace_account *a)
{
	uint32_t refs;

	if (!a)
		return;
	do {
		refs = port_read_once(&a->refs);
	} while (refs > 1 && !port_cas(&a->refs, refs, refs - 1));
	if (refs > 1)
		return;
	port_mutex_lock(&account_lock);
	if (port_xadd(&a->refs, -1) == 1)
		account_free_unused(false);
	port_mutex_unlock(&account_lock);
}

uint32_t dtrace_account_uid(const struct dtrace_account *a)
{
	return a->uid;
}

bool dtrace_account_privileged(const struct dtrace_account *a)
{
	return a->privileged;
}

/* ---- charges ---- */

/* Write why a charge is refused. Return -EDQUOT. */
static int account_refuse(const struct dtrace_account *a, enum dtrace_resource res, uint64_t used,
			  uint64_t n, struct dof_err *err)
{
	return ERR(
		err, -EDQUOT,
		"user %u holds %llu %s, with %llu more the limit of %llu would be passed (root can "
		"raise it in /sys/module/dtrace/parameters/%s; see /proc/dtrace/users)",
		a->uid, (unsigned long long)used, resources[res].what, (unsigned long long)n,
		(unsigned long long)dtrace_account_limits[res], resources[res].parameter);
}

int dtrace_account_charge(struct dtrace_account *a, enum dtrace_resource res, uint64_t n,
			  char *errmsg, size_t len)
{
	struct dof_err err = {.msg = errmsg, .len = len};
	uint64_t used, limit;

	do {
		used = port_read_once(&a->used[res]);
		limit = a->privileged ? UINT64_MAX : port_read_once(&dtrace_account_limits[res]);
		if (used > limit || n > limit - used)
			return account_refuse(a, res, used, n, &err);
	} while (!port_cas(&a->used[res], used, used + n));
	return 0;
}

void dtrace_account_add(struct dtrace_account *a, enum dtrace_resource res, uint64_t n)
{
	port_xadd(&a->used[res], n);
}

void dtrace_account_uncharge(struct dtrace_account *a, enum dtrace_resource res, uint64_t n)
{
	uint64_t before = port_xadd(&a->used[res], -n);

	PORT_WARN_ON(before < n);
}

/* ---- memory of one request ---- */

int dtrace_charged_alloc(struct dtrace_charged *c, struct dtrace_account *account,
			 enum dtrace_resource res, size_t size, char *errmsg, size_t len)
{
	int error = dtrace_account_charge(account, res, size, errmsg, len);

	memset(c, 0, sizeof(*c));
	if (error)
		return error;
	c->p = port_alloc(size);
	if (!c->p) {
		dtrace_account_uncharge(account, res, size);
		return -ENOMEM;
	}
	c->account = dtrace_account_ref(account);
	c->res = res;
	c->size = size;
	return 0;
}

void dtrace_charged_free(struct dtrace_charged *c)
{
	if (!c->p)
		return;
	port_free(c->p);
	dtrace_account_uncharge(c->account, c->res, c->size);
	dtrace_account_put(c->account);
	c->p = NULL;
}

/* ---- time in interrupts ---- */

/* Return whether a use of the user's is bounded. */
static bool account_has_share(const struct dtrace_account *a, enum account_use use)
{
	return use == ACCOUNT_HELPERS || !a->privileged;
}

uint64_t account_left(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t now)
{
	struct account_time *time = &a->shares[cpu].times[use];
	uint64_t share = account_span_share(use), paid = account_paid(time, use, now);

	if (!account_has_share(a, use))
		return UINT64_MAX;
	time->began += (now - time->began) / SHARE_SPAN * SHARE_SPAN;
	time->spent -= time->spent < paid ? time->spent : paid;
	return time->spent < share ? share - time->spent : 0;
}

uint64_t account_rest(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t now)
{
	const struct account_time *time = &a->shares[cpu].times[use];
	uint64_t share = account_span_share(use);
	uint64_t spans = share && time->spent > share ? time->spent / share : 1;

	return time->began + spans * SHARE_SPAN - now;
}

void account_spend(struct dtrace_account *a, uint32_t cpu, enum account_use use, uint64_t ns)
{
	if (account_has_share(a, use))
		a->shares[cpu].times[use].spent += ns;
}

/* ---- turns ---- */

int account_turn_begin(struct dtrace_account *a)
{
	return a->privileged ? 0 : port_mutex_lock_killable(&a->turn);
}

void account_turn_end(struct dtrace_account *a)
{
	if (!a->privileged)
		port_mutex_unlock(&a->turn);
}

/* ---- work of matching ---- */

/*
 * A unit is what a clause and a probe take at most, about a microsecond. In 10 s a million probes
 * come that two clauses each look at.
 */
#define MATCH_SPAN  10000000000ULL
#define MATCH_UNITS 2000000ULL

bool account_match(struct dtrace_account *a, uint64_t units)
{
	uint64_t now;

	ENGINE_ASSERT_LOCKED();
	if (a->privileged)
		return true;
	now = port_timestamp();
	if (now - a->match_began >= MATCH_SPAN) {
		a->match_began = now;
		a->matched = 0;
	}
	if (a->matched > MATCH_UNITS)
		return false;
	a->matched += units;
	return true;
}

/* ---- work and chill() ---- */

#define CHILL_MAX  500000000ULL /* ns of chill() per CPU in CHILL_SPAN */
#define CHILL_SPAN 1000000000ULL

uint64_t account_work(struct dtrace_account *a, uint32_t cpu, uint64_t hit, uint64_t now,
		      uint64_t *since)
{
	struct account_share *share = &a->shares[cpu];

	if (share->hit != hit) {
		share->hit = hit;
		share->since = now;
		share->work = 0;
	}
	*since = share->since;
	return a->privileged ? 0 : share->work;
}

void account_work_add(struct dtrace_account *a, uint32_t cpu, uint64_t n)
{
	a->shares[cpu].work += n;
}

bool account_chill(struct dtrace_account *a, uint32_t cpu, uint64_t now, uint64_t ns)
{
	struct account_share *share = &a->shares[cpu];

	if (now - share->chill_began > CHILL_SPAN) {
		share->chill_began = now;
		share->chilled = 0;
	}
	if (ns > CHILL_MAX || share->chilled + ns > CHILL_MAX)
		return false;
	share->chilled += ns;
	return true;
}

/* ---- the list of accounts ---- */

int dtrace_accountrow(uint32_t *after, struct dtrace_accountrow *info)
{
	const struct dtrace_account *found = NULL;

	port_mutex_lock(&account_lock);
	for (uint32_t i = 0; i < accounts.size; i++)
		for (struct hnode *n = accounts.buckets[i]; n; n = n->next) {
			const struct dtrace_account *a =
				link_entry(n, struct dtrace_account, by_uid);

			if (a->refs && a->number > *after && (!found || a->number < found->number))
				found = a;
		}
	if (found) {
		info->uid = found->uid;
		info->privileged = found->privileged;
		for (uint32_t i = 0; i < DTRACE_RES_MAX; i++)
			info->used[i] = port_read_once(&found->used[i]);
		*after = found->number;
	}
	port_mutex_unlock(&account_lock);
	return found ? 0 : -ESRCH;
}
