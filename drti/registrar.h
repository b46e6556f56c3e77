/* SPDX-License-Identifier: MIT */
/*
 * registrar.h - takes the DOF that was built to the helper device, and takes it back: what drti and
 * the library for probes at run time share.
 *
 * Environment, of which programs that run with another user's rights take no notice:
 *	DTRACE_DOF_INIT_DEBUG		set: say on stderr what is done and what fails
 *	DTRACE_DOF_INIT_DEVNAME		another device than /dev/dtrace/helper
 */
#ifndef DRTI_REGISTRAR_H
#define DRTI_REGISTRAR_H

#include <stddef.h>
#include "dofbuild.h"

/* Memory for the time of building, of no malloc. */
struct registrar_piece;

/* For dofbuild_init: zeroed memory; ctx is a struct registrar_piece **, which begins as NULL. */
void *registrar_alloc(void *ctx, size_t size);
/* Give back all that registrar_alloc gave. */
void registrar_free(struct registrar_piece *pieces);

/* Open the device; -1 and errno if it is not there or may not be opened. */
int registrar_open(void);

/*
 * Register what b describes.
 *	fd	of registrar_open
 *	module	of the probes; "": the name of the file that is mapped at their sites
 * Returns the registration, or -1 and errno as in dtrace/helper.h, ENOMEM if there was no memory.
 */
int registrar_add(struct dofbuild *b, int fd, const char *module);

/*
 * Register DOF of ustack helpers where it is, in the program or library whose text the helper is
 * for; data: what the helper is given as arg3, or NULL. Likewise.
 */
int registrar_add_helper(int fd, const void *dof, const void *data);

/* End a registration. Returns 0, or -1 and errno: ENOENT, there is none. */
int registrar_remove(int fd, int registration);

/* With DTRACE_DOF_INIT_DEBUG: a line on stderr of the texts and the number. */
void registrar_say(const char *what, const char *which, const char *unit, unsigned long number);

#endif
