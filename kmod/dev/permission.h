/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* permission.h - who may trace, and whom. */
#ifndef DTRACE_DEV_PERMISSION_H
#define DTRACE_DEV_PERMISSION_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct mm_struct;
struct seq_file;
struct task_struct;

/*
 * permission_rights - DTRACE_PRIV_* of the current thread: all of them for who may read all memory
 * anyway (CAP_SYS_ADMIN, or CAP_PERFMON and CAP_SYS_PTRACE), else what the policy gives. May sleep.
 */
uint32_t permission_rights(void);
/*
 * permission_session - the same for a session that begins. Where lockdown keeps the kernel's memory
 * from everybody, DTRACE_PRIV_LOCKED takes the place of DTRACE_PRIV_KERNEL. May sleep.
 */
uint32_t permission_session(void);

/*
 * permission_owns - may the user with credentials mine debug a process with credentials theirs and
 * memory mm? It must be theirs by all its user and group ids, not be set-id, not have forbidden it
 * (dumpable), and have no capability that mine has not. Any context; both are held by the caller.
 */
bool permission_owns(const struct cred *mine, const struct cred *theirs, struct mm_struct *mm);

/*
 * permission_owner - whose the probes of a process are: its user's, or root's if it is one that the
 * user may not debug.
 */
kuid_t permission_owner(const struct cred *cred, struct mm_struct *mm);

/*
 * permission_any - may the current thread have something done to any process? It may if it has
 * CAP_SYS_PTRACE or the right proc_owner.
 */
bool permission_any(void);

/*
 * permission_process - may the current thread have something done to that process? It may if it may
 * with any, or has the right dtrace_proc and owns it. *mm: its memory,
 * to be given back by mmput; that of a program that is being executed is not looked at before its
 * credentials are the new ones. 0, -ESRCH: it has none, -EPERM, -EINTR: killed. Sleeps.
 */
int permission_process(struct task_struct *task, struct mm_struct **mm);

/*
 * permission_account - the uid of the account that is charged for what the owner of cred makes the
 * system hold, as the first user namespace has it. It is the real uid, so that a set-id program is
 * charged to the user who runs it. For a user namespace that an ordinary user has made it is the uid of
 * that user, whatever uids are mapped in it; for one that root has made, the uid of its own root.
 * permission_unlimited - may the current thread pass the limits of accounts? permission_unlimited_by -
 * may who has cred? Any context.
 */
uint32_t permission_account(const struct cred *cred);
bool permission_unlimited(void);
bool permission_unlimited_by(const struct cred *cred);

/* permission_policy - DTRACEIOC_POLICY; from: a dtrace_policy_t of the caller's memory, copied. */
struct dtrace_policy;
int permission_policy(const struct dtrace_policy *policy);
/* permission_show - the policy in force, for /proc/dtrace/security. */
void permission_show(struct seq_file *seq);
/* At first nobody but root may do anything. */
int permission_init(void);
void permission_exit(void);

#endif
