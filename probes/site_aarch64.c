/* SPDX-License-Identifier: MIT */
/* site_aarch64.c - bti c; the two NOPs of a site; ret. */
#include "site.h"

const uint8_t site_code[SITE_SIZE] = {0x5f, 0x24, 0x03, 0xd5, 0x1f, 0x20, 0x03, 0xd5,
				      0x1f, 0x20, 0x03, 0xd5, 0xc0, 0x03, 0x5f, 0xd6};
const uint8_t site_trap = 8;
const uint8_t site_args = 0; /* x0 */
