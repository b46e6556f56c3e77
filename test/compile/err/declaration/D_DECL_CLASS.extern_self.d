/* SPDX-License-Identifier: MIT */
extern self int x;
