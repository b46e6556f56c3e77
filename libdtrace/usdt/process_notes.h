/* SPDX-License-Identifier: MIT */
/* process_notes.h - sites of processes that only SystemTap's notes tell of. */
#ifndef DT_PROCESS_NOTES_H
#define DT_PROCESS_NOTES_H

#include <libelf.h>
#include "dofbuild.h"
#include "machine.h"

/*
 * dt_notes_build - add the sites of a file's notes to b.
 *	machine		of the file
 *	bias		what is added to the file's addresses in the process
 *	known, arg	tells whether a site is there already, by the address of its trap
 */
void dt_notes_build(struct dofbuild *b, const struct machine *machine, Elf *elf, uint64_t bias,
		    bool (*known)(void *arg, uint64_t pc), void *arg);

#endif
