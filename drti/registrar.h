/* SPDX-License-Identifier: MIT */
/*
 * registrar.h - registers DOF at the helper device and at the doors of sessions (join.h), for drti
 * and for the library of probes at run time.
 *
 * Environment variables, which programs that run with another user's rights ignore:
 *	DTRACE_DOF_INIT_DEBUG		if set, print steps and errors on stderr
 *	DTRACE_DOF_INIT_DEVNAME		another device than /dev/dtrace/helper
 */
#ifndef DRTI_REGISTRAR_H
#define DRTI_REGISTRAR_H

#include <stddef.h>
#include "dofbuild.h"
#include "join.h"

/* A chunk of temporary memory, allocated without malloc. */
struct registrar_chunk;

/*
 * Allocate zeroed memory for dofbuild_init(). ctx is a struct registrar_chunk **, initially NULL.
 */
void *registrar_alloc(void *ctx, size_t size);
/* Free all memory that registrar_alloc() has allocated. */
void registrar_free(struct registrar_chunk *chunks);

struct registrar {
	int fd;	   /* of the device, or -1 */
	int error; /* then: why */
	struct join join;
};

/*
 * Open the device, and look for doors.
 *	instance an address in the program or library, always the same, by which sessions tell its
 *		registrations from others
 * Return false, with errno of the device, if there is neither; then only DOF that is kept can be
 * registered. The caller calls registrar_close() in any case.
 */
bool registrar_open(struct registrar *r, const void *instance);

/*
 * Let sessions know what has been registered and removed, which they learn now, and close what is
 * open. Wait until all sessions are done, for a limited time. errno is preserved.
 */
void registrar_close(struct registrar *r);

/*
 * Register the contents of b.
 *	size	returned by dofbuild_size(b)
 *	module	of the probes; "" stands for the name of the file that is mapped at their sites
 *	kept	size bytes of zeros for the DOF, which the caller keeps for later sessions; NULL: it
 *		is not kept
 * Return the registration, or -1 and errno as in dtrace/helper.h, or ENOMEM. Where there is no
 * device, only sessions know the registration.
 */
int registrar_add(struct dofbuild *b, size_t size, struct registrar *r, const char *module,
		  void *kept);

/*
 * Register the DOF of ustack helpers at its address, in the program or library for whose code it
 * is. data is the helper's arg3, or NULL. The result is that of registrar_add().
 */
int registrar_add_helper(struct registrar *r, const void *dof, const void *data);

/* Return whether only sessions know a registration. */
bool registrar_is_local(int registration);

/*
 * End a registration in the module. The caller notes its end for sessions (join_remove()). Return
 * 0, or -1 and errno: ENOENT, it does not exist; or that of opening the device, which has it.
 */
int registrar_remove(struct registrar *r, int registration);

#endif
