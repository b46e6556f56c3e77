/* SPDX-License-Identifier: MIT */
/* A header whose third line has a mistake. */
inline int eight = seven + 1;
