/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - makes jstack() see the subs of Perl in an unmodified perl: preloaded
 * (LD_PRELOAD=dtrace_stacks.so) or used (use DTrace::Stacks).
 *
 * Nothing is done when a sub is called: perl has its stack in memory anyway, and helper.d reads it.
 * What it has to be told is which interpreter a thread runs: that is kept in a table here.
 */
#define PERL_NO_GET_CONTEXT
#include <EXTERN.h>
#include <perl.h>
#include <XSUB.h>
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>
#include "table.h"

#ifndef USE_ITHREADS
#error "this is for a perl with threads: others keep the names of files in other ways"
#endif

/* In a program without perl they are not there, and nothing happens. */
#pragma weak PL_thr_key
#pragma weak PL_curinterp
#pragma weak Perl_runops_standard

struct slot {
	uint64_t thread, interpreter;
};

/* The memory that helper.d finds at arg3. */
__attribute__((visibility("hidden"))) struct {
	uint64_t first; /* address of the pointer to the first interpreter */
	struct slot slots[TABLE_SLOTS + TABLE_TRIES - 1];
} dtrace_helper_data;

_Static_assert(sizeof(struct slot) == TABLE_SLOT, "as helper.d has it");

static pid_t thread_id(void)
{
	return syscall(SYS_gettid);
}

static bool slot_free(const struct slot *slot, pid_t thread)
{
	return !slot->thread || slot->thread == (uint64_t)thread ||
	       (syscall(SYS_tgkill, getpid(), (pid_t)slot->thread, 0) && errno == ESRCH);
}

/* This thread runs that interpreter. Where all slots are taken its stacks are not shown. */
static void enter(const void *interpreter)
{
	pid_t thread = thread_id();
	struct slot *slot = &dtrace_helper_data.slots[thread % TABLE_SLOTS];
	int error = errno;

	for (int i = 0; i < TABLE_TRIES; i++, slot++) {
		if (!slot_free(slot, thread))
			continue;
		slot->interpreter = 0;
		slot->thread = thread;
		slot->interpreter = (uintptr_t)interpreter;
		break;
	}
	errno = error;
}

/* The thread that forked is another one in the child. */
static void enter_child(void)
{
	const void *interpreter = &PL_thr_key ? pthread_getspecific(PL_thr_key) : NULL;

	if (interpreter)
		enter(interpreter);
}

__attribute__((constructor)) static void start(void)
{
	dtrace_helper_data.first = (uintptr_t)&PL_curinterp;
	pthread_atfork(NULL, NULL, enter_child);
}

/* ---- preloaded: perl says here which interpreter a thread runs from now on ---- */

__attribute__((visibility("default"))) int pthread_setspecific(pthread_key_t key, const void *value)
{
	static int (*next)(pthread_key_t, const void *);
	int result;

	if (!next)
		next = (int (*)(pthread_key_t, const void *))dlsym(RTLD_NEXT,
								   "pthread_setspecific");
	result = next(key, value);
	if (&PL_thr_key && key == PL_thr_key && !result)
		enter(value);
	return result;
}

/* ---- used as a module: each thread, when it begins to run ---- */

static __thread const void *entered;

static int run(pTHX)
{
	if (entered != aTHX) {
		entered = aTHX;
		enter(aTHX);
	}
	return Perl_runops_standard(aTHX);
}

/* A debugger's or another module's way of running ops stays; threads made then are not seen. */
__attribute__((visibility("default"))) XS_EXTERNAL(boot_DTrace__Stacks)
{
	dXSARGS;

	PERL_UNUSED_VAR(items);
	PERL_UNUSED_VAR(cv);
	enter(aTHX);
	if (PL_runops == Perl_runops_standard)
		PL_runops = run;
	XSRETURN_EMPTY;
}
