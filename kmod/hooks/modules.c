// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * modules.c - the modules that the kernel has. Its list of them is not exported, but this module is
 * a part of it. The list's head is no module: it lies outside of modules' addresses.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "modules.h"

/*
 * Hold the module with the lowest address above last, and return it; NULL: there is none. A walk in
 * this order goes on although modules have come and gone.
 */
static struct module *module_above(const struct module *last)
{
	struct module *module, *next;
	struct list_head *p;

	rcu_read_lock();
	do {
		next = NULL;
		for (p = &THIS_MODULE->list;
		     (p = rcu_dereference_raw(list_next_rcu(p))) != &THIS_MODULE->list;) {
			if ((unsigned long)p < MODULES_VADDR || (unsigned long)p >= MODULES_END)
				continue;
			module = list_entry(p, struct module, list);
			if (module > last && (!next || module < next) &&
			    module->state != MODULE_STATE_UNFORMED)
				next = module;
		}
		last = next;
	} while (next && !try_module_get(next));
	rcu_read_unlock();
	return next;
}

int modules_each(struct mutex *lock, int (*f)(void *arg, struct module *module), void *arg)
{
	struct module *module = NULL;
	int error = 0;

	do {
		if (mutex_lock_killable(lock))
			return -EINTR;
		module = module_above(module);
		if (module) {
			error = f(arg, module);
			module_put(module);
		}
		mutex_unlock(lock);
		cond_resched();
	} while (module && !error);
	return error;
}
