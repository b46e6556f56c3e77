// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dev.c - the devices of fasttrap.
 *
 * /dev/dtrace/helper: programs register the DOF of their probes. Every process may open it, so that
 * all data is checked. /dev/dtrace/fasttrap: register probes of a running process, on its behalf or
 * for a tracing session; stop its threads; unwind tables.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <dtrace/fasttrap.h>
#include <dtrace/helper.h>

#include "engine.h"
#include "fasttrap.h"
#include "permission.h"
#include "process/stop.h"
#include "port/unwind.h"

/* ---- registration ---- */

/*
 * Allocate memory of one request as dtrace_charged_alloc() does, charged to the current user. It is
 * freed by dtrace_charged_free(). May sleep.
 */
static int charged_alloc(struct dtrace_charged *c, enum dtrace_resource res, size_t size,
			 char *errmsg, size_t len)
{
	struct dtrace_account *account =
		dtrace_account_get(permission_account(current_cred()), permission_unlimited());
	int error;

	memset(c, 0, sizeof(*c));
	if (!account)
		return -ENOMEM;
	error = dtrace_charged_alloc(c, account, res, size, errmsg, len);
	dtrace_account_put(account);
	return error;
}

/*
 * Copy DOF from an address of the current process, and check it. Return it, or an error as ERR_PTR
 * with the reason in errmsg: -EFAULT, -EINVAL, -E2BIG, -ENOMEM, -EDQUOT.
 */
static struct dtrace_helper_dof *dof_read(const struct fasttrap_target *target,
					  const dof_helper_t *helper, uint64_t user, char *errmsg,
					  size_t len)
{
	const void __user *from = u64_to_user_ptr(helper->dofhp_dof);
	struct dtrace_helper_dof *parsed;
	struct dtrace_charged dof;
	dof_hdr_t hdr;
	int error;

	snprintf(errmsg, len, "there is no DOF header at %#llx",
		 (unsigned long long)helper->dofhp_dof);
	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return ERR_PTR(-EFAULT);
	snprintf(errmsg, len, "the DOF says that it has %llu bytes",
		 (unsigned long long)hdr.dofh_loadsz);
	if (hdr.dofh_loadsz < sizeof(hdr))
		return ERR_PTR(-EINVAL);
	if (hdr.dofh_loadsz > DTRACE_HELPER_MAXSIZE)
		return ERR_PTR(-E2BIG);
	error = charged_alloc(&dof, DTRACE_RES_BYTES, hdr.dofh_loadsz, errmsg, len);
	if (error)
		return ERR_PTR(error);
	if (copy_from_user(dof.p, from, dof.size)) {
		error = -EFAULT;
		goto free;
	}
	errmsg[0] = '\0';
	error = dtrace_helper_parse_charged(dof.account, dof.p, dof.size, user, helper->dofhp_addr,
					    target->mm ? target->mm->task_size : LLONG_MAX, &parsed,
					    errmsg, len);
free:
	dtrace_charged_free(&dof);
	return error ? ERR_PTR(error) : parsed;
}

/*
 * Copy DOF from the caller's memory, check it, and register it for target. helper: module name,
 * base, and address of the DOF in the caller; user: its address in target. Return the number of the
 * registration, or a negative errno with the reason in errmsg (FASTTRAP_ERRLEN bytes). The reason
 * for static probes is also in /proc/dtrace/helper_errors. May sleep; no lock is held.
 */
static int register_dof(const struct fasttrap_target *target, const dof_helper_t *helper,
			uint64_t user, char *errmsg)
{
	struct dtrace_helper_dof *dof;
	int gen;

	errmsg[0] = '\0';
	if (strnlen(helper->dofhp_mod, sizeof(helper->dofhp_mod)) == sizeof(helper->dofhp_mod)) {
		gen = -EINVAL;
		strscpy(errmsg, "the module's name does not end", FASTTRAP_ERRLEN);
		goto out;
	}
	dof = dof_read(target, helper, user, errmsg, FASTTRAP_ERRLEN);
	if (IS_ERR(dof)) {
		gen = PTR_ERR(dof);
		goto out;
	}
	errmsg[0] = '\0';
	gen = fasttrap_register(target, helper->dofhp_mod, dof, errmsg, FASTTRAP_ERRLEN);
out:
	if (gen < 0 && gen != -EALREADY && !target->session) {
		fasttrap_count_refused();
		fasttrap_error_note(from_kuid_munged(&init_user_ns, target->uid), target->pid,
				    target->comm, gen, errmsg);
	}
	return gen;
}

/* ---- /dev/dtrace/helper ---- */

/*
 * Describe the current process as a target. If the program runs with other privileges than its
 * user's, root owns the probes: only root may know what the program does.
 */
static void helper_target(struct fasttrap_target *target)
{
	target->mm = current->mm;
	target->pid = current->tgid;
	target->uid = permission_owner(current_cred(), current->mm);
	target->trusted = capable(CAP_SYS_ADMIN);
	target->by_proxy = false;
	memcpy(target->comm, current->comm, sizeof(target->comm));
	target->comm[TASK_COMM_LEN - 1] = '\0';
}

/* Register DOF for the current process. Return the registration's number, or a negative errno. */
static int helper_add(const dof_helper_t *helper)
{
	struct fasttrap_target target = {};
	char errmsg[FASTTRAP_ERRLEN];
	int gen;

	helper_target(&target);
	target.account =
		dtrace_account_get(permission_account(current_cred()), permission_unlimited());
	if (!target.account)
		return -ENOMEM;
	gen = register_dof(&target, helper, helper->dofhp_dof, errmsg);
	dtrace_account_put(target.account);
	return gen;
}

/* Carry out a request. pointer: arg as an address of the caller, 32-bit or 64-bit. */
static long helper_do(unsigned int cmd, unsigned long arg, void __user *pointer)
{
	dof_helper_t helper = {};

	if (!current->mm)
		return -EFAULT;
	switch (cmd) {
	case DTRACEHIOC_ADD:
	case DTRACEHIOC_LINUX_ADD:
		helper.dofhp_dof = (unsigned long)pointer;
		return helper_add(&helper);
	case DTRACEHIOC_ADDDOF:
	case DTRACEHIOC_LINUX_ADDDOF:
		return copy_from_user(&helper, pointer, sizeof(helper)) ? -EFAULT
									: helper_add(&helper);
	case DTRACEHIOC_REMOVE:
	case DTRACEHIOC_LINUX_REMOVE:
		return arg > INT_MAX ? -ENOENT : fasttrap_remove(current->mm, NULL, (int)arg);
	default:
		return -ENOTTY;
	}
}

static long helper_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return helper_do(cmd, arg, (void __user *)arg);
}

static long helper_compat_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	return helper_do(cmd, arg, compat_ptr((compat_uptr_t)arg));
}

static const struct file_operations helper_fops = {
	.owner = THIS_MODULE,
	.unlocked_ioctl = helper_ioctl,
	.compat_ioctl = helper_compat_ioctl,
	.llseek = noop_llseek,
};

struct miscdevice fasttrap_helper_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace-helper",
	.nodename = "dtrace/helper",
	.mode = 0666,
	.fops = &helper_fops,
};

/* ---- /dev/dtrace/fasttrap ---- */

/* The data of an open file. */
struct ft_open {
	struct dtrace_account
		*account; /* of the user who opened the file; charged for all its data */
	struct fasttrap_session *session;
	struct stop_tracer *tracer;
	struct unwind_session *unwind;
};

/* ---- the process of a request ---- */

/*
 * Find the process pid, in the caller's PID namespace, and check that the caller may trace it. The
 * target's memory and account, and *task, its leader, are held until target_put. Copies for fork
 * children of what the process gets are charged to its user. Return -ESRCH, -EPERM or -ENOMEM.
 */
static int target_get(struct fasttrap_target *target, int32_t pid, struct task_struct **task)
{
	struct pid *found = find_get_pid(pid);
	const struct cred *cred;
	struct mm_struct *mm;
	int error;

	memset(target, 0, sizeof(*target));
	*task = get_pid_task(found, PIDTYPE_TGID);
	put_pid(found);
	if (!*task)
		return -ESRCH;
	error = permission_process(*task, &mm);
	if (error)
		goto no_permission;
	cred = get_task_cred(*task);
	target->uid = permission_owner(cred, mm);
	target->account =
		dtrace_account_get(permission_account(cred), permission_unlimited_by(cred));
	put_cred(cred);
	error = -ENOMEM;
	if (!target->account)
		goto no_account;
	target->mm = mm;
	target->pid = (*task)->tgid;
	target->trusted = capable(CAP_SYS_ADMIN);
	target->by_proxy = true;
	memcpy(target->comm, (*task)->comm, sizeof(target->comm));
	target->comm[TASK_COMM_LEN - 1] = '\0';
	return 0;

no_account:
	mmput(mm);
no_permission:
	put_task_struct(*task);
	return error;
}

static void target_put(struct fasttrap_target *target, struct task_struct *task)
{
	dtrace_account_put(target->account);
	mmput(target->mm);
	put_task_struct(task);
}

/* ---- requests ---- */

/* Copy the reason of an error to the caller, if it wants it. Return the error, or -EFAULT. */
static int ft_give_reason(int error, uint64_t to, uint32_t size, char *errmsg)
{
	size_t len = strlen(errmsg);

	if (error >= 0 || !to || !size)
		return error;
	if (len >= size)
		len = size - 1;
	errmsg[len] = '\0';
	return copy_to_user(u64_to_user_ptr(to), errmsg, len + 1) ? -EFAULT : error;
}

static int ft_register(struct ft_open *open, const void __user *from)
{
	const uint32_t known = DTRACE_FT_PID | DTRACE_FT_FOLLOW | DTRACE_FT_PROGRAM;
	struct fasttrap_target target;
	struct task_struct *task;
	dtrace_ft_register_t reg;
	char errmsg[FASTTRAP_ERRLEN];
	int gen;

	if (copy_from_user(&reg, from, sizeof(reg)))
		return -EFAULT;
	if (reg.dtfr_flags & ~known || reg.dtfr_pad ||
	    (reg.dtfr_flags && !(reg.dtfr_flags & DTRACE_FT_PID)))
		return -EINVAL;
	gen = target_get(&target, reg.dtfr_pid, &task);
	if (gen)
		return gen;
	if (reg.dtfr_flags & DTRACE_FT_PID)
		target.session = open->session;
	target.follow = reg.dtfr_flags & DTRACE_FT_FOLLOW;
	target.program = reg.dtfr_flags & DTRACE_FT_PROGRAM;
	gen = register_dof(&target, &reg.dtfr_helper, reg.dtfr_dof, errmsg);
	fasttrap_recheck(task, target.mm);
	target_put(&target, task);
	return ft_give_reason(gen, reg.dtfr_errmsg, reg.dtfr_errlen, errmsg);
}

static int ft_register_file(struct ft_open *open, const void __user *from)
{
	struct fasttrap_target target = {.session = open->session, .trusted = true, .comm = "*"};
	dtrace_ft_register_file_t reg;
	char errmsg[FASTTRAP_ERRLEN];
	int gen;

	if (copy_from_user(&reg, from, sizeof(reg)))
		return -EFAULT;
	if (reg.dtff_flags || reg.dtff_pad)
		return -EINVAL;
	if (!capable(CAP_SYS_ADMIN))
		return -EPERM;
	target.file = fget(reg.dtff_fd);
	if (!target.file)
		return -EBADF;
	if (S_ISREG(file_inode(target.file)->i_mode) && target.file->f_mode & FMODE_READ) {
		gen = register_dof(&target, &reg.dtff_helper, 0, errmsg);
		gen = ft_give_reason(gen, reg.dtff_errmsg, reg.dtff_errlen, errmsg);
	} else {
		gen = -ENOEXEC;
	}
	fput(target.file);
	return gen;
}

static int ft_remove(struct ft_open *open, const void __user *from)
{
	struct fasttrap_target target;
	struct task_struct *task;
	dtrace_ft_remove_t remove;
	int error;

	if (copy_from_user(&remove, from, sizeof(remove)))
		return -EFAULT;
	if (!remove.dtfm_pid)
		return fasttrap_remove(NULL, open->session, remove.dtfm_gen);
	error = target_get(&target, remove.dtfm_pid, &task);
	if (error)
		return error;
	error = fasttrap_remove(target.mm, open->session, remove.dtfm_gen);
	target_put(&target, task);
	return error;
}

/* Copy one failure to the caller, with the process's number in its PID namespace, or 0. */
static int ft_give_failure(dtrace_ft_failure_t __user *to, const struct fasttrap_failure *failure)
{
	dtrace_ft_failure_t out = {
		.dtfe_gen = failure->gen,
		.dtfe_addr = failure->addr,
		.dtfe_error = failure->error == -ENOTSUPP ? EOPNOTSUPP : -failure->error,
	};

	rcu_read_lock();
	out.dtfe_pid = pid_vnr(find_pid_ns(failure->pid, &init_pid_ns));
	rcu_read_unlock();
	return copy_to_user(to, &out, sizeof(out)) ? -EFAULT : 0;
}

#define FAILURES_MAX 65536 /* that one request returns */

static int ft_failures(struct ft_open *open, void __user *user)
{
	dtrace_ft_failure_t __user *to;
	const struct fasttrap_failure *failures;
	struct dtrace_charged list = {};
	dtrace_ft_failures_t io;
	unsigned int capacity, i;
	int error, n;

	if (copy_from_user(&io, user, sizeof(io)))
		return -EFAULT;
	capacity = min_t(unsigned int, io.dtfl_capacity, FAILURES_MAX);
	error = charged_alloc(&list, DTRACE_RES_BYTES,
			      max(capacity, 1U) * sizeof(struct fasttrap_failure), NULL, 0);
	if (error)
		return error;
	failures = list.p;
	n = fasttrap_session_failures(open->session, list.p, capacity);
	if (n < 0) {
		error = n;
		goto out;
	}
	io.dtfl_n = n;
	to = u64_to_user_ptr(io.dtfl_list);
	for (i = 0; i < min(io.dtfl_n, capacity) && !error; i++)
		error = ft_give_failure(&to[i], &failures[i]);
	if (!error && copy_to_user(user, &io, sizeof(io)))
		error = -EFAULT;
out:
	dtrace_charged_free(&list);
	return error;
}

static int ft_count(void __user *user)
{
	struct fasttrap_target target;
	struct task_struct *task;
	dtrace_ft_count_t count;
	int error;

	if (copy_from_user(&count, user, sizeof(count)))
		return -EFAULT;
	error = target_get(&target, count.dtfc_pid, &task);
	if (error)
		return error;
	error = fasttrap_count(target.mm, &count.dtfc_registrations, &count.dtfc_sites);
	count.dtfc_pad = 0;
	target_put(&target, task);
	if (error)
		return error;
	return copy_to_user(user, &count, sizeof(count)) ? -EFAULT : 0;
}

static int ft_stop_exec(struct ft_open *open, const void __user *from)
{
	struct fasttrap_target target;
	dtrace_stop_exec_t exec;
	struct task_struct *task;
	struct pid *pid;
	int number;

	if (copy_from_user(&exec, from, sizeof(exec)))
		return -EFAULT;
	if (!exec.dtfx_pid)
		return stop_point_add_exec(open->tracer, &exec, NULL);
	number = target_get(&target, exec.dtfx_pid, &task);
	if (number)
		return number;
	pid = get_task_pid(task, PIDTYPE_TGID);
	number = pid ? stop_point_add_exec(open->tracer, &exec, pid) : -ESRCH;
	put_pid(pid);
	target_put(&target, task);
	return number;
}

static int ft_stop_address(struct ft_open *open, const void __user *from)
{
	dtrace_stop_address_t address;
	struct fasttrap_target target;
	struct task_struct *task;
	int number;

	if (copy_from_user(&address, from, sizeof(address)))
		return -EFAULT;
	number = target_get(&target, address.dtfa_pid, &task);
	if (number)
		return number;
	number = stop_point_add_address(open->tracer, &address, target.mm);
	target_put(&target, task);
	return number;
}

static int ft_unwind_maps(struct ft_open *open, const void __user *from)
{
	struct fasttrap_target target;
	dtrace_unwind_process_t process;
	struct task_struct *task;
	int error;

	if (copy_from_user(&process, from, sizeof(process)))
		return -EFAULT;
	error = target_get(&target, process.dtup_pid, &task);
	if (error)
		return error;
	error = unwind_set_maps(&open->unwind, open->account, target.mm, &process);
	target_put(&target, task);
	return error;
}

static long ft_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ft_open *open = file->private_data;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case DTRACEFTIOC_REGISTER:
		return ft_register(open, user);
	case DTRACEFTIOC_REGISTER_FILE:
		return ft_register_file(open, user);
	case DTRACEFTIOC_REMOVE:
		return ft_remove(open, user);
	case DTRACEFTIOC_FAILURES:
		return ft_failures(open, user);
	case DTRACEFTIOC_COUNT:
		return ft_count(user);
	case DTRACEFTIOC_STOP_EXEC:
		return ft_stop_exec(open, user);
	case DTRACEFTIOC_STOP_ADDRESS:
		return ft_stop_address(open, user);
	case DTRACEFTIOC_STOP_RELEASE:
		return arg > INT_MAX ? -ESRCH : stop_tracer_release(open->tracer, (int)arg);
	case DTRACEFTIOC_STOP_END:
		return arg > INT_MAX ? -ENOENT : stop_tracer_remove_point(open->tracer, (int)arg);
	case DTRACEFTIOC_UNWIND_TABLE:
		return unwind_add_table(&open->unwind, open->account, user);
	case DTRACEFTIOC_UNWIND_MAPS:
		return ft_unwind_maps(open, user);
	case DTRACEFTIOC_UNWIND_MISSING:
		return unwind_get_missing(&open->unwind, open->account, user);
	default:
		return -ENOTTY;
	}
}

/* ---- open and close ---- */

static void ft_close(struct ft_open *open)
{
	if (open->tracer)
		stop_tracer_destroy(open->tracer);
	if (open->session)
		fasttrap_session_destroy(open->session);
	unwind_close(open->unwind);
	dtrace_account_put(open->account);
	kfree(open);
}

static int ft_open(struct inode *inode, struct file *file)
{
	struct ft_open *open;

	if (!(permission_rights() & (DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER)))
		return -EACCES;
	open = kzalloc(sizeof(*open), GFP_KERNEL_ACCOUNT);
	if (!open)
		return -ENOMEM;
	open->account =
		dtrace_account_get(permission_account(file->f_cred), permission_unlimited());
	if (open->account) {
		open->session = fasttrap_session_create(open->account);
		open->tracer = stop_tracer_create(open->account);
	}
	if (!open->session || !open->tracer) {
		ft_close(open);
		return -ENOMEM;
	}
	file->private_data = open;
	return nonseekable_open(inode, file);
}

static int ft_release(struct inode *inode, struct file *file)
{
	ft_close(file->private_data);
	return 0;
}

static ssize_t ft_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct ft_open *open = file->private_data;

	return stop_tracer_read(open->tracer, to, size, !(file->f_flags & O_NONBLOCK));
}

static __poll_t ft_poll(struct file *file, poll_table *wait)
{
	struct ft_open *open = file->private_data;

	return stop_tracer_poll(open->tracer, file, wait);
}

static const struct file_operations ft_fops = {
	.owner = THIS_MODULE,
	.open = ft_open,
	.release = ft_release,
	.read = ft_read,
	.poll = ft_poll,
	.unlocked_ioctl = ft_ioctl,
	.compat_ioctl = compat_ptr_ioctl,
};

struct miscdevice fasttrap_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace-fasttrap",
	.nodename = "dtrace/fasttrap",
	.mode = 0666, /* ft_open checks permission */
	.fops = &ft_fops,
};
