/* SPDX-License-Identifier: MIT */
/*
 * dying.c - a process ends so slowly that its parent is gone, memory included, before it gives up
 * its processor for the last time.
 *
 *	attack-dying
 *
 * The child, called "dying", is reaped by itself, and a tracer holds it up just after that. Then a
 * real-time thread takes its processor, which runs until the parent's memory must be free. The
 * program prints "go", and waits for a line before it begins.
 */
#define _GNU_SOURCE
#include <err.h>
#include <linux/membarrier.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile pid_t *child; /* shared: the parent notes it */

/* Keep a process on a CPU; pid 0: this one. */
static void stay_on(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set))
		err(3, "CPU %d", cpu);
}

/* Fork a process that waits for a byte from the pipe, then returns 0 here. */
static pid_t fork_waiting(const int go[2])
{
	pid_t pid = fork();
	char byte;

	if (pid == -1)
		err(3, "fork");
	if (pid == 0 && read(go[0], &byte, 1) != 1)
		_exit(3);
	return pid;
}

static void write_byte(const int go[2])
{
	if (write(go[1], "x", 1) != 1)
		err(3, "write");
}

/* Take the second processor from all others. */
static void hog(void)
{
	for (;;)
		;
}

/* Have a child that nobody waits for, and end when the child has been reaped. */
static void parent(const int end[2])
{
	char byte;

	signal(SIGCHLD, SIG_IGN);
	*child = fork();
	if (*child == 0) {
		prctl(PR_SET_NAME, "dying");
		stay_on(0, 1);
		_exit(0);
	}
	_exit(read(end[0], &byte, 1) == 1 ? 0 : 3);
}

int main(void)
{
	const struct sched_param first = {.sched_priority = 1};
	int wake[2], begin[2], end[2], i;
	pid_t busy, father;

	child = mmap(NULL, sizeof(*child), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		     0);
	if (child == MAP_FAILED || pipe(wake) || pipe(begin) || pipe(end))
		err(3, "pipe");
	busy = fork_waiting(wake);
	if (busy == 0)
		hog();
	father = fork_waiting(begin);
	if (father == 0)
		parent(end);
	stay_on(busy, 1);
	if (sched_setscheduler(busy, SCHED_FIFO, &first))
		err(3, "real-time thread");
	stay_on(0, 0);
	printf("go\n");
	fflush(stdout);
	getchar();
	write_byte(begin);
	while (!*child || kill(*child, 0) == 0)
		;
	write_byte(wake);
	write_byte(end);
	waitpid(father, NULL, 0);
	for (i = 0; i < 4; i++) /* its memory is freed after a grace period */
		if (syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0))
			err(3, "membarrier");
	kill(busy, SIGKILL);
	waitpid(busy, NULL, 0);
	return 0;
}
