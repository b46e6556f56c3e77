/* SPDX-License-Identifier: MIT */
/* needs nothing */
inline int c = 1;
