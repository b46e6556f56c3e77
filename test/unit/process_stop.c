/* SPDX-License-Identifier: MIT */
/*
 * process_stop.c - stop points of a session, in a world that the test pretends: who is called, and
 * who goes on.
 */
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>
#include <cmocka.h>
#include "../../libdtrace/process/stop.h"

#define TID 4321

/* The requests that the world has received, and the stopped threads that it reports. */
static struct {
	int number;	     /* of the newest stop point */
	int error;	     /* of the next request; 0: it succeeds */
	int stopped_at;	     /* the number of the stop point where a thread is stopped; 0: none */
	int ended, released; /* the last stop point and thread of such requests */
	int event;	     /* is readable if there are news */
	dtrace_stopped_t news[4];
	int nnews;
	dtrace_stop_exec_t exec;
	dtrace_stop_address_t address;
} world;

static dtrace_hdl_t *dtp;

static const char *world_lacks_nothing(struct dt_world *w)
{
	(void)w;
	return NULL;
}

static int world_process(struct dt_world *w, unsigned long request, void *arg)
{
	(void)w;
	errno = world.error;
	if (world.error)
		return -1;
	switch (request) {
	case DTRACEFTIOC_STOP_EXEC:
		world.exec = *(dtrace_stop_exec_t *)arg;
		return ++world.number;
	case DTRACEFTIOC_STOP_ADDRESS:
		world.address = *(dtrace_stop_address_t *)arg;
		return ++world.number;
	case DTRACEFTIOC_STOP_END:
		world.ended = (int)(intptr_t)arg;
		return world.ended == world.stopped_at;
	case DTRACEFTIOC_STOP_RELEASE:
		world.released = (int)(intptr_t)arg;
		return 0;
	case DTRACEFTIOC_COUNT:
		return 0;
	default:
		errno = ENOTTY;
		return -1;
	}
}

static int world_fds(struct dt_world *w, enum dt_world_news news, struct pollfd *fds, int max)
{
	(void)w;
	assert_int_equal(news, DT_WORLD_STOPS);
	assert_true(max > 0);
	fds[0] = (struct pollfd){.fd = world.event, .events = POLLIN};
	return 1;
}

static void world_work(struct dt_world *w, dt_world_stopped_f *func, void *arg)
{
	int n = world.nnews;

	(void)w;
	world.nnews = 0;
	for (int i = 0; i < n; i++)
		func(&world.news[i], arg);
}

static void world_close(struct dt_world *w)
{
	(void)w;
}

static const struct dt_world_ops world_ops = {
	.stop_points = true,
	.lacks_processes = world_lacks_nothing,
	.process = world_process,
	.fds = world_fds,
	.work = world_work,
	.close = world_close,
};
static struct dt_world the_world = {.ops = &world_ops};

static int setup(void **state)
{
	int error;

	(void)state;
	memset(&world, 0, sizeof(world));
	world.event = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	dtp = dtrace_open(DTRACE_VERSION, DTRACE_O_NODEV, &error);
	if (!dtp || world.event == -1)
		return -1;
	dtp->world = &the_world;
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	close(world.event);
	dtrace_close(dtp);
	return 0;
}

/* Let the world report a thread at a stop point. */
static void arrive(int number)
{
	world.news[world.nnews++] = (dtrace_stopped_t){
		.dtfd_tid = TID, .dtfd_point = number, .dtfd_flags = DTRACE_STOP_STOPPED};
}

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
	arrive(two);
	dt_stop_work(dtp);
	assert_int_equal(first.n, 0);
	assert_int_equal(second.n, 1);
	assert_int_equal(world.released, 0);
	assert_true(dt_stop_release(dtp, TID));
	assert_int_equal(world.released, TID);
	world.released = 0;
	arrive(one);
	arrive(two);
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
	arrive(two);
	dt_stop_work(dtp);
	assert_int_equal(second.n, 1);
	assert_int_equal(world.released, 0);
	arrive(one);
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
	arrive(numbers[0]);
	arrive(numbers[1]);
	arrive(numbers[2]);
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
	arrive(one);
	assert_int_equal(eventfd_write(world.event, 1), 0);
	assert_true(dt_stop_wait(dtp, -1)); /* would wait for ever */
	assert_int_equal(calls.n, 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

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
