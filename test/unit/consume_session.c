/* SPDX-License-Identifier: MIT */
/*
 * consume_session.c - what a session says when the module does not let it begin, and before it has
 * begun; when it reads which buffers, and how it ends.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>
#include <sys/eventfd.h>
#include "consume_fake.h"

/* The program for ERROR is the compiler's, its statements too. */
static int teardown(void **state)
{
	(void)state;
	fake_end();
	return 0;
}

static void why_it_does_not_begin(void **state)
{
	static const struct {
		int error, said;
	} cases[] = {
		{ENOMEM, EDT_BUFTOOBIG}, {ENOSPC, EDT_BUFTOOSMALL},
		{E2BIG, EDT_ENDTOOBIG},	 {EDQUOT, EDT_USERMEM},
		{EBUSY, EBUSY},		 {EINTR, EINTR},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		fake.go_error = cases[i].error;
		assert_int_equal(dtrace_go(dtp), -1);
		assert_int_equal(dtrace_errno(dtp), cases[i].said);
		assert_false(dtp->active);
	}
	fake.go_error = 0;
	fake.optget_error = EPERM;
	assert_int_equal(dtrace_go(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EPERM);
	assert_false(dtp->active);
}

/* Rates count from the beginning: nothing is due at once. */
static void it_begins(void **state)
{
	struct dt_session *se;
	uint64_t before = dt_now();

	(void)state;
	fake.optget_value = 12345;
	assert_int_equal(dtrace_stop(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_INACTIVE);
	assert_int_equal(dtrace_go(dtp), 0);
	assert_true(dtp->active);
	assert_int_equal(dtp->begincpu, FAKE_CPU);
	assert_int_equal(dtp->options[DTRACEOPT_BUFSIZE], 12345);
	assert_int_equal(dtp->options[DTRACEOPT_CLEANRATE], 12345);
	se = dt_session(dtp);
	assert_true(se->nextswitch > before);
	assert_true(se->nextagg > before);
	assert_true(se->nextstatus > before);
	assert_int_equal(dtrace_go(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_ACTIVE);
}

static dtrace_prog_t *compiled(const char *text)
{
	dtrace_prog_t *prog = dtrace_program_strcompile(dtp, text, DTRACE_PROBESPEC_NAME,
							DTRACE_C_NOLIBS | DTRACE_C_ZDEFS, 0, NULL);

	if (!prog)
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	return prog;
}

static void programs_are_enabled(void **state)
{
	dtrace_prog_t *prog = compiled("BEGIN { trace(1); @ = count(); printf(\"x\"); } END");
	dtrace_proginfo_t info;

	(void)state;
	fake.matches = 7;
	assert_int_equal(dtrace_program_exec(dtp, prog, NULL), 0);
	assert_int_equal(dtrace_program_exec(dtp, prog, &info), 0);
	assert_int_equal(info.dpi_matches, 7);
	assert_int_equal(info.dpi_recgens, 2);
	assert_int_equal(info.dpi_aggregates, 1);
}

static void why_a_program_is_not_enabled(void **state)
{
	static const struct {
		const char *program, *message;
		int error, said;
	} cases[] = {
		{"BEGIN", NULL, EBUSY, EDT_ACTIVE},
		{"BEGIN", "it is wrong", EBUSY, EDT_ACTIVE},
		{"BEGIN", "it is wrong", EINVAL, EDT_BADDOF},
		{"BEGIN", "it is wrong", EPERM, EDT_BADDOF},
		{"BEGIN", NULL, EINVAL, EDT_BADDOF},
		{"BEGIN", NULL, EPERM, EPERM},
		{"BEGIN", NULL, ENOMEM, ENOMEM},
		{"BEGIN { stop(); }", NULL, 0, EDT_DESTRUCTIVE},
		{"dtrace:helper:ustack: { \"x\"; }", NULL, 0, EDT_BADDOF},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		dtrace_prog_t *prog = compiled(cases[i].program);
		dtrace_proginfo_t info = {.dpi_matches = 77};

		fake.enable_error = cases[i].error;
		fake.enable_message = cases[i].message;
		assert_int_equal(dtrace_program_exec(dtp, prog, &info), -1);
		assert_int_equal(dtrace_errno(dtp), cases[i].said);
		assert_int_equal(info.dpi_matches, 77);
		if (cases[i].message && cases[i].said == EDT_BADDOF)
			assert_string_equal(dtrace_errmsg(dtp, EDT_BADDOF), "it is wrong");
	}
}

/* The last message of a drop, and the number of such messages. */
static char drop_said[512];
static int drops_said;

static int drop_hear(const dtrace_dropdata_t *data, void *arg)
{
	(void)arg;
	snprintf(drop_said, sizeof(drop_said), "%s", data->dtdda_msg);
	drops_said++;
	return DTRACE_HANDLE_OK;
}

/* The fields of 32 bits stand beside each other: a count is its own field and nothing else. */
static void probes_that_are_not_enabled_are_told(void **state)
{
	dtrace_status_t st = {.dtst_killed = 1, .dtst_exiting = 1, .dtst_active = 5};

	(void)state;
	drops_said = 0;
	dtrace_handle_drop(dtp, drop_hear, NULL);
	assert_int_equal(dtrace_setopt(dtp, "droptags", NULL), 0);
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(drops_said, 0);
	st.dtst_unattached = 3;
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_string_equal(
		drop_said,
		"[DTRACEDROP_UNATTACHED] 3 probes not enabled (no memory, a limit of "
		"/proc/dtrace/users, or refused by the provider: enable fewer probes, or have "
		"root raise the limit)\n");
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_int_equal(drops_said, 1);
	st.dtst_unattached = 4;
	assert_int_equal(dt_drops_report(dtp, &st), 0);
	assert_non_null(strstr(drop_said, "] 1 probe not enabled ("));
}

/* ---- a session that has begun ---- */

#define LATER (UINT64_MAX / 2) /* a time that does not come */

static struct {
	dtrace_status_t status;
	int status_error, stop_error, snap_error;
	int statuses, stops, snaps, aggsnaps; /* requests */
	int fd;				      /* for news, or -1 */
} device;

static int device_answer(int error)
{
	errno = error;
	return error ? -1 : 0;
}

static const struct dt_world_ops *fake_ops;
static struct dt_world_ops ops;
static struct dt_world world = {.ops = &ops};

static int device_request(struct dt_world *w, unsigned long request, void *arg)
{
	switch (request) {
	case DTRACEIOC_STATUS:
		device.statuses++;
		*(dtrace_status_t *)arg = device.status;
		return device_answer(device.status_error);
	case DTRACEIOC_STOP:
		device.stops++;
		((dtrace_go_t *)arg)->dtgo_cpu = 1;
		return device_answer(device.stop_error);
	case DTRACEIOC_BUFSNAP:
		device.snaps++;
		return device_answer(device.snap_error);
	case DTRACEIOC_AGGSNAP:
		device.aggsnaps++;
		return device_answer(ENOENT);
	default:
		return fake_ops->request(w, request, arg);
	}
}

static int device_fds(struct dt_world *w, enum dt_world_news news, struct pollfd *fds, int max)
{
	(void)w;
	if (news != DT_WORLD_RECORDS || device.fd == -1 || max < 1)
		return 0;
	fds[0] = (struct pollfd){.fd = device.fd, .events = POLLIN};
	return 1;
}

/* A session that has begun, in which nothing is due. */
static int setup_begun(void **state)
{
	struct dt_session *se;

	fake_setup(state);
	memset(&device, 0, sizeof(device));
	device.snap_error = ENOENT;
	device.fd = -1;
	fake_ops = dtp->world->ops;
	ops = *fake_ops;
	ops.request = device_request;
	ops.fds = device_fds;
	dtp->world = &world;
	fake.optget_value = 65536;
	if (dtrace_go(dtp) != 0)
		return -1;
	se = dt_session(dtp);
	dtp->options[DTRACEOPT_BUFPOLICY] = DTRACEOPT_UNSET;
	dtp->options[DTRACEOPT_SWITCHRATE] = dtp->options[DTRACEOPT_AGGRATE] =
		dtp->options[DTRACEOPT_STATUSRATE] = 1000000000;
	se->nextswitch = se->nextagg = se->nextstatus = LATER;
	return 0;
}

static int work(void)
{
	return dtrace_work(dtp, stdout, NULL, NULL, NULL);
}

static void status_is_asked_for_when_it_is_due(void **state)
{
	struct dt_session *se = dt_session(dtp);
	uint64_t before = dt_now();

	(void)state;
	dtp->options[DTRACEOPT_STATUSRATE] = 5000000000;
	device.status.dtst_exiting = 1;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_NONE);
	assert_int_equal(device.statuses, 0);
	se->nextstatus = 0;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_EXITED);
	assert_in_range(se->nextstatus, before + 5000000000, dt_now() + 5000000000);
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_NONE);
	/* Without a rate, it is due once in a second. */
	dtp->options[DTRACEOPT_STATUSRATE] = DTRACEOPT_UNSET;
	se->nextstatus = 0;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_EXITED);
	assert_in_range(se->nextstatus, before + 1000000000, dt_now() + 1000000000);
	se->news = true;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_EXITED);
	se->news = false;
	dtp->stopped = true;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_STOPPED);
	assert_int_equal(device.statuses, 4);
	dtp->active = false;
	assert_int_equal(dtrace_status(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_INACTIVE);
}

static void what_the_status_says(void **state)
{
	struct dt_session *se = dt_session(dtp);

	(void)state;
	se->news = true;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_OKAY);
	device.status.dtst_filled = 1;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_OKAY);
	dtp->options[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_FILL;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_FILLED);
	device.status.dtst_filled = 0;
	assert_int_equal(dtrace_status(dtp), DTRACE_STATUS_OKAY);
	device.status_error = EINTR;
	assert_int_equal(dtrace_status(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EINTR);
	device.status_error = 0;
	device.status.dtst_killed = 1;
	assert_int_equal(dtrace_status(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EBUSY);
	assert_string_equal(dtrace_errmsg(dtp, EBUSY), "Abort due to systemic unresponsiveness");
}

static void it_stops_once(void **state)
{
	(void)state;
	device.stop_error = EINTR;
	assert_int_equal(dtrace_stop(dtp), -1);
	assert_int_equal(dtrace_errno(dtp), EINTR);
	device.stop_error = EBUSY;
	assert_int_equal(dtrace_stop(dtp), -1);
	assert_string_equal(dtrace_errmsg(dtp, EBUSY), "Abort due to systemic unresponsiveness");
	assert_false(dtp->stopped);
	device.stop_error = 0;
	assert_int_equal(dtrace_stop(dtp), 0);
	assert_true(dtp->stopped);
	assert_int_equal(dtp->endcpu, 1);
	assert_int_equal(dtrace_stop(dtp), 0);
	assert_int_equal(device.stops, 3);
}

/* Buffers are read with news, or when it is time; aggregations with them, or when it is time. */
static void buffers_are_read_when_they_are_due(void **state)
{
	struct dt_session *se = dt_session(dtp);
	uint64_t before = dt_now();

	(void)state;
	compiled("BEGIN { @ = count(); }");
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps + device.aggsnaps, 0);
	se->nextagg = 0;
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 0);
	assert_int_equal(device.aggsnaps, 2);
	se->nextagg = LATER;
	se->nextswitch = 0;
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 2);
	assert_in_range(se->nextswitch, before + 1000000000, dt_now() + 1000000000);
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 2);
	se->news = true;
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 4);
	assert_false(se->news);
	/* Other buffers are read when tracing has stopped. They stay news until then. */
	dtp->options[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_RING;
	se->news = true;
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 4);
	assert_true(se->news);
	dtp->options[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_SWITCH;
	assert_int_equal(work(), DTRACE_WORKSTATUS_OKAY);
	assert_int_equal(device.snaps, 6);
	assert_false(se->news);
	se->news = true;
	device.snap_error = EIO;
	assert_int_equal(work(), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(dtp), EIO);
	se->news = true;
	device.status_error = EPERM;
	assert_int_equal(work(), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(dtrace_errno(dtp), EPERM);
}

/* The last work stops tracing, reads what is left, and asks for drops. */
static void the_last_work(void **state)
{
	struct dt_session *se = dt_session(dtp);

	(void)state;
	device.status.dtst_exiting = 1;
	se->nextstatus = 0;
	device.stop_error = EIO;
	assert_int_equal(work(), DTRACE_WORKSTATUS_ERROR);
	assert_int_equal(device.snaps, 0);
	device.stop_error = 0;
	se->nextstatus = 0;
	device.snap_error = EIO;
	assert_int_equal(work(), DTRACE_WORKSTATUS_ERROR);
	device.snap_error = ENOENT;
	device.snaps = device.statuses = 0;
	assert_int_equal(work(), DTRACE_WORKSTATUS_DONE);
	assert_int_equal(device.snaps, 2);
	assert_int_equal(device.statuses, 2);
	assert_int_equal(device.stops, 2);
	device.status.dtst_killed = 1;
	assert_int_equal(work(), DTRACE_WORKSTATUS_ERROR);
	dtp->active = false;
	assert_int_equal(dtrace_consume(dtp, stdout, NULL, NULL, NULL), -1);
	assert_int_equal(dtrace_errno(dtp), EDT_INACTIVE);
}

/* Sleep ends with news, unless there can be none before the rates are due. */
static void it_sleeps_until_there_are_news(void **state)
{
	struct dt_session *se = dt_session(dtp);
	uint64_t begin;

	(void)state;
	device.fd = eventfd(1, EFD_CLOEXEC);
	assert_int_not_equal(device.fd, -1);
	dtrace_sleep(dtp);
	assert_true(se->news);
	dtp->options[DTRACEOPT_BUFPOLICY] = DTRACEOPT_BUFPOLICY_RING;
	begin = dt_now();
	se->nextagg = begin + 20000000;
	dtrace_sleep(dtp);
	assert_true(dt_now() >= begin + 20000000);
	/* What is due already is not waited for. */
	se->nextstatus = 1;
	se->nextagg = LATER;
	dtrace_sleep(dtp);
	se->nextstatus = LATER;
	se->nextswitch = 1;
	dtrace_sleep(dtp);
	close(device.fd);
}

/* Output may go to a handler. Output that cannot be written is an error. */
static void where_output_goes(void **state)
{
	FILE *full = fopen("/dev/full", "w");

	(void)state;
	assert_non_null(full);
	assert_int_equal(dtrace_consume(dtp, NULL, NULL, NULL, NULL), 0);
	assert_int_equal(dtrace_consume(dtp, full, NULL, NULL, NULL), 0);
	fputs("text", full);
	assert_int_equal(dtrace_consume(dtp, full, NULL, NULL, NULL), -1);
	assert_int_equal(dtrace_errno(dtp), ENOSPC);
	fclose(full);
}

#define BEGUN(name) cmocka_unit_test_setup_teardown(name, setup_begun, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(why_it_does_not_begin, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(it_begins, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(programs_are_enabled, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(why_a_program_is_not_enabled, fake_setup, teardown),
		cmocka_unit_test_setup_teardown(probes_that_are_not_enabled_are_told, fake_setup,
						teardown),
		BEGUN(status_is_asked_for_when_it_is_due),
		BEGUN(what_the_status_says),
		BEGUN(it_stops_once),
		BEGUN(buffers_are_read_when_they_are_due),
		BEGUN(the_last_work),
		BEGUN(it_sleeps_until_there_are_news),
		BEGUN(where_output_goes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
