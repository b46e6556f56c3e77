// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stopped_thread.c - a thread that waits for a tracer.
 *
 * Neither the scheduler's tracepoint of exec nor a breakpoint's handler may sleep. They take one of
 * the holder's slots, which were there before, and ask for task work; the thread does that when it
 * is about to return to user mode, and there it may sleep.
 *
 * A slot is the thread's until it goes on and the reader's until it was read: then it is free
 * again. Work that was asked for cannot be called off, and a thread under a debugger may come to
 * it late. So a slot has a reference to its holder and to the module, and closing the device
 * does not wait for threads.
 *
 * All changes are made under the holder's raw spin lock; that a thread may go is read without.
 * How many threads of a process are held by all holders is held_lock's, which is taken under it.
 */
#include <linux/hashtable.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task_stack.h>
#include <linux/slab.h>
#include <linux/uprobes.h>

#include <asm/trapnr.h>

#include "compat/task_work.h"
#include "stop_impl.h"
#include "providers/fasttrap/impl.h"

#define HOLD_SLOTS	128	/* threads that a holder can hold or tell of at once */
/*
 * Threads of one process, of all holders together. A thread that is held at a breakpoint
 * occupies one of the 32 places in which uprobes step over the instructions of its process;
 * others would wait for one.
 */
#define HOLD_THREADS	24	/* by who may hold any process */
#define HOLD_THREADS_OWN	16	/* by who may hold their own */

static DEFINE_RAW_SPINLOCK(held_lock);
static DEFINE_HASHTABLE(held, 8);	/* slots, by the process of their thread; held_lock */

static compat_task_work_add_f *work_add;
static bool work_used;			/* slots_exit has something to wait for */

/* ---- slots ---- */

int slots_create(struct fasttrap_holder *holder)
{
	struct hold_slot *slots;
	unsigned int i;

	lockdep_assert_held(&holder->mutex);
	if (holder->slots)
		return 0;
	if (holder_charge(holder, HOLD_SLOTS * sizeof(*slots)))
		return -EDQUOT;
	slots = kvcalloc(HOLD_SLOTS, sizeof(*slots), GFP_KERNEL_ACCOUNT);
	if (!slots) {
		holder_uncharge(holder, HOLD_SLOTS * sizeof(*slots));
		return -ENOMEM;
	}
	for (i = 0; i < HOLD_SLOTS; i++)
		list_add_tail(&slots[i].list, &holder->free);
	holder->slots = slots;
	return 0;
}

void slots_destroy(struct fasttrap_holder *holder)
{
	if (!holder->slots)
		return;
	holder_uncharge(holder, HOLD_SLOTS * sizeof(*holder->slots));
	kvfree(holder->slots);
}

bool slot_free(struct hold_slot *slot, struct pid **pid, struct pid **tid)
{
	lockdep_assert_held(&slot->holder->lock);
	if (!slot->left || slot->unread)
		return false;
	*pid = slot->pid;
	*tid = slot->tid;
	list_move(&slot->list, &slot->holder->free);
	return true;
}

/* [holder's lock, held_lock] */
static void slot_fill(struct hold_slot *slot, const struct hold_watch *watch)
{
	lockdep_assert_held(&held_lock);
	slot->holder = watch->holder;
	slot->pid = get_pid(task_tgid(current));
	slot->tid = get_pid(task_pid(current));
	slot->watch = watch->number;
	slot->timeout = watch->timeout;
	slot->left = slot->ends = slot->go = slot->anew = slot->unread = false;
	hash_add(held, &slot->held, (unsigned long)slot->pid);
	list_move_tail(&slot->list, &watch->holder->coming);
}

/* [held_lock] How many threads of current's process are held. */
static unsigned int held_ours(void)
{
	const struct hold_slot *slot;
	unsigned int n = 0;

	lockdep_assert_held(&held_lock);
	hash_for_each_possible(held, slot, held, (unsigned long)task_tgid(current))
		n += slot->pid == task_tgid(current);
	return n;
}

/* [holder's lock] NULL: there are too many. */
static struct hold_slot *slot_find(const struct hold_watch *watch)
{
	struct hold_slot *slot =
		list_first_entry_or_null(&watch->holder->free, struct hold_slot, list);

	lockdep_assert_held(&watch->holder->lock);
	if (!slot)
		return NULL;
	raw_spin_lock(&held_lock);
	if (held_ours() < (watch->anybody ? HOLD_THREADS : HOLD_THREADS_OWN))
		slot_fill(slot, watch);
	else
		slot = NULL;
	raw_spin_unlock(&held_lock);
	return slot;
}

/* Where the thread has arrived. The slot is its own until it is announced. */
static void slot_note(struct hold_slot *slot, const struct pt_regs *regs)
{
	slot->address = regs;
	if (regs)
		slot->regs = *regs;
	slot->arg0 = regs ? fasttrap_arg_called(regs, 0) : 0;
}

/* NULL, and counted: there are too many. */
static struct hold_slot *slot_take(const struct hold_watch *watch)
{
	struct fasttrap_holder *holder = watch->holder;
	struct hold_slot *slot;
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	slot = slot_find(watch);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	if (!slot)
		hold_note_missed(holder);
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
	raw_spin_lock(&held_lock);
	hash_del(&slot->held);
	raw_spin_unlock(&held_lock);
	slot->left = true;
	slot->ends = fatal_signal_pending(current) || current->flags & PF_EXITING;
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
 * Have uprobes give up the instruction that they are about to step over, as if it had trapped. That
 * they find out when they keep a signal from the thread, which is made up here: whether this is the
 * work that comes before signals or one that came between, their state is what they left.
 */
static void stepping_abort(void)
{
	current->thread.trap_nr = X86_TRAP_BP;
	set_thread_flag(TIF_SIGPENDING);
}

/*
 * Back to where it arrived, so that it meets breakpoints that were set since. The instruction is
 * not done yet, but to be stepped over; or it was carried out by uprobes or by a tracepoint's
 * handler, and is again: all that that can have changed are registers and what is beyond the top of
 * the stack. No signal has come to the thread meanwhile, and no debugger: task work is done before.
 */
static void slot_rewind(const struct hold_slot *slot)
{
	struct uprobe_task *utask = current->utask;

	if (utask && utask->active_uprobe)
		stepping_abort();
	else
		*task_pt_regs(current) = slot->regs;
}

/*
 * On the way back to user mode, or of an exit. What is left of this function after module_put is
 * waited for by slots_exit.
 */
static void slot_run(struct callback_head *work)
{
	struct hold_slot *slot = container_of(work, struct hold_slot, work);
	struct fasttrap_holder *holder = slot->holder;

	if (!(current->flags & PF_EXITING) && !READ_ONCE(slot->go)) {
		slot_announce(slot);
		wake_up_all(&holder->readers);
		atomic64_inc(&hold_counts.held);
		if (!slot_wait(slot))
			atomic64_inc(&hold_counts.timeouts);
	}
	if (slot->address && READ_ONCE(slot->anew))
		slot_rewind(slot);
	slot_leave(slot);
	holder_put(holder);
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
	holder_put(holder);	/* never the last: the watch's holder is open */
	module_put(THIS_MODULE);
	return false;
}

void slot_hold_current(const struct hold_watch *watch, const struct pt_regs *regs)
{
	struct hold_slot *slot = slot_take(watch);

	if (!slot)
		return;
	slot_note(slot, regs);
	if (slot_ask(slot))
		return;
	slot_announce(slot);
	slot_leave(slot);
	schedule_work(&watch->holder->announce);
}

/* ---- start and end ---- */

void slots_init(void)
{
	work_add = compat_task_work_find();
}

/*
 * Each thread has put the module before this is called, but may have been preempted just behind
 * that.
 */
void slots_exit(void)
{
	if (work_used)
		synchronize_rcu_tasks();
}
