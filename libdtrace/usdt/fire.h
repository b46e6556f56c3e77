/* SPDX-License-Identifier: MIT */
/*
 * fire.h - what firing a site in a stopped process needs of the machine: arguments in registers,
 * and steps. (fire_x86.c)
 */
#ifndef DT_FIRE_H
#define DT_FIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dtrace/dof.h>
#include <dtrace/limits.h>

/* A site of a process that is stopped under ptrace. Addresses are the process's. */
struct dt_fire_site {
	pid_t pid;
	uint64_t trap; /* where a tracer traps */
	unsigned int nargs;
	dof_argloc_t locs[DTRACE_USDT_MAXARGS]; /* with absolute addresses */
	uint64_t values[DTRACE_USDT_MAXARGS];	/* set by the call: what a tracer will read */
};

struct dt_fire_machine; /* registers as they were found */

/* Read the registers of a process. Return them for the caller to close, or NULL with errno. */
struct dt_fire_machine *dt_fire_open(pid_t pid);
/* Free; NULL is allowed. */
void dt_fire_close(struct dt_fire_machine *machine);
/*
 * Set registers and memory so that argument i has the value i + 1, or the only value that it can
 * have (a constant; a register that is the address of another argument), and set site->values. The
 * call writes to the process's memory, so the process cannot continue its program afterwards.
 * Return the number of an argument that cannot be read, or -1.
 */
int dt_fire_arrange(struct dt_fire_machine *machine, struct dt_fire_site *site);
/*
 * Execute the instructions of the site, and none behind them. Return NULL, or why that failed: a
 * constant text.
 */
const char *dt_fire_run(struct dt_fire_machine *machine, const struct dt_fire_site *site);

#endif
