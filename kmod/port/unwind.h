/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* unwind.h - unwind tables that consumers have handed over, and which process has which. */
#ifndef DTRACE_PORT_UNWIND_H
#define DTRACE_PORT_UNWIND_H

#include <linux/mm_types.h>
#include <linux/seq_file.h>

#include "engine.h"

/* What an open /dev/dtrace/fasttrap has of them; made at first use. */
struct unwind_session;

/* unwind_close - drop it all; NULL is fine. Nobody uses the open file any more. */
void unwind_close(struct unwind_session *session);
/*
 * The ioctls of <dtrace/unwind.h>. session: the open file's place for it; account: of who has
 * opened it, who is charged. unwind_set_maps: mm is the process's, held by the caller with users.
 * No lock may be held.
 */
int unwind_add_table(struct unwind_session **session, struct dtrace_account *account,
		     const void __user *from);
int unwind_set_maps(struct unwind_session **session, struct dtrace_account *account,
		    struct mm_struct *mm, const struct dtrace_unwind_process *process);
int unwind_get_wanted(struct unwind_session **session, struct dtrace_account *account,
		      void __user *to);

/*
 * unwind_maps - what that address space, or the one that it was forked from, has; NULL: nothing.
 * Probe context, where it stays valid.
 */
const struct dtrace_unwind_maps *unwind_maps(const struct mm_struct *mm);
/* unwind_want - a stack of the current process was recorded without all tables. Probe context. */
void unwind_want(void);

/* For /proc/dtrace. */
void unwind_stats_show(struct seq_file *seq);

#endif
