// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * vminfo.c - the vminfo provider: the events of the memory management, as in /proc/vmstat, and
 * names that other systems have for some of them. Lines of /proc/vmstat that tell how much there is
 * of something are no events, and have no probes.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/mmzone.h>
#include <linux/string.h>
#include <linux/vmstat.h>

#include "counter.h"
#include "hooks/symbol.h"
#include "target.h"

#define VMINFO_LINES 1024 /* of /proc/vmstat at most */
#define VMINFO_BELOW 128 /* bytes that an instruction's constant may lie before the first counter */

static struct counter vminfo_all[NR_VM_EVENT_ITEMS];

/* ---- which instruction changes what ---- */

/* Return the address of the first counter, relative to %gs:. */
static notrace unsigned long vminfo_start(void)
{
	return (unsigned long)&vm_event_states;
}

/*
 * Return whether an instruction may change a counter. An instruction with a register changes one of
 * an array of counters, as zones have; or any counter, if its constant is that of the first.
 */
static bool vminfo_may_change(const struct percpu_add *add, unsigned int counter)
{
	long from = (long)(add->constant - vminfo_start());
	unsigned long first;

	if (add->shared || from < -VMINFO_BELOW || from >= (long)sizeof(struct vm_event_state))
		return false;
	if (from <= 0 && !percpu_add_is_fixed(add))
		return true;
	if (from < 0)
		return false;
	first = (unsigned long)from / sizeof(unsigned long);
	return percpu_add_is_fixed(add) ? counter == first
					: counter >= first && counter < first + MAX_NR_ZONES;
}

static notrace const struct counter *vminfo_locate(unsigned long variable, uint64_t *arg2)
{
	unsigned long n = (variable - vminfo_start()) / sizeof(unsigned long);

	return variable >= vminfo_start() && n < NR_VM_EVENT_ITEMS ? &vminfo_all[n] : NULL;
}

/* ---- probes ---- */

/* Names of other systems. */
static const struct vminfo_alias {
	const char *name, *event;
	bool once; /* it counts how often, not how much */
} vminfo_aliases[] = {
	{"as_fault", "pgfault"},       {"maj_fault", "pgmajfault"}, {"pgin", "pgpgin", true},
	{"pgout", "pgpgout", true},    {"swapin", "pswpin", true},  {"swapout", "pswpout", true},
	{"pgswapin", "pswpin"},	       {"pgswapout", "pswpout"},    {"anonpgin", "pswpin"},
	{"anonpgout", "pswpout"},      {"dfree", "pgfree"},	    {"pgrec", "pgactivate"},
	{"pgrrun", "pageoutrun"},      {"scan", "pgscan_kswapd"},   {"scan", "pgscan_direct"},
	{"scan", "pgscan_khugepaged"},
};

/* Add the probes of a counter, whose name is at address name of the kernel. */
static int vminfo_add(struct counter_provider *provider, unsigned int counter, unsigned long name)
{
	char text[COUNTER_NAMELEN] = "";
	const struct vminfo_alias *alias;
	int error;

	if (target_load_kernel(text, name, sizeof(text) - 1))
		return -EFAULT;
	error = counter_probe_add(provider, text, &vminfo_all[counter], false);
	for (alias = vminfo_aliases; alias < vminfo_aliases + ARRAY_SIZE(vminfo_aliases); alias++)
		if (!error && !strcmp(alias->event, text))
			error = counter_probe_add(provider, alias->name, &vminfo_all[counter],
						  alias->once);
	return error;
}

/*
 * Make the counters. The kernel has the names in a table of pointers, in the order of the lines of
 * /proc/vmstat. The first event is pgpgin.
 */
static int vminfo_make(struct counter_provider *provider)
{
	unsigned long table = symbol_address("vmstat_text"), name;
	unsigned int line, counter = 0;
	char text[8] = "";
	int error = 0;

	for (line = 0; table && line < VMINFO_LINES && counter < NR_VM_EVENT_ITEMS; line++) {
		if (target_load_kernel(&name, table + line * sizeof(name), sizeof(name)))
			break;
		if (!counter && target_load_kernel(text, name, sizeof("pgpgin")))
			break;
		if (!counter && strcmp(text, "pgpgin") != 0)
			continue;
		error = vminfo_add(provider, counter++, name);
		if (error)
			break;
	}
	return error;
}

struct counter_provider vminfo_counters = {
	.name = "vminfo",
	.args = {{.type = "int64_t", .native = 0}, {.type = "uint64_t *", .native = 1}},
	.counters = vminfo_all,
	.ncounters = NR_VM_EVENT_ITEMS,
	.make = vminfo_make,
	.may_change = vminfo_may_change,
	.locate = vminfo_locate,
};
