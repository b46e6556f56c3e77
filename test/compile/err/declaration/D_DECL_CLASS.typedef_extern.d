/* SPDX-License-Identifier: MIT */
typedef extern int x;
