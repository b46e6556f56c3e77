// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * patched.c - a live patch of the module functions: functions_negative() returns -1.
 */
#include <linux/livepatch.h>
#include <linux/module.h>

int patched_negative(void);

noinline int patched_negative(void)
{
	barrier();
	return -1;
}

static struct klp_func patched_functions[] = {
	{.old_name = "functions_negative", .new_func = patched_negative},
	{},
};

static struct klp_object patched_objects[] = {
	{.name = "functions", .funcs = patched_functions},
	{},
};

static struct klp_patch patched_patch = {.mod = THIS_MODULE, .objs = patched_objects};

static int __init patched_init(void)
{
	return klp_enable_patch(&patched_patch);
}

static void __exit patched_exit(void)
{
}

module_init(patched_init);
module_exit(patched_exit);

MODULE_DESCRIPTION("A live patch of functions that are traced");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_INFO(livepatch, "Y");
