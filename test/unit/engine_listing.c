/* SPDX-License-Identifier: MIT */
/* engine_listing.c - tests of probes that exist only while they are enabled. */
#include "engine_fixture.h"
#include "core.h"
#include "engine_impl.h"
#include "probe.h"

/* Functions f0, f2 and f3 of module mod; f1 is another part of f0. */
#define NFUNCS 4

static const char *const names[] = {"in", "out", NULL};
static const char *const aliases[] = {"other", NULL};

struct made {
	unsigned int func, name;
	dtrace_probe_t *probe;
};

static struct {
	dtrace_provider_t *prov;
	dtrace_listing_t *listing;
	unsigned int made, destroyed, enabled, disabled, synced;
	bool no_memory, refuse, early;
	unsigned int refused_at; /* calls of sync until an element was refused; 0: none was */
	bool named;		 /* f3 must be named, and has no probe out */
	struct made *last;
} lp;

static bool lp_listed(void *arg, void *larg, uint32_t n, struct dtrace_listed *listed)
{
	static const char *const funcs[NFUNCS] = {"f0", "f1", "f2", "f3"};

	(void)arg;
	listed->mod = larg;
	listed->func = funcs[n];
	listed->mod_names = aliases;
	listed->named = lp.named && n == 3;
	listed->lacks = listed->named ? 1U << 1 : 0;
	return n != 1;
}

static void *lp_make(void *arg, void *larg, uint32_t n, uint32_t name)
{
	struct made *made = lp.no_memory ? NULL : calloc(1, sizeof(*made));

	(void)arg, (void)larg;
	if (!made)
		return NULL;
	made->func = n;
	made->name = name;
	lp.made++;
	return lp.last = made;
}

static void lp_made(void *parg, dtrace_probe_t *probe)
{
	((struct made *)parg)->probe = probe;
}

static int lp_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg;
	assert_ptr_equal(((struct made *)parg)->probe, probe);
	if (lp.refuse) {
		lp.refused_at = lp.synced + 1;
		return -EBUSY;
	}
	lp.enabled++;
	return 0;
}

static void lp_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe, (void)parg;
	lp.disabled++;
}

static void lp_sync(void *arg)
{
	(void)arg;
	lp.synced++;
}

static void lp_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	(void)arg, (void)probe;
	lp.early |= lp.synced < lp.refused_at; /* hits may have seen it */
	lp.destroyed++;
	free(parg);
}

static const dtrace_provider_ops_t lp_ops = {
	.listed = lp_listed,
	.make = lp_make,
	.made = lp_made,
	.enable = lp_enable,
	.disable = lp_disable,
	.sync = lp_sync,
	.destroy = lp_destroy,
};

static void list_it(void)
{
	assert_int_equal(dtrace_listing_create(lp.prov, NFUNCS, names, "mod", &lp.listing), 0);
}

static int setup(void **state)
{
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;

	memset(&lp, 0, sizeof(lp));
	if (fixture_setup(state))
		return -1;
	assert_int_equal(dtrace_provider_register("lp", &attr, &priv, &lp_ops, NULL, &lp.prov), 0);
	return 0;
}

static int teardown(void **state)
{
	if (fix.state)
		dtrace_state_destroy(fix.state);
	fix.state = NULL;
	if (lp.listing)
		dtrace_listing_destroy(lp.listing);
	dtrace_provider_unregister(lp.prov);
	assert_int_equal(lp.made, lp.destroyed);
	return fixture_teardown(state);
}

/*
 * The number of the first probe from that number on that matches, with its function in func; 0:
 * none.
 */
static dtrace_id_t find(dtrace_id_t from, const char *mod, const char *name, char *func)
{
	dtrace_probedesc_t desc = {.dtpd_id = from};

	strcpy(desc.dtpd_provider, "lp");
	strcpy(desc.dtpd_mod, mod);
	strcpy(desc.dtpd_name, name);
	if (dtrace_state_probes(fix.state, true, &desc) != 0)
		return 0;
	strcpy(func, desc.dtpd_func);
	return desc.dtpd_id;
}

static void enable(const char *desc)
{
	static const struct build_action acts[] = {ACT_ARG0, ACT_END};
	dtrace_enable_io_t io;

	fixture_clause(desc, NULL, acts);
	assert_int_equal(fixture_enable(&io, NULL), 0);
}

static void elements_are_listed_without_being_made(void **state)
{
	char func[DTRACE_FUNCNAMELEN];
	dtrace_id_t id, first;

	(void)state;
	list_it();
	first = id = find(1, "", "", func);
	assert_string_equal(func, "f0");
	id = find(id + 1, "", "", func);
	assert_int_equal(id, first + 1);
	id = find(id + 1, "", "", func);
	assert_int_equal(id, first + 4); /* f1 is no element */
	assert_string_equal(func, "f2");
	assert_int_equal(find(first, "", "out", func), first + 1);
	assert_int_equal(find(first, "other", "out", func), first + 1);
	assert_int_equal(find(first, "another", "out", func), 0);
	assert_int_equal(find(first, "", "none", func), 0);
	assert_int_equal(find(first + 8, "", "", func), 0);
	assert_int_equal(lp.made, 0);
}

static void numbers_of_others_do_not_collide(void **state)
{
	char func[DTRACE_FUNCNAMELEN], name[16];
	dtrace_id_t first;

	(void)state;
	list_it();
	first = find(1, "", "", func);
	for (unsigned int i = 0; i < 300; i++) {
		dtrace_id_t id;

		snprintf(name, sizeof(name), "n%u", i);
		id = dtrace_probe_id(fixture_probe("g", name));
		assert_true(id < first || id >= first + 2 * NFUNCS);
	}
	assert_int_equal(find(1, "", "", func), first);
}

static void an_enabled_element_exists(void **state)
{
	char func[DTRACE_FUNCNAMELEN];
	struct bytes out = {0};
	dtrace_id_t id;

	(void)state;
	list_it();
	id = find(1, "", "out", func);
	enable("lp:mod:f0:out");
	assert_int_equal(lp.made, 1);
	assert_int_equal(lp.enabled, 1);
	assert_true(lp.synced > 0);
	assert_int_equal(lp.last->name, 1);
	assert_int_equal(dtrace_probe_id(lp.last->probe), id);
	assert_int_equal(find(1, "", "out", func), id);
	assert_int_equal(find(1, "other", "out", func), id);
	fixture_go();
	fixture_fire(lp.last->probe, 5);
	fixture_stop();
	fixture_read(0, &out);
	assert_true(out.n > 0);
	bytes_free(&out);
	fixture_session(DTRACE_PRIV_ALL, 0);
	assert_int_equal(lp.disabled, 1);
	assert_int_equal(lp.destroyed, 1);
	assert_int_equal(find(1, "", "out", func), id);
	enable("lp:other:f[23]:");
	assert_int_equal(lp.made, 5);
}

static void two_sessions_share_an_element(void **state)
{
	dtrace_state_t *first;

	(void)state;
	list_it();
	enable("lp::f0:in");
	first = fix.state;
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	enable("lp::f0:in");
	assert_int_equal(lp.made, 1);
	dtrace_state_destroy(first);
	assert_int_equal(lp.destroyed, 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	assert_int_equal(lp.destroyed, 1);
}

static void an_element_that_cannot_be_enabled_ends(void **state)
{
	(void)state;
	list_it();
	lp.refuse = true;
	enable("lp::f0:in");
	assert_int_equal(lp.made, 1);
	assert_int_equal(lp.destroyed, 1);
	assert_false(lp.early);
	assert_int_equal(fixture_status().dtst_unattached, 1);
	lp.no_memory = true;
	enable("lp::f2:in");
	assert_int_equal(fixture_status().dtst_unattached, 2);
}

static dtrace_id_t find_function(const char *pattern, const char *name)
{
	dtrace_probedesc_t desc = {.dtpd_id = 1};

	strcpy(desc.dtpd_provider, "lp");
	strcpy(desc.dtpd_func, pattern);
	strcpy(desc.dtpd_name, name);
	return dtrace_state_probes(fix.state, true, &desc) == 0 ? desc.dtpd_id : 0;
}

static void an_element_that_must_be_named(void **state)
{
	dtrace_probedesc_t all = {.dtpd_id = 1};
	unsigned int n = 0;
	dtrace_id_t id;

	(void)state;
	lp.named = true;
	list_it();
	assert_int_equal(find_function("f[3]", "in"), 0);
	assert_int_equal(find_function("f3*", ""), 0);
	id = find_function("f3", "in");
	assert_true(id > 0);
	assert_int_equal(find_function("f3", ""), id);
	assert_int_equal(find_function("f3", "out"), 0);
	enable("lp:::");
	enable("lp::*3:");
	assert_int_equal(lp.made, 4);
	enable("lp::f3:");
	assert_int_equal(lp.made, 5);
	/* it exists now, which makes no difference */
	assert_int_equal(find_function("f3", "in"), id);
	assert_int_equal(find_function("f[3]", "in"), 0);
	enable("lp::*3:in");
	enable("lp:::");
	assert_int_equal(lp.made, 5);
	assert_int_equal(lp.enabled, 5);
	fixture_session(DTRACE_PRIV_ALL, 0);
	for (; dtrace_state_probes(fix.state, false, &all) == 0; all.dtpd_id++)
		n += strcmp(all.dtpd_provider, "lp") == 0;
	assert_int_equal(n, 4);
}

static void a_listing_comes_later(void **state)
{
	(void)state;
	enable("lp:::out");
	assert_int_equal(lp.made, 0);
	list_it();
	assert_int_equal(dtrace_listing_match(lp.listing), 0);
	assert_int_equal(lp.made, 3);
	assert_int_equal(lp.enabled, 3);
}

/* A listing that no clause takes does not wait for what others enable. */
static void a_listing_comes_for_nobody(void **state)
{
	(void)state;
	enable("lp:none::out");
	engine_lock();
	provider_note_sync(lp.prov);
	engine_unlock();
	list_it();
	assert_int_equal(dtrace_listing_match(lp.listing), 0);
	assert_int_equal(lp.made, 0);
	assert_int_equal(lp.synced, 0);
	provider_sync_all();
	assert_int_equal(lp.synced, 1);
}

static int killed(void *arg)
{
	(void)arg;
	return -EINTR;
}

/* A thread that is killed while another one is at sync leaves the rest to that one. */
static void a_listing_comes_by_a_killed_thread(void **state)
{
	int error;

	(void)state;
	enable("lp:::out");
	list_it();
	port_mutex_lock(&engine.sync_lock);
	port_user_relax(killed, NULL);
	error = dtrace_listing_match(lp.listing);
	port_user_relax(NULL, NULL);
	port_mutex_unlock(&engine.sync_lock);
	assert_int_equal(error, 0);
	assert_int_equal(lp.enabled, 3);
	assert_int_equal(lp.synced, 0);
	assert_true(engine.sync_left);
	provider_sync_all();
	assert_int_equal(lp.synced, 1);
}

static void a_listing_ends_while_it_is_enabled(void **state)
{
	char func[DTRACE_FUNCNAMELEN];

	(void)state;
	list_it();
	enable("lp:::");
	assert_int_equal(lp.enabled, 6);
	dtrace_listing_destroy(lp.listing);
	lp.listing = NULL;
	assert_int_equal(lp.destroyed, 6);
	assert_int_equal(find(1, "", "", func), 0);
	list_it();
	assert_int_equal(dtrace_listing_match(lp.listing), 0);
	assert_int_equal(lp.enabled, 12);
}

static void missed_events_are_counted(void **state)
{
	(void)state;
	list_it();
	enable("lp::f0:in");
	dtrace_fire_missed(lp.last->probe); /* not tracing yet */
	fixture_go();
	dtrace_fire_missed(lp.last->probe);
	dtrace_fire_missed(lp.last->probe);
	assert_int_equal(fixture_status().dtst_missed, 2);
	fixture_stop();
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(elements_are_listed_without_being_made),
		T(numbers_of_others_do_not_collide),
		T(an_enabled_element_exists),
		T(two_sessions_share_an_element),
		T(an_element_that_cannot_be_enabled_ends),
		T(an_element_that_must_be_named),
		T(a_listing_comes_later),
		T(a_listing_comes_for_nobody),
		T(a_listing_comes_by_a_killed_thread),
		T(a_listing_ends_while_it_is_enabled),
		T(missed_events_are_counted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
