/* SPDX-License-Identifier: MIT */
/*
 * unoptimised.c - small functions as compilers make them without optimisation: at their beginnings
 * and ends, no jump of five bytes has a distance of its own that leads above address 0.
 */
#include <stdio.h>

int low_add(int x)
{
	return x + 1;
}

int low_twice(int x)
{
	int k = low_add(x);

	return k * 2;
}

int low_sum(int x)
{
	return low_twice(x) + low_add(x);
}

int low_first(const char *s)
{
	return *s;
}

void low_print(void)
{
	printf("low\n");
}

int main(void)
{
	int sum = 0;

	for (int i = 0; i < 10; i++)
		sum += low_sum(i) + low_first("x");
	low_print();
	return sum != 1365;
}
