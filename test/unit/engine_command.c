/* SPDX-License-Identifier: MIT */
/*
 * engine_command.c - requests of a session: what is copied from the caller and to the caller, also
 * after errors, and which requests are refused.
 */
#include "command.h"
#include "engine_fixture.h"
#include <string.h>

static struct {
	int caught_up, enabled, started, policies;
	int policy_error;
} called;

static void catch_up(void)
{
	called.caught_up++;
}

static void enabled(void)
{
	called.enabled++;
}

static void started(void *session)
{
	assert_ptr_equal(session, &called);
	called.started++;
}

static int policy(const dtrace_policy_t *p)
{
	assert_non_null(p);
	called.policies++;
	return called.policy_error;
}

static const struct dtrace_command_ops ops = {.release = "1.2.3",
					      .catch_up = catch_up,
					      .enabled = enabled,
					      .started = started,
					      .policy = policy};

static int command(unsigned int request, void *arg)
{
	return dtrace_command(&ops, &called, fix.state, request, (uintptr_t)arg);
}

static int setup(void **state)
{
	memset(&called, 0, sizeof(called));
	return fixture_setup(state);
}

static void unknown_requests(void **state)
{
	char byte = 0;

	(void)state;
	assert_int_equal(command(0, &byte), -ENOTTY);
	assert_int_equal(command(_IO('D', 99), &byte), -ENOTTY);
}

/* Requests with structures that are all zeros. */
static void each_request(void **state)
{
	static const struct {
		unsigned int request;
		int error;
	} requests[] = {
		{DTRACEIOC_PROVIDER, -ESRCH}, {DTRACEIOC_PROBES, -EINVAL},
		{DTRACEIOC_PROBEARG, -ESRCH}, {DTRACEIOC_EPROBE, -ESRCH},
		{DTRACEIOC_AGGDESC, -ESRCH},  {DTRACEIOC_BUFSNAP, -EINVAL},
		{DTRACEIOC_AGGSNAP, -EINVAL}, {DTRACEIOC_STATUS, 0},
		{DTRACEIOC_CONF, 0},	      {DTRACEIOC_STOP, -EINVAL},
		{DTRACEIOC_OPTGET, 0},	      {DTRACEIOC_POLICY, 0},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(requests) / sizeof(requests[0]); i++) {
		char bytes[4096] __attribute__((aligned(8))) = "";
		int error = command(requests[i].request, bytes);

		if (error != requests[i].error)
			fail_msg("request %zu: %d", i, error);
	}
}

static void lists_of_probes(void **state)
{
	static dtrace_probedesc_t descs[DTRACE_PROBES_MAX + 1];
	dtrace_probes_io_t io = {.descs = (uintptr_t)descs};

	(void)state;
	assert_int_equal(command(DTRACEIOC_PROBES, &io), -EINVAL);
	io.capacity = DTRACE_PROBES_MAX + 1;
	assert_int_equal(command(DTRACEIOC_PROBES, &io), -EINVAL);
	io.capacity = DTRACE_PROBES_MAX;
	io.match = 2;
	assert_int_equal(command(DTRACEIOC_PROBES, &io), -EINVAL);
	assert_int_equal(called.caught_up, 0);
	io.match = 1;
	strcpy(io.pattern.dtpd_provider, "test");
	assert_int_equal(command(DTRACEIOC_PROBES, &io), 0);
	assert_int_equal(io.n, 2);
	assert_string_equal(descs[0].dtpd_name, "a");
	assert_string_equal(descs[1].dtpd_name, "b");
	assert_int_equal(called.caught_up, 1);
	/* What follows the first part of a list needs no other look. */
	io.pattern.dtpd_id = descs[0].dtpd_id + 1;
	assert_true(io.pattern.dtpd_id >= 2);
	assert_int_equal(command(DTRACEIOC_PROBES, &io), 0);
	assert_int_equal(called.caught_up, 1);
}

/* Enable a DOF that is wrong. Its message has n bytes, of which the first is what was there. */
static void refused(const void *dof, int error, const char *message, uint32_t n)
{
	char said[256];
	dtrace_enable_io_t io = {
		.dofp = (uintptr_t)dof, .errmsg = (uintptr_t)said, .errmsg_len = n};

	memset(said, '!', sizeof(said));
	assert_int_equal(command(DTRACEIOC_ENABLE, &io), error);
	assert_int_equal(io.error_desc, -1);
	if (n > 0)
		assert_string_equal(said, message);
	assert_int_equal(said[n], '!');
}

static void programs_that_cannot_be_read(void **state)
{
	dof_hdr_t hdr = {.dofh_loadsz = sizeof(hdr) - 1};
	dtrace_enable_io_t io = {.dofp = (uintptr_t)&hdr, .errmsg_len = 10};
	static const char text[] = "the DOF cannot be read from the caller's memory (error ";
	char message[128];

	(void)state;
	snprintf(message, sizeof(message), "%s%d)", text, -EINVAL);
	refused(&hdr, -EINVAL, message, 200);
	refused(&hdr, -EINVAL, message, (uint32_t)strlen(message) + 1);
	message[strlen(message) - 1] = '\0';
	refused(&hdr, -EINVAL, message, (uint32_t)strlen(message) + 1);
	refused(&hdr, -EINVAL, "", 1);
	refused(&hdr, -EINVAL, "", 0);
	assert_int_equal(command(DTRACEIOC_ENABLE, &io), -EINVAL);
	hdr.dofh_loadsz = DTRACE_DOF_MAXSIZE + 1;
	snprintf(message, sizeof(message), "%s%d)", text, -E2BIG);
	refused(&hdr, -E2BIG, message, 200);
	assert_int_equal(called.caught_up + called.enabled, 0);
}

static void records_and_buffers(void **state)
{
	static const struct build_action acts[] = {ACT_ARG0, ACT_ARG0, ACT_END};
	dtrace_recdesc_t recs[3];
	dtrace_eprobedesc_t ep = {.dtepd_epid = 1, .dtepd_recs = (uintptr_t)recs};
	dtrace_enable_io_t io = {0};
	dtrace_bufdesc_t buf = {0};
	dtrace_conf_t conf;
	dtrace_go_t go;
	static char data[4096];
	size_t size;

	(void)state;
	build_option(&fix.dof, DTRACEOPT_BUFSIZE, sizeof(data));
	fixture_clause("test:::a", NULL, acts);
	io.dofp = (uintptr_t)build_finish(&fix.dof, &size);
	assert_int_equal(command(DTRACEIOC_ENABLE, &io), 0);
	build_dof_free(&fix.dof);
	assert_int_equal(io.n_matched, 1);
	assert_int_equal(called.caught_up, 1);
	assert_int_equal(called.enabled, 1);
	/* As many descriptions as there is space for; their number is told in any case. */
	memset(recs, 0xff, sizeof(recs));
	assert_int_equal(command(DTRACEIOC_EPROBE, &ep), 0);
	assert_int_equal(ep.dtepd_nrecs, 2);
	assert_int_equal(recs[0].dtrd_size, 0xffffffff);
	ep.dtepd_nrecs = 1;
	assert_int_equal(command(DTRACEIOC_EPROBE, &ep), 0);
	assert_int_equal(ep.dtepd_nrecs, 2);
	assert_int_equal(recs[0].dtrd_size, 8);
	assert_int_equal(recs[1].dtrd_size, 0xffffffff);
	ep.dtepd_nrecs = 3;
	assert_int_equal(command(DTRACEIOC_EPROBE, &ep), 0);
	assert_int_equal(recs[1].dtrd_size, 8);
	assert_int_equal(recs[2].dtrd_size, 0xffffffff);
	ep.dtepd_epid = 99;
	assert_int_not_equal(command(DTRACEIOC_EPROBE, &ep), 0);
	assert_int_equal(command(DTRACEIOC_CONF, &conf), 0);
	assert_string_equal(conf.dtc_release, "1.2.3");
	assert_int_equal(command(DTRACEIOC_GO, &go), 0);
	assert_int_equal(called.started, 1);
	assert_int_not_equal(command(DTRACEIOC_GO, &go), 0);
	assert_int_equal(called.started, 1);
	fixture_fire(fix.a, 7);
	buf = (dtrace_bufdesc_t){.dtbd_data = (uintptr_t)data, .dtbd_size = sizeof(data) - 1};
	assert_int_equal(command(DTRACEIOC_BUFSNAP, &buf), -ENOBUFS);
	buf = (dtrace_bufdesc_t){.dtbd_data = (uintptr_t)data, .dtbd_size = sizeof(data)};
	assert_int_equal(command(DTRACEIOC_BUFSNAP, &buf), 0);
	assert_int_equal(buf.dtbd_size, sizeof(dtrace_rechdr_t) + 16);
	buf = (dtrace_bufdesc_t){.dtbd_cpu = FIXTURE_CPUS};
	assert_int_equal(command(DTRACEIOC_BUFSNAP, &buf), -ENOENT);
	assert_int_equal(command(DTRACEIOC_STOP, &go), 0);
}

static void policies_are_the_systems(void **state)
{
	dtrace_policy_t p = {0};

	(void)state;
	assert_int_equal(command(DTRACEIOC_POLICY, &p), 0);
	called.policy_error = -EPERM;
	assert_int_equal(command(DTRACEIOC_POLICY, &p), -EPERM);
	assert_int_equal(called.policies, 2);
}

#define T(f) cmocka_unit_test_setup_teardown(f, setup, fixture_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		T(unknown_requests),	T(each_request),
		T(lists_of_probes),	T(programs_that_cannot_be_read),
		T(records_and_buffers), T(policies_are_the_systems),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
