// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * kinst.c - the kinst provider: a probe at any instruction of the kernel and its modules.
 *
 *	kinst:MODULE:FUNCTION:OFFSET	OFFSET: bytes from the function's first, in decimal
 *	instr:MODULE:FUNCTION:OFFSET	the same, under the name of the first DTrace for Linux
 *
 * Probes are made when a description names the provider and one function. The kernel finds the
 * function, says where instructions begin, and which of them may have a probe: register_kprobe() is
 * asked with kprobes that are never armed. Probes that no session enables end after a while.
 *
 * Locks: kinst_lock, under the engine's sync lock and around the engine lock, is held while probes
 * are made, and while those of a module that goes are chosen: none can be made after that.
 * kinst_list_lock, a spin lock under all others, and around that of the site hook, covers the list
 * of probes and the members that it says so of.
 */
#include <linux/ctype.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <dtrace/ioctl.h>

#include "engine.h"
#include "hooks/site.h"
#include "hooks/symbol.h"
#include "provider.h"
#include "stats.h"

#define KINST_VMLINUX	   "vmlinux"
#define KINST_FUNCTION_MAX 4096	     /* instructions of a function that a pattern may mean */
#define KINST_PROBES_MAX   16384     /* of both providers */
#define KINST_IDLE_TIME	   (10 * HZ) /* that a probe stays without being enabled */
#define KINST_BATCH	   512	     /* kprobes that are tried before they are unregistered */
#define KINST_NAME_LEN	   12	     /* of an offset */

struct kinst_probe {
	struct site_user user;
	struct list_head link; /* [kinst_list_lock] of kinst_probes */
	dtrace_probe_t *probe;
	bool kernel;  /* of the kernel itself, not of a module */
	bool enabled; /* [kinst_list_lock] */
	bool going;   /* [kinst_list_lock] its module goes, and the probe is being destroyed */
	unsigned long since; /* [kinst_list_lock] jiffies: disabled, or last asked for */
	pid_t asker;	     /* [kinst_list_lock] the process that asked for it last */
};

/* Each of the two providers has its own probes. */
static struct kinst_provider {
	const char *name;
	dtrace_provider_t *provider;
} kinst_providers[] = {{.name = "kinst"}, {.name = "instr"}};

/* A function that a description names. */
struct kinst_function {
	unsigned long start, size; /* without padding behind the last function of a module */
	const char *name;
	char module[MODULE_NAME_LEN];
	bool kernel;
};

static DEFINE_MUTEX(kinst_lock);
static DEFINE_SPINLOCK(kinst_list_lock);
static LIST_HEAD(kinst_probes);	   /* [kinst_list_lock] */
static unsigned int kinst_nprobes; /* [kinst_list_lock] */
static atomic64_t kinst_skipped;   /* instructions left out of patterns */

/* ---- firing ---- */

static notrace void kinst_hit(struct site_user *user, struct pt_regs *regs)
{
	struct kinst_probe *p = container_of(user, struct kinst_probe, user);
	struct dtrace_fire fire = {.regs = regs, .no_process = true};

	dtrace_fire(p->probe, &fire);
}

static notrace void kinst_missed(struct site_user *user, unsigned long n)
{
	struct kinst_probe *p = container_of(user, struct kinst_probe, user);

	while (n--)
		dtrace_fire_missed(p->probe);
}

static const struct site_user_ops kinst_user_ops = {.hit = kinst_hit, .missed = kinst_missed};

/* ---- probes [engine lock] ---- */

static void kinst_note(struct kinst_probe *p, bool enabled)
{
	dtrace_engine_assert_locked();
	spin_lock(&kinst_list_lock);
	p->enabled = enabled;
	p->since = jiffies;
	spin_unlock(&kinst_list_lock);
}

static int kinst_enable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct kinst_probe *p = parg;

	kinst_note(p, true);
	site_hook_add(&p->user);
	return 0;
}

static void kinst_disable(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct kinst_probe *p = parg;

	site_hook_remove(&p->user);
	kinst_note(p, false);
}

static void kinst_destroy(void *arg, dtrace_probe_t *probe, void *parg)
{
	struct kinst_probe *p = parg;

	dtrace_engine_assert_locked();
	site_hook_forget(&p->user);
	spin_lock(&kinst_list_lock);
	list_del(&p->link);
	kinst_nprobes--;
	spin_unlock(&kinst_list_lock);
	kfree(p);
}

static void kinst_sync(void *arg)
{
	site_hook_sync();
}

static bool kinst_module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name)
{
	const struct kinst_probe *p = parg;

	return p->kernel && provider_names_kernel(name);
}

/* ---- unused probes [kinst_lock] ---- */

/*
 * Choose probes to destroy, at most capacity: disabled probes that were not asked for in a while,
 * or, if there are too many probes, at any time. Probes that the current process has asked for stay
 * in any case: it may be about to enable them. Return their number.
 */
static size_t kinst_choose_idle(dtrace_probe_t **probes, size_t capacity, bool full)
	__must_hold(&kinst_lock)
{
	struct kinst_probe *p;
	size_t n = 0;

	lockdep_assert_held(&kinst_lock);
	spin_lock(&kinst_list_lock);
	list_for_each_entry(p, &kinst_probes, link) {
		if (n == capacity)
			break;
		if (p->enabled || p->going || site_hook_is_armed(&p->user))
			continue;
		if (time_before(jiffies, p->since + KINST_IDLE_TIME) &&
		    (!full || p->asker == current->tgid))
			continue;
		probes[n++] = p->probe;
	}
	spin_unlock(&kinst_list_lock);
	return n;
}

/*
 * Destroy unused probes: one wait for firings covers a batch. A probe that is enabled meanwhile
 * stays.
 */
static void kinst_reap(bool full)
{
	dtrace_probe_t **probes = kvmalloc_array(KINST_BATCH, sizeof(*probes), GFP_KERNEL);
	size_t n = 0;

	do {
		if (probes)
			n = kinst_choose_idle(probes, KINST_BATCH, full);
		if (n)
			dtrace_probe_destroy_unused(probes, n);
	} while (n == KINST_BATCH && !fatal_signal_pending(current));
	kvfree(probes);
}

/* ---- functions [kinst_lock] ---- */

/*
 * Leave zeros out of the end of a function: for the kernel, the last function of a module lasts
 * until its pages end. No function ends with an instruction that begins with zero.
 */
static void kinst_trim(struct kinst_function *f)
{
	u8 text[64];
	unsigned long n, i;

	for (; f->size; f->size -= n) {
		n = min(f->size, sizeof(text));
		if (copy_from_kernel_nofault(text, (void *)(f->start + f->size - n), n))
			return;
		for (i = n; i; i--)
			if (text[i - 1])
				break;
		if (i) {
			f->size -= n - i;
			return;
		}
	}
}

/* Describe the function that contains addr. Return false if there is none. */
static bool kinst_function_at(struct kinst_function *f, unsigned long addr)
{
	char *text = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	const char *rest, *module;
	bool found = false;

	if (!text)
		return false;
	rest = symbol_text(text, addr, &f->start, &f->size);
	if (!rest)
		goto out;
	module = strchr(rest, '[');
	f->kernel = !module;
	strscpy(f->module, module ? module + 1 : KINST_VMLINUX, sizeof(f->module));
	f->module[strcspn(f->module, " ]")] = '\0';
	kinst_trim(f);
	found = true;
out:
	kfree(text);
	return found;
}

/* Return whether a pattern of a module means the module of a function. */
static bool kinst_module_meant(const char *pattern, const struct kinst_function *f)
{
	return provider_could_be(pattern, f->module) ||
	       (f->kernel && provider_names_kernel(pattern));
}

/*
 * Find the function that desc names, in the kernel itself before modules. 0; -ENOENT: there is
 * none, or it is another module's.
 */
static int kinst_find(const dtrace_probedesc_t *desc, struct kinst_function *f)
{
	bool kernel =
		!strcmp(desc->dtpd_mod, KINST_VMLINUX) || provider_names_kernel(desc->dtpd_mod);
	struct symbol_found found = {.n = 0};
	unsigned long addr;
	unsigned int i;

	f->name = desc->dtpd_func;
	if (kernel || !*desc->dtpd_mod || provider_is_pattern(desc->dtpd_mod)) {
		addr = symbol_find(desc->dtpd_func);
		if (addr && kinst_function_at(f, addr) && kinst_module_meant(desc->dtpd_mod, f))
			return 0;
	}
	symbol_find_modules(desc->dtpd_func, &found);
	for (i = 0; i < found.n; i++)
		if (kinst_function_at(f, found.addrs[i]) && kinst_module_meant(desc->dtpd_mod, f))
			return 0;
	return -ENOENT;
}

/* ---- instructions [kinst_lock] ---- */

/*
 * Ask the kernel for a kprobe at an offset of a function, which is not armed. 0: the caller
 * unregisters kp. Otherwise the error of register_kprobe().
 */
static int kinst_try(struct kprobe *kp, const struct kinst_function *f, unsigned long offset)
{
	memset(kp, 0, sizeof(*kp));
	kp->addr = (kprobe_opcode_t *)(f->start + offset);
	if (within_module(f->start, THIS_MODULE))
		return -EINVAL;
	return site_try(kp);
}

/*
 * Return the reason for which the kernel refuses a kprobe with -EINVAL: a negative
 * DTRACE_REFUSED_*.
 */
static int kinst_reason(struct kprobe *kp, const struct kinst_function *f, unsigned long offset)
{
	static const u8 bug[] = {0x0f, 0x0b};
	u8 text[sizeof(bug)];

	if (!copy_from_kernel_nofault(text, (void *)(f->start + offset), sizeof(text)) &&
	    !memcmp(text, bug, sizeof(bug)))
		return -DTRACE_REFUSED_BUG;
	if (kinst_try(kp, f, 0))
		return -DTRACE_REFUSED_FUNCTION;
	unregister_kprobe(kp);
	return -DTRACE_REFUSED_PATCHED;
}

/*
 * Find out whether the kernel allows a kprobe at an offset. 0; a negative
 * DTRACE_REFUSED_*; -ENOMEM.
 */
static int kinst_allowed(struct kprobe *kp, const struct kinst_function *f, unsigned long offset)
{
	int error;

	if (offset >= f->size)
		return -DTRACE_REFUSED_END;
	error = kinst_try(kp, f, offset);
	switch (error) {
	case 0:
		unregister_kprobe(kp);
		return 0;
	case -EILSEQ:
		return -DTRACE_REFUSED_BOUNDARY;
	case -EOPNOTSUPP:
		return -DTRACE_REFUSED_KIND;
	case -ENOMEM:
		return error;
	default:
		return kinst_reason(kp, f, offset);
	}
}

/* ---- probes are made [kinst_lock] ---- */

/* Note that the probe of that name is asked for again; false if there is none. */
static bool kinst_refresh(const struct kinst_provider *provider, const struct kinst_function *f,
			  const char *name) __must_hold(&kinst_lock)
{
	dtrace_probe_t *probe = dtrace_probe_lookup(provider->provider, f->module, f->name, name);
	struct kinst_probe *p;

	lockdep_assert_held(&kinst_lock);
	if (!probe)
		return false;
	p = dtrace_probe_arg(probe);
	spin_lock(&kinst_list_lock);
	p->since = jiffies;
	p->asker = current->tgid;
	spin_unlock(&kinst_list_lock);
	return true;
}

/* Make the probe at an offset unless it is there. 0, -ENOSPC or -ENOMEM. */
static int kinst_create(const struct kinst_provider *provider, const struct kinst_function *f,
			unsigned long offset)
{
	char name[KINST_NAME_LEN];
	struct kinst_probe *p;
	int error;

	snprintf(name, sizeof(name), "%lu", offset);
	if (kinst_refresh(provider, f, name))
		return 0;
	if (READ_ONCE(kinst_nprobes) >= KINST_PROBES_MAX)
		kinst_reap(true);
	if (READ_ONCE(kinst_nprobes) >= KINST_PROBES_MAX)
		return -ENOSPC;
	p = kzalloc(sizeof(*p), GFP_KERNEL_ACCOUNT);
	if (!p)
		return -ENOMEM;
	p->user.ops = &kinst_user_ops;
	p->user.site = f->start + offset;
	p->kernel = f->kernel;
	p->since = jiffies;
	p->asker = current->tgid;
	site_user_init(&p->user);
	/* before the probe exists, since a session may enable it at once */
	spin_lock(&kinst_list_lock);
	list_add_tail(&p->link, &kinst_probes);
	kinst_nprobes++;
	spin_unlock(&kinst_list_lock);
	error = dtrace_probe_create(provider->provider, f->module, f->name, name, p, &p->probe);
	if (error) {
		spin_lock(&kinst_list_lock);
		list_del(&p->link);
		kinst_nprobes--;
		spin_unlock(&kinst_list_lock);
		kfree(p);
	}
	return error == -ENAMETOOLONG ? 0 : error;
}

/* Return the number that a name is in decimal; false if it is none. */
static bool kinst_number(const char *name, unsigned long *offset)
{
	char again[KINST_NAME_LEN];

	if (!isdigit(*name) || kstrtoul(name, 10, offset))
		return false;
	snprintf(again, sizeof(again), "%lu", *offset);
	return !strcmp(again, name);
}

/* The result of a walk over the instructions of a function. */
struct kinst_walk {
	const struct kinst_function *function;
	struct kprobe *kprobes; /* KINST_BATCH of them */
	struct kprobe *registered[KINST_BATCH];
	unsigned int nregistered;
	u32 offsets[KINST_FUNCTION_MAX]; /* of instructions that may have probes */
	unsigned int n;
};

/* Unregister kprobes that have been tried: one grace period covers them. */
static void kinst_untry(struct kinst_walk *w)
{
	if (w->nregistered)
		unregister_kprobes(w->registered, w->nregistered);
	w->nregistered = 0;
}

/*
 * Find the instructions of a function. If the kernel refuses an instruction, its length is unknown,
 * and all offsets behind it are tried. Return 0, -DTRACE_REFUSED_MANY, -ENOMEM, or -EINTR: the
 * caller is being killed.
 */
static int kinst_walk(struct kinst_walk *w)
{
	const struct kinst_function *f = w->function;
	unsigned long offset = 0;

	while (offset < f->size) {
		struct kprobe *kp = &w->kprobes[w->nregistered];
		int refused = kinst_try(kp, f, offset);

		cond_resched();
		if (fatal_signal_pending(current) || refused == -ENOMEM) {
			if (!refused)
				unregister_kprobe(kp);
			return refused == -ENOMEM ? refused : -EINTR;
		}
		if (refused) {
			/* text within an instruction, such as a jump label, is refused as well */
			if (refused != -EILSEQ)
				atomic64_inc(&kinst_skipped);
			offset++;
			continue;
		}
		w->registered[w->nregistered++] = kp;
		if (w->n == KINST_FUNCTION_MAX)
			return -DTRACE_REFUSED_MANY;
		w->offsets[w->n++] = (u32)offset;
		offset += max(site_try_size(kp, f->start + offset), 1U);
		if (w->nregistered == KINST_BATCH)
			kinst_untry(w);
	}
	return 0;
}

/*
 * Make probes at all instructions of a function whose offsets a pattern may mean. 0, or as
 * kinst_walk and kinst_create.
 */
static int kinst_make_all(const struct kinst_provider *provider, const struct kinst_function *f,
			  const char *pattern)
{
	struct kinst_walk *w = kvzalloc(sizeof(*w), GFP_KERNEL_ACCOUNT);
	char name[KINST_NAME_LEN];
	int error = -ENOMEM;
	unsigned int i;

	if (!w)
		return error;
	w->function = f;
	w->kprobes = kvmalloc_array(KINST_BATCH, sizeof(*w->kprobes), GFP_KERNEL_ACCOUNT);
	if (w->kprobes) {
		error = kinst_walk(w);
		kinst_untry(w);
	}
	for (i = 0; i < w->n && !error; i++) {
		snprintf(name, sizeof(name), "%u", w->offsets[i]);
		if (provider_could_be(pattern, name))
			error = kinst_create(provider, f, w->offsets[i]);
	}
	kvfree(w->kprobes);
	kvfree(w);
	return error;
}

/* Make the probes that desc names, which has the name of a function. */
static int kinst_make(const struct kinst_provider *provider, const dtrace_probedesc_t *desc)
	__must_hold(&kinst_lock)
{
	struct kprobe *kp = kzalloc(sizeof(*kp), GFP_KERNEL_ACCOUNT);
	struct kinst_function f = {0};
	unsigned long offset;
	int error;

	lockdep_assert_held(&kinst_lock);
	if (!kp)
		return -ENOMEM;
	error = kinst_find(desc, &f);
	if (error) {
		error = error == -ENOENT ? 0 : error;
	} else if (!site_is_decodable(f.start)) {
		error = -DTRACE_REFUSED_LAST;
	} else if (!*desc->dtpd_name || provider_is_pattern(desc->dtpd_name)) {
		error = kinst_make_all(provider, &f, desc->dtpd_name);
	} else if (kinst_number(desc->dtpd_name, &offset)) {
		error = kinst_allowed(kp, &f, offset);
		if (!error)
			error = kinst_create(provider, &f, offset);
	}
	kfree(kp);
	return error;
}

static int kinst_provide(void *arg, const dtrace_probedesc_t *desc)
{
	const struct kinst_provider *provider = arg;
	int error = 0;

	if (desc && strcmp(desc->dtpd_provider, provider->name))
		return 0;
	mutex_lock(&kinst_lock);
	kinst_reap(false);
	if (desc && *desc->dtpd_func && !provider_is_pattern(desc->dtpd_func))
		error = kinst_make(provider, desc);
	mutex_unlock(&kinst_lock);
	return error;
}

static const dtrace_provider_ops_t kinst_ops = {
	.provide = kinst_provide,
	.enable = kinst_enable,
	.disable = kinst_disable,
	.sync = kinst_sync,
	.few = true,
	.module_alias = kinst_module_alias,
	.destroy = kinst_destroy,
};

/* ---- modules that go ---- */

/* Choose at most capacity probes of a module for this caller to destroy. Return their number. */
static size_t kinst_choose_going(dtrace_probe_t **probes, size_t capacity,
				 const struct module *module)
{
	struct kinst_probe *p;
	size_t n = 0;

	mutex_lock(&kinst_lock);
	spin_lock(&kinst_list_lock);
	list_for_each_entry(p, &kinst_probes, link) {
		if (n == capacity)
			break;
		if (p->going || !within_module(p->user.site, module))
			continue;
		p->going = true;
		probes[n++] = p->probe;
	}
	spin_unlock(&kinst_list_lock);
	mutex_unlock(&kinst_lock);
	return n;
}

/*
 * End the probes of a module. Its kprobes are dead already: the kernel's own notifier has run
 * before, and allows no new ones.
 */
static int kinst_notify(struct notifier_block *nb, unsigned long event, void *data)
{
	dtrace_probe_t *probes[64];
	size_t n;

	if (event != MODULE_STATE_GOING)
		return NOTIFY_OK;
	do {
		n = kinst_choose_going(probes, ARRAY_SIZE(probes), data);
		if (n)
			dtrace_probe_destroy(probes, n);
	} while (n == ARRAY_SIZE(probes));
	return NOTIFY_OK;
}

static struct notifier_block kinst_notifier = {.notifier_call = kinst_notify};

/* ---- start and end ---- */

static const dtrace_pattr_t kinst_attr = {
	.dtpa_provider = DTRACE_ATTR(EVOLVING, EVOLVING, ISA),
	.dtpa_mod = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_func = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN),
	.dtpa_name = DTRACE_ATTR(PRIVATE, PRIVATE, ISA),
	.dtpa_args = DTRACE_ATTR(PRIVATE, PRIVATE, ISA),
};

static void kinst_stats(struct seq_file *seq)
{
	site_hook_show(seq);
	stats_row(seq, "instr-skipped", atomic64_read(&kinst_skipped),
		  "offsets that patterns of kinst have left out: the kernel forbids kprobes there");
}

static void kinst_unregister(unsigned int n)
{
	while (n--)
		dtrace_provider_unregister(kinst_providers[n].provider);
}

static int kinst_init(void)
{
	static const dtrace_ppriv_t priv = {.dtpp_flags = DTRACE_PRIV_KERNEL};
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(kinst_providers); i++) {
		error = dtrace_provider_register(kinst_providers[i].name, &kinst_attr, &priv,
						 &kinst_ops, &kinst_providers[i],
						 &kinst_providers[i].provider);
		if (error)
			goto unregister;
	}
	error = register_module_notifier(&kinst_notifier);
	if (!error)
		return 0;
unregister:
	kinst_unregister(i);
	return error;
}

static void kinst_exit(void)
{
	unregister_module_notifier(&kinst_notifier);
	kinst_unregister(ARRAY_SIZE(kinst_providers));
	site_hook_exit();
}

const struct provider_module kinst_module = {
	.name = "kinst",
	.init = kinst_init,
	.exit = kinst_exit,
	.stats = kinst_stats,
};
