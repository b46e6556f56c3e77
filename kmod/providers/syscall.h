/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* syscall.h - the syscall provider's start and end. */
#ifndef DTRACE_PROVIDERS_SYSCALL_H
#define DTRACE_PROVIDERS_SYSCALL_H

/* Register the provider. Return 0 or a negative errno: then nothing is left. May sleep. */
int systrace_init(void);
/* Unregister it. No session may be open. May sleep. */
void systrace_exit(void);

#endif
