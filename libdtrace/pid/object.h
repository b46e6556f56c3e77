/* SPDX-License-Identifier: MIT */
/*
 * object.h - an executable file as the pid provider needs it: its functions, where they end, and
 * their code. Addresses are the file's own. (object.c)
 */
#ifndef DT_PID_OBJECT_H
#define DT_PID_OBJECT_H

#include <gelf.h>
#include "../process/insn.h"
#include "../symbols/segment.h"
#include "../symbols/symtab.h"
#include "../symbols/unwind_table.h"

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
	struct dt_unwind_table *unwind; /* NULL: not made yet, or there is none */
	bool unwind_made;
};

/*
 * Open the file at path; name is its path in its own file system. Return what the caller closes, or
 * NULL without memory, or if the file has no code of a machine that can be traced.
 */
struct pid_object *pid_object_open(const char *path, const char *name);
/* Close and free; NULL is allowed. */
void pid_object_close(struct pid_object *obj);
/* Set *offset to that of code in the file. Return false if there is no code at addr. */
bool pid_object_offset(struct pid_object *obj, uint64_t addr, uint64_t *offset);
/*
 * Set *start and *size to those of the function that contains addr. Return false if none is known.
 */
bool pid_object_extent(struct pid_object *obj, uint64_t addr, uint64_t *start, uint64_t *size);
/* Return the bytes from addr, where a function begins, to its end as far as is known. */
uint64_t pid_object_size(struct pid_object *obj, uint64_t addr);
/*
 * Return whether the code at addr is part of the function that begins at start, which the compiler
 * has put elsewhere, and set *part to its beginning.
 */
bool pid_object_same(struct pid_object *obj, uint64_t start, uint64_t addr, uint64_t *part);
/*
 * Return whether the function that contains addr has a stack frame there: the stack pointer does
 * not point to the address of return. Return false too if .eh_frame does not tell.
 */
bool pid_object_has_frame(struct pid_object *obj, uint64_t addr);
/*
 * Set *part to the beginning of the code around addr that .eh_frame describes as one function.
 * Return false if a symbol names some of it, or if there is none.
 */
bool pid_object_nameless(struct pid_object *obj, uint64_t addr, uint64_t *part);
/*
 * Return how many bytes from addr on, the end of a function, belong to no section: they are only
 * there to align what follows. 0 if the function is not the last one of its section.
 */
uint64_t pid_object_spare(struct pid_object *obj, uint64_t addr);
/* Set *text to code, which the object owns. Return false if the file does not have it. */
bool pid_object_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct insn_text *text);
/*
 * Call func with the address of each GOT entry in the object's data that will hold the choice of an
 * ifunc: of that name in another object, or, with name NULL, the one at addr in this object.
 */
void pid_object_got_entries(struct pid_object *obj, const char *name, uint64_t addr,
			    void (*func)(void *arg, uint64_t entry), void *arg);

#endif
