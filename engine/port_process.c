/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/* port_process.c - common parts of the ports that run the engine in a process. */
#include "port.h"

/* Turns for which a thread waits for a lock: on the CPU, then letting others run, then asleep. */
#define SPINS 200
#define TURNS 100
#define NAPS  200

/*
 * An owner for whom a thread has waited in vain, because it may be stopped: other threads do not
 * wait as long for it. 0: none.
 */
static uint32_t hopeless;

static void spin_pause(unsigned int turn)
{
	if (turn >= SPINS)
		port_others_run(turn >= SPINS + TURNS);
	else
		__builtin_ia32_pause();
}

bool port_spin_wait(port_spin_t *s)
{
	uint32_t owner = port_read_once(&s->owner);
	unsigned int turns = SPINS + TURNS + NAPS;

	if (port_is_interrupted(owner))
		return false;
	if (owner && owner == port_read_once(&hopeless))
		turns = SPINS;
	for (unsigned int turn = 0; turn < turns; turn++) {
		if (!port_read_once(&s->owner) && port_cas(&s->owner, 0, port_owner())) {
			port_write_once(&hopeless, 0);
			return true;
		}
		if (turn == SPINS + TURNS)
			port_tell_stuck(port_read_once(&s->owner));
		spin_pause(turn);
	}
	port_write_once(&hopeless, port_read_once(&s->owner));
	return false;
}

/* Arguments of requests are in the memory of the process. */
int port_copy_in(void *dst, uint64_t from, size_t n)
{
	memcpy(dst, (const void *)(uintptr_t)from, n);
	return 0;
}

int port_copy_out(uint64_t to, const void *src, size_t n)
{
	memcpy((void *)(uintptr_t)to, src, n);
	return 0;
}
