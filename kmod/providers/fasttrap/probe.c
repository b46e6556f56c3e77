// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * probe.c - providers and probes in the engine: what the engine asks of them, and the groups of
 * sites that fire them.
 *
 * The registry lock protects all data here; the engine takes its own lock under it. Data that hits
 * and enablings see also changes under the tracepoint lock: the lists of groups, and which sites
 * are duplicates.
 *
 * A probe may have sites of several registrations at one address. Only one of them is attached, the
 * others are duplicates. When its registration goes, the site is transferred to a duplicate, so
 * that no hit is lost.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/pid.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "arch/x86/args.h"
#include "process/descendants.h"
#include "impl.h"
#include "permission.h"

#define ENGINE_BYTES   512 /* about what the engine needs for a provider or a probe */
#define PROVIDER_BYTES (sizeof(struct fasttrap_provider) + ENGINE_BYTES)
#define PROBE_BYTES    (sizeof(struct fasttrap_probe) + ENGINE_BYTES)

/* ---- operations for the engine; with the engine lock where nothing else is said ---- */

/*
 * There is no operation sync: a program that starts would wait for the sync lock while a session
 * patches the kernel's text. Breakpoints are the work of uprobe.c's worker, for which requests wait
 * in fasttrap_sync_wait.
 */

static int probe_enable(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	struct fasttrap_probe *probe = parg;
	int error;

	dtrace_engine_assert_locked();
	fasttrap_tracepoints_lock();
	error = fasttrap_probe_attach(probe);
	probe->enabled = !error;
	probe->error = error;
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
	return error;
}

static void probe_disable(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	struct fasttrap_probe *probe = parg;

	dtrace_engine_assert_locked();
	fasttrap_tracepoints_lock();
	probe->enabled = false;
	fasttrap_probe_detach(probe);
	fasttrap_tracepoints_unlock();
	fasttrap_uprobe_kick();
}

/* Free a probe that the engine has destroyed. */
static void probe_free(struct fasttrap_probe *probe)
{
	dtrace_account_uncharge(probe->account, DTRACE_RES_PROBES, 1);
	dtrace_account_uncharge(probe->account, DTRACE_RES_BYTES, PROBE_BYTES);
	dtrace_account_put(probe->account);
	fasttrap_dof_put(probe->dof);
	kfree(probe);
}

/* Free a probe, which has no groups any more. */
static void probe_destroy(void *arg, dtrace_probe_t *engine_probe, void *parg)
{
	dtrace_engine_assert_locked();
	probe_free(parg);
}

/* Return a process's number in a PID namespace (NULL: the first); 0: it has none there. */
static pid_t pid_in_ns(pid_t pid, const void *pid_ns)
{
	pid_t number;

	if (!pid_ns || !pid)
		return pid;
	rcu_read_lock();
	number = pid_nr_ns(find_pid_ns(pid, &init_pid_ns), (struct pid_namespace *)pid_ns);
	rcu_read_unlock();
	return number;
}

/*
 * Name 0 has the number of the process itself. Then come those of its ancestors that had the
 * registrations, and of processes whose descendants are followed. A system-wide provider has one
 * name. Any context, as engine.h says: nothing that is read here changes after the provider is
 * registered, and descendants.c has its own lock.
 */
static bool probe_name_in_ns(void *arg, const void *pid_ns, unsigned int n,
			     char name[DTRACE_PROVNAMELEN])
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	unsigned int generations = 0;
	pid_t pid;

	if (!process->mm) {
		strscpy(name, provider->name, DTRACE_PROVNAMELEN);
		return !n;
	}
	while (generations < FASTTRAP_ANCESTORS && process->ancestors[generations])
		generations++;
	if (!n)
		pid = pid_in_ns(process->pid, pid_ns);
	else if (n <= generations)
		pid = pid_in_ns(process->ancestors[n - 1], pid_ns);
	else
		pid = descendants_root(process->pid, n - 1 - generations,
				       (struct pid_namespace *)pid_ns);
	if (pid)
		snprintf(name, DTRACE_PROVNAMELEN, "%.*s%d", (int)provider->base, provider->name,
			 pid);
	return pid;
}

/*
 * Ask a thread of the process that has not executed another program meanwhile, by its credentials
 * now. System-wide providers are root's.
 */
static bool probe_owned_by(void *arg, const struct dtrace_cred *cred)
{
	const struct fasttrap_provider *provider = arg;
	const struct fasttrap_process *process = provider->process;
	struct task_struct *leader, *thread;
	bool owned = false;

	dtrace_engine_assert_locked();
	if (!process->mm)
		return false;
	rcu_read_lock();
	leader = pid_task(find_pid_ns(process->pid, &init_pid_ns), PIDTYPE_TGID);
	if (leader)
		for_each_thread(leader, thread)
			if (READ_ONCE(thread->mm) == process->mm) {
				owned = permission_owns(cred->who, __task_cred(thread),
							process->mm);
				break;
			}
	rcu_read_unlock();
	return owned;
}

static bool probe_module_alias(void *arg, dtrace_probe_t *engine_probe, void *parg,
			       const char *name)
{
	const struct fasttrap_probe *probe = parg;

	return probe->program && !strcmp(name, "a.out");
}

/*
 * Describe args[n] [engine lock]. Without a declaration there are as many arguments as a site
 * gives, and their types are empty.
 */
static bool probe_getarg(void *arg, dtrace_probe_t *engine_probe, void *parg, unsigned int n,
			 struct dtrace_arg *out)
{
	const struct fasttrap_probe *probe = parg;

	dtrace_engine_assert_locked();
	return dtrace_helper_getarg(probe->desc, n, out);
}

/*
 * Return an argument where the site, fire->cookie, says that it is. Probe context: interrupts are
 * off, and memory that is not resident reads as 0.
 */
static uint64_t probe_getargval(void *arg, dtrace_probe_t *engine_probe, void *parg,
				const struct dtrace_fire *fire, unsigned int argno, bool raw)
{
	const struct fasttrap_probe *probe = parg;
	const struct fasttrap_site *site = fire->cookie;

	return args_value(probe->desc, site->desc, site->group->kind == FASTTRAP_ENTRY, fire->regs,
			  argno);
}

static const dtrace_provider_ops_t probe_ops = {
	.enable = probe_enable,
	.disable = probe_disable,
	.name_in_ns = probe_name_in_ns,
	.owned_by = probe_owned_by,
	.module_alias = probe_module_alias,
	.getarg = probe_getarg,
	.getargval = probe_getargval,
	.destroy = probe_destroy,
};

/* ---- providers ---- */

/*
 * Return the process's provider for that of the group's DOF; create it if needed. Errors as
 * ERR_PTR, with a reason in errmsg.
 *
 * A process may have very many providers, so ask the engine's table. A provider found by name and
 * number may be an earlier process's, which is being retired. Names may also be alike: foo1 of
 * process 23 and foo of process 123 are both foo123.
 */
static struct fasttrap_provider *provider_find_or_create(const struct fasttrap_group *group,
							 char *errmsg, size_t len)
{
	struct dtrace_account *account = group->registration->account;
	const struct dtrace_helper_provider *desc = group->provider_desc;
	struct fasttrap_process *process = group->registration->process;
	dtrace_ppriv_t priv = {
		.dtpp_flags = DTRACE_PRIV_PROC | DTRACE_PRIV_OWNER,
		.dtpp_uid = from_kuid_munged(&init_user_ns, process->uid),
	};
	struct fasttrap_provider *provider;
	char name[DTRACE_PROVNAMELEN];
	int error, used;

	fasttrap_registry_assert_locked();
	used = process->mm ? snprintf(name, sizeof(name), "%s%d", desc->name, process->pid)
			   : snprintf(name, sizeof(name), "%s*", desc->name);
	if (used >= sizeof(name)) {
		snprintf(errmsg, len,
			 "provider %s: with the number of the process the name is too long",
			 desc->name);
		return ERR_PTR(-EINVAL);
	}
	provider = dtrace_provider_find(process->pid, name);
	if (provider && provider->process == process)
		return provider;
	provider = kzalloc(sizeof(*provider), GFP_KERNEL_ACCOUNT);
	if (!provider)
		return ERR_PTR(-ENOMEM);
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, PROVIDER_BYTES, errmsg, len);
	if (error)
		goto no_charge;
	provider->process = process;
	strscpy(provider->name, name, sizeof(provider->name));
	provider->base = (unsigned int)strlen(desc->name);
	error = dtrace_provider_register_for(process->pid, name, &desc->attr, &priv, &probe_ops,
					     provider, &provider->provider);
	if (error)
		goto no_provider;
	provider->account = dtrace_account_ref(account);
	list_add_tail(&provider->all, &process->providers);
	return provider;

no_provider:
	snprintf(errmsg, len, "provider %s: cannot be made (error %d)", name, error);
	dtrace_account_uncharge(account, DTRACE_RES_BYTES, PROVIDER_BYTES);
no_charge:
	kfree(provider);
	return ERR_PTR(error);
}

void fasttrap_provider_free_unused(struct fasttrap_process *process)
{
	struct fasttrap_provider *provider, *next;

	fasttrap_registry_assert_locked();
	list_for_each_entry_safe(provider, next, &process->providers, all) {
		cond_resched();
		if (provider->nprobes)
			continue;
		dtrace_provider_unregister(provider->provider);
		list_del(&provider->all);
		dtrace_account_uncharge(provider->account, DTRACE_RES_BYTES, PROVIDER_BYTES);
		dtrace_account_put(provider->account);
		kfree(provider);
	}
}

/* ---- probes ---- */

static const char *group_module(const struct fasttrap_group *group)
{
	return group->registration->modules[group->sites->file];
}

static struct fasttrap_probe *probe_fail(const struct fasttrap_provider *provider,
					 const struct fasttrap_group *group, int error,
					 char *errmsg, size_t len)
{
	snprintf(errmsg, len, "probe %s:%s:%s:%s: cannot be made (error %d)", provider->name,
		 group_module(group), group->sites->desc->func, group->desc->name, error);
	return ERR_PTR(error);
}

/*
 * Return the provider's probe for a group; create it if needed. A probe that waits to be retired is
 * used again. A probe that the retire worker is freeing already must be gone first: -EEXIST. Errors
 * as ERR_PTR, with a reason in errmsg.
 */
static struct fasttrap_probe *probe_find_or_create(struct fasttrap_provider *provider,
						   const struct fasttrap_group *group, char *errmsg,
						   size_t len)
{
	dtrace_probe_t *found = dtrace_probe_lookup(provider->provider, group_module(group),
						    group->sites->desc->func, group->desc->name);
	struct dtrace_account *account = group->registration->account;
	struct fasttrap_probe *probe;
	int error;

	fasttrap_registry_assert_locked();
	if (found) {
		probe = dtrace_probe_arg(found);
		if (probe->retired)
			return probe_fail(provider, group, -EEXIST, errmsg, len);
		list_del_init(&probe->retire);
		return probe;
	}
	probe = kzalloc(sizeof(*probe), GFP_KERNEL_ACCOUNT);
	if (!probe)
		return ERR_PTR(-ENOMEM);
	error = dtrace_account_charge(account, DTRACE_RES_PROBES, 1, errmsg, len);
	if (error)
		goto no_probe;
	error = dtrace_account_charge(account, DTRACE_RES_BYTES, PROBE_BYTES, errmsg, len);
	if (error)
		goto no_bytes;
	probe->account = dtrace_account_ref(account);
	probe->provider = provider;
	kref_get(&group->registration->dof->ref);
	probe->dof = group->registration->dof;
	probe->desc = group->desc;
	probe->program = group->registration->program;
	INIT_LIST_HEAD(&probe->groups);
	INIT_LIST_HEAD(&probe->retire);
	error = dtrace_probe_create(provider->provider, group_module(group),
				    group->sites->desc->func, group->desc->name, probe,
				    &probe->probe);
	if (error) {
		probe_free(probe);
		return probe_fail(provider, group, error, errmsg, len);
	}
	provider->nprobes++;
	return probe;

no_bytes:
	dtrace_account_uncharge(account, DTRACE_RES_PROBES, 1);
no_probe:
	kfree(probe);
	return ERR_PTR(error);
}

/* ---- groups of sites ---- */

static int site_compare_group(const struct fasttrap_site *a, const struct fasttrap_site *b)
{
	return a->file != b->file ? a->file - b->file : strcmp(a->desc->func, b->desc->func);
}

static int site_compare(const void *pa, const void *pb)
{
	const struct fasttrap_site *a = pa, *b = pb;
	int order = site_compare_group(a, b);

	cond_resched(); /* a probe may have hundreds of thousands of sites */
	if (order)
		return order;
	return a->desc->addr < b->desc->addr ? -1 : a->desc->addr > b->desc->addr;
}

int fasttrap_group_create_all(struct fasttrap_registration *r)
{
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = r->sites;
	unsigned int i;

	for_each_helper_probe(r->dof->dof, prov, probe) {
		sort(site, probe->nsites, sizeof(*site), site_compare, NULL);
		for (i = 0; i < probe->nsites; i++)
			r->ngroups += !i || site_compare_group(&site[i - 1], &site[i]);
		site += probe->nsites;
		cond_resched();
	}
	return fasttrap_group_create_sorted(r);
}

static enum fasttrap_kind group_kind(const char *name)
{
	if (!strcmp(name, "entry"))
		return FASTTRAP_ENTRY;
	return strcmp(name, "return") ? FASTTRAP_OFFSET : FASTTRAP_RETURN;
}

/*
 * The sites of a group are attached together, so one of them is enough to raise their semaphore, a
 * 16-bit number, which would overflow if each of many sites raised it.
 */
int fasttrap_group_create_sorted(struct fasttrap_registration *r)
{
	const struct dtrace_helper_provider *prov;
	const struct dtrace_helper_probe *probe;
	struct fasttrap_site *site = r->sites;
	struct fasttrap_group *group = NULL, *next;
	loff_t raised = 0;
	unsigned int i;

	next = kvcalloc(max(r->ngroups, 1U), sizeof(*r->groups), GFP_KERNEL_ACCOUNT);
	if (!next) {
		r->ngroups = 0;
		return -ENOMEM;
	}
	r->groups = next;
	for_each_helper_probe(r->dof->dof, prov, probe)
		for (i = 0; i < probe->nsites; i++, site++) {
			if (!i || site_compare_group(site - 1, site)) {
				group = next++;
				group->registration = r;
				group->provider_desc = prov;
				group->desc = probe;
				group->kind =
					r->session ? group_kind(probe->name) : FASTTRAP_STATIC;
				group->no_frame = group->kind == FASTTRAP_ENTRY ||
						  group->kind == FASTTRAP_RETURN;
				group->sites = site;
				INIT_LIST_HEAD(&group->in_probe);
				raised = 0;
			}
			site->group = group;
			group->nsites++;
			if (site->refctr && site->refctr != raised)
				raised = site->refctr;
			else
				site->refctr = 0;
		}
	return 0;
}

/* ---- duplicates ---- */

/* Return the first site of the group at an address, or NULL. */
static struct fasttrap_site *group_find(const struct fasttrap_group *group, uint64_t addr)
{
	unsigned int low = 0, high = group->nsites, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (group->sites[mid].desc->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < group->nsites && group->sites[low].desc->addr == addr ? &group->sites[low]
									   : NULL;
}

/*
 * Return whether equal addresses in two groups of a probe mean the same location. System-wide sites
 * have offsets in a file.
 */
static bool group_is_comparable(const struct fasttrap_group *a, const struct fasttrap_group *b)
{
	return a->registration->process->mm || a->registration->files[a->sites->file].inode ==
						       b->registration->files[b->sites->file].inode;
}

/*
 * Mark the sites of a group that have the address of an earlier one, in this group or another one
 * of the probe. They would fire twice. Of two groups, the smaller one is gone through, so that all
 * groups of a probe together take no longer than their sites, however many groups there are
 * [tracepoint lock].
 */
static void group_mark_duplicates(struct fasttrap_group *group, const struct fasttrap_probe *probe)
{
	const struct fasttrap_group *other;
	struct fasttrap_site *site;
	unsigned int i;

	fasttrap_tracepoints_assert_locked();
	for (i = 1; i < group->nsites; i++)
		group->sites[i].duplicate =
			group->sites[i - 1].desc->addr == group->sites[i].desc->addr;
	list_for_each_entry(other, &probe->groups, in_probe) {
		cond_resched();
		if (!group_is_comparable(group, other))
			continue;
		if (group->nsites <= other->nsites) {
			for (i = 0; i < group->nsites; i++)
				if (group_find(other, group->sites[i].desc->addr))
					group->sites[i].duplicate = true;
			continue;
		}
		for (i = 0; i < other->nsites; i++) {
			site = group_find(group, other->sites[i].desc->addr);
			if (site) /* the first one; those behind it are duplicates of it */
				site->duplicate = true;
		}
	}
}

/*
 * Transfer the sites of a group, which is leaving the probe, to their duplicates in other groups.
 * Hits go from one to the other, and none is lost [tracepoint lock].
 */
static void group_transfer(const struct fasttrap_group *from)
{
	struct fasttrap_group *to;
	struct fasttrap_site *site, *old;
	unsigned int i;

	fasttrap_tracepoints_assert_locked();
	for (i = 0; i < from->nsites; i++)
		if (!from->sites[i].duplicate)
			break;
	if (i == from->nsites)
		return;
	list_for_each_entry(to, &from->probe->groups, in_probe) {
		if (!group_is_comparable(to, from))
			continue;
		for (site = to->sites; site < to->sites + to->nsites; site++) {
			old = site->duplicate ? group_find(from, site->desc->addr) : NULL;
			if (!old || old->duplicate)
				continue;
			site->duplicate = false;
			old->duplicate = true;
			if (old->tp_mm && old->refctr == site->refctr)
				fasttrap_site_replace(old, site);
		}
	}
}

/* ---- groups and their probes ---- */

/*
 * The probe may be enabled. Failure to enable the new sites too is counted, and does not refuse
 * them.
 */
int fasttrap_group_publish(struct fasttrap_group *group, char *errmsg, size_t len)
{
	struct fasttrap_provider *provider;
	struct fasttrap_probe *probe;

	fasttrap_registry_assert_locked();
	provider = provider_find_or_create(group, errmsg, len);
	if (IS_ERR(provider))
		return PTR_ERR(provider);
	probe = probe_find_or_create(provider, group, errmsg, len);
	if (IS_ERR(probe))
		return PTR_ERR(probe);
	if (probe->ngroups >= FASTTRAP_MAXGROUPS) {
		snprintf(errmsg, len, "probe %s:%s:%s:%s: %u registrations have it already",
			 provider->name, group_module(group), group->sites->desc->func,
			 group->desc->name, probe->ngroups);
		return -ENOSPC;
	}
	fasttrap_tracepoints_lock();
	group_mark_duplicates(group, probe);
	group->probe = probe;
	list_add_tail(&group->in_probe, &probe->groups);
	probe->ngroups++;
	if (probe->enabled && fasttrap_group_attach(group))
		atomic64_inc(&fasttrap_counts.apply_errors);
	fasttrap_tracepoints_unlock();
	return 0;
}

/*
 * The other groups attach the sites that were duplicates, and were not transferred because they
 * were not attached, or with another reference counter.
 */
bool fasttrap_group_unlink(struct fasttrap_group *group)
{
	bool retired = READ_ONCE(group->registration->process->state) == FASTTRAP_PROCESS_RETIRED;
	struct fasttrap_probe *probe = group->probe;
	struct fasttrap_group *other;
	bool last;

	fasttrap_registry_assert_locked();
	fasttrap_tracepoints_lock();
	list_del_init(&group->in_probe);
	probe->ngroups--;
	if (!retired)
		group_transfer(group);
	fasttrap_group_detach(group);
	if (!retired && probe->enabled)
		list_for_each_entry(other, &probe->groups, in_probe)
			if (fasttrap_group_attach(other))
				atomic64_inc(&fasttrap_counts.apply_errors);
	last = list_empty(&probe->groups);
	fasttrap_tracepoints_unlock();
	return last;
}
