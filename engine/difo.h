/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * difo.h - DIF objects: how they are read and verified. (difo.c, dif_verify.c, dif_subr.c)
 *
 * A DIFO does not change once it is verified: firings read it without a lock. A struct difo_reader
 * belongs to one request.
 */
#ifndef DTRACE_ENGINE_DIFO_H
#define DTRACE_ENGINE_DIFO_H

#include <dtrace/dif.h>
#include "dof_read.h"
#include "table.h"

struct difo {
	struct difo *next; /* of the enabling, or helper, that owns it */
	struct hnode by_section;
	uint32_t section; /* DIFOHDR in the DOF, for sharing and for texts */
	/* variables renumbered: DIF_VAR_OTHER_UBASE + index of the definition */
	dif_instr_t *text;
	uint32_t len;
	uint64_t *ints;
	uint32_t nints;
	char *strs;
	uint32_t nstrs;	  /* bytes */
	uint32_t strings; /* number of strs among those of its variables (var.h) */
	dtrace_difv_t *vars;
	uint32_t nvars;
	dtrace_diftype_t rtype;
	bool destructive; /* changes a process */
	bool speculates;  /* calls speculation() */
	bool vtime;	  /* uses vtimestamp */
	bool strtok;	  /* calls strtok() */
	uint16_t
		builtin; /* a built-in variable, if the program is no more than its value; else 0 */
};
/* dif_size - return the bytes of a value of a type; for a string of size 0, strsize. */
uint32_t dif_size(const dtrace_diftype_t *type, uint32_t strsize);

struct var_space;
/*
 * dif_verify - check a DIFO and bind its variables to vars. The time grows with instructions and
 * variables, not with their product. strsize: the session's. -EINVAL or -ENOMEM with a message.
 * -EINTR: a fatal signal is pending. May sleep.
 */
int dif_verify(struct difo *difo, struct var_space *vars, uint32_t strsize, struct dof_err *err);
/* dif_subr_refused - return why programs must not call a subroutine; NULL: they may. */
const char *dif_subr_refused(uint32_t subr);
/* dif_subr_args - return the least number of arguments of a subroutine. */
unsigned int dif_subr_args(uint32_t subr);
#define DIF_MAX_VALUE (1U << 20) /* bytes of a variable or recorded value */
/* bytes of the tuple in a key of an associative array: a firing makes keys in its scratch */
#define DIF_MAX_KEY (DTRACE_SCRATCHSIZE - 16U)

/*
 * The DIFOs of a DOF (difo.c). Each is read and verified when a caller first asks for it. The
 * caller fills in the first six members, and zeroes the others.
 */
struct difo_reader {
	const struct dof *dof;
	struct var_space *vars; /* that they share */
	uint32_t strsize;
	bool helper;	       /* they are a helper's */
	uint64_t left;	       /* bytes that they may still take */
	dtrace_state_t *state; /* that is charged for them; NULL: none */
	struct difo *list;
	struct htable by_section;
};
/*
 * difo_get - return the DIFO of a section in *out; the reader owns it. -EINVAL, -E2BIG, -ENOMEM or
 * -EDQUOT with a message. -EINTR. May sleep.
 */
int difo_get(struct difo_reader *r, dof_secidx_t index, struct difo **out);
/*
 * difo_take - take n bytes from r->left, and charge the session. -E2BIG or -EDQUOT with a message.
 */
int difo_take(struct difo_reader *r, uint64_t n);
/*
 * difo_reader_end - return the list of all DIFOs that were read, and free the rest of the reader.
 */
struct difo *difo_reader_end(struct difo_reader *r);
/* difo_free_list - free a list of DIFOs. */
void difo_free_list(struct difo *list);

#endif
