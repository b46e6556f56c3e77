/* SPDX-License-Identifier: MIT */
/*
 * fuzz_sections.c - a consumer's DOF from a grammar of sections. The engine refuses it with a
 * reason, or runs it. Reading it takes time and memory in proportion to its size.
 */
#include "engine_session.h"
#include "grammar_dof.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct grammar_world world = {FUZZ_KERNEL, FUZZ_USER, FUZZ_AREA, false};
	struct choices c = {data, data + size};
	size_t len;
	void *dof = grammar_dof(&c, &world, 0, &len);

	engine_session_as(dof, len, DTRACE_PRIV_USER | DTRACE_PRIV_PROC, 2);
	free(dof);
	return 0;
}
