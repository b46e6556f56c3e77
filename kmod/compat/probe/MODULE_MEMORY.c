// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* MODULE_MEMORY.c - does a module have an array of its memories? Since 6.4. */
#include <linux/module.h>

void *probe(const struct module *module);

void *probe(const struct module *module)
{
	return module->mem[MOD_TEXT].base;
}
