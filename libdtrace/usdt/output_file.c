/* SPDX-License-Identifier: MIT */
/* output_file.c - replaces files as a whole, or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include "bytes.h"
#include "output_file.h"

static const int ending_signals[] = {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU};

#define NSIGNALS (sizeof(ending_signals) / sizeof(ending_signals[0]))

void output_batch_begin(struct output_batch *batch, struct diag *diag)
{
	sigset_t set;
	size_t i;

	memset(batch, 0, sizeof(*batch));
	batch->diag = diag;
	sigemptyset(&set);
	for (i = 0; i < NSIGNALS; i++)
		sigaddset(&set, ending_signals[i]);
	pthread_sigmask(SIG_BLOCK, &set, &batch->old_mask);
}

bool output_batch_interrupted(void)
{
	struct sigaction action;
	sigset_t pending;
	size_t i;

	sigpending(&pending);
	for (i = 0; i < NSIGNALS; i++) {
		if (!sigismember(&pending, ending_signals[i]))
			continue;
		if (!sigaction(ending_signals[i], NULL, &action) && action.sa_handler != SIG_IGN)
			return true;
	}
	return false;
}

static struct output_file *batch_new(struct output_batch *batch, const char *path)
{
	struct output_file *files = array_grow(batch->files, batch->count, sizeof(*files));
	char *resolved;

	if (files)
		batch->files = files;
	resolved = realpath(path, NULL);
	if (!resolved)
		resolved = strdup(path);
	if (!files || !resolved) {
		free(resolved);
		diag_nomem(batch->diag);
		return NULL;
	}
	files[batch->count] = (struct output_file){.path = resolved, .fd = -1};
	return &files[batch->count++];
}

/*
 * The contents go to a temporary file .NAME.XXXXXX in the same folder, or to memory if the output
 * is a device or a pipe.
 */
int output_batch_add(struct output_batch *batch, const char *path)
{
	struct output_file *file = batch_new(batch, path);
	const char *slash;
	struct stat st;
	int folder;

	if (!file)
		return -1;
	if (!stat(file->path, &st) && !S_ISREG(st.st_mode)) {
		file->fd = memfd_create("dtrace", MFD_CLOEXEC);
	} else {
		slash = strrchr(file->path, '/');
		folder = slash ? (int)(slash - file->path) + 1 : 0;
		if (asprintf(&file->temporary, "%.*s.%.200s.XXXXXX", folder, file->path,
			     file->path + folder) < 0) {
			file->temporary = NULL;
			return diag_nomem(batch->diag);
		}
		file->fd = mkostemp(file->temporary, O_CLOEXEC);
	}
	if (file->fd >= 0)
		return file->fd;
	diag_error(batch->diag, "cannot write %s: %s", file->path, strerror(errno));
	free(file->temporary);
	file->temporary = NULL;
	return -1;
}

/* Set mode, owner and times to those of the previous file. */
static bool be_like(int fd, const struct stat *like)
{
	struct timespec times[2] = {like->st_atim, like->st_mtim};

	if ((like->st_uid != geteuid() || like->st_gid != getegid()) &&
	    fchown(fd, like->st_uid, like->st_gid) && errno != EPERM)
		return false;
	return !fchmod(fd, like->st_mode & 07777) && !futimens(fd, times);
}

int output_batch_complete(struct output_batch *batch, const struct stat *like)
{
	struct output_file *file = &batch->files[batch->count - 1];
	mode_t mask;
	bool good;

	if (!file->temporary)
		return 0;
	if (like) {
		good = be_like(file->fd, like);
	} else { /* the mode of a new file */
		mask = umask(0);
		umask(mask);
		good = !fchmod(file->fd, 0666 & ~mask);
	}
	if (close(file->fd))
		good = false;
	file->fd = -1;
	return good ? 0
		    : diag_error(batch->diag, "cannot write %s: %s", file->path, strerror(errno));
}

/* Commit a file: rename it, or copy it from memory. */
static int commit_file(struct output_file *file)
{
	char part[16384];
	off_t at = 0;
	ssize_t n = 1;
	int fd;

	if (file->temporary)
		return rename(file->temporary, file->path);
	fd = open(file->path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return -1;
	for (; n > 0; at += n) {
		n = pread(file->fd, part, sizeof(part), at);
		if (n > 0)
			n = write(fd, part, (size_t)n);
	}
	return close(fd) || n ? -1 : 0;
}

int output_batch_commit(struct output_batch *batch)
{
	struct output_file *file;

	for (file = batch->files; file < batch->files + batch->count; file++) {
		if (commit_file(file))
			return diag_error(batch->diag, "cannot write %s: %s", file->path,
					  strerror(errno));
		free(file->temporary);
		file->temporary = NULL;
	}
	return 0;
}

void output_batch_end(struct output_batch *batch)
{
	size_t i;

	for (i = 0; i < batch->count; i++) {
		if (batch->files[i].fd >= 0)
			close(batch->files[i].fd);
		if (batch->files[i].temporary)
			unlink(batch->files[i].temporary);
		free(batch->files[i].temporary);
		free(batch->files[i].path);
	}
	free(batch->files);
	pthread_sigmask(SIG_SETMASK, &batch->old_mask, NULL);
}
