/* SPDX-License-Identifier: MIT */
/* remedy.c - remedies for values and types that do not suit: how to make of them what is wanted. */
#include "compile.h"

#define REMEDY_STRING \
	"copyinstr(x) is the string there in the process, lltostr(x) the number as text"

dt_ctx_t *remedy_convert(dt_ctx_t *cx, const dt_type_t *from, const dt_type_t *to)
{
	if (type_is_string(from) && type_is_integer(to))
		return dt_remedy(cx, "strtoll(x) makes an integer of a string");
	if (type_is_pointer(from) && type_is_integer(to))
		return dt_remedy(cx, "cast the pointer: (uintptr_t)x");
	if (type_is_integer(from) && type_is_string(to))
		return dt_remedy(cx, REMEDY_STRING);
	if (type_is_pointer(from) && type_is_string(to))
		return dt_remedy(cx, "stringof(x) is the string that a pointer points to");
	if (type_is_scalar(from) && type_is_pointer(to))
		return dt_remedy(cx, "cast it: (%s)x", check_type_text(cx, to));
	return remedy_scalar(cx, from);
}

dt_ctx_t *remedy_both(dt_ctx_t *cx, const dt_type_t *a, const dt_type_t *b)
{
	if ((type_is_string(a) && type_is_integer(b)) || (type_is_integer(a) && type_is_string(b)))
		return dt_remedy(cx,
				 "strtoll(x) makes a number of the string, lltostr(x) a string of "
				 "the number");
	if (type_is_string(a) && type_is_string(b))
		return dt_remedy(cx, "strings are compared, and joined by +");
	if (type_is_pointer(a) && type_is_pointer(b))
		return dt_remedy(cx, "cast both to integers: (uintptr_t)x");
	if (type_is_pointer(a) && type_is_integer(b))
		return remedy_convert(cx, b, a);
	if (type_is_pointer(b) && type_is_integer(a))
		return remedy_convert(cx, a, b);
	return remedy_scalar(cx, type_is_scalar(a) ? b : a);
}

dt_ctx_t *remedy_scalar(dt_ctx_t *cx, const dt_type_t *t)
{
	if (type_is_string(t))
		return dt_remedy(cx, "compare the string, as in x != \"\", or take its strlen(x)");
	if (type_is_record(t))
		return dt_remedy(cx, "name a member of the %s",
				 type_resolve(t)->kind == TYPE_UNION ? "union" : "struct");
	if (type_is_dynamic(t))
		return dt_remedy(
			cx,
			"an aggregation is read by printa( ) only; of an array name an element: "
			"x[key]");
	return cx;
}

dt_ctx_t *remedy_keys(dt_ctx_t *cx, const char *name, const dt_type_t *const *types, uint32_t n)
{
	const char *text = "";

	for (uint32_t i = 0; i < n; i++)
		text = pool_printf(&cx->tmp, "%s%s%s", text, i ? ", " : "",
				   check_type_text(cx, types[i]));
	if (!n)
		return dt_remedy(cx, "it was used without keys before: write %s", name);
	return dt_remedy(cx, "it was used as %s[%s] before", name, text);
}

dt_ctx_t *remedy_params(dt_ctx_t *cx, const dt_ident_t *id)
{
	const char *text = "";

	for (uint32_t i = 0; i < id->nparams; i++)
		text = pool_printf(&cx->tmp, "%s%s%s %s", text, i ? ", " : "",
				   check_type_text(cx, id->params[i]->type), id->params[i]->name);
	return dt_remedy(cx, id->nparams ? "use %s(%s)" : "write %s alone%s", id->name, text);
}
