/* SPDX-License-Identifier: MIT */
/*
 * engine_build.h - DOF made by hand for tests of the engine: an assembler for DIF, a writer for
 * consumers' programs, and a reader of snapshots.
 */
#ifndef ENGINE_BUILD_H
#define ENGINE_BUILD_H

#include "engine.h"

/* ---- bytes that grow ---- */

struct bytes {
	uint8_t *p;
	size_t n, capacity;
};
void bytes_add(struct bytes *b, const void *p, size_t n);
void bytes_align(struct bytes *b, size_t align);
void bytes_free(struct bytes *b);

/* ---- DIF ---- */

struct build_difo {
	dif_instr_t *text;
	uint32_t len;
	struct bytes ints, strs, vars;
	dtrace_diftype_t rtype;
};
/* A name that SETX takes: an address or a number. */
struct build_name {
	const char *name;
	uint64_t value;
};

/*
 * build_assemble - assemble text, one instruction per line, operands as -S prints them: add %r1,
 * %r2, %r3. setx takes a number or a name; sets a string in quotes; call a subroutine's name;
 * variables are built-in names or those declared by lines "var SCOPE NAME TYPE", SCOPE one of
 * global thread local global[] thread[], TYPE one of int string string(N) struct(N); "type TYPE"
 * (also void, int(1) ..., uref string) is that of the result (int if absent); "NAME:" is a label;
 * "word 0x..." an instruction by number. 0, or -1 with *err.
 */
int build_assemble(const char *text, const struct build_name *names, unsigned int nnames,
		   struct build_difo *difo, const char **err);
void build_difo_free(struct build_difo *difo);
/* number that the assembler gave a declared variable; 0: none */
uint32_t build_var_id(const char *name);

/* ---- DOF ---- */

struct build_action {
	uint32_t kind;
	const char *difo; /* assembler text, or NULL */
	uint32_t ntuple;
	uint64_t arg, uarg;
};

struct build_dof {
	dof_sec_t secs[2048];
	struct bytes data[2048];
	uint32_t nsecs;
	const struct build_name *names;
	unsigned int nnames;
	struct bytes out;
};
void build_dof_init(struct build_dof *b);
uint32_t build_section(struct build_dof *b, uint32_t type, uint32_t align, uint32_t entsize,
		       const void *p, size_t n);
uint32_t build_difo_section(struct build_dof *b, const struct build_difo *difo);
/* build_difo_text - assemble and add; a text that is wrong ends the program. */
uint32_t build_difo_text(struct build_dof *b, const char *text);
uint32_t build_actions(struct build_dof *b, const struct build_action *acts, unsigned int n);
/*
 * build_clause - desc is provider:module:function:name. pred may be NULL. actions: section, or
 * DOF_SECIDX_NONE.
 */
void build_clause(struct build_dof *b, const char *desc, const char *pred, uint32_t actions,
		  uint64_t uarg);
void build_option(struct build_dof *b, uint32_t option, uint64_t value);
/* build_finish - return the file, which is valid until build_dof_free(). */
const void *build_finish(struct build_dof *b, size_t *size);
void build_dof_free(struct build_dof *b);

/* ---- snapshots ---- */

/*
 * build_snapshot - append the data of a CPU's buffer to out; desc (may be NULL) gets the
 * description.
 */
int build_snapshot(dtrace_state_t *state, bool agg, unsigned int cpu, struct bytes *out,
		   dtrace_bufdesc_t *desc);
/* build_record - the nth record (of any ECB), NULL past the last. */
const dtrace_rechdr_t *build_record(const struct bytes *b, unsigned int n);
const dtrace_aggrec_t *build_aggrec(const struct bytes *b, unsigned int n);

#endif
