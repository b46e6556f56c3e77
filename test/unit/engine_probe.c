/* SPDX-License-Identifier: MIT */
/* engine_probe.c - providers and probes: names, patterns, listings, and how long they exist. */
#include <pthread.h>
#include <unistd.h>
#include "engine_fixture.h"
#include "glob.h"

static const struct build_action record_arg0[] = {ACT_ARG0, ACT_END};

static bool matches(const char *pattern, const char *s)
{
	static struct glob g;

	glob_compile(&g, pattern);
	return glob_match(&g, s);
}

static void patterns(void **state)
{
	static const struct {
		const char *pattern, *s;
		bool match;
	} cases[] = {
		{"", "anything", true},
		{"", "", true},
		{"abc", "abc", true},
		{"abc", "abcd", false},
		{"*", "", true},
		{"a*c", "abbbc", true},
		{"a*c", "abbbd", false},
		{"*b*b*", "abab", true},
		{"*b*b*", "aba", false},
		{"a?c", "abc", true},
		{"a?c", "ac", false},
		{"[a-c]x", "bx", true},
		{"[a-c]x", "dx", false},
		{"[!a-c]x", "dx", true},
		{"[!a-c]x", "ax", false},
		{"[]]", "]", true},
		{"[abc", "[abc", true},
		{"a\\*", "a*", true},
		{"a\\*", "ab", false},
		{"**x", "yyx", true},
		{"[a-]z", "-z", true},
		{"x[", "x[", true},
		{"*a*a*a*a*a*b", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (matches(cases[i].pattern, cases[i].s) != cases[i].match)
			fail_msg("%s against %s", cases[i].pattern, cases[i].s);
}

/* The same by trying: an element against a character, as the manual has it. */
static bool element(const char *p, char c, const char **end)
{
	bool negate, hit = false;

	if (*p == '?' || (*p == '\\' && p[1])) {
		*end = p + (*p == '?' ? 1 : 2);
		return *p == '?' || p[1] == c;
	}
	if (*p != '[' || !strchr(p + 1, ']')) {
		*end = p + 1;
		return *p == c;
	}
	negate = p[1] == '!';
	p += negate ? 2 : 1;
	do {
		bool range = p[0] && p[1] == '-' && p[2] && p[2] != ']';

		hit |= range ? c >= p[0] && c <= p[2] : c == p[0];
		p += range ? 3 : 1;
	} while (*p && *p != ']');
	*end = p + (*p == ']');
	return hit != negate;
}

static bool tried(const char *p, const char *s)
{
	const char *end;

	if (!*p)
		return !*s;
	if (*p == '*')
		return tried(p + 1, s) || (*s && tried(p, s + 1));
	return *s && element(p, *s, &end) && tried(end, s + 1);
}

/* Short random patterns of few characters, so that many match. */
static void patterns_at_random(void **state)
{
	static const char alphabet[] = "aabbc*?[]!-\\\xe4";
	uint64_t x = 88172645463325252ULL;
	unsigned int hits = 0;
	char p[12], s[12];

	(void)state;
	for (unsigned int i = 0; i < 300000; i++) {
		unsigned int np, ns;

		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		np = x % sizeof(p);
		ns = (x >> 8) % sizeof(s);
		for (unsigned int k = 0; k < np; k++)
			p[k] = alphabet[(x >> (k * 4)) * 0x9e3779b97f4a7c15ULL % 14];
		for (unsigned int k = 0; k < ns; k++)
			s[k] = alphabet[(x >> (k * 5)) * 0xbf58476d1ce4e5b9ULL % (i % 3 ? 5 : 14)];
		p[np] = s[ns] = '\0';
		if (matches(p, s) != (!*p || tried(p, s)))
			fail_msg("%s against %s", p, s);
		hits += matches(p, s);
	}
	assert_true(hits > 15000);
}

/* Names and patterns of the greatest length: all 255 positions are in use. */
static void long_patterns(void **state)
{
	char p[256], s[256];

	(void)state;
	for (unsigned int n = 1; n < 256; n++) {
		memset(p, '?', n);
		memset(s, 'a', n);
		p[n] = s[n] = '\0';
		assert_true(matches(p, s));
		s[n - 1] = '\0';
		assert_false(matches(p, s));
		p[0] = '*';
		assert_true(matches(p, s));
	}
	memset(p, 'a', 255);
	memset(s, 'a', 255);
	p[0] = p[100] = '*';
	p[254] = 'b';
	p[255] = s[255] = '\0';
	assert_false(matches(p, s));
	s[254] = 'b';
	assert_true(matches(p, s));
}

static void names_are_checked(void **state)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	char longname[300];
	dtrace_provider_t *p;

	(void)state;
	memset(longname, 'x', sizeof(longname));
	longname[299] = '\0';
	assert_int_equal(dtrace_provider_register("", &attr, &priv, &ops, NULL, &p), -EINVAL);
	assert_int_equal(dtrace_provider_register("1a", &attr, &priv, &ops, NULL, &p), -EINVAL);
	assert_int_equal(dtrace_provider_register("a:b", &attr, &priv, &ops, NULL, &p), -EINVAL);
	assert_int_equal(dtrace_provider_register(longname, &attr, &priv, &ops, NULL, &p), -EINVAL);
	assert_int_equal(dtrace_provider_register("test", &attr, &priv, &ops, NULL, &p), -EEXIST);
	assert_int_equal(dtrace_probe_create(fix.prov, "mod", "func", "a", NULL, NULL), -EEXIST);
	assert_int_equal(dtrace_probe_create(fix.prov, longname, "f", "n", NULL, NULL),
			 -ENAMETOOLONG);
	assert_int_equal(dtrace_probe_create(fix.prov, "m", longname, "n", NULL, NULL),
			 -ENAMETOOLONG);
	assert_int_equal(dtrace_probe_create(fix.prov, "m", "f", longname, NULL, NULL),
			 -ENAMETOOLONG);
	assert_ptr_equal(dtrace_probe_lookup(fix.prov, "mod", "func", "b"), fix.b);
	assert_null(dtrace_probe_lookup(fix.prov, "mod", "func", "c"));
}

static void ids_are_used_again_late(void **state)
{
	dtrace_probe_t *p = fixture_probe("f", "x");
	dtrace_id_t first = dtrace_probe_id(p), id = first;

	(void)state;
	assert_int_equal(dtrace_probe_id(fix.a), 4);
	for (int i = 0; i < 400; i++) {
		dtrace_probe_destroy(&p, 1);
		p = fixture_probe("f", "x");
		assert_int_not_equal(dtrace_probe_id(p), id);
		id = dtrace_probe_id(p);
		assert_int_not_equal(id, first);
	}
}

static unsigned int count_listed(const char *prov, const char *name, bool match)
{
	dtrace_probedesc_t desc = {0};
	dtrace_id_t last = 0;
	unsigned int n = 0;

	for (;;) {
		desc.dtpd_id = last + 1;
		strcpy(desc.dtpd_provider, prov);
		strcpy(desc.dtpd_name, name);
		desc.dtpd_mod[0] = desc.dtpd_func[0] = '\0';
		if (dtrace_state_probes(fix.state, match, &desc) != 0)
			return n;
		assert_true(desc.dtpd_id > last);
		last = desc.dtpd_id;
		n++;
	}
}

/* The declaration of args[ndx] of a probe, which the session sees. */
static dtrace_argdesc_t declared(dtrace_probe_t *probe, int32_t ndx)
{
	dtrace_argdesc_t desc = {.dtargd_id = dtrace_probe_id(probe), .dtargd_ndx = ndx};

	assert_int_equal(dtrace_state_probearg(fix.state, &desc), 0);
	return desc;
}

static void arguments_are_those_that_the_provider_declares(void **state)
{
	static const dtrace_provider_ops_t none;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static char name[2 * DTRACE_ARGTYPELEN];
	const struct dtrace_arg args[] = {
		{.type = "struct sock *", .xlate = "csinfo_t *", .native = 3},
		{.native = 1}, /* unknown */
		{.type = name, .native = 2},
	};
	dtrace_argdesc_t desc;
	dtrace_provider_t *p;
	dtrace_probe_t *probe;

	(void)state;
	memset(name, 'x', sizeof(name) - 1);
	fix.args = args;
	fix.nargs = 3;
	desc = declared(fix.a, 0);
	assert_int_equal(desc.dtargd_ndx, 0);
	assert_int_equal(desc.dtargd_mapping, 3);
	assert_string_equal(desc.dtargd_native, "struct sock *");
	assert_string_equal(desc.dtargd_xlate, "csinfo_t *");
	desc = declared(fix.a, 1);
	assert_int_equal(desc.dtargd_ndx, 1);
	assert_int_equal(desc.dtargd_mapping, 1);
	assert_string_equal(desc.dtargd_native, "");
	assert_string_equal(desc.dtargd_xlate, "");
	assert_int_equal(strlen(declared(fix.a, 2).dtargd_native), DTRACE_ARGTYPELEN - 1);
	assert_int_equal(declared(fix.a, 3).dtargd_ndx, DTRACE_ARGNONE);
	assert_int_equal(declared(fix.a, -2).dtargd_ndx, DTRACE_ARGNONE);
	desc = (dtrace_argdesc_t){.dtargd_id = 1000};
	assert_int_equal(dtrace_state_probearg(fix.state, &desc), -ESRCH);
	/* a provider may have no such operation */
	assert_int_equal(dtrace_provider_register("none", &attr, &priv, &none, NULL, &p), 0);
	assert_int_equal(dtrace_probe_create(p, "", "", "x", NULL, &probe), 0);
	assert_int_equal(declared(probe, 0).dtargd_ndx, DTRACE_ARGNONE);
	dtrace_provider_unregister(p);
}

/* Providers are asked once for each description, also if several clauses have the same. */
static void descriptions_are_provided(void **state)
{
	(void)state;
	fixture_clause("test:mod:func:a", NULL, NULL);
	fixture_clause("test:mod:func:a", NULL, NULL);
	fixture_clause("test:mod:func:b", NULL, NULL);
	fixture_clause("test:mod:func:a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(fix.provided, 3);
}

static struct {
	dtrace_state_t *other; /* of the same user */
	unsigned int prepared;
	int error, other_rc;
} slow;

/* Take so long that another session of the user asks for a probe meanwhile. */
static int slow_prepare(void *arg, const dtrace_probedesc_t *desc)
{
	dtrace_probedesc_t match = {.dtpd_id = 1, .dtpd_name = "b"};

	(void)arg;
	if (!strcmp(desc->dtpd_name, "b"))
		return 0;
	assert_string_equal(desc->dtpd_name, "a");
	assert_int_equal(fix.provided, 0); /* by the fixture's provider, which comes afterwards */
	slow.prepared++;
	if (slow.error)
		return slow.error;
	slow.other_rc = dtrace_state_probes(slow.other, true, &match);
	assert_int_equal(fix.provided, 1);
	fix.provided = 0;
	return 0;
}

/*
 * No lock that other sessions wait for is held while a provider prepares: neither one of the engine
 * nor the user's turn. Whoever is killed there has nothing provided.
 */
static void nobody_waits_while_a_provider_prepares(void **state)
{
	static const dtrace_provider_ops_t ops = {.prepare = slow_prepare};
	dtrace_probedesc_t desc = {.dtpd_id = 1, .dtpd_name = "a"};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	dtrace_provider_t *p;

	(void)state;
	fixture_session(DTRACE_PRIV_ALL, 1000);
	memset(&slow, 0, sizeof(slow));
	slow.other = fix.state;
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 1000);
	assert_int_equal(dtrace_provider_register("slow", &attr, &priv, &ops, NULL, &p), 0);
	slow.other_rc = -1;
	assert_int_equal(dtrace_state_probes(fix.state, true, &desc), 0);
	assert_int_equal(slow.other_rc, 0);
	assert_int_equal(fix.provided, 1);
	fix.provided = 0;
	slow.other_rc = -1;
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(slow.other_rc, 0);
	assert_int_equal(fix.provided, 1);
	assert_int_equal(slow.prepared, 2);
	dtrace_state_destroy(slow.other);

	fix.provided = 0;
	slow.error = -EINTR;
	desc = (dtrace_probedesc_t){.dtpd_id = 1, .dtpd_name = "a"};
	assert_int_equal(dtrace_state_probes(fix.state, true, &desc), -EINTR);
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), -EINTR);
	assert_int_equal(fix.provided, 0);
	assert_int_equal(slow.prepared, 4);
	slow.error = -ENOSPC;
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), -ENOSPC);
	dtrace_provider_unregister(p);
}

static void listing(void **state)
{
	dtrace_providerdesc_t pd = {.dtvd_name = "test"};
	struct dtrace_providerrow prov;
	struct dtrace_proberow probe;
	uint32_t after = 0, n = 0;

	(void)state;
	assert_int_equal(count_listed("", "", false), 5);
	assert_int_equal(fix.provided, 1);
	assert_int_equal(count_listed("te*", "[ab]", true), 2);
	assert_int_equal(count_listed("", "BEGIN", true), 1);
	assert_int_equal(count_listed("", "nothing", true), 0);
	assert_int_equal(dtrace_state_provider(fix.state, &pd), 0);
	strcpy(pd.dtvd_name, "none");
	assert_int_equal(dtrace_state_provider(fix.state, &pd), -ESRCH);
	while (dtrace_proberow(&after, &probe) == 0)
		n++;
	assert_int_equal(n, 5);
	for (after = n = 0; dtrace_providerrow(&after, &prov) == 0; n++)
		;
	assert_int_equal(n, 2);
	assert_int_equal(prov.nprobes, 2);
	/* Nothing is above the last number. */
	after = UINT32_MAX;
	assert_int_equal(dtrace_proberow(&after, &probe), -ESRCH);
	assert_int_equal(dtrace_providerrow(&after, &prov), -ESRCH);
}

static void the_provider_hears_of_first_and_last(void **state)
{
	dtrace_state_t *other = fix.state;

	(void)state;
	fixture_clause("test:::a", NULL, NULL);
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(fix.enabled, 1);
	assert_int_equal(fix.synced, 1);
	assert_true(dtrace_probe_enabled(fix.a));
	assert_false(dtrace_probe_enabled(fix.b));
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	assert_int_equal(fix.enabled, 2);
	dtrace_state_destroy(other);
	assert_int_equal(fix.disabled, 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	assert_int_equal(fix.disabled, 2);
	assert_true(fix.synced >= 3);
	assert_false(dtrace_probe_enabled(fix.a));
}

static void a_provider_may_fail_to_enable(void **state)
{
	dtrace_enable_io_t io;

	(void)state;
	fix.enable_error = -EIO;
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 0);
	assert_int_equal(io.n_desc, 1);
	assert_false(dtrace_probe_enabled(fix.a));
	fix.enable_error = 0;
	fixture_session(DTRACE_PRIV_ALL, 0);
	assert_int_equal(fix.disabled, 0);
}

static void later_probes_are_matched(void **state)
{
	struct bytes out = {0};
	dtrace_enable_io_t io;
	dtrace_probe_t *late;
	dtrace_eprobedesc_t ep = {.dtepd_epid = 1};

	(void)state;
	fixture_clause("te*:::late*", NULL, record_arg0);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 0);
	fixture_go();
	late = fixture_probe("func", "late1");
	fixture_fire(late, 1);
	dtrace_provider_match(fix.prov);
	assert_int_equal(fix.enabled, 1);
	dtrace_provider_match(fix.prov); /* and not once more */
	fixture_fire(late, 2);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 2);
	assert_null(build_record(&out, 1));
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
	assert_string_equal(ep.dtepd_desc.dtpd_name, "late1");
	assert_int_equal(ep.dtepd_nrecs, 1);
	fixture_stop();
	late = fixture_probe("func", "late2");
	dtrace_provider_match(fix.prov);
	assert_false(dtrace_probe_enabled(late));
	bytes_free(&out);
}

static void enable_between_create_and_match(void **state)
{
	struct dtrace_staterow info;
	uint32_t after = 0;

	(void)state;
	fixture_probe("func", "new");
	fixture_clause("test:::new", NULL, record_arg0);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	dtrace_provider_match(fix.prov);
	assert_int_equal(dtrace_staterow(&after, &info), 0);
	assert_int_equal(info.necbs, 1);
	assert_int_equal(info.nenablings, 1);
	assert_int_equal(dtrace_staterow(&after, &info), -ESRCH);
}

static void what_is_in_use_is_not_destroyed(void **state)
{
	dtrace_probe_t *probes[] = {fix.a, fix.b};
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	dtrace_probe_destroy_unused(probes, 2);
	assert_int_equal(fix.destroyed, 1);
	assert_int_equal(fix.disabled, 0);
	assert_null(dtrace_probe_lookup(fix.prov, "mod", "func", "b"));
	fixture_fire(fix.a, 5);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 0), 5);
	bytes_free(&out);
	fixture_session(DTRACE_PRIV_ALL, 0);
	probes[0] = fix.a;
	dtrace_probe_destroy_unused(probes, 1);
	assert_int_equal(fix.destroyed, 2);
	assert_int_equal(count_listed("test", "", true), 0);
}

static void a_provider_may_be_full(void **state)
{
	dtrace_probedesc_t desc = {.dtpd_id = 1, .dtpd_name = "c"};
	dtrace_enable_io_t io;
	char msg[256];

	(void)state;
	fix.provide_error = -ENOSPC;
	assert_int_equal(dtrace_state_probes(fix.state, true, &desc), -ENOSPC);
	assert_int_equal(count_listed("test", "a", true), 1);
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_clause("test:::c", NULL, record_arg0);
	assert_int_equal(fixture_enable(&io, msg), -ENOSPC);
	assert_string_equal(
		msg,
		"test:::a: no more probes of this kind can be made: as many as there may be are in use");
	assert_int_equal(io.error_desc, 0);
	assert_false(dtrace_probe_enabled(fix.a));
	fix.provide_error = 0;
	fixture_clause("test:::a", NULL, record_arg0);
	assert_int_equal(fixture_enable(&io, msg), 0);
	assert_int_equal(io.n_matched, 1);
}

static uint32_t necbs(void)
{
	struct dtrace_staterow info;
	uint32_t after = 0;

	assert_int_equal(dtrace_staterow(&after, &info), 0);
	return info.necbs;
}

static void descriptions_outlive_probes(void **state)
{
	struct bytes out = {0};
	dtrace_eprobedesc_t ep = {.dtepd_epid = 1};
	unsigned int round;

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 5);
	dtrace_probe_destroy(&fix.a, 1);
	assert_int_equal(fix.disabled, 1);
	assert_int_equal(fix.destroyed, 1);
	for (round = 0; round < 2; round++) {
		for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
			fixture_read(c, &out);
		assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
		assert_string_equal(ep.dtepd_desc.dtpd_name, "a");
	}
	for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
		fixture_read(c, &out);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), -ESRCH);
	assert_int_equal(necbs(), 0);
	bytes_free(&out);
}

static void what_never_recorded_is_freed_soon(void **state)
{
	struct bytes out = {0};

	(void)state;
	fixture_clause("test:::a", NULL, record_arg0);
	fixture_go();
	dtrace_probe_destroy(&fix.a, 1);
	fixture_read(0, &out);
	assert_int_equal(necbs(), 0);
	bytes_free(&out);
}

static void a_fault_keeps_descriptions(void **state)
{
	static const struct build_action fault[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldub %r0, %r1; ret %r1"}, ACT_END};
	static const struct build_action tell[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg1, %r1; ret %r1"}, ACT_END};
	dtrace_eprobedesc_t ep = {.dtepd_epid = 2};
	struct bytes out = {0};

	(void)state;
	fixture_clause("dtrace:::ERROR", NULL, tell);
	fixture_clause("test:::a", NULL, fault);
	fixture_go();
	fixture_fire(fix.a, 5);
	dtrace_probe_destroy(&fix.a, 1);
	fixture_read(0, &out);
	assert_int_equal(fixture_u64((dtrace_rechdr_t *)(void *)out.p, 0), 2);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
	bytes_free(&out);
}

static void an_open_speculation_keeps_descriptions(void **state)
{
	static const struct build_action open[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "type void; flushts; call speculation, %r1; ret %r1"},
		ACT_END};
	static const struct build_action add[] = {
		{.kind = DTRACEACT_SPECULATE, .difo = "setx 1, %r1; ret %r1"}, ACT_ARG0, ACT_END};
	dtrace_eprobedesc_t ep = {.dtepd_epid = 2};
	struct bytes out = {0};

	(void)state;
	fixture_clause("dtrace:::BEGIN", NULL, open);
	fixture_clause("test:::a", NULL, add);
	fixture_go();
	fixture_fire(fix.a, 5);
	dtrace_probe_destroy(&fix.a, 1);
	for (unsigned int i = 0; i < 10 * FIXTURE_CPUS; i++)
		fixture_read(i % FIXTURE_CPUS, &out);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
	bytes_free(&out);
}

/* Destroy the session that *arg refers to; for port_user_relax() too. */
static int destroy(void *arg)
{
	dtrace_state_t **other = arg, *st = *other;

	*other = NULL;
	if (st)
		dtrace_state_destroy(st);
	return 0;
}

static int provide_destroys(void *arg, const dtrace_probedesc_t *desc)
{
	(void)desc;
	return destroy(arg);
}

/* Sessions can end while another session asks providers for their probes, which may take long. */
static void no_session_waits_for_others_listings(void **state)
{
	static const dtrace_provider_ops_t ops = {.provide = provide_destroys};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	dtrace_state_t *other = fix.state, *within;
	dtrace_provider_t *p;

	(void)state;
	alarm(20); /* one that waits waits for ever */
	fixture_clause("test:::a", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	/* between two providers, one that has probes that must be synced */
	port_user_relax(destroy, &other);
	count_listed("", "", false);
	port_user_relax(NULL, NULL);
	assert_null(other);
	assert_int_equal(fix.disabled, 1);
	/* and while a provider is asked, one that has none */
	within = fix.state;
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	assert_int_equal(dtrace_provider_register("slow", &attr, &priv, &ops, &within, &p), 0);
	count_listed("", "", false);
	assert_null(within);
	dtrace_provider_unregister(p);
	alarm(0);
}

static void short_lived_providers_leave_nothing(void **state)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	unsigned long allocated = 0;
	struct bytes out = {0};
	dtrace_provider_t *p;
	dtrace_probe_t *probe;
	char name[32];

	(void)state;
	fixture_clause("app*:::", NULL, record_arg0);
	fixture_go();
	for (int i = 0; i < 200; i++) {
		snprintf(name, sizeof(name), "app%d", i);
		assert_int_equal(dtrace_provider_register(name, &attr, &priv, &ops, NULL, &p), 0);
		for (int k = 0; k < 20; k++) {
			snprintf(name, sizeof(name), "p%d", k);
			assert_int_equal(dtrace_probe_create(p, "m", "f", name, NULL, &probe), 0);
		}
		dtrace_provider_match(p);
		fixture_fire(probe, 1);
		dtrace_provider_unregister(p);
		for (unsigned int c = 0; c < FIXTURE_CPUS; c++)
			fixture_read(c, &out);
		assert_true(necbs() <= 4);
		if (i == 100)
			allocated = port_user_allocated();
		out.n = 0;
	}
	assert_int_equal(port_user_allocated(), allocated);
	bytes_free(&out);
}

static void unregistering_an_enabled_provider(void **state)
{
	(void)state;
	fixture_clause("test:::", NULL, record_arg0);
	fixture_go();
	fixture_fire(fix.a, 1);
	dtrace_provider_unregister(fix.prov);
	fix.prov = NULL;
	assert_int_equal(fix.enabled, 2);
	assert_int_equal(fix.disabled, 2);
	assert_int_equal(fix.destroyed, 2);
	assert_true(fix.synced >= 2);
}

static void privileges_hide_providers(void **state)
{
	static const dtrace_provider_ops_t ops;
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t kernel = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	static const dtrace_ppriv_t owned = {.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
					     .dtpp_uid = 1000};
	dtrace_provider_t *k, *o;
	dtrace_enable_io_t io;

	(void)state;
	assert_int_equal(dtrace_provider_register("kern", &attr, &kernel, &ops, NULL, &k), 0);
	assert_int_equal(dtrace_provider_register("own", &attr, &owned, &ops, NULL, &o), 0);
	assert_int_equal(dtrace_probe_create(k, "", "", "x", NULL, NULL), 0);
	assert_int_equal(dtrace_probe_create(o, "", "", "x", NULL, NULL), 0);
	assert_int_equal(count_listed("", "x", true), 2);
	fixture_session(DTRACE_PRIV_PROC, 1000);
	assert_int_equal(count_listed("kern", "", true), 0);
	assert_int_equal(count_listed("own", "", true), 1);
	fixture_clause(":::x", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 1);
	fixture_session(DTRACE_PRIV_PROC, 1001);
	assert_int_equal(count_listed("", "x", true), 0);
	fixture_clause(":::x", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 0);
	dtrace_provider_unregister(k);
	dtrace_provider_unregister(o);
}

/* arg: the user whose it is now. */
static bool owned_by(void *arg, const struct dtrace_cred *cred)
{
	return cred->uid == *(const uint32_t *)arg;
}

static void owners_are_asked_for(void **state)
{
	static const dtrace_provider_ops_t ops = {.owned_by = owned_by};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
					    .dtpp_uid = 1000};
	uint32_t owner = 1000;
	dtrace_provider_t *p;

	(void)state;
	assert_int_equal(dtrace_provider_register("own", &attr, &priv, &ops, &owner, &p), 0);
	assert_int_equal(dtrace_probe_create(p, "", "", "x", NULL, NULL), 0);
	fixture_session(DTRACE_PRIV_PROC, 1000);
	assert_int_equal(count_listed("own", "", true), 1);
	owner = 1001;
	assert_int_equal(count_listed("own", "", true), 0);
	fixture_session(DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER, 1000);
	assert_int_equal(count_listed("own", "", true), 1);
	dtrace_provider_unregister(p);
}

/* The provider of process 1042. */
static bool name_in_ns(void *arg, const void *pid_ns, unsigned int n, char name[DTRACE_PROVNAMELEN])
{
	uint32_t first = pid_ns ? *(const uint32_t *)pid_ns : 0;

	(void)arg;
	if (n || first >= 1042)
		return false;
	snprintf(name, DTRACE_PROVNAMELEN, "own%u", 1042 - first);
	return true;
}

/* The probe whose parg is set is the program's. */
static bool module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name)
{
	(void)arg;
	(void)probe;
	return parg && strcmp(name, "a.out") == 0;
}

static void modules_may_have_another_name(void **state)
{
	static const dtrace_provider_ops_t ops = {.module_alias = module_alias};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	dtrace_enable_io_t io;
	dtrace_provider_t *p;
	int parg;

	(void)state;
	assert_int_equal(dtrace_provider_register("mods", &attr, &priv, &ops, NULL, &p), 0);
	assert_int_equal(dtrace_probe_create(p, "program", "f", "y", &parg, NULL), 0);
	assert_int_equal(dtrace_probe_create(p, "library", "f", "y", NULL, NULL), 0);
	fixture_clause("mods:a.out:f:y", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 1);
	fixture_clause("mods:program:f:y", NULL, NULL);
	fixture_clause("mods:b.out:f:y", NULL, NULL);
	fixture_clause("mods::f:y", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 3);
	dtrace_provider_unregister(p);
}

/* A session in a namespace of processes has their numbers there, and does not see others. */
static void names_are_those_of_the_namespace(void **state)
{
	static const dtrace_provider_ops_t ops = {.name_in_ns = name_in_ns};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static const uint32_t container = 1000, other = 2000;
	dtrace_providerdesc_t pd = {.dtvd_name = "own42"};
	dtrace_eprobedesc_t ep = {.dtepd_epid = 1};
	dtrace_enable_io_t io;
	dtrace_provider_t *o;

	(void)state;
	assert_int_equal(dtrace_provider_register("own1042", &attr, &priv, &ops, NULL, &o), 0);
	assert_int_equal(dtrace_probe_create(o, "", "", "y", NULL, NULL), 0);
	assert_int_equal(count_listed("own1042", "y", true), 1);
	assert_int_equal(dtrace_state_provider(fix.state, &pd), -ESRCH);
	fixture_session_in(&container, DTRACE_PRIV_ALL, 0);
	assert_int_equal(count_listed("own1042", "y", true), 0);
	assert_int_equal(count_listed("own42", "y", true), 1);
	assert_int_equal(dtrace_state_provider(fix.state, &pd), 0);
	fixture_clause("own42:::y", NULL, NULL);
	assert_int_equal(fixture_enable(&io, NULL), 0);
	assert_int_equal(io.n_matched, 1);
	assert_int_equal(dtrace_state_eprobe(fix.state, &ep, NULL, 0), 0);
	assert_string_equal(ep.dtepd_desc.dtpd_provider, "own42");
	fixture_session_in(&other, DTRACE_PRIV_ALL, 0);
	assert_int_equal(count_listed("", "y", true), 0);
	assert_int_equal(dtrace_state_provider(fix.state, &pd), -ESRCH);
	dtrace_provider_unregister(o);
}

/* ---- threads that list at a time ---- */

enum { NLISTED = 400, LISTINGS = 300 };

/*
 * List probes whose names begin with the letter again and again. Return NULL, or what went wrong.
 */
static void *list_again(void *arg)
{
	static const char many[] = "?????????????????????????????????????????????????????????";
	const char *letter = arg;
	dtrace_probedesc_t *probes = calloc(NLISTED, sizeof(*probes));
	void *wrong = NULL;

	for (unsigned int i = 0; i < LISTINGS && !wrong; i++) {
		dtrace_probes_io_t io = {.pattern.dtpd_id = 2, .match = 1, .capacity = NLISTED};

		/* the longer the pattern, the longer it is being made ready */
		snprintf(io.pattern.dtpd_name, sizeof(io.pattern.dtpd_name), "%s*%.*s*", letter,
			 (int)(i % 2 ? sizeof(many) - 1 : 1), many);
		if (dtrace_state_probe_list(fix.state, &io, probes) != 0 || io.n != NLISTED)
			wrong = "not all are listed";
		for (uint32_t n = 0; n < io.n && !wrong; n++)
			if (probes[n].dtpd_name[0] != *letter)
				wrong = "others are listed";
	}
	free(probes);
	return wrong;
}

/* The patterns of one thread are not another's, though both use the same session. */
static void threads_list_what_they_ask_for(void **state)
{
	static const dtrace_provider_ops_t ops = {0};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;
	static char letters[][2] = {"x", "y"};
	pthread_t threads[2];
	dtrace_provider_t *o;
	void *wrong;
	char name[DTRACE_NAMELEN];

	(void)state;
	assert_int_equal(dtrace_provider_register("many", &attr, &priv, &ops, NULL, &o), 0);
	for (unsigned int i = 0; i < 2 * NLISTED; i++) {
		snprintf(name, sizeof(name), "%s%057u", letters[i % 2], i);
		assert_int_equal(dtrace_probe_create(o, "", "", name, NULL, NULL), 0);
	}
	for (unsigned int i = 0; i < 2; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, list_again, letters[i]), 0);
	for (unsigned int i = 0; i < 2; i++) {
		pthread_join(threads[i], &wrong);
		if (wrong)
			fail_msg("%s: %s", letters[i], (char *)wrong);
	}
	dtrace_provider_unregister(o);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(patterns),
		T(patterns_at_random),
		T(long_patterns),
		T(names_are_checked),
		T(ids_are_used_again_late),
		T(arguments_are_those_that_the_provider_declares),
		T(descriptions_are_provided),
		T(nobody_waits_while_a_provider_prepares),
		T(listing),
		T(threads_list_what_they_ask_for),
		T(the_provider_hears_of_first_and_last),
		T(no_session_waits_for_others_listings),
		T(a_provider_may_fail_to_enable),
		T(a_provider_may_be_full),
		T(what_is_in_use_is_not_destroyed),
		T(later_probes_are_matched),
		T(enable_between_create_and_match),
		T(descriptions_outlive_probes),
		T(what_never_recorded_is_freed_soon),
		T(a_fault_keeps_descriptions),
		T(an_open_speculation_keeps_descriptions),
		T(short_lived_providers_leave_nothing),
		T(unregistering_an_enabled_provider),
		T(privileges_hide_providers),
		T(owners_are_asked_for),
		T(names_are_those_of_the_namespace),
		T(modules_may_have_another_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
