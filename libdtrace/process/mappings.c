/* SPDX-License-Identifier: MIT */
/* mappings.c - the mappings of a process, and their files. */
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include "mappings.h"
#include "procfs.h"

#define NARROW_ADDR 0x10000000U	 /* of the program of 32 bits */
#define DELETED	    " (deleted)" /* the kernel appends it to the path of a deleted file */

void dt_path_undelete(char *path)
{
	size_t len = strlen(path), end = strlen(DELETED);

	if (len > end && strcmp(path + len - end, DELETED) == 0)
		path[len - end] = '\0';
}

/* Return whether a mapping is the kernel's part of a process. */
static bool is_vdso(const char *path)
{
	return strcmp(path, "[vdso]") == 0;
}

/*
 * Read a number that ends with a character, and move *text behind that. Return false if there is
 * none.
 */
static bool number_read(char **text, int base, char end, uint64_t *value)
{
	char *from = *text, *at;

	*value = strtoull(from, &at, base);
	*text = at + 1;
	return at != from && *at == end;
}

/*
 * Parse a line of /proc/PID/maps, "START-END PERM OFFSET MAJOR:MINOR INODE PATH". Return false if
 * it is none.
 */
static bool line_parse(char *line, struct dt_mapping *map)
{
	uint64_t start, end, offset, major, minor, ino;
	char *perm;

	if (!number_read(&line, 16, '-', &start) || !number_read(&line, 16, ' ', &end))
		return false;
	perm = line;
	if (strcspn(perm, " \n") != 4)
		return false;
	line += 5;
	if (!number_read(&line, 16, ' ', &offset) || !number_read(&line, 16, ':', &major) ||
	    !number_read(&line, 16, ' ', &minor) || !number_read(&line, 10, ' ', &ino))
		return false;
	line += strspn(line, " ");
	line[strcspn(line, "\n")] = '\0';
	dt_path_undelete(line);
	*map = (struct dt_mapping){.start = start,
				   .end = end,
				   .offset = offset,
				   .dev = major << 32 | minor,
				   .ino = ino,
				   .path = line,
				   .writable = perm[1] == 'w',
				   .executable = perm[2] == 'x',
				   .shared = perm[3] == 's'};
	if (is_vdso(map->path))
		map->dev = start > UINT32_MAX ? 8 : 4;
	return true;
}

int dt_mappings_all(pid_t pid, int (*func)(void *arg, const struct dt_mapping *map), void *arg)
{
	const int fd = dt_proc_open(pid, O_RDONLY, "maps");
	FILE *fp = fd != -1 ? fdopen(fd, "r") : NULL;
	int rv = 0, error = fp ? 0 : errno;
	struct dt_mapping map;
	size_t capacity = 0;
	char *line = NULL;

	while (fp && rv == 0 && getline(&line, &capacity, fp) > 0)
		if (line_parse(line, &map))
			rv = func(arg, &map);
	if (fp) {
		error = rv == 0 && ferror(fp) ? errno : 0;
		fclose(fp);
	} else if (fd != -1) {
		close(fd);
	}
	free(line);
	errno = error;
	return rv;
}

/* The function of a caller of dt_mappings(). */
struct named {
	int (*func)(void *arg, const struct dt_mapping *map);
	void *arg;
};

/* Pass on executable mappings with a name; a function for dt_mappings_all(). */
static int mapping_pass(void *arg, const struct dt_mapping *map)
{
	const struct named *named = arg;

	return map->executable && *map->path ? named->func(named->arg, map) : 0;
}

int dt_mappings(pid_t pid, int (*func)(void *arg, const struct dt_mapping *map), void *arg)
{
	struct named named = {func, arg};

	return dt_mappings_all(pid, mapping_pass, &named);
}

/* The mapping of an address. */
struct finding {
	uint64_t addr;
	uint64_t *start, *end;
};

/* Compare a mapping with the address; a function for dt_mappings(). */
static int mapping_try(void *arg, const struct dt_mapping *map)
{
	struct finding *fd = arg;

	if (fd->addr < map->start || fd->addr >= map->end)
		return 0;
	*fd->start = map->start;
	*fd->end = map->end;
	return 1;
}

bool dt_mapping_find(pid_t pid, uint64_t addr, uint64_t *start, uint64_t *end)
{
	struct finding fd = {addr, start, end};

	return dt_mappings(pid, mapping_try, &fd) != 0;
}

/* Compare a mapping with another; a function for dt_mappings(). */
static int mapping_compare(void *arg, const struct dt_mapping *map)
{
	const struct dt_mapping *other = arg;

	return map->start == other->start && map->end == other->end &&
	       map->offset == other->offset && map->dev == other->dev && map->ino == other->ino;
}

bool dt_mapping_is_there(pid_t pid, const struct dt_mapping *map)
{
	struct dt_mapping other = *map;

	return dt_mappings(pid, mapping_compare, &other) != 0;
}

const char *dt_fd_path(int fd, char path[DT_FDPATH])
{
	snprintf(path, DT_FDPATH, "/proc/self/fd/%d", fd);
	return path;
}

/*
 * Open a file again for reading if it is the mapped file. A device is not opened, since opening may
 * have effects.
 *	found	its descriptor of O_PATH, which is closed, or -1
 * Return a descriptor or -1.
 */
static int file_open(const struct dt_mapping *map, int found)
{
	char again[DT_FDPATH];
	struct stat st;
	int fd = -1;

	if (found == -1)
		return -1;
	if (fstat(found, &st) == 0 && S_ISREG(st.st_mode) && st.st_ino == map->ino)
		fd = open(dt_fd_path(found, again), O_RDONLY | O_CLOEXEC);
	close(found);
	return fd;
}

/*
 * ---- the kernel's part of processes, as a file ----
 *
 * It is the same in all processes, so this process's own is copied, and that of 32 bits from a
 * child that executes a program of 32 bits. A traced process may have changed its own.
 */

/* Write the vdso to the descriptor at arg; a function for dt_mappings(). */
static int vdso_write(void *arg, const struct dt_mapping *map)
{
	const int *fd = arg;
	size_t size = map->end - map->start;

	return strcmp(map->path, "[vdso]") == 0 &&
	       write(*fd, (const void *)(uintptr_t)map->start, size) == (ssize_t)size;
}

/*
 * A program of 32 bits that writes its vdso to descriptor 1. The kernel tells the program the
 * address on its stack. Where memory ends, the kernel writes less than the program asks for.
 */
static const unsigned char narrow_code[] = {
	/* mov %esp, %esi; lodsl: argc; 1: lodsl; test %eax, %eax; jnz 1b: argv[] */
	0x89, 0xe6, 0xad, 0xad, 0x85, 0xc0, 0x75, 0xfb,
	/* 2: lodsl; test %eax, %eax; jnz 2b: environ[] */
	0xad, 0x85, 0xc0, 0x75, 0xfb,
	/* 3: lodsl; mov %eax, %edx; lodsl: the type of an auxiliary value, and the value */
	0xad, 0x89, 0xc2, 0xad,
	/* test %edx, %edx; jz 4f; cmp $AT_SYSINFO_EHDR, %edx; jne 3b */
	0x85, 0xd2, 0x74, 0x18, 0x83, 0xfa, AT_SYSINFO_EHDR, 0x75, 0xf3,
	/* mov %eax, %ecx; mov $1, %ebx */
	0x89, 0xc1, 0xbb, 0x01, 0x00, 0x00, 0x00,
	/* mov $65536, %edx; mov $__NR_write, %eax; int $0x80 */
	0xba, 0x00, 0x00, 0x01, 0x00, 0xb8, 0x04, 0x00, 0x00, 0x00, 0xcd, 0x80,
	/* 4: mov $__NR_exit, %eax; xor %ebx, %ebx; int $0x80 */
	0xb8, 0x01, 0x00, 0x00, 0x00, 0x31, 0xdb, 0xcd, 0x80};

/* Return a descriptor of a file with that program, or -1. */
static int narrow_program(void)
{
	struct {
		Elf32_Ehdr ehdr;
		Elf32_Phdr phdr;
		unsigned char code[sizeof(narrow_code)];
	} file = {
		.ehdr = {.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS32, ELFDATA2LSB,
				     EV_CURRENT},
			 .e_type = ET_EXEC,
			 .e_machine = EM_386,
			 .e_version = EV_CURRENT,
			 .e_entry = NARROW_ADDR + sizeof(file.ehdr) + sizeof(file.phdr),
			 .e_phoff = sizeof(file.ehdr),
			 .e_ehsize = sizeof(file.ehdr),
			 .e_phentsize = sizeof(file.phdr),
			 .e_phnum = 1},
		.phdr = {.p_type = PT_LOAD,
			 .p_vaddr = NARROW_ADDR,
			 .p_filesz = sizeof(file),
			 .p_memsz = sizeof(file),
			 .p_flags = PF_R | PF_X,
			 .p_align = 4096},
	};
	int fd = memfd_create("vdso32", MFD_CLOEXEC);

	memcpy(file.code, narrow_code, sizeof(narrow_code));
	if (fd != -1 && write(fd, &file, sizeof(file)) != sizeof(file)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

/* Write the vdso of 32 bits to fd: in a child, which executes the program. */
static void narrow_write(int fd)
{
	char name[] = "vdso32", *argv[] = {name, NULL}, *environment[] = {NULL};
	int program = narrow_program();
	pid_t child;

	if (program == -1)
		return;
	child = fork();
	if (child == 0) {
		if (dup2(fd, STDOUT_FILENO) != -1)
			fexecve(program, argv, environment);
		_exit(1);
	}
	if (child != -1)
		waitpid(child, NULL, 0);
	close(program);
}

/* Return a new descriptor for vdso_fd(), or -1. */
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

/*
 * Return a descriptor of a file with the vdso of processes whose addresses have word bytes, 4 or 8;
 * -1 if it cannot be read. The descriptor stays open, and is the same at each call.
 */
static int vdso_fd(unsigned int word)
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

/* ---- files ---- */

/* Open the copy of the vdso. Return a descriptor or -1. */
static int vdso_copy(const struct dt_mapping *map)
{
	int fd = vdso_fd((unsigned int)map->dev);
	char path[DT_FDPATH];

	return fd != -1 ? open(dt_fd_path(fd, path), O_RDONLY | O_CLOEXEC) : -1;
}

/* An ending process loses the names of the file in /proc one after the other, so all are tried. */
int dt_mapping_open(pid_t pid, const struct dt_mapping *map)
{
	int fd;

	if (is_vdso(map->path))
		return vdso_copy(map);
	if (map->ino == 0)
		return -1;
	fd = file_open(map,
		       dt_proc_open(pid, O_PATH, "map_files/%llx-%llx",
				    (unsigned long long)map->start, (unsigned long long)map->end));
	if (fd == -1)
		fd = file_open(map, dt_proc_open(pid, O_PATH, "root%s", map->path));
	if (fd == -1) /* the only name for users but root */
		fd = file_open(map, dt_proc_open(pid, O_PATH, "exe"));
	return fd != -1 ? fd : file_open(map, open(map->path, O_PATH | O_CLOEXEC));
}
