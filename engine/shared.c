/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * shared.c - sessions of several engines, in several processes, with common global variables. User
 * land only.
 *
 * The shared memory holds the globals of fixed size, then the associative arrays. Each engine finds
 * out their offsets from its own copy of the programs. Thread-local variables stay in the engine's
 * own memory, since a thread fires in one process only.
 */
#include "state.h"

/* Return the bytes of the globals of fixed size. */
static uint64_t shared_scalars(const dtrace_state_t *st)
{
	return ((uint64_t)st->vars.scopes[DIFV_SCOPE_GLOBAL].bytes + 63) & ~63ULL;
}

/* Return whether a program has an associative array that is not thread-local. */
static bool shared_has_arrays(const dtrace_state_t *st)
{
	const struct var_table *t = &st->vars.scopes[DIFV_SCOPE_GLOBAL];

	for (uint32_t i = 0; i < t->n; i++)
		if (t->defs[i].kind == DIFV_KIND_ARRAY)
			return true;
	return false;
}

uint64_t dtrace_state_shared_bytes(const dtrace_state_t *st, uint64_t dynvarsize)
{
	return shared_scalars(st) +
	       (shared_has_arrays(st) ? dynvar_memory_bytes(&st->vars, dynvarsize) : 0);
}

/* Let arrays be in shared memory. Their own memory stays, if thread-local variables need it. */
static int shared_arrays(dtrace_state_t *st, const struct dtrace_shared *shared)
{
	struct dynvar *dv =
		dynvar_create(&st->vars, shared->dynvarsize,
			      (uint8_t *)shared->mem + shared_scalars(st), shared->seed);

	if (!dv)
		return -ENOMEM;
	if (!st->vars.scopes[DIFV_SCOPE_THREAD].n) {
		dynvar_free(st->dynvars[DIFV_SCOPE_THREAD]);
		st->dynvars[DIFV_SCOPE_THREAD] = NULL;
	}
	st->dynvars[DIFV_SCOPE_GLOBAL] = dv;
	return 0;
}

int dtrace_state_share(dtrace_state_t *st, const struct dtrace_shared *shared)
{
	int rc = 0;

	if (shared->size != dtrace_state_shared_bytes(st, shared->dynvarsize) || !st->cpus ||
	    st->shared)
		return -EINVAL;
	if (shared_has_arrays(st))
		rc = shared_arrays(st, shared);
	if (rc)
		return rc;
	port_free(st->globals);
	st->globals = shared->mem;
	st->shared = true;
	st->hide = UINT64_MAX; /* addresses of storage differ from process to process */
	return 0;
}

void dtrace_state_recover(dtrace_state_t *st, uint32_t owner)
{
	struct dynvar *globals = st->dynvars[DIFV_SCOPE_GLOBAL];
	struct dynvar *selfs = st->dynvars[DIFV_SCOPE_THREAD];

	if (globals)
		dynvar_recover(globals, owner);
	if (selfs && selfs != globals)
		dynvar_recover(selfs, owner);
}
