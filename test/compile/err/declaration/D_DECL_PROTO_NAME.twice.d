/* SPDX-License-Identifier: MIT */
int f(int a, char a);
