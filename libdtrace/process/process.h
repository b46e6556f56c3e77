/* SPDX-License-Identifier: MIT */
/*
 * process.h - what the files of this folder offer each other: processes (proc.c), their start
 * (start.c), their symbols.
 */
#ifndef DT_PROCESS_H
#define DT_PROCESS_H

#include <dtrace/fasttrap.h>
#include "../consume/consume.h"
#include "mapping.h"

struct ps_prochandle {
	struct ps_prochandle *next;
	pid_t pid;
	int fd;				/* pidfd */
	bool created;			/* by us: it is our child */
	bool held;			/* until dtrace_proc_continue */
	int watch;			/* by this watch; 0: by ptrace */
	bool ended;
};

struct dt_user;				/* symbols of processes: user_symbol.c */
struct dt_hold;				/* watches: hold.c */
struct dt_arrival;			/* processes that are about to come: arrival.c */
struct dt_expected;			/* processes that are waited for: expect.c */
struct dt_unwind;			/* unwind tables of processes: unwind.c */
struct dt_pid;				/* the pid provider: pid.c */

struct dt_procs {
	struct ps_prochandle *procs;
	struct dt_user *user;
	struct dt_hold *holds;
	struct dt_expected *expected;
	struct dt_unwind *unwind;	/* NULL: none are needed */
	struct dt_pid *pid;
	uint64_t nextmaps;		/* ns: when to look at mappings again */
};

/* dt_procs - the handle's, made at first use; NULL and ENOMEM. */
struct dt_procs *dt_procs(dtrace_hdl_t *dtp);

/*
 * dt_create - fork, execute file with argv, and have it held where option evaltime says: then it can
 * be handed on. Needs the device. The pid, or -1 with EDT_PROC and a text. (create.c)
 */
pid_t dt_create(dtrace_hdl_t *dtp, const char *file, char *const *argv, struct dt_arrival *arr);
/* dt_proc_kill - kill a child that nobody will let run, and take its status. */
void dt_proc_kill(pid_t pid);
/* dt_proc_held - a process is held by a watch until dtrace_proc_continue. */
void dt_proc_held(struct ps_prochandle *proc, int watch);
/* dt_expected_fini - forget who is waited for. (expect.c) */
void dt_expected_fini(struct dt_procs *procs);

/*
 * dt_auxv - the value of an entry (AT_*) of a process's auxiliary vector; false: it has none, or has
 * ended. (auxv.c)
 */
bool dt_auxv(pid_t pid, uint64_t type, uint64_t *value);

/* ---- start.c: without the kernel module's help ---- */

/*
 * dt_start - fork, execute file with argv, and run it up to the place that evaltime names; it stays
 * stopped under ptrace, to be killed should we end. The pid, or -1 with EDT_PROC and a text.
 */
pid_t dt_start(dtrace_hdl_t *dtp, const char *file, char *const *argv, enum dt_evaltime where);
/*
 * dt_start_fail - -1, with EDT_PROC and a text. dt_start_died - likewise, for a status of wait: it ended
 * before it was where it is to be held.
 */
int dt_start_fail(dtrace_hdl_t *dtp, const char *file, const char *what);
int dt_start_died(dtrace_hdl_t *dtp, const char *file, int status);
/* dt_start_release - let it run on, free of us. */
void dt_start_release(pid_t pid);

/* ---- hold.c: the kernel holds threads for us; dtrace/fasttrap.h says how ---- */

/*
 * dt_fasttrap_fd - the handle's file of the fasttrap device, which is opened at the first call and
 * closed with the handle; -1: it cannot be opened.
 */
int dt_fasttrap_fd(dtrace_hdl_t *dtp);

/*
 * What is done when a thread has met a watch; it is held if DTRACE_FT_STOPPED is set. False: it goes
 * on now; true: dt_hold_release will be called.
 */
typedef bool dt_hold_f(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held, void *arg);

/*
 * dt_hold_exec - watch for the next exec of a file of that name, and hold the process. ms: at most,
 * here and below. The watch's number, or -1 with errno of the device.
 * dt_hold_exec_of - hold a process at each of its execs; follow: and its descendants at theirs. ms 0:
 * nobody, but they go by the process's name for sessions that follow forks.
 * dt_hold_address - hold each thread of a process that arrives at an address; follow: and those of
 * descendants that are followed, at that place of the file.
 */
int dt_hold_exec(dtrace_hdl_t *dtp, const char *name, uint32_t ms, dt_hold_f *func, void *arg);
int dt_hold_exec_of(dtrace_hdl_t *dtp, pid_t pid, bool follow, uint32_t ms, dt_hold_f *func,
		    void *arg);
int dt_hold_address(dtrace_hdl_t *dtp, pid_t pid, uint64_t address, bool follow, uint32_t ms,
		    dt_hold_f *func, void *arg);
/*
 * dt_hold_end - the end of a watch: its threads go on, and func is not called any more. False: none
 * was held.
 */
bool dt_hold_end(dtrace_hdl_t *dtp, int watch);
/* dt_hold_ignore - who comes to it from now on goes on; who is held stays. */
void dt_hold_ignore(dtrace_hdl_t *dtp, int watch);
/* dt_hold_release - let one thread go on; false: it had already. */
bool dt_hold_release(dtrace_hdl_t *dtp, pid_t tid);
/*
 * dt_hold_work - call the functions of watches for those that have met them; dt_procs_work does it,
 * and dt_procs_fds says when. dt_hold_wait - likewise, as soon as there are some, or ms have passed;
 * false with errno: a signal came.
 */
void dt_hold_work(dtrace_hdl_t *dtp);
bool dt_hold_wait(dtrace_hdl_t *dtp, int ms);
void dt_hold_fini(struct dt_hold *hold);

/* ---- symtab.c: functions of an ELF file ---- */

struct dt_symtab;

/*
 * dt_symtab_open - read the functions of the file at path; NULL if it cannot be read. name: what it
 * is called in its own file system, for a debug file beside it.
 * dt_symtab_close - free; NULL is fine.
 */
struct dt_symtab *dt_symtab_open(const char *path, const char *name);
void dt_symtab_close(struct dt_symtab *tab);
/*
 * dt_symtab_find - function at a file offset, and the distance from its start; NULL if there is
 * none.
 */
const char *dt_symtab_find(struct dt_symtab *tab, uint64_t offset, uint64_t *dist);

/* dt_symtab_addr - what is at a file offset, in the file's own address space. */
uint64_t dt_symtab_addr(const struct dt_symtab *tab, uint64_t offset);

/* A function of a file, under one of its names. */
struct dt_function {
	const char *name;		/* as it stands in the symbol table */
	uint64_t addr;			/* in the file's own address space */
	uint64_t size;			/* in bytes; 0: not known */
	uint8_t bind;			/* STB_* */
	bool ifunc;			/* at addr is what chooses the function */
};

/*
 * dt_symtab_count - how many there are. dt_symtab_until - how many begin at an address or before.
 * dt_symtab_function - one of them, in order of address, and the table's. dt_symtab_plain - its name
 * as in its source.
 */
size_t dt_symtab_count(const struct dt_symtab *tab);
size_t dt_symtab_until(const struct dt_symtab *tab, uint64_t addr);
const struct dt_function *dt_symtab_function(const struct dt_symtab *tab, size_t i);
const char *dt_symtab_plain(struct dt_symtab *tab, size_t i);

/*
 * dt_demangle - a function's name as in its source, for the caller to free; NULL without memory.
 * (demangle.c)
 */
char *dt_demangle(const char *name);

/* ---- piece.c ---- */

struct dt_piece;
/*
 * dt_piece_alloc - zeroed memory, added to the list *ctx; NULL: there is none. dt_pieces_free - free
 * a list.
 */
void *dt_piece_alloc(void *ctx, size_t size);
void dt_pieces_free(struct dt_piece *pieces);

/* ---- proc_dof.c ---- */

/*
 * What is done with the DOF of a file that a process has mapped; not 0: no more.
 *	dof		valid during the call; as if it were at
 *	address		in the process, to which its sites are relative
 *	data		in the process: what helpers are given as arg3, or 0
 *	map		the mapping
 */
typedef int dt_proc_dof_f(void *arg, const void *dof, uint64_t address, uint64_t data,
			  const struct dt_mapping *map);
/*
 * dt_proc_dof - call func with the DOF of each file with probes that a process has mapped for
 * execution: what drti would register, helpers too, and SystemTap's notes. 0 (also if there are none,
 * or they cannot be read), or what func returned.
 */
int dt_proc_dof(pid_t pid, dt_proc_dof_f *func, void *arg);

/* ---- mapevents.c: what processes map, as it happens ---- */

struct dt_mapevents;

/* What is done with a mapping for execution that a process has made. */
typedef void dt_mapevent_f(void *arg, pid_t pid, const struct dt_mapping *map);
/*
 * dt_mapevents_open - begin; NULL if the user may not, or without memory. func: what is done when
 * events are read; NULL: they are remembered for dt_mapevents_each, of the processes last heard of.
 */
struct dt_mapevents *dt_mapevents_open(dt_mapevent_f *func, void *arg);
void dt_mapevents_close(struct dt_mapevents *me);
/* dt_mapevents_know - what the process has mapped so far; its children may end before they are seen. */
void dt_mapevents_know(struct dt_mapevents *me, pid_t pid);
/* dt_mapevents_read - take in what has happened. */
void dt_mapevents_read(struct dt_mapevents *me);
/*
 * dt_mapevents_each - call func for each mapping of a process that is known, the last first; what
 * func returns does not matter. True: these are all that it has.
 */
bool dt_mapevents_each(struct dt_mapevents *me, pid_t pid,
		       int (*func)(void *arg, const struct dt_mapping *map), void *arg);

/* ---- register.c ---- */

/*
 * dt_register - register the probes of a process that it has not registered itself; 0 (also if
 * there are none), or -1 with EDT_PROC.
 */
int dt_register(dtrace_hdl_t *dtp, pid_t pid);
/* dt_register_may - false: the process is not ours to trace. */
bool dt_register_may(dtrace_hdl_t *dtp, pid_t pid);

/* ---- unwind.c ---- */

/*
 * dt_unwind_go - tracing begins: if stacks of processes will be recorded, give the module the unwind
 * tables of those that the session is about. dt_unwind_work - and of those that it has seen since.
 */
void dt_unwind_go(dtrace_hdl_t *dtp);
void dt_unwind_work(dtrace_hdl_t *dtp);
/* dt_unwind_due - ns: when there is work to be done again; UINT64_MAX: never. */
uint64_t dt_unwind_due(const struct dt_unwind *unwind);
void dt_unwind_fini(struct dt_unwind *unwind);

/* ---- pid.c ---- */

/* dt_pid_follow - add the sites of descriptions in files that processes have mapped since. */
void dt_pid_follow(dtrace_hdl_t *dtp);
void dt_pid_fini(struct dt_pid *pid);

/* ---- user_symbol.c ---- */

/*
 * dt_user_watch - take note, from now on, of what all processes map: for those that end soon.
 * dt_user_know - and of what this one has mapped, which its children have from it.
 */
void dt_user_watch(dtrace_hdl_t *dtp);
void dt_user_know(dtrace_hdl_t *dtp, pid_t pid);
/* dt_user_work - do that: now and then, so that nothing is lost. */
void dt_user_work(dtrace_hdl_t *dtp);
/* dt_user_refresh - take note of what the process has mapped now, for the time when it is gone. */
void dt_user_refresh(dtrace_hdl_t *dtp, pid_t pid);
void dt_user_fini(struct dt_user *user);

#endif
