// SPDX-License-Identifier: MIT
/*
 * hesitant.c - make a probe, or hide it, and wait amid that: when libdtrace-probes is about to keep
 * or to end its DOF.
 *
 *	hesitant add|remove TOLD GO END
 *
 * The program writes a line to the pipe TOLD when it waits, and goes on when it can open the pipe
 * GO. It writes a second line when the change is made. Then it fires the probe
 * hesitantPID:app:f:hit, if it is enabled, until the file END exists. At the end it prints whether
 * the probe is enabled.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <dtrace-probes.h>

static char **arguments;
static bool adds, removes; /* the next file in memory, or the next unmapping, waits */

static void tell(void)
{
	FILE *told = fopen(arguments[2], "w");

	fputs("told\n", told);
	fclose(told);
}

static void hesitate(bool *now)
{
	if (!*now)
		return;
	*now = false;
	tell();
	close(open(arguments[3], O_RDONLY));
}

int memfd_create(const char *name, unsigned int flags)
{
	if (strcmp(name, "dtrace-dof") == 0)
		hesitate(&adds);
	return (int)syscall(SYS_memfd_create, name, flags);
}

int munmap(void *address, size_t size)
{
	hesitate(&removes);
	return (int)syscall(SYS_munmap, address, size);
}

int main(int argc, char **argv)
{
	dtp_provider_t *provider = dtp_provider_create("hesitant", "app");
	dtp_probe_t *probe = dtp_probe_add(provider, "f", "hit", 0, NULL);

	if (argc != 5)
		return 2;
	arguments = argv;
	adds = strcmp(argv[1], "add") == 0;
	if (dtp_provider_enable(provider))
		perror("enable");
	removes = strcmp(argv[1], "remove") == 0;
	if (removes && dtp_provider_disable(provider))
		perror("disable");
	tell();
	while (access(argv[4], F_OK)) {
		if (dtp_enabled(probe))
			dtp_fire(probe, NULL);
		usleep(1000);
	}
	puts(dtp_enabled(probe) ? "enabled" : "not enabled");
	dtp_provider_destroy(provider);
	return 0;
}
