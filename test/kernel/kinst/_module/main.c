// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - a kernel module with instructions that cases trace. A number written to its parameter
 * call is how often each of its functions is called. Its parameter branch is the offset of the jump
 * label in instructions_branch; a kernel without CONFIG_JUMP_LABEL has none.
 */
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* Prototypes: the functions are external, so that the compiler does not transform them. */
long instructions_known(long a, long b);
long instructions_branch(long a);

static DEFINE_STATIC_KEY_FALSE(instructions_key);

noinline long instructions_branch(long a)
{
	barrier();
	return static_branch_unlikely(&instructions_key) ? a + 1 : a;
}

static int instructions_call(const char *text, const struct kernel_param *kp)
{
	unsigned int i, n;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; i < n && !error; i++) {
		if (instructions_known(i, 1000) != i + 1008 || instructions_branch(i) != i)
			error = -EIO;
	}
	return error;
}

static int instructions_tell_branch(char *text, const struct kernel_param *kp)
{
#ifdef CONFIG_JUMP_LABEL
	unsigned int i;

	for (i = 0; i < THIS_MODULE->num_jump_entries; i++) {
		unsigned long at = jump_entry_code(&THIS_MODULE->jump_entries[i]);

		if (at - (unsigned long)instructions_branch < 64)
			return sprintf(text, "%lu\n", at - (unsigned long)instructions_branch);
	}
#endif
	return -ENOENT;
}

static const struct kernel_param_ops instructions_call_ops = {.set = instructions_call};
static const struct kernel_param_ops instructions_branch_ops = {.get = instructions_tell_branch};

module_param_cb(call, &instructions_call_ops, NULL, 0200);
module_param_cb(branch, &instructions_branch_ops, NULL, 0400);

MODULE_DESCRIPTION("Instructions to be traced");
MODULE_LICENSE("Dual MIT/GPL");
