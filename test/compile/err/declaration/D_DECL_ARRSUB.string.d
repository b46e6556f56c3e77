/* SPDX-License-Identifier: MIT */
int x["a"];
