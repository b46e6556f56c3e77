/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * impl.h - shared between the files of fasttrap.
 *
 *	process		an address space with registrations; also its PID and its providers
 *	session		a tracing session that has registered pid probes
 *	registration	one DOF: its sites, in groups. It belongs to the process, or to a session,
 *			and then has pid probes
 *	group		the sites of a registration that belong to one probe
 *	probe		a probe of the engine, with the groups of one or more registrations
 *	tracepoint	a location in a file with a uprobe consumer, while a site there is enabled
 *	tp_mm		an address space that wants a tracepoint, with its enabled sites there
 *	system-wide	stands for all address spaces: its registrations are those of pid* probes,
 *			and its tp_mm has no mm
 *
 * Locks, in the order in which they are taken:
 *
 *	a session's failures	mutex
 *	a user's turn	mutex: one thread of the user waits for the registry lock
 *	registry lock	mutex: processes, sessions, registrations, providers; forks and deaths
 *	(engine lock)
 *	tracepoint lock	mutex: tracepoints, tp_mms, which probes are enabled, lists of groups
 *	event lock	raw spin lock: the table of processes, pending forks and deaths
 *
 * None of them is held while waiting for the memory, file or lock of any process: neither mmap_lock
 * nor reading of files. A registration is prepared without locks and then enters the registry.
 * Requests from user land wait killably for the registry lock, for workers and for mmap_lock.
 *
 * A breakpoint's handler may take the registry lock, to copy the registrations of its parent to a
 * fork child at its first hit. Uprobes may wait for handlers, and for the mmap_lock of each process
 * that maps the file. So no lock at all is held around calls of uprobes: one worker (uprobe.c)
 * makes them, from jobs noted under the tracepoint lock. To wait for that worker, a thread must
 * hold no lock either. So the engine, whose operation sync runs under a lock of its own, only
 * starts the worker; each request from user land then waits for the jobs of its own process.
 * Firings and uprobes' filter find tp_mms under RCU.
 *
 * Each function asserts the lock that its comment names in brackets.
 *
 * The states of a process. The event lock protects all transitions, which events.c makes.
 *
 *	          has all its copies,              exec or exit
 *	          or needs none
 *	   NEW ----------------------> LIVE ----------------------> DYING
 *	                                 \                            /
 *	             no registrations are \                          / the retire worker
 *	             left                  +-------> RETIRED <------+  begins
 *
 * A process that is RETIRED is in no table; it is freed with its registrations, after a grace
 * period.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_IMPL_H
#define DTRACE_PROVIDERS_FASTTRAP_IMPL_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "fasttrap.h"
#include "events.h"

#define FASTTRAP_MAXFILES  16	/* files in which the sites of one registration may lie */
#define FASTTRAP_ANCESTORS 8	/* generations of forks by which a child can be named */
#define FASTTRAP_MAXSHARE  64	/* sites of one process at one location */
#define FASTTRAP_MAXGROUPS 2048 /* groups of one probe: a new one searches all */

/* The kinds of a group's sites, in the order in which those at one location fire. */
enum fasttrap_kind {
	FASTTRAP_STATIC,
	FASTTRAP_ENTRY,	 /* pid probes: the first instruction of a function */
	FASTTRAP_OFFSET, /* any instruction */
	FASTTRAP_RETURN, /* an instruction that leaves the function */
};

/* DOF as it was read; fork children share their parent's. It does not change and needs no lock. */
struct fasttrap_dof {
	struct kref ref;
	struct dtrace_account *account; /* counted; dof->bytes are charged to it */
	struct dtrace_helper_dof *dof;
};

/* The load of registrations, for limits; registry lock. */
struct fasttrap_load {
	unsigned int nregistrations, nsites;
	u64 bytes;
};

struct fasttrap_session {
	struct list_head registrations; /* registry lock */
	struct fasttrap_load load;
	struct dtrace_account
		*account;      /* of the user who opened the device; the session has a reference */
	bool ended;	       /* registry lock; fork children get no more copies */
	struct mutex failures; /* the failures are listed once at a time */
};

enum fasttrap_process_state {
	FASTTRAP_PROCESS_NEW, /* does not have all its probes: hits wait */
	FASTTRAP_PROCESS_LIVE,
	FASTTRAP_PROCESS_DYING,	  /* has executed another program or exited */
	FASTTRAP_PROCESS_RETIRED, /* all that it has is being freed */
};

struct fasttrap_process {
	struct hlist_node by_mm;	   /* event lock, RCU */
	struct hlist_node by_pid;	   /* event lock, RCU */
	struct list_head all;		   /* registry lock */
	enum fasttrap_process_state state; /* event lock; read without */
	struct list_head dying;		   /* event lock while DYING; then the retire worker's */
	unsigned int nforks;		   /* event lock; pending forks whose source it is */
	u64 died;	      /* event lock; the worker's run in which it became DYING */
	struct mm_struct *mm; /* grabbed: its address is not reused; NULL: system-wide */
	pid_t pid;
	pid_t ancestors[FASTTRAP_ANCESTORS]; /* from which it has registrations; 0: no more */
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	struct dtrace_account *account; /* counted, charged for it; NULL: system-wide */
	struct list_head registrations; /* registry lock */
	struct list_head providers;	/* registry lock */
	struct fasttrap_load load;	/* of registrations without a session */
	unsigned int nhelpers;
	struct fasttrap_helpers __rcu *helpers; /* registry lock, RCU; NULL: none */
	bool providers_checked;			/* retire.c: looked for unused ones */
	int next_gen;
	struct rcu_head rcu;
};

/* A process's ustack helpers for the engine; replaced as a whole. */
struct fasttrap_helpers {
	struct rcu_head rcu;
	struct dtrace_helpers helpers;
};

struct fasttrap_provider {
	struct list_head all;		/* in the process; registry lock */
	struct dtrace_account *account; /* counted */
	struct fasttrap_process *process;
	dtrace_provider_t *provider;
	unsigned int nprobes; /* registry lock */
	unsigned int base;    /* length of the name without the process's number */
	char name[DTRACE_PROVNAMELEN];
};

struct fasttrap_probe {
	struct fasttrap_provider *provider;
	struct dtrace_account *account; /* counted: of the first group */
	dtrace_probe_t *probe;
	struct fasttrap_dof *dof; /* holds desc */
	const struct dtrace_helper_probe *desc;
	bool program;		 /* its module is also called a.out */
	struct list_head groups; /* tracepoint lock */
	unsigned int ngroups;	 /* registry lock */
	/* registry lock; not empty: it has no groups, and waits to be retired, or to get a group */
	struct list_head retire;
	bool retired; /* registry lock; the retire worker is freeing it */
	bool enabled; /* tracepoint lock */
	int error;    /* why it could not be enabled; tracepoint lock */
};

struct fasttrap_tp_mm;

struct fasttrap_site {
	const struct dtrace_helper_site *desc;
	struct fasttrap_group *group;
	loff_t offset;		      /* in the file */
	loff_t refctr;		      /* file offset of the reference counter; 0: none */
	uint8_t file;		      /* index in the registration's files */
	bool duplicate;		      /* an earlier site of the probe has its address: not used */
	struct fasttrap_tp_mm *tp_mm; /* while attached; tracepoint lock */
	struct hlist_node in_tp_mm;   /* tracepoint lock, RCU */
};

struct fasttrap_group {
	struct fasttrap_registration *registration;
	struct fasttrap_probe *probe; /* NULL until published */
	struct list_head in_probe;    /* tracepoint lock */
	const struct dtrace_helper_provider *provider_desc;
	const struct dtrace_helper_probe *desc;
	enum fasttrap_kind kind;
	bool no_frame;		     /* the function has no frame of its own at the sites */
	struct fasttrap_site *sites; /* by address */
	unsigned int nsites;
};

/*
 * A file of mappings. With overlayfs, the inode of the mapping is not always that of the open file.
 */
struct fasttrap_file {
	struct file *file;
	struct inode *inode; /* held by the file */
};

struct fasttrap_registration {
	struct list_head all;		/* in the process; registry lock */
	struct dtrace_account *account; /* counted: of its process, or of its session */
	u64 bytes;			/* charged to it, with nsites and one registration */
	struct fasttrap_process *process;
	struct fasttrap_session *session; /* NULL: it belongs to the process */
	struct list_head in_session;	  /* registry lock */
	bool follow;			  /* fork children get copies, though it has a session */
	bool program;			  /* of the file that the process executes */
	int gen;
	struct fasttrap_dof *dof;
	struct fasttrap_file files[FASTTRAP_MAXFILES];
	unsigned int nfiles;
	char (*modules)[DTRACE_MODNAMELEN]; /* of each file */
	struct fasttrap_site *sites;
	unsigned int nsites;
	struct fasttrap_group *groups;
	unsigned int ngroups;
	struct dtrace_helper helper; /* program NULL: it has none */
};

struct fasttrap_counts {
	atomic64_t registrations, removals, refused;
	atomic64_t forks, fork_overflows, fork_failures, copied_by_hit, retired;
	atomic64_t applied, apply_errors, late_closes, stray_hits;
};
extern struct fasttrap_counts fasttrap_counts;

/* ---- fasttrap.c ---- */

extern struct workqueue_struct *fasttrap_wq;
extern struct workqueue_struct *fasttrap_readers; /* may wait for files without end */
/* /proc/dtrace/processes and /proc/dtrace/fasttrap (proc.c) */
extern const struct seq_operations fasttrap_processes_seq;
extern const struct seq_operations fasttrap_tracepoints_seq;
/* Print /proc/dtrace/helper_errors (proc.c). Return 0 or -ENOMEM. May sleep. */
int fasttrap_errors_show(struct seq_file *seq, void *unused);
/* Print fasttrap's rows of /proc/dtrace/stats (proc.c). May sleep. */
void fasttrap_stats_show(struct seq_file *seq);

/* Take the registry lock. Sleeps. */
void fasttrap_registry_lock(void);
/*
 * Take the registry lock for the user of the current thread, behind the user's other threads.
 * Return -EINTR, without the lock, if the caller is being killed: for requests from user land.
 */
int __must_check fasttrap_registry_lock_killable(void);
/* Release the registry lock. */
void fasttrap_registry_unlock(void);
/*
 * Release the registry lock, and take it again. Those who wait for it get it now, or the next time.
 * Sleeps.
 */
void fasttrap_registry_pause(void);
/* Return whether the current thread holds the registry lock. */
bool fasttrap_registry_is_mine(void);
/* Complain, with lockdep, if the current thread does not hold the lock. */
void fasttrap_registry_assert_locked(void);

/* ---- fork.c; with the registry lock ---- */

/*
 * Return whether the current thread is just copying registrations to the process, with its memory
 * in use. Then it may have inherited breakpoints.
 */
bool fasttrap_fork_is_copying(const struct fasttrap_process *process);
/*
 * Copy registrations to the child of a pending fork, unless it has exited or called exec. A kernel
 * thread uses the child's memory meanwhile, so that it can see the breakpoints there.
 */
void fasttrap_fork_copy(struct fasttrap_fork *fork);
/*
 * Copy the registrations of a process to its pending fork children, before they change. There are
 * few after fasttrap_fork_lock_parent(); more are counted as missed.
 */
void fasttrap_fork_copy_to_children(const struct fasttrap_process *process);

/* ---- fork.c; these take the registry lock ---- */

/*
 * Take the registry lock to change the registrations of the process that has the address space
 * (NULL: none), like fasttrap_registry_lock_killable(). Its pending fork children have their copies
 * then; the lock is released after each, since others wait for it.
 */
int __must_check fasttrap_fork_lock_parent(const struct mm_struct *mm);

/* Handle the first nforks pending forks, and all deaths. In a worker. */
void fasttrap_fork_catch_up(unsigned int nforks);
/*
 * Copy the registrations of its parent to the current process, which has hit an inherited
 * breakpoint, if it is a fork child without them.
 */
void fasttrap_fork_copy_to_current(void);

/* ---- registration.c; with the registry lock where nothing else is said ---- */

/*
 * Copy a parent's registration for a fork child. Charge a session's registration to the session,
 * and others to the child. Return errors as ERR_PTR, with a reason in errmsg.
 */
struct fasttrap_registration *fasttrap_registration_copy(struct fasttrap_process *process,
							 const struct fasttrap_registration *source,
							 char *errmsg, size_t len);
/* Match the probes with retained enablings. */
void fasttrap_registration_match(struct fasttrap_registration *registration);
/*
 * Create a process that is NEW: hits and forks do not find it before fasttrap_events_process_add.
 * NULL: no memory.
 */
struct fasttrap_process *fasttrap_process_create(const struct fasttrap_target *target);
/* Iterate over all processes. */
extern struct list_head fasttrap_processes;
/* Stop the registration's probes, and give it to the retire worker. */
void fasttrap_registration_remove(struct fasttrap_registration *registration);
/* Free a registration to which nothing refers any more. With the registry lock or without. */
void fasttrap_registration_free(struct fasttrap_registration *registration);
/* Drop a reference to DOF. The last one frees it. Any lock may be held. */
void fasttrap_dof_put(struct fasttrap_dof *dof);

/* Iterate over each probe of each provider in the DOF. */
#define for_each_helper_probe(helper, prov, probe)                                          \
	for (prov = (helper)->providers; prov < (helper)->providers + (helper)->nproviders; \
	     prov++)                                                                        \
		for (probe = prov->probes; probe < prov->probes + prov->nprobes; probe++)

/* ---- probe.c; with the registry lock where nothing else is said ---- */

/*
 * Sort the sites of a registration into groups: by probe, module and function, and by address.
 * -ENOMEM. No lock.
 */
int fasttrap_group_create_all(struct fasttrap_registration *registration);
/* Create groups for sites that are sorted already: those of a parent. -ENOMEM. No lock. */
int fasttrap_group_create_sorted(struct fasttrap_registration *registration);
/*
 * Add a group to its probe, which is created if needed. Return errors with a reason in errmsg:
 * -EEXIST if a probe of that name is just being freed.
 */
int fasttrap_group_publish(struct fasttrap_group *group, char *errmsg, size_t len);
/* Remove a group from its probe. Return true if that has no sites left. */
bool fasttrap_group_unlink(struct fasttrap_group *group);
/* Free the process's providers that have no probes. */
void fasttrap_provider_free_unused(struct fasttrap_process *process);

/* ---- retire.c ---- */

/*
 * Remove a registration's groups from their probes, and note it, and probes without groups, for the
 * retire worker [registry lock].
 */
void fasttrap_retire(struct fasttrap_registration *registration);
/* Return whether so much waits to be retired that the caller should wait for the worker. */
bool fasttrap_retire_is_crowded(void);
/*
 * Retire what is noted, and processes that have ended, or all. Return when no hit can see them and
 * they are freed. Takes the registry lock. In a worker, or when the module ends.
 */
void fasttrap_retire_run(bool all);

/* ---- helper.c; with the registry lock where nothing else is said ---- */

/*
 * Describe the helper in a registration's DOF, if there is one, for the engine: the text of its
 * object. Return -EINTR if the caller is being killed. No lock may be held.
 */
int fasttrap_helper_resolve(struct fasttrap_registration *registration,
			    const struct fasttrap_target *target);
/* Return whether the process has registered the helper in the same DOF before. */
bool fasttrap_helper_is_duplicate(const struct fasttrap_registration *registration);
/*
 * Return the ustack helpers of an address space, or NULL; for a fork child without copies those of
 * its parent. Probe context, in which they stay valid.
 */
const struct dtrace_helpers *fasttrap_helpers(const struct mm_struct *mm);
/* Replace the helpers that firings see, after those of a process have changed. */
void fasttrap_helpers_publish(struct fasttrap_process *process);

/* ---- tracepoint.c ---- */

/* Create the table of tp_mms. Return 0 or -ENOMEM. */
int fasttrap_tracepoints_init(void);
/* Destroy the table of tp_mms. No tracepoint is left. */
void fasttrap_tracepoints_exit(void);
/* Take the tracepoint lock. Sleeps. */
void fasttrap_tracepoints_lock(void);
/* Release the tracepoint lock. */
void fasttrap_tracepoints_unlock(void);
/* Complain, with lockdep, if the current thread does not hold the tracepoint lock. */
void fasttrap_tracepoints_assert_locked(void);
/*
 * Attach the sites of a group to the tracepoints of their locations [tracepoint lock]. Attach all
 * or none. Return 0, -ENOMEM, -EDQUOT or -ENOSPC.
 */
int fasttrap_group_attach(struct fasttrap_group *group);
/* Attach all groups of a probe, or none, as fasttrap_group_attach() does [tracepoint lock]. */
int fasttrap_probe_attach(struct fasttrap_probe *probe);
/*
 * Detach the sites of a group that are attached [tracepoint lock]. The worker removes the
 * breakpoints.
 */
void fasttrap_group_detach(struct fasttrap_group *group);
/* Detach all groups of a probe, as fasttrap_group_detach() does [tracepoint lock]. */
void fasttrap_probe_detach(struct fasttrap_probe *probe);
/*
 * Return why the site of an enabled probe has no breakpoint, or 0 [tracepoint lock]. A duplicate
 * site is as good as the site of which it is one.
 */
int fasttrap_site_error(const struct fasttrap_site *site);
/* Let hits of the attached site `from` fire the site `to` instead [tracepoint lock]. */
void fasttrap_site_replace(struct fasttrap_site *from, struct fasttrap_site *to);

/* ---- uprobe.c ---- */

/* Start the uprobe worker. Any lock may be held. */
void fasttrap_uprobe_kick(void);
/*
 * Start the uprobe worker and wait until it has handled the jobs of the current process, in all
 * programs. Return -EINTR if the process is being killed. No lock may be held.
 */
int fasttrap_uprobe_wait(void);
/*
 * Wait for the jobs of a process that closes a file, even if it is being killed. Give up, and
 * count it, if the worker makes no progress.
 */
void fasttrap_uprobe_wait_closing(void);
/* Wait until no breakpoint is left and no handler runs. Nothing is attached any more. */
void fasttrap_uprobe_exit(void);

#endif
