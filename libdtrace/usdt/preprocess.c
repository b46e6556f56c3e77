/* SPDX-License-Identifier: MIT */
/* preprocess.c - reads a provider file, directly or through the C preprocessor. */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>
#include "preprocess.h"

extern char **environ;

/* Read fd to its end. Return 0 or an errno. */
static int read_all(int fd, struct bytes *text)
{
	char part[16384];
	ssize_t n;

	while ((n = read(fd, part, sizeof(part))) != 0) {
		if (n > 0)
			bytes_add(text, part, (size_t)n);
		else if (errno != EINTR)
			return errno;
	}
	return text->failed ? ENOMEM : 0;
}

int preprocess_none(struct diag *diag, const char *path, struct bytes *text)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), error;

	if (fd < 0)
		return diag_error(diag, "cannot open %s: %s", path, strerror(errno));
	error = read_all(fd, text);
	close(fd);
	return error ? diag_error(diag, "cannot read %s: %s", path, strerror(error)) : 0;
}

/* Start argv with its standard output connected to the pipe. Return 0 or an errno. */
static int spawn_to_pipe(char *const *argv, const int pipes[2], pid_t *pid)
{
	posix_spawn_file_actions_t actions;
	int error = posix_spawn_file_actions_init(&actions);

	if (error)
		return error;
	error = posix_spawn_file_actions_adddup2(&actions, pipes[1], STDOUT_FILENO);
	if (!error)
		error = posix_spawnp(pid, argv[0], &actions, NULL, argv, environ);
	posix_spawn_file_actions_destroy(&actions);
	return error;
}

static int run(struct diag *diag, char *const *argv, struct bytes *text)
{
	int pipes[2], error, status = 0;
	pid_t pid;

	if (pipe2(pipes, O_CLOEXEC))
		return diag_error(diag, "cannot make a pipe: %s", strerror(errno));
	error = spawn_to_pipe(argv, pipes, &pid);
	close(pipes[1]);
	if (error) {
		close(pipes[0]);
		return diag_error(
			diag,
			"cannot run the preprocessor %s: %s (cpp comes with the C compiler; "
			"-xcpppath names another)",
			argv[0], strerror(error));
	}
	error = read_all(pipes[0], text);
	close(pipes[0]);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (error)
		return diag_error(diag, "cannot read from %s: %s", argv[0], strerror(error));
	return status;
}

int preprocess_file(struct diag *diag, const char *path, const struct dtrace_usdt_args *args,
		    struct bytes *text)
{
	const char *fixed[] = {args->cpppath ? args->cpppath : "cpp", "-x", "c", "-std=c11"};
	const size_t nfixed = sizeof(fixed) / sizeof(fixed[0]), nargs = (size_t)args->ncppargs;
	char **argv;
	int result;

	if (access(path, R_OK))
		return diag_error(diag, "cannot open %s: %s", path, strerror(errno));
	argv = calloc(nfixed + nargs + 2, sizeof(*argv));
	if (!argv)
		return diag_nomem(diag);
	memcpy(argv, fixed, sizeof(fixed));
	if (nargs)
		memcpy(argv + nfixed, args->cppargs, nargs * sizeof(*argv));
	argv[nfixed + nargs] = (char *)path;
	result = run(diag, argv, text);
	free(argv);
	return result > 0 ? diag_error(diag, "the preprocessor failed on %s", path) : result;
}
