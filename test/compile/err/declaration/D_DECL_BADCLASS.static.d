/* SPDX-License-Identifier: MIT */
static int x;
