/* SPDX-License-Identifier: MIT */
/* texts.c - finds the text of the object that has a ustack helper. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include "texts.h"

/* A line of /proc/PID/maps. */
struct map_line {
	uint64_t start, end, ino;
	unsigned int major, minor;
	char perms[5];
};

static bool line_read(const char *line, struct map_line *map)
{
	return sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %*x %x:%x %" SCNu64, &map->start,
		      &map->end, map->perms, &map->major, &map->minor, &map->ino) == 6;
}

static bool same_file(const struct map_line *a, const struct map_line *b)
{
	return a->ino == b->ino && a->major == b->major && a->minor == b->minor;
}

uint32_t dt_texts(pid_t pid, uint64_t addr, struct agent_text texts[DTRACE_UHELP_MAXTEXTS])
{
	struct map_line map, run = {0};
	char path[32], *line = NULL;
	size_t capacity = 0;
	bool found = false;
	uint32_t n = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/maps", (int)pid);
	fp = fopen(path, "re");
	while (fp && getline(&line, &capacity, fp) > 0 && line_read(line, &map)) {
		if (!same_file(&map, &run)) {
			if (found)
				break;
			n = 0;
			run = map;
		}
		if (!map.ino)
			continue;
		found |= addr >= map.start && addr < map.end;
		if (map.perms[2] == 'x' && map.perms[3] == 'p' && n < DTRACE_UHELP_MAXTEXTS)
			texts[n++] = (struct agent_text){map.start, map.end};
	}
	free(line);
	if (fp)
		fclose(fp);
	return found ? n : 0;
}
