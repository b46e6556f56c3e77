/* SPDX-License-Identifier: MIT */
/*
 * sample.h - samples of the user's running threads, by perf events: for profile-N. (sample.c)
 *
 * One thread of the library reads the samples and fires probes for them. While a probe fires,
 * target.c describes the sampled thread.
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

/* dt_sample_check - return 0 if the kernel permits sampling, or a negative DTRACE_REFUSED_*. */
int dt_sample_check(void);
/*
 * dt_sample_start - fire the probe for each thread of the user, and for threads that these start,
 * each time the thread has run for the interval. The caller sets the first two members. Return 0 or
 * a negative errno.
 */
int dt_sample_start(struct sample_probe *probe);
/* dt_sample_stop - undo dt_sample_start(), and wait for a firing in progress. */
void dt_sample_stop(struct sample_probe *probe);

/* dt_sample_current - return the sample for which this thread fires probes, or NULL. */
const struct sample *dt_sample_current(void);

/*
 * dt_sample_maps - keep the mappings of a process, for stacks of samples. tables: one for each
 * mapping, whose memory the owner keeps until dt_sample_forget(). Return false if no probe was
 * started, so that they are not needed.
 */
bool dt_sample_maps(const void *owner, const dtrace_unwind_process_t *process,
		    const struct dtrace_unwind_table *tables);
/* dt_sample_forget - drop all maps of an owner. */
void dt_sample_forget(const void *owner);
/* dt_sample_missing - add the processes whose stacks were recorded while maps were missing. */
void dt_sample_missing(dtrace_unwind_missing_t *missing);
/* dt_sample_ustack - do as target_ustack(), for a sample. */
int dt_sample_ustack(const struct sample *sample, uint64_t *pcs, uint64_t *fps, unsigned int n,
		     bool tables);

#endif
