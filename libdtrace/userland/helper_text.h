/* SPDX-License-Identifier: MIT */
/* helper_text.h - finds the code of the object that has a ustack helper. (helper_text.c) */
#ifndef DT_USERLAND_HELPER_TEXT_H
#define DT_USERLAND_HELPER_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent.h"

/*
 * Find the code of the object at an address in a process: its executable mappings in a run of
 * mappings of one file, as the loader makes them. Return their number, 0 if there is no such
 * object.
 */
uint32_t dt_helper_text(pid_t pid, uint64_t addr, struct agent_text texts[DTRACE_UHELP_MAXTEXTS]);

#endif
