// SPDX-License-Identifier: MIT
/*
 * remaps.c - maps the code of a library again where it is.
 *
 *	remaps LIBRARY OTHER
 *
 * LIBRARY, which has the function plug_fire(), is loaded and hit once. Its code is mapped from the
 * file again, at the same addresses, so that nothing is left of what has been written there. OTHER
 * is loaded then, and LIBRARY is hit twice.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define PAGE 4096UL

/* Map the code of the object of that name again: a function for dl_iterate_phdr(). */
static int code_remap(struct dl_phdr_info *info, size_t size, void *name)
{
	int fd;

	(void)size;
	if (strcmp(info->dlpi_name, name) != 0)
		return 0;
	fd = open(name, O_RDONLY);
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
		const size_t before = ph->p_vaddr % PAGE;

		if (ph->p_type == PT_LOAD && ph->p_flags & PF_X &&
		    mmap((void *)(info->dlpi_addr + ph->p_vaddr - before), ph->p_filesz + before,
			 PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_FIXED, fd,
			 (off_t)(ph->p_offset - before)) == MAP_FAILED)
			perror("remaps");
	}
	close(fd);
	return 1;
}

int main(int argc, char **argv)
{
	void *library = argc == 3 ? dlopen(argv[1], RTLD_NOW) : NULL;
	void (*fire)(int) = library ? (void (*)(int))dlsym(library, "plug_fire") : NULL;

	if (!fire) {
		fprintf(stderr, "usage: remaps LIBRARY OTHER\n");
		return 2;
	}
	fire(1);
	if (dl_iterate_phdr(code_remap, argv[1]) != 1 || !dlopen(argv[2], RTLD_NOW))
		return 1;
	fire(2);
	return 0;
}
