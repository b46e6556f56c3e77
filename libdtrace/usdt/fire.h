/* SPDX-License-Identifier: MIT */
/*
 * fire.h - what firing a site in a stopped process asks of the machine: registers with arguments in
 * them, and steps. (fire_x86.c)
 */
#ifndef DT_FIRE_H
#define DT_FIRE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <dtrace/dof.h>
#include <dtrace/limits.h>

/* A site of a process that is stopped under ptrace; addresses are the process's. */
struct dt_fire_site {
	pid_t pid;
	uint64_t trap; /* where a tracer traps */
	unsigned int nargs;
	dof_argloc_t locs[DTRACE_USDT_MAXARGS]; /* places relative to nothing */
	uint64_t values[DTRACE_USDT_MAXARGS];	/* set: what a tracer will read */
};

struct dt_fire_machine; /* registers as they were found */

/* dt_fire_open - look at the registers; NULL and errno. dt_fire_close - free; NULL is fine. */
struct dt_fire_machine *dt_fire_open(pid_t pid);
void dt_fire_close(struct dt_fire_machine *machine);
/*
 * dt_fire_arrange - set registers and memory so that argument i has the value i + 1, or whatever it
 * has to have (a constant; a register that is the address of another argument), and set
 * site->values. Memory of the process is written to: it cannot go on as if nothing had been.
 * Returns the number of an argument that cannot be read, or -1.
 */
int dt_fire_arrange(struct dt_fire_machine *machine, struct dt_fire_site *site);
/*
 * dt_fire_run - carry out the instructions of the site, and none behind them. NULL, or why it did
 * not work: a text that needs not be freed.
 */
const char *dt_fire_run(struct dt_fire_machine *machine, const struct dt_fire_site *site);

#endif
