// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * patcher.c - the one worker that calls uprobes, so that breakpoints become what
 * tracepoints and their members say.
 *
 * Uprobes asks a tracepoint's filter when the consumer comes, when it goes, and when a file is
 * mapped; to have it asked again for a set that has changed, a second consumer (the poke) comes and
 * goes.
 *
 * The patcher takes what is noted under the tracepoint lock, works without any lock, since uprobes
 * may wait for handlers, and puts the results down under it again. What it changes in tracepoints
 * besides is its own. Consumers that are gone are left to the sweeper, which waits for their
 * handlers.
 *
 * Who notes a tracepoint is its job: a process, of a user. The patcher takes a few notes of one job
 * of one user, then of the next user, so that a job with a hundred thousand notes delays those of
 * others by no more than their own work takes. A job waits for its own notes only. Notes of several
 * jobs on one tracepoint are carried out together, when the first one's turn comes.
 *
 * The patcher must not wait for a file, whose server may be gone: the instruction at a tracepoint
 * that is new is read by a reader of the job's, and the notes come back when it is known.
 */
#include <linux/cred.h>
#include <linux/hashtable.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/wait.h>

#include "tracepoint.h"
#include "dev/permission.h"

#define PATCHER_TURN	16	/* tracepoints of one job, then it is the next user's turn */
#define PATCHER_STUCK	5	/* seconds without progress after which who closes waits no longer */

/* A user with jobs. All of it, and of jobs and notes, is the tracepoint lock's but for what else is said. */
struct patch_user {
	struct list_head all, ready;	/* ready: in users_ready, while it has such jobs */
	struct list_head jobs;		/* that have notes which are ready */
	uint32_t uid;			/* of the account: of all uids in a user namespace it is one */
	unsigned int njobs;
};

/* What one process has noted. */
struct patch_job {
	struct hlist_node hash;
	struct list_head ready;		/* in the user's jobs, while notes is not empty */
	struct patch_user *user;
	pid_t tgid;
	unsigned int refs;		/* of each note, of who waits, of the reader */
	unsigned int pending;		/* notes that are not carried out; read without the lock */
	wait_queue_head_t wait;
	struct list_head notes;		/* for the patcher */
	struct list_head unread;	/* for the reader first */
	bool reading;			/* the reader is queued, or at it */
	struct work_struct reader;
};

static LIST_HEAD(users);
static LIST_HEAD(users_ready);
static DEFINE_HASHTABLE(jobs, 8);
static unsigned long patcher_steps;	/* tracepoints done; the patcher's, read by others */
static void patcher_run(struct work_struct *work);
static DECLARE_WORK(patcher, patcher_run);

static LIST_HEAD(swept_pokes);		/* tracepoint lock, and the next */
static LIST_HEAD(swept_tracepoints);
static void sweeper_run(struct work_struct *work);
static DECLARE_WORK(sweeper, sweeper_run);

/* A consumer that comes only to go, so that the filters of its place are asked. */
struct poke {
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
	struct fasttrap_tracepoint *tp;
	struct mm_struct *only;		/* it is for this one; NULL: for all that are not patched */
	struct list_head swept;
};

/* ---- users and jobs [tracepoint lock] ---- */

/* Small, and without it a program could be left with breakpoints. */
static void *patch_alloc(size_t size)
{
	return kzalloc(size, GFP_KERNEL | __GFP_NOFAIL);
}

static struct patch_user *user_get(uint32_t uid)
{
	struct patch_user *user;

	lockdep_assert_tracepoints();
	list_for_each_entry(user, &users, all)
		if (user->uid == uid)
			goto found;
	user = patch_alloc(sizeof(*user));
	user->uid = uid;
	INIT_LIST_HEAD(&user->ready);
	INIT_LIST_HEAD(&user->jobs);
	list_add(&user->all, &users);
found:
	user->njobs++;
	return user;
}

static void user_put(struct patch_user *user)
{
	if (--user->njobs)
		return;
	list_del(&user->all);
	kfree(user);
}

static void reader_run(struct work_struct *work);

/* The current process's job, or NULL. */
static struct patch_job *job_find(void)
{
	struct patch_job *job;

	lockdep_assert_tracepoints();
	hash_for_each_possible(jobs, job, hash, current->tgid)
		if (job->tgid == current->tgid && job->user->uid == permission_account(current_cred()))
			return job;
	return NULL;
}

/* Likewise; a new one without references, if there is none. */
static struct patch_job *job_get(void)
{
	struct patch_job *job = job_find();

	if (job)
		return job;
	job = patch_alloc(sizeof(*job));
	job->tgid = current->tgid;
	job->user = user_get(permission_account(current_cred()));
	INIT_LIST_HEAD(&job->ready);
	INIT_LIST_HEAD(&job->notes);
	INIT_LIST_HEAD(&job->unread);
	init_waitqueue_head(&job->wait);
	INIT_WORK(&job->reader, reader_run);
	hash_add(jobs, &job->hash, job->tgid);
	return job;
}

static void job_put(struct patch_job *job)
{
	lockdep_assert_tracepoints();
	if (--job->refs)
		return;
	hash_del(&job->hash);
	user_put(job->user);
	kfree(job);
}

/* The job, and its user, are ready if it has notes for the patcher, and not otherwise. */
static void job_update(struct patch_job *job)
{
	struct patch_user *user = job->user;

	lockdep_assert_tracepoints();
	if (list_empty(&job->notes))
		list_del_init(&job->ready);
	else if (list_empty(&job->ready))
		list_add_tail(&job->ready, &user->jobs);
	if (list_empty(&user->jobs))
		list_del_init(&user->ready);
	else if (list_empty(&user->ready))
		list_add_tail(&user->ready, &users_ready);
}

/* Whose turn it is; NULL: nobody has notes. */
static struct patch_job *job_next(void)
{
	struct patch_user *user = list_first_entry_or_null(&users_ready, struct patch_user, ready);
	struct patch_job *job;

	lockdep_assert_tracepoints();
	if (!user)
		return NULL;
	list_move_tail(&user->ready, &users_ready);
	job = list_first_entry(&user->jobs, struct patch_job, ready);
	list_move_tail(&job->ready, &user->jobs);
	return job;
}

/* ---- notes [tracepoint lock] ---- */

/* All notes of a tracepoint wait for its reading, or for the patcher. */
static void notes_move(struct fasttrap_tracepoint *tp, bool unread)
{
	struct patch_note *note;

	lockdep_assert_tracepoints();
	list_for_each_entry(note, &tp->notes, of_tp) {
		list_move_tail(&note->queued, unread ? &note->job->unread : &note->job->notes);
		job_update(note->job);
		if (unread && !note->job->reading) {
			note->job->reading = true;
			note->job->refs++;
			queue_work(fasttrap_readers, &note->job->reader);
		}
	}
	tp->unread = unread;
}

static bool note_is_made(const struct fasttrap_tracepoint *tp, const struct patch_job *job)
{
	const struct patch_note *note;

	list_for_each_entry(note, &tp->notes, of_tp)
		if (note->job == job)
			return true;
	return false;
}

static void note_make(struct fasttrap_tracepoint *tp, struct patch_job *job)
{
	struct patch_note *note = &tp->note;

	lockdep_assert_tracepoints();
	/* Nobody wants it any more: there is nothing to be read for. */
	if (tp->unread && !tp->nmembers)
		notes_move(tp, false);
	if (note_is_made(tp, job))
		return;
	if (note->job)		/* it is in use */
		note = patch_alloc(sizeof(*note));
	note->tp = tp;
	note->job = job;
	job->refs++;
	WRITE_ONCE(job->pending, job->pending + 1);
	list_add_tail(&note->of_tp, &tp->notes);
	list_add_tail(&note->queued, &job->notes);
	notes_move(tp, tp->unread);
}

void patcher_note(struct fasttrap_tracepoint *tp)
{
	note_make(tp, job_get());
}

void patcher_note_because(struct fasttrap_tracepoint *tp, const struct fasttrap_tracepoint *of)
{
	const struct patch_note *note;

	list_for_each_entry(note, &of->taken, of_tp)
		note_make(tp, note->job);
}

/* It was carried out. */
static void note_done(struct patch_note *note)
{
	struct patch_job *job = note->job;

	lockdep_assert_tracepoints();
	list_del(&note->of_tp);
	if (note == &note->tp->note)
		note->job = NULL;
	else
		kfree(note);
	WRITE_ONCE(job->pending, job->pending - 1);
	if (!job->pending)
		wake_up_all(&job->wait);
	job_put(job);
}

/* ---- waiting ---- */

void patcher_kick(void)
{
	queue_work(fasttrap_wq, &patcher);
}

/* What the current process has noted, with a reference; NULL: nothing waits. */
static struct patch_job *wait_begin(void)
{
	struct patch_job *job;

	tracepoints_lock();
	job = job_find();
	if (job && !job->pending)
		job = NULL;
	if (job)
		job->refs++;
	tracepoints_unlock();
	if (job)
		patcher_kick();
	return job;
}

static void wait_end(struct patch_job *job)
{
	tracepoints_lock();
	job_put(job);
	tracepoints_unlock();
}

int patcher_wait(void)
{
	struct patch_job *job = wait_begin();
	int error;

	if (!job)
		return 0;
	error = wait_event_killable(job->wait, !READ_ONCE(job->pending));
	wait_end(job);
	return error ? -EINTR : 0;
}

/*
 * Who is being killed already would not be told of a second signal, so that this must end by
 * itself. The patcher is stuck if one call of uprobes takes so long: with the memory of a process
 * that does not let go of its mmap_lock.
 */
void patcher_wait_closing(void)
{
	struct patch_job *job = wait_begin();
	unsigned long steps = READ_ONCE(patcher_steps);
	unsigned int stuck = 0;

	if (!job)
		return;
	while (!wait_event_idle_timeout(job->wait, !READ_ONCE(job->pending), HZ)) {
		stuck = READ_ONCE(patcher_steps) == steps ? stuck + 1 : 0;
		steps = READ_ONCE(patcher_steps);
		if (stuck == PATCHER_STUCK) {
			atomic64_inc(&fasttrap_counts.late_closes);
			break;
		}
	}
	wait_end(job);
}

/* ---- readers ---- */

/* [tracepoint lock] The tracepoint that comes next, held; NULL: there is none, and the reader has ended. */
static struct fasttrap_tracepoint *reader_next(struct patch_job *job)
{
	struct patch_note *note = list_first_entry_or_null(&job->unread, struct patch_note, queued);

	lockdep_assert_tracepoints();
	if (note)
		return tracepoint_get(note->tp);
	job->reading = false;
	return NULL;
}

/* [tracepoint lock] */
static void reader_done(struct fasttrap_tracepoint *tp, const struct fasttrap_instruction *found,
			int error)
{
	bool first = tp->instruction.first;

	lockdep_assert_tracepoints();
	if (!tp->learnt) {
		tp->instruction = *found;
		tp->instruction.first = first;
		tp->unlearnable = error;
		tp->learnt = true;
	}
	notes_move(tp, false);
}

static void reader_run(struct work_struct *work)
{
	struct patch_job *job = container_of(work, struct patch_job, reader);
	struct fasttrap_instruction instruction;
	struct fasttrap_tracepoint *tp;
	int error;

	tracepoints_lock();
	while ((tp = reader_next(job))) {
		tracepoints_unlock();
		memset(&instruction, 0, sizeof(instruction));
		error = instruction_learn(&instruction, tp->file, tp->offset);
		tracepoints_lock();
		reader_done(tp, &instruction, error);
		tracepoints_unlock();
		patcher_kick();
		tracepoint_put(tp);
		cond_resched();
		tracepoints_lock();
	}
	job_put(job);
	tracepoints_unlock();
}

/* ---- pokes ---- */

static bool member_waits(const struct fasttrap_tracepoint *tp, const struct fasttrap_member *member)
{
	return member && place_keeps(tp, member) && !READ_ONCE(member->patched);
}

static COMPAT_UPROBE_HANDLER(poke_handler, uc, regs)
{
	return 0;
}

static COMPAT_UPROBE_FILTER(poke_filter, uc, mm)
{
	const struct poke *poke = container_of(uc, struct poke, consumer);
	bool wanted;

	rcu_read_lock();
	wanted = member_waits(poke->tp, member_lookup(poke->tp, mm)) ||
		 member_waits(poke->tp, rcu_dereference(poke->tp->everybody));
	rcu_read_unlock();
	return wanted && (!poke->only || poke->only == mm);
}

static struct poke *poke_create(struct fasttrap_tracepoint *tp, struct mm_struct *only)
{
	struct poke *poke = patch_alloc(sizeof(*poke));

	poke->consumer.handler = poke_handler;
	poke->consumer.filter = poke_filter;
	poke->tp = tp;
	poke->only = only;
	return poke;
}

/*
 * Uprobes walks all mappings of the file: those asked for get the breakpoint, and who is leaving
 * loses it.
 */
static int patcher_poke(struct fasttrap_tracepoint *tp, struct mm_struct *only)
{
	struct poke *poke = poke_create(tp, only);
	int error = compat_uprobe_register(&poke->uprobe, tp->inode, tp->offset, tp->place_ref,
					   &poke->consumer);

	if (error) {
		kfree(poke);
		return error;
	}
	WRITE_ONCE(tp->keeper, current);
	compat_uprobe_unregister(&poke->uprobe, &poke->consumer);
	WRITE_ONCE(tp->keeper, NULL);
	tracepoints_lock();
	list_add_tail(&poke->swept, &swept_pokes);
	tracepoints_unlock();
	return 0;
}

/* ---- one tracepoint ---- */

/* Who closes sees that the patcher gets on. */
static void patcher_step(void)
{
	WRITE_ONCE(patcher_steps, patcher_steps + 1);
	cond_resched();
}

/* The next member that the patcher has to do with, its memory held; NULL: no more. */
static struct fasttrap_member *patcher_next(struct fasttrap_tracepoint *tp, struct mm_struct **mm)
{
	struct fasttrap_member *member;

	list_for_each_entry(member, &tp->members, all)
		if (member->patching && !member->patched) {
			*mm = member->key.mm;
			if (*mm)
				mmgrab(*mm);
			return member;
		}
	return NULL;
}

/* Note the result for one process, if it is still a member. */
static void patcher_done(struct fasttrap_tracepoint *tp, struct mm_struct *mm, int error)
{
	struct fasttrap_member *member;

	tracepoints_lock();
	member = member_find(tp, mm);
	if (member) {
		member->error = error;
		WRITE_ONCE(member->patched, true);
	}
	tracepoints_unlock();
	if (mm)
		mmdrop(mm);
}

/*
 * Uprobes gives up at the first process where it fails. So that one cannot spoil it for the
 * others, each by itself.
 */
static void patcher_patch_each(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member;
	struct mm_struct *mm = NULL;

	for (;;) {
		tracepoints_lock();
		member = patcher_next(tp, &mm);
		tracepoints_unlock();
		if (!member)
			return;
		patcher_done(tp, mm, patcher_poke(tp, mm));
		patcher_step();
	}
}

static int patcher_register_held(struct fasttrap_tracepoint *tp)
{
	int error;

	WRITE_ONCE(tp->hold, true);
	error = tracepoint_register(tp);
	WRITE_ONCE(tp->hold, false);
	if (!error)
		patcher_patch_each(tp);
	return error;
}

static int patcher_patch_one(struct fasttrap_tracepoint *tp)
{
	int error;

	if (tp->registered && !place_fits(tp))
		tracepoint_withdraw(tp);
	if (!tp->registered) {
		if (!place_settle(tp))
			return -EBUSY;
		error = tracepoint_register(tp);
		return error ? patcher_register_held(tp) : 0;
	}
	error = patcher_poke(tp, NULL);
	if (error)
		patcher_patch_each(tp);
	return 0;
}

/* ---- a batch of them ---- */

/* [tracepoint lock] Nobody wants it: uprobes will take out all breakpoints. */
static void patcher_doom(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member, *next;

	lockdep_assert_tracepoints();
	tp->dying = true;
	hash_del(&tp->hash);
	list_for_each_entry_safe(member, next, &tp->members, all)
		member_destroy(member);
}

static void patcher_take_one(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member;

	lockdep_assert_tracepoints();
	list_for_each_entry(member, &tp->members, all) {
		member->going = member->leaving;
		member->patching = !member->patched && !member->leaving;
	}
}

/* [tracepoint lock] The tracepoint becomes one of the batch, with its notes, of whichever job. */
static void patcher_take_tracepoint(struct fasttrap_tracepoint *tp, struct list_head *batch)
{
	struct patch_note *note;

	lockdep_assert_tracepoints();
	list_for_each_entry(note, &tp->notes, of_tp) {
		list_del_init(&note->queued);
		job_update(note->job);
	}
	list_splice_init(&tp->notes, &tp->taken);
	list_add_tail(&tp->batch, batch);
	if (tp->nmembers)
		patcher_take_one(tp);
	else
		patcher_doom(tp);
}

/* [tracepoint lock] Some of what a job has noted becomes a batch. False: nobody has noted anything. */
static bool patcher_take(struct list_head *batch)
{
	struct patch_job *job = job_next();
	struct patch_note *note, *next;
	unsigned int n = 0;

	lockdep_assert_tracepoints();
	if (!job)
		return false;
	list_for_each_entry_safe(note, next, &job->notes, queued) {
		if (n++ == PATCHER_TURN)
			break;
		if (note->tp->nmembers && !note->tp->registered && !note->tp->learnt)
			notes_move(note->tp, true);
		else
			patcher_take_tracepoint(note->tp, batch);
	}
	return true;
}

static void patcher_remove(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp;

	list_for_each_entry(tp, batch, batch)
		if (tp->dying && tp->registered) {
			compat_uprobe_unregister(&tp->uprobe, &tp->consumer);
			patcher_step();
		}
}

static void patcher_patch(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp;

	list_for_each_entry(tp, batch, batch)
		if (!tp->dying) {
			tp->error = patcher_patch_one(tp);
			atomic64_inc(tp->error ? &fasttrap_counts.patch_errors
					       : &fasttrap_counts.patches);
			patcher_step();
		}
}

/* [tracepoint lock] */
static void patcher_settle_one(struct fasttrap_tracepoint *tp)
{
	struct fasttrap_member *member, *next;

	lockdep_assert_tracepoints();
	list_for_each_entry_safe(member, next, &tp->members, all) {
		if (member->patching)
			WRITE_ONCE(member->patched, true);
		if (member->going && member->leaving)
			member_destroy(member);
		else
			member->patching = member->going = false;
	}
}

static void patcher_finish(struct list_head *batch)
{
	struct fasttrap_tracepoint *tp, *next;
	struct patch_note *note, *next_note;

	tracepoints_lock();
	list_for_each_entry_safe(tp, next, batch, batch) {
		list_del_init(&tp->batch);
		if (tp->dying) {
			place_leave(tp);
			tracepoint_uncount(tp);
			list_add_tail(&tp->batch, &swept_tracepoints);
		} else {
			patcher_settle_one(tp);
		}
		list_for_each_entry_safe(note, next_note, &tp->taken, of_tp)
			note_done(note);
	}
	tracepoints_unlock();
	queue_work(fasttrap_wq, &sweeper);
}

static void patcher_run(struct work_struct *work)
{
	LIST_HEAD(batch);
	bool any;

	do {
		tracepoints_lock();
		any = patcher_take(&batch);
		tracepoints_unlock();
		if (list_empty(&batch))
			continue;	/* all of it is to be read first */
		patcher_remove(&batch);
		patcher_patch(&batch);
		patcher_finish(&batch);
	} while (any);
}

/* ---- the sweeper ---- */

static void sweep(struct list_head *gone_tracepoints, struct list_head *gone_pokes)
{
	struct fasttrap_tracepoint *tp, *next_tp;
	struct poke *poke, *next_poke;

	list_for_each_entry_safe(tp, next_tp, gone_tracepoints, batch)
		tracepoint_put(tp);
	list_for_each_entry_safe(poke, next_poke, gone_pokes, swept)
		kfree(poke);
}

static void sweeper_run(struct work_struct *work)
{
	LIST_HEAD(gone_tracepoints);
	LIST_HEAD(gone_pokes);

	tracepoints_lock();
	list_splice_init(&swept_tracepoints, &gone_tracepoints);
	list_splice_init(&swept_pokes, &gone_pokes);
	tracepoints_unlock();
	if (list_empty(&gone_tracepoints) && list_empty(&gone_pokes))
		return;
	compat_uprobe_sync();	/* no handler runs with what was unregistered */
	sweep(&gone_tracepoints, &gone_pokes);
}

/* [tracepoint lock] */
static bool patcher_idle(void)
{
	lockdep_assert_tracepoints();
	return hash_empty(jobs);
}

/* Readers give notes back to the patcher, and the patcher has notes read. */
void patcher_exit(void)
{
	bool idle;

	do {
		flush_workqueue(fasttrap_readers);
		patcher_kick();
		flush_work(&patcher);
		tracepoints_lock();
		idle = patcher_idle();
		tracepoints_unlock();
	} while (!idle);
	flush_work(&sweeper);
}
