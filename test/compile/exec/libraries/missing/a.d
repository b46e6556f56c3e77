/* SPDX-License-Identifier: MIT */
/* needs what is nowhere */
#pragma D depends_on library nowhere.d
inline int a = 1;
