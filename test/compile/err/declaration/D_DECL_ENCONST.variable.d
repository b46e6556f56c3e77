/* SPDX-License-Identifier: MIT */
enum e { ONE = pid };
