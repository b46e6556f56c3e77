/* SPDX-License-Identifier: MIT */
struct s { int x : 0; };
