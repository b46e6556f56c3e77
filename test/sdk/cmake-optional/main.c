/* SPDX-License-Identifier: MIT */
/* main.c - uses each macro; where the probes vanish no argument is evaluated. */
#include <stdio.h>
#include "optional.h"

static int evaluated;
static struct {
	unsigned int few : 3;
} bits;

static int count(int x)
{
	return evaluated++ + x;
}

int main(void)
{
	if (OPTIONAL_NONE_ENABLED())
		OPTIONAL_NONE();
	OPTIONAL_NOTHING_AT_ALL();
	OPTIONAL_SEVERAL(count(1), "text", 5UL);
	OPTIONAL__PRIVATE(bits.few, main);
	SECOND_ONE(count(2));
	SECOND_FUNCTION(0, "name");
	SECOND_MAPPED(1, "b");
	printf("evaluated %d\n", evaluated);
	return 0;
}
