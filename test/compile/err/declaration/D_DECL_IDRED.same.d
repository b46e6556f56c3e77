/* SPDX-License-Identifier: MIT */
typedef int t;
typedef int t;
