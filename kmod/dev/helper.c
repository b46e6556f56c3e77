// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * helper.c - /dev/dtrace/helper, a device of fasttrap: programs register the DOF of their probes.
 * Every process may open it, so that all data is checked.
 *
 * /proc/dtrace/helper_errors has the reasons of the last refusals, since a program at its very
 * start has nowhere to report them.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/timekeeping.h>
#include <linux/uaccess.h>
#include <dtrace/helper.h>

#include "dev.h"
#include "engine.h"
#include "permission.h"
#include "providers/fasttrap/fasttrap.h"

/* ---- errors ---- */

#define ERRORS_KEPT 64
#define ERRORS_OWN  16 /* of one user */

struct helper_error {
	u64 number; /* counted from 1; 0: free */
	time64_t time;
	uint32_t uid;
	pid_t pid;
	int error;
	char comm[TASK_COMM_LEN];
	char text[HELPER_ERRLEN];
};

static DEFINE_SPINLOCK(errors_lock); /* errors, errors_total */
static struct helper_error errors[ERRORS_KEPT];
static u64 errors_total;

/*
 * Return the element for a new error of a user: the user's own oldest error, if the user has
 * ERRORS_OWN; otherwise a free element; otherwise the oldest error of all. Free elements have the
 * lowest number. [errors_lock]
 */
static struct helper_error *error_choose(uint32_t uid)
{
	struct helper_error *e, *oldest = errors, *own = NULL;
	unsigned int n = 0;

	lockdep_assert_held(&errors_lock);
	for (e = errors; e < errors + ERRORS_KEPT; e++) {
		if (e->number < oldest->number)
			oldest = e;
		if (!e->number || e->uid != uid)
			continue;
		n++;
		if (!own || e->number < own->number)
			own = e;
	}
	return n >= ERRORS_OWN ? own : oldest;
}

void helper_error_note(uint32_t uid, pid_t pid, const char *comm, int error, const char *text)
{
	struct helper_error *e;

	pr_debug("dtrace: %s[%d]: registration refused (error %d): %s\n", comm, pid, error, text);
	spin_lock(&errors_lock);
	e = error_choose(uid);
	e->number = ++errors_total;
	e->time = ktime_get_real_seconds();
	e->uid = uid;
	e->pid = pid;
	e->error = error;
	strscpy(e->comm, comm, sizeof(e->comm));
	strscpy(e->text, text, sizeof(e->text));
	spin_unlock(&errors_lock);
}

/* Print an error. */
static void error_show(struct seq_file *seq, const struct helper_error *e)
{
	seq_printf(seq, "%10lld %7d %5d ", (long long)e->time, e->pid, e->error);
	seq_escape_str(seq, e->comm, ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP, " \\");
	seq_putc(seq, ' ');
	seq_escape_str(seq, e->text, ESCAPE_SPECIAL | ESCAPE_NP, "\\");
	seq_putc(seq, '\n');
}

/* Order errors by number, for sort(). */
static int error_compare(const void *pa, const void *pb)
{
	const struct helper_error *a = pa, *b = pb;

	return a->number < b->number ? -1 : a->number > b->number;
}

void helper_errors_show(struct seq_file *seq)
{
	struct helper_error *copy = kmalloc(sizeof(errors), GFP_KERNEL);
	u64 total;
	unsigned int i;

	if (!copy)
		return;
	spin_lock(&errors_lock);
	memcpy(copy, errors, sizeof(errors));
	total = errors_total;
	spin_unlock(&errors_lock);
	sort(copy, ERRORS_KEPT, sizeof(*copy), error_compare, NULL);
	seq_printf(seq, "      TIME     PID ERROR COMMAND REASON (last of %llu)\n", total);
	for (i = 0; i < ERRORS_KEPT; i++)
		if (copy[i].number)
			error_show(seq, &copy[i]);
	kfree(copy);
}

/* ---- registration ---- */

int charged_alloc(struct dtrace_charged *c, enum dtrace_resource res, size_t size, char *errmsg,
		  size_t len)
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
 * Copy DOF from an address of the current process to dof, which the caller frees even after an
 * error.
 * -EFAULT, -EINVAL, -E2BIG, -ENOMEM or -EDQUOT, with the reason in errmsg.
 */
static int helper_copy(struct dtrace_charged *dof, uint64_t addr, char *errmsg, size_t len)
{
	const void __user *from = u64_to_user_ptr(addr);
	dof_hdr_t hdr;
	int error;

	snprintf(errmsg, len, "there is no DOF header at %#llx", (unsigned long long)addr);
	if (copy_from_user(&hdr, from, sizeof(hdr)))
		return -EFAULT;
	snprintf(errmsg, len, "the DOF says that it has %llu bytes",
		 (unsigned long long)hdr.dofh_loadsz);
	if (hdr.dofh_loadsz < sizeof(hdr))
		return -EINVAL;
	if (hdr.dofh_loadsz > DTRACE_HELPER_MAXSIZE)
		return -E2BIG;
	error = charged_alloc(dof, DTRACE_RES_BYTES, hdr.dofh_loadsz, errmsg, len);
	if (error)
		return error;
	return copy_from_user(dof->p, from, dof->size) ? -EFAULT : 0;
}

/* Copy and check DOF; return it, or an error as ERR_PTR with the reason in errmsg. */
static struct dtrace_helper_dof *helper_read(const struct fasttrap_target *target,
					     const dof_helper_t *helper, uint64_t user,
					     char *errmsg, size_t len)
{
	struct dtrace_helper_dof *parsed;
	struct dtrace_charged dof = {};
	int error = helper_copy(&dof, helper->dofhp_dof, errmsg, len);

	if (error)
		goto out;
	errmsg[0] = '\0';
	error = dtrace_helper_parse_charged(dof.account, dof.p, dof.size, user, helper->dofhp_addr,
					    target->mm ? target->mm->task_size : LLONG_MAX, &parsed,
					    errmsg, len);
out:
	dtrace_charged_free(&dof);
	return error ? ERR_PTR(error) : parsed;
}

/* Register DOF as helper_register() does, whose module name has been checked. */
static int helper_register_dof(const struct fasttrap_target *target, const dof_helper_t *helper,
			       uint64_t user, char *errmsg, size_t len)
{
	struct dtrace_helper_dof *dof = helper_read(target, helper, user, errmsg, len);

	if (IS_ERR(dof))
		return PTR_ERR(dof);
	errmsg[0] = '\0';
	return fasttrap_register(target, helper->dofhp_mod, dof, errmsg, len);
}

int helper_register(const struct fasttrap_target *target, const dof_helper_t *helper, uint64_t user,
		    char *errmsg)
{
	int gen;

	errmsg[0] = '\0';
	if (strnlen(helper->dofhp_mod, sizeof(helper->dofhp_mod)) == sizeof(helper->dofhp_mod)) {
		gen = -EINVAL;
		strscpy(errmsg, "the module's name does not end", HELPER_ERRLEN);
	} else {
		gen = helper_register_dof(target, helper, user, errmsg, HELPER_ERRLEN);
	}
	if (gen < 0 && gen != -EALREADY && !target->session) {
		fasttrap_note_refusal();
		helper_error_note(from_kuid_munged(&init_user_ns, target->uid), target->pid,
				  target->comm, gen, errmsg);
	}
	return gen;
}

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

/* Register DOF for the current process. The number of the registration, or a negative errno. */
static int helper_add(const dof_helper_t *helper)
{
	struct fasttrap_target target = {};
	char errmsg[HELPER_ERRLEN];
	int gen;

	helper_target(&target);
	target.account =
		dtrace_account_get(permission_account(current_cred()), permission_unlimited());
	if (!target.account)
		return -ENOMEM;
	gen = helper_register(&target, helper, helper->dofhp_dof, errmsg);
	dtrace_account_put(target.account);
	return gen;
}

/* Do the same for the short request, which has only the address of the DOF. */
static int helper_add_short(uint64_t addr)
{
	dof_helper_t helper = {.dofhp_dof = addr};

	return helper_add(&helper);
}

/* Do the same for the full request, which is in the caller's memory. */
static int helper_add_full(const void __user *from)
{
	dof_helper_t helper;

	if (copy_from_user(&helper, from, sizeof(helper)))
		return -EFAULT;
	return helper_add(&helper);
}

/* ---- the device ---- */

/* Carry out a request. pointer: arg as an address of the caller, 32-bit or 64-bit. */
static long helper_do(unsigned int cmd, unsigned long arg, void __user *pointer)
{
	if (!current->mm)
		return -EFAULT;
	switch (cmd) {
	case DTRACEHIOC_ADD:
	case DTRACEHIOC_LINUX_ADD:
		return helper_add_short((unsigned long)pointer);
	case DTRACEHIOC_ADDDOF:
	case DTRACEHIOC_LINUX_ADDDOF:
		return helper_add_full(pointer);
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

static struct miscdevice helper_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace-helper",
	.nodename = "dtrace/helper",
	.mode = 0666,
	.fops = &helper_fops,
};

int helper_device_init(void)
{
	return misc_register(&helper_device);
}

void helper_device_exit(void)
{
	misc_deregister(&helper_device);
}
