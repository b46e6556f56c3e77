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

#endif
