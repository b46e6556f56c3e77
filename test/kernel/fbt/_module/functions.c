// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * functions.c - a kernel module with functions that cases trace. A number written to its parameter
 * call is the number of calls of each function. One of them is protected from probes.
 */
#include <linux/kobject.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/moduleparam.h>

/* Prototypes: the functions are external, so that the compiler does not transform them. */
long functions_many(int a, char b, unsigned short c, long d, void *e, u64 f, long g, int h);
int functions_negative(void);
u8 functions_byte(long n);
long functions_inner(long n);
long functions_outer(long n);
long functions_deep(long n);
void functions_protected(void);
void functions_loaded(void);

noinline long functions_many(int a, char b, unsigned short c, long d, void *e, u64 f, long g, int h)
{
	barrier();
	return a + b + c + d + (long)e + f + g + h;
}

noinline int functions_negative(void)
{
	barrier();
	return -22;
}

noinline u8 functions_byte(long n)
{
	barrier();
	return n;
}

noinline long functions_inner(long n)
{
	barrier();
	return n + 1;
}

noinline long functions_outer(long n)
{
	long result = functions_inner(n) * 2;

	barrier();
	return result;
}

/* Call this function n times: each call has a frame whose return is traced. */
noinline long functions_deep(long n)
{
	long result = n > 0 ? functions_deep(n - 1) : 0;

	barrier();
	return result + 1;
}

noinline void functions_protected(void)
{
	barrier();
}
NOKPROBE_SYMBOL(functions_protected);

noinline void functions_loaded(void)
{
	barrier();
}

static int functions_call(const char *text, const struct kernel_param *kp)
{
	unsigned int i, n;
	int error = kstrtouint(text, 0, &n);

	for (i = 0; i < n && !error; i++) {
		functions_many(-1, 'b', 3, -4, (void *)5, 6, 7, -8);
		functions_negative();
		functions_byte(0x1234);
		functions_outer(i);
		functions_deep(9);
		functions_protected();
		/* ftrace cannot patch these functions of the kernel */
		kobject_put(kobject_get(&THIS_MODULE->mkobj.kobj));
	}
	return error;
}

static const struct kernel_param_ops functions_ops = {.set = functions_call};

module_param_cb(call, &functions_ops, NULL, 0200);

static int __init functions_init(void)
{
	functions_loaded();
	return 0;
}

static void __exit functions_exit(void)
{
}

module_init(functions_init);
module_exit(functions_exit);

MODULE_DESCRIPTION("Functions to be traced");
MODULE_LICENSE("Dual MIT/GPL");
