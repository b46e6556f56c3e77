/* SPDX-License-Identifier: MIT */
/*
 * verify_program.h - the engine, as far as fuzz_compile wants it; engine.h and libdtrace.h do not
 * go into one file.
 */
#ifndef VERIFY_PROGRAM_H
#define VERIFY_PROGRAM_H

#include <stddef.h>

/* verify_init - once, before all else; 0. */
int verify_init(void);
/*
 * verify_program - enable DOF in a session of its own; 0, or a negative errno and what the engine
 * says in text (len bytes).
 */
int verify_program(const void *dof, size_t size, char *text, size_t len);

#endif
