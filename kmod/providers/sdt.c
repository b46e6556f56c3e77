// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * sdt.c - the sdt provider: a probe for each tracepoint of the kernel and its modules.
 *
 *	sdt:GROUP::NAME		with the tracepoint's own arguments (TP_PROTO)
 *	rawtp:GROUP::NAME	the same, as another DTrace for Linux calls it
 *
 * One handler serves tracepoints of all prototypes. The calling convention puts the handler's data
 * and the first five arguments in registers, whatever their types are, and the others on the stack
 * of the caller. The latter are read when a clause asks for one, by a load that may fail, since
 * their number is unknown here.
 *
 * The tracepoints of the kernel proper can be enumerated. A notifier announces those of modules,
 * and reports the existing modules when it is registered.
 *
 * Locks. sdt_lock protects the list of modules and the creation of probes; the engine lock is taken
 * under it. sdt_changes_lock protects the list of probes whose tracepoints are to be registered or
 * unregistered; it is taken under all others. sdt_probe.hooked belongs to sync, which runs once at
 * a time.
 */
#include <linux/bsearch.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <linux/tracepoint.h>
#include <linux/uaccess.h>

#include "engine.h"
#include "provider.h"

#define SDT_NREGISTERS 5  /* arguments in registers, behind the handler's data */
#define SDT_NARGS      12 /* no tracepoint has more */

/* Tracepoints of the kernel's headers, by name. */
struct sdt_group {
	const char *name;
	const char *group;
};

static const struct sdt_group sdt_groups[] = {
#include "sdt_groups_table.h"
};

/* Tracepoints whose names begin so, and that the headers for modules do not have. */
static const struct sdt_group sdt_prefixes[] = {
	{"amd_pstate_", "amd_cpu"},
	{"aer_event", "ras"},
	{"arm_event", "ras"},
	{"bpf_trace_printk", "bpf_trace"},
	{"br_", "bridge"},
	{"cache_tag_", "intel_iommu"},
	{"cdev_update", "thermal"},
	{"cxl_", "cxl"},
	{"devres_log", "dev"},
	{"emulate_vsyscall", "vsyscall"},
	{"fdb_delete", "bridge"},
	{"fuse_", "fuse"},
	{"iomap_", "iomap"},
	{"mc_event", "ras"},
	{"memory_failure_event", "ras"},
	{"module_", "module"},
	{"mon_llc_", "resctrl"},
	{"non_standard_event", "ras"},
	{"nvme_", "nvme"},
	{"prq_report", "intel_iommu"},
	{"pseudo_lock_", "resctrl"},
	{"qi_submit", "intel_iommu"},
	{"rdpmc", "msr"},
	{"read_msr", "msr"},
	{"thermal_power_", "thermal_power_allocator"},
	{"thermal_", "thermal"},
	{"wbt_", "wbt"},
	{"write_msr", "msr"},
};

/* Each of the two providers has its own probes, which are made when a description names them. */
struct sdt_provider {
	const char *name;
	dtrace_provider_t *provider;
	bool provided; /* sdt_lock: those of the kernel are there, and modules' come along */
};

static struct sdt_provider sdt_providers[] = {{.name = "sdt"}, {.name = "rawtp"}};

struct sdt_probe {
	struct tracepoint *tp;
	dtrace_probe_t *probe;
	struct list_head of_module; /* sdt_lock; of one in a module */
	struct list_head change;    /* sdt_changes_lock; something is to be done */
	bool enabled;		    /* engine lock; sync reads it */
	bool hooked;		    /* sync's: the handler is registered */
};

/* A module that has tracepoints. */
struct sdt_traced {
	struct list_head list;
	struct module *module;
	struct list_head probes; /* of both providers */
};

static DEFINE_MUTEX(sdt_lock);
static LIST_HEAD(sdt_traced_modules);
static DEFINE_SPINLOCK(sdt_changes_lock);
static LIST_HEAD(sdt_changes);

/* ---- firing ---- */

/*
 * Fire at a hit of a tracepoint; preemption is off. The arguments on the stack begin behind the
 * saved frame pointer and the return address.
 */
static void notrace sdt_hit(void *data, uint64_t a0, uint64_t a1, uint64_t a2, uint64_t a3,
			    uint64_t a4)
{
	const struct sdt_probe *p = data;
	uint64_t args[SDT_NREGISTERS] = {a0, a1, a2, a3, a4};
	struct dtrace_fire fire = {.args = args,
				   .nargs = SDT_NREGISTERS,
				   .cookie = (const uint64_t *)__builtin_frame_address(0) + 2};

	dtrace_fire(p->probe, &fire);
}

/* Return an argument from the stack, or 0 if it cannot be read [probe context]. */
static uint64_t sdt_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			      const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const uint64_t *stack = fire->cookie;
	uint64_t value;

	if (argno < SDT_NREGISTERS)
		return fire->args[argno];
	if (argno >= SDT_NARGS ||
	    copy_from_kernel_nofault(&value, &stack[argno - SDT_NREGISTERS], sizeof(value)))
		return 0;
	return value;
}

/* ---- tracepoints [sync] ---- */

static struct sdt_probe *sdt_next_change(void)
{
	struct sdt_probe *p;

	spin_lock(&sdt_changes_lock);
	p = list_first_entry_or_null(&sdt_changes, struct sdt_probe, change);
	if (p)
		list_del_init(&p->change);
	spin_unlock(&sdt_changes_lock);
	return p;
}

/*
 * Register and unregister handlers as probes have been enabled and disabled, and wait once until no
 * handler runs that has been unregistered.
 */
static void sdt_sync(void *arg)
{
	bool unhooked = false;
	struct sdt_probe *p;

	while ((p = sdt_next_change())) {
		bool enabled = READ_ONCE(p->enabled);

		if (enabled == p->hooked)
			continue;
		if (!enabled) {
			tracepoint_probe_unregister(p->tp, sdt_hit, p);
			unhooked = true;
		} else if (tracepoint_probe_register(p->tp, sdt_hit, p)) {
			pr_err("dtrace: cannot use the tracepoint %s\n", p->tp->name);
			continue;
		}
		p->hooked = enabled;
	}
	if (unhooked)
		tracepoint_synchronize_unregister();
}

/* Note that a probe is enabled or disabled, for sync [engine lock]. */
static void sdt_change(struct sdt_probe *p, bool enabled)
{
	dtrace_engine_assert_locked();
	WRITE_ONCE(p->enabled, enabled);
	spin_lock(&sdt_changes_lock);
	if (list_empty(&p->change))
		list_add_tail(&p->change, &sdt_changes);
	spin_unlock(&sdt_changes_lock);
}

/* ---- provider operations ---- */

static int sdt_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	sdt_change(parg, true);
	return 0;
}

static void sdt_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	sdt_change(parg, false);
}

/* Free a probe [engine lock]. It is disabled, and sync has unregistered its handler. */
static void sdt_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct sdt_probe *p = parg;

	dtrace_engine_assert_locked();
	spin_lock(&sdt_changes_lock);
	list_del(&p->change);
	spin_unlock(&sdt_changes_lock);
	kfree(p);
}

/* ---- names ---- */

static int sdt_compare(const void *name, const void *entry)
{
	return strcmp(name, ((const struct sdt_group *)entry)->name);
}

/*
 * Return the group of a tracepoint. For a module's, its event has the group; for the kernel's, the
 * headers have it. If only the source has the group, return "vmlinux".
 */
static const char *sdt_group(const struct tracepoint *tp, const struct module *module)
{
	const struct sdt_group *found;
	unsigned int i;

	for (i = 0; module && i < module->num_trace_events; i++) {
		const struct trace_event_call *call = module->trace_events[i];

		if ((call->flags & TRACE_EVENT_FL_TRACEPOINT) && call->tp == tp)
			return call->class->system;
	}
	found = bsearch(tp->name, sdt_groups, ARRAY_SIZE(sdt_groups), sizeof(*sdt_groups),
			sdt_compare);
	if (found)
		return found->group;
	for (i = 0; i < ARRAY_SIZE(sdt_prefixes); i++)
		if (!strncmp(tp->name, sdt_prefixes[i].name, strlen(sdt_prefixes[i].name)))
			return sdt_prefixes[i].group;
	return module ? module->name : "vmlinux";
}

/* ---- probes [sdt_lock] ---- */

/* Create the probe of a provider for a tracepoint. of: its module's list, or NULL. */
static void sdt_create(struct sdt_provider *provider, struct tracepoint *tp,
		       const struct module *module, struct list_head *of) __must_hold(&sdt_lock)
{
	struct sdt_probe *p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);

	lockdep_assert_held(&sdt_lock);
	if (!p)
		return;
	p->tp = tp;
	INIT_LIST_HEAD(&p->of_module);
	INIT_LIST_HEAD(&p->change);
	if (dtrace_probe_create(provider->provider, sdt_group(tp, module), "", tp->name, p,
				&p->probe)) {
		kfree(p); /* no memory, or another of that name */
		return;
	}
	if (of)
		list_add(&p->of_module, of);
}

static void sdt_create_kernel(struct tracepoint *tp, void *data)
{
	sdt_create(data, tp, NULL, NULL);
}

static void sdt_create_module(struct sdt_provider *provider, struct sdt_traced *m)
{
	unsigned int i;

	for (i = 0; i < m->module->num_tracepoints; i++)
		sdt_create(provider, tracepoint_ptr_deref(&m->module->tracepoints_ptrs[i]),
			   m->module, &m->probes);
}

/*
 * Return whether a description means this provider. Patterns with wildcards mean the first; they
 * mean the second, which has the same probes, if they begin like its name.
 */
static bool sdt_meant(const struct sdt_provider *provider, const char *pattern)
{
	return provider_could_be(pattern, provider->name) &&
	       (provider == &sdt_providers[0] || pattern[0] == provider->name[0]);
}

struct sdt_search {
	const char *name;
	bool found;
};

static void sdt_compare_name(struct tracepoint *tp, void *data)
{
	struct sdt_search *search = data;

	search->found |= !strcmp(tp->name, search->name);
}

/* Return whether a pattern may match the name of a tracepoint [sdt_lock]. */
static bool sdt_is_name(const char *pattern)
{
	struct sdt_search search = {.name = pattern};
	struct sdt_traced *m;
	unsigned int i;

	if (!*pattern || provider_is_pattern(pattern))
		return true;
	for_each_kernel_tracepoint(sdt_compare_name, &search);
	list_for_each_entry(m, &sdt_traced_modules, list)
		for (i = 0; i < m->module->num_tracepoints; i++)
			sdt_compare_name(tracepoint_ptr_deref(&m->module->tracepoints_ptrs[i]),
					 &search);
	return search.found;
}

/*
 * Make all probes once a description matches one, or names the provider: then messages have names
 * to suggest.
 */
static int sdt_provide(void *arg, const dtrace_probedesc_t *desc)
{
	struct sdt_provider *provider = arg;
	struct sdt_traced *m;

	if (!desc ? provider != &sdt_providers[0] : !sdt_meant(provider, desc->dtpd_provider))
		return 0;
	mutex_lock(&sdt_lock);
	if (!provider->provided && (!desc || !strcmp(desc->dtpd_provider, provider->name) ||
				    sdt_is_name(desc->dtpd_name))) {
		provider->provided = true;
		for_each_kernel_tracepoint(sdt_create_kernel, provider);
		list_for_each_entry(m, &sdt_traced_modules, list)
			sdt_create_module(provider, m);
	}
	mutex_unlock(&sdt_lock);
	return 0;
}

static const dtrace_provider_ops_t sdt_ops = {
	.provide = sdt_provide,
	.enable = sdt_enable,
	.disable = sdt_disable,
	.sync = sdt_sync,
	.getargval = sdt_getargval,
	.destroy = sdt_destroy,
};

/* ---- modules that come and go ---- */

static void sdt_module_coming(struct module *module)
{
	struct sdt_traced *m = kzalloc(sizeof(*m), GFP_KERNEL);
	unsigned int i;

	if (!m) {
		pr_err("dtrace: no memory for the tracepoints of %s\n", module->name);
		return;
	}
	m->module = module;
	INIT_LIST_HEAD(&m->probes);
	mutex_lock(&sdt_lock);
	list_add_tail(&m->list, &sdt_traced_modules);
	for (i = 0; i < ARRAY_SIZE(sdt_providers); i++)
		if (sdt_providers[i].provided)
			sdt_create_module(&sdt_providers[i], m);
	mutex_unlock(&sdt_lock);
	for (i = 0; i < ARRAY_SIZE(sdt_providers); i++)
		if (READ_ONCE(sdt_providers[i].provided))
			dtrace_provider_match(sdt_providers[i].provider);
}

/*
 * Destroy the probes of a module that ends, enabled or not, and their handlers:
 * dtrace_probe_destroy() calls sync.
 */
static void sdt_module_going(struct module *module)
{
	struct sdt_traced *m, *found = NULL;
	dtrace_probe_t *probes[32];
	struct sdt_probe *p, *next;
	size_t n = 0;

	mutex_lock(&sdt_lock);
	list_for_each_entry(m, &sdt_traced_modules, list)
		if (m->module == module)
			found = m;
	if (found)
		list_del(&found->list);
	mutex_unlock(&sdt_lock);
	if (!found)
		return;
	list_for_each_entry_safe(p, next, &found->probes, of_module) {
		probes[n++] = p->probe;
		if (n == ARRAY_SIZE(probes) || list_is_last(&p->of_module, &found->probes)) {
			dtrace_probe_destroy(probes, n);
			n = 0;
		}
	}
	kfree(found);
}

static int sdt_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	struct tp_module *tp_module = data;

	if (event == MODULE_STATE_COMING)
		sdt_module_coming(tp_module->mod);
	else if (event == MODULE_STATE_GOING)
		sdt_module_going(tp_module->mod);
	return NOTIFY_OK;
}

static struct notifier_block sdt_notifier = {.notifier_call = sdt_module_event};

/* ---- start and end ---- */

static const dtrace_pattr_t sdt_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, ISA),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(PRIVATE, PRIVATE, ISA),
	.dtpa_args = DTRACE_ATTR(PRIVATE, PRIVATE, ISA),
};

static void sdt_unregister(unsigned int n)
{
	while (n--)
		dtrace_provider_unregister(sdt_providers[n].provider);
}

static int sdt_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(sdt_providers); i++) {
		error = dtrace_provider_register(sdt_providers[i].name, &sdt_attr, &priv, &sdt_ops,
						 &sdt_providers[i], &sdt_providers[i].provider);
		if (error) {
			sdt_unregister(i);
			return error;
		}
	}
	error = register_tracepoint_module_notifier(&sdt_notifier);
	if (error)
		sdt_unregister(ARRAY_SIZE(sdt_providers));
	return error;
}

static void sdt_exit(void)
{
	struct sdt_traced *m, *next;

	unregister_tracepoint_module_notifier(&sdt_notifier);
	sdt_unregister(ARRAY_SIZE(sdt_providers));
	list_for_each_entry_safe(m, next, &sdt_traced_modules, list)
		kfree(m);
}

const struct provider_module sdt_module = {
	.name = "sdt",
	.init = sdt_init,
	.exit = sdt_exit,
};
