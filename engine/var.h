/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * var.h - variables of programs: definitions and scalars. (var.c) dynvar.h has dynamic variables.
 *
 * The session's lock protects the definitions, which firings read without a lock once tracing has
 * begun. Globals are read and written whole words at a time without a lock; clause-local variables
 * belong to the CPU.
 */
#ifndef DTRACE_ENGINE_VAR_H
#define DTRACE_ENGINE_VAR_H

#include "core.h"
#include "table.h"

struct var_def {
	uint16_t id;
	uint8_t kind, scope;
	dtrace_diftype_t type;
	uint32_t size; /* bytes of a value */
	/* in the storage of a scope; of scalars without storage, that of the next */
	uint32_t offset;
};
struct var_table {
	struct var_def *defs;
	struct hindex by_id; /* with the same capacity */
	uint32_t n, capacity;
	uint32_t bytes; /* of storage */
};
/* The string table of a DIFO, which the DIFO owns. */
struct var_strings {
	const char *strs;
	uint32_t bytes;
};
struct var_space {
	struct var_table scopes[3];  /* DIFV_SCOPE_* */
	uint32_t max_key, max_value; /* of dynamic variables */
	/* of all DIFOs with these variables, which may have pointers to the strings */
	struct var_strings *strings;
	uint32_t nstrings, strings_max; /* of strings: number, capacity */
};
/* A point to which var_space_rollback() can go back. */
struct var_mark {
	uint32_t n[3], bytes[3];
	uint32_t max_key, max_value;
	uint32_t nstrings;
};
struct mstate;
struct state_cpu;

/*
 * var_define - define a variable, or find its definition; *index becomes its number in its scope.
 * name: for messages. -EINVAL, -E2BIG or -ENOMEM with a message. May sleep.
 */
int var_define(struct var_space *vs, const dtrace_difv_t *v, uint32_t strsize, const char *name,
	       uint32_t *index, struct dof_err *err);
/*
 * var_space_add_strings - add the string table of a DIFO; *number becomes its number. It must stay
 * until var_space_free() or var_space_rollback(). -ENOMEM.
 */
int var_space_add_strings(struct var_space *vs, const char *strs, uint32_t bytes, uint32_t *number);
/* var_space_free - free all definitions. */
void var_space_free(struct var_space *vs);
/* var_space_bytes - return the bytes of the definitions, and of the list of strings. */
uint64_t var_space_bytes(const struct var_space *vs);
/* var_space_mark - note which definitions and strings there are. */
void var_space_mark(const struct var_space *vs, struct var_mark *mark);
/* var_space_rollback - forget the definitions and strings since the mark, and their storage. */
void var_space_rollback(struct var_space *vs, const struct var_mark *mark);
/*
 * var_at - return the global or clause-local scalar that has the byte at an offset of the storage
 * of its scope, which is below t->bytes. Any context.
 */
const struct var_def *var_at(const struct var_table *t, uint32_t offset);
/* var_is_byref - return whether the value of a variable is an address. Any context. */
static inline bool var_is_byref(const struct var_def *def)
{
	return def->type.dtdt_flags & (DIF_TF_BYREF | DIF_TF_BYUREF) ||
	       def->type.dtdt_kind == DIF_TYPE_STRING;
}
/*
 * var_scalar_load - return the value of a global or clause-local variable; storage: of its scope.
 * By reference, the value is a handle: a string's of a copy in scratch, any other's of the storage.
 * After a fault, 0. Probe context, as the next.
 */
uint64_t var_scalar_load(struct mstate *m, const struct var_def *def, uint8_t *storage);
/* var_scalar_store - assign a value to a global or clause-local variable. May fault. */
void var_scalar_store(struct mstate *m, const struct var_def *def, uint8_t *storage,
		      uint64_t value);

#endif
