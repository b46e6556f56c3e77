// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* tracepoint.c - hooks on the kernel's tracepoints: find them by name, register, unregister. */
#include <linux/printk.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "tracepoint.h"

struct tracepoint_search {
	const char *name;
	struct tracepoint *found;
};

static void tracepoint_compare(struct tracepoint *tp, void *data)
{
	struct tracepoint_search *search = data;

	if (!strcmp(tp->name, search->name))
		search->found = tp;
}

struct tracepoint *tracepoint_find(const char *name)
{
	struct tracepoint_search search = {.name = name};

	for_each_kernel_tracepoint(tracepoint_compare, &search);
	return search.found;
}

int tracepoint_hooks_register(struct tracepoint_hook *hooks, unsigned int n)
{
	unsigned int i;
	int error;

	for (i = 0; i < n; i++) {
		hooks[i].tp = tracepoint_find(hooks[i].name);
		error = hooks[i].tp ? tracepoint_probe_register(hooks[i].tp, hooks[i].handler, NULL)
				    : -ENOENT;
		if (error) {
			pr_err("dtrace: cannot use the kernel's tracepoint %s (error %d)\n",
			       hooks[i].name, error);
			tracepoint_hooks_unregister(hooks, i);
			return error;
		}
	}
	return 0;
}

void tracepoint_hooks_unregister(struct tracepoint_hook *hooks, unsigned int n)
{
	while (n--)
		tracepoint_probe_unregister(hooks[n].tp, hooks[n].handler, NULL);
	tracepoint_synchronize_unregister();
}
