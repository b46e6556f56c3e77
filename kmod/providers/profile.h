/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* profile.h - the profile provider: probes that fire by the clock. */
#ifndef DTRACE_PROVIDERS_PROFILE_H
#define DTRACE_PROVIDERS_PROFILE_H

int profile_init(void);
/* profile_exit - no session is left. */
void profile_exit(void);

#endif
