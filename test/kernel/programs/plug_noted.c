// SPDX-License-Identifier: MIT
/* plug_noted.c - plug.c with SystemTap's header, not ours: nothing registers its probe. */
#include <sys/sdt.h>

#ifdef _DTRACE_ENABLED
#error "this has to be compiled with SystemTap's sys/sdt.h"
#endif

void plug_fire(int n);

void plug_fire(int n)
{
	for (int i = 1; i <= n; i++)
		STAP_PROBE1(plug, hit, i);
}
