/* SPDX-License-Identifier: MIT */
/* visit.c - walks a value of a C type, and makes text of its leaves. */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>
#include "consume.h"
#include "visit.h"

static void visit_field(const dt_field_t *f, const dt_walk_t *walk);

static void visit_members(const dt_field_t *f, const dt_walk_t *walk)
{
	for (const dt_member_t *m = type_members(f->type); m; m = m->next) {
		size_t size = type_storage(m->type);
		dt_field_t in = {
			.name = m->name,
			.type = m->type,
			.data = f->data + m->offset,
			.size = size,
			.bits = m->bits,
			.bitoff = m->bitoff,
			.depth = f->depth + 1,
		};

		if (m->offset <= f->size && size <= f->size - m->offset)
			visit_field(&in, walk);
	}
}

static void visit_elements(const dt_field_t *f, const dt_walk_t *walk)
{
	const dt_type_t *t = type_resolve(f->type);
	size_t size = type_storage(t->base), n = size ? f->size / size : 0;

	if (n > t->nelems)
		n = t->nelems;
	for (size_t i = 0; i < n; i++) {
		dt_field_t in = {
			.type = t->base,
			.data = f->data + i * size,
			.size = size,
			.element = true,
			.last = i + 1 == n,
			.depth = f->depth + 1,
		};

		visit_field(&in, walk);
	}
}

static void visit_field(const dt_field_t *f, const dt_walk_t *walk)
{
	bool record = type_is_record(f->type);
	size_t len;

	if (!record && (type_resolve(f->type)->kind != TYPE_ARRAY || dt_field_string(f, &len))) {
		walk->leaf(f, walk->arg);
		return;
	}
	walk->enter(f, walk->arg);
	(record ? visit_members : visit_elements)(f, walk);
	walk->leave(f, walk->arg);
}

void dt_visit(const dt_type_t *type, const void *data, size_t size, const dt_walk_t *walk)
{
	dt_field_t whole = {.type = type, .data = data, .size = size};

	visit_field(&whole, walk);
}

const char *dt_field_type(const dt_field_t *f, char *buf, size_t len)
{
	static const char none[] = " (anonymous)";
	char *p;

	dt_type_name(f->type, buf, len);
	while ((p = strstr(buf, none)))
		memmove(p, p + sizeof(none) - 1, strlen(p + sizeof(none) - 1) + 1);
	return buf;
}

bool dt_field_holds_records(const dt_field_t *f)
{
	const dt_type_t *t = type_resolve(f->type);

	return t->kind == TYPE_ARRAY && type_is_record(t->base);
}

/* Return whether a value is text: printable characters, at least one, then a NUL. */
static bool field_is_text(const dt_field_t *f, size_t *len)
{
	size_t n = 0;

	while (n < f->size && isprint((unsigned char)f->data[n]))
		n++;
	*len = n;
	return n > 0 && n < f->size && f->data[n] == '\0';
}

static bool field_is_char(const dt_type_t *t)
{
	t = type_resolve(t);
	return t->kind == TYPE_INT && t->size == 1 && t->is_signed;
}

bool dt_field_string(const dt_field_t *f, size_t *len)
{
	const dt_type_t *t = type_resolve(f->type);

	if (t->kind == TYPE_STRING) {
		*len = strnlen(f->data, f->size);
		return true;
	}
	return t->kind == TYPE_ARRAY && field_is_char(t->base) && field_is_text(f, len);
}

int64_t dt_field_integer(const dt_field_t *f)
{
	bool sign = type_is_signed(f->type);
	uint64_t v = (uint64_t)dt_value_load(f->data, f->size, sign && !f->bits);

	if (!f->bits)
		return (int64_t)v;
	v <<= 64 - f->bits - f->bitoff;
	return sign ? (int64_t)v >> (64 - f->bits) : (int64_t)(v >> (64 - f->bits));
}

const char *dt_field_enum(const dt_field_t *f)
{
	int64_t value = dt_field_integer(f);

	for (const dt_enumval_t *e = type_enums(f->type); e; e = e->next)
		if (e->value == value)
			return e->name;
	return NULL;
}

static void field_float_text(const dt_field_t *f, char *buf)
{
	long double ld;
	double d;
	float x;

	if (f->size == sizeof(x)) {
		memcpy(&x, f->data, sizeof(x));
		snprintf(buf, DT_FIELD_TEXT, "%+.7e", x);
	} else if (f->size == sizeof(d)) {
		memcpy(&d, f->data, sizeof(d));
		snprintf(buf, DT_FIELD_TEXT, "%+.7e", d);
	} else {
		memcpy(&ld, f->data, sizeof(ld));
		snprintf(buf, DT_FIELD_TEXT, "%+.16LE", ld);
	}
}

/* Write the value as unsigned hexadecimal text, cut to its size. Zero is just 0. */
static void field_hex_text(const dt_field_t *f, char *buf)
{
	uint64_t v = (uint64_t)dt_field_integer(f);
	unsigned int bits = f->bits ? f->bits : (unsigned int)f->size * 8;

	if (bits < 64)
		v &= (UINT64_C(1) << bits) - 1;
	snprintf(buf, DT_FIELD_TEXT, "%#" PRIx64, v);
}

static bool field_function_text(dtrace_hdl_t *dtp, const dt_field_t *f, char *buf)
{
	const dt_type_t *t = type_resolve(f->type);
	const char *module, *name;
	uint64_t addr = (uint64_t)dt_field_integer(f), off;

	if (t->kind != TYPE_POINTER || type_resolve(t->base)->kind != TYPE_FUNCTION || addr == 0 ||
	    !dt_kernel_symbol(dtp, addr, &module, &name, &off) || off != 0)
		return false;
	snprintf(buf, DT_FIELD_TEXT, "%s`%s", module, name);
	return true;
}

static void field_enum_text(const dt_field_t *f, char *buf)
{
	const char *name = dt_field_enum(f);

	if (name)
		snprintf(buf, DT_FIELD_TEXT, "%s", name);
	else
		snprintf(buf, DT_FIELD_TEXT, "%" PRId64, dt_field_integer(f));
}

const char *dt_field_text(dtrace_hdl_t *dtp, const dt_field_t *f, char *buf)
{
	const dt_type_t *t = type_resolve(f->type);
	unsigned char c = f->size ? (unsigned char)*f->data : 0;

	if (t->kind == TYPE_FLOAT)
		field_float_text(f, buf);
	else if (t->kind == TYPE_ENUM)
		field_enum_text(f, buf);
	else if (field_is_char(t) && !f->bits)
		snprintf(buf, DT_FIELD_TEXT, isprint(c) ? "'%c'" : "'\\%o'", c);
	else if (!field_function_text(dtp, f, buf))
		field_hex_text(f, buf);
	return buf;
}
