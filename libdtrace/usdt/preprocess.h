/* SPDX-License-Identifier: MIT */
/* preprocess.h - reads a provider file, directly or through the C preprocessor. */
#ifndef DT_USDT_PREPROCESS_H
#define DT_USDT_PREPROCESS_H

#include "bytes.h"
#include "diag.h"
#include "libdtrace.h"

/* Read the file at path into text. Return 0, or -1 after a message. */
int preprocess_none(struct diag *diag, const char *path, struct bytes *text);
/*
 * Run the C preprocessor on the file: args->cpppath, or cpp in PATH, with args->cppargs. Its
 * messages are printed on the standard error. Return 0, or -1 after a message.
 */
int preprocess_file(struct diag *diag, const char *path, const struct dtrace_usdt_args *args,
		    struct bytes *text);

#endif
