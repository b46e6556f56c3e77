/* SPDX-License-Identifier: MIT */
/* sites.h - DOF of a provider whose sites lie anywhere. (sites.c) */
#ifndef ATTACK_SITES_H
#define ATTACK_SITES_H

#include <stdint.h>
#include "../../lib/dof.h"

/* A site; those of one probe follow each other. sema: the address of its semaphore, or 0. */
struct site {
	const char *probe;
	uint64_t addr, sema;
};

/* sites_dof - make the DOF that is to be at the address base, or 0 for that of nothing. Free its data. */
struct dof_bytes sites_dof(const char *provider, const struct site *sites, uint32_t n, uint64_t base);

#endif
