/* SPDX-License-Identifier: MIT */
auto int x;
