/* SPDX-License-Identifier: MIT */
/* systemtap.c - sources written for SystemTap's sys/sdt.h, and the lazy and counting macros. */
#define SDT_USE_VARIADIC
#include <stdio.h>
#include <sys/sdt.h>
#include "fire.h"

#define MODULE		    systemtap
#define PROBE(name, n, ...) _SDT_PROBE(MODULE, name, n, (__VA_ARGS__))

#if _SDT_NOTE_TYPE < 3
#error "libgcc and libstdc++ look at this"
#endif

static volatile int evaluated;

static int count(int x)
{
	evaluated = evaluated + 1;
	return x;
}

static __attribute__((noinline)) void macros(int a, long b, const char *c)
{
	STAP_PROBE(MODULE, none);
	STAP_PROBE1(MODULE, one, a);
	STAP_PROBE12(MODULE, twelve, a, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, b);
	STAP_PROBEV(MODULE, counted0);
	STAP_PROBEV(MODULE, counted3, a, b, c[0]);
	STAP_PROBEV(MODULE, counted12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, a);
	_SDT_PROBE(MODULE, internal0, 0, ());
	PROBE(internal2, 2, a, b);
	DTRACE_PROBE(MODULE, plain0);
	DTRACE_PROBE(MODULE, plain4, a, (char)-1, 2.5, b);
}

static __attribute__((noinline)) void lazy(int a)
{
	DTRACE_LAZY_PROBE1(systemtap, lazy1, count(a));
	DTRACE_LAZY_PROBE(systemtap, lazy2, count(a), 7);
	DTRACE_LAZY_PROBE(systemtap, lazy0);
	printf("evaluated %d times\n", evaluated);
}

/* As glibc has them: in the middle of other instructions, with and without operands. */
static __attribute__((noinline)) int assembly(int a, long b)
{
	int out;

	/* clang-format off */
	__asm__ __volatile__ ("movl $7, %%eax\n\t"
			      STAP_PROBE_ASM(MODULE, text, -4@%%eax 4@$9)
			      : : : "eax");
	/* clang-format on */
	/* clang-format off */
	__asm__ __volatile__ ("movl %1, %0\n\t"
			      STAP_PROBE_ASM(MODULE, operands, STAP_PROBE_ASM_TEMPLATE(3))
			      "addl $1, %0"
			      : "=&r" (out)
			      : "r" (a), STAP_PROBE_ASM_OPERANDS(3, a, b, 1234));
	/* clang-format on */
	return out;
}

/* Copies of one statement, where the compiler makes some. */
static __inline__ __attribute__((__always_inline__)) void copied(void)
{
	/* clang-format off */
	__asm__ __volatile__ ("movl $1, %%eax\n\t" STAP_PROBE_ASM(systemtap, copied, %%eax)
			      : : : "eax");
	/* clang-format on */
}

int main(int argc, char **argv)
{
	(void)argv;
	macros(argc, -2, "x");
	lazy(argc);
	fire_enable();
	lazy(argc);
	printf("%d\n", assembly(argc, 5));
	copied();
	copied();
	copied();
	return 0;
}
