// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * procfs.c - /proc/dtrace: the state of the module, as tables with a header line. Only root may
 * read them, except the policy, which all users may read, and the table of users, where each user
 * sees one row.
 */
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/fs.h>
#include <linux/proc_fs.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/user_namespace.h>

#include "dev.h"
#include "engine.h"
#include "hooks/function.h"
#include "permission.h"
#include "process/mapping.h"
#include "process/stop.h"
#include "providers/provider.h"
#include "stats.h"
#include "port/unwind.h"

static struct proc_dir_entry *proc_dir;

/* ---- tables of the engine ---- */

/* Position 0 of a file is the header. A row's position is the number that the engine gave it. */

union table_row {
	struct dtrace_staterow session;
	struct dtrace_proberow probe;
	struct dtrace_providerrow provider;
	struct dtrace_accountrow user;
};

static int session_fetch(uint32_t *after, union table_row *row)
{
	return dtrace_staterow(after, &row->session);
}

static int probe_fetch(uint32_t *after, union table_row *row)
{
	return dtrace_proberow(after, &row->probe);
}

static int provider_fetch(uint32_t *after, union table_row *row)
{
	return dtrace_providerrow(after, &row->provider);
}

static int user_fetch(uint32_t *after, union table_row *row)
{
	return dtrace_accountrow(after, &row->user);
}

/*
 * Return the first row at or after a position, in the memory of the open file; NULL: there is none.
 */
static void *table_row(struct seq_file *seq, loff_t *pos,
		       int (*fetch)(uint32_t *, union table_row *))
{
	uint32_t after;

	if (!*pos)
		return SEQ_START_TOKEN;
	if (*pos > UINT_MAX)
		return NULL;
	after = (uint32_t)(*pos - 1);
	if (fetch(&after, seq->private))
		return NULL;
	*pos = after;
	return seq->private;
}

#define TABLE_OPS(name)                                                      \
	static void *name##_start(struct seq_file *seq, loff_t *pos)         \
	{                                                                    \
		return table_row(seq, pos, name##_fetch);                    \
	}                                                                    \
	static void *name##_next(struct seq_file *seq, void *v, loff_t *pos) \
	{                                                                    \
		++*pos;                                                      \
		return table_row(seq, pos, name##_fetch);                    \
	}                                                                    \
	static const struct seq_operations name##_ops = {                    \
		.start = name##_start,                                       \
		.next = name##_next,                                         \
		.stop = table_stop,                                          \
		.show = name##_show,                                         \
	}

/* Do nothing: a row is a copy. */
static void table_stop(struct seq_file *seq, void *v)
{
}

static const char *session_activity(uint32_t activity)
{
	static const char *const names[] = {
		[DTRACE_ACTIVITY_INACTIVE] = "inactive", [DTRACE_ACTIVITY_WARMUP] = "warmup",
		[DTRACE_ACTIVITY_ACTIVE] = "active",	 [DTRACE_ACTIVITY_DRAINING] = "draining",
		[DTRACE_ACTIVITY_COOLDOWN] = "cooldown", [DTRACE_ACTIVITY_STOPPED] = "stopped",
		[DTRACE_ACTIVITY_KILLED] = "killed",
	};

	return activity < ARRAY_SIZE(names) ? names[activity] : "?";
}

static int session_show(struct seq_file *seq, void *v)
{
	const struct dtrace_staterow *s = v;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq, "    PID   UID ACTIVITY  ENABLINGS    ECBS    BUFSIZE    AGGSIZE "
			      "DYNVARSIZE      DROPS   ERRORS UNATTACHED\n");
		return 0;
	}
	seq_printf(seq, "%7u %5u %-9s %9u %7u %10llu %10llu %10llu %10llu %8llu %10u\n", s->pid,
		   s->uid, session_activity(s->activity), s->nenablings, s->necbs, s->bufsize,
		   s->aggsize, s->dynvarsize,
		   s->status.dtst_principaldrops + s->status.dtst_aggdrops +
			   s->status.dtst_dyndrops + s->status.dtst_specdrops,
		   s->status.dtst_errors, s->status.dtst_unattached);
	return 0;
}
TABLE_OPS(session);

static int probe_show(struct seq_file *seq, void *v)
{
	const struct dtrace_proberow *p = v;

	if (v == SEQ_START_TOKEN)
		seq_puts(seq, "     ID  ECBS PROBE\n");
	else
		seq_printf(seq, "%7u %5u %s:%s:%s:%s\n", p->desc.dtpd_id, p->necbs,
			   p->desc.dtpd_provider, p->desc.dtpd_mod, p->desc.dtpd_func,
			   p->desc.dtpd_name);
	return 0;
}
TABLE_OPS(probe);

static int provider_show(struct seq_file *seq, void *v)
{
	const struct dtrace_providerrow *p = v;

	if (v == SEQ_START_TOKEN)
		seq_puts(seq, "PROVIDER                           PROBES ENABLED PRIVILEGES\n");
	else
		seq_printf(seq, "%-32s %8u %7u %s%s%s%s\n", p->name, p->nprobes, p->nenabled,
			   p->priv & DTRACE_PRIV_KERNEL ? "kernel " : "",
			   p->priv & DTRACE_PRIV_USER ? "user " : "",
			   p->priv & DTRACE_PRIV_PROC ? "proc " : "",
			   p->priv & DTRACE_PRIV_OWNER ? "owner" : "");
	return 0;
}
TABLE_OPS(provider);

/* Print a cell of the table of users: what the user holds, and the limit. */
static void user_cell(struct seq_file *seq, const struct dtrace_accountrow *a, unsigned int res)
{
	char text[48];

	if (a->privileged)
		snprintf(text, sizeof(text), "%llu/-", a->used[res]);
	else
		snprintf(text, sizeof(text), "%llu/%llu", a->used[res],
			 READ_ONCE(dtrace_account_limits[res]));
	seq_printf(seq, " %23s", text);
}

/* Print a row of the table of users. A user other than root sees only one row. */
static int user_show(struct seq_file *seq, void *v)
{
	const struct dtrace_accountrow *a = v;
	unsigned int i;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq,
			 "       UID                SESSIONS                  MEMORY           "
			 "REGISTRATIONS                   SITES                  PROBES     "
			 "REGISTRATION_MEMORY                 UNWOUND            INSTRUCTIONS     "
			 "         INTERRUPTS             STOP_POINTS\n");
		return 0;
	}
	if (!file_ns_capable(seq->file, &init_user_ns, CAP_SYS_ADMIN) &&
	    a->uid != permission_account(seq->file->f_cred))
		return SEQ_SKIP;
	seq_printf(seq, "%10u", a->uid);
	for (i = 0; i < DTRACE_RES_MAX; i++)
		user_cell(seq, a, i);
	seq_putc(seq, '\n');
	return 0;
}
TABLE_OPS(user);

/* ---- single pages ---- */

static int security_show(struct seq_file *seq, void *v)
{
	permission_show(seq);
	return 0;
}

static void helper_stats_show(struct seq_file *seq)
{
	struct dtrace_helper_counts c;

	dtrace_helper_counts(&c);
	stats_row(seq, "helper-runs", c.runs, "frames that ustack helpers were asked about");
	stats_row(seq, "helper-names", c.names, "that they named");
	stats_row(seq, "helper-faults", c.faults, "runs of helpers that ended in a fault");
	stats_row(seq, "helper-limits", c.limits,
		  "stacks for which a limit of helpers was reached");
	stats_row(seq, "helper-pauses", c.pauses,
		  "stacks without helpers, for user_interrupt_share was used up");
}

static int stats_show(struct seq_file *seq, void *v)
{
	seq_puts(seq, "NAME                    COUNT  MEANING\n");
	providers_stats_show(seq);
	stop_stats_show(seq);
	mapping_stats_show(seq);
	helper_stats_show(seq);
	unwind_stats_show(seq);
	function_hook_show(seq);
	return 0;
}

/* ---- the folder ---- */

static bool procfs_fill(void)
{
	return proc_create_seq_private("sessions", 0400, proc_dir, &session_ops,
				       sizeof(union table_row), NULL) &&
	       proc_create_seq_private("probes", 0400, proc_dir, &probe_ops,
				       sizeof(union table_row), NULL) &&
	       proc_create_seq_private("providers", 0400, proc_dir, &provider_ops,
				       sizeof(union table_row), NULL) &&
	       proc_create_seq_private("users", 0444, proc_dir, &user_ops, sizeof(union table_row),
				       NULL) &&
	       providers_procfs_add(proc_dir) &&
	       proc_create_single("security", 0444, proc_dir, security_show) &&
	       proc_create_single("stats", 0400, proc_dir, stats_show);
}

int procfs_init(void)
{
	proc_dir = proc_mkdir("dtrace", NULL);
	if (!proc_dir)
		return -ENOMEM;
	if (procfs_fill())
		return 0;
	proc_remove(proc_dir);
	return -ENOMEM;
}

void procfs_exit(void)
{
	proc_remove(proc_dir);
}
