/* SPDX-License-Identifier: MIT */
/*
 * drti_peer.c - which consumers a program lets in. The kernel's answers and the files are the
 * test's.
 */
#include <errno.h>
#include <linux/capability.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <cmocka.h>
#include "peer.h"

#define SOCKET	 1000
#define CONSUMER 500 /* a process */
#define UID	 1000
#define GID	 100
#define SCOPE	 "/proc/sys/kernel/yama/ptrace_scope"
#define POLICY	 "/etc/dtrace/policy"

#define FILES 12

/* What the kernel says. */
static struct {
	struct ucred peer;
	uid_t euid;
	gid_t egid, groups[4];
	int ngroups;
	unsigned long secure;
	int dumpable;
	struct __user_cap_data_struct own[2], of_peer[2];
	bool sysctl; /* /proc/sys/kernel can be searched */
	struct {
		const char *path, *text;
		mode_t mode;
		uid_t owner;
	} files[FILES];
	int opened; /* the file that was opened last */
} kernel;

int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size);
int __wrap_getsockopt(int fd, int level, int name, void *value, socklen_t *size)
{
	assert_int_equal(fd, SOCKET);
	assert_int_equal(level, SOL_SOCKET);
	if (name == SO_PEERCRED) {
		memcpy(value, &kernel.peer, sizeof(kernel.peer));
		return 0;
	}
	assert_int_equal(name, SO_PEERGROUPS);
	assert_true(*size >= sizeof(kernel.groups));
	*size = kernel.ngroups * sizeof(gid_t);
	memcpy(value, kernel.groups, *size);
	return 0;
}

uid_t __wrap_geteuid(void);
uid_t __wrap_geteuid(void)
{
	return kernel.euid;
}

gid_t __wrap_getegid(void);
gid_t __wrap_getegid(void)
{
	return kernel.egid;
}

unsigned long __wrap_getauxval(unsigned long type);
unsigned long __wrap_getauxval(unsigned long type)
{
	assert_int_equal(type, AT_SECURE);
	return kernel.secure;
}

int __wrap_prctl(int option, ...);
int __wrap_prctl(int option, ...)
{
	assert_int_equal(option, PR_GET_DUMPABLE);
	return kernel.dumpable;
}

long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	struct __user_cap_header_struct *header;
	va_list args;

	assert_int_equal(number, SYS_capget);
	va_start(args, number);
	header = va_arg(args, struct __user_cap_header_struct *);
	memcpy(va_arg(args, void *), header->pid ? kernel.of_peer : kernel.own, sizeof(kernel.own));
	va_end(args);
	assert_true(header->pid == 0 || header->pid == CONSUMER);
	return 0;
}

/* Return the index of a file, or -1. */
static int file_find(const char *path)
{
	for (int i = 0; i < FILES; i++)
		if (kernel.files[i].path && strcmp(kernel.files[i].path, path) == 0)
			return i;
	return -1;
}

int __wrap_open(const char *path, int flags, ...);
int __wrap_open(const char *path, int flags, ...)
{
	const int i = file_find(path);
	int fd;

	(void)flags;
	errno = ENOENT;
	if (i == -1 || !kernel.files[i].text)
		return -1;
	fd = memfd_create("file", 0);
	assert_int_not_equal(fd, -1);
	assert_int_equal(write(fd, kernel.files[i].text, strlen(kernel.files[i].text)),
			 strlen(kernel.files[i].text));
	assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
	kernel.opened = i;
	return fd;
}

int __wrap_fstat(int fd, struct stat *st);
int __wrap_fstat(int fd, struct stat *st)
{
	(void)fd;
	st->st_mode = S_IFREG | kernel.files[kernel.opened].mode;
	st->st_uid = kernel.files[kernel.opened].owner;
	return 0;
}

int __wrap_access(const char *path, int mode);
int __wrap_access(const char *path, int mode)
{
	(void)mode;
	if (strcmp(path, "/proc/sys/kernel") == 0)
		return kernel.sysctl ? 0 : -1;
	return file_find(path) != -1 ? 0 : -1;
}

/* Let a file have this text; NULL: it cannot be read. Return its index. */
static int file(const char *path, const char *text)
{
	int i = file_find(path);

	for (int k = 0; i == -1; k++) {
		assert_in_range(k, 0, FILES - 1);
		i = kernel.files[k].path ? -1 : k;
	}
	kernel.files[i].path = path;
	kernel.files[i].text = text;
	kernel.files[i].mode = 0644;
	kernel.files[i].owner = 0;
	return i;
}

static bool lets_in(void)
{
	struct ucred peer;
	const bool may = peer_may(SOCKET, &peer);

	assert_int_equal(peer.pid, kernel.peer.pid);
	return may;
}

/* A user's program, and a consumer of the same user, on a kernel without Yama. */
static int setup(void **state)
{
	(void)state;
	memset(&kernel, 0, sizeof(kernel));
	kernel.peer = (struct ucred){CONSUMER, UID, GID};
	kernel.euid = UID;
	kernel.egid = GID;
	kernel.dumpable = 1;
	kernel.sysctl = true;
	return 0;
}

/* ---- ids and capabilities ---- */

static void programs_that_change_their_rights_let_nobody_in(void **state)
{
	(void)state;
	assert_true(peer_any());
	kernel.secure = 1;
	assert_false(peer_any());
	kernel.secure = 0;
	kernel.dumpable = 0;
	assert_false(peer_any());
	kernel.dumpable = 2;
	assert_false(peer_any());
}

static void only_root_and_the_user_come_in(void **state)
{
	(void)state;
	assert_true(lets_in());
	kernel.euid = UID + 1;
	assert_false(lets_in());
	kernel.euid = UID;
	kernel.egid = GID + 1;
	assert_false(lets_in());
	kernel.peer.uid = 0;
	kernel.euid = UID + 1;
	assert_true(lets_in());
	kernel.peer.pid = 0; /* of another pid namespace */
	assert_false(lets_in());
	kernel.peer.pid = getpid();
	assert_false(lets_in());
}

static void a_program_with_more_capabilities_lets_nobody_in(void **state)
{
	(void)state;
	for (int i = 0; i < 2; i++) {
		kernel.own[i].permitted = 6;
		assert_false(lets_in());
		kernel.of_peer[i].permitted = 6;
		assert_false(lets_in());
		kernel.of_peer[i].effective = 4;
		assert_false(lets_in());
		kernel.of_peer[i].effective = 7;
		assert_true(lets_in());
	}
}

/* In a namespace that does not map all ids, 65534 stands for many users. */
static void ids_without_a_name_are_not_equal(void **state)
{
	static const struct {
		const char *map;
		bool all;
	} maps[] = {
		{"         0          0 4294967295\n", true},
		{"         0       1000          1\n", false},
		{"      1000          0 4294967295\n", false},
		{"         0          0 4294967294\n", false},
		{"         0          0          1\n     65534      65534          1\n", false},
		{"", false},
		{NULL, false},
	};

	(void)state;
	for (size_t i = 0; i < sizeof(maps) / sizeof(maps[0]); i++) {
		file("/proc/self/uid_map", maps[i].map);
		kernel.euid = kernel.peer.uid = 65534;
		kernel.egid = kernel.peer.gid = GID;
		assert_int_equal(lets_in(), maps[i].all);
		kernel.euid = kernel.peer.uid = UID;
		kernel.egid = kernel.peer.gid = 65534;
		assert_int_equal(lets_in(), maps[i].all);
		kernel.egid = kernel.peer.gid = 65533;
		assert_true(lets_in());
	}
}

/* ---- Yama ---- */

static void a_scope_that_is_not_known_is_the_narrowest(void **state)
{
	static const struct {
		const char *text;
		bool all;
	} scopes[] = {{"0\n", true},
		      {"0", true},
		      {"1\n", false},
		      {"3\n", false},
		      {"4294967296\n", false},
		      {"x\n", false},
		      {"0x\n", false},
		      {"", false},
		      {NULL, false}};

	(void)state;
	for (size_t i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		file(SCOPE, scopes[i].text);
		assert_int_equal(lets_in(), scopes[i].all);
		kernel.peer.uid = 0; /* nothing of this concerns root */
		assert_true(lets_in());
		kernel.peer.uid = UID;
	}
	memset(kernel.files, 0, sizeof(kernel.files));
	assert_true(lets_in());
	kernel.sysctl = false;
	assert_false(lets_in());
}

static void ancestors_come_in_with_scope_1(void **state)
{
	(void)state;
	file(SCOPE, "1\n");
	assert_false(lets_in());
	file("/proc/self/stat", "77 (a) b) 1 ) S 500 77 77 0 -1\n");
	assert_true(lets_in());
	file("/proc/self/stat", "77 (program) S 499 77 77 0 -1\n");
	assert_false(lets_in());
	file("/proc/499/stat", "499 (sh) S 500 77 77 0 -1\n");
	assert_true(lets_in());
	file("/proc/499/stat", "499 (sh) S 1 500 500 0 -1\n");
	assert_false(lets_in());
	file("/proc/499/stat", "499 (sh) S 499 500 500 0 -1\n"); /* for ever */
	assert_false(lets_in());
	file("/proc/499/stat", "499 (sh) S 500 77 77 0 -1\n");
	file(SCOPE, "2\n");
	assert_false(lets_in());
}

/* ---- the policy ---- */

/* Return whether a policy lets the consumer in. */
static bool policy_lets_in(const char *text)
{
	file(POLICY, text);
	return lets_in();
}

static void the_policy_names_users_and_groups(void **state)
{
	static const char *const grant[] = {
		"all dtrace_proc\n",
		"user 1000 dtrace_proc\n",
		"uid 1000 priv_proc\n",
		"user me dtrace_user dtrace_kernel\n",
		" \t user\tme \t priv_kernel # comment\n",
		"group 100 dtrace_proc\n",
		"gid 7 dtrace_proc\n",
		"group staff dtrace_proc\n",
		"# all dtrace_proc\nuser you dtrace_proc\nall dtrace_proc\n",
		"user you dtrace_proc\nall dtrace_proc",
	};
	static const char *const none[] = {
		"",
		"all\n",
		"all dtrace_user\n",
		"all dtrace_procs\n",
		"# all dtrace_proc\n",
		"user 1001 dtrace_proc\n",
		"user 4294968296 dtrace_proc\n",	   /* 1000 and 2^32 */
		"user 18446744073709552616 dtrace_proc\n", /* 1000 and 2^64 */
		"user you dtrace_proc\n",
		"user them dtrace_proc\n",
		"user m dtrace_proc\n",
		"user 100 dtrace_proc\n",
		"group 1000 dtrace_proc\n",
		"group me dtrace_proc\n",
		"host me dtrace_proc\n",
		"user dtrace_proc\n",
	};

	(void)state;
	file(SCOPE, "1\n");
	file("/etc/passwd",
	     "root:x:0:0::/:\nyou:x:1001:1000:1000::\nmetoo:x:1:1\nme:x:1000:100:M:/:\n"
	     "them:x\n");
	file("/etc/group", "users:x:100:\nstaff:x:8:me\n");
	kernel.groups[0] = 7;
	kernel.groups[1] = 8;
	kernel.ngroups = 2;
	for (size_t i = 0; i < sizeof(grant) / sizeof(grant[0]); i++)
		if (!policy_lets_in(grant[i]))
			fail_msg("%s", grant[i]);
	for (size_t i = 0; i < sizeof(none) / sizeof(none[0]); i++)
		if (policy_lets_in(none[i]))
			fail_msg("%s", none[i]);
}

static void a_policy_that_others_may_write_is_none(void **state)
{
	int i;

	(void)state;
	file(SCOPE, "3\n");
	i = file(POLICY, "all dtrace_proc\n");
	assert_true(lets_in());
	kernel.files[i].mode = 0664;
	assert_false(lets_in());
	kernel.files[i].mode = 0646;
	assert_false(lets_in());
	kernel.files[i].mode = 0644;
	kernel.files[i].owner = UID;
	assert_false(lets_in());
}

/* A line that is too long is left out as a whole, with its end, and so is no other line. */
static void lines_of_any_length_are_read(void **state)
{
	char text[4096];

	(void)state;
	file(SCOPE, "1\n");
	for (size_t length = 1000; length < 1050; length++) {
		snprintf(text, sizeof(text), "#%*s\nall dtrace_proc\n", (int)length, "");
		assert_true(policy_lets_in(text));
		snprintf(text, sizeof(text), "#%*sall dtrace_proc\n", (int)length, "");
		assert_false(policy_lets_in(text));
	}
}

#define TEST(name) cmocka_unit_test_setup(name, setup)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(programs_that_change_their_rights_let_nobody_in),
		TEST(only_root_and_the_user_come_in),
		TEST(a_program_with_more_capabilities_lets_nobody_in),
		TEST(ids_without_a_name_are_not_equal),
		TEST(a_scope_that_is_not_known_is_the_narrowest),
		TEST(ancestors_come_in_with_scope_1),
		TEST(the_policy_names_users_and_groups),
		TEST(a_policy_that_others_may_write_is_none),
		TEST(lines_of_any_length_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
