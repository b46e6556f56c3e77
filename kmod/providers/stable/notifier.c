// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * notifier.c - the notifier provider: chains of functions by which parts of the kernel tell others
 * of events, such as network devices that come and go.
 *
 * The first argument of all functions is the chain. Handlers read nothing of it.
 */
#ifdef COMPAT_NOTIFIER_RUN
#include <trace/events/notifier.h>
#endif

#include "stable.h"

/* ---- chains are called ---- */

/* KIND_notifier_call_chain(chain, event, data). Of the robust ones, event is that of success. */
#define NOTIFIER_CALLED(kind)                                                                     \
	static notrace void notifier_##kind(const struct stable_trigger *t, struct pt_regs *regs) \
	{                                                                                         \
		stable_fire(t, regs, regs->di, regs->si, regs->dx, (uintptr_t) #kind);            \
	}                                                                                         \
	static notrace void notifier_##kind##_robust(const struct stable_trigger *t,              \
						     struct pt_regs *regs)                        \
	{                                                                                         \
		stable_fire(t, regs, regs->di, regs->si, regs->cx, (uintptr_t) #kind);            \
	}

NOTIFIER_CALLED(blocking)
NOTIFIER_CALLED(raw)

static notrace void notifier_srcu(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, regs->si, regs->dx, (uintptr_t) "srcu");
}

static notrace void notifier_atomic(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, regs->si, regs->dx, (uintptr_t) "atomic");
}

static notrace void notifier_returned(const struct stable_trigger *t, struct pt_regs *regs,
				      unsigned long chain)
{
	stable_fire(t, regs, chain, (uint64_t)(int)regs->ax);
}

/* ---- what is called, comes and goes ---- */

#ifdef COMPAT_NOTIFIER_RUN
static notrace void notifier_runs(void *data, void *function)
{
	stable_fire((const struct stable_trigger *)data, NULL, (uintptr_t)function);
}
#endif

/* Fire at KIND_notifier_chain_register(chain, block) and _unregister. */
static notrace void notifier_changed(const struct stable_trigger *t, struct pt_regs *regs)
{
	stable_fire(t, regs, regs->di, regs->si);
}

/* ---- tables ---- */

static struct stable_probe notifier_probes[] = {
	{"call",
	 {{"void *"}, {"unsigned long", NULL, 1}, {"void *", NULL, 2}, {"string", NULL, 3}}},
	{"return", {{"void *"}, {"int", NULL, 1}}},
	{"run", {{"void *"}}},
	{"register", {{"void *"}, {"struct notifier_block *", NULL, 1}}},
	{"unregister", {{"void *"}, {"struct notifier_block *", NULL, 1}}},
};

static struct stable_trigger notifier_triggers[] = {
	STABLE_ENTERED("call", "blocking_notifier_call_chain", notifier_blocking),
	STABLE_ENTERED("call", "blocking_notifier_call_chain_robust", notifier_blocking_robust),
	STABLE_ENTERED("call", "raw_notifier_call_chain", notifier_raw),
	STABLE_ENTERED("call", "raw_notifier_call_chain_robust", notifier_raw_robust),
	STABLE_ENTERED("call", "srcu_notifier_call_chain", notifier_srcu),
	STABLE_ENTERED("call", "atomic_notifier_call_chain", notifier_atomic),
	STABLE_RETURNED("return", "blocking_notifier_call_chain", notifier_returned),
	STABLE_RETURNED("return", "blocking_notifier_call_chain_robust", notifier_returned),
	STABLE_RETURNED("return", "raw_notifier_call_chain", notifier_returned),
	STABLE_RETURNED("return", "raw_notifier_call_chain_robust", notifier_returned),
	STABLE_RETURNED("return", "srcu_notifier_call_chain", notifier_returned),
	STABLE_RETURNED("return", "atomic_notifier_call_chain", notifier_returned),
#ifdef COMPAT_NOTIFIER_RUN
	STABLE_TP("run", notifier_run, notifier_runs),
#else
	STABLE_MISSING("run", "notifier_run"),
#endif
	STABLE_ENTERED("register", "blocking_notifier_chain_register", notifier_changed),
	STABLE_ENTERED("register", "blocking_notifier_chain_register_unique_prio",
		       notifier_changed),
	STABLE_ENTERED("register", "raw_notifier_chain_register", notifier_changed),
	STABLE_ENTERED("register", "srcu_notifier_chain_register", notifier_changed),
	STABLE_ENTERED("register", "atomic_notifier_chain_register", notifier_changed),
	STABLE_ENTERED("register", "atomic_notifier_chain_register_unique_prio", notifier_changed),
	STABLE_ENTERED("unregister", "blocking_notifier_chain_unregister", notifier_changed),
	STABLE_ENTERED("unregister", "raw_notifier_chain_unregister", notifier_changed),
	STABLE_ENTERED("unregister", "srcu_notifier_chain_unregister", notifier_changed),
	STABLE_ENTERED("unregister", "atomic_notifier_chain_unregister", notifier_changed),
};

struct stable_provider notifier_provider = {
	.name = "notifier",
	.probes = notifier_probes,
	.nprobes = ARRAY_SIZE(notifier_probes),
	.triggers = notifier_triggers,
	.ntriggers = ARRAY_SIZE(notifier_triggers),
};
