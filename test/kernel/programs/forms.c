/* SPDX-License-Identifier: MIT */
/*
 * forms.c - probes called in every way that dtrace -G rewrites: calls, tail calls, tail calls under
 * a condition, by name and through the GOT, with arguments in registers, on the stack and in
 * floating registers.
 */
#include <stdio.h>

extern void __dtrace_forms___direct(int, char *, short, unsigned char, long, int, int, long long);
extern void __dtrace_forms___tail(int, int, int, int, int, int, int, int);
extern void __dtrace_forms___maybe(int);
extern int __dtraceenabled_forms___maybe(void);
extern void __dtrace_forms___real(int, double, float, int);
extern void __dtrace_forms___got(int) __attribute__((noplt));

/* Keeps a call from being a tail call. */
#define NOT_LAST() __asm__ volatile("")
#define NOINLINE   __attribute__((noinline, noclone))

NOINLINE void direct(int n)
{
	__dtrace_forms___direct(-1, "text", -2, 250, -3, n, -5, -6);
	NOT_LAST();
}

NOINLINE void tail(int a, int b, int c, int d, int e, int f, int g, int h)
{
	__dtrace_forms___tail(a, b, c, d, e, f, g, h);
}

/* Forms that compilers rarely emit: a probe if the argument is above 3; return 7, or else whether
 * the probe is enabled. */
void maybe(int);
int enabled_if(int);
#ifdef __x86_64__
#define ARGUMENT "%edi"
#else
#define ARGUMENT "4(%esp)"
#endif
__asm__(".text\n"
	".type maybe, @function\n"
	"maybe: cmpl $3, " ARGUMENT "\n"
	"	jg __dtrace_forms___maybe\n"
	"	ret\n"
	".size maybe, . - maybe\n"
	".type enabled_if, @function\n"
	"enabled_if: mov $7, %eax\n"
	"	cmpl $0, " ARGUMENT "\n"
	"	jne __dtraceenabled_forms___maybe\n"
	"	ret\n"
	".size enabled_if, . - enabled_if\n");

NOINLINE void real(int n)
{
	__dtrace_forms___real(n, 2.5, -0.5f, 77);
	NOT_LAST();
}

NOINLINE void got(int n)
{
	__dtrace_forms___got(n);
	NOT_LAST();
}

NOINLINE void got_tail(int n)
{
	__dtrace_forms___got(n);
}

NOINLINE int enabled_tail(void)
{
	return __dtraceenabled_forms___maybe();
}

int main(void)
{
	direct(-4);
	tail(1, 2, 3, 4, 5, 6, 7, 8);
	maybe(3);
	maybe(4);
	real(11);
	got(21);
	got_tail(22);
	printf("enabled %d %d %d\n", enabled_tail(), enabled_if(0), enabled_if(1));
	return 0;
}
