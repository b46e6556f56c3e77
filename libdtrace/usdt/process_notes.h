/* SPDX-License-Identifier: MIT */
/* process_notes.h - sites of processes that have only SystemTap's notes. (process_notes.c) */
#ifndef DT_PROCESS_NOTES_H
#define DT_PROCESS_NOTES_H

#include <libelf.h>
#include "dofbuild.h"
#include "machine.h"

/*
 * Add the sites of a file's notes to b.
 *	machine		of the file
 *	bias		what is added to the file's addresses in the process
 *	known, arg	return whether a site is known already, by the address of its trap
 */
void dt_notes_build(struct dofbuild *b, const struct machine *machine, Elf *elf, uint64_t bias,
		    bool (*known)(void *arg, uint64_t pc), void *arg);

#endif
