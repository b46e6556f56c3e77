/* SPDX-License-Identifier: MIT */
/*
 * userfault.c - a process whose page faults wait for a handler that never answers (userfaultfd): in
 * code with probes, in their semaphore, in memory that a tracer reads, and in DOF that it
 * registers.
 *
 * Register the probes userfault:::p, with a semaphore, and :::q; print "go", and read a line. Read
 * from no file into the memory. Then register the memory as DOF, print "faults" when the kernel
 * waits for it, and wait.
 */
#define _GNU_SOURCE
#include <err.h>
#include <fcntl.h>
#include <linux/userfaultfd.h>
#include <poll.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>
#include <dtrace/helper.h>
#include "lib/sites.h"

#define PAGE 4096

static int faults, helper;
static char *memory;

/* Map a page, whose faults wait: of a file that has no data, or of none (-1). */
static char *map(int protection, int fd, int page)
{
	int flags = MAP_PRIVATE | (fd == -1 ? MAP_ANONYMOUS : 0);
	char *at = mmap(NULL, PAGE, protection, flags, fd, (off_t)page * PAGE);
	struct uffdio_register range = {.range = {(uintptr_t)at, PAGE},
					.mode = UFFDIO_REGISTER_MODE_MISSING};

	if (at == MAP_FAILED || ioctl(faults, UFFDIO_REGISTER, &range))
		err(3, "userfaultfd");
	return at;
}

static void *register_memory(void *arg)
{
	ioctl(helper, DTRACEHIOC_ADD, memory);
	return arg;
}

int main(void)
{
	struct uffdio_api api = {.api = UFFD_API};
	int file = memfd_create("userfault", 0);
	char *code, *data, *at;
	struct pollfd fault;
	struct dof_bytes dof;
	pthread_t thread;

	faults = (int)syscall(SYS_userfaultfd, O_CLOEXEC);
	helper = open(DTRACE_HELPER_DEVICE, O_RDWR);
	if (faults == -1 || ioctl(faults, UFFDIO_API, &api) || ftruncate(file, 2 * PAGE))
		err(3, "userfaultfd");
	code = map(PROT_READ | PROT_EXEC, file, 0);
	data = map(PROT_READ | PROT_WRITE, file, 1);
	memory = map(PROT_READ | PROT_WRITE, -1, 0);
	at = mmap(NULL, 16 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	dof = sites_dof("userfault",
			(struct site[]){{"p", (uintptr_t)code, (uintptr_t)data},
					{"q", (uintptr_t)code + 16, 0}},
			2, (uintptr_t)at);
	memcpy(at, dof.data, dof.size);
	if (ioctl(helper, DTRACEHIOC_ADD, at) < 0)
		err(3, "registration");
	puts("go");
	fflush(stdout);
	getchar();
	if (read(-1, memory, 8) != -1 || pthread_create(&thread, NULL, register_memory, NULL))
		err(3, "memory");
	fault = (struct pollfd){.fd = faults, .events = POLLIN};
	poll(&fault, 1, -1);
	puts("faults");
	fflush(stdout);
	pause();
	return 0;
}
