/* SPDX-License-Identifier: MIT */
/*
 * fuzz_helper.c - any bytes as the DOF that a process registers. The engine refuses it with a
 * reason, or all that it reads from it is valid. A ustack helper in the DOF runs without harm.
 */
#include "registration.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	registration(data, size);
	return 0;
}
