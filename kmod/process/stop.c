// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stop.c - what a tracer asks of the threads that it holds: who they are, and that they go
 * on.
 *
 * A holder's lists of slots are its raw spin lock's, its watches its mutex's.
 */
#include <linux/fs.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/uaccess.h>

#include "engine.h"
#include "stop_impl.h"

struct hold_counts hold_counts;

void hold_note_missed(struct fasttrap_holder *holder)
{
	unsigned long flags;

	raw_spin_lock_irqsave(&holder->lock, flags);
	holder->missed++;
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	atomic64_inc(&hold_counts.missed);
}

/* ---- threads go on ---- */

/* [holder's lock] How many of them were held. */
static int slots_go(struct fasttrap_holder *holder, struct list_head *slots, unsigned int watch)
{
	struct hold_slot *slot;
	int n = 0;

	lockdep_assert_held(&holder->lock);
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
	n = slots_go(holder, &holder->coming, watch);
	n += slots_go(holder, &holder->news, watch);
	n += slots_go(holder, &holder->known, watch);
	raw_spin_unlock_irqrestore(&holder->lock, flags);
	wake_up_all(&holder->threads);
	return n;
}

int hold_end(struct fasttrap_holder *holder, int number)
{
	struct hold_watch *watch;
	LIST_HEAD(ending);

	if (mutex_lock_killable(&holder->mutex))
		return -EINTR;
	watch = watch_find(holder, number);
	if (watch) {
		list_move(&watch->all, &ending);
		watches_end(&ending);
	}
	mutex_unlock(&holder->mutex);
	return watch ? holder_let_go(holder, number) : -ENOENT;
}

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

/* ---- news ---- */

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
			.dtfd_flags = !slot->left ? DTRACE_FT_HELD : slot->ends ? DTRACE_FT_ENDS : 0,
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

static void hold_announce(struct work_struct *work)
{
	wake_up_all(&container_of(work, struct fasttrap_holder, announce)->readers);
}

/* ---- holders ---- */

int holder_charge(struct fasttrap_holder *holder, size_t bytes)
{
	return dtrace_account_charge(holder->account, DTRACE_RES_BYTES, bytes, NULL, 0);
}

void holder_uncharge(struct fasttrap_holder *holder, size_t bytes)
{
	dtrace_account_uncharge(holder->account, DTRACE_RES_BYTES, bytes);
}

struct fasttrap_holder *hold_create(struct dtrace_account *account)
{
	struct fasttrap_holder *holder = kzalloc(sizeof(*holder), GFP_KERNEL_ACCOUNT);

	if (!holder)
		return NULL;
	holder->account = account;
	if (holder_charge(holder, sizeof(*holder))) {
		kfree(holder);
		return NULL;
	}
	dtrace_account_ref(account);
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

static void holder_free(struct kref *ref)
{
	struct fasttrap_holder *holder = container_of(ref, struct fasttrap_holder, ref);

	put_pid_ns(holder->ns);
	slots_destroy(holder);
	holder_uncharge(holder, sizeof(*holder));
	dtrace_account_put(holder->account);
	kfree(holder);
}

void holder_get(struct fasttrap_holder *holder)
{
	kref_get(&holder->ref);
}

void holder_put(struct fasttrap_holder *holder)
{
	kref_put(&holder->ref, holder_free);
}

void hold_destroy(struct fasttrap_holder *holder)
{
	dtrace_ft_held_t unread;

	watches_end(&holder->watches);
	holder_let_go(holder, 0);
	while (news_take(holder, &unread))
		;
	cancel_work_sync(&holder->announce);
	holder_put(holder);
}

void hold_stats_show(struct seq_file *seq)
{
	static const struct {
		const char *name;
		const atomic64_t *count;
		const char *meaning;
	} rows[] = {
		{ "held", &hold_counts.held, "threads that waited for a tracer" },
		{ "held-timeouts", &hold_counts.timeouts, "of them, not released in time" },
		{ "held-missed", &hold_counts.missed, "threads not held, processes not followed: too many" },
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		seq_printf(seq, "%-16s %12lld  %s\n", rows[i].name,
			   (long long)atomic64_read(rows[i].count), rows[i].meaning);
}
