/* SPDX-License-Identifier: MIT */
enum e { ONE = 0x7fffffff, TWO };
