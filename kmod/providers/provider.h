/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * provider.h - the seam between the module and its providers. Devices, the port and the engine name
 * no provider: each provider describes itself in one struct provider_module.
 *
 * docs/adding-a-provider.md shows a whole provider. A new provider is one file, its line in Kbuild,
 * and its line in PROVIDERS below.
 */
#ifndef DTRACE_PROVIDERS_PROVIDER_H
#define DTRACE_PROVIDERS_PROVIDER_H

#include <linux/types.h>

#include "engine.h"

struct dtrace_helpers;
struct miscdevice;
struct mm_struct;
struct proc_dir_entry;
struct seq_file;
struct seq_operations;

/* A file of a provider in /proc/dtrace, for root. Either member seq or member show is set. */
struct provider_file {
	const char *name;
	const struct seq_operations *seq;
	/* Print the whole file; 0 or a negative errno. May sleep. */
	int (*show)(struct seq_file *seq, void *unused);
};

/*
 * The interface between a provider and the module. A member that may be NULL says so. All live as
 * long as the module.
 */
struct provider_module {
	const char *name; /* for messages */
	/*
	 * init - register the provider, or what makes its providers, with the engine. Called when
	 * the module is loaded, after the engine has begun and before there are devices. Return 0
	 * or a negative errno, and then leave nothing behind. May sleep.
	 */
	int (*init)(void);
	/*
	 * exit - undo init. There are no sessions and no devices any more. Firings may still be
	 * under way: dtrace_provider_unregister() waits for them. May sleep.
	 */
	void (*exit)(void);
	/*
	 * sync_wait - wait until all that the operation sync has begun for the current process is
	 * carried out, or until a fatal signal is pending. A request that enables or disables
	 * probes returns after it. No lock is held. May be NULL: sync carries out all of it itself.
	 */
	void (*sync_wait)(void);
	/*
	 * sync_wait_closing - wait as sync_wait does, for a session that is being closed. A pending
	 * fatal signal must not end the wait, since it may be the reason of the close. The wait
	 * must end nevertheless, however long others keep their locks. May be NULL.
	 */
	void (*sync_wait_closing)(void);
	/*
	 * catch_up - wait until the probes are up to date with all events that have happened before
	 * the call, such as forks and execs, or until a fatal signal is pending. Called before
	 * probes are listed or matched. No lock is held. May be NULL.
	 */
	void (*catch_up)(void);
	/*
	 * helpers - return the ustack helpers of an address space, or NULL. They stay valid until
	 * the firing ends. Probe context. May be NULL.
	 */
	const struct dtrace_helpers *(*helpers)(const struct mm_struct *mm);
	/*
	 * stats - print rows of /proc/dtrace/stats, each by stats_row(): above all the events
	 * that the provider has lost, and why. May sleep. May be NULL.
	 */
	void (*stats)(struct seq_file *seq);
	/* files - files in /proc/dtrace; the last one has name NULL. May be NULL. */
	const struct provider_file *files;
	/*
	 * devices - devices of the provider; the last one is NULL. They are made after all else of
	 * the module has begun, and removed before anything of it ends. May be NULL.
	 */
	struct miscdevice *const *devices;
};

/* All providers: NAME_module, in the order in which they begin. They end in reverse. */
#define PROVIDERS(PROVIDER) \
	PROVIDER(profile)   \
	PROVIDER(syscall)   \
	PROVIDER(sdt)       \
	PROVIDER(fbt)       \
	PROVIDER(kinst)     \
	PROVIDER(stable)    \
	PROVIDER(counter)   \
	PROVIDER(cpc)       \
	PROVIDER(fasttrap)

#define PROVIDER_DECLARE(name) extern const struct provider_module name##_module;
PROVIDERS(PROVIDER_DECLARE)
#undef PROVIDER_DECLARE

/*
 * provider_kernel_names - names that other systems and tracers have for the kernel itself, besides
 * vmlinux; the last is NULL.
 */
extern const char *const provider_kernel_names[];
/* provider_names_kernel - return whether a name is one of these. */
bool provider_names_kernel(const char *module);
/*
 * provider_module_alias - the operation module_alias of providers whose probes other systems have
 * in their kernel or in the module ip.
 */
bool provider_module_alias(void *arg, dtrace_probe_t *probe, void *parg, const char *name);
/* provider_is_pattern - return whether a field of a description has wildcards. */
bool provider_is_pattern(const char *field);
/*
 * provider_could_be - return whether a pattern of a description may match a name: what follows its
 * first wildcard is not looked at. For the operation provide, which makes probes that a description
 * may mean.
 */
bool provider_could_be(const char *pattern, const char *name);
/*
 * provider_meant - return whether a description may mean a probe of a provider, called name, whose
 * probes have no function. could: one of them may have the name in the description. A description
 * that names the provider means it in any case: messages then have names to suggest.
 */
bool provider_meant(const dtrace_probedesc_t *desc, const char *name, bool could);

/* ---- for the rest of the module: calls of all providers ---- */

/*
 * providers_init - start all. Return 0, or the negative errno of an operation init, such as
 * -ENOMEM: it is logged, and none is left. May sleep.
 */
int providers_init(void);
/* providers_exit - end all. May sleep. */
void providers_exit(void);
/* Call the operation sync_wait of each provider that has it. */
void providers_sync_wait(void);
/* Call the operation sync_wait_closing of each provider that has it. */
void providers_sync_wait_closing(void);
/* Call the operation catch_up of each provider that has it. */
void providers_catch_up(void);
/* Call the operation stats of each provider that has it. */
void providers_stats_show(struct seq_file *seq);
/*
 * providers_procfs_add - make the providers' files in folder. Return false if there is no memory.
 */
bool providers_procfs_add(struct proc_dir_entry *folder);
/*
 * providers_devices_init - make all devices. Return 0, or the negative errno of misc_register(),
 * such as -ENOMEM: it is logged, and none is left. May sleep.
 */
int providers_devices_init(void);
/* providers_devices_exit - remove all devices. No file of them is open. May sleep. */
void providers_devices_exit(void);

#endif
