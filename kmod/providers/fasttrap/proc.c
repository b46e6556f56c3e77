// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * proc.c - /proc/dtrace/processes, /proc/dtrace/fasttrap, /proc/dtrace/helper_errors, and
 * fasttrap's rows of /proc/dtrace/stats.
 */
#include <linux/fs.h>
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "providers/provider.h"
#include "stats.h"
#include "tracepoint.h"

/* ---- /proc/dtrace/processes: a line for each process ---- */

#define PROCESS_PROVIDERS 256 /* that are shown of a process, under the registry lock */

/* Begin to print. The registry lock is held for a page of lines at a time. */
static void *processes_start(struct seq_file *seq, loff_t *pos)
{
	if (fasttrap_registry_lock_killable())
		return ERR_PTR(-EINTR);
	return seq_list_start_head(&fasttrap_processes, *pos);
}

static void *processes_next(struct seq_file *seq, void *v, loff_t *pos)
{
	return seq_list_next(v, &fasttrap_processes, pos);
}

static void processes_stop(struct seq_file *seq, void *v)
{
	if (!IS_ERR(v))
		fasttrap_registry_unlock();
}

/* Print a process. The numbers include registrations of sessions. */
static int processes_show(struct seq_file *seq, void *v)
{
	const struct fasttrap_process *process = list_entry(v, struct fasttrap_process, all);
	unsigned int nregistrations = 0, nsites = 0, nproviders = 0;
	const struct fasttrap_registration *r;
	const struct fasttrap_provider *provider;

	if (v == &fasttrap_processes) {
		seq_puts(seq, "    PID   UID REGISTRATIONS  SITES HELPERS COMMAND          "
			      "PROVIDERS\n");
		return 0;
	}
	if (list_empty(&process->registrations))
		return SEQ_SKIP; /* it waits to be retired */
	list_for_each_entry(r, &process->registrations, all) {
		nregistrations++;
		nsites += r->nsites;
	}
	seq_printf(seq, "%7d %5u %13u %6u %7u ", process->pid,
		   from_kuid_munged(&init_user_ns, process->uid), nregistrations, nsites,
		   process->nhelpers);
	seq_setwidth(seq, TASK_COMM_LEN);
	seq_escape_str(seq, process->comm, ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP, " \\");
	seq_pad(seq, ' ');
	list_for_each_entry(provider, &process->providers, all) {
		if (nproviders++ == PROCESS_PROVIDERS) {
			seq_puts(seq, " ...");
			break;
		}
		seq_printf(seq, " %s", provider->name);
	}
	seq_putc(seq, '\n');
	return 0;
}

const struct seq_operations fasttrap_processes_seq = {
	.start = processes_start,
	.next = processes_next,
	.stop = processes_stop,
	.show = processes_show,
};

/* ---- /proc/dtrace/fasttrap: a line for each tracepoint ---- */

#define TRACEPOINT_PROVIDERS 8 /* that are shown of a tracepoint */

/* Return the n-th tracepoint, counted over all buckets, or NULL. */
static struct fasttrap_tracepoint *tracepoints_nth(loff_t n)
{
	struct fasttrap_tracepoint *tp;
	unsigned int bucket;

	hash_for_each(fasttrap_tracepoints, bucket, tp, hash)
		if (!n--)
			return tp;
	return NULL;
}

/* Begin to print. The tracepoint lock is held from the first line of a read to its last. */
static void *tracepoints_start(struct seq_file *seq, loff_t *pos)
{
	fasttrap_tracepoints_lock();
	return *pos ? tracepoints_nth(*pos - 1) : SEQ_START_TOKEN;
}

/* Return the next tracepoint in the bucket, or the first one of the next bucket that has any. */
static void *tracepoints_next(struct seq_file *seq, void *v, loff_t *pos)
{
	const struct fasttrap_tracepoint *tp = v;
	struct hlist_node *node;
	unsigned int bucket;

	++*pos;
	if (v == SEQ_START_TOKEN)
		return tracepoints_nth(0);
	node = tp->hash.next;
	bucket = hash_min(fasttrap_tracepoint_key(tp->inode, tp->offset),
			  HASH_BITS(fasttrap_tracepoints));
	while (!node && ++bucket < HASH_SIZE(fasttrap_tracepoints))
		node = fasttrap_tracepoints[bucket].first;
	return hlist_entry_safe(node, struct fasttrap_tracepoint, hash);
}

static void tracepoints_stop(struct seq_file *seq, void *v)
{
	fasttrap_tracepoints_unlock();
}

/*
 * Print the providers of a tracepoint's sites, each once. Their names have the processes' numbers.
 */
static void tracepoints_show_providers(struct seq_file *seq, const struct fasttrap_tracepoint *tp)
{
	const struct fasttrap_provider *shown[TRACEPOINT_PROVIDERS], *provider;
	unsigned int i, n = 0, more = 0;
	const struct fasttrap_tp_mm *tp_mm;
	const struct fasttrap_site *site;

	list_for_each_entry(tp_mm, &tp->mms, all)
		hlist_for_each_entry(site, &tp_mm->sites, in_tp_mm) {
			provider = site->group->probe->provider;
			for (i = 0; i < n; i++)
				if (shown[i] == provider)
					break;
			if (i < n)
				continue;
			if (n == TRACEPOINT_PROVIDERS) {
				more++;
				continue;
			}
			seq_printf(seq, "%s%s", n ? "," : "", provider->name);
			shown[n++] = provider;
		}
	if (more)
		seq_printf(seq, ",+%u", more);
	seq_puts(seq, n ? " " : "- ");
}

/* The characters of a path that are shown by their numbers: blanks, and all control characters. */
#define PATH_ESCAPED                                                              \
	"\1\2\3\4\5\6\7\10\11\12\13\14\15\16\17\20\21\22\23\24\25\26\27"          \
	"\30\31\32\33\34\35\36\37 \\\177\200\201\202\203\204\205\206\207\210\211" \
	"\212\213\214\215\216\217\220\221\222\223\224\225\226\227\230\231\232"    \
	"\233\234\235\236\237"

static int tracepoints_show(struct seq_file *seq, void *v)
{
	const struct fasttrap_tracepoint *tp = v;
	const struct fasttrap_tp_mm *tp_mm;
	const char *state;
	int error;

	if (v == SEQ_START_TOKEN) {
		seq_puts(seq, "STATE      ERROR PROCESSES       HITS       OFFSET    SEMAPHORE "
			      "PROVIDERS FILE\n");
		return 0;
	}
	error = tp->error;
	if (tp->charged)
		state = "crowded";
	else if (tp->state != FASTTRAP_TP_IDLE)
		state = "changing";
	else
		state = error == -EBUSY ? "contested" : error ? "failed" : "on";
	list_for_each_entry(tp_mm, &tp->mms, all)
		error = error ?: tp_mm->error;
	seq_printf(seq, "%-10s %5d %9u %10llu %#12llx ", state, error, tp->nmms,
		   (unsigned long long)READ_ONCE(tp->hits), (unsigned long long)tp->offset);
	if (tp->refctr)
		seq_printf(seq, "%#12llx ", (unsigned long long)tp->refctr);
	else
		seq_printf(seq, "%12s ", "-");
	tracepoints_show_providers(seq, tp);
	seq_file_path(seq, tp->file, PATH_ESCAPED);
	seq_putc(seq, '\n');
	return 0;
}

const struct seq_operations fasttrap_tracepoints_seq = {
	.start = tracepoints_start,
	.next = tracepoints_next,
	.stop = tracepoints_stop,
	.show = tracepoints_show,
};

/* ---- /proc/dtrace/helper_errors: why the last registrations failed ---- */

#define ERRORS_KEPT 64
#define ERRORS_OWN  16 /* of one user */

struct helper_error {
	u64 number; /* counted from 1; 0: free */
	time64_t time;
	uint32_t uid;
	pid_t pid;
	int error;
	char comm[TASK_COMM_LEN];
	char message[FASTTRAP_ERRLEN];
};

/* A program at its very start has nowhere to report an error, so the module keeps it. */
static DEFINE_SPINLOCK(errors_lock); /* errors, errors_total */
static struct helper_error errors[ERRORS_KEPT];
static u64 errors_total;

/*
 * Return the element for a new error of a user: the user's own oldest error, if the user has
 * ERRORS_OWN; otherwise a free element; otherwise the oldest error of all. Free elements have the
 * lowest number. [errors_lock]
 */
static struct helper_error *error_choose(uint32_t uid) __must_hold(&errors_lock)
{
	struct helper_error *e, *oldest = errors, *own = NULL;
	unsigned int n = 0;

	lockdep_assert_held(&errors_lock);
	for (e = errors; e < errors + ERRORS_KEPT; e++) {
		if (e->number < oldest->number)
			oldest = e;
		if (!e->number || e->uid != uid)
			continue;
		n++;
		if (!own || e->number < own->number)
			own = e;
	}
	return n >= ERRORS_OWN ? own : oldest;
}

void fasttrap_count_refused(void)
{
	atomic64_inc(&fasttrap_counts.refused);
}

void fasttrap_error_note(uint32_t uid, pid_t pid, const char *comm, int error, const char *message)
{
	struct helper_error *e;

	pr_debug("dtrace: %s[%d]: registration refused (error %d): %s\n", comm, pid, error,
		 message);
	spin_lock(&errors_lock);
	e = error_choose(uid);
	e->number = ++errors_total;
	e->time = ktime_get_real_seconds();
	e->uid = uid;
	e->pid = pid;
	e->error = error;
	strscpy(e->comm, comm, sizeof(e->comm));
	strscpy(e->message, message, sizeof(e->message));
	spin_unlock(&errors_lock);
}

/* Print an error. */
static void error_show(struct seq_file *seq, const struct helper_error *e)
{
	seq_printf(seq, "%10lld %7d %5d ", (long long)e->time, e->pid, e->error);
	seq_escape_str(seq, e->comm, ESCAPE_SPACE | ESCAPE_SPECIAL | ESCAPE_NP, " \\");
	seq_putc(seq, ' ');
	seq_escape_str(seq, e->message, ESCAPE_SPECIAL | ESCAPE_NP, "\\");
	seq_putc(seq, '\n');
}

/* Order errors by number, for sort(). */
static int error_compare(const void *pa, const void *pb)
{
	const struct helper_error *a = pa, *b = pb;

	return a->number < b->number ? -1 : a->number > b->number;
}

int fasttrap_errors_show(struct seq_file *seq, void *unused)
{
	struct helper_error *copy = kmalloc(sizeof(errors), GFP_KERNEL);
	u64 total;
	unsigned int i;

	if (!copy)
		return -ENOMEM;
	spin_lock(&errors_lock);
	memcpy(copy, errors, sizeof(errors));
	total = errors_total;
	spin_unlock(&errors_lock);
	sort(copy, ERRORS_KEPT, sizeof(*copy), error_compare, NULL);
	seq_printf(seq, "      TIME     PID ERROR COMMAND REASON (last of %llu)\n", total);
	for (i = 0; i < ERRORS_KEPT; i++)
		if (copy[i].number)
			error_show(seq, &copy[i]);
	kfree(copy);
	return 0;
}

/* ---- /proc/dtrace/stats ---- */

void fasttrap_stats_show(struct seq_file *seq)
{
	static const struct {
		const char *name;
		atomic64_t *count;
		const char *meaning;
	} rows[] = {
		{"registrations", &fasttrap_counts.registrations, "helper DOF taken"},
		{"removals", &fasttrap_counts.removals, "helper DOF removed by its process"},
		{"refused", &fasttrap_counts.refused, "helper DOF refused: see helper_errors"},
		{"forks", &fasttrap_counts.forks,
		 "fork children that got copies of their parent's registrations"},
		{"fork-overflows", &fasttrap_counts.fork_overflows,
		 "forks missed, of too many at a time"},
		{"fork-failures", &fasttrap_counts.fork_failures,
		 "fork children without all copies, for lack of memory: see helper_errors"},
		{"copied-by-hit", &fasttrap_counts.copied_by_hit,
		 "fork children whose first hit came before the copies"},
		{"retired", &fasttrap_counts.retired,
		 "processes that exited, called exec or removed all"},
		{"applied", &fasttrap_counts.applied,
		 "tracepoints whose breakpoints were set or changed"},
		{"apply-errors", &fasttrap_counts.apply_errors,
		 "tracepoints that could not be: see fasttrap"},
		{"late-closes", &fasttrap_counts.late_closes,
		 "sessions that ended before their breakpoints: uprobes was stuck"},
		{"stray-hits", &fasttrap_counts.stray_hits,
		 "hits in processes that no session traces"},
	};
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(rows); i++)
		stats_row(seq, rows[i].name, atomic64_read(rows[i].count), rows[i].meaning);
}
