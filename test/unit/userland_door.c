/* SPDX-License-Identifier: MIT */
/*
 * userland_door.c - the door of a session, and programs that come to it which break its rules: with
 * a request that is none, with files that are no memory, with silence, and in crowds.
 *
 * The door refuses its own process, so programs are forked. The test has a /dev/shm and a user of
 * its own.
 */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <poll.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>
#include <dtrace/dof.h>
#include "../lib/random.h"
#include "door.h"
#include "door_remote.h"

#define UID	  1000
#define DIRECTORY "/dev/shm/dtrace-1000"
#define NOBODY	  65534
#define SKIPPED	  77
#define CROWD	  200 /* more than the door lets in at one time */

static struct dt_door *door;
static char why[256];

/* ---- programs ---- */

/* Connect with the door. */
static int come(void)
{
	struct sockaddr_un at = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);

	snprintf(at.sun_path, sizeof(at.sun_path), DIRECTORY "/%d.0", (int)getppid());
	if (fd == -1 || connect(fd, (struct sockaddr *)&at, sizeof(at)) == -1)
		_exit(100);
	return fd;
}

static void say(int fd, const void *bytes, size_t n)
{
	(void)!send(fd, bytes, n, MSG_NOSIGNAL);
}

static void say_request(int fd, uint32_t type, const void *body, uint32_t size)
{
	const struct dtrace_join_head head = {type, size};

	say(fd, &head, sizeof(head));
	say(fd, body, size);
}

static void say_hello(int fd, uint32_t version, uint32_t machine)
{
	const struct dtrace_join_hello hello = {version, machine, 1};

	say_request(fd, DTRACE_JOIN_HELLO, &hello, sizeof(hello));
}

/* Register a DOF of nothing but a header, which says that it has so many bytes. */
static void say_dof(int fd, uint64_t size)
{
	struct {
		struct dtrace_join_dof head;
		dof_hdr_t dof;
	} request = {.dof = {.dofh_loadsz = size}};

	say_request(fd, DTRACE_JOIN_DOF, &request, sizeof(request));
}

static void say_ready(int fd)
{
	say_request(fd, DTRACE_JOIN_READY, NULL, 0);
}

/*
 * Return the type of the next request, or -1 if the door hangs up; *arg becomes its first argument.
 */
static int hear(int fd, uint64_t *arg)
{
	struct dtrace_join_request request;

	if (recv(fd, &request, sizeof(request), MSG_WAITALL) != sizeof(request))
		return -1;
	*arg = request.arg[0];
	return (int)request.type;
}

/* Answer with a result and a descriptor. */
static void answer(int fd, int64_t result, int passed)
{
	struct dtrace_join_reply bytes = {result};
	struct iovec iov = {&bytes, sizeof(bytes)};
	union {
		struct cmsghdr header;
		char space[CMSG_SPACE(sizeof(int))];
	} control = {.header = {CMSG_LEN(sizeof(int)), SOL_SOCKET, SCM_RIGHTS}};
	struct msghdr m = {.msg_iov = &iov, .msg_iovlen = 1};

	memcpy(CMSG_DATA(&control.header), &passed, sizeof(passed));
	if (passed != -1) {
		m.msg_control = &control;
		m.msg_controllen = sizeof(control);
	}
	(void)!sendmsg(fd, &m, MSG_NOSIGNAL);
}

/* Let a program run; what it returns is its status. */
static pid_t program(int (*run)(const void *), const void *arg)
{
	pid_t pid = fork();

	if (pid == 0)
		_exit(run(arg));
	assert_true(pid > 0);
	return pid;
}

/* ---- the consumer ---- */

/*
 * Serve the door until a program is ready, or until one has ended. Return the visitor or NULL;
 * *status: its end.
 */
static struct dt_visitor *serve(pid_t pid, int *status)
{
	struct pollfd pfd = {.fd = dt_door_fd(door), .events = POLLIN};
	struct dt_visitor *visitor;

	for (;;) {
		visitor = dt_door_accept(door);
		if (visitor)
			return visitor;
		if (waitpid(pid, status, WNOHANG) == pid)
			return NULL;
		poll(&pfd, 1, 10);
	}
}

/* Wait for the end of a program. Return its status. */
static int ended(pid_t pid)
{
	int status;

	assert_int_equal(waitpid(pid, &status, 0), pid);
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Let a program come that does not become a visitor. Return its status. */
static int refused(int (*run)(const void *), const void *arg)
{
	int status;

	assert_null(serve(program(run, arg), &status));
	return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* ---- requests ---- */

struct hello {
	uint32_t version, machine;
};

/* Return the errno with which the door refuses a program, 99 if it hangs up. */
static int comes_with_hello(const void *arg)
{
	const struct hello *hello = arg;
	int fd = come();
	uint64_t error = 0;

	say_hello(fd, hello->version, hello->machine);
	return hear(fd, &error) == DTRACE_JOIN_DONE ? (int)error : 99;
}

static void other_versions_and_machines_are_told(void **state)
{
	(void)state;
	assert_int_equal(refused(comes_with_hello, &(struct hello){7, EM_X86_64}), EPROTONOSUPPORT);
	assert_int_equal(refused(comes_with_hello, &(struct hello){DTRACE_JOIN_VERSION, EM_386}),
			 ENOEXEC);
}

/* Return 0 if the program goes on in order, 99 if the door hangs up. */
static int comes_with_dof(const void *arg)
{
	int fd = come();
	uint64_t error = 0;

	say_hello(fd, DTRACE_JOIN_VERSION, EM_X86_64);
	say_dof(fd, *(const uint64_t *)arg);
	say_ready(fd);
	return hear(fd, &error) == DTRACE_JOIN_DONE ? (int)error : 99;
}

static void a_dof_is_as_long_as_its_request(void **state)
{
	const uint64_t wrong[] = {0, sizeof(dof_hdr_t) - 1, sizeof(dof_hdr_t) + 1, 1 << 20, ~0ULL};
	const uint64_t right = sizeof(dof_hdr_t);
	struct dt_visitor *visitor;
	int status;
	pid_t pid;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		assert_int_equal(refused(comes_with_dof, &wrong[i]), 99);
	pid = program(comes_with_dof, &right);
	visitor = serve(pid, &status);
	assert_non_null(visitor);
	assert_int_equal(visitor->pid, pid);
	assert_int_equal(visitor->nitems, 1);
	assert_int_equal(visitor->items[0].size, right);
	dt_visitor_free(visitor, 0);
	assert_int_equal(ended(pid), 0);
}

/* Say bytes at random, some of them behind a right beginning. */
static int comes_with_nonsense(const void *arg)
{
	uint64_t seed = RANDOM_SEED + *(const uint64_t *)arg;
	int fd = come();
	uint64_t error;

	if (random_next(&seed) % 2)
		say_hello(fd, DTRACE_JOIN_VERSION, EM_X86_64);
	for (int i = 0; i < 8; i++) {
		uint32_t bytes[64];
		size_t n = random_next(&seed) % sizeof(bytes);

		for (size_t k = 0; k < 64; k++)
			bytes[k] = (uint32_t)random_next(&seed);
		if (random_next(&seed) % 2)
			bytes[0] = 1 + random_next(&seed) % 5;
		if (random_next(&seed) % 2)
			bytes[1] = random_next(&seed) % 512;
		say(fd, bytes, n);
	}
	shutdown(fd, SHUT_WR);
	while (hear(fd, &error) > 0)
		answer(fd, 0, -1);
	return 0;
}

static void nonsense_is_no_visitor(void **state)
{
	(void)state;
	for (uint64_t i = 1; i <= 300; i++) {
		struct dt_visitor *visitor;
		int status;
		pid_t pid = program(comes_with_nonsense, &i);

		while ((visitor = serve(pid, &status)))
			dt_visitor_free(visitor, 0);
	}
}

/* ---- crowds ---- */

/* Open many conversations, say nothing in them, and then come as others do. */
static int comes_in_a_crowd(const void *arg)
{
	const uint64_t right = sizeof(dof_hdr_t);

	(void)arg;
	for (int i = 0; i < CROWD; i++)
		come();
	return comes_with_dof(&right);
}

static void silent_programs_do_not_keep_others_waiting(void **state)
{
	struct dt_visitor *visitor;
	int status;
	pid_t pid;

	(void)state;
	pid = program(comes_in_a_crowd, NULL);
	visitor = serve(pid, &status);
	assert_non_null(visitor);
	dt_visitor_free(visitor, 0);
	assert_int_equal(ended(pid), 0);
}

/* ---- answers ---- */

/* A file to pass as memory, and a result. */
struct told {
	const char *path;
	int64_t result;
};

/* Answer each request with the same. */
static int comes_and_answers(const void *arg)
{
	const struct told *told = arg;
	int fd = come(), type, passed = told->path ? open(told->path, O_RDWR) : -1;
	uint64_t error;

	if (told->path && passed == -1)
		passed = open(told->path, O_RDONLY);
	say_hello(fd, DTRACE_JOIN_VERSION, EM_X86_64);
	say_ready(fd);
	while ((type = hear(fd, &error)) > 0 && type != DTRACE_JOIN_DONE)
		answer(fd, told->result, passed);
	return type == DTRACE_JOIN_DONE ? 0 : 99;
}

/*
 * Return the memory of a program that answers so, or a negative errno; set *unmapped to the result
 * of an unmap.
 */
static int memory_of(const struct told *told, int *unmapped)
{
	struct dt_visitor *visitor;
	int status, memory;
	pid_t pid = program(comes_and_answers, told);

	visitor = serve(pid, &status);
	assert_non_null(visitor);
	memory = visitor->remote->ops->memory(visitor->remote);
	*unmapped = visitor->remote->ops->unmap(visitor->remote, 0, 4096);
	dt_visitor_free(visitor, 0);
	assert_int_equal(ended(pid), 0);
	return memory;
}

static void only_memory_is_taken_for_memory(void **state)
{
	static const char *const others[] = {"/proc/self/comm", "/proc/self/stat",
					     "/dev/null",	"/proc/self/oom_score_adj",
					     "/proc/self",	"/dev/shm/mem"};
	int memory, unmapped;

	(void)state;
	assert_true(close(open("/dev/shm/mem", O_WRONLY | O_CREAT, 0600)) == 0);
	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		assert_int_equal(memory_of(&(struct told){others[i], 0}, &unmapped), -EPROTO);
	assert_int_equal(memory_of(&(struct told){NULL, 0}, &unmapped), -EPROTO);
	memory = memory_of(&(struct told){"/proc/self/mem", 0}, &unmapped);
	assert_true(memory >= 0);
	assert_int_equal(unmapped, 0);
	close(memory);
}

static void results_are_errno_or_nothing(void **state)
{
	int unmapped;

	(void)state;
	assert_int_equal(memory_of(&(struct told){NULL, -EACCES}, &unmapped), -EACCES);
	assert_int_equal(unmapped, -EACCES);
	memory_of(&(struct told){NULL, -4096}, &unmapped);
	assert_int_equal(unmapped, -EPROTO);
	memory_of(&(struct told){NULL, 1}, &unmapped);
	assert_int_equal(unmapped, -EPROTO);
}

/* Say that all is said, and end. */
static int comes_and_ends(const void *arg)
{
	int fd = come();

	(void)arg;
	say_hello(fd, DTRACE_JOIN_VERSION, EM_X86_64);
	say_ready(fd);
	return 0;
}

static void a_program_that_has_ended_is_no_more(void **state)
{
	struct dt_visitor *visitor;
	int status;
	pid_t pid = program(comes_and_ends, NULL);

	(void)state;
	visitor = serve(pid, &status);
	if (visitor)
		assert_int_equal(ended(pid), 0);
	else
		visitor = dt_door_accept(door); /* it ended before it was let in */
	assert_non_null(visitor);
	assert_int_equal(visitor->remote->ops->unmap(visitor->remote, 0, 4096), -ESRCH);
	assert_int_equal(visitor->remote->ops->unmap(visitor->remote, 0, 4096), -ESRCH);
	dt_visitor_free(visitor, 0);
}

/* ---- the folder ---- */

static void reopen(void)
{
	dt_door_close(door);
	door = NULL;
}

/* Open the door where its folder is something else. */
static void refuse_folder(void)
{
	assert_int_equal(dt_door_open(&door, why, sizeof(why)), -EEXIST);
	assert_non_null(strstr(why, DIRECTORY " is not a directory of this user, but uid "));
	assert_non_null(strstr(why, "have root remove it"));
}

static void the_folder_is_nobody_elses(void **state)
{
	struct stat st;

	(void)state;
	reopen();
	assert_int_equal(access(DIRECTORY, F_OK), -1);
	assert_int_equal(mkdir("/dev/shm/other", 0700), 0);

	assert_int_equal(symlink("/dev/shm/other", DIRECTORY), 0);
	refuse_folder();
	unlink(DIRECTORY);

	assert_true(close(open(DIRECTORY, O_WRONLY | O_CREAT, 0600)) == 0);
	refuse_folder();
	unlink(DIRECTORY);

	/* one that belongs to root, who is not mapped here */
	assert_int_equal(mkdir(DIRECTORY, 0700), 0);
	assert_int_equal(mount("/etc", DIRECTORY, NULL, MS_BIND, NULL), 0);
	refuse_folder();
	assert_int_equal(umount(DIRECTORY), 0);

	/* one of the same user is used, and is closed to other users from then on */
	assert_int_equal(chmod(DIRECTORY, 0777), 0);
	assert_int_equal(dt_door_open(&door, why, sizeof(why)), 0);
	assert_int_equal(stat(DIRECTORY, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	reopen();
	assert_int_equal(dt_door_open(&door, why, sizeof(why)), 0);
}

/* ---- main ---- */

static bool file_write(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);
	bool done = fd != -1 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

	close(fd);
	return done;
}

/*
 * Be a user in a namespace with a /dev/shm of its own. Root becomes another user first, whose /etc
 * is not.
 */
static bool namespace_make(void)
{
	char users[32], groups[32];

	if (geteuid() == 0 && (setgroups(0, NULL) || setresgid(NOBODY, NOBODY, NOBODY) ||
			       setresuid(NOBODY, NOBODY, NOBODY) || prctl(PR_SET_DUMPABLE, 1)))
		return false;
	snprintf(users, sizeof(users), "%d %d 1", UID, (int)geteuid());
	snprintf(groups, sizeof(groups), "%d %d 1", UID, (int)getegid());
	return unshare(CLONE_NEWUSER | CLONE_NEWNS) == 0 &&
	       file_write("/proc/self/setgroups", "deny") &&
	       file_write("/proc/self/uid_map", users) &&
	       file_write("/proc/self/gid_map", groups) &&
	       mount("shm", "/dev/shm", "tmpfs", 0, "mode=1777") == 0 &&
	       mount("run", "/run", "tmpfs", 0, "mode=755") == 0;
}

static int setup(void **state)
{
	(void)state;
	return dt_door_open(&door, why, sizeof(why));
}

static int teardown(void **state)
{
	(void)state;
	dt_door_close(door);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_versions_and_machines_are_told),
		cmocka_unit_test(a_dof_is_as_long_as_its_request),
		cmocka_unit_test(nonsense_is_no_visitor),
		cmocka_unit_test(silent_programs_do_not_keep_others_waiting),
		cmocka_unit_test(only_memory_is_taken_for_memory),
		cmocka_unit_test(results_are_errno_or_nothing),
		cmocka_unit_test(a_program_that_has_ended_is_no_more),
		cmocka_unit_test(the_folder_is_nobody_elses),
	};

	if (!namespace_make()) {
		puts("no namespaces of users and mounts here");
		return SKIPPED;
	}
	return cmocka_run_group_tests(tests, setup, teardown);
}
