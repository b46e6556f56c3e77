/* SPDX-License-Identifier: MIT */
/* args.c - every kind of argument, from every kind of operand; C89, and C++ too. */
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

#ifdef __cplusplus
typedef bool truth;
#else
__extension__ typedef _Bool truth;
#endif
/* C++ has classes instead, which are no arguments. */
#ifdef __cplusplus
#define ATOMIC
#else
#define ATOMIC __extension__ _Atomic
#endif
enum colour { RED = -1, GREEN = 7 };
struct bits {
	signed int low : 3;
	unsigned int mid : 5;
	unsigned int high : 20;
};
struct thing {
	char c;
	short s;
	int i;
	long long ll;
	float f;
	double d;
	struct bits b;
	unsigned char bytes[4];
};

int global_int = 11;
static short static_short = -12;
double global_double = 2.5;
long long global_array[4] = {1, 2, -3, 4};
static unsigned char static_array[4] = {5, 6, 250, 8};
__thread int thread_int = 13;
static __thread long long thread_long = -14;
struct thing thing = {'a', -2, -3, -4, 1.5f, -0.25, {-4, 31, 1000000}, {9, 8, 7, 255}};

ATOMIC int atomic_int = -15;
ATOMIC unsigned char atomic_char = 254;
ATOMIC truth atomic_truth = 1;
ATOMIC long long atomic_long = -16;
volatile short volatile_short = -17;

void named(void)
{
}

static void check(const char *what, const void *address)
{
	printf("%s %s\n", what, fire_arg(0) == (unsigned long)address ? "right" : "WRONG");
}

static __attribute__((noinline)) void integers(signed char sc, unsigned char uc, short s,
					       unsigned short us, int i, unsigned int u, long l,
					       unsigned long ul, long long ll,
					       unsigned long long ull)
{
	DTRACE_PROBE10(args, integers, sc, uc, s, us, i, u, l, ul, ll, ull);
	DTRACE_PROBE4(args, sums, sc + uc, s * us, ll + 1, ull - 1);
}

static __attribute__((noinline)) void others(enum colour e, void *p, const char *s, float f,
					     double d)
{
	DTRACE_PROBE5(args, others, e, p, s != 0, f, d);
	DTRACE_PROBE2(args, computed, f * 2, d / 2);
}

static __attribute__((noinline)) void memory(struct thing *t, int i)
{
	DTRACE_PROBE6(args, members, t->c, t->s, t->i, t->ll, t->f, t->d);
	DTRACE_PROBE3(args, bits, t->b.low, t->b.mid, t->b.high);
	DTRACE_PROBE4(args, elements, global_array[i], static_array[i], t->bytes[i + 1],
		      global_array[1]);
	DTRACE_PROBE3(args, globals, global_int, static_short, global_double);
	DTRACE_PROBE2(args, threads, thread_int, thread_long);
	DTRACE_PROBE4(args, atomics, atomic_int, atomic_char, atomic_truth, atomic_long);
	DTRACE_PROBE1(args, volatiles, volatile_short);
	DTRACE_PROBE3(args, structure, thing.i, thing.bytes[3], thing.b.mid);
}

static __attribute__((noinline)) void addresses(void)
{
	static int local[3];

	fire_silent = 1;
	DTRACE_PROBE1(args, function, named);
	check("function", (const void *)(unsigned long)named);
	DTRACE_PROBE1(args, array, global_array);
	check("array", global_array);
	DTRACE_PROBE1(args, address, &thing.i);
	check("address", &thing.i);
	DTRACE_PROBE1(args, local, local);
	check("local", local);
	DTRACE_PROBE1(args, text, "text");
	printf("text %s\n", (const char *)(unsigned long)fire_arg(0));
	fire_silent = 0;
}

static __attribute__((noinline)) void constants(void)
{
	DTRACE_PROBE8(args, constants, 'c', -1, 0xffffffffu, (signed char)-128, (unsigned char)255,
		      (short)-2, 0x123456789abLL, -0x123456789abLL);
	DTRACE_PROBE5(args, limits, 0x7fffffffffffffffLL, 0xffffffffffffffffULL, GREEN,
		      (void *)4096, 0.5);
}

static __attribute__((noinline)) long long twelve(int a, long b, int c, long d, int e, long f,
						  int g, long h, int i, long long j, int k,
						  long long l)
{
	DTRACE_PROBE12(args, twelve, a, b, c, d, e, f, g, h, i, j, k, l);
	return a + b + c + d + e + f + g + h + i + j + k + l;
}

static __attribute__((noinline)) void effects(int i, int *v)
{
	DTRACE_PROBE2(args, once, i++, ++*v);
	printf("once %d %d\n", i, *v);
}

static __attribute__((noinline)) void truths(truth yes, truth no, truth *p, int i)
{
	DTRACE_PROBE6(args, truths, yes, no, *p, (truth)i, (truth)(i > 6), yes != no);
}

/* The store before a probe must have happened, the one after it not yet. */
static __attribute__((noinline)) void order(int *state)
{
	fire_silent = 1;
	*state = 1;
	DTRACE_PROBE1(args, order, state);
	fire_silent = 0;
	printf("stored %d\n", *(int *)(unsigned long)fire_arg(0));
	*state = 2;
}

/* Unknown to the compiler, so that arguments do not become constants. */
static volatile int zero;

int main(void)
{
	int z = zero, state = zero;
	int v = 41;
	truth yes = !z;

	integers(-1 + z, 255 + z, -300 + z, 65535 + z, -70000 + z, 4000000000u + z, -5L + z, 6 + z,
		 -7000000000LL + z, 18000000000000000000ULL + z);
	others((enum colour)(RED + z), (void *)(64L + z), z ? 0 : "s", 0.75f + z, -1e100 + z);
	memory(&thing, 2 + z);
	addresses();
	constants();
	printf("twelve %lld\n", twelve(1 + z, -2 + z, 3 + z, -4 + z, 5 + z, -6 + z, 7 + z, -8 + z,
				       9 + z, -10 + z, 11 + z, -12 + z));
	effects(5 + z, &v);
	truths(yes, (truth)z, &yes, 5 + z);
	order(&state);
	printf("order %d\n", state);
	DTRACE_PROBE(args, none);
	return 0;
}
