/* SPDX-License-Identifier: MIT */
/* texts.h - the text of the object that has a ustack helper. (texts.c) */
#ifndef DT_USERLAND_TEXTS_H
#define DT_USERLAND_TEXTS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include "agent.h"

/*
 * Find the text of an object in a process: the executable mappings in a run of mappings of one file, as the loader
 * has put them, which has an address. Return their number, 0 if there is no such object.
 */
uint32_t dt_texts(pid_t pid, uint64_t addr, struct agent_text texts[DTRACE_UHELP_MAXTEXTS]);

#endif
