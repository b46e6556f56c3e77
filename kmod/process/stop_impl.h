/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stop_impl.h - shared between stop.c, stop_point.c, stopped_thread.c and descendants.c.
 *
 *	tracer		an open file of the device
 *	stop point	an event at which threads stop: execs of a name or process, or an address
 *	descendants	the processes that a stop point of execs follows
 *	stopped thread	a thread that has arrived at a stop point
 *
 * Locks, in the order in which they are taken:
 *
 *	tracer->mutex		the tracer's stop points
 *	stop_execs_lock		mutex: all stop points of execs
 *	descendants_lock	raw spin lock: descendants
 *	tracer->lock		raw spin lock: the tracer's stopped threads
 *	stopped_lock		raw spin lock: the number of stopped threads of each process
 *	stop_queues_lock	spin lock: the queues of calls of uprobes; no lock is taken within
 *
 * The states of a stopped thread. tracer->lock protects all transitions. The thread reads without
 * the lock whether it is RELEASED.
 *
 *	           arrives at a
 *	           stop point            is about to return to user mode
 *	    FREE -------------> COMING --------------------------------> STOPPED
 *	     ^                   |   |                                   |    |
 *	     |                   |   | point removed   released, or      |    |
 *	     |                   |   v                 point removed     |    |
 *	     |                   |  RELEASED <---------------------------+    |
 *	     |                   |   |                                        |
 *	     |  exits, or kernel |   | goes on      time passed, fatal signal |
 *	     |  cannot stop it   v   v                                        |
 *	     +----------------- GONE <----------------------------------------+
 *	      the tracer has read
 *	      it, or never will
 */
#ifndef DTRACE_PROCESS_STOP_IMPL_H
#define DTRACE_PROCESS_STOP_IMPL_H

#include <linux/completion.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/spinlock.h>
#include <linux/task_work.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "compat/uprobes.h"
#include "stop.h"

struct descendants;
struct linux_binprm;
struct task_struct;

enum stopped_thread_state {
	STOPPED_THREAD_FREE,
	STOPPED_THREAD_COMING,
	STOPPED_THREAD_STOPPED,
	STOPPED_THREAD_RELEASED,
	STOPPED_THREAD_GONE,
};

struct stopped_thread {
	struct callback_head work;
	enum stopped_thread_state state;
	struct list_head list;	      /* in one of the tracer's lists */
	struct hlist_node by_process; /* until the thread has gone on; stopped_lock */
	struct stop_tracer *tracer;
	struct pid *pid, *tid; /* counted while not FREE */
	unsigned int point;
	long timeout;	 /* jiffies */
	bool at_address; /* and then with these registers */
	struct pt_regs regs;
	u64 arg0;
	bool rewind; /* executes the instruction at the address again */
	bool killed; /* of GONE: by a fatal signal, or the thread exits */
	bool unread; /* the tracer has yet to read it */
};

/* Which side ends first: the work that registers a uprobe, or the caller that waits for it. */
enum stop_point_registering { STOP_POINT_PENDING, STOP_POINT_REGISTERED, STOP_POINT_ABANDONED };

struct stop_point {
	struct kref ref;	    /* the tracer's, and one of the call */
	struct list_head all;	    /* in the tracer */
	struct list_head execs;	    /* in the tracer, if of execs; stop_execs_lock, RCU */
	struct stop_tracer *tracer; /* counted */
	unsigned int number;
	long timeout; /* jiffies; 0: stop no thread */
	/* of execs */
	struct pid *pid;		 /* counted: all execs of this process; NULL: by name */
	struct descendants *descendants; /* NULL: of this process only */
	char name[DTRACE_STOP_NAMELEN];
	bool all_users;		 /* a privileged user's: stops processes of all users */
	bool unlimited;		 /* of a user who may pass limits */
	const struct cred *cred; /* of the process that has added it */
	atomic_t spent;		 /* by name: it has stopped its process */
	/* of an address */
	struct mm_struct *mm; /* grabbed; NULL: of execs */
	bool follow;	      /* in descendants that the tracer follows too */
	uint64_t address;
	struct file *file;
	loff_t offset;		/* in file */
	struct list_head call;	/* in the queue of the tracer's user */
	bool unregister;	/* the call is to unregister the uprobe, */
	bool stays;		/* which waits, since its location is crowded; the queue's work */
	struct completion done; /* the call, or it waits */
	bool ended;		/* stops no more threads */
	atomic_t registering;	/* enum stop_point_registering */
	int error;		/* of the call */
	struct uprobe_consumer consumer;
	struct compat_uprobe uprobe;
};

struct stop_tracer {
	/* of the file, each stop point and each thread that is not FREE or GONE */
	struct kref ref;
	struct mutex mutex;
	struct list_head points;	/* mutex */
	unsigned int npoints, last;	/* mutex; last: the last number that was used */
	struct list_head execs;		/* stop_execs_lock, RCU */
	struct list_head with_execs;	/* while execs is not empty; stop_execs_lock, RCU */
	struct dtrace_account *account; /* counted */
	struct stop_queue *queue;	/* counted */
	struct pid_namespace *ns;	/* of the process that opened the file */
	raw_spinlock_t lock;
	struct list_head free;	 /* lock, as all below */
	struct list_head coming; /* COMING, or RELEASED before they stopped */
	struct list_head news;	 /* to be read */
	struct list_head known;	 /* read, and not GONE */
	unsigned int missed;
	wait_queue_head_t threads, readers;
	struct work_struct announce; /* wakes readers where preemption is off */
	struct stopped_thread *pool; /* allocated with the first stop point */
};

struct stop_counts {
	atomic64_t stopped, timeouts, missed, late;
};
extern struct stop_counts stop_counts;
extern struct workqueue_struct *stop_wq; /* its work may wait for files without end */

/* ---- stop.c ---- */

/* Take a reference. Any context. */
void stop_tracer_get(struct stop_tracer *tracer);
/*
 * Drop a reference. The last reference is that of the file, of a thread, or of a stop point whose
 * uprobe was removed late.
 */
void stop_tracer_put(struct stop_tracer *tracer);
/* Charge bytes to the tracer's user. Return 0 or -EDQUOT. */
int stop_tracer_charge(struct stop_tracer *tracer, size_t bytes);
/* Undo stop_tracer_charge() for as many bytes. */
void stop_tracer_uncharge(struct stop_tracer *tracer, size_t bytes);
/*
 * Count a thread or process that is not reported to the tracer. Any context. Takes tracer->lock.
 */
void stop_tracer_note_missed(struct stop_tracer *tracer);

/* ---- stopped_thread.c ---- */

/* Allocate the tracer's elements, if it has none [tracer->mutex]. Return -ENOMEM or -EDQUOT. */
int stopped_thread_alloc(struct stop_tracer *tracer);
/* Free the tracer's elements. None is in use. */
void stopped_thread_free_all(struct stop_tracer *tracer);
/*
 * Stop current at a stop point, on its way to user mode. regs: those at an address, NULL at an
 * exec. Any context in which current runs. Takes tracer->lock.
 */
void stopped_thread_stop_current(const struct stop_point *point, const struct pt_regs *regs);
/*
 * Let a thread that is COMING or STOPPED go on [tracer->lock]. rewind: from where it arrived.
 * Return false in other states.
 */
bool stopped_thread_release(struct stopped_thread *thread, bool rewind);
/*
 * Free an element that is GONE and read [tracer->lock]. The caller puts *pid and *tid after it has
 * released the lock. Return false if the element is still in use.
 */
bool stopped_thread_put(struct stopped_thread *thread, struct pid **pid, struct pid **tid);

/* Look for the kernel's function by which threads are stopped. */
void stopped_thread_init(void);
/* Wait until no function of a stopped thread runs. There are no tracers. */
void stopped_thread_exit(void);

/* ---- stop_point.c ---- */

/*
 * Return the queue of a user's calls of uprobes, which the caller puts; NULL without memory. The
 * account lives as long as the queue has calls, or the caller has it.
 */
struct stop_queue *stop_queue_get(const struct dtrace_account *account);
/* Drop a reference. Takes stop_queues_lock. */
void stop_queue_put(struct stop_queue *queue);
/* Make all calls that wait, for the module ends: there are no tracers. No location is crowded. */
void stop_queues_flush(void);

/* Stop current, which is executing a program, for each tracer that asked. Preemption is off. */
void stop_point_note_exec(struct task_struct *task, const struct linux_binprm *bprm);

/* With tracer->mutex: */

/* End and free the stop points in the list. One grace period covers all of them. May sleep. */
void stop_point_destroy(struct list_head *points);

#endif
