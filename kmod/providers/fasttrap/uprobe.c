// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * uprobe.c - the uprobe worker: the only thread that calls uprobes for tracepoints.
 *
 * Uprobes calls a tracepoint's filter when its uprobe consumer is registered or unregistered, and
 * when a process maps the file. To have the filter called again after the set of mms has changed, a
 * second uprobe consumer is registered and unregistered at the location: the worker *reapplies* the
 * tracepoint.
 *
 * The worker takes jobs under the tracepoint lock, calls uprobes without any lock, since uprobes
 * may wait for handlers, and stores the results under the lock again. Uprobe consumers that were
 * unregistered are freed by another worker, after their handlers have ended.
 *
 * The client of a job is a process. The worker handles a few jobs of one client, then of the next
 * user's, so that a client with a hundred thousand jobs delays others by no more than their own
 * jobs take. A client waits for its own jobs only. Jobs of several clients for one tracepoint are
 * handled together, when the first client's turn comes.
 *
 * Uprobes goes through all mappings of a location, and all forks wait. If a location is mapped too
 * often, breakpoints of users are neither set nor removed there. A tracepoint that no mm wants any
 * more becomes CROWDED then, and comes back to the worker now and then. A process that hits one of
 * its breakpoints removes it.
 *
 * The worker must not wait for a file, whose server may be gone. So the instruction at a new
 * tracepoint is read by a work of the client's own, and the jobs come back when it is known.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "tracepoint.h"
#include "permission.h"
#include "port/thread.h"
#include "process/mapping.h"

#define UPROBE_TURN 16 /* jobs of one client, then it is the next user's turn */
/* Half seconds without progress after which a killed client gives up waiting. */
#define UPROBE_STUCK	    10
#define UPROBE_STUCK_KILLED 1

/* A user with clients. The tracepoint lock protects users, clients and jobs. */
struct fasttrap_user {
	struct list_head all;
	struct list_head ready;	  /* in users_ready, while clients is not empty */
	struct list_head clients; /* that have jobs for the worker */
	uint32_t uid;		  /* of the account: all uids in a user namespace share one */
	unsigned int nclients;
};

struct fasttrap_client {
	struct hlist_node hash;
	struct list_head ready; /* in the user's clients, while jobs is not empty */
	struct fasttrap_user *user;
	pid_t tgid;
	unsigned int refs;    /* of each job, each thread that waits, the reader */
	unsigned int pending; /* jobs that are not finished; read without the lock */
	wait_queue_head_t wait;
	struct list_head jobs;	 /* for the worker */
	struct list_head unread; /* for the reader first */
	bool reading;		 /* the reader is queued, or runs */
	struct work_struct reader;
};

/*
 * A uprobe consumer that is registered only so that the filters at its location are called again.
 */
struct fasttrap_reapply {
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
	struct fasttrap_tracepoint *tp;
	struct mm_struct *only; /* of this process; NULL: of all that wait */
	struct list_head deferred;
};

static void uprobe_work_run(struct work_struct *work);
static void deferred_free_run(struct work_struct *work);
static void crowded_run(struct work_struct *work);
static DECLARE_WORK(uprobe_work, uprobe_work_run);
static DECLARE_WORK(deferred_free_work, deferred_free_run);
static DECLARE_DELAYED_WORK(crowded_work, crowded_run); /* pending while crowded is not empty */

static LIST_HEAD(users); /* tracepoint lock, as all below */
static LIST_HEAD(users_ready);
static DEFINE_HASHTABLE(clients, 8);
static LIST_HEAD(crowded);		/* CROWDED, or QUEUED since */
static LIST_HEAD(deferred_tracepoints); /* to be freed after a grace period */
static LIST_HEAD(deferred_reapplies);
static unsigned long uprobe_progress; /* tracepoints handled; the worker's, read by others */

/* Allocate something small, without which a program could be left with breakpoints. */
static void *uprobe_alloc(size_t size)
{
	return kzalloc(size, GFP_KERNEL | __GFP_NOFAIL);
}

/* ---- clients [tracepoint lock] ---- */

static void reader_run(struct work_struct *work);

/* Return the current process's client, or NULL. */
static struct fasttrap_client *client_find(void)
{
	struct fasttrap_client *client;

	fasttrap_tracepoints_assert_locked();
	hash_for_each_possible(clients, client, hash, current->tgid)
		if (client->tgid == current->tgid &&
		    client->user->uid == permission_account(current_cred()))
			return client;
	return NULL;
}

/* Return the current process's client; a new one has no references. */
static struct fasttrap_client *client_find_or_create(void)
{
	struct fasttrap_client *client = client_find();
	uint32_t uid = permission_account(current_cred());
	struct fasttrap_user *user;

	if (client)
		return client;
	list_for_each_entry(user, &users, all)
		if (user->uid == uid)
			goto found;
	user = uprobe_alloc(sizeof(*user));
	user->uid = uid;
	INIT_LIST_HEAD(&user->ready);
	INIT_LIST_HEAD(&user->clients);
	list_add(&user->all, &users);
found:
	user->nclients++;
	client = uprobe_alloc(sizeof(*client));
	client->tgid = current->tgid;
	client->user = user;
	INIT_LIST_HEAD(&client->ready);
	INIT_LIST_HEAD(&client->jobs);
	INIT_LIST_HEAD(&client->unread);
	init_waitqueue_head(&client->wait);
	INIT_WORK(&client->reader, reader_run);
	hash_add(clients, &client->hash, client->tgid);
	return client;
}

static void client_put(struct fasttrap_client *client)
{
	struct fasttrap_user *user = client->user;

	fasttrap_tracepoints_assert_locked();
	if (--client->refs)
		return;
	hash_del(&client->hash);
	kfree(client);
	if (--user->nclients)
		return;
	list_del(&user->all);
	kfree(user);
}

/* Make the client and its user ready for the worker if it has jobs, and otherwise not ready. */
static void client_update(struct fasttrap_client *client)
{
	struct fasttrap_user *user = client->user;

	fasttrap_tracepoints_assert_locked();
	if (list_empty(&client->jobs))
		list_del_init(&client->ready);
	else if (list_empty(&client->ready))
		list_add_tail(&client->ready, &user->clients);
	if (list_empty(&user->clients))
		list_del_init(&user->ready);
	else if (list_empty(&user->ready))
		list_add_tail(&user->ready, &users_ready);
}

/* ---- jobs [tracepoint lock] ---- */

/*
 * QUEUED to READING, or back: all jobs of the tracepoint wait for their client's reader, or for
 * the worker.
 */
static void jobs_move(struct fasttrap_tracepoint *tp, enum fasttrap_tp_state state)
{
	struct fasttrap_job *job;
	struct fasttrap_client *client;
	bool read = state == FASTTRAP_TP_READING;

	fasttrap_tracepoints_assert_locked();
	list_for_each_entry(job, &tp->jobs, of_tp) {
		client = job->client;
		list_move_tail(&job->queued, read ? &client->unread : &client->jobs);
		client_update(client);
		if (read && !client->reading) {
			client->reading = true;
			client->refs++;
			queue_work(fasttrap_readers, &client->reader);
		}
	}
	tp->state = state;
}

static void job_add(struct fasttrap_tracepoint *tp, struct fasttrap_client *client)
{
	struct fasttrap_job *job;

	fasttrap_tracepoints_assert_locked();
	if (tp->state == FASTTRAP_TP_READING && !tp->nmms)
		jobs_move(tp, FASTTRAP_TP_QUEUED); /* nothing needs the instruction any more */
	list_for_each_entry(job, &tp->jobs, of_tp)
		if (job->client == client)
			return;
	job = tp->job.client ? uprobe_alloc(sizeof(*job)) : &tp->job;
	job->tp = tp;
	job->client = client;
	client->refs++;
	WRITE_ONCE(client->pending, client->pending + 1);
	list_add_tail(&job->of_tp, &tp->jobs);
	list_add_tail(&job->queued, &client->jobs);
	if (tp->state == FASTTRAP_TP_READING) {
		jobs_move(tp, FASTTRAP_TP_READING);
		return;
	}
	client_update(client);
	if (tp->state == FASTTRAP_TP_IDLE || tp->state == FASTTRAP_TP_CROWDED)
		tp->state = FASTTRAP_TP_QUEUED;
}

void fasttrap_uprobe_queue(struct fasttrap_tracepoint *tp)
{
	job_add(tp, client_find_or_create());
}

void fasttrap_uprobe_queue_for(struct fasttrap_tracepoint *tp, const struct fasttrap_tracepoint *of)
{
	const struct fasttrap_job *job;

	list_for_each_entry(job, &of->taken, of_tp)
		job_add(tp, job->client);
}

static void job_finish(struct fasttrap_job *job)
{
	struct fasttrap_client *client = job->client;

	fasttrap_tracepoints_assert_locked();
	list_del(&job->of_tp);
	if (job == &job->tp->job)
		job->client = NULL;
	else
		kfree(job);
	WRITE_ONCE(client->pending, client->pending - 1);
	if (!client->pending)
		wake_up_all(&client->wait);
	client_put(client);
}

/* ---- waiting ---- */

void fasttrap_uprobe_kick(void)
{
	queue_work(fasttrap_wq, &uprobe_work);
}

/* Return the current process's client with a reference if it has jobs, else NULL. */
static struct fasttrap_client *wait_begin(void)
{
	struct fasttrap_client *client;

	fasttrap_tracepoints_lock();
	client = client_find();
	if (client && !client->pending)
		client = NULL;
	if (client)
		client->refs++;
	fasttrap_tracepoints_unlock();
	if (client)
		fasttrap_uprobe_kick();
	return client;
}

static void wait_end(struct fasttrap_client *client)
{
	fasttrap_tracepoints_lock();
	client_put(client);
	fasttrap_tracepoints_unlock();
}

int fasttrap_uprobe_wait(void)
{
	struct fasttrap_client *client = wait_begin();
	int error;

	if (!client)
		return 0;
	error = wait_event_killable(client->wait, !READ_ONCE(client->pending));
	wait_end(client);
	return error ? -EINTR : 0;
}

/*
 * A second signal would not wake a process that is already being killed, so this wait must end by
 * itself. The worker is stuck if one call of uprobes takes so long, because a process does not
 * release its mmap_lock.
 */
void fasttrap_uprobe_wait_closing(void)
{
	struct fasttrap_client *client = wait_begin();
	unsigned int patience = thread_is_dying_killed() ? UPROBE_STUCK_KILLED : UPROBE_STUCK;
	unsigned long progress = READ_ONCE(uprobe_progress);
	unsigned int stuck = 0;

	if (!client)
		return;
	while (!wait_event_idle_timeout(client->wait, !READ_ONCE(client->pending), HZ / 2)) {
		stuck = READ_ONCE(uprobe_progress) == progress ? stuck + 1 : 0;
		progress = READ_ONCE(uprobe_progress);
		if (stuck == patience) {
			atomic64_inc(&fasttrap_counts.late_closes);
			break;
		}
	}
	wait_end(client);
}

/* ---- readers ---- */

/* Read the instructions that a client's tracepoints need. Its work runs once at a time. */
static void reader_run(struct work_struct *work)
{
	struct fasttrap_client *client = container_of(work, struct fasttrap_client, reader);
	struct dtrace_insn instruction;
	struct fasttrap_job *job;
	struct fasttrap_tracepoint *tp;
	int error;

	fasttrap_tracepoints_lock();
	while (!list_empty(&client->unread)) {
		job = list_first_entry(&client->unread, struct fasttrap_job, queued);
		tp = fasttrap_tracepoint_get(job->tp);
		fasttrap_tracepoints_unlock();
		memset(&instruction, 0, sizeof(instruction));
		error = insn_read(&instruction, tp->file, tp->offset);
		fasttrap_tracepoints_lock();
		if (!tp->insn_known) {
			instruction.first = tp->instruction.first;
			tp->instruction = instruction;
			tp->insn_error = error;
			tp->insn_known = true;
		}
		if (tp->state == FASTTRAP_TP_READING)
			jobs_move(tp, FASTTRAP_TP_QUEUED);
		fasttrap_tracepoints_unlock();
		fasttrap_uprobe_kick();
		fasttrap_tracepoint_put(tp);
		cond_resched();
		fasttrap_tracepoints_lock();
	}
	client->reading = false;
	client_put(client);
	fasttrap_tracepoints_unlock();
}

/* ---- one tracepoint; the worker, with no lock ---- */

/*
 * Register a tracepoint's uprobe consumer. quiet: it sets no breakpoints while it is being
 * registered. Return 0 or a negative errno.
 */
static int consumer_register(struct fasttrap_tracepoint *tp, bool quiet)
{
	int error = tp->insn_error;

	if (error)
		return error;
	if (quiet)
		WRITE_ONCE(tp->consumer_state, FASTTRAP_CONSUMER_QUIET);
	error = compat_uprobe_register(&tp->uprobe, tp->inode, tp->offset, tp->used_refctr,
				       &tp->consumer);
	WRITE_ONCE(tp->consumer_state, error ? FASTTRAP_CONSUMER_NONE : FASTTRAP_CONSUMER_ON);
	return error;
}

void fasttrap_uprobe_unregister(struct fasttrap_tracepoint *tp)
{
	compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
	compat_uprobe_sync();
	WRITE_ONCE(tp->consumer_state, FASTTRAP_CONSUMER_NONE);
}

static COMPAT_UPROBE_HANDLER(reapply_handler, uc, regs)
{
	return 0;
}

static bool reapply_grants(const struct fasttrap_tracepoint *tp, const struct fasttrap_tp_mm *tp_mm)
{
	return tp_mm && fasttrap_refctr_grants(tp, tp_mm) &&
	       READ_ONCE(tp_mm->state) != FASTTRAP_TP_MM_APPLIED;
}

/* Return whether the breakpoint is still to be inserted in the process. */
static COMPAT_UPROBE_FILTER(reapply_filter, uc, mm)
{
	const struct fasttrap_reapply *reapply =
		container_of(uc, struct fasttrap_reapply, consumer);
	struct fasttrap_tracepoint *tp = reapply->tp;
	bool granted;

	rcu_read_lock();
	granted = reapply_grants(tp, fasttrap_tp_mm_search(tp, mm)) ||
		  reapply_grants(tp, rcu_dereference(tp->system_wide));
	rcu_read_unlock();
	return granted && (!reapply->only || reapply->only == mm);
}

/*
 * Have uprobes walk all mappings of the file: mms that wait for the breakpoint get it (only: of
 * them this one), and mms that are LEAVING lose it.
 */
static int tracepoint_reapply(struct fasttrap_tracepoint *tp, struct mm_struct *only)
{
	struct fasttrap_reapply *reapply = uprobe_alloc(sizeof(*reapply));
	int error;

	reapply->consumer.handler = reapply_handler;
	reapply->consumer.filter = reapply_filter;
	reapply->tp = tp;
	reapply->only = only;
	error = compat_uprobe_register(&reapply->uprobe, tp->inode, tp->offset, tp->used_refctr,
				       &reapply->consumer);
	if (error) {
		kfree(reapply);
		return error;
	}
	WRITE_ONCE(tp->reapplying, current);
	compat_uprobe_unregister(&reapply->uprobe, &reapply->consumer);
	WRITE_ONCE(tp->reapplying, NULL);
	fasttrap_tracepoints_lock();
	list_add_tail(&reapply->deferred, &deferred_reapplies);
	fasttrap_tracepoints_unlock();
	return 0;
}

static void uprobe_note_progress(void)
{
	WRITE_ONCE(uprobe_progress, uprobe_progress + 1);
	cond_resched();
}

/* Return whether the breakpoints of a tracepoint must stay as they are. */
static bool tracepoint_is_crowded(const struct fasttrap_tracepoint *tp)
{
	return READ_ONCE(tp->limited) && mapping_is_crowded(tp->inode, tp->offset);
}

/* Try each mm that is INSERTING by itself, so that a failure in one does not affect the others. */
static void tracepoint_apply_each(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tp_mm *tp_mm;
	struct mm_struct *mm;
	int error;

	for (;;) {
		fasttrap_tracepoints_lock();
		list_for_each_entry(tp_mm, &tp->mms, all)
			if (tp_mm->state == FASTTRAP_TP_MM_INSERTING)
				break;
		if (list_entry_is_head(tp_mm, &tp->mms, all)) {
			fasttrap_tracepoints_unlock();
			return;
		}
		mm = tp_mm->key.mm;
		if (mm)
			mmgrab(mm);
		fasttrap_tracepoints_unlock();
		error = tracepoint_is_crowded(tp) ? -EUSERS : tracepoint_reapply(tp, mm);
		fasttrap_tracepoints_lock();
		tp_mm = fasttrap_tp_mm_search(tp, mm);
		if (tp_mm && tp_mm->state == FASTTRAP_TP_MM_INSERTING)
			fasttrap_tp_mm_finish(tp_mm, error);
		fasttrap_tracepoints_unlock();
		if (mm)
			mmdrop(mm);
		uprobe_note_progress();
	}
}

/*
 * Leave the breakpoints of a tracepoint as they are: its location is mapped too often. Return
 * -EUSERS, or 0 if others have the breakpoint already.
 */
static int tracepoint_refuse(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_tp_mm *tp_mm;

	if (tp->consumer_state != FASTTRAP_CONSUMER_ON)
		return -EUSERS;
	WRITE_ONCE(tp->refused, jiffies ?: 1);
	fasttrap_tracepoints_lock();
	list_for_each_entry(tp_mm, &tp->mms, all)
		if (tp_mm->state == FASTTRAP_TP_MM_INSERTING)
			fasttrap_tp_mm_finish(tp_mm, -EUSERS);
	fasttrap_tracepoints_unlock();
	return 0;
}

/*
 * Make the breakpoints of a tracepoint what its mms want. Uprobes gives up at the first process in
 * which it fails, so then each mm is tried by itself. Return -EBUSY if the location has another
 * reference counter, -EUSERS if it is mapped too often, and errors of registering.
 */
static int tracepoint_apply(struct fasttrap_tracepoint *tp)
{
	int error;

	if (tracepoint_is_crowded(tp))
		return tracepoint_refuse(tp);
	WRITE_ONCE(tp->refused, 0);
	if (tp->consumer_state == FASTTRAP_CONSUMER_ON && !fasttrap_refctr_suits_all(tp))
		fasttrap_uprobe_unregister(tp);
	if (tp->consumer_state == FASTTRAP_CONSUMER_ON) {
		if (tracepoint_reapply(tp, NULL))
			tracepoint_apply_each(tp);
		return 0;
	}
	if (!fasttrap_refctr_choose(tp))
		return -EBUSY;
	error = consumer_register(tp, false);
	if (!error)
		return 0;
	error = consumer_register(tp, true);
	if (!error)
		tracepoint_apply_each(tp);
	return error;
}

/*
 * ENDING to RETIRED: remove all breakpoints of the tracepoint. It stays ENDING if its location is
 * mapped too often, or if it has changed meanwhile.
 */
static void tracepoint_end(struct fasttrap_tracepoint *tp)
{
	bool on = tp->consumer_state == FASTTRAP_CONSUMER_ON, retired;

	if (on && tracepoint_is_crowded(tp))
		return;
	fasttrap_tracepoints_lock();
	retired = list_empty(&tp->jobs); /* and then no mm has come */
	if (retired) {
		tp->state = FASTTRAP_TP_RETIRED;
		fasttrap_tracepoint_remove(tp);
	}
	fasttrap_tracepoints_unlock();
	if (retired && on) {
		compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
		WRITE_ONCE(tp->consumer_state, FASTTRAP_CONSUMER_NONE);
	}
}

/* ---- the worker ---- */

/*
 * QUEUED to BUSY, or ENDING if no mm wants it: add it to the batch, with the jobs of all clients.
 */
static void tracepoint_take(struct fasttrap_tracepoint *tp, struct list_head *batch)
{
	struct fasttrap_job *job;
	struct fasttrap_tp_mm *tp_mm;

	fasttrap_tracepoints_assert_locked();
	list_for_each_entry(job, &tp->jobs, of_tp) {
		list_del_init(&job->queued);
		client_update(job->client);
	}
	list_splice_init(&tp->jobs, &tp->taken);
	list_move_tail(&tp->batch, batch);
	tp->state = tp->nmms ? FASTTRAP_TP_BUSY : FASTTRAP_TP_ENDING;
	list_for_each_entry(tp_mm, &tp->mms, all)
		fasttrap_tp_mm_begin(tp_mm);
}

/* Take some jobs of the client whose turn it is. Return false if there are no jobs. */
static bool uprobe_take_batch(struct list_head *batch)
{
	struct fasttrap_job *job, *next;
	struct fasttrap_tracepoint *tp;
	struct fasttrap_client *client;
	struct fasttrap_user *user;
	unsigned int n = 0;

	fasttrap_tracepoints_assert_locked();
	user = list_first_entry_or_null(&users_ready, struct fasttrap_user, ready);
	if (!user)
		return false;
	list_move_tail(&user->ready, &users_ready);
	client = list_first_entry(&user->clients, struct fasttrap_client, ready);
	list_move_tail(&client->ready, &user->clients);
	list_for_each_entry_safe(job, next, &client->jobs, queued) {
		if (n++ == UPROBE_TURN)
			break;
		tp = job->tp;
		if (tp->nmms && tp->consumer_state == FASTTRAP_CONSUMER_NONE && !tp->insn_known)
			jobs_move(tp, FASTTRAP_TP_READING);
		else
			tracepoint_take(tp, batch);
	}
	return true;
}

/*
 * Charge a tracepoint that is CROWDED to its user, as a site that the user does not have any more,
 * or undo that. So users have no more breakpoints that stay than they may have sites.
 */
static void tracepoint_charge(struct fasttrap_tracepoint *tp)
{
	bool charge = tp->state == FASTTRAP_TP_CROWDED;

	fasttrap_tracepoints_assert_locked();
	if (charge == tp->charged)
		return;
	tp->charged = charge;
	mapping_count_stays(charge ? 1 : -1);
	if (charge)
		dtrace_account_add(tp->account, DTRACE_RES_SITES, 1);
	else
		dtrace_account_uncharge(tp->account, DTRACE_RES_SITES, 1);
}

/*
 * BUSY to IDLE, and ENDING to CROWDED; both to QUEUED if it has changed meanwhile. RETIRED goes to
 * the deferred free; if it has been CROWDED, others may be in the same mappings: it is their turn.
 */
static void tracepoint_finish(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_job *job, *next_job;
	struct fasttrap_tp_mm *tp_mm, *next;

	fasttrap_tracepoints_assert_locked();
	list_del_init(&tp->batch);
	if (tp->state == FASTTRAP_TP_RETIRED) {
		if (tp->charged)
			mod_delayed_work(fasttrap_wq, &crowded_work, 0);
		fasttrap_refctr_retry(tp);
		fasttrap_tracepoint_uncount(tp);
		list_add_tail(&tp->batch, &deferred_tracepoints);
	} else {
		list_for_each_entry_safe(tp_mm, next, &tp->mms, all)
			fasttrap_tp_mm_finish(tp_mm, 0);
		if (!list_empty(&tp->jobs)) {
			tp->state = FASTTRAP_TP_QUEUED;
		} else if (tp->state == FASTTRAP_TP_ENDING) {
			tp->state = FASTTRAP_TP_CROWDED;
			list_add_tail(&tp->batch, &crowded);
			queue_delayed_work(fasttrap_wq, &crowded_work, MAPPING_LOOK);
		} else {
			tp->state = FASTTRAP_TP_IDLE;
		}
	}
	tracepoint_charge(tp);
	list_for_each_entry_safe(job, next_job, &tp->taken, of_tp)
		job_finish(job);
}

static void uprobe_work_run(struct work_struct *work)
{
	struct fasttrap_tracepoint *tp, *next;
	LIST_HEAD(batch);
	bool any;

	do {
		fasttrap_tracepoints_lock();
		any = uprobe_take_batch(&batch);
		fasttrap_tracepoints_unlock();
		if (list_empty(&batch))
			continue; /* all instructions are to be read first */
		/* First the tracepoints that leave their locations. */
		list_for_each_entry(tp, &batch, batch)
			if (tp->state == FASTTRAP_TP_ENDING) {
				tracepoint_end(tp);
				uprobe_note_progress();
			}
		list_for_each_entry(tp, &batch, batch)
			if (tp->state == FASTTRAP_TP_BUSY) {
				tp->error = tracepoint_apply(tp);
				atomic64_inc(tp->error ? &fasttrap_counts.apply_errors
						       : &fasttrap_counts.applied);
				uprobe_note_progress();
			}
		fasttrap_tracepoints_lock();
		list_for_each_entry_safe(tp, next, &batch, batch)
			tracepoint_finish(tp);
		fasttrap_tracepoints_unlock();
		queue_work(fasttrap_wq, &deferred_free_work);
	} while (any);
}

/* Queue some tracepoints that are CROWDED: it is time to look again. */
static void crowded_run(struct work_struct *work)
{
	struct fasttrap_tracepoint *tp, *next;
	unsigned int n = 0;

	fasttrap_tracepoints_lock();
	list_for_each_entry_safe(tp, next, &crowded, batch) {
		if (n++ == UPROBE_TURN)
			break;
		list_del_init(&tp->batch);
		fasttrap_uprobe_queue(tp);
	}
	if (!list_empty(&crowded))
		queue_delayed_work(fasttrap_wq, &crowded_work, MAPPING_LOOK);
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
}

/* ---- the deferred free ---- */

static void deferred_free_run(struct work_struct *work)
{
	struct fasttrap_reapply *reapply, *next_reapply;
	struct fasttrap_tracepoint *tp, *next_tp;
	LIST_HEAD(tracepoints);
	LIST_HEAD(reapplies);

	fasttrap_tracepoints_lock();
	list_splice_init(&deferred_tracepoints, &tracepoints);
	list_splice_init(&deferred_reapplies, &reapplies);
	fasttrap_tracepoints_unlock();
	if (list_empty(&tracepoints) && list_empty(&reapplies))
		return;
	compat_uprobe_sync(); /* no handler runs with the consumers that were unregistered */
	list_for_each_entry_safe(tp, next_tp, &tracepoints, batch)
		fasttrap_tracepoint_put(tp);
	list_for_each_entry_safe(reapply, next_reapply, &reapplies, deferred)
		kfree(reapply);
}

/*
 * Readers give jobs back to the worker, and the worker gives jobs to readers. No more tracepoints
 * become CROWDED.
 */
void fasttrap_uprobe_exit(void)
{
	bool idle;

	mapping_end();
	do {
		flush_workqueue(fasttrap_readers);
		flush_delayed_work(&crowded_work);
		fasttrap_uprobe_kick();
		flush_work(&uprobe_work);
		fasttrap_tracepoints_lock();
		idle = hash_empty(clients) && list_empty(&crowded);
		fasttrap_tracepoints_unlock();
	} while (!idle);
	cancel_delayed_work_sync(&crowded_work);
	flush_work(&deferred_free_work);
}
