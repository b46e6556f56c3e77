/* SPDX-License-Identifier: MIT */
/* procfs.h - reads facts about processes from /proc. (procfs.c) */
#ifndef DT_PROCFS_H
#define DT_PROCFS_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/*
 * Read a small file of /proc into text, with a NUL. The path is formatted as by printf(). Return
 * the number of bytes, 0 if the file cannot be read.
 */
size_t dt_proc_read(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * Open a file in /proc/PID that shows the memory, the files or the program of a process. If its
 * main thread has ended, open that of another thread. The name is formatted as by printf(). Return
 * a descriptor, which the caller closes and execs close, or -1 with errno.
 */
int dt_proc_open(pid_t pid, int flags, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/*
 * List the threads of a process, or all processes if pid is 0. Return a list, which dt_proc_end()
 * frees; NULL: the process has ended.
 */
DIR *dt_proc_list(pid_t pid);
/* Return the next number of a list, 0 after the last one and for NULL. */
pid_t dt_proc_next(DIR *list);
/* Free a list or NULL. */
void dt_proc_end(DIR *list);
/*
 * Return a numeric field of /proc/PID/stat by its number in proc(5), from 3 on; 0 if it cannot be
 * read.
 */
uint64_t dt_proc_stat(pid_t pid, int field);
#define DT_PROC_PARENT	    4
#define DT_PROC_START	    22 /* time at which the process started */
#define DT_PROC_STACK	    28 /* address of the bottom of the stack */
#define DT_PROC_EXIT_SIGNAL 38 /* -1: it is not the main thread */
#define DT_PROC_HEAP	    47 /* address at which the heap begins */
/* Set *uid to the owner of /proc/PID. Return 0, -ESRCH, or another negative errno. */
int dt_proc_owner(pid_t pid, uid_t *uid);
/*
 * Return whether the kernel denies the caller access to the memory of a process: the process is not
 * dumpable, has more privileges, or belongs to another user.
 */
bool dt_proc_hides(pid_t pid);
/*
 * Return the inode of the PID namespace of a process; 0 for the initial namespace, or if it cannot
 * be read. pid 0: the caller.
 */
uint32_t dt_proc_namespace(pid_t pid);
/* Return whether the numbers in /proc are those of another PID namespace than the caller's. */
bool dt_proc_is_foreign(void);
/* Return whether the caller's system calls are filtered: the filter may answer with EPERM. */
bool dt_proc_is_filtered(void);
#define DT_FILTER_FORBIDS(call)     \
	"dtrace may not call " call \
	": have the filter of system calls (seccomp) of the container permit it"

#endif
