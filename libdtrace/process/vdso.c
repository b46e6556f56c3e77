/* SPDX-License-Identifier: MIT */
/*
 * vdso.c - the kernel's part of processes, as a file. It is the same in all processes, so this
 * process's own is copied, and that of 32 bits from a child that asks the kernel to map it. A
 * traced process may have changed its own.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <asm/prctl.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include "mappings.h"
#include "vdso.h"

#define NARROW_ADDR 0x10000000UL /* where the kernel shall map that of 32 bits */

/* Write the vdso to the descriptor at arg; a function for dt_mappings(). */
static int vdso_write(void *arg, const struct dt_mapping *map)
{
	const int *fd = arg;
	size_t size = map->end - map->start;

	return strcmp(map->path, "[vdso]") == 0 &&
	       write(*fd, (const void *)(uintptr_t)map->start, size) == (ssize_t)size;
}

/* ---- of 32 bits, in the child ---- */

/* Unmap [vdso], [vvar] and the like: a process can have only one of each. */
static void child_unmap(void)
{
	unsigned long start, end;
	char *line = NULL;
	size_t capacity = 0;
	FILE *fp = fopen("/proc/self/maps", "re");

	while (fp && getline(&line, &capacity, fp) > 0)
		if (strstr(line, " [v") && sscanf(line, "%lx-%lx", &start, &end) == 2)
			munmap((void *)start, end - start);
	free(line);
	if (fp)
		fclose(fp);
}

/* Write the vdso of 32 bits to fd. No function here may read a clock: the vdso is unmapped. */
static void child_work(int fd)
{
	child_unmap();
	if (syscall(SYS_arch_prctl, ARCH_MAP_VDSO_32, NARROW_ADDR) > 0)
		dt_mappings(getpid(), vdso_write, &fd);
}

/* Do that in a child. */
static void narrow_write(int fd)
{
	pid_t child = fork();

	if (child == 0) {
		child_work(fd);
		_exit(0);
	}
	if (child != -1)
		waitpid(child, NULL, 0);
}

/* ---- either ---- */

/* Return a new descriptor for dt_vdso(), or -1. */
static int vdso_make(unsigned int word)
{
	int fd = memfd_create("vdso", MFD_CLOEXEC);
	struct stat st;

	if (fd == -1)
		return -1;
	if (word == 8)
		dt_mappings(getpid(), vdso_write, &fd);
	else
		narrow_write(fd);
	if (fstat(fd, &st) == 0 && st.st_size > 0)
		return fd;
	close(fd);
	return -1;
}

int dt_vdso(unsigned int word)
{
	static struct {
		bool tried;
		int fd;
	} both[2], *vdso;

	vdso = &both[word == 8];
	if (!vdso->tried)
		vdso->fd = vdso_make(word);
	vdso->tried = true;
	return vdso->fd;
}
