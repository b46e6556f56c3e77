// SPDX-License-Identifier: MIT
/*
 * waits.c - a program that waits in one system call, until its child ends the wait.
 *
 *	waits CALL UP GO
 *
 * It writes its pid and the number of the call to the FIFO UP, and waits in the call. The child
 * waits for a line from GO, and then makes the call return. Print what the call has returned: ok,
 * early, or the name of an error.
 */
#define _GNU_SOURCE /* strerrorname_np */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/sdt.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LONG_WAIT 300 /* s: the test ends before */

/* What the parent waits for: a byte in a pipe, or at a socket, and so on. */
static struct {
	int pipe[2], pair[2], server, sem, msg, epoll, file;
	uint32_t *word;
	pid_t child;
	sigset_t signals;
	struct sockaddr_un name;
} on;

static struct timespec longest = {.tv_sec = LONG_WAIT}, shortest = {.tv_sec = 1};

static void prepare(void)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct timeval limit = {.tv_sec = LONG_WAIT};

	if (pipe(on.pipe) || socketpair(AF_UNIX, SOCK_STREAM, 0, on.pair))
		err(1, "pipes");
	on.server = socket(AF_UNIX, SOCK_STREAM, 0);
	on.name.sun_family = AF_UNIX;
	snprintf(on.name.sun_path + 1, sizeof(on.name.sun_path) - 1, "waits-%d", (int)getpid());
	if (bind(on.server, (struct sockaddr *)&on.name, sizeof(on.name)) || listen(on.server, 1))
		err(1, "socket");
	if (setsockopt(on.pair[0], SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)))
		err(1, "SO_RCVTIMEO");
	on.sem = semget(IPC_PRIVATE, 1, 0600);
	on.msg = msgget(IPC_PRIVATE, 0600);
	on.epoll = epoll_create1(0);
	epoll_ctl(on.epoll, EPOLL_CTL_ADD, on.pipe[0], &event);
	on.word = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	sigemptyset(&on.signals);
	sigaddset(&on.signals, SIGUSR1);
	sigprocmask(SIG_BLOCK, &on.signals, NULL);
}

/* ---- in the child ---- */

/* End each of the waits; only one has begun. */
static void end_wait(void)
{
	struct sembuf up = {.sem_op = 1};
	struct {
		long type;
		char text[1];
	} message = {.type = 1};

	kill(getppid(), SIGUSR1);
	if (write(on.pipe[1], "x", 1) != 1 || write(on.pair[1], "x", 1) != 1)
		err(1, "write");
	connect(socket(AF_UNIX, SOCK_STREAM, 0), (struct sockaddr *)&on.name, sizeof(on.name));
	*on.word = 1;
	syscall(SYS_futex, on.word, FUTEX_WAKE, 1, NULL, NULL, 0);
	semop(on.sem, &up, 1);
	msgsnd(on.msg, &message, 1, 0);
	_exit(0);
}

static void child_run(const char *go, const char *path)
{
	int locked = open(path, O_RDWR), fd;
	char c;

	if (flock(locked, LOCK_EX))
		err(1, "flock");
	*on.word = 2; /* the lock is held */
	fd = open(go, O_RDONLY);
	if (fd < 0 || read(fd, &c, 1) != 1)
		_exit(1);
	end_wait();
}

/* ---- the calls ---- */

struct call {
	const char *name;
	long number;
	long (*wait)(void);
};

static long wait_read(void)
{
	char c;

	return syscall(SYS_read, on.pipe[0], &c, 1);
}

static long wait_recvfrom(void)
{
	char c;

	return syscall(SYS_recvfrom, on.pair[0], &c, 1, 0, NULL, NULL);
}

static long wait_accept(void)
{
	return syscall(SYS_accept, on.server, NULL, NULL);
}

static long wait_poll(void)
{
	struct pollfd fd = {.fd = on.pipe[0], .events = POLLIN};

	return syscall(SYS_poll, &fd, 1, LONG_WAIT * 1000);
}

static long wait_select(void)
{
	struct timeval limit = {.tv_sec = LONG_WAIT};
	fd_set fds;

	FD_ZERO(&fds);
	FD_SET(on.pipe[0], &fds);
	return syscall(SYS_select, on.pipe[0] + 1, &fds, NULL, NULL, &limit);
}

static long wait_epoll(void)
{
	struct epoll_event event;

	return syscall(SYS_epoll_wait, on.epoll, &event, 1, LONG_WAIT * 1000);
}

static long wait_sleep(void)
{
	return syscall(SYS_nanosleep, &shortest, NULL);
}

static long wait_clock(void)
{
	return syscall(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, &shortest, NULL);
}

static long wait_futex(void)
{
	return syscall(SYS_futex, on.word, FUTEX_WAIT, 2, &longest, NULL, 0);
}

static long wait_signal(void)
{
	return syscall(SYS_rt_sigtimedwait, &on.signals, NULL, &longest, 8);
}

static long wait_semaphore(void)
{
	struct sembuf down = {.sem_op = -1};

	return syscall(SYS_semtimedop, on.sem, &down, 1, &longest);
}

static long wait_message(void)
{
	char message[64];

	return syscall(SYS_msgrcv, on.msg, message, 1, 0, 0);
}

static long wait_child(void)
{
	return syscall(SYS_wait4, on.child, NULL, 0, NULL);
}

static long wait_lock(void)
{
	return syscall(SYS_flock, on.file, LOCK_EX);
}

static const struct call calls[] = {
	{"read", SYS_read, wait_read},
	{"accept", SYS_accept, wait_accept},
	{"poll", SYS_poll, wait_poll},
	{"select", SYS_select, wait_select},
	{"nanosleep", SYS_nanosleep, wait_sleep},
	{"clock_nanosleep", SYS_clock_nanosleep, wait_clock},
	{"futex", SYS_futex, wait_futex},
	{"wait4", SYS_wait4, wait_child},
	{"flock", SYS_flock, wait_lock},
	{"msgrcv", SYS_msgrcv, wait_message},
	{"recvfrom", SYS_recvfrom, wait_recvfrom}, /* with a time limit */
	{"epoll_wait", SYS_epoll_wait, wait_epoll},
	{"rt_sigtimedwait", SYS_rt_sigtimedwait, wait_signal},
	{"semtimedop", SYS_semtimedop, wait_semaphore},
};

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (double)ts.tv_sec + (double)ts.tv_nsec / 1e9;
}

static const char *result(const struct call *call)
{
	const double began = now();
	const long rv = call->wait();
	const int error = errno;

	if (rv < 0)
		return strerrorname_np(error);
	return strstr(call->name, "sleep") && now() - began < (double)shortest.tv_sec ? "early"
										      : "ok";
}

static const struct call *find(const char *name)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!strcmp(calls[i].name, name))
			return &calls[i];
	errx(2, "no call %s", name);
}

int main(int argc, char **argv)
{
	const struct call *call = argc == 4 ? find(argv[1]) : NULL;
	char path[] = "/tmp/waits-XXXXXX";
	FILE *up;

	if (!call)
		return 2;
	prepare();
	on.file = mkstemp(path);
	on.child = fork();
	if (on.child == 0)
		child_run(argv[3], path);
	while (*(volatile uint32_t *)on.word != 2)
		usleep(1000);
	up = fopen(argv[2], "w");
	if (!up || fprintf(up, "%d %ld\n", (int)getpid(), call->number) < 0 || fclose(up))
		return 1;
	printf("%s\n", result(call));
	DTRACE_PROBE(waits, done);
	while (wait(NULL) > 0)
		;
	semctl(on.sem, 0, IPC_RMID);
	msgctl(on.msg, IPC_RMID, NULL);
	unlink(path);
	return 0;
}
