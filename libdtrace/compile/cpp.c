/* SPDX-License-Identifier: MIT */
/* cpp.c - runs the C preprocessor over a program. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <unistd.h>

#include "compile.h"

#define CPP_MAXARGS 20 /* that we give ourselves */

static bool cpp_write(int fd, const char *text, size_t n)
{
	ssize_t done;

	for (; n > 0; text += done, n -= (size_t)done) {
		done = write(fd, text, n);
		if (done < 0)
			return false;
	}
	return true;
}

/*
 * Return a file descriptor from which the program can be read, or -1. The preprocessor gets the
 * file's name, for its messages.
 */
static int cpp_input(const char *file, const char *text)
{
	int fd = memfd_create("d-program", MFD_CLOEXEC);
	bool name = file && !strpbrk(file, "\"\\\n");

	if (fd < 0)
		return -1;
	if ((name && dprintf(fd, "# 1 \"%s\"\n", file) < 0) || !cpp_write(fd, text, strlen(text))) {
		close(fd);
		return -1;
	}
	lseek(fd, 0, SEEK_SET);
	return fd;
}

/*
 * Write the definition of a macro such as __Linux_6_1_0, of the system's name and release.
 * Characters that no identifier has become _.
 */
static void cpp_system_macro(char *text, size_t len)
{
	struct utsname uts;

	uname(&uts);
	snprintf(text, len, "-D__%s_%s", uts.sysname, uts.release);
	for (char *p = text + 2; *p; p++)
		if (!isalnum((unsigned char)*p))
			*p = '_';
}

/* Return the definition of __STDC__ for -X; NULL: the preprocessor's own. */
static const char *cpp_stdc(dtrace_hdl_t *dtp)
{
	switch (dt_copt(dtp, DT_COPT_STDC)) {
	case 'a':
	case 't':
		return "-D__STDC__=0";
	case 'c':
		return "-D__STDC__=1";
	case 's':
		return "-U__STDC__";
	default:
		return NULL;
	}
}

/* Set the arguments with which every program is preprocessed. Return their number. */
static int cpp_standard_args(dtrace_hdl_t *dtp, const char **argv)
{
	static char version[40], system[sizeof(struct utsname)];
	int n = 0;

	snprintf(version, sizeof(version), "-D__SUNW_D_VERSION=0x%08x",
		 (unsigned int)dt_copt(dtp, DT_COPT_VERSION));
	cpp_system_macro(system, sizeof(system));
	argv[n++] = "-xc";
	argv[n++] = "-Ulinux"; /* names that are the program's */
	argv[n++] = "-Uunix";
	argv[n++] = "-D__linux=1";
	argv[n++] = "-D__unix=1";
	argv[n++] = "-D__SVR4=1";
	argv[n++] = "-D__SUNW_D=1";
	argv[n++] = "-D__SUNW_D_64=1";
	argv[n++] = version;
	argv[n++] = system;
	if (cpp_stdc(dtp)) {
		argv[n++] = "-w"; /* it warns of changes to __STDC__ */
		argv[n++] = cpp_stdc(dtp);
	}
	return n;
}

/*
 * Return the folder of the program, in which headers in quotes are also searched; NULL: the current
 * one.
 */
static char *cpp_folder(const char *file)
{
	const char *slash = file ? strrchr(file, '/') : NULL;

	return slash ? strndup(file, (size_t)(slash - file + 1)) : NULL;
}

static void cpp_exec(dtrace_hdl_t *dtp, const char *file, int in, int out)
	__attribute__((noreturn));

/* Run the preprocessor in the child. */
static void cpp_exec(dtrace_hdl_t *dtp, const char *file, int in, int out)
{
	const char **argv = calloc((size_t)dtp->cppargs.n + CPP_MAXARGS, sizeof(*argv));
	char *folder = cpp_folder(file);
	int n = 1;

	if (!argv || dup2(in, 0) < 0 || dup2(out, 1) < 0)
		_exit(126);
	argv[0] = dtp->cpppath;
	n += cpp_standard_args(dtp, argv + 1);
	for (int i = 0; i < dtp->cppargs.n; i++)
		argv[n++] = dtp->cppargs.words[i];
	if (folder) {
		argv[n++] = "-iquote";
		argv[n++] = folder;
	}
	argv[n++] = "-";
	for (int i = 0; i < n; i++)
		dt_debug(dtp, "preprocessor: %s", argv[i]);
	execvp(argv[0], (char *const *)argv);
	_exit(errno == ENOENT ? 127 : 126);
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

/* Skip the script's first line, which names its interpreter. */
static const char *cpp_skip_script(const char *text)
{
	return text[0] == '#' && text[1] == '!' ? text + strcspn(text, "\n") : text;
}

static char *cpp_failed(dtrace_hdl_t *dtp, char *text, int status)
{
	free(text);
	if (status == 0)
		dt_set_errno(dtp, ENOMEM);
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		dt_set_error(dtp, EDT_COMPILER,
			     "the C preprocessor, %s, is not installed: -xcpppath names another",
			     dtp->cpppath);
	else if (WIFEXITED(status))
		dt_set_error(dtp, EDT_COMPILER, "the C preprocessor, %s, failed with status %d",
			     dtp->cpppath, WEXITSTATUS(status));
	else
		dt_set_error(dtp, EDT_COMPILER, "the C preprocessor, %s, was killed by signal %d",
			     dtp->cpppath, WTERMSIG(status));
	return NULL;
}

char *cpp_run(dtrace_hdl_t *dtp, const char *file, const char *text)
{
	int in = cpp_input(file, cpp_skip_script(text)), out[2], status = 0;
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
		cpp_exec(dtp, file, in, out[1]);
	close(in);
	close(out[1]);
	result = cpp_read(out[0]);
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status) || WEXITSTATUS(status) ||
	    !result)
		return cpp_failed(dtp, result, status);
	return result;
}
