/* SPDX-License-Identifier: MIT */
/* wait.c - processes that are waited for by name (option -W), several at once. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "startup.h"
#include "stop.h"

#define LOOK_MS		20	/* how often to see whether one has ended on its way */

struct dt_expected {
	struct dt_expected *next;
	struct dt_arrival arrival;
	char name[];
};

static int expected_fail(dtrace_hdl_t *dtp, const char *name)
{
	const char *why = errno == EINVAL ? "a name of a program is needed" : strerror(errno);

	if (dt_world_lacks_processes(dtp))
		why = dt_world_lacks_processes(dtp);
	return dt_set_error(dtp, EDT_PROC, "cannot wait for '%s': %s", name, why);
}

static int expected_watch(dtrace_hdl_t *dtp, struct dt_expected *ex)
{
	return dt_arrival_by_name(dtp, &ex->arrival, ex->name) != 0 ? expected_fail(dtp, ex->name) : 0;
}

int dtrace_proc_expect(dtrace_hdl_t *dtp, const char *name)
{
	struct dt_expected *ex = calloc(1, sizeof(*ex) + strlen(name) + 1), **last;

	if (ex == NULL)
		return dt_set_errno(dtp, ENOMEM);
	strcpy(ex->name, name);
	if (expected_watch(dtp, ex) != 0) {
		free(ex);
		return -1;
	}
	for (last = &dtp->expected; *last != NULL; last = &(*last)->next)
		;
	*last = ex;
	return 0;
}

/* Out of the list; what it holds stays held by its watch. */
static void expected_free(dtrace_hdl_t *dtp, struct dt_expected *ex)
{
	for (struct dt_expected **at = &dtp->expected; *at != NULL; at = &(*at)->next)
		if (*at == ex) {
			*at = ex->next;
			break;
		}
	free(ex);
}

static struct dt_expected *expected_arrived(const dtrace_hdl_t *dtp)
{
	struct dt_expected *ex = dtp->expected;

	while (ex != NULL && ex->arrival.stage != DT_STAGE_ARRIVED)
		ex = ex->next;
	return ex;
}

/* One that ends on its way, as when a library is missing, is not the one. */
static bool expected_ended(const struct dt_arrival *arr)
{
	return arr->stage != DT_STAGE_NONE && arr->stage != DT_STAGE_ARRIVED &&
	       kill(arr->pid, 0) == -1 && errno == ESRCH;
}

static int expected_look(dtrace_hdl_t *dtp)
{
	for (struct dt_expected *ex = dtp->expected; ex != NULL; ex = ex->next)
		if (expected_ended(&ex->arrival)) {
			dt_arrival_drop(dtp, &ex->arrival);
			if (expected_watch(dtp, ex) != 0)
				return -1;
		}
	return 0;
}

struct ps_prochandle *dtrace_proc_await(dtrace_hdl_t *dtp)
{
	struct ps_prochandle *proc;
	struct dt_expected *ex;

	if (dtp->expected == NULL) {
		dt_set_errno(dtp, ESRCH);
		return NULL;
	}
	while ((ex = expected_arrived(dtp)) == NULL)
		if (!dt_hold_wait(dtp, LOOK_MS)) {
			dt_set_errno(dtp, errno);
			return NULL;
		} else if (expected_look(dtp) != 0) {
			return NULL;
		}
	proc = dtrace_proc_grab(dtp, ex->arrival.pid);
	if (proc != NULL)
		dt_arrival_hand_on(dtp, &ex->arrival, proc);
	else
		dt_arrival_drop(dtp, &ex->arrival);
	expected_free(dtp, ex);
	return proc;
}

void dt_expected_fini(dtrace_hdl_t *dtp)
{
	while (dtp->expected != NULL)
		expected_free(dtp, dtp->expected);
}
