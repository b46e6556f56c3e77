/* SPDX-License-Identifier: MIT */
/*
 * engine_helper.c - what processes register: classic and recorded sites, relocations, merging, and
 * everything that is refused.
 */
#include "engine_fixture.h"

#define USER  0x555500000000ULL /* address of the DOF in the process */
#define LIMIT 0x7ffffffff000ULL

/* Strings of the sample, by offset. */
static const char strtab[] = "\0simple\0saw__line\0main\0int\0char *\0loop\0other\0simple-2";
enum {
	S_PROV = 1,
	S_PROBE = 8,
	S_MAIN = 18,
	S_INT = 23,
	S_CHARP = 27,
	S_LOOP = 34,
	S_OTHER = 39,
	S_BAD = 45
};

struct sample { /* changed by a test before it is built */
	dof_provider_t pv;
	size_t pvsize;
	dof_probe_t probes[3];
	uint32_t nprobes, probe_size;
	uint8_t prargs[4];
	uint32_t offs[4], enoffs[4];
	dof_prsites_t ps;
	dof_siteaddr_t addrs[3];
	dof_site_t sites[3];
	dof_argloc_t locs[4];
	dof_relohdr_t relohdr;
	dof_relodesc_t rel[2];
	uint32_t nrel;
	uint8_t version, model;
	bool recorded;
};

static struct sample s;
static struct dtrace_helper_dof *parsed;
static char msg[256];

static int setup(void **state)
{
	(void)state;
	memset(&s, 0, sizeof(s));
	s.pv.dofpv_name = S_PROV;
	s.pvsize = sizeof(s.pv);
	s.nprobes = 1;
	s.probe_size = sizeof(dof_probe_t);
	s.probes[0] = (dof_probe_t){.dofpr_addr = 0x400000,
				    .dofpr_func = S_MAIN,
				    .dofpr_name = S_PROBE,
				    .dofpr_nargv = S_INT,
				    .dofpr_xargv = S_INT,
				    .dofpr_nargc = 2,
				    .dofpr_xargc = 2,
				    .dofpr_noffs = 2,
				    .dofpr_nenoffs = 1};
	s.prargs[0] = 1;
	s.offs[0] = 0x10;
	s.offs[1] = 0x20;
	s.enoffs[0] = 0x30;
	s.ps = (dof_prsites_t){.ps_nsites = 2, .ps_nlocs = 3};
	s.addrs[0] = (dof_siteaddr_t){.sa_addr = -0x1000, .sa_sema = 0x2000};
	s.addrs[1] = (dof_siteaddr_t){.sa_addr = -0x2000};
	s.sites[0] = (dof_site_t){.st_func = DOF_STRIDX_NONE, .st_nargs = 2};
	s.sites[1] = (dof_site_t){
		.st_func = S_LOOP, .st_loc = 2, .st_nargs = 1, .st_kind = DOF_SITE_ISENABLED};
	s.locs[0] = (dof_argloc_t){.al_kind = DOF_LOC_REG,
				   .al_size = 4,
				   .al_flags = DOF_LOCF_SIGNED,
				   .al_base = DOF_REG_DI};
	s.locs[1] = (dof_argloc_t){.al_kind = DOF_LOC_MEM,
				   .al_size = 8,
				   .al_base = DOF_REG_BP,
				   .al_index = DOF_REG_NONE,
				   .al_disp = -16};
	s.locs[2] = (dof_argloc_t){.al_kind = DOF_LOC_MEM,
				   .al_size = 8,
				   .al_base = DOF_REG_IP,
				   .al_index = DOF_REG_NONE,
				   .al_disp = 0x40};
	s.version = DOF_VERSION_2;
	s.model = DOF_MODEL_LP64;
	parsed = NULL;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	dtrace_helper_free(parsed);
	return port_user_allocated() != 0;
}

static void add_sites(struct build_dof *b)
{
	struct bytes all = {0};

	bytes_add(&all, &s.ps, sizeof(s.ps));
	bytes_add(&all, s.addrs, 2 * sizeof(s.addrs[0]));
	bytes_add(&all, s.sites, 2 * sizeof(s.sites[0]));
	bytes_add(&all, s.locs, 3 * sizeof(s.locs[0]));
	s.pv.dofpv_prsites = build_section(b, DOF_SECT_PRSITES, 8, 0, all.p, all.n);
	bytes_free(&all);
}

/*
 * Sections of the sample: 0 STRTAB, 1 PROBES, 2 PRARGS, 3 PROFFS, 4 PRENOFFS, 5 PRSITES, RELTAB,
 * URELHDR, PROVIDER last.
 */
static int parse(void)
{
	static struct build_dof b;
	const void *file;
	uint8_t *buf;
	size_t size;
	int rc;

	build_dof_init(&b);
	s.pv.dofpv_strtab = build_section(&b, DOF_SECT_STRTAB, 1, 0, strtab, sizeof(strtab));
	s.pv.dofpv_probes = build_section(&b, DOF_SECT_PROBES, 8, s.probe_size, s.probes,
					  s.nprobes * s.probe_size);
	s.pv.dofpv_prargs = build_section(&b, DOF_SECT_PRARGS, 1, 1, s.prargs, sizeof(s.prargs));
	s.pv.dofpv_proffs = build_section(&b, DOF_SECT_PROFFS, 4, 4, s.offs, sizeof(s.offs));
	s.pv.dofpv_prenoffs =
		build_section(&b, DOF_SECT_PRENOFFS, 4, 4, s.enoffs, sizeof(s.enoffs));
	s.pv.dofpv_prsites = DOF_SECIDX_NONE;
	if (s.recorded)
		add_sites(&b);
	if (s.nrel) {
		s.relohdr.dofr_relsec = build_section(&b, DOF_SECT_RELTAB, 8, sizeof(s.rel[0]),
						      s.rel, s.nrel * sizeof(s.rel[0]));
		build_section(&b, DOF_SECT_URELHDR, 4, 0, &s.relohdr, sizeof(s.relohdr));
	}
	build_section(&b, DOF_SECT_PROVIDER, 4, 0, &s.pv, s.pvsize);
	file = build_finish(&b, &size);
	buf = malloc(size);
	memcpy(buf, file, size);
	buf[DOF_ID_VERSION] = s.version;
	buf[DOF_ID_MODEL] = s.model;
	build_dof_free(&b);
	dtrace_helper_free(parsed);
	parsed = NULL;
	rc = dtrace_helper_parse(buf, size, USER, 0x7000, LIMIT, &parsed, msg, sizeof(msg));
	free(buf);
	if (rc)
		assert_null(parsed);
	return rc;
}

static const struct dtrace_helper_probe *parse_one(void)
{
	if (parse() != 0)
		fail_msg("refused: %s", msg);
	assert_int_equal(parsed->nproviders, 1);
	assert_in_range(parsed->bytes, 1, 65536);
	assert_string_equal(parsed->providers[0].name, "simple");
	assert_int_equal(parsed->providers[0].nprobes, 1);
	return &parsed->providers[0].probes[0];
}

static void classic_sites(void **state)
{
	const struct dtrace_helper_probe *p = parse_one();

	(void)state;
	assert_string_equal(p->name, "saw-line");
	assert_string_equal(p->func, "main");
	assert_int_equal(p->nargs, 2);
	assert_string_equal(p->nargv[0], "int");
	assert_string_equal(p->nargv[1], "char *");
	assert_int_equal(p->nxargs, 2);
	assert_int_equal(p->map[0], 1);
	assert_int_equal(p->map[1], 0);
	assert_int_equal(p->nsites, 3);
	assert_int_equal(p->sites[0].addr, 0x400010);
	assert_int_equal(p->sites[1].addr, 0x400020);
	assert_int_equal(p->sites[2].addr, 0x400030);
	assert_int_equal(p->sites[1].isenabled, 0);
	assert_int_equal(p->sites[2].isenabled, 1);
	assert_null(p->sites[0].locs);
	assert_int_equal(parsed->nsites, 3);
}

static void recorded_sites(void **state)
{
	const struct dtrace_helper_probe *p;

	(void)state;
	s.recorded = true;
	p = parse_one();
	assert_int_equal(p->nsites, 2);
	assert_int_equal(p->sites[0].addr, USER - 0x1000);
	assert_int_equal(p->sites[0].sema, USER + 0x2000);
	assert_string_equal(p->sites[0].func, "main");
	assert_int_equal(p->sites[0].nlocs, 2);
	assert_int_equal(p->sites[0].locs[0].al_base, DOF_REG_DI);
	assert_int_equal(p->sites[0].locs[1].al_disp, -16);
	assert_int_equal(p->sites[1].addr, USER - 0x2000);
	assert_int_equal(p->sites[1].sema, 0);
	assert_string_equal(p->sites[1].func, "loop");
	assert_int_equal(p->sites[1].isenabled, 1);
	assert_int_equal(p->sites[1].locs[0].al_base, DOF_REG_NONE);
	assert_int_equal(p->sites[1].locs[0].al_disp, USER + 0x40);
}

static void older_producers(void **state)
{
	(void)state;
	s.pvsize = 44; /* no sites */
	assert_int_equal(parse_one()->nsites, 3);
	s.pvsize = 40; /* no is-enabled offsets */
	assert_int_equal(parse_one()->nsites, 2);
	s.pvsize = sizeof(s.pv);
	s.version = DOF_VERSION_1;
	assert_int_equal(parse_one()->nsites, 2);
	s.probes[0].dofpr_xargc = 0;
	assert_int_equal(parse_one()->nxargs, 0);
	assert_int_equal(parsed->providers[0].probes[0].nargs, 2);
}

static void relocations(void **state)
{
	(void)state;
	s.nrel = 1;
	s.relohdr.dofr_tgtsec = 1;
	s.rel[0] = (dof_relodesc_t){.dofr_type = DOF_RELO_SETX,
				    .dofr_offset = offsetof(dof_probe_t, dofpr_addr),
				    .dofr_data = 5};
	assert_int_equal(parse_one()->sites[0].addr, 0x400010 + 0x7000 + 5);
	s.rel[0].dofr_type = DOF_RELO_DOFREL;
	s.probes[0].dofpr_addr = (uint64_t)-0x100000;
	assert_int_equal(parse_one()->sites[0].addr & ~0xfffULL, USER - 0x100000);
	s.rel[0].dofr_type = DOF_RELO_NONE;
	s.probes[0].dofpr_addr = 0x10;
	assert_int_equal(parse_one()->sites[0].addr, 0x20);
	s.rel[0].dofr_type = 3;
	assert_int_equal(parse(), -EINVAL);
	assert_non_null(strstr(msg, "relocation type 3"));
	s.rel[0] = (dof_relodesc_t){.dofr_type = DOF_RELO_SETX,
				    .dofr_offset = sizeof(dof_probe_t) - 7};
	assert_int_equal(parse(), -EINVAL);
	assert_non_null(strstr(msg, "passes the target"));
	s.rel[0].dofr_offset = UINT64_MAX;
	assert_int_equal(parse(), -EINVAL);
	s.relohdr.dofr_tgtsec = 99;
	assert_int_equal(parse(), -EINVAL);
	assert_non_null(strstr(msg, "no target section 99"));
}

static void same_names_are_merged(void **state)
{
	const struct dtrace_helper_probe *p;

	(void)state;
	s.nprobes = 2;
	s.probes[1] = s.probes[0];
	s.probes[1].dofpr_func = S_LOOP;
	s.probes[1].dofpr_addr = 0x500000;
	s.probes[0].dofpr_nargc = s.probes[0].dofpr_xargc = 0;
	p = parse_one();
	assert_int_equal(p->nsites, 6);
	assert_int_equal(p->nargs, 2);
	assert_string_equal(p->sites[0].func, "main");
	assert_string_equal(p->sites[3].func, "loop");
	assert_int_equal(p->sites[3].addr, 0x500010);
}

static void probes_without_sites_are_left_out(void **state)
{
	(void)state;
	s.nprobes = 2;
	s.probes[1] = s.probes[0];
	s.probes[1].dofpr_name = S_OTHER;
	s.probes[1].dofpr_noffs = s.probes[1].dofpr_nenoffs = 0;
	assert_string_equal(parse_one()->name, "saw-line");
}

static void a_32_bit_process(void **state)
{
	(void)state;
	s.model = DOF_MODEL_ILP32;
	assert_int_equal(parse_one()->sites[0].addr, 0x400010);
	s.probes[0].dofpr_addr = 0x100000000ULL;
	assert_int_equal(parse(), -EINVAL);
	assert_non_null(strstr(msg, "not an address"));
}

/* Each case changes the sample and names what the text must say. */
static void refused_fields(void **state)
{
	static const struct {
		size_t off;
		uint32_t value;
		uint8_t size;
		bool recorded;
		const char *text;
	} cases[] = {
#define F(field, v, rec, text) {offsetof(struct sample, field), v, sizeof(s.field), rec, text}
		F(pv.dofpv_name, 5000, false, "provider name: there is no string at 5000"),
		F(pv.dofpv_name, 0, false, "is not a valid name"),
		F(pv.dofpv_name, S_BAD, false, "\"simple-2\" is not a valid name"),
		F(pvsize, 39, false, "needs 40"),
		F(probe_size, 32, false, "entries of 32 bytes"),
		F(probes[0].dofpr_name, 4000, false, "probe name: there is no string"),
		F(probes[0].dofpr_func, 4000, false, "function name: there is no string"),
		F(probes[0].dofpr_nargv, 4000, false, "argument type: there is no string"),
		F(probes[0].dofpr_nargc, 33, false, "33 native"),
		F(probes[0].dofpr_xargc, 200, false, "200 translated"),
		F(probes[0].dofpr_argidx, 3, false, "pass the 4 bytes of PRARGS"),
		F(probes[0].dofpr_argidx, UINT32_MAX, false, "PRARGS"),
		F(prargs[1], 2, false, "argument 1 is made of native argument 2"),
		F(probes[0].dofpr_offidx, 3, false, "offsets 3 to 5 pass the table of 4"),
		F(probes[0].dofpr_enoffidx, UINT32_MAX, false, "pass the table of 4"),
		F(probes[0].dofpr_noffs, 5, false, "pass the table of 4"),
		F(ps.ps_nsites, 100, true, "100 sites"),
		F(ps.ps_nlocs, UINT32_MAX, true, "4294967295 locations"),
		F(sites[0].st_probe, 1, true, "site 0: is of probe 1"),
		F(sites[1].st_kind, 2, true, "site 1: kind 2"),
		F(sites[0].st_func, 9999, true, "function name"),
		F(sites[1].st_loc, 3, true, "site 1: locations 3"),
		F(sites[1].st_nargs, 33, true, "site 1: locations"),
		F(locs[0].al_kind, 9, true, "location of argument 0 (kind 9"),
		F(locs[0].al_size, 3, true, "size 3"),
		F(locs[0].al_base, 16, true, "register 16"),
		F(locs[0].al_flags, 0x80, true, "location of argument 0"),
		F(locs[0].al_flags, DOF_LOCF_TLS, true, "location"),
		F(locs[1].al_index, 17, true, "location of argument 1"),
		F(locs[0].al_kind, DOF_LOC_PAIR, true, "kind 5"),
		F(locs[1].al_base, 0x21, true, "register 33"),
#undef F
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		teardown(state);
		setup(state);
		s.recorded = cases[i].recorded;
		memcpy((uint8_t *)&s + cases[i].off, &cases[i].value,
		       cases[i].size < 4 ? cases[i].size : 4);
		if (parse() != -EINVAL)
			fail_msg("case %zu was taken", i);
		if (!strstr(msg, cases[i].text))
			fail_msg("\"%s\" does not say \"%s\"", msg, cases[i].text);
	}
}

/* Each location is argument 0 of a site of its own model; whether it is taken. */
static void locations_of_arguments(void **state)
{
	enum { L = DOF_MODEL_LP64, I = DOF_MODEL_ILP32, R7 = DOF_REG_R8 - 1 };
	static const struct {
		uint8_t model;
		bool taken;
		dof_argloc_t loc;
	} cases[] = {
#define PAIR(size, lo, hi) {.al_kind = DOF_LOC_PAIR, .al_size = size, .al_base = lo, .al_index = hi}
#define REG(size, reg, flags)                                                              \
	{                                                                                  \
		.al_kind = DOF_LOC_REG, .al_size = size, .al_base = reg, .al_flags = flags \
	}
#define MEM(base, index, scale)                                                           \
	{                                                                                 \
		.al_kind = DOF_LOC_MEM, .al_size = 8, .al_base = base, .al_index = index, \
		.al_scale = scale                                                         \
	}
#define XMM(reg)                                                                                 \
	{                                                                                        \
		.al_kind = DOF_LOC_XMM, .al_size = 8, .al_base = reg, .al_flags = DOF_LOCF_FLOAT \
	}
		{I, true, PAIR(8, 0, R7)},
		{I, true, PAIR(8, R7, 0)},
		{I, false, PAIR(4, 0, 2)},
		{I, false, PAIR(2, 0, 2)},
		{I, false, PAIR(1, 0, 2)},
		{I, false, PAIR(16, 0, 2)},
		{I, false, PAIR(0, 0, 2)},
		{I, false, PAIR(8, DOF_REG_R8, 0)},
		{I, false, PAIR(8, 0, DOF_REG_R8)},
		{I, false, PAIR(8, 0, DOF_REG_NONE)},
		{L, false, PAIR(8, 0, 2)},
		{L, false, PAIR(4, 0, 2)},
		{L, true, REG(8, DOF_REG_R15, 0)},
		{L, false, REG(8, DOF_REG_R15 + 1, 0)},
		{I, true, REG(4, R7, 0)},
		{I, false, REG(4, DOF_REG_R8, 0)},
		{L, true, REG(1, DOF_REG_BX, DOF_LOCF_HIGHBYTE)},
		{L, false, REG(1, DOF_REG_BX + 1, DOF_LOCF_HIGHBYTE)},
		{L, false, REG(2, DOF_REG_BX, DOF_LOCF_HIGHBYTE)},
		{L, false, REG(16, 0, 0)},
		{L, false, REG(0, 0, 0)},
		{L, true, MEM(DOF_REG_R15, DOF_REG_R15, 8)},
		{L, true, MEM(DOF_REG_NONE, DOF_REG_NONE, 3)},
		{L, false, MEM(DOF_REG_R15, DOF_REG_R15, 3)},
		{L, false, MEM(DOF_REG_R15, DOF_REG_R15, 0)},
		{L, false, MEM(DOF_REG_R15, DOF_REG_IP, 1)},
		{L, false, MEM(DOF_REG_R15 + 1, DOF_REG_NONE, 1)},
		{I, false, MEM(DOF_REG_R8, DOF_REG_NONE, 1)},
		{I, false, MEM(0, DOF_REG_R8, 1)},
		{L, true, XMM(15)},
		{L, false, XMM(16)},
		{L, true, {.al_kind = DOF_LOC_NONE}},
		{L, true, {.al_kind = DOF_LOC_NONE, .al_size = 3}},
		{L, true, {.al_kind = DOF_LOC_CONST, .al_size = 4, .al_base = 99}},
		{L, false, {.al_kind = DOF_LOC_CONST, .al_size = 3}},
		{L, false, {.al_kind = DOF_LOC_CONST, .al_size = 4, .al_flags = DOF_LOCF_TLS}},
		{L, false, {.al_kind = DOF_LOC_PAIR + 1, .al_size = 8}},
#undef PAIR
#undef REG
#undef MEM
#undef XMM
	};

	s.recorded = true;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		teardown(state);
		setup(state);
		s.recorded = true;
		s.model = cases[i].model;
		for (int n = 0; n < 2; n++) /* addresses of 32 bits */
			s.addrs[n] = (dof_siteaddr_t){.sa_addr = 0x10000 - (int64_t)USER};
		s.locs[0] = cases[i].loc;
		if (!cases[i].taken) {
			if (parse() != -EINVAL)
				fail_msg("location %zu was taken", i);
			assert_non_null(strstr(msg, "location of argument 0"));
			continue;
		}
		if (parse() != 0)
			fail_msg("location %zu: %s", i, msg);
		assert_memory_equal(&parsed->providers[0].probes[0].sites[0].locs[0], &cases[i].loc,
				    sizeof(cases[i].loc));
	}
}

static void attributes(void **state)
{
	enum { N = DTRACE_STABILITY_MAX, C = DTRACE_CLASS_MAX };
	const dtrace_pattr_t *attr;

	(void)state;
	s.pv.dofpv_provattr = DOF_ATTR(N, N - 1, C);
	s.pv.dofpv_modattr = DOF_ATTR(N + 1, N, C);
	s.pv.dofpv_funcattr = DOF_ATTR(N, N + 1, C - 1);
	s.pv.dofpv_nameattr = DOF_ATTR(1, 2, C + 1);
	s.pv.dofpv_argsattr = DOF_ATTR(255, 255, 255);
	parse_one();
	attr = &parsed->providers[0].attr;
#define SAME(a, n, d, c)                             \
	do {                                         \
		assert_int_equal((a).dtat_name, n);  \
		assert_int_equal((a).dtat_data, d);  \
		assert_int_equal((a).dtat_class, c); \
	} while (0)
	SAME(attr->dtpa_provider, N, N - 1, C);
	SAME(attr->dtpa_mod, 0, N, C);
	SAME(attr->dtpa_func, N, 0, C - 1);
	SAME(attr->dtpa_name, 1, 2, 0);
	SAME(attr->dtpa_args, 0, 0, 0);
#undef SAME
}

static void addresses_out_of_range(void **state)
{
	static const int64_t bad[] = {INT64_MAX, INT64_MIN, -(int64_t)USER,
				      (int64_t)(LIMIT - USER)};

	(void)state;
	s.recorded = true;
	for (int i = 0; i < 4; i++) {
		s.addrs[0].sa_addr = bad[i];
		assert_int_equal(parse(), -EINVAL);
		assert_non_null(strstr(msg, "not an address"));
	}
	s.addrs[0].sa_addr = 1;
	s.addrs[0].sa_sema = (int64_t)(LIMIT - USER - 1);
	assert_int_equal(parse(), -EINVAL);
	s.addrs[0].sa_sema = (int64_t)(LIMIT - USER - 2);
	assert_int_equal(parse(), 0);
}

static void too_many_sites(void **state)
{
	(void)state;
	/* 1000 probes that all name the same 65,535 offsets: more sites than a process may have */
	uint32_t *offs = calloc(65535, sizeof(*offs));
	dof_probe_t *probes = calloc(1000, sizeof(*probes));
	static struct build_dof b;
	const void *file;
	size_t size;
	void *buf;

	for (int i = 0; i < 1000; i++) {
		probes[i] = s.probes[0];
		probes[i].dofpr_noffs = 65535;
		probes[i].dofpr_nenoffs = 0;
	}
	build_dof_init(&b);
	s.pv.dofpv_strtab = build_section(&b, DOF_SECT_STRTAB, 1, 0, strtab, sizeof(strtab));
	s.pv.dofpv_probes = build_section(&b, DOF_SECT_PROBES, 8, sizeof(*probes), probes,
					  1000 * sizeof(*probes));
	s.pv.dofpv_prargs = build_section(&b, DOF_SECT_PRARGS, 1, 1, s.prargs, sizeof(s.prargs));
	s.pv.dofpv_proffs = build_section(&b, DOF_SECT_PROFFS, 4, 4, offs, 65535 * 4);
	s.pv.dofpv_prenoffs = s.pv.dofpv_prsites = DOF_SECIDX_NONE;
	build_section(&b, DOF_SECT_PROVIDER, 4, 0, &s.pv, sizeof(s.pv));
	file = build_finish(&b, &size);
	buf = malloc(size);
	memcpy(buf, file, size);
	/* the store is bounded by the size of the DOF, so either limit may be met first */
	assert_int_not_equal(
		dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, sizeof(msg)), 0);
	assert_null(parsed);
	free(buf);
	free(offs);
	free(probes);
	build_dof_free(&b);
}

/* Sections can be named many times over: the work that a small DOF makes is bounded. */
static void sections_used_over_and_over(void **state)
{
	static struct build_dof b;
	dof_relodesc_t *rel = calloc(1000, sizeof(*rel));
	dof_probe_t *probes = calloc(1000, sizeof(*probes));
	const void *file;
	size_t size;
	void *buf;

	(void)state;
	for (int relocations = 0; relocations < 2; relocations++) {
		dof_relohdr_t hdr = {.dofr_relsec = 1};

		for (int i = 0; i < 1000; i++)
			probes[i] = (dof_probe_t){.dofpr_name = S_PROBE};
		build_dof_init(&b);
		s.pv.dofpv_strtab =
			build_section(&b, DOF_SECT_STRTAB, 1, 0, strtab, sizeof(strtab));
		build_section(&b, DOF_SECT_RELTAB, 8, sizeof(*rel), rel, 1000 * sizeof(*rel));
		s.pv.dofpv_probes = build_section(&b, DOF_SECT_PROBES, 8, sizeof(*probes), probes,
						  1000 * sizeof(*probes));
		s.pv.dofpv_prenoffs = s.pv.dofpv_prsites = DOF_SECIDX_NONE;
		for (int i = 0; i < 1000; i++) {
			if (relocations)
				build_section(&b, DOF_SECT_URELHDR, 4, 0, &hdr, sizeof(hdr));
			else
				build_section(&b, DOF_SECT_PROVIDER, 4, 0, &s.pv, sizeof(s.pv));
		}
		file = build_finish(&b, &size);
		buf = malloc(size);
		memcpy(buf, file, size);
		assert_int_equal(dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, 256),
				 -E2BIG);
		assert_non_null(strstr(msg, relocations ? "relocations" : "probes"));
		free(buf);
		build_dof_free(&b);
	}
	free(rel);
	free(probes);
}

/* End as a killed process does after so many turns; counts them. */
static unsigned long turns_left;

static int killed_later(void *arg)
{
	(void)arg;
	return turns_left-- ? 0 : -EINTR;
}

/*
 * A table with one relocation, which enlarges the table itself, by way of a section that is the
 * whole file: afterwards the table has more entries than a DOF may have.
 */
static size_t table_that_grows(struct build_dof *b, void **buf)
{
	enum { SECTION_SIZE = 15 << 20 };
	dof_relodesc_t grow = {.dofr_type = DOF_RELO_SETX, .dofr_data = SECTION_SIZE};
	dof_relohdr_t hdr = {.dofr_tgtsec = 0, .dofr_relsec = 1};
	char *zeros = calloc(1, SECTION_SIZE);
	dof_relodesc_t *entry;
	const void *file;
	dof_sec_t *sec;
	size_t size;

	build_dof_init(b);
	build_section(b, DOF_SECT_COMMENTS, 1, 0, "", 1); /* will be the whole file */
	build_section(b, DOF_SECT_RELTAB, 8, 0, &grow, sizeof(grow));
	build_section(b, DOF_SECT_COMMENTS, 8, 0, zeros, SECTION_SIZE);
	build_section(b, DOF_SECT_URELHDR, 4, 0, &hdr, sizeof(hdr));
	free(zeros);
	file = build_finish(b, &size);
	*buf = malloc(size);
	memcpy(*buf, file, size);
	sec = (void *)((char *)*buf + ((dof_hdr_t *)*buf)->dofh_secoff);
	sec[0].dofs_offset = 0;
	sec[0].dofs_size = size;
	entry = (void *)((char *)*buf + sec[1].dofs_offset);
	entry->dofr_offset = (uint64_t)((char *)&sec[1].dofs_size - (char *)*buf);
	return size;
}

/*
 * Entries that a relocation adds to its own table are counted too, and a process that is killed
 * need not wait.
 */
static void relocations_that_enlarge_their_table(void **state)
{
	static struct build_dof b;
	unsigned long before;
	size_t size;
	void *buf;

	(void)state;
	size = table_that_grows(&b, &buf);
	before = port_user_relaxed();
	assert_int_equal(dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, 256), -E2BIG);
	assert_non_null(strstr(msg, "relocations"));
	assert_true(port_user_relaxed() - before > 1000);
	free(buf);
	build_dof_free(&b);

	size = table_that_grows(&b, &buf);
	turns_left = 100;
	port_user_relax(killed_later, NULL);
	assert_int_equal(dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, 256), -EINTR);
	port_user_relax(NULL, NULL);
	free(buf);
	build_dof_free(&b);
}

/* A process may be killed at any turn: nothing stays. */
static void killed_at_every_turn(void **state)
{
	(void)state;
	s.recorded = true;
	port_user_relax(killed_later, NULL);
	for (unsigned long n = 0;; n++) {
		int rc;

		turns_left = n;
		rc = parse();
		if (rc == 0)
			break;
		assert_int_equal(rc, -EINTR);
		assert_int_equal(port_user_allocated(), 0);
		assert_true(n < 1000);
	}
	port_user_relax(NULL, NULL);
	assert_int_equal(parsed->nsites, 2);
}

/* One long string, named by many probes as a type or as a function: reading it takes long. */
static void long_strings_over_and_over(void **state)
{
	enum { LONG = 2 << 20, PROBES = 300 };
	dof_probe_t *probes = calloc(PROBES, sizeof(*probes));
	char *strings = malloc(LONG);
	static struct build_dof b;
	const void *file;
	size_t size;
	void *buf;

	(void)state;
	memset(strings, 'x', LONG);
	memcpy(strings, strtab, sizeof(strtab));
	strings[LONG - 1] = '\0';
	for (uint32_t functions = 0; functions < 2; functions++) {
		for (uint32_t i = 0; i < PROBES; i++) {
			probes[i] = (dof_probe_t){
				.dofpr_addr = 0x400000, .dofpr_name = S_PROBE, .dofpr_noffs = 1};
			if (functions)
				probes[i].dofpr_func = sizeof(strtab) + i;
			else
				probes[i].dofpr_nargv = sizeof(strtab) + i;
			probes[i].dofpr_nargc = !functions;
			if (!functions)
				probes[i].dofpr_name = sizeof(strtab) + LONG / 2 + 4 * i;
		}
		for (uint32_t i = 0; !functions && i < PROBES; i++)
			snprintf(strings + sizeof(strtab) + LONG / 2 + 4 * i, 4, "%03x", i);
		build_dof_init(&b);
		s.pv.dofpv_strtab = build_section(&b, DOF_SECT_STRTAB, 1, 0, strings, LONG);
		s.pv.dofpv_probes = build_section(&b, DOF_SECT_PROBES, 8, sizeof(*probes), probes,
						  PROBES * sizeof(*probes));
		s.pv.dofpv_proffs = build_section(&b, DOF_SECT_PROFFS, 4, 4, s.offs, 4);
		s.pv.dofpv_prargs = s.pv.dofpv_prenoffs = s.pv.dofpv_prsites = DOF_SECIDX_NONE;
		build_section(&b, DOF_SECT_PROVIDER, 4, 0, &s.pv, sizeof(s.pv));
		file = build_finish(&b, &size);
		buf = malloc(size);
		memcpy(buf, file, size);
		assert_int_equal(dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, 256),
				 -E2BIG);
		assert_non_null(strstr(msg, "characters"));
		free(buf);
		build_dof_free(&b);
	}
	free(strings);
	free(probes);
}

static void no_providers(void **state)
{
	static struct build_dof b;
	const void *file;
	size_t size;
	void *buf;

	(void)state;
	build_dof_init(&b);
	build_section(&b, DOF_SECT_STRTAB, 1, 0, "", 1);
	file = build_finish(&b, &size);
	buf = malloc(size);
	memcpy(buf, file, size);
	assert_int_equal(dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, sizeof(msg)),
			 0);
	assert_int_equal(parsed->nproviders, 0);
	assert_null(parsed->program);
	free(buf);
	build_dof_free(&b);
	assert_int_equal(dtrace_helper_parse(NULL, DTRACE_HELPER_MAXSIZE + 1ULL, USER, 0, LIMIT,
					     &parsed, msg, 256),
			 -E2BIG);
}

static void every_allocation_may_fail(void **state)
{
	(void)state;
	s.recorded = true;
	for (unsigned long n = 1;; n++) {
		port_user_fail(n);
		if (parse() == 0)
			break;
		assert_int_equal(port_user_allocated(), 0);
		assert_true(msg[0] != '\0');
	}
	assert_false(port_user_fail(0));
}

/* Parse the sample with another table of strings, which has size bytes; as dtrace_helper_parse. */
static int parse_with_table(const char *strings, size_t size)
{
	static struct build_dof b;
	const void *file;
	void *buf;
	int rc;

	build_dof_init(&b);
	s.pv.dofpv_strtab = build_section(&b, DOF_SECT_STRTAB, 1, 0, strings, size);
	s.pv.dofpv_probes = build_section(&b, DOF_SECT_PROBES, 8, sizeof(dof_probe_t), s.probes,
					  sizeof(dof_probe_t));
	s.pv.dofpv_prargs = build_section(&b, DOF_SECT_PRARGS, 1, 1, s.prargs, sizeof(s.prargs));
	s.pv.dofpv_proffs = build_section(&b, DOF_SECT_PROFFS, 4, 4, s.offs, sizeof(s.offs));
	s.pv.dofpv_prenoffs = s.pv.dofpv_prsites = DOF_SECIDX_NONE;
	build_section(&b, DOF_SECT_PROVIDER, 4, 0, &s.pv, sizeof(s.pv));
	file = build_finish(&b, &size);
	buf = malloc(size);
	memcpy(buf, file, size);
	dtrace_helper_free(parsed);
	parsed = NULL;
	rc = dtrace_helper_parse(buf, size, USER, 0, LIMIT, &parsed, msg, sizeof(msg));
	free(buf);
	build_dof_free(&b);
	return rc;
}

static void long_function_names(void **state)
{
	(void)state;
	/*
	 * A name that is too long is cut, and told apart by its hash: see the sample built by hand
	 * below.
	 */
	char big[1000];

	memset(big, 'f', sizeof(big));
	memcpy(big, strtab, sizeof(strtab));
	big[999] = '\0';
	s.probes[0].dofpr_func = sizeof(strtab);
	assert_int_equal(parse_with_table(big, sizeof(big)), 0);
	assert_int_equal(strlen(parsed->providers[0].probes[0].func), DTRACE_FUNCNAMELEN - 1);
	assert_int_equal(parsed->providers[0].probes[0].func[DTRACE_FUNCNAMELEN - 10], '~');
}

/* The same with a table in which one string follows those of the sample. */
static int parse_with(const char *string)
{
	char strings[sizeof(strtab) + 64];

	memcpy(strings, strtab, sizeof(strtab));
	memset(strings + sizeof(strtab), 0, 64);
	memcpy(strings + sizeof(strtab), string, strlen(string));
	return parse_with_table(strings, sizeof(strings));
}

static void reset(void)
{
	dtrace_helper_free(parsed);
	parsed = NULL;
	setup(NULL);
}

/* Root lists the probes of other users, and reads messages about their DOF, on a terminal. */
static void nothing_is_a_command_for_terminals(void **state)
{
	static const char *const bad[] = {"\033]0;x\007", "\302\233m", "a\nb", "\177"};
	static const char *const clean[] = {"?]0;x?", "?\233m", "a?b", "?"};

	(void)state;
	for (unsigned int i = 0; i < 4; i++) {
		reset();
		s.probes[0].dofpr_nargc = s.probes[0].dofpr_xargc = 1;
		s.prargs[0] = 0;
		s.probes[0].dofpr_nargv = s.probes[0].dofpr_xargv = sizeof(strtab);
		assert_int_equal(parse_with(bad[i]), 0);
		assert_string_equal(parsed->providers[0].probes[0].nargv[0], clean[i]);
		assert_string_equal(parsed->providers[0].probes[0].xargv[0], clean[i]);
		reset();
		s.probes[0].dofpr_name = sizeof(strtab);
		assert_int_equal(parse_with(bad[i]), -EINVAL);
		assert_non_null(strstr(msg, clean[i]));
		reset();
		s.probes[0].dofpr_func = sizeof(strtab);
		assert_int_equal(parse_with(bad[i]), -EINVAL);
		assert_non_null(strstr(msg, clean[i]));
	}
	/* a control: letters of other scripts are as good as any */
	reset();
	s.probes[0].dofpr_func = sizeof(strtab);
	s.probes[0].dofpr_nargc = s.probes[0].dofpr_xargc = 1;
	s.prargs[0] = 0;
	s.probes[0].dofpr_nargv = s.probes[0].dofpr_xargv = sizeof(strtab);
	assert_int_equal(parse_with("stra\303\237e \302\241*"), 0);
	assert_string_equal(parsed->providers[0].probes[0].func, "stra\303\237e \302\241*");
	assert_string_equal(parsed->providers[0].probes[0].nargv[0], "stra\303\237e \302\241*");
	reset();
	s.probes[0].dofpr_name = sizeof(strtab);
	assert_int_equal(parse_with("stra\303\237e\302\241"), 0);
	assert_string_equal(parsed->providers[0].probes[0].name, "stra\303\237e\302\241");
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(classic_sites),
		T(recorded_sites),
		T(older_producers),
		T(relocations),
		T(same_names_are_merged),
		T(probes_without_sites_are_left_out),
		T(a_32_bit_process),
		T(refused_fields),
		T(locations_of_arguments),
		T(attributes),
		T(addresses_out_of_range),
		T(too_many_sites),
		T(sections_used_over_and_over),
		T(long_strings_over_and_over),
		T(relocations_that_enlarge_their_table),
		T(killed_at_every_turn),
		T(no_providers),
		T(every_allocation_may_fail),
		T(long_function_names),
		T(nothing_is_a_command_for_terminals),
	};

	port_user_init(1);
	port_user_window(NULL, 0, false);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
