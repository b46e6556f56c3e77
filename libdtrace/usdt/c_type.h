/* SPDX-License-Identifier: MIT */
/*
 * c_type.h - C types as provider files write them: kept as text, understood as far as sites and
 * headers need it.
 *
 * A type that nobody declared is no error: its text is handed on, and it counts as a word of the
 * machine.
 */
#ifndef DT_USDT_C_TYPE_H
#define DT_USDT_C_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include "arena.h"
#include "bytes.h"

/* A token of a provider file. */
enum token_kind { TOKEN_END, TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_PUNCT };

struct token {
	enum token_kind kind;
	const char *text; /* NUL-terminated, in the arena */
	const char *file; /* where it was read */
	unsigned int line;
	const char *at; /* it in the text that is read; of the end, behind the last token */
};

enum c_type_base {
	C_TYPE_INTEGER, /* written with keywords */
	C_TYPE_FLOAT,
	C_TYPE_VOID,
	C_TYPE_STRUCT, /* or union */
	C_TYPE_ENUM,
	C_TYPE_NAMED,	/* a typedef name, declared or not */
	C_TYPE_FUNCTION /* something with a parameter list; pointers is at least 1 */
};

struct c_type {
	const char *text; /* whole, without the declared name: "const char *" */
	const char *base; /* without qualifiers and stars: "unsigned int", "struct foo", "pid_t";
			     "struct" if it has no tag */
	enum c_type_base kind;
	unsigned int pointers; /* stars, and arrays, which decay */
};

/* What a value of a type is to the calling convention. */
enum value_kind {
	VALUE_INTEGER,
	VALUE_FLOAT,
	VALUE_OTHER /* struct, long double: not traceable by value */
};

struct value_class {
	enum value_kind kind;
	unsigned int size; /* bytes */
	bool is_signed;
};

struct typedef_entry {
	const char *name;
	struct c_type type;
};

struct typedefs {
	struct typedef_entry *entries;
	size_t count;
};

/*
 * c_type_parse - the type and the declared name in the tokens of one parameter or typedef. *name is
 * NULL if there is none. Returns 0; 1: the tokens are no declaration that is understood; -1: no
 * memory.
 */
int c_type_parse(struct arena *arena, const struct token *tokens, size_t count, struct c_type *type,
		 const char **name);

/*
 * c_type_resolve - look through the typedefs of the file; the result's base is then a keyword type,
 * a tag or an unknown name.
 */
struct c_type c_type_resolve(const struct typedefs *typedefs, struct c_type type);

/*
 * c_type_spell - the type's text with names that the file defines written out, for those who do not
 * read the file: "const char *" for text after "typedef const char *text". NULL: no memory.
 */
const char *c_type_spell(struct arena *arena, const struct typedefs *typedefs, struct c_type type);

/* c_type_value - class, size and sign of a value of the type as an argument; model is 32 or 64. */
struct value_class c_type_value(const struct typedefs *typedefs, struct c_type type, int model);

/*
 * c_type_check - append the parameter type with which a header lets the compiler check an argument
 * of the (resolved) type, in words that need no declaration but that of a struct's tag: it takes
 * arrays, and pointers to const even where the type points to something not const. Returns false if
 * nothing is known of the type. text may be NULL.
 */
bool c_type_check(struct c_type resolved, struct bytes *text);

#endif
