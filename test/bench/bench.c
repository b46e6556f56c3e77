// SPDX-License-Identifier: MIT
/*
 * bench.c - the program whose probe is hit, and a stop-watch, for test/bench/guest.
 *
 *	bench fire N			fire bench:::hit N times; print nanoseconds per hit
 *	bench deep N DEPTH		the same from a function that calls itself DEPTH times
 *	bench call WHAT N ROUNDS	do something N times in each of ROUNDS rounds; print
 *					nanoseconds each in the best; WHAT: see operations
 *	bench count WHAT N ROUNDS	as call, with a mark between rounds for instructions.c
 *	bench time RUNS COMMAND...	run COMMAND, its output thrown away; print the shortest time
 *					in milliseconds
 *	bench interruptible COMMAND...	become COMMAND, heeding SIGINT again, which a shell's
 *					background jobs ignore
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <err.h>
#include <fcntl.h>
#include <net/if.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <sys/sdt.h>

#include "mark.h"

static double now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1e9 + ts.tv_nsec;
}

static int fire(long n)
{
	double began = now();

	for (long i = 0; i < n; i++)
		DTRACE_PROBE1(bench, hit, i);
	printf("%.1f\n", (now() - began) / n);
	return 0;
}

/* Built with frame pointers, so that both ways to find frames find as many. */
static __attribute__((noinline)) int deep(long n, int depth)
{
	int status = depth > 0 ? deep(n, depth - 1) : fire(n);

	__asm__ volatile("" : "+r"(status));
	return status;
}

/*
 * Written in assembler, so that offsets are known: 4 is lea, which dtrace carries out and the
 * kernel steps over; 8 reads memory, which is stepped over always. They have names for Debian's
 * bpftrace, which cannot use offsets.
 */
__asm__(".text\n"
	".type called, @function\n"
	"called:\n"
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	".type called_4, @function\n"
	"called_4:\n"
	"	lea 1(%rdi), %rax\n"
	".type called_8, @function\n"
	"called_8:\n"
	"	mov (%rsp), %rdx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size called_8, . - called_8\n"
	".size called_4, . - called_4\n"
	".size called, . - called\n");
long called(long n);

static void call_function(long i)
{
	called(i);
}

static void call_kernel(long i)
{
	(void)i;
	syscall(SYS_getpgid, 0);
}

/* ---- what the kernel's stable providers tell of ---- */

static void ignore(int sig)
{
	(void)sig;
}

static void send_signal(long i)
{
	(void)i;
	signal(SIGUSR1, ignore);
	raise(SIGUSR1);
}

static void make_process(long i)
{
	pid_t pid = vfork(); /* copies no page tables, whose size varies */

	(void)i;
	if (!pid)
		_exit(0);
	if (waitpid(pid, NULL, 0) != pid)
		err(1, "vfork");
}

static void fail_to_exec(long i)
{
	char *const none[] = {NULL};

	(void)i;
	execve("/nonexistent", none, none);
}

/* Send back what comes, on the processor of the other process. */
static void echo(int from, int to)
{
	char c;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	while (read(from, &c, 1) == 1 && write(to, &c, 1) == 1)
		;
	_exit(0);
}

/* Wait for another process: the processor switches to it and back. */
static void switch_process(long i)
{
	static int to[2], back[2];
	char c = (char)i;

	if (!to[1]) {
		cpu_set_t first;

		CPU_ZERO(&first);
		CPU_SET(0, &first);
		if (sched_setaffinity(0, sizeof(first), &first) || pipe(to) || pipe(back))
			err(1, "switch");
		if (!fork())
			echo(to[0], back[1]);
	}
	if (write(to[1], &c, 1) != 1 || read(back[0], &c, 1) != 1)
		err(1, "switch");
}

static void touch_page(long i)
{
	static char *page;

	if (!page)
		page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (page == MAP_FAILED || madvise(page, 4096, MADV_DONTNEED))
		err(1, "fault");
	*(volatile char *)page = (char)i;
}

/* Return a socket of the loopback device that is connected: by UDP to itself, by TCP to *other. */
static int connected(int type, int *other)
{
	struct sockaddr_in at = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int one = socket(AF_INET, type, 0), two = -1, on = 1;
	socklen_t len = sizeof(at);

	if (bind(one, (struct sockaddr *)&at, len) ||
	    getsockname(one, (struct sockaddr *)&at, &len))
		err(1, "bind");
	if (type == SOCK_STREAM) {
		two = socket(AF_INET, type, 0);
		if (listen(one, 1) || connect(two, (struct sockaddr *)&at, len) ||
		    setsockopt(two, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)))
			err(1, "TCP");
		*other = accept(one, NULL, NULL);
		return two;
	}
	if (connect(one, (struct sockaddr *)&at, len))
		err(1, "UDP");
	*other = one;
	return one;
}

static void send_byte(int from, int to, char c)
{
	if (send(from, &c, 1, 0) != 1 || recv(to, &c, 1, 0) != 1)
		err(1, "send");
}

static void send_datagram(long i)
{
	static int from, to;

	if (!from)
		from = connected(SOCK_DGRAM, &to);
	send_byte(from, to, (char)i);
}

static void send_segment(long i)
{
	static int from, to;

	if (!from)
		from = connected(SOCK_STREAM, &to);
	send_byte(from, to, (char)i);
}

/* Read a block of the disk /dev/loop0, and not from memory. */
static void read_block(long i)
{
	static char *space;
	static int fd;

	if (!space) {
		fd = open("/dev/loop0", O_RDONLY | O_DIRECT);
		space = aligned_alloc(4096, 4096);
	}
	if (pread(fd, space, 4096, i % 16 * 4096) != 4096)
		err(1, "/dev/loop0");
}

/* Write to a pipe and read: each takes the pipe's mutex. */
static void use_pipe(long i)
{
	static int ends[2];
	char c = (char)i;

	if (!ends[1] && pipe(ends))
		err(1, "pipe");
	if (write(ends[1], &c, 1) != 1 || read(ends[0], &c, 1) != 1)
		err(1, "pipe");
}

static void open_file(long i)
{
	(void)i;
	close(open("/dev/null", O_RDONLY));
}

/* Change the MTU of the loopback device, which notifier chains announce. */
static void change_mtu(long i)
{
	static struct ifreq request = {.ifr_name = "lo"};
	static int fd = -1;

	if (fd < 0)
		fd = socket(AF_INET, SOCK_DGRAM, 0);
	request.ifr_mtu = 65536 - (int)(i % 2);
	if (ioctl(fd, SIOCSIFMTU, &request))
		err(1, "lo");
}

static const struct operation {
	const char *name;
	void (*one)(long);
} operations[] = {
	{"function", call_function}, {"getpgid", call_kernel}, {"signal", send_signal},
	{"fork", make_process},	     {"exec", fail_to_exec},   {"switch", switch_process},
	{"fault", touch_page},	     {"udp", send_datagram},   {"tcp", send_segment},
	{"read", read_block},	     {"pipe", use_pipe},       {"mtu", change_mtu},
	{"open", open_file},
};

static int call(void (*one)(long), long n, int rounds, bool marks)
{
	double best = 0;

	while (rounds-- > 0) {
		double began = now(), took;

		if (marks)
			mark();
		for (long i = 0; i < n; i++)
			one(i);
		took = now() - began;
		if (!best || took < best)
			best = took;
	}
	if (marks)
		mark();
	printf("%.1f\n", best / n);
	return 0;
}

static void run_quietly(char **command)
{
	int fd = open("/dev/null", O_WRONLY);

	dup2(fd, STDOUT_FILENO);
	dup2(fd, STDERR_FILENO);
	execvp(command[0], command);
	_exit(127);
}

static int stopwatch(int runs, char **command)
{
	double best = 0;
	int status;

	while (runs-- > 0) {
		double began = now(), took;
		pid_t pid = fork();

		if (pid == 0)
			run_quietly(command);
		if (pid < 0 || waitpid(pid, &status, 0) < 0 || status) {
			fprintf(stderr, "bench: %s failed\n", command[0]);
			return 1;
		}
		took = now() - began;
		if (!best || took < best)
			best = took;
	}
	printf("%.1f\n", best / 1e6);
	return 0;
}

static int interruptible(char **command)
{
	signal(SIGINT, SIG_DFL);
	execvp(command[0], command);
	perror(command[0]);
	return 127;
}

int main(int argc, char **argv)
{
	bool marks = argc > 1 && !strcmp(argv[1], "count");

	if (argc == 3 && !strcmp(argv[1], "fire") && atol(argv[2]) > 0)
		return fire(atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "deep") && atol(argv[2]) > 0 && atoi(argv[3]) >= 0)
		return deep(atol(argv[2]), atoi(argv[3]));
	if (argc == 5 && (marks || !strcmp(argv[1], "call")) && atol(argv[3]) > 0 &&
	    atoi(argv[4]) > 0)
		for (size_t i = 0; i < sizeof(operations) / sizeof(operations[0]); i++)
			if (!strcmp(argv[2], operations[i].name))
				return call(operations[i].one, atol(argv[3]), atoi(argv[4]), marks);
	if (argc > 3 && !strcmp(argv[1], "time") && atoi(argv[2]) > 0)
		return stopwatch(atoi(argv[2]), argv + 3);
	if (argc > 2 && !strcmp(argv[1], "interruptible"))
		return interruptible(argv + 2);
	fprintf(stderr,
		"usage: bench fire N | bench deep N DEPTH | bench call WHAT N ROUNDS | bench count WHAT N ROUNDS | "
		"bench time RUNS COMMAND... | bench interruptible COMMAND...\n");
	return 2;
}
