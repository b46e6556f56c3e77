/* SPDX-License-Identifier: MIT */
/*
 * engine_secret.c - what a session without rights to the kernel must not learn: whose thread a
 * probe of its own happens to interrupt, and addresses of the kernel. Root, and the session's own
 * processes, show that each test would see it.
 */
#include "enabling.h"
#include "engine_fixture.h"
#include "engine_impl.h"
#include "fire.h"
#include "probe.h"

#define USER  (DTRACE_PRIV_PROC | DTRACE_PRIV_USER)
#define OWN   1000
#define OTHER 2000

/* Fire no_process, as a tick does, in that user's thread with that key. The only record's word. */
static uint64_t fire_in(uint32_t uid, uint64_t key, dtrace_probe_t *probe, uint64_t arg0)
{
	struct dtrace_fire fire = {.args = &arg0, .nargs = 1, .no_process = true};
	struct bytes out = {0};
	uint64_t value;

	port_user_world.uid = uid;
	port_user_world.key = key;
	dtrace_fire(probe, &fire);
	fixture_read(port_cpu(), &out);
	value = fixture_u64(build_record(&out, 0), 0);
	assert_null(build_record(&out, 1));
	bytes_free(&out);
	return value;
}

/* ---- other users' threads ---- */

static void self_session(uint32_t privs, const char *var, const char *key, const char *store,
			 const char *load)
{
	char set[256], get[256];
	struct build_action a[] = {{.kind = DTRACEACT_DIFEXPR, .difo = set}, ACT_END};
	struct build_action b[] = {{.kind = DTRACEACT_DIFEXPR, .difo = get}, ACT_END};

	snprintf(set, sizeof(set), "%s; %s; ldgs arg0, %%r1; %s x, %%r1; %s x, %%r2; ret %%r2", var,
		 key, store, load);
	snprintf(get, sizeof(get), "%s; %s; %s x, %%r2; ret %%r2", var, key, load);
	fixture_session(privs, OWN);
	fixture_clause("test:::a", NULL, a);
	fixture_clause("test:::b", NULL, b);
	fixture_go();
}

static void self_says_nothing_of_others(void **state)
{
	static const struct {
		const char *var, *key, *store, *load;
	} kinds[] = {
		{"var thread x int", "nop", "stts", "ldts"},
		{"var thread[] x int", "setx 3, %r1; flushts; pushtv ctf, %r0, %r1", "sttaa",
		 "ldtaa"},
	};

	(void)state;
	for (int i = 0; i < 2; i++) {
		self_session(USER, kinds[i].var, kinds[i].key, kinds[i].store, kinds[i].load);
		/* in the clause it is a variable as any */
		assert_int_equal(fire_in(OTHER, 111, fix.a, 5), 5);
		/* whichever thread it is, it is the same one */
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
		assert_int_equal(fire_in(OTHER, 222, fix.b, 0), 5);
		assert_int_equal(fire_in(OTHER, 0, fix.b, 0), 5);
		port_user_set_cpu(1);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 0);
		port_user_set_cpu(0);
		/* and none of its own, even one that is numbered as a CPU is */
		for (uint64_t key = 1; key < 4; key++)
			assert_int_equal(fire_in(OWN, key, fix.b, 0), 0);
		assert_int_equal(fire_in(OWN, 111, fix.b, 0), 0);
		assert_int_equal(fire_in(OWN, 111, fix.a, 7), 7);
		assert_int_equal(fire_in(OWN, 111, fix.b, 0), 7);
		assert_int_equal(fire_in(OWN, 222, fix.b, 0), 0);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
		/* root distinguishes threads of other users */
		self_session(DTRACE_PRIV_ALL, kinds[i].var, kinds[i].key, kinds[i].store,
			     kinds[i].load);
		assert_int_equal(fire_in(OTHER, 111, fix.a, 5), 5);
		assert_int_equal(fire_in(OTHER, 222, fix.b, 0), 0);
		assert_int_equal(fire_in(OTHER, 111, fix.b, 0), 5);
	}
}

static void vtimestamp_says_nothing_of_others(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs vtimestamp, %r1; ret %r1"}, ACT_END};
	dtrace_state_t *root;
	struct bytes out = {0};

	(void)state;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	assert_int_not_equal(fire_in(OTHER, 111, fix.a, 0), 0);
	/* nor when root's clause has asked for it in the same firing */
	root = fix.state;
	fix.state = NULL;
	fixture_session(USER, OWN);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
	assert_int_equal(fire_in(OTHER, 111, fix.a, 0), 0);
	assert_int_not_equal(fire_in(OWN, 111, fix.a, 0), 0);
	dtrace_state_destroy(fix.state);
	fix.state = root;
	fixture_read(0, &out);
	assert_int_not_equal(fixture_u64(build_record(&out, 0), 0), 0);
	bytes_free(&out);
}

/* ---- addresses of the kernel ---- */

#define MARK 0xabcdef1234567890ULL

/* Does a word lie in memory that the engine has given out or been built into, or near it? */
static bool is_real(uint64_t word)
{
	const struct mstate *m = &engine.mstates[0];
	const uint64_t near = 1 << 20;
	uint64_t addresses[] = {
		(uint64_t)(uintptr_t)m->scratch,
		(uint64_t)(uintptr_t)fix.a,
		(uint64_t)(uintptr_t)fix.a->ecbs->ecbs[0],
		(uint64_t)(uintptr_t)fix.a->ecbs->ecbs[0]->body->acts[0].difo->strs,
	};

	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++)
		if (word - addresses[i] + near < 2 * near)
			return true;
	/* a handle is no address of 48 or of 57 bits */
	return word && word >> 56 != 0xd6;
}

#define PUSH_S	  "sets \"a b/c.d\", %r1; flushts; pushtv ctf, %r0, %r1; "
#define PUSH_N(n) "setx " n ", %r2; pushtv ctf, %r0, %r2; "
#define PUSH_T(s) "sets \"" s "\", %r2; pushtv ctf, %r0, %r2; "

/* Each leaves an address in %r7, and as a string it is what. */
static const struct {
	const char *var, *how, *what;
} addresses[] = {
	{"", "sets \"text\", %r7", "text"},
	{"", "sets \"text\", %r7; setx 2, %r1; add %r7, %r1, %r7", "xt"},
	{"", "ldgs probeprov, %r7", "test"},
	{"", "ldgs probemod, %r7", "mod"},
	{"", "ldgs probefunc, %r7", "func"},
	{"", "ldgs probename, %r7", "a"},
	{"", "ldgs probefunc, %r7; setx 1, %r1; add %r7, %r1, %r7", "unc"},
	{"", "ldgs execname, %r7", "victim"},
	{"", "ldgs execargs, %r7", "victim -v"},
	{"", "ldgs zonename, %r7", "global"},
	{"", "ldgs jailname, %r7", "0"},
	{"", "setx 16, %r1; allocs %r1, %r7; setx 0x6968, %r2; stx %r2, %r7", "hi"},
	{"",
	 "setx 16, %r1; allocs %r1, %r6; sets \"copied\", %r2; setx 7, %r3; copys %r2, %r3, %r6;"
	 "mov %r6, %r7",
	 "copied"},
	{"",
	 "setx 16, %r1; flushts; pushtv ctf, %r0, %r1; call alloca, %r7; setx 0x6968, %r2;"
	 "stx %r2, %r7",
	 "hi"},
	{"", "ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; " PUSH_N("5") "call copyin, %r7",
	 "user"},
	{"", "ldgs arg0, %r1; flushts; pushtv ctf, %r0, %r1; call copyinstr, %r7", "user"},
	{"", PUSH_S PUSH_N("120") PUSH_N("3") "call memstr, %r7", "a b"},
	{"", PUSH_S PUSH_T("!") "call strjoin, %r7", "a b/c.d!"},
	{"", PUSH_S PUSH_N("98") "call strchr, %r7", "b/c.d"},
	{"", PUSH_S PUSH_N("47") "call strrchr, %r7", "/c.d"},
	{"", PUSH_S PUSH_T("c.") "call strstr, %r7", "c.d"},
	{"", PUSH_S PUSH_T(" ") "call strtok, %r7", "a"},
	{"",
	 PUSH_S PUSH_T(" ") "call strtok, %r7; flushts; pushtv ctf, %r0, %r0; " PUSH_T(
		 ".") "call strtok, %r7",
	 " b/c"},
	{"", PUSH_S PUSH_N("2") "call substr, %r7", "b/c.d"},
	{"", PUSH_S "call basename, %r7", "c.d"},
	{"", PUSH_S "call dirname, %r7", "a b"},
	{"", PUSH_S "call cleanpath, %r7", "a b/c.d"},
	{"", PUSH_S "call toupper, %r7", "A B/C.D"},
	{"", PUSH_S "call tolower, %r7", "a b/c.d"},
	{"", "setx 42, %r1; flushts; pushtv ctf, %r0, %r1; call lltostr, %r7", "42"},
	{"", "sets \"[12,3]\", %r1; flushts; pushtv ctf, %r0, %r1; " PUSH_T("0") "call json, %r7",
	 "12"},
	{"", PUSH_S "call inet_ntoa, %r7", "97.32.98.47"},
	{"",
	 "setx 1, %r2; flushts; pushtv ctf, %r0, %r2; sets \"abcdef\", %r1;"
	 "pushtv ctf, %r0, %r1; call link_ntop, %r7",
	 "61:62:63:64:65:66"},
	/* memref: where it is, and what it holds */
	{"",
	 "sets \"ref\", %r1; flushts; pushtv ctf, %r0, %r1; " PUSH_N(
		 "0x796573") "call memref, %r7; setx 8, %r1; add %r7, %r1, %r7",
	 "sey"},
	{"",
	 "sets \"ref\", %r1; flushts; pushtv ctf, %r0, %r1; " PUSH_N(
		 "3") "call memref, %r7; ldx %r7, %r7",
	 "ref"},
	{"var global x string", "sets \"text\", %r1; stgs x, %r1; ldgs x, %r7", "text"},
	{"var local x string", "sets \"text\", %r1; stls x, %r1; ldls x, %r7", "text"},
	{"var thread x string", "sets \"text\", %r1; stts x, %r1; ldts x, %r7", "text"},
	{"var thread x struct(8)", "ldts x, %r7", ""},
	{"var global[] x string", PUSH_S "sets \"text\", %r1; stgaa x, %r1; ldgaa x, %r7", "text"},
	{"var global[] x string",
	 "sets \"key\", %r1; setx 0, %r2; flushts; pushtr string, %r2, %r1;"
	 "sets \"text\", %r1; stgaa x, %r1; ldgaa x, %r7",
	 "text"},
	{"var thread[] x string", PUSH_S "sets \"text\", %r1; sttaa x, %r1; ldtaa x, %r7", "text"},
};

/*
 * The address as a number, the string there as one that is recorded and as %r7 is read by the
 * program: its length.
 */
static void address_session(uint32_t privs, size_t i, const uint32_t *pid_ns)
{
	char difo[3][512];
	static const char *const ends[] = {
		"type int; %s; %s; ret %%r7",
		"type string; %s; %s; ret %%r7",
		"type int; %s; %s; flushts; pushtv ctf, %%r0, %%r7; call strlen, %%r1; ret %%r1",
	};
	struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = difo[0]},
				      {.kind = DTRACEACT_DIFEXPR, .difo = difo[2]},
				      {.kind = DTRACEACT_DIFEXPR, .difo = difo[1]},
				      ACT_END};

	for (int k = 0; k < 3; k++)
		snprintf(difo[k], sizeof(difo[k]), ends[k],
			 *addresses[i].var ? addresses[i].var : "nop", addresses[i].how);
	fixture_session_in(pid_ns, privs, OWN);
	build_option(&fix.dof, DTRACEOPT_STRSIZE, 64);
	fixture_clause("test:::a", NULL, acts);
	fixture_go();
}

static void addresses_of_the_kernel_are_hidden(void **state)
{
	static const uint32_t pid_ns = 1;
	static const char user[] = "user";
	struct bytes out = {0};
	const dtrace_rechdr_t *h;

	(void)state;
	port_user_world.uid = OWN;
	port_user_world.key = MARK;
	port_user_world.execname = "victim";
	port_user_world.args = "victim\0-v";
	port_user_world.argslen = 10;
	for (size_t i = 0; i < sizeof(addresses) / sizeof(addresses[0]); i++) {
		for (int who = 0; who < 3; who++) {
			address_session(who ? USER : DTRACE_PRIV_ALL, i, who == 2 ? &pid_ns : NULL);
			fixture_fire(fix.a, (uint64_t)(uintptr_t)user);
			out.n = 0;
			fixture_read(0, &out);
			h = build_record(&out, 0);
			if (fixture_status().dtst_errors || !h)
				fail_msg("%s: fault", addresses[i].how);
			if (is_real(fixture_u64(h, 0)) != !who)
				fail_msg("%s: %#lx, who %d", addresses[i].how,
					 (unsigned long)fixture_u64(h, 0), who);
			assert_int_equal(fixture_u64(h, 8), strlen(addresses[i].what));
			assert_string_equal((const char *)(h + 1) + 16, addresses[i].what);
		}
	}
	bytes_free(&out);
}

/* A fault says the address that the program used, which is a handle if its address was one. */
static void faults_hide_addresses(void **state)
{
	static const char *const difos[] = {
		"setx 4000, %r2; setx 16, %r1; allocs %r1, %r7; add %r7, %r2, %r7; ldx %r7, %r6; ret %r6",
		"setx 4000, %r2; setx 16, %r1; allocs %r1, %r7; add %r7, %r2, %r7; stx %r2, %r7; ret %r6",
		"setx 1, %r2; setx 16, %r1; allocs %r1, %r7; add %r7, %r2, %r7; stx %r2, %r7; ret %r6",
		"setx 4000, %r2; sets \"a\", %r7; add %r7, %r2, %r7; ldx %r7, %r6; ret %r6",
		"setx 4000, %r2; ldgs probename, %r7; add %r7, %r2, %r7; ldx %r7, %r6; ret %r6",
		"sets \"a\", %r7; stx %r2, %r7; ret %r6",
	};
	static const struct build_action error[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg5, %r1; ret %r1"}, ACT_END};
	struct bytes out = {0};

	(void)state;
	port_user_world.uid = OWN;
	for (size_t i = 0; i < 2 * sizeof(difos) / sizeof(difos[0]); i++) {
		struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = difos[i / 2]},
					      ACT_END};

		fixture_session(i % 2 ? USER : DTRACE_PRIV_ALL, OWN);
		fixture_clause("dtrace:::ERROR", NULL, error);
		fixture_clause("test:::a", NULL, acts);
		fixture_go();
		fixture_fire(fix.a, 0);
		if (i % 2 == 0 && !fixture_status().dtst_errors)
			continue; /* root has read on */
		assert_int_equal(fixture_status().dtst_errors, 1);
		out.n = 0;
		fixture_read(0, &out);
		assert_int_equal(is_real(fixture_u64(build_record(&out, 0), 0)), i % 2 == 0);
	}
	bytes_free(&out);
}

/* Real addresses are no handles: who guesses one gets a fault, and root reads there. */
static void real_addresses_do_not_work(void **state)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg0, %r1; ldub %r1, %r2; ret %r2"},
		ACT_END};

	(void)state;
	port_user_world.uid = OWN;
	for (int who = 0; who < 2; who++) {
		fixture_session(who ? USER : DTRACE_PRIV_ALL, OWN);
		fixture_clause("test:::a", NULL, acts);
		fixture_go();
		fixture_fire(fix.a, (uint64_t)(uintptr_t)fix.a->names);
		assert_int_equal(fixture_status().dtst_errors, who);
	}
}

/*
 * The engine keeps a thread's address in scratch while it looks for a variable. What was given out
 * since, and what lies between, says nothing of it: the sum of all that can be read is compared.
 */
static void scratch_keeps_no_addresses(void **state)
{
	static const char *const gaps[] = {
		"sets \"12345678\", %r1; flushts; pushtv ctf, %r0, %r1; call toupper, %r2",
		"setx 9, %r1; allocs %r1, %r2",
		"ldgs execname, %r2",
		"ldgs execargs, %r2",
		"sets \"aaaaaaaaa\", %r1; flushts; pushtv ctf, %r0, %r1; call cleanpath, %r2",
	};
	struct bytes out = {0};

	(void)state;
	port_user_world.uid = OWN;
	port_user_world.execname = "x";
	port_user_world.args = "x";
	port_user_world.argslen = 2;
	for (size_t i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++) {
		uint64_t seen[2];

		for (int k = 0; k < 2; k++) {
			char difo[512];
			struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR, .difo = difo},
						      ACT_END};

			port_user_world.key = k ? MARK : ~MARK;
			fixture_session(USER, OWN);
			snprintf(
				difo, sizeof(difo),
				"var thread x int; ldts x, %%r7; %s; setx 8, %%r1; allocs %%r1, %%r3;"
				"add %%r2, %%r1, %%r2; ldx %%r2, %%r4; ret %%r4",
				gaps[i]);
			fixture_clause("test:::a", NULL, acts);
			fixture_go();
			fixture_fire(fix.a, 0);
			assert_int_equal(fixture_status().dtst_errors, 0);
			out.n = 0;
			fixture_read(0, &out);
			seen[k] = fixture_u64(build_record(&out, 0), 0);
		}
		assert_int_equal(seen[0], seen[1]);
	}
	bytes_free(&out);
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(self_says_nothing_of_others),	       T(vtimestamp_says_nothing_of_others),
		T(addresses_of_the_kernel_are_hidden), T(faults_hide_addresses),
		T(real_addresses_do_not_work),	       T(scratch_keeps_no_addresses),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
