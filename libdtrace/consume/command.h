/* SPDX-License-Identifier: MIT */
/* command.h - runs the commands of system(). (command.c) */
#ifndef DT_CONSUME_COMMAND_H
#define DT_CONSUME_COMMAND_H

#include "../libdtrace.h"

/*
 * Call func(arg), which runs a command and waits for its end, in another thread, and let the
 * handle's world work meanwhile: programs that the command starts may wait for the session to join
 * them. func may not use the handle. Returns when func has returned.
 */
void dt_command_wait(dtrace_hdl_t *dtp, void (*func)(void *arg), void *arg);

#endif
