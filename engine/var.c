/* SPDX-License-Identifier: GPL-2.0-only OR MIT */
/*
 * var.c - variables of programs: definitions, and scalars in fixed storage.
 */
#include "dif_mem.h"
#include "difo.h"
#include "fire.h"
#include "table.h"
#include "var.h"

/* ---- definitions ---- */

/* Return the definition of a variable, or NULL. */
static struct var_def *var_find(const struct var_table *t, const dtrace_difv_t *v)
{
	for (uint32_t i = hindex_first(&t->by_id, v->dtdv_id); i; i = hindex_next(&t->by_id, i))
		if (t->defs[i - 1].id == v->dtdv_id)
			return &t->defs[i - 1];
	return NULL;
}

/* Make space for one more definition. -ENOMEM. */
static int var_table_grow(struct var_table *t)
{
	uint32_t capacity = t->capacity ? t->capacity * 2 : 32;
	struct hindex by_id;
	struct var_def *defs;

	if (t->n < t->capacity)
		return 0;
	if (hindex_init(&by_id, capacity) != 0)
		return -ENOMEM;
	defs = port_alloc(capacity * sizeof(*defs));
	if (!defs) {
		hindex_free(&by_id);
		return -ENOMEM;
	}
	for (uint32_t i = 0; i < t->n; i++) {
		defs[i] = t->defs[i];
		hindex_add(&by_id, defs[i].id, i + 1);
	}
	port_free(t->defs);
	hindex_free(&t->by_id);
	t->defs = defs;
	t->by_id = by_id;
	t->capacity = capacity;
	return 0;
}

/* Check that a definition agrees with one made before. -EINVAL with a message. */
static int var_check(const struct var_def *def, const dtrace_difv_t *v, uint32_t size,
		     const char *name, struct dof_err *err)
{
	if (def->kind != v->dtdv_kind || def->type.dtdt_kind != v->dtdv_type.dtdt_kind ||
	    def->type.dtdt_flags != v->dtdv_type.dtdt_flags ||
	    (var_is_byref(def) && def->size != size))
		return ERR(err, -EINVAL, "variable %s (0x%x) is declared with two different types",
			   name, v->dtdv_id);
	return 0;
}

/* Give a scalar its part of the storage. The offsets of a table grow. */
static void var_allocate(struct var_table *t, struct var_def *def)
{
	def->offset = t->bytes;
	if (def->kind == DIFV_KIND_SCALAR && def->scope != DIFV_SCOPE_THREAD)
		t->bytes += var_is_byref(def) ? 8 + ((def->size + 7) & ~7U) : 8;
}

int var_define(struct var_space *vs, const dtrace_difv_t *v, uint32_t strsize, const char *name,
	       uint32_t *index, struct dof_err *err)
{
	struct var_table *t = &vs->scopes[v->dtdv_scope];
	struct var_def *def = var_find(t, v);
	uint32_t size = dif_size(&v->dtdv_type, strsize);

	if (def) {
		*index = (uint32_t)(def - t->defs);
		return var_check(def, v, size, name, err);
	}
	if (v->dtdv_type.dtdt_kind > DIF_TYPE_STRING || size > DIF_MAX_VALUE ||
	    t->bytes > (64U << 20) || t->n >= DIF_VAR_OTHER_MAX - DIF_VAR_OTHER_UBASE)
		return ERR(err, -EINVAL, "variable %s (0x%x): type %u of %u bytes is not valid",
			   name, v->dtdv_id, v->dtdv_type.dtdt_kind, size);
	if (var_table_grow(t) != 0)
		return ERR(err, -ENOMEM, "no memory for variable %s", name);
	def = &t->defs[t->n];
	memset(def, 0, sizeof(*def));
	def->id = (uint16_t)v->dtdv_id;
	def->kind = v->dtdv_kind;
	def->scope = v->dtdv_scope;
	def->type = v->dtdv_type;
	def->size = var_is_byref(def) ? size : 8;
	if (!def->size)
		return ERR(err, -EINVAL, "variable %s (0x%x) has size 0", name, v->dtdv_id);
	var_allocate(t, def);
	if (def->size > vs->max_value &&
	    (def->kind == DIFV_KIND_ARRAY || def->scope == DIFV_SCOPE_THREAD))
		vs->max_value = def->size;
	*index = t->n++;
	hindex_add(&t->by_id, def->id, t->n);
	return 0;
}

int var_space_add_strings(struct var_space *vs, const char *strs, uint32_t bytes, uint32_t *number)
{
	uint32_t max = vs->strings_max ? vs->strings_max * 2 : 32;
	struct var_strings *strings;

	if (vs->nstrings == vs->strings_max) {
		strings = port_alloc(max * sizeof(*strings));
		if (!strings)
			return -ENOMEM;
		if (vs->nstrings)
			memcpy(strings, vs->strings, vs->nstrings * sizeof(*strings));
		port_free(vs->strings);
		vs->strings = strings;
		vs->strings_max = max;
	}
	*number = vs->nstrings++;
	vs->strings[*number] = (struct var_strings){.strs = strs, .bytes = bytes};
	return 0;
}

uint64_t var_space_bytes(const struct var_space *vs)
{
	uint64_t bytes = vs->strings_max * sizeof(*vs->strings);

	for (int i = 0; i < 3; i++)
		bytes += vs->scopes[i].capacity * sizeof(struct var_def) +
			 hindex_bytes(&vs->scopes[i].by_id);
	return bytes;
}

void var_space_free(struct var_space *vs)
{
	for (int i = 0; i < 3; i++) {
		port_free(vs->scopes[i].defs);
		hindex_free(&vs->scopes[i].by_id);
	}
	port_free(vs->strings);
	memset(vs, 0, sizeof(*vs));
}

void var_space_mark(const struct var_space *vs, struct var_mark *mark)
{
	for (int i = 0; i < 3; i++) {
		mark->n[i] = vs->scopes[i].n;
		mark->bytes[i] = vs->scopes[i].bytes;
	}
	mark->max_key = vs->max_key;
	mark->max_value = vs->max_value;
	mark->nstrings = vs->nstrings;
}

void var_space_rollback(struct var_space *vs, const struct var_mark *mark)
{
	for (int i = 0; i < 3; i++) {
		struct var_table *t = &vs->scopes[i];

		for (; t->n > mark->n[i]; t->n--)
			hindex_remove_last(&t->by_id, t->defs[t->n - 1].id, t->n);
		t->bytes = mark->bytes[i];
	}
	vs->max_key = mark->max_key;
	vs->max_value = mark->max_value;
	vs->nstrings = mark->nstrings;
}

/* ---- scalars ---- */

const struct var_def *var_at(const struct var_table *t, uint32_t offset)
{
	uint32_t first = 0, end = t->n;

	/* Of several at the offset, only the last has storage. */
	while (end - first > 1) {
		uint32_t middle = first + (end - first) / 2;

		if (t->defs[middle].offset <= offset)
			first = middle;
		else
			end = middle;
	}
	return &t->defs[first];
}

#ifndef __KERNEL__
/* Return whether a variable lies within the storage of its scope. */
static bool var_holds(const struct mstate *m, const struct var_def *def, const uint8_t *storage)
{
	const struct var_space *vs = m->helping ? m->vars : &m->state->vars;
	uint64_t size = var_is_byref(def) ? 8 + (((uint64_t)def->size + 7) & ~7ULL) : 8;

	return storage && def->kind == DIFV_KIND_SCALAR &&
	       def->offset + size <= vs->scopes[def->scope].bytes;
}
#endif

/*
 * Copy a helper's string to scratch, without the rest of its storage: the strings are long, and
 * scratch must hold many copies.
 */
static uint64_t var_copy_string(struct mstate *m, const uint8_t *s, uint32_t size)
{
	uint32_t n = 0;

	while (n < size - 1 && s[n])
		n++;
	if (!dif_charge_scan(m, n))
		return 0;
	return mem_put(m, (const char *)s, n);
}

/*
 * The storage of a by-reference value is a word that is not 0 if the variable was made NULL, then
 * the bytes. So a variable that was never assigned is all zeros, an empty string. Loads of strings
 * give a copy of the whole variable in scratch: programs may look behind the end of a string.
 * Arrays and structures stay in the storage: programs have pointers into them.
 */
uint64_t var_scalar_load(struct mstate *m, const struct var_def *def, uint8_t *storage)
{
	uint8_t *word = storage + def->offset, *copy;

	core_assert(var_holds(m, def, storage));
	if (!var_is_byref(def))
		return port_read_once((uint64_t *)(void *)word);
	if (port_read_once((uint64_t *)(void *)word))
		return 0;
	if (def->type.dtdt_kind != DIF_TYPE_STRING)
		return mem_handle_var(m, storage, def->scope, def->offset + 8);
	if (m->helping)
		return var_copy_string(m, word + 8, def->size);
	copy = mem_alloc(m, def->size);
	if (!copy)
		return 0;
	memcpy(copy, word + 8, def->size);
	copy[def->size - 1] = '\0';
	return mem_handle(m, copy);
}

void var_scalar_store(struct mstate *m, const struct var_def *def, uint8_t *storage, uint64_t value)
{
	uint8_t *word = storage + def->offset;

	core_assert(var_holds(m, def, storage));
	if (!var_is_byref(def)) {
		port_write_once((uint64_t *)(void *)word, value);
		return;
	}
	if (value && !mem_copy_value(m, word + 8, value, def->size, &def->type))
		return;
	port_write_once((uint64_t *)(void *)word, value == 0);
}
