/* SPDX-License-Identifier: MIT */
/*
 * stop.c - stop a child at each program that it executes, also with other rights, and release it.
 *
 *	attack-stop PROGRAM ARG...	when the child has ended, print how often it was stopped
 */
#include <err.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>

int main(int argc, char **argv)
{
	dtrace_stop_exec_t exec = {.dtfx_timeout = DTRACE_STOP_MS};
	struct pollfd news = {.events = POLLIN};
	dtrace_stopped_t stopped;
	int ready[2], stops = 0;
	char byte = 0;
	pid_t pid;

	news.fd = open(DTRACE_FASTTRAP_DEVICE, O_RDWR | O_CLOEXEC);
	if (argc < 2 || news.fd == -1 || pipe(ready))
		err(3, "the device");
	pid = fork();
	if (pid == 0) {
		close(ready[1]);
		if (read(ready[0], &byte, 1) == 1)
			execvp(argv[1], argv + 1);
		_exit(3);
	}
	exec.dtfx_pid = pid;
	if (ioctl(news.fd, DTRACEFTIOC_STOP_EXEC, &exec) < 0)
		err(3, "stop");
	if (write(ready[1], &byte, 1) != 1)
		err(3, "pipe");
	while (!waitpid(pid, NULL, WNOHANG)) {
		if (poll(&news, 1, 50) <= 0 ||
		    read(news.fd, &stopped, sizeof(stopped)) != sizeof(stopped))
			continue;
		stops += (stopped.dtfd_flags & DTRACE_STOP_STOPPED) != 0;
		ioctl(news.fd, DTRACEFTIOC_STOP_RELEASE, stopped.dtfd_tid);
	}
	printf("%d stops\n", stops);
	return 0;
}
