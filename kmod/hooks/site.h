/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * site.h - hooks at single instructions of the kernel and its modules, by kprobes, and at the
 * returns of functions that ftrace cannot patch, by kretprobes. Each user has a kprobe of its own,
 * so any number of users may hook an instruction.
 *
 * site_hook_add and site_hook_remove only note; site_hook_sync patches the kernel's text. Arming a
 * kprobe stops all CPUs for a moment. Kprobes are armed one by one and disarmed in batches.
 */
#ifndef DTRACE_HOOKS_SITE_H
#define DTRACE_HOOKS_SITE_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/types.h>

struct seq_file;
struct site_user;

/* Callbacks of a user. They must be notrace. */
struct site_user_ops {
	/*
	 * hit - the instruction is about to run. regs: as they are before it, with its address as
	 * the program counter. Preemption is off, and RCU watches. Any context but NMIs.
	 */
	void (*hit)(struct site_user *user, struct pt_regs *regs);
	/*
	 * returned - the function whose first instruction is the site has returned. regs: as at the
	 * instruction that it returned to. Context as for hit. A user has either this operation or
	 * hit.
	 */
	void (*returned)(struct site_user *user, struct pt_regs *regs);
	/*
	 * missed - the operation was not called for n hits or returns: they were in NMIs, or in the
	 * handler of another kprobe, or too many calls had not returned. Interrupts are off, or it
	 * is probe context.
	 */
	void (*missed)(struct site_user *user, unsigned long n);
};

struct site_user {
	const struct site_user_ops *ops; /* set by the caller, as site */
	unsigned long site;		 /* address of the instruction, */
	unsigned long otherwise;	 /* and of the one to hook if the kernel refuses it, or 0 */
	/* private to site.c */
	struct kretprobe rp;	  /* without the operation returned, only its kprobe is used */
	struct list_head changed; /* [site_lock] of site_changed, or empty */
	struct list_head armed;	  /* [site_sync_lock, site_lock] of site_armed, or empty */
	unsigned long nmissed;	  /* [site_sync_lock] misses reported to the user */
	bool requested;		  /* [site_lock] */
};

/* site_user_init - prepare a user whose ops and site the caller has set. */
void site_user_init(struct site_user *user);
/*
 * site_hook_add - call user's operations for hits of its site, after site_hook_sync. Any context
 * that may take a spin lock.
 */
void site_hook_add(struct site_user *user);
/*
 * site_hook_remove - end reports to user. After site_hook_sync no hit reaches the user. Context as
 * for site_hook_add.
 */
void site_hook_remove(struct site_user *user);
/*
 * site_hook_forget - forget a removed user, whose memory is about to be freed: site_hook_sync has
 * run since it was hooked, or it never was. Context as for site_hook_add.
 */
void site_hook_forget(struct site_user *user);
/*
 * site_hook_is_armed - return whether a kprobe of the user is registered, or about to be. Context
 * as for site_hook_add.
 */
bool site_hook_is_armed(const struct site_user *user);
/*
 * site_hook_sync - register and unregister kprobes for all users that have come and gone. A site
 * that the kernel refuses, or cannot decode, is counted, and the kernel's log says so. A process
 * that is being killed registers no more, since its session ends. May sleep: about a millisecond
 * for each site. Takes no lock that a handler or an operation under the engine lock takes.
 */
void site_hook_sync(void);
/* site_hook_show - rows for /proc/dtrace/stats. May sleep. */
void site_hook_show(struct seq_file *seq);
/* site_hook_exit - end the hooks: no site is armed any more. May sleep. */
void site_hook_exit(void);

/*
 * site_is_decodable - return whether the kernel can decode the function that contains an address,
 * before any kprobe there: its decoder may read some bytes behind the end, which is a fault if they
 * are not mapped, as behind the last function of a module on some kernels. May sleep.
 */
bool site_is_decodable(unsigned long site);
/*
 * site_try - register a kprobe that is disarmed, so that the kernel says whether it allows one, and
 * decodes the instruction. kp: addr, or symbol_name, is set, and all else is 0. The kernel sets
 * addr if it knows the symbol. 0: the caller unregisters kp. Otherwise the error of
 * register_kprobe(): -EILSEQ: no instruction begins there. May sleep.
 */
int site_try(struct kprobe *kp);
/*
 * site_try_size - return the length in bytes of the instruction at addr, for which site_try has
 * registered kp; 0 if the kernel does not tell.
 */
unsigned int site_try_size(const struct kprobe *kp, unsigned long addr);

#endif
