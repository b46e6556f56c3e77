/* SPDX-License-Identifier: MIT */
int f(void) {
	if (1) {
	}
