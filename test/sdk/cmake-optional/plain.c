/* SPDX-License-Identifier: MIT */
/* plain.c - uses sys/sdt.h alone. */
#define SDT_USE_VARIADIC
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	DTRACE_PROBE(plain, start);
	DTRACE_PROBE2(plain, arguments, argc, argv);
	STAP_PROBE1(plain, count, argc);
	DTRACE_PROBE(plain, any, argc, argv);
	STAP_PROBEV(plain, any__more, argc);
	DTRACE_LAZY_PROBE(plain, lazy, argc, argv, 3);
	if (DTRACE_PROBE_ENABLED(plain, end))
		DTRACE_LAZY_PROBE1(plain, end, argc);
	return 0;
}
