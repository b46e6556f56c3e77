/* SPDX-License-Identifier: MIT */
/* runtime_lib.c - a library that makes probe lib:plug:main:hit when it is loaded. */
#include <dtrace-probes.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

void runtime_lib_fire(int n);

static dtp_provider_t *provider;
static dtp_probe_t *hit;

__attribute__((constructor)) static void begin(void)
{
	const char *types[] = {"int"};

	provider = dtp_provider_create("lib", "plug");
	hit = dtp_probe_add(provider, "main", "hit", 1, types);
	if (dtp_provider_enable(provider))
		printf("library: %s\n", strerror(errno));
}

__attribute__((destructor)) static void end(void)
{
	dtp_provider_destroy(provider);
}

void runtime_lib_fire(int n)
{
	while (n-- > 0)
		dtp_fire(hit, &(uint64_t){(uint64_t)n});
}
