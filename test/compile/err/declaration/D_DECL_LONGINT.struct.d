/* SPDX-License-Identifier: MIT */
struct s { int a; };
long struct s v;
