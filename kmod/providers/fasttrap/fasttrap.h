/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fasttrap.h - probes in user programs: what the rest of the module may ask of fasttrap.
 *
 * A process registers DOF (through the helper device); fasttrap makes a provider NAMEpid of each
 * provider in it, in the engine, and puts breakpoints at the sites of those probes that somebody
 * enables.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_FASTTRAP_H
#define DTRACE_PROVIDERS_FASTTRAP_FASTTRAP_H

#include <linux/mm_types.h>
#include <linux/seq_file.h>
#include <linux/uidgid.h>

#include "engine.h"

/*
 * fasttrap_file_sites - how many places for each MiB of a file of others a user may have breakpoints at, besides
 * 1,024. Written at any time.
 */
extern unsigned int fasttrap_file_sites;

int fasttrap_init(void);
/*
 * fasttrap_exit - all registrations are dropped and all breakpoints removed. No device is open any
 * more.
 */
void fasttrap_exit(void);

/* A tracing session that registers pid probes: all it has registered goes with it. */
struct fasttrap_owner;
/*
 * fasttrap_owner_create - what it registers is charged to the current process, and to the account,
 * which is borrowed until the owner is destroyed. NULL: no memory.
 */
struct fasttrap_owner *fasttrap_owner_create(struct dtrace_account *account);
/* fasttrap_owner_destroy - with its probes and their breakpoints. No lock may be held. */
void fasttrap_owner_destroy(struct fasttrap_owner *owner);

/* For whom is registered: an address space and what it is called, or a file. */
struct fasttrap_target {
	struct mm_struct *mm;		/* held by the caller, with users. NULL: a file's */
	struct file *file;		/* then: held by the caller */
	struct fasttrap_owner *owner;	/* pid probes; NULL: static ones, that belong to the process */
	struct dtrace_account *account;	/* static ones: who is charged; held by the caller */
	bool follow;			/* pid probes: fork children get them too */
	bool program;			/* pid probes: they are in what the process executes */
	pid_t pid;			/* thread group, in the first pid namespace */
	kuid_t uid;			/* whose the probes are */
	char comm[TASK_COMM_LEN];
	/* may register sites in files that a user's program serves (FUSE) */
	bool trusted;
	/* somebody else registers for it, who cannot know what it has registered itself */
	bool by_proxy;
};

/*
 * fasttrap_register - make probes of what DOF says. mod: module name, empty for the name of
 * each mapped file. dof becomes fasttrap's, on errors too. The number of the registration (>= 0),
 * or -EFAULT, -E2BIG, -ENOSPC, -EDQUOT, -ENOMEM, -EINVAL with the reason in errmsg (len bytes); -EINTR if the
 * caller is being killed; by proxy
 * -EALREADY, and nothing is registered, if all sites had been before. Takes part in the locking
 * described in providers/fasttrap/impl.h: no lock may be held.
 */
int fasttrap_register(const struct fasttrap_target *target, const char *mod,
		      struct dtrace_helper_dof *dof, char *errmsg, size_t len);
/* fasttrap_note_refusal - count DOF that was refused, here or before it got here. */
void fasttrap_note_refusal(void);
/*
 * helper_error_note - keep why DOF was refused for /proc/dtrace/helper_errors (dev/helper.c). uid:
 * of whom it is charged to; one user's errors do not push out those of others.
 */
void helper_error_note(uint32_t uid, pid_t pid, const char *comm, int error, const char *text);
/*
 * fasttrap_recheck - after registering for another process: if it has ended or called exec
 * meanwhile, that may have been before it was known. task: its leader, mm: what was registered
 * for.
 */
void fasttrap_recheck(struct task_struct *task, const struct mm_struct *mm);
/*
 * fasttrap_remove - drop a registration of that address space (NULL: of a file) and owner (NULL:
 * the process itself). -ENOENT: there is none. -EINTR: the caller is being killed.
 */
int fasttrap_remove(struct mm_struct *mm, const struct fasttrap_owner *owner, int gen);
/* A site of an owner's enabled probes that has no breakpoint. */
struct fasttrap_failure {
	pid_t pid;			/* in the first pid namespace; 0: of a file */
	int gen;
	uint64_t addr;			/* as registered */
	int error;			/* negative errno */
};
/*
 * fasttrap_failures - the first ones, at most room; in all. list may be NULL if room is 0. What the
 * current process is enabling is waited for: no lock may be held. -EINTR.
 */
int fasttrap_failures(struct fasttrap_owner *owner, struct fasttrap_failure *list,
			       unsigned int room);
/* fasttrap_count - how many static registrations and sites an address space has; -EINTR. */
int fasttrap_count(struct mm_struct *mm, uint32_t *registrations, uint32_t *sites);
/*
 * fasttrap_wait - return when all breakpoints are as the current process has enabled and disabled
 * probes; or when it is being killed. fasttrap_wait_closing - likewise, for who closes a session: not
 * when it is being killed, but when uprobes have been standing still for seconds. No lock may be
 * held.
 */
void fasttrap_wait(void);
void fasttrap_wait_closing(void);
/*
 * fasttrap_catch_up - return when all forks, execs and exits so far are accounted for, or when the
 * current process is being killed.
 */
void fasttrap_catch_up(void);

/*
 * fasttrap_helpers - the ustack helpers of an address space, or NULL. Probe context, where they
 * stay valid; those of a fork child are its parent's until it is adopted.
 */
const struct dtrace_helpers *fasttrap_helpers(const struct mm_struct *mm);

/* For /proc/dtrace. */
extern const struct seq_operations fasttrap_processes_seq;
extern const struct seq_operations fasttrap_tracepoints_seq;
void fasttrap_stats_show(struct seq_file *seq);

#endif
