/* SPDX-License-Identifier: MIT */
/* diag.h - messages of dtrace -h and dtrace -G to the person who runs them. */
#ifndef DT_USDT_DIAG_H
#define DT_USDT_DIAG_H

#include <stdbool.h>
#include <stdio.h>

struct diag {
	FILE *out;
	bool verbose;
	unsigned int errors; /* said so far; above DIAG_MAX they are counted only */
};

#define DIAG_MAX 20

/*
 * diag_error - say "dtrace: " and a text that names the file, the fault and what to do. Always
 * returns -1.
 */
int diag_error(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * diag_line - after an error: the line of [text, end) that at is in, and a caret below it. Nothing if
 * the error was not shown.
 */
void diag_line(struct diag *diag, const char *text, const char *end, const char *at);
/* diag_nomem - say that memory ran out. Always returns -1. */
int diag_nomem(struct diag *diag);
/* diag_remark - say something that changes no result; diag_note: only when asked to be verbose. */
void diag_remark(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
void diag_note(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* diag_end - tell how many errors were not shown. */
void diag_end(struct diag *diag);

#endif
