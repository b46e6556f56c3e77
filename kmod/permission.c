// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * permission.c - permission checks: rights from capabilities and from the policy that root has
 * loaded, and the rule for a user's own processes.
 *
 * The rule is ptrace's: a tracer sees as much of a process as a debugger does. Only capabilities in
 * the first user namespace count, so root in a user namespace is an ordinary user here. User IDs
 * are compared as the kernel stores them, so they are the same in every namespace.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/user_namespace.h>
#include <dtrace/ioctl.h>

#include "permission.h"
#include "port.h"

/* ---- the policy ---- */

/* protects policy and policy_n; one user's threads may be the only readers */
static DECLARE_RWSEM(policy_lock);
static dtrace_policy_entry_t *policy;
static unsigned int policy_n;

/* Return whether an entry from user land may be used. */
static bool entry_is_valid(const dtrace_policy_entry_t *entry)
{
	if (entry->dtpe_pad || entry->dtpe_rights & ~DTRACE_PRIV_ALL)
		return false;
	switch (entry->dtpe_who) {
	case DTRACE_POLICY_ALL:
		return !entry->dtpe_id;
	case DTRACE_POLICY_UID:
		return uid_valid(KUIDT_INIT(entry->dtpe_id));
	case DTRACE_POLICY_GID:
		return gid_valid(KGIDT_INIT(entry->dtpe_id));
	default:
		return false;
	}
}

/* Return whether an entry of the policy applies to the current thread. [policy_lock] */
static bool entry_is_mine(const dtrace_policy_entry_t *entry) __must_hold(&policy_lock)
{
	lockdep_assert_held_read(&policy_lock);
	switch (entry->dtpe_who) {
	case DTRACE_POLICY_UID:
		return uid_eq(current_euid(), KUIDT_INIT(entry->dtpe_id));
	case DTRACE_POLICY_GID:
		return in_egroup_p(KGIDT_INIT(entry->dtpe_id));
	default:
		return true;
	}
}

/* Return the rights that the policy gives the current thread: DTRACE_PRIV_*. May sleep. */
static uint32_t policy_rights(void)
{
	uint32_t rights = 0;
	unsigned int i;

	down_read(&policy_lock);
	for (i = 0; i < policy_n; i++)
		if (entry_is_mine(&policy[i]))
			rights |= policy[i].dtpe_rights;
	up_read(&policy_lock);
	return rights;
}

/* Put entries, which may be NULL, in the place of the policy, and free the old ones. May sleep. */
static void policy_replace(dtrace_policy_entry_t *entries, unsigned int n)
{
	down_write(&policy_lock);
	swap(policy, entries);
	policy_n = n;
	up_write(&policy_lock);
	kvfree(entries);
}

/* Check entries from user land. 0 or -EINVAL. */
static int policy_check(const dtrace_policy_entry_t *entries, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < n; i++)
		if (!entry_is_valid(&entries[i]))
			return -EINVAL;
	return 0;
}

int permission_policy(const struct dtrace_policy *given)
{
	dtrace_policy_entry_t *entries;
	int error;

	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	if (given->dtpo_pad)
		return -EINVAL;
	if (given->dtpo_n > DTRACE_POLICY_MAX)
		return -E2BIG;
	entries = vmemdup_user(u64_to_user_ptr(given->dtpo_entries),
			       given->dtpo_n * sizeof(*entries));
	if (IS_ERR(entries))
		return PTR_ERR(entries);
	error = policy_check(entries, given->dtpo_n);
	if (error)
		kvfree(entries);
	else
		policy_replace(entries, given->dtpo_n);
	return error;
}

/* Print an entry. [policy_lock] */
static void entry_show(struct seq_file *seq, const dtrace_policy_entry_t *entry)
	__must_hold(&policy_lock)
{
	static const char *const who[] = {
		[DTRACE_POLICY_ALL] = "all",
		[DTRACE_POLICY_UID] = "uid",
		[DTRACE_POLICY_GID] = "gid",
	};
	uint32_t rights = entry->dtpe_rights;

	lockdep_assert_held_read(&policy_lock);
	seq_printf(seq, "%-3s %10u%s%s%s%s\n", who[entry->dtpe_who], entry->dtpe_id,
		   rights & DTRACE_PRIV_PROC ? " dtrace_proc" : "",
		   rights & DTRACE_PRIV_USER ? " dtrace_user" : "",
		   rights & DTRACE_PRIV_KERNEL ? " dtrace_kernel" : "",
		   rights & DTRACE_PRIV_OWNER ? " proc_owner" : "");
}

void permission_show(struct seq_file *seq)
{
	unsigned int i;

	seq_puts(seq, "WHO         ID RIGHTS\n");
	down_read(&policy_lock);
	for (i = 0; i < policy_n; i++)
		entry_show(seq, &policy[i]);
	up_read(&policy_lock);
}

int permission_init(void)
{
	return 0;
}

void permission_exit(void)
{
	policy_replace(NULL, 0);
}

/* ---- rights ---- */

/* Return whether the current thread has a capability in the first user namespace. Not audited. */
static bool has(int capability)
{
	return ns_capable_noaudit(&init_user_ns, capability);
}

uint32_t permission_rights(void)
{
	uint32_t rights;

	if (has(CAP_SYS_ADMIN) || (has(CAP_PERFMON) && has(CAP_SYS_PTRACE)))
		return DTRACE_PRIV_ALL;
	rights = policy_rights();
	if (rights & DTRACE_PRIV_KERNEL)
		rights |= DTRACE_PRIV_USER | DTRACE_PRIV_PROC;
	return rights;
}

/* ---- accounts ---- */

uint32_t permission_account(const struct cred *cred)
{
	struct user_namespace *ns = cred->user_ns;
	kuid_t uid = cred->uid;

	if (ns != &init_user_ns) {
		while (ns->parent != &init_user_ns)
			ns = ns->parent;
		uid = ns->owner;
		if (uid_eq(uid, GLOBAL_ROOT_UID))
			uid = make_kuid(ns, 0);
		if (!uid_valid(uid))
			uid = cred->uid;
	}
	return from_kuid_munged(&init_user_ns, uid);
}

bool permission_unlimited_by(const struct cred *cred)
{
	return cred->user_ns == &init_user_ns &&
	       (cap_raised(cred->cap_effective, CAP_SYS_RESOURCE) ||
		cap_raised(cred->cap_effective, CAP_SYS_ADMIN));
}

bool permission_unlimited(void)
{
	return has(CAP_SYS_RESOURCE) || has(CAP_SYS_ADMIN);
}

/* ---- lockdown ---- */

/*
 * Lockdown has no reasons of its own for dtrace. BPF does the same, reading the kernel's memory and
 * writing that of processes, so ask by its reasons.
 */
bool port_locked_down(enum port_lockdown what)
{
	return security_locked_down(what == PORT_LOCKDOWN_READ ? LOCKDOWN_BPF_READ_KERNEL
							       : LOCKDOWN_BPF_WRITE_USER);
}

uint32_t permission_session(void)
{
	uint32_t rights = permission_rights();

	if (!(rights & DTRACE_PRIV_KERNEL) || !port_locked_down(PORT_LOCKDOWN_READ))
		return rights;
	return (rights & ~DTRACE_PRIV_KERNEL) | DTRACE_PRIV_LOCKED;
}

/* ---- own processes ---- */

/* Return whether all user and group ids of theirs are the effective ones of mine. */
static bool ids_are(const struct cred *mine, const struct cred *theirs)
{
	return uid_eq(mine->euid, theirs->uid) && uid_eq(mine->euid, theirs->euid) &&
	       uid_eq(mine->euid, theirs->suid) && gid_eq(mine->egid, theirs->gid) &&
	       gid_eq(mine->egid, theirs->egid) && gid_eq(mine->egid, theirs->sgid);
}

kuid_t permission_owner(const struct cred *cred, struct mm_struct *mm)
{
	return ids_are(cred, cred) && get_dumpable(mm) == SUID_DUMP_USER ? cred->euid
									 : GLOBAL_ROOT_UID;
}

#define NAMESPACE_DEPTH 33 /* of user namespaces, one within the other; the kernel has 32 */

/*
 * Return whether the user of mine has made the user namespace ns, or one around it, from its own:
 * such a user may do everything there.
 */
static bool namespace_is_within(const struct cred *mine, const struct user_namespace *ns)
{
	unsigned int i;

	for (i = 0; i < NAMESPACE_DEPTH && ns->parent; i++, ns = ns->parent)
		if (ns->parent == mine->user_ns)
			return uid_eq(ns->owner, mine->euid);
	return false;
}

bool permission_owns(const struct cred *mine, const struct cred *theirs, struct mm_struct *mm)
{
	if (!ids_are(mine, theirs) || get_dumpable(mm) != SUID_DUMP_USER)
		return false;
	if (mine->user_ns == theirs->user_ns)
		return cap_issubset(theirs->cap_permitted, mine->cap_permitted);
	return namespace_is_within(mine, theirs->user_ns);
}

bool permission_any(void)
{
	return has(CAP_SYS_PTRACE) || permission_rights() & DTRACE_PRIV_OWNER;
}

/*
 * Return whether the current thread may trace a process. [exec_update_lock of the task: it does not
 * execute another program meanwhile]
 */
static bool process_allowed(struct task_struct *task, struct mm_struct *mm)
{
	const struct cred *theirs;
	bool owns;

	lockdep_assert_held_read(&task->signal->exec_update_lock);
	if (permission_any())
		return true;
	if (!(permission_rights() & DTRACE_PRIV_PROC))
		return false;
	theirs = get_task_cred(task);
	owns = permission_owns(current_cred(), theirs, mm);
	put_cred(theirs);
	return owns;
}

int permission_process(struct task_struct *task, struct mm_struct **mmp)
{
	struct rw_semaphore *exec = &task->signal->exec_update_lock;
	struct mm_struct *mm;
	int error = 0;

	if (down_read_killable(exec))
		return -EINTR;
	mm = get_task_mm(task);
	if (!mm)
		error = -ESRCH;
	else if (!process_allowed(task, mm))
		error = -EPERM;
	up_read(exec);
	if (error && mm)
		mmput(mm);
	else
		*mmp = mm;
	return error;
}
