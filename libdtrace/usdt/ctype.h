/* SPDX-License-Identifier: MIT */
/*
 * ctype.h - C types as provider files write them: kept as text, understood as far as sites and headers need it.
 *
 * A type that nobody declared is no error: its text is handed on, and it counts as a word of the machine.
 */
#ifndef DT_USDT_CTYPE_H
#define DT_USDT_CTYPE_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"

/* A token of a provider file. */
enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCT };

struct token {
	enum token_kind kind;
	const char *text;	/* NUL-terminated, in the arena */
	const char *file;	/* where it was read */
	unsigned int line;
};

enum ctype_base {
	CTYPE_INTEGER,		/* written with keywords */
	CTYPE_FLOAT,
	CTYPE_VOID,
	CTYPE_STRUCT,		/* or union */
	CTYPE_ENUM,
	CTYPE_NAMED,		/* a typedef name, declared or not */
	CTYPE_FUNCTION		/* something with a parameter list; pointers is at least 1 */
};

struct ctype {
	const char *text;	/* whole, without the declared name: "const char *" */
	const char *base;	/* without qualifiers and stars: "unsigned int", "struct foo", "pid_t"; "struct" if it has no tag */
	enum ctype_base kind;
	unsigned int pointers;	/* stars, and arrays, which decay */
};

/* What a value of a type is to the calling convention. */
enum value_kind { VALUE_INTEGER, VALUE_FLOAT, VALUE_OTHER /* struct, long double: not traceable by value */ };

struct value_class {
	enum value_kind kind;
	unsigned int size;	/* bytes */
	bool is_signed;
};

struct typedef_entry {
	const char *name;
	struct ctype type;
};

struct typedefs {
	struct typedef_entry *entries;
	size_t count;
};

/*
 * ctype_parse - the type and the declared name in the tokens of one parameter or typedef. *name is NULL if there is none.
 * Returns 0; 1: the tokens are no declaration that is understood; -1: no memory.
 */
int ctype_parse(struct arena *arena, const struct token *tokens, size_t count, struct ctype *type,
	const char **name);

/* ctype_resolve - look through the typedefs of the file; the result's base is then a keyword type, a tag or an unknown name. */
struct ctype ctype_resolve(const struct typedefs *typedefs, struct ctype type);

/* ctype_value - class, size and sign of a value of the type as an argument; model is 32 or 64. */
struct value_class ctype_value(const struct typedefs *typedefs, struct ctype type, int model);

/*
 * ctype_check - the parameter type with which a header lets the compiler check an argument of the (resolved) type,
 * in words that need no declaration but that of a struct's tag: it takes arrays, and pointers to const even where the
 * type points to something not const. NULL: nothing is known of the type. The text may live in the arena.
 */
const char *ctype_check(struct arena *arena, struct ctype resolved);

#endif
