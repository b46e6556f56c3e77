// SPDX-License-Identifier: MIT
/*
 * control.c - what sparse, and the compiler with -Wconversion, must complain of, so that their
 * silence means something.
 */
#include <linux/err.h>
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

static DEFINE_SPINLOCK(control_lock);
static int __rcu *control_rcu;

int control_user(int __user *p);
int control_lockless(bool lock);
int *control_dereference(void);
int control_cut(size_t size, const void *error);

int control_user(int __user *p)
{
	return *p;
}

int *control_dereference(void)
{
	return control_rcu;
}

int control_lockless(bool lock)
{
	if (lock)
		spin_lock(&control_lock);
	return 0;
}

/* Of these only the first is a mistake. */
int control_cut(size_t size, const void *error)
{
	unsigned int n = size; /* cut here */
	unsigned int m = (unsigned int)size;

	return n + m ? PTR_ERR(error) : (int)size;
}
