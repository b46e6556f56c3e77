/* SPDX-License-Identifier: MIT */
/* scope.c - names and their meanings; the newest entries can be removed. */
#include <stdbool.h>
#include <string.h>

#include "scope.h"

#define SCOPE_BUCKETS 512

/* Within a bucket the newest entry comes first, so a rollback only cuts off heads. */
struct dt_scope_entry {
	struct dt_scope_entry *next;
	struct dt_scope_entry *older; /* the entry that was made before, in any bucket */
	const char *name;
	void *value;
	uint32_t number;
};

static uint32_t scope_hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return (h ^ (h >> 16)) % SCOPE_BUCKETS;
}

const char *scope_insert(dt_scope_t *scope, struct arena *arena, const char *name, void *value)
{
	struct dt_scope_entry *e = arena_alloc(arena, sizeof(*e));
	struct dt_scope_entry **head;

	if (!scope->buckets)
		scope->buckets = arena_alloc(arena, SCOPE_BUCKETS * sizeof(*scope->buckets));
	head = &scope->buckets[scope_hash(name)];
	e->name = arena_strdup(arena, name);
	e->value = value;
	e->number = scope->n++;
	e->next = *head;
	e->older = scope->newest;
	*head = scope->newest = e;
	return e->name;
}

static bool scope_shows(const dt_scope_t *scope, const struct dt_scope_entry *e)
{
	return e->number < scope->hidden || e->number >= scope->shown;
}

void *scope_lookup(const dt_scope_t *scope, const char *name)
{
	const struct dt_scope_entry *e = scope->buckets ? scope->buckets[scope_hash(name)] : NULL;

	for (; e; e = e->next)
		if (strcmp(e->name, name) == 0 && scope_shows(scope, e))
			return e->value;
	return NULL;
}

void scope_each(const dt_scope_t *scope, void (*visit)(void *arg, const char *name, void *value),
		void *arg)
{
	for (int i = 0; scope->buckets && i < SCOPE_BUCKETS; i++)
		for (const struct dt_scope_entry *e = scope->buckets[i]; e; e = e->next)
			if (scope_shows(scope, e))
				visit(arg, e->name, e->value);
}

void scope_rollback(dt_scope_t *scope, uint32_t n)
{
	for (; scope->n > n; scope->n--) {
		scope->buckets[scope_hash(scope->newest->name)] = scope->newest->next;
		scope->newest = scope->newest->older;
	}
}
