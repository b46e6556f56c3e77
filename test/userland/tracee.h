/* SPDX-License-Identifier: MIT */
/* tracee.h - a victim under test: started, controlled by commands, and joined. (tracee.c) */
#ifndef TEST_USERLAND_TRACEE_H
#define TEST_USERLAND_TRACEE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include "userland/inject.h"
#include "userland/patch.h"

/* End the test as failed, with a message. */
void fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
/* End the test as failed unless a condition holds. */
#define check(condition) ((condition) ? (void)0 : fail("%s:%d: %s", __FILE__, __LINE__, #condition))

struct tracee_site {
	uint64_t pc;
	int kind; /* enum kind of victim.c */
};
#define KIND_CALL	 1
#define KIND_JUMP	 2
#define KIND_JUMP_IF	 3
#define KIND_SYSTEMTAP	 4
#define KIND_ENABLED	 5
#define KIND_INSTRUCTION 6
#define KIND_ROW	 7 /* instructions too, one behind the other */

struct tracee {
	pid_t pid;
	FILE *to, *from;
	struct tracee_site sites[4096];
	size_t nsites;
	unsigned long passes, wrong; /* of its last answer */
	int data;		     /* memory file of the counters */
	volatile uint64_t *
		/* by index, which is that of sites; the table of numbers is behind them */
		counters;
	uint64_t text; /* the code that counts, there */
	struct dt_patches *patches;
	char why[DT_WHYLEN]; /* why a site could not be switched last */
};

/* Start a program, and read its sites up to "ready". arguments: as exec has them, with a NULL. */
void tracee_start(struct tracee *t, char *const *arguments);
/* Tell it a command, and wait until it is done. */
void tracee_tell(struct tracee *t, const char *command);
/* Read a line that it prints; end the test if there is none. */
void tracee_line(struct tracee *t, char *line, size_t size);
/* Put the counting code into it, and open its patches. */
void tracee_join(struct tracee *t);
/* Open its patches again, after they were closed: another session begins. */
void tracee_join_again(struct tracee *t);
/*
 * Prepare its sites from a number on, as work of its own. Return how many failed, with the last
 * error and reason.
 */
size_t tracee_prepare(struct tracee *t, size_t from, size_t n, int *error, char *why);
/* Switch n sites from a number on. Return how many failed. */
size_t tracee_set(struct tracee *t, size_t from, size_t n, bool on);
/* Read all code of the sites. Return it, for the caller to free. */
unsigned char *tracee_code(const struct tracee *t);
/* Return the sum of the counters, and set them to 0. */
uint64_t tracee_count(struct tracee *t);
/* Let it end; it must have been right all the time. */
void tracee_quit(struct tracee *t);

#endif
