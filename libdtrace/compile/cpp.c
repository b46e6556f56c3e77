/* SPDX-License-Identifier: MIT */
/* cpp.c - runs the C preprocessor over a program. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile.h"

/* A file descriptor from which the text can be read, or -1. */
static int cpp_input(const char *text)
{
	int fd = memfd_create("d-program", MFD_CLOEXEC);
	size_t n = strlen(text);
	ssize_t done;

	for (; fd >= 0 && n > 0; text += done, n -= (size_t)done) {
		done = write(fd, text, n);
		if (done < 0) {
			close(fd);
			return -1;
		}
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

static void cpp_exec(dtrace_hdl_t *dtp, int in, int out) __attribute__((noreturn));

/* The child: never returns. */
static void cpp_exec(dtrace_hdl_t *dtp, int in, int out)
{
	const char **argv = calloc((size_t)dtp->cppargs.n + 8, sizeof(*argv));
	const char *cpp = dtp->cpppath ? dtp->cpppath : "cpp";
	int n = 0;

	if (!argv || dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	argv[n++] = cpp;
	argv[n++] = "-D__SUNW_D=1";
	argv[n++] = "-D__SUNW_D_VERSION=0x01000000";
	argv[n++] = "-xc";
	if (dt_copt(dtp, DT_COPT_CPPHDRS))
		argv[n++] = "-H";
	for (int i = 0; i < dtp->cppargs.n; i++)
		argv[n++] = dtp->cppargs.words[i];
	argv[n++] = "-";
	execvp(cpp, (char *const *)argv);
	fprintf(stderr, "dtrace: cannot run %s: %s\n", cpp, strerror(errno));
	_exit(127);
}

static char *cpp_read(int fd)
{
	FILE *fp = fdopen(fd, "r");
	char *text = NULL;
	size_t n = 0;

	if (!fp) {
		close(fd);
		return NULL;
	}
	if (getdelim(&text, &n, '\0', fp) < 0) {
		free(text);
		text = feof(fp) ? strdup("") : NULL;
	}
	fclose(fp);
	return text;
}

/* The line that says who runs the script is not the preprocessor's. */
static const char *cpp_skip_script(const char *text)
{
	return text[0] == '#' && text[1] == '!' ? text + strcspn(text, "\n") : text;
}

static char *cpp_failed(dtrace_hdl_t *dtp, const char *file, char *text)
{
	free(text);
	dt_set_error(dtp, EDT_COMPILER, "the preprocessor refused %s", file ? file : "the program");
	return NULL;
}

char *cpp_run(dtrace_hdl_t *dtp, const char *file, const char *text)
{
	int in = cpp_input(cpp_skip_script(text)), out[2], status = 0;
	char *result;
	pid_t pid;

	if (in < 0 || pipe2(out, O_CLOEXEC) != 0) {
		dt_set_errno(dtp, errno);
		if (in >= 0)
			close(in);
		return NULL;
	}
	pid = fork();
	if (pid == 0)
		cpp_exec(dtp, in, out[1]);
	close(in);
	close(out[1]);
	result = cpp_read(out[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) ||
	    !result)
		return cpp_failed(dtp, file, result);
	return result;
}
