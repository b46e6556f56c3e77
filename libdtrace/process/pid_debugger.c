/* SPDX-License-Identifier: MIT */
/*
 * pid_debugger.c - breakpoints of debuggers in processes that are traced. The kernel has one
 * breakpoint at a place: were ours put where a debugger has one, it would hear of no hit, and find
 * its breakpoint gone when ours is.
 */
#include <stdio.h>
#include <string.h>
#include "memory.h"
#include "pid_impl.h"

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

/* Is there, or may there be, one of ours at that offset of a file? */
static bool offset_is_ours(uint64_t offset)
{
	FILE *fp = fopen("/proc/dtrace/fasttrap", "re");
	char line[4600], wanted[32];
	bool found = false;

	snprintf(wanted, sizeof(wanted), " %#llx ", (unsigned long long)offset);
	while (fp != NULL && !found && fgets(line, sizeof(line), fp) != NULL)
		found = strstr(line, wanted) != NULL;
	if (fp != NULL)
		fclose(fp);
	return found;
}

bool pid_has_breakpoint(const struct pid_place *place, uint64_t addr)
{
	struct pid_text text;
	uint64_t offset;
	uint8_t byte;

	return place->debugged && dt_memory_read(place->process, addr + place->bias, &byte, 1) &&
	       byte == INT3 && pid_object_text(place->obj, addr, 1, &text) &&
	       text.bytes[0] != INT3 && pid_object_offset(place->obj, addr, &offset) &&
	       !offset_is_ours(offset);
}
