/* SPDX-License-Identifier: MIT */
/* access.h - why a process cannot be joined: for seize.c and inject.c. (access.c) */
#ifndef DT_USERLAND_ACCESS_H
#define DT_USERLAND_ACCESS_H

#include <stddef.h>
#include <sys/types.h>

/* Write a reason to why[DT_WHYLEN], with question marks for control characters. Return error. */
int dt_why(char *why, int error, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Return the thread that traces a thread of a process, 0 if there is none. */
pid_t dt_tracer(pid_t pid, pid_t tid);
/*
 * Write to why[DT_WHYLEN] why the kernel has refused to let the caller trace a thread of a process.
 * Return a negative errno.
 */
int dt_access_denied(pid_t pid, pid_t tid, char *why);

#endif
