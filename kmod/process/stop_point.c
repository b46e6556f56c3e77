// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stop_point.c - what threads are held for: that they execute a program of some name, or
 * come to an address.
 *
 * A holder's watches are its mutex's; all watches of execs are execs_lock's besides, and execs find
 * them under RCU. What a breakpoint's handler sees of a watch does not change.
 */
#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/pid_namespace.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "stop_impl.h"
#include "providers/fasttrap/impl.h"
#include "providers/fasttrap/mapping.h"
#include "dev/permission.h"

#define WATCH_STUCK	(5 * HZ)	/* jiffies after which who closes waits no longer for uprobes */
#define HOLD_WATCHES	256	/* of a holder */
#define HOLD_EXECS	1024	/* watches of execs in all: each exec looks at them, */
#define HOLD_EXECS_OWN	768	/* and when there are so many, only who may hold any process; */
#define HOLD_EXECS_USER	256	/* of one user */

static DEFINE_MUTEX(execs_lock);
static LIST_HEAD(holders_with_execs);	/* execs_lock, RCU */
static unsigned int nexecs;		/* execs_lock */

/* ---- of execs ---- */

/* Names with a slash are compared with what exec was given. */
static bool watch_has_name(const struct hold_watch *watch, const struct linux_binprm *bprm)
{
	const char *name = bprm->filename;

	return !strcmp(watch->name, strchr(watch->name, '/') ? name : kbasename(name));
}

/* A process that runs with its user's rights, and nothing else. */
static bool watch_may(const struct hold_watch *watch)
{
	return watch->anybody || permission_owns(watch->cred, current_cred(), current->mm);
}

/* The descendants of a process are for who may trace them; it itself, as for any watch of it. */
static bool watch_follows(const struct hold_watch *watch)
{
	return watch->timeout && family_has(watch->family, task_tgid(current)) &&
	       (watch->pid == task_tgid(current) || watch_may(watch));
}

static bool watch_meets(struct hold_watch *watch, const struct linux_binprm *bprm)
{
	if (watch->family)
		return watch_follows(watch);
	if (watch->pid)
		return watch->pid == task_tgid(current);
	return !atomic_read(&watch->spent) && watch_has_name(watch, bprm) && watch_may(watch) &&
	       pid_nr_ns(task_tgid(current), watch->holder->ns) &&
	       !atomic_cmpxchg(&watch->spent, 0, 1);
}

/* A process is for one watch of each holder. */
static void watch_meet_one(const struct fasttrap_holder *holder, const struct linux_binprm *bprm)
{
	struct hold_watch *watch;

	list_for_each_entry_rcu(watch, &holder->execs, execs)
		if (watch_meets(watch, bprm)) {
			slot_hold_current(watch, NULL);
			return;
		}
}

void watch_note_exec(const struct linux_binprm *bprm)
{
	const struct fasttrap_holder *holder;

	rcu_read_lock();
	list_for_each_entry_rcu(holder, &holders_with_execs, with_execs)
		watch_meet_one(holder, bprm);
	rcu_read_unlock();
}

/* [execs_lock] How many watches of execs the user of an account has. */
static unsigned int execs_of(const struct dtrace_account *account)
{
	const struct fasttrap_holder *holder;
	const struct hold_watch *watch;
	unsigned int n = 0;

	lockdep_assert_held(&execs_lock);
	list_for_each_entry(holder, &holders_with_execs, with_execs)
		if (holder->account == account)
			list_for_each_entry(watch, &holder->execs, execs)
				n++;
	return n;
}

static int watch_exec_start(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	int error = 0;

	mutex_lock(&execs_lock);
	if (nexecs >= (watch->anybody ? HOLD_EXECS : HOLD_EXECS_OWN) ||
	    (!watch->anybody && execs_of(holder->account) >= HOLD_EXECS_USER)) {
		error = -ENOSPC;
	} else {
		nexecs++;
		if (list_empty(&holder->execs))
			list_add_tail_rcu(&holder->with_execs, &holders_with_execs);
		list_add_tail_rcu(&watch->execs, &holder->execs);
	}
	mutex_unlock(&execs_lock);
	return error;
}

static void watch_exec_stop(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;

	mutex_lock(&execs_lock);
	nexecs--;
	list_del_rcu(&watch->execs);
	if (list_empty(&holder->execs))
		list_del_rcu(&holder->with_execs);
	mutex_unlock(&execs_lock);
}

/* ---- of addresses ---- */

/* That process, or one that descends from who is followed: by what it is now. */
static bool watch_wants(const struct hold_watch *watch, const struct mm_struct *mm)
{
	return mm == watch->mm ||
	       (watch->follow && mm == current->mm &&
		families_have(watch->holder, task_tgid(current)) && watch_may(watch));
}

/* Who is not wanted has the breakpoint from its parent. */
static COMPAT_UPROBE_HANDLER(watch_handler, uc, regs)
{
	const struct hold_watch *watch = container_of(uc, struct hold_watch, consumer);

	if (READ_ONCE(watch->ended) || !watch_wants(watch, current->mm))
		return UPROBE_HANDLER_REMOVE;
	slot_hold_current(watch, regs);
	return 0;
}

static COMPAT_UPROBE_FILTER(watch_filter, uc, mm)
{
	return watch_wants(container_of(uc, struct hold_watch, consumer), mm);
}

/* [mmap_lock] The file with the code at the watch's address, and the offset there. */
static int watch_resolve(struct hold_watch *watch)
{
	struct vm_area_struct *vma = find_vma(watch->mm, watch->address);

	lockdep_assert_held(&watch->mm->mmap_lock);
	if (!mapping_is_code(vma) || vma->vm_start > watch->address)
		return -EFAULT;
	if (mapping_is_served(vma) && !capable(CAP_SYS_ADMIN))
		return -EFAULT;
	watch->file = get_file(vma->vm_file);
	watch->offset = mapping_offset(vma, watch->address);
	return 0;
}

static void watch_free(struct kref *ref)
{
	struct hold_watch *watch = container_of(ref, struct hold_watch, ref);

	if (watch->file)
		fput(watch->file);
	if (watch->mm)
		mmdrop(watch->mm);
	family_destroy(watch->family);
	put_pid(watch->pid);
	put_cred(watch->cred);
	holder_uncharge(watch->holder, sizeof(*watch));
	holder_put(watch->holder);
	kfree(watch);
}

static void watch_put(struct hold_watch *watch)
{
	kref_put(&watch->ref, watch_free);
}

static void watch_withdraw(struct hold_watch *watch)
{
	compat_uprobe_unregister(&watch->uprobe, &watch->consumer);
	compat_uprobe_sync();
}

static void watch_patch(struct work_struct *work)
{
	struct hold_watch *watch = container_of(work, struct hold_watch, work);

	watch->error = compat_uprobe_register(&watch->uprobe, file_inode(watch->file),
					      watch->offset, 0, &watch->consumer);
	if (atomic_xchg(&watch->patching, WATCH_PATCHED) == WATCH_ABANDONED && !watch->error)
		watch_withdraw(watch);
	complete_all(&watch->done);
	watch_put(watch);
}

static void watch_unpatch(struct work_struct *work)
{
	struct hold_watch *watch = container_of(work, struct hold_watch, work);

	watch_withdraw(watch);
	complete_all(&watch->done);
	watch_put(watch);
}

/*
 * Who is being killed cannot write to the memory of others: a tracer that did this itself would
 * leave its breakpoint behind. Nor may it wait without end for uprobes, which wait for the mmap_lock
 * of whoever maps the file; so the work has a reference to the watch, and the module waits for it.
 */
static void watch_work(struct hold_watch *watch, work_func_t func)
{
	kref_get(&watch->ref);
	init_completion(&watch->done);
	INIT_WORK(&watch->work, func);
	queue_work(fasttrap_readers, &watch->work);
}

static int watch_address_start(struct hold_watch *watch)
{
	int error = mmap_read_lock_killable(watch->mm);

	if (error)
		return error;
	error = watch_resolve(watch);
	mmap_read_unlock(watch->mm);
	if (error)
		return error;
	watch->consumer.handler = watch_handler;
	watch->consumer.filter = watch_filter;
	watch_work(watch, watch_patch);
	/* Who is killed meanwhile leaves no breakpoint behind, unless uprobes stand still. */
	if (wait_for_completion_killable(&watch->done) &&
	    !wait_for_completion_timeout(&watch->done, WATCH_STUCK) &&
	    atomic_xchg(&watch->patching, WATCH_ABANDONED) != WATCH_PATCHED)
		return -EINTR;
	return watch->error == -ENOTSUPP ? -EOPNOTSUPP : watch->error;
}

/* ---- both ---- */

static struct hold_watch *watch_create(struct fasttrap_holder *holder, uint32_t ms)
{
	struct hold_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return ERR_PTR(-ENOMEM);
	if (holder_charge(holder, sizeof(*watch))) {
		kfree(watch);
		return ERR_PTR(-EDQUOT);
	}
	kref_init(&watch->ref);
	holder_get(holder);
	watch->holder = holder;
	watch->timeout = msecs_to_jiffies(min_t(uint32_t, ms, DTRACE_FT_HOLD_MS)) ?: 1;
	watch->anybody = permission_any();
	watch->cred = get_current_cred();
	return watch;
}

/* [holder's mutex] */
static int watch_start(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	int error = slots_create(holder);

	lockdep_assert_held(&watch->holder->mutex);
	if (error)
		return error;
	if (holder->nwatches >= HOLD_WATCHES || holder->next == INT_MAX)
		return -ENOSPC;
	watch->number = holder->next + 1;
	error = watch->mm ? watch_address_start(watch) : watch_exec_start(watch);
	if (error)
		return error;
	holder->next++;
	holder->nwatches++;
	list_add_tail(&watch->all, &holder->watches);
	return watch->number;
}

/* A watch that was made is the holder's, or gone. */
static int watch_add(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	int number = mutex_lock_killable(&holder->mutex);

	if (!number) {
		number = watch_start(watch);
		mutex_unlock(&holder->mutex);
	}
	if (number < 0)
		watch_put(watch);
	return number;
}

/* Its members are those that are born from now on. */
static int watch_add_family(struct hold_watch *watch)
{
	struct hold_family *family = family_create(watch->holder, watch->pid);

	if (IS_ERR(family)) {
		watch_put(watch);
		return PTR_ERR(family);
	}
	watch->family = family;
	return watch_add(watch);
}

int watch_exec(struct fasttrap_holder *holder, const dtrace_ft_hold_exec_t *exec, struct pid *pid)
{
	size_t len = strnlen(exec->dtfx_name, sizeof(exec->dtfx_name));
	bool follow = exec->dtfx_flags & DTRACE_FT_FOLLOW;
	struct hold_watch *watch;

	if (exec->dtfx_flags & ~DTRACE_FT_FOLLOW || (follow && !pid) ||
	    (!follow && !exec->dtfx_timeout) || !len == !pid || len == sizeof(exec->dtfx_name))
		return -EINVAL;
	watch = watch_create(holder, exec->dtfx_timeout);
	if (IS_ERR(watch))
		return PTR_ERR(watch);
	memcpy(watch->name, exec->dtfx_name, len);
	watch->pid = get_pid(pid);
	if (!exec->dtfx_timeout)
		watch->timeout = 0;
	return follow ? watch_add_family(watch) : watch_add(watch);
}

int watch_address(struct fasttrap_holder *holder, const dtrace_ft_hold_address_t *address,
		  struct mm_struct *mm)
{
	struct hold_watch *watch;

	if (!address->dtfa_timeout || address->dtfa_flags & ~DTRACE_FT_FOLLOW || address->dtfa_pad)
		return -EINVAL;
	watch = watch_create(holder, address->dtfa_timeout);
	if (IS_ERR(watch))
		return PTR_ERR(watch);
	mmgrab(mm);	/* not to be taken for another that comes later */
	watch->mm = mm;
	watch->address = address->dtfa_address;
	watch->follow = address->dtfa_flags & DTRACE_FT_FOLLOW;
	return watch_add(watch);
}

/* Who has met it may be about to look at it still. */
static void watch_stop(struct hold_watch *watch)
{
	WRITE_ONCE(watch->ended, true);
	if (watch->mm)
		watch_work(watch, watch_unpatch);
	else
		watch_exec_stop(watch);
	watch->holder->nwatches--;
}

/* Its breakpoint is gone; or uprobes stand still, and it goes when they get on. */
static void watch_await(struct hold_watch *watch)
{
	if (watch->mm && !wait_for_completion_timeout(&watch->done, WATCH_STUCK))
		atomic64_inc(&fasttrap_counts.late_closes);
}

void watches_end(struct list_head *watches)
{
	struct hold_watch *watch, *next;
	bool execs = false;

	list_for_each_entry(watch, watches, all) {
		watch_stop(watch);
		execs |= !watch->mm;
	}
	if (execs)
		synchronize_rcu();
	list_for_each_entry_safe(watch, next, watches, all) {
		watch_await(watch);
		watch_put(watch);
	}
}

struct hold_watch *watch_find(struct fasttrap_holder *holder, unsigned int number)
{
	struct hold_watch *watch;

	list_for_each_entry(watch, &holder->watches, all)
		if (watch->number == number)
			return watch;
	return NULL;
}
