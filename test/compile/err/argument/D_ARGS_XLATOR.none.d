/* args: -xbtfpath=TYPES -xnolibs */
/* SPDX-License-Identifier: MIT */
typedef struct nowhere {
	int x;
} nowhere_t;

typed:::entry
{
	trace(args[3]->x);
}
