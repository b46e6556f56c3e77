/* SPDX-License-Identifier: MIT */
/*
 * descendants.c - processes that descend from a target and have executed a program, as the kernel tells
 * of them: each is a target as well, with the descriptions of its root, until it ends.
 */
#include <signal.h>
#include "impl.h"

#define SWEEP 64      /* members, from which on those that have ended are looked for */
#define MAXLIVING 512 /* members */

static void family_drop(dtrace_hdl_t *dtp, struct pid_target *tg)
{
	pid_target_drop(dtp, tg);
	pid_get(dtp)->nfollowed--;
}

static void family_sweep(dtrace_hdl_t *dtp)
{
	struct pid_target *next;

	for (struct pid_target *tg = pid_get(dtp)->targets; tg != NULL; tg = next) {
		next = tg->next;
		if (tg->root != tg && pid_target_ended(tg))
			family_drop(dtp, tg);
	}
}

/* NULL: it has ended, or there are too many. */
static struct pid_target *family_add(dtrace_hdl_t *dtp, struct pid_target *root, pid_t pid)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_target *tg;

	if (pd->nfollowed >= SWEEP)
		family_sweep(dtp);
	tg = pd->nfollowed < MAXLIVING ? pid_target_open(pd, pid) : NULL;
	if (tg == NULL)
		return NULL;
	pd->nfollowed++;
	tg->root = root;
	tg->begun = true;
	return tg;
}

/* The process, which may be new, though there was one of that number. */
static struct pid_target *family_member(dtrace_hdl_t *dtp, struct pid_target *root, pid_t pid)
{
	struct pid_target *tg = pid_get(dtp)->targets;

	while (tg != NULL && tg->pid != pid)
		tg = tg->next;
	if (tg != NULL && tg->root != tg && pid_target_ended(tg)) {
		family_drop(dtp, tg);
		tg = NULL;
	}
	return tg != NULL ? tg : family_add(dtp, root, pid);
}

struct pid_target *pid_family_find(dtrace_hdl_t *dtp, const dtrace_ft_stopped_t *held,
				   struct pid_target *root)
{
	struct dt_pid *pd = pid_get(dtp);
	struct pid_target *tg;

	pid_files_trim(pd);
	tg = family_member(dtp, root, held->dtfd_pid);
	if (!root->follows)
		return tg;
	pd->late += held->dtfd_missed + (held->dtfd_flags == 0);
	if ((held->dtfd_flags & DTRACE_FT_STOPPED) != 0 && tg == NULL)
		pd->late += kill(held->dtfd_pid, 0) == 0;
	return tg;
}

void pid_family_tell(dtrace_hdl_t *dtp)
{
	struct dt_pid *pd = pid_get(dtp);
	char text[128];

	if (pd->late == 0)
		return;
	snprintf(text, sizeof(text),
		 "%lu programs that were executed could not be held, and ran before they were traced",
		 pd->late);
	pd->late = 0;
	pid_tell(dtp, 0, text);
}
