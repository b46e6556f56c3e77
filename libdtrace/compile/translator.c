/* SPDX-License-Identifier: MIT */
/*
 * translator.c - translators: the members of a type, each as an expression of an object of another
 * type.
 */
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "decl.h"
#include "kernel.h"
#include "stability.h"
#include "diag.h"

static struct dt_xlmember *translator_find(const dt_translator_t *x, const char *name)
{
	for (struct dt_xlmember *m = x->members; m; m = m->next)
		if (strcmp(m->name, name) == 0)
			return m;
	return NULL;
}

static void translator_value(dt_ctx_t *cx, struct dt_xlmember *m)
{
	dt_loc_t loc = cx->tok.loc;

	m->body = check_value(cx, parse_assign(cx));
	if (!check_fits(m->type, m->body))
		dt_error(cx, &loc, D_XLATE_INCOMPAT,
			 "member %s has type %s, but its translation has type %s", m->name,
			 check_type_text(cx, m->type), check_type_text(cx, m->body->type));
	m->body = check_convert(cx, m->body, m->type, "translation");
	m->attr = stability_language;
	stability_expr(cx, m->body, &m->attr);
}

/* Return the expression of a member, checked. In a D library it is read when it is first used. */
static dt_node_t *translator_body(dt_ctx_t *cx, const dt_translator_t *x, struct dt_xlmember *m)
{
	dt_reading_t before;

	if (m->body)
		return m->body;
	deferred_begin(cx, m->text, &before);
	scope_insert(&cx->comp->globals, &cx->comp->arena, x->param->name, x->param);
	translator_value(cx, m);
	deferred_made(cx, (const void **)&m->body);
	deferred_end(cx, &before);
	return m->body;
}

/* Add the translation of a member. It replaces an earlier one. */
static void translator_add(dt_translator_t *x, struct dt_xlmember *m)
{
	struct dt_xlmember **at = &x->members;

	while (*at && strcmp((*at)->name, m->name) != 0)
		at = &(*at)->next;
	m->next = *at ? (*at)->next : NULL;
	*at = m;
}

static void translator_parse_member(dt_ctx_t *cx, dt_translator_t *x)
{
	struct dt_xlmember *m = arena_alloc(&cx->comp->arena, sizeof(*m));
	dt_loc_t loc = cx->tok.loc;
	dt_member_t member;

	if (cx->tok.kind != TOK_IDENT)
		diag_no_name(cx, "name of a member");
	m->name = arena_strdup(&cx->comp->arena, cx->tok.str);
	parse_advance(cx);
	if (!type_member(x->out, m->name, &member))
		dt_error(hint_member(cx, x->out, m->name), &loc, D_XLATE_MEMB,
			 "%s has no member %s", check_type_text(cx, x->out), m->name);
	parse_expect(cx, TOK_ASSIGN, "after the member");
	m->type = member.type;
	if (cx->library)
		m->text = deferred_take(cx, TOK_SEMI);
	else
		translator_value(cx, m);
	parse_expect(cx, TOK_SEMI, "after a translated member");
	translator_add(x, m);
}

/* Read the input: a type and a name. */
static void translator_input(dt_ctx_t *cx, dt_translator_t *x)
{
	dt_decl_t d = decl_declarator(cx, decl_specifiers(cx));

	if (!d.name)
		dt_error(dt_hint(cx, "write translator OUT < IN name > { ... };"), &d.loc, D_SYNTAX,
			 "syntax error near \">\": the input of a translator needs a name");
	x->param = ident_declare(cx, DIFV_SCOPE_GLOBAL, d.name, IDENT_PARAM, d.type);
	x->in = d.type;
}

/* Return the input type. A D library's translator is read when its result type is first needed. */
static const dt_type_t *translator_in(dt_ctx_t *cx, dt_translator_t *x)
{
	dt_reading_t before;

	if (x->in)
		return x->in;
	deferred_begin(cx, x->head, &before);
	translator_input(cx, x);
	deferred_made(cx, (const void **)&x->in);
	deferred_end(cx, &before);
	return x->in;
}

static dt_translator_t *translator_lookup(dt_ctx_t *cx, const dt_type_t *out, const dt_type_t *in)
{
	for (dt_translator_t *x = cx->comp->translators; x; x = x->next)
		if (type_same(x->out, out) && type_same(translator_in(cx, x), in))
			return x;
	return NULL;
}

/* Return the result type of a translation to a type, or to a pointer to it. */
static const dt_type_t *translator_out(const dt_type_t *out)
{
	out = type_resolve(out);
	return out->kind == TYPE_POINTER ? out->base : out;
}

bool translator_exists(dt_ctx_t *cx, const dt_type_t *out, const dt_type_t *in)
{
	return translator_lookup(cx, translator_out(out), in);
}

/* Read out < in name >. */
static dt_translator_t *translator_parse_head(dt_ctx_t *cx)
{
	dt_translator_t *x = arena_alloc(&cx->comp->arena, sizeof(*x));
	dt_loc_t loc = cx->tok.loc;

	x->out = decl_type_name(cx);
	parse_expect(cx, TOK_LT, "after the type");
	if (cx->library)
		x->head = deferred_take(cx, TOK_GT);
	else
		translator_input(cx, x);
	parse_expect(cx, TOK_GT, "after the input of a translator");
	if (!type_is_record(x->out) || !type_resolve(x->out)->complete)
		dt_error(cx, &loc, D_XLATE_SOU,
			 "%s is not a defined struct or union: nothing can be translated to it",
			 check_type_text(cx, x->out));
	if (x->in && translator_lookup(cx, x->out, x->in))
		dt_error(cx, &loc, D_XLATE_REDECL, "a translator from %s to %s already exists",
			 check_type_text(cx, x->in), check_type_text(cx, x->out));
	return x;
}

void translator_parse(dt_ctx_t *cx)
{
	uint32_t mark = cx->comp->globals.n;
	struct arena *ast = cx->ast;
	dt_translator_t *x;

	cx->ast = &cx->comp->arena;
	parse_advance(cx);
	x = translator_parse_head(cx);
	parse_expect(cx, TOK_LBRACE, "before the members");
	while (!parse_accept(cx, TOK_RBRACE))
		translator_parse_member(cx, x);
	cx->ast = ast;
	scope_rollback(&cx->comp->globals, mark);
	x->next = cx->comp->translators;
	cx->comp->translators = x;
	if (cx->tok.kind != TOK_SEMI)
		diag_unexpected(cx, "';' after a translator", "write ; after the }");
	pragma_use(cx, "translator");
}

/*
 * Return why an input type is unknown, if the kernel's types are the reason; otherwise "". The
 * targets of curthread and similar pointers are known only with the kernel's types.
 */
static const char *translator_why(dt_ctx_t *cx, const dt_type_t *in)
{
	if (!type_is_pointer(in))
		return "";
	in = type_resolve(type_resolve(in)->base);
	return type_is_void(in) || !in->complete ? kernel_why(cx) : "";
}

static dt_ctx_t *translator_hint(dt_ctx_t *cx, const dt_type_t *in)
{
	return *translator_why(cx, in) ? kernel_hint(cx) : cx;
}

static dt_translator_t *translator_of(dt_ctx_t *cx, const dt_node_t *xl)
{
	dt_translator_t *x = translator_lookup(cx, translator_out(xl->type), xl->left->type);

	if (!x)
		dt_error(translator_hint(cx, xl->left->type), &xl->loc, D_XLATE_NONE,
			 "no translator from %s to %s%s", check_type_text(cx, xl->left->type),
			 check_type_text(cx, xl->type), translator_why(cx, xl->left->type));
	return x;
}

/*
 * Return whether another translator to the same type, from one of the kernel's, defines a member.
 */
static bool translator_elsewhere(dt_ctx_t *cx, const dt_translator_t *x, const char *name)
{
	for (const dt_translator_t *o = cx->comp->translators; o; o = o->next)
		if (o != x && type_same(o->out, x->out) && translator_find(o, name))
			return true;
	return false;
}

/*
 * Without the module, a D library's translator may leave out members that need the kernel. They
 * would be 0, as in print(*curpsinfo), where 0 is root.
 */
dt_translator_t *translator_whole(dt_ctx_t *cx, const dt_node_t *xl)
{
	dt_translator_t *x = translator_of(cx, xl);

	for (const dt_member_t *m = x->head ? type_members(x->out) : NULL; m; m = m->next)
		if (m->name && !translator_find(x, m->name) && translator_elsewhere(cx, x, m->name))
			kernel_need(cx, &xl->loc, m->name);
	for (struct dt_xlmember *m = x->members; m; m = m->next)
		translator_body(cx, x, m);
	return x;
}

static dt_ctx_t *translator_members_hint(dt_ctx_t *cx, const dt_translator_t *x, const char *name)
{
	const char **names;
	size_t n = 0;

	for (const struct dt_xlmember *m = x->members; m; m = m->next)
		n++;
	names = arena_alloc(&cx->tmp, (n + 1) * sizeof(*names));
	for (const struct dt_xlmember *m = x->members; m; m = m->next)
		names[--n] = m->name;
	return hint_word(cx, name, names);
}

/* Report a member that a translator does not define. */
static void translator_lacks(dt_ctx_t *cx, const dt_translator_t *x, const dt_node_t *member)
	__attribute__((noreturn));

static void translator_lacks(dt_ctx_t *cx, const dt_translator_t *x, const dt_node_t *member)
{
	dt_member_t given;
	bool exists = type_member(x->out, member->str, &given);

	if (exists && x->head)
		kernel_need(cx, &member->loc, member->str);
	translator_members_hint(cx, x, member->str);
	if (!exists)
		dt_error(cx, &member->loc, D_XLATE_NOCONV, "%s has no member %s",
			 check_type_text(cx, x->out), member->str);
	dt_error(cx, &member->loc, D_XLATE_NOCONV,
		 "the translator from %s to %s does not define member %s",
		 check_type_text(cx, x->in), check_type_text(cx, x->out), member->str);
}

/* A member is compiled like an inline whose parameter is the translator's input. */
dt_node_t *translator_member(dt_ctx_t *cx, dt_node_t *member, dt_node_t *xl)
{
	dt_translator_t *x = translator_of(cx, xl);
	struct dt_xlmember *m = translator_find(x, member->str);
	dt_node_t *body;
	dt_ident_t *id;

	if (!m)
		translator_lacks(cx, x, member);
	body = translator_body(cx, x, m);
	id = arena_alloc(cx->ast, sizeof(*id));
	*id = (dt_ident_t){.kind = IDENT_INLINE,
			   .name = m->name,
			   .type = m->type,
			   .attr = m->attr,
			   .body = body,
			   .params = &x->param,
			   .nparams = 1};
	member->kind = NODE_INLINE;
	member->ident = id;
	member->type = m->type;
	ast_args(cx, member, xl->left);
	ast_deepen(cx, member, body);
	return member;
}
