/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - replaces files as a whole, or not at all.
 *
 * The new contents are written beside the file under a temporary name, and the files of a batch are
 * committed together. While a batch is open, signals that would end the program are blocked, so
 * that no temporary file remains; output_batch_interrupted() returns whether one is pending.
 */
#ifndef DT_USDT_OUTPUT_FILE_H
#define DT_USDT_OUTPUT_FILE_H

#include <signal.h>
#include <stdbool.h>
#include <sys/stat.h>
#include "diag.h"

struct output_file {
	char *path;	 /* symbolic links followed */
	char *temporary; /* NULL: path is no regular file; the content waits in memory */
	int fd;		 /* of the new content; -1 once a temporary file is complete */
};

struct output_batch {
	struct diag *diag;
	struct output_file *files;
	size_t count;
	sigset_t old_mask;
};

/* Begin an empty batch. Call output_batch_end() afterwards. */
void output_batch_begin(struct output_batch *batch, struct diag *diag);
/*
 * Return whether a signal that ends the program is pending. The caller should then give up, and
 * call output_batch_end().
 */
bool output_batch_interrupted(void);
/*
 * Begin new contents for the file at path. Return a descriptor to write to, which belongs to the
 * batch, or -1 after a message.
 */
int output_batch_add(struct output_batch *batch, const char *path);
/*
 * Finish the file begun last. With like, it gets mode, owner and times from there (the owner as far
 * as permitted); otherwise a new file gets the mode of the umask.
 */
int output_batch_complete(struct output_batch *batch, const struct stat *like);
/* Commit all files. Return 0, or -1 after a message. */
int output_batch_commit(struct output_batch *batch);
/* Remove the files that were not committed, and unblock signals. */
void output_batch_end(struct output_batch *batch);

#endif
