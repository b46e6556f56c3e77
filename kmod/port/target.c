// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * target.c - what the engine asks in the kernel about memory and about the current thread.
 *
 * All of it is probe context and takes no lock that the interrupted code may hold: no task_lock,
 * siglock, mmap_lock or run queue lock.
 */
#include <linux/cred.h>
#include <linux/mm.h>
#include <linux/nsproxy.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/uaccess.h>
#include <linux/utsname.h>

#include "arch/x86/memory.h"
#include "engine.h"
#include "target.h"
#include "thread.h"
#include "permission.h"

/* ---- memory of others ---- */

int target_load_kernel(void *dst, uint64_t addr, size_t n)
{
	/*
	 * The kernel's function refuses user and non-canonical addresses, but not ranges that wrap.
	 */
	if (addr + n < addr || !memory_is_plain(addr, n))
		return -EFAULT;
	return copy_from_kernel_nofault(dst, (const void *)(unsigned long)addr, n) ? -EFAULT : 0;
}

int target_load_user(void *dst, uint64_t addr, size_t n)
{
	if (!thread_is_user() || addr + n < addr)
		return -EFAULT;
	if (copy_from_user_nofault(dst, (const void __user *)(unsigned long)addr, n))
		return -EFAULT;
	return 0;
}

int target_store_user(uint64_t addr, const void *src, size_t n)
{
	if (!thread_is_user() || addr + n < addr)
		return -EFAULT;
	return copy_to_user_nofault((void __user *)(unsigned long)addr, src, n) ? -EFAULT : 0;
}

int target_user_word(void)
{
	return thread_is_user() && !user_64bit_mode(task_pt_regs(current)) ? 4 : 8;
}

/* ---- the current thread ---- */

/*
 * Return the parent of a task, or NULL if its process has been reaped: a thread that ends may run
 * for a while after that, and its pointer may be to a parent that is gone. A thread that has been
 * reaped before its process has the parent of its leader. [RCU]
 */
static const struct task_struct *target_parent(const struct task_struct *task)
{
	const struct task_struct *leader = task;

	if (!pid_alive(task)) {
		leader = pid_task(find_pid_ns(task->tgid, &init_pid_ns), PIDTYPE_TGID);
		if (!leader || leader->signal != task->signal)
			return NULL;
	}
	return rcu_dereference(leader->real_parent);
}

/* Descriptors are used again for later threads, so that the time of birth is half of the key. */
void target_thread(struct target_thread *t)
{
	const struct task_struct *parent;

	t->thread = (uintptr_t)current;
	t->key = (uintptr_t)current;
	t->born = current->start_boottime;
	t->pid = current->tgid;
	t->tid = current->pid;
	rcu_read_lock();
	parent = target_parent(current);
	t->ppid = parent ? parent->tgid : 0;
	rcu_read_unlock();
	t->uid = from_kuid_munged(&init_user_ns, current_uid());
	t->gid = from_kgid_munged(&init_user_ns, current_gid());
}

/* Return the PID namespace that the engine knows as pid_ns. */
static struct pid_namespace *pid_ns_or_first(const void *pid_ns)
{
	return pid_ns ? (struct pid_namespace *)pid_ns : &init_pid_ns;
}

/*
 * Use the real credentials of the thread, not those it has for a while to act for another thread.
 */
bool target_owns(const struct dtrace_cred *cred)
{
	return thread_is_user() && permission_owns(cred->who, current_real_cred(), current->mm) &&
	       (!cred->pid_ns || task_tgid_nr_ns(current, pid_ns_or_first(cred->pid_ns)));
}

void target_execname(char *buf, size_t size)
{
	size_t i;

	/* get_task_comm() takes a lock. A name that changes meanwhile may come out mixed. */
	for (i = 0; i + 1 < size && i < TASK_COMM_LEN; i++) {
		buf[i] = READ_ONCE(current->comm[i]);
		if (!buf[i])
			return;
	}
	if (size)
		buf[i] = '\0';
}

/* If the bounds change meanwhile, other bytes of the process are read, or none. */
size_t target_args(char *buf, size_t size)
{
	unsigned long start, end;

	if (!thread_is_user())
		return 0;
	start = READ_ONCE(current->mm->arg_start);
	end = READ_ONCE(current->mm->arg_end);
	if (end <= start)
		return 0;
	size = min_t(size_t, size, end - start);
	return target_load_user(buf, start, size) ? 0 : size;
}

/* Only the thread itself changes its namespaces: it drops them when it exits. */
void target_zone(struct target_zone *z)
{
	const struct pid_namespace *pids = task_active_pid_ns(current);
	const struct nsproxy *ns = READ_ONCE(current->nsproxy);

	z->id = pids && pids != &init_pid_ns ? pids->ns.inum : 0;
	if (ns)
		snprintf(z->name, sizeof(z->name), "%.64s", ns->uts_ns->name.nodename);
	else
		snprintf(z->name, sizeof(z->name), "%u", z->id);
}

#define PROGENY_DEPTH 4096 /* generations that target_progenyof() looks back */

void target_thread_in_ns(const void *pid_ns, struct target_thread *t)
{
	struct pid_namespace *ns = pid_ns_or_first(pid_ns);
	const struct task_struct *parent;

	t->pid = task_tgid_nr_ns(current, ns);
	t->tid = task_pid_nr_ns(current, ns);
	rcu_read_lock();
	parent = target_parent(current);
	t->ppid = parent ? task_tgid_nr_ns((struct task_struct *)parent, ns) : 0;
	rcu_read_unlock();
}

bool target_progenyof(const void *pid_ns, uint32_t pid)
{
	struct pid_namespace *ns = pid_ns_or_first(pid_ns);
	const struct task_struct *task;
	unsigned int depth = 0;
	bool found = false;

	rcu_read_lock();
	for (task = current; task && task->pid && depth < PROGENY_DEPTH && !found; depth++) {
		found = pid && task_tgid_nr_ns((struct task_struct *)task, ns) == pid;
		task = target_parent(task);
	}
	rcu_read_unlock();
	return found;
}

unsigned int target_ipl(void)
{
	if (in_nmi())
		return 3;
	if (in_hardirq())
		return 2;
	return in_serving_softirq() ? 1 : 0;
}
