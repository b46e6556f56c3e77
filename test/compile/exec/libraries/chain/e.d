/* SPDX-License-Identifier: MIT */
/* needs a library that is left out: it is left out as well */
#pragma D depends_on library d.d
inline int e = d;
