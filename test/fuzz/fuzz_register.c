/* SPDX-License-Identifier: MIT */
/*
 * fuzz_register.c - the DOF that a process registers, from a grammar: providers, probes, sites,
 * relocations that change anything, ustack helpers. The DOF is refused with a reason, or is valid.
 * Reading it takes time and memory in proportion to its size.
 */
#include "engine_session.h"
#include "grammar_dof.h"
#include "registration.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct grammar_world world = {FUZZ_USER, FUZZ_USER, FUZZ_AREA, true};
	struct choices c = {data, data + size};
	size_t len;
	void *dof = grammar_dof(&c, &world, REGISTRATION_BASE, &len);

	registration(dof, len);
	free(dof);
	return 0;
}
