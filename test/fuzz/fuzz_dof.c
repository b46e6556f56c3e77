/* SPDX-License-Identifier: MIT */
/* fuzz_dof.c - any bytes as the DOF of a consumer: refused with a reason, or run. */
#include "engine_session.h"
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	void *copy = malloc(size ? size : 1); /* so that the sanitizer sees reads past it */

	if (size)
		memcpy(copy, data, size);
	engine_session(copy, size);
	free(copy);
	return 0;
}
