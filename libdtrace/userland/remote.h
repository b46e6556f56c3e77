/* SPDX-License-Identifier: MIT */
/*
 * remote.h - work in another process: mappings, bytes of memory and calls.
 *
 * A process is at work for dtrace only between the beginning and end of a struct dt_remote. There
 * are two kinds: a thread of the process that ptrace has stopped (inject.c), and the constructor of
 * the start-up object, which carries out requests over a socket (door.c). Both do the same, so
 * callers need not know the kind.
 *
 * Results below 0 are negative errno, of a system call in the process or of dtrace's own. -ESRCH:
 * the process has ended.
 */
#ifndef DT_USERLAND_REMOTE_H
#define DT_USERLAND_REMOTE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct dt_remote;

struct dt_remote_ops {
	/*
	 * Map size bytes of the memory file fd, which is dtrace's own, from the given offset.
	 *	addr	address, or 0: the kernel chooses
	 *	prot	PROT_*; never both PROT_WRITE and PROT_EXEC
	 *	flags	MAP_SHARED or MAP_PRIVATE, and MAP_FIXED_NOREPLACE if it must be at addr
	 * Return the address. The process keeps no descriptor.
	 */
	int64_t (*map)(struct dt_remote *remote, uint64_t addr, uint64_t size, int prot, int flags,
		       int fd, uint64_t offset);
	/* Unmap size bytes at addr. Return 0. */
	int (*unmap)(struct dt_remote *remote, uint64_t addr, uint64_t size);
	/* Write n bytes at addr, also into read-only code. Return 0. */
	int (*write)(struct dt_remote *remote, uint64_t addr, const void *bytes, size_t n);
	/*
	 * Call a function in the process with two arguments, on a stack of the process, with all
	 * registers of the program preserved. The function must not wait for another thread of the
	 * process. Return its result, an int64_t, in *result, and 0.
	 */
	int (*call)(struct dt_remote *remote, uint64_t function, uint64_t arg0, uint64_t arg1,
		    int64_t *result);
	/*
	 * Return a descriptor of the memory of the process (/proc/PID/mem), open for reading and
	 * writing. It stays valid after end. The caller closes it.
	 */
	int (*memory)(struct dt_remote *remote);
	/* Let the process go on, and free the remote. */
	void (*end)(struct dt_remote *remote);
};

/* The beginning of the structure of each kind. */
struct dt_remote {
	const struct dt_remote_ops *ops;
	pid_t pid;
};

#endif
