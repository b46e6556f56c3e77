/* SPDX-License-Identifier: MIT */
/* decl.c - types in a declaration: the words before declarators, and declarators. */
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "decl.h"
#include "unsupported.h"
#include "kernel.h"
#include "diag.h"

#define DECL_MAXDERIVED 64 /* pointers, arrays and functions that a declarator may pile up */
#define DECL_NODIM	UINT32_MAX /* length of an array that has none: [] */

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

/* Return the kernel's typedef for a type of other kernels, or NULL. */
static const dt_type_t *decl_linux_type(dt_ctx_t *cx, const char *name)
{
	const char *instead = unsupported_type(name);
	size_t len = strlen(name);

	if (!instead || len < 2 || strcmp(name + len - 2, "_t") != 0)
		return NULL;
	return strncmp(instead, "struct ", 7) == 0
		       ? kernel_type(cx, KERNEL_VMLINUX, KTYPE_STRUCT, instead + 7)
		       : kernel_type(cx, KERNEL_VMLINUX, KTYPE_NAME, instead);
}

/* Return the type with a name: one of D, else one of the kernel, else NULL. */
static const dt_type_t *decl_named(dt_ctx_t *cx, const char *str, bool kernel)
{
	const char *module, *name = symbol_split(cx, str, &module);
	const dt_type_t *t = NULL;

	if (!module || strcmp(module, "D") == 0 || strcmp(module, "C") == 0)
		t = scope_lookup(&cx->comp->types, name);
	if (!t && module)
		t = type_base(name);
	if (!t && kernel)
		t = kernel_type(cx, module ? module : "", KTYPE_NAME, name);
	return t || !kernel ? t : decl_linux_type(cx, name);
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
		return !ident_exists(cx, str) && decl_named(cx, str, kernel);
	default:
		return decl_is_qualifier(kind);
	}
}

bool decl_is_c(const dt_loc_t *loc)
{
	size_t len = loc->file ? strlen(loc->file) : 0;

	return len > 0 && (len <= 2 || strcmp(loc->file + len - 2, ".d") != 0);
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

void decl_no_type(dt_ctx_t *cx, const dt_loc_t *loc, const char *name)
{
	bool scoped = strchr(name, '`');
	const char *otherwise;

	if (!scoped)
		dt_hint(cx, "define it: typedef struct { ... } %s; or write struct NAME", name);
	otherwise = kernel_hint(cx)->hint;
	cx->errtype = true;
	dt_error(hint_type(cx, name), loc, scoped ? D_TYPE_ERR : D_SYNTAX,
		 "syntax error near \"%s\": no such type%s", name,
		 cx->hint == otherwise ? kernel_why(cx) : "");
}

/* Skip a pair of parentheses with its contents. */
static void decl_skip_paren(dt_ctx_t *cx)
{
	int depth = 0;

	do {
		depth += (cx->tok.kind == TOK_LPAREN) - (cx->tok.kind == TOK_RPAREN);
		if (cx->tok.kind == TOK_EOF)
			diag_unexpected(cx, "')'", "write ) here");
		parse_advance(cx);
	} while (depth > 0);
}

/* Skip __attribute__((...)) and __asm__(...) of headers, which have no meaning in D. */
static void decl_attributes(dt_ctx_t *cx)
{
	while (parse_accept(cx, TOK_ATTRIBUTE))
		if (cx->tok.kind == TOK_LPAREN)
			decl_skip_paren(cx);
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

/* Return the error of a combination of words; D_MAX: none. */
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

/*
 * Return whether a declaration may have one more storage class. Only inline functions of headers
 * have two: extern or static.
 */
static bool decl_storage_goes(uint32_t storage, uint32_t bit)
{
	uint32_t both = storage | bit;

	return !storage || (storage != bit && (both == (DECL_EXTERN | DECL_INLINE) ||
					       both == (DECL_STATIC | DECL_INLINE)));
}

/*
 * Return whether a token is the word auto or register; headers' words that are read as auto are
 * not.
 */
static bool decl_is_auto(const dt_token_t *tok)
{
	return tok->kind == TOK_REGISTER ||
	       (tok->kind == TOK_AUTO && strcmp(tok->str, "auto") == 0);
}

/* Read qualifiers and, if storage is not NULL, storage classes, up to a token that is neither. */
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
					 "'%s' cannot be combined with the storage class before it",
					 lex_tok_text(cx->tok.kind));
			*storage |= bit;
		} else if (bit) {
			dt_error(dt_hint(cx, "remove it: a cast, a member or a parameter only has "
					     "a type"),
				 &cx->tok.loc, D_DECL_CLASS, "a storage class is not allowed here");
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
		dt_error(cx, &loc, clash, "these words do not form a type");
	return decl_words_type(&w);
}

static bool decl_tagged_or_word(dt_tok_t kind)
{
	struct decl_words w;

	return kind == TOK_STRUCT || kind == TOK_UNION || kind == TOK_ENUM ||
	       decl_word_count(&w, kind);
}

/* Return whether the current name is a second type, and not what is declared. */
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

/* Refuse a second type. first: the word with which the first type began. */
static void decl_check_end(dt_ctx_t *cx, dt_tok_t first)
{
	dt_tok_t kind = cx->tok.kind;
	dt_tag_t tag;

	if (!decl_tagged_or_word(kind) && !decl_named_again(cx))
		return;
	tag = decl_words_tag(first);
	if (tag == D_DECL_COMBO)
		tag = decl_words_tag(kind);
	dt_error(dt_hint(cx, "write one type, or ; before this"), &cx->tok.loc, tag,
		 "unexpected '%s' after a type",
		 kind == TOK_IDENT ? cx->tok.str : lex_tok_text(kind));
}

/* Return whether the current name is all that follows the storage class of a variable. */
static bool decl_is_untyped(dt_ctx_t *cx, uint32_t storage)
{
	dt_tok_t next;

	if (!(storage & (DECL_SELF | DECL_THIS | DECL_EXTERN | DECL_STATIC | DECL_AUTO)))
		return false;
	next = parse_ahead(cx);
	return next == TOK_SEMI || next == TOK_COMMA || next == TOK_LBRACK;
}

const dt_type_t *decl_specifiers_with(dt_ctx_t *cx, uint32_t *storage)
{
	const dt_type_t *t;
	struct decl_words w;
	dt_tok_t first;

	decl_qualifiers(cx, storage);
	first = cx->tok.kind;
	if (cx->tok.kind == TOK_STRUCT || cx->tok.kind == TOK_UNION || cx->tok.kind == TOK_ENUM) {
		t = tagged_parse(cx, cx->library && storage && *storage & DECL_INLINE);
	} else if (cx->tok.kind == TOK_IDENT) {
		t = decl_named(cx, cx->tok.str, true);
		if (!t && storage && decl_is_untyped(cx, *storage))
			return &type_int;
		if (!t)
			decl_no_type(cx, &cx->tok.loc, cx->tok.str);
		parse_advance(cx);
	} else if (decl_word_count(&w, cx->tok.kind)) {
		t = decl_arithmetic(cx, storage);
	} else {
		diag_unexpected(cx, "type", "write a type, such as int, string or struct NAME");
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
					 "'...' must be the last parameter");
			parse_expect(cx, close, "after '...'");
			break;
		}
		storage = 0;
		loc = cx->tok.loc;
		d = decl_declarator(cx, decl_specifiers_with(cx, &storage));
		if (storage & ~(uint32_t)DECL_AUTO)
			dt_error(cx, &loc, D_DECL_PARMCLASS,
				 "a parameter cannot have a storage class");
		if (d.is_array)
			dt_error(dt_hint(cx, "pass an element, or use the array by its name"), &loc,
				 D_DECL_PROTO_TYPE, "a parameter cannot be an associative array");
		*tail = arena_alloc(&cx->comp->arena, sizeof(**tail));
		(*tail)->type = d.type;
		(*tail)->name = d.name;
		tail = &(*tail)->next;
		++*n;
		if (cx->tok.kind != close)
			parse_expect(cx, TOK_COMMA, "between parameters");
	}
	return list;
}

/* Return whether a parameter before p has the same name. */
static bool decl_param_again(const dt_decl_param_t *list, const dt_decl_param_t *p)
{
	for (; p->name && list != p; list = list->next)
		if (list->name && strcmp(list->name, p->name) == 0)
			return true;
	return false;
}

/* Check parameters. For a function, a single void means that there are none. */
static void decl_check_params(dt_ctx_t *cx, const dt_loc_t *loc, const dt_decl_param_t *list,
			      uint32_t n, bool function)
{
	for (const dt_decl_param_t *p = list; p; p = p->next) {
		if (decl_param_again(list, p))
			dt_error(cx, loc, D_DECL_PROTO_NAME, "duplicate parameter %s", p->name);
		if (!type_is_void(p->type))
			continue;
		if (!function)
			dt_error(cx, loc, D_DECL_PROTO_TYPE, "a key cannot be of type void");
		if (p->name)
			dt_error(cx, loc, D_DECL_PROTO_NAME, "parameter %s cannot be of type void",
				 p->name);
		if (n > 1)
			dt_error(cx, loc, D_DECL_PROTO_VOID, "void must be the only parameter");
	}
}

/* Check that a function returns neither an array nor a function, by name or by a suffix. */
static void decl_check_result(dt_ctx_t *cx, const dt_loc_t *loc, bool array, bool function)
{
	if (array || function)
		dt_error(dt_hint(cx, "have it return a pointer, as in int *f()"), loc, D_DECL_COMBO,
			 "a function cannot return %s", array ? "an array" : "a function");
}

static const dt_type_t *decl_function(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *result)
{
	dt_param_t *list = NULL, **tail = &list;
	dt_decl_param_t *params;
	bool varargs;

	decl_check_result(cx, &d->loc, type_resolve(result)->kind == TYPE_ARRAY,
			  type_resolve(result)->kind == TYPE_FUNCTION);
	params = decl_params(cx, TOK_RPAREN, &d->nparams, &varargs);
	decl_check_params(cx, &d->loc, params, d->nparams, true);
	if (d->nparams == 1 && type_is_void(params->type) && !params->name) {
		params = NULL;
		d->nparams = 0;
	}
	d->params = params;
	for (; params; params = params->next) {
		*tail = arena_alloc(&cx->comp->arena, sizeof(**tail));
		(*tail)->type = params->type;
		tail = &(*tail)->next;
	}
	return type_function(&cx->comp->arena, result, list, varargs);
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
	if (!type_resolve(t)->complete || (type_storage(t) == 0 && !type_is_record(t)))
		dt_error(cx, loc, D_DECL_ARRTYPE, "an array of %s is not allowed",
			 check_type_text(cx, t));
	if (type_storage(t) * n > DECL_MAXARRAY)
		dt_error(cx, loc, D_DECL_ARRBIG, "array is larger than %u bytes", DECL_MAXARRAY);
	return type_array(&cx->comp->arena, t, n);
}

static const dt_type_t *decl_suffix(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *t);

/* Read the suffix of the values of an associative array, which may be arrays. */
static const dt_type_t *decl_values(dt_ctx_t *cx, const dt_decl_t *d, const dt_type_t *t)
{
	dt_decl_t value = {.loc = d->loc};

	if (cx->tok.kind != TOK_LBRACK)
		return t;
	t = decl_suffix(cx, &value, t);
	if (value.is_array)
		dt_error(dt_hint(cx, "write all keys in one pair of brackets: x[int, string]"),
			 &value.loc, D_DECL_DYNOBJ,
			 "values of an associative array cannot be associative arrays");
	if (value.no_dim)
		dt_error(cx, &value.loc, D_DECL_ARRNULL, "an array that is a value needs a length");
	return t;
}

/*
 * Read the part after the name. The leftmost suffix is the outermost type, so the rest is read
 * first.
 */
static const dt_type_t *decl_suffix(dt_ctx_t *cx, dt_decl_t *d, const dt_type_t *t)
{
	dt_loc_t loc = cx->tok.loc;
	uint32_t n;
	bool varargs;

	parse_enter(cx);
	if (parse_accept(cx, TOK_LPAREN)) {
		t = decl_function(cx, d, t);
		decl_check_result(cx, &cx->tok.loc, cx->tok.kind == TOK_LBRACK,
				  cx->tok.kind == TOK_LPAREN);
	} else if (parse_accept(cx, TOK_LBRACK)) {
		if (decl_token(cx, &cx->tok) || decl_storage(cx->tok.kind) ||
		    cx->tok.kind == TOK_ELLIPSIS) {
			d->keys = decl_params(cx, TOK_RBRACK, &d->nkeys, &varargs);
			if (varargs)
				dt_error(cx, &loc, D_DECL_PROTO_VARARGS,
					 "the keys of an associative array cannot include ...");
			decl_check_params(cx, &loc, d->keys, d->nkeys, false);
			t = decl_values(cx, d, t);
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

/* A position in the text, to which the parser returns. */
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

/* Skip a declarator in parentheses, and read it once the type behind it is known. */
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

/* Return whether a parenthesis after the type begins a declarator, and not parameters. */
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
		base = type_pointer(&cx->comp->arena, base);
		decl_qualifiers(cx, NULL);
		if (++stars > DECL_MAXDERIVED)
			dt_error(cx, &d.loc, D_DEPTH, "more than %d levels of pointers",
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
		dt_error(dt_hint(cx, "remove %s", d.name), &d.loc, D_SYNTAX,
			 "a type is expected here, not the declaration of %s", d.name);
	if (d.is_array)
		dt_error(dt_hint(cx, "write a type, such as int, or an array, such as int [10]"),
			 &d.loc, D_DECL_DYNOBJ,
			 "a type is expected here, not an associative array");
	return d.type;
}

const dt_type_t *decl_type_text(dt_ctx_t *cx, const char *text)
{
	struct decl_mark mark = decl_mark(cx);
	const dt_type_t *volatile t;
	bool trying = cx->trying;
	jmp_buf fail;
	uint32_t depth = cx->depth;

	cx->trying = true;
	memcpy(fail, cx->fail, sizeof(fail));
	lex_init(&cx->lex, NULL, arena_strdup(&cx->tmp, text), strlen(text), false);
	cx->has_ahead = false;
	t = NULL;
	if (setjmp(cx->fail) == 0) {
		parse_advance(cx);
		t = decl_type_name(cx);
		if (cx->tok.kind != TOK_EOF)
			t = NULL;
	}
	memcpy(cx->fail, fail, sizeof(fail));
	cx->trying = trying;
	decl_return(cx, &mark);
	cx->depth = depth;
	return t ? t : type_unknown(&cx->comp->arena, text);
}
