// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * modules.c - the modules that the kernel has. Its list of them is not exported, but this module is
 * a part of it. The list's head is no module: it lies outside of modules' addresses.
 */
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "modules.h"

/* Hold up to n modules; their number. With modules NULL they are counted only. */
static size_t modules_get(struct module **modules, size_t n)
{
	struct list_head *head = &THIS_MODULE->list, *p;
	size_t found = 0;

	rcu_read_lock();
	for (p = rcu_dereference_raw(list_next_rcu(head)); p != head && found < n;
	     p = rcu_dereference_raw(list_next_rcu(p))) {
		struct module *module = list_entry(p, struct module, list);

		if ((unsigned long)p < MODULES_VADDR || (unsigned long)p >= MODULES_END)
			continue;
		if (!modules)
			found++;
		else if (module->state != MODULE_STATE_UNFORMED && try_module_get(module))
			modules[found++] = module;
	}
	rcu_read_unlock();
	return found;
}

int modules_each(int (*f)(void *arg, struct module *module), void *arg)
{
	size_t n = modules_get(NULL, SIZE_MAX), i;
	struct module **modules = kvcalloc(n, sizeof(*modules), GFP_KERNEL);
	int error = 0;

	if (!modules)
		return -ENOMEM;
	n = modules_get(modules, n);
	for (i = 0; i < n; i++) {
		if (!error)
			error = f(arg, modules[i]);
		module_put(modules[i]);
	}
	kvfree(modules);
	return error;
}
