/* SPDX-License-Identifier: MIT */
/*
 * typed.c - print(): a value with its type and, line by line, the types, names and values of its
 * members.
 *
 *	struct point {
 *	    int x = 0x3
 *	    char [8] name = [ "origin" ]
 *	    short [2] mark = [ 0x1, 0 ]
 *	}
 */
#include <stdio.h>
#include <string.h>
#include "consume.h"
#include "visit.h"

#define TYPED_INDENT 4 /* columns by which members stand to the right */

struct typed {
	dtrace_hdl_t *dtp;
	FILE *fp;
};

static void typed_indent(const struct typed *ty, const dt_field_t *f)
{
	fprintf(ty->fp, "%*s", TYPED_INDENT * f->depth, "");
}

/* Return whether an element is printed behind the one before. Records have lines of their own. */
static bool typed_is_brief(const dt_field_t *f)
{
	return f->element && !type_is_record(f->type);
}

/* Write the part before a value: type, name, width. */
static void typed_begin(const struct typed *ty, const dt_field_t *f)
{
	char type[DT_FIELD_TEXT];
	size_t len;

	if (typed_is_brief(f))
		return;
	if (f->element)
		fputc('\n', ty->fp);
	typed_indent(ty, f);
	len = strlen(dt_field_type(f, type, sizeof(type)));
	fprintf(ty->fp, "%s%s", type, len && type[len - 1] == '*' ? "" : " ");
	if (f->name && f->bits)
		fprintf(ty->fp, "%s :%u = ", f->name, f->bits);
	else if (f->name)
		fprintf(ty->fp, "%s = ", f->name);
}

/* Write the part after a value. */
static void typed_end(const struct typed *ty, const dt_field_t *f)
{
	if (!f->element || (f->last && !typed_is_brief(f)))
		fputc('\n', ty->fp);
	else if (!f->last)
		fputs(", ", ty->fp);
}

static void typed_enter(const dt_field_t *f, void *arg)
{
	typed_begin(arg, f);
	fputs(type_is_record(f->type) ? "{\n" : "[ ", ((struct typed *)arg)->fp);
}

static void typed_leave(const dt_field_t *f, void *arg)
{
	const struct typed *ty = arg;

	if (type_is_record(f->type) || dt_field_holds_records(f))
		typed_indent(ty, f);
	else
		fputc(' ', ty->fp);
	fputc(type_is_record(f->type) ? '}' : ']', ty->fp);
	typed_end(ty, f);
}

/* Print a string. A member that is an array of characters has the brackets of arrays. */
static void typed_string(const struct typed *ty, const dt_field_t *f, size_t len)
{
	bool brackets = f->depth > 0 && !type_is_string(f->type);

	fprintf(ty->fp, "%s\"%.*s\"%s", brackets ? "[ " : "", (int)len, f->data,
		brackets ? " ]" : "");
}

static void typed_leaf(const dt_field_t *f, void *arg)
{
	const struct typed *ty = arg;
	char text[DT_FIELD_TEXT];
	size_t len;

	typed_begin(ty, f);
	if (dt_field_string(f, &len))
		typed_string(ty, f, len);
	else
		fputs(dt_field_text(ty->dtp, f, text), ty->fp);
	typed_end(ty, f);
}

void dt_typed_print(dtrace_hdl_t *dtp, FILE *fp, const struct dt_type *type, const void *p,
		    size_t size)
{
	struct typed ty = {.dtp = dtp, .fp = fp};
	dt_walk_t walk = {
		.enter = typed_enter, .leave = typed_leave, .leaf = typed_leaf, .arg = &ty};

	if (type)
		dt_visit(type, p, size, &walk);
	else
		dt_value_dump(fp, p, size);
}
