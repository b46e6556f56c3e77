// SPDX-License-Identifier: MIT
// shapes98.cc - probes in every kind of function of C++98.
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

static volatile int zero;

template <class T> static T largest(T a, T b)
{
	DTRACE_PROBE2(shapes, in__template, a, b);
	return a > b ? a : b;
}

template <int N> static int power(int x)
{
	DTRACE_PROBE2(shapes, number, N, x);
	return x * power<N - 1>(x);
}

template <> int power<0>(int)
{
	return 1;
}

namespace space {
struct shape {
	int sides;

	shape(int n) : sides(n)
	{
		DTRACE_PROBE1(shapes, constructor, n);
	}
	virtual ~shape()
	{
		DTRACE_PROBE1(shapes, destructor, sides);
	}
	virtual int area(const int &scale, bool exact)
	{
		DTRACE_PROBE3(shapes, method, scale, exact, sides);
		return sides * scale;
	}
	static void about()
	{
		if (DTRACE_PROBE_ENABLED(shapes, about))
			DTRACE_PROBE(shapes, about);
	}
	enum kind { ROUND, SQUARE = 9 };
};

inline int sum(int a, int b)
{
	DTRACE_PROBE2(shapes, in__inline, a, b);
	return a + b;
}
} // namespace space

static space::shape global(7);

static int fails(int n)
{
	try {
		if (n)
			throw n;
	} catch (int caught) {
		DTRACE_PROBE1(shapes, caught, caught);
		return caught;
	}
	return 0;
}

extern "C" {
void in_c(wchar_t w)
{
	DTRACE_PROBE1(shapes, linkage, w);
}
}

int main()
{
	const int z = zero;
	static const int constant = 12;
	enum local { HERE = 3 };
	local here = HERE;
	int array[3] = { 1, 2, 3 };
	int &reference = array[1];

	printf("%d\n", largest(1 + z, 2 + z));
	printf("%g\n", largest(0.5 + z, 0.25));
	printf("%c\n", largest('a', 'b'));
	printf("%d\n", power<2>(3 + z));
	{
		space::shape *square = new space::shape(4 + z);

		printf("%d\n", square->area(10 + z, true));
		DTRACE_PROBE1(shapes, kind, space::shape::SQUARE);
		delete square;
	}
	printf("%d\n", space::sum(1 + z, 2));
	printf("%d\n", fails(5 + z));
	in_c(L'x');
	DTRACE_PROBE3(shapes, values, constant, reference, here);
	fire_silent = 1;
	DTRACE_PROBE1(shapes, array, array);
	fire_silent = 0;
	printf("array %d\n", *reinterpret_cast<int *>(fire_arg(0)));
	space::shape::about();
	fire_enable();
	space::shape::about();
	return 0;
}
