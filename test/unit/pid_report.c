/* SPDX-License-Identifier: MIT */
/*
 * pid_report.c - the messages about instructions without a probe: those that were skipped, and
 * those at which the world failed to make one.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include "../../libdtrace/pid/impl.h"
#include "consume_fake.h"

/*
 * A function whose instructions are known. It ends within its last. A function without a name
 * follows.
 */
extern const char reported[];
__asm__(".text\n"
	".globl reported\n"
	".type reported, @function\n"
	"reported:\n"
	"	movl $7, %eax\n"
	"	addl $1, %eax\n"
	"	ret\n"
	"	.byte 0x48\n"
	".size reported, . - reported\n"
	"	.cfi_startproc\n"
	"	.skip 16, 0x90\n"
	"	.cfi_endproc\n");

static dtrace_ft_failure_t failures[5000];
static uint32_t nfailures;
static int failures_error;
static char told[8192]; /* what the handler was told, a line each: "PID: MESSAGE" */

static int handler(const dtrace_procdata_t *data, void *arg)
{
	(void)arg;
	assert_ptr_equal(data->dtpcd_handle, dtp);
	snprintf(told + strlen(told), sizeof(told) - strlen(told), "%d: %s\n", (int)data->dtpcd_pid,
		 data->dtpcd_msg);
	return DTRACE_HANDLE_OK;
}

/* ---- a world with sites that fail ---- */

static const struct dt_world_ops *fake_ops;
static struct dt_world_ops ops;
static struct dt_world world = {.ops = &ops};

static int process(struct dt_world *w, unsigned long request, void *arg)
{
	dtrace_ft_failures_t *io = arg;

	if (request != DTRACEFTIOC_FAILURES)
		return fake_ops->process(w, request, arg);
	for (uint32_t i = 0; i < nfailures && i < io->dtfl_capacity; i++)
		((dtrace_ft_failure_t *)(uintptr_t)io->dtfl_list)[i] = failures[i];
	io->dtfl_n = nfailures;
	errno = failures_error;
	return failures_error ? -1 : 0;
}

static int setup(void **state)
{
	fake_setup(state);
	fake.processes = true;
	fake_ops = dtp->world->ops;
	ops = *fake_ops;
	ops.process = process;
	dtp->world = &world;
	dtrace_handle_proc(dtp, handler, NULL);
	nfailures = 0;
	failures_error = 0;
	*told = '\0';
	return 0;
}

/* The statements are the compiler's. */
static int teardown(void **state)
{
	(void)state;
	fake_end();
	return 0;
}

static void fails(pid_t pid, int gen, uintptr_t addr, int error)
{
	failures[nfailures++] = (dtrace_ft_failure_t){
		.dtfe_pid = pid, .dtfe_gen = gen, .dtfe_addr = addr, .dtfe_error = error};
}

/* Make the probe of a description of this process. */
static void describe(const char *format)
{
	char text[128];

	snprintf(text, sizeof(text), format, getpid());
	if (!dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
				       DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL))
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	*told = '\0';
}

/* Return what the handler is told of the failed sites, which are no error. */
static const char *report(void)
{
	*told = '\0';
	assert_int_equal(dt_pid_report_failed(dtp), 0);
	return told;
}

/* Return a line that a site of this process should have. */
static const char *line(const char *message)
{
	static char text[256];

	snprintf(text, sizeof(text), "%d: %s\n", getpid(), message);
	return text;
}

/* ---- tests ---- */

/* Nothing is asked for without probes of processes, nor of a world without them. */
static void nothing_failed(void **state)
{
	(void)state;
	fails(getpid(), 9, 1, EPERM);
	assert_string_equal(report(), "");
	describe("pid%d:a.out:reported:entry");
	fake.processes = false;
	assert_string_equal(report(), "");
	fake.processes = true;
	failures_error = EINTR;
	assert_string_equal(report(), "");
	failures_error = 0;
	nfailures = 0;
	assert_string_equal(report(), "");
}

/* A site has the name of its function, if its file was searched for that process. */
static void sites_are_named(void **state)
{
	char expected[128];

	(void)state;
	describe("pid%d:a.out:reported*:");
	fails(getpid(), 99, (uintptr_t)reported, EOPNOTSUPP);
	assert_string_equal(report(), line("reported+0, `mov    $0x7,%eax', has no breakpoint: the "
					   "kernel cannot step over it"));
	nfailures = 0;
	fails(getpid(), 99, (uintptr_t)reported + 5, EUSERS);
	assert_string_equal(report(),
			    line("reported+0x5, `add    $0x1,%eax', has no breakpoint: its file is "
				 "mapped too often for users (user_mappings in "
				 "/sys/module/dtrace/parameters, which root may raise)"));
	nfailures = 0;
	fails(getpid(), 99, (uintptr_t)reported + 8, EIO);
	assert_string_equal(report(),
			    line("reported+0x8, `ret', has no breakpoint: Input/output error"));
	nfailures = 0;
	fails(getpid(), 99, (uintptr_t)reported + 9, EIO);
	assert_string_equal(report(),
			    line("reported+0x9, `(bad)', has no breakpoint: Input/output error"));
	nfailures = 0;
	fails(getpid(), 99, (uintptr_t)reported + 10, EIO);
	snprintf(expected, sizeof(expected), "%d: pid_report+0x", getpid());
	assert_memory_equal(report(), expected, strlen(expected));
	assert_non_null(strstr(told, ", `nop', has no breakpoint: Input/output error\n"));
	nfailures = 0;
	fails(getpid(), 99, 0x1234, EIO);
	assert_string_equal(report(), line("the instruction at 0x1234 has no breakpoint: "
					   "Input/output error"));
	nfailures = 0;
	fails(1, 99, (uintptr_t)reported, EIO);
	snprintf(expected, sizeof(expected),
		 "1: the instruction at %#" PRIxPTR " has no breakpoint: Input/output error\n",
		 (uintptr_t)reported);
	assert_string_equal(report(), expected);
}

/* Worlds that move instructions have other reasons. */
static void reasons_are_those_of_the_world(void **state)
{
	(void)state;
	ops.moves = true;
	describe("pid%d:a.out:reported*:entry");
	fails(getpid(), 99, (uintptr_t)reported, EOPNOTSUPP);
	assert_string_equal(
		report(), line("reported+0, `mov    $0x7,%eax', has no probe: it cannot be moved"));
	nfailures = 0;
	fails(getpid(), 99, 1, ENOSPC);
	assert_string_equal(report(), line("the instruction at 0x1 has no probe: no page can be "
					   "mapped where a jump would reach it"));
	nfailures = 0;
	fails(getpid(), 99, 2, EUSERS);
	assert_string_equal(report(), line("the instruction at 0x2 has no probe: Too many users"));
}

/* A description that names one probe fails with its site. */
static void one_probe_fails(void **state)
{
	(void)state;
	describe("pid%d:a.out:reported:entry");
	assert_int_equal(fake.registrations, 1);
	fails(getpid(), 2, (uintptr_t)reported + 8, EIO);
	fails(getpid(), 1, (uintptr_t)reported, EOPNOTSUPP);
	assert_int_equal(dt_pid_report_failed(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_PROC);
	assert_non_null(
		strstr(dtrace_errmsg(dtp, EDT_PROC),
		       "reported+0, `mov    $0x7,%eax', has no breakpoint: the kernel cannot "
		       "step over it"));
	assert_string_equal(told,
			    line("reported+0x8, `ret', has no breakpoint: Input/output error"));
}

/* The first eight are told, each once, and how many others there are. */
static void each_is_told_once(void **state)
{
	char expected[1024] = "";

	(void)state;
	describe("pid%d:a.out:reported*:entry");
	for (int i = 1; i <= 8; i++) {
		fails(i, 99, 0x10, EIO);
		snprintf(expected + strlen(expected), sizeof(expected) - strlen(expected),
			 "%d: the instruction at 0x10 has no breakpoint: Input/output error\n", i);
	}
	assert_string_equal(report(), expected);
	assert_string_equal(report(), "");
	fails(8, 99, 0x11, EIO);
	assert_string_equal(report(), "8: the instruction at 0x11 has no breakpoint: "
				      "Input/output error\n");
	for (int i = 0; i < 9; i++)
		fails(8, 99, 0x20 + (uintptr_t)i, EIO);
	assert_non_null(strstr(report(), "8: the instruction at 0x27 "));
	assert_null(strstr(told, "0x28"));
	assert_non_null(strstr(told, "\n1: and 1 more have none\n"));
	assert_string_equal(report(), "");
}

/* There are more than are asked for. */
static void thousands_fail(void **state)
{
	(void)state;
	describe("pid%d:a.out:reported*:entry");
	for (int i = 0; i < 5000; i++)
		fails(7, 99, 0x1000 + (uintptr_t)i, EIO);
	assert_non_null(strstr(report(), "7: and 4088 more have none\n"));
}

/* Return what is told of n functions of each kind that were skipped. */
static const char *skipped(unsigned int n, bool one)
{
	static const dtrace_probedesc_t desc = {
		.dtpd_provider = "pid7", .dtpd_mod = "lib", .dtpd_func = "f", .dtpd_name = "entry"};
	struct pid_skips skips = {0};

	for (unsigned int i = 0; i < n; i++) {
		pid_skip(&skips.unsafe, one, "u%u", i);
		pid_skip(&skips.harmful, one, "h%u", i);
		pid_skip(&skips.debugged, one, "d%u", i);
	}
	*told = '\0';
	pid_skips_tell(dtp, &desc, 7, &skips);
	pid_skips_free(&skips);
	assert_int_equal(skips.unsafe.n + skips.harmful.n + skips.debugged.n, 0);
	return told;
}

static void skipped_instructions_are_named(void **state)
{
	(void)state;
	assert_string_equal(skipped(0, false), "");
	assert_string_equal(
		skipped(1, false),
		"7: pid7:lib:f:entry: only entries in 1 function, which may have data in their "
		"code: u0\n"
		"7: pid7:lib:f:entry: without 1 instruction that the kernel cannot step over: h0\n"
		"7: pid7:lib:f:entry: without 1 instruction at which a debugger has a breakpoint: "
		"d0\n");
	assert_non_null(strstr(skipped(8, false), "without 8 instructions that the kernel cannot "
						  "step over: h0, h1, h2, h3, h4, h5, h6, h7\n"));
	assert_non_null(strstr(skipped(10, false),
			       "step over: h0, h1, h2, h3, h4, h5, h6, h7 and 2 more (all are "
			       "named for one function)\n"));
	assert_non_null(
		strstr(skipped(10, true), "step over: h0, h1, h2, h3, h4, h5, h6, h7, h8, h9\n"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(nothing_failed),
		TEST(sites_are_named),
		TEST(reasons_are_those_of_the_world),
		TEST(one_probe_fails),
		TEST(each_is_told_once),
		TEST(thousands_fail),
		TEST(skipped_instructions_are_named),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
