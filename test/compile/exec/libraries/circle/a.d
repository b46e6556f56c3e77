/* SPDX-License-Identifier: MIT */
/* needs b */
#pragma D depends_on library b.d
inline int a = 1;
