/* SPDX-License-Identifier: MIT */
/* needs a */
#pragma D depends_on library a.d
inline int b = 1;
