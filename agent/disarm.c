/* SPDX-License-Identifier: MIT */
/*
 * disarm.c - a process undoes the code that dtrace has put at its locations, after the end of
 * dtrace.
 *
 * A patch that differs in one byte is undone whatever other threads do. Other jumps stay, and their
 * hits return at once, until another dtrace joins the process and stops its threads.
 */
#include <asm/unistd.h>
#include "impl.h"

#define O_RDWR	  2
#define O_CLOEXEC 02000000

/* Read n bytes of the memory of the process. Return whether that succeeds. */
static bool memory_read(int64_t mem, uint64_t addr, void *bytes, size_t n)
{
	return agent_syscall(__NR_pread64, (uint64_t)mem, (uintptr_t)bytes, n, addr, 0, 0) ==
	       (int64_t)n;
}

static void memory_write(int64_t mem, uint64_t addr, const void *bytes, size_t n)
{
	agent_syscall(__NR_pwrite64, (uint64_t)mem, (uintptr_t)bytes, n, addr, 0, 0);
}

/* Undo one patch, unless the bytes have changed since. mem: the memory of the process. */
static void patch_undo(int64_t mem, const struct agent_patch *patch)
{
	uint64_t addr = port_read_once(&patch->addr), sema = port_read_once(&patch->sema);
	uint8_t now[sizeof(patch->now)];
	uint16_t raised;

	if (!addr || patch->stop || !memory_read(mem, addr, now, sizeof(now)) ||
	    memcmp(now, patch->now, sizeof(now)) != 0)
		return;
	memory_write(mem, addr, patch->before, 1);
	if (sema && memory_read(mem, sema, &raised, sizeof(raised)) && raised--)
		memory_write(mem, sema, &raised, sizeof(raised));
}

/* Return the largest depth of a patch. */
static unsigned int depth_most(const struct agent_patch *patches, uint32_t n)
{
	unsigned int most = 0;

	for (uint32_t i = 0; i < n; i++)
		if (patches[i].depth > most)
			most = patches[i].depth;
	return most;
}

void disarm(void)
{
	const struct agent_patch *patches = agent_at(agent_head.patches);
	uint32_t n = port_read_once(&agent_head.npatches);
	int64_t mem = agent_syscall(__NR_open, (uintptr_t) "/proc/thread-self/mem",
				    O_RDWR | O_CLOEXEC, 0, 0, 0, 0);

	if (mem < 0)
		return;
	n = n < AGENT_PATCHES_MAX ? n : AGENT_PATCHES_MAX;
	for (unsigned int depth = depth_most(patches, n) + 1; depth-- > 0;)
		for (uint32_t i = 0; i < n; i++)
			if (patches[i].depth == depth)
				patch_undo(mem, &patches[i]);
	agent_syscall(__NR_close, (uint64_t)mem, 0, 0, 0, 0, 0);
}
