/* SPDX-License-Identifier: MIT */
/* plain.c - uses sys/sdt.h alone. */
#include <sys/sdt.h>

int main(int argc, char **argv)
{
	DTRACE_PROBE(plain, start);
	DTRACE_PROBE2(plain, arguments, argc, argv);
	STAP_PROBE1(plain, count, argc);
	if (DTRACE_PROBE_ENABLED(plain, end))
		DTRACE_LAZY_PROBE1(plain, end, argc);
	return 0;
}
