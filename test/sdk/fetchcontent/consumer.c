// SPDX-License-Identifier: MIT
/* consumer.c - a client of the library. */
#include <libdtrace.h>
#include <stdio.h>

int main(void)
{
	return puts(dtrace_version()) < 0;
}
