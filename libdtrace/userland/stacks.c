/* SPDX-License-Identifier: MIT */
/*
 * stacks.c - unwind tables for the agents: DTRACEFTIOC_UNWIND_*.
 *
 * A session keeps one copy of each table, and copies it into the region of each process that maps
 * its file. Space in a region is allocated from one end and never reused, since firings may read
 * it. Without space, stacks are walked with the tables that are there.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <dtrace/unwind.h>
#include "sample.h"
#include "traced.h"

/* A table of the session. One block of memory has its parts: addresses, rules, index. */
struct traced_table {
	char *bytes;
	size_t size, rules, index; /* offsets of rules and index */
	uint32_t nrows, nrules, word;
};

/* ---- tables ---- */

/* Return a table in the form of the engine. The session keeps its memory. */
static struct dtrace_unwind_table table_of(const struct traced_table *table)
{
	return (struct dtrace_unwind_table){.addrs = (const void *)table->bytes,
					    .rules = (const void *)(table->bytes + table->rules),
					    .index = (const void *)(table->bytes + table->index),
					    .nrows = table->nrows,
					    .nrules = table->nrules,
					    .word = table->word};
}

/* Make a table from a request, and set *out. Return 0 or a negative errno. */
static int table_make(const dtrace_unwind_load_t *load, struct traced_table *out)
{
	struct dtrace_unwind_table check;
	size_t addrs, rules, index;

	if (load->dtul_nrows > DTRACE_UNWIND_MAXROWS ||
	    load->dtul_nrules > DTRACE_UNWIND_MAXRULES || load->dtul_pad)
		return -EINVAL;
	addrs = (load->dtul_nrows * sizeof(uint32_t) + 7) & ~(size_t)7;
	rules = load->dtul_nrules * sizeof(dtrace_unwind_rule_t);
	index = load->dtul_nrows * sizeof(uint16_t);
	*out = (struct traced_table){.size = addrs + rules + index,
				     .rules = addrs,
				     .index = addrs + rules,
				     .nrows = load->dtul_nrows,
				     .nrules = load->dtul_nrules,
				     .word = load->dtul_word};
	out->bytes = calloc(1, out->size + 1);
	if (!out->bytes)
		return -ENOMEM;
	memcpy(out->bytes, (const void *)(uintptr_t)load->dtul_addrs,
	       load->dtul_nrows * sizeof(uint32_t));
	memcpy(out->bytes + out->rules, (const void *)(uintptr_t)load->dtul_rules, rules);
	memcpy(out->bytes + out->index, (const void *)(uintptr_t)load->dtul_index, index);
	check = table_of(out);
	if (dtrace_unwind_verify(&check) == 0)
		return 0;
	free(out->bytes);
	return -EINVAL;
}

int traced_unwind_table(struct traced_session *session, const dtrace_unwind_load_t *load)
{
	struct traced_table *more =
		realloc(session->tables, (session->ntables + 1) * sizeof(*session->tables));
	int error;

	if (!more)
		return -ENOMEM;
	session->tables = more;
	error = table_make(load, &session->tables[session->ntables]);
	return error ? error : (int)session->ntables++;
}

void traced_unwind_fini(struct traced_session *session)
{
	dt_sample_forget(session);
	for (uint32_t i = 0; i < session->ntables; i++)
		free(session->tables[i].bytes);
	free(session->tables);
}

/* ---- the region ---- */

/* Allocate space in the region. Return its offset, 0 if there is no space. */
static uint64_t region_take(struct traced_region *region, size_t size)
{
	uint64_t at = region->stacks + region->stacks_used;

	size = (size + 15) & ~(size_t)15;
	if (size > TRACED_STACKS - region->stacks_used)
		return 0;
	region->stacks_used += size;
	return at;
}

/*
 * Copy a table into the region, if it is not there yet. Return the offset of its description, 0
 * without space.
 */
static uint64_t table_copy(const struct traced_session *session, struct traced *t, uint32_t number)
{
	const struct traced_table *table = &session->tables[number];
	struct traced_region *region = &t->region;
	struct dtrace_unwind_table *there;
	uint64_t at, bytes;

	if (number >= region->ntables) {
		uint64_t *more = realloc(region->tables, session->ntables * sizeof(*more));

		if (!more)
			return 0;
		region->tables = more;
		while (region->ntables < session->ntables)
			region->tables[region->ntables++] = 0;
	}
	if (region->tables[number])
		return region->tables[number];
	at = region_take(region, sizeof(*there) + table->size);
	if (!at)
		return 0;
	there = (void *)(region->mem + at);
	bytes = at + sizeof(*there);
	memcpy(region->mem + bytes, table->bytes, table->size);
	bytes += region->address;
	*there = (struct dtrace_unwind_table){
		.addrs = (const void *)(uintptr_t)bytes,
		.rules = (const void *)(uintptr_t)(bytes + table->rules),
		.index = (const void *)(uintptr_t)(bytes + table->index),
		.nrows = table->nrows,
		.nrules = table->nrules,
		.word = table->word};
	region->tables[number] = at;
	return at;
}

/* Copy the current maps of a joined process into its region. Without space, keep the old ones. */
static void maps_copy(const struct traced_session *session, struct traced *t)
{
	struct traced_region *region = &t->region;
	struct dtrace_unwind_maps *there;
	uint64_t at;

	at = region_take(region, sizeof(*there) + t->nmaps * sizeof(there->list[0]));
	if (!at)
		return;
	there = (void *)(region->mem + at);
	there->n = t->nmaps;
	for (uint32_t i = 0; i < t->nmaps; i++) {
		const dtrace_unwind_mapping_t *map = &t->maps[i];
		uint64_t table = map->dtum_table >= 0
					 ? table_copy(session, t, (uint32_t)map->dtum_table)
					 : 0;

		there->list[i] = (struct dtrace_unwind_map){
			.start = map->dtum_start,
			.end = map->dtum_end,
			.bias = map->dtum_bias,
			.table = table ? (const void *)(uintptr_t)(region->address + table) : NULL};
	}
	__atomic_store_n(&((struct agent_head *)(void *)region->mem)->unwind, at, __ATOMIC_RELEASE);
}

void traced_unwind_begin(struct traced_session *session, struct traced *t)
{
	if (t->nmaps)
		maps_copy(session, t);
}

/* Keep the maps of a process for its samples. Return whether they have been kept. */
static bool maps_sample(const struct traced_session *session,
			const dtrace_unwind_process_t *process)
{
	const dtrace_unwind_mapping_t *maps = (const void *)(uintptr_t)process->dtup_maps;
	struct dtrace_unwind_table *tables = calloc(process->dtup_nmaps + 1, sizeof(*tables));
	bool kept;

	for (uint32_t i = 0; tables && i < process->dtup_nmaps; i++)
		if (maps[i].dtum_table >= 0)
			tables[i] = table_of(&session->tables[maps[i].dtum_table]);
	kept = tables && dt_sample_maps(session, process, tables);
	free(tables);
	return kept;
}

int traced_unwind_maps(struct traced_session *session, const dtrace_unwind_process_t *process)
{
	struct traced *t = traced_by_pid(session, process->dtup_pid);
	const dtrace_unwind_mapping_t *maps = (const void *)(uintptr_t)process->dtup_maps;
	size_t size = process->dtup_nmaps * sizeof(*maps);
	dtrace_unwind_mapping_t *copy;
	bool sampled;

	if (process->dtup_nmaps > DTRACE_UNWIND_MAXMAPS)
		return -E2BIG;
	for (uint32_t i = 0; i < process->dtup_nmaps; i++)
		if (maps[i].dtum_table >= 0 && (uint32_t)maps[i].dtum_table >= session->ntables)
			return -ENOENT;
	sampled = maps_sample(session, process);
	if (!t)
		return sampled ? 0 : -ESRCH;
	copy = malloc(size + 1);
	if (!copy)
		return -ENOMEM;
	memcpy(copy, maps, size);
	free(t->maps);
	t->maps = copy;
	t->nmaps = process->dtup_nmaps;
	if (t->joined && t->nmaps)
		maps_copy(session, t);
	return 0;
}

int traced_unwind_missing(struct traced_session *session, dtrace_unwind_missing_t *missing)
{
	missing->dtmi_n = 0;
	for (struct traced *t = session->processes; t; t = t->next) {
		struct agent_head *head = (void *)t->region.mem;

		if (!t->joined || t->ended || missing->dtmi_n == DTRACE_UNWIND_MAXMISSING ||
		    !__atomic_exchange_n(&head->unwind_missing, 0, __ATOMIC_RELAXED))
			continue;
		missing->dtmi_pids[missing->dtmi_n++] = t->pid;
	}
	dt_sample_missing(missing);
	return 0;
}
