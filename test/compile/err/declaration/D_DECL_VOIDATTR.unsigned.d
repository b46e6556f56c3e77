/* SPDX-License-Identifier: MIT */
unsigned void *x;
