/* SPDX-License-Identifier: MIT */
/*
 * lex.h - D text to tokens. Probe descriptions follow their own rules (lex_probe()), so the parser
 * calls that function where it expects one; everywhere else the text is as in C.
 */
#ifndef DT_LEX_H
#define DT_LEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dt_ctx;
struct dt_type;

/* A location in the text. */
typedef struct dt_loc {
	const char *pos;  /* into the text being compiled */
	const char *file; /* NULL: the text has no name */
	uint32_t line;	  /* from 1 on; as #line says */
} dt_loc_t;

/* clang-format off */
typedef enum dt_tok {
	TOK_EOF, TOK_INT, TOK_STRING, TOK_IDENT, TOK_AGG,
	/* punctuation */
	TOK_LPAREN, TOK_RPAREN, TOK_LBRACK, TOK_RBRACK, TOK_LBRACE, TOK_RBRACE, TOK_SEMI,
	TOK_COLON, TOK_QUEST, TOK_COMMA, TOK_DOT, TOK_ELLIPSIS, TOK_ARROW,
	/* operators */
	TOK_ASSIGN, TOK_MUL_EQ, TOK_DIV_EQ, TOK_MOD_EQ, TOK_ADD_EQ, TOK_SUB_EQ, TOK_SHL_EQ,
	TOK_SHR_EQ, TOK_AND_EQ, TOK_XOR_EQ, TOK_OR_EQ, TOK_LOR, TOK_LXOR, TOK_LAND, TOK_OR,
	TOK_XOR, TOK_AND, TOK_EQ, TOK_NE, TOK_LT, TOK_LE, TOK_GT, TOK_GE, TOK_SHL, TOK_SHR,
	TOK_ADD, TOK_SUB, TOK_MUL, TOK_DIV, TOK_MOD, TOK_NOT, TOK_TILDE, TOK_INC, TOK_DEC,
	/*
	 * keywords in the order of strcmp(), as lex_keyword() needs; last, those with an underscore
	 */
	TOK_KW_FIRST, TOK_AUTO = TOK_KW_FIRST, TOK_BREAK, TOK_CASE, TOK_CHAR, TOK_CONST,
	TOK_CONTINUE, TOK_COUNTER, TOK_DEFAULT, TOK_DO, TOK_DOUBLE, TOK_ELSE, TOK_ENUM,
	TOK_EXTERN, TOK_FLOAT, TOK_FOR, TOK_GOTO, TOK_IF, TOK_IMPORT, TOK_INLINE,
	TOK_INT_KW, TOK_LONG, TOK_OFFSETOF, TOK_PROBE, TOK_PROVIDER, TOK_REGISTER,
	TOK_RESTRICT, TOK_RETURN, TOK_SELF, TOK_SHORT, TOK_SIGNED, TOK_SIZEOF, TOK_STATIC,
	TOK_STRINGOF, TOK_STRUCT, TOK_SWITCH, TOK_THIS, TOK_TRANSLATOR, TOK_TYPEDEF,
	TOK_UNION, TOK_UNSIGNED, TOK_USERLAND, TOK_VOID, TOK_VOLATILE, TOK_WHILE,
	TOK_XLATE, TOK_BOOL, TOK_ATTRIBUTE, TOK_MAX
} dt_tok_t;
/* clang-format on */

typedef struct dt_token {
	dt_tok_t kind;
	dt_loc_t loc;
	const char *str;	    /* identifier, aggregation, string; lives as trees do */
	uint32_t len;		    /* of a string, which may hold NUL bytes */
	uint64_t value;		    /* of an integer */
	const struct dt_type *type; /* of an integer */
} dt_token_t;

typedef struct dt_lexer {
	const char *text, *end; /* all of it */
	const char *pos;	/* what comes next */
	const char *file;
	uint32_t line;
	dt_loc_t tail;	 /* behind the last token; pos NULL: there was none */
	bool line_start; /* nothing but blanks since the last newline */
	bool header;	 /* between a clause's descriptions and its body */
} dt_lexer_t;

/*
 * Begin with len bytes of text; file may be NULL. skip_script: skip a first line that begins with
 * #!.
 */
void lex_init(dt_lexer_t *lx, const char *file, const char *text, size_t len, bool skip_script);
/* Read the next token into *tok. Pragmas on the way are carried out. */
void lex_next(struct dt_ctx *cx, dt_token_t *tok);
/*
 * Skip text up to a character, ; or >, outside of brackets and quotes, or to the end.
 */
void lex_find(struct dt_ctx *cx, char wanted);
/*
 * Skip, after an error, the rest of what could not be parsed, beginning at from. A statement ends
 * behind its ; or the } of its block, or before the } of the block that contains it. At the
 * outermost level, text ends behind such a ; or } at the end of a line, if the next line is not
 * indented.
 */
void lex_recover(struct dt_ctx *cx, const dt_loc_t *from, bool outermost);
/*
 * Return the next character that is neither blank nor comment, '\0' at the end. Blanks and comments
 * before it are passed.
 */
char lex_peek_char(struct dt_ctx *cx);
/*
 * Read one probe description, and replace macro variables. Return it, in the context's arena; "" if
 * there is none here.
 */
char *lex_probe(struct dt_ctx *cx, dt_loc_t *loc);
/*
 * Return the next identifier without passing it, "" if there is none. Set *after to the character
 * behind it, and *type to whether what follows could be declared by a type of that name. Names with
 * backquotes are identifiers, too.
 */
char *lex_word(struct dt_ctx *cx, char *after, bool *type);
/* Return how a kind of token is written. */
const char *lex_tok_text(dt_tok_t kind);
/* Return the kind of a keyword, TOK_IDENT for other words. */
dt_tok_t lex_keyword(const char *s);

#endif
