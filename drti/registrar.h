/* SPDX-License-Identifier: MIT */
/*
 * registrar.h - registers DOF at the helper device, for drti and for the library of probes at run
 * time.
 *
 * Environment variables, which programs that run with another user's rights ignore:
 *	DTRACE_DOF_INIT_DEBUG		if set, print steps and errors on stderr
 *	DTRACE_DOF_INIT_DEVNAME		another device than /dev/dtrace/helper
 */
#ifndef DRTI_REGISTRAR_H
#define DRTI_REGISTRAR_H

#include <stddef.h>
#include "dofbuild.h"

/* A chunk of temporary memory, allocated without malloc. */
struct registrar_chunk;

/*
 * Allocate zeroed memory for dofbuild_init(). ctx is a struct registrar_chunk **, initially NULL.
 */
void *registrar_alloc(void *ctx, size_t size);
/* Free all memory that registrar_alloc() has allocated. */
void registrar_free(struct registrar_chunk *chunks);

/* Open the device. Return -1 and errno if it does not exist or may not be opened. */
int registrar_open(void);

/*
 * Register the contents of b at the device fd. module is the module of the probes; "" stands for
 * the name of the file that is mapped at their sites. Return the registration, or -1 and errno as
 * in dtrace/helper.h, or ENOMEM.
 */
int registrar_add(struct dofbuild *b, int fd, const char *module);

/*
 * Register the DOF of ustack helpers at its address, in the program or library for whose code it
 * is. data is the helper's arg3, or NULL. The result is that of registrar_add().
 */
int registrar_add_helper(int fd, const void *dof, const void *data);

/* End a registration. Return 0, or -1 and errno: ENOENT, it does not exist. */
int registrar_remove(int fd, int registration);

/* With DTRACE_DOF_INIT_DEBUG, print a line with the texts and the number on stderr. */
void registrar_say(const char *what, const char *which, const char *unit, unsigned long number);

#endif
