/* SPDX-License-Identifier: MIT */
BEGIN { s = "abc"; bcopy("xy", &s[1], 2); }
