/* SPDX-License-Identifier: MIT */
/*
 * drti_dofbuild.c - declarations and site records become DOF, and the engine, which reads it in the
 * kernel, finds in it what was put in.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <cmocka.h>
#include "dofbuild.h"
#include "engine.h"
#include "port_user.h"

#define ADDR	0x7f0000001000ULL /* of the DOF in a process */
#define RECORDS 0x7f0000200000ULL /* of the records */

/* Memory that a test builds with: freed together, and failing after so many allocations. */
struct memory {
	void *blocks[256];
	unsigned int used, limit;
};

static void *memory_get(void *ctx, size_t size)
{
	struct memory *m = ctx;

	if (m->used == m->limit)
		return NULL;
	assert_in_range(m->used, 0, sizeof m->blocks / sizeof m->blocks[0] - 1);
	return m->blocks[m->used++] = malloc(size);
}

static void memory_free(struct memory *m)
{
	while (m->used)
		free(m->blocks[--m->used]);
}

/* Records as in a section, that grow at the end. */
struct records {
	char *bytes;
	size_t used, capacity;
};

static void records_add(struct records *r, const char *provider, const char *name, int32_t pc,
			int32_t sema, const uint8_t *args, size_t nargs)
{
	struct dtrace_site_record head = {.version = DTRACE_SITE_VERSION, .pc = pc, .sema = sema};
	size_t size = sizeof head + strlen(provider) + strlen(name) + 2 + nargs + 1;
	char *to;

	size = (size + 3) & ~(size_t)3;
	head.size = size;
	if (r->used + size > r->capacity)
		r->bytes = realloc(r->bytes, r->capacity = 2 * (r->used + size));
	to = r->bytes + r->used;
	memset(to, 0, size);
	memcpy(to, &head, sizeof head);
	to += sizeof head;
	strcpy(to, provider);
	strcpy(to + strlen(provider) + 1, name);
	if (nargs)
		memcpy(to + strlen(provider) + strlen(name) + 2, args, nargs);
	r->used += size;
}

static void take_all(struct dofbuild *b, const struct records *r, const char *func)
{
	for (size_t at = 0, size; at < r->used; at += size) {
		size = dofbuild_site(b, (const struct dtrace_site_record *)(r->bytes + at),
				     r->used - at, RECORDS + at, func);
		assert_int_not_equal(size, 0);
	}
}

/* Build, and have the engine read it; NULL if there is no DOF. */
static struct dtrace_helper_dof *read_back(struct dofbuild *b)
{
	struct dtrace_helper_dof *out = NULL;
	char message[256] = "";
	size_t size = dofbuild_size(b);
	void *dof;

	if (!size)
		return NULL;
	dof = calloc(1, size);
	dofbuild_write(b, dof, ADDR);
	assert_int_equal(((dof_hdr_t *)dof)->dofh_filesz, size);
	if (dtrace_helper_parse(dof, size, ADDR, 0, 1ULL << 47, &out, message, sizeof message))
		fail_msg("%s", message);
	free(dof);
	return out;
}

/*
 * provider one { probe first__one(int, char *) : (char *, int, int); probe none(); }; provider two
 * { probe first__one(); };
 */
static size_t declarations(void *dof)
{
	static const char strings[] = "\0one\0two\0first-one\0int\0char *\0char *\0int\0int\0none";
	struct file {
		dof_hdr_t header;
		dof_sec_t secs[6];
		char strings[64];
		dof_probe_t one[2], two[1];
		uint8_t map[8];
		dof_provider_t pv1, pv2;
	} *f = dof;

#define SECTION(what, type, size)                                            \
	{                                                                    \
		type, 8, DOF_SECF_LOAD, 0, offsetof(struct file, what), size \
	}
	_Static_assert(sizeof strings <= sizeof f->strings, "strings");
	*f = (struct file){
		.header = {.dofh_ident = DOF_MAG_STRING,
			   .dofh_secsize = sizeof(dof_sec_t),
			   .dofh_secnum = 6,
			   .dofh_secoff = sizeof(dof_hdr_t),
			   .dofh_filesz = sizeof *f,
			   .dofh_loadsz = sizeof *f},
		.secs =
			{
				SECTION(strings, DOF_SECT_STRTAB, sizeof strings),
				SECTION(one, DOF_SECT_PROBES, sizeof f->one),
				SECTION(two, DOF_SECT_PROBES, sizeof f->two),
				SECTION(map, DOF_SECT_PRARGS, 3),
				SECTION(pv1, DOF_SECT_PROVIDER, sizeof f->pv1),
				SECTION(pv2, DOF_SECT_PROVIDER, sizeof f->pv2),
			},
		.one = {{.dofpr_name = 9,
			 .dofpr_nargv = 19,
			 .dofpr_nargc = 2,
			 .dofpr_xargv = 30,
			 .dofpr_xargc = 3},
			{.dofpr_name = 45}},
		.two = {{.dofpr_name = 9}},
		.map = {1, 0, 0},
		.pv1 = {.dofpv_probes = 1,
			.dofpv_prargs = 3,
			.dofpv_name = 1,
			.dofpv_provattr = DOF_ATTR(6, 5, 5),
			.dofpv_modattr = DOF_ATTR(1, 1, 0),
			.dofpv_argsattr = DOF_ATTR(5, 4, 3)},
		.pv2 = {.dofpv_probes = 2, .dofpv_prargs = DOF_SECIDX_NONE, .dofpv_name = 5},
	};
	memcpy(f->strings, strings, sizeof strings);
	return sizeof *f;
}

static const uint8_t two_args[] = {0x16, 0x48, 0x89, 0xf9, 0x13, 0x48, 0x8b, 0x0d, 0x10, 0, 0, 0};

static void sites_are_joined_with_declarations(void **state)
{
	struct memory m = {.limit = 256};
	struct records r = {0};
	struct dtrace_helper_dof *dof;
	struct dtrace_helper_provider *pv;
	struct dofbuild b;
	char decl[1024];
	size_t size = declarations(decl);

	(void)state;
	records_add(&r, "one", "first__one", 100, 2000, two_args, sizeof two_args);
	records_add(&r, "two", "undeclared", 200, 0, NULL, 0);
	records_add(&r, "one", "first__one", 300, 2000, two_args, sizeof two_args);
	records_add(&r, "three", "alone__here", 400, 0, two_args, 4);
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	assert_int_equal(dofbuild_declare(&b, decl, size), size);
	assert_int_equal(dofbuild_declare(&b, decl, size), size);
	take_all(&b, &r, "function");
	memset(decl, 0xff, sizeof decl);
	dof = read_back(&b);
	assert_non_null(dof);
	assert_int_equal(dof->nproviders, 3);
	assert_int_equal(dof->nsites, 4);

	pv = &dof->providers[0];
	assert_string_equal(pv->name, "one");
	assert_int_equal(pv->attr.dtpa_provider.dtat_name, 6);
	assert_int_equal(pv->attr.dtpa_args.dtat_class, 3);
	assert_int_equal(pv->nprobes, 1);
	assert_string_equal(pv->probes[0].name, "first-one");
	assert_int_equal(pv->probes[0].nargs, 2);
	assert_string_equal(pv->probes[0].nargv[1], "char *");
	assert_int_equal(pv->probes[0].nxargs, 3);
	assert_string_equal(pv->probes[0].xargv[0], "char *");
	assert_int_equal(pv->probes[0].map[0], 1);
	assert_int_equal(pv->probes[0].map[1], 0);
	assert_int_equal(pv->probes[0].nsites, 2);
	assert_int_equal(pv->probes[0].sites[0].addr,
			 RECORDS + offsetof(struct dtrace_site_record, pc) + 100);
	assert_int_equal(pv->probes[0].sites[0].sema,
			 RECORDS + offsetof(struct dtrace_site_record, sema) + 2000);
	assert_string_equal(pv->probes[0].sites[1].func, "function");
	assert_int_equal(pv->probes[0].sites[0].nlocs, 2);
	assert_int_equal(pv->probes[0].sites[0].locs[0].al_base, DOF_REG_DI);
	/*
	 * rip-relative: to the end of the instruction, which begins after head, "one", "first__one"
	 * and the first argument.
	 */
	assert_int_equal(pv->probes[0].sites[0].locs[1].al_disp,
			 RECORDS + sizeof(struct dtrace_site_record) + 4 + 11 + sizeof two_args +
				 0x10);

	pv = &dof->providers[1];
	assert_string_equal(pv->name, "two");
	assert_int_equal(pv->nprobes, 1);
	assert_string_equal(pv->probes[0].name, "undeclared");
	assert_int_equal(pv->probes[0].sites[0].sema, 0);
	assert_int_equal(pv->probes[0].sites[0].nlocs, 0);

	pv = &dof->providers[2];
	assert_string_equal(pv->name, "three");
	assert_string_equal(pv->probes[0].name, "alone-here");
	assert_int_equal(pv->probes[0].nargs, 0);
	assert_int_equal(pv->probes[0].sites[0].nlocs, 1);
	dtrace_helper_free(dof);
	memory_free(&m);
	free(r.bytes);
}

static void nothing_comes_of_declarations_alone(void **state)
{
	struct memory m = {.limit = 256};
	struct dofbuild b;
	char decl[1024];

	(void)state;
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	dofbuild_declare(&b, decl, declarations(decl));
	assert_int_equal(dofbuild_size(&b), 0);
	memory_free(&m);
}

/*
 * Any byte of a declaration may be wrong: reads stay inside (ASan), and the declaration is taken or
 * refused.
 */
static void damaged_declarations_do_no_harm(void **state)
{
	char good[1024];
	size_t size = declarations(good);

	(void)state;
	for (size_t i = 0; i < size; i++) {
		struct memory m = {.limit = 256};
		char *bad = malloc(size);
		struct dofbuild b;

		memcpy(bad, good, size);
		bad[i] ^= 0x80 | 1 << (i % 7);
		dofbuild_init(&b, &operands_x86_64, memory_get, &m);
		dofbuild_declare(&b, bad, size);
		assert_false(b.failed);
		memory_free(&m);
		free(bad);
	}
	for (size_t len = 0; len < size; len++) {
		struct memory m = {.limit = 256};
		struct dofbuild b;

		dofbuild_init(&b, &operands_x86_64, memory_get, &m);
		assert_int_equal(dofbuild_declare(&b, good, len), 0);
	}
}

static void damaged_records_are_counted(void **state)
{
	static const struct {
		size_t at;
		uint8_t byte;
		bool stop; /* nothing after it can be found */
	} damage[] = {
		{offsetof(struct dtrace_site_record, size), 3, true},
		{offsetof(struct dtrace_site_record, size), 4, true},
		{offsetof(struct dtrace_site_record, size) + 1, 0x7f, true},
		{offsetof(struct dtrace_site_record, version), 9, false},
		{offsetof(struct dtrace_site_record, kind), 2, false},
		{sizeof(struct dtrace_site_record) + 4 + 11, 0x99, false}, /* the first argument */
	};

	(void)state;
	for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
		struct memory m = {.limit = 256};
		struct records r = {0};
		struct dofbuild b;
		size_t size;

		records_add(&r, "one", "first__one", 100, 0, two_args, sizeof two_args);
		r.bytes[damage[i].at] = damage[i].byte;
		dofbuild_init(&b, &operands_x86_64, memory_get, &m);
		size = dofbuild_site(&b, (void *)r.bytes, r.used, RECORDS, NULL);
		assert_int_equal(size, damage[i].stop ? 0 : r.used);
		assert_int_equal(b.refused, !damage[i].stop);
		assert_int_equal(dofbuild_size(&b), 0);
		memory_free(&m);
		free(r.bytes);
	}
}

static void long_names_are_counted(void **state)
{
	struct memory m = {.limit = 256};
	struct records r = {0};
	struct dofbuild b;
	char name[80];

	(void)state;
	memset(name, 'n', sizeof name);
	name[63] = '\0';
	records_add(&r, "one", name, 100, 0, NULL, 0);
	name[63] = 'n';
	name[64] = '\0';
	records_add(&r, "one", name, 100, 0, NULL, 0);
	name[53] = '\0';
	records_add(&r, name, "one", 100, 0, NULL, 0);
	name[52] = '\0';
	records_add(&r, name, "one", 100, 0, NULL, 0);
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	take_all(&b, &r, NULL);
	assert_int_equal(b.refused, 2);
	assert_int_equal(b.sites.used, 2);
	dtrace_helper_free(read_back(&b));
	memory_free(&m);
	free(r.bytes);
}

static void padding_is_skipped(void **state)
{
	struct memory m = {.limit = 256};
	struct dofbuild b;
	uint32_t zero = 0;

	(void)state;
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	assert_int_equal(dofbuild_site(&b, (void *)&zero, sizeof zero, RECORDS, NULL), 4);
	assert_int_equal(dofbuild_site(&b, (void *)&zero, 2, RECORDS, NULL), 0);
	memory_free(&m);
}

static void records_many(struct records *r, unsigned int n)
{
	char provider[16], name[32];

	for (unsigned int i = 0; i < n; i++) {
		snprintf(provider, sizeof provider, "p%u", i % 7);
		snprintf(name, sizeof name, "probe__%u", i % 5000);
		records_add(r, provider, name, i + 1, i + 1, two_args, sizeof two_args);
	}
}

/* All numbers of allocations that succeed are tried. */
static void lack_of_memory_is_survived(void **state)
{
	struct records r = {0};
	unsigned int limit = 0;
	size_t size;

	(void)state;
	records_many(&r, 1000);
	do {
		struct memory m = {.limit = limit++};
		struct dofbuild b;
		char decl[1024];

		dofbuild_init(&b, &operands_x86_64, memory_get, &m);
		dofbuild_declare(&b, decl, declarations(decl));
		take_all(&b, &r, "f");
		size = dofbuild_size(&b);
		memory_free(&m);
	} while (!size);
	assert_in_range(limit, 10, 60);
	free(r.bytes);
}

static double build_seconds(unsigned int n)
{
	struct memory m = {.limit = 256};
	struct records r = {0};
	struct timespec from, to;
	struct dofbuild b;
	size_t size;
	void *dof;

	records_many(&r, n);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &from);
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	take_all(&b, &r, "f");
	size = dofbuild_size(&b);
	dof = calloc(1, size);
	dofbuild_write(&b, dof, ADDR);
	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &to);
	assert_int_equal(b.sites.used, n);
	free(dof);
	memory_free(&m);
	free(r.bytes);
	return (to.tv_sec - from.tv_sec) + (to.tv_nsec - from.tv_nsec) / 1e9;
}

/* Twenty times as many sites take twenty times as long, not four hundred times. */
static void time_grows_with_the_sites(void **state)
{
	double few = 1, many = 1;

	(void)state;
	for (int i = 0; i < 3; i++) {
		double seconds = build_seconds(10000);

		few = seconds < few ? seconds : few;
		seconds = build_seconds(200000);
		many = seconds < many ? seconds : many;
	}
	print_message("10,000 sites %.1f ms, 200,000 sites %.1f ms\n", few * 1e3, many * 1e3);
	assert_true(many < few * 100);
}

static void many_sites_are_read_back(void **state)
{
	struct memory m = {.limit = 256};
	struct records r = {0};
	struct dtrace_helper_dof *dof;
	struct dofbuild b;

	(void)state;
	records_many(&r, 50000);
	dofbuild_init(&b, &operands_x86_64, memory_get, &m);
	take_all(&b, &r, "f");
	dof = read_back(&b);
	assert_int_equal(dof->nproviders, 7);
	assert_int_equal(dof->nsites, 50000);
	dtrace_helper_free(dof);
	memory_free(&m);
	free(r.bytes);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sites_are_joined_with_declarations),
		cmocka_unit_test(nothing_comes_of_declarations_alone),
		cmocka_unit_test(damaged_declarations_do_no_harm),
		cmocka_unit_test(damaged_records_are_counted),
		cmocka_unit_test(long_names_are_counted),
		cmocka_unit_test(padding_is_skipped),
		cmocka_unit_test(lack_of_memory_is_survived),
		cmocka_unit_test(time_grows_with_the_sites),
		cmocka_unit_test(many_sites_are_read_back),
	};

	port_user_init(1);
	if (dtrace_engine_init())
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
