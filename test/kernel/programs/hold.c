/* SPDX-License-Identifier: MIT */
/*
 * hold.c - a tracer that holds threads by the device, and the programs that it holds. hold DIRECTORY
 * prints a line for each thing that is to be so; DIRECTORY/NAME, as which it executes itself, only
 * writes a byte to descriptor MARK.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>

#define MARK		9
#define LONG		8000	/* ms: none of these tests waits for as long */
#define SHORT		300
#define ABOVE_INT	(1L << 32)	/* what an int does not keep */
#define NTHREADS	4
#define ROUNDS		40
#define ARGUMENT	77		/* of what is called */
#define MANY		40		/* threads: more than a tracer can hold */
#define CAN		24		/* by all tracers */
#define CAN_USER	16
#define EXECS_USER	256		/* watches, of one user */
#define USER		1000
#define OTHER		1001

static const char *folder;
static int failures;

static bool check(bool ok, const char *text)
{
	printf("%s %s\n", ok ? "ok" : "NOT OK", text);
	fflush(stdout);
	failures += !ok;
	return ok;
}

static uint64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000ULL + ts.tv_nsec / 1000000;
}

/* ---- the device ---- */

static int device(void)
{
	int fd = open("/dev/dtrace/fasttrap", O_RDWR | O_CLOEXEC);

	if (fd == -1) {
		perror("/dev/dtrace/fasttrap");
		exit(1);
	}
	return fd;
}

static int hold_exec(int fd, const char *name, uint32_t ms)
{
	dtrace_ft_stop_exec_t exec = { .dtfx_timeout = ms };

	snprintf(exec.dtfx_name, sizeof(exec.dtfx_name), "%s", name);
	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static int hold_exec_of(int fd, pid_t pid)
{
	dtrace_ft_stop_exec_t exec = { .dtfx_timeout = LONG, .dtfx_pid = pid };

	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static int hold_address(int fd, pid_t pid, void *address, uint32_t ms)
{
	dtrace_ft_stop_address_t at = { .dtfa_pid = pid,
					.dtfa_timeout = ms,
					.dtfa_address = (uintptr_t)address };

	return ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &at);
}

static int follow(int fd, pid_t pid, uint32_t ms)
{
	dtrace_ft_stop_exec_t exec = {
		.dtfx_timeout = ms, .dtfx_pid = pid, .dtfx_flags = DTRACE_FT_FOLLOW};

	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static bool ready(int fd, int ms)
{
	struct pollfd pfd = { .fd = fd, .events = POLLIN };

	return poll(&pfd, 1, ms) == 1;
}

/* The next thread; false: none in time. */
static bool held_next(int fd, dtrace_ft_stopped_t *held)
{
	return ready(fd, LONG) && read(fd, held, sizeof(*held)) == sizeof(*held);
}

static int release(int fd, const dtrace_ft_stopped_t *held)
{
	return ioctl(fd, DTRACEFTIOC_STOP_RELEASE, (long)held->dtfd_tid);
}

/* ---- programs that execute something ---- */

struct program {
	pid_t pid;
	int mark;			/* readable when it has run */
};

/* As OTHER's program, if uid is that. */
static struct program execute(const char *name, uid_t uid)
{
	struct program program;
	char path[4096];
	int fds[2];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (pipe2(fds, O_CLOEXEC) != 0)
		exit(1);
	program.pid = fork();
	if (program.pid == 0) {
		dup2(fds[1], MARK);
		if (uid != 0 && (setgid(uid) != 0 || setuid(uid) != 0))
			_exit(126);
		execl(path, path, NULL);
		_exit(127);
	}
	close(fds[1]);
	program.mark = fds[0];
	return program;
}

static bool has_run(const struct program *program, int ms)
{
	return ready(program->mark, ms);
}

static int finish(struct program *program)
{
	int status = -1;

	waitpid(program->pid, &status, 0);
	close(program->mark);
	return status;
}

static char state(pid_t pid)
{
	char path[64], text[256] = "";
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	fp = fopen(path, "r");
	if (fp == NULL)
		return '-';
	if (fgets(text, sizeof(text), fp) == NULL)
		text[0] = '\0';
	fclose(fp);
	return strrchr(text, ')') != NULL ? strrchr(text, ')')[2] : '?';
}

static void test_exec(void)
{
	int fd = device(), watch = hold_exec(fd, "marker", LONG);
	struct program program = execute("marker", 0), second;
	dtrace_ft_stopped_t held = { 0 };

	check(watch > 0, "a name is watched for");
	check(held_next(fd, &held), "its process is told of");
	check(held.dtfd_pid == program.pid && held.dtfd_tid == program.pid, "which it is");
	check((int)held.dtfd_point == watch && held.dtfd_flags == DTRACE_FT_STOPPED, "and that it is held");
	check(!has_run(&program, SHORT), "it does not run");
	check(state(program.pid) == 'D', "but sleeps");
	second = execute("marker", 0);
	check(has_run(&second, LONG) && finish(&second) == 0, "a second one is not held");
	check(ioctl(fd, DTRACEFTIOC_STOP_RELEASE, held.dtfd_tid + ABOVE_INT) == -1 && errno == ESRCH,
	      "a number of more than 32 bits is no thread's");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, watch + ABOVE_INT) == -1 && errno == ENOENT, "and no watch's");
	check(release(fd, &held) == 0, "it is released");
	check(has_run(&program, LONG) && finish(&program) == 0, "and runs to its end");
	check(release(fd, &held) == -1 && errno == ESRCH, "once");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)watch) == 0, "the watch ends");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)watch) == -1 && errno == ENOENT, "once");
	close(fd);
}

static void test_exec_names(void)
{
	static const char *const names[] = { "marker", "a-name-of-more-than-fifteen-letters" };
	int fd = device();
	char path[4096];
	dtrace_ft_stopped_t held = { 0 };
	struct program program;

	hold_exec(fd, "arke", LONG);
	hold_exec(fd, "/marker", LONG);
	hold_exec(fd, names[1], LONG);
	program = execute(names[1], 0);
	check(held_next(fd, &held) && held.dtfd_pid == program.pid, "long names are whole");
	release(fd, &held);
	finish(&program);
	program = execute(names[0], 0);
	check(has_run(&program, LONG) && !ready(fd, 0), "parts of names are not enough");
	finish(&program);
	snprintf(path, sizeof(path), "%s/marker", folder);
	hold_exec(fd, path, LONG);
	program = execute(names[0], 0);
	check(held_next(fd, &held) && held.dtfd_pid == program.pid, "a name may be a path");
	close(fd);
	finish(&program);
}

static void test_exec_ends(void)
{
	int fd = device(), watch;
	dtrace_ft_stopped_t held = { 0 };
	struct program program;
	uint64_t begin = now_ms();

	hold_exec(fd, "marker", SHORT);
	program = execute("marker", 0);
	check(has_run(&program, LONG) && now_ms() - begin >= SHORT, "time is bounded");
	finish(&program);
	check(held_next(fd, &held) && held.dtfd_pid == program.pid && held.dtfd_flags == 0,
	      "one that nobody asked for in time has gone on");
	watch = hold_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	held_next(fd, &held);
	ioctl(fd, DTRACEFTIOC_STOP_END, (long)watch);
	check(has_run(&program, LONG) && finish(&program) == 0, "the end of the watch lets it go");
	hold_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	held_next(fd, &held);
	begin = now_ms();
	kill(program.pid, SIGSTOP);
	check(state(program.pid) == 'D', "stops wait");
	kill(program.pid, SIGKILL);
	check(WTERMSIG(finish(&program)) == SIGKILL && now_ms() - begin < LONG / 2, "SIGKILL does not");
	check(release(fd, &held) == -1 && errno == ESRCH, "it is held no more");
	hold_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	ready(fd, LONG);
	kill(program.pid, SIGKILL);
	finish(&program);
	check(held_next(fd, &held) && held.dtfd_flags == DTRACE_FT_KILLED, "why is told");
	hold_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	ready(fd, LONG);
	close(fd);
	check(has_run(&program, LONG / 2) && finish(&program) == 0, "closing lets it go, unread");
}

static void test_tracer_killed(void)
{
	struct program program;
	uint64_t begin;
	pid_t tracer = fork();
	int fd;

	if (tracer == 0) {
		fd = device();
		hold_exec(fd, "marker", LONG);
		pause();
	}
	usleep(SHORT * 1000);
	program = execute("marker", 0);
	check(!has_run(&program, SHORT), "another tracer holds it");
	begin = now_ms();
	kill(tracer, SIGKILL);
	check(has_run(&program, LONG / 2) && finish(&program) == 0 && now_ms() - begin < LONG / 2,
	      "whose kill -9 lets it go");
	waitpid(tracer, NULL, 0);
}

/* A process that waits, then executes a shell, which executes marker. */
static void test_exec_of(void)
{
	dtrace_ft_stop_exec_t both = { .dtfx_timeout = LONG, .dtfx_name = "marker" };
	int fd = device(), gate[2], times = 0;
	struct program other;
	char command[4200];
	dtrace_ft_stopped_t held = { 0 };
	pid_t pid;

	if (pipe(gate) != 0)
		exit(1);
	snprintf(command, sizeof(command), "exec %s/marker 9>/dev/null", folder);
	pid = fork();
	if (pid == 0) {
		read(gate[0], &command[sizeof(command) - 1], 1);
		execl("/bin/sh", "sh", "-c", command, NULL);
		_exit(127);
	}
	both.dtfx_pid = pid;
	check(ioctl(fd, DTRACEFTIOC_STOP_EXEC, &both) == -1 && errno == EINVAL, "a name or a pid");
	check(hold_exec_of(fd, 999999) == -1 && errno == ESRCH, "no process");
	check(hold_exec_of(fd, pid) > 0, "a process is watched");
	other = execute("marker", 0);
	check(has_run(&other, LONG) && finish(&other) == 0, "another one is not held");
	write(gate[1], "", 1);
	while (held_next(fd, &held) && held.dtfd_pid == pid && state(pid) == 'D' && ++times < 2)
		release(fd, &held);
	check(times == 2, "it is held at each exec");
	release(fd, &held);
	check(waitpid(pid, &times, 0) == pid && times == 0, "and runs to its end");
	close(fd);
	close(gate[0]);
	close(gate[1]);
}

/* A process that waits at a gate, then has n children one after the other that execute marker. */
static pid_t parent(int gate, int n)
{
	struct program program;
	int well = 1;
	char byte;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	well = read(gate, &byte, 1) == 1;
	while (n-- > 0) {
		program = execute("marker", 0);
		well &= finish(&program) == 0;
	}
	_exit(!well);
}

/* How many of another's children are held, each of which is let go. */
static int count_followed(int fd, pid_t pid)
{
	dtrace_ft_stopped_t held = {0};
	int n = 0;

	while (n < 3 && held_next(fd, &held) && held.dtfd_pid != pid && state(held.dtfd_pid) == 'D') {
		release(fd, &held);
		n++;
	}
	return n;
}

static void test_follow(void)
{
	int fd = device(), deaf = device(), gate[2], status = -1, watch;
	struct program other;
	pid_t pid;

	if (pipe(gate) != 0)
		exit(1);
	pid = parent(gate[0], 4);
	check(follow(fd, 0, LONG) == -1 && errno == EINVAL, "who is followed is named");
	check(follow(fd, 999999, LONG) == -1 && errno == ESRCH, "no process is followed");
	watch = follow(fd, pid, LONG);
	check(watch > 0 && follow(deaf, pid, 0) > 0, "a process is followed, by two");
	other = execute("marker", 0);
	check(has_run(&other, LONG) && finish(&other) == 0, "what is not its child is not held");
	write(gate[1], "", 1);
	check(count_followed(fd, pid) == 3, "its children are held");
	check(ready(fd, LONG) && ioctl(fd, DTRACEFTIOC_STOP_END, (long)watch) == 1,
	      "the end of the watch lets them go");
	check(waitpid(pid, &status, 0) == pid && status == 0, "and they run to their end");
	check(!ready(deaf, 0), "without a time nobody is held");
	close(fd);
	close(deaf);
	close(gate[0]);
	close(gate[1]);
}

/* In a process of its own: USER's, that was given the device. */
static void user_tests(int fd)
{
	dtrace_ft_stopped_t held = { 0 };
	struct program program;

	if (setgid(USER) != 0 || setuid(USER) != 0)
		exit(1);
	check(hold_exec(fd, "marker", LONG) > 0, "a user watches");
	check(hold_address(fd, 1, &user_tests, LONG) == -1 && errno == EPERM,
	      "but not where others' processes arrive");
	write(MARK, "", 1);
	check(ready(fd, LONG) && held_next(fd, &held), "and meets their own program");
	program.pid = held.dtfd_pid;
	check(state(program.pid) == 'D', "which is held");
	exit(failures != 0);
}

static void test_user(void)
{
	int fd = device(), fds[2];
	struct program other, own;
	pid_t tracer;
	char byte;

	if (pipe(fds) != 0)
		exit(1);
	tracer = fork();
	if (tracer == 0) {
		dup2(fds[1], MARK);
		user_tests(fd);
	}
	read(fds[0], &byte, 1);
	other = execute("marker", OTHER);
	check(has_run(&other, LONG) && finish(&other) == 0, "another user's program is not held");
	other = execute("marker-setuid", USER);
	check(has_run(&other, LONG) && finish(&other) == 0, "nor one that is setuid");
	own = execute("marker", USER);
	waitpid(tracer, NULL, 0);
	close(fd);
	check(has_run(&own, LONG) && finish(&own) == 0, "their own runs on");
}

/* ---- threads at an address ---- */

static volatile int *calls;		/* shared: how often place was called */
static volatile int *stopping;

static void __attribute__((noinline, noclone)) place(int n)
{
	__atomic_add_fetch(calls, n / ARGUMENT, __ATOMIC_SEQ_CST);
}

static void *caller(void *arg)
{
	(void)arg;
	while (!*stopping) {
		place(ARGUMENT);
		usleep(10000);
	}
	return NULL;
}

/* A process of n threads that call place. */
static pid_t callers(int n)
{
	pthread_t threads[MANY];
	pid_t pid;

	*stopping = *calls = 0;
	pid = fork();
	if (pid != 0)
		return pid;
	for (int i = 0; i < n; i++)
		pthread_create(&threads[i], NULL, caller, NULL);
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	/* A fork, which has the breakpoint too. */
	pid = fork();
	if (pid == 0) {
		place(ARGUMENT);
		_exit(0);
	}
	waitpid(pid, &(int){ 0 }, 0);
	_exit(0);
}

static bool calling(void)
{
	int before = *calls;

	usleep(SHORT * 1000);
	return *calls != before;
}

/* The first byte of place there: is it as it is here? */
static bool text_is_whole(pid_t pid)
{
	unsigned char byte = 0;
	char path[64];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY);
	ok = pread(fd, &byte, 1, (off_t)(uintptr_t)place) == 1 &&
	     byte == *(unsigned char *)(uintptr_t)place;
	close(fd);
	return ok;
}

static bool end(pid_t pid)
{
	int status = -1;

	*stopping = 1;
	waitpid(pid, &status, 0);
	return status == 0;
}

static void test_address(void)
{
	dtrace_ft_stopped_t held[NTHREADS] = { 0 };
	pid_t pid = callers(NTHREADS);
	int fd = device(), watch, n = 0;

	check(calling(), "threads arrive at an address");
	watch = hold_address(fd, pid, place, LONG);
	check(watch > 0, "which is watched");
	while (n < NTHREADS && held_next(fd, &held[n]) && held[n].dtfd_pid == pid)
		n++;
	check(n == NTHREADS && !calling(), "all are held");
	check(held[0].dtfd_arg0 == ARGUMENT, "with their first argument");
	check(release(fd, &held[0]) == 0 && held_next(fd, &held[0]), "one goes on and comes again");
	check(!text_is_whole(pid), "there is a breakpoint");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)watch) == NTHREADS, "the watch ends");
	check(calling() && !ready(fd, 0), "all go on");
	check(text_is_whole(pid), "and there is none");
	watch = hold_address(fd, pid, place, SHORT / 3);
	check(calling(), "a tracer that does nothing is not waited for");
	check(end(pid), "a child is not hurt by the breakpoint that it has");
	close(fd);
}

static void test_address_ends(void)
{
	dtrace_ft_stopped_t held;
	pid_t pid = callers(NTHREADS);
	int fd = device(), status = 0;

	hold_address(fd, pid, place, LONG);
	held_next(fd, &held);
	close(fd);
	check(calling() && text_is_whole(pid), "closing lets threads go");
	fd = device();
	hold_address(fd, pid, place, LONG);
	held_next(fd, &held);
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL, "SIGKILL ends them");
	close(fd);
}

/* A tracer that is killed while it makes watches and ends them. */
static void test_address_tracer_killed(void)
{
	pid_t pid = callers(NTHREADS), tracer;
	bool whole = true;

	for (int i = 0; i < ROUNDS && whole; i++) {
		tracer = fork();
		while (tracer == 0) {
			int fd = device();

			ioctl(fd, DTRACEFTIOC_STOP_END, (long)hold_address(fd, pid, place, LONG));
			close(fd);
		}
		usleep(30000 + i * 1000);
		kill(tracer, SIGKILL);
		waitpid(tracer, NULL, 0);
		whole = text_is_whole(pid);
	}
	check(whole, "kill -9 leaves no breakpoint");
	check(calling() && end(pid), "and no harm");
}

/* A debugger at the same threads. */
static void test_address_debugged(void)
{
	dtrace_ft_stopped_t held;
	pid_t pid = callers(NTHREADS);
	int fd = device(), status = 0, traced;

	hold_address(fd, pid, place, LONG);
	held_next(fd, &held);
	traced = held.dtfd_tid;
	check(ptrace(PTRACE_SEIZE, traced, NULL, NULL) == 0, "a debugger attaches meanwhile");
	ptrace(PTRACE_INTERRUPT, traced, NULL, NULL);
	check(waitpid(traced, &status, __WALL | WNOHANG) == 0, "and waits");
	close(fd);
	check(waitpid(traced, &status, __WALL) == traced && WIFSTOPPED(status),
	      "until the thread goes on");
	fd = device();
	hold_address(fd, pid, place, LONG);
	ptrace(PTRACE_CONT, traced, NULL, NULL);
	for (int i = 0; i < NTHREADS; i++)
		held_next(fd, &held);
	check(!calling(), "a thread with a debugger is held");
	close(fd);
	*stopping = 1;
	waitpid(traced, &status, __WALL);
	check(end(pid), "and ends as it should");
}

/* ---- errors ---- */

static bool fails(int result, int error)
{
	return result == -1 && errno == error;
}

static void test_errors(void)
{
	int fd = device(), on_stack;
	dtrace_ft_stop_exec_t endless = { .dtfx_timeout = 1 };
	dtrace_ft_stop_exec_t strange = {.dtfx_timeout = 1, .dtfx_pid = getpid(), .dtfx_flags = 1};
	dtrace_ft_stop_address_t odd = {.dtfa_timeout = 1,
					.dtfa_pid = getpid(),
					.dtfa_address = (uintptr_t)place,
					.dtfa_flags = 4};
	dtrace_ft_stopped_t held;
	char little[4];

	memset(endless.dtfx_name, 'x', sizeof(endless.dtfx_name));
	check(fails(hold_exec(fd, "", LONG), EINVAL), "no name");
	check(fails(hold_exec(fd, "x", 0), EINVAL), "no time");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_EXEC, &strange), EINVAL), "an unknown flag");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &odd), EINVAL), "and there");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_EXEC, &endless), EINVAL), "a name without an end");
	check(fails(hold_address(fd, getpid(), place, 0), EINVAL), "no time");
	check(fails(hold_address(fd, getpid(), &on_stack, LONG), EFAULT), "no code");
	check(fails(hold_address(fd, getpid(), NULL, LONG), EFAULT), "nothing");
	check(fails(hold_address(fd, 2, place, LONG), ESRCH), "a thread of the kernel");
	check(fails(hold_address(fd, 999999, place, LONG), ESRCH), "no process");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_RELEASE, (long)getpid()), ESRCH), "not held");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_END, 1L), ENOENT), "not a watch");
	check(fails(read(fd, little, sizeof(little)), EINVAL), "little room");
	fcntl(fd, F_SETFL, O_NONBLOCK);
	check(fails(read(fd, &held, sizeof(held)), EAGAIN), "no news");
	close(fd);
}

/* How many threads have come to be held, when no more come. */
static int count_held(int fd, int *missed)
{
	dtrace_ft_stopped_t held;
	int n = 0;

	sleep(1);
	for (*missed = 0; ready(fd, 1000) && held_next(fd, &held); n++)
		*missed += held.dtfd_missed;
	return n;
}

static void test_many(void)
{
	dtrace_ft_stopped_t held = { 0 };
	struct program one, two;
	pid_t pid = callers(MANY); /* they have no device open */
	int fd = device(), other, n = 0, missed = 0;

	while (hold_exec(fd, "marker", LONG) > 0)
		n++;
	check(n == 256 && errno == ENOSPC, "watches are bounded");
	one = execute("marker", 0);
	two = execute("marker", 0);
	held_next(fd, &held);
	check(held_next(fd, &held) && !ready(fd, SHORT), "a process is for one of them");
	close(fd);
	check(finish(&one) == 0 && finish(&two) == 0, "and runs on");
	fd = device();
	hold_address(fd, pid, place, LONG);
	n = count_held(fd, &missed);
	check(missed >= MANY - CAN, "threads are bounded, and counted");
	check(n == CAN, "as many as can be are held");
	other = device();
	hold_address(other, pid, place, LONG);
	check(count_held(other, &missed) == 0, "by all tracers");
	close(other);
	close(fd);
	check(end(pid), "none is hurt");
}

/* USER's tracer, which tells of its process and holds what it may until the gate opens. */
static void user_many(const int *fds, int n, int told, int gate)
{
	int watches = 0, missed, watch;
	pid_t pid;
	char byte;

	if (setgid(USER) != 0 || setuid(USER) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
		exit(1);
	for (int i = 0; i < n; i++)
		while (hold_exec(fds[i], "nobody", LONG) > 0)
			watches++;
	check(watches == EXECS_USER && errno == ENOSPC, "a user's watches are bounded");
	pid = callers(MANY);
	watch = hold_address(fds[n], pid, place, DTRACE_FT_STOP_MS);
	check(watch > 0, "a user's threads are watched");
	check(count_held(fds[n], &missed) == CAN_USER, "as many as a user can hold are held");
	write(told, &pid, sizeof(pid));
	read(gate, &byte, 1);
	ioctl(fds[n], DTRACEFTIOC_STOP_END, (long)watch);
	check(end(pid), "none of theirs is hurt");
	exit(failures != 0);
}

/* Whatever users hold, there is something left for root. */
static void test_many_of_user(void)
{
	int fd = device(), fds[5], up[2], gate[2], status = -1, missed;
	pid_t tracer, pid;

	for (int i = 0; i < 5; i++)
		fds[i] = device();
	if (pipe(up) != 0 || pipe(gate) != 0)
		exit(1);
	tracer = fork();
	if (tracer == 0) {
		close(fd);
		user_many(fds, 4, up[1], gate[0]);
	}
	for (int i = 0; i < 5; i++)
		close(fds[i]);
	check(read(up[0], &pid, sizeof(pid)) == sizeof(pid), "a user does what a user can");
	check(hold_exec(fd, "marker", LONG) > 0, "root can watch more");
	check(hold_address(fd, pid, place, DTRACE_FT_STOP_MS) > 0, "and more threads");
	check(count_held(fd, &missed) == CAN - CAN_USER, "are held");
	close(fd);
	write(gate[1], "", 1);
	check(waitpid(tracer, &status, 0) == tracer && status == 0, "the user's tracer is done");
	for (int i = 0; i < 2; i++) {
		close(up[i]);
		close(gate[i]);
	}
}

static void *shared(void)
{
	void *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (page == MAP_FAILED)
		exit(1);
	return page;
}

int main(int argc, char **argv)
{
	if (argc != 2)
		return write(MARK, "x", 1) != 1 && argc > 2;
	folder = argv[1];
	calls = shared();
	stopping = shared();
	test_exec();
	test_exec_names();
	test_exec_ends();
	test_exec_of();
	test_follow();
	test_tracer_killed();
	test_user();
	test_address();
	test_address_ends();
	test_address_tracer_killed();
	test_address_debugged();
	test_errors();
	test_many();
	test_many_of_user();
	return failures != 0;
}
