/* SPDX-License-Identifier: MIT */
signed double x;
