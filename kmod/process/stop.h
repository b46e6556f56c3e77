/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * stop.h - stop threads at stop points, for a tracer; <dtrace/stop.h> describes the interface.
 *
 * A tracer belongs to one open file of a provider's device.
 */
#ifndef DTRACE_PROCESS_STOP_H
#define DTRACE_PROCESS_STOP_H

#include <linux/fs.h>
#include <linux/mm_types.h>
#include <linux/poll.h>
#include <dtrace/stop.h>

struct dtrace_account;
struct pid;
struct stop_tracer;

/*
 * Create a tracer without stop points, charged to the account. Return NULL without memory. May
 * sleep.
 */
struct stop_tracer *stop_tracer_create(struct dtrace_account *account);
/*
 * Remove the tracer's stop points and let its threads go on. No handler of its stop points runs
 * afterwards. May sleep.
 */
void stop_tracer_destroy(struct stop_tracer *tracer);
/*
 * Let the stopped thread tid go on. Return 0, or -ESRCH if the tracer has stopped no such thread.
 */
int stop_tracer_release(struct stop_tracer *tracer, int tid);
/*
 * Remove a stop point and let its threads go on. Return the number of these threads, -ENOENT, or
 * -EINTR if the caller is being killed. May sleep.
 */
int stop_tracer_remove_point(struct stop_tracer *tracer, int number);
/* Copy elements dtrace_stopped_t for threads that have arrived to user memory, for read(). */
ssize_t stop_tracer_read(struct stop_tracer *tracer, char __user *to, size_t size, bool block);
/* Return EPOLLIN | EPOLLRDNORM if read would return an element, for poll(). */
__poll_t stop_tracer_poll(struct stop_tracer *tracer, struct file *file, poll_table *wait);

/*
 * Add a stop point at execs: of the process pid, which the caller may trace, or with NULL by name.
 * Return its number, or a negative errno (-EDQUOT: a limit of the user). May sleep.
 */
int stop_point_add_exec(struct stop_tracer *tracer, const dtrace_stop_exec_t *exec,
			struct pid *pid);
/*
 * Add a stop point at an address of the process that has mm, which the caller holds. Return its
 * number, or a negative errno. May sleep.
 */
int stop_point_add_address(struct stop_tracer *tracer, const dtrace_stop_address_t *address,
			   struct mm_struct *mm);
/* Print the rows of /proc/dtrace/stats. */
void stop_stats_show(struct seq_file *seq);

/* Begin to follow processes, without tracers. Return 0 or a negative errno. May sleep. */
int stop_init(void);
/* Wait for stop points that end late, and until no function of a stopped thread runs. May sleep. */
void stop_exit(void);

#endif
