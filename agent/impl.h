/* SPDX-License-Identifier: MIT */
/* impl.h - the interface between the files of the agent. */
#ifndef DTRACE_AGENT_IMPL_H
#define DTRACE_AGENT_IMPL_H

#include <asm/unistd.h>
#include "port.h"
#include "agent.h"
#include "usdt.h"

/* The beginning of the region. */
extern struct agent_head agent_head;

/* agent_at - return the address of bytes in the region. */
static inline void *agent_at(uint64_t offset)
{
	return (char *)&agent_head + offset;
}

/* agent_offset - return the offset of something in the region. */
static inline uint64_t agent_offset(const void *p)
{
	return (uint64_t)((const char *)p - (const char *)&agent_head);
}

/* agent_syscall - make a system call. Return its result, a negative errno after errors. */
static inline int64_t agent_syscall(int64_t nr, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
				    uint64_t e, uint64_t f)
{
	register uint64_t r10 __asm__("r10") = d;
	register uint64_t r8 __asm__("r8") = e;
	register uint64_t r9 __asm__("r9") = f;
	int64_t rv;

	__asm__ volatile("syscall"
			 : "=a"(rv)
			 : "a"(nr), "D"(a), "S"(b), "d"(c), "r"(r10), "r"(r8), "r"(r9)
			 : "rcx", "r11", "memory");
	return rv;
}

/*
 * The private data of a process. Its forked children share all other data, and get this page empty.
 * It is at the same address in all of them, and in all sessions that use the agent one after the
 * other.
 */
struct agent_own {
	/*
	 * Whether the process takes part in the session: LIVE_* in the low bits, and above them a
	 * number that is unique to each beginning or end of a session. 0: unknown, in a forked
	 * child.
	 */
	uint32_t live;
	uint32_t pid;	/* in its PID namespace */
	uint32_t child; /* it was forked from the process that dtrace has joined */
	/*
	 * How often it has given its memory to a process that is no thread, and may still have it
	 * in common with that; and 1 if there was a clone() or fork() of which the C library does
	 * not know. Then pid is not what all hits belong to, and thread pointers do not tell
	 * threads apart.
	 */
	uint32_t shared;
	uint32_t stacks[AGENT_STACKS]; /* 1: a hit runs on the stack */
};
#define LIVE_OVER  0u /* not any more, or not yet */
#define LIVE_FIRE  1u
#define LIVE_STATE 3u
#define LIVE_FIRST 4u /* the first number, with LIVE_OVER */

/* agent_own - return the private data of this process. */
static inline struct agent_own *agent_own(void)
{
	return (struct agent_own *)(uintptr_t)agent_head.own;
}

/* fs_ask - ask the kernel for the base of %fs, and learn how to read it. (target_agent.c) */
uint64_t fs_ask(void);

/*
 * agent_thread_pointer - return the thread pointer, the base of %fs. It is 0 in a program that has
 * just been executed: the C library has not set it yet.
 */
static inline uint64_t agent_thread_pointer(void)
{
	const uint32_t how = port_read_once(&agent_head.fs);
	uint64_t tp;

	if (port_likely(how == AGENT_FS_INSTR))
		__asm__ volatile("rdfsbase %0" : "=r"(tp));
	else if (port_likely(how == AGENT_FS_SELF))
		__asm__ volatile("movq %%fs:0, %0" : "=r"(tp));
	else
		tp = fs_ask();
	return tp;
}

/* agent_pid - return the number of the current process in its PID namespace. */
static inline uint32_t agent_pid(void)
{
	const struct agent_own *own = agent_own();

	return port_likely(!port_read_once(&own->shared))
		       ? own->pid
		       : (uint32_t)agent_syscall(__NR_getpid, 0, 0, 0, 0, 0, 0);
}

/*
 * agent_thread - return a number that identifies a thread among those of a process and its forked
 * children, as owner of slots. Thread pointers are addresses of structures of more than 256 bytes;
 * those of a child are its parent's. A process number has 22 bits. If threads may have the same
 * thread pointer, it is the number of the thread instead.
 */
static inline uint64_t agent_thread(void)
{
	const struct agent_own *own = agent_own();
	const uint64_t number = port_likely(!port_read_once(&own->shared))
					? own->pid
					: (uint32_t)agent_syscall(__NR_gettid, 0, 0, 0, 0, 0, 0);

	return agent_thread_pointer() >> 8 << 24 | number << 2 | 1;
}

/*
 * slot_init - number the slots, and detect features of the processor. Return an error if it has no
 * cmpxchg16b, with agent_head.message set. Call it once. (slot.c)
 */
int slot_init(void);

/*
 * slot_take - take a slot for the current thread, and make it the current one. Return false if all
 * slots are taken, or if the session has ended. (slot.c)
 *	at	a word of the stack, below which the firing is
 *	marked	it lives until slot_give(), and is for the slot's mark
 *	live	an earlier value of agent_own()->live
 * A thread without a slot reads and writes no state of the session except agent_head and
 * agent_own(). After taking a slot, call slot_recover_left() before firing.
 */
bool slot_take(uint64_t *at, bool marked, uint32_t live);
/*
 * slot_take_number - take a slot by its number if it is free, besides the current one, and make it
 * the current one. at, live: as of slot_take(). On failure the current slot is unchanged.
 */
bool slot_take_number(uint32_t number, uint64_t *at, uint32_t live);
/* slot_give - release the current slot. */
void slot_give(void);
/*
 * slot_is_used - return whether a thread of this process may be in a firing in a slot. A forked
 * child that goes on with the stack of a firing has the mark of its parent's thread. (slot.c)
 */
bool slot_is_used(const struct agent_slot *slot);
/*
 * slots_end - return whether no thread of the process has a slot, and none will take one by an old
 * value of agent_own()->live. (slot.c)
 */
bool slots_end(void);

/*
 * slot_recover - put in order what the last firing in the current slot has left, which was
 * interrupted for good: its process has ended, or a signal handler has left it by longjmp(). Its
 * locks on variables are released. (agent.c)
 */
void slot_recover(void);

/*
 * slot_recover_left - do as slot_recover() if a firing in the current slot was interrupted for
 * good.
 */
static inline void slot_recover_left(void)
{
	if (port_unlikely(agent_slot->left))
		slot_recover();
}

/*
 * stack_take - return the end of a stack for a hit. Return 0, and count a missed hit, if all are
 * taken. Called on the stack of the program, which is small. (hit.S)
 */
uint64_t stack_take(void);
/* stack_give - give back a stack, which the thread has left. (hit.S) */
void stack_give(uint64_t end);

/*
 * disarm - remove dtrace's code from the locations of this process, by system calls: dtrace has
 * ended. If the memory of the process cannot be opened, the code stays. Called with a slot, or by a
 * call of dtrace. (disarm.c)
 */
void disarm(void);

/*
 * stop_wait - let the current thread wait at a stop point, by its number, until dtrace lets it go
 * on. The thread holds no slot. live: agent_own()->live at its hit. (stop.c)
 */
void stop_wait(uint32_t point, uint32_t live, const struct usdt_regs *regs);

/*
 * call_seen - note what a system call does that creates a process; stop: AGENT_CALL(). The thread
 * is before the call or behind it, and holds no slot. (call.c)
 */
void call_seen(uint32_t stop, const struct usdt_regs *regs);

/*
 * target_init - allocate. -ENOMEM; -EAGAIN with a message: the program has just been executed.
 * (target_agent.c)
 */
int target_init(void);
/* target_child - forget the parent's identity in a forked child. */
void target_child(void);
/* target_tid - return the number of the thread, and find out where the C library keeps it. */
uint32_t target_tid(void);
/*
 * target_note_stranger - note in agent_own()->shared if the C library knows this thread by a wrong
 * number: the program itself has made a system call that copies a thread with its thread pointer.
 */
void target_note_stranger(void);
/*
 * target_recover - forget the copy of a stack and the signal of the last firing in the current
 * slot, which was interrupted for good.
 */
void target_recover(void);
/*
 * target_take_signal - return and clear the signal that an action of this firing has asked for, 0
 * if none. Called with the slot.
 */
unsigned int target_take_signal(void);
/*
 * target_send - send a signal to the process. Called without a slot: the signal may end the thread.
 */
void target_send(unsigned int sig);
/* target_peek - read memory of the process. Return the number of bytes, or a negative errno. */
int64_t target_peek(void *dst, uint64_t addr, size_t n);
/* target_pid - return the number of this process in its PID namespace. */
uint32_t target_pid(void);

/*
 * clock_init - find out whether the process may read the time stamp counter, also by the vDSO.
 * (clock.c)
 */
void clock_init(void);
/*
 * clock_forget - let the next firing in a slot read the kernel's clock. Called with the slot.
 * (clock.c)
 */
void clock_forget(const struct agent_slot *slot);

/* agent_helpers - return the ustack helpers of the process; NULL: there are none. */
const struct dtrace_helpers *agent_helpers(void);
/* agent_unwind_maps - return the unwind tables of the process's mappings; NULL: there are none. */
const struct dtrace_unwind_maps *agent_unwind_maps(void);

#endif
