// SPDX-License-Identifier: MIT
/* output.c - opens and closes the output, and detects that its reader has gone. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "cmd.h"

static const char *name = "standard output";
static bool terminal; /* output is a terminal, which may be closed */

/* Return whether fd is open for writing: streams_open() has opened closed ones for reading. */
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

/* Return whether the reader of a pipe has gone. */
static bool is_unread(int fd)
{
	struct pollfd p = {.fd = fd, .events = POLLOUT};

	return poll(&p, 1, 0) == 1 && (p.revents & POLLERR);
}

/* Return the errno of an earlier failed write: stdio only keeps the fact that it failed. */
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
