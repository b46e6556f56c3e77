// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dtrace.c - /dev/dtrace/dtrace: a session is an open file. The engine carries out its
 * requests.
 *
 * The engine takes its own locks, so that several threads may use a session. The last close of the
 * file, by a process that dies too, returns when nothing of the session is left in the engine, and
 * no breakpoint of it in any program.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "command.h"
#include "dev.h"
#include "permission.h"
#include "providers/provider.h"

struct session {
	dtrace_state_t *state;
	struct pid_namespace *pids; /* the namespace of its process numbers */
	wait_queue_head_t wait;	    /* in poll */
	/* from probe context; a thread on PREEMPT_RT, where waking takes sleeping locks */
	struct irq_work wake;
	struct delayed_work clean;    /* at the session's cleanrate, from go to close */
	unsigned long clean_interval; /* jiffies */
	struct delayed_work deadman;  /* every second, from go to close */
};

/* ---- waking ---- */

/* Wake the consumer; an irq_work, since a firing must not take the locks of a wait queue. */
static void session_wake(struct irq_work *work)
{
	wake_up_interruptible(&container_of(work, struct session, wake)->wait);
}

void port_wake(void *cookie)
{
	struct session *session = cookie;

	irq_work_queue(&session->wake);
}

/* Tell the consumer when there is something to read: a buffer is half full, or tracing ends. */
static __poll_t session_poll(struct file *file, poll_table *table)
{
	struct session *session = file->private_data;

	poll_wait(file, &session->wait, table);
	return dtrace_state_readable(session->state) ? EPOLLIN | EPOLLRDNORM : 0;
}

/* ---- cleaning: speculations on CPUs that do not fire ---- */

/* Commit and discard speculations on CPUs that do not fire, at the session's cleanrate. Worker. */
static void session_clean(struct work_struct *work)
{
	struct session *session = container_of(to_delayed_work(work), struct session, clean);

	dtrace_state_clean(session->state);
	queue_delayed_work(system_unbound_wq, &session->clean, session->clean_interval);
}

/* Start the periodic cleaning when tracing begins. */
static void session_clean_start(struct session *session)
{
	dtrace_optget_t opt = {.dtog_option = DTRACEOPT_CLEANRATE};

	if (dtrace_state_optget(session->state, &opt))
		return;
	session->clean_interval =
		clamp_t(uint64_t, nsecs_to_jiffies64(opt.dtog_value), 1, 3600 * HZ);
	queue_delayed_work(system_unbound_wq, &session->clean, session->clean_interval);
}

/* ---- the deadman ---- */

/* Look every second whether the consumer and the machine are still alive. Worker. */
static void session_deadman(struct work_struct *work)
{
	struct session *session = container_of(to_delayed_work(work), struct session, deadman);

	dtrace_state_deadman(session->state);
	queue_delayed_work(system_unbound_wq, &session->deadman, HZ);
}

/* ---- open and close ---- */

/*
 * Fill in the rights of a session whose file the current thread opens. They stay as long as the
 * file is open. Return false if there are none. May sleep.
 */
static bool session_cred(const struct file *file, struct dtrace_cred *cred)
{
	cred->privs = permission_session();
	cred->uid = from_kuid_munged(&init_user_ns, file->f_cred->euid);
	cred->pid = current->tgid;
	cred->account = permission_account(file->f_cred);
	cred->bytes = sizeof(struct session);
	cred->privileged = permission_unlimited();
	cred->who = file->f_cred;
	cred->pid_ns = task_active_pid_ns(current);
	if (cred->pid_ns == &init_pid_ns)
		cred->pid_ns = NULL;
	return cred->privs;
}

/* Open a session. -EACCES: the user has no right to trace. May sleep. */
static int session_open(struct inode *inode, struct file *file)
{
	struct session *session;
	struct dtrace_cred cred;
	int error;

	if (!session_cred(file, &cred))
		return -EACCES;
	session = kzalloc(sizeof(*session), GFP_KERNEL_ACCOUNT);
	if (!session)
		return -ENOMEM;
	init_waitqueue_head(&session->wait);
	init_irq_work(&session->wake, session_wake);
	INIT_DELAYED_WORK(&session->clean, session_clean);
	INIT_DELAYED_WORK(&session->deadman, session_deadman);
	session->pids = get_pid_ns(task_active_pid_ns(current));
	error = dtrace_state_create(&cred, session, &session->state);
	if (error) {
		put_pid_ns(session->pids);
		kfree(session);
		return error;
	}
	file->private_data = session;
	return 0;
}

/* Close a session. Workers end before its state is destroyed, and the last wake after that. */
static int session_release(struct inode *inode, struct file *file)
{
	struct session *session = file->private_data;

	cancel_delayed_work_sync(&session->clean);
	cancel_delayed_work_sync(&session->deadman);
	dtrace_state_destroy(session->state);
	providers_sync_wait_closing();
	irq_work_sync(&session->wake);
	put_pid_ns(session->pids);
	kfree(session);
	return 0;
}

/* ---- requests ---- */

/* Begin the cleaning and the deadman of a session that traces now. */
static void session_started(void *session)
{
	struct session *s = session;

	session_clean_start(s);
	queue_delayed_work(system_unbound_wq, &s->deadman, HZ);
}

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	const struct dtrace_command_ops ops = {
		.release = THIS_MODULE->version,
		.catch_up = providers_catch_up,
		.enabled = providers_sync_wait,
		.started = session_started,
		.policy = permission_policy,
	};
	struct session *session = file->private_data;

	return dtrace_command(&ops, session, session->state, cmd, address);
}

/* ---- the device ---- */

static const struct file_operations session_fops = {
	.owner = THIS_MODULE,
	.open = session_open,
	.release = session_release,
	.unlocked_ioctl = session_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
	.poll = session_poll,
	.llseek = noop_llseek,
};

static struct miscdevice session_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace",
	.nodename = "dtrace/dtrace",
	.mode = 0666, /* session_open() checks the caller's rights */
	.fops = &session_fops,
};

int device_init(void)
{
	return misc_register(&session_device);
}

void device_exit(void)
{
	misc_deregister(&session_device);
}
