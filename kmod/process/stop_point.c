// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stop_point.c - the events at which threads stop: execs, and instructions at given addresses.
 *
 * tracer->mutex protects a tracer's stop points. stop_execs_lock protects the lists of all stop
 * points of execs besides, and execs search them under RCU. A breakpoint's handler reads only
 * members of a stop point that do not change.
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

#include "engine.h"
#include "descendants.h"
#include "mapping.h"
#include "stop_impl.h"
#include "permission.h"
#include "port/thread.h"

#define STOP_POINT_STUCK  (5 * HZ) /* jiffies to wait for uprobes when closing */
#define STOP_POINT_KILLED (HZ / 2) /* the same for a tracer that is killed */
#define STOP_POINT_MAX	  256	   /* of a tracer */
/* Each exec searches all stop points of execs, so their number is limited. */
#define STOP_EXECS_MAX	  1024 /* in all */
#define STOP_EXECS_SHARED 768  /* beyond this number only for tracers of all users */
#define STOP_EXECS_USER	  256  /* of one user */

static DEFINE_MUTEX(stop_execs_lock);
static LIST_HEAD(tracers_with_execs); /* stop_execs_lock, RCU */
static unsigned int nexecs;	      /* stop_execs_lock */

/* Return whether the stop point's user may trace current, by what current is now. */
static bool stop_point_permits_current(const struct stop_point *point)
{
	return point->all_users || permission_owns(point->cred, current_cred(), current->mm);
}

/*
 * Return whether the stop point's user may send SIGSTOP to current, as kill() decides it, and so
 * may stop it anyway.
 */
static bool stop_point_signals_current(const struct stop_point *point)
{
	const struct cred *mine = point->cred, *theirs = current_cred();

	return point->all_users || uid_eq(mine->euid, theirs->suid) ||
	       uid_eq(mine->euid, theirs->uid) || uid_eq(mine->uid, theirs->suid) ||
	       uid_eq(mine->uid, theirs->uid);
}

/* ---- of execs ---- */

/*
 * Return whether the exec of current stops at the point. A process that is named by its number
 * stops if the user may send it signals, also when it executes a set-user-ID program; its
 * descendants stop only if the user may trace them. By name, names with a slash are compared with
 * the path that exec was given; and the point stops one process only.
 */
static bool stop_point_matches_exec(struct stop_point *point, const struct linux_binprm *bprm)
{
	struct pid *process = task_tgid(current);
	const char *name = bprm->filename;

	if (point->descendants)
		return point->timeout && descendants_have(point->descendants, process) &&
		       (point->pid == process ? stop_point_signals_current(point)
					      : stop_point_permits_current(point));
	if (point->pid)
		return point->pid == process && stop_point_signals_current(point);
	if (!strchr(point->name, '/'))
		name = kbasename(name);
	return !atomic_read(&point->spent) && !strcmp(point->name, name) &&
	       stop_point_permits_current(point) && pid_nr_ns(process, point->tracer->ns) &&
	       !atomic_cmpxchg(&point->spent, 0, 1);
}

void stop_point_note_exec(struct task_struct *task, const struct linux_binprm *bprm)
{
	const struct stop_tracer *tracer;
	struct stop_point *point;

	rcu_read_lock();
	list_for_each_entry_rcu(tracer, &tracers_with_execs, with_execs)
		list_for_each_entry_rcu(point, &tracer->execs, execs)
			if (stop_point_matches_exec(point, bprm)) {
				stopped_thread_stop_current(point, NULL);
				break; /* a process stops once for each tracer */
			}
	rcu_read_unlock();
}

/* Add a stop point to those that execs search. Return -ENOSPC if there are too many. */
static int stop_point_start_exec(struct stop_point *point)
{
	struct stop_tracer *tracer = point->tracer;
	const struct stop_tracer *other;
	const struct stop_point *execs;
	unsigned int of_user = 0;
	int error = -ENOSPC;

	mutex_lock(&stop_execs_lock);
	list_for_each_entry(other, &tracers_with_execs, with_execs)
		if (other->account == tracer->account)
			list_for_each_entry(execs, &other->execs, execs)
				of_user++;
	if (nexecs >= (point->all_users ? STOP_EXECS_MAX : STOP_EXECS_SHARED) ||
	    (!point->all_users && of_user >= STOP_EXECS_USER))
		goto out;
	error = 0;
	nexecs++;
	if (list_empty(&tracer->execs))
		list_add_tail_rcu(&tracer->with_execs, &tracers_with_execs);
	list_add_tail_rcu(&point->execs, &tracer->execs);
out:
	mutex_unlock(&stop_execs_lock);
	return error;
}

static void stop_point_end_exec(struct stop_point *point)
{
	struct stop_tracer *tracer = point->tracer;

	mutex_lock(&stop_execs_lock);
	nexecs--;
	list_del_rcu(&point->execs);
	if (list_empty(&tracer->execs))
		list_del_rcu(&tracer->with_execs);
	mutex_unlock(&stop_execs_lock);
}

/* ---- of addresses ---- */

/*
 * Return whether the threads of an address space stop there: the process's own, or a descendant's.
 */
static bool stop_point_wants_mm(const struct stop_point *point, const struct mm_struct *mm)
{
	return mm == point->mm || (point->follow && mm == current->mm &&
				   descendants_of_tracer(point->tracer, task_tgid(current)) &&
				   stop_point_permits_current(point));
}

/*
 * Handle a hit. Processes without the stop point have inherited the breakpoint; uprobes removes it.
 */
static COMPAT_UPROBE_HANDLER(stop_point_handler, uc, regs)
{
	const struct stop_point *point = container_of(uc, struct stop_point, consumer);

	if (READ_ONCE(point->ended) || !stop_point_wants_mm(point, current->mm))
		return UPROBE_HANDLER_REMOVE;
	stopped_thread_stop_current(point, regs);
	return 0;
}

static COMPAT_UPROBE_FILTER(stop_point_filter, uc, mm)
{
	const struct stop_point *point = container_of(uc, struct stop_point, consumer);

	return !READ_ONCE(point->ended) && stop_point_wants_mm(point, mm);
}

static void stop_point_free(struct kref *ref)
{
	struct stop_point *point = container_of(ref, struct stop_point, ref);

	if (point->file)
		fput(point->file);
	if (point->mm) {
		mmdrop(point->mm);
		dtrace_account_uncharge(point->tracer->account, DTRACE_RES_STOP_POINTS, 1);
	}
	descendants_destroy(point->descendants);
	put_pid(point->pid);
	put_cred(point->cred);
	stop_tracer_uncharge(point->tracer, sizeof(*point));
	stop_tracer_put(point->tracer);
	kfree(point);
}

static void stop_point_put(struct stop_point *point)
{
	kref_put(&point->ref, stop_point_free);
}

static bool stop_point_is_crowded(const struct stop_point *point)
{
	return !point->unlimited && mapping_is_crowded(file_inode(point->file), point->offset);
}

/* Register the uprobe. If the caller does not wait any more, it is to be unregistered next. */
static void stop_point_register(struct stop_point *point)
{
	if (atomic_read(&point->registering) == STOP_POINT_ABANDONED)
		return;
	if (stop_point_is_crowded(point))
		point->error = -EUSERS;
	else
		point->error = compat_uprobe_register(&point->uprobe, file_inode(point->file),
						      point->offset, 0, &point->consumer);
	if (atomic_xchg(&point->registering, STOP_POINT_REGISTERED) == STOP_POINT_ABANDONED &&
	    !point->error) {
		WRITE_ONCE(point->ended, true);
		point->unregister = true;
	}
}

/* ---- calls of uprobes ---- */

/*
 * The calls for one user. All forks of the machine, and all other calls of uprobes, wait for each,
 * so a user has one under way, however many tracers.
 */
struct stop_queue {
	struct kref ref;      /* one of each tracer, and of the work; stop_queues_lock to free */
	struct list_head all; /* stop_queues_lock */
	const struct dtrace_account *account;
	struct list_head calls; /* stop points; stop_queues_lock */
	struct delayed_work work;
};

static DEFINE_SPINLOCK(stop_queues_lock);
static LIST_HEAD(stop_queues);

static void stop_point_called(struct stop_point *point)
{
	complete_all(&point->done);
	stop_point_put(point);
}

/* Note whether the breakpoint of a stop point that has ended stays. Nobody waits if it does. */
static void stop_point_stay(struct stop_point *point, bool stays)
{
	if (stays == point->stays)
		return;
	point->stays = stays;
	mapping_count_stays(stays ? 1 : -1);
	complete_all(&point->done);
}

/*
 * Make the calls that are queued. One wait for handlers covers all points that are removed. Those
 * whose locations are crowded are added to a list instead.
 */
static void stop_queue_call(struct list_head *calls, struct list_head *crowded)
{
	struct stop_point *point, *next;
	LIST_HEAD(removed);

	list_for_each_entry_safe(point, next, calls, call) {
		list_del(&point->call);
		if (!point->unregister)
			stop_point_register(point);
		if (!point->unregister) {
			stop_point_called(point);
		} else if (stop_point_is_crowded(point)) {
			stop_point_stay(point, true);
			list_add_tail(&point->call, crowded);
		} else {
			compat_uprobe_unregister(&point->uprobe, &point->consumer);
			stop_point_stay(point, false);
			list_add_tail(&point->call, &removed);
		}
		cond_resched();
	}
	if (!list_empty(&removed))
		compat_uprobe_sync();
	list_for_each_entry_safe(point, next, &removed, call)
		stop_point_called(point);
}

/* Calls for locations that are crowded are made again later. */
static void stop_queue_run(struct work_struct *work)
{
	struct stop_queue *queue = container_of(work, struct stop_queue, work.work);
	bool again;
	LIST_HEAD(calls);
	LIST_HEAD(crowded);

	spin_lock(&stop_queues_lock);
	while (!list_empty(&queue->calls)) {
		list_splice_init(&queue->calls, &calls);
		spin_unlock(&stop_queues_lock);
		stop_queue_call(&calls, &crowded);
		spin_lock(&stop_queues_lock);
	}
	list_splice_tail(&crowded, &queue->calls);
	again = !list_empty(&queue->calls);
	spin_unlock(&stop_queues_lock);
	if (!again || !queue_delayed_work(stop_wq, &queue->work, MAPPING_LOOK))
		stop_queue_put(queue); /* there are no calls, or the work is queued already */
}

struct stop_queue *stop_queue_get(const struct dtrace_account *account)
{
	struct stop_queue *fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT), *queue;

	if (!fresh)
		return NULL;
	kref_init(&fresh->ref);
	fresh->account = account;
	INIT_LIST_HEAD(&fresh->calls);
	INIT_DELAYED_WORK(&fresh->work, stop_queue_run);
	spin_lock(&stop_queues_lock);
	list_for_each_entry(queue, &stop_queues, all)
		if (queue->account == account) {
			kref_get(&queue->ref);
			goto found;
		}
	queue = fresh;
	fresh = NULL;
	list_add(&queue->all, &stop_queues);
found:
	spin_unlock(&stop_queues_lock);
	kfree(fresh);
	return queue;
}

static void stop_queue_free(struct kref *ref) __releases(&stop_queues_lock)
{
	struct stop_queue *queue = container_of(ref, struct stop_queue, ref);

	list_del(&queue->all);
	spin_unlock(&stop_queues_lock);
	kfree(queue);
}

void stop_queue_put(struct stop_queue *queue)
{
	kref_put_lock(&queue->ref, stop_queue_free, &stop_queues_lock);
}

void stop_queues_flush(void)
{
	struct stop_queue *queue;
	bool any;

	flush_workqueue(stop_wq); /* what runs may have found a location crowded before */
	do {
		any = false;
		spin_lock(&stop_queues_lock);
		list_for_each_entry(queue, &stop_queues, all)
			if (!list_empty(&queue->calls)) {
				kref_get(&queue->ref);
				any = true;
				break;
			}
		spin_unlock(&stop_queues_lock);
		if (any) {
			flush_delayed_work(&queue->work);
			stop_queue_put(queue);
		}
	} while (any);
}

/*
 * Call uprobes in a worker. A process that is being killed cannot write to the memory of others: a
 * tracer that did this itself would leave its breakpoint behind. Nor may a killed process wait
 * without end for uprobes, which waits for the mmap_lock of all processes that map the file. So the
 * call has a reference to the stop point, and the module waits for the work.
 */
static void stop_point_call(struct stop_point *point, bool unregister)
{
	struct stop_queue *queue = point->tracer->queue;

	kref_get(&point->ref);
	point->unregister = unregister;
	init_completion(&point->done);
	spin_lock(&stop_queues_lock);
	kref_get(&queue->ref);
	list_add_tail(&point->call, &queue->calls);
	spin_unlock(&stop_queues_lock);
	if (mod_delayed_work(stop_wq, &queue->work, 0))
		stop_queue_put(queue); /* the work is queued already */
}

/* ---- of addresses, in a tracer ---- */

/*
 * Find the location of the point's address, and register its uprobe. Return -EFAULT: no code of a
 * file is there; -EINTR: the caller is being killed; errors of uprobes.
 */
static int stop_point_start_address(struct stop_point *point)
{
	struct vm_area_struct *vma;
	int error = mmap_read_lock_killable(point->mm);

	if (error)
		return error;
	vma = find_vma(point->mm, point->address);
	if (mapping_is_code(vma) && vma->vm_start <= point->address &&
	    (!mapping_is_served(vma) || capable(CAP_SYS_ADMIN))) {
		point->file = get_file(vma->vm_file);
		point->offset = mapping_offset(vma, point->address);
	}
	mmap_read_unlock(point->mm);
	if (!point->file)
		return -EFAULT;
	point->consumer.handler = stop_point_handler;
	point->consumer.filter = stop_point_filter;
	stop_point_call(point, false);
	/*
	 * A caller that is killed meanwhile leaves no breakpoint behind, unless uprobes is stuck.
	 */
	if (wait_for_completion_killable(&point->done) &&
	    !wait_for_completion_timeout(&point->done, STOP_POINT_KILLED)) {
		if (atomic_xchg(&point->registering, STOP_POINT_ABANDONED) != STOP_POINT_REGISTERED)
			return -EINTR;
		wait_for_completion(&point->done); /* uprobes has returned */
	}
	return point->error == -ENOTSUPP ? -EOPNOTSUPP : point->error;
}

/* ---- both kinds ---- */

static struct stop_point *stop_point_create(struct stop_tracer *tracer, uint32_t ms)
{
	struct stop_point *point = kzalloc(sizeof(*point), GFP_KERNEL_ACCOUNT);

	if (!point)
		return ERR_PTR(-ENOMEM);
	if (stop_tracer_charge(tracer, sizeof(*point))) {
		kfree(point);
		return ERR_PTR(-EDQUOT);
	}
	kref_init(&point->ref);
	stop_tracer_get(tracer);
	point->tracer = tracer;
	point->timeout = msecs_to_jiffies(min_t(uint32_t, ms, DTRACE_STOP_MS)) ?: 1;
	point->all_users = permission_any();
	point->unlimited = permission_unlimited();
	point->cred = get_current_cred();
	return point;
}

/* Start a stop point, and give it to its tracer. Return its number; on errors it is freed. */
static int stop_point_add(struct stop_point *point)
{
	struct stop_tracer *tracer = point->tracer;
	int error = mutex_lock_killable(&tracer->mutex);

	if (error)
		goto no_lock;
	error = stopped_thread_alloc(tracer);
	if (error)
		goto out;
	error = -ENOSPC;
	if (tracer->npoints >= STOP_POINT_MAX || tracer->last == INT_MAX)
		goto out;
	point->number = tracer->last + 1;
	error = point->mm ? stop_point_start_address(point) : stop_point_start_exec(point);
	if (error)
		goto out;
	tracer->last++;
	tracer->npoints++;
	list_add_tail(&point->all, &tracer->points);
	error = point->number;
out:
	mutex_unlock(&tracer->mutex);
no_lock:
	if (error < 0)
		stop_point_put(point);
	return error;
}

int stop_point_add_exec(struct stop_tracer *tracer, const dtrace_stop_exec_t *exec, struct pid *pid)
{
	size_t len = strnlen(exec->dtfx_name, sizeof(exec->dtfx_name));
	bool follow = exec->dtfx_flags & DTRACE_STOP_FOLLOW;
	struct descendants *descendants;
	struct stop_point *point;

	if (exec->dtfx_flags & ~DTRACE_STOP_FOLLOW || (follow && !pid) ||
	    (!follow && !exec->dtfx_timeout) || !len == !pid || len == sizeof(exec->dtfx_name))
		return -EINVAL;
	point = stop_point_create(tracer, exec->dtfx_timeout);
	if (IS_ERR(point))
		return PTR_ERR(point);
	memcpy(point->name, exec->dtfx_name, len);
	point->pid = get_pid(pid);
	if (!exec->dtfx_timeout)
		point->timeout = 0;
	if (follow) {
		descendants = descendants_create(tracer, pid);
		if (IS_ERR(descendants)) {
			stop_point_put(point);
			return PTR_ERR(descendants);
		}
		point->descendants = descendants;
	}
	return stop_point_add(point);
}

int stop_point_add_address(struct stop_tracer *tracer, const dtrace_stop_address_t *address,
			   struct mm_struct *mm)
{
	struct stop_point *point;
	int error;

	if (!address->dtfa_timeout || address->dtfa_flags & ~DTRACE_STOP_FOLLOW ||
	    address->dtfa_pad)
		return -EINVAL;
	point = stop_point_create(tracer, address->dtfa_timeout);
	if (IS_ERR(point))
		return PTR_ERR(point);
	error = dtrace_account_charge(tracer->account, DTRACE_RES_STOP_POINTS, 1, NULL, 0);
	if (error) {
		stop_point_put(point);
		return error;
	}
	mmgrab(mm); /* so that no later mm has the same address */
	point->mm = mm;
	point->address = address->dtfa_address;
	point->follow = address->dtfa_flags & DTRACE_STOP_FOLLOW;
	return stop_point_add(point);
}

/*
 * If uprobes is stuck, breakpoints are removed later: after the first one that takes too long, do
 * not wait for the others, of which there may be hundreds. Handlers and execs may still use the
 * points.
 */
void stop_point_destroy(struct list_head *points)
{
	unsigned long patience = thread_is_dying_killed() ? STOP_POINT_KILLED : STOP_POINT_STUCK;
	struct stop_point *point, *next;
	bool execs = false;

	list_for_each_entry(point, points, all) {
		WRITE_ONCE(point->ended, true);
		if (point->mm) {
			stop_point_call(point, true);
		} else {
			stop_point_end_exec(point);
			execs = true;
		}
		point->tracer->npoints--;
	}
	if (execs)
		synchronize_rcu();
	list_for_each_entry_safe(point, next, points, all) {
		if (point->mm && !wait_for_completion_timeout(&point->done, patience)) {
			atomic64_inc(&stop_counts.late);
			patience = 1;
		}
		stop_point_put(point);
	}
}
