/* SPDX-License-Identifier: MIT */
/*
 * fire.h - traces a test program's own probes without a kernel module.
 *
 * Linked into a program, this puts a trap on each site before the program's constructors run. At a
 * trap it reads the arguments from the registers and memory as the record of the site says, and
 * prints
 *
 *	provider:probe(function) argument argument...
 */
#ifndef FIRE_H
#define FIRE_H

#ifdef __cplusplus
extern "C" {
#endif

/*
 * Increment the semaphore of each site, and have is-enabled sites say yes: probes are enabled from
 * here on.
 */
void fire_enable(void);

/* While it is not 0, sites that fire print nothing. */
extern int fire_silent;

/* Argument n of the last site that fired, extended to 64 bits. */
unsigned long long fire_arg(int n);

#ifdef __cplusplus
}
#endif
#endif
