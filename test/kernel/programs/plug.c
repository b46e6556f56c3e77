// SPDX-License-Identifier: MIT
/* plug.c - a library with a probe, for victim to load and unload. */
#include "plug_probes.h"

void plug_fire(int n);

void plug_fire(int n)
{
	for (int i = 1; i <= n; i++)
		PLUG_HIT(i);
}
