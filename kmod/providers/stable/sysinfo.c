// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sysinfo.c - the sysinfo provider: counters of the system, which fire when they change, in the
 * process that causes the change. arg0 is the increment of the counter.
 *
 * Calls and bytes are the same as in /proc/PID/io, so the probes are at the functions that count
 * for it. Arguments of functions are read by loads that may fail, since no compiler compares the
 * handlers with the functions' prototypes.
 */
#include <linux/bio.h>
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/signal.h>
#include <linux/smp.h>
#include <asm/trace/exceptions.h>
#include <trace/events/block.h>
#include <trace/events/module.h>
#include <trace/events/sched.h>
#include <trace/events/task.h>

#include "stable.h"
#include "target.h"

/* Fire at functions of which each call counts. */
static notrace void sysinfo_one(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, 1);
}

/* ---- processors ---- */

static notrace void sysinfo_switch(void *data, bool preempt, struct task_struct *prev,
				   struct task_struct *next, unsigned int prev_state)
{
	stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/*
 * Fire at switches that /proc/PID/status counts as involuntary. The idle thread always yields to
 * others.
 */
static notrace void sysinfo_inv_switch(void *data, bool preempt, struct task_struct *prev,
				       struct task_struct *next, unsigned int prev_state)
{
	if ((preempt || !prev_state) && !is_idle_task(prev))
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

static notrace void sysinfo_idle(void *data, bool preempt, struct task_struct *prev,
				 struct task_struct *next, unsigned int prev_state)
{
	if (is_idle_task(next))
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/* Fire if a task changes its CPU. The tracepoint also fires for a task that stays on its CPU. */
static notrace void sysinfo_migrate(void *data, struct task_struct *task, int cpu)
{
	if (task_cpu(task) != cpu)
		stable_fire((const struct stable_trigger *)data, NULL, 1, (uintptr_t)task);
}

/*
 * Fire at generic_exec_single(cpu, csd): a processor is to call a function. For the current one
 * there is no cross call.
 */
static notrace void sysinfo_cross_call(const struct stable_trigger *t, struct pt_regs *regs)
{
	if ((int)regs->di != raw_smp_processor_id())
		stable_fire(t, regs, 1);
}

/*
 * Fire at smp_call_function_many_cond(mask, ...): cross calls to the other processors of a mask.
 * Each word of the mask is loaded separately; a word that cannot be read has no processors.
 */
static notrace void sysinfo_cross_calls(const struct stable_trigger *t, struct pt_regs *regs)
{
	const unsigned long *online = cpumask_bits(cpu_online_mask);
	unsigned int self = raw_smp_processor_id(), n = 0, i;
	unsigned long word;

	for (i = 0; i < BITS_TO_LONGS(nr_cpu_ids); i++) {
		if (target_load_kernel(&word, regs->di + i * sizeof(word), sizeof(word)))
			continue;
		word &= READ_ONCE(online[i]);
		if (i == self / BITS_PER_LONG)
			word &= ~(1UL << self % BITS_PER_LONG);
		n += (unsigned int)hweight_long(word);
	}
	if (n)
		stable_fire(t, regs, n);
}

/* ---- traps ---- */

static notrace void sysinfo_page_fault(void *data, unsigned long address, struct pt_regs *regs,
				       unsigned long error)
{
	stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/*
 * Fire at force_sig_info_to_task(info, task, handler): other kinds of traps are recognised by the
 * signal. Page faults have their own triggers above.
 */
static notrace void sysinfo_signal(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct kernel_siginfo info;

	if ((struct task_struct *)regs->si != current ||
	    target_load_kernel(&info, regs->di, sizeof(info)))
		return;
	switch (info.si_signo) {
	case SIGSEGV:
		if (info.si_code != SI_KERNEL)
			return;
		break;
	case SIGILL:
	case SIGTRAP:
	case SIGFPE:
		break;
	default:
		return;
	}
	stable_fire(t, regs, 1);
}

/* ---- processes ---- */

/*
 * Return whether kernel_clone(args), which also makes threads of the kernel, makes a process by
 * fork or by vfork.
 */
static notrace bool sysinfo_is_fork(const struct pt_regs *regs, bool vfork)
{
	struct kernel_clone_args args;

	return !target_load_kernel(&args, regs->di, sizeof(args)) && !args.fn &&
	       !(args.flags & CLONE_THREAD) && !!(args.flags & CLONE_VFORK) == vfork;
}

static notrace void sysinfo_fork(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (sysinfo_is_fork(regs, false))
		stable_fire(t, regs, 1);
}

static notrace void sysinfo_vfork(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (sysinfo_is_fork(regs, true))
		stable_fire(t, regs, 1);
}

/* Fire if kernel_clone() has failed because there may be no more processes. */
static notrace void sysinfo_no_fork(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long first)
{
	if ((int)regs->ax == -EAGAIN)
		stable_fire(t, regs, 1);
}

static notrace void sysinfo_thread(void *data, struct task_struct *child, unsigned long flags)
{
	stable_fire((const struct stable_trigger *)data, NULL, 1);
}

static notrace void sysinfo_modload(void *data, struct module *module)
{
	stable_fire((const struct stable_trigger *)data, NULL, 1);
}

static notrace void sysinfo_modunload(void *data, struct module *module)
{
	stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/* ---- calls that read and write ---- */

/*
 * Fire after vfs_read(file, ...) and __kernel_read(file, ...). If the file may not be used so, the
 * kernel counts no call.
 */
static notrace void sysinfo_read(const struct stable_trigger *t, struct pt_regs *regs,
				 unsigned long file)
{
	if ((long)regs->ax >= 0 || stable_file_may(file, FMODE_READ | FMODE_CAN_READ))
		stable_fire(t, regs, 1);
}

/* Fire after vfs_write(file, ...) and __kernel_write_iter(file, ...). */
static notrace void sysinfo_written(const struct stable_trigger *t, struct pt_regs *regs,
				    unsigned long file)
{
	if ((long)regs->ax >= 0 || stable_file_may(file, FMODE_WRITE | FMODE_CAN_WRITE))
		stable_fire(t, regs, 1);
}

/* Fire at the return of a system call of which each call counts. */
static notrace void sysinfo_returned(const struct stable_trigger *t, struct pt_regs *regs,
				     unsigned long first)
{
	stable_fire(t, regs, 1);
}

/* Fire if a function that counts a call when it succeeds has succeeded. */
static notrace void sysinfo_succeeded(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long first)
{
	if ((long)regs->ax >= 0)
		stable_fire(t, regs, 1);
}

/* Fire if a function that counts a call when it copies data has copied data. */
static notrace void sysinfo_copied(const struct stable_trigger *t, struct pt_regs *regs,
				   unsigned long first)
{
	if ((long)regs->ax > 0)
		stable_fire(t, regs, 1);
}

/*
 * Fire if a function has returned the number of bytes that it has read or written, and not an
 * error.
 */
static notrace void sysinfo_bytes(const struct stable_trigger *t, struct pt_regs *regs,
				  unsigned long first)
{
	if ((long)regs->ax > 0)
		stable_fire(t, regs, regs->ax);
}

/* ---- block devices: transfers with data, as those of the io provider ---- */

static notrace void sysinfo_bread(void *data, struct bio *bio)
{
	if (bio->bi_iter.bi_size && !op_is_write(bio_op(bio)))
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

static notrace void sysinfo_bwrite(void *data, struct bio *bio)
{
	if (bio->bi_iter.bi_size && op_is_write(bio_op(bio)))
		stable_fire((const struct stable_trigger *)data, NULL, 1);
}

/* ---- tables ---- */

#define INCREMENT                       \
	{                               \
		{                       \
			"unsigned long" \
		}                       \
	}

static struct stable_probe sysinfo_probes[] = {
	{"pswitch", INCREMENT},
	{"inv_swtch", INCREMENT},
	{"idlethread", INCREMENT},
	{"cpumigrate", {{"unsigned long"}, {"struct task_struct *", "psinfo_t *", 1}}},
	{"xcalls", INCREMENT},
	{"trap", INCREMENT},
	{"sysfork", INCREMENT},
	{"sysvfork", INCREMENT},
	{"procovf", INCREMENT},
	{"nthreads", INCREMENT},
	{"sysexec", INCREMENT},
	{"modload", INCREMENT},
	{"modunload", INCREMENT},
	{"namei", INCREMENT},
	{"sysread", INCREMENT},
	{"readch", INCREMENT},
	{"syswrite", INCREMENT},
	{"writech", INCREMENT},
	{"bread", INCREMENT},
	{"bwrite", INCREMENT},
	{"msg", INCREMENT},
	{"sema", INCREMENT},
	{"mutex_adenters", INCREMENT},
	{"rw_rdfails", INCREMENT},
	{"rw_wrfails", INCREMENT},
};

static struct stable_trigger sysinfo_triggers[] = {
	STABLE_TP("pswitch", sched_switch, sysinfo_switch),
	STABLE_TP("inv_swtch", sched_switch, sysinfo_inv_switch),
	STABLE_TP("idlethread", sched_switch, sysinfo_idle),
	STABLE_TP("cpumigrate", sched_migrate_task, sysinfo_migrate),
	STABLE_ENTERED("xcalls", "generic_exec_single", sysinfo_cross_call),
	STABLE_ENTERED("xcalls", "smp_call_function_many_cond", sysinfo_cross_calls),
	STABLE_TP("trap", page_fault_user, sysinfo_page_fault),
	STABLE_TP("trap", page_fault_kernel, sysinfo_page_fault),
	STABLE_ENTERED("trap", "force_sig_info_to_task", sysinfo_signal),
	STABLE_ENTERED("sysfork", "kernel_clone", sysinfo_fork),
	STABLE_ENTERED("sysvfork", "kernel_clone", sysinfo_vfork),
	STABLE_RETURNED("procovf", "kernel_clone", sysinfo_no_fork),
	STABLE_TP("nthreads", task_newtask, sysinfo_thread),
	STABLE_ENTERED("sysexec", "do_execveat_common.isra.0", sysinfo_one),
	STABLE_ENTERED("sysexec", "do_execveat_common", sysinfo_one),
	STABLE_TP("modload", module_load, sysinfo_modload),
	STABLE_TP("modunload", module_free, sysinfo_modunload),
	STABLE_ENTERED("namei", "filename_lookup", sysinfo_one),
	STABLE_ENTERED("namei", "do_filp_open", sysinfo_one),
	STABLE_ENTERED("namei", "do_file_open_root", sysinfo_one),
	STABLE_ENTERED("namei", "__filename_parentat", sysinfo_one),
	STABLE_ENTERED("namei", "vfs_path_lookup", sysinfo_one),
	STABLE_RETURNED("sysread", "vfs_read", sysinfo_read),
	STABLE_RETURNED("sysread", "__kernel_read", sysinfo_read),
	STABLE_RETURNED("sysread", "__x64_sys_readv", sysinfo_returned),
	STABLE_RETURNED("sysread", "__x64_sys_preadv", sysinfo_returned),
	STABLE_RETURNED("sysread", "__x64_sys_preadv2", sysinfo_returned),
	STABLE_RETURNED("sysread", "__ia32_sys_readv", sysinfo_returned),
	STABLE_RETURNED("sysread", "__ia32_compat_sys_preadv", sysinfo_returned),
	STABLE_RETURNED("sysread", "__ia32_compat_sys_preadv2", sysinfo_returned),
	STABLE_RETURNED("sysread", "do_sendfile", sysinfo_succeeded),
	STABLE_RETURNED("sysread", "vfs_copy_file_range", sysinfo_copied),
	STABLE_RETURNED("readch", "vfs_read", sysinfo_bytes),
	STABLE_RETURNED("readch", "__kernel_read", sysinfo_bytes),
	STABLE_RETURNED("readch", "__x64_sys_readv", sysinfo_bytes),
	STABLE_RETURNED("readch", "__x64_sys_preadv", sysinfo_bytes),
	STABLE_RETURNED("readch", "__x64_sys_preadv2", sysinfo_bytes),
	STABLE_RETURNED("readch", "__ia32_sys_readv", sysinfo_bytes),
	STABLE_RETURNED("readch", "__ia32_compat_sys_preadv", sysinfo_bytes),
	STABLE_RETURNED("readch", "__ia32_compat_sys_preadv2", sysinfo_bytes),
	STABLE_RETURNED("readch", "do_sendfile", sysinfo_bytes),
	STABLE_RETURNED("readch", "vfs_copy_file_range", sysinfo_bytes),
	STABLE_RETURNED("syswrite", "vfs_write", sysinfo_written),
	STABLE_RETURNED("syswrite", "__kernel_write_iter", sysinfo_written),
	STABLE_RETURNED("syswrite", "__x64_sys_writev", sysinfo_returned),
	STABLE_RETURNED("syswrite", "__x64_sys_pwritev", sysinfo_returned),
	STABLE_RETURNED("syswrite", "__x64_sys_pwritev2", sysinfo_returned),
	STABLE_RETURNED("syswrite", "__ia32_sys_writev", sysinfo_returned),
	STABLE_RETURNED("syswrite", "__ia32_compat_sys_pwritev", sysinfo_returned),
	STABLE_RETURNED("syswrite", "__ia32_compat_sys_pwritev2", sysinfo_returned),
	STABLE_RETURNED("syswrite", "do_sendfile", sysinfo_succeeded),
	STABLE_RETURNED("syswrite", "vfs_copy_file_range", sysinfo_copied),
	STABLE_RETURNED("writech", "vfs_write", sysinfo_bytes),
	STABLE_RETURNED("writech", "__kernel_write_iter", sysinfo_bytes),
	STABLE_RETURNED("writech", "__x64_sys_writev", sysinfo_bytes),
	STABLE_RETURNED("writech", "__x64_sys_pwritev", sysinfo_bytes),
	STABLE_RETURNED("writech", "__x64_sys_pwritev2", sysinfo_bytes),
	STABLE_RETURNED("writech", "__ia32_sys_writev", sysinfo_bytes),
	STABLE_RETURNED("writech", "__ia32_compat_sys_pwritev", sysinfo_bytes),
	STABLE_RETURNED("writech", "__ia32_compat_sys_pwritev2", sysinfo_bytes),
	STABLE_RETURNED("writech", "do_sendfile", sysinfo_bytes),
	STABLE_RETURNED("writech", "vfs_copy_file_range", sysinfo_bytes),
	STABLE_TP("bread", block_bio_queue, sysinfo_bread),
	STABLE_TP("bwrite", block_bio_queue, sysinfo_bwrite),
	STABLE_ENTERED("msg", "do_msgsnd", sysinfo_one),
	STABLE_ENTERED("msg", "do_msgrcv", sysinfo_one),
	STABLE_ENTERED("sema", "__do_semtimedop", sysinfo_one),
	STABLE_ENTERED("mutex_adenters", "__mutex_lock_slowpath", sysinfo_one),
	STABLE_ENTERED("mutex_adenters", "__mutex_lock_interruptible_slowpath", sysinfo_one),
	STABLE_ENTERED("mutex_adenters", "__mutex_lock_killable_slowpath", sysinfo_one),
	STABLE_ENTERED("rw_rdfails", "rwsem_down_read_slowpath", sysinfo_one),
	STABLE_ENTERED("rw_rdfails", "queued_read_lock_slowpath", sysinfo_one),
	STABLE_ENTERED("rw_wrfails", "rwsem_down_write_slowpath", sysinfo_one),
	STABLE_ENTERED("rw_wrfails", "queued_write_lock_slowpath", sysinfo_one),
};

struct stable_provider sysinfo_provider = {
	.name = "sysinfo",
	.probes = sysinfo_probes,
	.nprobes = ARRAY_SIZE(sysinfo_probes),
	.triggers = sysinfo_triggers,
	.ntriggers = ARRAY_SIZE(sysinfo_triggers),
};
