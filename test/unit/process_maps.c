/* SPDX-License-Identifier: MIT */
/*
 * process_maps.c - what is read of a process that executes one program after the other: files and
 * the name of the program must be of the same one. Arguments: two programs that execute each other
 * (process_maps_victim.c).
 */
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <cmocka.h>
#include "../../libdtrace/pid/impl.h"

#define READS 5000

static char **programs;

static bool has_program(const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].program)
			return true;
	return false;
}

static pid_t start(void)
{
	char *argv[] = {programs[0], programs[1], NULL};
	pid_t pid = fork();

	if (pid == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv(argv[0], argv);
		_exit(1);
	}
	assert_int_not_equal(pid, -1);
	return pid;
}

static void program_is_known_while_it_changes(void **state)
{
	struct pid_maps maps = {0};
	pid_t pid = start();
	int empty = 0;

	(void)state;
	for (int i = 0; i < READS; i++) {
		assert_true(pid_maps_read(&maps, pid));
		empty += maps.n == 0;
		assert_true(maps.n == 0 || has_program(&maps));
		pid_maps_free(&maps);
	}
	assert_true(empty < READS / 2);
	assert_int_equal(waitpid(pid, NULL, WNOHANG), 0);
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

static void nothing_is_known_of_what_has_ended(void **state)
{
	struct pid_maps maps = {0};
	pid_t pid = start();

	(void)state;
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	assert_true(pid_maps_read(&maps, pid));
	assert_int_equal(maps.n, 0);
	assert_string_equal(maps.program, "");
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(program_is_known_while_it_changes),
		cmocka_unit_test(nothing_is_known_of_what_has_ended),
	};

	if (argc != 3)
		return 2;
	programs = argv + 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
