/* SPDX-License-Identifier: MIT */
/*
 * agent.h - the interface between dtrace and the agent in a traced process: image, region, slots.
 *
 * The agent is the engine in a traced process. It is one image without libc: code and constants,
 * which are mapped readable and executable; then the *region*, which begins with the image's
 * variables. The region is a shared memory file that dtrace maps too. It has all memory that the
 * agent's engine allocates.
 *
 * dtrace and the agent are built together, so the layout has no versions. dtrace trusts nothing
 * that it reads from the region, which the process can write. All addresses in the region are the
 * process's.
 *
 * A slot plays a CPU of the agent's engine: the owner of a slot uses its buffers and its firing
 * state. Threads take one of the slots of the CPU on which they run. dtrace takes a slot to read
 * its buffers.
 */
#ifndef DTRACE_AGENT_H
#define DTRACE_AGENT_H

#include <stdbool.h>
#include <stdint.h>
#include <dtrace/limits.h>

/* "dttagen2": the last letter changes with the layout of anything that two versions share. */
#define AGENT_MAGIC	    0x326e656761747464ULL
#define AGENT_SLOTS_PER_CPU 4
#define AGENT_SLOTS_MAX	    1024

/* The beginning of the image: addresses, after relocation. */
struct agent_image {
	uint64_t magic;
	uint64_t head; /* the struct agent_head, where the region begins */
	uint64_t hit;  /* entry for trampolines (hit.S) */
	uint64_t call; /* int64_t call(uint64_t enum agent_call, uint64_t offset of its argument) */
	uint64_t trap; /* an int3, the return address of calls by ptrace */
};

/*
 * The operand of a trampoline's call. head.numbers has the index of a location by the number. The
 * condition (0 to 15, as in the opcode) is that of a conditional jump at the location.
 */
#define AGENT_NUMBER(operand)	   ((operand)&0xffffffU)
#define AGENT_CONDITION(cc)	   (((cc) + 1U) << 24)
#define AGENT_CONDITIONAL(operand) ((operand) >> 24) /* the condition plus 1; 0: none */
#define AGENT_NUMBERS_MAX	   (1U << 22)

/*
 * The private memory of a process: a struct agent_own in the first page, and stacks behind it. Hits
 * use them in programs whose own stacks are small.
 */
#define AGENT_PAGE     4096
#define AGENT_STACK    16384
#define AGENT_STACKS   256
#define AGENT_OWN_SIZE (AGENT_PAGE + AGENT_STACKS * AGENT_STACK)

enum agent_call {
	AGENT_START,  /* begin the engine and a session; after head has been filled in */
	AGENT_ENABLE, /* a program: struct agent_bytes */
	AGENT_JOIN,   /* allocate buffers, and be ready to trace */
	AGENT_ADD,    /* a DOF of the process: struct agent_dof */
	AGENT_REMOVE, /* a DOF: its number instead of an offset, as ADD returned it */
	AGENT_LEAVE,  /* of a forked child: undo the code from its parent */
	/*
	 * Leave an ended session, so that the region may be replaced: see docs/worlds.md. -EBUSY: a
	 * thread is in it.
	 */
	AGENT_END,
	AGENT_STOP, /* make or remove a stop point: struct agent_stop */
};

/* Bytes in the region, by their offset from head. */
struct agent_bytes {
	uint64_t offset, size;
};

/* Executable code of the process: from start to before end. */
struct agent_text {
	uint64_t start, end;
};

struct agent_dof {
	struct agent_bytes dof;
	struct agent_bytes numbers; /* struct usdt_number of each site */
	uint64_t user;		    /* address that the DOF has, or would have, in the process */
	uint64_t base;		    /* dofhp_addr */
	uint32_t flags;		    /* USDT_* (engine/usdt.h) */
	uint32_t ntexts;
	struct agent_text
		texts[DTRACE_UHELP_MAXTEXTS]; /* of the object whose ustack helpers these are */
	char mod[64];
};

struct agent_stop {
	uint64_t addr;
	uint32_t location; /* its index */
	uint32_t number;   /* of the stop point, or AGENT_CALL(); 0: remove it */
};

/*
 * The number of a location at which no thread stops: the agent notes there that a process that is
 * no thread gets the memory of the process (call.c). The location is the instruction before the
 * system call that sets its number, or the one after it.
 */
#define AGENT_CALL(nr)	    (0x80000000U | (nr))
#define AGENT_CALL_RETURN   0x40000000U
#define AGENT_CALL_NR(stop) ((stop)&0xffffU)

#define AGENT_STOPPED_ARGS 5

/* A thread that waits at a stop point until dtrace lets it go on. */
struct agent_stopped {
	uint32_t ticket; /* 0: no thread; a futex: the thread waits while its own ticket is there */
	uint32_t point;	 /* number of the stop point */
	uint32_t pid;	 /* in its PID namespace; forked children come here, too */
	uint32_t pad;
	uint64_t args[AGENT_STOPPED_ARGS]; /* of a system call: registers di, si, dx, r10, r8 */
};
#define AGENT_TICKET_CLAIMED UINT32_MAX /* by a thread that fills in the rest */
#define AGENT_CHILDREN_MAX   1024	/* forked children of which dtrace was not told */
#define AGENT_STOPPED_MAX    16		/* threads; more go on, and are counted */
#define AGENT_STOP_MS	     5000	/* longest stop */

/*
 * The owner of a slot: none, dtrace, or a thread, whose number is odd (agent_thread()).
 */
#define AGENT_FREE	 0ULL
#define AGENT_DTRACE	 2ULL
#define AGENT_PID(owner) ((uint32_t)((owner) >> 2 & 0x3fffff)) /* of the thread's process */

/*
 * A turn of a thread in a slot. Its words change together, so that no other thread, no signal
 * handler and no dtrace sees a thread that has a slot but not yet its place. The next owner keeps
 * the place of the last one, and counts on.
 */
struct agent_turn {
	uint64_t owner;
	uint64_t place; /* agent_place() */
} __attribute__((aligned(16)));

/*
 * agent_turn_change - replace a turn if it is the one that was seen. Return whether it was. It is
 * a full barrier.
 */
static inline bool agent_turn_change(struct agent_turn *turn, struct agent_turn seen,
				     struct agent_turn next)
{
	bool was;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz"(was), "+m"(*turn), "+a"(seen.owner), "+d"(seen.place)
			 : "b"(next.owner), "c"(next.place)
			 : "memory");
	return was;
}

struct agent_slot {
	struct agent_turn turn; /* the owner alone changes from and to AGENT_FREE, too */
	uint64_t last;		/* the last owner that was a thread */
	uint32_t number;
	uint32_t cpu;	     /* on which the owner took it */
	uint32_t lock_owner; /* PORT_OWNER() of the slot */
	/* 1: a firing in it was interrupted for good, and its locks must be released */
	uint32_t left;
	uint32_t pad[4];
};

/*
 * The place of a turn: the address of a word in the owner's stack, below which its firing is; in
 * bit 0, whether that word has no mark; above, how often threads took the slot.
 */
#define AGENT_PLACE_ADDR     0x7ffffffffff8ULL /* addresses of programs that do not ask for more */
#define AGENT_PLACE_UNMARKED 1ULL
#define AGENT_PLACE_COUNT    (1ULL << 48)

/* agent_place - return the place of the turn after one with another place. */
static inline uint64_t agent_place(uint64_t before, uint64_t addr, bool marked)
{
	const bool unmarked = !marked || addr & ~AGENT_PLACE_ADDR;

	return (before & -AGENT_PLACE_COUNT) + AGENT_PLACE_COUNT + (addr & AGENT_PLACE_ADDR) +
	       (unmarked ? AGENT_PLACE_UNMARKED : 0);
}

/* agent_marked - return the address of the word that has the mark of a turn; 0: none has. */
static inline uint64_t agent_marked(uint64_t place)
{
	return place & AGENT_PLACE_UNMARKED ? 0 : place & AGENT_PLACE_ADDR;
}

/* agent_mark - return the mark of a turn, which no other turn has. */
static inline uint64_t agent_mark(const struct agent_slot *slot, uint64_t place)
{
	return (place + slot->number) * 0x9e3779b97f4a7c15;
}

/* How a thread of the process reads its thread pointer, the base of %fs. */
enum agent_fs {
	AGENT_FS_UNKNOWN, /* without rdfsbase; no thread has one yet: by a system call */
	AGENT_FS_INSTR,	  /* by rdfsbase */
	AGENT_FS_SELF,	  /* from the word there, as C libraries keep it */
	AGENT_FS_CALL	  /* by a system call, since something else is there */
};

/* An ECB of the process's engine, in the table at head.ecbs. */
struct agent_ecb {
	uint32_t epid;
	uint32_t probe;	   /* its number in the process; AGENT_ERROR: of the probe ERROR */
	uint32_t enabling; /* program, from 0 */
	uint32_t clause;
	uint64_t told; /* offset of its struct ecb_numbers, written by dtrace */
};
#define AGENT_ERROR UINT32_MAX

struct agent_head {
	uint64_t magic;
	/* written by dtrace before AGENT_START */
	uint64_t size;	   /* of the region */
	uint64_t heap;	   /* offset from which on the engine allocates */
	uint64_t heap_end; /* offset of its end; behind it are arguments of calls */
	uint64_t clock;	   /* address of __vdso_clock_gettime; 0: there is none */
	uint64_t control;  /* address of the session's struct agent_control */
	uint64_t tick;	   /* length of a tick in 2^-32 ns (tick.h); 0: the counter is no clock */
	uint64_t variables, variables_size; /* address of the session's variables; 0: none */
	uint64_t dynvarsize;		    /* of the session */
	uint32_t seed;			    /* of its arrays */
	uint32_t process; /* the process's number in the session, for port_owner() */
	uint32_t nslots, ncpus;
	uint32_t pid, uid;	/* of the process, as dtrace numbers it */
	uint32_t children;	/* forked children are traced too */
	uint32_t zone;		/* inode of the PID namespace if it is not the first */
	uint32_t ancestors[63]; /* as struct usdt_process has them */
	uint32_t leader;	/* agent_control.leader while dtrace traces */
	uint32_t fs;		/* enum agent_fs: how a thread reads its thread pointer */
	uint32_t calls;		/* of dtrace that are being carried out; written by the agent */
	/*
	 * the stacks of the program are small, and all of its signal handlers run on others, so
	 * that hits run on stacks of the private memory
	 */
	uint32_t small_stacks;
	/* written by dtrace: system calls of the process are filtered, so it keeps its jumps */
	uint32_t filtered;
	uint64_t own;	  /* address of the process's struct agent_own; 0: the agent maps it */
	uint64_t patches; /* offset of struct agent_patch[npatches], which dtrace keeps */
	/* offset of uint32_t[AGENT_NUMBERS_MAX]: an index plus 1; 0: no location */
	uint64_t numbers;
	uint32_t npatches;
	uint32_t unwind_missing; /* written by the agent: a stack led to code without a table */
	uint64_t unwind;  /* offset of a struct dtrace_unwind_maps, which dtrace changes; 0: none */
	uint32_t own_pid; /* written by the agent: the process's number in its PID namespace */
	/* written by the agent: offsets from head */
	uint64_t activity;  /* uint32_t, of its session; 0: not begun */
	uint64_t exited;    /* uint8_t, of its session: exit() was called */
	uint64_t cpus;	    /* struct state_cpu[nslots]; 0: not joined */
	uint64_t ecbs;	    /* struct agent_ecb[necbs] */
	uint64_t locations; /* address of a table of struct usdt_location * */
	uint32_t necbs, nlocations;
	uint32_t wake;	    /* 1: dtrace should look at the buffers, or at the end of tracing */
	uint32_t missed;    /* hits for which no slot was free */
	uint32_t stuck;	    /* port_owner() for whose lock a thread waits long; 0: none */
	uint32_t unstopped; /* threads that went on before dtrace let them go */
	uint32_t tickets;   /* that have been given out */
	uint64_t random;    /* state of random numbers */
	uint32_t nchildren; /* forked children that have fired */
	uint32_t child
		[AGENT_CHILDREN_MAX]; /* their numbers, a ring; dtrace reads one and makes it 0 */
	struct agent_stopped stopped[AGENT_STOPPED_MAX];
	char message[256]; /* why the last call failed */
	/* slots of different CPUs have no cache line in common */
	struct agent_slot slots[AGENT_SLOTS_MAX] __attribute__((aligned(64)));
};

/* Code of dtrace at a location. */
struct agent_patch {
	uint64_t addr;	   /* of the first byte that was changed; 0: none */
	uint8_t before[5]; /* the original bytes */
	uint8_t now[5];	   /* the bytes now, including those behind the changed ones */
	uint8_t size;	   /* bytes that were changed */
	uint8_t stop;	   /* another dtrace can undo it only while no thread of the process runs */
	/*
	 * Larger than the depth of all patches whose bytes are in now. Patches with the largest
	 * depth are undone first, so that a jump always has its whole distance.
	 */
	uint16_t depth;
	uint64_t sema; /* address of a semaphore that is raised while the bytes are now; or 0 */
};
#define AGENT_PATCHES_MAX (1U << 18)

/*
 * The beginning of a page of the session, which traced processes can only read: the lock of a
 * robust mutex of a thread of dtrace. While dtrace traces, it is the thread's number. dtrace
 * releases it at the end of the session, and the kernel marks it when dtrace dies.
 */
struct agent_control {
	uint32_t leader;
};

#endif
