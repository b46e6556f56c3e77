/* SPDX-License-Identifier: MIT */
/*
 * fuzz_helper.c - any bytes as the DOF that a process registers: refused with a reason, or
 * everything it gives is sound; and a ustack helper in it runs, and harms nobody.
 */
#include "registration.h"
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *copy = malloc(size ? size : 1);	/* of its own, so that reading past it is seen */

	if (size)
		memcpy(copy, data, size);
	registration(copy, size);
	free(copy);
	return 0;
}
