/* SPDX-License-Identifier: MIT */
/*
 * debugger.c - debugger COMMAND... runs a command and its descendants under ptrace, as strace -f
 * does. It prints the number of processes and threads; its status is the command's.
 */
#include <err.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#define FOLLOW                                                                                 \
	(PTRACE_O_TRACEFORK | PTRACE_O_TRACEVFORK | PTRACE_O_TRACECLONE | PTRACE_O_TRACEEXEC | \
	 PTRACE_O_EXITKILL)

static unsigned int seen = 1;

/* Return the signal to deliver to a stopped thread; 0: none. */
static int signal_of(int status)
{
	int sig = WSTOPSIG(status), event = status >> 16;

	if (event == PTRACE_EVENT_FORK || event == PTRACE_EVENT_VFORK ||
	    event == PTRACE_EVENT_CLONE)
		seen++;
	return event != 0 || sig == SIGTRAP ? 0 : sig;
}

/* Continue stopped threads until all processes have ended. Return the command's status. */
static int follow(pid_t command)
{
	int status, result = 1;
	pid_t pid;

	while ((pid = waitpid(-1, &status, __WALL)) != -1)
		if (WIFSTOPPED(status))
			ptrace(PTRACE_CONT, pid, NULL, (void *)(long)signal_of(status));
		else if (pid == command)
			result = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	return result;
}

int main(int argc, char **argv)
{
	pid_t pid = fork();
	int status;

	if (argc < 2 || pid == -1)
		errx(2, "usage: debugger COMMAND...");
	if (pid == 0) {
		raise(SIGSTOP);
		execvp(argv[1], argv + 1);
		err(127, "%s", argv[1]);
	}
	waitpid(pid, &status, WUNTRACED);
	if (ptrace(PTRACE_SEIZE, pid, NULL, (void *)FOLLOW) == -1)
		err(2, "ptrace");
	kill(pid, SIGCONT);
	status = follow(pid);
	printf("%u processes and threads under a debugger\n", seen);
	return status;
}
