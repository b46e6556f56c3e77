/* SPDX-License-Identifier: MIT */
/* site_x86_64.c - endbr64; the two NOPs of a site; ret; int3 to the end. */
#include "site.h"

const uint8_t site_code[SITE_SIZE] = {0xf3, 0x0f, 0x1e, 0xfa, 0x90, 0x66, 0x66, 0x66,
				      0x66, 0x90, 0xc3, 0xcc, 0xcc, 0xcc, 0xcc, 0xcc};
const uint8_t site_trap = 5;
const uint8_t site_args = DOF_REG_DI;
