/* SPDX-License-Identifier: MIT */
/*
 * expect.c - processes that are waited for by name: held at exec, run from there to their entry
 * point, where the libraries are mapped and nothing of the program has run, and held there.
 */
#include <elf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "process.h"

#define HOLD_MS		60000	/* as long as the kernel permits: until tracing begins */
#define LOOK_MS		20	/* how often to see whether one has ended on its way */

enum stage { STAGE_EXEC, STAGE_ENTRY, STAGE_ARRIVED };

struct dt_expected {
	struct dt_expected *next;
	enum stage stage;
	bool held;
	int exec, watch;		/* watches; watch: that holds it now */
	pid_t pid, tid;
	char name[];
};

static bool expected_entry(dtrace_hdl_t *dtp, const dtrace_ft_held_t *held, void *arg)
{
	struct dt_expected *ex = arg;

	(void)dtp;
	if (ex->stage != STAGE_ENTRY)
		return false;
	ex->tid = held->dtfd_tid;
	ex->held = held->dtfd_flags & DTRACE_FT_HELD;
	ex->stage = STAGE_ARRIVED;
	return true;
}

/* Have it held at its entry point. False: it is held where it is, or runs. */
static bool expected_run(dtrace_hdl_t *dtp, struct dt_expected *ex)
{
	uint64_t entry;
	int watch;

	if (!ex->held || dtp->copts[DT_COPT_EVALTIME] == DT_EVAL_EXEC ||
	    !dt_auxv(ex->pid, AT_ENTRY, &entry))
		return false;
	watch = dt_hold_address(dtp, ex->pid, entry, HOLD_MS, expected_entry, ex);
	if (watch == -1)
		return false;
	ex->watch = watch;
	ex->stage = STAGE_ENTRY;
	return true;
}

static bool expected_exec(dtrace_hdl_t *dtp, const dtrace_ft_held_t *held, void *arg)
{
	struct dt_expected *ex = arg;

	ex->pid = held->dtfd_pid;
	ex->tid = held->dtfd_tid;
	ex->held = held->dtfd_flags & DTRACE_FT_HELD;
	ex->watch = ex->exec;
	if (expected_run(dtp, ex))
		return false;
	ex->stage = STAGE_ARRIVED;
	return true;
}

static int expected_fail(dtrace_hdl_t *dtp, const char *name)
{
	const char *why = errno == EINVAL ? "a name of a program is needed" : strerror(errno);

	if (dt_fasttrap_fd(dtp) == -1)
		why = "failed to open " DTRACE_FASTTRAP_DEVICE;
	return dt_set_error(dtp, EDT_PROC, "cannot wait for '%s': %s", name, why);
}

static int expected_watch(dtrace_hdl_t *dtp, struct dt_expected *ex)
{
	ex->stage = STAGE_EXEC;
	ex->exec = dt_hold_exec(dtp, ex->name, HOLD_MS, expected_exec, ex);
	return ex->exec == -1 ? expected_fail(dtp, ex->name) : 0;
}

int dtrace_proc_expect(dtrace_hdl_t *dtp, const char *name)
{
	struct dt_procs *procs = dt_procs(dtp);
	struct dt_expected *ex =
		procs != NULL ? calloc(1, sizeof(*ex) + strlen(name) + 1) : NULL, **last;

	if (ex == NULL)
		return dt_set_errno(dtp, ENOMEM);
	strcpy(ex->name, name);
	if (expected_watch(dtp, ex) != 0) {
		free(ex);
		return -1;
	}
	for (last = &procs->expected; *last != NULL; last = &(*last)->next)
		;
	*last = ex;
	return 0;
}

/* Out of the list; what it holds stays held by its watch. */
static void expected_free(struct dt_procs *procs, struct dt_expected *ex)
{
	for (struct dt_expected **at = &procs->expected; *at != NULL; at = &(*at)->next)
		if (*at == ex) {
			*at = ex->next;
			break;
		}
	free(ex);
}

static struct dt_expected *expected_arrived(const struct dt_procs *procs)
{
	struct dt_expected *ex = procs->expected;

	while (ex != NULL && ex->stage != STAGE_ARRIVED)
		ex = ex->next;
	return ex;
}

/* One that ends before its entry point, as when a library is missing, is not the one. */
static int expected_look(dtrace_hdl_t *dtp)
{
	for (struct dt_expected *ex = dtp->procs->expected; ex != NULL; ex = ex->next)
		if (ex->stage == STAGE_ENTRY && kill(ex->pid, 0) == -1 && errno == ESRCH) {
			dt_hold_end(dtp, ex->watch);
			dt_hold_end(dtp, ex->exec);
			if (expected_watch(dtp, ex) != 0)
				return -1;
		}
	return 0;
}

struct ps_prochandle *dtrace_proc_await(dtrace_hdl_t *dtp)
{
	struct dt_procs *procs = dtp->procs;
	struct ps_prochandle *proc;
	struct dt_expected *ex;

	if (procs == NULL || procs->expected == NULL) {
		dt_set_errno(dtp, ESRCH);
		return NULL;
	}
	while ((ex = expected_arrived(procs)) == NULL)
		if (!dt_hold_wait(dtp, LOOK_MS)) {
			dt_set_errno(dtp, errno);
			return NULL;
		} else if (expected_look(dtp) != 0) {
			return NULL;
		}
	proc = dtrace_proc_grab(dtp, ex->pid);
	if (ex->watch != ex->exec)
		dt_hold_end(dtp, ex->exec);
	if (proc != NULL)
		dt_proc_held(proc, ex->watch, ex->held ? ex->tid : 0);
	else
		dt_hold_end(dtp, ex->watch);
	expected_free(procs, ex);
	return proc;
}

void dt_expected_fini(struct dt_procs *procs)
{
	while (procs->expected != NULL)
		expected_free(procs, procs->expected);
}
