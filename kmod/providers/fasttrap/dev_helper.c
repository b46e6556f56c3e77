// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * dev_helper.c - /dev/dtrace/helper: programs register the DOF of their probes.
 * Every process may open it, so that all data is checked.
 */
#include <linux/capability.h>
#include <linux/compat.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/miscdevice.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <dtrace/helper.h>

#include "dev.h"
#include "engine.h"
#include "permission.h"

/* ---- registration ---- */

int fasttrap_charged_alloc(struct dtrace_charged *c, enum dtrace_resource res, size_t size,
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
static struct dtrace_helper_dof *helper_read(const struct fasttrap_target *target,
					     const dof_helper_t *helper, uint64_t user,
					     char *errmsg, size_t len)
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
	error = fasttrap_charged_alloc(&dof, DTRACE_RES_BYTES, hdr.dofh_loadsz, errmsg, len);
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

int fasttrap_register_helper(const struct fasttrap_target *target, const dof_helper_t *helper,
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
	dof = helper_read(target, helper, user, errmsg, FASTTRAP_ERRLEN);
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
	char errmsg[FASTTRAP_ERRLEN];
	int gen;

	helper_target(&target);
	target.account =
		dtrace_account_get(permission_account(current_cred()), permission_unlimited());
	if (!target.account)
		return -ENOMEM;
	gen = fasttrap_register_helper(&target, helper, helper->dofhp_dof, errmsg);
	dtrace_account_put(target.account);
	return gen;
}

/* ---- the device ---- */

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
