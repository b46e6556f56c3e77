/* SPDX-License-Identifier: MIT */
/*
 * engine_fixture.h - what tests of the engine share: a provider "test" that counts what the engine
 * asks of it, sessions, and short ways to build a program.
 */
#ifndef ENGINE_FIXTURE_H
#define ENGINE_FIXTURE_H

#include "engine_build.h"
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#define FIXTURE_CPUS 4

struct fixture {
	dtrace_provider_t *prov;
	dtrace_probe_t *a, *b; /* test:mod:func:a and :b */
	dtrace_state_t *state;
	struct build_dof dof;
	unsigned int provided, enabled, disabled, synced, destroyed;
	unsigned int bound; /* mask of CPUs */
	unsigned int begun; /* calls of begin */
	int enable_error, provide_error;
	const struct dtrace_arg *args; /* what getarg says: nargs of them */
	unsigned int nargs;
	uint64_t argval;	     /* what getargval says */
	uint64_t interrupts;	     /* that a probe causes */
	dtrace_probe_t *fire_within; /* getargval fires it */
	bool within_bound;	     /* for sessions of this CPU only */
};
extern struct fixture fix;

int fixture_setup(void **state);    /* engine, provider, probes and a session of root */
int fixture_teardown(void **state); /* fails if something is left */
/* fixture_session - end fix.state and begin another. */
void fixture_session(uint32_t privs, uint32_t uid);
/* fixture_session_in - the same in a PID namespace: a number that is taken off process numbers. */
void fixture_session_in(const uint32_t *pid_ns, uint32_t privs, uint32_t uid);
dtrace_probe_t *fixture_probe(const char *func, const char *name);
/* fixture_clause - add a clause to fix.dof; acts ends with kind 0, or is NULL: no actions. */
void fixture_clause(const char *desc, const char *pred, const struct build_action *acts);
/*
 * fixture_enable - give fix.dof to the session and begin another DOF; rc. msg: 256 bytes, or NULL.
 */
int fixture_enable(dtrace_enable_io_t *io, char *msg);
/* fixture_go - enable and go; both must succeed. */
void fixture_go(void);
void fixture_stop(void);
void fixture_fire(dtrace_probe_t *probe, uint64_t arg0);
void fixture_fire_on(unsigned int cpu, dtrace_probe_t *probe, uint64_t arg0);
/* fixture_read - append the data of a CPU's principal buffer; return its description. */
dtrace_bufdesc_t fixture_read(unsigned int cpu, struct bytes *out);
dtrace_bufdesc_t fixture_read_aggs(unsigned int cpu, struct bytes *out);
dtrace_status_t fixture_status(void);
/* fixture_u64 - a word of a record, off bytes behind its header. */
uint64_t fixture_u64(const dtrace_rechdr_t *h, size_t off);

/* A void expression, and actions that record arg0 and such. */
#define ACT_ARG0                                                             \
	{                                                                    \
		.kind = DTRACEACT_DIFEXPR, .difo = "ldgs arg0, %r1; ret %r1" \
	}
#define ACT_END                        \
	{                              \
		.kind = DTRACEACT_NONE \
	}

#endif
