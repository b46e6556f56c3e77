/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* stats.h - rows of /proc/dtrace/stats. */
#ifndef DTRACE_STATS_H
#define DTRACE_STATS_H

#include <linux/seq_file.h>
#include <linux/types.h>

/*
 * stats_row - print a row of /proc/dtrace/stats. name: at most 16 characters. meaning: the rest of
 * a sentence, without a stop.
 */
static inline void stats_row(struct seq_file *seq, const char *name, u64 count, const char *meaning)
{
	seq_printf(seq, "%-16s %12llu  %s\n", name, (unsigned long long)count, meaning);
}

#endif
