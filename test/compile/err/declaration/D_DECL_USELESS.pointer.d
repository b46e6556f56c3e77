/* SPDX-License-Identifier: MIT */
int *;
