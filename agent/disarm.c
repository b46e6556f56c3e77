/* SPDX-License-Identifier: MIT */
/*
 * disarm.c - a process takes back by itself the code that dtrace has put at its locations: after the end of
 * dtrace, and in a forked child that is not traced.
 *
 * Where one byte makes the difference, it is written whatever other threads do. Elsewhere the jump stays, and
 * the hit ends at once.
 */
#include <asm/unistd.h>
#include "impl.h"

#define O_RDWR	  2
#define O_CLOEXEC 02000000

/* Take back one patch, unless something else is there by now. mem: the memory of the process. */
static void patch_undo(int64_t mem, const struct agent_patch *patch)
{
	uint64_t addr = port_read_once(&patch->addr);
	uint8_t now[sizeof(patch->now)];

	if (!addr || agent_syscall(__NR_pread64, (uint64_t)mem, (uintptr_t)now, sizeof(now), addr,
				   0, 0) != (int64_t)sizeof(now))
		return;
	if (memcmp(now, patch->now, sizeof(now)) == 0)
		agent_syscall(__NR_pwrite64, (uint64_t)mem, (uintptr_t)&patch->before, 1, addr, 0,
			      0);
}

void disarm(void)
{
	const struct agent_patch *patches = agent_at(agent_head.patches);
	int64_t mem = agent_syscall(__NR_open, (uintptr_t) "/proc/self/mem", O_RDWR | O_CLOEXEC, 0,
				    0, 0, 0);

	if (mem < 0)
		return;
	for (uint32_t i = 0; i < port_read_once(&agent_head.npatches) && i < AGENT_PATCHES_MAX; i++)
		patch_undo(mem, &patches[i]);
	agent_syscall(__NR_close, (uint64_t)mem, 0, 0, 0, 0, 0);
}
