/* SPDX-License-Identifier: MIT */
/* freestanding.c - probes in a program for aarch64 that needs nothing but the kernel. */
#include <sys/sdt.h>

static int value = 3;

static long call(long number, long a, const char *b, long c)
{
	register long x8 __asm__("x8") = number;
	register long x0 __asm__("x0") = a;
	register const char *x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;

	__asm__ __volatile__("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2) : "memory");
	return x0;
}

#ifdef __cplusplus
extern "C"
#endif
	void
	_start(void);

void _start(void)
{
	DTRACE_PROBE3(freestanding, start, value, (short)-7, "text");
	DTRACE_LAZY_PROBE1(freestanding, lazy, 1 / (value - 3));
	/* clang-format off */
	__asm__ __volatile__ (STAP_PROBE_ASM(freestanding, assembly, -4@x0 8@[sp]));
	/* clang-format on */
	if (!DTRACE_PROBE_ENABLED(freestanding, lazy))
		call(64, 1, "fine\n", 5);
	call(93, 0, "", 0);
}
