/* SPDX-License-Identifier: MIT */
/*
 * calls.c - finds two kinds of system calls in the code of a process. By the first, the process
 * shares its memory with another process: the agent notes there that hits may be that process's
 * (agent/call.c). By the second, the process executes another program: these are stop points
 * (execs.c).
 *
 * Such calls are in the C library, or in a program that is linked statically. They are found by
 * their bytes: the instruction that sets the number is followed by the call. A killed session may
 * have left its jumps there.
 */
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <sys/syscall.h>
#include "../list.h"
#include "../process/mappings.h"
#include "takeover.h"
#include "traced.h"

#define SEARCHED_MOST (64ULL << 20) /* bytes of code */

/* Processes whose execs are followed. */
struct traced_execs {
	struct traced_execs *next;
	/* of the stop point; the next one, at the variant of the call, is not told of */
	int number;
	pid_t pid;
	bool follow; /* with its descendants */
};

/* Code that has been searched for calls. */
struct traced_text {
	uint64_t start, ino;
};

/* ---- the search ---- */

/* A search in the code of a process. */
struct call_search {
	struct traced *t;
	uint64_t start, end; /* of the code; 0: none that is new */
	uint64_t ino;
	unsigned int nfiles; /* that the process has mapped as code */
	bool library;	     /* it is that of a C library */
};

static bool text_is_searched(const struct traced *t, uint64_t start, uint64_t ino)
{
	for (size_t i = 0; i < t->nsearched; i++)
		if (t->searched[i].start == start && t->searched[i].ino == ino)
			return true;
	return false;
}

static bool is_c_library(const char *name)
{
	static const char *const names[] = {"libc.so*", "libc-[0-9]*", "libpthread*", "ld-musl*",
					    "libc.musl*"};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (fnmatch(names[i], name, 0) == 0)
			return true;
	return false;
}

/*
 * Note code of the C library that has not been searched, otherwise that of any file. A callback of
 * dt_mappings().
 */
static int text_found(void *arg, const struct dt_mapping *map)
{
	struct call_search *search = arg;
	const char *name = strrchr(map->path, '/');
	bool library = name && is_c_library(name + 1);

	if (!name || strncmp(map->path, "/memfd:", 7) == 0)
		return 0;
	search->nfiles++;
	if (search->library || (search->start && !library) ||
	    text_is_searched(search->t, map->start, map->ino))
		return 0;
	search->start = map->start;
	search->end = map->end;
	search->ino = map->ino;
	search->library = library;
	return 0;
}

/* Add the stop points of a call. Return whether there are any. */
static bool call_add(struct traced *t, uint64_t addr, uint32_t nr, size_t size)
{
	const uint32_t stop = AGENT_CALL(nr);

	if (nr == SYS_execve || nr == SYS_execveat)
		return traced_stop_add(t, addr, (uint32_t)t->execs->number + (nr == SYS_execveat));
	return traced_stop_add(t, addr, stop) &&
	       traced_stop_add(t, addr + size, stop | AGENT_CALL_RETURN);
}

/* Search n bytes of code at an address for a call. Return whether there is one. */
static bool call_search(struct traced *t, const uint8_t *code, size_t n, uint64_t at, uint32_t nr)
{
	const uint8_t insns[] = {0xb8, (uint8_t)nr, (uint8_t)(nr >> 8), 0, 0, 0x0f, 0x05};
	const uint8_t *found = code;
	bool any = false;

	while ((found = memmem(found, n - (size_t)(found - code), insns, sizeof(insns)))) {
		any |= call_add(t, at + (uint64_t)(found - code), nr, sizeof(insns));
		found += sizeof(insns);
	}
	return any;
}

/* Search the code for all calls. Return whether there are any. */
static bool text_search(struct traced *t, const struct call_search *search)
{
	static const uint32_t calls[] = {SYS_vfork, SYS_clone, SYS_clone3, SYS_execve,
					 SYS_execveat};
	uint64_t size = search->end - search->start;
	uint8_t *code = size <= SEARCHED_MOST ? malloc(size) : NULL;
	bool any = false;

	if (code && dt_takeover_code(t->pid, search->start, code, size))
		for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
			any |= call_search(t, code, size, search->start, calls[i]);
	free(code);
	return any;
}

bool traced_calls_look(struct traced *t)
{
	struct call_search search;
	struct traced_text *more;
	bool any = false;

	for (;;) {
		search = (struct call_search){.t = t};
		dt_mappings(t->pid, text_found, &search);
		if (!search.start || (!search.library && search.nfiles > 1))
			return any;
		more = dt_list_grow(t->searched, t->nsearched, sizeof(*more));
		if (!more)
			return any;
		t->searched = more;
		more[t->nsearched++] = (struct traced_text){search.start, search.ino};
		any |= text_search(t, &search);
	}
}

/* Copy the parent's results to a forked child, whose code is the same. */
static void traced_calls_inherit(struct traced *t, const struct traced *parent)
{
	traced_stops_inherit(t, parent);
	t->searched = calloc(parent->nsearched + 1, sizeof(*t->searched));
	if (!t->searched)
		return;
	memcpy(t->searched, parent->searched, parent->nsearched * sizeof(*t->searched));
	t->nsearched = parent->nsearched;
}

/* ---- whose execs are followed ---- */

void traced_execs_begin(const struct traced_session *session, struct traced *t,
			const struct traced *parent)
{
	if (parent && parent->execs && parent->execs->follow) {
		t->execs = parent->execs;
		if (parent->image == t->image)
			traced_calls_inherit(t, parent);
	}
	for (const struct traced_execs *execs = session->execs; execs; execs = execs->next)
		if (execs->pid == t->pid)
			t->execs = execs;
	if (t->execs)
		traced_calls_look(t);
}

int traced_stop_execs(struct traced_session *session, const dtrace_stop_exec_t *exec)
{
	struct traced_execs *execs;
	struct traced *t;
	int error = traced_get(session, exec->dtfx_pid, &t);

	if (error)
		return error;
	execs = calloc(1, sizeof(*execs));
	if (!execs)
		return -ENOMEM;
	*execs = (struct traced_execs){.next = session->execs,
				       .number = session->next_number,
				       .pid = t->pid,
				       .follow = exec->dtfx_flags & DTRACE_STOP_FOLLOW};
	session->next_number += 2;
	session->execs = execs;
	t->execs = execs;
	if (traced_calls_look(t))
		error = traced_update_stops(session, t);
	return error ? error : execs->number;
}

int traced_execs_number(const struct traced *t)
{
	return t->execs ? t->execs->number : 0;
}

void traced_execs_go_on(struct traced *t, const struct traced_execs *execs)
{
	if (t->execs)
		return;
	t->execs = execs;
	traced_calls_look(t);
}

bool traced_execs_end(struct traced_session *session, int number)
{
	for (struct traced_execs **at = &session->execs, *execs; (execs = *at); at = &execs->next)
		if (execs->number == number) {
			for (struct traced *t = session->processes; t; t = t->next)
				if (t->execs == execs)
					t->execs = NULL;
			*at = execs->next;
			free(execs);
			return true;
		}
	return false;
}

void traced_execs_fini(struct traced_session *session)
{
	while (session->execs)
		traced_execs_end(session, session->execs->number);
}
