/* SPDX-License-Identifier: MIT */
struct s { struct s next; };
