/* SPDX-License-Identifier: MIT */
/* main.c - a user of dtrace-probes.h, in C and C++. */
#include <dtrace-probes.h>
#include <stdio.h>

int main(void)
{
	const char *types[] = {"int", "double"};
	dtp_provider_t *app = dtp_provider_create("app", "script");
	dtp_probe_t *probe = dtp_probe_add(app, "main", "request__done", 2, types);
	uint64_t args[2] = {1, 2};

	if (!dtp_provider_enable(app))
		puts("registered with no module");
	dtp_fire(probe, args);
	puts(dtp_enabled(probe) ? "enabled" : "not enabled");
	dtp_provider_destroy(app);
	return 0;
}
