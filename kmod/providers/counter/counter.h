/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * counter.h - the providers of the kernel's counters, vminfo and mib: a probe for each counter,
 * which fires when it changes.
 *
 * The kernel keeps a counter as a variable of each CPU, or as one, and changes it by single
 * instructions. All such instructions are found in its text. Instructions that may change a counter
 * whose probe is enabled get a kprobe. At a hit, the registers give the variable's address, and the
 * address gives the counter. The probe fires just before the variable changes. So the probes count
 * the same as the kernel.
 *
 *	arg0	the value about to be added; gauges go down as well
 *	arg1	address of the variable, an unsigned long: the CPU's, if each has one
 *	arg2	further data of the provider
 */
#ifndef DTRACE_PROVIDERS_COUNTER_H
#define DTRACE_PROVIDERS_COUNTER_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/types.h>

#include "arch/x86/percpu.h"
#include "engine.h"

#define COUNTER_NARGS	3
#define COUNTER_NAMELEN 48

struct counter_link;

/* A counter. */
struct counter {
	struct counter_link *links; /* the probes that fire for it */
};

/* A provider. */
struct counter_provider {
	const char *name;
	struct dtrace_arg args[COUNTER_NARGS]; /* args[], up to the first without a type */
	struct counter *counters;
	unsigned int ncounters;
	/*
	 * make - create probes by counter_probe_add(). Return 0 or a negative errno: what has been
	 * created stays, and make is called again. The lock making is held, and no other one. May
	 * sleep.
	 */
	int (*make)(struct counter_provider *provider);
	/*
	 * may_change - return whether an instruction may change the counter of a number. False
	 * positives are allowed, false negatives are not. Any context.
	 */
	bool (*may_change)(const struct percpu_add *add, unsigned int counter);
	/*
	 * locate - return the counter of a variable by its address, which is counted from %gs: if
	 * each CPU has one, or NULL; *arg2: the third argument of the probe. Probe context;
	 * notrace.
	 */
	const struct counter *(*locate)(unsigned long variable, uint64_t *arg2);
	/* private to counter.c */
	dtrace_provider_t *provider;
	struct mutex making;
	bool made;		 /* [making] */
	struct list_head probes; /* [making] */
	bool searched;		 /* [making, counter_lock] the kernel; modules are from now on */
	struct list_head sites;	 /* [counter_lock] */
};

/* All of this kernel: NAME_counters. */
#ifdef CONFIG_VM_EVENT_COUNTERS
#define COUNTER_PROVIDERS_VM(PROVIDER) PROVIDER(vminfo)
#else
#define COUNTER_PROVIDERS_VM(PROVIDER)
#endif
#define COUNTER_PROVIDERS(PROVIDER)    \
	COUNTER_PROVIDERS_VM(PROVIDER) \
	PROVIDER(mib)

#define COUNTER_DECLARE(name) extern struct counter_provider name##_counters;
COUNTER_PROVIDERS(COUNTER_DECLARE)
#undef COUNTER_DECLARE

/*
 * counter_probe_add - have the probe of a name, which is created if there is none, fire for a
 * counter. once: arg0 is 1 however much is added. Return 0 or a negative errno. Called by make
 * only.
 */
int counter_probe_add(struct counter_provider *provider, const char *name, struct counter *counter,
		      bool once);

/* mib_init - begin to follow network namespaces. 0 or a negative errno. May sleep. */
int mib_init(void);
/* mib_exit - follow them no longer. No probe of mib is enabled. May sleep. */
void mib_exit(void);

#endif
