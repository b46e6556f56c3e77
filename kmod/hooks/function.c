// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * function.c - hooks at functions: two ftrace_ops for all entries, and for all returns one
 * kretprobe, the donor, that is armed nowhere.
 *
 * The ftrace handler finds the function in a hash table by the site. For a return it calls the
 * donor's pre_handler as if the donor's breakpoint had been hit: the kernel then notes the address
 * of return of whatever function it is, and calls the handler of the donor's rethook when that
 * returns. A kretprobe of each function would cost milliseconds each to arm.
 *
 * Patching all functions takes seconds, and calls some of them for each site. These are late: their
 * ftrace_ops is registered after the other one, and unregistered before.
 *
 * Locks: function_sync_lock around function_lock. The first is held while text is patched, the
 * second covers the table, the lists of users and the list of changes, and is taken under the
 * engine lock. The second is a bit: it is taken for each hook, and the functions that mutexes and
 * spin locks are may be hooked.
 */
#include <linux/ftrace.h>
#include <linux/hash.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/timekeeping.h>

/* not the first: it needs cpu_relax() */
#include <linux/bit_spinlock.h>

#include "compat/rethook.h"
#include "function.h"
#include "symbol.h"

#define TABLE_BITS 14
/* Returns that may be noted at a time: tasks sleep in hooked functions. */
#define RETURNS_MIN	4096
#define RETURNS_MAX	65536
#define RETURNS_PER_CPU 1024

struct function_hook {
	struct hlist_node node; /* of the table */
	unsigned long site;
	unsigned int nreturns; /* users with the operation returned or waited; firings read it */
	unsigned int nwaits;   /* users with the operation waited; firings read it */
	unsigned int nevents;  /* users that want events; firings read it */
	bool late;	       /* of its first user; it stays so */
	bool patched;	       /* [function_sync_lock] */
	struct function_user __rcu *users;
	struct list_head changed; /* of function_changed or function_taken, or empty */
};

static DEFINE_MUTEX(function_sync_lock);
static unsigned long function_lock_word;
static struct hlist_head function_table[1 << TABLE_BITS];
static LIST_HEAD(function_changed);
static LIST_HEAD(function_taken);      /* [function_sync_lock] changes that are being made */
static unsigned int function_nreturns; /* users with the operation returned or waited */
static unsigned int function_nevents;  /* users that want events; firings read it */

/*
 * Set while this CPU reports a call or a return to users, with interrupts off: the calls that they
 * make, and the exceptions that they raise, are the tracer's own.
 */
static DEFINE_PER_CPU(bool, function_telling);
/* The task that patches text, if any: so are the calls that it makes for that. */
static struct task_struct *function_patching;

static struct {
	atomic64_t nmi, idle, returns, refused;
} function_count;

/* Return whether a user has an operation for returns of the function. */
static notrace bool function_wants_return(const struct function_user *user)
{
	return user->ops->returned || user->ops->waited;
}

/* ---- in the hooked functions: any context ---- */

/*
 * Return whether RCU watches this CPU. Only tasks that idle call functions that ftrace can reach
 * while it does not: the kernel's code on the way to and from user mode and guests cannot be
 * traced. So other tasks are spared the call.
 */
static notrace bool function_rcu_watches(void)
{
	return likely(!is_idle_task(current)) || rcu_is_watching();
}

static notrace struct function_hook *function_find(unsigned long site)
{
	struct function_hook *hook;

	hlist_for_each_entry_rcu_notrace(hook, &function_table[hash_long(site, TABLE_BITS)], node)
		if (hook->site == site)
			return hook;
	return NULL;
}

static notrace void function_tell_missed(const struct function_hook *hook, bool returns)
{
	struct function_user *user;

	for (user = rcu_dereference_raw(hook->users); user; user = rcu_dereference_raw(user->next))
		if (!returns || function_wants_return(user))
			user->ops->missed(user);
}

/* The donor is registered at this function, which is never called. */
static noinline void function_donated(void)
{
	barrier();
}

static struct kretprobe function_donor;
static bool function_donor_on;

/* The data of a call, kept until it returns. */
struct function_call {
	unsigned long site;
	unsigned long first; /* argument */
	/* if a user has the operation waited: */
	u64 began;	      /* when */
	unsigned long sleeps; /* of the task, until then */
};

/* Return the data of the call whose return the kernel has noted in node. */
static notrace struct function_call *function_call_of(struct rethook_node *node)
{
	return (struct function_call *)container_of(node, struct kretprobe_instance, node)->data;
}

/* Report a return to users. The kernel calls this with preemption disabled. */
static notrace COMPAT_RETHOOK_HANDLER(function_returned, node, regs)
{
	const struct function_call *call = function_call_of(node);
	struct function_hook *hook;
	struct function_user *user;
	unsigned long flags;

	if (!function_rcu_watches()) {
		atomic64_inc(&function_count.idle);
		return;
	}
	hook = function_find(call->site);
	if (!hook)
		return;
	local_irq_save(flags);
	raw_cpu_write(function_telling, true);
	for (user = rcu_dereference_raw(hook->users); user; user = rcu_dereference_raw(user->next))
		if (user->ops->returned)
			user->ops->returned(user, regs, call->first);
		else if (user->ops->waited && call->began)
			user->ops->waited(user, regs, call->first,
					  ktime_get_mono_fast_ns() - call->began,
					  current->nvcsw != call->sleeps);
	raw_cpu_write(function_telling, false);
	local_irq_restore(flags);
}

/*
 * Have the kernel note the return of the function that regs is at. False: it has no memory for
 * that.
 */
static noinline notrace bool function_note_return(const struct function_hook *hook,
						  struct pt_regs *regs)
{
	struct task_struct *self = current;
	const struct llist_node *last = self->rethooks.first;
	struct function_call *call;

	if (unlikely(!smp_load_acquire(&function_donor_on)))
		return false;
	function_donor.kp.pre_handler(&function_donor.kp, regs);
	if (self->rethooks.first == last)
		return false;
	call = function_call_of(container_of(self->rethooks.first, struct rethook_node, llist));
	call->site = hook->site;
	call->first = regs->di;
	call->began = 0;
	if (READ_ONCE(hook->nwaits)) {
		call->began = ktime_get_mono_fast_ns();
		call->sleeps = self->nvcsw;
	}
	return true;
}

/* Return the registers, all of which FTRACE_OPS_FL_SAVE_REGS has saved. */
static notrace struct pt_regs *function_regs(struct ftrace_regs *fregs)
{
#ifdef arch_ftrace_regs
	return &arch_ftrace_regs(fregs)->regs;
#else
	return &fregs->regs;
#endif
}

/* Tell the users of a hook of a call. Interrupts are off. */
static notrace void function_tell_called(struct function_hook *hook, struct pt_regs *regs)
{
	struct function_user *user;

	for (user = rcu_dereference_raw(hook->users); user; user = rcu_dereference_raw(user->next))
		if (user->ops->entry)
			user->ops->entry(user, regs);
	if (READ_ONCE(hook->nreturns) && !function_note_return(hook, regs)) {
		atomic64_inc(&function_count.returns);
		function_tell_missed(hook, true);
	}
}

/*
 * Tell the users of a call, unless it is one by the tracer. From function_telling on, functions
 * called here cannot lead here again.
 */
static noinline notrace void function_tell(unsigned long site, struct ftrace_regs *fregs)
{
	struct function_hook *hook;
	unsigned long flags;

	local_irq_save(flags);
	if (likely(!raw_cpu_read(function_telling))) {
		raw_cpu_write(function_telling, true);
		hook = function_find(site);
		if (likely(hook))
			function_tell_called(hook, function_regs(fregs));
		raw_cpu_write(function_telling, false);
	}
	local_irq_restore(flags);
}

/* Return whether an event of the kernel is hooked at the site. */
static notrace bool function_is_event(unsigned long site)
{
	const struct function_hook *hook;

	if (!READ_ONCE(function_nevents))
		return false;
	hook = function_find(site);
	return hook && READ_ONCE(hook->nevents);
}

/*
 * Handle a call in a context that is not the usual one: an idle task, a non-maskable interrupt, or
 * the task that patches text. That task makes nine of ten calls while it patches all functions.
 */
static noinline notrace void function_called_oddly(unsigned long site, struct ftrace_regs *fregs)
{
	struct function_hook *hook;

	if (READ_ONCE(function_patching) == current && in_task()) {
		if (function_is_event(site))
			function_tell(site, fregs);
	} else if (!function_rcu_watches()) {
		atomic64_inc(&function_count.idle);
	} else if (in_nmi()) {
		hook = function_find(site);
		if (hook) {
			atomic64_inc(&function_count.nmi);
			function_tell_missed(hook, false);
		}
	} else {
		function_tell(site, fregs);
	}
}

/*
 * Handle a call of a hooked function. ftrace calls this at the function's beginning, in any
 * context, perhaps with preemption on.
 */
static notrace void function_called(unsigned long site, unsigned long parent,
				    struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	const struct task_struct *self = current;

	if (unlikely(is_idle_task(self) || READ_ONCE(function_patching) == self || in_nmi()))
		function_called_oddly(site, fregs);
	else
		function_tell(site, fregs);
}

/* ---- the switch of ftrace ---- */

static const int *function_switch; /* the kernel's ftrace_enabled; NULL: not found */

void function_hooks_init(void)
{
	function_switch = (const int *)symbol_address("ftrace_enabled");
}

bool function_hooks_are_off(void)
{
	return function_switch && !READ_ONCE(*function_switch);
}

/* ---- users [function_lock] ---- */

static void function_lock(void) __acquires(bitlock)
{
	bit_spin_lock(0, &function_lock_word);
}

static void function_unlock(void) __releases(bitlock)
{
	bit_spin_unlock(0, &function_lock_word);
}

static void function_note_change(struct function_hook *hook)
{
	if (list_empty(&hook->changed))
		list_add_tail(&hook->changed, &function_changed);
}

/* Enter a hook, unless there is one at its site. Return the one that is in the table. */
static struct function_hook *function_enter(struct function_hook *fresh)
{
	struct function_hook *hook = function_find(fresh->site);

	if (hook)
		return hook;
	hlist_add_head_rcu(&fresh->node, &function_table[hash_long(fresh->site, TABLE_BITS)]);
	return fresh;
}

static void function_add_user(struct function_hook *hook, struct function_user *user)
{
	struct function_user __rcu **last = &hook->users;

	user->hook = hook;
	RCU_INIT_POINTER(user->next, NULL);
	/* users are called in order of registration */
	while (rcu_access_pointer(*last))
		last = &rcu_dereference_protected(*last, true)->next;
	rcu_assign_pointer(*last, user);
	function_nreturns += function_wants_return(user);
	WRITE_ONCE(function_nevents, function_nevents + user->ops->events);
	WRITE_ONCE(hook->nreturns, hook->nreturns + function_wants_return(user));
	WRITE_ONCE(hook->nwaits, hook->nwaits + !!user->ops->waited);
	WRITE_ONCE(hook->nevents, hook->nevents + user->ops->events);
	function_note_change(hook);
}

int function_hook_add(struct function_user *user, unsigned long site)
{
	struct function_hook *hook, *fresh = NULL;

	if (function_hooks_are_off())
		return -ESHUTDOWN;
	function_lock();
	hook = function_find(site);
	if (!hook) {
		function_unlock();
		fresh = kzalloc(sizeof(*fresh), GFP_KERNEL_ACCOUNT);
		if (!fresh)
			return -ENOMEM;
		fresh->site = site;
		fresh->late = user->late;
		INIT_LIST_HEAD(&fresh->changed);
		function_lock();
		hook = function_enter(fresh);
	}
	function_add_user(hook, user);
	function_unlock();
	if (fresh != hook)
		kfree(fresh);
	return 0;
}

void function_hook_remove(struct function_user *user)
{
	struct function_user __rcu **p;

	function_lock();
	p = &user->hook->users;
	while (rcu_access_pointer(*p) != user)
		p = &rcu_dereference_protected(*p, true)->next;
	rcu_assign_pointer(*p, rcu_dereference_protected(user->next, true));
	function_nreturns -= function_wants_return(user);
	WRITE_ONCE(function_nevents, function_nevents - user->ops->events);
	WRITE_ONCE(user->hook->nreturns, user->hook->nreturns - function_wants_return(user));
	WRITE_ONCE(user->hook->nwaits, user->hook->nwaits - !!user->ops->waited);
	WRITE_ONCE(user->hook->nevents, user->hook->nevents - user->ops->events);
	function_note_change(user->hook);
	function_unlock();
}

/* ---- text [function_sync_lock] ---- */

/* Functions whose text is patched together: their ops is registered while there are any. */
struct function_text {
	struct ftrace_ops ops;
	unsigned int npatched;
};

static struct function_text function_others, function_late; /* [function_sync_lock] */

static void function_ops_init(struct ftrace_ops *ops)
{
	/* An ops whose filter has been freed must not be used again as it is. */
	memset(ops, 0, sizeof(*ops));
	ops->func = function_called;
	/*
	 * PERMANENT: else kernel.ftrace_enabled=0 would silently stop the probes. Not RECURSION:
	 * function_telling does what the core would then do, and costs less.
	 */
	ops->flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_PERMANENT;
}

/*
 * Add sites to the filter of ops, and move the accepted sites to the front. Return their number.
 * ftrace accepts a set as a whole, so a set with a bad site is halved until the site is found.
 */
static unsigned int function_filter_add(struct ftrace_ops *ops, unsigned long *sites,
					unsigned int n)
{
	unsigned int first, second;
	int error;

	if (!n)
		return 0;
	error = ftrace_set_filter_ips(ops, sites, n, 0, 0);
	if (!error)
		return n;
	if (n == 1)
		return 0;
	first = function_filter_add(ops, sites, n / 2);
	second = function_filter_add(ops, sites + n / 2, n - n / 2);
	memmove(sites + first, sites + n / 2, second * sizeof(*sites));
	return first + second;
}

#define FILTER_BATCH 512U

int function_hook_filter(unsigned long *sites, unsigned int n, bool doubtful)
{
	unsigned int batch = doubtful ? 1 : FILTER_BATCH;
	struct ftrace_ops *scratch = kzalloc(sizeof(*scratch), GFP_KERNEL);
	unsigned int i, good, done = 0;

	if (!scratch)
		return -ENOMEM;
	function_ops_init(scratch);
	for (i = 0; i < n; i += batch) {
		/* with one filter for all, each batch would copy what was added before */
		good = function_filter_add(scratch, sites + i, min(n - i, batch));
		memmove(sites + done, sites + i, good * sizeof(*sites));
		done += good;
		ftrace_free_filter(scratch);
		function_ops_init(scratch);
		cond_resched();
	}
	kfree(scratch);
	return done;
}

static unsigned long function_test_seen;

static notrace COMPAT_RETHOOK_HANDLER(function_test_returned, node, regs)
{
	function_test_seen = regs->ax;
}

/* Return value, having asked the donor to note this return, as function_note_return does. */
static noinline notrace unsigned long function_test(unsigned long value)
{
	struct pt_regs entry = {.sp = (unsigned long)__builtin_frame_address(0) + sizeof(value)};

	function_donor.kp.pre_handler(&function_donor.kp, &entry);
	OPTIMIZER_HIDE_VAR(value);
	return value;
}

/* Return whether the donor reports the right value of a return, and the caller gets it. */
static bool function_donor_works(void)
{
	const unsigned long value = 0x0123456789abcdef;
	unsigned long got;

	function_test_seen = 0;
	rcu_assign_pointer(function_donor.rh->handler, function_test_returned);
	preempt_disable();
	got = function_test(value);
	preempt_enable();
	return got == value && function_test_seen == value;
}

static void function_donor_start(void) __must_hold(&function_sync_lock)
{
	int error;

	lockdep_assert_held(&function_sync_lock);
	if (function_donor_on)
		return;
	memset(&function_donor, 0, sizeof(function_donor));
	function_donor.kp.addr = (kprobe_opcode_t *)function_donated;
	function_donor.kp.flags = KPROBE_FLAG_DISABLED;
	function_donor.data_size = sizeof(struct function_call);
	function_donor.maxactive = clamp_t(unsigned int, num_possible_cpus() * RETURNS_PER_CPU,
					   RETURNS_MIN, RETURNS_MAX);
	error = register_kretprobe(&function_donor);
	if (error) {
		pr_warn("dtrace: returns of functions cannot be traced: register_kretprobe fails "
			"with %d\n",
			error);
		return;
	}
	if (!function_donor_works()) {
		pr_warn("dtrace: returns of functions cannot be traced: the kernel reports another "
			"value than a function has returned\n");
		unregister_kretprobe(&function_donor);
		return;
	}
	/* without the kernel's handler in between, which is for kprobes that are armed */
	rcu_assign_pointer(function_donor.rh->handler, function_returned);
	smp_store_release(&function_donor_on, true);
}

static void function_donor_stop(void) __must_hold(&function_sync_lock)
{
	lockdep_assert_held(&function_sync_lock);
	if (!function_donor_on)
		return;
	WRITE_ONCE(function_donor_on, false);
	/* noted returns still end as without a user, and are not reported */
	unregister_kretprobe(&function_donor);
}

/* Hooks whose text is to be changed, and their sites. */
struct function_batch {
	struct function_hook **hooks;
	unsigned long *sites;
	unsigned int n;
};

static void function_patch_add(struct function_text *text, struct function_batch *b)
	__must_hold(&function_sync_lock)
{
	unsigned int i, good;
	int error = 0;

	lockdep_assert_held(&function_sync_lock);
	if (!b->n)
		return;
	for (i = 0; i < b->n; i++)
		b->sites[i] = b->hooks[i]->site;
	if (!text->npatched)
		function_ops_init(&text->ops);
	good = function_filter_add(&text->ops, b->sites, b->n);
	if (good && !text->npatched) {
		error = register_ftrace_function(&text->ops);
		if (error) {
			ftrace_free_filter(&text->ops);
			good = 0;
		}
	}
	if (good < b->n) {
		pr_warn_ratelimited("dtrace: ftrace refuses %u functions (error %d)\n", b->n - good,
				    error);
		atomic64_add(b->n - good, &function_count.refused);
	}
	WRITE_ONCE(text->npatched, text->npatched + good);
	/* Both lists are in the same order. */
	for (i = 0; i < good; i++) {
		unsigned int j = i;

		while (b->hooks[j]->site != b->sites[i])
			j++;
		swap(b->hooks[i], b->hooks[j]);
		b->hooks[i]->patched = true;
	}
}

static void function_patch_remove(struct function_text *text, struct function_batch *b)
	__must_hold(&function_sync_lock)
{
	unsigned int i;

	lockdep_assert_held(&function_sync_lock);
	if (!b->n)
		return;
	for (i = 0; i < b->n; i++) {
		b->sites[i] = b->hooks[i]->site;
		b->hooks[i]->patched = false;
	}
	WRITE_ONCE(text->npatched, text->npatched - b->n);
	if (!text->npatched) {
		unregister_ftrace_function(&text->ops);
		ftrace_free_filter(&text->ops);
	} else {
		/* an empty filter would stand for all functions */
		WARN_ON_ONCE(ftrace_set_filter_ips(&text->ops, b->sites, b->n, 1, 0));
	}
}

/* Prepare to make all changes that have been noted. Return their number. */
static unsigned int function_take_all(void) __must_hold(&function_sync_lock)
{
	struct function_hook *hook;
	unsigned int n = 0;

	lockdep_assert_held(&function_sync_lock);
	function_lock();
	list_splice_tail_init(&function_changed, &function_taken);
	function_unlock();
	list_for_each_entry(hook, &function_taken, changed)
		n++;
	return n;
}

/*
 * Take at most capacity hooks from function_taken: those to patch (on) or to restore, that are late
 * or not.
 */
static void function_take(struct function_batch *b, bool on, bool late, unsigned int capacity)
	__must_hold(&function_sync_lock)
{
	struct function_hook *hook, *next;

	lockdep_assert_held(&function_sync_lock);
	b->n = 0;
	list_for_each_entry_safe(hook, next, &function_taken, changed) {
		bool taken;

		if (b->n == capacity)
			break;
		cond_resched();
		if (hook->late != late)
			continue;
		/* a user that comes or goes after this is a new change */
		function_lock();
		taken = !!rcu_access_pointer(hook->users) == on;
		if (taken)
			list_del_init(&hook->changed);
		function_unlock();
		if (taken && !(on && hook->patched))
			b->hooks[b->n++] = hook;
	}
}

/* Remove a hook from the table unless it has new users. */
static bool function_leave(struct function_hook *hook)
{
	bool unused;

	function_lock();
	unused = !rcu_access_pointer(hook->users) && list_empty(&hook->changed);
	if (unused)
		hlist_del_rcu(&hook->node);
	function_unlock();
	return unused;
}

/* Free hooks that have no new users. */
static void function_free(struct function_batch *b)
{
	unsigned int i, n = 0;

	for (i = 0; i < b->n; i++)
		if (function_leave(b->hooks[i]))
			b->hooks[n++] = b->hooks[i];
	if (n)
		synchronize_rcu();
	for (i = 0; i < n; i++)
		kfree(b->hooks[i]);
}

static void function_restore(struct function_text *text, struct function_batch *b)
	__must_hold(&function_sync_lock)
{
	struct function_batch patched = {.hooks = b->hooks, .sites = b->sites};
	unsigned int i;

	/* move the patched hooks to the front: the set has changed since the last time */
	for (i = 0; i < b->n; i++) {
		if (!b->hooks[i]->patched)
			continue;
		swap(b->hooks[patched.n], b->hooks[i]);
		patched.n++;
	}
	function_patch_remove(text, &patched);
	function_free(b);
}

/* Make the changes in function_taken that b has space for. */
static void function_change(struct function_batch *b, unsigned int capacity)
	__must_hold(&function_sync_lock)
{
	function_take(b, true, false, capacity);
	function_patch_add(&function_others, b);
	function_take(b, true, true, capacity);
	function_patch_add(&function_late, b);
	function_take(b, false, true, capacity);
	function_restore(&function_late, b);
	function_take(b, false, false, capacity);
	function_restore(&function_others, b);
}

void function_hook_sync(void)
{
	struct function_hook *few_hooks[16];
	unsigned long few_sites[ARRAY_SIZE(few_hooks)];
	struct function_batch few = {.hooks = few_hooks, .sites = few_sites}, many;
	unsigned int capacity;

	mutex_lock(&function_sync_lock);
	capacity = max_t(unsigned int, function_take_all(), ARRAY_SIZE(few_hooks));
	many.hooks = kvmalloc_array(capacity, sizeof(*many.hooks), GFP_KERNEL);
	many.sites = kvmalloc_array(capacity, sizeof(*many.sites), GFP_KERNEL);
	WRITE_ONCE(function_patching, current);
	if (READ_ONCE(function_nreturns))
		function_donor_start();
	do {
		if (many.hooks && many.sites)
			function_change(&many, capacity);
		else
			function_change(&few, ARRAY_SIZE(few_hooks));
	} while (function_take_all());
	if (!READ_ONCE(function_nreturns))
		function_donor_stop();
	WRITE_ONCE(function_patching, NULL);
	kvfree(many.hooks);
	kvfree(many.sites);
	mutex_unlock(&function_sync_lock);
}

void function_hook_show(struct seq_file *seq)
{
	seq_printf(seq, "%-16s %12u  functions with a hook\n", "functions",
		   READ_ONCE(function_others.npatched) + READ_ONCE(function_late.npatched));
	seq_printf(seq, "%-16s %12lld  of them, that ftrace has refused\n", "functions-bad",
		   atomic64_read(&function_count.refused));
	seq_printf(seq, "%-16s %12lld  returns of functions that could not be noted\n",
		   "returns-missed", atomic64_read(&function_count.returns));
	seq_printf(seq, "%-16s %12lld  calls of hooked functions within non-maskable interrupts\n",
		   "calls-nmi", atomic64_read(&function_count.nmi));
	seq_printf(seq, "%-16s %12lld  calls of hooked functions by idle CPUs\n", "calls-idle",
		   atomic64_read(&function_count.idle));
}
