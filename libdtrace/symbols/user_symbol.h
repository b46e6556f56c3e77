/* SPDX-License-Identifier: MIT */
/* user_symbol.h - names of addresses of processes. (user_symbol.c) */
#ifndef DT_USER_SYMBOL_H
#define DT_USER_SYMBOL_H

#include "../handle.h"
#include "source.h"

struct dt_user;

/*
 * Begin to note what all processes map, so that addresses of processes that end soon have names.
 * Without the right to such events, only those processes are known of which dt_user_know() and
 * dt_user_child() tell.
 */
void dt_user_follow(dtrace_hdl_t *dtp);
/* Note what a process has mapped, which its children inherit. */
void dt_user_know(dtrace_hdl_t *dtp, pid_t pid);
/* Note that a process, which may have ended, has been forked from another one. */
void dt_user_child(dtrace_hdl_t *dtp, pid_t pid, pid_t parent);
/* Read the events that have come since, before their buffers are full. */
void dt_user_work(dtrace_hdl_t *dtp);
/* Read what a process maps now, for the time after its end. */
void dt_user_refresh(dtrace_hdl_t *dtp, pid_t pid);
/*
 * Set *object and *name to the file and function of an address, and *off to the bytes from the
 * function's start. *name is NULL if only the file is known. Return false if the file is not known.
 * The strings are valid until the handle closes.
 */
bool dt_user_symbol(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, const char **object,
		    const char **name, uint64_t *off);
/*
 * Call func with ctx for each function that is inlined at an address, the innermost first, then for
 * the function that contains them. Return false if no source line is known.
 */
bool dt_user_lines(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, dt_line_f *func, void *ctx);
/* Free all names; NULL is allowed. */
void dt_user_fini(struct dt_user *user);

#endif
