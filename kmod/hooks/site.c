// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * site.c - hooks at instructions and returns: a kprobe or kretprobe for each user. The kernel
 * combines kprobes at the same address, replaces breakpoints by jumps where it can, and uses ftrace
 * at the entry of functions.
 *
 * The kernel counts hits within handlers of other kprobes as misses, without a callback. While
 * sites are armed, a work reads these counts and reports them to the users.
 *
 * Locks: site_sync_lock, a mutex, is held while text is patched. site_lock, a spin lock, is taken
 * under it, or under the engine lock, and protects the list of changes. The list of armed users is
 * changed under both.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/irqflags.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/workqueue.h>
#include <asm/text-patching.h>

#include "site.h"
#include "symbol.h"

#define SITE_BATCH   64	      /* kprobes that are registered or unregistered at a time */
#define SITE_POLL    (HZ / 5) /* jiffies between two looks at misses */
#define SITE_MISSED  1000UL   /* misses to report with interrupts off */
#define SITE_RETURNS 256      /* calls of a function that may not have returned yet */

static DEFINE_MUTEX(site_sync_lock);
static DEFINE_SPINLOCK(site_lock);
static LIST_HEAD(site_changed);	 /* [site_lock] */
static LIST_HEAD(site_armed);	 /* [site_sync_lock] also those that are about to be armed */
static unsigned int site_narmed; /* [site_sync_lock] */

static struct {
	atomic64_t refused, missed, nmi, idle;
} site_count;

static void site_poll(struct work_struct *work);
static DECLARE_DELAYED_WORK(site_poll_work, site_poll);

/* ---- at the instruction: any context ---- */

/*
 * Return whether a non-maskable interrupt has been interrupted. The handler of a breakpoint looks
 * like one itself to in_nmi(). With interrupts on it cannot be one. With interrupts off, one level
 * is due to the breakpoint if there is one in the text, and not a jump or a call.
 */
static __always_inline bool site_in_nmi(const struct kprobe *kp, const struct pt_regs *regs)
{
	unsigned long levels = (preempt_count() & NMI_MASK) / NMI_OFFSET;

	if (likely(!levels))
		return false;
	if (levels > 1 || kp->flags & KPROBE_FLAG_FTRACE)
		return true;
	return !(regs->flags & X86_EFLAGS_IF) &&
	       READ_ONCE(*(const u8 *)kp->addr) != INT3_INSN_OPCODE;
}

/* Handle a hit of the kprobe. The kernel expects regs->ip behind the breakpoint again. */
static int notrace site_hit(struct kprobe *kp, struct pt_regs *regs)
{
	struct site_user *user = container_of(kp, struct site_user, rp.kp);
	unsigned long ip = regs->ip;

	if (!rcu_is_watching()) {
		atomic64_inc(&site_count.idle);
		return 0;
	}
	if (site_in_nmi(kp, regs)) {
		atomic64_inc(&site_count.nmi);
		user->ops->missed(user, 1);
		return 0;
	}
	regs->ip = (unsigned long)kp->addr;
	user->ops->hit(user, regs);
	regs->ip = ip;
	return 0;
}
NOKPROBE_SYMBOL(site_hit);

/* Handle the return of a function. */
static int notrace site_returned(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct site_user *user = container_of(get_kretprobe(ri), struct site_user, rp);

	if (!rcu_is_watching()) {
		atomic64_inc(&site_count.idle);
	} else if (in_nmi()) {
		atomic64_inc(&site_count.nmi);
		user->ops->missed(user, 1);
	} else {
		user->ops->returned(user, regs);
	}
	return 0;
}
NOKPROBE_SYMBOL(site_returned);

/* ---- users [site_lock] ---- */

void site_user_init(struct site_user *user)
{
	INIT_LIST_HEAD(&user->changed);
	INIT_LIST_HEAD(&user->armed);
	user->requested = false;
}

static void site_request(struct site_user *user, bool requested)
{
	spin_lock(&site_lock);
	user->requested = requested;
	if (list_empty(&user->changed))
		list_add_tail(&user->changed, &site_changed);
	spin_unlock(&site_lock);
}

void site_hook_add(struct site_user *user)
{
	site_request(user, true);
}

void site_hook_remove(struct site_user *user)
{
	site_request(user, false);
}

void site_hook_forget(struct site_user *user)
{
	spin_lock(&site_lock);
	WARN_ON_ONCE(!list_empty(&user->armed));
	list_del_init(&user->changed);
	spin_unlock(&site_lock);
}

bool site_hook_is_armed(const struct site_user *user)
{
	bool armed;

	spin_lock(&site_lock);
	armed = !list_empty(&user->armed);
	spin_unlock(&site_lock);
	return armed;
}

static void site_forget_armed(struct site_user *user)
{
	spin_lock(&site_lock);
	list_del_init(&user->armed);
	spin_unlock(&site_lock);
}

/* ---- misses [site_sync_lock] ---- */

/* Tell a user of the misses that the kernel has counted. */
static void site_tell_missed(struct site_user *user) __must_hold(&site_sync_lock)
{
	unsigned long now, n, some, flags;

	lockdep_assert_held(&site_sync_lock);
	now = READ_ONCE(user->rp.kp.nmissed) + READ_ONCE(user->rp.nmissed);
	n = now - user->nmissed;
	if (!n)
		return;
	user->nmissed = now;
	atomic64_add(n, &site_count.missed);
	for (; n; n -= some) {
		some = min(n, SITE_MISSED);
		local_irq_save(flags);
		user->ops->missed(user, some);
		local_irq_restore(flags);
	}
}

/* ---- text [site_sync_lock] ---- */

/*
 * Register a kprobe that is not armed yet. While the kernel replaces armed ones by jumps, it waits
 * for all tasks under a lock that registration takes, so many are registered before they are armed.
 * -EFAULT: the kernel cannot decode the function.
 */
static int site_register(struct site_user *user, unsigned long site)
{
	if (!site_is_decodable(site))
		return -EFAULT;
	memset(&user->rp, 0, sizeof(user->rp));
	user->rp.kp.addr = (kprobe_opcode_t *)site;
	user->rp.kp.flags = KPROBE_FLAG_DISABLED;
	if (user->ops->returned) {
		user->rp.handler = site_returned;
		user->rp.maxactive = SITE_RETURNS;
		return register_kretprobe(&user->rp);
	}
	user->rp.kp.pre_handler = site_hit;
	return register_kprobe(&user->rp.kp);
}

/* Arm a registered kprobe. After an error it is not registered any more. */
static int site_enable(struct site_user *user)
{
	int error;

	if (user->ops->returned) {
		error = enable_kretprobe(&user->rp);
		if (error)
			unregister_kretprobe(&user->rp);
	} else {
		error = enable_kprobe(&user->rp.kp);
		if (error)
			unregister_kprobe(&user->rp.kp);
	}
	return error;
}

/* Arm the kprobe of a user for which site_register() has returned error, or one instead of it. */
static void site_arm(struct site_user *user, int error) __must_hold(&site_sync_lock)
{
	lockdep_assert_held(&site_sync_lock);
	if (!error)
		error = site_enable(user);
	if (error && user->otherwise) {
		error = site_register(user, user->otherwise);
		if (!error)
			error = site_enable(user);
	}
	if (error) {
		if (error != -EILSEQ) /* a search of the text may take data for instructions */
			pr_warn_ratelimited(
				"dtrace: the kernel refuses a kprobe at %pS (error %d)\n",
				(void *)user->site, error);
		atomic64_inc(&site_count.refused);
		site_forget_armed(user);
		return;
	}
	/* what was missed at the same instruction until now concerns others */
	user->nmissed = READ_ONCE(user->rp.kp.nmissed) + READ_ONCE(user->rp.nmissed);
	site_narmed++;
}

/* Unregister the kprobes of n users: one grace period covers them. */
static void site_disarm(struct site_user **users, unsigned int n) __must_hold(&site_sync_lock)
{
	struct kretprobe *rps[SITE_BATCH];
	struct kprobe *kps[SITE_BATCH];
	unsigned int i, nrps = 0, nkps = 0;

	lockdep_assert_held(&site_sync_lock);
	for (i = 0; i < n; i++) {
		site_tell_missed(users[i]);
		if (users[i]->ops->returned)
			rps[nrps++] = &users[i]->rp;
		else
			kps[nkps++] = &users[i]->rp.kp;
	}
	unregister_kprobes(kps, nkps);
	unregister_kretprobes(rps, nrps);
	for (i = 0; i < n; i++)
		site_forget_armed(users[i]);
	site_narmed -= n;
}

/*
 * Take at most SITE_BATCH users from the list of changes: those whose kprobes are to be registered
 * (arm), or unregistered. Return their number. Users without a pending change leave the list. A
 * killed process registers none: what it has added stays there until its session has ended, since
 * another session may have enabled the same probe meanwhile.
 */
static unsigned int site_take(struct site_user **users, bool arm) __must_hold(&site_sync_lock)
{
	const bool skip = arm && fatal_signal_pending(current);
	struct site_user *user, *next;
	unsigned int n = 0;

	lockdep_assert_held(&site_sync_lock);
	spin_lock(&site_lock);
	list_for_each_entry_safe(user, next, &site_changed, changed) {
		if (n == SITE_BATCH)
			break;
		if (user->requested == !list_empty(&user->armed)) {
			list_del_init(&user->changed);
		} else if (user->requested == arm && !skip) {
			list_del_init(&user->changed);
			if (arm)
				list_add_tail(&user->armed, &site_armed);
			users[n++] = user;
		}
	}
	spin_unlock(&site_lock);
	return n;
}

/* Compare users for sort(): lower addresses first. */
static int site_compare(const void *a, const void *b)
{
	const struct site_user *const *x = a, *const *y = b;

	return (*x)->site < (*y)->site ? -1 : (*x)->site > (*y)->site;
}

/*
 * Carry out some changes. Return whether there may be more, besides those that site_take() leaves,
 * which are looked at again later.
 */
static bool site_change(void) __must_hold(&site_sync_lock)
{
	struct site_user *users[SITE_BATCH];
	int errors[SITE_BATCH];
	unsigned int i, n, done;

	lockdep_assert_held(&site_sync_lock);
	n = done = site_take(users, false);
	if (n)
		site_disarm(users, n);
	n = site_take(users, true);
	/* some kernels take a kprobe that is not armed for the end of a jump that it lies in */
	sort(users, n, sizeof(users[0]), site_compare, NULL);
	for (i = 0; i < n; i++) {
		errors[i] = site_register(users[i], users[i]->site);
		cond_resched();
	}
	for (i = 0; i < n; i++) {
		site_arm(users[i], errors[i]);
		cond_resched();
	}
	if (!list_empty(&site_armed) || !list_empty(&site_changed))
		schedule_delayed_work(&site_poll_work, SITE_POLL);
	return done + n;
}

/* Others who wait for the lock have their turn after each batch. */
void site_hook_sync(void)
{
	bool more;

	do {
		mutex_lock(&site_sync_lock);
		more = site_change();
		mutex_unlock(&site_sync_lock);
	} while (more);
}

/* Report misses, and carry out changes that were left. Whoever has the lock is at it already. */
static void site_poll(struct work_struct *work)
{
	struct site_user *user;

	if (!mutex_trylock(&site_sync_lock)) {
		schedule_delayed_work(&site_poll_work, SITE_POLL);
		return;
	}
	list_for_each_entry(user, &site_armed, armed) {
		site_tell_missed(user);
		cond_resched();
	}
	site_change();
	mutex_unlock(&site_sync_lock);
}

void site_hook_show(struct seq_file *seq)
{
	mutex_lock(&site_sync_lock);
	seq_printf(seq, "%-16s %12u  instructions with a kprobe\n", "instr", site_narmed);
	mutex_unlock(&site_sync_lock);
	seq_printf(seq, "%-16s %12lld  kprobes that the kernel has refused\n", "instr-refused",
		   atomic64_read(&site_count.refused));
	seq_printf(seq, "%-16s %12lld  hits of kprobes within the handlers of others\n",
		   "instr-missed", atomic64_read(&site_count.missed));
	seq_printf(seq, "%-16s %12lld  hits of kprobes within non-maskable interrupts\n",
		   "instr-nmi", atomic64_read(&site_count.nmi));
	seq_printf(seq, "%-16s %12lld  hits of kprobes by idle CPUs\n", "instr-idle",
		   atomic64_read(&site_count.idle));
}

void site_hook_exit(void)
{
	WARN_ON_ONCE(!list_empty(&site_armed));
	cancel_delayed_work_sync(&site_poll_work);
}

/* ---- what the kernel allows ---- */

bool site_is_decodable(unsigned long site)
{
	u8 behind[MAX_INSN_SIZE];
	unsigned long start, size;
	bool decodable;
	char *text;

	if (site < MODULES_VADDR || site >= MODULES_END)
		return true;
	text = kmalloc(KSYM_SYMBOL_LEN, GFP_KERNEL);
	decodable = text && symbol_text(text, site, &start, &size) &&
		    !copy_from_kernel_nofault(behind, (void *)(start + size), sizeof(behind));
	kfree(text);
	return decodable;
}

int site_try(struct kprobe *kp)
{
	kp->flags = KPROBE_FLAG_DISABLED;
	return register_kprobe(kp);
}

unsigned int site_try_size(const struct kprobe *kp, unsigned long addr)
{
	/* the kernel has moved it behind the landing pad of indirect calls */
	if ((unsigned long)kp->addr != addr)
		return (unsigned int)((unsigned long)kp->addr - addr);
	return kp->flags & KPROBE_FLAG_FTRACE ? MCOUNT_INSN_SIZE : kp->ainsn.size;
}
