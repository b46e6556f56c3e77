/* SPDX-License-Identifier: MIT */
/*
 * maps.c - processes map one page of a file very often, and one of them registers a probe there,
 * and asks for a stop point: uprobes goes through all mappings to set a breakpoint.
 *
 *	attack-maps FILE PROCESSES MAPPINGS	make FILE; each process maps it that often
 *
 * It prints whether it gets the stop point, then "go", and waits.
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>
#include <dtrace/fasttrap.h>
#include <dtrace/helper.h>
#include <dtrace/ioctl.h>
#include "lib/sites.h"

#define PAGE 4096

/* Map the page once. */
static char *map(int fd)
{
	char *code = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, 0);

	if (code == MAP_FAILED)
		err(3, "mmap");
	return code;
}

/* Register a probe at the code, by DOF at an address that is known before. */
static void register_probe(const char *code)
{
	char *at =
		mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	const struct site site = {"p", (uintptr_t)code, 0};
	struct dof_bytes dof = sites_dof("maps", &site, 1, (uintptr_t)at);
	int helper = open(DTRACE_HELPER_DEVICE, O_RDWR);

	memcpy(at, dof.data, dof.size);
	if (ioctl(helper, DTRACEHIOC_ADD, at) < 0)
		err(3, "registration");
}

/* Try to set a stop point at the code. */
static void stop_at(const char *code)
{
	dtrace_stop_address_t stop = {
		.dtfa_pid = getpid(), .dtfa_timeout = 1, .dtfa_address = (uintptr_t)code + 1};
	int fd = open(DTRACE_FASTTRAP_DEVICE, O_RDWR);

	printf("stop point: %s\n",
	       ioctl(fd, DTRACEFTIOC_STOP_ADDRESS, &stop) < 0 ? strerror(errno) : "set");
	close(fd);
}

int main(int argc, char **argv)
{
	int processes = argc == 4 ? atoi(argv[2]) : 0, mappings = argc == 4 ? atoi(argv[3]) : 0;
	char page[PAGE], done;
	int fd, ready[2];

	if (!processes)
		errx(2, "see the source");
	memset(page, 0x90, sizeof(page));
	fd = open(argv[1], O_RDWR | O_CREAT | O_TRUNC, 0755);
	if (fd == -1 || write(fd, page, sizeof(page)) != sizeof(page) || pipe(ready))
		err(3, "%s", argv[1]);
	for (int i = 0; i < processes; i++)
		if (!fork()) {
			prctl(PR_SET_PDEATHSIG, SIGKILL);
			for (int k = 0; k < mappings; k++)
				map(fd);
			write(ready[1], "", 1);
			pause();
		}
	for (int i = 0; i < processes; i++)
		read(ready[0], &done, 1);
	register_probe(map(fd));
	stop_at(map(fd));
	puts("go");
	fflush(stdout);
	getchar();
	return 0;
}
