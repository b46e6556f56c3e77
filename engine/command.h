/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * command.h - carries out the requests of <dtrace/ioctl.h>, which come from another address space
 * or from the same one: port_copy_in() and port_copy_out() know. (command.c)
 *
 * The engine takes its own locks, so that several threads may use a session. Data of the caller is
 * copied before it is checked.
 */
#ifndef DTRACE_ENGINE_COMMAND_H
#define DTRACE_ENGINE_COMMAND_H

#include "engine.h"

/*
 * The operations by which a session uses the system that opened it. Called without locks. All may
 * sleep.
 */
struct dtrace_command_ops {
	const char *release; /* version of the system, for DTRACEIOC_CONF */
	/* catch_up - bring probes up to date, before they are listed or matched. */
	void (*catch_up)(void);
	/* enabled - wait until what an enabling has begun is carried out. */
	void (*enabled)(void);
	/* started - begin the periodic work of a session whose dtrace_state_go() has succeeded. */
	void (*started)(void *session);
	/* policy - carry out DTRACEIOC_POLICY. 0 or a negative errno. */
	int (*policy)(const dtrace_policy_t *policy);
};

/*
 * dtrace_command - carry out a request for a session.
 *	session	what ops gets
 *	request	DTRACEIOC_*
 *	address	of its structure, for port_copy_in() and port_copy_out(). It is written after errors
 *		too, since some members explain the error
 * Return 0; -ENOTTY: there is no such request; -EFAULT; -ENOMEM; or an error of the request. May
 * sleep; no lock is held.
 */
int dtrace_command(const struct dtrace_command_ops *ops, void *session, dtrace_state_t *state,
		   unsigned int request, uint64_t address);

#endif
