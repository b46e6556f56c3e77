/* SPDX-License-Identifier: MIT */
/* find_main.h - how a program comes from its entry point to its main. (find_main.c) */
#ifndef DT_FIND_MAIN_H
#define DT_FIND_MAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define DT_ROUTE_DEPTH 4 /* calls within calls */

struct dt_route {
	pid_t pid;
	int bits;	 /* 32 or 64 */
	uint64_t entry;	 /* of the program, as loaded */
	uint64_t lo, hi; /* its code */
	uint64_t at;	 /* where what has not been looked at begins */
	uint64_t target; /* of the call there; 0: not known */
	uint64_t back;	 /* where it comes back to; 0: nowhere */
	uint64_t returns[DT_ROUTE_DEPTH];
	unsigned int depth;
	unsigned int steps; /* instructions that were looked at */
};

/* dt_route_open - that of a program that has been executed; false: it cannot be read. */
bool dt_route_open(struct dt_route *route, pid_t pid);
/*
 * dt_route_call - the address of the next call, or of a jump as the last thing of a function, that
 * the program comes to for certain. 0: there is none.
 */
uint64_t dt_route_call(struct dt_route *route);
/* dt_route_is_main - may this be main, as the first argument of a function that is called there? */
bool dt_route_is_main(const struct dt_route *route, uint64_t argument);
/* dt_route_enter - go on in the function that is called there; false: which that is is not known. */
bool dt_route_enter(struct dt_route *route);

#endif
