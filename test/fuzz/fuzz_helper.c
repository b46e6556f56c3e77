/* SPDX-License-Identifier: MIT */
/*
 * fuzz_helper.c - any bytes as the DOF that a process registers: refused with a reason, or
 * everything it gives is sound; and a ustack helper in it runs, and harms nobody.
 */
#include "registration.h"
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	registration(data, size);
	return 0;
}
