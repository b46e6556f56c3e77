/* SPDX-License-Identifier: MIT */
/*
 * process_create.c - programs that -c runs, in a world that the test pretends: they are not
 * stopped, but the world may say so.
 */
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>
#include "process_world.h"
#include "../../libdtrace/process/process.h"
#include "../../libdtrace/process/startup.h"

static struct dt_startup startup;
static volatile sig_atomic_t interruptions;
static int error_then; /* of the world's requests when it has arrived */

static unsigned int descriptors(void)
{
	DIR *d = opendir("/proc/self/fd");
	unsigned int n = 0;

	while (readdir(d))
		n++;
	closedir(d);
	return n;
}

static const struct itimerval never;

/* After some signals that interrupt the wait, let the program arrive at its exec, and go on. */
static void interrupt(int sig)
{
	(void)sig;
	if (--interruptions > 0)
		return;
	setitimer(ITIMER_REAL, &never, NULL);
	world_arrive(1);
	world.news[0].dtfd_flags = 0;
	world.error = error_then;
}

static void awaits_exec(void)
{
	const struct itimerval often = {{.tv_usec = 1000}, {.tv_usec = 1000}};
	const struct sigaction action = {.sa_handler = interrupt};

	interruptions = 5;
	assert_int_equal(sigaction(SIGALRM, &action, NULL), 0);
	assert_int_equal(setitimer(ITIMER_REAL, &often, NULL), 0);
}

/* Check that a program does not begin, and that nothing is left of it. */
static void check_fails(char *const *argv, const char *message)
{
	const unsigned int before = descriptors();

	assert_int_equal(dt_create(dtp, argv[0], argv, &startup), -1);
	assert_string_equal(dtrace_errmsg(dtp, dtrace_errno(dtp)), message);
	world.error = 0;
	assert_null(dtp->stop_points);
	assert_int_equal(waitpid(-1, NULL, 0), -1);
	assert_int_equal(errno, ECHILD);
	assert_int_equal(descriptors(), before);
}

static void a_signal_does_not_end_the_wait(void **state)
{
	char *argv[] = {"sleep", "100", NULL};
	const unsigned int before = descriptors();
	pid_t pid;

	(void)state;
	error_then = 0;
	world.awaits_exec = awaits_exec;
	pid = dt_create(dtp, argv[0], argv, &startup);
	if (pid == -1)
		fail_msg("%s", dtrace_errmsg(dtp, dtrace_errno(dtp)));
	assert_int_equal(world.exec.dtfx_pid, pid);
	assert_int_equal(startup.stage, DT_STAGE_READY);
	assert_int_equal(descriptors(), before);
	dt_startup_end(dtp, &startup);
	world_kill(pid);
}

static void programs_that_end_early_are_reported(void **state)
{
	char *none[] = {"./no-such-program", NULL}, *folder[] = {"/", NULL};
	char *ends[] = {"sh", "-c", "exit 3", NULL}, *killed[] = {"sh", "-c", "kill -9 $$", NULL};

	(void)state;
	check_fails(none, "failed to create process: ./no-such-program: No such file or directory");
	check_fails(folder, "failed to create process: /: Permission denied");
	check_fails(ends, "failed to create process: sh: it exited with status 3 before its main");
	check_fails(killed,
		    "failed to create process: sh: it was killed by signal 9 before its main");
}

static void refused_programs_do_not_run(void **state)
{
	char *argv[] = {"sleep", "100", NULL};

	(void)state;
	error_then = EPERM;
	world.awaits_exec = awaits_exec;
	check_fails(argv, "failed to create process: sleep: permission denied: it has rights that "
			  "its user has not, or may not be read");
	world.error = ENOSPC;
	check_fails(argv, "failed to create process: sleep: No space left on device");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_signal_does_not_end_the_wait),
		TEST(programs_that_end_early_are_reported),
		TEST(refused_programs_do_not_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
