/* SPDX-License-Identifier: MIT */
/*
 * cmd_settings.c - options that the command gives the library, of its line and of the environment,
 * and what it prints of those that are changed when tracing begins.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/wait.h>
#include "../../cmd/cmd.h"
#include "consume_fake.h"

static char text[4096];

/* Return what a function prints on stderr; *status, if not NULL, becomes how its process ends. */
static const char *printed(void (*func)(void *arg), void *arg, int *status)
{
	FILE *file = tmpfile();
	int how;
	pid_t child;
	size_t n;

	assert_non_null(file);
	fflush(NULL);
	child = fork();
	assert_int_not_equal(child, -1);
	if (!child) {
		dup2(fileno(file), STDERR_FILENO);
		func(arg);
		fflush(stderr);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &how, 0), child);
	if (status)
		*status = how;
	else
		assert_int_equal(how, 0);
	rewind(file);
	n = fread(text, 1, sizeof(text) - 1, file);
	text[n] = '\0';
	fclose(file);
	return text;
}

struct change {
	int option;
	dtrace_optval_t was, is;
};

static void make_change(void *arg)
{
	const struct change *change = arg;

	dtp->options[change->option] = change->was;
	settings_remember(dtp);
	dtp->options[change->option] = change->is;
	settings_report(dtp);
}

static void changes_are_reported(void **state)
{
	static const struct {
		struct change change;
		const char *said;
	} cases[] = {
		/* The largest unit without a fraction. */
		{{DTRACEOPT_BUFSIZE, 8ULL << 40, 3ULL << 40}, "buffer size lowered to 3t"},
		{{DTRACEOPT_BUFSIZE, 8ULL << 40, 1ULL << 40}, "buffer size lowered to 1t"},
		{{DTRACEOPT_BUFSIZE, 8ULL << 40, 1025ULL << 30}, "buffer size lowered to 1025g"},
		{{DTRACEOPT_AGGSIZE, 4ULL << 30, 2ULL << 30}, "aggregation size lowered to 2g"},
		{{DTRACEOPT_SPECSIZE, 4 << 20, 3 << 20}, "speculation size lowered to 3m"},
		{{DTRACEOPT_DYNVARSIZE, 4 << 20, 5 << 10}, "dynamic variable size lowered to 5k"},
		{{DTRACEOPT_BUFSIZE, 4 << 20, 1 << 10}, "buffer size lowered to 1k"},
		{{DTRACEOPT_BUFSIZE, 4 << 20, 1536}, "buffer size lowered to 1536 bytes"},
		{{DTRACEOPT_BUFSIZE, 4 << 20, 0}, "buffer size lowered to 0 bytes"},
		/* Settings that are as they were, are more, or were not set. */
		{{DTRACEOPT_BUFSIZE, 4096, 4096}, NULL},
		{{DTRACEOPT_BUFSIZE, 4096, 4097}, NULL},
		{{DTRACEOPT_BUFSIZE, DTRACEOPT_UNSET, 4096}, NULL},
		{{DTRACEOPT_CLEANRATE, DTRACEOPT_UNSET, 4096}, NULL},
		{{DTRACEOPT_CLEANRATE, 4096, 4096}, NULL},
		/* A rate is the time from one to the next. */
		{{DTRACEOPT_CLEANRATE, 1000, 1000000}, "cleaning rate reduced to 1000 hz"},
		{{DTRACEOPT_STATUSRATE, 2000000000, 1000000000}, "status rate increased to 1 hz"},
		{{DTRACEOPT_STATUSRATE, 60000000000, 10000000000},
		 "status rate increased to once every 10 seconds"},
		{{DTRACEOPT_CLEANRATE, 1, 300000000},
		 "cleaning rate reduced to once every 300000000 nanoseconds"},
		{{DTRACEOPT_CLEANRATE, 1, 1500000000},
		 "cleaning rate reduced to once every 1500000000 nanoseconds"},
		{{DTRACEOPT_CLEANRATE, 1, 0}, "cleaning rate increased to once every 0 seconds"},
	};
	char line[128];

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		line[0] = '\0';
		if (cases[i].said)
			snprintf(line, sizeof(line), "dtrace: %s\n", cases[i].said);
		assert_string_equal(printed(make_change, (void *)&cases[i].change, NULL), line);
	}
}

static void apply(void *arg)
{
	settings_apply(dtp, arg);
}

/*
 * Return the value of an option after a line of the command with -x set, if it is not NULL, and -x
 * quiet.
 */
static dtrace_optval_t applied(const char *set, const char *option)
{
	char word[32], quiet[] = "quiet", *options[] = {quiet, word, NULL};
	struct cmd cmd = {.options = options, .noptions = set ? 2 : 0};
	dtrace_optval_t value;

	snprintf(word, sizeof(word), "%s", set ? set : "");
	settings_apply(dtp, &cmd);
	assert_int_equal(dtrace_getopt(dtp, option, &value), 0);
	return value;
}

static void the_line_comes_after_the_environment(void **state)
{
	(void)state;
	assert_int_equal(applied(NULL, "bufsize"), 4 << 20);
	assert_int_equal(applied(NULL, "aggsize"), 4 << 20);
	assert_int_equal(applied(NULL, "quiet"), DTRACEOPT_UNSET);
	setenv("DTRACE_OPT_BUFSIZE", "1m", 1);
	setenv("DTRACE_OPT_AggSize", "8m", 1);
	assert_int_equal(applied(NULL, "bufsize"), 1 << 20);
	assert_int_equal(applied(NULL, "aggsize"), 8 << 20);
	assert_int_equal(applied("bufsize=2m", "bufsize"), 2 << 20);
	assert_int_equal(applied("bufsize=2m", "quiet"), 1);
	unsetenv("DTRACE_OPT_BUFSIZE");
	unsetenv("DTRACE_OPT_AggSize");
	/*
	 * A variable without a value sets an option that takes none; names that only begin so are
	 * others'.
	 */
	setenv("DTRACE_OPT_FLOWINDENT", "", 1);
	setenv("DTRACE_OPTION", "x", 1);
	assert_int_equal(applied(NULL, "flowindent"), 1);
	unsetenv("DTRACE_OPT_FLOWINDENT");
	unsetenv("DTRACE_OPTION");
}

static void wrong_options_end_the_command(void **state)
{
	static const struct {
		const char *option, *said;
	} cases[] = {
		{"bufsize=many", "dtrace: failed to set -x bufsize=many: "},
		{"bufsize", "dtrace: failed to set -x bufsize: "},
		{"nonesuch=1", "dtrace: failed to set -x nonesuch=1: "},
	};
	int status;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char option[32], *options[] = {option, NULL};
		struct cmd cmd = {.options = options, .noptions = 1};

		strcpy(option, cases[i].option);
		assert_memory_equal(printed(apply, &cmd, &status), cases[i].said,
				    strlen(cases[i].said));
		assert_true(WIFEXITED(status));
		assert_int_equal(WEXITSTATUS(status), CMD_ERROR);
	}
	setenv("DTRACE_OPT_BUFSIZE", "many", 1);
	assert_non_null(strstr(printed(apply, &(struct cmd){0}, &status),
			       "failed to set DTRACE_OPT_BUFSIZE=many of the environment: "));
	assert_int_equal(WEXITSTATUS(status), CMD_ERROR);
	unsetenv("DTRACE_OPT_BUFSIZE");
}

static void the_last_world_counts(void **state)
{
	char user[] = "world=user", kernel[] = "world=kernel", other[] = "worldwide=1";
	char *options[] = {user, kernel, other, NULL};
	struct cmd none = {0}, cmd = {.options = options, .noptions = 3};

	(void)state;
	assert_null(settings_world(&none));
	assert_string_equal(settings_world(&cmd), "kernel");
	setenv("DTRACE_OPT_WORLD", "auto", 1);
	assert_string_equal(settings_world(&none), "auto");
	assert_string_equal(settings_world(&cmd), "kernel");
	unsetenv("DTRACE_OPT_WORLD");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fake_setup, fake_teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(changes_are_reported),
		TEST(the_line_comes_after_the_environment),
		TEST(wrong_options_end_the_command),
		TEST(the_last_world_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
