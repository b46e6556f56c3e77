/* SPDX-License-Identifier: MIT */
/* preprocess.h - the text of a provider file, as it is or through the C preprocessor. */
#ifndef DT_USDT_PREPROCESS_H
#define DT_USDT_PREPROCESS_H

#include "bytes.h"
#include "diag.h"
#include "libdtrace.h"

/* preprocess_none - read the file at path into text. Returns 0, or -1 after a message. */
int preprocess_none(struct diag *diag, const char *path, struct bytes *text);
/*
 * preprocess_file - run the C preprocessor (cpp in PATH, or what args' cpppath says) on it, with args'
 * cppargs. Its messages go to the standard error. Returns 0, or -1 after a message.
 */
int preprocess_file(struct diag *diag, const char *path, const struct dtrace_usdt_args *args,
		    struct bytes *text);

#endif
