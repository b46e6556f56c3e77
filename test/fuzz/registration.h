/* SPDX-License-Identifier: MIT */
/* registration.h - registers any DOF as a process would, for fuzzing the engine. */
#ifndef FUZZ_REGISTRATION_H
#define FUZZ_REGISTRATION_H

#include <stddef.h>

#define REGISTRATION_BASE 0x1000 /* what relocations add */

/*
 * registration - refused with a reason, or everything it gives is sound, and a ustack helper in it
 * runs within its work. Nothing may be left.
 */
void registration(const void *dof, size_t size);

#endif
