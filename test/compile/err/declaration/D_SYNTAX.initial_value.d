/* SPDX-License-Identifier: MIT */
int x = 5;
BEGIN { exit(0); }
