/* SPDX-License-Identifier: MIT */
char x[0x7fffffff];
