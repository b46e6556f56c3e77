/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* signal.h - beginning and end of the destructive actions in signal.c. */
#ifndef DTRACE_PORT_SIGNAL_H
#define DTRACE_PORT_SIGNAL_H

/* signal_init - get ready, before the first firing. */
void signal_init(void);
/* signal_exit - wait for all that is still to be sent or logged. No firing can happen any more. */
void signal_exit(void);

#endif
