/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * join.h - how a program that starts joins the sessions of consumers that trace without the kernel
 * module: the door of a session.
 *
 * A door is a stream socket of the family AF_UNIX. Its file is in one of these directories:
 *
 *	/run/dtrace			of root's sessions, for the programs of all users
 *	/dev/shm/dtrace-UID		of the sessions of user UID, for programs of the same user;
 *					UID 0: of root of a namespace of users, who may not write to
 *					/run
 *	/run/user/UID/dtrace		instead, if the name above is taken by another user
 *
 * The consumer makes the directory and removes it if no other session uses it. So a program that
 * nobody traces finds none. It looks into the third one only if the second exists and is not a
 * directory of its own user. A program uses a directory only if root or its own user owns it and no
 * other user may write to it. The file of a door is named PID.N after the consumer's process; the
 * program joins all sessions, one after another. Names of another form are not doors.
 *
 * A conversation, of which all numbers are in the machine's byte order:
 *
 *	program		requests: HELLO, then what has changed (DOF, REMOVE), then READY
 *	consumer	a request; the program carries it out and replies; and so on; DONE
 *
 * The program registers after its start, or that of a library, in a constructor, which waits for
 * DONE. It removes the registrations of a library in a destructor, before the text is unmapped,
 * which waits for DONE too. The end of a process is no conversation.
 *
 * Either side may hang up at any time. The effects of requests stay, so the consumer orders its
 * requests in such a way that the program can go on after each of them. The program hangs up if the
 * consumer is silent for DTRACE_JOIN_SILENCE seconds, and on a request that breaks these rules.
 * DTRACE_JOIN_TOTAL seconds after it has begun to look for doors it goes on in any case. A consumer
 * that keeps a program waiting until then breaks the silence by a WRITE of no bytes.
 *
 * Rights: the program joins if it could be traced by ptrace: it is not set-id and not made
 * non-dumpable; uid and gid of the consumer are its own, or the consumer is root; and it has no
 * capability that the consumer has not. Where Yama restricts ptrace (kernel.yama.ptrace_scope), the
 * consumer must also be root, an ancestor of the program (as far as ptrace_scope is 1), or have the
 * right dtrace_proc by /etc/dtrace/policy. The program checks in each request that the process that
 * has sent it is the one that has opened the door. The consumer checks the program's credentials,
 * and believes nothing of what it says.
 *
 * Machines: x86-64. Programs for other machines join no session.
 */
#ifndef DTRACE_JOIN_H
#define DTRACE_JOIN_H

#include <dtrace/helper.h>

#define DTRACE_JOIN_VERSION 1

#define DTRACE_JOIN_ROOTDIR  "/run/dtrace"
#define DTRACE_JOIN_USERDIR  "/dev/shm/dtrace-" /* then the uid */
#define DTRACE_JOIN_LOGINDIR "/run/user/"	/* then the uid and /dtrace */

#define DTRACE_JOIN_SILENCE  5			/* seconds */
#define DTRACE_JOIN_TOTAL    30			/* seconds of all conversations at one start */
#define DTRACE_JOIN_MAXITEMS 64			/* DOF and REMOVE in one conversation */
#define DTRACE_JOIN_MAXBYTES (64 * 1024 * 1024) /* of all DOF in one conversation */
#define DTRACE_JOIN_MAXWRITE (64 * 1024)	/* bytes of one WRITE */

/* ---- from the program ---- */

/* The beginning of each request of the program. No request of a program has a reply. */
struct dtrace_join_head {
	uint32_t type; /* DTRACE_JOIN_* */
	uint32_t size; /* bytes of the request after this structure */
};

/*
 * HELLO: struct dtrace_join_hello. Its form up to version is the same in all versions of the
 * protocol. A consumer that does not know the version sends DONE.
 */
#define DTRACE_JOIN_HELLO 1
/* DOF: struct dtrace_join_dof, then the DOF. A new registration. */
#define DTRACE_JOIN_DOF 2
/* REMOVE: struct dtrace_join_remove. A registration ends. The consumer may not know it. */
#define DTRACE_JOIN_REMOVE 3
/* READY: nothing. From now on the consumer speaks first. */
#define DTRACE_JOIN_READY 4

struct dtrace_join_hello {
	uint32_t version; /* DTRACE_JOIN_VERSION */
	uint32_t machine; /* EM_* of <elf.h> */
	/*
	 * An address within the program or library that registers. It is unique in the process:
	 * registrations are told apart by instance and number.
	 */
	uint64_t instance;
};

struct dtrace_join_dof {
	int32_t number;	   /* of the registration, not negative */
	uint32_t reserved; /* 0 */
	/* as for the device; dofhp_dof: the address that the DOF has, or had, in the program */
	dof_helper_t helper;
};

struct dtrace_join_remove {
	int32_t number;
	uint32_t reserved; /* 0 */
};

/* ---- from the consumer ---- */

/*
 * A request. Unused arguments are 0. A program replies to each request except DONE with struct
 * dtrace_join_reply, and to an unknown request with -ENOSYS. Results below 0 are negative errno.
 */
struct dtrace_join_request {
	uint32_t type; /* DTRACE_JOIN_* */
	uint32_t size; /* bytes after this structure, at most DTRACE_JOIN_MAXWRITE */
	uint64_t arg[5];
};

/*
 * MAP: mmap(2) of the descriptor that comes with the request (SCM_RIGHTS), which the program
 * closes.
 *	arg	address or 0, size, prot, flags, offset
 * The result is the address.
 */
#define DTRACE_JOIN_MAP 16
/* UNMAP: munmap(2). arg: address, size. */
#define DTRACE_JOIN_UNMAP 17
/* WRITE: write the bytes that follow at the address arg[0] by /proc/thread-self/mem. */
#define DTRACE_JOIN_WRITE 18
/*
 * CALL: call int64_t function(uint64_t, uint64_t). The result is the function's.
 *	arg	address of the function, its two arguments
 */
#define DTRACE_JOIN_CALL 19
/*
 * MEM: pass a descriptor of /proc/thread-self/mem, open for reading and writing. With the result 0
 * it comes with the answer (SCM_RIGHTS).
 */
#define DTRACE_JOIN_MEM 20
/* DONE: the program goes on. arg: 0, or a positive errno if the session does not trace it. */
#define DTRACE_JOIN_DONE 21

struct dtrace_join_reply {
	int64_t result;
};

/* ---- for sessions that begin later ---- */

/*
 * What a program says of a registration at a door, kept for sessions that begin later: a mapping of
 * a file in memory with this name begins with struct dtrace_join_kept, and the DOF follows. The
 * contents are complete when the version is not 0. The program unmaps it when the registration
 * ends, before it sends REMOVE. Registrations of static probes are not kept, because sessions find
 * them in the program's files.
 */
#define DTRACE_JOIN_KEPT "dtrace-dof"

struct dtrace_join_kept {
	struct dtrace_join_hello hello;
	struct dtrace_join_dof dof; /* dofhp_dof: the address behind this structure */
};

#endif
