// SPDX-License-Identifier: MIT
/*
 * copied.c - tasks that the program makes by clone() of its own. They have the thread pointer of
 * the thread of which they are copies, and the C library knows them by that thread's number.
 *
 *	copied fork	a forked child fires copied:::hit(its number)
 *	copied share N	a process with the same memory fires copied:::share(1) N times, and
 *			the program copied:::share(0) at the same time
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/sdt.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define STACK (1 << 20)

static long n;

static int share(void *arg)
{
	for (long i = 0; i < n; i++)
		DTRACE_PROBE1(copied, share, (long)arg);
	return 0;
}

int main(int argc, char **argv)
{
	char *stack = mmap(NULL, STACK, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (stack == MAP_FAILED || argc < 2)
		return 1;
	DTRACE_PROBE1(copied, hit, getpid());
	if (strcmp(argv[1], "share") == 0) {
		n = atol(argv[2]);
		pid = clone(share, stack + STACK, CLONE_VM | SIGCHLD, (void *)1);
		share((void *)0);
	} else {
		pid = (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
		if (pid == 0) {
			DTRACE_PROBE1(copied, hit, syscall(SYS_gettid));
			_exit(0);
		}
	}
	waitpid(pid, &status, 0);
	printf("status %d\n", status);
	return 0;
}
