/* SPDX-License-Identifier: MIT */
/*
 * call.c - system calls that create a process which shares the memory of this one: vfork(), and
 * clone() as posix_spawn() makes it. Such a process runs the same code with the same thread
 * pointer, so only the kernel can tell whose hit it is. While such a process may exist, each hit
 * asks the kernel.
 */
#include <linux/sched.h>
#include <sys/reg.h>
#include "impl.h"

/* Return the flags of a call that creates a process or thread, 0 if they cannot be read. */
static uint64_t call_flags(uint32_t nr, const struct usdt_regs *regs)
{
	uint64_t flags;

	switch (nr) {
	case __NR_vfork:
		return CLONE_VM | CLONE_VFORK;
	case __NR_clone:
		return regs->words[RDI];
	default: /* clone3: the flags are what its structure begins with */
		return target_peek(&flags, regs->words[RDI], sizeof(flags)) == sizeof(flags) ? flags
											     : 0;
	}
}

/*
 * Count one process less. A call that was under way when dtrace joined the process was not counted.
 */
static void shared_less(void)
{
	uint32_t *shared = &agent_own()->shared, n;

	do
		n = port_read_once(shared);
	while (n && !port_cas(shared, n, n - 1));
}

/*
 * The caller of vfork() goes on when its child has left its memory; for other children the time is
 * not known. In the child itself, the call returns 0.
 */
void call_seen(uint32_t stop, const struct usdt_regs *regs)
{
	const uint64_t flags = call_flags(AGENT_CALL_NR(stop), regs);

	if (!(flags & CLONE_VM) || flags & CLONE_THREAD)
		return;
	if (!(stop & AGENT_CALL_RETURN))
		port_xadd(&agent_own()->shared, 1);
	else if (flags & CLONE_VFORK && regs->words[RAX])
		shared_less();
}
