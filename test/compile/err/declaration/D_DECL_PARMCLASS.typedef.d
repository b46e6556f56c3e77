/* SPDX-License-Identifier: MIT */
int f(static int x);
