/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * fasttrap.h - probes in user programs: what the devices ask of the registry, and the devices.
 *
 * A process registers DOF through the helper device. For each provider in it, fasttrap creates a
 * provider NAMEpid in the engine, and it sets breakpoints at the sites of enabled probes.
 *
 * No function here may be called with a lock held, where nothing else is said. All may sleep.
 * -EINTR: the caller is being killed.
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_FASTTRAP_H
#define DTRACE_PROVIDERS_FASTTRAP_FASTTRAP_H

#include <linux/mm_types.h>
#include <linux/seq_file.h>
#include <linux/uidgid.h>

#include "engine.h"

struct miscdevice;

/* A tracing session that registers pid probes. */
struct fasttrap_session;
/*
 * Create a session for the current process. The account, which the caller holds until the session
 * is destroyed, is charged for its registrations. Return NULL without memory.
 */
struct fasttrap_session *fasttrap_session_create(struct dtrace_account *account);
/* Destroy a session with its registrations, probes and breakpoints. */
void fasttrap_session_destroy(struct fasttrap_session *session);

/* The target of a DOF: an address space, or a file. */
struct fasttrap_target {
	struct mm_struct *mm;		  /* held by the caller, with users; NULL: a file's */
	struct file *file;		  /* then; held by the caller */
	struct fasttrap_session *session; /* pid probes; NULL: static probes of the process */
	struct dtrace_account *account;	  /* static probes: charged for them; held by the caller */
	bool follow;			  /* pid probes: fork children get them too */
	bool program;			  /* pid probes: of the file that the process executes */
	pid_t pid;			  /* thread group, in the first PID namespace */
	kuid_t uid;			  /* owner of the probes */
	char comm[TASK_COMM_LEN];
	bool trusted; /* may register sites in FUSE files */
	/* another process registers, and does not know what the target has registered itself */
	bool by_proxy;
};

/*
 * Register DOF, and create its probes. mod: the module's name, empty: that of each mapped file. dof
 * is fasttrap's to free, on errors too. Return the number of the registration (>= 0), -EINTR, or
 * another negative errno with the reason in errmsg (len bytes): -EFAULT, -E2BIG, -ENOSPC, -EDQUOT,
 * -ENOMEM, -EINVAL; by proxy -EALREADY if all sites were registered before, and then register
 * nothing.
 */
int fasttrap_register(const struct fasttrap_target *target, const char *mod,
		      struct dtrace_helper_dof *dof, char *errmsg, size_t len);
/* Count DOF that was refused, here or by the caller. */
void fasttrap_count_refused(void);
#define FASTTRAP_ERRLEN 200 /* bytes of the reason of an error, in helper_errors and for devices */
/*
 * fasttrap_error_note - store why DOF was refused, for /proc/dtrace/helper_errors (proc.c). uid:
 * of the charged user. One user's errors do not push out those of others. Takes a spin lock.
 */
void fasttrap_error_note(uint32_t uid, pid_t pid, const char *comm, int error, const char *message);
/*
 * Look, after registering for another process, whether it has exited or called exec meanwhile,
 * possibly before it was known. task: its leader, mm: what was registered for. Does not sleep.
 */
void fasttrap_recheck(struct task_struct *task, const struct mm_struct *mm);
/*
 * Remove a registration of the address space (NULL: of a file) and the session (NULL: of the
 * process itself). Return -ENOENT or -EINTR.
 */
int fasttrap_remove(struct mm_struct *mm, const struct fasttrap_session *session, int gen);

/* A site of a session's enabled probes that has no breakpoint. */
struct fasttrap_failure {
	pid_t pid; /* in the first PID namespace; 0: of a file */
	int gen;
	uint64_t addr; /* as registered */
	int error;     /* negative errno */
};
/*
 * List a session's failures, at most capacity of them, after waiting for what the current process
 * has enabled. Return how many there are in all, or -EINTR. list may be NULL if capacity is 0.
 */
int fasttrap_session_failures(struct fasttrap_session *session, struct fasttrap_failure *list,
			      unsigned int capacity);
/* Count the static registrations and sites of an address space. Return 0 or -EINTR. */
int fasttrap_count(struct mm_struct *mm, uint32_t *registrations, uint32_t *sites);

/* /dev/dtrace/helper and /dev/dtrace/fasttrap, for provider_module. (dev.c) */
extern struct miscdevice fasttrap_helper_device, fasttrap_device;

#endif
