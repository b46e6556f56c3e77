/* SPDX-License-Identifier: MIT */
/*
 * stop.c - a tracer that stops threads by the device, and the programs that it stops. stop
 * DIRECTORY prints a line for each check. It executes itself as DIRECTORY/NAME, which only writes a
 * byte to descriptor MARK.
 */
#include <dlfcn.h>
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

#define MARK	   9
#define LONG	   8000 /* ms: longer than any of these tests waits */
#define SHORT	   300
#define ABOVE_INT  (1L << 32) /* does not fit into an int */
#define NTHREADS   4
#define ROUNDS	   40
#define ARGUMENT   77 /* of the function that is called */
#define MANY	   40 /* threads: more than a tracer can stop */
#define CAN	   24 /* threads that all tracers together can stop */
#define CAN_USER   16
#define EXECS_USER 256 /* stop points, of one user */
#define USER	   1000
#define OTHER	   1001

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

static int stop_exec(int fd, const char *name, uint32_t ms)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = ms};

	snprintf(exec.dtfx_name, sizeof(exec.dtfx_name), "%s", name);
	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static int stop_exec_of(int fd, pid_t pid)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = LONG, .dtfx_pid = pid};

	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static int stop_address(int fd, pid_t pid, void *address, uint32_t ms)
{
	dtrace_stop_address_t at = {
		.dtfa_pid = pid, .dtfa_timeout = ms, .dtfa_address = (uintptr_t)address};

	return ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &at);
}

static int follow(int fd, pid_t pid, uint32_t ms)
{
	dtrace_stop_exec_t exec = {
		.dtfx_timeout = ms, .dtfx_pid = pid, .dtfx_flags = DTRACE_STOP_FOLLOW};

	return ioctl(fd, DTRACEFTIOC_STOP_EXEC, &exec);
}

static bool ready(int fd, int ms)
{
	struct pollfd pfd = {.fd = fd, .events = POLLIN};

	return poll(&pfd, 1, ms) == 1;
}

/* Read the next stopped thread; return false if there is none in time. */
static bool stopped_next(int fd, dtrace_stopped_t *stopped)
{
	return ready(fd, LONG) && read(fd, stopped, sizeof(*stopped)) == sizeof(*stopped);
}

static int release(int fd, const dtrace_stopped_t *stopped)
{
	return ioctl(fd, DTRACEFTIOC_STOP_RELEASE, (long)stopped->dtfd_tid);
}

/* ---- programs that execute something ---- */

struct program {
	pid_t pid;
	int mark; /* readable when the program has run */
};

/* Execute a program, as the user uid. */
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
	if (!fp)
		return '-';
	if (!fgets(text, sizeof(text), fp))
		text[0] = '\0';
	fclose(fp);
	return strrchr(text, ')') ? strrchr(text, ')')[2] : '?';
}

/* Return whether a thread sleeps soon: it is reported just before it sleeps. */
static bool sleeps(pid_t pid)
{
	uint64_t end = now_ms() + LONG;

	while (state(pid) != 'D' && now_ms() < end)
		usleep(1000);
	return state(pid) == 'D';
}

static void test_exec(void)
{
	int fd = device(), point = stop_exec(fd, "marker", LONG);
	struct program program = execute("marker", 0), second;
	dtrace_stopped_t stopped = {0};

	check(point > 0, "a name has a stop point");
	check(stopped_next(fd, &stopped), "its process is told of");
	check(stopped.dtfd_pid == program.pid && stopped.dtfd_tid == program.pid, "which it is");
	check((int)stopped.dtfd_point == point && stopped.dtfd_flags == DTRACE_STOP_STOPPED,
	      "and that it is stopped");
	check(!has_run(&program, SHORT), "it does not run");
	check(sleeps(program.pid), "but sleeps");
	second = execute("marker", 0);
	check(has_run(&second, LONG) && finish(&second) == 0, "a second one is not stopped");
	check(ioctl(fd, DTRACEFTIOC_STOP_RELEASE, stopped.dtfd_tid + ABOVE_INT) == -1 &&
		      errno == ESRCH,
	      "a number of more than 32 bits is no thread's");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, point + ABOVE_INT) == -1 && errno == ENOENT,
	      "and no stop point's");
	check(release(fd, &stopped) == 0, "it is released");
	check(has_run(&program, LONG) && finish(&program) == 0, "and runs to its end");
	check(release(fd, &stopped) == -1 && errno == ESRCH, "once");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == 0, "the stop point ends");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == -1 && errno == ENOENT, "once");
	check(stop_exec(fd, "marker", LONG) > point, "and the next one has a number of its own");
	close(fd);
}

static void test_exec_names(void)
{
	static const char *const names[] = {"marker", "a-name-of-more-than-fifteen-letters"};
	int fd = device();
	char path[4096];
	dtrace_stopped_t stopped = {0};
	struct program program;

	stop_exec(fd, "arke", LONG);
	stop_exec(fd, "/marker", LONG);
	stop_exec(fd, names[1], LONG);
	program = execute(names[1], 0);
	check(stopped_next(fd, &stopped) && stopped.dtfd_pid == program.pid,
	      "long names are whole");
	release(fd, &stopped);
	finish(&program);
	program = execute(names[0], 0);
	check(has_run(&program, LONG) && !ready(fd, 0), "parts of names are not enough");
	finish(&program);
	snprintf(path, sizeof(path), "%s/marker", folder);
	stop_exec(fd, path, LONG);
	program = execute(names[0], 0);
	check(stopped_next(fd, &stopped) && stopped.dtfd_pid == program.pid,
	      "a name may be a path");
	close(fd);
	finish(&program);
}

static void test_exec_ends(void)
{
	int fd = device(), point;
	dtrace_stopped_t stopped = {0};
	struct program program;
	uint64_t begin = now_ms();

	stop_exec(fd, "marker", SHORT);
	program = execute("marker", 0);
	check(has_run(&program, LONG) && now_ms() - begin >= SHORT, "time is bounded");
	finish(&program);
	check(stopped_next(fd, &stopped) && stopped.dtfd_pid == program.pid &&
		      stopped.dtfd_flags == 0,
	      "one that nobody asked for in time has gone on");
	point = stop_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	stopped_next(fd, &stopped);
	ioctl(fd, DTRACEFTIOC_STOP_END, (long)point);
	check(has_run(&program, LONG) && finish(&program) == 0,
	      "the end of the stop point lets it go");
	stop_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	stopped_next(fd, &stopped);
	begin = now_ms();
	kill(program.pid, SIGSTOP);
	check(sleeps(program.pid), "stops wait");
	kill(program.pid, SIGKILL);
	check(WTERMSIG(finish(&program)) == SIGKILL && now_ms() - begin < LONG / 2,
	      "SIGKILL does not");
	check(release(fd, &stopped) == -1 && errno == ESRCH, "it is stopped no more");
	stop_exec(fd, "marker", LONG);
	program = execute("marker", 0);
	ready(fd, LONG);
	kill(program.pid, SIGKILL);
	finish(&program);
	check(stopped_next(fd, &stopped) && stopped.dtfd_flags == DTRACE_STOP_KILLED,
	      "why is told");
	stop_exec(fd, "marker", LONG);
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
		stop_exec(fd, "marker", LONG);
		pause();
	}
	usleep(SHORT * 1000);
	program = execute("marker", 0);
	check(!has_run(&program, SHORT), "another tracer stops it");
	begin = now_ms();
	kill(tracer, SIGKILL);
	check(has_run(&program, LONG / 2) && finish(&program) == 0 && now_ms() - begin < LONG / 2,
	      "whose kill -9 lets it go");
	waitpid(tracer, NULL, 0);
}

/* Stop the execs of a process that waits, then executes a shell, which executes marker. */
static void test_exec_of(void)
{
	dtrace_stop_exec_t both = {.dtfx_timeout = LONG, .dtfx_name = "marker"};
	int fd = device(), gate[2], times = 0;
	struct program other;
	char command[4200];
	dtrace_stopped_t stopped = {0};
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
	check(stop_exec_of(fd, 999999) == -1 && errno == ESRCH, "no process");
	check(stop_exec_of(fd, pid) > 0, "a process has a stop point");
	other = execute("marker", 0);
	check(has_run(&other, LONG) && finish(&other) == 0, "another one is not stopped");
	write(gate[1], "", 1);
	while (stopped_next(fd, &stopped) && stopped.dtfd_pid == pid && sleeps(pid) && ++times < 2)
		release(fd, &stopped);
	check(times == 2, "it is stopped at each exec");
	release(fd, &stopped);
	check(waitpid(pid, &times, 0) == pid && times == 0, "and runs to its end");
	close(fd);
	close(gate[0]);
	close(gate[1]);
}

static void *leave(void *arg)
{
	return arg;
}

/*
 * Start a process that waits at a gate, has a thread that ends, then starts n children in turn that
 * execute marker.
 */
static pid_t parent(int gate, int n)
{
	struct program program;
	pthread_t thread;
	int well = 1;
	char byte;
	pid_t pid = fork();

	if (pid != 0)
		return pid;
	well = read(gate, &byte, 1) == 1 && pthread_create(&thread, NULL, leave, NULL) == 0 &&
	       pthread_join(thread, NULL) == 0;
	while (n-- > 0) {
		program = execute("marker", 0);
		well &= finish(&program) == 0;
	}
	_exit(!well);
}

/* Release the stopped children of a process. Return their number, at most 3. */
static int count_followed(int fd, pid_t pid)
{
	dtrace_stopped_t stopped = {0};
	int n = 0;

	while (n < 3 && stopped_next(fd, &stopped) && stopped.dtfd_pid != pid &&
	       sleeps(stopped.dtfd_pid)) {
		release(fd, &stopped);
		n++;
	}
	return n;
}

static void test_follow(void)
{
	int fd = device(), deaf = device(), gate[2], status = -1, point;
	struct program other;
	pid_t pid;

	if (pipe(gate) != 0)
		exit(1);
	pid = parent(gate[0], 4);
	check(follow(fd, 0, LONG) == -1 && errno == EINVAL, "who is followed is named");
	check(follow(fd, 999999, LONG) == -1 && errno == ESRCH, "no process is followed");
	point = follow(fd, pid, LONG);
	check(point > 0 && follow(deaf, pid, 0) > 0, "a process is followed, by two");
	other = execute("marker", 0);
	check(has_run(&other, LONG) && finish(&other) == 0, "what is not its child is not stopped");
	write(gate[1], "", 1);
	check(count_followed(fd, pid) == 3, "its children are stopped");
	check(ready(fd, LONG) && ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == 1,
	      "the end of the stop point lets them go");
	check(waitpid(pid, &status, 0) == pid && status == 0, "and they run to their end");
	check(!ready(deaf, 0), "without a time nobody is stopped");
	close(fd);
	close(deaf);
	close(gate[0]);
	close(gate[1]);
}

/* Test in a process of USER's, which has inherited the descriptor of the device. */
static void user_tests(int fd)
{
	dtrace_stopped_t stopped = {0};
	struct program program;

	if (setgid(USER) != 0 || setuid(USER) != 0)
		exit(1);
	check(stop_exec(fd, "marker", LONG) > 0, "a user has a stop point");
	check(stop_address(fd, 1, &user_tests, LONG) == -1 && errno == EPERM,
	      "but not where others' processes arrive");
	write(MARK, "", 1);
	/* two other programs run first */
	check(ready(fd, 5 * LONG) && stopped_next(fd, &stopped), "and meets their own program");
	program.pid = stopped.dtfd_pid;
	check(sleeps(program.pid), "which is stopped");
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
	check(has_run(&other, LONG) && finish(&other) == 0,
	      "another user's program is not stopped");
	other = execute("marker-setuid", USER);
	check(has_run(&other, LONG) && finish(&other) == 0, "nor one that is setuid");
	own = execute("marker", USER);
	waitpid(tracer, NULL, 0);
	close(fd);
	check(has_run(&own, LONG) && finish(&own) == 0, "their own runs on");
}

/* Fork a child that executes the program when the gate has a byte. */
static struct program execute_later(const char *name, int gate)
{
	struct program program;
	char path[4096], byte;
	int fds[2];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (pipe2(fds, O_CLOEXEC) != 0)
		exit(1);
	program.pid = fork();
	if (program.pid == 0) {
		dup2(fds[1], MARK);
		if (read(gate, &byte, 1) == 1)
			execl(path, path, NULL);
		_exit(127);
	}
	close(fds[1]);
	program.mark = fds[0];
	return program;
}

/* As USER, follow a child, and make a stop point at write() of the C library. */
static struct program followed(int fd, const char *name)
{
	dtrace_stop_address_t at = {.dtfa_timeout = LONG,
				    .dtfa_flags = DTRACE_STOP_FOLLOW,
				    .dtfa_address = (uintptr_t)dlsym(RTLD_DEFAULT, "write")};
	struct program program;
	int gate[2];

	if (pipe2(gate, O_CLOEXEC) != 0)
		exit(1);
	program = execute_later(name, gate[0]);
	at.dtfa_pid = program.pid;
	if (follow(fd, program.pid, 0) <= 0 || ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &at) <= 0 ||
	    write(gate[1], "", 1) != 1)
		exit(1);
	close(gate[0]);
	close(gate[1]);
	return program;
}

/* Test in a process of USER's. */
static void user_followed(void)
{
	dtrace_stopped_t stopped = {0};
	struct program program;
	int fd;

	if (setgid(USER) != 0 || setuid(USER) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
		exit(1);
	fd = device();
	program = followed(fd, "marker");
	check(stopped_next(fd, &stopped) && stopped.dtfd_pid == program.pid,
	      "a user's program is stopped at an address of a library");
	close(fd);
	check(finish(&program) == 0, "and runs on");
	fd = device();
	program = followed(fd, "marker-setuid");
	check(has_run(&program, LONG) && finish(&program) == 0 && !ready(fd, 0),
	      "one that is setuid is not stopped there");
	close(fd);
	exit(failures != 0);
}

static void test_user_followed(void)
{
	int status = -1;
	pid_t tracer = fork();

	if (tracer == 0)
		user_followed();
	check(waitpid(tracer, &status, 0) == tracer && status == 0, "the user's tracer is done");
}

/* Limit the bytes of a user's registrations and stop points. Return the limit before. */
static unsigned long user_memory(unsigned long bytes)
{
	static const char parameter[] = "/sys/module/dtrace/parameters/user_registration_memory";
	unsigned long before = 0;
	FILE *fp = fopen(parameter, "r+");

	if (!fp || fscanf(fp, "%lu", &before) != 1)
		exit(1);
	rewind(fp);
	fprintf(fp, "%lu\n", bytes);
	fclose(fp);
	return before;
}

/*
 * Test in a process of USER's: without memory, with memory for a stop point alone, and with enough.
 */
static void user_memory_used(int told, int gate)
{
	char byte;
	int fd;

	if (setgid(USER) != 0 || setuid(USER) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
		exit(1);
	fd = device();
	for (int i = 0; i < 2; i++) {
		write(told, "", 1);
		read(gate, &byte, 1);
		check(stop_exec(fd, "marker", LONG) == -1 && errno == EDQUOT,
		      "a user without memory has no stop point");
		check(follow(fd, getpid(), LONG) == -1 && errno == EDQUOT, "and follows nobody");
	}
	write(told, "", 1);
	read(gate, &byte, 1);
	check(stop_exec(fd, "marker", LONG) > 0 && follow(fd, getpid(), LONG) > 0,
	      "but when there is some again");
	exit(failures != 0);
}

static void test_user_memory(void)
{
	static const unsigned long limits[] = {1, 32768};
	int up[2], gate[2], status = -1;
	unsigned long before = 0;
	pid_t tracer;
	char byte;

	if (pipe(up) != 0 || pipe(gate) != 0)
		exit(1);
	tracer = fork();
	if (tracer == 0)
		user_memory_used(up[1], gate[0]);
	for (int i = 0; i < 3; i++) {
		unsigned long was;

		read(up[0], &byte, 1);
		was = user_memory(i < 2 ? limits[i] : before);
		if (i == 0)
			before = was;
		write(gate[1], "", 1);
	}
	check(waitpid(tracer, &status, 0) == tracer && status == 0, "the tracer lives");
	for (int i = 0; i < 2; i++) {
		close(up[i]);
		close(gate[i]);
	}
}

/* ---- threads at an address ---- */

static volatile int *calls; /* shared: how often stop_here was called */
static volatile int *stopping;

static void __attribute__((noinline, noclone)) stop_here(int n)
{
	__atomic_add_fetch(calls, n / ARGUMENT, __ATOMIC_SEQ_CST);
}

static void *caller(void *arg)
{
	(void)arg;
	while (!*stopping) {
		stop_here(ARGUMENT);
		usleep(10000);
	}
	return NULL;
}

/* Start a process of n threads that call stop_here. */
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
	/* A fork child, which has the breakpoint, too. */
	pid = fork();
	if (pid == 0) {
		stop_here(ARGUMENT);
		_exit(0);
	}
	waitpid(pid, &(int){0}, 0);
	_exit(0);
}

/* Return whether stop_here is called soon. */
static bool calling(void)
{
	const uint64_t end = now_ms() + LONG;
	const int before = *calls;

	while (*calls == before && now_ms() < end)
		usleep(1000);
	return *calls != before;
}

/* Return whether stop_here is not called for a while. */
static bool quiet(void)
{
	const int before = *calls;

	usleep(SHORT * 1000);
	return *calls == before;
}

/* Return whether the first byte of stop_here in a process is the same as here. */
static bool text_is_whole(pid_t pid)
{
	unsigned char byte = 0;
	char path[64];
	bool ok;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY);
	ok = pread(fd, &byte, 1, (off_t)(uintptr_t)stop_here) == 1 &&
	     byte == *(unsigned char *)(uintptr_t)stop_here;
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
	dtrace_stopped_t stopped[NTHREADS] = {0};
	pid_t pid = callers(NTHREADS);
	int fd = device(), point, n = 0;

	check(calling(), "threads arrive at an address");
	point = stop_address(fd, pid, stop_here, LONG);
	check(point > 0, "which has a stop point");
	while (n < NTHREADS && stopped_next(fd, &stopped[n]) && stopped[n].dtfd_pid == pid)
		n++;
	check(n == NTHREADS && quiet(), "all are stopped");
	check(stopped[0].dtfd_arg0 == ARGUMENT, "with their first argument");
	check(release(fd, &stopped[0]) == 0 && stopped_next(fd, &stopped[0]),
	      "one goes on and comes again");
	check(!text_is_whole(pid), "there is a breakpoint");
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == NTHREADS, "the stop point ends");
	check(calling() && !ready(fd, 0), "all go on");
	check(text_is_whole(pid), "and there is none");
	point = stop_address(fd, pid, stop_here, SHORT / 3);
	check(calling(), "a tracer that does nothing is not waited for");
	check(end(pid), "a child is not hurt by the breakpoint that it has");
	close(fd);
}

static void test_address_ends(void)
{
	dtrace_stopped_t stopped;
	pid_t pid = callers(NTHREADS);
	int fd = device(), status = 0;

	stop_address(fd, pid, stop_here, LONG);
	stopped_next(fd, &stopped);
	close(fd);
	check(calling() && text_is_whole(pid), "closing lets threads go");
	fd = device();
	stop_address(fd, pid, stop_here, LONG);
	stopped_next(fd, &stopped);
	kill(pid, SIGKILL);
	check(waitpid(pid, &status, 0) == pid && WTERMSIG(status) == SIGKILL, "SIGKILL ends them");
	close(fd);
}

/*
 * A thread that two stop points stop in turn goes back to the address when the first one ends, and
 * goes on when the time of the second one has passed.
 */
static void test_address_passes(void)
{
	dtrace_stopped_t stopped = {0};
	pid_t pid = callers(1);
	int fd = device(), point = stop_address(fd, pid, stop_here, LONG), short_one, before;

	check(stopped_next(fd, &stopped), "a thread is stopped");
	before = *calls;
	short_one = stop_address(fd, pid, stop_here, SHORT);
	check(ioctl(fd, DTRACEFTIOC_STOP_END, (long)point) == 1 && stopped_next(fd, &stopped) &&
		      (int)stopped.dtfd_point == short_one,
	      "goes back for a second stop point");
	check(stopped_next(fd, &stopped) && *calls > before,
	      "and past it when its time has passed");
	close(fd);
	check(end(pid), "and ends");
}

/* Kill a tracer while it makes stop points and ends them. */
static void test_address_tracer_killed(void)
{
	pid_t pid = callers(NTHREADS), tracer;
	bool whole = true;

	for (int i = 0; i < ROUNDS && whole; i++) {
		tracer = fork();
		while (tracer == 0) {
			int fd = device();

			ioctl(fd, DTRACEFTIOC_STOP_END,
			      (long)stop_address(fd, pid, stop_here, LONG));
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

/* Stop threads that a debugger traces. */
static void test_address_debugged(void)
{
	dtrace_stopped_t stopped;
	pid_t pid = callers(NTHREADS);
	int fd = device(), status = 0, traced;

	stop_address(fd, pid, stop_here, LONG);
	stopped_next(fd, &stopped);
	traced = stopped.dtfd_tid;
	check(ptrace(PTRACE_SEIZE, traced, NULL, NULL) == 0, "a debugger attaches meanwhile");
	ptrace(PTRACE_INTERRUPT, traced, NULL, NULL);
	check(waitpid(traced, &status, __WALL | WNOHANG) == 0, "and waits");
	close(fd);
	check(waitpid(traced, &status, __WALL) == traced && WIFSTOPPED(status),
	      "until the thread goes on");
	fd = device();
	stop_address(fd, pid, stop_here, LONG);
	ptrace(PTRACE_CONT, traced, NULL, NULL);
	for (int i = 0; i < NTHREADS; i++)
		stopped_next(fd, &stopped);
	check(quiet(), "a thread with a debugger is stopped");
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
	dtrace_stop_exec_t endless = {.dtfx_timeout = 1};
	dtrace_stop_exec_t strange = {.dtfx_timeout = 1, .dtfx_pid = getpid(), .dtfx_flags = 1};
	dtrace_stop_address_t odd = {.dtfa_timeout = 1,
				     .dtfa_pid = getpid(),
				     .dtfa_address = (uintptr_t)stop_here,
				     .dtfa_flags = 4};
	dtrace_stopped_t stopped;
	char little[4];

	memset(endless.dtfx_name, 'x', sizeof(endless.dtfx_name));
	check(fails(stop_exec(fd, "", LONG), EINVAL), "no name");
	check(fails(stop_exec(fd, "x", 0), EINVAL), "no time");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_EXEC, &strange), EINVAL), "an unknown flag");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &odd), EINVAL), "and there");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_EXEC, &endless), EINVAL), "a name without an end");
	check(fails(stop_address(fd, getpid(), stop_here, 0), EINVAL), "no time");
	check(fails(stop_address(fd, getpid(), &on_stack, LONG), EFAULT), "no code");
	check(fails(stop_address(fd, getpid(), NULL, LONG), EFAULT), "nothing");
	check(fails(stop_address(fd, 2, stop_here, LONG), ESRCH), "a thread of the kernel");
	check(fails(stop_address(fd, 999999, stop_here, LONG), ESRCH), "no process");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_RELEASE, (long)getpid()), ESRCH), "not stopped");
	check(fails(ioctl(fd, DTRACEFTIOC_STOP_END, 1L), ENOENT), "not a stop point");
	check(fails(read(fd, little, sizeof(little)), EINVAL), "little memory");
	fcntl(fd, F_SETFL, O_NONBLOCK);
	check(fails(read(fd, &stopped, sizeof(stopped)), EAGAIN), "no news");
	close(fd);
}

/* Return how many threads have stopped, when no more do. */
static int count_stopped(int fd, int *missed)
{
	dtrace_stopped_t stopped;
	int n = 0;

	sleep(1);
	for (*missed = 0; ready(fd, 1000) && stopped_next(fd, &stopped); n++)
		*missed += stopped.dtfd_missed;
	return n;
}

static void test_many(void)
{
	dtrace_stopped_t stopped = {0};
	struct program one, two;
	pid_t pid = callers(MANY); /* they have no device open */
	int fd = device(), other, n = 0, missed = 0;

	while (stop_exec(fd, "marker", LONG) > 0)
		n++;
	check(n == 256 && errno == ENOSPC, "stop points are bounded");
	one = execute("marker", 0);
	two = execute("marker", 0);
	stopped_next(fd, &stopped);
	check(stopped_next(fd, &stopped) && !ready(fd, SHORT), "a process is for one of them");
	close(fd);
	check(finish(&one) == 0 && finish(&two) == 0, "and runs on");
	fd = device();
	stop_address(fd, pid, stop_here, LONG);
	n = count_stopped(fd, &missed);
	check(missed >= MANY - CAN, "threads are bounded, and counted");
	check(n == CAN, "as many as can be are stopped");
	other = device();
	stop_address(other, pid, stop_here, LONG);
	check(count_stopped(other, &missed) == 0, "by all tracers");
	close(other);
	close(fd);
	check(end(pid), "none is hurt");
}

/*
 * As USER, stop as many threads as allowed, write the pid of their process, and wait for the gate.
 */
static void user_many(const int *fds, int n, int told, int gate)
{
	int points = 0, missed, point;
	pid_t pid;
	char byte;

	if (setgid(USER) != 0 || setuid(USER) != 0 || prctl(PR_SET_DUMPABLE, 1) != 0)
		exit(1);
	for (int i = 0; i < n; i++)
		while (stop_exec(fds[i], "nobody", LONG) > 0)
			points++;
	check(points == EXECS_USER && errno == ENOSPC, "a user's stop points are bounded");
	pid = callers(MANY);
	point = stop_address(fds[n], pid, stop_here, DTRACE_STOP_MS);
	check(point > 0, "a user's threads have a stop point");
	check(count_stopped(fds[n], &missed) == CAN_USER, "as many as a user can stop are stopped");
	write(told, &pid, sizeof(pid));
	read(gate, &byte, 1);
	ioctl(fds[n], DTRACEFTIOC_STOP_END, (long)point);
	check(end(pid), "none of theirs is hurt");
	exit(failures != 0);
}

/* Whatever a user stops, root can still stop some threads. */
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
	check(stop_exec(fd, "marker", LONG) > 0, "root can have more stop points");
	check(stop_address(fd, pid, stop_here, DTRACE_STOP_MS) > 0, "and more threads");
	check(count_stopped(fd, &missed) == CAN - CAN_USER, "are stopped");
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
	test_user_followed();
	test_user_memory();
	test_address();
	test_address_passes();
	test_address_ends();
	test_address_tracer_killed();
	test_address_debugged();
	test_errors();
	test_many();
	test_many_of_user();
	return failures != 0;
}
