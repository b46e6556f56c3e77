/* SPDX-License-Identifier: MIT */
/* profile.h - the provider profile of the user world. (profile.c) */
#ifndef DT_USERLAND_PROFILE_H
#define DT_USERLAND_PROFILE_H

/* dt_profile_init - register the provider with the engine. Return 0 or a negative errno. */
int dt_profile_init(void);
/* dt_profile_fini - unregister the provider. No session may exist. */
void dt_profile_fini(void);

#endif
