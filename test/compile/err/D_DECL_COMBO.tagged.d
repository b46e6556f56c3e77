/* SPDX-License-Identifier: MIT */
struct s { int x; };
unsigned struct s y;
