/* SPDX-License-Identifier: MIT */
/* library.h - D libraries: files of declarations that every program may use. */
#ifndef DT_LIBRARY_H
#define DT_LIBRARY_H

#include "compile.h"

/*
 * library_load - compile all NAME.d of the handle's library directories, those that others depend
 * on first. 0, or -1 with the handle's error set. A library that depends on a provider that is not
 * there is left out.
 */
int library_load(dtrace_hdl_t *dtp);

/* What is compiled. */
typedef struct dt_source {
	const char *file; /* or NULL: it is no file's */
	const char *text;
	dtrace_probespec_t spec; /* what a description of one part names */
	uint32_t flags;		 /* DTRACE_C_* */
	int argc;
	char *const *argv; /* the macro arguments */
	bool library;
} dt_source_t;

/*
 * compile_run (compile.c) - compile a text into a program of its own, which is NULL for a library's
 * and on errors. 0; -1 with the handle's error set; 1: a library depends on what is not there.
 */
int compile_run(dtrace_hdl_t *dtp, const dt_source_t *src, dtrace_prog_t **progp);

#endif
