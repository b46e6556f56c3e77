// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * crosses.c - a kernel module. A number written to its parameter one is how often the other
 * processor of two calls a function; to own: the processor that writes; to many: all other
 * processors at once.
 */
#include <linux/cpumask.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/smp.h>

static void crosses_called(void *unused)
{
}

/* Write n: `cpu`, this processor or another, calls the function n times. */
static int crosses_times(const char *text, bool other)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++) {
		unsigned int self = get_cpu();

		error = smp_call_function_single(other ? cpumask_any_but(cpu_online_mask, self)
						       : self,
						 crosses_called, NULL, 1);
		put_cpu();
	}
	return error;
}

static int crosses_one(const char *text, const struct kernel_param *param)
{
	return crosses_times(text, true);
}

static int crosses_own(const char *text, const struct kernel_param *param)
{
	return crosses_times(text, false);
}

/* Write n: all other processors call the function n times. */
static int crosses_many(const char *text, const struct kernel_param *param)
{
	unsigned int n, i;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; !error && i < n; i++) {
		preempt_disable();
		smp_call_function(crosses_called, NULL, 1);
		preempt_enable();
	}
	return error;
}

static const struct kernel_param_ops crosses_one_ops = {.set = crosses_one};
static const struct kernel_param_ops crosses_own_ops = {.set = crosses_own};
static const struct kernel_param_ops crosses_many_ops = {.set = crosses_many};

module_param_cb(one, &crosses_one_ops, NULL, 0200);
module_param_cb(own, &crosses_own_ops, NULL, 0200);
module_param_cb(many, &crosses_many_ops, NULL, 0200);

MODULE_DESCRIPTION("cross calls for tests of DTrace");
MODULE_LICENSE("Dual MIT/GPL");
