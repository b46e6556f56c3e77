/* SPDX-License-Identifier: MIT */
/* mapped_object.c - what a process has mapped as code, and the files of that, which are opened once. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/stat.h>
#include "../list.h"
#include "impl.h"

#define MAXFILES 256 /* that are kept open while programs come and go */
#define TRIES	 20  /* to read of a process that executes one program after the other */

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
	return pid_maps_find(maps, map) != NULL;
}

int pid_maps_add(void *arg, const struct dt_mapping *map)
{
	struct pid_maps *maps = arg;
	struct pid_map *more;
	char *path;

	if (map->path[0] != '/' || map->ino == 0 || pid_maps_have(maps, map))
		return 0;
	more = dt_list_grow(maps->maps, maps->n, sizeof(*more));
	path = more != NULL ? strdup(map->path) : NULL;
	if (more != NULL)
		maps->maps = more;
	if (path == NULL)
		return -1;
	more[maps->n] = (struct pid_map){*map, strcmp(path, maps->program) == 0};
	more[maps->n++].map.path = path;
	return 0;
}

/* The path of what a process executes; "": it has ended, or is not ours to look at. */
static void program_read(pid_t pid, char path[DT_MAPPATH])
{
	char link[64];
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/%d/exe", (int)pid);
	n = readlink(link, path, DT_MAPPATH - 1);
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

/* If it executes another program meanwhile, name and files may be of different ones: once more. */
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
	} while ((strcmp(after, maps->program) != 0 ||
		  (maps->n > 0 && pid_maps_program(maps) == NULL)) &&
		 ++tries < TRIES);
	return rv == 0;
}

/* ---- files ---- */

static struct pid_object *object_of(int fd, const char *name)
{
	char path[DT_FDPATH];

	return pid_object_open(dt_fd_path(fd, path), name);
}

static struct timespec file_changed(const struct pid_object *obj)
{
	struct stat st;

	return obj != NULL && fstat(obj->fd, &st) == 0 ? st.st_ctim : (struct timespec){0};
}

/* One that was written to since says nothing about what is mapped now. */
static bool file_is(const struct pid_file *file, const struct dt_mapping *map)
{
	struct timespec changed;

	if (file->dev != map->dev || file->ino != map->ino || strcmp(file->path, map->path) != 0)
		return false;
	changed = file_changed(file->obj);
	return changed.tv_sec == file->changed.tv_sec && changed.tv_nsec == file->changed.tv_nsec;
}

/* One that is known; it is the one that was used last then. */
static struct pid_file *file_find(struct dt_pid *pd, const struct dt_mapping *map)
{
	struct pid_file *file;

	for (struct pid_file **at = &pd->files; (file = *at) != NULL; at = &file->next)
		if (file_is(file, map)) {
			*at = file->next;
			file->next = pd->files;
			pd->files = file;
			return file;
		}
	return NULL;
}

static struct pid_file *file_create(int fd, const struct dt_mapping *map)
{
	struct pid_file *file = calloc(1, sizeof(*file));

	if (file == NULL || (file->path = strdup(map->path)) == NULL) {
		free(file);
		return NULL;
	}
	file->obj = object_of(fd, map->path);
	file->changed = file_changed(file->obj);
	file->dev = map->dev;
	file->ino = map->ino;
	return file;
}

/* The file that a process has mapped; NULL: it cannot be read, or is none with code. */
static struct pid_object *file_object(struct dt_pid *pd, pid_t pid, const struct dt_mapping *map)
{
	struct pid_file *file = file_find(pd, map);
	int fd;

	if (file != NULL)
		return file->obj;
	fd = dt_mapping_open(pid, map);
	if (fd == -1)
		return NULL;
	file = file_create(fd, map);
	close(fd);
	if (file == NULL)
		return NULL;
	file->next = pd->files;
	pd->files = file;
	return file->obj;
}

/* False: there is nothing that could be probed. */
bool pid_place_init(struct pid_place *place, struct dt_pid *pd, pid_t pid,
		    const struct pid_map *map)
{
	*place = (struct pid_place){
		.process = pid, .debugged = pid_is_debugged(pid), .executed = map->program};
	place->obj = file_object(pd, pid, &map->map);
	place->module = place->obj != NULL ? place->obj->name : NULL;
	return place->obj != NULL &&
	       dt_segments_bias(&place->obj->segs, map->map.start, map->map.offset, &place->bias);
}

void pid_files_trim(struct dt_pid *pd)
{
	struct pid_file *file = pd->files;

	for (unsigned int i = 1; file != NULL && i < MAXFILES; i++)
		file = file->next;
	if (file == NULL)
		return;
	pid_files_free(file->next);
	file->next = NULL;
}

void pid_files_free(struct pid_file *files)
{
	struct pid_file *next;

	for (; files != NULL; files = next) {
		next = files->next;
		pid_object_close(files->obj);
		free(files->path);
		free(files);
	}
}
