/* SPDX-License-Identifier: MIT */
inline int five = 5 6;
