/* SPDX-License-Identifier: MIT */
enum e { ONE = 0x80000000 };
