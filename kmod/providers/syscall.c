// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * syscall.c - the syscall provider: entry and return of every system call.
 *
 * Two tracepoints of the kernel, raw_syscalls' sys_enter and sys_exit, see every system call of
 * 64-bit and of 32-bit programs while a probe is enabled. They are hooked for all system calls or
 * for none, so each handler begins with a test of one bit: that is all that the other system calls
 * cost.
 *
 *	syscall:linux:read:entry	of 64-bit programs
 *	syscall:linux32:read:entry	of 32-bit programs
 *
 * Arguments of entry: those of the system call, as the kernel gets them. Arguments of return: arg0
 * and arg1 are the result, -1 after an error, whose number is errno.
 *
 * When a system call has succeeded in executing a program or in returning from a signal handler,
 * the registers are those of what goes on, and name another system call or none. So these calls are
 * noted when they are entered.
 *
 * Locks: systrace_enabled, systrace_seen and systrace_probes are changed under the engine lock, and
 * read without a lock; a firing sees a change once the tracepoints' handlers have ended that ran
 * meanwhile, which the engine waits for (port_grace_period). systrace_hooked belongs to sync, of
 * which there is one at a time.
 */
#include <linux/bitmap.h>
#include <linux/bitops.h>
#include <linux/hash.h>
#include <linux/nospec.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>
#include <asm/unistd.h>
#include <trace/events/syscalls.h>

#include "engine.h"
#include "hooks/tracepoint.h"
#include "provider.h"

/* A system call: its name, and the types of its arguments, one behind the other, "" last. */
struct syscall_desc {
	const char *name;
	const char *types;
};

#include "syscall_table.h"

enum systrace_abi { ABI_LINUX, ABI_LINUX32, NABIS };
enum systrace_event { EVENT_ENTRY, EVENT_RETURN, NEVENTS };

#define SYSTRACE_MAX   512 /* numbers of system calls are below */
#define SYSTRACE_NARGS 6

static_assert(ARRAY_SIZE(syscall_linux) <= SYSTRACE_MAX);
static_assert(ARRAY_SIZE(syscall_linux32) <= SYSTRACE_MAX);

static const struct {
	const char *module;
	const struct syscall_desc *calls;
	unsigned int n;
} systrace_abis[NABIS] = {
	[ABI_LINUX] = {"linux", syscall_linux, ARRAY_SIZE(syscall_linux)},
	[ABI_LINUX32] = {"linux32", syscall_linux32, ARRAY_SIZE(syscall_linux32)},
};

static const char *const systrace_events[NEVENTS] = {"entry", "return"};

static dtrace_provider_t *systrace_provider;
static bool systrace_provided; /* sync lock */
/* The enabled calls, and their probes. */
static DECLARE_BITMAP(systrace_enabled[NEVENTS][NABIS], SYSTRACE_MAX);
/*
 * Traced calls, and calls that may return as another call. Other calls end after testing their bit.
 */
static DECLARE_BITMAP(systrace_seen[NEVENTS][NABIS], SYSTRACE_MAX);
/* Calls that may return as another call, listed in systrace_changing. Never changed. */
static DECLARE_BITMAP(systrace_changes[NABIS], SYSTRACE_MAX);
static dtrace_probe_t *systrace_probes[NEVENTS][NABIS][SYSTRACE_MAX];

/* Return the parg of a probe. */
static void *systrace_parg(enum systrace_event event, enum systrace_abi abi, unsigned int nr)
{
	return (void *)(((uintptr_t)event * NABIS + abi) * SYSTRACE_MAX + nr);
}

static enum systrace_event systrace_event(const void *parg)
{
	return (uintptr_t)parg / SYSTRACE_MAX / NABIS;
}

static enum systrace_abi systrace_abi(const void *parg)
{
	return (uintptr_t)parg / SYSTRACE_MAX % NABIS;
}

static unsigned int systrace_nr(const void *parg)
{
	return (uintptr_t)parg % SYSTRACE_MAX;
}

/* ---- calls that return as another call than they were entered ---- */

static const struct systrace_changing {
	enum systrace_abi abi;
	unsigned int nr;
} systrace_changing[] = {
	{ABI_LINUX, __NR_execve},
	{ABI_LINUX, __NR_execveat},
	{ABI_LINUX, __NR_rt_sigreturn},
	{ABI_LINUX32, __NR_ia32_execve},
	{ABI_LINUX32, __NR_ia32_execveat},
	{ABI_LINUX32, __NR_ia32_sigreturn},
	{ABI_LINUX32, __NR_ia32_rt_sigreturn},
};

/*
 * Which of these calls a thread is in: the address of its task_struct, which is aligned, plus the
 * index of the call. A thread that is killed within the call leaves its note, which gives way to
 * others' when the set is full. Each word is changed by compare and swap.
 */
#define ENTERED_SETS 256
#define ENTERED_WAYS 4

static atomic_long_t systrace_entered[ENTERED_SETS][ENTERED_WAYS];
static_assert(ARRAY_SIZE(systrace_changing) <= 8); /* addresses from kmalloc are multiples of 8 */

static atomic_long_t *entered_set(void)
{
	return systrace_entered[hash_ptr(current, ilog2(ENTERED_SETS))];
}

/* Take the note of the current thread away: the index of the call, or -1. */
static int entered_take(void)
{
	atomic_long_t *set = entered_set();
	unsigned int way;
	long word;

	for (way = 0; way < ENTERED_WAYS; way++) {
		word = atomic_long_read(&set[way]);
		if ((word & ~7L) == (long)current &&
		    atomic_long_cmpxchg(&set[way], word, 0) == word)
			return word & 7;
	}
	return -1;
}

/* Note that the current thread enters the call of that index. */
static void entered_note(unsigned int index)
{
	atomic_long_t *set = entered_set();
	unsigned int way;

	entered_take(); /* what a thread before it, whose task_struct it has, has left */
	for (way = 0; way < ENTERED_WAYS; way++)
		if (!atomic_long_cmpxchg(&set[way], 0, (long)current | index))
			return;
	atomic_long_set(&set[hash_32(index + current->pid, ilog2(ENTERED_WAYS))],
			(long)current | index);
}

static int changing_index(enum systrace_abi abi, unsigned long nr)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(systrace_changing); i++)
		if (systrace_changing[i].abi == abi && systrace_changing[i].nr == nr)
			return i;
	return -1;
}

/* ---- firing: handlers of tracepoints, with preemption off ---- */

static enum systrace_abi systrace_current_abi(void)
{
	return in_ia32_syscall() ? ABI_LINUX32 : ABI_LINUX;
}

/* Fire the probe if it is enabled; any number. */
static void systrace_fire(enum systrace_event event, enum systrace_abi abi, unsigned long nr,
			  const struct dtrace_fire *fire)
{
	dtrace_probe_t *probe =
		nr < SYSTRACE_MAX ? READ_ONCE(systrace_probes[event][abi][nr]) : NULL;

	if (probe)
		dtrace_fire(probe, fire);
}

/*
 * Handle the entry of a call that a session traces, or whose return may be another's. The registers
 * of dtrace_fire stay NULL: stack() is the kernel's, and ustack() finds the program's.
 */
static noinline void systrace_call_entered(enum systrace_abi abi, unsigned long nr,
					   struct pt_regs *regs)
{
	/* all are written: the kernel's zeroing of local variables would cost as much again */
	unsigned long args[SYSTRACE_NARGS] __attribute__((uninitialized));
	struct dtrace_fire fire = {.args = (uint64_t *)args, .nargs = SYSTRACE_NARGS};

	if (test_bit(nr, systrace_changes[abi]))
		entered_note(changing_index(abi, nr));
	syscall_get_arguments(current, regs, args);
	systrace_fire(EVENT_ENTRY, abi, nr, &fire);
}

/* Handle the entry of a call. An untraced call costs no more than this function. */
static void systrace_enter(void *data, struct pt_regs *regs, long number)
{
	enum systrace_abi abi = systrace_current_abi();
	unsigned long nr = number & ~__X32_SYSCALL_BIT;

	if (nr >= SYSTRACE_MAX)
		return;
	nr = array_index_nospec(nr, SYSTRACE_MAX);
	if (test_bit(nr, systrace_seen[EVENT_ENTRY][abi]))
		systrace_call_entered(abi, nr, regs);
}

/*
 * Return errno for a result. The program never sees the results by which the kernel restarts a
 * call, at once or after a handler; a tracer sees EINTR.
 */
static int systrace_errno(long result)
{
	switch (-result) {
	case ERESTARTSYS:
	case ERESTARTNOINTR:
	case ERESTARTNOHAND:
	case ERESTART_RESTARTBLOCK:
		return EINTR;
	default:
		return (int)-result;
	}
}

/*
 * Handle the return of a traced call, or of a call that may be another one; nr: -1 if only its
 * entry has the number.
 */
static noinline void systrace_call_returned(enum systrace_abi abi, unsigned long nr, long result)
{
	uint64_t args[2];
	struct dtrace_fire fire = {.args = args, .nargs = ARRAY_SIZE(args)};
	int index;

	if (nr == -1UL || test_bit(nr, systrace_changes[abi])) {
		index = entered_take();
		if (index >= 0) {
			abi = systrace_changing[index].abi;
			nr = systrace_changing[index].nr;
		}
	}
	/* an error is negative in 32 bits, too; all else may be an address */
	if (abi == ABI_LINUX32)
		result = IS_ERR_VALUE((long)(int)result) ? (long)(int)result : (long)(u32)result;
	if (IS_ERR_VALUE(result)) {
		fire.err = systrace_errno(result);
		result = -1;
	}
	args[0] = args[1] = result;
	systrace_fire(EVENT_RETURN, abi, nr, &fire);
}

/* Handle the return of a call. An untraced call costs no more than this function. */
static void systrace_return(void *data, struct pt_regs *regs, long result)
{
	enum systrace_abi abi = systrace_current_abi();
	long number = syscall_get_nr(current, regs);
	unsigned long nr = number & ~__X32_SYSCALL_BIT;

	if (number == -1)
		systrace_call_returned(abi, -1UL, result);
	if (nr >= SYSTRACE_MAX)
		return;
	nr = array_index_nospec(nr, SYSTRACE_MAX);
	if (test_bit(nr, systrace_seen[EVENT_RETURN][abi]))
		systrace_call_returned(abi, nr, result);
}

/* ---- hooks on the tracepoints [sync] ---- */

static struct tracepoint_hook systrace_hooks[NEVENTS] = {
	[EVENT_ENTRY] = {.name = "sys_enter", .handler = systrace_enter},
	[EVENT_RETURN] = {.name = "sys_exit", .handler = systrace_return},
};
static bool systrace_hooked[NEVENTS];

static bool systrace_any(enum systrace_event event)
{
	return !bitmap_empty(systrace_enabled[event][ABI_LINUX], SYSTRACE_MAX) ||
	       !bitmap_empty(systrace_enabled[event][ABI_LINUX32], SYSTRACE_MAX);
}

/* Return whether entries must be seen too, because a return alone does not identify the call. */
static bool systrace_any_changing(void)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(systrace_changing); i++)
		if (test_bit(systrace_changing[i].nr,
			     systrace_enabled[EVENT_RETURN][systrace_changing[i].abi]))
			return true;
	return false;
}

static void systrace_sync(void *arg)
{
	bool needed[NEVENTS] = {
		[EVENT_ENTRY] = systrace_any(EVENT_ENTRY) || systrace_any_changing(),
		[EVENT_RETURN] = systrace_any(EVENT_RETURN),
	};
	unsigned int event;

	for (event = 0; event < NEVENTS; event++) {
		if (needed[event] == systrace_hooked[event])
			continue;
		if (!needed[event])
			tracepoint_hooks_unregister(&systrace_hooks[event], 1);
		else if (tracepoint_hooks_register(&systrace_hooks[event], 1))
			/* no memory, which the kernel's log says: the next change tries again */
			continue;
		systrace_hooked[event] = needed[event];
	}
}

/* ---- provider operations ---- */

/* Enable a probe [engine lock]. */
static int systrace_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	enum systrace_event event = systrace_event(parg);
	enum systrace_abi abi = systrace_abi(parg);
	unsigned int nr = systrace_nr(parg);

	dtrace_engine_assert_locked();
	WRITE_ONCE(systrace_probes[event][abi][nr], probe);
	set_bit(nr, systrace_enabled[event][abi]);
	set_bit(nr, systrace_seen[event][abi]);
	return 0;
}

/* Disable a probe [engine lock]. */
static void systrace_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	enum systrace_event event = systrace_event(parg);
	enum systrace_abi abi = systrace_abi(parg);
	unsigned int nr = systrace_nr(parg);

	dtrace_engine_assert_locked();
	clear_bit(nr, systrace_enabled[event][abi]);
	if (!test_bit(nr, systrace_changes[abi]))
		clear_bit(nr, systrace_seen[event][abi]);
	WRITE_ONCE(systrace_probes[event][abi][nr], NULL);
}

/* Describe an argument [engine lock]. */
static bool systrace_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
			    struct dtrace_arg *out)
{
	const char *type = systrace_abis[systrace_abi(parg)].calls[systrace_nr(parg)].types;

	if (systrace_event(parg) == EVENT_RETURN)
		type = n < 2 ? "int64_t" : "";
	else
		for (; n > 0 && *type; n--)
			type += strlen(type) + 1;
	out->type = type;
	return *type;
}

/* Accept the names of the modules in other systems and in other DTraces for Linux. */
static bool systrace_module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name)
{
	if (systrace_abi(parg) == ABI_LINUX32)
		return !strcmp(name, "x32") || !strcmp(name, "freebsd32");
	return !strcmp(name, "vmlinux") || !strcmp(name, "x64") || !strcmp(name, "freebsd") ||
	       provider_names_kernel(name);
}

static bool systrace_meant(const dtrace_probedesc_t *desc)
{
	return provider_could_be(desc->dtpd_provider, "syscall") &&
	       (provider_could_be(desc->dtpd_name, systrace_events[EVENT_ENTRY]) ||
		provider_could_be(desc->dtpd_name, systrace_events[EVENT_RETURN]));
}

/* Make the probes when a description first names one. They stay. */
static int systrace_provide(void *arg, const dtrace_probedesc_t *desc)
{
	unsigned int event, abi, nr;
	dtrace_probe_t *probe;
	int error;

	if (systrace_provided || (desc && !systrace_meant(desc)))
		return 0;
	for (abi = 0; abi < NABIS; abi++)
		for (nr = 0; nr < systrace_abis[abi].n; nr++)
			for (event = 0; event < NEVENTS && systrace_abis[abi].calls[nr].name;
			     event++) {
				error = dtrace_probe_create(
					systrace_provider, systrace_abis[abi].module,
					systrace_abis[abi].calls[nr].name, systrace_events[event],
					systrace_parg(event, abi, nr), &probe);
				if (error && error != -EEXIST)
					return 0; /* no memory: the next description goes on */
			}
	systrace_provided = true;
	return 0;
}

static const dtrace_provider_ops_t systrace_ops = {
	.provide = systrace_provide,
	.enable = systrace_enable,
	.disable = systrace_disable,
	.sync = systrace_sync,
	.getarg = systrace_getarg,
	.module_alias = systrace_module_alias,
};

/* ---- start and end ---- */

static const dtrace_pattr_t systrace_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(UNSTABLE, UNSTABLE, ISA),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_args = DTRACE_ATTR(UNSTABLE, UNSTABLE, ISA),
};

static int systrace_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_USER};
	unsigned int i, event;

	check_trace_callback_type_sys_enter(systrace_enter);
	check_trace_callback_type_sys_exit(systrace_return);
	for (i = 0; i < ARRAY_SIZE(systrace_changing); i++) {
		set_bit(systrace_changing[i].nr, systrace_changes[systrace_changing[i].abi]);
		for (event = 0; event < NEVENTS; event++)
			set_bit(systrace_changing[i].nr,
				systrace_seen[event][systrace_changing[i].abi]);
	}
	return dtrace_provider_register("syscall", &systrace_attr, &priv, &systrace_ops, NULL,
					&systrace_provider);
}

static void systrace_exit(void)
{
	dtrace_provider_unregister(systrace_provider);
}

const struct provider_module syscall_module = {
	.name = "syscall",
	.init = systrace_init,
	.exit = systrace_exit,
};
