/* SPDX-License-Identifier: MIT */
struct s { int a[3], y; };
struct s g[2];
BEGIN { g[1].a[3] = 9; }
