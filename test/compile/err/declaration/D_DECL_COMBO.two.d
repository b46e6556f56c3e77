/* SPDX-License-Identifier: MIT */
int char x;
