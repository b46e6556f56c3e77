// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_hold.c - threads that wait for a tracer: on exec of a program of some name, or at an
 * address.
 *
 * Neither the scheduler's tracepoint of exec nor a breakpoint's handler may sleep. They take one of
 * the holder's slots, which were there before, and ask for task work; the thread does that when it
 * is about to return to user mode, and there it may sleep.
 *
 * A slot is the thread's until it goes on and the reader's until it was read: then it is free again.
 * Work that was asked for cannot be called off, and a thread under a debugger may come to it late.
 * So a slot has a reference to its holder and to the module, and closing the device does not wait
 * for threads.
 *
 * Locks: a holder's mutex (its watches), and under it execs_lock (all watches of execs).
 * A holder's raw spin lock (its slots) is taken by all, and nothing under it.
 */
#include <linux/binfmts.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/task_work.h"
#include "compat/uprobes.h"
#include "fasttrap_hold.h"
#include "fasttrap_impl.h"
#include "permission.h"

#define HOLD_SLOTS	128	/* threads that a holder can hold or tell of at once */
#define HOLD_THREADS	16	/* of them, of one process: they may occupy what its breakpoints need */
#define HOLD_WATCHES	256	/* of a holder */
#define HOLD_EXECS	1024	/* watches of execs in all: each exec looks at them */

struct hold_slot {
	struct callback_head work;
	struct list_head list;		/* in one of the holder's lists */
	struct fasttrap_holder *holder;
	struct pid *pid, *tid;		/* counted until the slot is free */
	unsigned int watch;
	long timeout;			/* jiffies */
	unsigned long ip, sp;		/* of an address: where it arrived; 0: of execs */
	u64 arg0;			/* of an address */
	bool left;			/* the thread has gone on */
	bool unread;
	bool go;			/* it may */
	bool anew;			/* from where it arrived */
};

struct hold_watch {
	struct list_head all;		/* in the holder */
	struct list_head execs;		/* likewise, if of execs; execs_lock, RCU */
	struct fasttrap_holder *holder;
	unsigned int number;
	long timeout;			/* jiffies */
	/* of execs */
	struct pid *pid;		/* counted: all execs of this process; NULL: by name */
	char name[DTRACE_FT_NAMELEN];
	bool anybody;			/* root's: of all users */
	const struct cred *cred;	/* whose it is */
	atomic_t spent;			/* it has met its process */
	/* of an address */
	struct mm_struct *mm;		/* grabbed; NULL: of execs */
	uint64_t address;
	struct file *file;
	loff_t offset;			/* there */
	struct work_struct work;
	int error;			/* of the work */
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
};

struct fasttrap_holder {
	struct kref ref;		/* the file's, and one of each slot that a thread has */
	struct mutex mutex;
	struct list_head watches;	/* mutex */
	unsigned int nwatches, next;	/* mutex */
	struct list_head execs;		/* execs_lock, RCU */
	struct list_head with_execs;	/* while that is not empty; execs_lock, RCU */
	struct pid_namespace *ns;	/* of who opened the file */
	raw_spinlock_t lock;
	struct list_head free;		/* lock, as all below */
	struct list_head coming;	/* the thread is on its way */
	struct list_head news;		/* to be read */
	struct list_head known;		/* read, and held still */
	unsigned int missed;
	wait_queue_head_t threads, readers;
	struct work_struct announce;	/* wakes readers where preemption is off */
	struct hold_slot *slots;	/* with the first watch */
};

static DEFINE_MUTEX(execs_lock);
static LIST_HEAD(holders_with_execs);	/* execs_lock, RCU */
static unsigned int nexecs;		/* execs_lock */

static compat_task_work_add_f *work_add;
static bool work_used;			/* hold_exit has something to wait for */
static atomic64_t count_held, count_timeouts, count_missed;

/* ---- slots ---- */

static void holder_free(struct kref *ref)
{
	struct fasttrap_holder *holder = container_of(ref, struct fasttrap_holder, ref);

	put_pid_ns(holder->ns);
	kvfree(holder->slots);
	kfree(holder);
}

/* [holder's lock] A slot that is nobody's any more, with its pids for the caller to put. */
static bool slot_free(struct hold_slot *slot, struct pid **pid, struct pid **tid)
{
	if (!slot->left || slot->unread)
		return false;
	*pid = slot->pid;
	*tid = slot->tid;
	list_move(&slot->list, &slot->holder->free);
	return true;
}

/* [holder's lock] */
static void slot_fill(struct hold_slot *slot, const struct hold_watch *watch,
		      const struct pt_regs *regs)
{
	slot->holder = watch->holder;
	slot->pid = get_pid(task_tgid(current));
	slot->tid = get_pid(task_pid(current));
	slot->watch = watch->number;
	slot->timeout = watch->timeout;
	slot->ip = regs ? regs->ip : 0;
	slot->sp = regs ? regs->sp : 0;
	slot->arg0 = regs ? fasttrap_arg_called(regs, 0) : 0;
	slot->left = slot->go = slot->anew = slot->unread = false;
	list_move_tail(&slot->list, &watch->holder->coming);
}

/* [holder's lock] How many threads of current's process are held there. */
static unsigned int slots_ours(const struct list_head *slots)
{
	const struct hold_slot *slot;
	unsigned int n = 0;

	list_for_each_entry(slot, slots, list)
		n += !slot->left && slot->pid == task_tgid(current);
	return n;
}

/* [holder's lock] NULL: there are too many. */
static struct hold_slot *slot_find(struct fasttrap_holder *holder)
{
	if (slots_ours(&holder->coming) + slots_ours(&holder->news) + slots_ours(&holder->known) >=
	    HOLD_THREADS)
		return NULL;
	return list_first_entry_or_null(&holder->free, struct hold_slot, list);
}

/* NULL, and counted: there are too many. */
static struct hold_slot *slot_take(const struct hold_watch *watch, const struct pt_regs *regs)
{
	struct fasttrap_holder *holder = watch->holder;
	struct hold_slot *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	slot = slot_find(holder);
	if (slot)
		slot_fill(slot, watch, regs);
	else
		holder->missed++;
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	if (!slot)
		atomic64_inc(&count_missed);
	return slot;
}

static void slot_announce(struct hold_slot *slot)
{
	struct fasttrap_holder *holder = slot->holder;
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	slot->unread = true;
	list_move_tail(&slot->list, &holder->news);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
}

static void slot_leave(struct hold_slot *slot)
{
	struct fasttrap_holder *holder = slot->holder;
	struct pid *pid = NULL, *tid = NULL;
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	slot->left = true;
	slot_free(slot, &pid, &tid);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	put_pid(pid);
	put_pid(tid);
}

/* ---- a thread that is held ---- */

/* False: its time was over. */
static bool slot_wait(struct hold_slot *slot)
{
	DEFINE_WAIT(wait);
	long left = slot->timeout;

	while (left && !fatal_signal_pending(current)) {
		prepare_to_wait(&slot->holder->threads, &wait, TASK_KILLABLE | TASK_FREEZABLE);
		if (smp_load_acquire(&slot->go))
			break;
		left = schedule_timeout(left);
	}
	finish_wait(&slot->holder->threads, &wait);
	return left;
}

/*
 * Back to where it arrived, so that it meets breakpoints that were set since. The instruction is not
 * done yet, and uprobes give up stepping over its copy; or they have carried it out by themselves,
 * which they do only where that changes no more than where the thread and its stack are.
 */
static void slot_rewind(const struct hold_slot *slot)
{
	struct pt_regs *regs = task_pt_regs(current);
	struct uprobe_task *utask = current->utask;

	if (utask && utask->active_uprobe) {
		utask->state = UTASK_SSTEP_TRAPPED;
		set_thread_flag(TIF_UPROBE);
	} else {
		regs->ip = slot->ip;
		regs->sp = slot->sp;
	}
}

/*
 * On the way back to user mode, or of an exit. What is left of this function after module_put is
 * waited for by hold_exit.
 */
static void slot_run(struct callback_head *work)
{
	struct hold_slot *slot = container_of(work, struct hold_slot, work);
	struct fasttrap_holder *holder = slot->holder;

	if (!(current->flags & PF_EXITING) && !READ_ONCE(slot->go)) {
		slot_announce(slot);
		wake_up_all(&holder->readers);
		atomic64_inc(&count_held);
		if (!slot_wait(slot))
			atomic64_inc(&count_timeouts);
	}
	if (slot->ip && READ_ONCE(slot->anew))
		slot_rewind(slot);
	slot_leave(slot);
	kref_put(&holder->ref, holder_free);
	module_put(THIS_MODULE);
}

static bool slot_ask(struct hold_slot *slot)
{
	struct fasttrap_holder *holder = slot->holder;

	if (!work_add)
		return false;
	WRITE_ONCE(work_used, true);
	kref_get(&holder->ref);
	__module_get(THIS_MODULE);
	init_task_work(&slot->work, slot_run);
	if (!work_add(current, &slot->work, TWA_RESUME))
		return true;
	kref_put(&holder->ref, holder_free);	/* never the last: the watch's holder is open */
	module_put(THIS_MODULE);
	return false;
}

/* Current has met a watch; regs: of an address. Any context in which it is current that runs. */
static void hold_current(const struct hold_watch *watch, const struct pt_regs *regs)
{
	struct hold_slot *slot = slot_take(watch, regs);

	if (!slot || slot_ask(slot))
		return;
	slot_announce(slot);
	slot_leave(slot);
	schedule_work(&watch->holder->announce);
}

/* ---- watches of execs ---- */

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

static bool watch_meets(struct hold_watch *watch, const struct linux_binprm *bprm)
{
	if (watch->pid)
		return watch->pid == task_tgid(current);
	return !atomic_read(&watch->spent) && watch_has_name(watch, bprm) && watch_may(watch) &&
	       pid_nr_ns(task_tgid(current), watch->holder->ns) &&
	       !atomic_cmpxchg(&watch->spent, 0, 1);
}

/* A process is for one watch of each holder. */
static void holder_note_exec(const struct fasttrap_holder *holder, const struct linux_binprm *bprm)
{
	struct hold_watch *watch;

	list_for_each_entry_rcu(watch, &holder->execs, execs)
		if (watch_meets(watch, bprm)) {
			hold_current(watch, NULL);
			return;
		}
}

void hold_note_exec(const struct linux_binprm *bprm)
{
	const struct fasttrap_holder *holder;

	rcu_read_lock();
	list_for_each_entry_rcu(holder, &holders_with_execs, with_execs)
		holder_note_exec(holder, bprm);
	rcu_read_unlock();
}

static int watch_exec_start(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	int error = 0;

	mutex_lock(&execs_lock);
	if (nexecs >= HOLD_EXECS) {
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
	synchronize_rcu();
}

/* ---- watches of addresses ---- */

/*
 * Who is not that process has the breakpoint from its parent. The program counter is not looked at:
 * a tracepoint at the same place may have carried out the instruction already.
 */
static COMPAT_UPROBE_HANDLER(watch_handler, uc, regs)
{
	const struct hold_watch *watch = container_of(uc, struct hold_watch, consumer);

	if (current->mm != watch->mm)
		return UPROBE_HANDLER_REMOVE;
	hold_current(watch, regs);
	return 0;
}

static COMPAT_UPROBE_FILTER(watch_filter, uc, mm)
{
	return mm == container_of(uc, struct hold_watch, consumer)->mm;
}

/* The file with the code at the watch's address, and the offset there. */
static int watch_place(struct hold_watch *watch)
{
	struct vm_area_struct *vma;
	int error = -EFAULT;

	mmap_read_lock(watch->mm);
	vma = find_vma(watch->mm, watch->address);
	if (vma && vma->vm_start <= watch->address && vma->vm_file &&
	    (vma->vm_flags & (VM_EXEC | VM_MAYSHARE | VM_HUGETLB)) == VM_EXEC) {
		watch->file = get_file(vma->vm_file);
		watch->offset = watch->address - vma->vm_start + ((loff_t)vma->vm_pgoff << PAGE_SHIFT);
		error = 0;
	}
	mmap_read_unlock(watch->mm);
	return error;
}

/* Reading what a user's program serves might take as long as it likes. */
static bool watch_is_served(const struct hold_watch *watch)
{
	return file_inode(watch->file)->i_sb->s_magic == FUSE_SUPER_MAGIC &&
	       !capable(CAP_SYS_ADMIN);
}

static void watch_patch(struct work_struct *work)
{
	struct hold_watch *watch = container_of(work, struct hold_watch, work);

	watch->error = compat_uprobe_register(&watch->uprobe, file_inode(watch->file),
					      watch->offset, 0, &watch->consumer);
}

static void watch_unpatch(struct work_struct *work)
{
	struct hold_watch *watch = container_of(work, struct hold_watch, work);

	compat_uprobe_unregister(&watch->uprobe, &watch->consumer);
}

/*
 * Who is being killed cannot write to the memory of others: a tracer that did this itself would
 * leave its breakpoint behind.
 */
static void watch_work(struct hold_watch *watch, work_func_t func)
{
	INIT_WORK(&watch->work, func);
	queue_work(system_unbound_wq, &watch->work);
	flush_work(&watch->work);
}

static int watch_address_start(struct hold_watch *watch)
{
	int error = watch_place(watch);

	if (error)
		return error;
	if (watch_is_served(watch))
		return -EFAULT;
	watch->consumer.handler = watch_handler;
	watch->consumer.filter = watch_filter;
	watch_work(watch, watch_patch);
	return watch->error == -ENOTSUPP ? -EOPNOTSUPP : watch->error;
}

static void watch_address_stop(struct hold_watch *watch)
{
	watch_work(watch, watch_unpatch);
	compat_uprobe_sync();
}

/* ---- watches; with the holder's mutex ---- */

static void watch_free(struct hold_watch *watch)
{
	if (watch->file)
		fput(watch->file);
	if (watch->mm)
		mmdrop(watch->mm);
	put_pid(watch->pid);
	put_cred(watch->cred);
	kfree(watch);
}

static struct hold_watch *watch_create(struct fasttrap_holder *holder, uint32_t ms)
{
	struct hold_watch *watch = kzalloc(sizeof(*watch), GFP_KERNEL_ACCOUNT);

	if (!watch)
		return NULL;
	watch->holder = holder;
	watch->timeout = msecs_to_jiffies(min_t(uint32_t, ms, DTRACE_FT_HOLD_MS)) ?: 1;
	watch->anybody = permission_any();
	watch->cred = get_current_cred();
	return watch;
}

static int slots_create(struct fasttrap_holder *holder)
{
	struct hold_slot *slots;
	unsigned int i;

	if (holder->slots)
		return 0;
	slots = kvcalloc(HOLD_SLOTS, sizeof(*slots), GFP_KERNEL_ACCOUNT);
	if (!slots)
		return -ENOMEM;
	for (i = 0; i < HOLD_SLOTS; i++)
		list_add_tail(&slots[i].list, &holder->free);
	holder->slots = slots;
	return 0;
}

static int watch_start(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	int error = slots_create(holder);

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
	int number;

	mutex_lock(&holder->mutex);
	number = watch_start(watch);
	mutex_unlock(&holder->mutex);
	if (number < 0)
		watch_free(watch);
	return number;
}

int hold_exec(struct fasttrap_holder *holder, const dtrace_ft_hold_exec_t *exec, struct pid *pid)
{
	size_t len = strnlen(exec->dtfx_name, sizeof(exec->dtfx_name));
	struct hold_watch *watch;

	if (!exec->dtfx_timeout || !len == !pid || len == sizeof(exec->dtfx_name))
		return -EINVAL;
	watch = watch_create(holder, exec->dtfx_timeout);
	if (!watch)
		return -ENOMEM;
	memcpy(watch->name, exec->dtfx_name, len);
	watch->pid = get_pid(pid);
	return watch_add(watch);
}

int hold_address(struct fasttrap_holder *holder, const dtrace_ft_hold_address_t *address,
		 struct mm_struct *mm)
{
	struct hold_watch *watch;

	if (!address->dtfa_timeout)
		return -EINVAL;
	watch = watch_create(holder, address->dtfa_timeout);
	if (!watch)
		return -ENOMEM;
	mmgrab(mm);	/* not to be taken for another that comes later */
	watch->mm = mm;
	watch->address = address->dtfa_address;
	return watch_add(watch);
}

/* [holder's lock] How many of them were held. */
static int slots_go(struct list_head *slots, unsigned int watch)
{
	struct hold_slot *slot;
	int n = 0;

	list_for_each_entry(slot, slots, list)
		if (!slot->left && !slot->go && (!watch || slot->watch == watch)) {
			WRITE_ONCE(slot->anew, true);
			smp_store_release(&slot->go, true);
			n++;
		}
	return n;
}

/* Those that a watch which has ended holds go on; 0: of all watches. How many there were. */
static int holder_let_go(struct fasttrap_holder *holder, unsigned int watch)
{
	unsigned long flags;
	int n;

	raw_spin_lock_irqsave(&holder->lock, flags);
	n = slots_go(&holder->coming, watch);
	n += slots_go(&holder->news, watch);
	n += slots_go(&holder->known, watch);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	wake_up_all(&holder->threads);
	return n;
}

static void watch_end(struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;

	if (watch->mm)
		watch_address_stop(watch);
	else
		watch_exec_stop(watch);
	list_del(&watch->all);
	holder->nwatches--;
	watch_free(watch);
}

static struct hold_watch *watch_find(struct fasttrap_holder *holder, unsigned int number)
{
	struct hold_watch *watch;

	list_for_each_entry(watch, &holder->watches, all)
		if (watch->number == number)
			return watch;
	return NULL;
}

int hold_end(struct fasttrap_holder *holder, int number)
{
	struct hold_watch *watch;

	mutex_lock(&holder->mutex);
	watch = watch_find(holder, number);
	if (watch)
		watch_end(watch);
	mutex_unlock(&holder->mutex);
	return watch ? holder_let_go(holder, number) : -ENOENT;
}

/* ---- what the tracer asks ---- */

int hold_release(struct fasttrap_holder *holder, int tid)
{
	struct hold_slot *slot;
	unsigned long flags;
	int error = -ESRCH;

	raw_spin_lock_irqsave(&holder->lock, flags);
	list_for_each_entry(slot, &holder->known, list)
		if (!slot->left && !slot->go && pid_vnr(slot->tid) == tid) {
			WRITE_ONCE(slot->go, true);
			error = 0;
		}
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	if (!error)
		wake_up_all(&holder->threads);
	return error;
}

/* False: there are no news. */
static bool news_take(struct fasttrap_holder *holder, dtrace_ft_held_t *held)
{
	struct pid *pid = NULL, *tid = NULL;
	struct hold_slot *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	slot = list_first_entry_or_null(&holder->news, struct hold_slot, list);
	if (slot) {
		*held = (dtrace_ft_held_t){
			.dtfd_pid = pid_vnr(slot->pid),
			.dtfd_tid = pid_vnr(slot->tid),
			.dtfd_watch = slot->watch,
			.dtfd_flags = slot->left ? 0 : DTRACE_FT_HELD,
			.dtfd_missed = holder->missed,
			.dtfd_arg0 = slot->arg0,
		};
		holder->missed = 0;
		slot->unread = false;
		if (!slot_free(slot, &pid, &tid))
			list_move_tail(&slot->list, &holder->known);
	}
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	put_pid(pid);
	put_pid(tid);
	return slot;
}

static bool news_any(struct fasttrap_holder *holder)
{
	unsigned long flags;
	bool any;

	raw_spin_lock_irqsave(&holder->lock, flags);
	any = !list_empty(&holder->news);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	return any;
}

/* What was copied before an error counts. */
static ssize_t hold_copy(struct fasttrap_holder *holder, char __user *to, size_t size)
{
	dtrace_ft_held_t held;
	size_t done = 0;

	while (size - done >= sizeof(held) && news_take(holder, &held)) {
		if (copy_to_user(to + done, &held, sizeof(held)))
			return done ?: -EFAULT;
		done += sizeof(held);
	}
	return done ?: -EAGAIN;
}

ssize_t hold_read(struct fasttrap_holder *holder, char __user *to, size_t size, bool block)
{
	ssize_t done;

	if (size < sizeof(dtrace_ft_held_t))
		return -EINVAL;
	do {
		if (block && wait_event_interruptible(holder->readers, news_any(holder)))
			return -ERESTARTSYS;
		done = hold_copy(holder, to, size);
	} while (block && done == -EAGAIN);
	return done;
}

__poll_t hold_poll(struct fasttrap_holder *holder, struct file *file, poll_table *wait)
{
	poll_wait(file, &holder->readers, wait);
	return news_any(holder) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ---- holders ---- */

static void hold_announce(struct work_struct *work)
{
	wake_up_all(&container_of(work, struct fasttrap_holder, announce)->readers);
}

struct fasttrap_holder *hold_create(void)
{
	struct fasttrap_holder *holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);

	if (!holder)
		return NULL;
	kref_init(&holder->ref);
	mutex_init(&holder->mutex);
	raw_spin_lock_init(&holder->lock);
	INIT_LIST_HEAD(&holder->watches);
	INIT_LIST_HEAD(&holder->execs);
	INIT_LIST_HEAD(&holder->free);
	INIT_LIST_HEAD(&holder->coming);
	INIT_LIST_HEAD(&holder->news);
	INIT_LIST_HEAD(&holder->known);
	init_waitqueue_head(&holder->threads);
	init_waitqueue_head(&holder->readers);
	INIT_WORK(&holder->announce, hold_announce);
	holder->ns = get_pid_ns(task_active_pid_ns(current));
	return holder;
}

void hold_destroy(struct fasttrap_holder *holder)
{
	struct hold_watch *watch, *next;
	dtrace_ft_held_t unread;

	list_for_each_entry_safe(watch, next, &holder->watches, all)
		watch_end(watch);
	holder_let_go(holder, 0);
	while (news_take(holder, &unread))
		;
	cancel_work_sync(&holder->announce);
	kref_put(&holder->ref, holder_free);
}

/* ---- start and end ---- */

void hold_init(void)
{
	work_add = compat_task_work_find();
}

/*
 * Each thread has put the module before this is called, but may have been preempted just behind
 * that.
 */
void hold_exit(void)
{
	if (work_used)
		synchronize_rcu_tasks();
}

void hold_stats_show(struct seq_file *seq)
{
	static const struct {
		const char *name;
		const atomic64_t *count;
		const char *meaning;
	} rows[] = {
		{ "held", &count_held, "threads that waited for a tracer" },
		{ "held-timeouts", &count_timeouts, "of them, not released in time" },
		{ "held-missed", &count_missed, "threads not held: a tracer had too many" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		seq_printf(seq, "%-16s %12lld  %s\n", rows[i].name,
			   (long long)atomic64_read(rows[i].count), rows[i].meaning);
}
