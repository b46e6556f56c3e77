/* SPDX-License-Identifier: MIT */
/*
 * built.c - a program in two parts (-DPART: the second one), for every way to build it; see
 * build-ways.
 */
#include "built_probes.h"

int part(int number);

#ifdef PART
__attribute__((noinline)) int part(int number)
{
	BUILT_PART(number);
	if (BUILT_GUARDED_ENABLED())
		BUILT_GUARDED(number + 1);
	return number;
}

int never_called(int number);

int never_called(int number)
{
	BUILT_PART(number);
	return number;
}
#else
static volatile int number = 41;

int main(int argc, char **argv)
{
	(void)argv;
	BUILT_MAIN(number, argc == 1 ? "text" : "other");
	return part(number + 1) != 42;
}
#endif
