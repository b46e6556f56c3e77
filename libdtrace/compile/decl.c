/* SPDX-License-Identifier: MIT */
/* decl.c - declarations: types, variables, inlines. */
#include <string.h>

#include "compile.h"
#include "decl.h"
#include "kernel.h"
#include "stability.h"

#define DECL_MAXDERIVED 64 /* pointers, arrays and functions that a declarator may pile up */
#define DECL_MAXARRAY	(1u << 24) /* bytes */
#define DECL_NODIM	UINT32_MAX /* length of an array that has none: [] */

/* Storage classes, as a mask. */
#define DECL_TYPEDEF 0x01
#define DECL_EXTERN  0x02
#define DECL_STATIC  0x04
#define DECL_INLINE  0x08
#define DECL_SELF    0x10
#define DECL_THIS    0x20
#define DECL_AUTO    0x40 /* and register: where there are no functions, nothing to do */

static uint32_t decl_storage(dt_tok_t kind)
{
	switch (kind) {
	case TOK_TYPEDEF:
		return DECL_TYPEDEF;
	case TOK_EXTERN:
		return DECL_EXTERN;
	case TOK_STATIC:
		return DECL_STATIC;
	case TOK_INLINE:
		return DECL_INLINE;
	case TOK_SELF:
		return DECL_SELF;
	case TOK_THIS:
		return DECL_THIS;
	default:
		return 0;
	}
}

static bool decl_is_qualifier(dt_tok_t kind)
{
	return kind == TOK_CONST || kind == TOK_VOLATILE || kind == TOK_RESTRICT ||
	       kind == TOK_USERLAND || kind == TOK_REGISTER || kind == TOK_AUTO ||
	       kind == TOK_ATTRIBUTE;
}

/* The type that a name stands for: one of D, or else one of the kernel; NULL if there is none. */
static const dt_type_t *decl_named(dt_ctx_t *cx, const char *str, bool kernel)
{
	const char *module, *name = symbol_split(cx, str, &module);
	const dt_type_t *t = NULL;

	if (!module || strcmp(module, "D") == 0 || strcmp(module, "C") == 0)
		t = scope_lookup(&cx->comp->types, name);
	if (!t && module)
		t = type_base(name);
	return t || !kernel ? t : kernel_type(cx, module ? module : "", KTYPE_NAME, name);
}

static bool decl_is_type(dt_ctx_t *cx, dt_tok_t kind, const char *str, bool kernel)
{
	switch (kind) {
	case TOK_CHAR:
	case TOK_SHORT:
	case TOK_INT_KW:
	case TOK_LONG:
	case TOK_SIGNED:
	case TOK_UNSIGNED:
	case TOK_FLOAT:
	case TOK_DOUBLE:
	case TOK_VOID:
	case TOK_BOOL:
	case TOK_STRUCT:
	case TOK_UNION:
	case TOK_ENUM:
		return true;
	case TOK_IDENT:
		return !ident_lookup(cx, DIFV_SCOPE_GLOBAL, str) && decl_named(cx, str, kernel);
	default:
		return decl_is_qualifier(kind);
	}
}

bool decl_token(dt_ctx_t *cx, const dt_token_t *tok)
{
	return decl_is_type(cx, tok->kind, tok->str, true);
}

bool decl_word(dt_ctx_t *cx, const char *word, bool kernel)
{
	dt_tok_t kind = lex_keyword(word);

	return decl_storage(kind) || kind == TOK_TRANSLATOR || kind == TOK_PROVIDER ||
	       strchr(word, '`') || decl_is_type(cx, kind, word, kernel);
}

/* Passes over parentheses and all within. */
static void decl_skip_paren(dt_ctx_t *cx)
{
	int depth = 0;

	do {
		depth += (cx->tok.kind == TOK_LPAREN) - (cx->tok.kind == TOK_RPAREN);
		if (cx->tok.kind == TOK_EOF)
			parse_unexpected(cx, "')'");
		parse_advance(cx);
	} while (depth > 0);
}

/* What a header tells the C compiler by __attribute__((...)) and __asm__(...) is nothing to D. */
static void decl_attributes(dt_ctx_t *cx)
{
	while (parse_accept(cx, TOK_ATTRIBUTE))
		if (cx->tok.kind == TOK_LPAREN)
			decl_skip_paren(cx);
}

/* ---- structs, unions, enumerations ---- */

/* Where the next member goes, while a struct or union is laid out. */
struct decl_layout {
	dt_type_t *type;
	dt_member_t **tail;
	uint64_t bits; /* used so far */
	uint64_t size; /* bytes: of a union its largest member */
};

static uint64_t decl_round(uint64_t n, uint64_t align)
{
	return (n + align - 1) / align * align;
}

static void decl_place_bits(struct decl_layout *lo, dt_member_t *m, uint64_t width)
{
	uint64_t unit = dt_type_size(m->type) * 8;

	if (width == 0 || lo->bits / unit != (lo->bits + width - 1) / unit)
		lo->bits = decl_round(lo->bits, unit);
	m->offset = (uint32_t)(lo->bits / unit * unit / 8);
	m->bitoff = (uint8_t)(lo->bits % unit);
	m->bits = (uint8_t)width;
	lo->bits += width;
}

static void decl_place(struct decl_layout *lo, dt_member_t *m, bool bitfield, uint64_t width)
{
	uint32_t align = type_align(m->type);

	if (lo->type->kind == TYPE_UNION)
		lo->bits = 0;
	if (bitfield) {
		decl_place_bits(lo, m, width);
	} else {
		lo->bits = decl_round(lo->bits, align * 8ULL);
		m->offset = (uint32_t)(lo->bits / 8);
		lo->bits += type_room(m->type) * 8;
	}
	if (align > lo->type->align)
		lo->type->align = align;
	if ((lo->bits + 7) / 8 > lo->size)
		lo->size = (lo->bits + 7) / 8;
}

static uint64_t decl_bit_width(dt_ctx_t *cx, const dt_decl_t *d)
{
	int64_t width = parse_int(cx, D_DECL_BFCONST, "width of a bit-field");

	if (width < 0 || (width == 0 && d->name))
		dt_error(cx, &d->loc, D_DECL_BFCONST, "width of a bit-field must be positive");
	if (!type_is_integer(d->type))
		dt_error(cx, &d->loc, D_DECL_BFTYPE, "a bit-field is an integer, not %s",
			 check_type_text(cx, d->type));
	if (width > (int64_t)dt_type_size(d->type) * 8)
		dt_error(cx, &d->loc, D_DECL_BFSIZE,
			 "width %lld does not fit a bit-field of type %s", (long long)width,
			 check_type_text(cx, d->type));
	return (uint64_t)width;
}

static void decl_check_member(dt_ctx_t *cx, const struct decl_layout *lo, const dt_decl_t *d)
{
	const dt_type_t *t = type_resolve(d->type);
	dt_member_t old;

	if (d->is_array)
		dt_error(cx, &d->loc, D_DECL_DYNOBJ, "a member cannot be an associative array");
	if (t->kind == TYPE_VOID)
		dt_error(cx, &d->loc, D_DECL_VOIDOBJ, "a member cannot be of type void");
	if (t->kind == TYPE_FUNCTION)
		dt_error(cx, &d->loc, D_DECL_INCOMPLETE, "%s cannot be the type of a member",
			 check_type_text(cx, d->type));
	if (!t->complete)
		dt_error(cx, &d->loc, D_DECL_INCOMPLETE,
			 "member %s has type %s, which is not defined", d->name ? d->name : "",
			 check_type_text(cx, d->type));
	if (d->name && type_member(lo->type, d->name, &old))
		dt_error(cx, &d->loc, D_UNKNOWN, "there are two members %s", d->name);
	if (lo->size > DECL_MAXARRAY)
		dt_error(cx, &d->loc, D_DECL_ARRBIG, "type is larger than %u bytes", DECL_MAXARRAY);
}

static void decl_member(dt_ctx_t *cx, struct decl_layout *lo, const dt_type_t *base)
{
	bool anonymous = cx->tok.kind == TOK_SEMI && type_is_record(base) && !base->name, bitfield;
	dt_decl_t d = {.loc = cx->tok.loc, .type = base};
	dt_member_t *m;
	uint64_t width = 0;

	if (!anonymous && cx->tok.kind != TOK_COLON)
		d = decl_declarator(cx, base);
	bitfield = parse_accept(cx, TOK_COLON);
	if (bitfield)
		width = decl_bit_width(cx, &d);
	if (!anonymous && !bitfield && !d.name)
		dt_error(cx, &d.loc, D_DECL_MNAME, "a member needs a type and a name");
	if (d.name && strchr(d.name, '`'))
		dt_error(cx, &d.loc, D_DECL_SCOPE, "%s cannot be the name of a member", d.name);
	decl_check_member(cx, lo, &d);
	m = pool_alloc(&cx->comp->pool, sizeof(*m));
	m->name = d.name ? pool_strdup(&cx->comp->pool, d.name) : NULL;
	m->type = d.type;
	decl_place(lo, m, bitfield, width);
	if (m->name || anonymous) {
		*lo->tail = m;
		lo->tail = &m->next;
	}
}

static void decl_members(dt_ctx_t *cx, dt_type_t *t)
{
	struct decl_layout lo = {.type = t, .tail = &t->members};
	const dt_type_t *base;

	t->align = 1;
	while (!parse_accept(cx, TOK_RBRACE)) {
		base = decl_specifiers(cx);
		do
			decl_member(cx, &lo, base);
		while (parse_accept(cx, TOK_COMMA));
		parse_expect(cx, TOK_SEMI, "after a member");
	}
	t->size = decl_round(lo.size, t->align);
	t->complete = true;
}

static void decl_enumval(dt_ctx_t *cx, dt_enumval_t ***tail, const dt_ident_t *id)
{
	dt_enumval_t *e = pool_alloc(&cx->comp->pool, sizeof(*e));

	e->name = id->name;
	e->value = id->value;
	**tail = e;
	*tail = &e->next;
}

static bool decl_enum_has(const dt_type_t *t, const char *name)
{
	for (const dt_enumval_t *e = t->enums; e; e = e->next)
		if (strcmp(e->name, name) == 0)
			return true;
	return false;
}

/* Headers define as enumerators what the libraries have as inlines: those are hidden. */
static bool decl_is_taken(dt_ctx_t *cx, const char *name)
{
	const dt_ident_t *id = ident_lookup(cx, DIFV_SCOPE_GLOBAL, name);

	return id && (cx->library || id->kind != IDENT_INLINE || !id->text);
}

static void decl_enumerators(dt_ctx_t *cx, dt_type_t *t)
{
	dt_enumval_t **tail = &t->enums;
	int64_t value = 0;
	dt_ident_t *id;
	dt_token_t tok;

	while (!parse_accept(cx, TOK_RBRACE)) {
		tok = cx->tok;
		if (tok.kind != TOK_IDENT || strchr(tok.str, '`'))
			parse_unexpected(cx, "name of an enumerator");
		parse_advance(cx);
		if (parse_accept(cx, TOK_ASSIGN))
			value = parse_int(cx, D_DECL_ENCONST, "value of an enumerator");
		if (value < INT32_MIN || value > INT32_MAX)
			dt_error(cx, &tok.loc, D_DECL_ENOFLOW, "value of %s does not fit an int",
				 tok.str);
		if (decl_is_taken(cx, tok.str))
			dt_error(cx, &tok.loc, decl_enum_has(t, tok.str) ? D_UNKNOWN : D_DECL_IDRED,
				 "%s is declared already", tok.str);
		id = ident_declare(cx, DIFV_SCOPE_GLOBAL, tok.str, IDENT_CONST, &type_int);
		id->value = value++;
		decl_enumval(cx, &tail, id);
		if (cx->tok.kind != TOK_RBRACE)
			parse_expect(cx, TOK_COMMA, "after an enumerator");
	}
	t->size = t->align = 4;
	t->is_signed = t->complete = true;
}

/* Tags that arguments of a process's probes have are not those of the program. */
static const char *decl_tag_key(dt_ctx_t *cx, const dt_token_t *tag, bool userland)
{
	return pool_printf(&cx->tmp, "%stag %s", userland ? "user " : "", tag->str);
}

/* A tag that D has heard of; NULL if it has not. */
static dt_type_t *decl_tag_known(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	dt_type_t *t = scope_lookup(&cx->comp->types, decl_tag_key(cx, tag, false));

	if (!t && cx->userland)
		t = scope_lookup(&cx->comp->types, decl_tag_key(cx, tag, true));
	if (t && t->kind != kind)
		dt_error(cx, &tag->loc, D_DECL_TYPERED, "%s is the tag of another kind of type",
			 tag->str);
	return t;
}

/* A type of D with that tag, or with none. */
static dt_type_t *decl_tag_new(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	dt_type_t *t = pool_alloc(&cx->comp->pool, sizeof(*t));

	t->kind = kind;
	t->align = 1;
	if (tag->kind != TOK_IDENT)
		return t;
	t->name = pool_strdup(&cx->comp->pool, tag->str);
	t->userland = cx->userland;
	scope_insert(&cx->comp->types, &cx->comp->pool, decl_tag_key(cx, tag, cx->userland), t);
	return t;
}

static const dt_type_t *decl_tag_kernel(dt_ctx_t *cx, dt_type_kind_t kind, const char *module,
					const char *name)
{
	return kernel_type(cx, module,
			   kind == TYPE_ENUM	? KTYPE_ENUM
			   : kind == TYPE_UNION ? KTYPE_UNION
						: KTYPE_STRUCT,
			   name);
}

/* The type that the use of a tag means: one of D, or of the kernel, or one that D may hear of yet. */
static const dt_type_t *decl_tag_use(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	const char *module, *name = symbol_split(cx, tag->str, &module);
	const dt_type_t *t = module ? NULL : decl_tag_known(cx, kind, tag);

	if (!t)
		t = decl_tag_kernel(cx, kind, module ? module : "", name);
	if (!t && module)
		dt_error(cx, &tag->loc, D_TYPE_ERR, "module %s does not define tag %s%s", module,
			 name, kernel_why(cx));
	return t ? t : decl_tag_new(cx, kind, tag);
}

static const dt_type_t *decl_tag_define(dt_ctx_t *cx, dt_type_kind_t kind, const dt_token_t *tag)
{
	dt_type_t *t = tag->kind == TOK_IDENT ? decl_tag_known(cx, kind, tag) : NULL;

	if (tag->kind == TOK_IDENT && strchr(tag->str, '`'))
		dt_error(cx, &tag->loc, D_DECL_SCOPE,
			 "%s: a program cannot define types of a module", tag->str);
	if (!t)
		t = decl_tag_new(cx, kind, tag);
	if (t->complete || t->begun)
		dt_error(cx, &tag->loc, D_DECL_TYPERED, "%s is defined already",
			 check_type_text(cx, t));
	t->begun = true;
	if (kind == TYPE_ENUM)
		decl_enumerators(cx, t);
	else
		decl_members(cx, t);
	return t;
}

static const dt_type_t *decl_tagged(dt_ctx_t *cx)
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
		parse_unexpected(cx, "tag or '{'");
	t = parse_accept(cx, TOK_LBRACE) ? decl_tag_define(cx, kind, &tag)
					 : decl_tag_use(cx, kind, &tag);
	parse_leave(cx);
	return t;
}

/* ---- specifiers ---- */

/* The words of an arithmetic type, counted. */
struct decl_words {
	int chars, shorts, ints, longs, signeds, unsigneds, floats, doubles, voids, bools;
};

static int *decl_word_count(struct decl_words *w, dt_tok_t kind)
{
	switch (kind) {
	case TOK_CHAR:
		return &w->chars;
	case TOK_SHORT:
		return &w->shorts;
	case TOK_INT_KW:
		return &w->ints;
	case TOK_LONG:
		return &w->longs;
	case TOK_SIGNED:
		return &w->signeds;
	case TOK_UNSIGNED:
		return &w->unsigneds;
	case TOK_FLOAT:
		return &w->floats;
	case TOK_DOUBLE:
		return &w->doubles;
	case TOK_VOID:
		return &w->voids;
	case TOK_BOOL:
		return &w->bools;
	default:
		return NULL;
	}
}

/* What is wrong with the words; D_MAX: nothing. */
static dt_tag_t decl_words_clash(const struct decl_words *w)
{
	int bases = w->chars + w->ints + w->floats + w->doubles + w->voids + w->bools;
	bool lengths = w->shorts || w->longs, signs = w->signeds || w->unsigneds;

	if (bases > 1 || w->shorts > 1 || w->longs > 2 || (w->shorts && w->longs) ||
	    w->signeds + w->unsigneds > 1 || (w->floats && lengths) || (w->doubles && w->shorts))
		return D_DECL_COMBO;
	if (w->chars && lengths)
		return D_DECL_CHARATTR;
	if (w->voids && (lengths || signs))
		return D_DECL_VOIDATTR;
	if (signs && (w->floats || w->doubles || w->bools))
		return D_DECL_SIGNINT;
	if ((w->longs > 1 && w->doubles) || (lengths && w->bools))
		return D_DECL_LONGINT;
	return D_MAX;
}

static const dt_type_t *decl_words_type(const struct decl_words *w)
{
	if (w->voids)
		return &type_void;
	if (w->bools)
		return &type_bool;
	if (w->floats)
		return &type_float;
	if (w->doubles)
		return w->longs ? &type_ldouble : &type_double;
	if (w->chars)
		return w->unsigneds ? &type_uchar : w->signeds ? &type_schar : &type_char;
	if (w->shorts)
		return w->unsigneds ? &type_ushort : &type_short;
	if (w->longs > 1)
		return w->unsigneds ? &type_ullong : &type_llong;
	if (w->longs)
		return w->unsigneds ? &type_ulong : &type_long;
	return w->unsigneds ? &type_uint : &type_int;
}

/* A declaration has one storage class; headers have inline functions that are extern or static. */
static bool decl_storage_goes(uint32_t storage, uint32_t bit)
{
	uint32_t both = storage | bit;

	return !storage || (storage != bit && (both == (DECL_EXTERN | DECL_INLINE) ||
					       both == (DECL_STATIC | DECL_INLINE)));
}

/* Not the words of headers that are taken for auto. */
static bool decl_is_auto(const dt_token_t *tok)
{
	return tok->kind == TOK_REGISTER || (tok->kind == TOK_AUTO && strcmp(tok->str, "auto") == 0);
}

/* Qualifiers and, if storage is not NULL, storage classes; what else is at hand then is not. */
static void decl_qualifiers(dt_ctx_t *cx, uint32_t *storage)
{
	uint32_t bit;

	for (;; parse_advance(cx)) {
		decl_attributes(cx);
		bit = decl_storage(cx->tok.kind);
		if (storage && decl_is_auto(&cx->tok)) {
			*storage |= DECL_AUTO;
		} else if (bit && storage) {
			if (!decl_storage_goes(*storage, bit))
				dt_error(cx, &cx->tok.loc, D_DECL_CLASS,
					 "'%s' does not go with the storage class before it",
					 lex_tok_text(cx->tok.kind));
			*storage |= bit;
		} else if (bit) {
			dt_error(cx, &cx->tok.loc, D_DECL_CLASS, "no storage class can stand here");
		} else if (!decl_is_qualifier(cx->tok.kind)) {
			return;
		}
	}
}

static const dt_type_t *decl_arithmetic(dt_ctx_t *cx, uint32_t *storage)
{
	struct decl_words w = {0};
	dt_loc_t loc = cx->tok.loc;
	dt_tag_t clash;
	int *count;

	while ((count = decl_word_count(&w, cx->tok.kind))) {
		++*count;
		parse_advance(cx);
		decl_qualifiers(cx, storage);
	}
	clash = decl_words_clash(&w);
	if (clash != D_MAX)
		dt_error(cx, &loc, clash, "these words do not make a type");
	return decl_words_type(&w);
}

static bool decl_tagged_or_word(dt_tok_t kind)
{
	struct decl_words w;

	return kind == TOK_STRUCT || kind == TOK_UNION || kind == TOK_ENUM ||
	       decl_word_count(&w, kind);
}

/* Is the name at hand a second type, and not what is declared? */
static bool decl_named_again(dt_ctx_t *cx)
{
	dt_tok_t next;

	if (cx->tok.kind != TOK_IDENT || !decl_is_type(cx, TOK_IDENT, cx->tok.str, false))
		return false;
	next = parse_ahead(cx);
	return next == TOK_IDENT || next == TOK_MUL;
}

static dt_tag_t decl_words_tag(dt_tok_t word)
{
	if (word == TOK_SIGNED || word == TOK_UNSIGNED)
		return D_DECL_SIGNINT;
	return word == TOK_SHORT || word == TOK_LONG ? D_DECL_LONGINT : D_DECL_COMBO;
}

/* After a type there cannot be another; first is the word that the first began with. */
static void decl_check_end(dt_ctx_t *cx, dt_tok_t first)
{
	dt_tok_t kind = cx->tok.kind;
	dt_tag_t tag;

	if (!decl_tagged_or_word(kind) && !decl_named_again(cx))
		return;
	tag = decl_words_tag(first);
	if (tag == D_DECL_COMBO)
		tag = decl_words_tag(kind);
	dt_error(cx, &cx->tok.loc, tag, "'%s' after a type: two types, or a ';' is missing",
		 kind == TOK_IDENT ? cx->tok.str : lex_tok_text(kind));
}

static const dt_type_t *decl_specifiers_with(dt_ctx_t *cx, uint32_t *storage)
{
	const dt_type_t *t;
	struct decl_words w;
	dt_tok_t first;

	decl_qualifiers(cx, storage);
	first = cx->tok.kind;
	if (cx->tok.kind == TOK_STRUCT || cx->tok.kind == TOK_UNION || cx->tok.kind == TOK_ENUM) {
		t = decl_tagged(cx);
	} else if (cx->tok.kind == TOK_IDENT) {
		t = decl_named(cx, cx->tok.str, true);
		if (!t)
			dt_error(cx, &cx->tok.loc, strchr(cx->tok.str, '`') ? D_TYPE_ERR : D_SYNTAX,
				 "syntax error near \"%s\": no type of that name is defined%s",
				 cx->tok.str, kernel_why(cx));
		parse_advance(cx);
	} else if (decl_word_count(&w, cx->tok.kind)) {
		t = decl_arithmetic(cx, storage);
	} else {
		parse_unexpected(cx, "type");
	}
	decl_qualifiers(cx, storage);
	decl_check_end(cx, first);
	return t;
}

const dt_type_t *decl_specifiers(dt_ctx_t *cx)
{
	return decl_specifiers_with(cx, NULL);
}

/* ---- declarators ---- */

static dt_decl_param_t *decl_params(dt_ctx_t *cx, dt_tok_t close, uint32_t *n, bool *varargs)
{
	dt_decl_param_t *list = NULL, **tail = &list;
	uint32_t storage;
	dt_loc_t loc;
	dt_decl_t d;

	*n = 0;
	*varargs = false;
	while (!parse_accept(cx, close)) {
		if (parse_accept(cx, TOK_ELLIPSIS)) {
			*varargs = true;
			if (cx->tok.kind == TOK_COMMA)
				dt_error(cx, &cx->tok.loc, D_DECL_PROTO_VARARGS,
					 "'...' stands at the end of parameters");
			parse_expect(cx, close, "after '...'");
			break;
		}
		storage = 0;
		loc = cx->tok.loc;
		d = decl_declarator(cx, decl_specifiers_with(cx, &storage));
		if (storage & ~(uint32_t)DECL_AUTO)
			dt_error(cx, &loc, D_DECL_PARMCLASS, "a parameter has no storage class");
		*tail = pool_alloc(&cx->comp->pool, sizeof(**tail));
		(*tail)->type = d.type;
		(*tail)->name = d.name;
		tail = &(*tail)->next;
		++*n;
		if (cx->tok.kind != close)
			parse_expect(cx, TOK_COMMA, "between parameters");
	}
	return list;
}

/* Is one of the parameters before p named like it? */
static bool decl_param_again(const dt_decl_param_t *list, const dt_decl_param_t *p)
{
	for (; p->name && list != p; list = list->next)
		if (list->name && strcmp(list->name, p->name) == 0)
			return true;
	return false;
}

/* Of functions a single void says that there are no parameters. */
static void decl_check_params(dt_ctx_t *cx, const dt_loc_t *loc, const dt_decl_param_t *list,
			      uint32_t n, bool function)
{
	for (const dt_decl_param_t *p = list; p; p = p->next) {
		if (decl_param_again(list, p))
			dt_error(cx, loc, D_DECL_PROTO_NAME, "there are two parameters %s",
				 p->name);
		if (!type_is_void(p->type))
			continue;
		if (!function)
			dt_error(cx, loc, D_DECL_PROTO_TYPE, "a key cannot be of type void");
		if (p->name)
			dt_error(cx, loc, D_DECL_PROTO_NAME, "void parameter %s has a name",
				 p->name);
		if (n > 1)
			dt_error(cx, loc, D_DECL_PROTO_VOID,
				 "void stands alone: it says that there are no parameters");
	}
}

static const dt_type_t *decl_function(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *result)
{
	dt_param_t *list = NULL, **tail = &list;
	dt_decl_param_t *params;
	bool varargs;

	params = decl_params(cx, TOK_RPAREN, &d->nparams, &varargs);
	decl_check_params(cx, &d->loc, params, d->nparams, true);
	if (d->nparams == 1 && type_is_void(params->type) && !params->name) {
		params = NULL;
		d->nparams = 0;
	}
	d->params = params;
	for (; params; params = params->next) {
		*tail = pool_alloc(&cx->comp->pool, sizeof(**tail));
		(*tail)->type = params->type;
		tail = &(*tail)->next;
	}
	return type_function(&cx->comp->pool, result, list, varargs);
}

static uint32_t decl_dimension(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	int64_t n;

	if (parse_accept(cx, TOK_RBRACK))
		return DECL_NODIM;
	n = parse_int(cx, D_DECL_ARRSUB, "length of an array");
	if (n < 0)
		dt_error(cx, &loc, D_DECL_ARRSUB, "%lld cannot be the length of an array",
			 (long long)n);
	if (n > DECL_MAXARRAY)
		dt_error(cx, &loc, D_DECL_ARRBIG, "array is larger than %u bytes", DECL_MAXARRAY);
	parse_expect(cx, TOK_RBRACK, "after the length of an array");
	return (uint32_t)n;
}

static const dt_type_t *decl_make_array(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *t,
					uint32_t n)
{
	if (!type_resolve(t)->complete || (type_room(t) == 0 && !type_is_record(t)))
		dt_error(cx, loc, D_DECL_ARRTYPE, "there can be no array of %s",
			 check_type_text(cx, t));
	if (type_room(t) * n > DECL_MAXARRAY)
		dt_error(cx, loc, D_DECL_ARRBIG, "array is larger than %u bytes", DECL_MAXARRAY);
	return type_array(&cx->comp->pool, t, n);
}

/* What follows the name: the leftmost suffix is the outermost type, so the rest is read first. */
static const dt_type_t *decl_suffix(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *t)
{
	dt_loc_t loc = cx->tok.loc;
	uint32_t n;
	bool varargs;

	parse_enter(cx);
	if (parse_accept(cx, TOK_LPAREN)) {
		t = decl_function(cx, d, t);
	} else if (parse_accept(cx, TOK_LBRACK)) {
		if (decl_token(cx, &cx->tok) || decl_storage(cx->tok.kind)) {
			d->keys = decl_params(cx, TOK_RBRACK, &d->nkeys, &varargs);
			if (varargs)
				dt_error(cx, &loc, D_DECL_PROTO_VARARGS,
					 "keys of an array are a list that ends");
			decl_check_params(cx, &loc, d->keys, d->nkeys, false);
			d->is_array = true;
		} else {
			n = decl_dimension(cx);
			d->no_dim = n == DECL_NODIM;
			n = n == DECL_NODIM ? 0 : n;
			t = decl_make_array(cx, &loc, decl_suffix(cx, d, t), n);
		}
	}
	parse_leave(cx);
	return t;
}

/* Where the text was read up to, to come back. */
struct decl_mark {
	dt_lexer_t lex;
	dt_token_t tok, ahead;
	bool has_ahead;
};

static struct decl_mark decl_mark(const dt_ctx_t *cx)
{
	return (struct decl_mark){cx->lex, cx->tok, cx->ahead, cx->has_ahead};
}

static void decl_return(dt_ctx_t *cx, const struct decl_mark *mark)
{
	cx->lex = mark->lex;
	cx->tok = mark->tok;
	cx->ahead = mark->ahead;
	cx->has_ahead = mark->has_ahead;
}

/*
 * A declarator in parentheses is passed over, and read when it is known what it is a declarator of.
 */
static void decl_nested(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *base)
{
	struct decl_mark inner = decl_mark(cx), outer;
	dt_decl_t in;

	decl_skip_paren(cx);
	base = decl_suffix(cx, d, base);
	outer = decl_mark(cx);
	decl_return(cx, &inner);
	parse_advance(cx);
	in = decl_declarator(cx, base);
	parse_expect(cx, TOK_RPAREN, "after a declarator");
	d->name = in.name;
	d->loc = in.loc;
	d->type = in.type;
	decl_return(cx, &outer);
}

/* A parenthesis after the type begins a declarator, not parameters, if what follows is one. */
static bool decl_is_nested(dt_ctx_t *cx)
{
	dt_tok_t next;

	if (cx->tok.kind != TOK_LPAREN)
		return false;
	next = parse_ahead(cx);
	return next == TOK_MUL || next == TOK_LPAREN ||
	       (next == TOK_IDENT && !decl_token(cx, &cx->ahead));
}

dt_decl_t decl_declarator(dt_ctx_t *cx, const dt_type_t *base)
{
	dt_decl_t d = {.loc = cx->tok.loc};
	int stars = 0;

	parse_enter(cx);
	while (parse_accept(cx, TOK_MUL)) {
		base = type_pointer(&cx->comp->pool, base);
		decl_qualifiers(cx, NULL);
		if (++stars > DECL_MAXDERIVED)
			dt_error(cx, &d.loc, D_DEPTH, "more than %d pointers to pointers",
				 DECL_MAXDERIVED);
	}
	if (decl_is_nested(cx)) {
		decl_nested(cx, &d, base);
	} else {
		decl_attributes(cx);
		d.loc = cx->tok.loc;
		if (cx->tok.kind == TOK_IDENT) {
			d.name = cx->tok.str;
			parse_advance(cx);
		}
		d.type = decl_suffix(cx, &d, base);
	}
	decl_attributes(cx);
	parse_leave(cx);
	return d;
}

const dt_type_t *decl_type_name(dt_ctx_t *cx)
{
	dt_decl_t d = decl_declarator(cx, decl_specifiers(cx));

	if (d.name)
		dt_error(cx, &d.loc, D_SYNTAX, "a type is expected here, not the declaration of %s",
			 d.name);
	if (d.is_array)
		dt_error(cx, &d.loc, D_DECL_DYNOBJ,
			 "a type is expected here, not an associative array");
	return d.type;
}

const dt_type_t *decl_type_text(dt_ctx_t *cx, const char *text)
{
	struct decl_mark mark = decl_mark(cx);
	const dt_type_t *volatile t;
	jmp_buf fail;
	uint32_t depth = cx->depth;

	memcpy(fail, cx->fail, sizeof(fail));
	lex_init(&cx->lex, NULL, pool_strdup(&cx->tmp, text), strlen(text), false);
	cx->has_ahead = false;
	t = NULL;
	if (setjmp(cx->fail) == 0) {
		parse_advance(cx);
		t = decl_type_name(cx);
		if (cx->tok.kind != TOK_EOF)
			t = NULL;
	}
	memcpy(cx->fail, fail, sizeof(fail));
	decl_return(cx, &mark);
	cx->depth = depth;
	return t ? t : type_unknown(&cx->comp->pool, text);
}

/* ---- what a declaration does ---- */

static void decl_typedef(dt_ctx_t *cx, const dt_decl_t *d)
{
	const dt_type_t *old = scope_lookup(&cx->comp->types, d->name);
	dt_type_t *t;

	if (old && !old->predefined)
		dt_error(cx, &d->loc, D_DECL_TYPERED, "type %s is defined already", d->name);
	if (old && type_same(old, d->type))
		return;
	if (ident_lookup(cx, DIFV_SCOPE_GLOBAL, d->name))
		dt_error(cx, &d->loc, D_DECL_IDRED, "%s is declared already, as a variable",
			 d->name);
	t = pool_alloc(&cx->comp->pool, sizeof(*t));
	*t = *d->type;
	t->kind = TYPE_TYPEDEF;
	t->base = d->type;
	t->predefined = false;
	t->name = scope_insert(&cx->comp->types, &cx->comp->pool, d->name, t);
}

static void decl_check_object(dt_ctx_t *cx, const dt_decl_t *d)
{
	const dt_type_t *t = type_resolve(d->type);

	if (t->kind == TYPE_VOID)
		dt_error(cx, &d->loc, D_DECL_VOIDOBJ, "%s cannot be of type void", d->name);
	if (d->no_dim)
		dt_error(cx, &d->loc, D_DECL_ARRNULL, "%s[ ] needs a length, or types of keys",
			 d->name);
	if (!t->complete || (t->size == 0 && t->kind != TYPE_STRING))
		dt_error(cx, &d->loc, D_DECL_INCOMPLETE, "%s has type %s, which is not defined",
			 d->name, check_type_text(cx, d->type));
}

static bool decl_same_keys(const dt_ident_t *id, const dt_decl_t *d)
{
	uint32_t i = 0;

	if (id->nkeys != d->nkeys)
		return false;
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		if (!id->keys || !type_same(id->keys[i++], k->type))
			return false;
	return true;
}

static void decl_variable(dt_ctx_t *cx, const dt_decl_t *d, int scope)
{
	dt_ident_kind_t kind = d->is_array ? IDENT_ASSOC : IDENT_VAR;
	dt_ident_t *id = ident_lookup(cx, scope, d->name);
	uint32_t i = 0;

	decl_check_object(cx, d);
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		if (k->name)
			dt_error(cx, &d->loc, D_DECL_PROTO_NAME,
				 "keys of %s[ ] have types, but no names as %s", d->name, k->name);
	if (d->is_array && scope == DIFV_SCOPE_LOCAL)
		dt_error(cx, &d->loc, D_DECL_LOCASSC,
			 "%s: associative arrays cannot be clause-local", d->name);
	if (id && (id->kind != kind || !id->type || !type_same(id->type, d->type) ||
		   !decl_same_keys(id, d)))
		dt_error(cx, &d->loc, D_DECL_IDRED, "%s is declared already, as something else",
			 d->name);
	if (id)
		return;
	id = ident_declare(cx, scope, d->name, kind, d->type);
	id->declared = true;
	ident_number(cx, id, &d->loc);
	if (!d->is_array)
		return;
	id->nkeys = d->nkeys;
	id->keys = pool_alloc(&cx->comp->pool, (d->nkeys + 1) * sizeof(*id->keys));
	for (const dt_decl_param_t *k = d->keys; k; k = k->next)
		id->keys[i++] = k->type;
}

/* Parameters of an inline are names only while its body is read. */
static void decl_inline_params(dt_ctx_t *cx, dt_ident_t *id, const dt_decl_t *d)
{
	uint32_t i = 0;

	id->nparams = d->nkeys;
	id->params = pool_alloc(&cx->comp->pool, (d->nkeys + 1) * sizeof(*id->params));
	for (const dt_decl_param_t *k = d->keys; k; k = k->next) {
		if (!k->name)
			dt_error(cx, &d->loc, D_DECL_PARMNAME,
				 "inline %s: every parameter needs a name", d->name);
		id->params[i++] =
			ident_declare(cx, DIFV_SCOPE_GLOBAL, k->name, IDENT_PARAM, k->type);
	}
}

static dt_node_t *decl_inline_value(dt_ctx_t *cx, const dt_type_t *type)
{
	return check_convert(cx, check_value(cx, parse_assign(cx)), type, "value of the inline");
}

/* A library's inline is read when it is first used. */
dt_node_t *decl_inline_body(dt_ctx_t *cx, dt_ident_t *id)
{
	dt_reading_t before;

	if (id->body)
		return id->body;
	snippet_begin(cx, id->text, &before);
	for (uint32_t i = 0; i < id->nparams; i++)
		scope_insert(&cx->comp->globals, &cx->comp->pool, id->params[i]->name,
			     id->params[i]);
	id->body = decl_inline_value(cx, id->type);
	if (!id->attr_given)
		stability_expr(cx, id->body, &id->attr);
	snippet_made(cx, (const void **)&id->body);
	snippet_end(cx, &before);
	return id->body;
}

static void decl_inline(dt_ctx_t *cx, const dt_decl_t *d)
{
	dt_pool_t *ast = cx->ast;
	uint32_t mark = cx->comp->globals.n;
	dt_ident_t read = {0}, *id;

	if (ident_lookup(cx, DIFV_SCOPE_GLOBAL, d->name))
		dt_error(cx, &d->loc, D_DECL_IDRED, "%s is declared already", d->name);
	cx->ast = &cx->comp->pool;
	parse_expect(cx, TOK_ASSIGN, "after an inline's name");
	decl_inline_params(cx, &read, d);
	if (cx->library)
		read.text = snippet_take(cx, TOK_SEMI);
	else
		read.body = decl_inline_value(cx, d->type);
	scope_rollback(&cx->comp->globals, mark);
	cx->ast = ast;
	id = ident_declare(cx, DIFV_SCOPE_GLOBAL, d->name, IDENT_INLINE, d->type);
	id->params = read.params;
	id->nparams = read.nparams;
	id->body = read.body;
	id->text = read.text;
	if (id->body && !id->attr_given)
		stability_expr(cx, id->body, &id->attr);
}

/* extern type module`name; tells the type of a kernel symbol. */
static void decl_symbol(dt_ctx_t *cx, const dt_decl_t *d, uint32_t storage)
{
	const char *module, *name = symbol_split(cx, d->name, &module);

	if (storage != DECL_EXTERN || d->is_array)
		dt_error(cx, &d->loc, D_DECL_SCOPE,
			 "%s: a program cannot define what is a module's; 'extern' declares it",
			 d->name);
	if (type_resolve(d->type)->kind != TYPE_FUNCTION)
		decl_check_object(cx, d);
	scope_insert(&cx->comp->symbols, &cx->comp->pool,
		     pool_printf(&cx->tmp, "%s`%s", kernel_module(module), name), (void *)d->type);
}

static void decl_one(dt_ctx_t *cx, const dt_decl_t *d, uint32_t storage)
{
	if (!d->name && cx->tok.kind != TOK_SEMI)
		parse_unexpected(cx, "name");
	if (!d->name)
		dt_error(cx, &d->loc, D_DECL_USELESS, "this declares nothing: it needs a name");
	if (strchr(d->name, '`')) {
		decl_symbol(cx, d, storage);
		return;
	}
	if (storage & DECL_TYPEDEF && d->is_array)
		dt_error(cx, &d->loc, D_DECL_DYNOBJ, "%s: an associative array is not a type",
			 d->name);
	if (storage & DECL_TYPEDEF)
		decl_typedef(cx, d);
	else if (type_resolve(d->type)->kind == TYPE_FUNCTION)
		; /* of headers; there is nothing that D could do with it */
	else if (storage & DECL_INLINE)
		decl_inline(cx, d);
	else if (storage & (DECL_STATIC | DECL_AUTO))
		dt_error(cx, &d->loc, D_DECL_BADCLASS,
			 "%s: variables of D are global, or belong to self or this", d->name);
	else
		decl_variable(cx, d,
			      storage & DECL_SELF   ? DIFV_SCOPE_THREAD
			      : storage & DECL_THIS ? DIFV_SCOPE_LOCAL
						    : DIFV_SCOPE_GLOBAL);
}

/* Those that a declaration can end with stay at hand: the caller reads probe descriptions next. */
static void decl_end(dt_ctx_t *cx)
{
	if (cx->tok.kind != TOK_SEMI)
		parse_unexpected(cx, "';' after a declaration");
}

/* The body of a C function in a header, to its last brace, which stays at hand. */
static void decl_skip_body(dt_ctx_t *cx)
{
	int depth = 1;

	while (depth > 0) {
		parse_advance(cx);
		depth += (cx->tok.kind == TOK_LBRACE) - (cx->tok.kind == TOK_RBRACE);
		if (cx->tok.kind == TOK_EOF)
			parse_unexpected(cx, "'}'");
	}
}

void decl_external(dt_ctx_t *cx)
{
	const dt_type_t *base;
	uint32_t storage = 0;
	dt_decl_t d;

	if (cx->tok.kind == TOK_TRANSLATOR || cx->tok.kind == TOK_PROVIDER) {
		(cx->tok.kind == TOK_TRANSLATOR ? translator_parse : provider_parse)(cx);
		return;
	}
	base = decl_specifiers_with(cx, &storage);
	if (cx->tok.kind == TOK_SEMI && !type_is_record(base) && base->kind != TYPE_ENUM)
		dt_error(cx, &cx->tok.loc, D_DECL_USELESS,
			 "this declares nothing: it needs a name");
	if (cx->tok.kind != TOK_SEMI) {
		do {
			d = decl_declarator(cx, base);
			decl_one(cx, &d, storage);
		} while (parse_accept(cx, TOK_COMMA));
		if (type_resolve(d.type)->kind == TYPE_FUNCTION && cx->tok.kind == TOK_LBRACE) {
			decl_skip_body(cx);
			return;
		}
	}
	decl_end(cx);
}
