/* SPDX-License-Identifier: MIT */
/*
 * engine_usdt.c - the probes of a process: where their arguments are, which of the sites at one
 * address fire in which order, by which names they are known; and stop points.
 */
#include "engine_fixture.h"
#include "dofbuild.h"
#include "usdt.h"
#include <string.h>
#include <sys/user.h>

#define DOF_ADDR 0x7f0000001000ULL
#define SITE	 0x7f0000100000ULL
#define OTHER	 0x7f0000100010ULL

static struct {
	struct usdt_process process;
	void *blocks[64];
	unsigned int nblocks;
} made;

static void *block_get(void *ctx, size_t size)
{
	(void)ctx;
	assert_in_range(made.nblocks, 0, sizeof(made.blocks) / sizeof(made.blocks[0]) - 1);
	return made.blocks[made.nblocks++] = malloc(size);
}

static int setup(void **state)
{
	int rc = fixture_setup(state);

	usdt_init(&made.process, 1, 4711, 0);
	return rc;
}

static int teardown(void **state)
{
	usdt_fini(&made.process);
	return fixture_teardown(state);
}

/* Return the DOF of some probes as the engine reads it. */
static struct dtrace_helper_dof *parsed(const struct dofbuild_probe *probes, size_t n)
{
	struct dtrace_helper_dof *helper = NULL;
	struct dofbuild b;
	char why[256] = "";
	size_t size;
	void *bytes;

	dofbuild_init(&b, &operands_x86_64, block_get, NULL);
	for (size_t i = 0; i < n; i++)
		assert_true(dofbuild_probe(&b, &probes[i]));
	size = dofbuild_size(&b);
	bytes = calloc(1, size);
	dofbuild_write(&b, bytes, DOF_ADDR);
	if (dtrace_helper_parse(bytes, size, DOF_ADDR, 0, UINT64_MAX, &helper, why, sizeof(why)))
		fail_msg("%s", why);
	free(bytes);
	while (made.nblocks)
		free(made.blocks[--made.nblocks]);
	return helper;
}

/* Give the process a DOF. */
static struct usdt_dof *add(struct dtrace_helper_dof *helper, uint32_t flags,
			    const struct usdt_number *numbers)
{
	struct usdt_dof *dof = NULL;
	char why[256] = "";

	if (usdt_add(&made.process, helper, "app", flags, numbers, &dof, why, sizeof(why)))
		fail_msg("%s", why);
	return dof;
}

/* Add a DOF with one probe at an address. */
static struct usdt_dof *add_probe_flags(const char *name, uint64_t pc, uint32_t flags)
{
	const struct dofbuild_probe probe = {
		.provider = "app", .name = name, .func = "main", .pc = pc};

	return add(parsed(&probe, 1), flags, NULL);
}

static struct usdt_dof *add_probe(const char *name, uint64_t pc)
{
	return add_probe_flags(name, pc, 0);
}

/* ---- hits ---- */

#define NARGS 10 /* arguments that have a variable */

static struct user_regs_struct regs; /* of the thread that hits a site */
static uint64_t values[NARGS];	     /* arguments in the last record */

static void trace_arguments(void)
{
	static const struct build_action acts[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg0, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg1, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg2, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg3, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg4, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg5, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg6, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg7, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg8, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg9, %r1; ret %r1"},
		ACT_END};

	fixture_clause("app4711:::", NULL, acts);
	fixture_go();
}

/* Fire at all sites of a location. Return the number of records; values has the last. */
static unsigned int hit(const struct usdt_location *at)
{
	struct usdt_regs words;
	struct dtrace_fire fire = {.regs = &words, .user = true};
	struct bytes out = {0};
	const dtrace_rechdr_t *record;
	unsigned int n = 0;

	memcpy(&words, &regs, sizeof(words));
	for (const struct usdt_site *site = at->sites; site; site = site->next) {
		fire.cookie = site;
		dtrace_fire(site->probe->probe, &fire);
	}
	fixture_read(0, &out);
	for (; (record = build_record(&out, n)); n++)
		for (size_t i = 0; i < NARGS; i++)
			values[i] = fixture_u64(record, i * 8);
	bytes_free(&out);
	return n;
}

/* Add a site with operands, and check the values of its arguments. Those behind them are 0. */
static void operands_have(const dof_argloc_t *locs, const uint64_t *expected, unsigned int n)
{
	const struct dofbuild_probe probe = {
		.provider = "app", .name = "one", .func = "main", .pc = SITE};
	struct dtrace_helper_dof *helper = parsed(&probe, 1);
	struct dtrace_helper_site *site = &helper->providers[0].probes[0].sites[0];
	struct usdt_dof *dof;

	site->locs = locs;
	site->nlocs = (uint8_t)n;
	dof = add(helper, 0, NULL);
	usdt_match(&made.process);
	assert_int_equal(hit(dof->sites[0].location), 1);
	for (unsigned int i = 0; i < NARGS; i++)
		if (values[i] != (i < n ? expected[i] : 0))
			fail_msg("arg%u: %#llx", i, (unsigned long long)values[i]);
	usdt_remove(&made.process, dof);
}

/* Return the names of the probes that fire at a location, in their order. */
static const char *order(const struct usdt_location *at)
{
	static char names[64];

	*names = '\0';
	for (const struct usdt_site *site = at->sites; site; site = site->next) {
		strcat(names, site->probe->desc->name);
		strcat(names, " ");
	}
	return names;
}

/* ---- the tests ---- */

static void stop_of_its_own(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, OTHER, 5, UINT32_MAX);

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->addr, OTHER);
	assert_int_equal(at->stop, 5);
	assert_null(at->sites);
	assert_true(usdt_enabled(at));
	assert_ptr_equal(made.process.locations[at->index], at);
	/* One address has one stop point. */
	assert_null(usdt_stop_set(&made.process, OTHER, 6, UINT32_MAX));
	assert_int_equal(at->stop, 5);
	usdt_stop_clear(&made.process, at);
	assert_null(made.process.locations[0]);
	at = usdt_stop_set(&made.process, OTHER, 6, UINT32_MAX);
	assert_non_null(at);
	assert_int_equal(at->stop, 6);
}

static void stop_with_a_given_number(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, OTHER, 5, 7);

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->index, 7);
	assert_int_equal(made.process.nlocations, 8);
	assert_ptr_equal(made.process.locations[7], at);
	for (uint32_t i = 0; i < 7; i++)
		assert_null(made.process.locations[i]);
	/* The next location without a number comes behind it. */
	assert_int_equal(usdt_stop_set(&made.process, SITE, 6, UINT32_MAX)->index, 8);
}

static void stop_at_a_site(void **state)
{
	struct usdt_dof *dof = add_probe("one", SITE);
	struct usdt_location *at = dof->sites[0].location;

	(void)state;
	assert_false(usdt_enabled(at));
	assert_true(usdt_owns(dof, at));
	assert_ptr_equal(usdt_stop_set(&made.process, SITE, 5, UINT32_MAX), at);
	assert_true(usdt_enabled(at));
	assert_false(usdt_owns(dof, at));
	/* The location stays for the site. */
	usdt_stop_clear(&made.process, at);
	assert_ptr_equal(made.process.locations[at->index], at);
	assert_int_equal(at->stop, 0);
	assert_false(usdt_enabled(at));
	assert_true(usdt_owns(dof, at));
}

static void site_at_a_stop(void **state)
{
	struct usdt_location *at = usdt_stop_set(&made.process, SITE, 5, UINT32_MAX);
	struct usdt_dof *dof;

	(void)state;
	assert_non_null(at);
	assert_int_equal(at->kind, USDT_OFFSET);
	dof = add_probe("one", SITE);
	assert_ptr_equal(dof->sites[0].location, at);
	assert_ptr_equal(at->sites, &dof->sites[0]);
	assert_int_equal(at->kind, dof->sites[0].kind);
	assert_int_equal(at->stop, 5);
	/* It stays for the stop point, too. */
	usdt_remove(&made.process, dof);
	assert_ptr_equal(made.process.locations[at->index], at);
	assert_null(at->sites);
	assert_true(usdt_enabled(at));
	usdt_stop_clear(&made.process, at);
	assert_null(made.process.locations[0]);
}

/* ---- arguments ---- */

#define REG(r, n)                                                      \
	{                                                              \
		.al_kind = DOF_LOC_REG, .al_base = (r), .al_size = (n) \
	}
#define SREG(r, n)                                                      \
	{                                                               \
		.al_kind = DOF_LOC_REG, .al_base = (r), .al_size = (n), \
		.al_flags = DOF_LOCF_SIGNED                             \
	}

static void registers(void **state)
{
	static const dof_argloc_t low[] = {
		REG(DOF_REG_AX, 8), REG(DOF_REG_BX, 8), REG(DOF_REG_CX, 8), REG(DOF_REG_DX, 8),
		REG(DOF_REG_SI, 8), REG(DOF_REG_DI, 8), REG(DOF_REG_BP, 8), REG(DOF_REG_SP, 8),
	};
	static const dof_argloc_t high[] = {
		REG(DOF_REG_R8, 8),  REG(DOF_REG_R9, 8),  REG(DOF_REG_R10, 8), REG(DOF_REG_R11, 8),
		REG(DOF_REG_R12, 8), REG(DOF_REG_R13, 8), REG(DOF_REG_R14, 8), REG(DOF_REG_R15, 8),
	};
	static const uint64_t expected_low[] = {1, 2, 3, 4, 5, 6, 7, 8};
	static const uint64_t expected_high[] = {9, 10, 11, 12, 13, 14, 15, 16};

	(void)state;
	regs = (struct user_regs_struct){.rax = 1,
					 .rbx = 2,
					 .rcx = 3,
					 .rdx = 4,
					 .rsi = 5,
					 .rdi = 6,
					 .rbp = 7,
					 .rsp = 8,
					 .r8 = 9,
					 .r9 = 10,
					 .r10 = 11,
					 .r11 = 12,
					 .r12 = 13,
					 .r13 = 14,
					 .r14 = 15,
					 .r15 = 16};
	trace_arguments();
	operands_have(low, expected_low, 8);
	operands_have(high, expected_high, 8);
}

static void sizes(void **state)
{
	static const dof_argloc_t of_register[] = {
		REG(DOF_REG_AX, 1),
		REG(DOF_REG_AX, 2),
		REG(DOF_REG_AX, 4),
		REG(DOF_REG_AX, 8),
		SREG(DOF_REG_AX, 1),
		SREG(DOF_REG_AX, 2),
		SREG(DOF_REG_AX, 4),
		SREG(DOF_REG_AX, 8),
		{.al_kind = DOF_LOC_REG,
		 .al_base = DOF_REG_AX,
		 .al_size = 1,
		 .al_flags = DOF_LOCF_HIGHBYTE},
		{.al_kind = DOF_LOC_PAIR,
		 .al_base = DOF_REG_AX,
		 .al_index = DOF_REG_BX,
		 .al_size = 8},
	};
	static const uint64_t expected[] = {
		0x88,
		0x8788,
		0x85868788,
		0x8182838485868788,
		0xffffffffffffff88,
		0xffffffffffff8788,
		0xffffffff85868788,
		0x8182838485868788,
		0x87,
		0x9596979885868788,
	};
	static const dof_argloc_t others[] = {
		{.al_kind = DOF_LOC_CONST, .al_disp = -5, .al_size = 8},
		{.al_kind = DOF_LOC_CONST, .al_disp = -5, .al_size = 4},
		{.al_kind = DOF_LOC_NONE, .al_disp = -5, .al_size = 8},
		{.al_kind = DOF_LOC_XMM, .al_base = 16, .al_size = 8},
		REG(DOF_REG_NONE, 8),
	};
	static const uint64_t expected_others[] = {(uint64_t)-5, 0xfffffffb, 0, 0, 0};

	(void)state;
	regs = (struct user_regs_struct){.rax = 0x8182838485868788, .rbx = 0x9192939495969798};
	trace_arguments();
	operands_have(of_register, expected, 10);
	operands_have(others, expected_others, 5);
}

static __thread uint32_t tls = 0x71727374;
static int32_t memory[] = {-1, -2, -3, -4, 5, 6, 7, 8};

static void addresses(void **state)
{
	char *thread;
	__asm__("movq %%fs:0, %0" : "=r"(thread));
	const dof_argloc_t locs[] = {
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_NONE,
		 .al_index = DOF_REG_NONE,
		 .al_disp = (intptr_t)&memory[1],
		 .al_size = 4},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_DI,
		 .al_index = DOF_REG_NONE,
		 .al_disp = 8,
		 .al_size = 4,
		 .al_flags = DOF_LOCF_SIGNED},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_DI,
		 .al_index = DOF_REG_SI,
		 .al_scale = 4,
		 .al_disp = 4,
		 .al_size = 4},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_NONE,
		 .al_index = DOF_REG_SI,
		 .al_scale = 8,
		 .al_disp = (intptr_t)memory - 16,
		 .al_size = 8},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_NONE,
		 .al_index = DOF_REG_NONE,
		 .al_disp = (char *)&tls - thread,
		 .al_size = 2,
		 .al_flags = DOF_LOCF_TLS},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_SI,
		 .al_index = DOF_REG_NONE,
		 .al_size = 4},
		{.al_kind = DOF_LOC_MEM,
		 .al_base = DOF_REG_DI,
		 .al_index = DOF_REG_NONE,
		 .al_size = 16},
	};
	const uint64_t expected[] = {
		0xfffffffe, (uint64_t)-3, 5, 0xfffffffcfffffffd, 0x7374, 0, 0,
	};

	(void)state;
	regs = (struct user_regs_struct){.rdi = (uintptr_t)memory, .rsi = 3};
	trace_arguments();
	operands_have(locs, expected, 7);
}

/* At a call, and at the entry of a function, where the return address is on the stack. */
static void by_the_calling_convention(void **state)
{
	static const uint64_t stack[] = {100, 101, 102, 103, 104};
	struct usdt_dof *dof;

	(void)state;
	regs = (struct user_regs_struct){
		.rdi = 1, .rsi = 2, .rdx = 3, .rcx = 4, .r8 = 5, .r9 = 6, .rsp = (uintptr_t)stack};
	trace_arguments();
	operands_have(NULL, (const uint64_t[]){1, 2, 3, 4, 5, 6, 100, 101, 102, 103}, 10);
	dof = add_probe_flags("entry", OTHER, USDT_PID);
	usdt_match(&made.process);
	assert_int_equal(hit(dof->sites[0].location), 1);
	for (size_t i = 0; i < NARGS; i++)
		assert_int_equal(values[i], i < 6 ? i + 1 : 101 + (i - 6));
}

/* Arguments with types are those that the translated arguments are made of. */
static void mapped_arguments(void **state)
{
	static const uint8_t map[] = {2, 0};
	static const char *const native[] = {"int", "long", "char *"};
	static const char *const translated[] = {"string", "int"};
	const dof_argloc_t locs[] = {REG(DOF_REG_AX, 8), REG(DOF_REG_BX, 8), REG(DOF_REG_CX, 8)};
	const struct dofbuild_probe probe = {.provider = "app",
					     .name = "one",
					     .func = "main",
					     .pc = SITE,
					     .nargs = 3,
					     .types = native,
					     .locs = locs};
	struct dtrace_helper_dof *helper = parsed(&probe, 1);
	struct dtrace_helper_probe *desc = &helper->providers[0].probes[0];
	struct dtrace_arg arg = {0};
	struct usdt_dof *dof;

	(void)state;
	assert_int_equal(desc->nxargs, 3);
	assert_true(dtrace_helper_getarg(desc, 2, &arg));
	assert_string_equal(arg.type, "char *");
	assert_null(arg.xlate);
	desc->map = map;
	desc->xargv = translated;
	desc->nxargs = 2;
	assert_true(dtrace_helper_getarg(desc, 0, &arg));
	assert_string_equal(arg.type, "char *");
	assert_string_equal(arg.xlate, "string");
	arg.xlate = NULL;
	assert_true(dtrace_helper_getarg(desc, 1, &arg));
	assert_string_equal(arg.type, "int");
	assert_null(arg.xlate);
	assert_false(dtrace_helper_getarg(desc, 2, &arg));
	regs = (struct user_regs_struct){.rax = 1, .rbx = 2, .rcx = 3};
	trace_arguments();
	dof = add(helper, 0, NULL);
	usdt_match(&made.process);
	assert_int_equal(hit(dof->sites[0].location), 1);
	assert_int_equal(values[0], 3);
	assert_int_equal(values[1], 1);
	assert_int_equal(values[2], 0);
}

/* Without types, a probe has as many arguments as a site gives. */
static void untyped_arguments(void **state)
{
	const dof_argloc_t locs[] = {REG(DOF_REG_AX, 8), REG(DOF_REG_BX, 8)};
	const struct dofbuild_probe probe = {.provider = "app",
					     .name = "one",
					     .func = "main",
					     .pc = SITE,
					     .nargs = 2,
					     .types = (const char *const[]){"int", "int"},
					     .locs = locs};
	struct dtrace_helper_dof *helper = parsed(&probe, 1);
	struct dtrace_helper_probe *desc = &helper->providers[0].probes[0];
	struct dtrace_arg arg = {0};

	(void)state;
	desc->nargs = desc->nxargs = 0;
	assert_true(dtrace_helper_getarg(desc, 1, &arg));
	assert_null(arg.type);
	assert_false(dtrace_helper_getarg(desc, 2, &arg));
	dtrace_helper_free(helper);
}

/* ---- sites at one address ---- */

static void sites_fire_by_their_kind(void **state)
{
	static const char *const names[] = {"return", "1f", "entry"};
	struct usdt_dof *dofs[5];
	const struct usdt_location *at;

	(void)state;
	for (size_t i = 0; i < 3; i++)
		dofs[i] = add_probe_flags(names[i], SITE, USDT_PID);
	dofs[3] = add_probe("two", SITE);
	dofs[4] = add_probe("one", SITE);
	at = dofs[0]->sites[0].location;
	assert_string_equal(order(at), "two one entry 1f return ");
	trace_arguments();
	assert_int_equal(hit(at), 5);
	assert_false(usdt_owns(dofs[0], at));
	usdt_remove(&made.process, dofs[1]);
	assert_string_equal(order(at), "two one entry return ");
	usdt_remove(&made.process, dofs[3]);
	assert_string_equal(order(at), "one entry return ");
	usdt_remove(&made.process, dofs[0]);
	assert_string_equal(order(at), "one entry ");
	assert_int_equal(hit(at), 2);
	usdt_remove(&made.process, dofs[4]);
	assert_true(usdt_owns(dofs[2], at));
	usdt_remove(&made.process, dofs[2]);
	assert_null(made.process.locations[0]);
}

/* The first of several sites of one probe fires; when it is removed, the next one does. */
static void duplicates(void **state)
{
	struct usdt_dof *before = add_probe("before", SITE), *first = add_probe("one", SITE),
			*second = add_probe("one", SITE), *third = add_probe("one", SITE);
	const struct usdt_location *at = first->sites[0].location;
	struct usdt_dof *behind = add_probe("behind", SITE);

	(void)state;
	assert_string_equal(order(at), "before one behind ");
	assert_false(usdt_is_duplicate(&made.process, first));
	assert_true(usdt_is_duplicate(&made.process, second));
	assert_true(usdt_is_duplicate(&made.process, third));
	assert_int_equal(first->sites[0].probe->nsites, 3);
	trace_arguments();
	assert_int_equal(hit(at), 3);
	usdt_remove(&made.process, second);
	assert_string_equal(order(at), "before one behind ");
	usdt_remove(&made.process, first);
	assert_string_equal(order(at), "before one behind ");
	assert_ptr_equal(at->sites->next, &third->sites[0]);
	assert_false(usdt_is_duplicate(&made.process, third));
	assert_int_equal(hit(at), 3);
	usdt_remove(&made.process, before);
	usdt_remove(&made.process, behind);
	assert_true(usdt_owns(third, at));
	assert_int_equal(hit(at), 1);
	usdt_remove(&made.process, third);
	assert_null(made.process.locations[0]);
}

/* An engine takes over the numbers of another, and its table grows for them. */
static void given_numbers(void **state)
{
	static const struct usdt_number numbers = {.probe = 40, .location = 200};
	struct usdt_location *at = usdt_stop_set(&made.process, OTHER, 5, UINT32_MAX);
	const struct dofbuild_probe probe = {
		.provider = "app", .name = "one", .func = "main", .pc = SITE};
	struct usdt_dof *dof = add(parsed(&probe, 1), 0, &numbers);

	(void)state;
	assert_int_equal(dof->sites[0].probe->number, 40);
	assert_ptr_equal(made.process.locations[200], dof->sites[0].location);
	assert_int_equal(made.process.nlocations, 201);
	assert_ptr_equal(made.process.locations[0], at);
	assert_null(usdt_stop_set(&made.process, SITE + 1, 6, 1U << 30));
	assert_int_equal(usdt_stop_set(&made.process, SITE + 1, 6, UINT32_MAX)->index, 201);
}

/* ---- names ---- */

/* Return how many probes a description matches. */
static uint32_t matches(const char *desc, bool follows_forks)
{
	dtrace_enable_io_t io = {0};
	char msg[256];

	fixture_session(DTRACE_PRIV_ALL, 0);
	if (follows_forks)
		build_option(&fix.dof, DTRACEOPT_FOLLOWFORK, 1);
	fixture_clause(desc, NULL, NULL);
	if (fixture_enable(&io, msg))
		fail_msg("%s", msg);
	return io.n_matched;
}

static void names_of_ancestors(void **state)
{
	(void)state;
	made.process.ancestors[0] = 99;
	made.process.ancestors[1] = 98;
	made.process.ancestors[62] = 37;
	add_probe("one", SITE);
	assert_int_equal(matches("app4711:::one", false), 1);
	assert_int_equal(matches("app4711:::one", true), 1);
	assert_int_equal(matches("app99:::one", false), 0);
	assert_int_equal(matches("app99:::one", true), 1);
	assert_int_equal(matches("app98:::one", true), 1);
	assert_int_equal(matches("app97:::one", true), 0);
	assert_int_equal(matches("app:::one", true), 0);
	assert_int_equal(matches("app*:::one", true), 1);
	/* There are no more behind the first that is missing. */
	assert_int_equal(matches("app37:::one", true), 0);
	for (uint32_t i = 0; i < USDT_ANCESTORS; i++)
		made.process.ancestors[i] = 99 - i;
	assert_int_equal(matches("app37:::one", true), 1);
}

static void the_program_is_a_out(void **state)
{
	(void)state;
	add_probe_flags("one", SITE, USDT_PROGRAM);
	add_probe_flags("two", OTHER, 0);
	assert_int_equal(matches("app4711:a.out::", false), 1);
	assert_int_equal(matches("app4711:app::", false), 2);
	assert_int_equal(matches("app4711:b.out::", false), 0);
}

/* The name and the number of the process are as long as names may be, and longer by one. */
static void long_names(void **state)
{
	const struct dofbuild_probe probe = {
		.provider = "app", .name = "one", .func = "main", .pc = SITE};
	struct dtrace_helper_dof *helper = parsed(&probe, 1);
	char name[DTRACE_PROVNAMELEN] = "", why[256] = "";
	struct usdt_dof *dof = NULL;

	(void)state;
	memset(name, 'a', sizeof(name) - 5);
	helper->providers[0].name = name;
	add(helper, 0, NULL);
	helper = parsed(&probe, 1);
	name[sizeof(name) - 5] = 'a';
	helper->providers[0].name = name;
	assert_int_equal(usdt_add(&made.process, helper, "app", 0, NULL, &dof, why, sizeof(why)),
			 -EINVAL);
	assert_non_null(strstr(why, "with the number of the process the name is too long"));
	assert_int_equal(matches("*4711:::", false), 1);
	/* An ancestor's number may be too long for the name. */
	made.process.ancestors[0] = 9999;
	assert_int_equal(matches("*9999:::", true), 1);
	made.process.ancestors[0] = 99999;
	assert_int_equal(matches("*99999:::", true), 0);
}

/* A provider ends with its last probe. */
static void providers_end(void **state)
{
	const struct dofbuild_probe probes[] = {
		{.provider = "app", .name = "one", .func = "main", .pc = SITE},
		{.provider = "other", .name = "one", .func = "main", .pc = OTHER},
	};
	struct usdt_dof *both = add(parsed(probes, 2), 0, NULL), *one = add_probe("two", SITE + 9);

	(void)state;
	assert_int_equal(matches("*4711:::", false), 3);
	usdt_remove(&made.process, both);
	assert_int_equal(matches("*4711:::", false), 1);
	assert_int_equal(matches("app4711:::two", false), 1);
	assert_null(dtrace_provider_find(made.process.key, "other4711"));
	usdt_remove(&made.process, one);
	assert_null(dtrace_provider_find(made.process.key, "app4711"));
}

/* ---- enablings ---- */

static unsigned int nchanged;

static void changed(struct usdt_process *process)
{
	assert_ptr_equal(process, &made.process);
	nchanged++;
}

static struct usdt_ecb ecbs[8];
static unsigned int necbs;

static void note_ecb(void *arg, const struct usdt_ecb *ecb)
{
	assert_ptr_equal(arg, ecbs);
	assert_true(necbs < 8);
	ecbs[necbs++] = *ecb;
}

static void ecbs_of_a_session(void **state)
{
	static const struct {
		uint32_t probe, enabling, clause;
	} expected[] = {{0, 0, 1}, {0, 1, 0}, {1, 1, 1}, {UINT32_MAX, 0, 0}};
	dtrace_state_t *other;

	(void)state;
	made.process.changed = changed;
	add_probe("one", SITE);
	add_probe("two", OTHER);
	nchanged = necbs = 0;
	matches("app4711:::", false);
	assert_int_equal(nchanged, 2);
	other = fix.state;
	fix.state = NULL;
	fixture_session(DTRACE_PRIV_ALL, 0);
	fixture_clause("dtrace:::ERROR", NULL, NULL);
	fixture_clause("app4711:::one", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	fixture_clause("app4711:::one", NULL, NULL);
	fixture_clause("app4711:::two", NULL, NULL);
	assert_int_equal(fixture_enable(NULL, NULL), 0);
	usdt_each_ecb(&made.process, fix.state, note_ecb, ecbs);
	assert_int_equal(necbs, 4);
	for (unsigned int i = 0; i < 4; i++) {
		assert_int_equal(ecbs[i].probe, expected[i].probe);
		assert_int_equal(ecbs[i].enabling, expected[i].enabling);
		assert_int_equal(ecbs[i].clause, expected[i].clause);
		assert_int_not_equal(ecbs[i].epid, 0);
	}
	dtrace_state_destroy(fix.state);
	fix.state = NULL;
	assert_int_equal(nchanged, 2);
	dtrace_state_destroy(other);
	assert_int_equal(nchanged, 4);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(stop_of_its_own),
		T(stop_with_a_given_number),
		T(stop_at_a_site),
		T(site_at_a_stop),
		T(registers),
		T(sizes),
		T(addresses),
		T(by_the_calling_convention),
		T(mapped_arguments),
		T(untyped_arguments),
		T(sites_fire_by_their_kind),
		T(duplicates),
		T(given_numbers),
		T(names_of_ancestors),
		T(the_program_is_a_out),
		T(long_names),
		T(providers_end),
		T(ecbs_of_a_session),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
