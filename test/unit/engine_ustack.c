/* SPDX-License-Identifier: MIT */
/*
 * engine_ustack.c - ustack helpers: what is refused, what they say of frames, which frames are
 * found, and that nothing they do is anybody's harm.
 */
#include "engine_fixture.h"
#include "dof_read.h"
#include "engine_impl.h"
#include "ustack.h"

#define USER	0x555500000000ULL /* address of the DOF in the process */
#define LIMIT	0x7ffffffff000ULL
#define TEXT	0x7000000000ULL /* where the helper's object has its text */
#define DATA	0x6000000000ULL /* what it says is its own */
#define FRAMES	8
#define STRSIZE 64

static struct build_dof helper;
static struct dtrace_helper_dof *parsed[3];
static struct dtrace_helpers *helpers;
static char msg[256];
static uint64_t stack[2048]; /* of the process */
static uint64_t pcs[FRAMES], fps[FRAMES];
static uint64_t regs[27];

/* ---- helpers ---- */

/* Each statement is a text of the assembler; the list ends with NULL. */
static void clause_of(const char *desc, const char *pred, const char *const *stmts)
{
	struct build_action acts[16] = {{0}};
	unsigned int n = 0;

	for (; stmts[n]; n++)
		acts[n] = (struct build_action){.kind = DTRACEACT_DIFEXPR, .difo = stmts[n]};
	build_clause(&helper, desc, pred, build_actions(&helper, acts, n), 0);
}

#define CLAUSE(pred, ...) \
	clause_of("dtrace:helper:ustack:", pred, (const char *const[]){__VA_ARGS__, NULL})
#define STRING(s) "type string\nsets \"" s "\", %r1\nret %r1"

static int parse(unsigned int nth)
{
	size_t size;
	const void *file = build_finish(&helper, &size);
	void *buf = malloc(size);
	int rc;

	memcpy(buf, file, size);
	rc = dtrace_helper_parse(buf, size, USER, DATA, LIMIT, &parsed[nth], msg, sizeof(msg));
	free(buf);
	build_dof_free(&helper);
	build_dof_init(&helper);
	return rc;
}

/* Take what was built as the helper nth of the process. */
static void take(unsigned int nth)
{
	struct dtrace_helper *h = &helpers->list[nth];

	if (parse(nth) != 0)
		fail_msg("parse: %s", msg);
	assert_non_null(parsed[nth]->program);
	h->program = parsed[nth]->program;
	h->ntexts = 1;
	h->texts[0].start = TEXT + nth * 0x1000;
	h->texts[0].end = TEXT + nth * 0x1000 + 0x1000;
	helpers->n = nth + 1;
	port_user_world.helpers = helpers;
}

static int setup(void **state)
{
	int rc = fixture_setup(state);

	memset(stack, 0, sizeof(stack));
	memset(pcs, 0, sizeof(pcs));
	memset(fps, 0, sizeof(fps));
	memset(parsed, 0, sizeof(parsed));
	helpers = calloc(1, sizeof(*helpers) + 3 * sizeof(helpers->list[0]));
	regs[TARGET_REG_SP] = (uintptr_t)stack;
	pcs[0] = 0x1000;
	port_user_world.pcs = pcs;
	port_user_world.fps = fps;
	port_user_world.npcs = 1;
	port_user_world.pid = 77;
	build_dof_init(&helper);
	return rc;
}

static int teardown(void **state)
{
	for (int i = 0; i < 3; i++)
		dtrace_helper_free(parsed[i]);
	free(helpers);
	build_dof_free(&helper);
	return fixture_teardown(state);
}

/* ---- stacks ---- */

static struct bytes out;
static uint64_t frames[FRAMES];
static char strs[STRSIZE + 1];

static void fire(void)
{
	struct dtrace_fire fire = {.regs = regs, .user = true};

	dtrace_fire(fix.a, &fire);
}

/* Record the stack of jstack() in the next firing. */
static void record(void)
{
	const dtrace_rechdr_t *h;

	bytes_free(&out);
	fire();
	fixture_read(0, &out);
	h = build_record(&out, 0);
	assert_non_null(h);
	assert_int_equal(fixture_u64(h, 0), 77);
	for (int i = 0; i < FRAMES; i++)
		frames[i] = fixture_u64(h, 8 + i * 8);
	memcpy(strs, (const char *)(h + 1) + 8 + FRAMES * 8, STRSIZE);
	bytes_free(&out);
}

static void go(void)
{
	const struct build_action acts[] = {
		{.kind = DTRACEACT_JSTACK, .arg = DTRACE_USTACK_ARG(FRAMES, STRSIZE)},
		ACT_END,
	};

	fixture_clause("test:mod:func:a", NULL, acts);
	fixture_go();
}

static struct dtrace_helper_counts counts(void)
{
	struct dtrace_helper_counts c;

	dtrace_helper_counts(&c);
	return c;
}

/* ---- what is refused ---- */

static void refused(const char *why)
{
	assert_int_equal(parse(0), -EINVAL);
	assert_null(parsed[0]);
	if (!strstr(msg, why))
		fail_msg("\"%s\" does not say \"%s\"", msg, why);
	assert_int_equal(port_user_allocated(), 0);
}

static int refusals_setup(void **state)
{
	(void)state;
	port_user_init(1);
	memset(parsed, 0, sizeof(parsed));
	build_dof_init(&helper);
	return 0;
}

static int refusals_teardown(void **state)
{
	(void)state;
	dtrace_helper_free(parsed[0]);
	build_dof_free(&helper);
	return port_user_allocated() != 0;
}

static void what_a_helper_may_not_have(void **state)
{
	static const struct {
		const char *difo, *why;
	} bad[] = {
		{"var global g int\nsetx 1, %r1\nstgs g, %r1\nret %r1", "clause-local"},
		{"var global g int\nldgs g, %r1\nret %r1", "global"},
		{"var thread t int\nldts t, %r1\nret %r1", "clause-local"},
		{"var thread t int\nsetx 1, %r1\nstts t, %r1\nret %r1", "clause-local"},
		{"var global[] a int\nsetx 1, %r1\npushtv 0, %r0, %r1\nldgaa a, %r1\nret %r1",
		 "clause-local"},
		{"setx 0, %r1\nldga args, %r1, %r1\nret %r1", "no args[]"},
		{"setx 0, %r1\nldga uregs, %r1, %r1\nret %r1", "no args[]"},
		{"ldgs curthread, %r1\nret %r1", "built in"},
		{"ldgs timestamp, %r1\nret %r1", "built in"},
		{"ldgs probename, %r1\nret %r1", "built in"},
		{"ldgs caller, %r1\nret %r1", "built in"},
		{"call rand, %r1\nret %r1", "may not call"},
		{"call speculation, %r1\nret %r1", "may not call"},
		{"setx 1, %r1\npushtv 0, %r0, %r1\npushtv 0, %r0, %r1\npushtv 0, %r0, %r1\n"
		 "call copyout, %r1\nret %r1",
		 "may not call"},
		{"setx 1, %r1\npushtv 0, %r0, %r1\ncall mutex_owner, %r1\nret %r1", "may not call"},
		{"setx 1, %r1\npushtv 0, %r0, %r1\ncall progenyof, %r1\nret %r1", "may not call"},
		{"l:\nnop\nba l\nret %r0", "goes backward"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		CLAUSE(NULL, bad[i].difo);
		refused(bad[i].why);
		CLAUSE(bad[i].difo, STRING("x"));
		refused(bad[i].why);
	}
}

static void actions_and_other_helpers_are_refused(void **state)
{
	const struct build_action trace = {.kind = DTRACEACT_PRINTF, .difo = STRING("x")};
	const struct build_action nothing = {.kind = DTRACEACT_DIFEXPR};

	(void)state;
	build_clause(&helper, "dtrace:helper:ustack:", NULL, build_actions(&helper, &trace, 1), 0);
	refused("only expressions");
	build_clause(&helper, "dtrace:helper:ustack:", NULL, build_actions(&helper, &nothing, 1),
		     0);
	refused("only expressions");
	clause_of("dtrace:helper:kstack:", NULL, (const char *const[]){STRING("x"), NULL});
	refused("there are no helpers");
	clause_of("dtrace:helper:ustack:name", NULL, (const char *const[]){STRING("x"), NULL});
	refused("there are no helpers");
}

static void clauses_of_probes_are_not_helpers(void **state)
{
	uint64_t nothing;

	(void)state;
	build_section(&helper, DOF_SECT_STRTAB, 1, 0, "", 1);
	assert_int_equal(parse(0), 0);
	assert_null(parsed[0]->program);
	nothing = parsed[0]->bytes;
	dtrace_helper_free(parsed[0]);
	clause_of("dtrace:::BEGIN", NULL, (const char *const[]){STRING("x"), NULL});
	assert_int_equal(parse(0), 0);
	assert_null(parsed[0]->program);
	assert_int_equal(parsed[0]->bytes, nothing);
	dtrace_helper_free(parsed[0]);
	CLAUSE(NULL, STRING("x"));
	assert_int_equal(parse(0), 0);
	assert_non_null(parsed[0]->program);
	assert_true(parsed[0]->bytes > nothing);
}

/* A frame without a helper costs nothing, whatever values the caller's variables had before. */
static void no_program_is_no_bytes(void **state)
{
	static const char *const descs[] = {NULL, "dtrace:::BEGIN"};
	struct dof_err err = {.msg = msg, .len = sizeof(msg)};
	struct dtrace_helper_program *program;
	uint64_t bytes;
	struct dof dof;
	size_t size;
	void *file;

	(void)state;
	for (int i = 0; i < 2; i++) {
		if (descs[i])
			clause_of(descs[i], NULL, (const char *const[]){STRING("x"), NULL});
		else
			build_section(&helper, DOF_SECT_STRTAB, 1, 0, "", 1);
		file = (void *)build_finish(&helper, &size);
		assert_int_equal(dof_open(&dof, file, size, &err), 0);
		program = (void *)file;
		bytes = 12345;
		assert_int_equal(helper_program_read(&dof, &program, &bytes), 0);
		assert_null(program);
		assert_int_equal(bytes, 0);
		build_dof_free(&helper);
		build_dof_init(&helper);
	}
}

/* n clauses that share one statement. */
static int parse_clauses(unsigned int n)
{
	const struct build_action act = {.kind = DTRACEACT_DIFEXPR, .difo = STRING("x")};
	uint32_t first;

	build_clause(&helper, "dtrace:helper:ustack:", NULL, build_actions(&helper, &act, 1), 0);
	first = helper.nsecs - 1;
	for (; --n; helper.nsecs++) {
		helper.secs[helper.nsecs] = helper.secs[first];
		bytes_add(&helper.data[helper.nsecs], helper.data[first].p, helper.data[first].n);
	}
	return parse(0);
}

/* A DIFO that is named twice is read, verified and paid for once. */
static void a_shared_statement_is_one(void **state)
{
	const struct dtrace_helper_program *p;
	uint64_t one;

	(void)state;
	assert_int_equal(parse_clauses(1), 0);
	one = parsed[0]->bytes;
	dtrace_helper_free(parsed[0]);
	assert_int_equal(parse_clauses(3), 0);
	p = parsed[0]->program;
	assert_int_equal(p->nclauses, 3);
	assert_ptr_equal(p->clauses[0].stmts[0], p->clauses[1].stmts[0]);
	assert_ptr_equal(p->clauses[0].stmts[0], p->clauses[2].stmts[0]);
	assert_int_equal(parsed[0]->bytes, one);
	dtrace_helper_free(parsed[0]);
	CLAUSE(NULL, STRING("x"), STRING("x"));
	assert_int_equal(parse(0), 0);
	p = parsed[0]->program;
	assert_ptr_not_equal(p->clauses[0].stmts[0], p->clauses[0].stmts[1]);
	assert_true(parsed[0]->bytes > one);
}

/* A DIFO names each kind of section once. */
static void a_difo_with_two_sections_of_a_kind(void **state)
{
	static const dtrace_difv_t var = {.dtdv_id = DIF_VAR_OTHER_UBASE,
					  .dtdv_kind = DIFV_KIND_SCALAR,
					  .dtdv_scope = DIFV_SCOPE_LOCAL,
					  .dtdv_type = {.dtdt_size = 8}};
	static const dif_instr_t text[] = {DIF_INSTR_FMT(DIF_OP_RET, 0, 0, 0)};
	static const uint64_t ints[] = {7};
	struct { /* a dof_difohdr_t */
		dtrace_diftype_t rtype;
		dof_secidx_t links[5];
	} difo = {0};

	(void)state;
	for (unsigned int twice = 0; twice <= 4; twice++) {
		dof_actdesc_t act = {.dofa_strtab = DOF_SECIDX_NONE,
				     .dofa_kind = DTRACEACT_DIFEXPR};

		difo.links[0] = build_section(&helper, DOF_SECT_DIF, 4, 4, text, sizeof(text));
		difo.links[1] = build_section(&helper, DOF_SECT_INTTAB, 8, 8, ints, sizeof(ints));
		difo.links[2] = build_section(&helper, DOF_SECT_STRTAB, 1, 0, "\0x", 3);
		difo.links[3] =
			build_section(&helper, DOF_SECT_VARTAB, 4, sizeof(var), &var, sizeof(var));
		difo.links[4] = twice < 4 ? difo.links[twice] : DOF_SECIDX_NONE;
		act.dofa_difo = build_section(&helper, DOF_SECT_DIFOHDR, 4, 0, &difo, sizeof(difo));
		build_clause(
			&helper, "dtrace:helper:ustack:", NULL,
			build_section(&helper, DOF_SECT_ACTDESC, 8, sizeof(act), &act, sizeof(act)),
			0);
		if (twice < 4)
			refused("two sections of type");
		else if (parse(0) != 0)
			fail_msg("refused: %s", msg);
	}
}

static void too_many_clauses(void **state)
{
	(void)state;
	assert_int_equal(parse_clauses(DTRACE_UHELP_MAXCLAUSES + 1), -E2BIG);
	assert_non_null(strstr(msg, "clauses"));
	assert_int_equal(parse_clauses(DTRACE_UHELP_MAXCLAUSES), 0);
	assert_int_equal(parsed[0]->program->nclauses, DTRACE_UHELP_MAXCLAUSES);
}

static void too_many_statements(void **state)
{
	static dof_actdesc_t acts[DTRACE_UHELP_MAXSTMTS + 1];
	uint32_t n = DTRACE_UHELP_MAXSTMTS + 1;

	(void)state;
	acts[0] = (dof_actdesc_t){.dofa_difo = build_difo_text(&helper, "ret %r0"),
				  .dofa_strtab = DOF_SECIDX_NONE,
				  .dofa_kind = DTRACEACT_DIFEXPR};
	for (uint32_t i = 1; i < n; i++)
		acts[i] = acts[0];
	build_clause(&helper, "dtrace:helper:ustack:", NULL,
		     build_section(&helper, DOF_SECT_ACTDESC, 8, sizeof(acts[0]), acts,
				   n * sizeof(acts[0])),
		     0);
	assert_int_equal(parse(0), -E2BIG);
	assert_non_null(strstr(msg, "statements"));
}

static void too_large(void **state)
{
	static char text[20000];
	static char var[64 * 20 + 1000];

	(void)state;
	for (int i = 0; i < 3000; i++)
		strcat(text + i * 4, "nop\n");
	strcat(text, "ret %r0");
	for (int i = 0; i < 14; i++)
		CLAUSE(text, text);
	assert_int_equal(parse(0), -E2BIG);
	assert_non_null(strstr(msg, "instructions"));
	for (int i = 0; i < 20; i++)
		sprintf(var + strlen(var), "var local v%d string(4096)\nldls v%d, %%r1\n", i, i);
	strcat(var, "ret %r1");
	CLAUSE(NULL, var);
	assert_int_equal(parse(0), -E2BIG);
	assert_non_null(strstr(msg, "bytes of variables"));
}

/* An expression whose table names a variable n times. */
static int parse_variables(unsigned int n)
{
	static const char var[] = "var local v int\n";
	char *text = calloc(1, n * strlen(var) + 32), *at = text;
	int rc;

	while (n--)
		at = stpcpy(at, var);
	strcpy(at, "ldls v, %r1\nret %r1");
	CLAUSE(NULL, text);
	rc = parse(0);
	free(text);
	return rc;
}

static void too_many_variables(void **state)
{
	(void)state;
	assert_int_equal(parse_variables(DTRACE_UHELP_MAXVARS + 1), -E2BIG);
	assert_non_null(strstr(msg, "1025 variables"));
	assert_int_equal(parse_variables(DTRACE_UHELP_MAXVARS), 0);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	for (unsigned long n = 1;; n++) {
		port_user_fail(n);
		CLAUSE("ldgs arg2, %r1\nret %r1", STRING("name"),
		       "var local v int\nldls v, %r1\nret %r1");
		if (parse(0) == 0)
			break;
		assert_int_equal(port_user_allocated(), 0);
		assert_true(msg[0] != '\0');
	}
	assert_false(port_user_fail(0));
}

/* ---- what they say ---- */

static void a_name_for_each_frame(void **state)
{
	(void)state;
	CLAUSE(NULL, STRING("name"));
	take(0);
	go();
	pcs[1] = 0x2000;
	fps[0] = (uintptr_t)&stack[10];
	port_user_world.npcs = 2;
	record();
	assert_int_equal(frames[0], 0x1000);
	assert_int_equal(frames[1], 0x2000);
	assert_int_equal(frames[2], 0);
	assert_memory_equal(strs, "name\0name\0\0", 11);
	assert_int_equal(counts().runs, 2);
	assert_int_equal(counts().names, 2);
	assert_int_equal(counts().faults, 0);
}

static void arguments_are_the_frame(void **state)
{
	(void)state;
	CLAUSE("ldgs arg0, %r1\nsetx 0x2000, %r2\ncmp %r1, %r2\nbe y\nret %r0\n"
	       "y:\nsetx 1, %r1\nret %r1",
	       "type string\nldgs arg1, %r1\npushtv 0, %r0, %r1\nsetx 16, %r1\n"
	       "pushtv 0, %r0, %r1\ncall lltostr, %r2\nflushts\n"
	       "ldgs arg2, %r1\npushtv 0, %r0, %r1\nsetx 16, %r1\npushtv 0, %r0, %r1\n"
	       "call lltostr, %r3\nflushts\npushtr 1, %r0, %r2\npushtr 1, %r0, %r3\n"
	       "call strjoin, %r1\nret %r1");
	take(0);
	go();
	pcs[1] = 0x2000;
	fps[0] = 0x1f8;
	fps[1] = 0x300;
	port_user_world.npcs = 2;
	record();
	assert_string_equal(strs, "");
	assert_string_equal(strs + 1, "0x3000x200");
}

static void the_helpers_own_address(void **state)
{
	(void)state;
	CLAUSE(NULL, "type string\nldgs arg3, %r1\npushtv 0, %r0, %r1\nsetx 16, %r1\n"
		     "pushtv 0, %r0, %r1\ncall lltostr, %r1\nret %r1");
	take(0);
	go();
	record();
	assert_string_equal(strs, "0x6000000000");
}

static void the_last_statement_counts(void **state)
{
	(void)state;
	CLAUSE(NULL, STRING("first"), STRING("second"));
	CLAUSE("ret %r0", STRING("third"));
	CLAUSE(NULL, "var local v string\n" STRING("x"));
	CLAUSE("setx 1, %r1\nret %r1", STRING("fourth"));
	take(0);
	go();
	record();
	assert_string_equal(strs, "fourth");
}

static void what_is_no_string_is_no_name(void **state)
{
	static const char *const values[] = {
		"setx 7, %r1\nret %r1",
		"ret %r0",
		STRING(""),
		"type string\nret %r0",
		"type string\nsetx 7, %r1\nret %r1",
		"setx 0xffffffff81000000, %r1\nret %r1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++) {
		if (parsed[0])
			dtrace_helper_free(parsed[0]);
		fixture_session(DTRACE_PRIV_ALL, 0);
		CLAUSE(NULL, STRING("not this"), values[i]);
		take(0);
		go();
		record();
		assert_int_equal(frames[0], 0x1000);
		assert_int_equal(strs[0], '\0');
	}
	assert_int_equal(counts().faults, 0);
}

static void pointers_to_characters_are_strings(void **state)
{
	(void)state;
	CLAUSE(NULL, "setx 4, %r1\npushtv 0, %r0, %r1\ncall alloca, %r1\nsetx 113, %r2\n"
		     "stb %r2, %r1\nret %r1");
	take(0);
	go();
	record();
	assert_string_equal(strs, "q");
}

/* A helper gets handles instead of the engine's addresses, whoever asks for the stack. */
static void addresses_are_handles(void **state)
{
	static const char *const difos[] = {
		"sets \"x\", %r1",
		"setx 4, %r1\npushtv 0, %r0, %r1\ncall alloca, %r1\nflushts",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(difos) / sizeof(difos[0]); i++) {
		char text[256];

		if (parsed[0])
			dtrace_helper_free(parsed[0]);
		fixture_session(DTRACE_PRIV_ALL, 0);
		snprintf(text, sizeof(text),
			 "type string\n%s\npushtv 0, %%r0, %%r1\nsetx 16, %%r1\n"
			 "pushtv 0, %%r0, %%r1\ncall lltostr, %%r1\nret %%r1",
			 difos[i]);
		CLAUSE(NULL, text);
		take(0);
		go();
		record();
		assert_memory_equal(strs, i ? "0xd60100" : "0xd60200", 8);
		assert_int_equal(strlen(strs), 18);
		assert_int_equal(engine.mstates[0].hide, 0); /* the session's is as before */
	}
}

static void variables_live_through_a_run(void **state)
{
	(void)state;
	CLAUSE(NULL, "var local s string\nsets \"kept\", %r1\nstls s, %r1\nret %r1", "ret %r0");
	CLAUSE("var local n int\nldls n, %r1\ntst %r1\nbe y\nret %r0\ny:\nsetx 1, %r1\nret %r1",
	       "type string\nvar local s string\nldls s, %r1\nret %r1",
	       "type string\nvar local s string\nvar local n int\nsetx 1, %r1\nstls n, %r1\n"
	       "ldls s, %r1\nret %r1");
	take(0);
	go();
	pcs[1] = 0x2000;
	fps[0] = 0x1f8;
	port_user_world.npcs = 2;
	record();
	assert_memory_equal(strs, "kept\0kept\0", 10);
}

static void the_first_helper_with_a_name_wins(void **state)
{
	(void)state;
	CLAUSE(NULL, "ret %r0");
	take(0);
	CLAUSE(NULL, "udiv %r0, %r0, %r1\nret %r1");
	take(1);
	CLAUSE(NULL, STRING("third"));
	take(2);
	go();
	record();
	assert_string_equal(strs, "third");
	assert_int_equal(counts().runs, 3);
	assert_int_equal(counts().faults, 1);
}

/* ---- harm ---- */

/*
 * A helper that reads the kernel or the session's scratch, or faults, gives no name, and causes no
 * error.
 */
static void faults_are_the_helpers_own(void **state)
{
	static uint64_t kernel = 42;
	const struct build_name names[] = {{"kernel", (uintptr_t)&kernel}, {"nowhere", 8}};
	static const char *const bad[] = {
		"setx kernel, %r1\nldx %r1, %r1\nret %r1",
		"setx kernel, %r1\nrldx %r1, %r1\nret %r1",
		"setx nowhere, %r1\nuldx %r1, %r1\nret %r1",
		"setx nowhere, %r1\npushtv 0, %r0, %r1\ncall copyinstr, %r1\nret %r1",
		"setx 1, %r1\nudiv %r1, %r0, %r1\nret %r1",
		"setx 0x100000, %r1\nallocs %r1, %r1\nret %r1",
		"setx 8, %r1\nallocs %r1, %r1\nsetx 16, %r2\nsub %r1, %r2, %r1\nstx %r0, %r1\n"
		"ret %r1",
		"setx 8, %r1\nallocs %r1, %r1\nsetx 16, %r2\nsub %r1, %r2, %r1\nldx %r1, %r1\n"
		"ret %r1",
		"setx kernel, %r1\nstx %r0, %r1\nret %r1",
		"setx kernel, %r1\npushtr 1, %r0, %r1\ncall strlen, %r1\nret %r1",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		if (parsed[0])
			dtrace_helper_free(parsed[0]);
		fixture_session(DTRACE_PRIV_ALL, 0);
		helper.names = names;
		helper.nnames = 2;
		CLAUSE(NULL, bad[i]);
		take(0);
		go();
		record();
		assert_int_equal(frames[0], 0x1000);
		assert_int_equal(strs[0], '\0');
		assert_int_equal(counts().faults, i + 1);
		assert_int_equal(fixture_status().dtst_errors, 0);
	}
	assert_int_equal(kernel, 42);
}

/* The session goes on behind a helper as if there had been none. */
static void the_clause_goes_on(void **state)
{
	const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "var local mine int\nsetx 5, %r1\nstls mine, %r1\nret %r1"},
		{.kind = DTRACEACT_JSTACK, .arg = DTRACE_USTACK_ARG(FRAMES, STRSIZE)},
		{.kind = DTRACEACT_DIFEXPR, .difo = "var local mine int\nldls mine, %r1\nret %r1"},
		/* Strings have the session's size, not that of helpers. */
		{.kind = DTRACEACT_DIFEXPR,
		 .difo = "sets \"0123456789\", %r1\npushtr 1, %r0, %r1\npushtr 1, %r0, %r1\n"
			 "call strjoin, %r1\nflushts\npushtr 1, %r0, %r1\ncall strlen, %r1\nret %r1"},
		ACT_ARG0,
		ACT_END,
	};
	const dtrace_rechdr_t *h;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_STRSIZE, 16);
	CLAUSE(NULL, "var local theirs int\nsetx 6, %r1\nstls theirs, %r1\nudiv %r0, %r0, %r1\n"
		     "ret %r1");
	take(0);
	fixture_clause("test:mod:func:a", NULL, acts);
	fixture_go();
	fix.argval = 99;
	fire();
	fixture_read(0, &out);
	h = build_record(&out, 0);
	assert_non_null(h);
	assert_int_equal(fixture_u64(h, h->dtrh_size - sizeof(*h) - 24), 5);
	assert_int_equal(fixture_u64(h, h->dtrh_size - sizeof(*h) - 16), 15);
	assert_int_equal(fixture_u64(h, h->dtrh_size - sizeof(*h) - 8), 99);
	assert_int_equal(fixture_status().dtst_errors, 0);
	bytes_free(&out);
}

/* A helper that does 64,000 steps for a frame, and a stack of FRAMES of them. */
static void slow_helper(void)
{
	static char text[20000];

	for (int i = 0; i < 4000; i++)
		memcpy(text + i * 4, "nop\n", 4);
	strcpy(text + 16000, "ret %r0");
	port_user_world.timestamp = 1000000000; /* a busy machine takes longer than a firing may */
	for (int i = 0; i < 16; i++)
		CLAUSE(text, "ret %r0");
	CLAUSE(NULL, STRING("name"));
	take(0);
	for (int i = 1; i < FRAMES; i++) {
		pcs[i] = 0x1000 + i;
		fps[i - 1] = 0x1000 + i * 16;
	}
	port_user_world.npcs = FRAMES;
}

/* With work for more than one stack may cost, only the first frames are named. */
static void work_is_bounded(void **state)
{
	(void)state;
	slow_helper();
	go();
	record();
	assert_int_equal(frames[FRAMES - 1], pcs[FRAMES - 1]);
	assert_string_equal(strs, "name");
	assert_int_equal(counts().limits, 1);
	assert_int_equal(counts().faults, 1);
	assert_int_equal(counts().names, 7);
}

/*
 * Each stack of a firing takes half of the work that is left, however long the helpers would go on:
 * together less than a firing may do, and the session's own actions behind them are carried out.
 */
static void work_of_many_stacks_is_bounded(void **state)
{
	struct build_action acts[6] = {{0}};
	const struct state_cpu *sc;
	const dtrace_rechdr_t *h;

	(void)state;
	slow_helper();
	for (int i = 0; i < 4; i++)
		acts[i] = (struct build_action){.kind = DTRACEACT_JSTACK,
						.arg = DTRACE_USTACK_ARG(FRAMES, STRSIZE)};
	acts[4] = (struct build_action)ACT_ARG0;
	port_user_world.uid = 1000;
	fixture_session(DTRACE_PRIV_USER | DTRACE_PRIV_PROC, 1000);
	fixture_clause("test:mod:func:a", NULL, acts);
	fixture_go();
	fix.argval = 99;
	fire();
	sc = &fix.state->cpus[0];
	assert_in_range(sc->granted - (uint64_t)sc->work, DTRACE_WORK_USER / 2, DTRACE_WORK_USER);
	fixture_read(0, &out);
	h = build_record(&out, 0);
	assert_non_null(h);
	assert_int_equal(fixture_u64(h, h->dtrh_size - sizeof(*h) - 8), 99);
	assert_int_equal(fixture_status().dtst_errors, 0);
	assert_int_equal(counts().limits, 4);
	bytes_free(&out);
}

/* ---- time in interrupts ---- */

/* Take a helper that names each frame, and whose run is charged to an account. */
static struct dtrace_account *charged_helper(uint32_t uid)
{
	struct dtrace_account *account = dtrace_account_get(uid, false);

	assert_non_null(account);
	CLAUSE(NULL, STRING("name"));
	take(0);
	helpers->account = account;
	port_user_world.timestamp = 1000000000;
	return account;
}

/* The stacks of some time, and how long they took. */
struct sampled {
	unsigned int stacks, named;
	uint64_t took; /* ns of the stacks for which helpers were asked */
};

/* Fire each ms for ms of time. */
static struct sampled sample(unsigned int ms)
{
	uint64_t end = port_user_world.timestamp + ms * 1000000ULL, began, pauses;
	struct sampled all = {0};

	for (; port_user_world.timestamp < end; all.stacks++) {
		fixture_status(); /* the consumer is alive */
		began = port_user_world.timestamp;
		pauses = counts().pauses;
		record();
		assert_int_equal(frames[0], 0x1000);
		if (counts().pauses == pauses)
			all.took += port_user_world.timestamp - began;
		all.named += !strcmp(strs, "name");
		port_user_world.timestamp += 1000000;
	}
	return all;
}

/*
 * However fast the machine is, helpers take their share of the time. Frames have their addresses.
 */
static void interrupts_have_a_share_for_helpers(void **state)
{
	static const uint64_t ticks[] = {200000, 2000000, 20000000, 200000000};
	struct dtrace_account *account = charged_helper(1000);

	(void)state;
	go();
	port_user_world.ipl = 2;
	for (size_t i = 0; i < sizeof(ticks) / sizeof(ticks[0]); i++) {
		struct sampled all;

		port_user_world.tick = ticks[i];
		all = sample(20000);
		/* 2 s; besides, the clock moves on where the firing looks at it for others */
		assert_in_range(all.took, 1000000000, 6000000000);
		if (ticks[i] < 10000000)
			assert_in_range(all.named, 100, all.stacks / 2);
		else
			assert_int_equal(all.named, 0);
	}
	assert_true(counts().pauses > 1000);
	dtrace_account_put(account);
}

/* Short helpers name all frames. In a thread, long ones do, too: the process causes the firings. */
static void a_share_is_for_long_helpers_in_interrupts(void **state)
{
	struct dtrace_account *account = charged_helper(1000);
	struct sampled all;

	(void)state;
	go();
	port_user_world.ipl = 2;
	port_user_world.tick = 10000;
	all = sample(1000);
	assert_in_range(all.named, 900, 1000);
	assert_int_equal(all.named, all.stacks);
	port_user_world.ipl = 0;
	port_user_world.tick = 2000000;
	all = sample(1000);
	assert_in_range(all.named, 50, 1000);
	assert_int_equal(all.named, all.stacks);
	assert_int_equal(counts().pauses, 0);
	assert_int_equal(counts().limits, 0);
	dtrace_account_put(account);
}

/*
 * Neither another user's processes nor another CPU's interrupts are charged for a user's helpers.
 */
static void shares_of_helpers_are_apart(void **state)
{
	struct dtrace_account *account = charged_helper(1000);
	struct dtrace_account *other = dtrace_account_get(1001, false);

	(void)state;
	go();
	port_user_world.ipl = 2;
	port_user_world.tick = 2000000;
	while (!counts().pauses)
		record();
	assert_string_equal(strs, "");
	helpers->account = other;
	record();
	assert_string_equal(strs, "name");
	helpers->account = account;
	record();
	assert_string_equal(strs, "");
	assert_int_equal(counts().pauses, 2);
	port_user_set_cpu(1);
	fire();
	port_user_set_cpu(0);
	assert_int_equal(counts().pauses, 2);
	dtrace_account_put(account);
	dtrace_account_put(other);
}

/* Root's processes have no limit, unless they have given up root's rights. */
static void root_has_no_share_of_helpers(void **state)
{
	struct dtrace_account *root = dtrace_account_get(0, true);
	struct sampled all;

	(void)state;
	dtrace_account_put(charged_helper(1000));
	helpers->account = root;
	go();
	port_user_world.ipl = 2;
	port_user_world.tick = 2000000;
	port_user_world.root = true;
	all = sample(2000);
	assert_in_range(all.named, 50, 2000);
	assert_int_equal(all.named, all.stacks);
	port_user_world.root = false;
	port_user_world.uid = 33;
	all = sample(2000);
	assert_in_range(all.named, 1, all.stacks / 2);
	assert_true(counts().pauses > 0);
	dtrace_account_put(root);
}

/* Helpers of one stack stop when the share is used up, and not when their work is. */
static void a_stack_ends_with_the_share(void **state)
{
	struct dtrace_account *account = dtrace_account_get(1000, false);

	(void)state;
	slow_helper();
	helpers->account = account;
	go();
	port_user_world.ipl = 2;
	port_user_world.tick = 2000000; /* at each look at the clock: 60 for all units of a stack */
	record();
	assert_int_equal(frames[FRAMES - 1], pcs[FRAMES - 1]);
	assert_string_equal(strs, "");
	assert_int_equal(counts().names, 0);
	assert_int_equal(counts().faults, 1);
	assert_int_equal(counts().limits, 1);
	assert_in_range(port_user_world.timestamp, 1010000000, 1030000000);
	dtrace_account_put(account);
}

static void others_processes_are_not_asked(void **state)
{
	(void)state;
	CLAUSE(NULL, STRING("name"));
	take(0);
	fixture_session(DTRACE_PRIV_PROC | DTRACE_PRIV_USER, 1000);
	port_user_world.uid = 1001;
	go();
	fire();
	assert_int_equal(counts().runs, 0);
}

/* Bytes between allocations are cleared too: the session may have had the kernel's memory there. */
static void what_others_left_in_scratch_is_gone(void **state)
{
	static char secret[128 * 1024];
	char text[160];
	const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = text},
		ACT_END,
	};

	(void)state;
	memset(secret, 'S', sizeof(secret));
	snprintf(text, sizeof(text),
		 "setx %llu, %%r1\npushtv 0, %%r0, %%r1\nsetx %zu, %%r1\n"
		 "pushtv 0, %%r0, %%r1\ncall copyin, %%r1\nret %%r0",
		 (unsigned long long)(uintptr_t)secret, sizeof(secret));
	CLAUSE(NULL, "setx 65536, %r1\nallocs %r1, %r2\nsetx 1, %r1\nallocs %r1, %r2\n"
		     "allocs %r1, %r3\nadd %r2, %r1, %r2\nret %r2");
	take(0);
	fixture_clause("test:mod:func:b", NULL, acts);
	go();
	dtrace_fire(fix.b, &(struct dtrace_fire){.regs = regs, .user = true});
	assert_int_equal(engine.mstates[0].scratch[sizeof(secret) - 1], 'S');
	fixture_read(0, &out);
	bytes_free(&out);
	record();
	assert_string_equal(strs, "");
	assert_int_equal(counts().runs, 1);
}

/* ---- which frames there are ---- */

#define NAME_ALL CLAUSE(NULL, STRING("h"))

static void words_in_the_text_are_frames(void **state)
{
	(void)state;
	NAME_ALL;
	take(0);
	go();
	stack[3] = TEXT;
	stack[7] = TEXT + 0xfff;
	stack[9] = TEXT + 0x1000;
	stack[11] = TEXT - 1;
	stack[2047] = TEXT + 5;
	record();
	assert_int_equal(frames[0], 0x1000);
	assert_int_equal(frames[1], TEXT);
	assert_int_equal(frames[2], TEXT + 0xfff);
	assert_int_equal(frames[3], TEXT + 5);
	assert_int_equal(frames[4], 0);
	assert_memory_equal(strs, "h\0h\0h\0h\0\0", 9);
}

static void words_that_nobody_names_are_none(void **state)
{
	(void)state;
	CLAUSE(NULL, "ret %r0");
	take(0);
	CLAUSE(NULL, "udiv %r0, %r0, %r1\nret %r1");
	take(1);
	go();
	stack[3] = TEXT + 1;
	stack[4] = TEXT + 0x1001;
	record();
	assert_int_equal(frames[1], TEXT + 0x1001); /* its helper is broken: that can be seen */
	assert_int_equal(frames[2], 0);
}

static void both_ways_are_merged(void **state)
{
	(void)state;
	NAME_ALL;
	take(0);
	go();
	pcs[1] = 0x2000;
	fps[0] = (uintptr_t)&stack[3]; /* address of return at 4 */
	pcs[2] = TEXT + 2;
	fps[1] = (uintptr_t)&stack[9]; /* at 10, where the search finds it too */
	pcs[3] = 0x3000;
	fps[2] = (uintptr_t)&stack[19];
	port_user_world.npcs = 4;
	stack[1] = TEXT + 1;
	stack[10] = TEXT + 2;
	stack[12] = TEXT + 3;
	record();
	assert_int_equal(frames[0], 0x1000);
	assert_int_equal(frames[1], TEXT + 1);
	assert_int_equal(frames[2], 0x2000);
	assert_int_equal(frames[3], TEXT + 2);
	assert_int_equal(frames[4], TEXT + 3);
	assert_int_equal(frames[5], 0x3000);
	assert_int_equal(frames[6], 0);
}

static void the_search_ends_at_a_fault_and_its_limit(void **state)
{
	uint64_t *big = calloc(1, DTRACE_UHELP_SEARCH + 4096);

	(void)state;
	NAME_ALL;
	take(0);
	go();
	regs[TARGET_REG_SP] = (uintptr_t)big + 3; /* not aligned, for whatever reason */
	big[DTRACE_UHELP_SEARCH / 8] = TEXT + 1;
	big[DTRACE_UHELP_SEARCH / 8 + 1] = TEXT + 2;
	record();
	assert_int_equal(frames[1], TEXT + 1);
	assert_int_equal(frames[2], 0);
	port_user_window(big, 64, true);
	big[2] = TEXT + 3;
	record();
	assert_int_equal(frames[1], 0);
	regs[TARGET_REG_SP] = UINT64_MAX - 5;
	record();
	assert_int_equal(frames[1], 0);
	port_user_window(NULL, 0, false);
	free(big);
}

static void more_than_can_be_asked(void **state)
{
	(void)state;
	CLAUSE(NULL, "ret %r0");
	take(0);
	go();
	for (size_t i = 0; i < 2048; i++)
		stack[i] = TEXT + 1;
	record();
	assert_int_equal(frames[1], 0);
	assert_int_equal(counts().runs, DTRACE_UHELP_MAXRUNS);
	assert_int_equal(counts().limits, 1);
}

static void names_that_do_not_fit_are_cut(void **state)
{
	(void)state;
	CLAUSE(NULL, STRING("a name of twenty ch."));
	take(0);
	go();
	for (int i = 1; i < 6; i++)
		stack[i] = TEXT + i;
	record();
	assert_string_equal(strs, "a name of twenty ch.");
	assert_string_equal(strs + 42, "a name of twenty ch.");
	assert_int_equal(strs[62], '\0');
	assert_int_equal(frames[5], TEXT + 5);
	assert_int_equal(fixture_status().dtst_stkstroverflows, 1);
}

static void without_room_nobody_is_asked(void **state)
{
	const struct build_action acts[] = {
		{.kind = DTRACEACT_USTACK, .arg = DTRACE_USTACK_ARG(FRAMES, 0)},
		ACT_END,
	};

	(void)state;
	NAME_ALL;
	take(0);
	fixture_clause("test:mod:func:a", NULL, acts);
	fixture_go();
	stack[3] = TEXT;
	fire();
	fixture_read(0, &out);
	assert_int_equal(fixture_u64(build_record(&out, 0), 8), 0x1000);
	assert_int_equal(fixture_u64(build_record(&out, 0), 16), 0);
	assert_int_equal(counts().runs, 0);
	bytes_free(&out);
}

static void stacks_are_keys(void **state)
{
	const struct build_action acts[] = {
		{.kind = DTRACEACT_JSTACK, .arg = DTRACE_USTACK_ARG(FRAMES, STRSIZE)},
		{.kind = DTRACEAGG_COUNT, .ntuple = 2},
		ACT_END,
	};

	(void)state;
	CLAUSE(NULL, "type string\nsetx nowhere, %r1\nret %r1", STRING("key"));
	take(0);
	fixture_clause("test:mod:func:a", NULL, acts);
	fixture_go();
	fire();
	fire();
	fixture_read_aggs(0, &out);
	assert_non_null(build_aggrec(&out, 0));
	assert_null(build_aggrec(&out, 1));
	bytes_free(&out);
}

#define R(f) cmocka_unit_test_setup_teardown(f, refusals_setup, refusals_teardown)
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		R(what_a_helper_may_not_have),
		R(actions_and_other_helpers_are_refused),
		R(clauses_of_probes_are_not_helpers),
		R(no_program_is_no_bytes),
		R(a_shared_statement_is_one),
		R(a_difo_with_two_sections_of_a_kind),
		R(too_many_clauses),
		R(too_many_statements),
		R(too_large),
		R(too_many_variables),
		R(every_allocation_may_fail),
		T(a_name_for_each_frame),
		T(arguments_are_the_frame),
		T(the_helpers_own_address),
		T(the_last_statement_counts),
		T(what_is_no_string_is_no_name),
		T(pointers_to_characters_are_strings),
		T(addresses_are_handles),
		T(variables_live_through_a_run),
		T(the_first_helper_with_a_name_wins),
		T(faults_are_the_helpers_own),
		T(the_clause_goes_on),
		T(work_is_bounded),
		T(work_of_many_stacks_is_bounded),
		T(interrupts_have_a_share_for_helpers),
		T(a_share_is_for_long_helpers_in_interrupts),
		T(shares_of_helpers_are_apart),
		T(root_has_no_share_of_helpers),
		T(a_stack_ends_with_the_share),
		T(others_processes_are_not_asked),
		T(what_others_left_in_scratch_is_gone),
		T(words_in_the_text_are_frames),
		T(words_that_nobody_names_are_none),
		T(both_ways_are_merged),
		T(the_search_ends_at_a_fault_and_its_limit),
		T(more_than_can_be_asked),
		T(names_that_do_not_fit_are_cut),
		T(without_room_nobody_is_asked),
		T(stacks_are_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
