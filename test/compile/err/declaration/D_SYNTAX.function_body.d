/* SPDX-License-Identifier: MIT */
int f(int a) { return a + 1; }
BEGIN { exit(0); }
