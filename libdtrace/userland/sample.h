/* SPDX-License-Identifier: MIT */
/*
 * sample.h - samples of the user's threads while they run, by perf events: for profile-N. (sample.c)
 *
 * One thread of the library reads the samples and fires probes for them. Meanwhile target.c speaks of the thread
 * that was sampled.
 */
#ifndef DT_USERLAND_SAMPLE_H
#define DT_USERLAND_SAMPLE_H

#include <stdbool.h>
#include <dtrace/unwind.h>
#include "engine.h"
#include "sample_record.h"

struct sample_probe {
	dtrace_probe_t *probe;
	uint64_t interval; /* ns of CPU time */
	/* of sample.c: */
	struct sample_probe *next;
	int *fds;
	uint64_t *ids; /* of the events, ascending */
	size_t nfds, capacity;
};

/* dt_sample_check - 0, or a negative DTRACE_REFUSED_*: why the kernel lets nobody sample. */
int dt_sample_check(void);
/*
 * dt_sample_start - fire the probe for each thread of the user, and for those that they start, whenever it has run
 * for the interval. The caller sets the first two members. 0 or a negative errno.
 */
int dt_sample_start(struct sample_probe *probe);
/* dt_sample_stop - undo it, and wait until the probe has fired. */
void dt_sample_stop(struct sample_probe *probe);

/* dt_sample_current - the sample that this thread fires probes for, or NULL. */
const struct sample *dt_sample_current(void);

/*
 * dt_sample_maps - keep what a process maps, for stacks of samples. tables: one for each mapping, whose memory the
 * owner keeps until dt_sample_forget(). Return whether it has been kept: a probe has been started.
 */
bool dt_sample_maps(const void *owner, const dtrace_unwind_process_t *process,
		    const struct dtrace_unwind_table *tables);
/* dt_sample_forget - drop all maps of an owner. */
void dt_sample_forget(const void *owner);
/* dt_sample_wanted - add processes whose stacks were recorded while maps were missing. */
void dt_sample_wanted(dtrace_unwind_wanted_t *wanted);
/* dt_sample_ustack - target_ustack() for a sample. */
int dt_sample_ustack(const struct sample *sample, uint64_t *pcs, uint64_t *fps, unsigned int n,
		     bool tables);

#endif
