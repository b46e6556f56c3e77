/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* unwind.h - the unwind tables that consumers have given, and which process uses which. */
#ifndef DTRACE_PORT_UNWIND_H
#define DTRACE_PORT_UNWIND_H

#include <linux/mm_types.h>
#include <linux/seq_file.h>

#include "engine.h"

/* The tables and processes of one open device; made at first use. */
struct unwind_session;

/* unwind_close - free a session, which may be NULL. The file is being closed. May sleep. */
void unwind_close(struct unwind_session *session);
/*
 * The next three functions are the ioctls of <dtrace/unwind.h>. *session: the open file's session,
 * or NULL before its first use. account: of the user who has opened the file. Called without locks.
 * May sleep. Return -EINTR if a fatal signal is pending.
 *
 * unwind_add_table - copy and verify a table. Return its number, or -EFAULT, -E2BIG, -EINVAL,
 * -ENOMEM; -ENOSPC: too much memory.
 */
int unwind_add_table(struct unwind_session **session, struct dtrace_account *account,
		     const void __user *from);
/*
 * unwind_set_maps - set the mappings of a process; none: forget it. mm: its memory, which the
 * caller holds with users. -EFAULT, -E2BIG, -EINVAL, -ENOMEM, -ENOSPC; -ENOENT: there is no such
 * table.
 */
int unwind_set_maps(struct unwind_session **at, struct dtrace_account *account,
		    struct mm_struct *mm, const struct dtrace_unwind_process *process);
/*
 * unwind_get_missing - copy to the caller the numbers of the processes of which stacks were
 * recorded without all tables since its last call. -EFAULT, -ENOMEM.
 */
int unwind_get_missing(struct unwind_session **session, struct dtrace_account *account,
		       void __user *to);

/*
 * unwind_maps - return the maps of an address space, or of the one from which it was forked; NULL:
 * none. They stay valid until the firing ends. Probe context.
 */
const struct dtrace_unwind_maps *unwind_maps(const struct mm_struct *mm);
/*
 * unwind_note_missing - note that a stack of the current process was recorded without all tables.
 * Probe context.
 */
void unwind_note_missing(void);

/* unwind_stats_show - print rows of /proc/dtrace/stats. May sleep. */
void unwind_stats_show(struct seq_file *seq);

#endif
