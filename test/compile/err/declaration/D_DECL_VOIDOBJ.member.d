/* SPDX-License-Identifier: MIT */
struct s { void x; };
