/* SPDX-License-Identifier: MIT */
/*
 * engine_attack.c - programs that no compiler makes: they try to get at memory that is not theirs.
 * Each is refused, or ends in a fault, and the same program without its sting runs.
 */
#include "engine_fixture.h"
#include "engine_impl.h"
#include "fire.h"
#include <time.h>

static struct bytes text;

static void put(const char *fmt, ...)
{
	char line[256];
	va_list ap;
	int n;

	va_start(ap, fmt);
	n = vsnprintf(line, sizeof(line), fmt, ap);
	va_end(ap);
	assert_in_range(n, 1, sizeof(line) - 1);
	bytes_add(&text, line, (size_t)n);
}

/* Begin a program; its text is collected by put(). */
static void program(const char *first)
{
	text.n = 0;
	put("%s", first);
}

/* Make the program a clause on test:::a. Its result is recorded, unless its type is void. */
static void clause(void)
{
	struct build_action acts[] = {{.kind = DTRACEACT_DIFEXPR}, ACT_END};

	bytes_add(&text, "", 1);
	acts[0].difo = (const char *)text.p;
	fixture_clause("test:::a", NULL, acts);
}

/* ERROR's arguments 4 and 5, fault and address, as a record. */
static void clause_on_error(void)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg4, %r1; ret %r1"}, ACT_END};

	fixture_clause("dtrace:::ERROR", NULL, acts);
}

/* Fire once: the fault that there was, 0 for none. */
static uint64_t fault(void)
{
	struct bytes out = {0};
	uint64_t errors = fixture_status().dtst_errors, kind = 0;
	const dtrace_rechdr_t *h;

	fixture_fire(fix.a, 0);
	fixture_read(0, &out);
	if (fixture_status().dtst_errors != errors) {
		for (unsigned int i = 0; (h = build_record(&out, i)); i++)
			kind = fixture_u64(h, 0);
	}
	bytes_free(&out);
	return kind;
}

/* ---- keys of associative arrays ---- */

/*
 * Of the text, n pushes of 1 MiB, each popped again, are jumped over; eight entries of size bytes
 * are carried out, and make the key of a store.
 */
static void key_program(uint32_t n, uint32_t size, const char *use)
{
	program("type void; var global[] victim int; setx 1048576, %r2; ba real\n");
	for (uint32_t i = 0; i < n; i++)
		put("pushtr ctf, %%r2, %%r1; popts\n");
	put("real:; flushts; setx 65536, %%r1; allocs %%r1, %%r3; setx %u, %%r2\n", size);
	for (uint32_t i = 0; i < 8; i++)
		put("pushtr ctf, %%r2, %%r3\n");
	put("setx 1, %%r1; %s victim, %%r1; ret %%r0", use);
	clause();
}

/*
 * 4,095 pairs and an entry of 1,015,792 bytes add up to 2^32 - 16, where entries were not taken off
 * the sum, and sums were of 32 bits.
 */
static void keys_do_not_wrap(void **state)
{
	char msg[256];
	int rc;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_DYNVARSIZE, 256);
	program("type void; var global[] victim int; setx 1048576, %r2; setx 1015792, %r3; ba real\n");
	for (uint32_t i = 0; i < 4095; i++)
		put("pushtr ctf, %%r2, %%r1; popts\n");
	put("pushtr ctf, %%r3, %%r1; ldgaa victim, %%r1; flushts\n");
	put("real:; flushts; setx 65536, %%r1; allocs %%r1, %%r3; setx 4096, %%r2\n");
	for (uint32_t i = 0; i < 8; i++)
		put("pushtr ctf, %%r2, %%r3\n");
	put("setx 1, %%r1; stgaa victim, %%r1; ret %%r0");
	clause();
	rc = fixture_enable(NULL, msg);
	if (!rc) { /* let the sanitizer see what comes of it */
		fixture_go();
		fixture_fire(fix.a, 0);
	}
	assert_int_equal(rc, -EINVAL);
	assert_non_null(strstr(msg, "may take 1015800 bytes, allowed are 262128"));
}

static void pops_take_off(void **state)
{
	(void)state;
	clause_on_error();
	key_program(4095, 4096, "stgaa");
	fixture_go();
	assert_int_equal(fault(), 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	clause_on_error();
	key_program(4095, 16384, "ldgaa");
	fixture_go();
	assert_int_equal(fault(), 0);
}

/* Eight entries that pass the largest key are refused, and eight that do not, are not. */
static void keys_have_a_largest_size(void **state)
{
	char msg[256];

	(void)state;
	key_program(0, 131072, "stgaa");
	assert_int_equal(fixture_enable(NULL, msg), -EINVAL);
	assert_non_null(strstr(msg, "allowed are 262128"));
	key_program(0, 32752, "stgaa");
	assert_int_equal(fixture_enable(NULL, msg), 0);
	fixture_session(DTRACE_PRIV_ALL, 0);
	key_program(0, 32753, "stgaa");
	assert_int_equal(fixture_enable(NULL, msg), -EINVAL);
}

/* The verifier sees a flush that a branch jumps over, and a size that it cannot know. */
static void keys_are_checked_when_they_are_made(void **state)
{
	(void)state;
	for (int how = 0; how < 3; how++) {
		clause_on_error();
		program("type void; var global[] victim int; setx 60000, %r1; allocs %r1, %r3\n");
		put("setx 16384, %%r2; setx 8, %%r4\n");
		if (how == 1)
			put("add %%r2, %%r0, %%r2; ldgs arg0, %%r5; add %%r2, %%r5, %%r2\n");
		for (uint32_t i = 0; i < 7; i++)
			put("pushtr ctf, %%r2, %%r3\n");
		put("%s over; flushts; over:; pushtr ctf, %%r4, %%r3\n",
		    how == 2 ? "nop; tst %r0; bne" : "ba");
		put("setx 1, %%r1; stgaa victim, %%r1; ret %%r0");
		clause();
		fixture_go();
		assert_int_equal(fault(), how == 2 ? 0 : DTRACEFLT_TUPOFLOW);
		fixture_session(DTRACE_PRIV_ALL, 0);
	}
}

/* Scratch is nearly full when a key is loaded: it ends in a fault, and writes nothing behind. */
static void keys_fit_scratch(void **state)
{
	static const struct {
		uint32_t alloc, entry;
		uint64_t fault;
	} tries[] = {
		{262144 - 64, 24, 0},
		{262144 - 64, 40, 0},
		{262144 - 64, 48, 0},
		{262144 - 64, 49, DTRACEFLT_NOSCRATCH},
		{262144 - 64, 56, DTRACEFLT_NOSCRATCH},
		{262144 - 32, 8, 0},
		{262144 - 24, 8, 0},
		{262144 - 16, 8, DTRACEFLT_NOSCRATCH},
		{262144 - 8, 8, DTRACEFLT_NOSCRATCH},
		{262144, 8, DTRACEFLT_NOSCRATCH},
		{131072, 131072 - 32, 0},
		{131072, 131072, DTRACEFLT_NOSCRATCH},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(tries) / sizeof(tries[0]); i++) {
		clause_on_error();
		program("type void; var global[] victim int\n");
		put("setx %u, %%r1; allocs %%r1, %%r3; setx %u, %%r2; pushtr ctf, %%r2, %%r3\n",
		    tries[i].alloc, tries[i].entry);
		put("ldgaa victim, %%r1; ret %%r0");
		clause();
		fixture_go();
		assert_int_equal(fault(), tries[i].fault);
		fixture_session(DTRACE_PRIV_ALL, 0);
	}
}

/*
 * Entries of a key in scratch are cleared before another session gets the scratch, also if the key
 * was never complete: here its last entry does not fit.
 */
static void half_keys_leave_nothing(void **state)
{
	static const uint8_t zeros[DTRACE_SCRATCHCPU];

	(void)state;
	for (int good = 0; good < 2; good++) {
		const struct mstate *m = &engine.mstates[0];

		clause_on_error();
		program("type void; var global[] victim int; setx 81985529216486895, %r1\n");
		put("setx 300000, %%r2; add %%r2, %%r0, %%r2\n");
		for (uint32_t i = 0; i < 6; i++)
			put("pushtv ctf, %%r0, %%r1\n");
		put("sets \"secret of a session\", %%r3; pushtr string, %%r0, %%r3\n");
		put("%s", good ? "pushtv ctf, %r0, %r1\n" : "pushtr ctf, %r2, %r3\n");
		put("ldgaa victim, %%r1; ret %%r0");
		clause();
		fixture_go();
		assert_int_equal(fault(), good ? 0 : DTRACEFLT_TUPOFLOW);
		assert_true(m->scratch_used > m->scratch + 64);
		assert_memory_equal(m->scratch_used, zeros,
				    (size_t)(m->scratch + DTRACE_SCRATCHCPU - m->scratch_used));
		fixture_session(DTRACE_PRIV_ALL, 0);
	}
}

/* ---- the time that a program takes to be verified ---- */

#define MANY_VARS 64000U

/*
 * A program of the largest size that loads one of n variables with each instruction, those at the
 * end of the table too. Enabled: rc.
 */
static int enable_largest(uint32_t n)
{
	struct build_difo d = {.len = DTRACE_DIFO_MAXINSTRS, .rtype.dtdt_size = 8};
	dof_actdesc_t ad = {.dofa_strtab = DOF_SECIDX_NONE, .dofa_kind = DTRACEACT_DIFEXPR};

	d.text = calloc(d.len, sizeof(*d.text));
	bytes_add(&d.strs, "", 1);
	for (uint32_t i = 0; i < n; i++) {
		dtrace_difv_t v = {.dtdv_id = DIF_VAR_OTHER_UBASE + i,
				   .dtdv_kind = DIFV_KIND_SCALAR,
				   .dtdv_scope = DIFV_SCOPE_GLOBAL,
				   .dtdv_type.dtdt_size = 8};

		bytes_add(&d.vars, &v, sizeof(v));
	}
	for (uint32_t i = 0; i < d.len - 1; i++)
		d.text[i] = DIF_INSTR_WIDE(DIF_OP_LDGS, DIF_VAR_OTHER_UBASE + n - 1 - i % n, 1);
	d.text[d.len - 1] = DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 1);
	ad.dofa_difo = build_difo_section(&fix.dof, &d);
	build_difo_free(&d);
	build_clause(&fix.dof, "test:::a", NULL,
		     build_section(&fix.dof, DOF_SECT_ACTDESC, 8, sizeof(ad), &ad, sizeof(ad)), 0);
	return fixture_enable(NULL, NULL);
}

static double cpu_time(void)
{
	struct timespec t;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Many variables cost no more than few, except for the time to read them. */
static void many_variables_are_verified_fast(void **state)
{
	double few, many, begin = cpu_time();

	(void)state;
	assert_int_equal(enable_largest(1), 0);
	few = cpu_time() - begin;
	fixture_session(DTRACE_PRIV_ALL, 0);
	begin = cpu_time();
	assert_int_equal(enable_largest(MANY_VARS), 0);
	many = cpu_time() - begin;
	if (many > 40 * few)
		fail_msg("%.3f s, with one variable %.3f s", many, few);
	assert_int_equal(enable_largest(MANY_VARS), 0); /* they are there already */
}

static unsigned long turns_left;

static int killed_later(void *arg)
{
	(void)arg;
	return turns_left-- ? 0 : -EINTR;
}

/* Within one program too: at its table, and at its instructions. Nothing stays. */
static void killed_while_it_is_verified(void **state)
{
	unsigned long before = port_user_relaxed(), turns;

	(void)state;
	assert_int_equal(enable_largest(MANY_VARS), 0);
	turns = port_user_relaxed() - before;
	assert_true(turns >= DTRACE_DIFO_MAXINSTRS / 256 + 2 * (MANY_VARS / 256));
	for (unsigned long n = 0; n < turns; n += turns / 16) {
		fixture_session(DTRACE_PRIV_ALL, 0);
		turns_left = n;
		port_user_relax(killed_later, NULL);
		assert_int_equal(enable_largest(MANY_VARS), -EINTR);
		port_user_relax(NULL, NULL);
		assert_int_equal(enable_largest(2), 0); /* the session is as it was */
	}
}

#define T(f) cmocka_unit_test_setup_teardown(f, fixture_setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(keys_do_not_wrap),
		T(pops_take_off),
		T(keys_have_a_largest_size),
		T(keys_are_checked_when_they_are_made),
		T(keys_fit_scratch),
		T(half_keys_leave_nothing),
		T(many_variables_are_verified_fast),
		T(killed_while_it_is_verified),
	};
	int failed = cmocka_run_group_tests(tests, NULL, NULL);

	bytes_free(&text);
	return failed;
}
