/* SPDX-License-Identifier: MIT */
/* values.h - something to include. */
#ifndef VALUES_H
#define VALUES_H
#define SEVEN 7
struct pair {
	int left, right;
};
#endif
