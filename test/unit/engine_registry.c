/* SPDX-License-Identifier: MIT */
/*
 * engine_registry.c - long work on the registry of providers and probes: it lets others have the
 * lock, ends when its caller is killed, and does not grow faster than what there is.
 */
#include "enabling.h"
#include "engine_fixture.h"
#include "engine_impl.h"
#include "probe.h"
#include "table.h"
#include <time.h>

enum { NPROBES = 1000 };

static dtrace_probe_t *many[NPROBES];

static void make_many(void)
{
	char name[16];

	for (unsigned int i = 0; i < NPROBES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		many[i] = fixture_probe("f", name);
	}
}

static int setup(void **state)
{
	int rc = fixture_setup(state);

	port_user_relax(NULL, NULL);
	return rc;
}

static int teardown(void **state)
{
	port_user_relax(NULL, NULL);
	return fixture_teardown(state);
}

/* ---- killed ---- */

static long turns_left;

static int killed_later(void *arg)
{
	(void)arg;
	return turns_left-- > 0 ? 0 : -EINTR;
}

/* An enabling ends at any turn, and nothing of it stays. */
static void killed_while_enabling(void **state)
{
	unsigned long before;
	dtrace_enable_io_t io;
	unsigned int ended = 0;
	int rc;

	(void)state;
	make_many();
	fixture_clause("test:mod:f:", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, NPROBES);
	fixture_session(DTRACE_PRIV_ALL, 0);
	before = port_user_allocated();
	port_user_relax(killed_later, NULL);
	for (long n = 0;; n++) {
		fixture_clause("t*:mod:f*:n*", NULL, (struct build_action[]){ACT_ARG0, ACT_END});
		fixture_clause("te?t:mod:f*:*[0-9]", NULL,
			       (struct build_action[]){ACT_ARG0, ACT_END});
		turns_left = n;
		rc = fixture_enable(&io, NULL);
		if (!rc)
			break;
		ended++;
		assert_int_equal(rc, -EINTR);
		for (unsigned int i = 0; i < NPROBES; i++)
			assert_false(dtrace_probe_enabled(many[i]));
		fixture_session(DTRACE_PRIV_ALL, 0);
		assert_int_equal(port_user_allocated(), before);
	}
	assert_int_equal(io.n_matched, 2 * NPROBES);
	assert_true(ended >= 10);
}

/* The probes are matched for others: the end of the caller does not end that. */
static void killed_while_probes_are_matched(void **state)
{
	(void)state;
	for (unsigned int i = 0; i < 20; i++)
		fixture_clause("test:mod:f:*n*", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	make_many();
	turns_left = 3;
	port_user_relax(killed_later, NULL);
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	assert_true(turns_left < 0);
	port_user_relax(NULL, NULL);
	for (unsigned int i = 0; i < NPROBES; i++)
		assert_int_equal(many[i]->ecbs->live, 20);
}

static void killed_while_listing(void **state)
{
	dtrace_probedesc_t desc = {.dtpd_id = 2, .dtpd_provider = "te*", .dtpd_name = "*x"};

	(void)state;
	make_many();
	assert_int_equal(dtrace_state_probes(fix.state, true, &desc), -ESRCH);
	desc = (dtrace_probedesc_t){.dtpd_id = 2, .dtpd_provider = "te*", .dtpd_name = "*x"};
	turns_left = 0;
	port_user_relax(killed_later, NULL);
	assert_int_equal(dtrace_state_probes(fix.state, true, &desc), -EINTR);
}

/* ---- what happens while the lock is let go ---- */

static unsigned int changes, removed;
static dtrace_provider_t *other;

/* Remove probes from both ends of what is left, and add new ones. */
static int change(void *arg)
{
	dtrace_probe_t *two[2] = {many[removed], many[NPROBES - 1 - removed]};
	char name[16];

	(void)arg;
	assert_false(port_mutex_held(&engine.lock));
	if (port_mutex_held(&engine.sync_lock))
		return 0;
	port_user_relax(NULL, NULL);
	if (removed < NPROBES / 2 - 1) {
		removed++;
		dtrace_probe_destroy(two, 2);
		snprintf(name, sizeof(name), "new%u", removed);
		fixture_probe("f", name);
	}
	if (++changes == 3)
		dtrace_provider_match(fix.prov);
	if (changes == 5 && other) {
		dtrace_provider_unregister(other);
		other = NULL;
	}
	port_user_relax(change, NULL);
	return 0;
}

static void probes_come_and_go_meanwhile(void **state)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	dtrace_enable_io_t io;
	char name[16];
	unsigned int live = 0;

	(void)state;
	changes = removed = 0;
	make_many();
	assert_int_equal(dtrace_provider_register("tother", &attr, &priv, &ops, NULL, &other), 0);
	for (unsigned int i = 0; i < 300; i++) {
		snprintf(name, sizeof(name), "o%u", i);
		assert_int_equal(dtrace_probe_create(other, "m", "f", name, NULL, NULL), 0);
	}
	for (unsigned int i = 0; i < 4; i++)
		fixture_clause("t*::f:*", NULL, NULL);
	port_user_relax(change, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	port_user_relax(NULL, NULL);
	assert_true(changes > 10 && removed > 10);
	assert_null(other);
	dtrace_provider_match(fix.prov);
	for (struct link *l = fix.prov->probes.next; l != &fix.prov->probes; l = l->next) {
		const dtrace_probe_t *p = link_entry(l, dtrace_probe_t, link);

		if (!strcmp(p->func, "f")) {
			live++;
			assert_int_equal(p->ecbs->live, 4);
			for (uint32_t i = 1; i < 4; i++) /* in the order of the program */
				assert_true(p->ecbs->ecbs[i]->clause >
					    p->ecbs->ecbs[i - 1]->clause);
		}
	}
	assert_int_equal(live, NPROBES - removed);
}

/* Sessions and enablings end while their clauses are being matched with new probes. */
static dtrace_state_t *victim;

static int end_victim(void *arg)
{
	(void)arg;
	if (port_mutex_held(&engine.sync_lock))
		return 0;
	port_user_relax(NULL, NULL);
	if (victim)
		dtrace_state_destroy(victim);
	victim = NULL;
	return 0;
}

static void sessions_end_meanwhile(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL};
	dtrace_enable_io_t io;
	size_t size;

	(void)state;
	assert_int_equal(dtrace_state_create(&cred, NULL, &victim), 0);
	for (unsigned int i = 0; i < 400; i++)
		build_clause(&fix.dof, "test:mod:f:*", NULL, DOF_SECIDX_NONE, 0);
	{
		const void *dof = build_finish(&fix.dof, &size);

		assert_int_equal(dtrace_state_enable(victim, dof, size, &io, NULL, 0), 0);
	}
	build_dof_free(&fix.dof);
	build_dof_init(&fix.dof);
	fixture_clause("test:mod:f:", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	make_many();
	port_user_relax(end_victim, NULL);
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	assert_null(victim);
	for (unsigned int i = 0; i < NPROBES; i++)
		assert_true(many[i]->ecbs && dtrace_probe_enabled(many[i]));
}

/* ---- failures ---- */

static void what_cannot_be_attached_is_counted(void **state)
{
	dtrace_enable_io_t io;

	(void)state;
	fixture_clause("test:mod:func:a", NULL, NULL);
	fixture_clause("test:mod:f:", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 1);
	assert_int_equal(fixture_status().dtst_unattached, 0);
	fix.enable_error = -ENOSPC;
	fixture_probe("f", "x");
	fixture_probe("f", "y");
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	fix.enable_error = 0;
	assert_int_equal(fixture_status().dtst_unattached, 2);
}

/* ---- names ---- */

static void providers_of_one_name(void **state)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	dtrace_ppriv_t mine = {.dtpp_flags = DTRACE_PRIV_OWNER, .dtpp_uid = 5};
	dtrace_ppriv_t theirs = {.dtpp_flags = DTRACE_PRIV_OWNER, .dtpp_uid = 6};
	dtrace_providerdesc_t desc = {.dtvd_name = "foo123"};
	dtrace_provider_t *a, *b, *c;
	dtrace_probe_t *pa, *pb;
	dtrace_enable_io_t io;

	(void)state;
	assert_int_equal(dtrace_provider_register_for(23, "foo123", &attr, &theirs, &ops, NULL, &a),
			 0);
	assert_int_equal(dtrace_provider_register_for(123, "foo123", &attr, &mine, &ops, NULL, &b),
			 0);
	assert_int_equal(dtrace_provider_register_for(123, "foo123", &attr, &mine, &ops, NULL, &c),
			 -EEXIST);
	assert_int_equal(dtrace_probe_create(a, "m", "f", "n", NULL, &pa), 0);
	assert_int_equal(dtrace_probe_create(b, "m", "f", "n", NULL, &pb), 0);
	assert_ptr_equal(dtrace_probe_lookup(a, "m", "f", "n"), pa);
	assert_ptr_equal(dtrace_probe_lookup(b, "m", "f", "n"), pb);
	fixture_clause("foo123:::", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 2);
	fixture_session(DTRACE_PRIV_PROC, 5);
	assert_int_equal(dtrace_state_provider(fix.state, &desc), 0);
	assert_int_equal(desc.dtvd_priv.dtpp_uid, 5);
	fixture_session(DTRACE_PRIV_PROC, 7);
	assert_int_equal(dtrace_state_provider(fix.state, &desc), -ESRCH);
	dtrace_provider_unregister(a);
	dtrace_provider_unregister(b);
}

/* ---- hashing ---- */

/* The reference values of SipHash-2-4 with the key 00 01 .. 0f and messages 00 01 ... */
static void siphash(void **state)
{
	uint64_t key[2] = {0x0706050403020100ULL, 0x0f0e0d0c0b0a0908ULL};
	uint8_t m[15];

	(void)state;
	for (uint8_t i = 0; i < 15; i++)
		m[i] = i;
	assert_int_equal(hash_siphash(key, m, 0), 0x726fdb47dd0e0e31ULL);
	assert_int_equal(hash_siphash(key, m, 8), 0x93f5f5799a932462ULL);
	assert_int_equal(hash_siphash(key, m, 15), 0xa129ca6149be45e5ULL);
}

static double cpu_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* FNV-1a with its usual start, which is easy to compute. */
static uint32_t fnv(const char *s, uint32_t h)
{
	while (*s)
		h = (h ^ (uint8_t)*s++) * 16777619U;
	return h;
}

/*
 * Names of probes that collide for an unkeyed FNV hash, whatever comes before or after them: all
 * are made of two blocks that lead from some state to the same one.
 */
static double seconds_for(bool collide, unsigned int n)
{
	static char blocks[2][16][9];
	dtrace_probe_t **probes = malloc(n * sizeof(*probes));
	uint32_t at = 2166136261U;
	char name[160];
	double took;

	for (unsigned int i = 0; collide && i < 13; i++) {
		/* a birthday search for two blocks that lead to one state */
		enum { TABLE = 1 << 18 };
		static uint32_t seen[TABLE];
		static uint32_t who[TABLE];
		char a[9], b[9];

		memset(seen, 0, sizeof(seen));
		for (uint32_t k = 1;; k++) {
			uint32_t h;

			snprintf(a, sizeof(a), "%04x", k & 0xfffff);
			h = fnv(a, at);
			if (seen[h % TABLE] == h && who[h % TABLE] != k) {
				snprintf(b, sizeof(b), "%04x", who[h % TABLE]);
				if (fnv(b, at) == h && strcmp(a, b) != 0) {
					strcpy(blocks[0][i], a);
					strcpy(blocks[1][i], b);
					at = h;
					break;
				}
			}
			seen[h % TABLE] = h;
			who[h % TABLE] = k;
		}
	}
	took = cpu_seconds();
	for (unsigned int i = 0; i < n; i++) {
		name[0] = '\0';
		for (unsigned int bit = 0; bit < 13; bit++) {
			char other_block[9];

			snprintf(other_block, sizeof(other_block), "%05x",
				 bit * 2 + (i >> bit & 1));
			strcat(name, collide ? blocks[i >> bit & 1][bit] : other_block);
		}
		assert_int_equal(dtrace_probe_create(fix.prov, "", name, collide ? "c" : "r", NULL,
						     &probes[i]),
				 0);
	}
	took = cpu_seconds() - took;
	dtrace_probe_destroy(probes, n);
	free(probes);
	return took;
}

static void names_that_collide(void **state)
{
	double random, chosen;

	(void)state;
	seconds_for(false, 8192); /* tables have grown */
	random = seconds_for(false, 8192);
	chosen = seconds_for(true, 8192);
	if (chosen > 2 * random + 0.02)
		fail_msg("8,192 names chosen to collide: %.3f s, others %.3f s", chosen, random);
}

static double seconds_for_providers(dtrace_provider_t **list, unsigned int first, unsigned int n)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	double took = cpu_seconds();
	char name[32];

	for (unsigned int i = first; i < first + n; i++) {
		dtrace_providerdesc_t desc;

		snprintf(name, sizeof(name), "many%u", i);
		assert_int_equal(dtrace_provider_register(name, &attr, &priv, &ops, NULL, &list[i]),
				 0);
		strcpy(desc.dtvd_name, name);
		assert_int_equal(dtrace_state_provider(fix.state, &desc), 0);
	}
	return cpu_seconds() - took;
}

/* Making, finding and listing providers: a thousand more cost what the first thousand cost. */
static void many_providers(void **state)
{
	enum { N = 16000 };
	dtrace_provider_t **list = malloc(N * sizeof(*list));
	struct dtrace_providerrow info;
	double first, last, listed;
	uint32_t after = 0, n = 0;

	(void)state;
	first = seconds_for_providers(list, 0, 1000);
	listed = cpu_seconds();
	while (dtrace_providerrow(&after, &info) == 0)
		n++;
	listed = cpu_seconds() - listed;
	assert_true(n >= 1000);
	seconds_for_providers(list, 1000, N - 2000);
	last = seconds_for_providers(list, N - 1000, 1000);
	if (last > 2 * first + 0.02)
		fail_msg("the first 1,000 providers: %.3f s, the last %.3f s", first, last);
	first = listed;
	listed = cpu_seconds();
	for (after = n = 0; dtrace_providerrow(&after, &info) == 0; n++)
		;
	listed = cpu_seconds() - listed;
	assert_true(n >= N);
	if (listed > 2 * 16 * first + 0.02)
		fail_msg("listing 1,000 providers: %.3f s, 16,000: %.3f s", first, listed);
	for (unsigned int i = 0; i < N; i++)
		dtrace_provider_unregister(list[i]);
	free(list);
}

/* ---- exact descriptions ---- */

/*
 * Return the number of probes that a description matches, in a list and enabled. *turns: how often
 * the lock was let go.
 */
static uint32_t exact(const char *prov, const char *mod, const char *func, const char *name,
		      unsigned long *turns)
{
	unsigned long before = port_user_relaxed();
	char text[4 * DTRACE_NAMELEN];
	dtrace_probedesc_t desc;
	dtrace_enable_io_t io;
	dtrace_id_t next = 2;
	uint32_t n = 0;

	for (;; n++) {
		desc = (dtrace_probedesc_t){.dtpd_id = next};
		strcpy(desc.dtpd_provider, prov);
		strcpy(desc.dtpd_mod, mod);
		strcpy(desc.dtpd_func, func);
		strcpy(desc.dtpd_name, name);
		if (dtrace_state_probes(fix.state, true, &desc) != 0)
			break;
		assert_true(desc.dtpd_id >= next);
		assert_string_equal(desc.dtpd_name, name);
		next = desc.dtpd_id + 1;
	}
	snprintf(text, sizeof(text), "%s:%s:%s:%s", prov, mod, func, name);
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause(text, NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, n);
	*turns = port_user_relaxed() - before;
	return n;
}

/*
 * A description without patterns finds its probes by the hash of their names, among however many
 * there are. The control is one with a pattern, which looks at each.
 */
static void exact_descriptions(void **state)
{
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static const dtrace_provider_ops_t ops;
	dtrace_provider_t *plain;
	unsigned long turns,
		none; /* none: of a description without a provider; ending a session may add one */
	char name[16];

	(void)state;
	make_many();
	assert_int_equal(dtrace_provider_register("plain", &attr, &priv, &ops, NULL, &plain), 0);
	for (unsigned int i = 0; i < NPROBES; i++) {
		snprintf(name, sizeof(name), "n%u", i);
		assert_int_equal(dtrace_probe_create(plain, "", "", name, NULL, NULL), 0);
	}
	assert_int_equal(exact("nobody", "", "f", "n777", &none), 0);
	assert_int_equal(exact("test", "", "f", "n777", &turns), 1);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("test", "mod", "f", "n999", &turns), 1);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("test", "mod", "f", "n1000", &turns), 0);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("test", "other", "f", "n777", &turns), 0);
	assert_int_equal(exact("test", "", "g", "n777", &turns), 0);
	assert_int_equal(exact("plain", "", "", "n998", &turns), 1);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("p*n", "", "", "n0", &turns), 1);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("", "*", "f", "n5", &turns), 1);
	assert_true(turns <= none + 1);
	/* probes of the other provider have functions: they are looked at */
	assert_int_equal(exact("", "", "", "n777", &turns), 2);
	assert_true(turns > none + 1);
	/* the same names in another module, found in the order of their numbers */
	assert_int_equal(dtrace_probe_create(fix.prov, "other", "f", "n777", NULL, NULL), 0);
	assert_int_equal(dtrace_provider_match(fix.prov), 0);
	assert_int_equal(exact("test", "", "f", "n777", &turns), 2);
	assert_true(turns <= none + 1);
	assert_int_equal(exact("test", "other", "f", "n777", &turns), 1);
	/* with a function, there is a probe that the description without one must not miss */
	assert_int_equal(dtrace_probe_create(plain, "", "g", "n998", NULL, NULL), 0);
	assert_int_equal(exact("plain", "", "", "n998", &turns), 2);
	assert_true(turns > none + 1);
	assert_int_equal(exact("plain", "", "g", "n998", &turns), 1);
	assert_true(turns <= none + 1);
	fixture_session(DTRACE_PRIV_ALL, 0);
	dtrace_provider_unregister(plain);
}

/* ---- calls of sync ---- */

static dtrace_provider_t *noted;
static unsigned int nsynced;

/* Note the provider again, as another thread would that enables one of its probes meanwhile. */
static void sync_and_note(void *arg)
{
	(void)arg;
	assert_true(port_mutex_held(&engine.sync_lock));
	if (++nsynced % 4) {
		engine_lock();
		provider_note_sync(noted);
		engine_unlock();
	}
}

/* Who waits for calls of sync does not wait for what others note meanwhile. */
static void notes_of_others(void **state)
{
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static const dtrace_provider_ops_t ops = {.sync = sync_and_note};

	(void)state;
	nsynced = 0;
	assert_int_equal(dtrace_provider_register("noting", &attr, &priv, &ops, NULL, &noted), 0);
	engine_lock();
	provider_note_sync(noted);
	provider_note_sync(noted);
	engine_unlock();
	provider_sync_all();
	assert_int_equal(nsynced, 1);
	assert_int_equal(provider_sync_killable(), 0);
	assert_int_equal(nsynced, 2);
	/* the owner of the lock does all the work that was left to it */
	provider_sync_soon();
	assert_int_equal(nsynced, 4);
	dtrace_provider_unregister(noted);
}

/* The objects of a table are found in order of their numbers, however far apart these are. */
static void a_sparse_table(void **state)
{
	enum { N = 5000, FAR = 4500, RESERVED = 3000 };
	struct idtable table = {0};
	uint32_t ids[N], id, first;
	uint64_t owner;
	int objects[N];

	(void)state;
	assert_null(idtable_next(&table, 0));
	for (uint32_t i = 0; i < N; i++)
		assert_int_equal(idtable_insert(&table, &objects[i], &ids[i]), 0);
	for (uint32_t i = 0; i < N; i++)
		if (i != 0 && i != FAR)
			idtable_remove(&table, ids[i]);
	assert_ptr_equal(idtable_next(&table, 0), &objects[0]);
	assert_ptr_equal(idtable_next(&table, ids[0]), &objects[FAR]);
	assert_ptr_equal(idtable_next(&table, ids[FAR] - 1), &objects[FAR]);
	assert_null(idtable_next(&table, ids[FAR]));

	assert_int_equal(idtable_reserve(&table, RESERVED, &owner, &first), 0);
	id = first + RESERVED - 1;
	assert_ptr_equal(idtable_next(&table, ids[0]), &objects[FAR]);
	idtable_take(&table, id, &objects[1]);
	assert_ptr_equal(idtable_next(&table, id - 1), &objects[1]);
	idtable_give_back(&table, id, &owner);
	assert_ptr_not_equal(idtable_next(&table, id - 1), &objects[1]);
	idtable_take(&table, id, &objects[2]);
	idtable_release(&table, first, RESERVED);
	assert_ptr_equal(idtable_next(&table, id - 1), &objects[2]);
	idtable_remove(&table, id);
	idtable_remove(&table, ids[0]);
	assert_ptr_equal(idtable_next(&table, 0), &objects[FAR]);
	idtable_remove(&table, ids[FAR]);
	assert_null(idtable_next(&table, 0));
	idtable_free(&table);
}

/*
 * Entries of a hash table are found while it grows, one bucket for one entry, and while it is
 * emptied. Each is in one bucket.
 */
static void a_growing_table(void **state)
{
	enum { N = 3000 };
	static struct hnode nodes[N];
	struct htable table = {0};
	uint32_t seen = 0;

	(void)state;
	assert_null(htable_first(&table, 7));
	for (uint32_t i = 0; i < N; i++) {
		uint64_t bytes = htable_bytes_next(&table);
		uint32_t size = table.size;

		assert_int_equal(htable_insert(&table, &nodes[i], hash_int(i / 2)), 0);
		assert_true(!size || table.size - size <= 1);
		assert_int_equal(table.capacity * sizeof(struct hnode *), bytes);
		for (uint32_t k = 0; k <= i; k += i < 300 ? 1 : 97) {
			struct hnode *n = htable_first(&table, hash_int(k / 2));

			while (n && n != &nodes[k])
				n = htable_next(n);
			assert_ptr_equal(n, &nodes[k]);
		}
	}
	assert_int_equal(table.count, N);
	assert_true(table.size >= N);
	for (uint32_t i = 0; i < table.size; i++)
		for (const struct hnode *n = table.buckets[i]; n; n = n->next)
			seen++;
	assert_int_equal(seen, N);
	for (uint32_t i = 0; i < N; i++) {
		htable_remove(&table, &nodes[i]);
		if (i % 2)
			assert_null(htable_first(&table, hash_int(i / 2)));
	}
	assert_int_equal(table.count, 0);
	htable_free(&table);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(a_growing_table),	   T(a_sparse_table),
		T(killed_while_enabling),  T(killed_while_probes_are_matched),
		T(killed_while_listing),   T(probes_come_and_go_meanwhile),
		T(sessions_end_meanwhile), T(what_cannot_be_attached_is_counted),
		T(providers_of_one_name),  T(siphash),
		T(names_that_collide),	   T(many_providers),
		T(exact_descriptions),	   T(notes_of_others),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
