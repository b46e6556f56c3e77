/* SPDX-License-Identifier: MIT */
/* plugin.c - a library with probes; see registered.c. */
#include <sys/sdt.h>

int plugin(int x)
{
	DTRACE_PROBE1(plugin, called__twice, x);
	DTRACE_PROBE1(plugin, called__twice, x + 1);
	return x;
}
