// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * stable.c - the stable providers: makes their probes, and hooks the kernel where the enabled
 * probes fire.
 *
 * When a description can first match a probe, the probes are made, since it takes time to look for
 * the functions. The operations provide and sync do all that. A notifier hooks and unhooks the
 * tracepoints of modules that come and go meanwhile.
 *
 * Locks: stable_lock, a mutex, under the engine's sync lock, or taken by the module notifier,
 * protects which tracepoint a trigger has, and whether it is hooked. The sync lock protects the
 * rest.
 */
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "hooks/symbol.h"
#include "hooks/tracepoint.h"
#include "providers/provider.h"
#include "stable.h"
#include "target.h"

#define STABLE_ROW(name) &name##_provider,
static struct stable_provider *const stable_providers[] = {STABLE_PROVIDERS(STABLE_ROW)};

static DEFINE_MUTEX(stable_lock);

#define for_each_trigger(p, t) for (t = (p)->triggers; t < (p)->triggers + (p)->ntriggers; t++)
#define for_each_probe(p, b)   for (b = (p)->probes; b < (p)->probes + (p)->nprobes; b++)

/* ---- functions ---- */

static notrace struct stable_trigger *stable_trigger_of(struct function_user *user)
{
	return container_of(user, struct stable_trigger, user);
}

/* Fire at the entry of a trigger's function. */
static notrace void stable_entered(struct function_user *user, struct pt_regs *regs)
{
	const struct stable_trigger *t = stable_trigger_of(user);

	t->entered(t, regs);
}

/* Fire at the return of a trigger's function. */
static notrace void stable_returned(struct function_user *user, struct pt_regs *regs,
				    unsigned long first)
{
	const struct stable_trigger *t = stable_trigger_of(user);

	t->returned(t, regs, first);
}

/* Fire when a trigger's function has returned after a wait. */
static notrace void stable_waited(struct function_user *user, struct pt_regs *regs,
				  unsigned long first, u64 ns, bool slept)
{
	const struct stable_trigger *t = stable_trigger_of(user);

	t->waited(t, regs, first, ns, slept);
}

static notrace void stable_missed(struct function_user *user)
{
	dtrace_fire_missed(stable_trigger_of(user)->fires);
}

static const struct function_user_ops stable_ops[] = {
	[STABLE_ENTRY] = {.entry = stable_entered, .missed = stable_missed, .events = true},
	[STABLE_RETURN] = {.returned = stable_returned, .missed = stable_missed, .events = true},
	[STABLE_WAIT] = {.waited = stable_waited, .missed = stable_missed, .events = true},
};

notrace fmode_t stable_file_mode(unsigned long file)
{
	fmode_t mode;

	if (target_load_kernel(&mode, file + offsetof(struct file, f_mode), sizeof(mode)))
		return 0;
	return mode;
}

/* ---- hooks [stable_lock] ---- */

static bool stable_has(const struct stable_trigger *t)
{
	return t->kind == STABLE_TRACEPOINT ? !!t->tp : !!t->site;
}

/* Hook a trigger: a function is hooked when function_hook_sync has run. */
static void stable_hook(struct stable_trigger *t)
{
	int error;

	if (t->kind == STABLE_TRACEPOINT) {
		error = tracepoint_probe_register(t->tp, t->tracepoint, t);
	} else {
		t->user.ops = &stable_ops[t->kind];
		error = function_hook_add(&t->user, t->site);
	}
	if (error)
		pr_err("dtrace: cannot hook %s (error %d)\n", t->symbol, error);
	else
		t->hooked = true;
}

static void stable_unhook(struct stable_trigger *t)
{
	if (t->kind == STABLE_TRACEPOINT)
		tracepoint_probe_unregister(t->tp, t->tracepoint, t);
	else
		function_hook_remove(&t->user);
	t->hooked = false;
}

/* Return whether a trigger should be hooked. */
static bool stable_is_wanted(const struct stable_trigger *t)
{
	const struct stable_probe *of = READ_ONCE(t->of);

	return of && READ_ONCE(of->enabled) && stable_has(t);
}

/* Hook and unhook as probes have been enabled and disabled; no handler runs that is unhooked. */
static void stable_sync(void *arg)
{
	struct stable_provider *p = arg;
	bool tracepoints = false, functions = false;
	struct stable_trigger *t;

	mutex_lock(&stable_lock);
	for_each_trigger(p, t) {
		bool enabled = stable_is_wanted(t);

		if (enabled == t->hooked)
			continue;
		if (t->kind != STABLE_TRACEPOINT)
			functions = true;
		else if (!enabled)
			tracepoints = true;
		if (enabled)
			stable_hook(t);
		else
			stable_unhook(t);
	}
	mutex_unlock(&stable_lock);
	if (functions)
		function_hook_sync();
	if (tracepoints)
		tracepoint_synchronize_unregister();
}

/* ---- provider operations ---- */

/* Return whether a probe fires at a function, or at several. */
static bool stable_needs_functions(const struct stable_provider *p, const struct stable_probe *b)
{
	const struct stable_trigger *t;

	for_each_trigger(p, t)
		if (t->of == b && t->kind != STABLE_TRACEPOINT && t->site)
			return true;
	return false;
}

static int stable_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct stable_probe *b = parg;

	dtrace_engine_assert_locked();
	if (function_hooks_are_off() && stable_needs_functions(arg, b))
		return -ESHUTDOWN;
	WRITE_ONCE(b->enabled, true);
	return 0;
}

static void stable_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct stable_probe *b = parg;

	dtrace_engine_assert_locked();
	WRITE_ONCE(b->enabled, false);
}

static bool stable_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
			  struct dtrace_arg *out)
{
	const struct stable_probe *b = parg;

	if (n >= STABLE_NARGS || !b->args[n].type)
		return false;
	*out = b->args[n];
	return true;
}

/* Return args[n] from its native argument, which may have another number [probe context]. */
static uint64_t stable_getargval(void *arg, dtrace_probe_t *probe, void *parg,
				 const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct stable_probe *b = parg;

	if (raw || argno >= STABLE_NARGS)
		return 0;
	argno = b->args[port_nospec(argno, STABLE_NARGS)].native;
	return argno < fire->nargs ? fire->args[argno] : 0;
}

/* ---- probes are made [sync lock] ---- */

/*
 * Look for what a trigger hooks. The notifier has done that for the tracepoint of a module, unless
 * the kernel has the module built in.
 */
static void stable_look_for(struct stable_trigger *t)
{
	if (t->kind != STABLE_TRACEPOINT) {
		t->site = symbol_function_site(t->symbol);
		return;
	}
	mutex_lock(&stable_lock);
	if (t->tracepoint && !t->tp)
		t->tp = tracepoint_find(t->symbol);
	mutex_unlock(&stable_lock);
}

static struct stable_probe *stable_probe_find(struct stable_provider *p, const char *name)
{
	struct stable_probe *b;

	for_each_probe(p, b)
		if (!strcmp(b->name, name))
			return b;
	return NULL;
}

/* Make the probes that have a trigger in this kernel, or may have one in a module. */
static int stable_make(struct stable_provider *p)
{
	struct stable_trigger *t;
	int error;

	for_each_trigger(p, t) {
		WRITE_ONCE(t->of, stable_probe_find(p, t->probe));
		stable_look_for(t);
		if (!t->of || (!t->module && !stable_has(t)))
			continue;
		if (!t->of->probe) {
			error = dtrace_probe_create(p->provider, "vmlinux", "", t->probe, t->of,
						    &t->of->probe);
			if (error)
				return error;
		}
		t->fires = t->of->probe;
	}
	p->made = true;
	return 0;
}

/* Return whether a pattern may match the name of a probe. */
static bool stable_could_be(const struct stable_provider *p, const char *pattern)
{
	const struct stable_probe *b;

	for_each_probe(p, b)
		if (provider_could_be(pattern, b->name))
			return true;
	return false;
}

/* Make the probes if a description may mean one. */
static int stable_provide(void *arg, const dtrace_probedesc_t *desc)
{
	struct stable_provider *p = arg;
	const struct stable_probe *b;
	int error;

	if (desc && !provider_meant(desc, p->name, stable_could_be(p, desc->dtpd_name)))
		return 0;
	if (!p->made) {
		error = stable_make(p);
		if (error)
			return error;
	}
	if (!desc || strcmp(desc->dtpd_provider, p->name))
		return 0;
	b = stable_probe_find(p, desc->dtpd_name);
	return b && !b->probe ? -DTRACE_REFUSED_TRIGGER : 0;
}

static const dtrace_provider_ops_t stable_provider_ops = {
	.provide = stable_provide,
	.enable = stable_enable,
	.disable = stable_disable,
	.sync = stable_sync,
	.getarg = stable_getarg,
	.getargval = stable_getargval,
	.module_alias = provider_module_alias,
};

/* ---- modules that come and go ---- */

/* Return the tracepoint of that name in a module, or NULL. */
static struct tracepoint *stable_find_in(const struct module *module, const char *name)
{
	unsigned int i;

	for (i = 0; i < module->num_tracepoints; i++) {
		struct tracepoint *tp = tracepoint_ptr_deref(&module->tracepoints_ptrs[i]);

		if (!strcmp(tp->name, name))
			return tp;
	}
	return NULL;
}

static void stable_trigger_coming(struct stable_trigger *t, const struct module *module)
{
	t->tp = stable_find_in(module, t->symbol);
	if (stable_is_wanted(t))
		stable_hook(t);
}

/* Forget the tracepoint of a trigger, and wait until its handler does not run any more. */
static void stable_trigger_going(struct stable_trigger *t)
{
	if (t->hooked) {
		stable_unhook(t);
		tracepoint_synchronize_unregister();
	}
	t->tp = NULL;
}

/* Hook the triggers in a module that comes; unhook those in a module that goes. */
static int stable_module_event(struct notifier_block *nb, unsigned long event, void *data)
{
	const struct module *module = ((const struct tp_module *)data)->mod;
	struct stable_trigger *t;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(stable_providers); i++)
		for_each_trigger(stable_providers[i], t) {
			if (!t->module || strcmp(t->module, module->name))
				continue;
			mutex_lock(&stable_lock);
			if (event == MODULE_STATE_COMING)
				stable_trigger_coming(t, module);
			else if (event == MODULE_STATE_GOING)
				stable_trigger_going(t);
			mutex_unlock(&stable_lock);
		}
	return NOTIFY_OK;
}

static struct notifier_block stable_notifier = {.notifier_call = stable_module_event};

/* ---- /proc/dtrace/triggers ---- */

static const char *stable_state(const struct stable_provider *p, const struct stable_trigger *t)
{
	if (!READ_ONCE(p->made))
		return "-";
	return !stable_has(t) ? "missing" : READ_ONCE(t->hooked) ? "hooked" : "found";
}

static int stable_show(struct seq_file *seq, void *unused)
{
	static const char *const kinds[] = {"tracepoint", "entry", "return", "return"};
	const struct stable_trigger *t;
	unsigned int i;

	seq_printf(seq, "%-8s %-20s %-10s %-8s %s\n", "provider", "probe", "at", "state", "name");
	for (i = 0; i < ARRAY_SIZE(stable_providers); i++)
		for_each_trigger(stable_providers[i], t)
			seq_printf(seq, "%-8s %-20s %-10s %-8s %s\n", stable_providers[i]->name,
				   t->probe, kinds[t->kind], stable_state(stable_providers[i], t),
				   t->symbol);
	return 0;
}

static const struct provider_file stable_files[] = {{.name = "triggers", .show = stable_show}, {}};

/* ---- start and end ---- */

static const dtrace_pattr_t stable_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_args = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
};

/* Tells a provider from another of its name: no process has this number. */
#define STABLE_MORE (~0ULL)

/* Unregister the first n providers. */
static void stable_unregister(unsigned int n)
{
	while (n--)
		dtrace_provider_unregister(stable_providers[n]->provider);
}

static int stable_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(stable_providers); i++) {
		struct stable_provider *p = stable_providers[i];

		error = dtrace_provider_register_for(p->more ? STABLE_MORE : 0, p->name,
						     &stable_attr, &priv, &stable_provider_ops, p,
						     &p->provider);
		if (error) {
			stable_unregister(i);
			return error;
		}
	}
	error = register_tracepoint_module_notifier(&stable_notifier);
	if (error)
		stable_unregister(ARRAY_SIZE(stable_providers));
	return error;
}

static void stable_exit(void)
{
	unregister_tracepoint_module_notifier(&stable_notifier);
	stable_unregister(ARRAY_SIZE(stable_providers));
}

const struct provider_module stable_module = {
	.name = "stable",
	.init = stable_init,
	.exit = stable_exit,
	.files = stable_files,
};
