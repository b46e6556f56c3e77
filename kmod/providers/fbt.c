// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fbt.c - the fbt provider: fbt:MODULE:FUNCTION:entry and :return for the functions of the kernel
 * (module vmlinux) and of its modules.
 *
 * The lists of functions are made when a description first names a probe that could be one of fbt.
 * The engine lists them from there; a probe exists while it is enabled (engine.h, listings). A
 * function that ftrace cannot patch has probes by kprobes, if a description names it.
 *
 * Locks: fbt_making is held while the lists are made, which takes a second: sessions that need them
 * wait for it killably, and nobody else does. fbt_lock, under this one or the engine's sync lock,
 * covers the list of modules, and is held while the list of one module is made.
 *
 * The notifier of modules holds neither of them while it calls the engine, so a module that comes
 * waits for no other one that comes or goes. The list of a module is safe then without a lock: it
 * is matched and destroyed only in the notifier, and the kernel calls that for one module in turn.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/rculist.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "engine.h"
#include "fbt_list.h"
#include "hooks/function.h"
#include "hooks/modules.h"
#include "hooks/site.h"
#include "hooks/symbol.h"
#include "provider.h"
#include "target.h"

#define FBT_VMLINUX "vmlinux"

/* The kernel, or a module, with its functions. */
struct fbt_module {
	struct list_head link;
	const struct module *module; /* NULL: the kernel */
	dtrace_listing_t *listing;   /* NULL: it has no functions */
	struct fbt_list list;
	char name[MODULE_NAME_LEN];
};

/* Numbers of the names that each function has in a listing. */
enum { FBT_ENTRY, FBT_RETURN };
static const char *const fbt_names[] = {[FBT_ENTRY] = "entry", [FBT_RETURN] = "return", NULL};

/* A probe that exists: it hooks all functions that have its name. */
struct fbt_hook {
	struct function_user user;
	struct fbt_probe *probe;
	unsigned long site;
};

/* The same, of a function that ftrace cannot patch. */
struct fbt_kprobe {
	struct site_user user;
	struct fbt_probe *probe;
};

struct fbt_probe {
	dtrace_probe_t *probe;
	struct fbt_width width; /* of its value */
	bool is_return;
	unsigned int n;
	struct fbt_kprobe *kprobes; /* instead of hooks, or NULL */
	struct fbt_hook hooks[];
};

static DEFINE_MUTEX(fbt_making);
static bool fbt_done; /* [fbt_making] the lists have been made, or cannot be */
static DEFINE_MUTEX(fbt_lock);
static LIST_HEAD(fbt_modules);
static bool fbt_listed_kernel; /* [fbt_making, fbt_lock] modules are listed from now on */
static dtrace_provider_t *fbt_provider;

/* ---- firing ---- */

static notrace struct fbt_probe *fbt_probe_of(struct function_user *user)
{
	return container_of(user, struct fbt_hook, user)->probe;
}

/*
 * Fire at a function's entry. The arguments stay in the registers until a program asks for them:
 * most programs ask for none. A canary would be a fortieth of the instructions of a firing, and
 * would guard no array.
 */
static notrace __no_stack_protector void fbt_entry(struct function_user *user, struct pt_regs *regs)
{
	struct dtrace_fire fire = {
		.regs = regs, .no_process = true, .caller_skip = 1, .from_caller = true};

	dtrace_fire_within(fbt_probe_of(user)->probe, &fire);
}

static notrace __no_stack_protector void fbt_returned(struct function_user *user,
						      struct pt_regs *regs, unsigned long first)
{
	struct dtrace_fire fire = {.regs = regs, .no_process = true, .from_caller = true};

	dtrace_fire_within(fbt_probe_of(user)->probe, &fire);
}

static notrace void fbt_missed(struct function_user *user)
{
	dtrace_fire_missed(fbt_probe_of(user)->probe);
}

static const struct function_user_ops fbt_hook_ops[] = {
	[FBT_ENTRY] = {.entry = fbt_entry, .missed = fbt_missed},
	[FBT_RETURN] = {.returned = fbt_returned, .missed = fbt_missed},
};

static notrace dtrace_probe_t *fbt_kprobe_probe(struct site_user *user)
{
	return container_of(user, struct fbt_kprobe, user)->probe->probe;
}

static notrace void fbt_kprobe_entry(struct site_user *user, struct pt_regs *regs)
{
	struct dtrace_fire fire = {
		.regs = regs, .no_process = true, .caller_skip = 1, .from_caller = true};

	dtrace_fire(fbt_kprobe_probe(user), &fire);
}

static notrace void fbt_kprobe_returned(struct site_user *user, struct pt_regs *regs)
{
	struct dtrace_fire fire = {.regs = regs, .no_process = true, .from_caller = true};

	dtrace_fire(fbt_kprobe_probe(user), &fire);
}

static notrace void fbt_kprobe_missed(struct site_user *user, unsigned long n)
{
	while (n--)
		dtrace_fire_missed(fbt_kprobe_probe(user));
}

static const struct site_user_ops fbt_kprobe_ops[] = {
	[FBT_ENTRY] = {.hit = fbt_kprobe_entry, .missed = fbt_kprobe_missed},
	[FBT_RETURN] = {.returned = fbt_kprobe_returned, .missed = fbt_kprobe_missed},
};

/* Return an argument of a function: those beyond the registers are above the return address. */
static uint64_t fbt_argument(const struct pt_regs *regs, unsigned int argno)
{
	uint64_t value;

	switch (argno) {
	case 0:
		return regs->di;
	case 1:
		return regs->si;
	case 2:
		return regs->dx;
	case 3:
		return regs->cx;
	case 4:
		return regs->r8;
	case 5:
		return regs->r9;
	}
	if (target_load_kernel(&value, regs->sp + 8 * (1 + argno - 6), sizeof(value)))
		return 0;
	return value;
}

/* Return the value in a register whose upper part may hold anything. */
static uint64_t fbt_value(uint64_t value, struct fbt_width width)
{
	unsigned int shift = width.bytes ? 64 - 8 * width.bytes : 0;

	return width.is_signed ? (uint64_t)((int64_t)(value << shift) >> shift)
			       : value << shift >> shift;
}

/*
 * Return an argument of a probe. arg0 of a return is -1: the offset of the instruction is not
 * known.
 */
static uint64_t fbt_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			      const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct pt_regs *regs = fire->regs;
	const struct fbt_probe *p = parg;

	if (!p->is_return)
		return fbt_argument(regs, argno);
	if (argno > 1)
		return 0;
	return argno ? fbt_value(regs->ax, p->width) : -1ULL;
}

/* ---- probes [engine lock] ---- */

/*
 * Return whether a function returns to its caller, as one with a type does: a symbol of the
 * kernel's text may be a label in another function, from where a return cannot be traced.
 */
static bool fbt_returns(const struct fbt_function *f)
{
	return f->told;
}

static bool fbt_listed(void *arg, void *larg, uint32_t n, struct dtrace_listed *names)
{
	const struct fbt_module *m = larg;
	const struct fbt_function *f = &m->list.functions[n];

	if (f->other || (f->by_kprobe && !READ_ONCE(f->allowed)))
		return false;
	names->mod = m->name;
	names->func = fbt_list_name(&m->list, n);
	names->mod_names = m->module ? NULL : provider_kernel_names;
	names->named = f->by_kprobe;
	if (f->by_kprobe && !fbt_returns(f))
		names->lacks = 1U << FBT_RETURN;
	return true;
}

/* Set up user n of a probe. */
static void fbt_user_init(struct fbt_probe *p, unsigned int n, uint32_t name, unsigned long site,
			  bool late)
{
	if (p->kprobes) {
		p->kprobes[n].user.ops = &fbt_kprobe_ops[name];
		p->kprobes[n].user.site = site;
		p->kprobes[n].probe = p;
		site_user_init(&p->kprobes[n].user);
	} else {
		p->hooks[n] = (struct fbt_hook){.user.ops = &fbt_hook_ops[name],
						.user.late = late,
						.probe = p,
						.site = site};
	}
}

static void *fbt_make(void *arg, void *larg, uint32_t n, uint32_t name)
{
	const struct fbt_module *m = larg;
	const struct fbt_function *f = &m->list.functions[n];
	struct fbt_probe *p;
	unsigned int count = 0;
	u32 i;

	dtrace_engine_assert_locked();
	for (i = n; i != FBT_NONE; i = m->list.functions[i].same)
		count++;
	p = kzalloc(struct_size(p, hooks, f->by_kprobe ? 0 : count), GFP_KERNEL_ACCOUNT);
	if (p && f->by_kprobe)
		p->kprobes = kcalloc(count, sizeof(*p->kprobes), GFP_KERNEL_ACCOUNT);
	if (!p || (f->by_kprobe && !p->kprobes)) {
		kfree(p);
		return NULL;
	}
	p->width = f->width;
	p->is_return = name == FBT_RETURN;
	for (i = n; i != FBT_NONE; i = m->list.functions[i].same, p->n++)
		fbt_user_init(p, p->n, name, fbt_list_site(&m->list, i), f->patches);
	return p;
}

static void fbt_made(void *parg, dtrace_probe_t *probe)
{
	struct fbt_probe *p = parg;

	p->probe = probe;
}

static void fbt_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct fbt_probe *p = parg;
	unsigned int i;

	for (i = 0; p->kprobes && i < p->n; i++)
		site_hook_forget(&p->kprobes[i].user);
	kfree(p->kprobes);
	kfree(p);
}

static int fbt_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct fbt_probe *p = parg;
	unsigned int i;
	int error;

	dtrace_engine_assert_locked();
	for (i = 0; i < p->n; i++) {
		if (p->kprobes) {
			site_hook_add(&p->kprobes[i].user);
			continue;
		}
		error = function_hook_add(&p->hooks[i].user, p->hooks[i].site);
		if (error)
			goto remove;
	}
	return 0;

remove:
	while (i--)
		function_hook_remove(&p->hooks[i].user);
	return error;
}

static void fbt_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct fbt_probe *p = parg;
	unsigned int i;

	dtrace_engine_assert_locked();
	for (i = 0; i < p->n; i++)
		if (p->kprobes)
			site_hook_remove(&p->kprobes[i].user);
		else
			function_hook_remove(&p->hooks[i].user);
}

static void fbt_sync(void *arg)
{
	function_hook_sync();
	site_hook_sync();
}

/* ---- modules ---- */

static struct fbt_module *fbt_module_find(const struct module *module) __must_hold(&fbt_lock)
{
	struct fbt_module *m;

	lockdep_assert_held(&fbt_lock);
	list_for_each_entry(m, &fbt_modules, link)
		if (m->module == module)
			return m;
	return NULL;
}

/* Free a module that is in no list. */
static void fbt_module_free(struct fbt_module *m)
{
	if (m->listing)
		dtrace_listing_destroy(m->listing);
	fbt_list_free(&m->list);
	kfree(m);
}

/*
 * Make the list of a module (NULL: of the kernel). coming: it is being loaded, by the caller. May
 * take long; no lock is needed.
 */
static int fbt_module_make(struct module *module, bool coming, struct fbt_module **made)
{
	struct fbt_module *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);
	int error;

	if (!m)
		return -ENOMEM;
	m->module = module;
	strscpy(m->name, module ? module->name : FBT_VMLINUX, sizeof(m->name));
	error = module ? fbt_list_module(&m->list, module, coming) : fbt_list_kernel(&m->list);
	if (!error && m->list.n)
		error = dtrace_listing_create(fbt_provider, m->list.n, fbt_names, m, &m->listing);
	if (error)
		fbt_module_free(m);
	else
		*made = m;
	return error;
}

/* Make and enter the list of a module unless it is there. */
static int fbt_module_add(struct module *module, bool coming) __must_hold(&fbt_lock)
{
	struct fbt_module *m;
	int error;

	lockdep_assert_held(&fbt_lock);
	if (module == THIS_MODULE || fbt_module_find(module))
		return 0;
	error = fbt_module_make(module, coming, &m);
	if (!error)
		list_add_tail(&m->link, &fbt_modules);
	return error;
}

static int fbt_module_add_each(void *unused, struct module *module)
{
	return fbt_module_add(module, false);
}

static void fbt_module_remove(const struct module *module)
{
	struct fbt_module *m;

	mutex_lock(&fbt_lock);
	m = fbt_module_find(module);
	if (m)
		list_del(&m->link);
	mutex_unlock(&fbt_lock);
	if (m)
		fbt_module_free(m);
}

/*
 * List a module that comes, and enable its probes for sessions that wait, before its code runs. If
 * the process that loads it is being killed, that may be later: the engine's sync lock may be held
 * for long, while others enable probes.
 */
static void fbt_module_comes(struct module *module)
{
	struct fbt_module *m = NULL;
	int error = 0;

	mutex_lock(&fbt_lock);
	if (fbt_listed_kernel) {
		error = fbt_module_add(module, true);
		m = fbt_module_find(module);
	}
	mutex_unlock(&fbt_lock);
	if (m && m->listing)
		error = dtrace_listing_match(m->listing);
	if (error)
		pr_warn("dtrace: no fbt probes of module %s (error %d)\n", module->name, error);
}

/*
 * A module that goes waits until the engine has called sync, whether it is killed or not: no hook
 * may stay in text that is freed.
 */
static int fbt_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	if (event == MODULE_STATE_COMING)
		fbt_module_comes(data);
	else if (event == MODULE_STATE_GOING)
		fbt_module_remove(data);
	return NOTIFY_OK;
}

/* Called after ftrace has added a new module, and before it forgets a module that is unloaded. */
static struct notifier_block fbt_notifier = {.notifier_call = fbt_notify};

/* ---- the lists are made ---- */

static bool fbt_meant(const dtrace_probedesc_t *desc)
{
	return provider_could_be(desc->dtpd_provider, "fbt") &&
	       (provider_could_be(desc->dtpd_name, "entry") ||
		provider_could_be(desc->dtpd_name, "return"));
}

/* Make and enter the kernel's list. */
static int fbt_kernel_add(void) __must_hold(&fbt_making)
{
	struct fbt_module *m;
	int error;

	lockdep_assert_held(&fbt_making);
	error = fbt_module_make(NULL, false, &m);
	if (error)
		return error;
	mutex_lock(&fbt_lock);
	list_add_tail(&m->link, &fbt_modules);
	fbt_listed_kernel = true;
	mutex_unlock(&fbt_lock);
	return 0;
}

/* Modules come and go meanwhile: see counter_make(). */
static int fbt_lists_make(void) __must_hold(&fbt_making)
{
	int error = 0;

	lockdep_assert_held(&fbt_making);
	if (fbt_done)
		return 0;
	if (!fbt_listed_kernel)
		error = fbt_kernel_add();
	if (!error)
		error = modules_each(&fbt_lock, fbt_module_add_each, NULL);
	fbt_done = !error || error == -ENOENT;
	if (error == -ENOENT)
		pr_warn("dtrace: no fbt probes: the kernel was built without CONFIG_KALLSYMS_ALL\n");
	else if (error && error != -EINTR)
		pr_warn_ratelimited("dtrace: no fbt probes now (error %d)\n", error);
	return error == -ENOENT ? 0 : error;
}

static int fbt_prepare(void *arg, const dtrace_probedesc_t *desc)
{
	int error;

	if (desc && !fbt_meant(desc))
		return 0;
	if (mutex_lock_killable(&fbt_making))
		return -EINTR;
	error = fbt_lists_make();
	mutex_unlock(&fbt_making);
	return error;
}

static bool fbt_allows_at(unsigned long site)
{
	struct kprobe kp = {.addr = (kprobe_opcode_t *)site};

	if (site_try(&kp))
		return false;
	unregister_kprobe(&kp);
	return true;
}

/* Return whether the kernel allows kprobes at a function and at those of its name. */
static bool fbt_allows(const struct fbt_list *list, u32 n)
{
	for (; n != FBT_NONE; n = list->functions[n].same)
		if (!fbt_allows_at(fbt_list_site(list, n)))
			return false;
	return true;
}

/* Return whether a name that is not in the kernel's list is that of a function with no probes. */
static bool fbt_protects(const struct fbt_list *kernel, const char *name)
{
	unsigned long site = symbol_find(name);

	return site >= kernel->text && site < kernel->text_end && !fbt_allows_at(site);
}

/*
 * Ask whether the kernel allows kprobes at a function that desc names and that ftrace cannot patch.
 * 0: it does, or there is no such function. Otherwise a negative DTRACE_REFUSED_*.
 */
static int fbt_ask(const dtrace_probedesc_t *desc) __must_hold(&fbt_lock)
{
	struct fbt_module *kernel = fbt_module_find(NULL);
	struct fbt_function *f;
	bool found = false;
	int error = 0;
	u32 i;

	lockdep_assert_held(&fbt_lock);
	for (i = 0; kernel && i < kernel->list.n; i++) {
		f = &kernel->list.functions[i];
		if (strcmp(fbt_list_name(&kernel->list, i), desc->dtpd_func))
			continue;
		found = true;
		if (!f->by_kprobe || f->other)
			continue;
		if (!f->allowed && !fbt_allows(&kernel->list, i))
			error = -DTRACE_REFUSED_FUNCTION;
		else if (!provider_could_be(desc->dtpd_name, "entry") && !fbt_returns(f))
			error = -DTRACE_REFUSED_RETURN;
		else
			WRITE_ONCE(f->allowed, true); /* fbt_listed() reads it */
	}
	if (kernel && !found && fbt_protects(&kernel->list, desc->dtpd_func))
		error = -DTRACE_REFUSED_FUNCTION;
	return error;
}

static int fbt_provide(void *arg, const dtrace_probedesc_t *desc)
{
	int error = 0;

	if (desc && fbt_meant(desc) && *desc->dtpd_func && !provider_is_pattern(desc->dtpd_func)) {
		mutex_lock(&fbt_lock);
		error = fbt_ask(desc);
		mutex_unlock(&fbt_lock);
	}
	return error;
}

static const dtrace_provider_ops_t fbt_ops = {
	.prepare = fbt_prepare,
	.provide = fbt_provide,
	.enable = fbt_enable,
	.disable = fbt_disable,
	.sync = fbt_sync,
	.getargval = fbt_getargval,
	.listed = fbt_listed,
	.make = fbt_make,
	.made = fbt_made,
	.destroy = fbt_destroy,
};

/* ---- start and end ---- */

static const dtrace_pattr_t fbt_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(EVOLVING, EVOLVING, COMMON),
	.dtpa_args = DTRACE_ATTR(PRIVATE, PRIVATE, ISA),
};

static int fbt_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	int error =
		dtrace_provider_register("fbt", &fbt_attr, &priv, &fbt_ops, NULL, &fbt_provider);

	if (error)
		return error;
	error = register_module_notifier(&fbt_notifier);
	if (error)
		dtrace_provider_unregister(fbt_provider);
	return error;
}

static void fbt_exit(void)
{
	struct fbt_module *m, *next;

	unregister_module_notifier(&fbt_notifier);
	list_for_each_entry_safe(m, next, &fbt_modules, link)
		fbt_module_free(m);
	dtrace_provider_unregister(fbt_provider);
}

const struct provider_module fbt_module = {
	.name = "fbt",
	.init = fbt_init,
	.exit = fbt_exit,
};
