/* SPDX-License-Identifier: MIT */
/*
 * terminal.c - run a command at a terminal of its own: terminal FIFO COMMAND... prints the output
 * of the command, and passes bytes from the FIFO as typed input. At the end of the FIFO, the
 * terminal hangs up. The last line says how the command ended.
 */
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static pid_t command;
static char last = '\n'; /* character that the command wrote */

/* Copy available bytes. Return false at the end, and for a terminal that no process has open. */
static bool copy(int from, int to)
{
	char text[4096];
	ssize_t n = read(from, text, sizeof(text));

	if (n > 0 && to == STDOUT_FILENO)
		last = text[n - 1];
	return n > 0 && write(to, text, n) == n;
}

/*
 * Copy until the command or the typed input has ended. A hangup may cut a line: the status of the
 * command is on a line of its own.
 */
static void serve(int master, int typed)
{
	struct pollfd fds[] = {{.fd = master, .events = POLLIN}, {.fd = typed, .events = POLLIN}};

	while (poll(fds, 2, -1) > 0) {
		if (fds[0].revents && !copy(master, STDOUT_FILENO))
			return;
		if (fds[1].revents && !copy(typed, master)) {
			if (last != '\n')
				dprintf(STDOUT_FILENO, "\n");
			return;
		}
	}
}

/* Send SIGHUP after the kernel has sent it, while the command is ending. */
static void on_hangup(int sig)
{
	usleep(300000);
	kill(-command, sig);
}

/* Run the command as shells do: in a process group of its own, in the foreground. */
static void job(char **argv)
{
	signal(SIGTTOU, SIG_IGN);
	setpgid(0, 0);
	tcsetpgrp(STDIN_FILENO, getpid());
	signal(SIGTTOU, SIG_DFL);
	signal(SIGINT, SIG_DFL); /* shells have them ignored in the background */
	signal(SIGQUIT, SIG_DFL);
	execvp(argv[0], argv);
	_exit(127);
}

/* Do the part of the shell: start the command, and signal a hangup of the terminal. */
static int shell(char **argv, int out)
{
	int status;

	command = fork();
	if (command == 0)
		job(argv);
	signal(SIGHUP, on_hangup);
	while (waitpid(command, &status, 0) == -1)
		;
	if (WIFSIGNALED(status))
		dprintf(out, "killed by signal %d\n", WTERMSIG(status));
	else
		dprintf(out, "status %d\n", WEXITSTATUS(status));
	return 0;
}

int main(int argc, char **argv)
{
	int master, out = dup(STDOUT_FILENO);
	pid_t pid;

	if (argc < 3 || fcntl(out, F_SETFD, FD_CLOEXEC) == -1)
		return 2;
	pid = forkpty(&master, NULL, NULL, NULL);
	if (pid <= 0)
		return pid == 0 ? shell(argv + 2, out) : 1;
	serve(master, open(argv[1], O_RDONLY | O_CLOEXEC));
	close(master);
	waitpid(pid, NULL, 0);
	return 0;
}
