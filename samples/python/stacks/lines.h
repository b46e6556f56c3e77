/* SPDX-License-Identifier: MIT */
/* lines.h - the line of each instruction of a code object, as a table that helper.d can index. */
#ifndef LINES_H
#define LINES_H

#ifndef HELPER_D
#define PY_SSIZE_T_CLEAN
#include <Python.h>
#include "offsets.h"

#if PY_VERSION_HEX < 0x030b0000 || PY_VERSION_HEX >= 0x030c0000
#error "this is for Python 3.11: others keep their frames and lines in other ways"
#endif

/* In what code objects keep for others, at the index that we were given. */
struct lines {
	uint64_t magic;	       /* LINES_MAGIC */
	uint32_t first, count; /* line of the first instruction, and their number */
	uint16_t beyond[];     /* of each instruction: what is to be added to first */
};

/*
 * Make tables for a code object and all code objects among its constants, unless they have one; at
 * index of what _PyEval_RequestCodeExtraIndex() gave. Without memory there is none: stacks then
 * show the line in which the function begins. Leaves no exception.
 */
void lines_prepare(PyCodeObject *code, Py_ssize_t index);

/* Free a table. */
void lines_free(void *lines);
#endif

#define LINES_MAGIC  0x73656e694c745944
#define LINES_FIRST  8
#define LINES_COUNT  12
#define LINES_BEYOND 16

#endif
