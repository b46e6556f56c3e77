/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * ustack.h - stacks of processes, and ustack helpers. (helper_program.c, helper_run.c, ustack.c)
 *
 * A helper's program does not change once it is read. The provider publishes it to firings, and
 * frees it after a grace period.
 */
#ifndef DTRACE_ENGINE_USTACK_H
#define DTRACE_ENGINE_USTACK_H

#include "dif_mem.h"
#include "difo.h"
#include "var.h"

struct helper_clause {
	const struct difo *pred; /* NULL: none */
	const struct difo **stmts;
	uint32_t nstmts;
};

/* The clauses of dtrace:helper:ustack: in a DOF. */
struct dtrace_helper_program {
	struct helper_clause *clauses;
	uint32_t nclauses;
	uint32_t nstmts, ninstrs; /* in all */
	bool strtok;		  /* a clause calls strtok() */
	struct difo *difos;
	struct var_space vars;
	uint64_t data; /* the process's data for the helper: arg3 */
};

/*
 * helper_verify - check that a helper may have a DIFO, before dif_verify(). -EINVAL or -E2BIG with
 * a message. Any context.
 */
int helper_verify(const struct difo *difo, struct dof_err *err);
/* helper_program_any - return whether an open DOF has clauses, which may be a helper's. */
bool helper_program_any(const struct dof *dof);
/*
 * helper_program_read - read and verify the clauses for helpers in an open DOF. *out becomes NULL
 * if there are none; *bytes, the memory that they take. -EINVAL, -E2BIG or -ENOMEM with a message.
 * May sleep.
 */
int helper_program_read(const struct dof *dof, struct dtrace_helper_program **out, uint64_t *bytes);
/* helper_program_free - free them; p may be NULL. */
void helper_program_free(struct dtrace_helper_program *p);

/* A frame of the current process, as helpers know it. */
struct frame {
	uint64_t pc;
	uint64_t fp;	/* 0: not known */
	uint64_t pc_at; /* where pc is on the stack; 0: it is the program counter */
};
enum helper_said { HELPER_NOTHING, HELPER_NAME, HELPER_FAULT };
/*
 * helper_run - ask a helper for the name of a frame. HELPER_NAME: *name is not empty, and valid
 * until scratch is used again. A fault of the helper does not fault the session.
 */
enum helper_said helper_run(struct mstate *m, const struct dtrace_helper_program *p,
			    const struct frame *frame, struct str *name);
/*
 * helper_work_more - give the helper that runs more units, as fire_work_more() does for a session.
 * No helper runs for this stack any more if there are no units or no time.
 */
bool helper_work_more(struct mstate *m);
/* ustack_how - return how target_ustack() must find stacks in this firing: TARGET_USTACK_*. */
unsigned int ustack_how(const struct mstate *m);
/*
 * ustack_record - write the data of ustack() or jstack() to size bytes at dst: pid, nframes
 * addresses, strsize bytes of names.
 */
void ustack_record(struct mstate *m, uint8_t *dst, uint32_t size, uint32_t nframes,
		   uint32_t strsize);

#endif
