/* SPDX-License-Identifier: MIT */
struct in { int x; };
typedef struct { int size; } out_t;
translator out_t < struct in *i > { sizes = i->x; };

BEGIN
{
}
