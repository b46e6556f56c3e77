/* SPDX-License-Identifier: MIT */
/*
 * engine_dif.c - run the DIF programs of test/dif in the engine, as the action of a clause, and
 * compare what they give.
 *
 * A file holds tests. Lines that begin in the first column direct, indented ones are instructions
 * (see engine_build.h):
 *
 *	test NAME
 *	arg N VALUE			arg0 to arg3 of the probe (others come from the provider:
 *					raw 1000 + N, mapped 2000 + N)
 *	data NAME kernel|user TEXT	memory that exists besides; TEXT is "a string" or bytes in
 *					hexadecimal. Its name is a number for setx
 *	option NAME VALUE		strsize, destructive
 *	unprivileged			the session may not see the kernel
 *	interrupts kernel		the probe interrupts the kernel, and not a process
 *	gives VALUE|"TEXT"		the result (an integer unless there is a "type" line)
 *	faults KIND [ADDRESS]		the ERROR clause hears of it
 *	refuses "PART OF THE TEXT"	the verifier does not take it
 *	after NAME "TEXT"		what the memory holds afterwards
 */
#include "engine_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <cmocka.h>

#define DIF_MAX_TESTS 512
/* bytes of each kind of memory; what follows cannot be read */
#define DIF_AREA 8192

struct dif_test {
	char name[96];
	struct bytes lines; /* NUL after each */
};

static struct dif_test dif_tests[DIF_MAX_TESTS];
static unsigned int dif_ntests;
static uint8_t *dif_areas[2]; /* kernel, user */
static dtrace_provider_t *dif_prov;
static dtrace_probe_t *dif_probe;

struct dif_case { /* a test while it runs */
	struct build_name names[16];
	unsigned int nnames;
	size_t used[2];
	uint64_t args[4], options[DTRACEOPT_MAX];
	struct bytes code;
	const char *gives, *faults, *refuses;
	const char *after[4];
	unsigned int nafter;
	bool unprivileged, interrupts_kernel;
};

static const char *const dif_faults[] = {
	"UNKNOWN", "BADADDR", "BADALIGN", "ILLOP",    "DIVZERO", "NOSCRATCH",
	"KPRIV",   "UPRIV",   "TUPOFLOW", "BADSTACK", "WORK",
};

/* ---- reading ---- */

/*
 * Read text in quotes, or bytes in hexadecimal. Return the number of bytes. A string has its NUL.
 */
static size_t dif_data(const char *s, uint8_t *out)
{
	size_t n = 0;
	char *end;

	while (*s == ' ')
		s++;
	if (*s != '"') {
		while (*s) {
			out[n++] = (uint8_t)strtoul(s, &end, 16);
			assert_ptr_not_equal(s, end);
			for (s = end; *s == ' '; s++)
				;
		}
		return n;
	}
	for (s++; *s && *s != '"'; s++) {
		if (*s == '\\' && s[1])
			s++;
		out[n++] = (uint8_t)(*s == 'n' && s[-1] == '\\' ? '\n' : *s);
	}
	out[n++] = '\0';
	return n;
}

static uint64_t dif_value(const struct dif_case *c, const char *w)
{
	for (unsigned int i = 0; i < c->nnames; i++)
		if (!strcmp(c->names[i].name, w))
			return c->names[i].value;
	return w[0] == '-' ? (uint64_t)strtoll(w, NULL, 0) : strtoull(w, NULL, 0);
}

static void dif_add_data(struct dif_case *c, char *rest)
{
	char *name = strtok(rest, " "), *where = strtok(NULL, " "), *text = strtok(NULL, "");
	int area = where[0] == 'u';
	uint8_t *at;

	/* "edge": the data end where memory does */
	at = dif_areas[area] + (strstr(where, "edge") ? DIF_AREA - 8 : c->used[area]);
	c->used[area] += (dif_data(text, at) + 15) & ~15UL;
	c->names[c->nnames].name = name;
	c->names[c->nnames++].value = (uint64_t)(uintptr_t)at;
}

static void dif_directive(struct dif_case *c, char *line)
{
	char *w = strtok(line, " "), *rest = strtok(NULL, "");

	if (!strcmp(w, "arg"))
		c->args[rest[0] - '0'] = dif_value(c, rest + 2);
	else if (!strcmp(w, "data"))
		dif_add_data(c, rest);
	else if (!strcmp(w, "option") && !strncmp(rest, "strsize ", 8))
		c->options[DTRACEOPT_STRSIZE] = strtoull(rest + 8, NULL, 0);
	else if (!strcmp(w, "option") && !strncmp(rest, "destructive ", 12))
		c->options[DTRACEOPT_DESTRUCTIVE] = strtoull(rest + 12, NULL, 0);
	else if (!strcmp(w, "unprivileged"))
		c->unprivileged = true;
	else if (!strcmp(w, "interrupts") && !strcmp(rest, "kernel"))
		c->interrupts_kernel = true;
	else if (!strcmp(w, "gives"))
		c->gives = rest;
	else if (!strcmp(w, "faults"))
		c->faults = rest;
	else if (!strcmp(w, "refuses"))
		c->refuses = rest;
	else if (!strcmp(w, "after"))
		c->after[c->nafter++] = rest;
	else
		fail_msg("unknown directive %s", w);
}

static void dif_read_case(struct dif_case *c, const struct dif_test *t)
{
	memset(c, 0, sizeof(*c));
	for (size_t off = 0; off < t->lines.n;) {
		char *line = (char *)t->lines.p + off;

		off += strlen(line) + 1;
		if (line[0] == '\t') {
			bytes_add(&c->code, line, strlen(line));
			bytes_add(&c->code, "\n", 1);
		} else if (line[0] && line[0] != '#') {
			dif_directive(c, line);
		}
	}
	bytes_add(&c->code, "", 1);
}

static void dif_load(const char *path)
{
	FILE *fp = fopen(path, "r");
	char line[1024];

	if (!fp) {
		perror(path);
		exit(1);
	}
	while (fgets(line, sizeof(line), fp)) {
		line[strcspn(line, "\n")] = '\0';
		if (!strncmp(line, "test ", 5)) {
			if (dif_ntests == DIF_MAX_TESTS)
				abort();
			snprintf(dif_tests[dif_ntests++].name, 96, "%.95s", line + 5);
		} else if (dif_ntests) {
			bytes_add(&dif_tests[dif_ntests - 1].lines, line, strlen(line) + 1);
		}
	}
	fclose(fp);
}

/* ---- running ---- */

static uint64_t dif_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			      const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	(void)arg, (void)probe, (void)parg, (void)fire;
	return (raw ? 1000 : 2000) + argno;
}

static void dif_world(void)
{
	static const uint64_t pcs[] = {0x1000, 0x2000, 0x3000};

	memset(&port_user_world, 0, sizeof(port_user_world));
	port_user_world.timestamp = 5000;
	port_user_world.random = 42;
	port_user_world.pid = 100;
	port_user_world.tid = 101;
	port_user_world.ppid = 99;
	port_user_world.uid = 1000;
	port_user_world.gid = 1001;
	port_user_world.execname = "victim";
	port_user_world.pcs = pcs;
	port_user_world.npcs = 3;
}

static int dif_enable(struct dif_case *c, dtrace_state_t *st, char *msg, size_t len)
{
	static struct build_dof b;
	struct build_action act = {.kind = DTRACEACT_DIFEXPR, .difo = (char *)c->code.p};
	struct build_action err[] = {
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg4, %r1; ret %r1"},
		{.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg5, %r1; ret %r1"},
	};
	dtrace_enable_io_t io = {0};
	const void *dof;
	size_t size;
	int rc;

	build_dof_init(&b);
	b.names = c->names;
	b.nnames = c->nnames;
	for (uint32_t i = 0; i < DTRACEOPT_MAX; i++)
		if (c->options[i])
			build_option(&b, i, c->options[i]);
	build_clause(&b, "test:mod:func:fire", NULL, build_actions(&b, &act, 1), 1);
	build_clause(&b, "dtrace:::ERROR", NULL, build_actions(&b, err, 2), 2);
	dof = build_finish(&b, &size);
	rc = dtrace_state_enable(st, dof, size, &io, msg, len);
	build_dof_free(&b);
	return rc;
}

static void dif_check_fault(const struct dif_case *c, const dtrace_rechdr_t *h)
{
	char kind[32] = "", addr[32] = "";
	uint64_t got[2];

	sscanf(c->faults, "%31s %31s", kind, addr);
	memcpy(got, h + 1, sizeof(got));
	assert_in_range(got[0], 0, 9);
	assert_string_equal(dif_faults[got[0]], kind);
	if (addr[0])
		assert_int_equal(got[1], dif_value(c, addr));
}

static void dif_check_result(const struct dif_case *c, const dtrace_rechdr_t *h)
{
	const char *data = (const char *)(h + 1);
	uint8_t want[512];
	uint64_t value;

	if (c->gives[0] == '"') {
		dif_data(c->gives, want);
		assert_string_equal(data, (char *)want);
		return;
	}
	memcpy(&value, data, sizeof(value));
	assert_int_equal(value, dif_value(c, c->gives));
}

static void dif_check_after(const struct dif_case *c, const char *text)
{
	uint8_t want[512];
	char name[32];
	size_t n;

	sscanf(text, "%31s", name);
	n = dif_data(text + strlen(name), want);
	assert_memory_equal((void *)(uintptr_t)dif_value(c, name), want, n);
}

static void dif_fire(struct dif_case *c, dtrace_state_t *st)
{
	static const uint64_t regs[27] = {[0] = 70, [5] = 75, [16] = 86};
	struct dtrace_fire fire = {
		.args = c->args, .nargs = 4, .regs = regs, .user = !c->interrupts_kernel, .err = 2};
	dtrace_go_t go;

	assert_int_equal(dtrace_state_go(st, &go), 0);
	dtrace_fire(dif_probe, &fire);
}

static void dif_run_enabled(struct dif_case *c, dtrace_state_t *st)
{
	struct bytes out = {0};
	const dtrace_rechdr_t *h;

	dif_fire(c, st);
	assert_int_equal(build_snapshot(st, false, 0, &out, NULL), 0);
	h = build_record(&out, 0);
	assert_non_null(h);
	assert_null(build_record(&out, 1));
	assert_int_equal(h->dtrh_epid, c->faults ? 2 : 1);
	if (c->faults)
		dif_check_fault(c, h);
	else
		dif_check_result(c, h);
	for (unsigned int i = 0; i < c->nafter; i++)
		dif_check_after(c, c->after[i]);
	bytes_free(&out);
}

static void dif_run_test(void **state)
{
	struct dtrace_cred cred = {.privs = DTRACE_PRIV_ALL, .uid = 1000};
	dtrace_state_t *st;
	struct dif_case c;
	char msg[256], want[256];
	int rc;

	dif_read_case(&c, *state);
	cred.privs = c.unprivileged ? 0 : DTRACE_PRIV_ALL;
	assert_int_equal(dtrace_state_create(&cred, NULL, &st), 0);
	rc = dif_enable(&c, st, msg, sizeof(msg));
	if (c.refuses) {
		assert_true(rc == -EINVAL || rc == -EPERM);
		dif_data(c.refuses, (uint8_t *)want);
		if (!strstr(msg, want))
			fail_msg("\"%s\" does not say \"%s\"", msg, want);
	} else {
		assert_true(c.gives || c.faults);
		if (rc)
			fail_msg("refused: %s", msg);
		dif_run_enabled(&c, st);
	}
	dtrace_state_destroy(st);
	bytes_free(&c.code);
}

static int dif_setup(void **state)
{
	static const dtrace_provider_ops_t ops = {.getargval = dif_getargval};
	static const dtrace_pattr_t attr;
	static const dtrace_ppriv_t priv;

	(void)state;
	for (int i = 0; i < 2; i++) {
		dif_areas[i] = mmap(NULL, DIF_AREA + 4096, PROT_READ | PROT_WRITE,
				    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		mprotect(dif_areas[i] + DIF_AREA, 4096, PROT_NONE);
	}
	port_user_init(1);
	port_user_window(NULL, 0, false);
	port_user_window(dif_areas[0], DIF_AREA + 4096, false);
	port_user_window(dif_areas[1], DIF_AREA + 4096, true);
	dif_world();
	return dtrace_engine_init() ||
	       dtrace_provider_register("test", &attr, &priv, &ops, NULL, &dif_prov) ||
	       dtrace_probe_create(dif_prov, "mod", "func", "fire", NULL, &dif_probe);
}

static int dif_teardown(void **state)
{
	(void)state;
	dtrace_provider_unregister(dif_prov);
	dtrace_engine_fini();
	return port_user_allocated() != 0 || port_user_warnings() != 0;
}

int main(int argc, char **argv)
{
	static struct CMUnitTest tests[DIF_MAX_TESTS];
	int failed;

	for (int i = 1; i < argc; i++)
		dif_load(argv[i]);
	if (!dif_ntests) {
		fprintf(stderr, "usage: engine_dif FILE.dif...\n");
		return 1;
	}
	for (unsigned int i = 0; i < dif_ntests; i++)
		tests[i] = (struct CMUnitTest){dif_tests[i].name, dif_run_test, NULL, NULL,
					       &dif_tests[i]};
	failed = _cmocka_run_group_tests("dif", tests, dif_ntests, dif_setup, dif_teardown);
	for (unsigned int i = 0; i < dif_ntests; i++)
		bytes_free(&dif_tests[i].lines);
	return failed != 0;
}
