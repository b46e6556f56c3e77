/* SPDX-License-Identifier: MIT */
/* needs c and a module and a provider that are there */
#pragma	D depends_on  library c.d
#pragma D depends_on module kernel
#pragma D depends_on provider dtrace
inline int b = c + 1;
