// SPDX-License-Identifier: MIT
/* control.c - what sparse must complain of, so that its silence means something. */
#include <linux/rcupdate.h>
#include <linux/spinlock.h>
#include <linux/uaccess.h>

static DEFINE_SPINLOCK(control_lock);
static int __rcu *control_rcu;

int control_user(int __user *p);
int control_lockless(bool lock);
int *control_dereference(void);

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
