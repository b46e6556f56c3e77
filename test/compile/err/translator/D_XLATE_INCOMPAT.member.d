/* SPDX-License-Identifier: MIT */
struct in { int x; };
typedef struct { string b; } out_t;
translator out_t < struct in *i > { b = i->x; };
