// SPDX-License-Identifier: GPL-2.0-only OR MIT
/* symbol.c - what the kernel has by a name: it looks that up for kprobes; names of addresses. */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "function.h"
#include "site.h"
#include "symbol.h"

/* An instruction that marks where an indirect jump may lead, which ftrace's site may follow. */
#define ENDBR_SIZE 4

/* Look for functions of a name among the symbols of a module. [RCU] */
static void symbol_find_in(const struct module *module, const char *name,
			   struct symbol_found *found)
{
	const struct mod_kallsyms *symbols = rcu_dereference(module->kallsyms);
	unsigned int i;

	for (i = 1; symbols && i < symbols->num_symtab && found->n < ARRAY_SIZE(found->addrs);
	     i++) {
		const Elf_Sym *sym = &symbols->symtab[i];

		if ((symbols->typetab[i] == 't' || symbols->typetab[i] == 'T') &&
		    !strcmp(symbols->strtab + sym->st_name, name))
			found->addrs[found->n++] = sym->st_value;
	}
}

/*
 * The list of modules is not exported, but this module is a part of it. Its head is no module: it
 * lies outside of modules' memory.
 */
void symbol_find_modules(const char *name, struct symbol_found *found)
{
	struct list_head *head = &THIS_MODULE->list, *p = head;

	rcu_read_lock();
	do {
		const struct module *module = list_entry(p, struct module, list);

		if ((unsigned long)p >= MODULES_VADDR && (unsigned long)p < MODULES_END &&
		    module->state == MODULE_STATE_LIVE)
			symbol_find_in(module, name, found);
		p = rcu_dereference_raw(list_next_rcu(p));
	} while (p != head);
	rcu_read_unlock();
}

/*
 * The kernel refuses a kprobe at a variable, and in functions of its exception handling, which
 * ftrace can patch nevertheless, after it has set the address.
 */
unsigned long symbol_address(const char *name)
{
	struct kprobe kp = {.symbol_name = name};

	if (!site_try(&kp))
		unregister_kprobe(&kp);
	return (unsigned long)kp.addr;
}

unsigned long symbol_find(const char *name)
{
	struct symbol_found found = {.n = 0};
	unsigned int i;

	symbol_find_modules(name, &found);
	for (i = 0; i < found.n; i++)
		if (!site_is_decodable(found.addrs[i]))
			return 0;
	return symbol_address(name);
}

unsigned long symbol_function_site(const char *name)
{
	unsigned long site = symbol_address(name);

	if (!site || function_hook_filter(&site, 1, false) == 1)
		return site;
	site += ENDBR_SIZE;
	return function_hook_filter(&site, 1, false) == 1 ? site : 0;
}

char *symbol_text(char *text, unsigned long addr, unsigned long *start, unsigned long *size)
{
	char *plus, *end;

	sprint_symbol(text, addr);
	plus = strrchr(text, '+');
	if (!plus)
		return NULL;
	*start = addr - simple_strtoul(plus + 1, &end, 16);
	if (*end != '/')
		return NULL;
	*size = simple_strtoul(end + 1, NULL, 16);
	return plus;
}
