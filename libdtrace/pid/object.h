/* SPDX-License-Identifier: MIT */
/*
 * object.h - an executable file as the pid provider needs it: its functions, where they end, and
 * their code. (object.c, frame.c) Addresses are the file's own.
 */
#ifndef DT_PID_OBJECT_H
#define DT_PID_OBJECT_H

#include <gelf.h>
#include "../process/insn.h"
#include "../symbols/segment.h"
#include "../symbols/symtab.h"

/* A function's extent as .eh_frame has it. */
struct pid_frame {
	uint64_t addr, size;
};

struct pid_object {
	Elf *elf;
	int fd;
	int bits;   /* 32 or 64 */
	char *name; /* base name of the file */
	struct dt_symtab *tab;
	struct dt_segments segs;
	struct pid_frame *frames; /* in order of address */
	size_t nframes;
};

/*
 * pid_object_open - path: where the file can be opened; name: what it is called. NULL if it is no
 * file that has code of a machine that is traced. pid_object_close - free; NULL is fine.
 */
struct pid_object *pid_object_open(const char *path, const char *name);
void pid_object_close(struct pid_object *obj);
/* pid_object_offset - where in the file code is; false: there is no code at that address. */
bool pid_object_offset(struct pid_object *obj, uint64_t addr, uint64_t *offset);
/* pid_object_extent - the function that has addr in it; false: none is known. */
bool pid_object_extent(struct pid_object *obj, uint64_t addr, uint64_t *start, uint64_t *size);
/* pid_object_size - bytes from addr, where a function begins, to its end as far as is known. */
uint64_t pid_object_size(struct pid_object *obj, uint64_t addr);
/*
 * pid_object_same - is the code at addr a part of the function that begins at start, which the
 * compiler has put elsewhere? *part: where it begins.
 */
bool pid_object_same(struct pid_object *obj, uint64_t start, uint64_t addr, uint64_t *part);
/* pid_object_text - code, which is the object's; false: the file does not have it. */
bool pid_object_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct pid_text *text);
/*
 * pid_object_slots - call func with the address of each slot in the object's data that will hold what
 * an ifunc chooses: of that name in another object, or the one at addr in this object (name NULL).
 */
void pid_object_slots(struct pid_object *obj, const char *name, uint64_t addr,
		      void (*func)(void *arg, uint64_t slot), void *arg);

/* pid_frames_read - the extents of all functions of an object. (frame.c) */
void pid_frames_read(struct pid_object *obj);

#endif
