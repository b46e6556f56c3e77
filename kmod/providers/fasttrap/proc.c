// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * proc.c - /proc/dtrace/fasttrap: a line for each tracepoint.
 *
 * The tracepoint lock is held from the first line of a read to its last.
 */
#include <linux/fs.h>
#include <linux/seq_file.h>

#include "tracepoint.h"

/* ---- a line ---- */

static const char *proc_state(const struct fasttrap_tracepoint *tp)
{
	if (tp->state != FASTTRAP_TP_IDLE)
		return "changing";
	return tp->error == -EBUSY ? "contested" : tp->error ? "failed" : "on";
}

static int proc_error(const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_tp_mm *tp_mm;
	int error = tp->error;

	list_for_each_entry(tp_mm, &tp->mms, all)
		error = error ?: tp_mm->error;
	return error;
}

#define SHOWN_PROVIDERS	8	/* of a tracepoint */

/* Names that have been shown, and how many were not. */
struct shown {
	const struct fasttrap_provider *providers[SHOWN_PROVIDERS];
	unsigned int n, left_out;
};

static void proc_provider(struct seq_file *seq, const struct fasttrap_provider *provider,
			  struct shown *shown)
{
	unsigned int i;

	for (i = 0; i < shown->n; i++)
		if (shown->providers[i] == provider)
			return;
	if (shown->n == SHOWN_PROVIDERS) {
		shown->left_out++;
		return;
	}
	seq_printf(seq, "%s%s", shown->n ? "," : "", provider->name);
	shown->providers[shown->n++] = provider;
}

/* Providers have the numbers of their processes in their names. */
static void proc_providers(struct seq_file *seq, const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_tp_mm *tp_mm;
	const struct fasttrap_site *site;
	struct shown shown = {};

	list_for_each_entry(tp_mm, &tp->mms, all)
		hlist_for_each_entry(site, &tp_mm->sites, in_tp_mm)
			proc_provider(seq, site->group->probe->provider, &shown);
	if (shown.left_out)
		seq_printf(seq, ",+%u", shown.left_out);
	seq_puts(seq, shown.n ? " " : "- ");
}

static int proc_show(struct seq_file *seq, void *v)
{
	const struct fasttrap_tracepoint *tp = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq,
			 "STATE      ERROR PROCESSES       HITS       OFFSET    SEMAPHORE PROVIDERS FILE\n");
		return 0;
	}
	seq_printf(seq, "%-10s %5d %9u %10llu %#12llx ", proc_state(tp), proc_error(tp),
		   tp->nmms, (unsigned long long)READ_ONCE(tp->hits),
		   (unsigned long long)tp->offset);
	if (tp->refctr)
		seq_printf(seq, "%#12llx ", (unsigned long long)tp->refctr);
	else
		seq_printf(seq, "%12s ", "-");
	proc_providers(seq, tp);
	seq_file_path(seq, tp->file, "\n\t\\ ");
	seq_putc(seq, '\n');
	return 0;
}

/* ---- from one to the next ---- */

/* The n-th, counted over all buckets. */
static struct fasttrap_tracepoint *proc_nth(loff_t n)
{
	struct fasttrap_tracepoint *tp;
	unsigned int bucket;

	hash_for_each(fasttrap_tracepoints, bucket, tp, hash)
		if (!n--)
			return tp;
	return NULL;
}

static void *proc_start(struct seq_file *seq, loff_t *pos)
{
	fasttrap_tracepoints_lock();
	return *pos ? proc_nth(*pos - 1) : SEQ_START_TOKEN;
}

/* After one in its bucket, or the first of the next bucket that has any. */
static void *proc_after(const struct fasttrap_tracepoint *tp)
{
	struct hlist_node *node = tp->hash.next;
	unsigned int bucket = hash_min(fasttrap_tracepoint_key(tp->inode, tp->offset), HASH_BITS(fasttrap_tracepoints));

	while (!node && ++bucket < HASH_SIZE(fasttrap_tracepoints))
		node = fasttrap_tracepoints[bucket].first;
	return hlist_entry_safe(node, struct fasttrap_tracepoint, hash);
}

static void *proc_next(struct seq_file *seq, void *v, loff_t *pos)
{
	++*pos;
	return v == SEQ_START_TOKEN ? proc_nth(0) : proc_after(v);
}

static void proc_stop(struct seq_file *seq, void *v)
{
	fasttrap_tracepoints_unlock();
}

const struct seq_operations fasttrap_tracepoints_seq = {
	.start = proc_start,
	.next = proc_next,
	.stop = proc_stop,
	.show = proc_show,
};
