/* SPDX-License-Identifier: MIT */
/* document_print.c - print() in structured output: a value of any type, member by member. */
#include <stdlib.h>
#include "document.h"
#include "visit.h"

struct print {
	dtrace_hdl_t *dtp;
	struct dt_writer *w;
};

/* Begin the object of a field. The array names the type of its elements once. */
static void field_begin(const struct print *p, const dt_field_t *f)
{
	char type[256];

	dt_writer_object(p->w, NULL);
	if (f->name)
		dt_writer_cstring(p->w, "name", f->name);
	if (!f->element)
		dt_writer_cstring(p->w, "type", dt_field_type(f, type, sizeof(type)));
}

static void print_enter(const dt_field_t *f, void *arg)
{
	const struct print *p = arg;

	field_begin(p, f);
	dt_writer_list(p->w, type_is_record(f->type) ? "members" : "elements");
}

static void print_leave(const dt_field_t *f, void *arg)
{
	const struct print *p = arg;

	(void)f;
	dt_writer_end(p->w);
	dt_writer_end(p->w);
}

static void leaf_float(const struct print *p, const dt_field_t *f)
{
	char text[DT_FIELD_TEXT];

	dt_writer_double(p->w, "value", strtod(dt_field_text(p->dtp, f, text), NULL));
}

static void leaf_integer(const struct print *p, const dt_field_t *f)
{
	if (type_is_signed(f->type))
		dt_writer_int(p->w, "value", dt_field_integer(f));
	else
		dt_writer_uint(p->w, "value", (uint64_t)dt_field_integer(f));
}

/*
 * Write a value. An enumeration is its name, if it has one. An address is text, because not every
 * reader keeps 64 bits.
 */
static void leaf_value(const struct print *p, const dt_field_t *f)
{
	const dt_type_t *t = type_resolve(f->type);
	char text[DT_FIELD_TEXT];
	size_t len;

	if (dt_field_string(f, &len))
		dt_writer_string(p->w, "value", f->data, len);
	else if (t->kind == TYPE_FLOAT)
		leaf_float(p, f);
	else if (t->kind == TYPE_INT || (t->kind == TYPE_ENUM && !dt_field_enum(f)))
		leaf_integer(p, f);
	else
		dt_writer_cstring(p->w, "value", dt_field_text(p->dtp, f, text));
}

static void print_leaf(const dt_field_t *f, void *arg)
{
	const struct print *p = arg;

	field_begin(p, f);
	leaf_value(p, f);
	dt_writer_end(p->w);
}

void dt_document_print(dtrace_hdl_t *dtp, struct dt_writer *w, const struct dt_arg *arg)
{
	struct print p = {dtp, w};
	dt_walk_t walk = {
		.enter = print_enter, .leave = print_leave, .leaf = print_leaf, .arg = &p};

	if (arg->type)
		dt_visit(arg->type, arg->data, arg->rec->dtrd_size, &walk);
	else
		dt_document_part(dtp, w, arg);
}
