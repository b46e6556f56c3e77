/* SPDX-License-Identifier: MIT */
typedef struct { int a; } s_t;
unsigned s_t v;
