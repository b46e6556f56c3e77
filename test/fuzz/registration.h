/* SPDX-License-Identifier: MIT */
/* registration.h - register any DOF as a process would, for fuzzing the engine. */
#ifndef FUZZ_REGISTRATION_H
#define FUZZ_REGISTRATION_H

#include <stddef.h>

#define REGISTRATION_BASE 0x1000 /* added by relocations */

/*
 * registration - register a DOF. Check that it is refused with a reason, or that all data from it
 * is valid and a ustack helper in it runs within its work. Check that no memory is left allocated.
 */
void registration(const void *dof, size_t size);

#endif
