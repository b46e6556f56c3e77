/* SPDX-License-Identifier: MIT */
int f(void x);
