// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* jumps.c - where jumps lead. */
#include <linux/errno.h>
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/stddef.h>
#include <asm/extable.h>

#include "compat/module_text.h"
#include "jumps.h"
#include "symbol.h"
#include "target.h"

/* A table of the kernel or a module whose entries contain an address, relative to where that is. */
struct jumps_table {
	unsigned long start, end;
	size_t size, offset; /* of an entry, and of the address in it */
};

unsigned long jumps_text(const struct module *module, unsigned long *end)
{
	unsigned long start, size;

	if (module) {
		start = compat_module_text(module, &size);
		*end = start + size;
	} else {
		start = symbol_address("_stext");
		*end = symbol_address("_etext");
	}
	return start;
}

#ifdef CONFIG_JUMP_LABEL
static struct jumps_table jumps_of_keys(const struct module *module)
{
	struct jumps_table table = {.size = sizeof(struct jump_entry),
				    .offset = offsetof(struct jump_entry, target)};

	if (module) {
		table.start = (unsigned long)module->jump_entries;
		table.end = (unsigned long)(module->jump_entries + module->num_jump_entries);
	} else {
		table.start = symbol_address("__start___jump_table");
		table.end = symbol_address("__stop___jump_table");
	}
	return table;
}
#else
/* The kernel tests its static keys as variables. */
static struct jumps_table jumps_of_keys(const struct module *module)
{
	return (struct jumps_table){0};
}
#endif

static struct jumps_table jumps_of_faults(const struct module *module)
{
	struct jumps_table table = {.size = sizeof(struct exception_table_entry),
				    .offset = offsetof(struct exception_table_entry, fixup)};

	if (module) {
		table.start = (unsigned long)module->extable;
		table.end = (unsigned long)(module->extable + module->num_exentries);
	} else {
		table.start = symbol_address("__start___ex_table");
		table.end = symbol_address("__stop___ex_table");
	}
	return table;
}

static int jumps_of_table(const struct jumps_table *table, text_jump_t *found, void *arg)
{
	unsigned long at;
	int32_t target;

	for (at = table->start + table->offset; at < table->end; at += table->size) {
		if (target_load_kernel(&target, at, sizeof(target)))
			return -EFAULT;
		found(arg, at + (unsigned long)(long)target);
	}
	return 0;
}

int jumps_each(const struct module *module, text_jump_t *found, void *arg)
{
	struct jumps_table keys = jumps_of_keys(module), faults = jumps_of_faults(module);
	unsigned long end, start = jumps_text(module, &end);
	int error;

	if (!module && ((IS_ENABLED(CONFIG_JUMP_LABEL) && !keys.end) || !faults.end || !end))
		return -ENOENT;
	error = jumps_of_table(&keys, found, arg);
	if (!error)
		error = jumps_of_table(&faults, found, arg);
	return error ? error : text_jumps(start, end, found, arg);
}
