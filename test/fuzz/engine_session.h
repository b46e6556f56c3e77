/* SPDX-License-Identifier: MIT */
/* engine_session.h - a session that takes whatever DOF it is given, for fuzzing the engine. */
#ifndef FUZZ_ENGINE_SESSION_H
#define FUZZ_ENGINE_SESSION_H

#include "engine.h"

/* Memory that programs can read: addresses are the same in every run. */
#define FUZZ_KERNEL	0x60000000ULL
#define FUZZ_USER	0x61000000ULL
#define FUZZ_AREA	4096

/*
 * engine_session - enable the DOF; if it is taken, go, fire probes on two CPUs, read everything,
 * end. Nothing may be left.
 */
void engine_session(const void *dof, size_t size);

#endif
