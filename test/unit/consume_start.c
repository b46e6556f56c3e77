/* SPDX-License-Identifier: MIT */
/*
 * consume_start.c - created processes are stopped at main, whatever kind of executable they are;
 * bad ones are reported; ends are noticed. Arguments: programs to try (consume_start_victim, built
 * in several ways).
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "consume_fake.h"
#include "executes.h"
#include "../../libdtrace/proc.h"
#include "../../libdtrace/symbols/symtab.h"

#define PATIENCE 10000 /* ms */

static char **victims;
static int nvictims, ended, status;

static int on_proc(const dtrace_procdata_t *data, void *arg)
{
	(void)arg;
	ended = data->dtpcd_pid;
	status = data->dtpcd_status;
	return DTRACE_HANDLE_OK;
}

static void wait_end(void)
{
	struct pollfd fds[4];
	int n = dt_procs_fds(dtp, fds, 4);

	ended = 0;
	assert_int_equal(poll(fds, n, PATIENCE), 1);
	assert_int_equal(dt_procs_work(dtp), 0);
}

/* Return what is in the pipe now; the victim writes "c" in its constructor and "m" in main. */
static const char *pending(int fd)
{
	static char text[64];
	struct pollfd pfd = {.fd = fd, .events = POLLIN};
	ssize_t n = 0;

	if (poll(&pfd, 1, 0) == 1)
		n = read(fd, text, sizeof(text) - 1);
	text[n > 0 ? n : 0] = '\0';
	return text;
}

static void hold_one(const char *path)
{
	char out[16], *argv[] = {(char *)path, out, NULL};
	struct ps_prochandle *proc;
	int fds[2];

	assert_int_equal(pipe(fds), 0);
	snprintf(out, sizeof(out), "%d", fds[1]);
	setenv("VICTIM_FD", out, 1);
	proc = dtrace_proc_create(dtp, path, argv);
	if (!proc)
		fail_msg("%s: %s", path, dtrace_errmsg(dtp, dtrace_errno(dtp)));
	assert_string_equal(pending(fds[0]), "c");
	dtrace_proc_continue(dtp, proc);
	wait_end();
	assert_int_equal(ended, dtrace_proc_pid(proc));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 7);
	assert_string_equal(pending(fds[0]), "m");
	dtrace_proc_release(dtp, proc);
	close(fds[0]);
	close(fds[1]);
}

static void processes_are_held_at_main(void **state)
{
	(void)state;
	assert_true(nvictims > 0);
	for (int i = 0; i < nvictims; i++)
		hold_one(victims[i]);
}

static void unknown_programs_are_reported(void **state)
{
	char *argv[] = {"./no-such-program", NULL}, *dir[] = {"/", NULL};

	(void)state;
	assert_null(dtrace_proc_create(dtp, argv[0], argv));
	assert_string_equal(
		dtrace_errmsg(dtp, dtrace_errno(dtp)),
		"failed to create process: ./no-such-program: No such file or directory");
	assert_null(dtrace_proc_create(dtp, dir[0], dir));
	assert_string_equal(dtrace_errmsg(dtp, dtrace_errno(dtp)),
			    "failed to create process: /: Permission denied");
	assert_int_equal(dtp->target, 0);
}

static void ended_processes_cannot_be_grabbed(void **state)
{
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_null(dtrace_proc_grab(dtp, pid));
	assert_int_equal(dtrace_errno(dtp), EDT_NOTARGET);
	assert_null(dtrace_proc_grab(dtp, -1));
	assert_int_equal(dtrace_errno(dtp), EDT_NOTARGET);
}

static void the_end_of_a_grabbed_process_is_noticed(void **state)
{
	pid_t pid = fork();
	struct ps_prochandle *proc;

	(void)state;
	if (pid == 0) {
		pause();
		_exit(0);
	}
	proc = dtrace_proc_grab(dtp, pid);
	assert_non_null(proc);
	assert_int_equal(dtp->target, pid);
	assert_int_equal(kill(pid, SIGKILL), 0);
	wait_end();
	assert_int_equal(ended, pid);
	assert_int_equal(status, -1);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
}

static void closing_the_handle_kills_what_is_still_held(void **state)
{
	char *argv[] = {"sleep", "100", NULL};
	struct ps_prochandle *proc = dtrace_proc_create(dtp, argv[0], argv);
	pid_t pid;

	(void)state;
	assert_non_null(proc);
	pid = dtrace_proc_pid(proc);
	assert_int_equal(kill(pid, 0), 0);
	dt_procs_fini(dtp);
	assert_int_equal(kill(pid, 0), -1);
	assert_int_equal(errno, ESRCH);
}

static void functions_of_processes_have_names(void **state)
{
	char text[256];

	(void)state;
	dtrace_uaddr2str(dtp, getpid(), (uintptr_t)functions_of_processes_have_names, text,
			 sizeof(text));
	assert_string_equal(text, "consume_start`functions_of_processes_have_names");
	dtrace_uaddr2str(dtp, getpid(), (uintptr_t)functions_of_processes_have_names + 1, text,
			 sizeof(text));
	assert_string_equal(text, "consume_start`functions_of_processes_have_names+0x1");
	dtrace_uaddr2str(dtp, getpid(), 0x10, text, sizeof(text));
	assert_string_equal(text, "0x10");
}

static void names_of_c_plus_plus_are_readable(void **state)
{
	static const char *const names[][2] = {
		{"_ZN3foo3barEi", "foo::bar(int)"},
		{"_Znonsense", "_Znonsense"},
		{"main", "main"},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		char *plain = dt_demangle(names[i][0]);

		assert_string_equal(plain, names[i][1]);
		free(plain);
	}
}

static int setup(void **state)
{
	fake_setup(state);
	dtrace_handle_proc(dtp, on_proc, NULL);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, fake_teardown)

int main(int argc, char *argv[])
{
	const struct CMUnitTest tests[] = {
		TEST(processes_are_held_at_main),
		TEST(unknown_programs_are_reported),
		TEST(ended_processes_cannot_be_grabbed),
		TEST(the_end_of_a_grabbed_process_is_noticed),
		TEST(closing_the_handle_kills_what_is_still_held),
		TEST(functions_of_processes_have_names),
		TEST(names_of_c_plus_plus_are_readable),
	};

	victims = argv + 1;
	nvictims = argc - 1;
	if (nvictims > 0 && !executes(victims[0]))
		return UNIT_SKIPPED;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
