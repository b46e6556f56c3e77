/* SPDX-License-Identifier: MIT */
/*
 * find_main.h - how a program comes from its entry point to main, by its code. (find_main.c)
 *
 * The C library's start function is given main as its first argument. So the caller stops the
 * program at each call that find_main_call() finds, asks find_main_is_main() of the argument there,
 * and goes on with find_main_enter().
 */
#ifndef DT_FIND_MAIN_H
#define DT_FIND_MAIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define FIND_MAIN_DEPTH 4 /* calls within calls */

struct find_main {
	pid_t pid;
	int bits;	 /* 32 or 64 */
	uint64_t entry;	 /* of the program, as loaded */
	uint64_t lo, hi; /* its code */
	uint64_t at;	 /* the next instruction to look at */
	uint64_t target; /* of the call there; 0: not known */
	uint64_t back;	 /* to which that call returns; 0: nowhere */
	uint64_t returns[FIND_MAIN_DEPTH];
	unsigned int depth;
	unsigned int steps; /* instructions that were looked at */
};

/*
 * Begin at the entry point of the program that a process has executed. Return false if it cannot be
 * read.
 */
bool find_main_open(struct find_main *find, pid_t pid);
/*
 * Return the address of the next call, or of a jump that ends a function, that the program is
 * certain to reach; 0 if there is none.
 */
uint64_t find_main_call(struct find_main *find);
/* Return whether the first argument of a call may be main. */
bool find_main_is_main(const struct find_main *find, uint64_t argument);
/* Continue in the function that is called there. Return false if its address is not known. */
bool find_main_enter(struct find_main *find);

#endif
