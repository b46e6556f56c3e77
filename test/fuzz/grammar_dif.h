/* SPDX-License-Identifier: MIT */
/*
 * grammar_dif.h - DIF programs from a grammar: expressions, branches, tuples, variables, calls of
 * all subroutines and allocations, with sizes at and beyond the limits, and up to the largest
 * program. Most of what it makes the verifier takes; a part it must refuse.
 */
#ifndef FUZZ_GRAMMAR_DIF_H
#define FUZZ_GRAMMAR_DIF_H

#include "choices.h"
#include "engine_build.h"

/* Areas of memory of which programs have addresses: the kernel's and the process's. */
struct grammar_world {
	uint64_t kernel, user, area; /* where they begin; bytes of each */
	bool helper;		     /* the program is a ustack helper's */
};

/* grammar_difo - a program by the choices; to be freed with build_difo_free. */
void grammar_difo(struct choices *c, const struct grammar_world *w, struct build_difo *d);

#endif
