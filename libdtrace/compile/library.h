/* SPDX-License-Identifier: MIT */
/* library.h - D libraries: files of declarations that every program may use. */
#ifndef DT_LIBRARY_H
#define DT_LIBRARY_H

#include "compile.h"

/*
 * Compile all NAME.d of the handle's D library directories, those on which others depend first. A
 * D library that depends on a missing provider is skipped. Return 0, or -1 with an error in the
 * handle.
 */
int library_load(dtrace_hdl_t *dtp);

/* The source of a compilation. */
typedef struct dt_source {
	const char *file;	 /* or NULL: it is no file's */
	const char *text;	 /* a D library's and its file stay: parts of it are read later */
	dtrace_probespec_t spec; /* what a description of one part names */
	uint32_t flags;		 /* DTRACE_C_* */
	int argc;
	char *const *argv; /* the macro arguments */
	bool library;
} dt_source_t;

/*
 * Compile a text, and set *progp to its program, NULL for a D library and on errors. Return 0; -1
 * with an error in the handle; 1 if a D library depends on what does not exist. (compile.c)
 */
int compile_run(dtrace_hdl_t *dtp, const dt_source_t *src, dtrace_prog_t **progp);

#endif
