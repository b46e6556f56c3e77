/* SPDX-License-Identifier: MIT */
int a[0];
