/* SPDX-License-Identifier: MIT */
/* say.h - steps and errors on stderr when DTRACE_DOF_INIT_DEBUG is set. (say.c) */
#ifndef DRTI_SAY_H
#define DRTI_SAY_H

/* Write a number in decimal, and NUL, to out: at most 21 characters. */
void drti_decimal(char *out, unsigned long number);

/* With DTRACE_DOF_INIT_DEBUG, print a line with the texts and the number on stderr. */
void drti_say(const char *what, const char *which, const char *unit, unsigned long number);

#endif
