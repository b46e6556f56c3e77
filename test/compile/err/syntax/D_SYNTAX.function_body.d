/* SPDX-License-Identifier: MIT */
# 3 "functions.h"
int f(void) {
	if (1) {
	}
