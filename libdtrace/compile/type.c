/* SPDX-License-Identifier: MIT */
/* type.c - types of C (LP64) and D: making them, asking about them, converting between them. */
#include <stdio.h>
#include <string.h>

#include "../program.h"
#include "ktype.h"
#include "type.h"

#define TYPE_BASE(var, text, k, sz, sgn)                 \
	const dt_type_t var = {.kind = (k),              \
			       .name = (text),           \
			       .size = (sz),             \
			       .align = (sz) ? (sz) : 1, \
			       .is_signed = (sgn),       \
			       .complete = true}

TYPE_BASE(type_void, "void", TYPE_VOID, 0, false);
TYPE_BASE(type_char, "char", TYPE_INT, 1, true);
TYPE_BASE(type_schar, "signed char", TYPE_INT, 1, true);
TYPE_BASE(type_uchar, "unsigned char", TYPE_INT, 1, false);
TYPE_BASE(type_short, "short", TYPE_INT, 2, true);
TYPE_BASE(type_ushort, "unsigned short", TYPE_INT, 2, false);
TYPE_BASE(type_int, "int", TYPE_INT, 4, true);
TYPE_BASE(type_uint, "unsigned int", TYPE_INT, 4, false);
TYPE_BASE(type_long, "long", TYPE_INT, 8, true);
TYPE_BASE(type_ulong, "unsigned long", TYPE_INT, 8, false);
TYPE_BASE(type_llong, "long long", TYPE_INT, 8, true);
TYPE_BASE(type_ullong, "unsigned long long", TYPE_INT, 8, false);
TYPE_BASE(type_bool, "_Bool", TYPE_INT, 1, false);
TYPE_BASE(type_float, "float", TYPE_FLOAT, 4, true);
TYPE_BASE(type_double, "double", TYPE_FLOAT, 8, true);
TYPE_BASE(type_ldouble, "long double", TYPE_FLOAT, 16, true);
TYPE_BASE(type_string, "string", TYPE_STRING, 0, false);
TYPE_BASE(type_stack, "stack", TYPE_STACK, 0, false);
TYPE_BASE(type_symaddr, "symaddr", TYPE_SYMBOL, 8, false);
TYPE_BASE(type_usymaddr, "usymaddr", TYPE_SYMBOL, 8, false);
const dt_type_t type_dynamic = {.kind = TYPE_DYNAMIC, .name = "<dynamic>", .align = 1};
TYPE_BASE(type_pending, "unknown type", TYPE_PENDING, 8, true);
const dt_type_t type_void_ptr = {
	.kind = TYPE_POINTER,
	.size = 8,
	.align = 8,
	.complete = true,
	.base = &type_void,
};

static const dt_type_t type_char_ptr = {
	.kind = TYPE_POINTER,
	.size = 8,
	.align = 8,
	.complete = true,
	.base = &type_char,
};

/* Typedefs that need no kernel types. */
static const struct {
	const char *name;
	const dt_type_t *base;
} type_builtins[] = {
	{"string", &type_string},      {"int8_t", &type_schar},
	{"int16_t", &type_short},      {"int32_t", &type_int},
	{"int64_t", &type_long},       {"uint8_t", &type_uchar},
	{"uint16_t", &type_ushort},    {"uint32_t", &type_uint},
	{"uint64_t", &type_ulong},     {"intptr_t", &type_long},
	{"uintptr_t", &type_ulong},    {"size_t", &type_ulong},
	{"ssize_t", &type_long},       {"ptrdiff_t", &type_long},
	{"off_t", &type_long},	       {"off64_t", &type_long},
	{"longlong_t", &type_llong},   {"u_longlong_t", &type_ullong},
	{"uchar_t", &type_uchar},      {"ushort_t", &type_ushort},
	{"uint_t", &type_uint},	       {"ulong_t", &type_ulong},
	{"u_char", &type_uchar},       {"u_short", &type_ushort},
	{"u_int", &type_uint},	       {"u_long", &type_ulong},
	{"ushort", &type_ushort},      {"uint", &type_uint},
	{"ulong", &type_ulong},	       {"pid_t", &type_int},
	{"id_t", &type_uint},	       {"uid_t", &type_uint},
	{"gid_t", &type_uint},	       {"zoneid_t", &type_uint},
	{"taskid_t", &type_int},       {"projid_t", &type_int},
	{"poolid_t", &type_int},       {"processorid_t", &type_int},
	{"psetid_t", &type_int},       {"lwpid_t", &type_int},
	{"mode_t", &type_uint},	       {"dev_t", &type_ulong},
	{"ino_t", &type_ulong},	       {"ino64_t", &type_ulong},
	{"nlink_t", &type_ulong},      {"time_t", &type_long},
	{"clock_t", &type_long},       {"hrtime_t", &type_long},
	{"key_t", &type_int},	       {"socklen_t", &type_uint},
	{"sa_family_t", &type_ushort}, {"in_port_t", &type_ushort},
	{"in_addr_t", &type_uint},     {"ipaddr_t", &type_uint},
	{"caddr_t", &type_char_ptr},   {"__builtin_va_list", &type_void_ptr},
	{"offset_t", &type_llong},     {"u_offset_t", &type_ullong},
	{"daddr_t", &type_long},       {"diskaddr_t", &type_ullong},
	{"major_t", &type_uint},       {"minor_t", &type_uint},
	{"pgcnt_t", &type_ulong},      {"pfn_t", &type_ulong},
	{"quad_t", &type_long},	       {"u_quad_t", &type_ulong},
	{"intmax_t", &type_long},      {"uintmax_t", &type_ulong},
	{"blksize_t", &type_int},      {"useconds_t", &type_uint},
	{"pc_t", &type_ulong},	       {"rlim_t", &type_ulong},
	{"bool", &type_bool},	       {"boolean_t", &type_int},
	{"_Float32", &type_float},     {"_Float32x", &type_double},
	{"_Float64", &type_double},    {"_Float64x", &type_ldouble},
	{"_Float128", &type_ldouble},  {"__float128", &type_ldouble},
};

void type_declare_builtin(dt_scope_t *scope, struct arena *arena)
{
	for (size_t i = 0; i < sizeof(type_builtins) / sizeof(type_builtins[0]); i++) {
		const dt_type_t *base = type_builtins[i].base;
		dt_type_t *t = arena_alloc(arena, sizeof(*t));

		*t = *base;
		if (base->kind <= TYPE_TYPEDEF) {
			t->kind = TYPE_TYPEDEF;
			t->base = base;
		}
		t->name = type_builtins[i].name;
		t->predefined = true;
		scope_insert(scope, arena, t->name, t);
	}
}

const dt_type_t *type_base(const char *name)
{
	static const dt_type_t *const types[] = {&type_void, &type_char, &type_short, &type_int,
						 &type_long, &type_bool, &type_float, &type_double};

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(types[i]->name, name) == 0)
			return types[i];
	return NULL;
}

const dt_type_t *type_pointer(struct arena *arena, const dt_type_t *target)
{
	dt_type_t *t = arena_alloc(arena, sizeof(*t));

	*t = type_void_ptr;
	t->base = target;
	return t;
}

const dt_type_t *type_in_process(struct arena *arena, const dt_type_t *t)
{
	const dt_type_t *pointer = type_resolve(t);
	dt_type_t *in_process;

	if (pointer->kind != TYPE_POINTER || pointer->in_process)
		return t;
	in_process = arena_alloc(arena, sizeof(*in_process));
	*in_process = *pointer;
	in_process->in_process = true;
	return in_process;
}

const dt_type_t *type_array(struct arena *arena, const dt_type_t *element, uint32_t nelems)
{
	dt_type_t *t = arena_alloc(arena, sizeof(*t));

	t->kind = TYPE_ARRAY;
	t->base = element;
	t->nelems = nelems;
	t->size = type_storage(element) * nelems;
	t->align = type_align(element);
	t->complete = true;
	return t;
}

const dt_type_t *type_function(struct arena *arena, const dt_type_t *result, dt_param_t *params,
			       bool varargs)
{
	dt_type_t *t = arena_alloc(arena, sizeof(*t));

	t->kind = TYPE_FUNCTION;
	t->base = result;
	t->params = params;
	t->varargs = varargs;
	t->align = 1;
	t->complete = true;
	return t;
}

const dt_type_t *type_unknown(struct arena *arena, const char *text)
{
	dt_type_t *t = arena_alloc(arena, sizeof(*t));

	*t = type_long;
	t->kind = TYPE_UNKNOWN;
	t->name = arena_strdup(arena, text);
	return t;
}

const dt_type_t *type_resolve(const dt_type_t *t)
{
	while (t->kind == TYPE_TYPEDEF)
		t = t->base;
	return t;
}

static dt_type_kind_t type_kind(const dt_type_t *t)
{
	return type_resolve(t)->kind;
}

bool type_is_integer(const dt_type_t *t)
{
	dt_type_kind_t k = type_kind(t);

	return k == TYPE_INT || k == TYPE_ENUM || k == TYPE_UNKNOWN || k == TYPE_PENDING;
}

bool type_is_pointer(const dt_type_t *t)
{
	return type_kind(t) == TYPE_POINTER;
}

bool type_is_in_process(const dt_type_t *t)
{
	return type_resolve(t)->in_process;
}

bool type_is_scalar(const dt_type_t *t)
{
	return type_is_integer(t) || type_is_pointer(t);
}

static bool type_is_arith(const dt_type_t *t)
{
	return type_is_integer(t) || type_kind(t) == TYPE_FLOAT;
}

bool type_is_record(const dt_type_t *t)
{
	dt_type_kind_t k = type_kind(t);

	return k == TYPE_STRUCT || k == TYPE_UNION;
}

bool type_is_string(const dt_type_t *t)
{
	return type_kind(t) == TYPE_STRING;
}

bool type_is_stringlike(const dt_type_t *t)
{
	const dt_type_t *r = type_resolve(t);

	if (r->kind == TYPE_STRING || r->kind == TYPE_PENDING)
		return true;
	if (r->kind != TYPE_POINTER && r->kind != TYPE_ARRAY)
		return false;
	r = type_resolve(r->base);
	return r->kind == TYPE_INT && r->size == 1;
}

bool type_is_void(const dt_type_t *t)
{
	return type_kind(t) == TYPE_VOID;
}

bool type_is_dynamic(const dt_type_t *t)
{
	return type_kind(t) == TYPE_DYNAMIC;
}

bool type_is_pending(const dt_type_t *t)
{
	return type_kind(t) == TYPE_PENDING;
}

bool type_is_byref(const dt_type_t *t)
{
	dt_type_kind_t k = type_kind(t);

	return k == TYPE_STRING || k == TYPE_ARRAY || k == TYPE_STRUCT || k == TYPE_UNION ||
	       (k == TYPE_FLOAT && dt_type_size(t) > 8);
}

bool type_is_signed(const dt_type_t *t)
{
	return type_is_arith(t) && type_resolve(t)->is_signed;
}

static bool type_same_params(const dt_param_t *a, const dt_param_t *b)
{
	for (; a && b; a = a->next, b = b->next)
		if (!type_same(a->type, b->type))
			return false;
	return a == b;
}

bool type_same(const dt_type_t *a, const dt_type_t *b)
{
	a = type_resolve(a);
	b = type_resolve(b);
	if (a == b)
		return true;
	if (a->kind != b->kind || a->size != b->size || a->is_signed != b->is_signed)
		return false;
	switch (a->kind) {
	case TYPE_POINTER:
		return type_same(a->base, b->base);
	case TYPE_ARRAY:
		return a->nelems == b->nelems && type_same(a->base, b->base);
	case TYPE_FUNCTION:
		return a->varargs == b->varargs && type_same(a->base, b->base) &&
		       type_same_params(a->params, b->params);
	case TYPE_STRUCT:
	case TYPE_UNION:
	case TYPE_ENUM:
		return false;
	default:
		return true;
	}
}

/* Return whether pointers may be mixed: one points to void, or both to the same type. */
static bool type_pointers_match(const dt_type_t *a, const dt_type_t *b)
{
	a = type_resolve(type_resolve(a)->base);
	b = type_resolve(type_resolve(b)->base);
	if (a->kind == TYPE_VOID || b->kind == TYPE_VOID || type_same(a, b))
		return true;
	return a->kind == TYPE_INT && b->kind == TYPE_INT && a->size == b->size;
}

/* Integers and pointers are converted to each other only by a cast, unless a type is unknown. */
bool type_assignable(const dt_type_t *to, const dt_type_t *from)
{
	dt_type_kind_t kind = type_kind(from);

	if (type_is_string(to))
		return type_is_stringlike(from);
	if (type_kind(to) == TYPE_UNKNOWN || kind == TYPE_UNKNOWN || type_is_pending(to) ||
	    kind == TYPE_PENDING)
		return type_is_scalar(to) && type_is_scalar(from);
	if (type_is_integer(to))
		return type_is_integer(from);
	if (type_is_pointer(to) && type_is_stringlike(to) && kind == TYPE_STRING)
		return true;
	if (type_is_pointer(to))
		return (kind == TYPE_POINTER || kind == TYPE_ARRAY) &&
		       type_pointers_match(to, from);
	return kind != TYPE_DYNAMIC && type_same(to, from);
}

const dt_type_t *type_promote(const dt_type_t *t)
{
	const dt_type_t *r = type_resolve(t);

	if (r->kind == TYPE_UNKNOWN || r->kind == TYPE_PENDING)
		return &type_long;
	if (r->kind == TYPE_ENUM || (r->kind == TYPE_INT && r->size < 4))
		return &type_int;
	return t;
}

const dt_type_t *type_balance(const dt_type_t *a, const dt_type_t *b)
{
	const dt_type_t *ra, *rb;

	a = type_promote(a);
	b = type_promote(b);
	ra = type_resolve(a);
	rb = type_resolve(b);
	if (ra->size != rb->size)
		return ra->size > rb->size ? a : b;
	return ra->is_signed ? b : a;
}

/* Return the type behind typedefs, with its members. */
static const dt_type_t *type_inside(const dt_type_t *t)
{
	t = type_resolve(t);
	if (t->late)
		ktype_complete((dt_type_t *)t);
	return t;
}

const dt_member_t *type_members(const dt_type_t *t)
{
	return type_inside(t)->members;
}

const dt_enumval_t *type_enums(const dt_type_t *t)
{
	return type_inside(t)->enums;
}

uint32_t type_align(const dt_type_t *t)
{
	return type_inside(t)->align;
}

bool type_member(const dt_type_t *record, const char *name, dt_member_t *out)
{
	for (const dt_member_t *m = type_members(record); m; m = m->next) {
		if (m->name && strcmp(m->name, name) == 0) {
			*out = *m;
			return true;
		}
		if (!m->name && type_member(m->type, name, out)) {
			out->offset += m->offset;
			return true;
		}
	}
	return false;
}

uint64_t type_storage(const dt_type_t *t)
{
	return type_is_string(t) ? DTRACE_STRSIZE_DEFAULT : dt_type_size(t);
}

void type_dif(const dt_type_t *t, dtrace_diftype_t *out)
{
	const dt_type_t *r = type_resolve(t);

	memset(out, 0, sizeof(*out));
	out->dtdt_kind = r->kind == TYPE_STRING ? DIF_TYPE_STRING : DIF_TYPE_CTF;
	out->dtdt_ckind = (uint8_t)r->kind;
	out->dtdt_flags = type_is_byref(r) ? DIF_TF_BYREF : 0;
	out->dtdt_size = (uint32_t)r->size;
}

bool dt_type_signed(const dt_type_t *t)
{
	return type_is_signed(t);
}

size_t dt_type_size(const dt_type_t *t)
{
	return type_resolve(t)->size;
}

/* ---- names ---- */

/* Text that grows at its end, or is cut when it does not fit. */
struct type_text {
	char *buf;
	size_t len, used;
};

static void type_put(struct type_text *out, const char *s)
{
	size_t n = strlen(s);

	if (out->used + n >= out->len)
		n = out->len - out->used - 1;
	memcpy(out->buf + out->used, s, n);
	out->used += n;
	out->buf[out->used] = '\0';
}

static const char *type_tag_word(const dt_type_t *t)
{
	switch (t->kind) {
	case TYPE_STRUCT:
		return "struct ";
	case TYPE_UNION:
		return "union ";
	case TYPE_ENUM:
		return "enum ";
	default:
		return "";
	}
}

/* Write the part of a declaration before the name of an object of that type. */
static void type_put_left(struct type_text *out, const dt_type_t *t)
{
	bool paren;

	switch (t->kind) {
	case TYPE_POINTER:
		paren = t->base->kind == TYPE_ARRAY || t->base->kind == TYPE_FUNCTION;
		type_put_left(out, t->base);
		if (t->base->kind != TYPE_POINTER)
			type_put(out, " ");
		type_put(out, paren ? "(*" : "*");
		break;
	case TYPE_ARRAY:
	case TYPE_FUNCTION:
		type_put_left(out, t->base);
		break;
	default:
		type_put(out, type_tag_word(t));
		type_put(out, t->name ? t->name : "(anonymous)");
	}
}

static void type_put_right(struct type_text *out, const dt_type_t *t);

static void type_put_params(struct type_text *out, const dt_type_t *t)
{
	type_put(out, "(");
	for (const dt_param_t *p = t->params; p; p = p->next) {
		type_put_left(out, p->type);
		type_put_right(out, p->type);
		if (p->next || t->varargs)
			type_put(out, ", ");
	}
	type_put(out, t->varargs ? "...)" : ")");
}

/* Write the part of a declaration after the name. */
static void type_put_right(struct type_text *out, const dt_type_t *t)
{
	char number[32];

	switch (t->kind) {
	case TYPE_POINTER:
		if (t->base->kind == TYPE_ARRAY || t->base->kind == TYPE_FUNCTION)
			type_put(out, ")");
		type_put_right(out, t->base);
		break;
	case TYPE_ARRAY:
		snprintf(number, sizeof(number), "[%u]", t->nelems);
		if (!out->used || out->buf[out->used - 1] != ']')
			type_put(out, " ");
		type_put(out, number);
		type_put_right(out, t->base);
		break;
	case TYPE_FUNCTION:
		type_put_params(out, t);
		type_put_right(out, t->base);
		break;
	default:
		break;
	}
}

const char *dt_type_name(const dt_type_t *t, char *buf, size_t len)
{
	struct type_text out = {.buf = buf, .len = len};

	buf[0] = '\0';
	type_put_left(&out, t);
	type_put_right(&out, t);
	return buf;
}
