// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * cpc.c - the cpc provider: a probe fires each time that a processor has counted so many events, by
 * perf's counters.
 *
 *	cpc:::EVENT-MODE-COUNT	MODE: all, user or kernel
 *
 * Arguments: the program counter of the kernel if it was running, else 0; then that of user code.
 *
 * A probe is made when a description names it. Each CPU has a counter of its own while the probe is
 * enabled. Counters of the hardware report an overflow in a non-maskable interrupt, where nothing
 * may fire: the registers are kept, and the probe fires as soon as interrupts are allowed.
 *
 * Locks: cpc_lock, a mutex, under the engine's locks, covers the list of probes and their counters.
 * perf takes the CPU hotplug lock under it, so a CPU that comes only asks a work to look after the
 * counters.
 */
#include <linux/cpuhotplug.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/workqueue.h>
#include <dtrace/ioctl.h>

#include "engine.h"
#include "provider.h"

#define CPC_PROBES_MAX 256
#define CPC_IDLE_TIME  (10 * HZ) /* that a probe stays without being enabled */
#define CPC_NAME_LEN   64
/* A second and CPU: that a user is charged for any probe, and events of the hardware. */
#define CPC_INTERRUPTS_MIN 200
#define CPC_HARDWARE_RATE  5000000000ULL

struct cpc_probe;

/* The counter of a probe on one CPU. */
struct cpc_counter {
	struct perf_event *event; /* [cpc_lock] or NULL */
	unsigned int born;	  /* [cpc_lock] cpc_came of the CPU when the event was created */
	struct cpc_probe *probe;
	struct irq_work later; /* fires for an overflow in a non-maskable interrupt, */
	struct pt_regs regs;   /* with its registers, */
	bool pending;	       /* which are in use */
};

struct cpc_probe {
	struct list_head link; /* [cpc_lock] of cpc_probes */
	dtrace_probe_t *probe;
	struct perf_event_attr attr;
	struct cpc_counter __percpu *counters; /* [cpc_lock] while events exist */
	bool enabled;			       /* [engine lock] it is enabled; others read it */
	unsigned long since;		       /* [cpc_lock] jiffies: last asked for, or disabled */
	pid_t asker;			       /* [cpc_lock] the process that asked for it last */
	bool ended;			       /* [cpc_lock] its counters are about to be freed */
};

static DEFINE_MUTEX(cpc_lock);
static LIST_HEAD(cpc_probes);		       /* [cpc_lock] */
static unsigned int cpc_nprobes;	       /* [cpc_lock] */
static DEFINE_PER_CPU(unsigned int, cpc_came); /* how often the CPU has come online */
static dtrace_provider_t *cpc_provider;
static enum cpuhp_state cpc_hotplug;

/* ---- firing ---- */

/* Return whether a probe fires in interrupts, and not where a thread does something itself. */
static notrace bool cpc_interrupts_threads(const struct cpc_probe *p)
{
	return p->attr.type != PERF_TYPE_SOFTWARE || p->attr.config == PERF_COUNT_SW_CPU_CLOCK;
}

/*
 * Fire. Interrupts take time from the current thread, so users have a share of it, as for timers.
 */
static notrace void cpc_fire(const struct cpc_probe *p, struct pt_regs *regs)
{
	bool user = user_mode(regs);
	uint64_t pc = instruction_pointer(regs);
	const uint64_t args[] = {user ? 0 : pc, user ? pc : 0};
	const struct dtrace_fire fire = {
		.args = args, .nargs = ARRAY_SIZE(args), .regs = regs, .user = user};

	if (cpc_interrupts_threads(p))
		dtrace_fire_timed(p->probe, &fire, false);
	else
		dtrace_fire(p->probe, &fire);
}

/* Fire after an NMI. Interrupts are off. */
static notrace void cpc_fire_later(struct irq_work *work)
{
	struct cpc_counter *c = container_of(work, struct cpc_counter, later);

	cpc_fire(c->probe, &c->regs);
	WRITE_ONCE(c->pending, false);
}

/* Handle an overflow of the counter. Any context. */
static notrace void cpc_overflow(struct perf_event *event, struct perf_sample_data *data,
				 struct pt_regs *regs)
{
	struct cpc_counter *c = event->overflow_handler_context;

	if (!in_nmi()) {
		cpc_fire(c->probe, regs);
	} else if (READ_ONCE(c->pending)) {
		dtrace_fire_missed(c->probe->probe);
	} else {
		WRITE_ONCE(c->pending, true);
		c->regs = *regs;
		irq_work_queue(&c->later);
	}
}

/* ---- counters [cpc_lock] ---- */

static void cpc_counter_end(struct cpc_counter *c)
{
	if (!c->event)
		return;
	perf_event_release_kernel(c->event);
	irq_work_sync(&c->later);
	c->event = NULL;
}

/* Begin a counter. If the CPU ends meanwhile, there is no event, or a dead one. */
static void cpc_counter_begin(struct cpc_probe *p, struct cpc_counter *c, int cpu)
{
	struct perf_event *event;

	c->probe = p;
	c->pending = false;
	c->born = per_cpu(cpc_came, cpu);
	c->later = IRQ_WORK_INIT_HARD(cpc_fire_later);
	event = perf_event_create_kernel_counter(&p->attr, cpu, NULL, cpc_overflow, c);
	if (!IS_ERR(event))
		c->event = event;
	else if (cpu_online(cpu))
		pr_warn_ratelimited("dtrace: cpc counts nothing on CPU %d (error %ld)\n", cpu,
				    PTR_ERR(event));
}

/* Begin and end the counters of a probe, as it is enabled and as CPUs have come and gone. */
static void cpc_probe_update(struct cpc_probe *p) __must_hold(&cpc_lock)
{
	bool enabled = READ_ONCE(p->enabled);
	int cpu;

	lockdep_assert_held(&cpc_lock);
	if (enabled && !p->counters)
		p->counters = alloc_percpu(struct cpc_counter);
	if (!p->counters) {
		if (enabled)
			pr_warn_ratelimited("dtrace: no memory for the counters of cpc\n");
		return;
	}
	for_each_possible_cpu(cpu) {
		struct cpc_counter *c = per_cpu_ptr(p->counters, cpu);

		if (!enabled || c->born != per_cpu(cpc_came, cpu))
			cpc_counter_end(c);
		if (enabled && cpu_online(cpu) && !c->event)
			cpc_counter_begin(p, c, cpu);
	}
	p->ended = !enabled;
}

/*
 * Free the counters that have ended. perf ends an event by an interrupt of its CPU, which may come
 * in the middle of the handler of a software event: the handler goes on afterwards.
 */
static void cpc_free_ended(void) __must_hold(&cpc_lock)
{
	struct cpc_probe *p;

	lockdep_assert_held(&cpc_lock);
	synchronize_rcu();
	list_for_each_entry(p, &cpc_probes, link) {
		if (!p->ended)
			continue;
		free_percpu(p->counters);
		p->counters = NULL;
		p->ended = false;
	}
}

static void cpc_update(void)
{
	struct cpc_probe *p;
	bool ended = false;

	mutex_lock(&cpc_lock);
	list_for_each_entry(p, &cpc_probes, link) {
		cpc_probe_update(p);
		ended |= p->ended;
	}
	if (ended)
		cpc_free_ended();
	mutex_unlock(&cpc_lock);
}

static void cpc_update_later(struct work_struct *work)
{
	cpc_update();
}

static DECLARE_WORK(cpc_work, cpc_update_later);

/* perf has taken away the events of a CPU that ended. They do not count when it starts again. */
static int cpc_cpu_online(unsigned int cpu)
{
	per_cpu(cpc_came, cpu)++;
	schedule_work(&cpc_work);
	return 0;
}

/* ---- provider operations ---- */

static int cpc_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct cpc_probe *p = parg;

	dtrace_engine_assert_locked();
	WRITE_ONCE(p->enabled, true);
	return 0;
}

static void cpc_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct cpc_probe *p = parg;

	dtrace_engine_assert_locked();
	WRITE_ONCE(p->since, jiffies);
	WRITE_ONCE(p->enabled, false);
}

/*
 * [engine lock] Return how often the clock interrupts. Events of the hardware are assumed to come
 * once for a cycle of a fast processor. Each probe has a minimal weight, since the number of probes
 * is limited.
 */
static uint64_t cpc_interrupts(void *arg, dtrace_probe_t *probe, void *parg)
{
	const struct cpc_probe *p = parg;
	uint64_t events = p->attr.type == PERF_TYPE_SOFTWARE ? NSEC_PER_SEC : CPC_HARDWARE_RATE;

	dtrace_engine_assert_locked();
	if (!cpc_interrupts_threads(p))
		return CPC_INTERRUPTS_MIN;
	return max_t(uint64_t, div64_u64(events, p->attr.sample_period), CPC_INTERRUPTS_MIN);
}

static void cpc_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct cpc_probe *p = parg;

	dtrace_engine_assert_locked();
	mutex_lock(&cpc_lock);
	WARN_ON_ONCE(p->counters);
	list_del(&p->link);
	cpc_nprobes--;
	mutex_unlock(&cpc_lock);
	kfree(p);
}

static void cpc_sync(void *arg)
{
	cpc_update();
}

/* ---- names ---- */

#define CPC_HARDWARE_LEAST 5000	  /* events: a firing costs as much as some thousand instructions */
#define CPC_CLOCK_LEAST	   100000 /* ns */

/*
 * Events by name, with the smallest permitted count, and the count that a list of all probes shows.
 */
static const struct cpc_event {
	const char *name;
	uint32_t type;
	uint64_t config, least, usual;
} cpc_events[] = {
#define CPC_HARDWARE(name, event)                                                            \
	{                                                                                    \
		name, PERF_TYPE_HARDWARE, PERF_COUNT_HW_##event, CPC_HARDWARE_LEAST, 1000000 \
	}
#define CPC_SOFTWARE(name, event)                                     \
	{                                                             \
		name, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_##event, 1, 1 \
	}
	CPC_HARDWARE("cpu_cycles", CPU_CYCLES),
	CPC_HARDWARE("instructions", INSTRUCTIONS),
	CPC_HARDWARE("cache_references", CACHE_REFERENCES),
	CPC_HARDWARE("cache_misses", CACHE_MISSES),
	CPC_HARDWARE("branch_instructions", BRANCH_INSTRUCTIONS),
	CPC_HARDWARE("branch_misses", BRANCH_MISSES),
	CPC_HARDWARE("bus_cycles", BUS_CYCLES),
	CPC_HARDWARE("stalled_cycles_frontend", STALLED_CYCLES_FRONTEND),
	CPC_HARDWARE("stalled_cycles_backend", STALLED_CYCLES_BACKEND),
	CPC_HARDWARE("ref_cycles", REF_CPU_CYCLES),
	CPC_SOFTWARE("page_faults", PAGE_FAULTS),
	CPC_SOFTWARE("minor_faults", PAGE_FAULTS_MIN),
	CPC_SOFTWARE("major_faults", PAGE_FAULTS_MAJ),
	CPC_SOFTWARE("context_switches", CONTEXT_SWITCHES),
	CPC_SOFTWARE("cpu_migrations", CPU_MIGRATIONS),
	CPC_SOFTWARE("alignment_faults", ALIGNMENT_FAULTS),
	CPC_SOFTWARE("emulation_faults", EMULATION_FAULTS),
	{"cpu_clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK, CPC_CLOCK_LEAST, 1000000},
};

/* Names of other systems. */
static const struct {
	const char *name, *event;
} cpc_aliases[] = {
	{"PAPI_tot_cyc", "cpu_cycles"},		{"PAPI_tot_ins", "instructions"},
	{"PAPI_br_ins", "branch_instructions"}, {"PAPI_br_msp", "branch_misses"},
	{"PAPI_ref_cyc", "ref_cycles"},		{"cycles", "cpu_cycles"},
	{"branches", "branch_instructions"},	{"faults", "page_faults"},
};

/*
 * Parse an event of caches, CACHE_OPERATION, such as L1_dcache_load_misses. Return whether it is
 * one.
 */
static bool cpc_cache_event(const char *name, struct perf_event_attr *attr)
{
	static const char *const caches[] = {"L1_dcache_", "L1_icache_", "LLC_", "dTLB_",
					     "iTLB_",	   "branch_",	 "node_"};
	static const char *const operations[] = {"loads",	 "load_misses", "stores",
						 "store_misses", "prefetches",	"prefetch_misses"};
	unsigned int cache;
	int operation;

	for (cache = 0; cache < ARRAY_SIZE(caches); cache++) {
		size_t len = strlen(caches[cache]);

		if (strncmp(name, caches[cache], len) != 0)
			continue;
		operation = match_string(operations, ARRAY_SIZE(operations), name + len);
		if (operation < 0)
			return false;
		attr->type = PERF_TYPE_HW_CACHE;
		attr->config =
			cache | (uint64_t)(operation / 2) << 8 | (uint64_t)(operation % 2) << 16;
		return true;
	}
	return false;
}

/* Find an event by name; *least: the least count. -ENOENT: there is no such name. */
static int cpc_event_find(const char *name, struct perf_event_attr *attr, uint64_t *least)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(cpc_aliases); i++)
		if (!strcmp(name, cpc_aliases[i].name))
			name = cpc_aliases[i].event;
	*least = CPC_HARDWARE_LEAST;
	for (i = 0; i < ARRAY_SIZE(cpc_events); i++) {
		if (strcmp(name, cpc_events[i].name) != 0)
			continue;
		attr->type = cpc_events[i].type;
		attr->config = cpc_events[i].config;
		*least = cpc_events[i].least;
		return 0;
	}
	if (cpc_cache_event(name, attr))
		return 0;
	attr->type = PERF_TYPE_RAW;
	return *name == 'r' && !kstrtou64(name + 1, 16, &attr->config) ? 0 : -ENOENT;
}

/*
 * Read the name of a probe. -ENOENT: it is none; -DTRACE_REFUSED_COUNT: the count is too small.
 */
static int cpc_parse(const char *text, struct perf_event_attr *attr)
{
	static const char *const modes[] = {"all", "user", "kernel"};
	char name[CPC_NAME_LEN], *mode, *count;
	uint64_t least;
	int m, error;

	if (strscpy(name, text, sizeof(name)) < 0)
		return -ENOENT;
	count = strrchr(name, '-');
	if (!count)
		return -ENOENT;
	*count++ = '\0';
	mode = strrchr(name, '-');
	if (!mode)
		return -ENOENT;
	*mode++ = '\0';
	m = match_string(modes, ARRAY_SIZE(modes), mode);
	*attr = (struct perf_event_attr){.size = sizeof(*attr)};
	if (m < 0 || kstrtou64(count, 10, &attr->sample_period) || attr->sample_period > S64_MAX)
		return -ENOENT;
	attr->exclude_kernel = m == 1;
	attr->exclude_user = m == 2;
	error = cpc_event_find(name, attr, &least);
	if (error)
		return error;
	return attr->sample_period < least ? -DTRACE_REFUSED_COUNT : 0;
}

/* ---- probes are made [sync lock] ---- */

/*
 * Choose probes to destroy, at most capacity: the idle ones, of any age if full. Return their
 * number.
 */
static size_t cpc_choose_idle(dtrace_probe_t **probes, size_t capacity, bool full)
	__must_hold(&cpc_lock)
{
	struct cpc_probe *p;
	size_t n = 0;

	lockdep_assert_held(&cpc_lock);
	list_for_each_entry(p, &cpc_probes, link) {
		bool idle = time_after(jiffies, READ_ONCE(p->since) + CPC_IDLE_TIME);

		if (n < capacity && !READ_ONCE(p->enabled) && !p->counters &&
		    (idle || (full && p->asker != current->tgid)))
			probes[n++] = p->probe;
	}
	return n;
}

static void cpc_reap(void)
{
	dtrace_probe_t *probes[32];
	size_t n;

	do {
		mutex_lock(&cpc_lock);
		n = cpc_choose_idle(probes, ARRAY_SIZE(probes), cpc_nprobes >= CPC_PROBES_MAX);
		mutex_unlock(&cpc_lock);
		if (n)
			dtrace_probe_destroy_unused(probes, n);
	} while (n == ARRAY_SIZE(probes));
}

/*
 * Make a probe that a description has named again as fresh as a new one. Return whether it exists.
 */
static bool cpc_refresh(const struct perf_event_attr *attr)
{
	struct cpc_probe *p;
	bool found = false;

	mutex_lock(&cpc_lock);
	list_for_each_entry(p, &cpc_probes, link)
		if (!memcmp(&p->attr, attr, sizeof(*attr))) {
			p->since = jiffies;
			p->asker = current->tgid;
			found = true;
		}
	mutex_unlock(&cpc_lock);
	return found;
}

/*
 * Ask perf for a counter. -DTRACE_REFUSED_EVENT: there is none; _COUNTER: the user may have none;
 * -ENOMEM.
 */
static int cpc_try(const struct perf_event_attr *model)
{
	struct perf_event_attr attr = *model;
	struct perf_event *event;

	attr.disabled = true;
	event = perf_event_create_kernel_counter(&attr, raw_smp_processor_id(), NULL, cpc_overflow,
						 NULL);
	if (event == ERR_PTR(-ENOMEM))
		return -ENOMEM;
	if (event == ERR_PTR(-EACCES) || event == ERR_PTR(-EPERM))
		return -DTRACE_REFUSED_COUNTER;
	if (IS_ERR(event))
		return -DTRACE_REFUSED_EVENT;
	perf_event_release_kernel(event);
	return 0;
}

/*
 * Make the probe of a name. Return 0; -ENOENT: the name is not valid; -DTRACE_REFUSED_COUNT,
 * _EVENT, _COUNTER; -ENOSPC: the maximal number of probes is in use; -ENOMEM.
 */
static int cpc_make(const char *name)
{
	struct perf_event_attr attr;
	struct cpc_probe *p;
	int error = cpc_parse(name, &attr);

	if (error)
		return error;
	if (cpc_refresh(&attr) && dtrace_probe_lookup(cpc_provider, "", "", name))
		return 0;
	error = cpc_try(&attr);
	if (error)
		return error;
	cpc_reap();
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->attr = attr;
	p->since = jiffies;
	p->asker = current->tgid;
	mutex_lock(&cpc_lock);
	if (cpc_nprobes >= CPC_PROBES_MAX) {
		mutex_unlock(&cpc_lock);
		kfree(p);
		return -ENOSPC;
	}
	list_add_tail(&p->link, &cpc_probes);
	cpc_nprobes++;
	mutex_unlock(&cpc_lock);
	error = dtrace_probe_create(cpc_provider, "", "", name, p, &p->probe);
	if (error) {
		mutex_lock(&cpc_lock);
		list_del(&p->link);
		cpc_nprobes--;
		mutex_unlock(&cpc_lock);
		kfree(p);
	}
	return error;
}

/* Make a probe for each event that has a name here and that the machine can count. */
static int cpc_make_usual(void)
{
	char name[CPC_NAME_LEN];
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(cpc_events); i++) {
		snprintf(name, sizeof(name), "%s-all-%llu", cpc_events[i].name,
			 cpc_events[i].usual);
		error = cpc_make(name);
		if (error && error != -DTRACE_REFUSED_EVENT)
			return error;
	}
	return 0;
}

static int cpc_provide(void *arg, const dtrace_probedesc_t *desc)
{
	int error;

	if (desc &&
	    (!provider_could_be(desc->dtpd_provider, "cpc") || *desc->dtpd_mod || *desc->dtpd_func))
		return 0;
	if (!desc || !*desc->dtpd_name || provider_is_pattern(desc->dtpd_name))
		return cpc_make_usual();
	error = cpc_make(desc->dtpd_name);
	return error == -ENOENT || strcmp(desc->dtpd_provider, "cpc") != 0 ? 0 : error;
}

static const dtrace_provider_ops_t cpc_ops = {
	.provide = cpc_provide,
	.enable = cpc_enable,
	.disable = cpc_disable,
	.sync = cpc_sync,
	.interrupts = cpc_interrupts,
	.destroy = cpc_destroy,
};

/* ---- start and end ---- */

static const dtrace_pattr_t cpc_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, CPU),
	.dtpa_args = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
};

static int cpc_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	int state, error;

	error = dtrace_provider_register("cpc", &cpc_attr, &priv, &cpc_ops, NULL, &cpc_provider);
	if (error)
		return error;
	state = cpuhp_setup_state_nocalls(CPUHP_AP_ONLINE_DYN, "dtrace/cpc:online", cpc_cpu_online,
					  NULL);
	if (state < 0) {
		dtrace_provider_unregister(cpc_provider);
		return state;
	}
	cpc_hotplug = state;
	return 0;
}

static void cpc_exit(void)
{
	cpuhp_remove_state_nocalls(cpc_hotplug);
	cancel_work_sync(&cpc_work);
	dtrace_provider_unregister(cpc_provider);
}

const struct provider_module cpc_module = {
	.name = "cpc",
	.init = cpc_init,
	.exit = cpc_exit,
};
