/* SPDX-License-Identifier: MIT */
/*
 * grammar_dif.h - DIF programs from a grammar: expressions, branches, tuples, variables, calls of
 * all subroutines, and allocations. Sizes are at and beyond the limits, up to the largest program.
 * The verifier accepts most of the programs, and must refuse the others.
 */
#ifndef FUZZ_GRAMMAR_DIF_H
#define FUZZ_GRAMMAR_DIF_H

#include "choices.h"
#include "engine_build.h"

/* The areas of memory whose addresses programs use: the kernel's and the process's. */
struct grammar_world {
	uint64_t kernel, user, area; /* where they begin; bytes of each */
	bool helper;		     /* the program is a ustack helper's */
};

/* grammar_difo - make a program by the choices. The caller frees it with build_difo_free(). */
void grammar_difo(struct choices *c, const struct grammar_world *w, struct build_difo *d);

#endif
