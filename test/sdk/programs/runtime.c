/* SPDX-License-Identifier: MIT */
/* runtime.c - the code of probes that are made at run time can be run, in more than one slab. */
#include <dtrace-probes.h>
#include <stdio.h>

#define NPROBES 5000

int main(void)
{
	dtp_provider_t *provider = dtp_provider_create("runtime", "code");
	uint64_t args[1] = {1};
	char name[16];

	for (int i = 0; i < NPROBES; i++) {
		dtp_probe_t *probe;

		snprintf(name, sizeof name, "probe%d", i);
		probe = dtp_probe_add(provider, "main", name, 1, NULL);
		if (!probe || dtp_enabled(probe))
			return 1;
		probe->site(args);
	}
	puts(dtp_provider_enable(provider) ? "not registered" : "registered");
	dtp_provider_destroy(provider);
	return 0;
}
