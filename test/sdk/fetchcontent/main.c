// SPDX-License-Identifier: MIT
/* main.c - one probe, by the macro of a provider file or by the header alone. */
#ifdef DECLARED
#include "bringing.h"
#else
#include <sys/sdt.h>
#endif

int main(int argc, char **argv)
{
	(void)argv;
#ifdef DECLARED
	BRINGING_BEGIN(argc);
#else
	DTRACE_PROBE1(bringing, begin, argc);
#endif
	return 0;
}
