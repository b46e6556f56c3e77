/* SPDX-License-Identifier: MIT */
/* needs b, which is read later */
#pragma D depends_on library b.d
inline int a = b + 1;
