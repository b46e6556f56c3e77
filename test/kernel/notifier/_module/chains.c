// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * chains.c - a kernel module with a notifier chain of each kind, of two blocks each. A number
 * written to its parameter call is the number of calls of each chain, with one more for each robust
 * one. A number written to change is how often a third block is added and removed.
 */
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/notifier.h>

#define CHAINS_DATA ((void *)0x1234)

/* Events. The first block accepts all; the second one ends the chain at CHAINS_STOPPED. */
enum {
	CHAINS_BLOCKING = 10,
	CHAINS_RAW,
	CHAINS_SRCU,
	CHAINS_ATOMIC,
	CHAINS_STOPPED,
	CHAINS_UP,
	CHAINS_DOWN
};

BLOCKING_NOTIFIER_HEAD(chains_blocking);
RAW_NOTIFIER_HEAD(chains_raw);
ATOMIC_NOTIFIER_HEAD(chains_atomic);
SRCU_NOTIFIER_HEAD_STATIC(chains_srcu);

static noinline int chains_first(struct notifier_block *block, unsigned long event, void *data)
{
	return NOTIFY_OK;
}

static noinline int chains_second(struct notifier_block *block, unsigned long event, void *data)
{
	return event == CHAINS_STOPPED ? NOTIFY_BAD : NOTIFY_DONE;
}

static noinline int chains_third(struct notifier_block *block, unsigned long event, void *data)
{
	return NOTIFY_DONE;
}

/* The blocks of the blocking, raw, srcu and atomic chain. */
static struct notifier_block chains_firsts[4], chains_seconds[4], chains_thirds[4];

static void chains_add(struct notifier_block blocks[4], notifier_fn_t call, int priority)
{
	unsigned int i;

	for (i = 0; i < 4; i++) {
		blocks[i].notifier_call = call;
		blocks[i].priority = priority;
	}
	blocking_notifier_chain_register(&chains_blocking, &blocks[0]);
	raw_notifier_chain_register(&chains_raw, &blocks[1]);
	srcu_notifier_chain_register(&chains_srcu, &blocks[2]);
	atomic_notifier_chain_register(&chains_atomic, &blocks[3]);
}

static void chains_remove(struct notifier_block blocks[4])
{
	blocking_notifier_chain_unregister(&chains_blocking, &blocks[0]);
	raw_notifier_chain_unregister(&chains_raw, &blocks[1]);
	srcu_notifier_chain_unregister(&chains_srcu, &blocks[2]);
	atomic_notifier_chain_unregister(&chains_atomic, &blocks[3]);
}

static int chains_call(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++) {
		blocking_notifier_call_chain(&chains_blocking, CHAINS_BLOCKING, CHAINS_DATA);
		raw_notifier_call_chain(&chains_raw, CHAINS_RAW, CHAINS_DATA);
		srcu_notifier_call_chain(&chains_srcu, CHAINS_SRCU, CHAINS_DATA);
		atomic_notifier_call_chain(&chains_atomic, CHAINS_ATOMIC, CHAINS_DATA);
		atomic_notifier_call_chain(&chains_atomic, CHAINS_STOPPED, CHAINS_DATA);
		blocking_notifier_call_chain_robust(&chains_blocking, CHAINS_UP, CHAINS_DOWN,
						    CHAINS_DATA);
		raw_notifier_call_chain_robust(&chains_raw, CHAINS_UP, CHAINS_DOWN, CHAINS_DATA);
	}
	return error;
}

static int chains_change(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++) {
		chains_add(chains_thirds, chains_third, 0);
		chains_remove(chains_thirds);
	}
	return error;
}

static const struct kernel_param_ops chains_call_ops = {.set = chains_call};
static const struct kernel_param_ops chains_change_ops = {.set = chains_change};

module_param_cb(call, &chains_call_ops, NULL, 0200);
module_param_cb(change, &chains_change_ops, NULL, 0200);

static int __init chains_init(void)
{
	chains_add(chains_firsts, chains_first, 2);
	chains_add(chains_seconds, chains_second, 1);
	return 0;
}

static void __exit chains_exit(void)
{
	chains_remove(chains_firsts);
	chains_remove(chains_seconds);
}

module_init(chains_init);
module_exit(chains_exit);
MODULE_DESCRIPTION("notifier chains for tests of DTrace");
MODULE_LICENSE("Dual MIT/GPL");
