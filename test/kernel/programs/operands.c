/* SPDX-License-Identifier: MIT */
/*
 * operands.c - probes whose arguments are in operands of every kind that compilers use for values.
 */
#include <stdint.h>
#include <sys/sdt.h>

#define NOINLINE __attribute__((noinline))

struct thing {
	char c;
	short s;
	int i;
	long long ll;
	float f;
	double d;
	signed int low : 3;
	unsigned int mid : 5;
};

/* Not static: the compiler would know that they never change, and make the arguments constants. */
int global_int = 11;
short global_short = -12;
int64_t array[4] = {1, 2, -3, 4};
__thread int thread_int = 13;
__thread int64_t thread_long = -14;
struct thing thing = {'a', -2, -3, -4, 1.5f, -0.25, -4, 31};

/* Unknown to the compiler, so that arguments do not become constants. */
static volatile int zero;

static NOINLINE void memory(struct thing *t, int i)
{
	DTRACE_PROBE6(operands, members, t->c, t->s, t->i, t->ll, t->low, t->mid);
	DTRACE_PROBE4(operands, statics, global_int, global_short, array[i], array[1]);
	DTRACE_PROBE2(operands, thread, thread_int, thread_long);
	DTRACE_PROBE2(operands, floating, t->f, t->d);
}

static NOINLINE int64_t registers(int a, int64_t b, unsigned char c, int64_t d, short e, uint32_t f)
{
	DTRACE_PROBE6(operands, registers, a, b, c, d, e, f);
	DTRACE_PROBE4(operands, computed, a + b, c * e, b - d, (uint64_t)f << 8);
	return a + b + c + d + e + f;
}

static void constants(void)
{
	DTRACE_PROBE5(operands, constants, 'c', -1, 0xffffffffu, (int64_t)-5000000000,
		      (unsigned char)255);
}

int main(void)
{
	int z = zero;

	memory(&thing, 2 + z);
	registers(-1 + z, -6000000000 + z, 200 + z, 7000000000 + z, -300 + z, 4000000000u + z);
	constants();
	return 0;
}
