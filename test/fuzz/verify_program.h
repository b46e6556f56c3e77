/* SPDX-License-Identifier: MIT */
/*
 * verify_program.h - the part of the engine that fuzz_compile uses. A file cannot include both
 * engine.h and libdtrace.h.
 */
#ifndef VERIFY_PROGRAM_H
#define VERIFY_PROGRAM_H

#include <stddef.h>

/* verify_init - prepare the engine; called once, before all else. Return 0 or a negative errno. */
int verify_init(void);
/*
 * verify_program - enable DOF in a session of its own. Return 0; or a negative errno, and write the
 * engine's message to text (len bytes).
 */
int verify_program(const void *dof, size_t size, char *text, size_t len);

#endif
