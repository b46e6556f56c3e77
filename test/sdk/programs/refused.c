/* SPDX-License-Identifier: MIT */
/*
 * refused.c - an argument that no probe takes: -DARGUMENT=one of the variables. It must not
 * compile.
 */
#include <sys/sdt.h>

struct small {
	int x;
} small;
struct large {
	int x[10];
} large;
union either {
	int x;
	float y;
} either;
long double extended;

void refused(void)
{
	DTRACE_PROBE1(refused, refused, ARGUMENT);
}
