/* SPDX-License-Identifier: MIT */
/* A function with a probe. */
#include "elsewhere.h"

void part(int value);

void part(int value)
{
	ELSEWHERE_HERE(value);
}
