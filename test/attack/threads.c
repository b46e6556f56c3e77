/* SPDX-License-Identifier: MIT */
/*
 * threads.c - a number of threads pass a DOF of 1 MiB to the kernel. A read of its second page
 * never ends (FUSE), so the kernel keeps its copies.
 *
 *	attack-threads helper|session DIRECTORY THREADS REFUSED
 *
 * When REFUSED threads are refused and the others wait, the program prints the number and the
 * reason. Then it waits, too.
 */
#define _GNU_SOURCE
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <signal.h>
#include <unistd.h>
#include <dtrace/dof.h>
#include <dtrace/helper.h>
#include <dtrace/ioctl.h>
#include "lib/fuse.h"

static char *dof;
static int device, session, nrefused, why, nbegun;
static pthread_barrier_t all;

static void *give(void *arg)
{
	dtrace_enable_io_t io = {.dofp = (uint64_t)(uintptr_t)dof};
	int rc;

	(void)arg;
	pthread_barrier_wait(&all);
	__atomic_add_fetch(&nbegun, 1, __ATOMIC_SEQ_CST);
	rc = session ? ioctl(device, DTRACEIOC_ENABLE, &io) : ioctl(device, DTRACEHIOC_ADD, dof);
	why = rc < 0 ? errno : 0;
	__atomic_add_fetch(&nrefused, 1, __ATOMIC_SEQ_CST);
	pause();
	return NULL;
}

int main(int argc, char **argv)
{
	int fuse, fd, told[2], n, refused;
	pthread_t thread;
	char path[512], byte;

	if (argc != 5)
		errx(2, "see the source");
	session = !strcmp(argv[1], "session");
	n = atoi(argv[3]);
	refused = atoi(argv[4]);
	device = open(session ? DTRACE_DEVICE : DTRACE_HELPER_DEVICE, O_RDWR);
	if (device == -1)
		err(3, "the device");
	fuse = fuse_mount(argv[2]);
	if (pipe(told))
		err(3, "pipe");
	if (fork() == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		fuse_serve(fuse, told[1]);
	}
	close(fuse);
	snprintf(path, sizeof(path), "%s/file", argv[2]);
	fd = open(path, O_RDONLY);
	dof = mmap(NULL, 1 << 20, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd == -1 || dof == MAP_FAILED ||
	    mmap(dof + 4096, 4096, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0) == MAP_FAILED)
		err(3, "%s", path);
	((dof_hdr_t *)(void *)dof)->dofh_loadsz = 1 << 20;
	pthread_barrier_init(&all, NULL, (unsigned int)n + 1);
	for (int i = 0; i < n; i++)
		if (pthread_create(&thread, NULL, give, NULL))
			err(3, "thread");
	pthread_barrier_wait(&all);
	if (read(told[0], &byte, 1) != 1)
		err(3, "the server");
	while (__atomic_load_n(&nbegun, __ATOMIC_SEQ_CST) < n ||
	       __atomic_load_n(&nrefused, __ATOMIC_SEQ_CST) < refused)
		usleep(1000);
	printf("threads %d\n", getpid());
	printf("%d of %d refused: %s\n", nrefused, n, refused ? strerror(why) : "none");
	fflush(stdout);
	pause();
	return 0;
}
