// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fasttrap_device.c - /dev/dtrace/fasttrap: registering the probes of a process that is already
 * running, on its behalf, and holding its threads.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/module.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/coredump.h>
#include <linux/sched/mm.h>
#include <linux/sched/task.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <dtrace/fasttrap.h>

#include "device.h"
#include "engine.h"
#include "providers/fasttrap.h"
#include "providers/fasttrap_hold.h"

/* What belongs to an open file. */
struct ft_open {
	struct fasttrap_holder *holder;
};

/* ---- who may act for whom ---- */

/* A process that has not changed its user or group, and that may be looked into, is its user's. */
static bool target_is_ours(struct task_struct *task, struct mm_struct *mm)
{
	const struct cred *mine = current_cred(), *theirs = get_task_cred(task);
	bool ours = get_dumpable(mm) == SUID_DUMP_USER &&
		    uid_eq(mine->euid, theirs->uid) && uid_eq(mine->euid, theirs->euid) &&
		    uid_eq(mine->euid, theirs->suid) && gid_eq(mine->egid, theirs->gid) &&
		    gid_eq(mine->egid, theirs->egid) && gid_eq(mine->egid, theirs->sgid);

	put_cred(theirs);
	return ours;
}

static void target_fill(struct fasttrap_target *target, struct task_struct *task,
			struct mm_struct *mm)
{
	target->mm = mm;
	target->pid = task->tgid;
	target->uid = get_dumpable(mm) == SUID_DUMP_USER ? task_euid(task) : GLOBAL_ROOT_UID;
	target->trusted = capable(CAP_SYS_ADMIN);
	target->by_proxy = true;
	memcpy(target->comm, task->comm, sizeof(target->comm));
	target->comm[TASK_COMM_LEN - 1] = '\0';
}

static struct task_struct *target_task(int32_t number)
{
	struct pid *pid = find_get_pid(number);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_TGID);

	put_pid(pid);
	return task;
}

static int target_check(struct fasttrap_target *target, struct task_struct *task)
{
	struct mm_struct *mm = get_task_mm(task);

	if (!mm)
		return -ESRCH;
	if (!capable(CAP_SYS_PTRACE) && !target_is_ours(task, mm)) {
		mmput(mm);
		return -EPERM;
	}
	target_fill(target, task, mm);
	return 0;
}

/* The target's memory, and the task, are held until target_put. */
static int target_get(struct fasttrap_target *target, int32_t pid, struct task_struct **task)
{
	int error;

	*task = target_task(pid);
	if (!*task)
		return -ESRCH;
	error = target_check(target, *task);
	if (error)
		put_task_struct(*task);
	return error;
}

static void target_put(struct fasttrap_target *target, struct task_struct *task)
{
	mmput(target->mm);
	put_task_struct(task);
}

/* ---- commands ---- */

static int ft_register(const void __user *from)
{
	struct fasttrap_target target;
	struct task_struct *task;
	dtrace_ft_register_t reg;
	int gen;

	if (copy_from_user(&reg, from, sizeof(reg)))
		return -EFAULT;
	if (reg.dtfr_pad)
		return -EINVAL;
	gen = target_get(&target, reg.dtfr_pid, &task);
	if (gen)
		return gen;
	gen = helper_register(&target, &reg.dtfr_helper, reg.dtfr_dof);
	fasttrap_recheck(task, target.mm);
	target_put(&target, task);
	return gen;
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
	fasttrap_count(target.mm, &count.dtfc_registrations, &count.dtfc_sites);
	count.dtfc_pad = 0;
	target_put(&target, task);
	return copy_to_user(user, &count, sizeof(count)) ? -EFAULT : 0;
}

static int ft_hold_exec(struct ft_open *open, const void __user *from)
{
	dtrace_ft_hold_exec_t exec;

	if (copy_from_user(&exec, from, sizeof(exec)))
		return -EFAULT;
	return hold_exec(open->holder, &exec);
}

static int ft_hold_address(struct ft_open *open, const void __user *from)
{
	dtrace_ft_hold_address_t address;
	struct fasttrap_target target;
	struct task_struct *task;
	int number;

	if (copy_from_user(&address, from, sizeof(address)))
		return -EFAULT;
	number = target_get(&target, address.dtfa_pid, &task);
	if (number)
		return number;
	number = hold_address(open->holder, &address, target.mm);
	target_put(&target, task);
	return number;
}

static long ft_ioctl(struct file *file, unsigned int cmd, unsigned long arg)
{
	struct ft_open *open = file->private_data;
	void __user *user = (void __user *)arg;

	switch (cmd) {
	case DTRACEFTIOC_REGISTER:
		return ft_register(user);
	case DTRACEFTIOC_COUNT:
		return ft_count(user);
	case DTRACEFTIOC_HOLD_EXEC:
		return ft_hold_exec(open, user);
	case DTRACEFTIOC_HOLD_ADDRESS:
		return ft_hold_address(open, user);
	case DTRACEFTIOC_HOLD_RELEASE:
		return hold_release(open->holder, arg);
	case DTRACEFTIOC_HOLD_END:
		return hold_end(open->holder, arg);
	default:
		return -ENOTTY;
	}
}

/* ---- the device ---- */

static int ft_open(struct inode *inode, struct file *file)
{
	struct ft_open *open = kzalloc(sizeof(*open), GFP_KERNEL_ACCOUNT);

	if (!open)
		return -ENOMEM;
	open->holder = hold_create();
	if (!open->holder) {
		kfree(open);
		return -ENOMEM;
	}
	file->private_data = open;
	return nonseekable_open(inode, file);
}

static int ft_release(struct inode *inode, struct file *file)
{
	struct ft_open *open = file->private_data;

	hold_destroy(open->holder);
	kfree(open);
	return 0;
}

static ssize_t ft_read(struct file *file, char __user *to, size_t size, loff_t *pos)
{
	struct ft_open *open = file->private_data;

	return hold_read(open->holder, to, size, !(file->f_flags & O_NONBLOCK));
}

static __poll_t ft_poll(struct file *file, poll_table *wait)
{
	struct ft_open *open = file->private_data;

	return hold_poll(open->holder, file, wait);
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

static struct miscdevice ft_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace-fasttrap",
	.nodename = "dtrace/fasttrap",
	.mode = 0600,
	.fops = &ft_fops,
};

int fasttrap_device_init(void)
{
	return misc_register(&ft_device);
}

void fasttrap_device_exit(void)
{
	misc_deregister(&ft_device);
}
