// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * modules.c - the modules that the kernel has. Its list of them is not exported, but this module is
 * a part of it. The list's head is no module: it lies outside of modules' addresses.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>

#include "modules.h"

/* Hold the next module behind an entry of the list. NULL: none is left before this module. */
static struct module *module_next(struct list_head *p)
{
	struct module *module, *next = NULL;

	rcu_read_lock();
	while (!next && (p = rcu_dereference_raw(list_next_rcu(p))) != &THIS_MODULE->list) {
		if ((unsigned long)p < MODULES_VADDR || (unsigned long)p >= MODULES_END)
			continue;
		module = list_entry(p, struct module, list);
		if (module->state != MODULE_STATE_UNFORMED && try_module_get(module))
			next = module;
	}
	rcu_read_unlock();
	return next;
}

/* A module that is held stays in the list, and so leads to the next one. */
int modules_each(int (*f)(void *arg, struct module *module), void *arg)
{
	struct module *module = module_next(&THIS_MODULE->list), *last;
	int error = 0;

	while (module && !error) {
		error = f(arg, module);
		last = module;
		module = module_next(&last->list);
		module_put(last);
	}
	if (module)
		module_put(module);
	return error;
}
