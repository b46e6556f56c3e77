/* SPDX-License-Identifier: MIT */
/*
 * process_stop.c - stop points of a session, in a world that the test pretends: who is called, and
 * who goes on.
 */
#include <errno.h>
#include <string.h>
#include <sys/eventfd.h>
#include "process_world.h"

struct calls {
	int n;
	bool keep;
};

static bool called(dtrace_hdl_t *of, const dtrace_stopped_t *stopped, void *arg)
{
	struct calls *calls = arg;

	assert_ptr_equal(of, dtp);
	assert_int_equal(stopped->dtfd_tid, TID);
	calls->n++;
	return calls->keep;
}

static void requests_say_what_is_asked_for(void **state)
{
	struct calls calls = {0};
	char longest[sizeof(world.exec.dtfx_name) + 1];

	(void)state;
	assert_int_equal(dt_stop_exec(dtp, "sleep", 1500, called, &calls), 1);
	assert_string_equal(world.exec.dtfx_name, "sleep");
	assert_int_equal(world.exec.dtfx_timeout, 1500);
	assert_int_equal(world.exec.dtfx_pid, 0);
	assert_int_equal(dt_stop_exec_of(dtp, 77, false, 20, called, &calls), 2);
	assert_string_equal(world.exec.dtfx_name, "");
	assert_int_equal(world.exec.dtfx_pid, 77);
	assert_int_equal(world.exec.dtfx_timeout, 20);
	assert_int_equal(world.exec.dtfx_flags, 0);
	assert_int_equal(dt_stop_exec_of(dtp, 77, true, 20, called, &calls), 3);
	assert_int_equal(world.exec.dtfx_flags, DTRACE_STOP_FOLLOW);
	assert_int_equal(dt_stop_address(dtp, 78, 0x1234, false, 30, called, &calls), 4);
	assert_int_equal(world.address.dtfa_pid, 78);
	assert_int_equal(world.address.dtfa_address, 0x1234);
	assert_int_equal(world.address.dtfa_timeout, 30);
	assert_int_equal(world.address.dtfa_flags, 0);
	assert_int_equal(dt_stop_address(dtp, 78, 0x1234, true, 30, called, &calls), 5);
	assert_int_equal(world.address.dtfa_flags, DTRACE_STOP_FOLLOW);
	/* The longest name, and one character more. */
	memset(longest, 'x', sizeof(longest));
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(dt_stop_exec(dtp, longest, 1, called, &calls), -1);
	assert_int_equal(errno, ENAMETOOLONG);
	assert_int_equal(dt_stop_exec(dtp, longest + 1, 1, called, &calls), 6);
	assert_string_equal(world.exec.dtfx_name, longest + 1);
}

static void refused_stop_points_are_none(void **state)
{
	struct calls calls = {0};

	(void)state;
	world.error = EPERM;
	assert_int_equal(dt_stop_address(dtp, 78, 0x1234, false, 30, called, &calls), -1);
	assert_int_equal(errno, EPERM);
	assert_null(dtp->stop_points);
	assert_false(dt_stop_may_trace(dtp, 78));
	world.error = ESRCH;
	assert_true(dt_stop_may_trace(dtp, 78));
	assert_false(dt_stop_release(dtp, TID));
	world.error = 0;
	assert_true(dt_stop_may_trace(dtp, 78));
}

static void threads_stay_if_the_function_says_so(void **state)
{
	struct calls first = {0}, second = {.keep = true};
	int one = dt_stop_address(dtp, 1, 0x1000, false, 10, called, &first);
	int two = dt_stop_address(dtp, 1, 0x2000, false, 10, called, &second);

	(void)state;
	dt_stop_work(dtp);
	assert_int_equal(first.n + second.n, 0);
	world_arrive(two);
	dt_stop_work(dtp);
	assert_int_equal(first.n, 0);
	assert_int_equal(second.n, 1);
	assert_int_equal(world.released, 0);
	assert_true(dt_stop_release(dtp, TID));
	assert_int_equal(world.released, TID);
	world.released = 0;
	world_arrive(one);
	world_arrive(two);
	dt_stop_work(dtp);
	assert_int_equal(first.n, 1);
	assert_int_equal(second.n, 2);
	assert_int_equal(world.released, TID);
}

static void an_ignored_stop_point_lets_threads_go_on(void **state)
{
	struct calls first = {.keep = true}, second = {.keep = true};
	int one = dt_stop_address(dtp, 1, 0x1000, false, 10, called, &first);
	int two = dt_stop_address(dtp, 1, 0x2000, false, 10, called, &second);

	(void)state;
	dt_stop_ignore(dtp, one);
	world_arrive(two);
	dt_stop_work(dtp);
	assert_int_equal(second.n, 1);
	assert_int_equal(world.released, 0);
	world_arrive(one);
	dt_stop_work(dtp);
	assert_int_equal(first.n, 0);
	assert_int_equal(world.released, TID);
}

/* The memory of a removed stop point is freed: the sanitiser would report it. */
static void an_ended_stop_point_calls_nobody(void **state)
{
	struct calls calls[3] = {{.keep = true}, {.keep = true}, {.keep = true}};
	int numbers[3];

	(void)state;
	for (int i = 0; i < 3; i++)
		numbers[i] = dt_stop_address(dtp, 1, 0x1000, false, 10, called, &calls[i]);
	world.stopped_at = numbers[1];
	assert_true(dt_stop_end(dtp, numbers[1]));
	assert_int_equal(world.ended, numbers[1]);
	world.ended = 0;
	assert_false(dt_stop_end(dtp, numbers[1]));
	assert_int_equal(world.ended, 0);
	world_arrive(numbers[0]);
	world_arrive(numbers[1]);
	world_arrive(numbers[2]);
	dt_stop_work(dtp);
	assert_int_equal(calls[0].n, 1);
	assert_int_equal(calls[1].n, 0);
	assert_int_equal(calls[2].n, 1);
	assert_int_equal(world.released, 0);
	assert_false(dt_stop_end(dtp, numbers[2]));
	assert_int_equal(world.ended, numbers[2]);
	assert_false(dt_stop_end(dtp, numbers[0]));
	assert_null(dtp->stop_points);
}

static void waiting_ends_with_news(void **state)
{
	struct calls calls = {0};
	int one = dt_stop_address(dtp, 1, 0x1000, false, 10, called, &calls);

	(void)state;
	assert_true(dt_stop_wait(dtp, 1));
	assert_int_equal(calls.n, 0);
	world_arrive(one);
	assert_int_equal(eventfd_write(world.event, 1), 0);
	assert_true(dt_stop_wait(dtp, -1)); /* would wait for ever */
	assert_int_equal(calls.n, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(requests_say_what_is_asked_for),
		TEST(refused_stop_points_are_none),
		TEST(threads_stay_if_the_function_says_so),
		TEST(an_ignored_stop_point_lets_threads_go_on),
		TEST(an_ended_stop_point_calls_nobody),
		TEST(waiting_ends_with_news),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
