/* SPDX-License-Identifier: MIT */
/*
 * output_file.h - files that are replaced as a whole or not at all.
 *
 * A new content is written beside the file under a temporary name; several of them are put in place
 * together. While a batch is open, signals that would end the program wait
 * (output_batch_interrupted tells), so nothing temporary is left behind.
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

/* output_batch_begin - an empty batch; output_batch_end must follow. */
void output_batch_begin(struct output_batch *batch, struct diag *diag);
/*
 * output_batch_interrupted - whether a signal waits that wants to end the program: then give up and
 * call output_batch_end.
 */
bool output_batch_interrupted(void);
/*
 * output_batch_add - begin a new content for the file at path. Returns a descriptor to write it to
 * (it belongs to the batch), -1 after a message.
 */
int output_batch_add(struct output_batch *batch, const char *path);
/*
 * output_batch_complete - the file begun last is written. With like, it takes mode, owner and times
 * from there (the owner as far as allowed); else a new file gets the mode of the umask.
 */
int output_batch_complete(struct output_batch *batch, const struct stat *like);
/* output_batch_commit - put all files in place. Returns 0, or -1 after a message. */
int output_batch_commit(struct output_batch *batch);
/* output_batch_end - remove what was not put in place, and let signals through. */
void output_batch_end(struct output_batch *batch);

#endif
