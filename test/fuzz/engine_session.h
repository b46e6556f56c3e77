/* SPDX-License-Identifier: MIT */
/* engine_session.h - run a session with any DOF, for fuzzing the engine. */
#ifndef FUZZ_ENGINE_SESSION_H
#define FUZZ_ENGINE_SESSION_H

#include "engine.h"

/* Memory that programs can read. Its addresses are the same in every run. */
#define FUZZ_KERNEL 0x60000000ULL
#define FUZZ_USER   0x61000000ULL
#define FUZZ_AREA   (320 * 1024)
#define FUZZ_UID    1000

/*
 * engine_session - enable the DOF. If the engine accepts it, start tracing, fire probes on two
 * CPUs, read all data, and end. Check that no memory is left allocated.
 */
void engine_session(const void *dof, size_t size);

/*
 * engine_session_as - do the same with the rights privs, DTRACE_PRIV_*, and an even number of
 * firings. Return 0 if the session began to trace, or the engine's error.
 *
 * Each firing must end within the time that its work allows. Reading a DOF must not take time or
 * memory out of proportion to its size.
 */
int engine_session_as(const void *dof, size_t size, uint32_t privs, unsigned int times);

/* fuzz_cpu_time - return ns of CPU time of this thread. */
uint64_t fuzz_cpu_time(void);

/*
 * fuzz_time - complain if more than limit ns of CPU time have passed since began. The time that a
 * host takes from a virtual machine counts as CPU time. So the input is only to blame if it is too
 * slow in each of several runs: see fuzz_again().
 */
void fuzz_time(const char *what, uint64_t began, uint64_t limit);

/*
 * fuzz_again - return whether the input must run once more, because fuzz_time() has complained. End
 * the process if fuzz_time() has complained in each of FUZZ_RUNS runs.
 */
bool fuzz_again(void);
#define FUZZ_RUNS 5

/* fuzz_check - end the process with a message unless x is true. */
#define fuzz_check(x) ((x) ? (void)0 : fuzz_fail(#x, __FILE__, __LINE__))
_Noreturn void fuzz_fail(const char *what, const char *file, int line);

/*
 * fuzz_check_scratch - check that scratch memory is all zeros from scratch_used on, as struct
 * mstate requires. Else another user's program could read what a firing has left there.
 */
struct mstate;
void fuzz_check_scratch(const struct mstate *m);

/* the most ns of CPU time, with sanitisers: of a unit of work, and of a firing in addition */
#define FUZZ_UNIT_NS 1000
#define FUZZ_FIRE_NS 20000000
/* ns of CPU time that reading a DOF of size bytes may take, with sanitisers */
#define FUZZ_DOF_NS(size) (1000000000 + 3000 * (uint64_t)(size))
/* bytes that may be allocated while a DOF of size bytes is read */
#define FUZZ_DOF_BYTES(size) (16 * (uint64_t)(size) + (16U << 20))

#endif
