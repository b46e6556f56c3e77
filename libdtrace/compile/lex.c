/* SPDX-License-Identifier: MIT */
/* lex.c - D text to tokens. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "lex.h"

/* Text of each kind of token; keywords and punctuation are found by it. */
static const char *const lex_texts[TOK_MAX] = {
	[TOK_EOF] = "end of text",
	[TOK_INT] = "integer constant",
	[TOK_STRING] = "string",
	[TOK_IDENT] = "identifier",
	[TOK_AGG] = "aggregation",
	[TOK_LPAREN] = "(",
	[TOK_RPAREN] = ")",
	[TOK_LBRACK] = "[",
	[TOK_RBRACK] = "]",
	[TOK_LBRACE] = "{",
	[TOK_RBRACE] = "}",
	[TOK_SEMI] = ";",
	[TOK_COLON] = ":",
	[TOK_QUEST] = "?",
	[TOK_COMMA] = ",",
	[TOK_DOT] = ".",
	[TOK_ELLIPSIS] = "...",
	[TOK_ARROW] = "->",
	[TOK_ASSIGN] = "=",
	[TOK_MUL_EQ] = "*=",
	[TOK_DIV_EQ] = "/=",
	[TOK_MOD_EQ] = "%=",
	[TOK_ADD_EQ] = "+=",
	[TOK_SUB_EQ] = "-=",
	[TOK_SHL_EQ] = "<<=",
	[TOK_SHR_EQ] = ">>=",
	[TOK_AND_EQ] = "&=",
	[TOK_XOR_EQ] = "^=",
	[TOK_OR_EQ] = "|=",
	[TOK_LOR] = "||",
	[TOK_LXOR] = "^^",
	[TOK_LAND] = "&&",
	[TOK_OR] = "|",
	[TOK_XOR] = "^",
	[TOK_AND] = "&",
	[TOK_EQ] = "==",
	[TOK_NE] = "!=",
	[TOK_LT] = "<",
	[TOK_LE] = "<=",
	[TOK_GT] = ">",
	[TOK_GE] = ">=",
	[TOK_SHL] = "<<",
	[TOK_SHR] = ">>",
	[TOK_ADD] = "+",
	[TOK_SUB] = "-",
	[TOK_MUL] = "*",
	[TOK_DIV] = "/",
	[TOK_MOD] = "%",
	[TOK_NOT] = "!",
	[TOK_TILDE] = "~",
	[TOK_INC] = "++",
	[TOK_DEC] = "--",
	[TOK_AUTO] = "auto",
	[TOK_BREAK] = "break",
	[TOK_CASE] = "case",
	[TOK_CHAR] = "char",
	[TOK_CONST] = "const",
	[TOK_CONTINUE] = "continue",
	[TOK_COUNTER] = "counter",
	[TOK_DEFAULT] = "default",
	[TOK_DO] = "do",
	[TOK_DOUBLE] = "double",
	[TOK_ELSE] = "else",
	[TOK_ENUM] = "enum",
	[TOK_EXTERN] = "extern",
	[TOK_FLOAT] = "float",
	[TOK_FOR] = "for",
	[TOK_GOTO] = "goto",
	[TOK_IF] = "if",
	[TOK_IMPORT] = "import",
	[TOK_INLINE] = "inline",
	[TOK_INT_KW] = "int",
	[TOK_LONG] = "long",
	[TOK_OFFSETOF] = "offsetof",
	[TOK_PROBE] = "probe",
	[TOK_PROVIDER] = "provider",
	[TOK_REGISTER] = "register",
	[TOK_RESTRICT] = "restrict",
	[TOK_RETURN] = "return",
	[TOK_SELF] = "self",
	[TOK_SHORT] = "short",
	[TOK_SIGNED] = "signed",
	[TOK_SIZEOF] = "sizeof",
	[TOK_STATIC] = "static",
	[TOK_STRINGOF] = "stringof",
	[TOK_STRUCT] = "struct",
	[TOK_SWITCH] = "switch",
	[TOK_THIS] = "this",
	[TOK_TRANSLATOR] = "translator",
	[TOK_TYPEDEF] = "typedef",
	[TOK_UNION] = "union",
	[TOK_UNSIGNED] = "unsigned",
	[TOK_USERLAND] = "userland",
	[TOK_VOID] = "void",
	[TOK_VOLATILE] = "volatile",
	[TOK_WHILE] = "while",
	[TOK_XLATE] = "xlate",
	[TOK_BOOL] = "_Bool",
	[TOK_ATTRIBUTE] = "__attribute__",
};

const char *lex_tok_text(dt_tok_t kind)
{
	return lex_texts[kind];
}

void lex_init(dt_lexer_t *lx, const char *file, const char *text, size_t len, bool skip_script)
{
	*lx = (dt_lexer_t){.text = text,
			   .end = text + len,
			   .pos = text,
			   .file = file,
			   .line = 1,
			   .line_start = true};
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) /* the byte order mark of UTF-8 */
		lx->pos += 3;
	if (skip_script && lx->end - lx->pos >= 2 && lx->pos[0] == '#' && lx->pos[1] == '!')
		while (lx->pos < lx->end && *lx->pos != '\n')
			lx->pos++;
}

static char lex_at(const dt_lexer_t *lx, size_t n)
{
	return (size_t)(lx->end - lx->pos) > n ? lx->pos[n] : '\0';
}

static dt_loc_t lex_loc(const dt_ctx_t *cx)
{
	return (dt_loc_t){cx->lex.pos, cx->lex.file, cx->lex.line};
}

/* Characters of names: ASCII, whatever the locale. */
static const bool lex_ident_chars[256] = {
	['a' ... 'z'] = true, ['A' ... 'Z'] = true, ['0' ... '9'] = true, ['_'] = true};

static bool lex_ident_char(char c)
{
	return lex_ident_chars[(unsigned char)c];
}

/*
 * Return whether a character may be part of the name of a kernel symbol or type, which may begin
 * with a module and a backquote.
 */
static bool lex_scoped_char(char c)
{
	return lex_ident_char(c) || c == '`';
}

static bool lex_is_ident(const char *s)
{
	if (!lex_ident_char(*s) || isdigit((unsigned char)*s))
		return false;
	while (lex_ident_char(*s))
		s++;
	return !*s;
}

/* ---- between tokens ---- */

static void lex_newline(dt_lexer_t *lx)
{
	lx->line++;
	lx->line_start = true;
}

static void lex_comment_in_comment(dt_ctx_t *cx, const dt_loc_t *outer)
{
	dt_loc_t loc = lex_loc(cx);

	dt_error(dt_hint(cx, "end the comment with */ before another begins"), &loc, D_SYNTAX,
		 "/* inside a comment that begins on line %u", outer->line);
}

static void lex_comment(dt_ctx_t *cx)
{
	dt_lexer_t *lx = &cx->lex;
	dt_loc_t loc = lex_loc(cx);

	for (lx->pos += 2; lx->pos < lx->end; lx->pos++) {
		if (*lx->pos == '\n')
			lx->line++;
		if (*lx->pos == '*' && lex_at(lx, 1) == '/') {
			lx->pos += 2;
			return;
		}
		if (*lx->pos == '/' && lex_at(lx, 1) == '*')
			lex_comment_in_comment(cx, &loc);
	}
	dt_error(dt_hint(cx, "end it with */"), &loc, D_SYNTAX, "unterminated comment");
}

/*
 * Replace the comments of a directive by blanks, except a comment that continues in the next line.
 */
static void lex_blank_comments(char *text)
{
	char *end;

	for (bool quoted = false; *text; text++) {
		quoted ^= *text == '"';
		end = !quoted && text[0] == '/' && text[1] == '*' ? strstr(text + 2, "*/") : NULL;
		if (end)
			memset(text, ' ', (size_t)(end + 2 - text));
	}
}

/* Read a line that begins with #. */
static void lex_directive(dt_ctx_t *cx)
{
	dt_lexer_t *lx = &cx->lex;
	dt_loc_t loc = lex_loc(cx);
	const char *start = ++lx->pos;
	char *text;

	while (lx->pos < lx->end && *lx->pos != '\n')
		lx->pos++;
	text = arena_memdup(&cx->tmp, start, (size_t)(lx->pos - start));
	if (lx->pos < lx->end)
		lx->pos++;
	lex_newline(lx);
	lex_blank_comments(text);
	pragma_line(cx, text, &loc);
}

/*
 * Do two slashes begin a comment? Between a probe description and its body they may also be an
 * empty predicate, and are if no word follows on the line.
 */
static bool lex_is_line_comment(const dt_lexer_t *lx)
{
	const char *p = lx->pos + 2;

	if (lex_at(lx, 0) != '/' || lex_at(lx, 1) != '/')
		return false;
	while (p < lx->end && (*p == ' ' || *p == '\t'))
		p++;
	return !lx->header || (p < lx->end && *p != '\n' && *p != '{');
}

static void lex_line_comment(dt_lexer_t *lx)
{
	while (lx->pos < lx->end && *lx->pos != '\n')
		lx->pos++;
}

static void lex_skip(dt_ctx_t *cx)
{
	dt_lexer_t *lx = &cx->lex;

	while (lx->pos < lx->end) {
		if (*lx->pos == '\n') {
			lx->pos++;
			lex_newline(lx);
		} else if (isspace((unsigned char)*lx->pos)) {
			lx->pos++;
		} else if (*lx->pos == '/' && lex_at(lx, 1) == '*') {
			lex_comment(cx);
		} else if (lex_is_line_comment(lx)) {
			lex_line_comment(lx);
		} else if (*lx->pos == '#' && lx->line_start) {
			lex_directive(cx);
		} else {
			break;
		}
	}
	lx->line_start = false;
}

/* Skip the constant that begins with a quote. */
static void lex_skip_quoted(dt_lexer_t *lx)
{
	char quote = *lx->pos++;

	while (lx->pos < lx->end && *lx->pos != quote && *lx->pos != '\n')
		lx->pos += lex_at(lx, 0) == '\\' && lx->pos + 1 < lx->end ? 2 : 1;
	if (lex_at(lx, 0) == quote)
		lx->pos++;
}

/*
 * Skip characters that neither end a line or a stretch of text, nor begin a token that may hide
 * such an end.
 */
static void lex_skip_plain(dt_lexer_t *lx)
{
	size_t n = strcspn(lx->pos, "\n/#\"'()[]{};<>"), most = (size_t)(lx->end - lx->pos);

	lx->pos += n < most ? n : most;
}

void lex_find(dt_ctx_t *cx, char wanted)
{
	dt_lexer_t *lx = &cx->lex;
	int depth = 0;
	char c;

	while (lex_skip_plain(lx), lex_skip(cx), lx->pos < lx->end) {
		c = *lx->pos;
		if (c == wanted && depth == 0)
			return;
		if (c == '"' || c == '\'') {
			lex_skip_quoted(lx);
			continue;
		}
		depth += (c == '(' || c == '[' || c == '{') - (c == ')' || c == ']' || c == '}');
		lx->pos++;
	}
}

/*
 * Return whether a line that is not indented, and does not begin with a brace, begins here after
 * white space.
 */
static bool lex_begins_line(const dt_lexer_t *lx)
{
	const char *p = lx->pos;

	while (p < lx->end && isspace((unsigned char)*p))
		p++;
	return p == lx->end || (p[-1] == '\n' && *p != '}');
}

void lex_recover(dt_ctx_t *cx, const dt_loc_t *from, bool outermost)
{
	dt_lexer_t *lx = &cx->lex;
	int depth = 0, parens = 0;
	char c;

	lx->pos = from->pos;
	lx->line = from->line;
	lx->header = false;
	while (lex_skip_plain(lx), lex_skip(cx), lx->pos < lx->end) {
		c = *lx->pos;
		if (c == '"' || c == '\'') {
			lex_skip_quoted(lx);
			continue;
		}
		if (c == '}' && depth == 0 && !outermost)
			return;
		lx->pos++;
		depth += (c == '{') - (c == '}');
		parens += (c == '(') - (c == ')' && parens);
		if (((c == '}' && depth <= 0) || (c == ';' && depth == 0 && !parens)) &&
		    (!outermost || lex_begins_line(lx)))
			return;
		depth = depth < 0 ? 0 : depth;
	}
}

char lex_peek_char(dt_ctx_t *cx)
{
	lex_skip(cx);
	return lex_at(&cx->lex, 0);
}

char *lex_word(dt_ctx_t *cx, char *after, bool *type)
{
	const char *p = (lex_skip(cx), cx->lex.pos), *start = p, *next;

	while (p < cx->lex.end && lex_scoped_char(*p))
		p++;
	*after = p < cx->lex.end ? *p : '\0';
	for (next = p; next < cx->lex.end && isspace((unsigned char)*next);)
		next++;
	*type = next > p && next < cx->lex.end && (lex_scoped_char(*next) || *next == '*');
	return arena_memdup(&cx->tmp, start, (size_t)(p - start));
}

/* ---- constants ---- */

static int lex_escape_octal(const char *s, size_t n, size_t *used)
{
	int value = 0;

	for (*used = 0; *used < 3 && *used < n && s[*used] >= '0' && s[*used] <= '7'; ++*used)
		value = value * 8 + s[*used] - '0';
	return value & 0xff;
}

static int lex_hex_digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : tolower((unsigned char)c) - 'a' + 10;
}

static int lex_escape_hex(const char *s, size_t n, size_t *used)
{
	int value = 0;

	for (*used = 0; *used < 2 && *used < n && isxdigit((unsigned char)s[*used]); ++*used)
		value = value * 16 + lex_hex_digit(s[*used]);
	return value;
}

/*
 * Return the character for an escape sequence, whose text behind the backslash is s, or -1 if it is
 * malformed.
 */
static int lex_escape(const char *s, size_t n, size_t *used)
{
	static const char letters[] = "abfnrtv", values[] = "\a\b\f\n\r\t\v";
	const char *letter;
	int value;

	*used = 1;
	if (n == 0)
		return -1;
	if (*s >= '0' && *s <= '7')
		return lex_escape_octal(s, n, used);
	if (*s == 'x') {
		value = lex_escape_hex(s + 1, n - 1, used);
		return (*used)++ ? value : -1;
	}
	letter = *s ? strchr(letters, *s) : NULL;
	return letter ? values[letter - letters] : (unsigned char)*s;
}

/*
 * Replace the escape sequences of n bytes, and write the result to out, of n bytes. Return its
 * length, or -1 and set *bad to the malformed escape sequence.
 */
static long lex_unescape(const char *s, size_t n, char *out, const char **bad)
{
	char *start = out;
	size_t used;
	int c;

	for (size_t i = 0; i < n;) {
		if (s[i] != '\\') {
			*out++ = s[i++];
			continue;
		}
		if (s[i + 1] == '\n') {
			i += 2;
			continue;
		}
		c = lex_escape(s + i + 1, n - i - 1, &used);
		if (c < 0) {
			*bad = s + i;
			return -1;
		}
		*out++ = (char)c;
		i += 1 + used;
	}
	return out - start;
}

/* Skip a character or an escape sequence. A line that ends with a backslash goes on in the next. */
static void lex_quoted_char(dt_lexer_t *lx)
{
	bool escape = *lx->pos == '\\' && lx->pos + 1 < lx->end;

	lx->line += escape && lx->pos[1] == '\n';
	lx->pos += escape ? 2 : 1;
}

/*
 * Return the text between quotes, with its escape sequences replaced. pos moves from the opening
 * quote behind the closing one.
 */
static char *lex_quoted(dt_ctx_t *cx, char quote, uint32_t *len)
{
	dt_lexer_t *lx = &cx->lex;
	dt_loc_t loc = lex_loc(cx);
	const char *start = ++lx->pos, *bad = start;
	char *text;
	long n;

	while (lx->pos < lx->end && *lx->pos != quote && *lx->pos != '\n')
		lex_quoted_char(lx);
	if (lx->pos >= lx->end || *lx->pos != quote)
		dt_error(cx, &loc, quote == '"' ? D_STR_NL : D_CHR_NL,
			 "%s constant has no closing quote on its line",
			 quote == '"' ? "string" : "character");
	text = arena_alloc(cx->ast, (size_t)(lx->pos - start) + 1);
	n = lex_unescape(start, (size_t)(lx->pos - start), text, &bad);
	if (n < 0) {
		loc.pos = bad;
		dt_error(cx, &loc, D_ESC_CHR, "malformed escape sequence");
	}
	lx->pos++;
	*len = (uint32_t)n;
	text[n] = '\0';
	return text;
}

static void lex_char(dt_ctx_t *cx, dt_token_t *tok)
{
	uint32_t len;
	const char *s = lex_quoted(cx, '\'', &len);

	if (len == 0)
		dt_error(cx, &tok->loc, D_CHR_NULL, "empty character constant");
	if (len > 8)
		dt_error(cx, &tok->loc, D_CHR_OFLOW, "character constant is longer than 8 bytes");
	tok->kind = TOK_INT;
	tok->type = len > 4 ? &type_long : &type_int;
	if (len == 1)
		tok->value = (uint64_t)(signed char)*s;
	else
		for (uint32_t i = 0; i < len; i++)
			tok->value = tok->value << 8 | (unsigned char)s[i];
}

/* Read a string. Adjacent strings are one. */
static void lex_string(dt_ctx_t *cx, dt_token_t *tok)
{
	uint32_t len, more;
	char *s = lex_quoted(cx, '"', &len), *t, *whole;

	while (lex_peek_char(cx) == '"') {
		t = lex_quoted(cx, '"', &more);
		whole = arena_alloc(cx->ast, (size_t)len + more + 1);
		memcpy(whole, s, len);
		memcpy(whole + len, t, more);
		s = whole;
		len += more;
	}
	tok->kind = TOK_STRING;
	tok->str = s;
	tok->len = len;
}

static const dt_type_t *lex_int_type(uint64_t value, bool decimal, bool uns, bool lng)
{
	if (!lng && !uns && value <= INT32_MAX)
		return &type_int;
	if (!lng && (uns || !decimal) && value <= UINT32_MAX)
		return &type_uint;
	return uns || value > INT64_MAX ? &type_ulong : &type_long;
}

/* Read u, l or ll, or u before or behind one of these. Return the length. */
static size_t lex_int_suffix(const char *s, bool *uns, bool *lng)
{
	size_t first = strspn(s, "uU"), l = strspn(s + first, "lL"),
	       last = strspn(s + first + l, "uU");

	*uns = first + last > 0;
	*lng = l > 0;
	if (l > 2 || (l == 2 && s[first] != s[first + 1])) /* lL is none */
		return 0;
	return first + last <= 1 ? first + l + last : 0;
}

/* Read an integer constant of n characters at s. Return false with a tag if it is not valid. */
static bool lex_int_text(const char *s, size_t n, dt_token_t *tok, dt_tag_t *tag)
{
	bool uns = false, lng = false;
	char digits[80], *end;
	size_t suffix;

	*tag = D_SYNTAX;
	if (n >= sizeof(digits))
		return false;
	memcpy(digits, s, n);
	digits[n] = '\0';
	errno = 0;
	tok->value = strtoull(digits, &end, 0);
	suffix = lex_int_suffix(end, &uns, &lng);
	if (end[suffix] || !isdigit((unsigned char)*digits)) {
		if (isdigit((unsigned char)*end))
			*tag = D_INT_DIGIT;
		return false;
	}
	*tag = D_INT_OFLOW;
	tok->kind = TOK_INT;
	tok->type = lex_int_type(tok->value, *digits != '0', uns, lng);
	return errno != ERANGE;
}

static dt_ctx_t *lex_int_hint(dt_ctx_t *cx)
{
	return dt_hint(cx, "a name begins with a letter or _; digits are 0-9, after 0x also a-f");
}

static void lex_int(dt_ctx_t *cx, dt_token_t *tok)
{
	dt_lexer_t *lx = &cx->lex;
	const char *start = lx->pos;
	dt_tag_t tag;

	while (lx->pos < lx->end && lex_ident_char(*lx->pos))
		lx->pos++;
	if (lx->pos < lx->end && *lx->pos == '.' && isdigit((unsigned char)lex_at(lx, 1)))
		dt_error(dt_hint(cx, "write an integer in a smaller unit: 1500 for 1.5"), &tok->loc,
			 D_SYNTAX, "floating-point constants cannot be used in D");
	if (!lex_int_text(start, (size_t)(lx->pos - start), tok, &tag))
		dt_error(tag == D_SYNTAX ? lex_int_hint(cx) : cx, &tok->loc, tag,
			 "integer constant %.*s %s", (int)(lx->pos - start), start,
			 tag == D_INT_OFLOW ? "does not fit in 64 bits" : "has an invalid digit");
}

/* ---- names ---- */

/* Keywords that begin with an underscore: of D, and of headers of the C library. */
static const struct {
	const char *name;
	dt_tok_t kind;
} lex_underscored[] = {
	{"_Bool", TOK_BOOL},
	{"__attribute__", TOK_ATTRIBUTE},
	{"__attribute", TOK_ATTRIBUTE},
	{"__asm__", TOK_ATTRIBUTE},
	{"__extension__", TOK_AUTO},
	{"__const", TOK_CONST},
	{"__restrict", TOK_RESTRICT},
	{"__inline", TOK_AUTO},
	{"__inline__", TOK_AUTO},
	{"__restrict__", TOK_RESTRICT},
	{"__volatile__", TOK_VOLATILE},
	{"__signed__", TOK_SIGNED},
	{"__builtin_offsetof", TOK_OFFSETOF},
};

dt_tok_t lex_keyword(const char *s)
{
	dt_tok_t low = TOK_KW_FIRST, end = TOK_BOOL; /* of the keywords that may be s, in order */

	if (s[0] == '_') {
		for (size_t i = 0; i < sizeof(lex_underscored) / sizeof(lex_underscored[0]); i++)
			if (strcmp(lex_underscored[i].name, s) == 0)
				return lex_underscored[i].kind;
		return TOK_IDENT;
	}
	if (*s >= 'A' && *s <= 'Z') /* as most names of libraries: none is a keyword */
		return TOK_IDENT;
	while (low < end) {
		dt_tok_t middle = low + (end - low) / 2;
		int order = *s - *lex_texts[middle];

		if (!order)
			order = s[1] - lex_texts[middle][1];
		if (!order)
			order = strcmp(s, lex_texts[middle]);
		if (!order)
			return middle;
		if (order < 0)
			end = middle;
		else
			low = middle + 1;
	}
	return TOK_IDENT;
}

static char *lex_ident_text(dt_ctx_t *cx)
{
	dt_lexer_t *lx = &cx->lex;
	const char *start = lx->pos;

	while (lx->pos < lx->end && lex_ident_char(*lx->pos))
		lx->pos++;
	return arena_memdup(cx->ast, start, (size_t)(lx->pos - start));
}

static void lex_ident(dt_ctx_t *cx, dt_token_t *tok)
{
	dt_lexer_t *lx = &cx->lex;
	const char *start = lx->pos;

	while (lx->pos < lx->end && lex_scoped_char(*lx->pos))
		lx->pos++;
	if (lx->pos[-1] == '`')
		dt_error(dt_hint(cx, "write module`name, or `name for the kernel and any module"),
			 &tok->loc, D_SYNTAX, "syntax error: a name is missing after `");
	tok->str = arena_memdup(cx->ast, start, (size_t)(lx->pos - start));
	tok->kind = lex_keyword(tok->str);
}

static void lex_agg(dt_ctx_t *cx, dt_token_t *tok)
{
	cx->lex.pos++;
	tok->kind = TOK_AGG;
	tok->str = lex_ident_text(cx);
	if (isdigit((unsigned char)*tok->str))
		dt_error(dt_hint(cx, "a name begins with a letter or _, as in @a%s", tok->str),
			 &tok->loc, D_SYNTAX, "@%s is not a valid name of an aggregation",
			 tok->str);
	if (!*tok->str)
		tok->str = "_";
}

/* Read the name behind a $, at which pos is. */
static char *lex_macro_name(dt_ctx_t *cx)
{
	cx->lex.pos++;
	return lex_ident_text(cx);
}

/*
 * Make an integer, with or without a minus, the token. Return false if the text is not an integer.
 */
static bool lex_macro_number(dt_ctx_t *cx, dt_token_t *tok, const char *name, const char *text)
{
	bool negative = *text == '-';
	dt_tag_t tag;

	if (!lex_int_text(text + negative, strlen(text + negative), tok, &tag)) {
		if (tag == D_INT_OFLOW)
			dt_error(dt_hint(cx, "for a string write $$%s", name), &tok->loc,
				 D_MACRO_OFLOW,
				 "$%s stands for \"%s\", which does not fit into 64 bits", name,
				 text);
		return false;
	}
	if (negative)
		tok->value = -tok->value;
	return true;
}

/*
 * Make text that is neither an integer nor an identifier the token, without quotes around it, as in
 * '"text"'.
 */
static void lex_macro_string(dt_ctx_t *cx, dt_token_t *tok, const char *name, const char *text)
{
	size_t len = strlen(text);
	bool quoted = len > 1 && text[0] == '"' && text[len - 1] == '"';
	const char *bad;
	char *out;
	long n;

	len -= 2 * quoted;
	out = arena_alloc(cx->ast, len + 1);
	n = lex_unescape(text + quoted, len, out, &bad);
	if (n < 0)
		dt_error(dt_hint(cx, "for the text as it is write $$%s", name), &tok->loc,
			 D_ESC_CHR, "$%s stands for \"%s\", which has a malformed escape sequence",
			 name, text);
	out[n] = '\0';
	tok->kind = TOK_STRING;
	tok->str = out;
	tok->len = (uint32_t)n;
}

/*
 * Read a macro variable. $name is an integer or an identifier if its text is one, else a string;
 * $$name is always a string.
 */
static void lex_macro(dt_ctx_t *cx, dt_token_t *tok)
{
	bool string = lex_at(&cx->lex, 1) == '$';
	const char *name, *text;

	cx->lex.pos += string;
	name = lex_macro_name(cx);
	if (!*name)
		dt_error(dt_hint(cx, "write $pid, $target, $1 or another; $$1 is a string"),
			 &tok->loc, D_SYNTAX, "$ needs the name of a macro variable");
	text = macro_value(cx, name, &tok->loc);
	if (!text)
		dt_error(macro_hint(cx, name), &tok->loc, D_MACRO_UNDEF,
			 "macro variable $%s is not defined", name);
	tok->str = text;
	tok->len = (uint32_t)strlen(text);
	if (string)
		tok->kind = TOK_STRING;
	else if (lex_is_ident(text))
		tok->kind = lex_keyword(text);
	else if (!lex_macro_number(cx, tok, name, text))
		lex_macro_string(cx, tok, name, text);
}

/* ---- tokens ---- */

/*
 * Punctuation and operators: the frequent ones first, and a longer one before one that begins it.
 */
static const dt_tok_t lex_puncts[] = {
	TOK_SEMI,     TOK_COMMA, TOK_LPAREN, TOK_RPAREN, TOK_LBRACE, TOK_RBRACE, TOK_LBRACK,
	TOK_RBRACK,   TOK_EQ,	 TOK_ASSIGN, TOK_MUL_EQ, TOK_MUL,    TOK_ARROW,	 TOK_DEC,
	TOK_SUB_EQ,   TOK_SUB,	 TOK_QUEST,  TOK_COLON,	 TOK_LAND,   TOK_AND_EQ, TOK_AND,
	TOK_ELLIPSIS, TOK_DOT,	 TOK_NE,     TOK_NOT,	 TOK_LOR,    TOK_OR_EQ,	 TOK_OR,
	TOK_SHR_EQ,   TOK_SHR,	 TOK_GE,     TOK_GT,	 TOK_SHL_EQ, TOK_SHL,	 TOK_LE,
	TOK_LT,	      TOK_INC,	 TOK_ADD_EQ, TOK_ADD,	 TOK_DIV_EQ, TOK_DIV,	 TOK_MOD_EQ,
	TOK_MOD,      TOK_LXOR,	 TOK_XOR_EQ, TOK_XOR,	 TOK_TILDE,
};
_Static_assert(sizeof(lex_puncts) / sizeof(lex_puncts[0]) == TOK_KW_FIRST - TOK_LPAREN,
	       "lex_puncts lacks a token");

/* Return the longest punctuation or operator at pos, or TOK_EOF. */
static dt_tok_t lex_punct(const dt_lexer_t *lx)
{
	size_t left = (size_t)(lx->end - lx->pos);

	for (size_t i = 0; i < sizeof(lex_puncts) / sizeof(lex_puncts[0]); i++) {
		const char *text = lex_texts[lex_puncts[i]];
		size_t n;

		if (*text != *lx->pos)
			continue;
		n = strlen(text);
		if (n <= left && memcmp(lx->pos, text, n) == 0)
			return lex_puncts[i];
	}
	return TOK_EOF;
}

static void lex_operator(dt_ctx_t *cx, dt_token_t *tok)
{
	unsigned char c = (unsigned char)*cx->lex.pos;

	tok->kind = lex_punct(&cx->lex);
	if (tok->kind == TOK_EOF && isprint(c))
		dt_error(dt_hint(cx, "remove it; write text in double quotes"), &tok->loc, D_SYNTAX,
			 "unexpected character '%c'", c);
	if (tok->kind == TOK_EOF)
		dt_error(dt_hint(cx, "names, operators and quotes are ASCII characters"), &tok->loc,
			 D_SYNTAX, "unexpected character \\%03o", c);
	cx->lex.pos += strlen(lex_texts[tok->kind]);
}

void lex_next(dt_ctx_t *cx, dt_token_t *tok)
{
	char c = lex_peek_char(cx);

	*tok = (dt_token_t){.kind = TOK_EOF, .loc = lex_loc(cx)};
	if (cx->lex.pos >= cx->lex.end && cx->lex.tail.pos)
		tok->loc = cx->lex.tail;
	if (cx->lex.pos >= cx->lex.end)
		return;
	if (isdigit((unsigned char)c))
		lex_int(cx, tok);
	else if (lex_scoped_char(c))
		lex_ident(cx, tok);
	else if (c == '"')
		lex_string(cx, tok);
	else if (c == '\'')
		lex_char(cx, tok);
	else if (c == '$')
		lex_macro(cx, tok);
	else if (c == '@')
		lex_agg(cx, tok);
	else
		lex_operator(cx, tok);
	cx->lex.tail = lex_loc(cx);
}

/* ---- probe descriptions ---- */

static bool lex_probe_char(char c)
{
	return c && !isspace((unsigned char)c) && !strchr(",;{}/\"'@#=", c);
}

/*
 * Return the end of a part of a description without macro variables. A character behind a backslash
 * belongs to the name.
 */
static const char *lex_probe_part(const dt_lexer_t *lx)
{
	const char *p = lx->pos;

	while (p < lx->end && lex_probe_char(*p) && *p != '$')
		p += *p == '\\' && p + 1 < lx->end && p[1] != '\n' ? 2 : 1;
	return p;
}

/* Return whether a path follows, as the module of the pid provider. */
static bool lex_probe_is_path(const dt_lexer_t *lx, const char *text)
{
	size_t n = strlen(text);

	return *lx->pos == '/' && n > 4 && strncmp(text, "pid", 3) == 0 &&
	       strspn(text + 3, "0123456789*\\") == n - 4 && text[n - 1] == ':';
}

/*
 * Replace a macro variable in a description. Its name is the longest that is defined, so that $1a
 * is the first argument and an a.
 */
static const char *lex_probe_macro(dt_ctx_t *cx)
{
	dt_lexer_t *lx = &cx->lex;
	dt_loc_t loc = lex_loc(cx);
	const char *start, *value;
	char *name, *whole;

	if (lex_at(lx, 1) == '$')
		lx->pos++;
	start = lx->pos + 1;
	name = lex_macro_name(cx);
	whole = arena_strdup(&cx->tmp, name);
	for (size_t n = strlen(name); n > 0; n--) {
		name[n] = '\0';
		lx->pos = start + n;
		value = macro_value(cx, name, &loc);
		if (value && strcmp(name, "target") == 0 && !cx->dtp->target)
			dt_error(
				dt_hint(cx, "start one with -c 'COMMAND', or name one with -p PID"),
				&loc, D_MACRO_UNDEF, "$target needs a process");
		if (value)
			return value;
	}
	dt_error(macro_hint(cx, whole), &loc, D_MACRO_UNDEF,
		 "macro variable $%s in probe description is not defined", whole);
}

char *lex_probe(dt_ctx_t *cx, dt_loc_t *loc)
{
	dt_lexer_t *lx = &cx->lex;
	const char *start;
	char *text = arena_strdup(&cx->tmp, "");

	lex_skip(cx);
	*loc = lex_loc(cx);
	while (lx->pos < lx->end && (lex_probe_char(*lx->pos) || lex_probe_is_path(lx, text))) {
		if (*lx->pos == '$') {
			text = arena_printf(&cx->tmp, "%s%s", text, lex_probe_macro(cx));
			continue;
		}
		start = lx->pos;
		lx->pos = *start == '/' ? start + strcspn(start, ": \t\n,;{}") : lex_probe_part(lx);
		text = arena_printf(&cx->tmp, "%s%.*s", text, (int)(lx->pos - start), start);
	}
	return text;
}
