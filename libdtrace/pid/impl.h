/* SPDX-License-Identifier: MIT */
/*
 * impl.h - the parts of the pid provider to each other.
 *
 *	target		a process, or all
 *	object		an executable file (object.h)
 *	place		an object in a process
 *	want		a description, kept for what a process maps later
 *	batch		sites of one place, which become one registration
 */
#ifndef DT_PID_IMPL_H
#define DT_PID_IMPL_H

#include <dtrace/fasttrap.h>
#include <dtrace/limits.h>
#include "dofbuild.h"
#include "../arena.h"
#include "../process/mapevents.h"
#include "../process/stop.h"
#include "../spell.h"
#include "object.h"
#include "pid.h"

/* A process that has a debugger, and where it has mapped which part of a file. */
struct pid_debuggee {
	pid_t pid;
	uint64_t start, offset;
};

struct pid_debuggees {
	struct pid_debuggee *list; /* malloc'ed */
	size_t n;
};

struct pid_place {
	struct pid_object *obj;
	uint64_t bias;			    /* added to addresses of the file */
	pid_t process;			    /* where it is mapped, 0: nowhere that is known */
	const char *module;		    /* as its probes have it: the file's name, mostly */
	bool everywhere;		    /* the sites are those of all processes */
	bool debugged;			    /* the process has a debugger, or the like */
	const struct pid_debuggees *others; /* everywhere: so have these, or NULL */
	bool executed;			    /* it is the process's program */
	const struct pid_place *program;    /* what the process executes, or NULL */
};

/* What is left out for one reason. */
struct pid_omission {
	unsigned long n, named;
	char *names; /* of those that are named, malloc'ed */
	size_t len, room;
};

struct pid_omissions {
	struct pid_omission unsafe;   /* functions whose code cannot be read */
	struct pid_omission refused;  /* instructions: stepping over them would do harm */
	struct pid_omission debugged; /* or a debugger has a breakpoint there */
};

struct pid_batch {
	struct dofbuild b;
	struct arena arena;
	unsigned long nsites;
	unsigned long nfunctions;   /* that match */
	struct pid_omissions *left; /* what has no probe is added there */
	int gen;		    /* number of the registration; -1: there is none */
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

/* A description, as the program has it. */
struct pid_want {
	struct pid_want *next;
	dtrace_probedesc_t desc;
	bool open; /* files that are mapped later may be meant as well */
};

struct pid_target {
	struct pid_target *next;
	pid_t pid;
	int fd; /* pidfd */
	struct pid_target *root; /* whose wants are looked for in it: itself, or an ancestor */
	struct pid_want *wants;
	struct pid_maps seen; /* files that the wants have been looked for in */
	/* where its dynamic linker tells of new files; -1: nowhere, 0: where those of others do */
	int watch;
	int exec;		 /* its execs are watched; -1: not */
	bool follows;		 /* and those of its descendants */
	bool related;		 /* descendants go by its name */
	struct pid_maps linkers; /* that tell of new files */
	bool begun;		 /* it executes another program than when it was described */
	bool ended;
};

/* A description of pid*, and the files that it has been looked for in. */
struct pid_every {
	struct pid_every *next;
	dtrace_probedesc_t desc;	/* as the program has it */
	char module[DTRACE_MODNAMELEN]; /* that is enabled; "": the files' own */
	struct pid_maps seen;
	bool full; /* no more of them are taken */
};

/* Something of a process (0: of a file): an address, or a registration. */
struct pid_note {
	pid_t pid;
	uint64_t what;
};

struct pid_notes {
	struct pid_note *notes;
	size_t n;
};

/* What came of a description in all its places. */
struct pid_outcome {
	unsigned int nplaces; /* files whose name matches */
	unsigned long nsites, nfunctions;
	struct pid_omissions left;
	char module[DTRACE_MODNAMELEN]; /* the last of these files */
	bool followed; /* in a descendant: what cannot be there is no error */
};

struct dt_pid {
	struct pid_target *targets;
	struct pid_file *files; /* those used last come first */
	unsigned int nfollowed; /* targets that descend from others */
	unsigned long late;	/* programs that have run before they were looked at */
	struct pid_every *everys;
	struct dt_mapevents *events; /* for them; NULL: there are none, or it is not allowed */
	uint64_t nextlook;	/* ns: when to look for new files again */
	struct pid_notes told;	/* addresses that the user knows cannot be probed */
	struct pid_notes named; /* registrations of descriptions that name one place */
};

/* ---- pid.c ---- */

/* pid_get - the handle's part; NULL without memory. */
struct dt_pid *pid_get(dtrace_hdl_t *dtp);
/* pid_fail - set an error, with a hint or NULL; -1. pid_fail_memory - likewise. */
int pid_fail(struct dt_pid_error *err, enum dt_pid_fault fault, const char *hint,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));
int pid_fail_memory(struct dt_pid_error *err);
/* pid_tell - have the user told what is no error; pid 0: of a file. */
void pid_tell(dtrace_hdl_t *dtp, pid_t pid, const char *text);
/* pid_desc_is_one - does it name one function? */
bool pid_desc_is_one(const dtrace_probedesc_t *desc);
/* pid_place_describe - make the probes of a description in one place, and add up what came of it. */
int pid_place_describe(dtrace_hdl_t *dtp, const struct pid_place *place,
		       const dtrace_probedesc_t *desc, struct pid_outcome *out,
		       struct dt_pid_error *err);
/*
 * pid_maps_describe - in those of a process's files that are meant, less those of before, which may
 * be NULL.
 */
int pid_maps_describe(dtrace_hdl_t *dtp, pid_t pid, const struct pid_maps *maps,
		      const struct pid_maps *before, const dtrace_probedesc_t *desc,
		      struct pid_outcome *out, struct dt_pid_error *err);
/*
 * pid_desc_settle - put the name of the one module that was found in its alias's place; a.out is known
 * by that name.
 */
void pid_desc_settle(dtrace_probedesc_t *desc, const struct pid_outcome *out);

/* ---- mapped_object.c ---- */

/*
 * pid_maps_read - what a process has mapped, into maps that are all zeros or were read before, which is
 * freed; false without memory. pid_maps_free - free.
 */
bool pid_maps_read(struct pid_maps *maps, pid_t pid);
void pid_maps_free(struct pid_maps *maps);
/* pid_maps_program - the mapping of what the process executes; NULL: it is not among them. */
const struct pid_map *pid_maps_program(const struct pid_maps *maps);
/*
 * pid_maps_find - the mapping of that file among them, or NULL. pid_maps_have - is there one?
 * pid_maps_add - add it if not; 0, or -1.
 */
const struct pid_map *pid_maps_find(const struct pid_maps *maps, const struct dt_mapping *map);
bool pid_maps_have(const struct pid_maps *maps, const struct dt_mapping *map);
int pid_maps_add(void *arg, const struct dt_mapping *map);
/* pid_place_init - false: it is nothing that could be probed. */
bool pid_place_init(struct pid_place *place, struct dt_pid *pd, pid_t pid,
		    const struct pid_map *map);
void pid_files_free(struct pid_file *files);
/* pid_files_trim - forget those that have not been used for long; no place is in use. */
void pid_files_trim(struct dt_pid *pd);

/* ---- register.c ---- */

/* pid_register - make the sites known to the kernel; -1 with err. */
int pid_register(dtrace_hdl_t *dtp, struct pid_batch *batch, const struct pid_place *place,
		 struct dt_pid_error *err);

/* ---- target.c: processes, and what they map later ---- */

/*
 * pid_target_open - a process that is none yet, from now on; NULL with errno. pid_target_drop - forget
 * it. pid_target - the process, if it is none yet from now on; NULL with errno.
 */
struct pid_target *pid_target_open(struct dt_pid *pd, pid_t pid);
void pid_target_drop(dtrace_hdl_t *dtp, struct pid_target *tg);
struct pid_target *pid_target(struct dt_pid *pd, pid_t pid);
/*
 * pid_target_follow - see to it that its descendants go by its name too, for sessions that follow
 * forks, without anything of them being looked at. What is not allowed is not done.
 */
void pid_target_follow(dtrace_hdl_t *dtp, struct pid_target *tg);
/* pid_target_ended - has it? */
bool pid_target_ended(struct pid_target *tg);
/*
 * pid_target_keep - keep a description that has been looked for in all that maps has; open: there
 * may be more later. False without memory.
 */
bool pid_target_keep(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps,
		     const dtrace_probedesc_t *desc, bool open);
void pid_targets_free(struct pid_target *targets);

/* ---- descendants.c ---- */

/*
 * pid_family_find - who has met a watch that is root's: itself, or one that descends from it; NULL: it
 * has ended, or there are too many. pid_family_tell - tell the user how many were missed or late.
 */
struct pid_target *pid_family_find(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held,
				   struct pid_target *root);
void pid_family_tell(dtrace_hdl_t *dtp);

/* ---- failed.c ---- */

/* pid_note - add; false without memory. pid_noted - is it there? */
bool pid_note(struct pid_notes *notes, pid_t pid, uint64_t what);
bool pid_noted(const struct pid_notes *notes, pid_t pid, uint64_t what);

/* ---- skipped.c ---- */

/* pid_omit - count what is left out, which is called so. one: of a description of one function. */
void pid_omit(struct pid_omission *om, bool one, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* pid_omissions_tell - tell the user of all that a description is without; pid 0: in a file. */
void pid_omissions_tell(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, pid_t pid,
			const struct pid_omissions *left);
/* pid_omissions_free - forget it all. */
void pid_omissions_free(struct pid_omissions *left);

/* ---- systemwide.c ---- */

/* pid_every_describe - a description of pid*: in a file, for all processes. */
int pid_every_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
		       struct dt_pid_error *err);
/* pid_every_follow - in files that processes have mapped since. */
void pid_every_follow(struct dt_pid *pd);
void pid_everys_free(struct dt_pid *pd);

/* ---- name.c: patterns and names ---- */

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

/* ---- sites.c: descriptions to sites ---- */

/* pid_batch_init - begin. pid_batch_fini - free. */
void pid_batch_init(struct pid_batch *batch, const struct pid_place *place,
		    struct pid_omissions *left);
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
/* pid_spell - try the names of a place's functions. */
void pid_spell(const struct pid_place *place, dt_spell_t *near);

/* ---- debugger.c ---- */

/* pid_is_debugged - is somebody attached to the process by ptrace? */
bool pid_is_debugged(pid_t pid);
/* pid_debuggees_add - that process as well, which has that mapping of the file. False: no memory. */
bool pid_debuggees_add(struct pid_debuggees *some, pid_t pid, const struct dt_mapping *map);
/*
 * pid_has_breakpoint - is there, at an address of the file, a breakpoint of whoever is attached to
 * a process of the place? Ours would take its place. Also where the memory of such a process cannot
 * be read.
 */
bool pid_has_breakpoint(const struct pid_place *place, uint64_t addr);

/* ---- ifunc.c ---- */

/*
 * pid_ifunc - the function that runs when an ifunc of the place is called: the file's address; 0: it
 * is not known (yet), with errno 0, or why the process cannot be asked.
 */
uint64_t pid_ifunc(const struct pid_place *place, const struct dt_function *func);

#endif
