/* SPDX-License-Identifier: MIT */
/*
 * impl.h - what the files of the pid provider offer each other.
 *
 *	target		a process with descriptions
 *	object		an executable file (object.h)
 *	mapped object	an object in a process, or in all processes (object.h)
 *	pending		a description, kept for what a process maps later
 *	batch		sites of one mapped object, which become one registration
 */
#ifndef DT_PID_IMPL_H
#define DT_PID_IMPL_H

#include <dtrace/fasttrap.h>
#include <dtrace/limits.h>
#include "dofbuild.h"
#include "../arena.h"
#include "../process/mapevents.h"
#include "../process/stop.h"
#include "../proc.h"
#include "../spell.h"
#include "object.h"
#include "pid.h"

/* The skipped instructions with one reason. */
struct pid_skipped {
	unsigned long n, named; /* how many; how many of them are in names */
	char *names;		/* malloc'ed */
	size_t len, capacity;
};

/* All that was skipped. It begins as zeros. */
struct pid_skips {
	struct pid_skipped unsafe;   /* functions whose code cannot be read */
	struct pid_skipped harmful;  /* instructions that the kernel cannot step over */
	struct pid_skipped debugged; /* instructions where a debugger has a breakpoint */
};

struct pid_batch {
	struct dofbuild b;
	struct arena arena;
	unsigned long nsites;
	unsigned long nfunctions; /* that match */
	struct pid_skips *skips;  /* what has no probe is added there */
	int gen;		  /* number of the registration; -1: there is none */
};

/* A description, as the program has it. */
struct pid_pending {
	struct pid_pending *next;
	dtrace_probedesc_t desc;
	bool open; /* it may match files that are mapped later */
};

struct pid_target {
	struct pid_target *next;
	pid_t pid;
	int fd;			 /* pidfd */
	struct pid_target *root; /* whose descriptions it has: itself, or an ancestor */
	struct pid_pending *pending;
	struct pid_maps seen;	 /* files in which the descriptions have been looked for */
	int linker;		 /* stop point where its dynamic linker reports new files; -1: none,
				    0: that of its root */
	int exec;		 /* stop point of its execs; -1: none */
	bool follows;		 /* its descendants stop at their execs too */
	bool related;		 /* names with its number also match its descendants */
	struct pid_maps linkers; /* that have a stop point */
	bool registers;		/* sites in files that it maps later are registered on its behalf */
	bool libraries;		/* those in libraries that it loads later, too */
	struct pid_maps mapped; /* what it had mapped at the last time of that */
	bool begun;		/* it has executed another program since it was described */
	bool ended;
};

/* A description of pid*, and the files in which it has been looked for. */
struct pid_systemwide {
	struct pid_systemwide *next;
	dtrace_probedesc_t desc;	/* as the program has it */
	char module[DTRACE_MODNAMELEN]; /* that is enabled; "": the files' own */
	struct pid_maps seen;
	bool full; /* no more files are taken */
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

/* The result of a description in all mapped objects. It begins as zeros. */
struct pid_outcome {
	unsigned int nobjects; /* files whose name matches */
	unsigned long nsites, nfunctions;
	struct pid_skips skips;
	char module[DTRACE_MODNAMELEN]; /* the last of these files */
	bool followed;			/* in a descendant: what cannot be there is no error */
};

struct dt_pid {
	dtrace_hdl_t *dtp;
	struct pid_target *targets;
	struct pid_file *files; /* the last used first */
	unsigned int nfollowed; /* targets that descend from others */
	unsigned long late;	/* programs that ran before they were looked at */
	struct pid_systemwide *systemwide;
	struct dt_mapevents *events; /* for them; NULL: none are needed, or the user may not */
	uint64_t nextlook;	     /* ns: when to look for new files again */
	struct pid_notes told;	     /* addresses that the user knows cannot be probed */
	struct pid_notes named;	     /* registrations of descriptions that name one probe */
};

/* ---- pid.c ---- */

/* Return the handle's part, allocated at the first call; NULL without memory. */
struct dt_pid *pid_get(dtrace_hdl_t *dtp);
/* Set an error, with a hint or NULL. Return -1. */
int pid_fail(struct dt_pid_error *err, enum dt_pid_fault fault, const char *hint,
	     const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Set the error that there is no memory. Return -1. */
int pid_fail_memory(struct dt_pid_error *err);
/* Tell the user, by the handler of processes, what is no error. pid 0: it is of a file. */
void pid_tell(dtrace_hdl_t *dtp, pid_t pid, const char *message);
/* Return whether a description names one function. */
bool pid_desc_is_one(const dtrace_probedesc_t *desc);
/*
 * Make the probes of a description in one mapped object, and add the result to out. Return 0, or -1
 * with err.
 */
int pid_describe_object(dtrace_hdl_t *dtp, const struct mapped_object *mapped,
			const dtrace_probedesc_t *desc, struct pid_outcome *out,
			struct dt_pid_error *err);
/*
 * Make the probes of a description in the files of a process whose names match, and add the result
 * to out. Leave out files in before, which may be NULL. A file that is not mapped any more is
 * removed from maps. Return 0, or -1 with err.
 */
int pid_maps_describe(dtrace_hdl_t *dtp, pid_t pid, struct pid_maps *maps,
		      const struct pid_maps *before, const dtrace_probedesc_t *desc,
		      struct pid_outcome *out, struct dt_pid_error *err);
/*
 * Replace an alias of a module in a description by the name that its probes have. a.out is such a
 * name.
 */
void pid_desc_rename(dtrace_probedesc_t *desc, const struct pid_outcome *out);

/* ---- sites.c: descriptions to sites ---- */

/* Begin a batch. skips is borrowed until pid_batch_fini(). */
void pid_batch_init(struct pid_batch *batch, const struct mapped_object *mapped,
		    struct pid_skips *skips);
/* Free a batch. */
void pid_batch_fini(struct pid_batch *batch);
/*
 * Add the sites of a mapped object that match a description, whose module matches already. Return
 * 0, or -1 with err if the description names one site, which cannot be probed.
 */
int pid_sites(struct pid_batch *batch, const struct mapped_object *mapped,
	      const dtrace_probedesc_t *desc, struct dt_pid_error *err);
/*
 * Add the instruction at an address of the file as the probe of this name in function "-". Return
 * 0, or -1 with err.
 */
int pid_site_at(struct pid_batch *batch, const struct mapped_object *mapped, uint64_t addr,
		const char *name, struct dt_pid_error *err);
/* Try the names of all functions of a mapped object. */
void pid_spell(const struct mapped_object *mapped, dt_spell_t *near);

/* ---- target.c: processes, and what they map later ---- */

/* Return the target of a process, added if it is new; NULL with errno. */
struct pid_target *pid_target(struct dt_pid *pd, pid_t pid);
/* Return whether the process has ended. */
bool pid_target_ended(struct pid_target *tg);
/*
 * Keep a description that has been looked for in all of maps. open: it may match files that are
 * mapped later. Return false without memory.
 */
bool pid_target_keep(dtrace_hdl_t *dtp, struct pid_target *tg, const struct pid_maps *maps,
		     const dtrace_probedesc_t *desc, bool open);
/*
 * Let names of providers with the process's number match its descendants too, in sessions that
 * follow forks. Nothing happens if the user may not trace the process.
 */
void pid_target_follow(dtrace_hdl_t *dtp, struct pid_target *tg);
/*
 * Register the sites of files that a process maps from now on, if it does not do so itself: those
 * that have only SystemTap's notes. Look for such files when it executes a program; and, if
 * libraries is true or it has executed one, when it has loaded libraries. Nothing happens without
 * memory.
 */
void pid_target_register(dtrace_hdl_t *dtp, struct pid_target *tg, bool libraries);
/* Free all targets. Their stop points end with the session. */
void pid_targets_free(struct pid_target *targets);

/* ---- systemwide.c ---- */

/* Make the probes of a description of pid*, as dt_pid_describe() does. */
int pid_systemwide_describe(dtrace_hdl_t *dtp, dtrace_probedesc_t *desc, bool later,
			    struct dt_pid_error *err);
/* Add probes in files that processes have mapped since. */
void pid_systemwide_follow(struct dt_pid *pd);
/* Free all descriptions of pid*. */
void pid_systemwide_free(struct dt_pid *pd);

/* ---- report.c ---- */

/*
 * Count what was skipped; the format gives its name, which is kept if there is memory. one: the
 * description names one function, so that all are named.
 */
void pid_skip(struct pid_skipped *skipped, bool one, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* Tell the user what was skipped of a description. pid 0: it is of a file. */
void pid_skips_tell(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, pid_t pid,
		    const struct pid_skips *skips);
/* Free what was skipped. */
void pid_skips_free(struct pid_skips *skips);
/* Add a note. Return false without memory. */
bool pid_note(struct pid_notes *notes, pid_t pid, uint64_t what);

/* ---- name.c: patterns and names ---- */

/* Return whether a pattern matches more than one name. */
bool pid_is_glob(const char *pattern);
/* Write the only name that a pattern matches to out, cut to len bytes. */
void pid_unescape(const char *pattern, char *out, size_t len);
/* Return whether a pattern matches a name. An empty pattern matches all. */
bool pid_name_matches(const char *pattern, const char *name);
/*
 * Return whether a pattern matches the file at path: by its base name, its base name without what
 * follows .so, a link libx.so.1 to it, its path, or as a.out if it is the program.
 */
bool pid_module_matches(const char *pattern, const char *path, bool program);
/*
 * Return the name by which a pattern matches function i: that of the symbol, or that of the source,
 * with or without parameters; NULL if it does not match. buf, of len bytes, may hold the result.
 */
const char *pid_function_matches(const char *pattern, struct dt_symtab *tab, size_t i, char *buf,
				 size_t len);
/* Return whether a name is an offset or address in hexadecimal, and set *value to it. */
bool pid_name_is_offset(const char *name, uint64_t *value);

#endif
