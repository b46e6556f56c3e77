/* SPDX-License-Identifier: MIT */
/*
 * pid_impl.h - the parts of the pid provider to each other.
 *
 *	target		a process, or all
 *	object		an executable file (pid_object.h)
 *	place		an object in a process
 *	want		a description, kept for what a process maps later
 *	batch		sites of one place, which become one registration
 */
#ifndef DT_PID_IMPL_H
#define DT_PID_IMPL_H

#include <dtrace/limits.h>
#include "dofbuild.h"
#include "pid.h"
#include "pid_object.h"

struct pid_place {
	struct pid_object *obj;
	uint64_t bias;			/* added to addresses of the file */
	pid_t process;			/* where it is mapped, 0: nowhere that is known */
	bool everywhere;		/* the sites are those of all processes */
	bool debugged;			/* the process has a debugger, or the like */
	const struct pid_place *program;	/* what the process executes, or NULL */
};

struct pid_batch {
	struct dofbuild b;
	struct dt_piece *pieces;
	const char *provider;		/* "pid" or "pid*" */
	unsigned long nsites;
	unsigned long nfunctions;	/* that match */
	unsigned long nunsafe;		/* functions left out as their code cannot be read */
	unsigned long nrefused;		/* instructions left out as stepping over them would do harm */
	unsigned long nbreakpoints;	/* or as a debugger has a breakpoint there */
	bool nomemory;
};

/* ---- pid_name.c: patterns and names ---- */

/* pid_is_glob - does the pattern stand for more than one name? */
bool pid_is_glob(const char *pattern);
/*
 * pid_unescape - the one name that a pattern stands for. pid_escape - the pattern that stands for
 * the name. out: len bytes, the text is cut off to fit.
 */
void pid_unescape(const char *pattern, char *out, size_t len);
void pid_escape(const char *name, char *out, size_t len);
/* pid_name_matches - an empty pattern matches all. */
bool pid_name_matches(const char *pattern, const char *name);
/*
 * pid_module_matches - is the file at path meant, by its base name, without what follows .so, by
 * its path, or as a.out if it is the program?
 */
bool pid_module_matches(const char *pattern, const char *path, bool program);
/*
 * pid_function_matches - by which of its names a function is meant: that of the symbol, or that of
 * the source with or without parameters; NULL: it is not. buf: room for the last.
 */
const char *pid_function_matches(const char *pattern, struct dt_symtab *tab, size_t i, char *buf,
				 size_t len);
/* pid_name_is_offset - is it an offset or address in hexadecimal? its value. */
bool pid_name_is_offset(const char *name, uint64_t *value);

/* ---- pid_site.c: descriptions to sites ---- */

/* pid_batch_init - begin. pid_batch_fini - free. */
void pid_batch_init(struct pid_batch *batch, const struct pid_place *place);
void pid_batch_fini(struct pid_batch *batch);
/*
 * pid_sites - add the sites in a place that a description stands for, whose module matches; -1 with
 * err: it names one place, which cannot be probed.
 */
int pid_sites(struct pid_batch *batch, const struct pid_place *place,
	      const dtrace_probedesc_t *desc, struct dt_pid_error *err);
/* pid_site_at - add the instruction at an address, whose probe has that name in function "-". */
int pid_site_at(struct pid_batch *batch, const struct pid_place *place, uint64_t addr,
		const char *name, struct dt_pid_error *err);
/* pid_nearest - try the names of a place's functions. */
void pid_nearest(const struct pid_place *place, dt_nearest_t *near);

/* ---- pid_debugger.c ---- */

/* pid_is_debugged - is somebody attached to the process by ptrace? */
bool pid_is_debugged(pid_t pid);
/*
 * pid_has_breakpoint - is there, at an address of the file, a breakpoint of whoever is attached to
 * the place's process? Ours would take its place.
 */
bool pid_has_breakpoint(const struct pid_place *place, uint64_t addr);

/* ---- pid_ifunc.c ---- */

/*
 * pid_ifunc - the function that runs when an ifunc of the place is called: the file's address; 0: it
 * is not known (yet).
 */
uint64_t pid_ifunc(const struct pid_place *place, const struct dt_function *func);

/* pid_fail - set an error, with a remedy or NULL; -1. */
int pid_fail(struct dt_pid_error *err, enum dt_pid_fault fault, const char *remedy,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
