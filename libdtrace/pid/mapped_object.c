/* SPDX-License-Identifier: MIT */
/*
 * mapped_object.c - the files that a process has mapped as code. Files are opened once, and kept
 * for all processes. Breakpoints of debuggers and the results of ifuncs are looked for in a
 * process's memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "../list.h"
#include "../process/memory.h"
#include "../process/procfs.h"
#include "../world.h"
#include "impl.h"

#define MAXFILES 256 /* files that are kept open while programs come and go */
/* to read the mappings of a process that executes one program after the other */
#define TRIES 20
#define INT3  0xcc

void pid_maps_free(struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		free((char *)maps->maps[i].map.path);
	free(maps->maps);
	maps->maps = NULL;
	maps->n = 0;
}

const struct pid_map *pid_maps_find(const struct pid_maps *maps, const struct dt_mapping *map)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].map.ino == map->ino && maps->maps[i].map.dev == map->dev)
			return &maps->maps[i];
	return NULL;
}

bool pid_maps_have(const struct pid_maps *maps, const struct dt_mapping *map)
{
	return pid_maps_find(maps, map);
}

int pid_maps_add(void *arg, const struct dt_mapping *map)
{
	struct pid_maps *maps = arg;
	struct pid_map *more;
	char *path;

	if (map->path[0] != '/' || map->ino == 0 || pid_maps_have(maps, map))
		return 0;
	more = dt_list_grow(maps->maps, maps->n, sizeof(*more));
	path = more ? strdup(map->path) : NULL;
	if (more)
		maps->maps = more;
	if (!path)
		return -1;
	more[maps->n] = (struct pid_map){*map, strcmp(path, maps->program) == 0};
	more[maps->n++].map.path = path;
	return 0;
}

void pid_maps_remove(struct pid_maps *maps, size_t i)
{
	free((char *)maps->maps[i].map.path);
	maps->n--;
	memmove(maps->maps + i, maps->maps + i + 1, (maps->n - i) * sizeof(*maps->maps));
}

/* Read the path of what a process executes; "" if it has ended, or the user may not read it. */
static void program_read(pid_t pid, char path[DT_MAPPATH])
{
	const int fd = dt_proc_open(pid, O_PATH, "exe");
	char link[DT_FDPATH];
	ssize_t n = -1;

	if (fd != -1) {
		n = readlink(dt_fd_path(fd, link), path, DT_MAPPATH - 1);
		close(fd);
	}
	path[n > 0 ? n : 0] = '\0';
	dt_path_undelete(path);
}

const struct pid_map *pid_maps_program(const struct pid_maps *maps)
{
	for (size_t i = 0; i < maps->n; i++)
		if (maps->maps[i].program)
			return &maps->maps[i];
	return NULL;
}

/* If the process executes another program meanwhile, name and files may differ: read once more. */
bool pid_maps_read(struct pid_maps *maps, pid_t pid)
{
	char after[DT_MAPPATH];
	int rv, tries = 0;

	program_read(pid, after);
	do {
		pid_maps_free(maps);
		strcpy(maps->program, after);
		rv = dt_mappings(pid, pid_maps_add, maps);
		program_read(pid, after);
	} while ((strcmp(after, maps->program) != 0 || (maps->n > 0 && !pid_maps_program(maps))) &&
		 ++tries < TRIES);
	return rv == 0;
}

bool pid_maps_find_again(struct pid_maps *maps, size_t i, pid_t pid)
{
	struct dt_mapping *map = &maps->maps[i].map;
	const struct pid_map *found = NULL;
	struct pid_maps now = {0};

	if (pid_maps_read(&now, pid))
		found = pid_maps_find(&now, map);
	if (found) {
		map->start = found->map.start;
		map->end = found->map.end;
		map->offset = found->map.offset;
	}
	pid_maps_free(&now);
	return found;
}

/* ---- files ---- */

/* Return the object of an open file, NULL if it cannot be read. */
static struct pid_object *object_of(int fd, const char *name)
{
	char path[DT_FDPATH];

	return pid_object_open(dt_fd_path(fd, path), name);
}

/* Return when the file of an object was changed; zero for NULL. */
static struct timespec file_changed(const struct pid_object *obj)
{
	struct stat st;

	return obj && fstat(obj->fd, &st) == 0 ? st.st_ctim : (struct timespec){0};
}

/* Return whether it is the file of a mapping, not written to since it was opened. */
static bool file_is(const struct pid_file *file, const struct dt_mapping *map)
{
	struct timespec changed;

	if (file->dev != map->dev || file->ino != map->ino || strcmp(file->path, map->path) != 0)
		return false;
	changed = file_changed(file->obj);
	return changed.tv_sec == file->changed.tv_sec && changed.tv_nsec == file->changed.tv_nsec;
}

/* Return a known file, and put it first in the list; NULL if it is not known. */
static struct pid_file *file_find(struct dt_pid *pd, const struct dt_mapping *map)
{
	struct pid_file *file;

	for (struct pid_file **at = &pd->files; (file = *at); at = &file->next)
		if (file_is(file, map)) {
			*at = file->next;
			file->next = pd->files;
			pd->files = file;
			return file;
		}
	return NULL;
}

/* Return a new file; NULL without memory. */
static struct pid_file *file_create(int fd, const struct dt_mapping *map)
{
	struct pid_file *file = calloc(1, sizeof(*file));

	if (!file || !(file->path = strdup(map->path))) {
		free(file);
		return NULL;
	}
	file->obj = object_of(fd, map->path);
	file->changed = file_changed(file->obj);
	file->dev = map->dev;
	file->ino = map->ino;
	return file;
}

/* Return the object of a mapped file; NULL if it cannot be read, or has no code. */
static struct pid_object *file_object(struct dt_pid *pd, pid_t pid, const struct dt_mapping *map)
{
	struct pid_file *file = file_find(pd, map);
	int fd;

	if (file)
		return file->obj;
	fd = dt_mapping_open(pid, map);
	if (fd == -1)
		return NULL;
	file = file_create(fd, map);
	close(fd);
	if (!file)
		return NULL;
	file->next = pd->files;
	pd->files = file;
	return file->obj;
}

bool mapped_object_init(struct mapped_object *mapped, struct dt_pid *pd, pid_t pid,
			const struct pid_map *map)
{
	*mapped = (struct mapped_object){
		.dtp = pd->dtp,
		.process = pid,
		.debugged = pid_is_debugged(pid),
		.executed = map->program,
	};
	mapped->obj = file_object(pd, pid, &map->map);
	mapped->module = mapped->obj ? mapped->obj->name : NULL;
	return mapped->obj &&
	       dt_segments_bias(&mapped->obj->segs, map->map.start, map->map.offset, &mapped->bias);
}

void pid_files_trim(struct dt_pid *pd)
{
	struct pid_file *file = pd->files;

	for (unsigned int i = 1; file && i < MAXFILES; i++)
		file = file->next;
	if (!file)
		return;
	pid_files_free(file->next);
	file->next = NULL;
}

void pid_files_free(struct pid_file *files)
{
	struct pid_file *next;

	for (; files; files = next) {
		next = files->next;
		pid_object_close(files->obj);
		free(files->path);
		free(files);
	}
}

/* ---- breakpoints of debuggers ---- */

bool pid_is_debugged(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fp = fopen(path, "re");
	while (fp && fgets(line, sizeof(line), fp))
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (fp)
		fclose(fp);
	return tracer != 0;
}

bool pid_debuggees_add(struct pid_debuggees *some, pid_t pid, const struct dt_mapping *map)
{
	struct pid_debuggee *list = dt_list_grow(some->list, some->n, sizeof(*list));

	if (!list)
		return false;
	some->list = list;
	list[some->n++] = (struct pid_debuggee){pid, map->start, map->offset};
	return true;
}

/* Return whether a process has a breakpoint at an address, or may not be read. */
static bool memory_has_breakpoint(pid_t pid, uint64_t address)
{
	uint8_t byte;

	errno = 0;
	return dt_memory_read(pid, address, &byte, 1) ? byte == INT3
						      : errno == EACCES || errno == EPERM;
}

/* Return whether another debugged process has a breakpoint there. */
static bool others_have_breakpoint(const struct mapped_object *mapped, uint64_t addr)
{
	const struct pid_debuggee *one;
	uint64_t bias;

	for (size_t i = 0; mapped->others && i < mapped->others->n; i++) {
		one = &mapped->others->list[i];
		if (dt_segments_bias(&mapped->obj->segs, one->start, one->offset, &bias) &&
		    memory_has_breakpoint(one->pid, addr + bias))
			return true;
	}
	return false;
}

bool mapped_object_has_breakpoint(const struct mapped_object *mapped, uint64_t addr)
{
	struct insn_text text;
	uint64_t offset;

	return ((mapped->debugged && memory_has_breakpoint(mapped->process, addr + mapped->bias)) ||
		others_have_breakpoint(mapped, addr)) &&
	       pid_object_text(mapped->obj, addr, 1, &text) && text.bytes[0] != INT3 &&
	       pid_object_offset(mapped->obj, addr, &offset) &&
	       !dt_world_has_breakpoint(mapped->dtp, offset, mapped->obj->name);
}

/* ---- the function behind an ifunc ---- */

/*
 * A symbol of type ifunc is the address of a function that chooses another and is not called later.
 * The choice is in the GOT entries from which the process calls it: relocations of the same file
 * name them by the address of the choosing function, those of other files by the symbol.
 */
struct choice {
	const struct mapped_object *mapped; /* of the ifunc */
	uint64_t bias;			    /* of the object whose GOT is read */
	int mem;
	uint64_t addr; /* of the function that was chosen; 0: not known */
};

/*
 * Read a GOT entry. An entry that is not filled yet leads into a table of jumps, where no function
 * begins.
 */
static void choice_got_entry(void *arg, uint64_t entry)
{
	struct choice *ch = arg;
	struct pid_object *obj = ch->mapped->obj;
	uint64_t value = 0, start, size, offset;

	if (ch->addr != 0 ||
	    pread(ch->mem, &value, obj->bits / 8, entry + ch->bias) != obj->bits / 8)
		return;
	value -= ch->mapped->bias;
	if (obj->bits == 32)
		value = (uint32_t)value;
	if (pid_object_offset(obj, value, &offset) &&
	    pid_object_extent(obj, value, &start, &size) && start == value)
		ch->addr = value;
}

uint64_t mapped_object_ifunc(const struct mapped_object *mapped, const struct dt_function *func)
{
	struct choice ch = {.mapped = mapped, .bias = mapped->bias};
	char name[DTRACE_FUNCNAMELEN];

	snprintf(name, sizeof(name), "%.*s", (int)strcspn(func->name, "@"), func->name);
	ch.mem = dt_memory_open(mapped->process, O_RDONLY);
	if (ch.mem == -1)
		return 0;
	pid_object_got_entries(mapped->obj, NULL, func->addr, choice_got_entry, &ch);
	if (ch.addr == 0 && mapped->program) {
		ch.bias = mapped->program->bias;
		pid_object_got_entries(mapped->program->obj, name, 0, choice_got_entry, &ch);
	}
	close(ch.mem);
	errno = 0;
	return ch.addr;
}
