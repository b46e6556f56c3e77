/* SPDX-License-Identifier: MIT */
inline int f[static int a] = a;
