// SPDX-License-Identifier: MIT
/*
 * perf_count.c - perf-count GROUP:NAME... -- COMMAND...
 *
 * Run a command, and print how often each tracepoint fired in it and its descendants, from its exec
 * on, as `perf stat` counts: GROUP NAME COUNT.
 */
#include <err.h>
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define COUNTERS 64

/* Return a counter of a tracepoint, GROUP:NAME, for the next exec of a process. */
static int counter_open(pid_t pid, const char *name)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_TRACEPOINT,
				       .size = sizeof(attr),
				       .disabled = 1,
				       .inherit = 1,
				       .enable_on_exec = 1};
	char path[256];
	const char *colon = strchr(name, ':');
	FILE *file;
	int fd;

	snprintf(path, sizeof(path), "/sys/kernel/tracing/events/%.*s/%s/id", (int)(colon - name),
		 name, colon + 1);
	file = fopen(path, "r");
	if (!file || fscanf(file, "%llu", (unsigned long long *)&attr.config) != 1)
		err(2, "%s", path);
	fclose(file);
	fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (fd < 0)
		err(2, "%s", name);
	return fd;
}

int main(int argc, char **argv)
{
	int fds[COUNTERS], go[2], n, status;
	uint64_t count;
	pid_t pid;
	char byte;

	for (n = 0; n + 1 < argc && strcmp(argv[n + 1], "--") != 0; n++)
		;
	if (n + 2 >= argc || n > COUNTERS) {
		fprintf(stderr, "usage: perf-count GROUP:NAME... -- COMMAND...\n");
		return 2;
	}
	if (pipe(go) != 0 || (pid = fork()) < 0)
		err(2, "fork");
	if (pid == 0) {
		close(go[1]);
		if (read(go[0], &byte, 1) == 0)
			execv(argv[n + 2], argv + n + 2);
		err(2, "%s", argv[n + 2]);
	}
	for (int i = 0; i < n; i++)
		fds[i] = counter_open(pid, argv[i + 1]);
	close(go[1]);
	if (waitpid(pid, &status, 0) != pid || status != 0)
		err(2, "%s", argv[n + 2]);
	for (int i = 0; i < n; i++) {
		const char *colon = strchr(argv[i + 1], ':');

		if (read(fds[i], &count, sizeof(count)) != sizeof(count))
			err(2, "%s", argv[i + 1]);
		printf("%.*s %s %llu\n", (int)(colon - argv[i + 1]), argv[i + 1], colon + 1,
		       (unsigned long long)count);
	}
	return 0;
}
