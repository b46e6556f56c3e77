/* SPDX-License-Identifier: MIT */
/* needs a provider that does not exist: it is left out */
#pragma D depends_on provider nosuchprovider
inline int d = 1;
