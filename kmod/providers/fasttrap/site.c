// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * site.c - sites of enabled probes are attached to the tracepoints of their places, and
 * detached.
 *
 * All of it under the tracepoint lock. What that means for breakpoints is left to the patcher.
 */
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "tracepoint.h"

#define BREAKPOINT	0xcc

/* ---- where a site is ---- */

static const struct fasttrap_file *site_file(const struct fasttrap_site *site)
{
	return &site->group->registration->files[site->file];
}

static struct fasttrap_tracepoint *site_tracepoint(const struct fasttrap_site *site)
{
	return tracepoint_find(site_file(site)->inode, site->offset, site->ref);
}

int site_error(const struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_member *member =
		tp ? member_find(tp, site->group->registration->process->mm) : NULL;

	lockdep_assert_tracepoints();
	if (!member)
		return -ENOMEM;		/* there was none for it */
	return tp->error ?: member->error;
}

/* Is it at the first instruction of a function? */
static bool site_is_first(const struct fasttrap_site *site)
{
	enum fasttrap_kind kind = site->group->kind;
	const struct dtrace_helper_site *desc = site->desc;

	return kind == FASTTRAP_ENTRY ||
	       (kind == FASTTRAP_OFFSET && !strcmp(site->group->desc->name, "0")) ||
	       (kind == FASTTRAP_RETURN && !(desc->nlocs && desc->locs[0].al_disp));
}

/* ---- its member ---- */

/*
 * A fork child has its parent's breakpoints already, if the parent had them when it forked. Only
 * asked while current is adopting the process, with its memory, and while no patcher is at work on
 * the tracepoint.
 */
static bool site_inherited(const struct fasttrap_tracepoint *tp, const struct fasttrap_site *site)
{
	uint8_t byte;

	if (!process_inheriting(site->group->registration->process) || tracepoint_is_changing(tp))
		return false;
	return !copy_from_user_nofault(&byte, (const void __user *)(unsigned long)site->desc->addr,
				       1) &&
	       byte == BREAKPOINT;
}

static struct fasttrap_member *site_member(struct fasttrap_tracepoint *tp,
					   const struct fasttrap_site *site)
{
	struct mm_struct *mm = site->group->registration->process->mm;
	struct fasttrap_member *member = member_find(tp, mm);

	lockdep_assert_tracepoints();
	if (member && member->leaving)
		member_return(member);
	if (member)
		return member->nsites < FASTTRAP_MAXSHARE ? member : ERR_PTR(-ENOSPC);
	member = member_create(tp, mm);
	if (!IS_ERR(member)) {
		member->uid = site->group->registration->process->uid;
		member->patched = site_inherited(tp, site);
	}
	return member;
}

/* ---- one site ---- */

static int site_attach(struct fasttrap_site *site)
{
	struct fasttrap_tracepoint *tp = site_tracepoint(site);
	struct fasttrap_member *member;

	if (!tp)
		tp = tracepoint_create(site_file(site), site->offset, site->ref,
				       site->group->registration->account);
	if (IS_ERR(tp))
		return PTR_ERR(tp);
	member = site_member(tp, site);
	tp->instruction.first |= site_is_first(site);
	if (IS_ERR(member) || !member->patched)
		patcher_note(tp);
	if (IS_ERR(member))
		return PTR_ERR(member);
	member_add_site(member, site);
	return 0;
}

void site_replace(struct fasttrap_site *from, struct fasttrap_site *to)
{
	lockdep_assert_tracepoints();
	to->member = from->member;
	hlist_replace_rcu(&from->in_member, &to->in_member);
	from->member = NULL;
}

/* ---- all of a group, or of a probe ---- */

void group_detach(struct fasttrap_group *group)
{
	unsigned int i;

	lockdep_assert_tracepoints();
	for (i = 0; i < group->nsites; i++)
		if (group->sites[i].member)
			member_remove_site(group->sites[i].member, &group->sites[i]);
}

int group_attach(struct fasttrap_group *group)
{
	unsigned int i;
	int error = 0;

	lockdep_assert_tracepoints();
	for (i = 0; i < group->nsites && !error; i++)
		if (!group->sites[i].again && !group->sites[i].member)
			error = site_attach(&group->sites[i]);
	if (error)
		group_detach(group);
	return error;
}

void fasttrap_probe_detach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;

	lockdep_assert_tracepoints();
	list_for_each_entry(group, &probe->groups, in_probe)
		group_detach(group);
}

int fasttrap_probe_attach(struct fasttrap_probe *probe)
{
	struct fasttrap_group *group;
	int error = 0;

	lockdep_assert_tracepoints();
	list_for_each_entry(group, &probe->groups, in_probe) {
		error = group_attach(group);
		if (error)
			break;
	}
	if (error)
		fasttrap_probe_detach(probe);
	return error;
}
