/* SPDX-License-Identifier: MIT */
/*
 * debugger.c - breakpoints of debuggers in processes that are traced. The kernel has one
 * breakpoint at a place: were ours put where a debugger has one, it would hear of no hit, and find
 * its breakpoint gone when ours is.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "../process/memory.h"
#include "impl.h"

#define INT3	0xcc

bool pid_is_debugged(pid_t pid)
{
	char path[64], line[256];
	int tracer = 0;
	FILE *fp;

	snprintf(path, sizeof(path), "/proc/%d/status", (int)pid);
	fp = fopen(path, "re");
	while (fp != NULL && fgets(line, sizeof(line), fp) != NULL)
		if (sscanf(line, "TracerPid: %d", &tracer) == 1)
			break;
	if (fp != NULL)
		fclose(fp);
	return tracer != 0;
}

bool pid_debuggees_add(struct pid_debuggees *some, pid_t pid, const struct dt_mapping *map)
{
	struct pid_debuggee *list = dt_list_grow(some->list, some->n, sizeof(*list));

	if (list == NULL)
		return false;
	some->list = list;
	list[some->n++] = (struct pid_debuggee){pid, map->start, map->offset};
	return true;
}

/* Does a line of /proc/dtrace/fasttrap end with a file of that name, which may be deleted? */
static bool line_is_of(const char *line, const char *name)
{
	const char *base = strrchr(line, '/');
	size_t len = strlen(name);

	return base != NULL && strncmp(base + 1, name, len) == 0 && strchr(" \n", base[1 + len]);
}

/* Is there, or may there be, one of ours at that offset of a file of that name? */
static bool offset_is_ours(uint64_t offset, const char *name)
{
	FILE *fp = fopen("/proc/dtrace/fasttrap", "re");
	char line[4600], wanted[32];
	bool found = false;

	snprintf(wanted, sizeof(wanted), " %#llx ", (unsigned long long)offset);
	while (fp != NULL && !found && fgets(line, sizeof(line), fp) != NULL)
		found = strstr(line, wanted) != NULL && line_is_of(line, name);
	if (fp != NULL)
		fclose(fp);
	return found;
}

static bool memory_has_breakpoint(pid_t pid, uint64_t address)
{
	uint8_t byte;

	errno = 0;
	return dt_memory_read(pid, address, &byte, 1) ? byte == INT3
						      : errno == EACCES || errno == EPERM;
}

static bool others_have_breakpoint(const struct pid_place *place, uint64_t addr)
{
	const struct pid_debuggee *one;
	uint64_t bias;

	for (size_t i = 0; place->others != NULL && i < place->others->n; i++) {
		one = &place->others->list[i];
		if (dt_segments_bias(&place->obj->segs, one->start, one->offset, &bias) &&
		    memory_has_breakpoint(one->pid, addr + bias))
			return true;
	}
	return false;
}

bool pid_has_breakpoint(const struct pid_place *place, uint64_t addr)
{
	struct pid_text text;
	uint64_t offset;

	return ((place->debugged && memory_has_breakpoint(place->process, addr + place->bias)) ||
		others_have_breakpoint(place, addr)) &&
	       pid_object_text(place->obj, addr, 1, &text) && text.bytes[0] != INT3 &&
	       pid_object_offset(place->obj, addr, &offset) &&
	       !offset_is_ours(offset, place->obj->name);
}
