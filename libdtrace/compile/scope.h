/* SPDX-License-Identifier: MIT */
/* scope.h - names and what they stand for; the newest entries can be taken back. */
#ifndef DT_SCOPE_H
#define DT_SCOPE_H

#include <stdint.h>

#include "../arena.h"

#define SCOPE_BUCKETS	1024

typedef struct dt_scope {
	struct dt_scope_entry *buckets[SCOPE_BUCKETS];
	uint32_t n;			/* entries made so far */
	uint32_t hidden, shown;		/* lookups leave out entries from hidden on, up to shown */
} dt_scope_t;

/*
 * scope_insert - name (copied into the arena) now means value; it hides an older entry of that
 * name. Returns the copy of name.
 */
const char *scope_insert(dt_scope_t *scope, struct arena *arena, const char *name, void *value);
/* scope_lookup - what name means, or NULL. */
void *scope_lookup(const dt_scope_t *scope, const char *name);
/* scope_each - call visit for each name that lookups find or that is hidden by a newer one. */
void scope_each(const dt_scope_t *scope,
		void (*visit)(void *arg, const char *name, void *value), void *arg);
/* scope_rollback - take back all entries made since scope->n was n. */
void scope_rollback(dt_scope_t *scope, uint32_t n);

#endif
