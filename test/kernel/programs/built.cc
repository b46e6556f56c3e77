/* SPDX-License-Identifier: MIT */
/* built.cc - as built.c, in C++: both parts have copies of an inline function and of a template. */
#include "built_probes.h"

struct numbers {
	template <class T> __attribute__((noinline)) static T twice(T number)
	{
		BUILT_PART(number);
		return number + number;
	}
};

inline __attribute__((noinline)) int guarded(int number)
{
	if (BUILT_GUARDED_ENABLED())
		BUILT_GUARDED(number + 1);
	return number;
}

int part(int number);

#ifdef PART
int part(int number)
{
	return numbers::twice(number) - guarded(number);
}
#else
static volatile int number = 41;

int main(int argc, char **)
{
	BUILT_MAIN(number, argc == 1 ? "text" : "other");
	if (argc > 1)
		return numbers::twice(argc) + guarded(argc);
	return part(number + 1) != 42;
}
#endif
