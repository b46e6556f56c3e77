/* SPDX-License-Identifier: MIT */
/* sites.h - make DOF of a provider with sites at any addresses. (sites.c) */
#ifndef ATTACK_SITES_H
#define ATTACK_SITES_H

#include <stdint.h>
#include "../../lib/dof.h"

/* A site; the sites of one probe are consecutive. sema: the address of its semaphore, or 0. */
struct site {
	const char *probe;
	uint64_t addr, sema;
};

/* sites_dof - make DOF for the address base, or for no address: 0. The caller frees its data. */
struct dof_bytes sites_dof(const char *provider, const struct site *sites, uint32_t n,
			   uint64_t base);

#endif
