// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * main.c - the beginning and the end of dtrace.ko.
 *
 * Devices begin last and end first. An open file holds the module, so that there are no sessions
 * when the module ends. The registrations of processes are dropped; their programs go on.
 */
#include <linux/module.h>

#include "dev/dev.h"
#include "engine.h"
#include "permission.h"
#include "process/stop.h"
#include "providers/provider.h"

static const struct part {
	const char *name;
	int (*init)(void);
	void (*exit)(void);
} parts[] = {
	{"port", port_init, port_exit},
	{"policy", permission_init, permission_exit},
	{"engine", dtrace_engine_init, dtrace_engine_fini},
	{"stopping threads", stop_init, stop_exit},
	{"providers", providers_init, providers_exit},
	{"/proc/dtrace", procfs_init, procfs_exit},
	{"devices of providers", providers_devices_init, providers_devices_exit},
	{"/dev/dtrace/dtrace", device_init, device_exit},
};

/* End the first n parts, the last one first. */
static void parts_exit(unsigned int n)
{
	while (n--)
		parts[n].exit();
}

static int __init dtrace_init(void)
{
	unsigned int i;
	int error;

	for (i = 0; i < ARRAY_SIZE(parts); i++) {
		error = parts[i].init();
		if (error) {
			pr_err("dtrace: %s cannot start (error %d)\n", parts[i].name, error);
			parts_exit(i);
			return error;
		}
	}
	return 0;
}

static void __exit dtrace_exit(void)
{
	parts_exit(ARRAY_SIZE(parts));
}

/* ---- limits of users: /sys/module/dtrace/parameters ---- */

#define USER_LIMIT(name, res, text)                                         \
	module_param_named(name, dtrace_account_limits[res], ullong, 0644); \
	MODULE_PARM_DESC(name, text " that one user may hold (0 when loading: the default)")

USER_LIMIT(user_sessions, DTRACE_RES_SESSIONS, "sessions");
USER_LIMIT(user_memory, DTRACE_RES_MEMORY, "bytes of memory of sessions");
USER_LIMIT(user_registrations, DTRACE_RES_REGISTRATIONS, "registrations of programs");
USER_LIMIT(user_sites, DTRACE_RES_SITES, "sites of probes of programs");
USER_LIMIT(user_probes, DTRACE_RES_PROBES, "probes of programs");
USER_LIMIT(user_registration_memory, DTRACE_RES_BYTES, "bytes of memory of registrations");
USER_LIMIT(user_unwound, DTRACE_RES_UNWOUND, "processes with unwind tables");
USER_LIMIT(user_instructions, DTRACE_RES_INSTRUCTIONS, "enabled probes at single instructions");
USER_LIMIT(user_interrupts, DTRACE_RES_INTERRUPTS,
	   "interrupts a second on each CPU by timed probes");
USER_LIMIT(user_stop_points, DTRACE_RES_STOP_POINTS, "addresses at which threads stop");

module_param_named(user_interrupt_share, dtrace_account_share, uint, 0644);
MODULE_PARM_DESC(user_interrupt_share,
		 "percent of a CPU's time that timed probes may take from it for one user, ustack "
		 "helpers in interrupts for the processes of one user, and requests of a user that "
		 "interrupt it (1 at least)");

module_param_named(user_clauses, dtrace_account_clauses, uint, 0644);
MODULE_PARM_DESC(user_clauses, "clauses that all sessions of one user may have on a probe");

module_param_named(user_rows, dtrace_account_rows, uint, 0644);
MODULE_PARM_DESC(user_rows, "rows of clauses of one session that one user may have on a probe");

module_init(dtrace_init);
module_exit(dtrace_exit);

MODULE_DESCRIPTION("Dynamic tracing");
MODULE_AUTHOR("The DTrace for Linux project");
MODULE_LICENSE("Dual MIT/GPL");
MODULE_VERSION("0.1.0");
