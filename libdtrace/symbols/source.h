/* SPDX-License-Identifier: MIT */
/* source.h - source lines and inlined functions of addresses in a file. (source.c) */
#ifndef DT_SOURCE_H
#define DT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct dt_source;

/* A source location. */
struct dt_line {
	const char *inlined; /* function that is inlined; NULL: the function that contains it */
	const char *file;
	int number;
};

typedef void dt_line_f(const struct dt_line *line, void *ctx);

/*
 * Open the debug information of the file at path, in it or beside it; name is its path in its own
 * file system. Return what the caller closes, or NULL without memory, or if there is none.
 */
struct dt_source *dt_source_open(const char *path, const char *name);
/* Close; NULL is allowed. */
void dt_source_close(struct dt_source *source);
/*
 * Call func with ctx for each function that is inlined at an address of the file, the innermost
 * first, then for the function that contains them. Return false if no line is known.
 */
bool dt_source_walk(struct dt_source *source, uint64_t addr, dt_line_f *func, void *ctx);

#endif
