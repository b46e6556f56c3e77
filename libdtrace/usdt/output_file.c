/* SPDX-License-Identifier: MIT */
/* output_file.c - files that are replaced as a whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "bytes.h"
#include "output_file.h"

static const int ending_signals[] = { SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGPIPE, SIGALRM, SIGXCPU };

#define NSIGNALS	(sizeof(ending_signals) / sizeof(ending_signals[0]))

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

/* ".NAME.XXXXXX" in the folder of path. */
static char *temporary_name(const char *path)
{
	const char *slash = strrchr(path, '/');
	int folder = slash ? (int)(slash - path) + 1 : 0;
	char *name;

	if (asprintf(&name, "%.*s.%.200s.XXXXXX", folder, path, path + folder) < 0)
		return NULL;
	return name;
}

static int begin_temporary(struct output_batch *batch, struct output_file *file)
{
	file->temporary = temporary_name(file->path);
	if (!file->temporary)
		return diag_nomem(batch->diag);
	file->fd = mkostemp(file->temporary, O_CLOEXEC);
	if (file->fd >= 0)
		return 0;
	diag_error(batch->diag, "cannot write a file beside %s: %s", file->path, strerror(errno));
	free(file->temporary);
	file->temporary = NULL;
	return -1;
}

/* A device or a pipe is written to directly. */
static int begin_in_place(struct output_batch *batch, struct output_file *file)
{
	file->fd = open(file->path, O_WRONLY | O_CLOEXEC);
	if (file->fd < 0)
		return diag_error(batch->diag, "cannot write to %s: %s", file->path, strerror(errno));
	return 0;
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
	files[batch->count] = (struct output_file){ .path = resolved, .fd = -1 };
	return &files[batch->count++];
}

int output_batch_add(struct output_batch *batch, const char *path)
{
	struct output_file *file = batch_new(batch, path);
	struct stat st;
	int result;

	if (!file)
		return -1;
	if (!stat(file->path, &st) && !S_ISREG(st.st_mode))
		result = begin_in_place(batch, file);
	else
		result = begin_temporary(batch, file);
	return result ? -1 : file->fd;
}

/* Mode, owner and times as they were. */
static bool be_like(int fd, const struct stat *like)
{
	struct timespec times[2] = { like->st_atim, like->st_mtim };

	if ((like->st_uid != geteuid() || like->st_gid != getegid()) &&
	    fchown(fd, like->st_uid, like->st_gid) && errno != EPERM)
		return false;
	return !fchmod(fd, like->st_mode & 07777) && !futimens(fd, times);
}

static bool be_new(int fd)
{
	mode_t mask = umask(0);

	umask(mask);
	return !fchmod(fd, 0666 & ~mask);
}

int output_batch_complete(struct output_batch *batch, const struct stat *like)
{
	struct output_file *file = &batch->files[batch->count - 1];
	bool good = true;

	if (file->temporary)
		good = like ? be_like(file->fd, like) : be_new(file->fd);
	if (close(file->fd))
		good = false;
	file->fd = -1;
	return good ? 0 : diag_error(batch->diag, "cannot write %s: %s", file->path, strerror(errno));
}

int output_batch_commit(struct output_batch *batch)
{
	struct output_file *file;
	int result = 0;

	for (file = batch->files; file < batch->files + batch->count && !result; file++) {
		if (!file->temporary)
			continue;
		if (rename(file->temporary, file->path)) {
			result = diag_error(batch->diag, "cannot replace %s: %s", file->path, strerror(errno));
			break;
		}
		free(file->temporary);
		file->temporary = NULL;
	}
	return result;
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
