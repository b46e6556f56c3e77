/* SPDX-License-Identifier: MIT */
/* source.h - source lines and inlined functions of addresses in a file. (source.c) */
#ifndef DT_SOURCE_H
#define DT_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

struct dt_source;

/* A place in the source. */
struct dt_line {
	const char *inlined;		/* function that is inlined, or NULL: what contains it */
	const char *file;
	int number;
};

typedef void dt_line_f(const struct dt_line *line, void *ctx);

/*
 * dt_source_open - the debug information of the file at path, in it or beside it; NULL: there is none,
 * or no memory. name: what it is called in its own file system. dt_source_close - NULL is fine.
 */
struct dt_source *dt_source_open(const char *path, const char *name);
void dt_source_close(struct dt_source *source);
/*
 * dt_source_walk - call func for each function that is inlined at the address, in the file's own address
 * space, the innermost first, then for the one that they are in. False: no line is known.
 */
bool dt_source_walk(struct dt_source *source, uint64_t addr, dt_line_f *func, void *ctx);

#endif
