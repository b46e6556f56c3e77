/* SPDX-License-Identifier: MIT */
/* procfs.h - what /proc tells of processes. (procfs.c) */
#ifndef DT_USERLAND_PROCFS_H
#define DT_USERLAND_PROCFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a small file of /proc, whose path is made as by printf(), to text, with a NUL. Return the
 * number of bytes, 0 if it cannot be read.
 */
size_t dt_proc_read(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Return a field of /proc/PID/stat by its number in proc(5), from 3 on, that is a number; 0 if it cannot be
 * read.
 */
uint64_t dt_proc_stat(pid_t pid, int field);
#define DT_PROC_PARENT 4
#define DT_PROC_STACK  28 /* where the stack of the program began */
/*
 * Find the owner of a process's folder, its user. Return 0 and set *uid; or -ESRCH, or another negative
 * errno.
 */
int dt_proc_owner(pid_t pid, uid_t *uid);
/*
 * Return whether the kernel hides the memory of a process from the caller: the process is not dumpable, has more
 * rights, or is another user's.
 */
bool dt_proc_hides(pid_t pid);
/*
 * Return the inode of the PID namespace of a process, 0 if it is the first or cannot be seen. pid: 0 for
 * the caller's own process.
 */
uint32_t dt_proc_namespace(pid_t pid);

#endif
