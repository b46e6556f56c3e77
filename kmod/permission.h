/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* permission.h - permission checks of users and processes. */
#ifndef DTRACE_PERMISSION_H
#define DTRACE_PERMISSION_H

#include <linux/types.h>
#include <linux/uidgid.h>

struct cred;
struct mm_struct;
struct seq_file;
struct task_struct;

/*
 * permission_rights - return DTRACE_PRIV_* of the current thread: all of them if it may read all
 * memory anyway (CAP_SYS_ADMIN, or CAP_PERFMON and CAP_SYS_PTRACE); otherwise those of the policy.
 * May sleep.
 */
uint32_t permission_rights(void);
/*
 * permission_session - return the same for a session that begins. If lockdown forbids reading the
 * kernel's memory, DTRACE_PRIV_LOCKED takes the place of DTRACE_PRIV_KERNEL. May sleep.
 */
uint32_t permission_session(void);

/*
 * permission_owns - return whether a user with credentials mine may debug a process with
 * credentials theirs and memory mm. All user and group ids of the process must be the user's. The
 * process must be dumpable, and must not have a capability that mine lacks. The caller holds the
 * credentials and mm. Any context.
 */
bool permission_owns(const struct cred *mine, const struct cred *theirs, struct mm_struct *mm);

/*
 * permission_owner - return the owner of the probes of a process with these credentials and memory:
 * its user; root if the user may not debug it. Any context.
 */
kuid_t permission_owner(const struct cred *cred, struct mm_struct *mm);

/*
 * permission_any - return whether the current thread may trace all processes: it has CAP_SYS_PTRACE
 * or the right proc_owner. May sleep.
 */
bool permission_any(void);

/*
 * permission_process - return in *mm the memory of a process that the current thread may trace, for
 * mmput(). It may if permission_any(), or if it has the right dtrace_proc and owns the process.
 * During exec, memory and credentials are both the old ones or both the new ones. -ESRCH: the
 * process has no memory. -EPERM. -EINTR: a fatal signal is pending. May sleep.
 */
int permission_process(struct task_struct *task, struct mm_struct **mm);

/*
 * permission_account - return the uid, in the first user namespace, of the account to charge for a
 * thread with credentials cred. It is the real uid, so a set-id program is charged to the user who
 * runs it. In a user namespace made by an ordinary user, it is that user's uid, whatever uids are
 * mapped there; in a namespace made by root, the uid of its own root. Any context.
 */
uint32_t permission_account(const struct cred *cred);
/*
 * permission_unlimited - return whether the current thread may pass limits of accounts. Any
 * context.
 */
bool permission_unlimited(void);
/* permission_unlimited_by - return the same for a thread with credentials cred. Any context. */
bool permission_unlimited_by(const struct cred *cred);

struct dtrace_policy;
/*
 * permission_policy - load a policy (DTRACEIOC_POLICY), whose entries are in the caller's memory.
 * -EPERM: the current thread lacks CAP_SYS_ADMIN. -EINVAL, -E2BIG, -EFAULT, -ENOMEM. May sleep.
 */
int permission_policy(const struct dtrace_policy *policy);
/* permission_show - print the policy in force, for /proc/dtrace/security. May sleep. */
void permission_show(struct seq_file *seq);
/* permission_init - begin without a policy: only root has rights. Return 0. */
int permission_init(void);
/* permission_exit - free the policy. */
void permission_exit(void);

#endif
