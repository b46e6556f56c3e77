/* SPDX-License-Identifier: MIT */
/* engine_session.h - a session that takes whatever DOF it is given, for fuzzing the engine. */
#ifndef FUZZ_ENGINE_SESSION_H
#define FUZZ_ENGINE_SESSION_H

#include "engine.h"

/* Memory that programs can read: addresses are the same in every run. */
#define FUZZ_KERNEL	0x60000000ULL
#define FUZZ_USER	0x61000000ULL
#define FUZZ_AREA	(320 * 1024)
#define FUZZ_UID	1000

/*
 * engine_session - enable the DOF; if it is taken, go, fire probes on two CPUs, read everything,
 * end. Nothing may be left.
 */
void engine_session(const void *dof, size_t size);

/*
 * engine_session_as - the same with given rights, DTRACE_PRIV_*, and a number of firings, an even one.
 * The result is 0 if it came to that, or the engine's error.
 *
 * Each firing must be done with what its work allows, and reading a DOF must not take memory out of
 * proportion to its size.
 */
int engine_session_as(const void *dof, size_t size, uint32_t privs, unsigned int times);

/* fuzz_cpu_time - ns of CPU time of this thread. */
uint64_t fuzz_cpu_time(void);

/*
 * fuzz_time - complain if more than limit ns of CPU time have passed since began. The time that a host
 * takes from a virtual machine counts as CPU time, so the input is only to blame if it is too slow
 * in each of several runs: see fuzz_again().
 */
void fuzz_time(const char *what, uint64_t began, uint64_t limit);

/*
 * fuzz_again - return whether the input must run once more, because fuzz_time() has complained. End
 * the process if that was so in FUZZ_RUNS runs.
 */
bool fuzz_again(void);
#define FUZZ_RUNS 5

/* fuzz_check - end the process, and say what is wrong, unless it holds. */
#define fuzz_check(x)	((x) ? (void)0 : fuzz_fail(#x, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *what, const char *file, int line);

/*
 * fuzz_check_scratch - is it as struct mstate says: all zeros from scratch_used on? Else others'
 * programs could find what was left there.
 */
struct mstate;
void fuzz_check_scratch(const struct mstate *m);

/* ns of a unit of work at most, with sanitisers, and of a firing besides; of CPU time */
#define FUZZ_UNIT_NS		1000
#define FUZZ_FIRE_NS		20000000
/* ns of CPU time that reading a DOF of size bytes may take, with sanitisers */
#define FUZZ_DOF_NS(size)	(1000000000 + 3000 * (uint64_t)(size))
/* bytes that may be allocated while a DOF of size bytes is read */
#define FUZZ_DOF_BYTES(size)	(16 * (uint64_t)(size) + (16U << 20))

#endif
