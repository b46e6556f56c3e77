/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * helper_dif.h - the part of DIF that a ustack helper may use. The compiler and the engine check
 * it. A helper may read its process and compute; it has no variables that outlive a run, no access
 * to the kernel, and no calls with effects.
 */
#ifndef DTRACE_HELPER_DIF_H
#define DTRACE_HELPER_DIF_H

#include <dtrace/dif.h>

static inline int dtrace_helper_may_call(uint32_t subr)
{
	switch (subr) {
	case DIF_SUBR_COPYIN:
	case DIF_SUBR_COPYINSTR:
	case DIF_SUBR_COPYINTO:
	case DIF_SUBR_ALLOCA:
	case DIF_SUBR_BCOPY:
	case DIF_SUBR_STRLEN:
	case DIF_SUBR_STRJOIN:
	case DIF_SUBR_STRCHR:
	case DIF_SUBR_STRRCHR:
	case DIF_SUBR_STRSTR:
	case DIF_SUBR_STRTOK:
	case DIF_SUBR_SUBSTR:
	case DIF_SUBR_INDEX:
	case DIF_SUBR_RINDEX:
	case DIF_SUBR_TOUPPER:
	case DIF_SUBR_TOLOWER:
	case DIF_SUBR_BASENAME:
	case DIF_SUBR_DIRNAME:
	case DIF_SUBR_CLEANPATH:
	case DIF_SUBR_LLTOSTR:
	case DIF_SUBR_STRTOLL:
	case DIF_SUBR_HTONS:
	case DIF_SUBR_HTONL:
	case DIF_SUBR_HTONLL:
	case DIF_SUBR_NTOHS:
	case DIF_SUBR_NTOHL:
	case DIF_SUBR_NTOHLL:
	case DIF_SUBR_INET_NTOP:
	case DIF_SUBR_INET_NTOA:
	case DIF_SUBR_INET_NTOA6:
		return 1;
	default:
		return 0;
	}
}

static inline int dtrace_helper_may_load(uint32_t var)
{
	switch (var) {
	case DIF_VAR_PID:
	case DIF_VAR_TID:
	case DIF_VAR_PPID:
	case DIF_VAR_UID:
	case DIF_VAR_GID:
	case DIF_VAR_EXECNAME:
	case DIF_VAR_ZONENAME:
		return 1;
	default:
		return var >= DIF_VAR_ARG0 && var <= DIF_VAR_ARG9;
	}
}

/* dtrace_helper_objection - why a helper may not have that instruction; a null pointer: it may. */
static inline const char *dtrace_helper_objection(dif_instr_t in)
{
	switch (DIF_INSTR_OP(in)) {
	case DIF_OP_LDGS:
		return dtrace_helper_may_load(DIF_INSTR_VAR(in))
			       ? (const char *)0
			       : "a helper has no global variables, and few that are built in";
	case DIF_OP_CALL:
		return dtrace_helper_may_call(DIF_INSTR_SUBR(in))
			       ? (const char *)0
			       : "a helper may not call that subroutine";
	case DIF_OP_LDGA:
		return "a helper has no args[], regs[] and uregs[]";
	case DIF_OP_STGS:
	case DIF_OP_LDTS:
	case DIF_OP_STTS:
	case DIF_OP_LDGAA:
	case DIF_OP_STGAA:
	case DIF_OP_LDTAA:
	case DIF_OP_STTAA:
		return "a helper has clause-local variables only";
	default:
		return (const char *)0;
	}
}

#endif
