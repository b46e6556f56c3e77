/* SPDX-License-Identifier: MIT */
/* suggest.c - remedies for unknown names: the nearest known one, or what there is instead. */
#include <string.h>

#include "compile.h"
#include "decl.h"
#include "unsupported.h"
#include "kernel.h"
#include "spell.h"

#define SUGGEST_KERNEL 2 /* limit: the kernel has so many names that one is always near */

static dt_ctx_t *suggest_near(dt_ctx_t *cx, const dt_spell_t *n, const char *prefix)
{
	return n->name ? dt_remedy(cx, "did you mean %s%s?", prefix, n->name) : cx;
}

/* ---- names of variables and functions ---- */

/* A search in a scope. */
typedef struct dt_suggest {
	dt_ctx_t *cx;
	dt_spell_t spell;
	int scope;
	bool calls; /* functions are wanted, else values */
} dt_suggest_t;

static bool suggest_is_callable(const dt_ident_t *id)
{
	return id->kind == IDENT_FUNC || (id->kind == IDENT_INLINE && id->nparams);
}

static void suggest_try_ident(void *arg, const char *name, void *value)
{
	dt_suggest_t *s = arg;
	const dt_ident_t *id = value;

	if (suggest_is_callable(id) == s->calls && !strchr(name, '.') &&
	    ident_lookup(s->cx, s->scope, name) == id)
		spell_try(&s->spell, name);
}

/* A name that is hidden since the program asks for an older version of D. */
static bool suggest_newer(dt_ctx_t *cx, const char *name)
{
	const dt_ident_t *id = scope_lookup(&cx->comp->globals, name);

	if (!id)
		return false;
	dt_remedy(cx, "D %u.%u has it: ask for that version, or for none", id->version >> 24,
		  id->version >> 12 & 0xfff);
	return true;
}

dt_ctx_t *suggest_variable(dt_ctx_t *cx, const char *name)
{
	const dt_scope_t *const scopes[] = {&cx->comp->globals, &cx->comp->selfs, &cx->locals};
	static const char *const prefixes[] = {"", "self->", "this->"};
	const char *found = NULL, *prefix = "";
	dt_suggest_t s = {.cx = cx};

	if (suggest_newer(cx, name))
		return cx;
	if (strncmp(name, "arg", 3) == 0 && name[3] && !name[3 + strspn(name + 3, "0123456789")])
		return dt_remedy(cx, "arg0 to arg9 have variables; others are args[%.6s]",
				 name + 3);
	spell_begin(&s.spell, name);
	for (s.scope = DIFV_SCOPE_GLOBAL; s.scope <= DIFV_SCOPE_LOCAL; s.scope++) {
		scope_each(scopes[s.scope], suggest_try_ident, &s);
		if (s.spell.name != found)
			prefix = prefixes[s.scope];
		found = s.spell.name;
	}
	return suggest_near(cx, &s.spell, prefix);
}

dt_ctx_t *suggest_function(dt_ctx_t *cx, const char *name)
{
	dt_suggest_t s = {.cx = cx, .calls = true};

	if (suggest_newer(cx, name))
		return cx;
	spell_begin(&s.spell, name);
	scope_each(&cx->comp->globals, suggest_try_ident, &s);
	return suggest_near(cx, &s.spell, "");
}

/* ---- types and members ---- */

static void suggest_try_type(void *arg, const char *name, void *value)
{
	(void)value;
	if (!strchr(name, ' ')) /* a tag */
		spell_try(arg, name);
}

/* The kind of type that has the name as its tag; NULL if there is none. */
static const char *suggest_tagged(dt_ctx_t *cx, const char *name)
{
	static const dt_type_kind_t kinds[] = {TYPE_STRUCT, TYPE_UNION, TYPE_ENUM};
	const dt_type_t *t = NULL;

	for (size_t i = 0; !t && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		t = scope_lookup(&cx->comp->types,
				 pool_printf(&cx->tmp, "%s %s", tagged_word(kinds[i]), name));
	if (!t)
		t = kernel_type(cx, "", KTYPE_STRUCT, name);
	if (!t)
		t = kernel_type(cx, "", KTYPE_UNION, name);
	if (!t)
		t = kernel_type(cx, "", KTYPE_ENUM, name);
	return t ? tagged_word(t->kind) : NULL;
}

dt_ctx_t *suggest_type(dt_ctx_t *cx, const char *name)
{
	const char *module, *instead, *tagged;
	dt_spell_t n;

	name = symbol_split(cx, name, &module);
	instead = unsupported_type(name);
	if (instead)
		return dt_remedy(cx, "Linux has %s instead", instead);
	tagged = suggest_tagged(cx, name);
	if (tagged)
		return dt_remedy(cx, "did you mean %s %s?", tagged, name);
	spell_begin(&n, name);
	scope_each(&cx->comp->types, suggest_try_type, &n);
	for (dt_tok_t word = TOK_KW_FIRST; word < TOK_MAX; word++)
		spell_try(&n, lex_tok_text(word));
	n.limit = n.limit > SUGGEST_KERNEL ? SUGGEST_KERNEL : n.limit;
	if (!n.name)
		kernel_spell(cx, KTYPE_NAME, &n);
	return suggest_near(cx, &n, "");
}

/* The name of a tag's entry behind its first word, if it is one of a struct or a union. */
static void suggest_try_struct(void *arg, const char *name, void *value)
{
	(void)value;
	if (strncmp(name, "struct ", 7) == 0 && strcmp(name + 7, ((dt_spell_t *)arg)->wanted) != 0)
		spell_try(arg, name + 7);
}

static void suggest_try_union(void *arg, const char *name, void *value)
{
	(void)value;
	if (strncmp(name, "union ", 6) == 0 && strcmp(name + 6, ((dt_spell_t *)arg)->wanted) != 0)
		spell_try(arg, name + 6);
}

dt_ctx_t *suggest_tag(dt_ctx_t *cx, const dt_type_t *t)
{
	const char *name = type_resolve(t)->name, *instead = name ? unsupported_type(name) : NULL;
	bool is_union = type_resolve(t)->kind == TYPE_UNION;
	dt_spell_t n;

	if (instead)
		return dt_remedy(cx, "Linux has %s instead", instead);
	if (!name || !type_is_record(t))
		return cx;
	spell_begin(&n, name);
	scope_each(&cx->comp->types, is_union ? suggest_try_union : suggest_try_struct, &n);
	n.limit = n.limit > SUGGEST_KERNEL ? SUGGEST_KERNEL : n.limit;
	if (!n.name)
		kernel_spell(cx, is_union ? KTYPE_UNION : KTYPE_STRUCT, &n);
	if (n.name && strcmp(n.name, name) == 0)
		return cx;
	return suggest_near(cx, &n, is_union ? "union " : "struct ");
}

dt_ctx_t *suggest_symbol(dt_ctx_t *cx, const char *module, const char *name)
{
	dt_spell_t n;

	if (cx->trying)
		return cx;
	spell_begin(&n, name);
	n.limit = n.limit > SUGGEST_KERNEL ? SUGGEST_KERNEL : n.limit;
	dt_kernel_symbol_spell(cx->dtp, kernel_module(module), &n);
	return suggest_near(cx, &n, pool_printf(&cx->tmp, "%s`", module));
}

static void suggest_try_members(dt_spell_t *n, const dt_type_t *t)
{
	for (const dt_member_t *m = type_members(type_resolve(t)); m; m = m->next) {
		if (m->name)
			spell_try(n, m->name);
		else if (type_is_record(m->type))
			suggest_try_members(n, m->type);
	}
}

/* Of a small type all members are shown. */
static const char *suggest_members_text(dt_ctx_t *cx, const dt_type_t *t)
{
	const dt_member_t *m = type_members(type_resolve(t));
	const char *text = "";

	for (; m; m = m->next) {
		if (!m->name || strlen(text) + strlen(m->name) > 60)
			return NULL;
		text = pool_printf(&cx->tmp, "%s%s%s", text, *text ? ", " : "", m->name);
	}
	return text;
}

dt_ctx_t *suggest_member(dt_ctx_t *cx, const dt_type_t *t, const char *name)
{
	const char *all = suggest_members_text(cx, t);
	dt_spell_t n;

	spell_begin(&n, name);
	suggest_try_members(&n, t);
	if (!n.name && all)
		return dt_remedy(cx, "it has %s", all);
	return suggest_near(cx, &n, "");
}

dt_ctx_t *suggest_agg(dt_ctx_t *cx, const char *name)
{
	dt_spell_t n;

	spell_begin(&n, name);
	for (const dt_aggvar_t *a = cx->dtp->aggvars; a; a = a->next)
		if (a->func)
			spell_try(&n, a->name);
	return suggest_near(cx, &n, "@");
}

dt_ctx_t *suggest_word(dt_ctx_t *cx, const char *word, const char *const *words)
{
	dt_spell_t n;

	spell_begin(&n, word);
	for (; *words; words++)
		spell_try(&n, *words);
	return suggest_near(cx, &n, "");
}
