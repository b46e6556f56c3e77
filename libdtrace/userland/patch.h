/* SPDX-License-Identifier: MIT */
/*
 * patch.h - code for the probe sites of a process: switched on and off by one byte of the program.
 * (patch.c)
 *
 * A site that is on jumps to its trampoline, which calls the agent with the trampoline's number and
 * returns. The trampoline also executes the instruction of the site, unless that is a NOP. The
 * agent finds the index of the site in a table by that number. A trampoline keeps its number for
 * good, whichever sessions use it.
 *
 * To prepare sites, dtrace works in the process by a dt_remote. To switch them, it only writes to
 * the memory of the process, and no thread stops.
 *
 *	one byte	The first byte of a NOP becomes e9, and the rest of the NOP the distance of
 *			a jump. At its target, dtrace has mapped a page (codepage.h): the mirror
 *			page.
 *	all bytes	Where no page can be mapped there, a NOP of five bytes becomes a jump to the
 *			trampoline. Of an instruction, all bytes are written, so that there is a
 *			choice of pages. All threads are stopped by ptrace meanwhile.
 *
 * Nothing else in the process changes but the pages of code.
 */
#ifndef DT_USERLAND_PATCH_H
#define DT_USERLAND_PATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "remote.h"
#include "seize.h"

struct dt_patches;
struct agent_patch;

struct dt_patch_site {
	uint64_t pc;	  /* address as in records: include/dtrace/site.h */
	uint32_t index;	  /* the agent's number of the site; below 2^24, and best without gaps */
	uint64_t end;	  /* instructions extend up to this address; 0: unknown */
	uint64_t spare;	  /* bytes from end on that nothing uses */
	bool enabled;	  /* the code sets a register if it is traced: `31 c0` before pc */
	bool instruction; /* any instruction of the program */
};

/*
 * Report a site that cannot be prepared or switched.
 *	index	the site's
 *	error	a negative errno:
 *		-ENOENT		the code is not mapped any more, or another file is
 *		-EILSEQ		there is no code of a site
 *		-EOPNOTSUPP	the instruction cannot be moved
 *		-EBUSY		another tracer has patched it
 *		-ENOSPC		no page can be mapped where a jump would reach it
 *		others		an error of access to the process's memory
 *	why	a message without a full stop, valid during the call
 */
typedef void dt_patch_failed_f(void *arg, uint32_t index, int error, const char *why);

/*
 * Note how to undo a site if dtrace dies. It is called before the site is switched on, and again
 * after sites were switched. patch is valid during the call, and identifies the site by its
 * address. A noted site that is off has size 0.
 */
typedef void dt_patch_note_f(void *arg, const struct agent_patch *patch);

/*
 * Begin with a process without sites.
 *	memory	a descriptor of its memory, as dt_remote's memory() returns; it belongs to the
 *		patches
 *	hit	address of the agent's entry in the process. It is called with the number (agent.h)
 *		on the stack, and preserves all registers and flags.
 *	numbers	the table of n indices by number, which the process shares: each plus 1; 0: no site.
 *		It is all 0, and must exist as long as the patches.
 * Return 0 and set *patches, which dt_patch_close() frees. Or return -ENOMEM; memory is closed
 * then.
 */
int dt_patch_open(pid_t pid, int memory, uint64_t hit, uint32_t *numbers, uint32_t n,
		  struct dt_patches **patches);
/*
 * Prepare sites, which are off afterwards. Call func for each site that fails. A site whose address
 * was prepared before gets the new index. Return 0, also if some or all sites failed. Otherwise
 * return -ESRCH, -ENOMEM or another error of the remote; then the sites can be prepared again.
 */
int dt_patch_prepare(struct dt_patches *patches, struct dt_remote *remote,
		     const struct dt_patch_site *sites, size_t n, dt_patch_failed_f *func,
		     void *arg);
/* Return whether dt_patch_prepare() has switched off sites, which dt_patch_set() switches on. */
bool dt_patch_is_due(const struct dt_patches *patches);
/*
 * Switch n sites on or off. Call func for each site that fails and stays unchanged. note may be
 * NULL. Sites of adjacent instructions depend on each other: another prepared site may be switched
 * on too, and stay on longer. Sites whose code is not mapped any more are off; switching them off
 * succeeds.
 *	alone	the process has one thread, which is at work for dtrace and within none of the
 *		sites: sites of several bytes are written without stopping it
 * NOPs of five bytes require that no dt_remote by ptrace has begun, unless alone. Return 0, -ESRCH
 * or -ENOMEM.
 */
int dt_patch_set(struct dt_patches *patches, const uint32_t *indices, size_t n, bool on, bool alone,
		 dt_patch_failed_f *func, dt_patch_note_f *note, void *arg);
/*
 * Switch n sites off, and forget them: their indices may be used again. note may be NULL. Return 0,
 * also if the process has ended; or -ENOMEM without any effect.
 */
int dt_patch_forget(struct dt_patches *patches, const uint32_t *indices, size_t n,
		    dt_patch_note_f *note, void *arg);
/*
 * Return whether the bytes of a site that is on are still in memory. They are not if its file was
 * unmapped.
 */
bool dt_patch_is_there(const struct dt_patches *patches, uint32_t index);
/* Add 1 or -1 to a semaphore of a process, a uint16_t. Return 0 or a negative errno. */
int dt_patch_count(int memory, uint64_t addr, int change);
/*
 * Let a site that is on raise a semaphore. The semaphore is lowered when the site is switched off,
 * or gets another one. note may be NULL.
 *	addr	of the semaphore; 0: of none
 * Return 0 or a negative errno.
 */
int dt_patch_semaphore(struct dt_patches *patches, uint32_t index, uint64_t addr,
		       dt_patch_note_f *note, void *arg);
/* Switch all sites off. */
void dt_patch_off(struct dt_patches *patches);
/*
 * Restore the sites of a child that the process has forked while sites were on, and lower their
 * semaphores. The child's memory is a copy.
 *	memory	a descriptor of the child's memory; it stays open
 *
 * Sites of more than one byte are restored while the child's threads are stopped. If the threads
 * cannot be stopped, these sites stay as they are.
 */
void dt_patch_forked(struct dt_patches *patches, pid_t child, int memory);
/*
 * Switch all sites off, and free the patches. The pages of code stay in the process for the next
 * session, since a thread may be in them: codepage.h.
 */
void dt_patch_close(struct dt_patches *patches);

#endif
