/* SPDX-License-Identifier: MIT */
/* wait.c - waits for processes by the names of their programs (option -W), several at once. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include "startup.h"
#include "stop.h"

#define LOOK_MS 20 /* how often to see whether a process has ended on its way */

/* A process that is waited for. */
struct dt_awaited {
	struct dt_awaited *next;
	struct dt_startup startup;
	char name[];
};

/* Wait for the next process of that name. Return 0, or -1 with EDT_PROC and a message. */
static int awaited_start(dtrace_hdl_t *dtp, struct dt_awaited *awaited)
{
	const char *why;
	char message[320];
	pid_t pid;

	if (dt_startup_by_name(dtp, &awaited->startup, awaited->name) == 0)
		return 0;
	why = errno == EINVAL ? "a name of a program is needed" : strerror(errno);
	if (dt_world_complaint(dtp, &pid, message, sizeof(message)))
		why = message;
	if (dt_world_lacks_processes(dtp))
		why = dt_world_lacks_processes(dtp);
	return dt_set_error(dtp, EDT_PROC, "cannot wait for '%s': %s", awaited->name, why);
}

int dtrace_proc_expect(dtrace_hdl_t *dtp, const char *name)
{
	struct dt_awaited *awaited = calloc(1, sizeof(*awaited) + strlen(name) + 1), **last;

	if (!awaited)
		return dt_set_errno(dtp, ENOMEM);
	strcpy(awaited->name, name);
	if (awaited_start(dtp, awaited) != 0) {
		free(awaited);
		return -1;
	}
	for (last = &dtp->awaited; *last; last = &(*last)->next)
		;
	*last = awaited;
	return 0;
}

/* Remove from the list, and free. A stopped process stays stopped by its stop point. */
static void awaited_free(dtrace_hdl_t *dtp, struct dt_awaited *awaited)
{
	for (struct dt_awaited **at = &dtp->awaited; *at; at = &(*at)->next)
		if (*at == awaited) {
			*at = awaited->next;
			break;
		}
	free(awaited);
}

/* Wait again for the name of each process that ended on its way, as when a library is missing. */
static int awaited_look(dtrace_hdl_t *dtp)
{
	for (struct dt_awaited *awaited = dtp->awaited; awaited; awaited = awaited->next) {
		const struct dt_startup *startup = &awaited->startup;

		if (startup->stage == DT_STAGE_NONE || startup->stage == DT_STAGE_READY ||
		    kill(startup->pid, 0) == 0 || errno != ESRCH)
			continue;
		dt_startup_end(dtp, &awaited->startup);
		if (awaited_start(dtp, awaited) != 0)
			return -1;
	}
	return 0;
}

struct ps_prochandle *dtrace_proc_await(dtrace_hdl_t *dtp)
{
	struct dt_awaited *awaited;
	struct ps_prochandle *proc;

	if (!dtp->awaited) {
		dt_set_errno(dtp, ESRCH);
		return NULL;
	}
	for (;;) {
		for (awaited = dtp->awaited; awaited; awaited = awaited->next)
			if (awaited->startup.stage == DT_STAGE_READY)
				break;
		if (awaited)
			break;
		if (!dt_stop_wait(dtp, LOOK_MS)) {
			dt_set_errno(dtp, errno);
			return NULL;
		}
		if (awaited_look(dtp) != 0)
			return NULL;
	}
	proc = dtrace_proc_grab(dtp, awaited->startup.pid);
	if (proc)
		dt_startup_hand_over(dtp, &awaited->startup, proc);
	else
		dt_startup_end(dtp, &awaited->startup);
	awaited_free(dtp, awaited);
	return proc;
}

void dt_wait_fini(dtrace_hdl_t *dtp)
{
	while (dtp->awaited)
		awaited_free(dtp, dtp->awaited);
}
