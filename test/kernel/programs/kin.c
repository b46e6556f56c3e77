/* SPDX-License-Identifier: MIT */
/*
 * kin.c - a program with descendants that execute it again: kin DEPTH [HOW COUNT], for tests that
 * follow them. Each calls kin_step with its depth, starts COUNT children one after the other that
 * execute kin with the depth less one, and prints which of them failed. HOW: fork, vfork, spawn;
 * mixed: each depth by another one; clone: a process of its own in the same memory, which first
 * calls kin_step itself.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static const char *const ways[] = {"fork", "vfork", "spawn"};
#define NWAYS (sizeof(ways) / sizeof(*ways))

int __attribute__((noipa)) kin_step(int depth)
{
	return depth + 1;
}

static pid_t kin_fork(char **argv)
{
	pid_t pid = fork();

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static pid_t kin_vfork(char **argv)
{
	pid_t pid = vfork();

	if (pid == 0) {
		execv(argv[0], argv);
		_exit(127);
	}
	return pid;
}

static pid_t kin_spawn(char **argv)
{
	pid_t pid;

	return posix_spawn(&pid, argv[0], NULL, NULL, argv, environ) == 0 ? pid : -1;
}

static int kin_cloned(void *arg)
{
	char **argv = arg;

	if (kin_step(100) == 101)
		execv(argv[0], argv);
	return 127;
}

static pid_t kin_clone(char **argv)
{
	static char stack[65536] __attribute__((aligned(16)));

	return clone(kin_cloned, stack + sizeof(stack), CLONE_VM | SIGCHLD, argv);
}

static pid_t kin_start(char **argv, const char *how, int depth)
{
	if (strcmp(how, "mixed") == 0)
		how = ways[depth % NWAYS];
	if (strcmp(how, "fork") == 0)
		return kin_fork(argv);
	if (strcmp(how, "clone") == 0)
		return kin_clone(argv);
	return strcmp(how, "vfork") == 0 ? kin_vfork(argv) : kin_spawn(argv);
}

/* Start a child, and wait for it. Return whether it and its descendants have succeeded. */
static int kin_have(int depth, char **argv)
{
	char less[16];
	char *args[] = {argv[0], less, argv[2], argv[3], NULL};
	int status;
	pid_t pid;

	snprintf(less, sizeof(less), "%d", depth - 1);
	pid = kin_start(args, argv[2], depth);
	if (pid == -1 || waitpid(pid, &status, 0) != pid)
		status = -1;
	if (status != 0)
		printf("depth %d: status %#x\n", depth - 1, status);
	return status == 0;
}

int main(int argc, char **argv)
{
	int depth = argc > 1 ? atoi(argv[1]) : 0, well = kin_step(depth) == depth + 1;

	for (int i = argc > 3 && depth > 0 ? atoi(argv[3]) : 0; i > 0; i--)
		well &= kin_have(depth, argv);
	return !well;
}
