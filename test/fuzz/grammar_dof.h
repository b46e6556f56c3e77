/* SPDX-License-Identifier: MIT */
/*
 * grammar_dof.h - DOF files from a grammar: sections of every type that refer to each other, shared,
 * in cycles, at and beyond the limits of tables; relocations that change headers and tables, their own
 * included.
 */
#ifndef FUZZ_GRAMMAR_DOF_H
#define FUZZ_GRAMMAR_DOF_H

#include "grammar_dif.h"

/*
 * grammar_dof - a file by the choices, to be freed. w->helper: what a process registers, else a
 * consumer's program. base: what relocations will be given as the object's address.
 */
void *grammar_dof(struct choices *c, const struct grammar_world *w, uint64_t base, size_t *size);

#endif
