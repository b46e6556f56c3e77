/* SPDX-License-Identifier: MIT */
/*
 * process_world.h - a handle whose world the test pretends: requests about processes are noted, and
 * threads arrive at stop points when the test says so.
 */
#ifndef PROCESS_WORLD_H
#define PROCESS_WORLD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <cmocka.h>
#include "../../libdtrace/process/stop.h"

#define TID 4321 /* of threads that arrive */

/* The requests that the world has received, and the stopped threads that it reports. */
struct pretended {
	int number;	     /* of the newest stop point */
	int error;	     /* of the next request; 0: it succeeds */
	int stopped_at;	     /* the number of the stop point where a thread is stopped; 0: none */
	int ended, released; /* the last stop point and thread of such requests */
	int event;	     /* is readable if there are news */
	dtrace_stopped_t news[4];
	int nnews;
	dtrace_stop_exec_t exec;
	dtrace_stop_address_t address;
	/* is called when a stop point at an exec is made; NULL: nobody wants to know */
	void (*awaits_exec)(void);
	/* answers requests about unwind tables; NULL: there are none */
	int (*unwind)(unsigned long request, void *arg);
};
extern struct pretended world;

extern dtrace_hdl_t *dtp;

/* world_setup, world_teardown - fixtures that open and close dtp. */
int world_setup(void **state);
int world_teardown(void **state);
/* world_arrive - let the world report a thread of process 0 at a stop point. */
void world_arrive(int number);
/*
 * world_execute - run a program until it has executed its file, and stop it by ptrace. Return the
 * pid, which the caller passes to world_kill().
 */
pid_t world_execute(const char *path);
void world_kill(pid_t pid);

#endif
