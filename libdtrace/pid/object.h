/* SPDX-License-Identifier: MIT */
/*
 * object.h - an executable file as the pid provider needs it: its functions, where they end, and
 * their code; and the files that a process has mapped. Addresses are the file's own. (object.c)
 */
#ifndef DT_PID_OBJECT_H
#define DT_PID_OBJECT_H

#include <gelf.h>
#include "../process/insn.h"
#include "../process/mappings.h"
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
	uint64_t *labels; /* symbols in code of all types, in order of address */
	size_t nlabels;
	uint64_t padding; /* its multiples end padding behind functions; 0: not read yet */
	struct dt_unwind_table *unwind; /* NULL: not made yet, or there is none */
	bool unwind_made;
};

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
/* To these multiples, linkers align functions by int3. */
#define PADDING	   16
#define PADDING_GO 32

/*
 * Return how many bytes from addr on, the end of a function, are only there to align what follows:
 * they belong to no section, or are int3 up to the next function.
 */
uint64_t pid_object_spare(struct pid_object *obj, uint64_t addr);
/* Set *text to code, which the object owns. Return false if the file does not have it. */
bool pid_object_text(struct pid_object *obj, uint64_t addr, uint64_t size, struct insn_text *text);

/* ---- what processes have mapped ---- */

struct dt_pid;

/* A process that has a debugger, and where it has mapped which part of a file. */
struct pid_debuggee {
	pid_t pid;
	uint64_t start, offset;
};

struct pid_debuggees {
	struct pid_debuggee *list; /* malloc'ed */
	size_t n;
};

struct mapped_object {
	dtrace_hdl_t *dtp;
	struct pid_object *obj;
	uint64_t bias;	    /* added to addresses of the file */
	pid_t process;	    /* where it is mapped, 0: nowhere that is known */
	const char *module; /* as its probes have it: the file's name, mostly */
	bool systemwide;    /* the sites are those of all processes */
	bool debugged;	    /* the process has a debugger or another ptracer */
	const struct pid_debuggees
		*others; /* systemwide: processes with a breakpoint too, or NULL */
	bool executed;	 /* it is the process's program */
	const struct mapped_object *program; /* what the process executes, or NULL */
};

/* An executable mapping of a process; one for each file. */
struct pid_map {
	struct dt_mapping map; /* path: malloc'ed */
	bool program;	       /* it is what the process executes: a.out */
};

struct pid_maps {
	struct pid_map *maps;
	size_t n;
	char program[DT_MAPPATH]; /* path of it */
};

/* A file that was opened; shared by all targets. */
struct pid_file {
	struct pid_file *next;
	uint64_t dev, ino;
	struct timespec changed; /* when it was opened */
	char *path;
	struct pid_object *obj; /* NULL: it cannot be read */
};

/*
 * Read what a process has mapped. maps begins as zeros; what it had is freed. Return false without
 * memory. No files: the process has ended, or may not be read.
 */
bool pid_maps_read(struct pid_maps *maps, pid_t pid);
/* Free the mappings. */
void pid_maps_free(struct pid_maps *maps);
/* Return the mapping of the program that the process executes, or NULL. */
const struct pid_map *pid_maps_program(const struct pid_maps *maps);
/* Return the mapping of the same file, or NULL. */
const struct pid_map *pid_maps_find(const struct pid_maps *maps, const struct dt_mapping *map);
/* Return whether there is one. */
bool pid_maps_have(const struct pid_maps *maps, const struct dt_mapping *map);
/*
 * Add a mapping to the struct pid_maps at arg, unless its file is there. Return 0, -1 without
 * memory.
 */
int pid_maps_add(void *arg, const struct dt_mapping *map);
/*
 * Find out where the file of the ith mapping is mapped now, and change the mapping so. Return false
 * if it is not mapped.
 */
bool pid_maps_find_again(struct pid_maps *maps, size_t i, pid_t pid);
/* Remove the ith mapping. */
void pid_maps_remove(struct pid_maps *maps, size_t i);
/*
 * Set a mapped object. Its obj belongs to the list of files. Return false if the mapping has
 * nothing that can be probed.
 */
bool mapped_object_init(struct mapped_object *mapped, struct dt_pid *pd, pid_t pid,
			const struct pid_map *map);
/*
 * Return whether a debugger has a breakpoint at an address of the file, in a process of the mapped
 * object: a probe there would replace it. Return true also if the process's memory cannot be read.
 */
bool mapped_object_has_breakpoint(const struct mapped_object *mapped, uint64_t addr);
/*
 * Return the function that runs when an ifunc is called, by its address in the file. Return 0 if it
 * is not known yet, with errno 0, or if the process's memory cannot be read, with errno.
 */
uint64_t mapped_object_ifunc(const struct mapped_object *mapped, const struct dt_function *func);
/* Return whether the process has a ptracer. */
bool pid_is_debugged(pid_t pid);
/* Add a process that has this mapping of the file. Return false without memory. */
bool pid_debuggees_add(struct pid_debuggees *some, pid_t pid, const struct dt_mapping *map);
/* Free a list of files. */
void pid_files_free(struct pid_file *files);
/* Close files that have not been used for long. No mapped object may be in use. */
void pid_files_trim(struct dt_pid *pd);

#endif
