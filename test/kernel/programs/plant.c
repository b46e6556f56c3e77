// SPDX-License-Identifier: MIT
/*
 * plant.c - register pid probes by hand, and run a command that has the device open.
 *
 *	plant [-f] [-m MODULE] PID FILE PROBE... -- COMMAND...	in a process
 *	plant [-m MODULE] file FILE PROBE... -- COMMAND...	in all processes that map the file
 *
 * FILE has the symbols; the process has it mapped. PROBE is FUNCTION:NAME:SYMBOL[+HEX], followed by
 * :OFFSET for a return. -f follows forks. The probes exist as long as COMMAND, which gets the
 * descriptor of the device in $PLANT.
 */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <dtrace/fasttrap.h>

#include "pid_dof.h"

#define MAX_SITES 64

/* ---- the file ---- */

static const char *image;

static const char *image_read(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	void *map;

	if (fd == -1 || fstat(fd, &st) == -1)
		err(3, "%s", path);
	map = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (map == MAP_FAILED)
		err(3, "%s", path);
	close(fd);
	return map;
}

static const Elf64_Shdr *symbol_table(void)
{
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *section = (const void *)(image + head->e_shoff);

	for (int i = 0; i < head->e_shnum; i++)
		if (section[i].sh_type == SHT_SYMTAB)
			return &section[i];
	errx(3, "the file has no symbols");
}

/* Offset in the file. */
static uint64_t symbol_offset(const char *name)
{
	const Elf64_Ehdr *head = (const void *)image;
	const Elf64_Shdr *table = symbol_table();
	const Elf64_Shdr *strings = (const Elf64_Shdr *)(image + head->e_shoff) + table->sh_link;
	const Elf64_Sym *symbols = (const void *)(image + table->sh_offset);
	uint64_t offset = 0;

	for (size_t i = 0; offset == 0 && i < table->sh_size / sizeof(*symbols); i++)
		if (!strcmp(image + strings->sh_offset + symbols[i].st_name, name))
			offset = pid_offset(image, symbols[i].st_value);
	if (offset == 0)
		errx(3, "no symbol %s in the file", name);
	return offset;
}

/* ---- the process ---- */

/* Return the address of a byte of the file in the process. */
static uint64_t mapped_at(int pid, const char *path, uint64_t offset)
{
	char line[PATH_MAX + 100], name[64], real[PATH_MAX];
	unsigned long start, end, from;
	int at = 0;
	FILE *maps;

	snprintf(name, sizeof(name), "/proc/%d/maps", pid);
	maps = fopen(name, "r");
	if (!maps || !realpath(path, real))
		err(3, "%s", name);
	while (fgets(line, sizeof(line), maps)) {
		line[strcspn(line, "\n")] = '\0';
		if (sscanf(line, "%lx-%lx r-xp %lx %*s %*s %n", &start, &end, &from, &at) < 3 ||
		    strcmp(line + at, real) || offset < from || offset >= from + (end - start))
			continue;
		fclose(maps);
		return start + offset - from;
	}
	errx(3, "process %d has not mapped offset %#lx of %s", pid, (unsigned long)offset, real);
}

/* ---- probes ---- */

static char *next_field(char **rest)
{
	char *field = strsep(rest, ":");

	if (!field)
		errx(3, "a probe is FUNCTION:NAME:SYMBOL[+HEX][:OFFSET]");
	return field;
}

/* pid 0: probes of the file. */
static struct pid_site parse_site(char *text, int pid, const char *path)
{
	struct pid_site site = {.function = next_field(&text), .name = next_field(&text)};
	char *symbol = next_field(&text), *plus = strchr(symbol, '+');
	uint64_t offset = plus ? strtoul(plus, NULL, 16) : 0;

	if (plus)
		*plus = '\0';
	offset += symbol_offset(symbol);
	site.address = pid ? mapped_at(pid, path, offset) : offset;
	site.offset = text ? (int64_t)strtoul(text, NULL, 16) : -1;
	return site;
}

/* ---- registering ---- */

static int register_process(int device, int pid, uint32_t flags, const dof_helper_t *helper,
			    uint64_t where)
{
	char why[256] = "";
	dtrace_ft_register_t reg = {
		.dtfr_pid = pid,
		.dtfr_flags = DTRACE_FT_PID | flags,
		.dtfr_dof = where,
		.dtfr_errmsg = (uintptr_t)why,
		.dtfr_errlen = sizeof(why),
		.dtfr_helper = *helper,
	};

	if (ioctl(device, DTRACEFTIOC_REGISTER, &reg) < 0)
		err(2, "process %d: %s", pid, why);
	return 0;
}

static int register_file(int device, const char *path, const dof_helper_t *helper)
{
	char why[256] = "";
	dtrace_ft_register_file_t reg = {
		.dtff_fd = open(path, O_RDONLY | O_CLOEXEC),
		.dtff_errmsg = (uintptr_t)why,
		.dtff_errlen = sizeof(why),
		.dtff_helper = *helper,
	};

	if (ioctl(device, DTRACEFTIOC_REGISTER_FILE, &reg) < 0)
		err(2, "%s: %s", path, why);
	close(reg.dtff_fd);
	return 0;
}

static void become(char **command, int device)
{
	char number[16];

	snprintf(number, sizeof(number), "%d", device);
	setenv("PLANT", number, 1);
	execvp(command[0], command);
	err(3, "%s", command[0]);
}

int main(int argc, char **argv)
{
	int device = open("/dev/dtrace/fasttrap", O_RDWR), option, pid;
	struct pid_site sites[MAX_SITES];
	dof_helper_t helper = {0};
	uint32_t flags = 0;
	size_t n = 0, size;

	while ((option = getopt(argc, argv, "+fm:")) != -1) {
		if (option == 'f')
			flags = DTRACE_FT_FOLLOW;
		else if (option == 'm')
			snprintf(helper.dofhp_mod, sizeof(helper.dofhp_mod), "%s", optarg);
		else
			return 3;
	}
	if (device == -1 || argc - optind < 4)
		errx(3, "/dev/dtrace/fasttrap cannot be opened, or not enough arguments");
	pid = strcmp(argv[optind], "file") ? atoi(argv[optind]) : 0;
	image = image_read(argv[optind + 1]);
	for (char **arg = argv + optind + 2; *arg && strcmp(*arg, "--") && n < MAX_SITES; arg++)
		sites[n++] = parse_site(*arg, pid, argv[optind + 1]);
	helper.dofhp_dof = (uintptr_t)pid_dof(sites, n, pid ? 0x1000 : 0, &size);
	if (pid)
		register_process(device, pid, flags, &helper, 0x1000);
	else
		register_file(device, argv[optind + 1], &helper);
	become(argv + optind + 2 + n + 1, device);
}
