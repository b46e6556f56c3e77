/* SPDX-License-Identifier: MIT */
/* tagged.c - structs, unions and enumerations: their tags, members and layout. */
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "decl.h"
#include "kernel.h"
#include "diag.h"
#include "unsupported.h"

/* The position of the next member while a struct or union is laid out. */
struct tagged_layout {
	dt_type_t *type;
	dt_member_t **tail;
	uint64_t bits; /* used so far */
	uint64_t size; /* bytes: of a union its largest member */
};

static uint64_t tagged_round(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

static void tagged_lay_out_bits(struct tagged_layout *lo, dt_member_t *m, uint64_t width)
{
	uint64_t unit = dt_type_size(m->type) * 8;

	if (width == 0 || lo->bits / unit != (lo->bits + width - 1) / unit)
		lo->bits = tagged_round(lo->bits, unit);
	m->offset = (uint32_t)(lo->bits / unit * unit / 8);
	m->bitoff = (uint8_t)(lo->bits % unit);
	m->bits = (uint8_t)width;
	lo->bits += width;
}

static void tagged_lay_out(struct tagged_layout *lo, dt_member_t *m, bool bitfield, uint64_t width)
{
	uint32_t align = type_align(m->type);

	if (lo->type->kind == TYPE_UNION)
		lo->bits = 0;
	if (bitfield) {
		tagged_lay_out_bits(lo, m, width);
	} else {
		lo->bits = tagged_round(lo->bits, align * 8ULL);
		m->offset = (uint32_t)(lo->bits / 8);
		lo->bits += type_storage(m->type) * 8;
	}
	if (align > lo->type->align)
		lo->type->align = align;
	if ((lo->bits + 7) / 8 > lo->size)
		lo->size = (lo->bits + 7) / 8;
}

static uint64_t tagged_bit_width(dt_ctx_t *cx, const dt_decl_t *d)
{
	int64_t width = parse_int(cx, D_DECL_BFCONST, "width of a bit-field");

	if (width < 0 || (width == 0 && d->name))
		dt_error(cx, &d->loc, D_DECL_BFCONST, "the width of a bit-field must be positive");
	if (!type_is_integer(d->type))
		dt_error(cx, &d->loc, D_DECL_BFTYPE, "a bit-field must be an integer, not %s",
			 check_type_text(cx, d->type));
	if (width > (int64_t)dt_type_size(d->type) * 8)
		dt_error(dt_hint(cx, "write a width of at most %u, or a larger type",
				 (uint32_t)dt_type_size(d->type) * 8),
			 &d->loc, D_DECL_BFSIZE, "width %lld does not fit a bit-field of type %s",
			 (long long)width, check_type_text(cx, d->type));
	return (uint64_t)width;
}

static void tagged_check_member(dt_ctx_t *cx, const struct tagged_layout *lo, const dt_decl_t *d)
{
	const dt_type_t *t = type_resolve(d->type);
	dt_member_t old;

	if (d->is_array)
		dt_error(cx, &d->loc, D_DECL_DYNOBJ, "a member cannot be an associative array");
	if (t->kind == TYPE_VOID)
		dt_error(cx, &d->loc, D_DECL_VOIDOBJ, "a member cannot be of type void");
	if (t->kind == TYPE_FUNCTION)
		dt_error(dt_hint(cx, "use a pointer to a function: int (*name)()"), &d->loc,
			 D_DECL_VOIDOBJ, "%s cannot be the type of a member",
			 check_type_text(cx, d->type));
	if (!t->complete)
		dt_error(hint_tag(cx, t), &d->loc, D_DECL_INCOMPLETE,
			 "member %s has type %s, which is not defined", d->name ? d->name : "",
			 check_type_text(cx, d->type));
	if (d->name && type_member(lo->type, d->name, &old))
		dt_error(cx, &d->loc, D_UNKNOWN, "duplicate member %s", d->name);
	if (lo->size > DECL_MAXARRAY)
		dt_error(cx, &d->loc, D_DECL_ARRBIG, "type is larger than %u bytes", DECL_MAXARRAY);
}

static void tagged_member(dt_ctx_t *cx, struct tagged_layout *lo, const dt_type_t *base)
{
	bool anonymous = cx->tok.kind == TOK_SEMI && type_is_record(base) && !base->name, bitfield;
	dt_decl_t d = {.loc = cx->tok.loc, .type = base};
	dt_member_t *m;
	uint64_t width = 0;

	if (!anonymous && cx->tok.kind != TOK_COLON)
		d = decl_declarator(cx, base);
	bitfield = parse_accept(cx, TOK_COLON);
	if (bitfield)
		width = tagged_bit_width(cx, &d);
	if (!anonymous && !bitfield && !d.name)
		dt_error(cx, &d.loc, D_DECL_MNAME, "a member needs a type and a name");
	if (d.name && strchr(d.name, '`'))
		dt_error(cx, &d.loc, D_DECL_SCOPE, "%s cannot be the name of a member", d.name);
	tagged_check_member(cx, lo, &d);
	m = arena_alloc(&cx->comp->arena, sizeof(*m));
	m->name = d.name ? arena_strdup(&cx->comp->arena, d.name) : NULL;
	m->type = d.type;
	tagged_lay_out(lo, m, bitfield, width);
	if (m->name || anonymous) {
		*lo->tail = m;
		lo->tail = &m->next;
	}
}

static void tagged_members(dt_ctx_t *cx, dt_type_t *t)
{
	struct tagged_layout lo = {.type = t, .tail = &t->members};
	const dt_type_t *base;

	t->align = 1;
	while (!parse_accept(cx, TOK_RBRACE)) {
		base = decl_specifiers(cx);
		do
			tagged_member(cx, &lo, base);
		while (parse_accept(cx, TOK_COMMA));
		parse_expect(cx, TOK_SEMI, "after a member");
	}
	t->size = tagged_round(lo.size, t->align);
	t->complete = true;
}

static void tagged_enumval(dt_ctx_t *cx, dt_enumval_t ***tail, const dt_ident_t *id)
{
	dt_enumval_t *e = arena_alloc(&cx->comp->arena, sizeof(*e));

	e->name = id->name;
	e->value = id->value;
	**tail = e;
	*tail = &e->next;
}

static bool tagged_enum_has(const dt_type_t *t, const char *name)
{
	for (const dt_enumval_t *e = t->enums; e; e = e->next)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* Return whether a name is declared. Enumerators of headers hide inlines of the D libraries. */
static bool tagged_is_taken(dt_ctx_t *cx, const char *name)
{
	const dt_ident_t *id = ident_lookup(cx, DIFV_SCOPE_GLOBAL, name);

	return id && (cx->library || id->kind != IDENT_INLINE || !id->text);
}

/*
 * Return the type of an enumerator. In a C header it may be an unsigned int, as for compilers of C;
 * 1 << 31 is such a value.
 */
static const dt_type_t *tagged_enum_type(dt_ctx_t *cx, const dt_token_t *name, int64_t value)
{
	if (value >= INT32_MIN && value <= INT32_MAX)
		return &type_int;
	if (value < INT32_MIN || value > UINT32_MAX || !decl_is_c(&name->loc))
		dt_error(cx, &name->loc, D_DECL_ENOFLOW, "the value of %s does not fit in an int",
			 name->str);
	return &type_uint;
}

static void tagged_enumerators(dt_ctx_t *cx, dt_type_t *t)
{
	dt_enumval_t **tail = &t->enums;
	const dt_type_t *type;
	int64_t value = 0;
	dt_ident_t *id;
	dt_token_t tok;

	t->is_signed = true;
	while (!parse_accept(cx, TOK_RBRACE)) {
		tok = cx->tok;
		if (tok.kind != TOK_IDENT || strchr(tok.str, '`'))
			diag_no_name(cx, "name of an enumerator");
		parse_advance(cx);
		if (parse_accept(cx, TOK_ASSIGN))
			value = parse_int(cx, D_DECL_ENCONST, "value of an enumerator");
		type = tagged_enum_type(cx, &tok, value);
		t->is_signed &= type->is_signed;
		if (tagged_is_taken(cx, tok.str))
			dt_error(cx, &tok.loc,
				 tagged_enum_has(t, tok.str) ? D_UNKNOWN : D_DECL_IDRED,
				 "%s is already declared", tok.str);
		id = ident_declare(cx, DIFV_SCOPE_GLOBAL, tok.str, IDENT_CONST, type);
		id->value = value++;
		tagged_enumval(cx, &tail, id);
		if (cx->tok.kind != TOK_RBRACE)
			parse_expect(cx, TOK_COMMA, "after an enumerator");
	}
	t->size = t->align = 4;
	t->complete = true;
}

const char *tagged_word(dt_type_kind_t kind)
{
	return kind == TYPE_ENUM ? "enum" : kind == TYPE_UNION ? "union" : "struct";
}

/*
 * Return the key of a tag. Tags of the arguments of a process's probes are not those of the
 * program.
 */
static const char *tagged_key(dt_ctx_t *cx, dt_type_kind_t kind, const char *tag, bool userland)
{
	return arena_printf(&cx->tmp, "%s%s %s", userland ? "user " : "", tagged_word(kind), tag);
}

/* Return the type of a tag that is known in D, or NULL. Each kind of type has tags of its own. */
static dt_type_t *tagged_known(dt_ctx_t *cx, dt_type_kind_t kind, const char *tag)
{
	dt_type_t *t = scope_lookup(&cx->comp->types, tagged_key(cx, kind, tag, false));

	if (!t && cx->userland)
		t = scope_lookup(&cx->comp->types, tagged_key(cx, kind, tag, true));
	return t;
}

/* Make a type of which at most the tag is known: name may be NULL. */
static dt_type_t *tagged_undefined(dt_ctx_t *cx, dt_type_kind_t kind, const char *name)
{
	dt_type_t *t = arena_alloc(&cx->comp->arena, sizeof(*t));

	t->kind = kind;
	t->align = 1;
	t->name = name ? arena_strdup(&cx->comp->arena, name) : NULL;
	return t;
}

/* Make a type of D with or without a tag. */
static dt_type_t *tagged_new(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	dt_type_t *t = tagged_undefined(cx, kind, tag->kind == TOK_IDENT ? tag->str : NULL);

	if (!t->name)
		return t;
	t->userland = cx->userland;
	scope_insert(&cx->comp->types, &cx->comp->arena,
		     tagged_key(cx, kind, tag->str, cx->userland), t);
	return t;
}

/* Return the kernel's type of a tag, which may be that of C programs, or NULL. */
static const dt_type_t *tagged_kernel(dt_ctx_t *cx, dt_type_kind_t kind, const char *module,
				      const char *name)
{
	const char *instead = kind == TYPE_STRUCT ? unsupported_tag(name) : NULL;
	const dt_type_t *t = kernel_type(cx, module,
					 kind == TYPE_ENUM    ? KTYPE_ENUM
					 : kind == TYPE_UNION ? KTYPE_UNION
							      : KTYPE_STRUCT,
					 name);

	if (instead && !(t && t->complete))
		return kernel_type(cx, module, KTYPE_STRUCT, instead);
	return t;
}

const dt_type_t *tagged_complete(dt_ctx_t *cx, const dt_type_t *t)
{
	const dt_type_t *known, *base;

	if (t->kind == TYPE_POINTER) {
		base = tagged_complete(cx, t->base);
		return base == t->base ? t : type_pointer(&cx->comp->arena, base);
	}
	if (t->complete || !t->name || (!type_is_record(t) && t->kind != TYPE_ENUM))
		return t;
	known = tagged_known(cx, t->kind, t->name);
	if (!known || !known->complete)
		known = tagged_kernel(cx, t->kind, "", t->name);
	return known ? known : t;
}

/*
 * Return the type that the use of a tag means: a type of D, of the kernel, or one that may be
 * declared later. late: do not read the kernel's types for it now.
 */
static const dt_type_t *tagged_use(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag,
				   bool late)
{
	const char *module, *name = symbol_split(cx, tag->str, &module);
	bool own = !module || strcmp(module, "D") == 0 || strcmp(module, "C") == 0;
	const dt_type_t *t = own ? tagged_known(cx, kind, name) : NULL;

	if (!t && late && !module)
		return tagged_undefined(cx, kind, name);
	if (!t)
		t = tagged_kernel(cx, kind, module ? module : "", name);
	if (!t && module)
		dt_error(kernel_hint(cx), &tag->loc, D_TYPE_ERR,
			 "module %s does not define tag %s%s", module, name, kernel_why(cx));
	return t ? t : tagged_new(cx, kind, tag);
}

static const dt_type_t *tagged_define(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	dt_type_t *t = tag->kind == TOK_IDENT ? tagged_known(cx, kind, tag->str) : NULL;

	if (tag->kind == TOK_IDENT && strchr(tag->str, '`'))
		dt_error(cx, &tag->loc, D_DECL_SCOPE,
			 "%s: a program cannot define a type of a module", tag->str);
	if (!t)
		t = tagged_new(cx, kind, tag);
	if (t->complete || t->begun)
		dt_error(cx, &tag->loc, D_DECL_TYPERED, "%s is already defined",
			 check_type_text(cx, t));
	t->begun = true;
	if (kind == TYPE_ENUM)
		tagged_enumerators(cx, t);
	else
		tagged_members(cx, t);
	return t;
}

const dt_type_t *tagged_parse(dt_ctx_t *cx, bool late)
{
	dt_type_kind_t kind = cx->tok.kind == TOK_ENUM	  ? TYPE_ENUM
			      : cx->tok.kind == TOK_UNION ? TYPE_UNION
							  : TYPE_STRUCT;
	const dt_type_t *t;
	dt_token_t tag;

	parse_enter(cx);
	parse_advance(cx);
	tag = cx->tok;
	if (tag.kind == TOK_IDENT)
		parse_advance(cx);
	else if (tag.kind != TOK_LBRACE)
		diag_unexpected(cx, "tag or '{'", "write struct NAME, or struct { type name; }");
	t = parse_accept(cx, TOK_LBRACE) ? tagged_define(cx, kind, &tag)
					 : tagged_use(cx, kind, &tag, late);
	parse_leave(cx);
	return t;
}
