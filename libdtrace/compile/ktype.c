/* SPDX-License-Identifier: MIT */
/* ktype.c - converts types of a kernel or a module from BTF. */
#include <bpf/btf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "../program.h"
#include "ktype.h"

#define KTYPE_MAXDEPTH 64      /* pointers, arrays and typedefs on top of each other */
#define KTYPE_MINERROR (-4096) /* enumerators from there to -1 are negative numbers */

struct dt_ktypes {
	struct btf *btf;
	dt_ktypes_t *base;
	struct arena *arena;
	uint32_t first, end; /* numbers of the types that are its own */
	dt_type_t **types;   /* converted types, by number - first */
	uint32_t *index;     /* numbers of named types, by hash of the name; or NULL */
	uint32_t mask;	     /* buckets of the index, less 1 */
};

static const struct btf_type *ktype_raw(const dt_ktypes_t *k, uint32_t id)
{
	return btf__type_by_id(k->btf, id);
}

static const char *ktype_string(const dt_ktypes_t *k, uint32_t offset)
{
	const char *s = btf__str_by_offset(k->btf, offset);

	return s ? s : "";
}

static const char *ktype_name(const dt_ktypes_t *k, const struct btf_type *r)
{
	const char *name = ktype_string(k, r->name_off);

	return *name ? name : NULL;
}

/* ---- the index ---- */

static uint32_t ktypes_hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name)
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h ^ h >> 15;
}

static bool ktypes_indexed(const struct btf_type *r)
{
	switch (btf_kind(r)) {
	case BTF_KIND_INT:
	case BTF_KIND_FLOAT:
	case BTF_KIND_TYPEDEF:
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
	case BTF_KIND_FWD:
	case BTF_KIND_VAR:
	case BTF_KIND_FUNC:
		return true;
	default:
		return false;
	}
}

static void ktypes_index_add(dt_ktypes_t *k, uint32_t id)
{
	const struct btf_type *r = ktype_raw(k, id);
	const char *name = r && ktypes_indexed(r) ? ktype_name(k, r) : NULL;
	uint32_t bucket;

	if (!name)
		return;
	for (bucket = ktypes_hash(name) & k->mask; k->index[bucket];
	     bucket = (bucket + 1) & k->mask)
		;
	k->index[bucket] = id;
}

static bool ktypes_make_index(dt_ktypes_t *k)
{
	uint32_t n = 16;

	while (n < (k->end - k->first) * 2)
		n *= 2;
	k->index = calloc(n, sizeof(*k->index));
	if (!k->index)
		return false;
	k->mask = n - 1;
	for (uint32_t id = k->first; id < k->end; id++)
		ktypes_index_add(k, id);
	return true;
}

/* ---- opening ---- */

dt_ktypes_t *ktypes_open(struct arena *arena, const char *path, dt_ktypes_t *base)
{
	dt_ktypes_t *k = calloc(1, sizeof(*k));

	if (!k) {
		errno = ENOMEM;
		return NULL;
	}
	k->arena = arena;
	k->base = base;
	k->btf = base ? btf__parse_split(path, base->btf) : btf__parse(path, NULL);
	if (!k->btf) {
		free(k);
		return NULL;
	}
	k->first = base ? base->end : 1;
	k->end = btf__type_cnt(k->btf);
	k->types = calloc(k->end - k->first + 1, sizeof(*k->types));
	if (!k->types || !ktypes_make_index(k)) {
		ktypes_close(k);
		errno = ENOMEM;
		return NULL;
	}
	return k;
}

void ktypes_close(dt_ktypes_t *k)
{
	if (!k)
		return;
	if (k->types)
		for (uint32_t i = 0; i < k->end - k->first; i++)
			if (k->types[i])
				k->types[i]->late = NULL;
	btf__free(k->btf);
	free(k->types);
	free(k->index);
	free(k);
}

/* ---- conversion ---- */

static const dt_type_t *ktype_get(dt_ktypes_t *k, uint32_t id);
static const dt_type_t *ktype_convert(dt_ktypes_t *k, uint32_t id, int depth);

static dt_type_t *ktype_new(dt_ktypes_t *k, uint32_t id, dt_type_kind_t kind)
{
	dt_type_t *t = arena_alloc(k->arena, sizeof(*t));

	t->kind = kind;
	t->align = 1;
	t->base = &type_void;
	k->types[id - k->first] = t;
	return t;
}

/*
 * Make the type of an integer that no base type of C matches, such as one of 16 bytes. It can only
 * be copied.
 */
static const dt_type_t *ktype_opaque(dt_ktypes_t *k, uint32_t id, const struct btf_type *r)
{
	dt_type_t *t = ktype_new(k, id, TYPE_STRUCT);
	const char *name = ktype_name(k, r);

	t->name = name ? arena_strdup(k->arena, name) : NULL;
	t->size = t->align = r->size;
	t->complete = true;
	return t;
}

static const dt_type_t *ktype_int(dt_ktypes_t *k, uint32_t id, const struct btf_type *r)
{
	bool sign = btf_int_encoding(r) & BTF_INT_SIGNED;
	const char *name = ktype_name(k, r);

	if (btf_int_encoding(r) & BTF_INT_BOOL && r->size == 1)
		return &type_bool;
	switch (r->size) {
	case 1:
		if (name && strcmp(name, "char") == 0)
			return &type_char;
		return sign ? &type_schar : &type_uchar;
	case 2:
		return sign ? &type_short : &type_ushort;
	case 4:
		return sign ? &type_int : &type_uint;
	case 8:
		if (name && strncmp(name, "long long", 9) == 0)
			return sign ? &type_llong : &type_ullong;
		return sign ? &type_long : &type_ulong;
	default:
		return ktype_opaque(k, id, r);
	}
}

static const dt_type_t *ktype_float(dt_ktypes_t *k, uint32_t id, const struct btf_type *r)
{
	switch (r->size) {
	case 4:
		return &type_float;
	case 8:
		return &type_double;
	case 16:
		return &type_ldouble;
	default:
		return ktype_opaque(k, id, r);
	}
}

static const dt_type_t *ktype_pointer(dt_ktypes_t *k, uint32_t id, const struct btf_type *r,
				      int depth)
{
	dt_type_t *t = ktype_new(k, id, TYPE_POINTER);

	t->size = t->align = 8;
	t->complete = true;
	t->base = ktype_convert(k, r->type, depth);
	return t;
}

static const dt_type_t *ktype_array(dt_ktypes_t *k, uint32_t id, const struct btf_type *r,
				    int depth)
{
	const struct btf_array *a = btf_array(r);
	const dt_type_t *element = ktype_convert(k, a->type, depth);
	dt_type_t *t = ktype_new(k, id, TYPE_ARRAY);

	t->base = element;
	t->nelems = a->nelems;
	t->size = dt_type_size(element) * a->nelems;
	t->complete = true;
	t->late = k;
	t->late_id = id;
	return t;
}

/*
 * Return whether an enumeration has negative values. Old encoders did not say whether it is signed.
 */
static bool ktype_enum_negative(const struct btf_type *r)
{
	const struct btf_enum *e = btf_enum(r);

	for (int i = 0; i < btf_vlen(r); i++)
		if (e[i].val < 0 && e[i].val >= KTYPE_MINERROR)
			return true;
	return btf_kflag(r);
}

/* Make a type with a tag. Its members are read when they are needed. */
static const dt_type_t *ktype_tagged(dt_ktypes_t *k, uint32_t id, const struct btf_type *r,
				     dt_type_kind_t kind)
{
	dt_type_t *t = ktype_new(k, id, kind);
	const char *name = ktype_name(k, r);

	t->name = name ? arena_strdup(k->arena, name) : NULL;
	t->size = r->size;
	t->complete = true;
	t->late = k;
	t->late_id = id;
	if (kind == TYPE_ENUM)
		t->is_signed = btf_is_enum(r) ? ktype_enum_negative(r) : btf_kflag(r);
	return t;
}

/* Return the definition of a type that is only declared, if its name has one. */
static const dt_type_t *ktype_forward(dt_ktypes_t *k, uint32_t id, const struct btf_type *r)
{
	dt_type_kind_t kind = btf_kflag(r) ? TYPE_UNION : TYPE_STRUCT;
	const char *name = ktype_name(k, r);
	const dt_type_t *defined;
	dt_type_t *t = ktype_new(k, id, kind);

	t->name = name ? arena_strdup(k->arena, name) : NULL;
	defined =
		name ? ktypes_find(k, kind == TYPE_UNION ? KTYPE_UNION : KTYPE_STRUCT, name) : NULL;
	if (!defined || defined == t)
		return t;
	k->types[id - k->first] = (dt_type_t *)defined;
	return defined;
}

static const dt_type_t *ktype_typedef(dt_ktypes_t *k, uint32_t id, const struct btf_type *r,
				      int depth)
{
	const dt_type_t *base = ktype_convert(k, r->type, depth);
	const char *name = ktype_name(k, r);
	dt_type_t *t = arena_alloc(k->arena, sizeof(*t));

	*t = *base;
	t->kind = TYPE_TYPEDEF;
	t->base = base;
	t->late = NULL;
	t->name = arena_strdup(k->arena, name ? name : "");
	k->types[id - k->first] = t;
	return t;
}

static const dt_type_t *ktype_function(dt_ktypes_t *k, uint32_t id, const struct btf_type *r,
				       int depth)
{
	const struct btf_param *p = btf_params(r);
	dt_type_t *t = ktype_new(k, id, TYPE_FUNCTION);
	dt_param_t **tail = &t->params;

	t->complete = true;
	t->base = ktype_convert(k, r->type, depth);
	for (int i = 0; i < btf_vlen(r); i++) {
		if (p[i].type == 0) {
			t->varargs = true;
			break;
		}
		*tail = arena_alloc(k->arena, sizeof(**tail));
		(*tail)->type = &type_void;
		(*tail)->type = ktype_convert(k, p[i].type, depth);
		tail = &(*tail)->next;
	}
	return t;
}

static const dt_type_t *ktype_make(dt_ktypes_t *k, uint32_t id, const struct btf_type *r, int depth)
{
	switch (btf_kind(r)) {
	case BTF_KIND_INT:
		return ktype_int(k, id, r);
	case BTF_KIND_FLOAT:
		return ktype_float(k, id, r);
	case BTF_KIND_PTR:
		return ktype_pointer(k, id, r, depth);
	case BTF_KIND_ARRAY:
		return ktype_array(k, id, r, depth);
	case BTF_KIND_STRUCT:
		return ktype_tagged(k, id, r, TYPE_STRUCT);
	case BTF_KIND_UNION:
		return ktype_tagged(k, id, r, TYPE_UNION);
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		return ktype_tagged(k, id, r, TYPE_ENUM);
	case BTF_KIND_FWD:
		return ktype_forward(k, id, r);
	case BTF_KIND_TYPEDEF:
		return ktype_typedef(k, id, r, depth);
	case BTF_KIND_FUNC_PROTO:
		return ktype_function(k, id, r, depth);
	case BTF_KIND_CONST:
	case BTF_KIND_VOLATILE:
	case BTF_KIND_RESTRICT:
	case BTF_KIND_TYPE_TAG:
	case BTF_KIND_VAR:
	case BTF_KIND_FUNC:
		return ktype_convert(k, r->type, depth);
	default:
		return &type_void;
	}
}

static const dt_type_t *ktype_made(dt_ktypes_t *k, uint32_t id, const dt_type_t *t)
{
	if (k->types[id - k->first])
		k->types[id - k->first]->begun = true;
	return t;
}

/*
 * Return the type with that number. A type that is nested too deeply, or within itself, ends in
 * void.
 */
static const dt_type_t *ktype_convert(dt_ktypes_t *k, uint32_t id, int depth)
{
	const struct btf_type *r;

	while (k->base && id < k->first)
		k = k->base;
	r = id ? ktype_raw(k, id) : NULL;
	if (!r || depth > KTYPE_MAXDEPTH)
		return &type_void;
	if (!k->types[id - k->first])
		return ktype_made(k, id, ktype_make(k, id, r, depth + 1));
	return k->types[id - k->first];
}

/* Forget what was not finished when memory ran out. */
static void ktypes_forget(dt_ktypes_t *k)
{
	for (; k; k = k->base)
		for (uint32_t i = 0; i < k->end - k->first; i++)
			if (k->types[i] && !k->types[i]->begun)
				k->types[i] = NULL;
}

static const dt_type_t *ktype_get(dt_ktypes_t *k, uint32_t id)
{
	jmp_buf *outer = k->arena->nomem, inner;
	const dt_type_t *t;

	k->arena->nomem = &inner;
	if (setjmp(inner) != 0) {
		k->arena->nomem = outer;
		ktypes_forget(k);
		longjmp(*outer, 2);
	}
	t = ktype_convert(k, id, 0);
	k->arena->nomem = outer;
	return t;
}

/* ---- insides ---- */

/*
 * Lay out a bit-field. It is read from a unit of its type's size, or, if it crosses the bounds of
 * such a unit, from a unit of 64 bits. Return false if it crosses the bounds of the latter too.
 */
static bool ktype_lay_out_bits(dt_member_t *m, uint32_t at, uint32_t bits)
{
	uint32_t unit = (uint32_t)dt_type_size(m->type) * 8;

	if (unit == 0 || bits > unit)
		return false;
	if (at % unit + bits > unit) {
		unit = 64;
		m->type = type_is_signed(m->type) ? &type_long : &type_ulong;
	}
	m->offset = at / unit * (unit / 8);
	m->bitoff = (uint8_t)(at % unit);
	m->bits = (uint8_t)bits;
	return at % unit + bits <= unit;
}

static dt_member_t *ktype_member(dt_ktypes_t *k, const struct btf_type *r, uint32_t i)
{
	const struct btf_member *b = btf_members(r) + i;
	uint32_t at = btf_member_bit_offset(r, i), bits = btf_member_bitfield_size(r, i);
	const char *name = ktype_string(k, b->name_off);
	dt_member_t *m = arena_alloc(k->arena, sizeof(*m));

	m->name = *name ? arena_strdup(k->arena, name) : NULL;
	m->type = ktype_get(k, b->type);
	m->offset = at / 8;
	if (bits && !ktype_lay_out_bits(m, at, bits))
		return NULL;
	return m;
}

/* Return the alignment that follows from the members, or 1 if the struct is packed. */
static uint32_t ktype_align(const dt_member_t *members, uint64_t size)
{
	uint32_t align = 1;

	for (const dt_member_t *m = members; m; m = m->next) {
		uint32_t a = type_align(m->type);

		if (a && (m->offset % a || size % a))
			return 1;
		if (a > align)
			align = a;
	}
	return align;
}

static void ktype_complete_members(dt_ktypes_t *k, dt_type_t *t, const struct btf_type *r)
{
	dt_member_t *list = NULL, **tail = &list;

	for (uint32_t i = 0; i < btf_vlen(r); i++) {
		*tail = ktype_member(k, r, i);
		if (*tail)
			tail = &(*tail)->next;
	}
	t->members = list;
	t->late = NULL;
	t->align = ktype_align(list, t->size);
}

static void ktype_complete_enum(dt_ktypes_t *k, dt_type_t *t, const struct btf_type *r)
{
	bool wide = btf_kind(r) == BTF_KIND_ENUM64;
	dt_enumval_t *list = NULL, **tail = &list;

	for (int i = 0; i < btf_vlen(r); i++) {
		uint32_t name = wide ? btf_enum64(r)[i].name_off : btf_enum(r)[i].name_off;
		int32_t val = wide ? 0 : btf_enum(r)[i].val;

		*tail = arena_alloc(k->arena, sizeof(**tail));
		(*tail)->name = arena_strdup(k->arena, ktype_string(k, name));
		(*tail)->value = wide		? (int64_t)btf_enum64_value(&btf_enum64(r)[i])
				 : t->is_signed ? val
						: (int64_t)(uint32_t)val;
		tail = &(*tail)->next;
	}
	t->enums = list;
	t->late = NULL;
	t->align = (uint32_t)t->size;
}

static void ktype_complete_now(dt_type_t *t)
{
	dt_ktypes_t *k = t->late;
	const struct btf_type *r = ktype_raw(k, t->late_id);

	if (t->kind == TYPE_ENUM) {
		ktype_complete_enum(k, t, r);
	} else if (t->kind == TYPE_ARRAY) {
		t->late = NULL;
		t->align = type_align(t->base);
	} else {
		ktype_complete_members(k, t, r);
	}
}

void ktype_complete(dt_type_t *t)
{
	struct arena *arena = t->late->arena;
	jmp_buf nomem;

	if (arena->nomem) {
		ktype_complete_now(t);
		return;
	}
	arena->nomem = &nomem;
	if (setjmp(nomem) == 0)
		ktype_complete_now(t);
	else
		errno = ENOMEM;
	arena->nomem = NULL;
}

/* ---- names ---- */

static bool ktype_is_class(const struct btf_type *r, dt_ktype_class_t class)
{
	switch (class) {
	case KTYPE_NAME:
		return btf_is_typedef(r) || btf_is_int(r) || btf_is_float(r);
	case KTYPE_STRUCT:
		return btf_is_struct(r) || (btf_is_fwd(r) && !btf_kflag(r));
	case KTYPE_UNION:
		return btf_is_union(r) || (btf_is_fwd(r) && btf_kflag(r));
	case KTYPE_ENUM:
		return btf_is_any_enum(r);
	case KTYPE_VARIABLE:
		return btf_is_var(r);
	default:
		return btf_is_func(r);
	}
}

const dt_type_t *ktypes_find(dt_ktypes_t *k, dt_ktype_class_t class, const char *name)
{
	const struct btf_type *r;
	uint32_t forward = 0, id;

	for (uint32_t bucket = ktypes_hash(name) & k->mask; (id = k->index[bucket]);
	     bucket = (bucket + 1) & k->mask) {
		r = ktype_raw(k, id);
		if (!ktype_is_class(r, class) || strcmp(ktype_name(k, r), name) != 0)
			continue;
		if (!btf_is_fwd(r))
			return ktype_get(k, id);
		forward = id;
	}
	if (!forward)
		return NULL;
	if (k->types[forward - k->first])
		return k->types[forward - k->first];
	return ktype_get(k, forward);
}

const dt_type_t *ktypes_function(dt_ktypes_t *k, const char *name)
{
	uint32_t prototype = 0, id;

	for (uint32_t bucket = ktypes_hash(name) & k->mask; (id = k->index[bucket]);
	     bucket = (bucket + 1) & k->mask) {
		const struct btf_type *r = ktype_raw(k, id);

		if (!btf_is_func(r) || strcmp(ktype_name(k, r), name) != 0)
			continue;
		if (prototype && prototype != r->type)
			return NULL;
		prototype = r->type;
	}
	return prototype ? ktype_get(k, prototype) : NULL;
}

void ktypes_spell(dt_ktypes_t *k, dt_ktype_class_t class, dt_spell_t *n)
{
	for (uint32_t id = k->first; id < k->end; id++) {
		const struct btf_type *r = ktype_raw(k, id);
		const char *name = r && ktype_is_class(r, class) ? ktype_name(k, r) : NULL;

		if (name)
			spell_try(n, name);
	}
}

static bool ktypes_enum_has(dt_ktypes_t *k, const struct btf_type *r, const char *name)
{
	bool wide = btf_kind(r) == BTF_KIND_ENUM64;

	for (int i = 0; i < btf_vlen(r); i++) {
		uint32_t off = wide ? btf_enum64(r)[i].name_off : btf_enum(r)[i].name_off;

		if (strcmp(ktype_string(k, off), name) == 0)
			return true;
	}
	return false;
}

bool ktypes_enumerator(dt_ktypes_t *k, const char *name, int64_t *value, const dt_type_t **type)
{
	for (uint32_t id = k->first; id < k->end; id++) {
		const struct btf_type *r = ktype_raw(k, id);

		if (!btf_is_any_enum(r) || !ktypes_enum_has(k, r, name))
			continue;
		*type = ktype_get(k, id);
		for (const dt_enumval_t *e = type_enums(*type); e; e = e->next)
			if (strcmp(e->name, name) == 0) {
				*value = e->value;
				return true;
			}
	}
	return false;
}
