/* SPDX-License-Identifier: MIT */
/* image.h - the agent's image, ready to be mapped into a process. (image.c) */
#ifndef DT_USERLAND_IMAGE_H
#define DT_USERLAND_IMAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "agent.h"

#define DT_IMAGE_NAME "dtrace-agent" /* of the memory file of its code */

/*
 * dt_image_sizes - set the sizes of the agent's code and data in bytes. Return false if this
 * library has no agent.
 */
bool dt_image_sizes(size_t *code, size_t *data);
/*
 * dt_image_copy - copy the agent's code, relocated to an address, to code, which has the size of
 * dt_image_sizes(). Set *entries to the entry addresses. Return 0 or a negative errno.
 */
int dt_image_copy(uint64_t address, void *code, struct agent_image *entries);
/*
 * dt_image_code - return a sealed memory file of the agent's code, relocated to an address, and set
 * *entries to the entry addresses. The caller closes it. Return a negative errno on error.
 */
int dt_image_code(uint64_t address, struct agent_image *entries);
/*
 * dt_image_data - copy the initial values of the agent's variables to the beginning of the region.
 */
void dt_image_data(void *region, uint64_t address);

#endif
