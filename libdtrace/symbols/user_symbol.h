/* SPDX-License-Identifier: MIT */
/* user_symbol.h - names of addresses of processes. (user_symbol.c) */
#ifndef DT_USER_SYMBOL_H
#define DT_USER_SYMBOL_H

#include "../handle.h"
#include "source.h"

struct dt_user;

/*
 * dt_user_watch - take note, from now on, of what all processes map: for those that end soon.
 * dt_user_know - and of what this one has mapped, which its children have from it.
 */
void dt_user_watch(dtrace_hdl_t *dtp);
void dt_user_know(dtrace_hdl_t *dtp, pid_t pid);
/* dt_user_work - do that: now and then, so that nothing is lost. */
void dt_user_work(dtrace_hdl_t *dtp);
/* dt_user_refresh - take note of what the process has mapped now, for the time when it is gone. */
void dt_user_refresh(dtrace_hdl_t *dtp, pid_t pid);
void dt_user_fini(struct dt_user *user);
/*
 * dt_user_symbol - object and function of an address of a process; false if it is not known. Texts
 * are valid until the handle closes.
 */
bool dt_user_symbol(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, const char **object,
		    const char **name, uint64_t *off);
/*
 * dt_user_lines - call func for each function that is inlined at an address of a process, the
 * innermost first, and for what contains them; false: no line is known.
 */
bool dt_user_lines(dtrace_hdl_t *dtp, pid_t pid, uint64_t addr, dt_line_f *func, void *ctx);

#endif
