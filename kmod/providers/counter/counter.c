// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * counter.c - the providers of counters: makes their probes, finds the instructions that change
 * counters, and puts kprobes on instructions that may change the counter of an enabled probe.
 *
 * When a description can first match a probe, the probes are made, and text is searched. Modules
 * that come later are searched then.
 *
 * Locks: a provider's making, a mutex, is held while its probes are made and text is searched,
 * which takes a second, or minutes on a slow machine: sessions that need the probes wait for it
 * killably, and nobody else does. counter_lock, a mutex, is taken under it, or under the engine's
 * sync lock, or by the module notifier, and protects the lists of instructions. The kernel's are
 * found without it. It is held while the text of one module is searched, and around site_sync_lock
 * while a module goes.
 */
#include <linux/bitmap.h>
#include <linux/ctype.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "arch/x86/percpu.h"
#include "counter.h"
#include "hooks/jumps.h"
#include "hooks/modules.h"
#include "hooks/site.h"
#include "providers/provider.h"
#include "stats.h"

/* A probe, which fires for one counter or for several. */
struct counter_probe {
	struct list_head link; /* [making] of its provider's probes */
	char name[COUNTER_NAMELEN];
	dtrace_probe_t *probe;
	bool enabled; /* [engine lock] others read it */
};

struct counter_link {
	struct counter_link *next;
	struct counter_probe *probe;
	bool once;
};

/* An instruction that may change counters of a provider. */
struct counter_site {
	struct site_user user;
	struct percpu_add add;
	struct counter_provider *provider;
	const struct module *module; /* NULL: the kernel's */
	struct list_head link;	     /* [counter_lock] of its provider's sites */
	bool hooked;		     /* [counter_lock] */
};

#define COUNTER_ROW(name) &name##_counters,
static struct counter_provider *const counter_providers[] = {COUNTER_PROVIDERS(COUNTER_ROW)};

static DEFINE_MUTEX(counter_lock);

/* ---- firing ---- */

/* Fire for the counter that the instruction of a site is about to change. */
static notrace void counter_hit(struct site_user *user, struct pt_regs *regs)
{
	const struct counter_site *s = container_of(user, struct counter_site, user);
	unsigned long variable = percpu_add_variable(&s->add, regs);
	const struct counter_link *link;
	const struct counter *c;
	uint64_t args[COUNTER_NARGS] = {};
	const struct dtrace_fire fire = {
		.args = args, .nargs = COUNTER_NARGS, .regs = regs, .no_process = true};
	int64_t amount;

	c = s->provider->locate(variable, &args[2]);
	if (!c)
		return;
	amount = percpu_add_amount(&s->add, regs);
	args[1] = s->add.shared ? variable : (uintptr_t)this_cpu_ptr((void __percpu *)variable);
	for (link = c->links; link; link = link->next) {
		if (!READ_ONCE(link->probe->enabled))
			continue;
		args[0] = link->once ? 1 : (uint64_t)amount;
		dtrace_fire(link->probe->probe, &fire);
	}
}

/*
 * Count hits that were missed. The changed counter is unknown, so count a miss for each possible
 * one.
 */
static notrace void counter_missed(struct site_user *user, unsigned long n)
{
	const struct counter_site *s = container_of(user, struct counter_site, user);
	const struct counter_provider *p = s->provider;
	const struct counter_link *link;
	unsigned long some;
	unsigned int i;

	for (i = 0; i < p->ncounters; i++)
		for (link = p->counters[i].links; link; link = link->next)
			if (READ_ONCE(link->probe->enabled) && p->may_change(&s->add, i))
				for (some = n; some; some--)
					dtrace_fire_missed(link->probe->probe);
}

static const struct site_user_ops counter_site_ops = {.hit = counter_hit, .missed = counter_missed};

/* ---- instructions ---- */

#define COUNTER_LEADS 16 /* bits of a hash */

/* A search of the text of a module, NULL: of the kernel. */
struct counter_search {
	struct counter_provider *provider;
	const struct module *module;
	struct list_head sites;			   /* that it has found */
	DECLARE_BITMAP(leads, 1 << COUNTER_LEADS); /* instructions that may have one */
};

static unsigned int counter_bit(unsigned long site)
{
	return hash_long(site, COUNTER_LEADS);
}

static bool counter_concerns(const struct counter_provider *p, const struct percpu_add *add)
{
	unsigned int i;

	for (i = 0; i < p->ncounters; i++)
		if (p->counters[i].links && p->may_change(add, i))
			return true;
	return false;
}

/* Enter an instruction if it may change a counter. */
static int counter_found(void *arg, const struct percpu_add *add)
{
	struct counter_search *search = arg;
	struct counter_site *s;

	if (!counter_concerns(search->provider, add))
		return 0;
	s = kzalloc(sizeof(*s), GFP_KERNEL_ACCOUNT);
	if (!s)
		return -ENOMEM;
	s->add = *add;
	s->provider = search->provider;
	s->module = search->module;
	s->user.ops = &counter_site_ops;
	s->user.site = add->site;
	site_user_init(&s->user);
	list_add_tail(&s->link, &search->sites);
	return 0;
}

/* Forget the lead of an instruction to which a jump may lead. */
static void counter_jumped(void *arg, unsigned long target)
{
	const struct counter_search *search = arg;
	struct counter_site *s;

	if (!test_bit(counter_bit(target), search->leads))
		return;
	list_for_each_entry(s, &search->sites, link)
		if (s->add.site == target)
			s->add.lead = 0;
}

/*
 * Have the leads of instructions in a text hooked, unless there are other ways to the instructions.
 * The kernel replaces a breakpoint by a jump there, which costs much less. Many instructions that
 * count are too short for that, or of a kind that old kernels leave where they are. 0 or -EINTR.
 */
static int counter_lead(struct counter_search *search)
{
	struct counter_site *s;
	int error;

	list_for_each_entry(s, &search->sites, link)
		if (s->add.lead)
			set_bit(counter_bit(s->add.site), search->leads);
	error = jumps_each(search->module, counter_jumped, search);
	if (error)
		return error == -EINTR ? error : 0;
	list_for_each_entry(s, &search->sites, link)
		if (s->add.lead) {
			s->user.otherwise = s->user.site;
			s->user.site -= s->add.lead;
		}
	return 0;
}

/* Free instructions that are not hooked. */
static void counter_sites_free(struct list_head *sites)
{
	struct counter_site *s, *next;

	list_for_each_entry_safe(s, next, sites, link)
		kfree(s);
}

/*
 * Search the text of a module, which stays meanwhile, NULL: of the kernel. On success, sites has
 * what has been found. The provider's probes have been made. No lock is needed.
 */
static int counter_search(struct counter_provider *p, const struct module *module,
			  struct list_head *sites)
{
	struct counter_search *search = kzalloc(sizeof(*search), GFP_KERNEL);
	unsigned long start, end;
	int error;

	if (!search)
		return -ENOMEM;
	search->provider = p;
	search->module = module;
	INIT_LIST_HEAD(&search->sites);
	start = jumps_text(module, &end);
	error = percpu_add_find(start, end, counter_found, search);
	if (!error)
		error = counter_lead(search);
	if (error)
		counter_sites_free(&search->sites);
	else
		list_splice_tail(&search->sites, sites);
	kfree(search);
	return error;
}

static bool counter_site_in_use(const struct counter_site *s)
{
	const struct counter_provider *p = s->provider;
	const struct counter_link *link;
	unsigned int i;

	for (i = 0; i < p->ncounters; i++)
		for (link = p->counters[i].links; link; link = link->next)
			if (READ_ONCE(link->probe->enabled) && p->may_change(&s->add, i))
				return true;
	return false;
}

/*
 * Note which sites are to be hooked; site_hook_sync carries it out. Return whether there are any
 * changes.
 */
static bool counter_note(struct counter_provider *p) __must_hold(&counter_lock)
{
	struct counter_site *s;
	bool any = false;

	lockdep_assert_held(&counter_lock);
	list_for_each_entry(s, &p->sites, link) {
		bool in_use = counter_site_in_use(s);

		cond_resched();
		if (in_use == s->hooked)
			continue;
		any = true;
		s->hooked = in_use;
		if (in_use)
			site_hook_add(&s->user);
		else
			site_hook_remove(&s->user);
	}
	return any;
}

static void counter_sync(void *arg)
{
	mutex_lock(&counter_lock);
	counter_note(arg);
	mutex_unlock(&counter_lock);
	site_hook_sync();
}

/* ---- modules come and go ---- */

/* Search the text of a module, unless that has been done. */
static int counter_search_module(void *arg, struct module *module) __must_hold(&counter_lock)
{
	struct counter_provider *p = arg;
	struct counter_site *s;

	lockdep_assert_held(&counter_lock);
	list_for_each_entry(s, &p->sites, link)
		if (s->module == module)
			return 0;
	return counter_search(p, module, &p->sites);
}

static void counter_module_comes(struct counter_provider *p, struct module *module)
{
	bool changes = false;
	int error = 0;

	mutex_lock(&counter_lock);
	if (p->searched) {
		error = counter_search_module(p, module);
		changes = counter_note(p);
	}
	mutex_unlock(&counter_lock);
	if (error)
		pr_warn("dtrace: %s does not count what module %s does (error %d)\n", p->name,
			module->name, error);
	if (changes) /* not to help others, who may change thousands */
		site_hook_sync();
}

/*
 * Forget the sites of a module that ends. Its kprobes are dead already, since the kernel's own
 * notifier has run before.
 */
static void counter_module_goes(struct counter_provider *p, const struct module *module)
{
	struct counter_site *s, *next;

	mutex_lock(&counter_lock);
	list_for_each_entry(s, &p->sites, link)
		if (s->module == module && s->hooked)
			site_hook_remove(&s->user);
	site_hook_sync();
	list_for_each_entry_safe(s, next, &p->sites, link) {
		if (s->module != module)
			continue;
		site_hook_forget(&s->user);
		list_del(&s->link);
		kfree(s);
	}
	mutex_unlock(&counter_lock);
}

static int counter_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(counter_providers); i++)
		if (event == MODULE_STATE_COMING)
			counter_module_comes(counter_providers[i], data);
		else if (event == MODULE_STATE_GOING)
			counter_module_goes(counter_providers[i], data);
	return NOTIFY_OK;
}

static struct notifier_block counter_notifier = {.notifier_call = counter_notify};

/* ---- provider operations ---- */

static int counter_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct counter_probe *p = parg;

	dtrace_engine_assert_locked();
	WRITE_ONCE(p->enabled, true);
	return 0;
}

static void counter_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct counter_probe *p = parg;

	dtrace_engine_assert_locked();
	WRITE_ONCE(p->enabled, false);
}

static bool counter_getarg(void *arg, dtrace_probe_t *probe, void *parg, unsigned int n,
			   struct dtrace_arg *out)
{
	const struct counter_provider *p = arg;

	if (n >= COUNTER_NARGS || !p->args[n].type)
		return false;
	*out = p->args[n];
	return true;
}

/* ---- probes are made [making] ---- */

static struct counter_probe *counter_probe_get(struct counter_provider *provider, const char *name)
{
	struct counter_probe *p;

	list_for_each_entry(p, &provider->probes, link)
		if (!strcmp(p->name, name))
			return p;
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return ERR_PTR(-ENOMEM);
	if (strscpy(p->name, name, sizeof(p->name)) < 0) {
		kfree(p);
		return ERR_PTR(-ENAMETOOLONG);
	}
	list_add_tail(&p->link, &provider->probes);
	return p;
}

int counter_probe_add(struct counter_provider *provider, const char *name, struct counter *counter,
		      bool once)
{
	struct counter_probe *p = counter_probe_get(provider, name);
	struct counter_link *link;

	if (IS_ERR(p))
		return (int)PTR_ERR(p);
	for (link = counter->links; link; link = link->next)
		if (link->probe == p)
			return 0;
	link = kzalloc(sizeof(*link), GFP_KERNEL_ACCOUNT);
	if (!link)
		return -ENOMEM;
	link->probe = p;
	link->once = once;
	link->next = counter->links;
	counter->links = link;
	return p->probe
		       ? 0
		       : dtrace_probe_create(provider->provider, "vmlinux", "", name, p, &p->probe);
}

/* Make the probes, search the kernel's text, and take over what has been found. */
static int counter_make_kernel(struct counter_provider *p) __must_hold(&p->making)
{
	LIST_HEAD(sites);
	int error;

	lockdep_assert_held(&p->making);
	error = p->make(p);
	if (!error)
		error = counter_search(p, NULL, &sites);
	if (error)
		return error;
	mutex_lock(&counter_lock);
	list_splice(&sites, &p->sites);
	p->searched = true;
	mutex_unlock(&counter_lock);
	return 0;
}

/*
 * Make the probes, and find the instructions. A module that comes before p->searched is set is in
 * the kernel's list of modules, which is gone through afterwards; the notifier reports the others.
 * A module that goes while it is being searched waits in the notifier, and is not found afterwards.
 */
static int counter_make(struct counter_provider *p) __must_hold(&p->making)
{
	int error = 0;

	lockdep_assert_held(&p->making);
	if (p->made)
		return 0;
	if (!p->searched)
		error = counter_make_kernel(p);
	if (!error)
		error = modules_each(&counter_lock, counter_search_module, p);
	p->made = !error;
	if (p->searched)
		counter_sync(p); /* a session may have enabled a probe by its number meanwhile */
	return error;
}

/*
 * Return whether a pattern may be the name of a counter. The names are known only after the probes
 * are made. They consist of letters, digits and underscores, and have small letters: BEGIN, END and
 * tick-1s are no counters.
 */
static bool counter_could_be(const char *pattern)
{
	bool small = false;

	if (!*pattern || provider_is_pattern(pattern))
		return true;
	for (; *pattern; pattern++) {
		if (!isalnum(*pattern) && *pattern != '_')
			return false;
		small |= islower(*pattern);
	}
	return small;
}

static int counter_prepare(void *arg, const dtrace_probedesc_t *desc)
{
	struct counter_provider *p = arg;
	int error;

	if (desc && !provider_meant(desc, p->name, counter_could_be(desc->dtpd_name)))
		return 0;
	if (mutex_lock_killable(&p->making))
		return -EINTR;
	error = counter_make(p);
	mutex_unlock(&p->making);
	return error;
}

static const dtrace_provider_ops_t counter_ops = {
	.prepare = counter_prepare,
	.enable = counter_enable,
	.disable = counter_disable,
	.sync = counter_sync,
	.getarg = counter_getarg,
	.module_alias = provider_module_alias,
};

/* ---- start and end ---- */

static const dtrace_pattr_t counter_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_args = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
};

static void counter_stats(struct seq_file *seq)
{
	unsigned long long n = 0;
	struct counter_site *s;
	unsigned int i;

	mutex_lock(&counter_lock);
	for (i = 0; i < ARRAY_SIZE(counter_providers); i++)
		list_for_each_entry(s, &counter_providers[i]->sites, link)
			n++;
	mutex_unlock(&counter_lock);
	stats_row(seq, "counters-instr", n, "instructions that may change a counter");
}

/* Free what a provider has; it is unregistered. */
static void counter_free(struct counter_provider *p)
{
	struct counter_probe *probe, *next;
	struct counter_link *link;
	unsigned int i;

	counter_sites_free(&p->sites);
	for (i = 0; i < p->ncounters; i++)
		while ((link = p->counters[i].links)) {
			p->counters[i].links = link->next;
			kfree(link);
		}
	list_for_each_entry_safe(probe, next, &p->probes, link)
		kfree(probe);
}

static void counter_unregister(unsigned int n)
{
	while (n--) {
		dtrace_provider_unregister(counter_providers[n]->provider);
		counter_free(counter_providers[n]);
	}
}

static int counter_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(counter_providers); i++) {
		struct counter_provider *p = counter_providers[i];

		mutex_init(&p->making);
		INIT_LIST_HEAD(&p->probes);
		INIT_LIST_HEAD(&p->sites);
		error = dtrace_provider_register(p->name, &counter_attr, &priv, &counter_ops, p,
						 &p->provider);
		if (error)
			goto unregister;
	}
	error = register_module_notifier(&counter_notifier);
	if (error)
		goto unregister;
	error = mib_init();
	if (!error)
		return 0;
	unregister_module_notifier(&counter_notifier);
unregister:
	counter_unregister(i);
	return error;
}

static void counter_exit(void)
{
	unregister_module_notifier(&counter_notifier);
	counter_unregister(ARRAY_SIZE(counter_providers));
	mib_exit();
}

const struct provider_module counter_module = {
	.name = "counter",
	.init = counter_init,
	.exit = counter_exit,
	.stats = counter_stats,
};
