/* SPDX-License-Identifier: MIT */
/* needs a provider that nobody has: it is left out */
#pragma D depends_on provider nosuchprovider
inline int d = 1;
