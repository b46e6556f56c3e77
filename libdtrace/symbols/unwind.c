/* SPDX-License-Identifier: MIT */
/*
 * unwind.c - gives the world the unwind tables of processes whose stacks are recorded: before
 * tracing begins those of the session's processes, then those of processes that the world has
 * missed. The table of a file is made once.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include "../list.h"
#include "../process/mappings.h"
#include "../process/process.h"
#include "segment.h"
#include "unwind.h"
#include "unwind_table.h"

#define MINPERIOD 10000000ULL  /* ns between questions what the world misses, */
#define MAXPERIOD 250000000ULL /* and the longest time, if it misses nothing for a while */
#define MAXPROCS  4096	       /* processes remembered, the last used */

/* A mapped file; shared by all processes. */
struct unwind_file {
	struct unwind_file *next;
	uint64_t dev, ino;
	char *path;
	int32_t table; /* the world's number; -1: the file has no table */
	uint64_t base;
	struct dt_segments segs;
};

/* The world's knowledge of a process. */
struct unwind_proc {
	struct unwind_proc *next;
	pid_t pid;
	uint64_t when, pause; /* ns: when it was read, and how long it is left alone */
	dtrace_unwind_mapping_t *maps;
	uint32_t nmaps;
};

struct dt_unwind {
	dtrace_hdl_t *dtp;
	struct unwind_file *files;
	struct unwind_proc *procs; /* the last used first */
	int nprocs;
	uint64_t due, period;
	unsigned int full; /* tables and processes for which the world had no memory */
};

/* ---- files ---- */

/* Give the world a table. Return its number, or -1. */
static int32_t table_load(struct dt_unwind *unwind, const struct dt_unwind_table *table)
{
	dtrace_unwind_load_t load = {.dtul_addrs = (uintptr_t)table->addrs,
				     .dtul_index = (uintptr_t)table->index,
				     .dtul_rules = (uintptr_t)table->rules,
				     .dtul_nrows = table->nrows,
				     .dtul_nrules = table->nrules,
				     .dtul_word = table->word};
	int id = dt_world_process(unwind->dtp, DTRACEFTIOC_UNWIND_TABLE, &load);

	unwind->full += id == -1 && errno == ENOSPC;
	return id;
}

/* Read a file, and give the world its table. */
static void file_read(struct dt_unwind *unwind, struct unwind_file *file, int fd)
{
	Elf *elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	struct dt_unwind_table *table = elf ? dt_unwind_table_make(elf) : NULL;

	if (table) {
		dt_segments_read(&file->segs, elf);
		file->base = table->base;
		file->table = table_load(unwind, table);
	}
	dt_unwind_table_free(table);
	elf_end(elf);
}

/* Return the file of a mapping, NULL if it is not known. */
static struct unwind_file *file_find(const struct dt_unwind *unwind, const struct dt_mapping *map)
{
	struct unwind_file *file = unwind->files;

	while (file && (file->dev != map->dev || file->ino != map->ino ||
			strcmp(file->path, map->path) != 0))
		file = file->next;
	return file;
}

/*
 * Return the file of a mapping, added if it is new; NULL without memory, or if it cannot be opened.
 */
static struct unwind_file *file_get(struct dt_unwind *unwind, pid_t pid,
				    const struct dt_mapping *map)
{
	struct unwind_file *file = file_find(unwind, map);
	int fd = !file ? dt_mapping_open(pid, map) : -1;

	if (fd == -1)
		return file;
	file = calloc(1, sizeof(*file));
	if (!file || !(file->path = strdup(map->path))) {
		close(fd);
		free(file);
		return NULL;
	}
	file->dev = map->dev;
	file->ino = map->ino;
	file->table = -1;
	file_read(unwind, file, fd);
	close(fd);
	file->next = unwind->files;
	unwind->files = file;
	return file;
}

/* Forget all files: the world has dropped their tables. */
static void files_forget(struct dt_unwind *unwind)
{
	struct unwind_file *next;

	for (struct unwind_file *file = unwind->files; file; file = next) {
		next = file->next;
		free(file->path);
		dt_segments_free(&file->segs);
		free(file);
	}
	unwind->files = NULL;
}

/* ---- processes ---- */

struct reading {
	struct dt_unwind *unwind;
	pid_t pid;
	dtrace_unwind_mapping_t *maps;
	uint32_t nmaps;
};

/* Add a mapping; a function for dt_mappings(). */
static int map_add(void *arg, const struct dt_mapping *map)
{
	struct reading *rd = arg;
	dtrace_unwind_mapping_t *more, *to;
	const struct unwind_file *file;
	uint64_t bias;

	if (rd->nmaps == DTRACE_UNWIND_MAXMAPS)
		return 1;
	more = dt_list_grow(rd->maps, rd->nmaps, sizeof(*more));
	if (!more)
		return 1;
	rd->maps = more;
	to = &more[rd->nmaps++];
	*to = (dtrace_unwind_mapping_t){
		.dtum_start = map->start, .dtum_end = map->end, .dtum_table = -1};
	file = file_get(rd->unwind, rd->pid, map);
	if (file && file->table != -1 &&
	    dt_segments_bias(&file->segs, map->start, map->offset, &bias)) {
		to->dtum_bias = bias + file->base;
		to->dtum_table = file->table;
	}
	return 0;
}

static void proc_free(struct unwind_proc *proc)
{
	free(proc->maps);
	free(proc);
}

/* Forget the least recently used process. */
static void procs_forget_last(struct dt_unwind *unwind)
{
	struct unwind_proc **at = &unwind->procs;

	while ((*at)->next)
		at = &(*at)->next;
	proc_free(*at);
	*at = NULL;
	unwind->nprocs--;
}

/* Put a process, made if it is new, first in the list. Return it, NULL without memory. */
static struct unwind_proc *proc_get(struct dt_unwind *unwind, pid_t pid)
{
	struct unwind_proc **at = &unwind->procs, *proc;

	while (*at && (*at)->pid != pid)
		at = &(*at)->next;
	proc = *at;
	if (proc) {
		*at = proc->next;
	} else {
		if (unwind->nprocs == MAXPROCS)
			procs_forget_last(unwind);
		proc = calloc(1, sizeof(*proc));
		if (!proc)
			return NULL;
		proc->pid = pid;
		unwind->nprocs++;
	}
	proc->next = unwind->procs;
	unwind->procs = proc;
	return proc;
}

/*
 * Read what a process maps, and give it to the world. Return 0, EALREADY if nothing is new, or
 * errno.
 */
static int proc_read(struct dt_unwind *unwind, struct unwind_proc *proc)
{
	struct reading rd = {.unwind = unwind, .pid = proc->pid};
	dtrace_unwind_process_t process;
	int err = 0;

	dt_mappings(proc->pid, map_add, &rd);
	if (rd.nmaps == 0 || (proc->maps && proc->nmaps == rd.nmaps &&
			      memcmp(proc->maps, rd.maps, rd.nmaps * sizeof(*rd.maps)) == 0)) {
		free(rd.maps);
		return EALREADY;
	}
	process = (dtrace_unwind_process_t){
		.dtup_pid = rd.pid, .dtup_nmaps = rd.nmaps, .dtup_maps = (uintptr_t)rd.maps};
	if (dt_world_process(unwind->dtp, DTRACEFTIOC_UNWIND_MAPS, &process) == -1)
		err = errno;
	unwind->full += err == ENOSPC;
	free(proc->maps);
	proc->maps = rd.maps;
	proc->nmaps = rd.nmaps;
	return err;
}

/*
 * Give the world what it misses of a process. Processes in which something is always missing, such
 * as code made at run time, are looked at ever less often. Return whether there was something new.
 */
static bool proc_tell(struct dt_unwind *unwind, pid_t pid)
{
	struct unwind_proc *proc = proc_get(unwind, pid);
	uint64_t now = dt_now();
	int err;

	if (!proc || now < proc->when + proc->pause)
		return false;
	err = proc_read(unwind, proc);
	if (err == ENOENT) { /* the world has dropped tables */
		files_forget(unwind);
		err = proc_read(unwind, proc);
	}
	proc->when = now;
	if (err == 0)
		proc->pause = MINPERIOD;
	else if (proc->pause < 64 * MINPERIOD)
		proc->pause = proc->pause * 2 + MINPERIOD;
	return err == 0;
}

/* ---- the session ---- */

/* Return whether instructions read ucaller or ustackdepth. */
static bool difo_walks(const dt_difo_t *difo)
{
	for (uint32_t i = 0; difo && i < difo->len; i++) {
		uint32_t var = DIF_INSTR_VAR(difo->text[i]);

		if (DIF_INSTR_OP(difo->text[i]) == DIF_OP_LDGS &&
		    (var == DIF_VAR_UCALLER || var == DIF_VAR_USTACKDEPTH))
			return true;
	}
	return false;
}

/* Return whether an action walks the stack of a process. */
static bool action_walks(const dt_action_t *act)
{
	return act->kind == DTRACEACT_USTACK || act->kind == DTRACEACT_JSTACK ||
	       difo_walks(act->difo);
}

/* Return whether a clause does. */
static bool clause_walks(const dt_clause_t *clause)
{
	if (difo_walks(clause->predicate))
		return true;
	for (uint32_t i = 0; i < clause->nstmts; i++)
		for (uint32_t j = 0; j < clause->stmts[i]->nactions; j++)
			if (action_walks(&clause->stmts[i]->actions[j]))
				return true;
	return false;
}

/* Return whether a program of the handle walks stacks of processes. */
static bool programs_walk(const dtrace_hdl_t *dtp)
{
	for (const dtrace_prog_t *prog = dtp->progs; prog; prog = prog->next)
		for (const dt_clause_t *clause = prog->clauses; clause; clause = clause->next)
			if (clause_walks(clause))
				return true;
	return false;
}

/* Return what the caller frees by dt_unwind_fini(), or NULL without the device or memory. */
static struct dt_unwind *unwind_open(dtrace_hdl_t *dtp)
{
	struct dt_unwind *unwind =
		dt_world_lacks_processes(dtp) ? NULL : calloc(1, sizeof(*unwind));

	if (!unwind)
		return NULL;
	unwind->dtp = dtp;
	elf_version(EV_CURRENT);
	unwind->period = MINPERIOD;
	unwind->due = dt_now() + MINPERIOD;
	return unwind;
}

void dt_unwind_go(dtrace_hdl_t *dtp)
{
	if (!dtp->world || dt_option(dtp, DTRACEOPT_UNWIND) == DTRACEOPT_UNWIND_FP || dtp->unwind ||
	    !programs_walk(dtp))
		return;
	dtp->unwind = unwind_open(dtp);
	for (struct ps_prochandle *proc = dtp->procs; proc && dtp->unwind; proc = proc->next)
		proc_tell(dtp->unwind, proc->pid);
}

void dt_unwind_know(dtrace_hdl_t *dtp, pid_t pid)
{
	struct unwind_proc *proc = dtp->unwind ? proc_get(dtp->unwind, pid) : NULL;

	if (!proc)
		return;
	free(proc->maps);
	proc->maps = NULL;
	proc->nmaps = 0;
	proc->pause = 0;
	proc_tell(dtp->unwind, pid);
}

void dt_unwind_work(dtrace_hdl_t *dtp)
{
	struct dt_unwind *unwind = dtp->unwind;
	dtrace_unwind_missing_t missing;
	bool news = false;

	if (!unwind || dt_now() < unwind->due)
		return;
	if (dt_world_process(unwind->dtp, DTRACEFTIOC_UNWIND_MISSING, &missing) == -1)
		missing.dtmi_n = 0;
	for (uint32_t i = 0; i < missing.dtmi_n; i++)
		news |= proc_tell(unwind, missing.dtmi_pids[i]);
	unwind->period = news ? MINPERIOD : unwind->period * 2;
	if (unwind->period > MAXPERIOD)
		unwind->period = MAXPERIOD;
	unwind->due = dt_now() + unwind->period;
}

uint64_t dt_unwind_due(const struct dt_unwind *unwind)
{
	return unwind ? unwind->due : UINT64_MAX;
}

void dt_unwind_fini(struct dt_unwind *unwind)
{
	if (!unwind)
		return;
	files_forget(unwind);
	while (unwind->procs)
		procs_forget_last(unwind);
	free(unwind);
}
