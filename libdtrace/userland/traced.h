/* SPDX-License-Identifier: MIT */
/*
 * traced.h - the processes of a session without the kernel module. (traced.c, join.c, collect.c)
 *
 * A process is known from its first registration on. It is joined when tracing begins and one of
 * its probes is enabled: it gets the agent (agent.h), which runs the session's programs, and code
 * at its sites.
 *
 * All functions except traced_poll() are called by the thread that uses the handle.
 */
#ifndef DT_USERLAND_TRACED_H
#define DT_USERLAND_TRACED_H

#include <pthread.h>
#include <stdbool.h>
#include <dtrace/fasttrap.h>
#include <dtrace/ioctl.h>
#include "../world.h"
#include "agent.h"
#include "engine.h"
#include "remote.h"
#include "seize.h"
#include "takeover.h"
#include "usdt.h"
#include "variables.h"

struct dt_patches;
struct dt_visitor;

/* Bytes that are collected for the consumer. */
struct traced_bytes {
	char *data;
	size_t size, capacity;
	uint64_t drops;
	uint32_t errors;
	uint64_t complete; /* later records are not older than this */
	bool waiting;	   /* collected, but not passed on */
};

/* A function that consists of instructions only, and how many bytes behind it nothing uses. */
struct traced_code {
	uint64_t start, end, spare;
};

/* Such functions; in a registration, sorted by start. */
struct traced_codes {
	struct traced_code *list;
	size_t n;
};

/* The file that is mapped at the first site of probes. */
struct traced_file_at {
	uint64_t addr, dev, ino, offset;
};

/* A DOF that a process has. */
struct traced_dof {
	struct traced_dof *next;
	int number;	     /* of the registration */
	uint64_t instance;   /* of the runtime that has registered it (join.h); 0: dtrace */
	int instance_number; /* its number there */
	uint32_t scan;	     /* in which the process last had it among what it keeps; 0: none */
	void *bytes;	     /* as it came */
	size_t size;
	uint64_t user, base;
	uint32_t flags; /* DTRACE_FT_* */
	char mod[DTRACE_HELPER_MODLEN];
	struct agent_text
		texts[DTRACE_UHELP_MAXTEXTS]; /* of the object whose ustack helpers it has */
	uint32_t ntexts;
	struct traced_codes codes; /* of pid probes */
	struct traced_file_at at;  /* of probes that dtrace has registered */
	struct usdt_dof *dof; /* NULL: suspended: pid probes whose file is not mapped there now */
	int64_t in_agent;     /* its number there; -1: none */
};

/* Return what usdt_add() has to know of a DOF, by the flags of its registration. */
static inline uint32_t traced_dof_flags(const struct traced_dof *dof)
{
	return (dof->flags & DTRACE_FT_PID ? USDT_PID : 0U) |
	       (dof->flags & DTRACE_FT_PROGRAM ? USDT_PROGRAM : 0U);
}

/* The checked state of a slot. */
struct traced_slot {
	uint64_t errors; /* faults that were counted */
	uint64_t when;	 /* when its buffer was last taken */
	uint64_t held;	 /* since when a thread keeps it; 0: none does */
	bool read;	 /* its fill or ring buffer was read */
};

/* The region of a joined process. */
struct traced_region {
	int fd;
	char *mem;	  /* dtrace's mapping */
	uint64_t address; /* address in the process */
	uint64_t size;
	uint64_t activity, exited, cpus; /* offsets, checked */
	uint32_t nslots;
	bool children; /* forked children may still use it when the process has ended */
	bool left;     /* no process uses it: traced_region_leave() */
	struct traced_slot *slots;
	uint64_t arguments; /* offset of space for arguments of calls */
	uint64_t patches;   /* offset of struct agent_patch[] */
	uint64_t numbers;   /* offset of the indices by trampoline number */
	uint64_t stacks,
		stacks_used; /* offset of space for unwind tables, and bytes of it that are used */
	uint64_t *tables;    /* by the session's number of a table: its offset; 0: not there */
	uint32_t ntables;
	/* by the process's epid: the number and record size here; size 0: none */
	struct traced_epid {
		uint32_t epid, size;
	} * epids;
	uint32_t nepids;
};

struct traced_stop;  /* stops.c */
struct traced_execs; /* calls.c */
struct traced_exec;  /* execs.c */

struct traced {
	struct traced *next;
	pid_t pid;
	int pidfd;
	struct usdt_process usdt; /* in the engine of dtrace */
	struct traced_dof *dofs;
	uint64_t image; /* what tells the program that it runs from the one before exec */
	uint64_t region_dev, region_ino; /* of its region; 0: not joined */
	bool joined, ended;		/* ended: the process has, or it runs another program now */
	uint64_t look;			/* when to check next whether its children have ended */
	uint64_t pause;			/* ns from the previous check to the next one */
	struct dt_variables *variables; /* of the session; NULL: not joined */
	uint32_t number;		/* its number there */
	int memory; /* of the process, open for reading and writing; -1: not joined */
	struct agent_image entries;
	struct traced_region region;
	struct dt_patches *patches;   /* sites.c */
	struct traced_site *sites;    /* by location */
	struct traced_patch *patched; /* by address: the patches of the region's table */
	uint32_t nsites, npatches;
	struct traced_stop *stops;
	const struct traced_execs *execs; /* its execs are followed; NULL: they are not */
	struct traced_text *searched;	  /* for system calls */
	size_t nsearched;
	/* by the entry of the region: the last thread that has been told of as stopped there */
	struct {
		uint32_t ticket;
		int handle;
	} stopped[AGENT_STOPPED_MAX];
	uint32_t nchildren; /* forked children that the session has been told of */
	bool met;	    /* the session has been told of it */
	bool full;	    /* there are more patches than the region's table has space for */
	uint32_t nfailed;   /* sites without code that the user has not been told of */
	char why_site[256]; /* the reason of the first */
	dtrace_unwind_mapping_t *maps; /* what it maps, with the tables of the session */
	uint32_t nmaps;
	char why[DT_WHYLEN];  /* why it could not be joined */
	char told[DT_WHYLEN]; /* the last such reason that the user was told */
	/* filters of system calls (filters.c) */
	struct {
		long shared;   /* how many the process shares with dtrace */
		bool others;   /* it has others */
		uint64_t seen; /* when dtrace has last looked at them */
	} filters;
};

/* A message to the user about a process. */
struct traced_complaint {
	struct traced_complaint *next;
	pid_t pid;
	char message[];
};

/* A program of the session. */
struct traced_program {
	struct traced_program *next;
	void *dof;
	size_t size;
};

struct traced_wait; /* await.c */

#define TRACED_FILES  256
#define TRACED_STACKS (64ULL << 20) /* bytes of unwind tables in a region */

struct traced_session {
	dtrace_state_t *state;
	struct traced *processes;
	struct traced_program *programs;
	bool going;
	bool exits; /* a program can call exit() */
	int next_number, next_handle;
	struct traced_codes codes; /* of the registration that comes next */
	uint32_t uid;
	uint64_t tick;		 /* of the time stamp counter (tick.h) */
	pthread_mutex_t *leader; /* at the beginning of the control page */
	int control_fd;
	struct dt_variables variables;
	struct dt_door *door; /* NULL: programs that start cannot come */
	struct traced_wait *waits;
	struct traced_execs *execs;
	struct traced_exec *executing;
	struct traced_complaint *complaints;
	struct traced_bytes *records, *aggs; /* by CPU: collected and not read yet */
	uint32_t ncpus;
	uint64_t filters_next;	     /* when to look at the filters of a process (filters.c) */
	unsigned int naps;	     /* waited for slots after tracing ended (collect.c) */
	dtrace_status_t ended;	     /* counts of processes that have been forgotten */
	bool woken, exited;	     /* for traced_poll(), from such processes */
	struct traced_table *tables; /* for stacks (stacks.c) */
	uint32_t ntables;
	struct traced_file *files[TRACED_FILES]; /* that have been looked at, by inode (scan.c) */
	uint32_t nscans;			 /* of running processes */
	dt_world_met_f *met;			 /* of dt_world_ops.follow, or NULL */
	void *met_arg;
};

/* traced_open - initialise a session without processes. Return 0 or a negative errno. */
int traced_open(struct traced_session *session, dtrace_state_t *state);
/*
 * traced_close - let all processes go on untraced, and free them. The variables stay for dtrace's
 * engine.
 */
void traced_close(struct traced_session *session);
/*
 * traced_program - note a program that the session has enabled; the DOF is copied. Return 0 or
 * -ENOMEM.
 */
int traced_program(struct traced_session *session, const void *dof);

/*
 * traced_code - note a function of the next registration (world.h). Without memory, the function
 * counts as unknown.
 */
void traced_code(struct traced_session *session, uint64_t addr, uint64_t size, uint64_t spare);
/*
 * traced_register - carry out DTRACEFTIOC_REGISTER. Return the number of the registration, or a
 * negative errno as fasttrap.h says.
 */
int traced_register(struct traced_session *session, const dtrace_ft_register_t *reg);
/* traced_remove - carry out DTRACEFTIOC_REMOVE. Return 0 or a negative errno. */
int traced_remove(struct traced_session *session, const dtrace_ft_remove_t *remove);
/* traced_count - carry out DTRACEFTIOC_COUNT. Return 0 or a negative errno. */
int traced_count(struct traced_session *session, dtrace_ft_count_t *count);
/* traced_failures - carry out DTRACEFTIOC_FAILURES. Return 0. */
int traced_failures(struct traced_session *session, dtrace_ft_failures_t *failures);

/*
 * traced_scan - register all probes of the user's running processes, if the pattern of a provider
 * can match any. Return whether it can.
 */
bool traced_scan(struct traced_session *session, const char *provider);

/*
 * traced_register_kept - register a DOF that a process keeps for later sessions, unless it has come
 * by the door or an earlier scan already. instance, number: see <dtrace/join.h>. The DOF is the
 * process's; the caller has checked the sizes.
 */
void traced_register_kept(struct traced_session *session, const dtrace_ft_register_t *reg,
			  uint64_t instance, int number);
/*
 * traced_has_kept - return whether the session has such a DOF already. If so, note that the process
 * still keeps it.
 */
bool traced_has_kept(struct traced_session *session, pid_t pid, uint64_t user, uint64_t instance,
		     int number);
/* traced_sweep_kept - end the registrations that a process had kept before the current scan. */
void traced_sweep_kept(struct traced_session *session, pid_t pid);

/*
 * traced_prepare - join all processes with enabled probes, before tracing begins. Report processes
 * that cannot be joined. Return 0, or the negative errno of a process that a description names by
 * its number.
 */
int traced_prepare(struct traced_session *session);
/* traced_activity - set the activity (DTRACE_ACTIVITY_*) of all agents. */
void traced_activity(struct traced_session *session, uint32_t activity);
/* traced_work - serve programs at the door, and free processes that have ended. */
void traced_work(struct traced_session *session);
/* traced_fd - return a descriptor that is readable when traced_work() can make progress, or -1. */
int traced_fd(const struct traced_session *session);
/* traced_drain - wait for a limited time until the current hits in the processes have ended. */
void traced_drain(struct traced_session *session);

/*
 * traced_await - carry out DTRACEFTIOC_STOP_EXEC by name: the next program of that name that comes
 * to the door waits there. Return the number of the stop point; or a negative errno, with a
 * complaint if it concerns the door.
 */
int traced_await(struct traced_session *session, const dtrace_stop_exec_t *exec);
/*
 * traced_arrived - describe the next waiting program that was not reported yet. Return false if
 * there is none.
 */
bool traced_arrived(struct traced_session *session, dtrace_stopped_t *stopped);
/*
 * traced_keepalive - extend the wait of waiting programs. The interval of calls is below
 * DTRACE_JOIN_SILENCE.
 */
void traced_keepalive(struct traced_session *session);
/* traced_await_end - carry out DTRACEFTIOC_STOP_END. Return 0 or 1, or -ENOENT. */
int traced_await_end(struct traced_session *session, int number);
/* traced_await_release - carry out DTRACEFTIOC_STOP_RELEASE. Return 0 or -ESRCH. */
int traced_await_release(struct traced_session *session, pid_t pid);

/*
 * traced_stop_address - carry out DTRACEFTIOC_STOP_ADDRESS. Forked children that are traced stop at
 * the stop points of their parents. Return the number of the stop point, or a negative errno.
 */
int traced_stop_address(struct traced_session *session, const dtrace_stop_address_t *at);
/*
 * traced_stops_waiting - return whether a thread waits that traced_stops_arrived() has not told of.
 */
bool traced_stops_waiting(const struct traced_session *session);
/* traced_stops_arrived - describe such a thread. Return false if there is none. */
bool traced_stops_arrived(struct traced_session *session, dtrace_stopped_t *stopped);
/* traced_stops_release - let a thread go on, by its dtfd_tid. Return false if it does not wait. */
bool traced_stops_release(struct traced_session *session, int handle);
/* traced_stop_end - carry out DTRACEFTIOC_STOP_END. Return 0 or 1, or -ENOENT. */
int traced_stop_end(struct traced_session *session, int number);

/*
 * traced_stop_execs - carry out DTRACEFTIOC_STOP_EXEC of a process. Return the number of the stop
 * point, or a negative errno.
 */
int traced_stop_execs(struct traced_session *session, const dtrace_stop_exec_t *exec);
/*
 * traced_execs_end - carry out DTRACEFTIOC_STOP_END of such a stop point. Return false if there is
 * none.
 */
bool traced_execs_end(struct traced_session *session, int number);

/*
 * traced_complaint - return the next thing that the user should know of a process, or NULL. The
 * caller frees it.
 */
struct traced_complaint *traced_complaint(struct traced_session *session);
/*
 * traced_poll - check whether an agent asks dtrace to read its buffers, or a program has called
 * exit(). Called by a timer, with the lock of the list. Return whether to wake the consumer; set
 * *exited to whether tracing ends.
 */
bool traced_poll(struct traced_session *session, bool *exited);

/*
 * traced_collect - take the records (agg: the aggregations) of a CPU from all processes, unless
 * earlier ones still wait for the consumer. Return all of them. After passing them on, the caller
 * empties them, sets complete to UINT64_MAX, and resets waiting.
 */
struct traced_bytes *traced_collect(struct traced_session *session, bool agg, uint32_t cpu);
/* traced_met - tell the session of a process, if it is joined (dt_world_met_f). */
void traced_met(struct traced_session *session, struct traced *traced);
/*
 * traced_collect_last - take the last records of a process whose region is left, for
 * traced_collect() and traced_poll(), and its counts, for traced_status().
 */
void traced_collect_last(struct traced_session *session, struct traced *traced);
/* traced_status - add the counts of all processes, including ended ones. */
void traced_status(struct traced_session *session, dtrace_status_t *status);

/*
 * traced_unwind_table - carry out DTRACEFTIOC_UNWIND_TABLE. Return as <dtrace/unwind.h> says, with
 * negative errnos.
 */
int traced_unwind_table(struct traced_session *session, const dtrace_unwind_load_t *load);
/* traced_unwind_maps - carry out DTRACEFTIOC_UNWIND_MAPS. Return as <dtrace/unwind.h> says. */
int traced_unwind_maps(struct traced_session *session, const dtrace_unwind_process_t *process);
/*
 * traced_unwind_missing - carry out DTRACEFTIOC_UNWIND_MISSING. Return as <dtrace/unwind.h> says.
 */
int traced_unwind_missing(struct traced_session *session, dtrace_unwind_missing_t *missing);

/* ---- among the files ---- */

/* Make the door of the session if it has none. Return 0, or a negative errno with a complaint. */
int traced_door_open(struct traced_session *session);
/* Return the wait that a program at the door matches, or NULL. */
struct traced_wait *traced_wait_for(struct traced_session *session,
				    const struct dt_visitor *visitor);
/* Make a program at the door wait. The wait takes over its remote. */
void traced_wait_keep(struct traced_wait *wait, struct dt_visitor *visitor);
/* Return the remote of a process that waits, or NULL. */
struct dt_remote *traced_waiting(struct traced_session *session, pid_t pid);
/* Let all waiting programs go on, and remove all waits. */
void traced_await_fini(struct traced_session *session);

/* Tell the agent of a process that has just been joined whether its system calls are filtered. */
void traced_filters_begin(struct traced *traced);
/* Look whether a process has a new filter. Called by a timer, with the lock of the list. */
void traced_filters_look(struct traced_session *session);

/* Give a joined process its known unwind tables. */
void traced_unwind_begin(struct traced_session *session, struct traced *traced);
/* Free the tables of the session. */
void traced_unwind_fini(struct traced_session *session);

/*
 * Take a slot from the threads of a joined process. Return false if a thread has it for too long:
 * the thread may have been preempted. No thread has a slot of an ended process.
 */
bool traced_slot_lock(const struct traced *traced, uint32_t slot);
/* Return whether the program with which a process was joined has ended. */
bool traced_has_ended(const struct traced *traced);
/* Give it back. */
void traced_slot_unlock(const struct traced *traced, uint32_t slot);
/* Note a message for the user about a process. Without memory it is lost. */
void traced_complain(struct traced_session *session, pid_t pid, const char *message);
/* Find a process, or begin with it. *out is set on success. Return 0 or a negative errno. */
int traced_get(struct traced_session *session, pid_t pid, struct traced **out);
/*
 * Join a process if it is needed for new stop points, and tell its agent of them. Return 0 or a
 * negative errno, with the reason in t->why.
 */
int traced_update_stops(struct traced_session *session, struct traced *t);
/*
 * Make a stop point of a process, of which its agent is not told yet.
 *	number	the session's, or AGENT_CALL()
 * Return false without memory, or if there is one already.
 */
bool traced_stop_add(struct traced *t, uint64_t addr, uint32_t number);
/*
 * Tell the agent of a process of its new stop points; all: of all, since the agent is new. Return 0
 * or a negative errno.
 */
int traced_stops_join(struct traced *t, struct dt_remote *remote, bool all);
/* Return the number of the stop point at the execs of a process, or 0 if they are not followed. */
int traced_execs_number(const struct traced *t);
/* Follow the execs of a process as those of the program that it was before, or of its parent. */
void traced_execs_go_on(struct traced *t, const struct traced_execs *execs);
/*
 * Follow the thread in an entry of the region while it executes a program. release lets it go.
 * Return false if the program will not be stopped; then the caller lets the thread go on.
 *	pid	of the thread: t's process, one that shares its memory, or a forked child
 *	entry	a copy
 *	futex	for which the thread waits, an address in the process
 */
bool traced_exec_begin(struct traced_session *session, const struct traced *t, pid_t pid,
		       const struct agent_stopped *entry, uint64_t futex);
/* Handle the stops of all threads that execute programs. */
void traced_exec_work(struct traced_session *session);
/*
 * Describe a thread that waits at the first instruction of its program. Return false if there is
 * none.
 */
bool traced_exec_arrived(struct traced_session *session, dtrace_stopped_t *stopped);
/* Let such a thread go on, by its dtfd_tid. Return false if it does not wait. */
bool traced_exec_release(struct traced_session *session, int handle);
/* Detach from all threads that execute programs. */
void traced_exec_fini(struct traced_session *session);
/* Forget all processes whose execs are followed. */
void traced_execs_fini(struct traced_session *session);
/*
 * Search the code that a process has mapped since the last call for system calls. Return whether
 * there are any.
 */
bool traced_calls_look(struct traced *t);
/*
 * Follow the execs of a process that is new, if the session follows those of its number, or of its
 * parent.
 */
void traced_execs_begin(const struct traced_session *session, struct traced *t,
			const struct traced *parent);
/*
 * Suspend the pid probes of a process in files that it has unmapped, and resume those in files that
 * are mapped there again. End other registrations by dtrace in files that it has unmapped.
 */
void traced_files_look(struct traced_session *session, struct traced *t);
/* Give a forked child the locations of system calls that its parent has. */
void traced_stops_inherit(struct traced *t, const struct traced *parent);
/* Return a new number for dtfd_tid, by which a thread is let go. */
int traced_handle(struct traced_session *session);
/* Let all threads go on that wait in the region of a process. */
void traced_stops_go(struct traced *t);
/* Free the stop points of a process, whose locations have been freed. */
void traced_stops_free(struct traced *t);
/* Return a process that lives and is known, or NULL. */
struct traced *traced_by_pid(struct traced_session *session, pid_t pid);
/*
 * Return the process whose agent a process has inherited by fork, or NULL. A joined process has its
 * own agent.
 */
struct traced *traced_parent(const struct traced_session *session, pid_t pid);
/* traced_ancestors - copy the ancestors of a process that is t or has been forked from t. */
void traced_ancestors(const struct traced *t, pid_t pid, uint32_t ancestors[USDT_ANCESTORS]);
/*
 * Return whether a description of the session's programs names a process by its number, without a
 * pattern.
 */
bool traced_is_named(const struct traced_session *session, pid_t pid);
/* Return 0 if the session's user may trace a process, or a negative errno. */
int traced_allowed(const struct traced_session *session, pid_t pid);
/*
 * Look again, if descriptions can match processes that they do not name, at what running processes
 * keep. From now on, programs tell of it at the door.
 */
void traced_scan_again(struct traced_session *session);
/* Look at what a process keeps, and at its files, and trace what is found. */
void traced_scan_process(struct traced_session *session, pid_t pid);
/* Free the cache of traced_scan(). */
void traced_scan_fini(struct traced_session *session);

/*
 * Put the agent into a process, and code at its sites. Return 0, or a negative errno with why:
 * -EINPROGRESS if the process must go on before the caller tries again.
 */
int traced_join(struct traced_session *session, struct traced *traced, struct dt_remote *remote,
		enum dt_takeover_how how);
/*
 * Mark the region of an ended process as left: no forked child uses it, and none can map it again.
 * Return false if a child uses it, or without memory. A child with the file can seal it against
 * dtrace. Then the region is left, and later records of that child are lost.
 */
bool traced_region_leave(struct traced *traced);
/* Undo traced_join() as far as the process lives, and free the state of the join. */
void traced_leave(struct traced *traced);
/* Give the agent of a joined process a new DOF. Return 0 or a negative errno. */
int traced_join_dof(struct traced_session *session, struct traced *traced, struct dt_remote *remote,
		    struct traced_dof *dof);
/* Take a DOF back from a joined process's agent, with its sites. */
void traced_leave_dof(struct traced *traced, struct dt_remote *remote, struct traced_dof *dof);
/* Tell a joined process's agent of a stop point. Return 0 or a negative errno. */
int traced_join_stop(struct traced *t, struct dt_remote *remote,
		     const struct usdt_location *location);
/* Remove a stop point from a joined process and its agent; the code stays if there are sites. */
void traced_leave_stop(struct traced *t, struct dt_remote *remote,
		       const struct usdt_location *location);
/* Prepare code for the locations that are enabled and have none. Return 0 or a negative errno. */
int traced_sites_prepare(struct traced *traced, struct dt_remote *remote);
/*
 * Switch the code of each location on or off, as its probes are enabled. No dt_remote by ptrace may
 * have begun. constructing: the process is in its start-up object. Return 0 or a negative errno.
 */
int traced_sites_switch(struct traced *traced, bool constructing);
/* Report the locations that could not have code, once. */
void traced_sites_complain(struct traced_session *session, struct traced *traced);
/* Switch all code off. */
void traced_sites_off(struct traced *traced);
/*
 * Restore the code and the semaphores of a forked child, copies of its parent's. memory: a
 * descriptor of the child's memory.
 */
void traced_sites_restore(const struct traced *parent, pid_t child, int memory);
/* Return whether the code of a DOF is where it was put; true if it has none. */
bool traced_sites_are_there(const struct traced *t, const struct usdt_dof *dof);
/* Remove the code of a stop point, unless it has sites. */
void traced_sites_forget_stop(struct traced *t, const struct usdt_location *location);
/* Remove the code of a DOF that ends. */
void traced_sites_forget(struct traced *traced, const struct usdt_dof *dof);
/* Remove all code. */
void traced_sites_end(struct traced *traced);

#endif
