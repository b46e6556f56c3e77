/* SPDX-License-Identifier: MIT */
struct s { long long x : 65; };
