// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * provider.c - the table of the module's providers, and what is done for each of them in turn.
 */
#include <linux/kernel.h>
#include <linux/miscdevice.h>
#include <linux/printk.h>
#include <linux/proc_fs.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "provider.h"
#include "target.h"
#include "hooks/function.h"
#include "port/thread.h"

#define PROVIDER_ROW(name) &name##_module,
static const struct provider_module *const providers[] = {PROVIDERS(PROVIDER_ROW)};

#define for_each_provider(p) for (p = providers; p < providers + ARRAY_SIZE(providers); p++)

/* End those before end, the last one first. */
static void providers_exit_before(const struct provider_module *const *end)
{
	while (end-- > providers)
		(*end)->exit();
}

int providers_init(void)
{
	const struct provider_module *const *p;
	int error;

	function_hooks_init();
	for_each_provider(p) {
		error = (*p)->init();
		if (error) {
			pr_err("dtrace: provider %s cannot start (error %d)\n", (*p)->name, error);
			providers_exit_before(p);
			return error;
		}
	}
	return 0;
}

void providers_exit(void)
{
	providers_exit_before(providers + ARRAY_SIZE(providers));
}

void providers_sync_wait(void)
{
	const struct provider_module *const *p;

	for_each_provider(p)
		if ((*p)->sync_wait)
			(*p)->sync_wait();
}

void providers_sync_wait_closing(void)
{
	const struct provider_module *const *p;

	for_each_provider(p)
		if ((*p)->sync_wait_closing)
			(*p)->sync_wait_closing();
}

void providers_catch_up(void)
{
	const struct provider_module *const *p;

	for_each_provider(p)
		if ((*p)->catch_up)
			(*p)->catch_up();
}

/* Facts about the current thread that the engine needs and only a provider knows. */
const struct dtrace_helpers *target_helpers(void)
{
	const struct dtrace_helpers *helpers = NULL;
	const struct provider_module *const *p;

	if (!thread_is_user())
		return NULL;
	for_each_provider(p)
		if ((*p)->helpers && !helpers)
			helpers = (*p)->helpers(current->mm);
	return helpers;
}

void providers_stats_show(struct seq_file *seq)
{
	const struct provider_module *const *p;

	for_each_provider(p)
		if ((*p)->stats)
			(*p)->stats(seq);
}

const char *const provider_kernel_names[] = {"kernel", "genunix", "unix", "mach_kernel", NULL};

bool provider_names_kernel(const char *module)
{
	return match_string(provider_kernel_names, ARRAY_SIZE(provider_kernel_names), module) >= 0;
}

bool provider_module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name)
{
	return provider_names_kernel(name) || !strcmp(name, "ip");
}

#define PROVIDER_WILDCARDS "*?[\\"

bool provider_is_pattern(const char *field)
{
	return strpbrk(field, PROVIDER_WILDCARDS);
}

bool provider_could_be(const char *pattern, const char *name)
{
	if (!*pattern)
		return true;
	for (; *pattern && *pattern == *name; pattern++)
		name++;
	return *pattern ? !!strchr(PROVIDER_WILDCARDS, *pattern) : !*name;
}

bool provider_meant(const dtrace_probedesc_t *desc, const char *name, bool could)
{
	if (!strcmp(desc->dtpd_provider, name))
		return true;
	return could && provider_could_be(desc->dtpd_provider, name) &&
	       provider_could_be(desc->dtpd_func, "");
}

static bool provider_file_add(struct proc_dir_entry *folder, const struct provider_file *file)
{
	if (file->seq)
		return proc_create_seq(file->name, 0400, folder, file->seq);
	return proc_create_single(file->name, 0400, folder, file->show);
}

bool providers_procfs_add(struct proc_dir_entry *folder)
{
	const struct provider_module *const *p;
	const struct provider_file *file;

	for_each_provider(p)
		for (file = (*p)->files; file && file->name; file++)
			if (!provider_file_add(folder, file))
				return false;
	return true;
}

/* ---- devices ---- */

/* Remove the devices of a provider before end, the last one first. */
static void devices_exit_before(struct miscdevice *const *devices, struct miscdevice *const *end)
{
	while (end-- > devices)
		misc_deregister(*end);
}

/* Remove the devices of all providers before end, the last one first. */
static void providers_devices_exit_before(const struct provider_module *const *end)
{
	struct miscdevice *const *last;

	while (end-- > providers) {
		for (last = (*end)->devices; last && *last; last++)
			;
		devices_exit_before((*end)->devices, last);
	}
}

/* Make the devices of one provider. On an error, which is logged, none of them is left. */
static int devices_init(struct miscdevice *const *devices)
{
	struct miscdevice *const *device;
	int error;

	for (device = devices; device && *device; device++) {
		error = misc_register(*device);
		if (error) {
			pr_err("dtrace: /dev/%s cannot be made (error %d)\n", (*device)->nodename,
			       error);
			devices_exit_before(devices, device);
			return error;
		}
	}
	return 0;
}

int providers_devices_init(void)
{
	const struct provider_module *const *p;
	int error;

	for_each_provider(p) {
		error = devices_init((*p)->devices);
		if (error) {
			providers_devices_exit_before(p);
			return error;
		}
	}
	return 0;
}

void providers_devices_exit(void)
{
	providers_devices_exit_before(providers + ARRAY_SIZE(providers));
}
