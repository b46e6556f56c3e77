/* SPDX-License-Identifier: MIT */
/*
 * grammar_dof.h - DOF files from a grammar. Sections of every type refer to each other: shared, in
 * cycles, at and beyond the limits of tables. Relocations change headers and tables, their own
 * included.
 */
#ifndef FUZZ_GRAMMAR_DOF_H
#define FUZZ_GRAMMAR_DOF_H

#include "grammar_dif.h"

/*
 * grammar_dof - return a file by the choices, which the caller frees. w->helper: the DOF that a
 * process registers; else a consumer's program. base: the address of the object, for relocations.
 */
void *grammar_dof(struct choices *c, const struct grammar_world *w, uint64_t base, size_t *size);

#endif
