/* SPDX-License-Identifier: MIT */
/*
 * process_startup.c - where a process is stopped between its exec and main, in a world that the
 * test pretends, so that nothing has to run. Arguments: programs to try, of which the last one
 * calls a function of its own before the C library's start function.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>
#include "executes.h"
#include "process_world.h"
#include "../../libdtrace/process/find_main.h"
#include "../../libdtrace/process/process.h"
#include "../../libdtrace/process/startup.h"

static char **victims;
static int nvictims;
static pid_t pid;	      /* of the victim */
static struct find_main find; /* what its code says, at its entry point */
static uint64_t call;	      /* the first call there */
static struct dt_startup startup;

/* Begin the startup of a program that waits behind its exec. */
static void begin(const char *path)
{
	pid = world_execute(path);
	assert_true(find_main_open(&find, pid));
	call = find_main_call(&find);
	assert_int_not_equal(call, 0);
	assert_int_equal(dt_startup_by_name(dtp, &startup, "victim"), 0);
	assert_string_equal(world.exec.dtfx_name, "victim");
	assert_int_equal(startup.exec, 1);
	assert_int_equal(startup.point, 1);
}

/* Let the process arrive at a stop point. Return whether it stays there. */
static bool arrive(int number, uint64_t arg0, uint32_t flags)
{
	world.released = world.ended = 0;
	world_arrive(number);
	world.news[0].dtfd_pid = pid;
	world.news[0].dtfd_arg0 = arg0;
	world.news[0].dtfd_flags = flags;
	dt_stop_work(dtp);
	return world.released == 0;
}

static bool stops(int number, uint64_t arg0)
{
	return arrive(number, arg0, DTRACE_STOP_STOPPED);
}

/* End it; no stop point is left. */
static void end(void)
{
	dt_startup_end(dtp, &startup);
	assert_null(dtp->stop_points);
	world_kill(pid);
}

static void check_next(int number, uint64_t address, enum dt_stage stage)
{
	assert_int_equal(world.number, number);
	assert_int_equal(world.address.dtfa_pid, pid);
	assert_int_equal(world.address.dtfa_address, address);
	assert_int_equal(startup.point, number);
	assert_int_equal(startup.stage, stage);
	assert_int_equal(startup.exec, 1);
}

static void the_argument_of_the_call_is_main(void **state)
{
	struct ps_prochandle proc = {0};

	(void)state;
	for (int i = 0; i < nvictims; i++) {
		world.number = 0;
		begin(victims[i]);
		assert_false(stops(1, 0));
		check_next(2, call, DT_STAGE_CALL);
		assert_int_equal(world.ended, 0); /* another exec may come */
		assert_false(stops(2, find.hi - 1));
		check_next(3, find.hi - 1, DT_STAGE_MAIN);
		assert_int_equal(world.ended, 2);
		assert_true(stops(3, 0));
		assert_int_equal(startup.stage, DT_STAGE_READY);
		assert_false(stops(3, 0)); /* another thread goes on */
		dt_startup_hand_over(dtp, &startup, &proc);
		assert_int_equal(world.ended, 1);
		assert_true(proc.stopped);
		assert_int_equal(proc.stop_point, 3);
		startup = (struct dt_startup){0}; /* nobody looks at it any more */
		assert_false(stops(3, 0));
		assert_int_equal(world.number, 3);
		dt_stop_end(dtp, 3);
		assert_null(dtp->stop_points);
		world_kill(pid);
	}
}

/* What is behind the code, or the entry point itself, is not main. */
static void other_arguments_are_not_main(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++) {
		world.number = 0;
		begin(victims[0]);
		assert_false(stops(1, 0));
		assert_true(stops(2, i == 0 ? find.hi : i == 1 ? find.entry : find.lo - 1));
		assert_int_equal(world.number, 2);
		assert_int_equal(startup.stage, DT_STAGE_READY);
		end();
	}
}

static void the_way_leads_through_calls(void **state)
{
	uint64_t next;

	(void)state;
	begin(victims[0]);
	if (find.bits == 64) { /* the first call is the one with main */
		end();
		skip();
	}
	assert_true(find_main_enter(&find));
	next = find_main_call(&find);
	assert_int_not_equal(next, 0);
	assert_false(stops(1, 0));
	assert_false(stops(2, 0));
	check_next(3, next, DT_STAGE_CALL);
	assert_int_equal(world.ended, 2);
	end();
}

static void another_exec_begins_anew(void **state)
{
	(void)state;
	begin(victims[0]);
	assert_false(stops(1, 0));
	assert_false(stops(1, 0));
	assert_int_equal(world.ended, 2);
	check_next(3, call, DT_STAGE_CALL);
	assert_false(stops(3, find.lo));
	check_next(4, find.lo, DT_STAGE_MAIN);
	assert_true(stops(4, 0));
	/* When it is ready, its execs are its own. */
	assert_false(stops(1, 0));
	assert_int_equal(startup.stage, DT_STAGE_READY);
	assert_int_equal(world.number, 4);
	assert_int_equal(world.ended, 0);
	end();
}

static void evaltime_names_the_point(void **state)
{
	struct ps_prochandle proc = {0};

	(void)state;
	assert_int_equal(dtrace_setopt(dtp, "evaltime", "preinit"), 0);
	begin(victims[0]);
	assert_false(stops(1, 0));
	check_next(2, find.entry, DT_STAGE_ENTRY);
	assert_true(stops(2, 0));
	assert_int_equal(startup.stage, DT_STAGE_READY);
	end();

	world.number = 0;
	assert_int_equal(dtrace_setopt(dtp, "evaltime", "exec"), 0);
	begin(victims[0]);
	assert_true(stops(1, 0));
	assert_int_equal(world.number, 1);
	world.ended = 0;
	dt_startup_hand_over(dtp, &startup, &proc);
	assert_int_equal(world.ended, 0);
	assert_int_equal(proc.stop_point, 1);
	end();
}

/* A thread that is killed at a stop point, or that the world could not stop, goes nowhere. */
static void a_thread_that_is_not_stopped_ends_the_way(void **state)
{
	(void)state;
	begin(victims[0]);
	arrive(1, 0, 0);
	assert_int_equal(startup.stage, DT_STAGE_READY);
	assert_int_equal(world.number, 1);
	end();
}

static void a_refused_stop_point_ends_the_way(void **state)
{
	(void)state;
	begin(victims[0]);
	world.error = EPERM;
	assert_true(stops(1, 0));
	assert_int_equal(startup.stage, DT_STAGE_READY);
	assert_int_equal(startup.point, 1);
	world.error = 0;
	end();

	world.error = EPERM;
	assert_int_equal(dt_startup_by_name(dtp, &startup, "victim"), -1);
	assert_int_equal(dt_startup_by_pid(dtp, &startup, 77), -1);
	world.error = 0;
	assert_int_equal(dt_startup_by_pid(dtp, &startup, 77), 0);
	assert_int_equal(world.exec.dtfx_pid, 77);
	dt_startup_end(dtp, &startup);
	assert_null(dtp->stop_points);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		TEST(the_argument_of_the_call_is_main),
		TEST(other_arguments_are_not_main),
		TEST(the_way_leads_through_calls),
		TEST(another_exec_begins_anew),
		TEST(evaltime_names_the_point),
		TEST(a_thread_that_is_not_stopped_ends_the_way),
		TEST(a_refused_stop_point_ends_the_way),
	};

	victims = argv + 1;
	nvictims = argc - 1;
	if (nvictims > 0 && !executes(victims[0]))
		return UNIT_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
