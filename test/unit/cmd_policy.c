/* SPDX-License-Identifier: MIT */
/*
 * cmd_policy.c - dtrace-policy, with a module that is pretended: what it loads, and which lines and
 * files it refuses. Only root has files that it trusts.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <cmocka.h>
#include <dtrace/ioctl.h>

#define SKIPPED 77
#define DEVICE	"/dev/dtrace/dtrace"
#define PROC	DTRACE_PRIV_PROC
#define USER	DTRACE_PRIV_USER
#define KERNEL	DTRACE_PRIV_KERNEL
#define OWNER	DTRACE_PRIV_OWNER

int policy_main(int argc, char *argv[]);
int __real_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...);
int __wrap_ioctl(int fd, unsigned long request, dtrace_policy_t *policy);

/* What the module got. Shared with children, in which the program runs. */
static struct loaded {
	int n; /* -1: nothing was loaded */
	dtrace_policy_entry_t entries[DTRACE_POLICY_MAX];
} * loaded;

static char folder[] = "/tmp/cmd_policy.XXXXXX", path[64], said[1024];
static int device_error; /* of opening the device */
static int load_error;	 /* of loading */

int __wrap_open(const char *name, int flags, ...)
{
	if (strcmp(name, DEVICE) != 0)
		return __real_open(name, flags);
	errno = device_error;
	return device_error ? -1 : dup(STDIN_FILENO);
}

int __wrap_ioctl(int fd, unsigned long request, dtrace_policy_t *policy)
{
	(void)fd;
	if (request != DTRACEIOC_POLICY)
		_exit(100);
	errno = load_error;
	if (load_error)
		return -1;
	loaded->n = (int)policy->dtpo_n;
	memcpy(loaded->entries, (const void *)(uintptr_t)policy->dtpo_entries,
	       policy->dtpo_n * sizeof(*loaded->entries));
	return 0;
}

/* Run the program. Return its status, and set said. */
static int policy(const char *first, const char *second)
{
	char *argv[] = {"dtrace-policy", (char *)first, (char *)second, NULL};
	int fds[2], status, argc = 0;
	ssize_t n, used = 0;
	pid_t pid;

	while (argv[argc])
		argc++;
	loaded->n = -1;
	assert_int_equal(pipe(fds), 0);
	pid = fork();
	if (pid == 0) {
		dup2(fds[1], STDERR_FILENO);
		exit(policy_main(argc, argv));
	}
	close(fds[1]);
	while ((n = read(fds[0], said + used, sizeof(said) - 1 - (size_t)used)) > 0)
		used += n;
	said[used] = '\0';
	close(fds[0]);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void file_write(const char *text)
{
	FILE *fp = fopen(path, "w");

	assert_non_null(fp);
	fputs(text, fp);
	assert_int_equal(fclose(fp), 0);
}

/* Check that the program refuses the file and says text. */
static void refused(const char *text)
{
	assert_int_equal(policy(path, NULL), 1);
	assert_int_equal(loaded->n, -1);
	if (!strstr(said, text))
		fail_msg("'%s' is not in '%s'", text, said);
}

static void all_forms(void **state)
{
	static const dtrace_policy_entry_t expected[] = {
		{.dtpe_who = DTRACE_POLICY_UID, .dtpe_id = 0, .dtpe_rights = PROC | USER},
		{.dtpe_who = DTRACE_POLICY_UID, .dtpe_id = 4294967294, .dtpe_rights = KERNEL},
		{.dtpe_who = DTRACE_POLICY_GID, .dtpe_id = 0, .dtpe_rights = OWNER},
		{.dtpe_who = DTRACE_POLICY_GID, .dtpe_id = 8, .dtpe_rights = PROC | USER},
		{.dtpe_who = DTRACE_POLICY_UID, .dtpe_id = 9, .dtpe_rights = KERNEL | OWNER},
		{.dtpe_who = DTRACE_POLICY_ALL, .dtpe_id = 0, .dtpe_rights = PROC},
	};

	(void)state;
	file_write(
		"# comment\n\nuser root dtrace_proc dtrace_user # both\n"
		"uid 4294967294 priv_kernel\n\tgroup root\tpriv_owner\ngid 8 priv_proc priv_user\n"
		"user 9 dtrace_kernel proc_owner\nall dtrace_proc");
	assert_int_equal(policy(path, NULL), 0);
	assert_string_equal(said, "");
	assert_int_equal(loaded->n, 6);
	assert_memory_equal(loaded->entries, expected, sizeof(expected));
	assert_int_equal(policy("-n", path), 0);
	assert_int_equal(loaded->n, -1);
	file_write("");
	assert_int_equal(policy(path, NULL), 0);
	assert_int_equal(loaded->n, 0);
}

static void wrong_lines(void **state)
{
	static const char *const lines[][2] = {
		{"all dtrace_proc\nuser nosuch dtrace_proc", "policy:2: no such user: nosuch: "},
		{"group nosuch dtrace_proc", "policy:1: no such group: nosuch: "},
		{"all dtrace_all", ":1: no such right: dtrace_all: there are dtrace_proc, "},
		{"user root", ":1: nothing follows who it is: a line is `user NAME RIGHT...', "},
		{"all", ":1: nothing follows who it is: "},
		{"gid", ":1: nothing follows gid: "},
		{"someone dtrace_proc", ":1: what is someone: "},
		{"uid 4294967295 dtrace_proc", ":1: no such number: 4294967295: "},
		{"gid 99999999999999999999 dtrace_proc",
		 ":1: no such number: 99999999999999999999: "},
		{"uid -1 dtrace_proc", ":1: no such user: -1: "},
	};
	char *text = calloc(DTRACE_POLICY_MAX + 2, 16);

	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		file_write(lines[i][0]);
		refused(lines[i][1]);
	}
	for (int i = 0; i <= DTRACE_POLICY_MAX; i++) {
		if (i == DTRACE_POLICY_MAX) {
			file_write(text);
			assert_int_equal(policy(path, NULL), 0);
			assert_int_equal(loaded->n, DTRACE_POLICY_MAX);
		}
		strcpy(text + i * 16, "all dtrace_proc\n");
	}
	file_write(text);
	refused("policy:1025: too many lines: use groups");
	free(text);
}

static void distrusted_files(void **state)
{
	(void)state;
	file_write("all dtrace_proc");
	assert_int_equal(chown(path, 1, 0), 0);
	refused("policy: not root's: the file: chown root it");
	assert_int_equal(chown(path, 0, 1), 0);
	for (int bit = S_IWOTH; bit <= S_IWGRP; bit *= S_IWGRP / S_IWOTH) {
		assert_int_equal(chmod(path, 0644 | bit), 0);
		refused("policy: others than root can write the file: chmod go-w it");
		assert_int_equal(chmod(path, 0644), 0);
		assert_int_equal(chmod(folder, 0755 | bit), 0);
		refused("policy: others than root can write its folder: chmod go-w it");
		assert_int_equal(chmod(folder, 01755 | bit), 0);
		assert_int_equal(policy(path, NULL), 0);
		assert_int_equal(chmod(folder, 0755), 0);
	}
	assert_int_equal(chmod(path, 01646), 0);
	refused("others than root can write the file");
	assert_int_equal(chmod(path, 0644), 0);
	assert_int_equal(chown(folder, 1, 0), 0);
	refused("policy: not root's: its folder: chown root it");
	assert_int_equal(chown(folder, 0, 0), 0);
	assert_int_equal(policy(folder, NULL), 1);
	assert_non_null(strstr(said, ": not a file: give a file"));
	assert_int_equal(unlink(path), 0);
	refused("policy: cannot be read: No such file or directory: ");
}

static void refusals_of_the_module(void **state)
{
	static const struct {
		int device, load;
		const char *said;
	} cases[] = {
		{ENOENT, 0, DEVICE ": No such file or directory: load the module with "},
		{EACCES, 0, DEVICE ": Permission denied: only root can load a policy\n"},
		{0, EPERM, DEVICE ": Operation not permitted: only root can load a policy\n"},
	};

	(void)state;
	file_write("all dtrace_proc");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		device_error = cases[i].device;
		load_error = cases[i].load;
		refused(cases[i].said);
		assert_int_equal(policy("-n", path), 0);
	}
	device_error = load_error = 0;
}

static void usages(void **state)
{
	(void)state;
	assert_int_equal(policy(path, path), 2);
	assert_non_null(strstr(said, "usage: dtrace-policy [-n] [FILE]\n"));
	assert_int_equal(policy("-x", path), 2);
	assert_non_null(strstr(said, "usage: "));
	assert_int_equal(loaded->n, -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(all_forms),	    cmocka_unit_test(wrong_lines),
		cmocka_unit_test(distrusted_files), cmocka_unit_test(refusals_of_the_module),
		cmocka_unit_test(usages),
	};
	int failed;

	if (geteuid() != 0) {
		fputs("only root has files that dtrace-policy trusts\n", stderr);
		return SKIPPED;
	}
	umask(022);
	loaded = mmap(NULL, sizeof(*loaded), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	if (loaded == MAP_FAILED || !mkdtemp(folder) || chmod(folder, 0755) != 0)
		return 1;
	snprintf(path, sizeof(path), "%s/policy", folder);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	unlink(path);
	rmdir(folder);
	return failed;
}
