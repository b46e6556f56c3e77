// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dtrace.c - /dev/dtrace/dtrace: a session is an open file. This file copies between user land and
 * the engine.
 *
 * The engine takes its own locks, so that several threads may use a session. Data from user land is
 * copied before it is checked. The last close of the file, by a process that dies too, returns when
 * nothing of the session is left in the engine, and no breakpoint of it in any program.
 */
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/poll.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "dev.h"
#include "engine.h"
#include "permission.h"
#include "providers/provider.h"

struct session {
	dtrace_state_t *state;
	struct pid_namespace *pids;	/* the namespace of its process numbers */
	wait_queue_head_t wait;		/* in poll */
	/* from probe context; a thread on PREEMPT_RT, where waking takes sleeping locks */
	struct irq_work wake;
	struct delayed_work clean;	/* at the session's cleanrate, from go to close */
	unsigned long clean_interval;	/* jiffies */
	struct delayed_work deadman;	/* every second, from go to close */
};

/* ---- memory of one request ---- */

int charged_alloc(struct charged *c, enum dtrace_resource res, size_t size, char *errmsg, size_t len)
{
	struct dtrace_account *account =
		dtrace_account_get(permission_account(current_cred()), permission_unlimited());
	int error;

	memset(c, 0, sizeof(*c));
	if (!account)
		return -ENOMEM;
	error = dtrace_account_charge(account, res, size, errmsg, len);
	if (error)
		goto no_charge;
	error = -ENOMEM;
	c->p = kvmalloc(size, GFP_KERNEL_ACCOUNT | __GFP_NOWARN);
	if (!c->p)
		goto no_memory;
	c->account = account;
	c->res = res;
	c->size = size;
	return 0;

no_memory:
	dtrace_account_uncharge(account, res, size);
no_charge:
	dtrace_account_put(account);
	return error;
}

void charged_free(struct charged *c)
{
	if (!c->p)
		return;
	kvfree(c->p);
	dtrace_account_uncharge(c->account, c->res, c->size);
	dtrace_account_put(c->account);
	c->p = NULL;
}

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
	dtrace_optget_t opt = { .dtog_option = DTRACEOPT_CLEANRATE };

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

/* ---- commands: arg is a copy of the caller's structure, which is copied back ---- */

static int cmd_provider(struct session *s, void *arg)
{
	providers_catch_up();
	return dtrace_state_provider(s->state, arg);
}

static int cmd_probes(struct session *s, void *arg)
{
	dtrace_probes_io_t *io = arg;
	struct charged descs;
	int error;

	if (!io->capacity || io->capacity > DTRACE_PROBES_MAX || io->match > 1)
		return -EINVAL;
	if (io->pattern.dtpd_id < 2)
		providers_catch_up();
	error = charged_alloc(&descs, DTRACE_RES_MEMORY, io->capacity * sizeof(dtrace_probedesc_t),
			      NULL, 0);
	if (!error)
		error = dtrace_state_probe_list(s->state, io, descs.p);
	if (!error && copy_to_user(u64_to_user_ptr(io->descs), descs.p,
				   io->n * sizeof(dtrace_probedesc_t)))
		error = -EFAULT;
	charged_free(&descs);
	return error;
}

static int cmd_probearg(struct session *s, void *arg)
{
	return dtrace_state_probearg(s->state, arg);
}

static int cmd_status(struct session *s, void *arg)
{
	return dtrace_state_status(s->state, arg);
}

static int cmd_conf(struct session *s, void *arg)
{
	dtrace_conf_t *conf = arg;
	int error = dtrace_state_conf(s->state, conf);

	strscpy(conf->dtc_release, THIS_MODULE->version, sizeof(conf->dtc_release));
	return error;
}

static int cmd_go(struct session *s, void *arg)
{
	int error = dtrace_state_go(s->state, arg);

	if (!error) {
		session_clean_start(s);
		queue_delayed_work(system_unbound_wq, &s->deadman, HZ);
	}
	return error;
}

static int cmd_stop(struct session *s, void *arg)
{
	return dtrace_state_stop(s->state, arg);
}

static int cmd_optget(struct session *s, void *arg)
{
	return dtrace_state_optget(s->state, arg);
}

static int cmd_policy(struct session *s, void *arg)
{
	return permission_policy(arg);
}

/* ---- enabling ---- */

/*
 * Copy the DOF at an address of the caller, whose header says its size, to c, which the caller
 * frees even after an error. -EFAULT, -EINVAL, -E2BIG, -ENOMEM; -EDQUOT with the reason in errmsg.
 */
static int dof_copy(struct charged *c, uint64_t addr, char *errmsg, size_t len)
{
	const void __user *from = u64_to_user_ptr(addr);
	dof_hdr_t hdr;

	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	if (hdr.dofh_loadsz < sizeof(hdr))
		return -EINVAL;
	if (hdr.dofh_loadsz > DTRACE_DOF_MAXSIZE)
		return -E2BIG;
	return charged_alloc(c, DTRACE_RES_MEMORY, hdr.dofh_loadsz, errmsg, len) ?:
	       copy_from_user(c->p, from, c->size) ? -EFAULT : 0;
}

#define ERRMSG_MAX	512

/* Copy the reason of an error to the caller, cut to the caller's space. 0 or -EFAULT. */
static int errmsg_copy(const dtrace_enable_io_t *io, const char *errmsg)
{
	size_t n = min_t(size_t, strlen(errmsg) + 1, io->errmsg_len);

	if (!io->errmsg || !n)
		return 0;
	if (copy_to_user(u64_to_user_ptr(io->errmsg), errmsg, n) ||
	    put_user('\0', (char __user *)u64_to_user_ptr(io->errmsg + n - 1)))
		return -EFAULT;
	return 0;
}

/* Enable a program; errmsg gets the reason of an error. */
static int enable_dof(struct session *s, dtrace_enable_io_t *io, char *errmsg, size_t len)
{
	struct charged dof = {};
	int error = dof_copy(&dof, io->dofp, errmsg, len);

	if (error) {
		if (error != -EDQUOT)
			snprintf(errmsg, len,
				 "the DOF cannot be read from the caller's memory (error %d)", error);
		charged_free(&dof);
		return error;
	}
	providers_catch_up();
	error = dtrace_state_enable(s->state, dof.p, dof.size, io, errmsg, len);
	charged_free(&dof);
	providers_sync_wait();
	return error;
}

static int cmd_enable(struct session *s, void *arg)
{
	dtrace_enable_io_t *io = arg;
	char *errmsg = kzalloc(ERRMSG_MAX, GFP_KERNEL);
	int error;

	if (!errmsg)
		return -ENOMEM;
	io->error_desc = -1;
	error = enable_dof(s, io, errmsg, ERRMSG_MAX);
	if (error && errmsg_copy(io, errmsg))
		error = -EFAULT;
	kfree(errmsg);
	return error;
}

/* ---- descriptions of records ---- */

#define RECS_MAX	65536	/* descriptions copied at once */

/*
 * Allocate n descriptions of records, all zeros, since the engine may not fill all that are copied
 * to the caller.
 */
static int recs_alloc(struct charged *recs, uint32_t n)
{
	size_t size = max(n, 1U) * sizeof(dtrace_recdesc_t);
	int error = charged_alloc(recs, DTRACE_RES_MEMORY, size, NULL, 0);

	if (!error)
		memset(recs->p, 0, size);
	return error;
}

static int recs_copy(uint64_t to, const dtrace_recdesc_t *recs, uint32_t n)
{
	return copy_to_user(u64_to_user_ptr(to), recs, n * sizeof(*recs)) ? -EFAULT : 0;
}

static int cmd_eprobe(struct session *s, void *arg)
{
	dtrace_eprobedesc_t *ep = arg;
	uint32_t capacity = min_t(uint32_t, ep->dtepd_nrecs, RECS_MAX);
	struct charged recs = {};
	int error = recs_alloc(&recs, capacity);

	if (!error)
		error = dtrace_state_eprobe(s->state, ep, recs.p, capacity);
	if (!error)
		error = recs_copy(ep->dtepd_recs, recs.p, min(capacity, ep->dtepd_nrecs));
	charged_free(&recs);
	return error;
}

static int cmd_aggdesc(struct session *s, void *arg)
{
	dtrace_aggdesc_t *ad = arg;
	uint32_t capacity = min_t(uint32_t, ad->dtagd_nrecs, RECS_MAX);
	struct charged recs = {};
	int error = recs_alloc(&recs, capacity);

	if (!error)
		error = dtrace_state_aggdesc(s->state, ad, recs.p, capacity);
	if (!error)
		error = recs_copy(ad->dtagd_recs, recs.p, min(capacity, ad->dtagd_nrecs));
	charged_free(&recs);
	return error;
}

/* ---- snapshots ---- */

struct snapshot {
	uint64_t to;		/* the caller's address for the next piece */
	uint64_t left;		/* bytes left there */
};

#define SNAPSHOT_PIECE	(1U << 20)	/* bytes that are copied at once */

/*
 * Copy a piece of a buffer to the caller. -ENOBUFS: it has no space for it. -EFAULT. -EINTR: a
 * fatal signal is pending, which is checked after each MiB, since buffers may have gigabytes.
 */
static int snapshot_emit(void *ctx, const void *data, size_t n)
{
	struct snapshot *snap = ctx;
	size_t done, piece;

	if (n > snap->left)
		return -ENOBUFS;
	for (done = 0; done < n; done += piece) {
		piece = min_t(size_t, n - done, SNAPSHOT_PIECE);
		if (copy_to_user(u64_to_user_ptr(snap->to), data + done, piece))
			return -EFAULT;
		snap->to += piece;
		snap->left -= piece;
		if (port_relax())
			return -EINTR;
	}
	return 0;
}

static int take_snapshot(struct session *s, bool agg, dtrace_bufdesc_t *desc)
{
	struct snapshot snap = { .to = desc->dtbd_data, .left = desc->dtbd_size };

	return dtrace_state_snapshot(s->state, agg, desc, snapshot_emit, &snap);
}

static int cmd_bufsnap(struct session *s, void *arg)
{
	return take_snapshot(s, false, arg);
}

static int cmd_aggsnap(struct session *s, void *arg)
{
	return take_snapshot(s, true, arg);
}

/* ---- the table of commands ---- */

static const struct {
	unsigned int cmd;
	int (*run)(struct session *session, void *arg);
} commands[] = {
	{ DTRACEIOC_PROVIDER, cmd_provider },
	{ DTRACEIOC_PROBES, cmd_probes },
	{ DTRACEIOC_PROBEARG, cmd_probearg },
	{ DTRACEIOC_ENABLE, cmd_enable },
	{ DTRACEIOC_EPROBE, cmd_eprobe },
	{ DTRACEIOC_AGGDESC, cmd_aggdesc },
	{ DTRACEIOC_BUFSNAP, cmd_bufsnap },
	{ DTRACEIOC_AGGSNAP, cmd_aggsnap },
	{ DTRACEIOC_STATUS, cmd_status },
	{ DTRACEIOC_CONF, cmd_conf },
	{ DTRACEIOC_GO, cmd_go },
	{ DTRACEIOC_STOP, cmd_stop },
	{ DTRACEIOC_OPTGET, cmd_optget },
	{ DTRACEIOC_POLICY, cmd_policy },
};

union command_arg {
	dtrace_providerdesc_t provider;
	dtrace_probes_io_t probes;
	dtrace_argdesc_t arg;
	dtrace_enable_io_t enable;
	dtrace_eprobedesc_t eprobe;
	dtrace_aggdesc_t agg;
	dtrace_bufdesc_t buf;
	dtrace_status_t status;
	dtrace_conf_t conf;
	dtrace_go_t go;
	dtrace_optget_t opt;
	dtrace_policy_t policy;
};

/*
 * Run a command. Its structure is copied back after errors too, since some members explain the
 * error.
 */
static int command_run(struct session *s, unsigned int i, void __user *user, union command_arg *arg)
{
	unsigned int cmd = commands[i].cmd;
	int error;

	if ((_IOC_DIR(cmd) & _IOC_WRITE) && copy_from_user(arg, user, _IOC_SIZE(cmd)))
		return -EFAULT;
	error = commands[i].run(s, arg);
	if ((_IOC_DIR(cmd) & _IOC_READ) && copy_to_user(user, arg, _IOC_SIZE(cmd)))
		return -EFAULT;
	return error;
}

static long session_ioctl(struct file *file, unsigned int cmd, unsigned long address)
{
	union command_arg *arg;
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(commands); i++)
		if (commands[i].cmd == cmd)
			break;
	if (i == ARRAY_SIZE(commands))
		return -ENOTTY;
	arg = kzalloc(sizeof(*arg), GFP_KERNEL);
	if (!arg)
		return -ENOMEM;
	error = command_run(file->private_data, i, (void __user *)address, arg);
	kfree(arg);
	return error;
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
	.mode = 0666,	/* session_open() checks the caller's rights */
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
