/* SPDX-License-Identifier: MIT */
struct s { int a; };
unsigned struct s v;
