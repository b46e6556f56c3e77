/* SPDX-License-Identifier: MIT */
long long double x;
