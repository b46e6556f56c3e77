// SPDX-License-Identifier: MIT
/*
 * calls.c - make known numbers of system calls, without functions of a library.
 *
 *	calls plain	200 getppid; 7 write of 3 bytes to a bad descriptor; 5 openat of a file that
 *			does not exist; 2 openat and close of /dev/null
 *	calls child	a child by fork, which ends with exit_group; wait4
 *	calls handler	3 signals to itself, whose handler returns by rt_sigreturn
 *	calls again	execute itself by execveat: calls done
 *	calls interrupted  clock_nanosleep, which a signal interrupts
 *	calls unknown	a system call that no kernel has
 *	calls done
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void plain(void)
{
	long fd;

	for (int i = 0; i < 200; i++)
		syscall(SYS_getppid);
	for (int i = 0; i < 7; i++)
		syscall(SYS_write, -1, "abc", 3);
	for (int i = 0; i < 5; i++)
		syscall(SYS_openat, AT_FDCWD, "/nonexistent", O_RDONLY, 0);
	for (int i = 0; i < 2; i++) {
		fd = syscall(SYS_openat, AT_FDCWD, "/dev/null", O_RDWR, 0);
		syscall(SYS_close, fd);
	}
}

static void handle(int signal)
{
	(void)signal;
}

static void handler(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 3; i++)
		syscall(SYS_tgkill, getpid(), (long)syscall(SYS_gettid), SIGUSR1);
}

static void interrupted(void)
{
	struct sigaction action = {.sa_handler = handle};
	struct timespec time = {.tv_sec = 600};

	sigaction(SIGALRM, &action, NULL);
	alarm(1);
	clock_nanosleep(CLOCK_MONOTONIC, 0, &time, NULL);
}

static void child(void)
{
	pid_t pid = (pid_t)syscall(SYS_fork);

	if (pid == 0)
		syscall(SYS_exit_group, 3);
	waitpid(pid, NULL, 0);
}

int main(int argc, char **argv)
{
	char *again[] = {argv[0], "done", NULL};

	for (int i = 1; i < argc; i++)
		if (strcmp(argv[i], "plain") == 0)
			plain();
		else if (strcmp(argv[i], "child") == 0)
			child();
		else if (strcmp(argv[i], "handler") == 0)
			handler();
		else if (strcmp(argv[i], "interrupted") == 0)
			interrupted();
		else if (strcmp(argv[i], "unknown") == 0)
			syscall(100000);
		else if (strcmp(argv[i], "again") == 0)
			syscall(SYS_execveat, AT_FDCWD, argv[0], again, environ, 0);
	return 0;
}
