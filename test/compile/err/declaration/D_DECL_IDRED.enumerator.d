/* SPDX-License-Identifier: MIT */
enum e { ONE, TWO };
enum f { TWO, THREE };
