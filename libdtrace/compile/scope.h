/* SPDX-License-Identifier: MIT */
/* scope.h - names and their meanings; the newest entries can be removed. */
#ifndef DT_SCOPE_H
#define DT_SCOPE_H

#include <stdint.h>

#include "../arena.h"

typedef struct dt_scope {
	struct dt_scope_entry **buckets; /* of the arena of the entries; NULL: never had any */
	struct dt_scope_entry *newest;
	uint32_t n;		/* entries made so far */
	uint32_t hidden, shown; /* lookups leave out entries from hidden on, up to shown */
} dt_scope_t;

/*
 * Add a name, copied into the arena, that means value. It hides an older entry of that name. All
 * names of a scope are in one arena. Return the copy.
 */
const char *scope_insert(dt_scope_t *scope, struct arena *arena, const char *name, void *value);
/* Return what a name means, or NULL. */
void *scope_lookup(const dt_scope_t *scope, const char *name);
/* Call visit for each name, hidden ones too. */
void scope_each(const dt_scope_t *scope, void (*visit)(void *arg, const char *name, void *value),
		void *arg);
/* Remove all entries made since scope->n was n. */
void scope_rollback(dt_scope_t *scope, uint32_t n);

#endif
