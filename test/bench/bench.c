// SPDX-License-Identifier: MIT
/*
 * bench.c - the program whose probe is hit, and a stop-watch, for test/bench/guest.
 *
 *	bench fire N			fire bench:::hit N times; print nanoseconds per hit
 *	bench deep N DEPTH		the same from a function that calls itself DEPTH times
 *	bench call N ROUNDS		call a function N times in each of ROUNDS rounds; print
 *					nanoseconds per call in the best
 *	bench count N ROUNDS		as call, with a mark between rounds for instructions.c
 *	bench syscall N ROUNDS		as call and count, with the system call getpgid
 *	bench countsys N ROUNDS
 *	bench time RUNS COMMAND...	run COMMAND, its output thrown away; print the shortest time
 *					in milliseconds
 *	bench interruptible COMMAND...	become COMMAND, heeding SIGINT again, which a shell's
 *					background jobs ignore
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
	static const struct {
		const char *name;
		void (*one)(long);
		bool marks;
	} calls[] = {{"call", call_function, false},
		     {"count", call_function, true},
		     {"syscall", call_kernel, false},
		     {"countsys", call_kernel, true}};

	if (argc == 3 && !strcmp(argv[1], "fire") && atol(argv[2]) > 0)
		return fire(atol(argv[2]));
	if (argc == 4 && !strcmp(argv[1], "deep") && atol(argv[2]) > 0 && atoi(argv[3]) >= 0)
		return deep(atol(argv[2]), atoi(argv[3]));
	if (argc == 4 && atol(argv[2]) > 0 && atoi(argv[3]) > 0)
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
			if (!strcmp(argv[1], calls[i].name))
				return call(calls[i].one, atol(argv[2]), atoi(argv[3]),
					    calls[i].marks);
	if (argc > 3 && !strcmp(argv[1], "time") && atoi(argv[2]) > 0)
		return stopwatch(atoi(argv[2]), argv + 3);
	if (argc > 2 && !strcmp(argv[1], "interruptible"))
		return interruptible(argv + 2);
	fprintf(stderr,
		"usage: bench fire N | bench deep N DEPTH | bench call N ROUNDS | bench count N ROUNDS | "
		"bench time RUNS COMMAND... | bench interruptible COMMAND...\n");
	return 2;
}
