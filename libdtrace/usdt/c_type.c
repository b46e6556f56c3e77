/* SPDX-License-Identifier: MIT */
/* c_type.c - parses and prints the C types of provider files. */
#include <stdio.h>
#include <string.h>
#include "c_type.h"

/*
 * Type names of common headers, which provider files use without a declaration. Size 0 means the
 * size of a machine word.
 */
static const struct known_type {
	const char *name;
	unsigned char size;
	bool is_signed;
	const char *check; /* the same type in keywords, if it is the same on all machines */
} known_types[] = {
	{"int8_t", 1, true, "signed char"},
	{"uint8_t", 1, false, "unsigned char"},
	{"int16_t", 2, true, "short"},
	{"uint16_t", 2, false, "unsigned short"},
	{"int32_t", 4, true, "int"},
	{"uint32_t", 4, false, "unsigned int"},
	{"int64_t", 8, true, NULL},
	{"uint64_t", 8, false, NULL},
	{"size_t", 0, false, NULL},
	{"ssize_t", 0, true, NULL},
	{"ptrdiff_t", 0, true, NULL},
	{"intptr_t", 0, true, NULL},
	{"uintptr_t", 0, false, NULL},
	{"bool", 1, false, NULL},
	{"_Bool", 1, false, NULL},
	{"boolean_t", 4, true, NULL},
	{"pid_t", 4, true, "int"},
	{"id_t", 4, false, "unsigned int"},
	{"uid_t", 4, false, "unsigned int"},
	{"gid_t", 4, false, "unsigned int"},
	{"mode_t", 4, false, "unsigned int"},
	{"socklen_t", 4, false, "unsigned int"},
	{"zoneid_t", 4, true, "int"},
	{"wchar_t", 4, true, NULL},
	{"hrtime_t", 8, true, NULL},
	{"time_t", 0, true, NULL},
	{"off_t", 0, true, NULL},
	{"off64_t", 8, true, NULL},
	{"dev_t", 8, false, NULL},
	{"ino_t", 0, false, NULL},
	{"clock_t", 0, true, NULL},
	{"uchar_t", 1, false, "unsigned char"},
	{"u_char", 1, false, "unsigned char"},
	{"ushort_t", 2, false, "unsigned short"},
	{"u_short", 2, false, "unsigned short"},
	{"uint_t", 4, false, "unsigned int"},
	{"u_int", 4, false, "unsigned int"},
	{"uint", 4, false, "unsigned int"},
	{"ulong_t", 0, false, "unsigned long"},
	{"u_long", 0, false, "unsigned long"},
	{"longlong_t", 8, true, "long long"},
	{"u_longlong_t", 8, false, "unsigned long long"},
};

static const struct known_type *known_type(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(known_types) / sizeof(known_types[0]); i++)
		if (!strcmp(known_types[i].name, name))
			return &known_types[i];
	return NULL;
}

static bool word_in(const char *word, const char *const *list)
{
	for (; *list; list++)
		if (!strcmp(word, *list))
			return true;
	return false;
}

static bool is_qualifier(const char *word)
{
	static const char *const words[] = {"const", "volatile", "__const", "__volatile__", NULL};

	return word_in(word, words);
}

/* Return whether a word does not affect the value: storage classes and the like. */
static bool is_ignored(const char *word)
{
	static const char *const words[] = {
		"restrict", "__restrict", "__restrict__", "register",	   "extern",   "static",
		"inline",   "__inline",	  "__inline__",	  "__extension__", "userland", "typedef",
		NULL};

	return word_in(word, words);
}

static bool is_keyword_type(const char *word)
{
	static const char *const words[] = {
		"void",	  "char",     "short",	    "int",	"long",	    "float", "double",
		"signed", "unsigned", "__signed__", "_Complex", "__int128", NULL};

	return word_in(word, words);
}

static bool is_tag_word(const char *word)
{
	return !strcmp(word, "struct") || !strcmp(word, "union") || !strcmp(word, "enum");
}

/* The state of the parser of one declaration. */
struct declaration {
	const struct token *tokens;
	size_t count;
	size_t at;
	const char **words; /* of the text */
	size_t nwords;
	const char **base; /* of the base */
	size_t nbase;
	const char *name;
	enum c_type_base kind;
	unsigned int pointers;
};

static const char *decl_text(const struct declaration *d, size_t ahead)
{
	return d->at + ahead < d->count ? d->tokens[d->at + ahead].text : "";
}

static bool decl_is_name(const struct declaration *d)
{
	return d->at < d->count && d->tokens[d->at].kind == TOKEN_NAME;
}

static void decl_keep(struct declaration *d)
{
	d->words[d->nwords++] = d->tokens[d->at++].text;
}

static void decl_keep_base(struct declaration *d)
{
	d->base[d->nbase++] = d->tokens[d->at].text;
	decl_keep(d);
}

/* Skip a bracketed group that begins here. If keep is set, its tokens become part of the type. */
static void decl_group(struct declaration *d, bool keep)
{
	unsigned int depth = 0;

	do {
		const char *text = decl_text(d, 0);

		if (strchr("([{", *text))
			depth++;
		else if (strchr(")]}", *text))
			depth--;
		if (keep)
			decl_keep(d);
		else
			d->at++;
	} while (d->at < d->count && depth);
}

/* Parse qualifiers, which are kept, and ignored words, which are not. */
static void decl_qualifiers(struct declaration *d)
{
	while (decl_is_name(d)) {
		if (is_qualifier(decl_text(d, 0)))
			decl_keep(d);
		else if (is_ignored(decl_text(d, 0)))
			d->at++;
		else if (!strcmp(decl_text(d, 0), "__attribute__")) {
			d->at++;
			decl_group(d, false);
		} else {
			return;
		}
	}
}

/* Parse struct TAG, struct { ... } or struct TAG { ... }, and the same for unions and enums. */
static void decl_tag(struct declaration *d)
{
	d->kind = *decl_text(d, 0) == 'e' ? C_TYPE_ENUM : C_TYPE_STRUCT;
	decl_keep_base(d);
	decl_qualifiers(d);
	if (decl_is_name(d))
		decl_keep_base(d);
	if (*decl_text(d, 0) == '{')
		decl_group(d, false);
}

static void decl_keywords(struct declaration *d)
{
	static const char *const floats[] = {"float", "double", "_Complex", NULL};

	d->kind = C_TYPE_INTEGER;
	while (decl_is_name(d) && is_keyword_type(decl_text(d, 0))) {
		if (word_in(decl_text(d, 0), floats))
			d->kind = C_TYPE_FLOAT;
		else if (!strcmp(decl_text(d, 0), "void"))
			d->kind = C_TYPE_VOID;
		decl_keep_base(d);
		decl_qualifiers(d);
	}
}

/* Parse a typedef name, or a name of C++ with its scopes. */
static void decl_named(struct declaration *d)
{
	d->kind = C_TYPE_NAMED;
	decl_keep_base(d);
	while (*decl_text(d, 0) == ':' && *decl_text(d, 1) == ':') {
		decl_keep_base(d);
		decl_keep_base(d);
		if (decl_is_name(d))
			decl_keep_base(d);
	}
}

static bool decl_specifiers(struct declaration *d)
{
	decl_qualifiers(d);
	if (!decl_is_name(d))
		return false;
	if (is_tag_word(decl_text(d, 0)))
		decl_tag(d);
	else if (is_keyword_type(decl_text(d, 0)))
		decl_keywords(d);
	else
		decl_named(d);
	decl_qualifiers(d);
	return true;
}

static void decl_stars(struct declaration *d)
{
	while (*decl_text(d, 0) == '*') {
		d->pointers++;
		decl_keep(d);
		decl_qualifiers(d);
	}
}

/* Parse (*name)(parameters) or (*name)[n]. The tokens are kept, except for the name. */
static void decl_parenthesised(struct declaration *d)
{
	d->kind = C_TYPE_FUNCTION;
	d->pointers++;
	decl_keep(d);
	while (*decl_text(d, 0) == '*')
		decl_keep(d);
	decl_qualifiers(d);
	if (decl_is_name(d))
		d->name = d->tokens[d->at++].text;
	while (d->at < d->count && *decl_text(d, 0) != ')')
		decl_keep(d);
	if (d->at < d->count)
		decl_keep(d);
	while (d->at < d->count && strchr("([", *decl_text(d, 0)))
		decl_group(d, true);
}

/*
 * Parse dimensions. The first one decays to a pointer; an array of arrays becomes a pointer to
 * arrays.
 */
static void decl_arrays(struct declaration *d)
{
	if (*decl_text(d, 0) != '[')
		return;
	decl_group(d, false);
	d->pointers++;
	if (*decl_text(d, 0) != '[') {
		d->words[d->nwords++] = "*";
		return;
	}
	d->kind = C_TYPE_FUNCTION;
	d->words[d->nwords++] = "(";
	d->words[d->nwords++] = "*";
	d->words[d->nwords++] = ")";
	while (*decl_text(d, 0) == '[')
		decl_group(d, true);
}

static void decl_declarator(struct declaration *d)
{
	decl_stars(d);
	if (*decl_text(d, 0) == '(') {
		decl_parenthesised(d);
		return;
	}
	if (decl_is_name(d))
		d->name = d->tokens[d->at++].text;
	decl_arrays(d);
	decl_qualifiers(d);
}

/*
 * Return whether two words are printed without a blank between them: after an opening bracket or a
 * star, before a closing bracket, and in "a::b".
 */
static bool words_touch(const char *a, const char *b)
{
	if (strchr("([:", *a) || strchr(")],[:", *b))
		return true;
	return (*a == '*' && *b != '(') || (*a == ')' && *b == '(');
}

static const char *words_concat(struct arena *arena, const char **words, size_t count)
{
	size_t len = 1, i;
	char *text, *p;

	for (i = 0; i < count; i++)
		len += strlen(words[i]) + 1;
	text = p = arena_alloc(arena, len);
	for (i = 0; text && i < count; i++) {
		if (i && !words_touch(words[i - 1], words[i]))
			*p++ = ' ';
		p = stpcpy(p, words[i]);
	}
	return text;
}

int c_type_parse(struct arena *arena, const struct token *tokens, size_t count, struct c_type *type,
		 const char **name)
{
	struct declaration d = {.tokens = tokens, .count = count};

	d.words = arena_alloc(arena, (count + 4) * sizeof(*d.words));
	d.base = arena_alloc(arena, (count + 4) * sizeof(*d.base));
	if (!d.words || !d.base)
		return -1;
	if (!decl_specifiers(&d))
		return 1;
	decl_declarator(&d);
	if (d.at < d.count)
		return 1;
	type->text = words_concat(arena, d.words, d.nwords);
	type->base = words_concat(arena, d.base, d.nbase);
	type->kind = d.kind;
	type->pointers = d.pointers;
	*name = d.name;
	return type->text && type->base ? 0 : -1;
}

static const struct c_type *typedefs_find(const struct typedefs *typedefs, const char *name)
{
	size_t i;

	for (i = typedefs->count; i-- > 0;)
		if (!strcmp(typedefs->entries[i].name, name))
			return &typedefs->entries[i].type;
	return NULL;
}

struct c_type c_type_resolve(const struct typedefs *typedefs, struct c_type type)
{
	const struct c_type *target;
	size_t depth;

	for (depth = 0; depth <= typedefs->count && type.kind == C_TYPE_NAMED; depth++) {
		target = known_type(type.base) ? NULL : typedefs_find(typedefs, type.base);
		if (!target)
			break;
		type.base = target->base;
		type.kind = target->kind;
		type.pointers += target->pointers;
	}
	return type;
}

/* Return whether the text of the type can replace its name. */
static bool has_spelling(const struct c_type *target)
{
	if (target->kind == C_TYPE_FUNCTION)
		return false;
	return (target->kind != C_TYPE_STRUCT && target->kind != C_TYPE_ENUM) ||
	       strchr(target->base, ' ');
}

/* Return the text of a type, followed by so many stars, and preceded by const if the name was. */
static const char *spell(struct arena *arena, const char *text, unsigned int stars, bool is_const)
{
	size_t len = strlen(text);
	char *spelled = arena_alloc(arena, len + stars + sizeof("const  "));

	if (!spelled)
		return NULL;
	sprintf(spelled, "%s%s%s", is_const ? "const " : "", text,
		stars && len && text[len - 1] != '*' ? " " : "");
	memset(spelled + strlen(spelled), '*', stars);
	return spelled;
}

static const char *spell_depth(struct arena *arena, const struct typedefs *typedefs,
			       struct c_type type, size_t depth)
{
	const struct c_type *target = NULL;
	const char *text;

	if (type.kind == C_TYPE_NAMED && !known_type(type.base) && depth)
		target = typedefs_find(typedefs, type.base);
	if (!target || !has_spelling(target))
		return type.text;
	text = spell_depth(arena, typedefs, *target, depth - 1);
	if (!text)
		return NULL;
	return spell(arena, text, type.pointers,
		     !strncmp(type.text, "const ", 6) && !target->pointers &&
			     strncmp(text, "const ", 6));
}

const char *c_type_spell(struct arena *arena, const struct typedefs *typedefs, struct c_type type)
{
	return spell_depth(arena, typedefs, type, typedefs->count);
}

/* Return how often a word occurs in a base type. */
static unsigned int base_has(const char *base, const char *word)
{
	size_t len = strlen(word), n;
	unsigned int count = 0;

	for (; *base; base += n + (base[n] == ' ')) {
		n = strcspn(base, " ");
		count += n == len && !memcmp(base, word, len);
	}
	return count;
}

static struct value_class integer_value(const char *base, int model)
{
	bool is_unsigned = base_has(base, "unsigned");
	unsigned int longs = base_has(base, "long"), size = 4;

	if (base_has(base, "__int128"))
		return (struct value_class){VALUE_OTHER, 16, !is_unsigned};
	if (base_has(base, "char"))
		size = 1;
	else if (base_has(base, "short"))
		size = 2;
	else if (longs > 1 || (longs && model == 64))
		size = 8;
	return (struct value_class){VALUE_INTEGER, size, !is_unsigned};
}

static struct value_class float_value(const char *base)
{
	if (base_has(base, "_Complex") || base_has(base, "long"))
		return (struct value_class){VALUE_OTHER, 16, false};
	return (struct value_class){VALUE_FLOAT, base_has(base, "float") ? 4 : 8, false};
}

static struct value_class named_value(const char *base, unsigned int word)
{
	const struct known_type *known = known_type(base);

	if (!known)
		return (struct value_class){VALUE_INTEGER, word, false};
	return (struct value_class){VALUE_INTEGER, known->size ? known->size : word,
				    known->is_signed};
}

struct value_class c_type_value(const struct typedefs *typedefs, struct c_type type, int model)
{
	unsigned int word = (unsigned int)model / 8;

	type = c_type_resolve(typedefs, type);
	if (type.pointers)
		return (struct value_class){VALUE_INTEGER, word, false};
	switch (type.kind) {
	case C_TYPE_INTEGER:
		return integer_value(type.base, model);
	case C_TYPE_FLOAT:
		return float_value(type.base);
	case C_TYPE_ENUM:
		return (struct value_class){VALUE_INTEGER, 4, false};
	case C_TYPE_NAMED:
		return named_value(type.base, word);
	default:
		return (struct value_class){VALUE_OTHER, 0, false};
	}
}

/*
 * Return the target of a pointer with one star, in keywords or with a tag; void if it is unknown.
 */
static const char *check_target(struct c_type type)
{
	const struct known_type *known = type.kind == C_TYPE_NAMED ? known_type(type.base) : NULL;

	if (type.pointers > 1)
		return "void";
	if (type.kind == C_TYPE_INTEGER || type.kind == C_TYPE_FLOAT ||
	    (type.kind == C_TYPE_STRUCT && strchr(type.base, ' ')))
		return type.base;
	return known && known->check ? known->check : "void";
}

static const char *check_named(const char *base)
{
	const struct known_type *known = known_type(base);

	if (!strcmp(base, "string"))
		return "char const *";
	if (!known || known->check)
		return known ? known->check : NULL;
	if (known->size == 8)
		return known->is_signed ? "long long" : "unsigned long long";
	if (known->size)
		return "int";
	return known->is_signed ? "long" : "unsigned long";
}

static const char *check_value(struct c_type type)
{
	switch (type.kind) {
	case C_TYPE_INTEGER:
	case C_TYPE_FLOAT:
		return type.base;
	case C_TYPE_ENUM:
		return "int";
	case C_TYPE_NAMED:
		return check_named(type.base);
	default:
		return NULL;
	}
}

/* Replace long long, about which C89 and C++98 warn, by the name that sys/sdt.h has for it. */
static const char *check_spelling(const char *check)
{
	if (!strstr(check, "long long"))
		return check;
	return strstr(check, "unsigned") ? "_dtrace_uint64" : "_dtrace_int64";
}

/*
 * Append const after the type that it qualifies. Build systems insert another const before "char *"
 * and "void *", and compilers complain about two in one position.
 */
bool c_type_check(struct c_type type, struct bytes *text)
{
	bool pointer = type.pointers && type.kind != C_TYPE_FUNCTION;
	const char *check = pointer ? check_target(type) : type.pointers ? NULL : check_value(type);

	if (check && text)
		bytes_printf(text, "%s%s%s", check_spelling(check),
			     pointer && strstr(type.text, "volatile") ? " volatile" : "",
			     pointer ? " const *" : "");
	return check;
}
