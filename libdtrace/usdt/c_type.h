/* SPDX-License-Identifier: MIT */
/*
 * c_type.h - the C types of provider files: kept as text, and parsed as far as sites and headers
 * need.
 *
 * A type without a declaration is no error: its text is kept, and its size is a machine word.
 */
#ifndef DT_USDT_C_TYPE_H
#define DT_USDT_C_TYPE_H

#include <stdbool.h>
#include <stddef.h>
#include "../arena.h"
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

/* The class of a value in the calling convention. */
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
 * Parse the type and the name in the tokens of one parameter or typedef. *name is NULL if there is
 * no name. Return 0; 1 if the tokens are no known form of declaration; -1 if there is no memory.
 */
int c_type_parse(struct arena *arena, const struct token *tokens, size_t count, struct c_type *type,
		 const char **name);

/*
 * Resolve the typedefs of the file. The base of the result is a keyword type, a tag or an unknown
 * name.
 */
struct c_type c_type_resolve(const struct typedefs *typedefs, struct c_type type);

/*
 * Return the type's text with the file's typedef names replaced, for readers without the file:
 * "const char *" after "typedef const char *text". Return NULL if there is no memory.
 */
const char *c_type_spell(struct arena *arena, const struct typedefs *typedefs, struct c_type type);

/* Return class, size and sign of an argument of the type. model is 32 or 64. */
struct value_class c_type_value(const struct typedefs *typedefs, struct c_type type, int model);

/*
 * Append the parameter type with which a header makes the compiler check an argument of the
 * resolved type. It needs no declaration except that of a struct's tag. It accepts arrays, and
 * pointers to const even if the type is a pointer to non-const. Return false if the type is
 * unknown. text may be NULL.
 */
bool c_type_check(struct c_type resolved, struct bytes *text);

#endif
