// SPDX-License-Identifier: MIT
/* output.c - where output goes: its opening and end, and what becomes of it when nobody reads it. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const char *name = "standard output";
static bool terminal; /* output goes to one: it may be closed */

/* A stream that was closed when we began is /dev/null, open for reading. */
static bool is_writable(int fd)
{
	return (fcntl(fd, F_GETFL) & O_ACCMODE) != O_RDONLY;
}

FILE *output_open(const char *path)
{
	FILE *fp = stdout;

	if (path) {
		name = path;
		fp = fopen(path, "a");
		if (!fp)
			fatal("failed to open %s: %s", path, strerror(errno));
	} else if (!is_writable(STDOUT_FILENO)) {
		output_fail(EBADF);
	}
	terminal = isatty(fileno(fp));
	return fp;
}

bool output_is_lost(int error)
{
	return error == EPIPE || (error == EIO && terminal);
}

void output_forget(FILE *fp)
{
	if (!freopen("/dev/null", "w", fp))
		fatal("failed to open /dev/null: %s", strerror(errno));
}

void output_fail(int error)
{
	fatal("cannot write %s: %s", name, error == EBADF ? "it is closed" : strerror(error));
}

/* The reader of a pipe has gone. */
static bool is_unread(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Return the errno of a write that failed before: stdio keeps that it failed, and not why. */
static int failure_of(int fd)
{
	if (!is_writable(fd))
		return EBADF;
	return is_unread(fd) ? EPIPE : EIO;
}

int output_close(FILE *fp, int status)
{
	int error = ferror(fp) ? failure_of(fileno(fp)) : 0;

	if (fclose(fp) != 0)
		error = errno;
	if (error != 0 && !output_is_lost(error))
		output_fail(error);
	return status;
}
