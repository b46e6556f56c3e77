/* SPDX-License-Identifier: MIT */
/* access.h - checks whether dtrace may trace a process, for those that join it. (access.c) */
#ifndef DT_USERLAND_ACCESS_H
#define DT_USERLAND_ACCESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* Write a reason to why[DT_WHYLEN]. Control characters become question marks. Return error. */
int dt_why(char *why, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/*
 * Write to why[DT_WHYLEN] that something failed with a negative errno, and what the user can do.
 * Return the errno.
 */
int dt_why_errno(char *why, int error, const char *what);
/*
 * Write to why[DT_WHYLEN] which limit of memory a process has reached. Return -ENOMEM.
 *	size	bytes of address space that it needs, own of them not shared
 */
int dt_why_memory(char *why, pid_t pid, const char *what, uint64_t size, uint64_t own);
/* Return the tracer of a thread, 0 if it has none. */
pid_t dt_tracer(pid_t pid, pid_t tid);
/*
 * Write to why[DT_WHYLEN] why the kernel does not permit the caller to trace a thread. Return a
 * negative errno.
 */
int dt_access_denied(pid_t pid, pid_t tid, char *why);
/*
 * Return the number of filters of system calls (seccomp) that a process shares with dtrace, as in a
 * container: the filters of their last common ancestor. Return 0 without such filters, if dtrace
 * has filters of its own, or if the number is unknown.
 */
long dt_access_filters(pid_t pid);
/* Return whether a thread has another number of filters than none or shared. */
bool dt_access_filtered(pid_t pid, long shared);

#endif
