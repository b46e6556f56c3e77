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
	error = fasttrap_charged_alloc(dof, DTRACE_RES_BYTES, hdr.dofh_loadsz, errmsg, len);
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

/* Register DOF as fasttrap_register_helper() does, whose module name has been checked. */
static int helper_register_dof(const struct fasttrap_target *target, const dof_helper_t *helper,
			       uint64_t user, char *errmsg, size_t len)
{
	struct dtrace_helper_dof *dof = helper_read(target, helper, user, errmsg, len);

	if (IS_ERR(dof))
		return PTR_ERR(dof);
	errmsg[0] = '\0';
	return fasttrap_register(target, helper->dofhp_mod, dof, errmsg, len);
}

int fasttrap_register_helper(const struct fasttrap_target *target, const dof_helper_t *helper,
			     uint64_t user, char *errmsg)
{
	int gen;

	errmsg[0] = '\0';
	if (strnlen(helper->dofhp_mod, sizeof(helper->dofhp_mod)) == sizeof(helper->dofhp_mod)) {
		gen = -EINVAL;
		strscpy(errmsg, "the module's name does not end", FASTTRAP_ERRLEN);
	} else {
		gen = helper_register_dof(target, helper, user, errmsg, FASTTRAP_ERRLEN);
	}
	if (gen < 0 && gen != -EALREADY && !target->session) {
		fasttrap_note_refusal();
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

struct miscdevice fasttrap_helper_device = {
	.minor = MISC_DYNAMIC_MINOR,
	.name = "dtrace-helper",
	.nodename = "dtrace/helper",
	.mode = 0666,
	.fops = &helper_fops,
};
