// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * profile.c - the profile provider: profile-N fires on every CPU, tick-N on one, N times a
 * second or every N units of time. A tick's CPU is any; sessions that trace on one CPU only have
 * a timer there.
 *
 * Each CPU has its own timer, pinned to it and run in hard interrupt context, so that it sees
 * what the CPU was doing. Arguments: the program counter of the kernel if it was running, else 0;
 * that of user code; ns by which the timer was late.
 */
#include <linux/cpu.h>
#include <linux/cpuhotplug.h>
#include <linux/kernel.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/irq_regs.h>

#include "compat/hrtimer.h"
#include "engine.h"
#include "interval.h"
#include "provider.h"

#define PROFILE_PROBES_MAX     4096
#define PROFILE_INTERRUPTS_MIN 50 /* a second, that a user is charged for any probe */
/*
 * Probes that were made on demand and that no session uses: how many are kept, and for how long
 * others are.
 */
#define PROFILE_IDLE_MAX  64
#define PROFILE_IDLE_TIME (10 * HZ)

struct profile_probe;

struct profile_timer {
	struct hrtimer timer;
	struct profile_probe *owner;
	bool running;
	bool sought; /* a tick: there are sessions that trace on this CPU only */
	bool bound;  /* fires for those only */
};

struct profile_probe {
	struct list_head active; /* profile lock; while enabled */
	struct list_head idle;	 /* profile lock; made on demand, and not enabled */
	unsigned long since;	 /* profile lock; jiffies: idle, or last asked for */
	pid_t asker;		 /* profile lock; the process that asked for it last */
	dtrace_probe_t *probe;
	uint64_t interval; /* ns */
	bool tick;	   /* on one CPU */
	bool made;	   /* on demand: it is destroyed when it has been idle */
	struct profile_timer __percpu *timers; /* while enabled */
	char name[];
};

/*
 * Taken after the CPU hotplug lock, which is taken after the engine's. Protects the lists of active
 * and idle probes, the counts, and the timers. A thread that changes a timer either makes the
 * timer's CPU answer a cross call, or is that CPU going up or down.
 */
static DEFINE_MUTEX(profile_lock);
static LIST_HEAD(profile_active);
static LIST_HEAD(profile_idle); /* the longest idle first */
static unsigned int profile_nidle;
static unsigned int profile_nprobes;
static dtrace_provider_t *profile_provider;
static enum cpuhp_state profile_hotplug;

/* ---- firing ---- */

/* Fire. Return for how many ns no session will take a firing, as dtrace_fire_timed(). */
static uint64_t profile_fire(struct profile_timer *t)
{
	struct pt_regs *regs = get_irq_regs();
	bool user = regs && user_mode(regs);
	uint64_t pc = regs ? instruction_pointer(regs) : 0;
	uint64_t late = ktime_to_ns(ktime_sub(ktime_get(), hrtimer_get_expires(&t->timer)));
	uint64_t args[3] = {user ? 0 : pc, user ? pc : 0, late};
	struct dtrace_fire fire = {.args = args,
				   .nargs = ARRAY_SIZE(args),
				   .regs = regs,
				   .user = user,
				   .no_process = t->owner->tick};

	return dtrace_fire_timed(t->owner->probe, &fire, READ_ONCE(t->bound));
}

static enum hrtimer_restart profile_expired(struct hrtimer *timer)
{
	struct profile_timer *t = container_of(timer, struct profile_timer, timer);

	uint64_t rest = profile_fire(t);

	/*
	 * While no session takes firings, the timer rests too, since the interrupts alone take
	 * other users' time.
	 */
	hrtimer_forward_now(timer, ns_to_ktime(max(t->owner->interval, rest)));
	return HRTIMER_RESTART;
}

/* ---- timers [profile lock, CPU hotplug lock] ---- */

/* Start a timer on its CPU. */
static void timer_start_here(void *arg)
{
	struct profile_timer *t = arg;

	hrtimer_start(&t->timer, ns_to_ktime(t->owner->interval), HRTIMER_MODE_REL_PINNED_HARD);
}

static void timer_start(struct profile_probe *p, unsigned int cpu)
{
	struct profile_timer *t = per_cpu_ptr(p->timers, cpu);

	t->owner = p;
	t->running = true;
	compat_hrtimer_setup(&t->timer, profile_expired, CLOCK_MONOTONIC,
			     HRTIMER_MODE_REL_PINNED_HARD);
	smp_call_function_single(cpu, timer_start_here, t, 1);
}

static void timer_stop(struct profile_timer *t)
{
	if (t->running)
		hrtimer_cancel(&t->timer);
	t->running = false;
}

static void timer_start_missing(struct profile_probe *p, unsigned int cpu)
{
	if (!per_cpu_ptr(p->timers, cpu)->running)
		timer_start(p, cpu);
}

/*
 * Start a tick on a CPU for the sessions of that CPU. If it has no timer there, it fires only for
 * them.
 */
static void tick_bind(struct profile_probe *p, unsigned int cpu)
{
	struct profile_timer *t = per_cpu_ptr(p->timers, cpu);

	if (!t->running)
		WRITE_ONCE(t->bound, true);
	timer_start_missing(p, cpu);
}

/*
 * Continue a tick that has lost its CPU on another one, where it may have a timer for some
 * sessions.
 */
static void tick_move(struct profile_probe *p, unsigned int cpu)
{
	WRITE_ONCE(per_cpu_ptr(p->timers, cpu)->bound, false);
	timer_start_missing(p, cpu);
}

static void profile_start(struct profile_probe *p)
{
	unsigned int cpu;

	if (p->tick) {
		timer_start(p, raw_smp_processor_id());
		return;
	}
	for_each_online_cpu(cpu)
		timer_start(p, cpu);
}

static void profile_stop(struct profile_probe *p)
{
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		timer_stop(per_cpu_ptr(p->timers, cpu));
}

/* Start the timers of a new CPU. The hotplug lock is held. */
static int profile_cpu_online(unsigned int cpu)
{
	struct profile_probe *p;

	mutex_lock(&profile_lock);
	list_for_each_entry(p, &profile_active, active)
		if (!p->tick)
			timer_start_missing(p, cpu);
		else if (per_cpu_ptr(p->timers, cpu)->sought)
			tick_bind(p, cpu);
	mutex_unlock(&profile_lock);
	return 0;
}

/*
 * Stop the timers of a CPU that ends, and continue ticks on another. The hotplug lock is held, and
 * the CPU still runs.
 */
static int profile_cpu_offline(unsigned int cpu)
{
	struct profile_probe *p;

	mutex_lock(&profile_lock);
	list_for_each_entry(p, &profile_active, active) {
		if (!per_cpu_ptr(p->timers, cpu)->running)
			continue;
		timer_stop(per_cpu_ptr(p->timers, cpu));
		if (p->tick && !per_cpu_ptr(p->timers, cpu)->bound)
			tick_move(p, cpumask_any_but(cpu_online_mask, cpu));
	}
	mutex_unlock(&profile_lock);
	return 0;
}

/* ---- idle probes [profile lock] ---- */

static void idle_add(struct profile_probe *p) __must_hold(&profile_lock)
{
	lockdep_assert_held(&profile_lock);
	p->since = jiffies;
	list_add_tail(&p->idle, &profile_idle);
	profile_nidle++;
}

static void idle_remove(struct profile_probe *p) __must_hold(&profile_lock)
{
	lockdep_assert_held(&profile_lock);
	if (list_empty(&p->idle))
		return;
	list_del_init(&p->idle);
	profile_nidle--;
}

/* ---- provider operations ---- */

/* Enable a probe [engine lock]. */
static int profile_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct profile_probe *p = parg;

	dtrace_engine_assert_locked();
	p->timers = alloc_percpu(struct profile_timer);
	if (!p->timers)
		return -ENOMEM;
	cpus_read_lock();
	mutex_lock(&profile_lock);
	idle_remove(p);
	list_add_tail(&p->active, &profile_active);
	profile_start(p);
	mutex_unlock(&profile_lock);
	cpus_read_unlock();
	return 0;
}

/* Disable a probe [engine lock]. */
static void profile_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct profile_probe *p = parg;

	dtrace_engine_assert_locked();
	cpus_read_lock();
	mutex_lock(&profile_lock);
	list_del_init(&p->active);
	profile_stop(p);
	if (p->made)
		idle_add(p);
	mutex_unlock(&profile_lock);
	cpus_read_unlock();
	free_percpu(p->timers);
	p->timers = NULL;
}

/*
 * Return how often a probe interrupts [engine lock]. A probe that hardly ever fires counts as if it
 * fired a little: it takes a timer of each CPU, and a part of the number of probes.
 */
static uint64_t profile_interrupts(void *arg, dtrace_probe_t *probe, void *parg)
{
	const struct profile_probe *p = parg;

	dtrace_engine_assert_locked();
	return max_t(uint64_t, div64_u64(NSEC_PER_SEC, p->interval), PROFILE_INTERRUPTS_MIN);
}

/* Bind a probe to the CPU of a session [engine lock]. */
static void profile_bind(void *arg, dtrace_probe_t *probe, void *parg, uint32_t cpu)
{
	struct profile_probe *p = parg;

	dtrace_engine_assert_locked();
	cpus_read_lock();
	mutex_lock(&profile_lock);
	if (p->tick) {
		per_cpu_ptr(p->timers, cpu)->sought = true;
		if (cpu_online(cpu))
			tick_bind(p, cpu);
	}
	mutex_unlock(&profile_lock);
	cpus_read_unlock();
}

/* Count the intervals of a probe from now [engine lock]. */
static void profile_begin(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct profile_probe *p = parg;
	struct profile_timer *t;
	unsigned int cpu;

	dtrace_engine_assert_locked();
	cpus_read_lock();
	mutex_lock(&profile_lock);
	for_each_online_cpu(cpu) {
		t = per_cpu_ptr(p->timers, cpu);
		if (!t->running)
			continue;
		hrtimer_cancel(&t->timer);
		smp_call_function_single(cpu, timer_start_here, t, 1);
	}
	mutex_unlock(&profile_lock);
	cpus_read_unlock();
}

/* Free a probe [engine lock]. */
static void profile_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct profile_probe *p = parg;

	dtrace_engine_assert_locked();
	mutex_lock(&profile_lock);
	idle_remove(p);
	profile_nprobes--;
	mutex_unlock(&profile_lock);
	kfree(p);
}

/* ---- probes ---- */

/*
 * Return whether there is an idle probe of a name. The probe counts as new then, so that it stays
 * until the caller has enabled it.
 */
static bool profile_refresh(const char *name)
{
	struct profile_probe *p;
	bool found = false;

	mutex_lock(&profile_lock);
	list_for_each_entry(p, &profile_idle, idle) {
		found = !strcmp(p->name, name);
		if (found) {
			p->since = jiffies;
			p->asker = current->tgid;
			list_move_tail(&p->idle, &profile_idle);
			break;
		}
	}
	mutex_unlock(&profile_lock);
	return found;
}

/*
 * Choose at most capacity idle probes to destroy: if there are too many, those that have been idle
 * for long; and if no further probe may be made, the oldest whatever their age. Probes that the
 * current process has asked for stay: it may be about to enable all of them, however long it takes
 * to name them. Return their number.
 */
static size_t profile_choose_idle(dtrace_probe_t **probes, size_t capacity)
{
	struct profile_probe *p, *next;
	size_t n = 0;
	bool full;

	mutex_lock(&profile_lock);
	full = profile_nprobes >= PROFILE_PROBES_MAX;
	list_for_each_entry_safe(p, next, &profile_idle, idle) {
		if (n == capacity)
			break;
		if (!full && (profile_nidle <= PROFILE_IDLE_MAX ||
			      time_before(jiffies, p->since + PROFILE_IDLE_TIME)))
			break;
		if (p->asker == current->tgid)
			continue;
		idle_remove(p);
		probes[n++] = p->probe;
	}
	mutex_unlock(&profile_lock);
	return n;
}

/*
 * Destroy what is idle for long, all at once: one wait for firings covers them. A session may
 * enable a chosen probe meanwhile: then it stays. Context: provide, of which there is one at a
 * time.
 */
static void profile_reap(void)
{
	static dtrace_probe_t *probes[PROFILE_PROBES_MAX];
	size_t n = profile_choose_idle(probes, ARRAY_SIZE(probes));

	if (n)
		dtrace_probe_destroy_unused(probes, n);
}

/* Read the name of a probe: tick-N or profile-N. Return false if it is no such name. */
static bool profile_parse(const char *name, bool *tick, u64 *interval)
{
	*tick = str_has_prefix(name, "tick-");
	return (*tick || str_has_prefix(name, "profile-")) &&
	       interval_parse(strchr(name, '-') + 1, interval);
}

/*
 * Create the probe of that name. made: on demand. 0; -EEXIST: it is there; -EINVAL: it is no name
 * of ours; -ENOSPC: as many as there may be are enabled, or wanted by the current process; -ENOMEM.
 */
static int profile_create(const char *name, bool made)
{
	size_t size = strlen(name) + 1;
	struct profile_probe *p;
	uint64_t interval;
	bool tick;
	int error;

	if (!profile_parse(name, &tick, &interval))
		return -EINVAL;
	if (profile_refresh(name) || dtrace_probe_lookup(profile_provider, "", "", name))
		return -EEXIST;
	profile_reap();
	if (READ_ONCE(profile_nprobes) >= PROFILE_PROBES_MAX)
		return -ENOSPC;
	p = kzalloc(struct_size(p, name, size), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	INIT_LIST_HEAD(&p->active);
	INIT_LIST_HEAD(&p->idle);
	p->interval = interval;
	p->tick = tick;
	p->made = made;
	p->asker = current->tgid;
	memcpy(p->name, name, size);
	error = dtrace_probe_create(profile_provider, "", "", name, p, &p->probe);
	if (error) {
		kfree(p);
		return error;
	}
	/* A session may have enabled it, and disabled it again. */
	mutex_lock(&profile_lock);
	profile_nprobes++;
	if (made && list_empty(&p->active) && list_empty(&p->idle))
		idle_add(p);
	mutex_unlock(&profile_lock);
	return 0;
}

/* Return whether a pattern may match the provider's name. A pattern with wildcards may. */
static bool profile_meant(const char *pattern)
{
	return !*pattern || !strcmp(pattern, "profile") || provider_is_pattern(pattern);
}

/* Make the probe that a description names in full. */
static int profile_provide(void *arg, const dtrace_probedesc_t *desc)
{
	int error = 0;

	if (desc && profile_meant(desc->dtpd_provider) && !*desc->dtpd_mod && !*desc->dtpd_func)
		error = profile_create(desc->dtpd_name, true);
	return error == -ENOSPC ? error : 0;
}

static int profile_create_defaults(void)
{
	static const char *const names[] = {
		"profile-97",	"profile-199",	"profile-499", "profile-997", "profile-1999",
		"profile-4001", "profile-4999", "tick-1",      "tick-10",     "tick-100",
		"tick-500",	"tick-1000",	"tick-5000",
	};
	unsigned int i;
	int error = 0;

	for (i = 0; i < ARRAY_SIZE(names) && !error; i++)
		error = profile_create(names[i], false);
	return error;
}

static const dtrace_provider_ops_t profile_ops = {
	.provide = profile_provide,
	.enable = profile_enable,
	.disable = profile_disable,
	.interrupts = profile_interrupts,
	.bind = profile_bind,
	.begin = profile_begin,
	.destroy = profile_destroy,
};

/* ---- start and end ---- */

static const dtrace_pattr_t profile_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(UNSTABLE, UNSTABLE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_args = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
};

static int profile_register(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_USER};
	int error = dtrace_provider_register("profile", &profile_attr, &priv, &profile_ops, NULL,
					     &profile_provider);

	if (error)
		return error;
	error = profile_create_defaults();
	if (error)
		dtrace_provider_unregister(profile_provider);
	return error;
}

static int profile_init(void)
{
	int state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "dtrace/profile:online",
					      profile_cpu_online, profile_cpu_offline);
	int error;

	if (state < 0)
		return state;
	profile_hotplug = state;
	error = profile_register();
	if (error)
		cpuhp_remove_state_nocalls(profile_hotplug);
	return error;
}

static void profile_exit(void)
{
	dtrace_provider_unregister(profile_provider);
	cpuhp_remove_state_nocalls(profile_hotplug);
}

const struct provider_module profile_module = {
	.name = "profile",
	.init = profile_init,
	.exit = profile_exit,
};
