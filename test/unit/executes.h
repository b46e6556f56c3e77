/* SPDX-License-Identifier: MIT */
/* executes.h - whether the kernel executes the programs that a test is given. */
#ifndef UNIT_EXECUTES_H
#define UNIT_EXECUTES_H

#include <stdbool.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/ptrace.h>
#include <sys/wait.h>

#define UNIT_SKIPPED 77

/* executes - return whether the kernel executes a program; if it does not, say so. */
static inline bool executes(const char *program)
{
	const pid_t pid = fork();
	int status = 0;

	if (pid == 0) {
		ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		execl(program, program, NULL);
		_exit(127);
	}
	waitpid(pid, &status, 0);
	if (!WIFSTOPPED(status)) {
		fprintf(stderr, "the kernel does not execute %s\n", program);
		return false;
	}
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
	return true;
}

#endif
