/* SPDX-License-Identifier: MIT */
/* diag.h - messages of dtrace -h and dtrace -G. */
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

/* Print "dtrace: " and a message, which names the file, the mistake and what to do. Return -1. */
int diag_error(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * After an error, print the line of [text, end) that contains at, with a caret below it. Print
 * nothing if the error was not shown.
 */
void diag_line(struct diag *diag, const char *text, const char *end, const char *at);
/* Report that memory ran out. Return -1. */
int diag_nomem(struct diag *diag);
/* Print a message that does not affect the result. */
void diag_remark(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Print a message that does not affect the result, if verbose is set. */
void diag_note(struct diag *diag, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Report how many errors were not shown. */
void diag_end(struct diag *diag);

#endif
