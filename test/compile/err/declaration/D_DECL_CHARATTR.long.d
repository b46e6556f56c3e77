/* SPDX-License-Identifier: MIT */
long char x;
