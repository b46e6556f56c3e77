/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * impl.h - the parts of fasttrap to each other.
 *
 *	process		an address space with registrations; pid, providers
 *	owner		a tracing session with registrations of pid probes
 *	registration	one DOF: its sites, sorted into groups. It belongs to the process, or to an
 *			owner: then it is one of pid probes
 *	group		sites of a registration that belong to one probe
 *	probe		a probe of the engine; groups of one or more registrations
 *	tracepoint	a place in a file with a uprobe consumer, while a site there is enabled
 *	member		an address space that wants a tracepoint, with the sites for which it does
 *	everybody	stands for all address spaces: pid* probes are its registrations, and it is
 *			a member that has no memory of its own
 *
 * Locks, in the order in which they are taken:
 *
 *	registry	mutex: processes, owners, registrations, providers; forks and deaths
 *	(engine lock)
 *	tracepoint lock	mutex: tracepoints, members, which probes are enabled, lists of groups
 *	event lock	raw spin lock: table of processes, forks and deaths that wait
 *
 * None of them is held while somebody's memory, file or lock is waited for: no mmap_lock, no reading
 * of files. A registration is prepared without locks (providers/fasttrap/resolver.c), then enters the registry.
 * Who comes from user land waits for the registry, for workers and for mmap_locks killably.
 *
 * A breakpoint's handler may take the registry (to adopt a fork child on its first hit). Uprobes
 * may wait for handlers, and for the mmap_lock of anybody who maps the file, so no lock at all is
 * held around uprobes calls: they are made by one worker (the patcher), from notes taken under the
 * tracepoint lock. Who waits for the patcher must hold none either; so the engine, which has a lock
 * of its own around sync, only starts it, and those who came from user land wait, each for what
 * its own process has noted. Firings and uprobes' filter find members under RCU.
 *
 * Each of these functions asserts the lock that it says it needs (lockdep_assert_*).
 */
#ifndef DTRACE_PROVIDERS_FASTTRAP_IMPL_H
#define DTRACE_PROVIDERS_FASTTRAP_IMPL_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/mm_types.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "fasttrap.h"

#define FASTTRAP_MAXFILES	16	/* files that the sites of one registration may lie in */
#define FASTTRAP_ANCESTORS	8	/* generations of forks by which a child is still known */
#define FASTTRAP_MAXSHARE	64	/* sites of one process at one place */
#define FASTTRAP_MAXGROUPS	2048	/* registrations with sites of one probe: each looks at all */

/* What a group's sites are, in the order in which those of one place fire. */
enum fasttrap_kind {
	FASTTRAP_STATIC,
	FASTTRAP_ENTRY,		/* pid probes: the first instruction of a function */
	FASTTRAP_OFFSET,	/* any instruction */
	FASTTRAP_RETURN,	/* one that leaves the function */
};

/* DOF as it was read; fork children use their parent's. */
struct fasttrap_dof {
	struct kref ref;
	struct dtrace_account *account;	/* counted; dof->bytes are charged to it */
	struct dtrace_helper_dof *dof;
};

/* What registrations amount to, for limits; registry. */
struct fasttrap_load {
	unsigned int nregistrations, nsites;
	u64 bytes;
};

struct fasttrap_owner {
	struct list_head registrations;	/* registry */
	struct fasttrap_load load;
	struct mem_cgroup *memcg;	/* what is registered for fork children is charged to it */
	struct dtrace_account *account;	/* of who opened the device, who holds it */
	bool ended;			/* registry; fork children get nothing more of it */
};

struct fasttrap_process {
	struct hlist_node by_mm;	/* event lock, RCU */
	struct hlist_node by_pid;	/* event lock, RCU */
	struct list_head all;		/* registry */
	/* event lock; empty unless it waits to be buried. Then the burier's own */
	struct list_head dying;
	/* grabbed: not reused for another while this lives. NULL: this is everybody */
	struct mm_struct *mm;
	pid_t pid;
	pid_t ancestors[FASTTRAP_ANCESTORS];	/* from whom it has registrations; 0: no more */
	kuid_t uid;
	char comm[TASK_COMM_LEN];
	struct dtrace_account *account;	/* counted: who is charged for it. NULL: everybody */
	struct list_head registrations;	/* registry */
	struct list_head providers;	/* registry */
	struct fasttrap_load load;	/* of what is the process's own, all without owners */
	unsigned int nhelpers;
	struct fasttrap_helpers __rcu *helpers;	/* registry, RCU; NULL: none */
	bool ready;			/* it has all its probes; hits before that wait */
	bool doomed;			/* registry; all that it has is going */
	bool dropped;			/* the burier's: its providers have been looked through */
	int next_gen;
	struct rcu_head rcu;
};

/* What the engine is told of a process's ustack helpers: replaced as a whole. */
struct fasttrap_helpers {
	struct rcu_head rcu;
	struct dtrace_helpers helpers;
};

struct fasttrap_provider {
	struct list_head all;		/* in the process; registry */
	struct dtrace_account *account;	/* counted */
	struct fasttrap_process *process;
	dtrace_provider_t *provider;
	unsigned int nprobes;		/* registry */
	unsigned int base;		/* length of the name without the process's number */
	char name[DTRACE_PROVNAMELEN];
};

struct fasttrap_probe {
	struct fasttrap_provider *provider;
	struct dtrace_account *account;	/* counted: of whose group was the first */
	dtrace_probe_t *probe;
	struct fasttrap_dof *dof;	/* holds desc */
	const struct dtrace_helper_probe *desc;
	bool program;			/* its module is a.out too */
	struct list_head groups;	/* tracepoint lock */
	unsigned int ngroups;		/* registry */
	struct list_head doomed;	/* registry; empty unless it waits to be buried */
	bool buried;			/* registry; the worker has it */
	bool enabled;			/* tracepoint lock */
	int error;			/* why it is not, when last it was to be; tracepoint lock */
};

struct fasttrap_tp_mm;

struct fasttrap_site {
	const struct dtrace_helper_site *desc;
	struct fasttrap_group *group;
	loff_t offset;			/* in the file */
	loff_t refctr;			/* of the reference counter; 0: none */
	uint8_t file;			/* index in the registration's files */
	/* an earlier registration of the process has it: not used */
	bool duplicate;
	struct fasttrap_tp_mm *tp_mm;	/* while attached; tracepoint lock */
	struct hlist_node in_tp_mm;	/* tracepoint lock, RCU */
};

struct fasttrap_group {
	struct fasttrap_registration *registration;
	struct fasttrap_probe *probe;	/* NULL until published */
	struct list_head in_probe;	/* tracepoint lock */
	const struct dtrace_helper_provider *provider_desc;
	const struct dtrace_helper_probe *desc;
	enum fasttrap_kind kind;
	bool no_frame;			/* its function has no frame there: it begins, or leaves */
	struct fasttrap_site *sites;	/* by address */
	unsigned int nsites;
};

/* A file as mappings have it: with overlays the inode is not always that of the open file. */
struct fasttrap_file {
	struct file *file;
	struct inode *inode;		/* held by the file */
};

struct fasttrap_registration {
	struct list_head all;		/* in the process; registry */
	struct dtrace_account *account;	/* counted: of its process, or of its owner */
	u64 bytes;			/* charged to it, with nsites and one registration */
	struct fasttrap_process *process;
	struct fasttrap_owner *owner;	/* NULL: the process */
	struct list_head owned;		/* by the owner; registry */
	bool follow;			/* fork children get it, though it has an owner */
	bool program;			/* of what the process executes */
	int gen;
	struct fasttrap_dof *dof;
	struct fasttrap_file files[FASTTRAP_MAXFILES];
	unsigned int nfiles;
	char (*modules)[DTRACE_MODNAMELEN];	/* of each file */
	struct fasttrap_site *sites;
	unsigned int nsites;
	struct fasttrap_group *groups;
	unsigned int ngroups;
	struct dtrace_helper helper;	/* program NULL: it has none */
};

struct fasttrap_counts {
	atomic64_t registrations, removals, refused;
	atomic64_t forks, fork_overflows, fork_refusals, adopted_by_hit, buried;
	atomic64_t applied, apply_errors, late_closes, stray_hits;
};
extern struct fasttrap_counts fasttrap_counts;

/* ---- fasttrap.c ---- */

extern struct workqueue_struct *fasttrap_wq;
extern struct workqueue_struct *fasttrap_readers;	/* reads files, which may take for ever */
extern const dtrace_provider_ops_t fasttrap_ops;

/*
 * registry_lock, registry_unlock - see above; registry_mine: does this thread hold it?
 * registry_lock_killable is for who comes from user land: -EINTR, and it is not held.
 */
void registry_lock(void);
int __must_check registry_lock_killable(void);
void registry_unlock(void);
bool registry_mine(void);
/* lockdep_assert_registry - the caller holds it. */
void lockdep_assert_registry(void);

/* ---- providers/fasttrap/process.c; with the registry ---- */

/*
 * process_find - the process with that memory, or NULL; a fork child is adopted now. Its own
 * children that wait are adopted too, so that what changes in it from now on does not reach them.
 */
struct fasttrap_process *process_find(struct mm_struct *mm);
/* process_get - likewise; made if it is new; of a file, everybody. NULL: no memory. */
struct fasttrap_process *process_get(const struct fasttrap_target *target);
/*
 * fasttrap_process_is_copying - is process being adopted by this thread right now? Then breakpoints may be
 * there already.
 */
bool fasttrap_process_is_copying(const struct fasttrap_process *process);
/* process_everybody - who has the registrations of files. */
struct fasttrap_process *process_everybody(void);
/*
 * processes_take_dead - forget those that have ended, or have dropped their last registration; or
 * all. What they have is the caller's to take back, and then they are.
 */
void processes_take_dead(struct list_head *dead, bool all);
void process_remove_registrations(struct fasttrap_process *process);
/* process_destroy - it has no registrations, and no hit can see it. */
void process_destroy(struct fasttrap_process *process);

/* ---- providers/fasttrap/process.c; these take the registry ---- */

/* process_catch_up - carry out the first nforks forks that wait, and the deaths; in a worker. */
void process_catch_up(unsigned int nforks);
/*
 * process_adopt_current - the current process hit an inherited breakpoint: adopt it, if it is a
 * fork child.
 */
void process_adopt_current(void);

/* ---- providers/fasttrap/dof.c ---- */

/*
 * fasttrap_dof_create - helper becomes its own, on errors too; the account is charged for it. -ENOMEM,
 * or -EDQUOT with a reason in errmsg, as ERR_PTR.
 */
struct fasttrap_dof *fasttrap_dof_create(struct dtrace_helper_dof *helper,
					 struct dtrace_account *account, char *errmsg, size_t len);
struct fasttrap_dof *fasttrap_dof_get(struct fasttrap_dof *dof);
void fasttrap_dof_put(struct fasttrap_dof *dof);

/* ---- providers/fasttrap/registration.c; with the registry where nothing else is said ---- */

/*
 * registration_prepare - look up the sites in target's mappings; for registration_enter, or
 * registration_free. dof is borrowed. An error as ERR_PTR, with a reason in errmsg; -EINTR if the
 * caller is being killed, who may wait for the target's mmap_lock. No lock may be held.
 */
struct fasttrap_registration *registration_prepare(const struct fasttrap_target *target,
						   const char *mod, struct fasttrap_dof *dof,
						   char *errmsg, size_t len);
/*
 * registration_enter - make probes of what was prepared; matched by registration_match. The
 * registration is the registry's from now on, or gone. An error with a reason in errmsg; by proxy
 * -EALREADY if all of it was registered before.
 */
int registration_enter(struct fasttrap_registration *registration, struct fasttrap_process *process,
		       const struct fasttrap_target *target, char *errmsg, size_t len);
/*
 * registration_copy - the same for a fork child, from its parent's. An error as ERR_PTR, with a reason
 * in errmsg.
 */
struct fasttrap_registration *registration_copy(struct fasttrap_process *process,
						const struct fasttrap_registration *source,
						char *errmsg, size_t len);
/* registration_match - let the probes be found by enablings that wait for such. */
void registration_match(struct fasttrap_registration *registration);
/* registration_remove - its probes fire no more. It, and they, wait to be buried by the worker. */
void registration_remove(struct fasttrap_registration *registration);
/* registration_free - its memory: nothing refers to it any more. With the registry or without. */
void registration_free(struct fasttrap_registration *registration);

/* ---- providers/fasttrap/resolver.c; with no lock ---- */

/* Each probe of each provider in the DOF. */
#define for_each_helper_probe(helper, prov, probe)                                              \
	for (prov = (helper)->providers; prov < (helper)->providers + (helper)->nproviders;     \
	     prov++)                                                                            \
		for (probe = prov->probes; probe < prov->probes + prov->nprobes; probe++)

/*
 * resolver_run - find each site's place in target's mappings. mod: the module's name, empty
 * for that of each file. -EFAULT, -E2BIG with a reason in errmsg; -EINTR: the caller is being
 * killed.
 */
int resolver_run(struct fasttrap_registration *registration, const struct fasttrap_target *target,
		 const char *mod, char *errmsg, size_t len);

/* ---- providers/fasttrap/group.c; with the registry, but for the first two: of a registration in the making ---- */

/* group_sort_sites - the sites of each probe, which were resolved, by group; count the groups. */
void group_sort_sites(struct fasttrap_registration *registration);
/* group_create_all - of sites that are sorted. -ENOMEM. */
int group_create_all(struct fasttrap_registration *registration);
/* group_publish - to its probe, which may be new. An error with a reason in errmsg. */
int group_publish(struct fasttrap_group *group, char *errmsg, size_t len);
/* group_unlink - from its probe. True: that has no sites left. */
bool group_unlink(struct fasttrap_group *group);
const char *group_module(const struct fasttrap_group *group);

/* ---- providers/fasttrap/provider.c; with the registry ---- */

/*
 * provider_get - the process's provider for that of the group's DOF; or ERR_PTR, with a reason in
 * errmsg.
 */
struct fasttrap_provider *provider_get(const struct fasttrap_group *group, char *errmsg,
				       size_t len);
/* providers_drop_unused - those of the process that have no probes left end. */
void providers_drop_unused(struct fasttrap_process *process);
/*
 * probe_get - the provider's probe for a group. One that is doomed lives on; if it is being buried
 * already, that must end first: -EEXIST as ERR_PTR, like other errors, with a reason in errmsg.
 */
struct fasttrap_probe *probe_get(struct fasttrap_provider *provider,
				 const struct fasttrap_group *group, char *errmsg, size_t len);
/* probe_free - the engine has no probe of it any more [engine lock]. */
void probe_free(struct fasttrap_probe *probe);

/* ---- providers/fasttrap/retire.c ---- */

/*
 * burial_add - the registration, and probes that are left without sites, are to be buried
 * [registry].
 */
void burial_add(struct fasttrap_registration *registration);
/* burial_crowded - do so many wait that one should wait for the worker? */
bool burial_crowded(void);
/*
 * burial_run - bury what waits, and processes that have ended, or all; in a worker, or at the end.
 * Takes the registry; returns when no hit can see them, and they are freed.
 */
void burial_run(bool all);

/* ---- providers/fasttrap/helper.c; with the registry, but for the first ---- */

/*
 * helper_find - what the engine must know of the helper in a registration's DOF, if there is one:
 * the text of its object. -EINTR: the caller is being killed. No lock may be held.
 */
int helper_find(struct fasttrap_registration *registration, const struct fasttrap_target *target);
/* helper_is_again - has the process registered the helper in the same DOF before? */
bool helper_is_again(const struct fasttrap_registration *registration);
/* helpers_publish - the helpers of a process have changed. */
void helpers_publish(struct fasttrap_process *process);

/* ---- providers/fasttrap/owner.c ---- */

/*
 * owner_check - may the target register that? A provider pidN is for owners only, and they have no
 * other. -EINVAL, with a reason in errmsg.
 */
int owner_check(const struct fasttrap_target *target, const struct dtrace_helper_dof *dof,
		char *errmsg, size_t len);
/* owner_has_room - has it, or else the process, room for dof [registry]? -ENOSPC with a reason. */
int owner_has_room(const struct fasttrap_owner *owner, const struct fasttrap_process *process,
		   const struct dtrace_helper_dof *dof, char *errmsg, size_t len);
/* registration_load - what the registration counts for [registry]. */
struct fasttrap_load *registration_load(struct fasttrap_registration *registration);

/* ---- tracepoint.c ---- */

/* Create the table of tp_mms; destroy it, when no tracepoint is left. */
int fasttrap_tracepoints_init(void);
void fasttrap_tracepoints_exit(void);
void fasttrap_tracepoints_lock(void);
void fasttrap_tracepoints_unlock(void);
void fasttrap_tracepoints_assert_locked(void);
/*
 * Attach the sites of a group, or of all groups of a probe, to the tracepoints of their locations
 * [tracepoint lock]. Attach all or none. Return -ENOMEM, -EDQUOT or -ENOSPC.
 */
int fasttrap_group_attach(struct fasttrap_group *group);
int fasttrap_probe_attach(struct fasttrap_probe *probe);
/* Detach those that are attached [tracepoint lock]. The worker removes the breakpoints. */
void fasttrap_group_detach(struct fasttrap_group *group);
void fasttrap_probe_detach(struct fasttrap_probe *probe);
/*
 * Return why the site of an enabled probe has no breakpoint, or 0 [tracepoint lock]. A duplicate site
 * is as good as the site of which it is one.
 */
int fasttrap_site_error(const struct fasttrap_site *site);
/* Let hits of the attached site `from` fire the site `to` instead [tracepoint lock]. */
void fasttrap_site_replace(struct fasttrap_site *from, struct fasttrap_site *to);

/* ---- uprobe.c ---- */

/* Start the uprobe worker. Any lock may be held. */
void fasttrap_uprobe_kick(void);
/*
 * Start the uprobe worker and wait until it has handled the requests of the current process, in all
 * programs. Return -EINTR if the process is being killed. No lock may be held.
 */
int fasttrap_uprobe_wait(void);
/*
 * Wait likewise for a process that closes a file, even if it is being killed. Give up, and count it,
 * if the worker makes no progress.
 */
void fasttrap_uprobe_wait_closing(void);
/* Wait until no breakpoint is left and no handler runs. Nothing is attached any more. */
void fasttrap_uprobe_exit(void);

/* ---- process/events.c ---- */

/* A fork that was seen and whose child is not adopted yet. */
struct fasttrap_fork {
	struct list_head list;		/* event lock: free or waiting */
	struct hlist_node by_mm;
	struct mm_struct *mm;		/* the child's, grabbed */
	pid_t pid;			/* the child's */
	uint32_t account;		/* who is charged, and may they pass all limits? */
	bool unlimited;
	struct fasttrap_process *source;	/* whose registrations it has */
	char comm[TASK_COMM_LEN];
	bool gone;			/* it has exited or called exec meanwhile */
};

int events_init(void);
/*
 * events_stop - nothing is noted any more. Handlers of breakpoints may still look for forks until the
 * patcher has ended. events_exit - then: what notes were made in is freed.
 */
void events_stop(void);
void events_exit(void);
/* events_process_add, events_process_del - make process known, forget it (it is not dying then). */
void events_process_add(struct fasttrap_process *process);
void events_process_del(struct fasttrap_process *process);
/* events_process - the process with that address space, or NULL. Registry or RCU. */
struct fasttrap_process *events_process(const struct mm_struct *mm);
/*
 * events_process_now - likewise, or while a fork child waits to be adopted, whose registrations it
 * has. Probe context; NULL too if somebody is just changing that.
 */
struct fasttrap_process *events_process_now(const struct mm_struct *mm);
/* events_next - the fork that waits longest, or NULL. It stays known until events_fork_done. */
struct fasttrap_fork *events_next(void);
/* events_next_dead - a process that is dying, or NULL. */
struct fasttrap_process *events_next_dead(void);
void events_fork_done(struct fasttrap_fork *fork);
/* events_left - the process pid has left all address spaces but mm (NULL: all). */
void events_left(pid_t pid, const struct mm_struct *mm);
/*
 * events_fork - the fork of that address space that waits, or NULL. It stays while the registry is
 * held; else a hint.
 */
struct fasttrap_fork *events_fork(const struct mm_struct *mm);
/* events_fork_of - a fork that waits and whose source is that process, or NULL. Registry. */
struct fasttrap_fork *events_fork_of(const struct fasttrap_process *source);
/* events_soon - have the worker run soon: there is something to bury. */
void events_soon(void);
/*
 * events_flush - have the worker do all that waits now. The registry must not be held.
 * events_flush_killable - likewise, -EINTR if the caller is being killed.
 */
void events_flush(void);
int events_flush_killable(void);
/* events_lost - have forks been missed for want of room since the module was loaded? */
bool events_lost(void);

/* ---- providers/fasttrap/args.c; probe context but for the first ---- */

void fasttrap_getargdesc(void *arg, dtrace_probe_t *probe, void *parg, dtrace_argdesc_t *desc);
uint64_t fasttrap_getargval(void *arg, dtrace_probe_t *probe, void *parg,
			    const struct dtrace_fire *fire, unsigned int argno, bool raw);
/* fasttrap_arg_called - argument argno of the function that is about to be called. */
uint64_t fasttrap_arg_called(const struct pt_regs *regs, unsigned int argno);

#endif
