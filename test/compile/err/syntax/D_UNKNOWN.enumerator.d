/* SPDX-License-Identifier: MIT */
enum e { ONE, TWO, ONE };
