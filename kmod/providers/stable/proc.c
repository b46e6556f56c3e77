// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * proc.c - the proc provider: processes and threads begin, run programs, get signals and end.
 *
 * Threads of the kernel are processes here too, as in /proc. No compiler compares what a handler
 * takes from the registers of a function with its prototype, so it is read by loads that may fail.
 */
#include <linux/binfmts.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/signal.h>
#include <trace/events/sched.h>
#include <trace/events/signal.h>
#include <trace/events/task.h>

#include "stable.h"
#include "target.h"

#define CORE_DUMPED 0x80 /* in the status of a process, as wait() gives it */
#define TERMSIG	    0x7f

/* ---- processes and threads ---- */

static notrace void proc_create(void *data, struct task_struct *parent, struct task_struct *child)
{
	if (thread_group_leader(child))
		stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)child);
}

static notrace void proc_lwp_create(void *data, struct task_struct *child, unsigned long flags)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)child);
}

/* Fire when a new task begins to run: only then, the task itself calls calculate_sigpending(). */
static notrace void proc_lwp_start(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs);
}

static notrace void proc_start(const struct stable_trigger *t, struct pt_regs *regs)
{
	if (thread_group_leader(current))
		stable_fire(t, regs);
}

/* Return the status that wait() will report for the process whose last thread is current. */
static notrace int proc_status(void)
{
	const struct signal_struct *signal = current->signal;

	return signal->flags & SIGNAL_GROUP_EXIT ? signal->group_exit_code
						 : current->group_leader->exit_code;
}

/* Fire at taskstats_exit(task, group_dead): a task ends, and still has its memory. */
static notrace void proc_lwp_exit(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs);
}

static notrace void proc_exit(const struct stable_trigger *t, struct pt_regs *regs)
{
	int status;

	if (!(int)regs->si)
		return;
	status = proc_status();
	stable_fire(t, regs,
		    !(status & TERMSIG)	   ? CLD_EXITED
		    : status & CORE_DUMPED ? CLD_DUMPED
					   : CLD_KILLED);
}

/* ---- programs ---- */

/*
 * Fire at alloc_bprm(fd, filename): the kernel has the name of the program, and begins to look for
 * it.
 */
static notrace void proc_exec(const struct stable_trigger *t, struct pt_regs *regs)
{
	const struct filename *filename = (const struct filename *)regs->si;
	const char *name;

	if (!target_load_kernel(&name, (uintptr_t)&filename->name, sizeof(name)))
		stable_fire(t, regs, (uintptr_t)name);
}

static notrace void proc_exec_success(void *data, struct task_struct *task, pid_t old_pid,
				      struct linux_binprm *bprm)
{
	stable_fire((const struct stable_trigger *)data, NULL);
}

static notrace void proc_exec_failure(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long first)
{
	int error = (int)regs->ax;

	if (error < 0)
		stable_fire(t, regs, -error);
}

/* ---- signals ---- */

static notrace void proc_signal_send(void *data, int sig, struct kernel_siginfo *info,
				     struct task_struct *task, int group, int result)
{
	if (result != TRACE_SIGNAL_IGNORED && result != TRACE_SIGNAL_OVERFLOW_FAIL)
		stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)task, sig);
}

static notrace void proc_signal_discard(void *data, int sig, struct kernel_siginfo *info,
					struct task_struct *task, int group, int result)
{
	if (result == TRACE_SIGNAL_IGNORED)
		stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)task, sig);
}

/*
 * Fire when a task handles a signal. If the kernel has sent it without a siginfo, such as the
 * signal that ends all threads, only the number is known.
 */
static notrace void proc_signal_handle(void *data, int sig, struct kernel_siginfo *info,
				       struct k_sigaction *ka)
{
	const struct kernel_siginfo made = {.si_signo = sig, .si_code = SI_KERNEL};

	stable_fire((const struct stable_trigger *)data, NULL, sig,
		    (uintptr_t)(info <= SEND_SIG_PRIV ? &made : info),
		    (uintptr_t)ka->sa.sa_handler);
}

/* Fire when a system call that has waited for signals returns one. */
static notrace void proc_signal_clear(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long first)
{
	int sig = (int)regs->ax;

	if (sig > 0)
		stable_fire(t, regs, sig);
}

/* Numbers of faults that other systems have: FLT* of signal.d. */
enum proc_fault {
	PROC_FLTILL = 1,
	PROC_FLTPRIV,
	PROC_FLTBPT,
	PROC_FLTTRACE,
	PROC_FLTACCESS,
	PROC_FLTBOUNDS,
	PROC_FLTIOVF,
	PROC_FLTIZDIV,
	PROC_FLTFPE,
};

/* Return the fault for which a signal stands; 0: none. */
static notrace enum proc_fault proc_fault_of(int sig, int code)
{
	switch (sig) {
	case SIGILL:
		return code == ILL_PRVOPC || code == ILL_PRVREG ? PROC_FLTPRIV : PROC_FLTILL;
	case SIGTRAP:
		return code == TRAP_TRACE || code == TRAP_HWBKPT ? PROC_FLTTRACE : PROC_FLTBPT;
	case SIGSEGV:
		return code == SEGV_ACCERR ? PROC_FLTACCESS : PROC_FLTBOUNDS;
	case SIGBUS:
		return code == BUS_ADRALN ? PROC_FLTACCESS : PROC_FLTBOUNDS;
	case SIGFPE:
		return code == FPE_INTDIV   ? PROC_FLTIZDIV
		       : code == FPE_INTOVF ? PROC_FLTIOVF
					    : PROC_FLTFPE;
	default:
		return 0;
	}
}

/* Fire at force_sig_info_to_task(info, task, handler): the kernel makes a task take a signal. */
static notrace void proc_fault(const struct stable_trigger *t, struct pt_regs *regs)
{
	struct kernel_siginfo info;
	enum proc_fault fault;

	if ((struct task_struct *)regs->si != current ||
	    target_load_kernel(&info, regs->di, sizeof(info)))
		return;
	fault = proc_fault_of(info.si_signo, info.si_code);
	if (fault)
		stable_fire(t, regs, fault, (uintptr_t)&info);
}

/* ---- tables ---- */

#define LWPSINFO "struct task_struct *", "lwpsinfo_t *"
#define PSINFO	 "struct task_struct *", "psinfo_t *"
#define SIGINFO	 "struct kernel_siginfo *", "k_siginfo_t *"

static struct stable_probe proc_probes[] = {
	{"create", {{PSINFO, 0}}},
	{"lwp-create", {{LWPSINFO, 0}, {PSINFO, 0}}},
	{"start"},
	{"lwp-start"},
	{"exit", {{"int"}}},
	{"lwp-exit"},
	{"exec", {{"string"}}},
	{"exec-success"},
	{"exec-failure", {{"int"}}},
	{"signal-send", {{LWPSINFO, 0}, {PSINFO, 0}, {"int", NULL, 1}}},
	{"signal-discard", {{LWPSINFO, 0}, {PSINFO, 0}, {"int", NULL, 1}}},
	{"signal-handle", {{"int", NULL, 0}, {SIGINFO, 1}, {"void (*)(void)", NULL, 2}}},
	{"signal-clear", {{"int"}}},
	{"fault", {{"int", NULL, 0}, {SIGINFO, 1}}},
};

static struct stable_trigger proc_triggers[] = {
	STABLE_TP("create", sched_process_fork, proc_create),
	STABLE_TP("lwp-create", task_newtask, proc_lwp_create),
	STABLE_ENTERED("start", "calculate_sigpending", proc_start),
	STABLE_ENTERED("lwp-start", "calculate_sigpending", proc_lwp_start),
	STABLE_ENTERED("exit", "taskstats_exit", proc_exit),
	STABLE_ENTERED("lwp-exit", "taskstats_exit", proc_lwp_exit),
	STABLE_ENTERED("exec", "alloc_bprm", proc_exec),
	STABLE_TP("exec-success", sched_process_exec, proc_exec_success),
	STABLE_RETURNED("exec-failure", "do_execveat_common.isra.0", proc_exec_failure),
	STABLE_RETURNED("exec-failure", "do_execveat_common", proc_exec_failure),
	STABLE_RETURNED("exec-failure", "kernel_execve", proc_exec_failure),
	STABLE_TP("signal-send", signal_generate, proc_signal_send),
	STABLE_TP("signal-discard", signal_generate, proc_signal_discard),
	STABLE_TP("signal-handle", signal_deliver, proc_signal_handle),
	STABLE_RETURNED("signal-clear", "__x64_sys_rt_sigtimedwait", proc_signal_clear),
	STABLE_RETURNED("signal-clear", "__ia32_compat_sys_rt_sigtimedwait_time32",
			proc_signal_clear),
	STABLE_RETURNED("signal-clear", "__ia32_compat_sys_rt_sigtimedwait_time64",
			proc_signal_clear),
	STABLE_ENTERED("fault", "force_sig_info_to_task", proc_fault),
};

struct stable_provider proc_provider = {
	.name = "proc",
	.probes = proc_probes,
	.nprobes = ARRAY_SIZE(proc_probes),
	.triggers = proc_triggers,
	.ntriggers = ARRAY_SIZE(proc_triggers),
};
