/* SPDX-License-Identifier: MIT */
/*
 * input.h - reads the files given to -G: objects, programs, archives with members, and bitcode of
 * compilers.
 */
#ifndef DT_USDT_INPUT_H
#define DT_USDT_INPUT_H

#include <gelf.h>
#include <stdint.h>
#include <sys/stat.h>
#include "diag.h"

enum input_kind {
	INPUT_OBJECT, /* an ELF file of its own */
	INPUT_MEMBER, /* an ELF file in an archive */
	INPUT_BITCODE /* intermediate code that is no ELF file; elf is NULL */
};

struct input {
	enum input_kind kind;
	const char *path; /* of the file */
	const char *name; /* for messages: the path, or "archive(member)" */
	Elf *elf;
	uint8_t *image;
	size_t size;
	struct stat stat; /* of the file */
};

/* A function that is called for each input. It returns 0, or -1 after a message. */
typedef int input_visit(void *context, const struct input *input);

/*
 * Read the file at path, and visit it, or each member that may contain code. The memory of an input
 * is valid during the visit. Return 0, or -1 after messages.
 */
int input_read(struct diag *diag, const char *path, input_visit *visit, void *context);

/* Call visit, as input_read() does, for an open file, whose name is path. fd remains open. */
int input_read_open(struct diag *diag, int fd, const char *path, input_visit *visit, void *context);

/* Call visit, as input_read() does, for size bytes in memory, read from the file at path. */
int input_read_memory(struct diag *diag, const char *path, const struct stat *stat, uint8_t *image,
		      size_t size, input_visit *visit, void *context);

#endif
