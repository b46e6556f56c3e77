/* SPDX-License-Identifier: MIT */
/*
 * site.c - code in which a disabled probe could cost something, to be measured with a probe from
 * this header or that one, or none: site SHAPE PASSES. One pass has one probe.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef SDT_HEADER
#include SDT_HEADER
#else
#define DTRACE_PROBE(provider, name)
#define DTRACE_PROBE3(provider, name, a, b, c)
#define DTRACE_PROBE6(provider, name, a, b, c, d, e, f)
#endif

#define NOINLINE __attribute__((noinline))

static NOINLINE long args0(long a, long b, long c, long d, long e, long f)
{
	long sum = a * 3 + b * 5 + c * 7;

	DTRACE_PROBE(site, args0);
	return sum + d + e + f;
}

static NOINLINE long args3(long a, long b, long c, long d, long e, long f)
{
	long sum = a * 3 + b * 5 + c * 7;

	DTRACE_PROBE3(site, args3, a, b, sum);
	return sum + d + e + f;
}

static NOINLINE long args6(long a, long b, long c, long d, long e, long f)
{
	long sum = a * 3 + b * 5 + c * 7;

	DTRACE_PROBE6(site, args6, a, b, c, d, e, sum);
	return sum + d + e + f;
}

/*
 * No call, all arguments live after the probe: nothing is on the stack unless the probe puts it
 * there.
 */
static NOINLINE long leaf(long a, long b, long c, long d, long e, long f)
{
	DTRACE_PROBE6(site, leaf, a, b, c, d, e, f);
	return (a ^ b) + (c ^ d) + (e ^ f) + a * f;
}

/* Eight values in registers around the probe. */
static NOINLINE long loop(long passes)
{
	uint64_t a = 1, b = 2, c = 3, d = 4, e = 5, f = 6, g = 7, h = 8;

	for (long i = 0; i < passes; i++) {
		a += h;
		b ^= a;
		c += b;
		d ^= c;
		e += d;
		DTRACE_PROBE3(site, loop, a, c, e);
		f ^= e;
		g += f;
		h ^= g;
	}
	return a + b + c + d + e + f + g + h;
}

static long call(long (*function)(long, long, long, long, long, long), long passes)
{
	long sum = 0;

	for (long i = 0; i < passes; i++)
		sum += function(i, sum, 2, 3, 4, 5);
	return sum;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		long (*function)(long, long, long, long, long, long);
	} shapes[] = {{"args0", args0}, {"args3", args3}, {"args6", args6}, {"leaf", leaf}};
	long passes = argc == 3 ? atol(argv[2]) : 0;

	if (passes > 0 && strcmp(argv[1], "loop") == 0)
		return printf("%ld\n", loop(passes)) < 0;
	for (unsigned int i = 0; passes > 0 && i < sizeof shapes / sizeof shapes[0]; i++)
		if (strcmp(argv[1], shapes[i].name) == 0)
			return printf("%ld\n", call(shapes[i].function, passes)) < 0;
	fprintf(stderr, "usage: %s args0|args3|args6|leaf|loop PASSES\n", argv[0]);
	return 2;
}
