/* SPDX-License-Identifier: MIT */
/*
 * stop.c - threads wait at stop points until dtrace has handled what is new.
 *
 * A waiting thread holds no slot: dtrace may stop it by ptrace, and have it carry out calls. It
 * goes on by itself after AGENT_STOP_MS, or soon after the end of dtrace. A signal handler may run
 * meanwhile, and may leave by longjmp(): so dtrace frees the entry of a thread that it lets go on.
 */
#include <linux/futex.h>
#include <linux/time.h>
#include <asm/unistd.h>
#include <sys/reg.h>
#include "impl.h"

#define NAP_NS 100000000 /* between looks whether dtrace lives */

/* Return a new ticket. It is not 0, nor one that was given out lately. */
static uint32_t ticket_new(void)
{
	uint32_t ticket;

	do
		ticket = port_xadd(&agent_head.tickets, 1) << 1 | 1;
	while (ticket == AGENT_TICKET_CLAIMED);
	return ticket;
}

/* Find a free entry, and make it that of the current thread. Return NULL if there is none. */
static struct agent_stopped *entry_claim(uint32_t point, uint32_t pid, uint32_t ticket,
					 const struct usdt_regs *regs)
{
	static const uint8_t words[AGENT_STOPPED_ARGS] = {RDI, RSI, RDX, R10, R8};

	for (unsigned int i = 0; i < AGENT_STOPPED_MAX; i++) {
		struct agent_stopped *entry = &agent_head.stopped[i];

		if (!port_cas(&entry->ticket, 0, AGENT_TICKET_CLAIMED))
			continue;
		entry->point = point;
		entry->pid = pid;
		for (unsigned int k = 0; k < AGENT_STOPPED_ARGS; k++)
			entry->args[k] = regs->words[words[k]];
		port_store_release(&entry->ticket, ticket);
		return entry;
	}
	return NULL;
}

/* Return whether a thread still waits: the session goes on, and dtrace has not let it go. */
static bool entry_waits(const struct agent_stopped *entry, uint32_t ticket, uint32_t live)
{
	const struct agent_control *control =
		(const struct agent_control *)(uintptr_t)agent_head.control;

	return port_load_acquire(&entry->ticket) == ticket &&
	       port_read_once(&agent_own()->live) == live &&
	       port_read_once(&control->leader) == agent_head.leader;
}

void stop_wait(uint32_t point, uint32_t live, const struct usdt_regs *regs)
{
	const struct __kernel_timespec nap = {.tv_nsec = NAP_NS};
	const uint64_t end = port_timestamp() + AGENT_STOP_MS * 1000000ULL;
	const uint32_t pid = agent_pid();
	const uint32_t ticket = ticket_new();
	struct agent_stopped *entry;

	if (pid != agent_own()->pid && !agent_head.children)
		return; /* another process with this memory */
	entry = entry_claim(point, pid, ticket, regs);
	if (!entry) {
		port_xadd(&agent_head.unstopped, 1);
		return;
	}
	while (entry_waits(entry, ticket, live)) {
		if (port_timestamp() >= end) {
			port_xadd(&agent_head.unstopped, 1);
			break;
		}
		agent_syscall(__NR_futex, (uintptr_t)&entry->ticket, FUTEX_WAIT, ticket,
			      (uintptr_t)&nap, 0, 0);
	}
	(void)port_cas(&entry->ticket, ticket, 0);
}
