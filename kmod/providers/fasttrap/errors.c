// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * errors.c - /proc/dtrace/helper_errors: the reasons of the last refusals, since a program at its
 * very start has nowhere to report them.
 */
#include <linux/lockdep.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "impl.h"

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
