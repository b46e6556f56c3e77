/* SPDX-License-Identifier: MIT */
/*
 * parse.c - tokens to trees, by recursive descent. Each function begins with the first token of
 * what it reads as the current one (cx->tok), and makes the token behind it current. At the
 * outermost level there is no current token: a probe description may follow, which has its own
 * lexical rules.
 */
#include <string.h>

#include "compile.h"
#include "hint.h"
#include "kernel.h"
#include "diag.h"

#define PARSE_MAXDEPTH	200 /* of constructs within constructs */
#define PARSE_MAXERRORS 20  /* that are shown */
#define PARSE_GAVE_UP	3   /* to cx->fail: there is no other error than those noted */

void parse_advance(dt_ctx_t *cx)
{
	if (cx->has_ahead)
		cx->tok = cx->ahead;
	else
		lex_next(cx, &cx->tok);
	cx->has_ahead = false;
}

dt_tok_t parse_ahead(dt_ctx_t *cx)
{
	if (!cx->has_ahead)
		lex_next(cx, &cx->ahead);
	cx->has_ahead = true;
	return cx->ahead.kind;
}

bool parse_accept(dt_ctx_t *cx, dt_tok_t kind)
{
	if (cx->tok.kind != kind)
		return false;
	parse_advance(cx);
	return true;
}

void parse_expect(dt_ctx_t *cx, dt_tok_t kind, const char *where)
{
	if (!parse_accept(cx, kind))
		diag_missing(cx, kind, where);
}

void parse_enter(dt_ctx_t *cx)
{
	if (++cx->depth > PARSE_MAXDEPTH)
		dt_error(cx, &cx->tok.loc, D_DEPTH,
			 "constructs are nested more than %d levels deep", PARSE_MAXDEPTH);
}

void parse_leave(dt_ctx_t *cx)
{
	cx->depth--;
}

static dt_node_t *parse_expr(dt_ctx_t *cx);

/* ---- going on after errors ---- */

static void parse_give_up(dt_ctx_t *cx) __attribute__((noreturn));

/* Report no further errors than the noted ones. */
static void parse_give_up(dt_ctx_t *cx)
{
	cx->message = NULL;
	longjmp(cx->fail, PARSE_GAVE_UP);
}

/*
 * Add the current error to the list. An unknown name is no further error once a declaration could
 * not be read, because that may have declared it.
 */
static void parse_note_error(dt_ctx_t *cx)
{
	if (cx->undeclared && (cx->errtype || cx->errtag != D_SYNTAX))
		return;
	cx->errors = dt_errors(cx);
	if (++cx->nerrors == PARSE_MAXERRORS)
		parse_give_up(cx);
}

/*
 * Return the position from which the text is skipped after an error. The current token began at
 * start or behind it.
 */
static dt_loc_t parse_error_loc(const dt_ctx_t *cx, const dt_loc_t *start)
{
	return cx->tok.loc.pos > start->pos && cx->tok.loc.pos <= cx->lex.end ? cx->tok.loc
									      : *start;
}

/*
 * Return whether a declaration failed because a variable is missing that a clause before it would
 * define.
 */
static bool parse_needs_clauses(const dt_ctx_t *cx)
{
	return cx->items && (cx->errtag == D_IDENT_UNDEF || cx->errtag == D_VAR_UNDEF);
}

/*
 * Call read for the text that begins at start. After an error behind which reading can go on, note
 * it, skip the rest of the text that could not be read, and return false. Return false as well if
 * the same text must be read again, since the clauses before it had to be compiled first.
 */
static bool parse_try(dt_ctx_t *cx, void (*read)(dt_ctx_t *cx, void *arg), void *arg,
		      const dt_loc_t *start, bool outermost)
{
	dt_reading_t before;
	dt_loc_t loc;
	jmp_buf fail;
	int rc;

	deferred_mark(cx, &before);
	memcpy(fail, cx->fail, sizeof(fail));
	cx->errtype = false;
	rc = setjmp(cx->fail);
	if (rc == 0)
		read(cx, arg);
	memcpy(cx->fail, fail, sizeof(fail));
	if (rc == 0)
		return true;
	if (rc != 1 || cx->library || before.library)
		longjmp(cx->fail, rc);
	if (outermost && cx->errtag != D_SYNTAX) {
		if (cx->nerrors)
			parse_give_up(cx);
		if (!parse_needs_clauses(cx))
			longjmp(cx->fail, rc);
		deferred_reset(cx, &before);
		compile_clauses(cx);
		return false;
	}
	parse_note_error(cx);
	loc = parse_error_loc(cx, start);
	deferred_reset(cx, &before);
	cx->has_ahead = false;
	cx->in_pred = false;
	lex_recover(cx, &loc, outermost);
	return false;
}

/* ---- primary expressions ---- */

static dt_node_t *parse_args(dt_ctx_t *cx, dt_tok_t close)
{
	dt_node_t *list = NULL, **tail = &list;

	if (close == TOK_RPAREN && parse_accept(cx, close))
		return NULL;
	for (;;) {
		*tail = parse_assign(cx);
		tail = &(*tail)->next;
		if (parse_accept(cx, close))
			return list;
		if (!parse_accept(cx, TOK_COMMA))
			diag_no_comma(cx, lex_tok_text(close));
	}
}

/*
 * Read a list up to a closing bracket or parenthesis. Within it, a / divides, whatever follows it.
 */
static dt_node_t *parse_bracketed(dt_ctx_t *cx, dt_tok_t close)
{
	bool in_pred = cx->in_pred;
	dt_node_t *list;

	cx->in_pred = false;
	list = parse_args(cx, close);
	cx->in_pred = in_pred;
	return list;
}

static const char *parse_name(dt_ctx_t *cx, const char *what)
{
	const char *name = cx->tok.str;

	if ((cx->tok.kind != TOK_IDENT && cx->tok.kind < TOK_KW_FIRST) || strchr(name, '`'))
		diag_no_name(cx, what);
	parse_advance(cx);
	return name;
}

static dt_node_t *parse_scoped(dt_ctx_t *cx, int scope)
{
	dt_node_t *n = ast_new(cx, NODE_IDENT, &cx->tok.loc);
	bool thread = scope == DIFV_SCOPE_THREAD;

	parse_advance(cx);
	if (!parse_accept(cx, TOK_ARROW))
		diag_unexpected(cx, thread ? "'->' after self" : "'->' after this",
				thread ? "write self->name" : "write this->name");
	n->scope = scope;
	n->str = parse_name(cx, "name of a variable");
	return n;
}

static dt_node_t *parse_symbol(dt_ctx_t *cx, const dt_token_t *tok)
{
	dt_node_t *n = ast_new(cx, NODE_SYMBOL, &tok->loc);

	n->left = ast_new(cx, NODE_IDENT, &tok->loc);
	n->left->str = symbol_split(cx, tok->str, &n->str);
	return n;
}

static dt_node_t *parse_ident(dt_ctx_t *cx)
{
	dt_token_t tok = cx->tok;
	dt_node_t *n;

	parse_advance(cx);
	if (strchr(tok.str, '`') && cx->tok.kind != TOK_LPAREN)
		return parse_symbol(cx, &tok);
	n = ast_new(cx, cx->tok.kind == TOK_LPAREN ? NODE_CALL : NODE_IDENT, &tok.loc);
	n->str = tok.str;
	if (parse_accept(cx, TOK_LPAREN))
		ast_args(cx, n, parse_bracketed(cx, TOK_RPAREN));
	return n;
}

static dt_node_t *parse_agg(dt_ctx_t *cx)
{
	dt_node_t *n = ast_new(cx, NODE_AGG, &cx->tok.loc);

	n->str = cx->tok.str;
	parse_advance(cx);
	if (parse_accept(cx, TOK_LBRACK)) {
		ast_args(cx, n, parse_bracketed(cx, TOK_RBRACK));
		n->flags |= NODE_F_PAREN;
	}
	return n;
}

static dt_node_t *parse_string(dt_ctx_t *cx)
{
	dt_node_t *n = ast_new(cx, NODE_STRING, &cx->tok.loc);

	n->str = cx->tok.str;
	n->len = cx->tok.len;
	parse_advance(cx);
	return n;
}

static dt_node_t *parse_constant(dt_ctx_t *cx)
{
	dt_node_t *n = ast_int(cx, &cx->tok.loc, cx->tok.value, cx->tok.type);

	parse_advance(cx);
	return n;
}

/* Return whether a token begins an operand, and cannot follow one. */
static bool parse_is_operand(dt_tok_t kind)
{
	return (kind >= TOK_INT && kind <= TOK_LPAREN) || kind == TOK_TILDE || kind == TOK_NOT ||
	       kind == TOK_SELF || kind == TOK_THIS || kind == TOK_STRINGOF || kind == TOK_SIZEOF ||
	       kind == TOK_XLATE;
}

/*
 * Check an expression in parentheses before an operand, where only a cast is valid: report a name
 * that is no variable as an unknown type.
 */
static void parse_check_cast(dt_ctx_t *cx, const dt_node_t *n)
{
	if (n->kind == NODE_IDENT && n->scope == DIFV_SCOPE_GLOBAL && !ident_exists(cx, n->str))
		decl_no_type(cx, &n->loc, n->str);
}

static dt_node_t *parse_paren(dt_ctx_t *cx)
{
	bool in_pred = cx->in_pred;
	dt_node_t *n;

	parse_expect(cx, TOK_LPAREN, "before an expression");
	cx->in_pred = false;
	n = parse_expr(cx);
	cx->in_pred = in_pred;
	parse_expect(cx, TOK_RPAREN, "after the expression");
	if (parse_is_operand(cx->tok.kind))
		parse_check_cast(cx, n);
	n->flags |= NODE_F_PAREN;
	return n;
}

static dt_node_t *parse_unary(dt_ctx_t *cx);

static dt_node_t *parse_sizeof(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	const dt_type_t *t;

	parse_advance(cx);
	if (cx->tok.kind != TOK_LPAREN || (parse_ahead(cx), !decl_token(cx, &cx->ahead)))
		return ast_op(cx, NODE_SIZEOF, TOK_SIZEOF, &loc, parse_unary(cx), NULL, NULL);
	parse_advance(cx);
	t = decl_type_name(cx);
	parse_expect(cx, TOK_RPAREN, "after the type");
	return check_sizeof_type(cx, &loc, t);
}

/* Read the name of a member and return its offset in *t. Set *t to the member's type. */
static uint64_t parse_member_offset(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t **t)
{
	const char *name = parse_name(cx, "name of a member");
	dt_member_t m;

	if (!type_is_record(*t))
		dt_error(cx, loc, D_OFFSETOF_TYPE, "%s is not a struct or union",
			 check_type_text(cx, *t));
	if (!type_resolve(*t)->complete)
		dt_error(hint_tag(cx, *t), loc, D_OFFSETOF_TYPE, "the members of %s are unknown",
			 check_type_text(cx, *t));
	if (!type_member(*t, name, &m))
		dt_error(hint_member(cx, *t, name), loc, D_UNKNOWN, "%s has no member %s",
			 check_type_text(cx, *t), name);
	if (m.bits)
		dt_error(cx, loc, D_OFFSETOF_BITFIELD, "bit-field %s has no offset", name);
	*t = m.type;
	return m.offset;
}

static dt_node_t *parse_offsetof(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	const dt_type_t *t;
	uint64_t offset = 0;

	parse_advance(cx);
	parse_expect(cx, TOK_LPAREN, "after offsetof");
	t = decl_type_name(cx);
	parse_expect(cx, TOK_COMMA, "after the type");
	do {
		offset += parse_member_offset(cx, &loc, &t);
	} while (parse_accept(cx, TOK_DOT));
	parse_expect(cx, TOK_RPAREN, "after the member");
	return ast_int(cx, &loc, offset, &type_ulong);
}

static dt_node_t *parse_xlate(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	const dt_type_t *t;
	dt_node_t *n;

	parse_advance(cx);
	parse_expect(cx, TOK_LT, "after xlate");
	t = decl_type_name(cx);
	parse_expect(cx, TOK_GT, "after the type");
	n = ast_op(cx, NODE_XLATE, TOK_XLATE, &loc, parse_paren(cx), NULL, NULL);
	n->type = t;
	return n;
}

static dt_node_t *parse_stringof(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	dt_node_t *n;

	parse_advance(cx);
	n = ast_op(cx, NODE_CAST, TOK_STRINGOF, &loc, parse_unary(cx), NULL, NULL);
	n->type = &type_string;
	return n;
}

static dt_node_t *parse_primary(dt_ctx_t *cx)
{
	switch (cx->tok.kind) {
	case TOK_INT:
		return parse_constant(cx);
	case TOK_STRING:
		return parse_string(cx);
	case TOK_IDENT:
		return parse_ident(cx);
	case TOK_AGG:
		return parse_agg(cx);
	case TOK_LPAREN:
		return parse_paren(cx);
	case TOK_SELF:
		return parse_scoped(cx, DIFV_SCOPE_THREAD);
	case TOK_THIS:
		return parse_scoped(cx, DIFV_SCOPE_LOCAL);
	case TOK_SIZEOF:
		return parse_sizeof(cx);
	case TOK_OFFSETOF:
		return parse_offsetof(cx);
	case TOK_STRINGOF:
		return parse_stringof(cx);
	case TOK_XLATE:
		return parse_xlate(cx);
	default:
		diag_no_expr(cx);
	}
}

/* ---- operators, from the tightest to the loosest ---- */

static dt_node_t *parse_member(dt_ctx_t *cx, dt_node_t *left)
{
	dt_loc_t loc = cx->tok.loc;
	dt_node_t *n;

	if (cx->tok.kind == TOK_ARROW) {
		left = ast_op(cx, NODE_UNARY, TOK_MUL, &loc, left, NULL, NULL);
		left->flags |= NODE_F_ARROW;
	}
	n = ast_op(cx, NODE_MEMBER, cx->tok.kind, &loc, left, NULL, NULL);
	parse_advance(cx);
	n->str = parse_name(cx, "name of a member");
	return n;
}

static dt_node_t *parse_index(dt_ctx_t *cx, dt_node_t *left)
{
	dt_node_t *n = ast_op(cx, NODE_INDEX, TOK_LBRACK, &cx->tok.loc, left, NULL, NULL);

	if (left->kind == NODE_AGG)
		dt_error(cx, &cx->tok.loc, D_AGG_MDIM,
			 "the keys of an aggregation must be in one pair of brackets");
	parse_advance(cx);
	ast_args(cx, n, parse_bracketed(cx, TOK_RBRACK));
	return n;
}

/*
 * Note that the program has a variable from here on. It is declared later, when the clause is
 * compiled.
 */
static void parse_assigned(dt_ctx_t *cx, const dt_node_t *n)
{
	while (n->kind == NODE_INDEX)
		n = n->left;
	if (n->kind == NODE_IDENT && n->scope == DIFV_SCOPE_GLOBAL &&
	    !scope_lookup(&cx->assigned, n->str))
		scope_insert(&cx->assigned, &cx->tmp, n->str, cx);
}

static dt_node_t *parse_incdec(dt_ctx_t *cx, dt_node_t *left)
{
	dt_node_t *n = ast_op(cx, NODE_INCDEC, cx->tok.kind, &cx->tok.loc, left, NULL, NULL);

	parse_assigned(cx, left);
	parse_advance(cx);
	n->value = 1;
	return n;
}

static dt_node_t *parse_postfix(dt_ctx_t *cx)
{
	dt_node_t *n = parse_primary(cx);

	for (;;) {
		switch (cx->tok.kind) {
		case TOK_LBRACK:
			n = parse_index(cx, n);
			break;
		case TOK_DOT:
		case TOK_ARROW:
			n = parse_member(cx, n);
			break;
		case TOK_INC:
		case TOK_DEC:
			n = parse_incdec(cx, n);
			break;
		case TOK_LPAREN:
			dt_error(cx, &cx->tok.loc, D_FUNC_IDENT, "only a function can be called");
		default:
			return n;
		}
	}
}

static dt_node_t *parse_cast(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	const dt_type_t *t;
	dt_node_t *n;

	parse_advance(cx);
	t = decl_type_name(cx);
	parse_expect(cx, TOK_RPAREN, "after the type");
	n = ast_op(cx, NODE_CAST, TOK_EOF, &loc, parse_unary(cx), NULL, NULL);
	n->type = t;
	return n;
}

static dt_node_t *parse_prefix(dt_ctx_t *cx)
{
	dt_token_t tok = cx->tok;
	dt_node_kind_t kind = tok.kind == TOK_INC || tok.kind == TOK_DEC ? NODE_INCDEC : NODE_UNARY;

	parse_advance(cx);
	return ast_op(cx, kind, tok.kind, &tok.loc, parse_unary(cx), NULL, NULL);
}

static dt_node_t *parse_unary(dt_ctx_t *cx)
{
	dt_node_t *n;

	parse_enter(cx);
	switch (cx->tok.kind) {
	case TOK_ADD:
	case TOK_SUB:
	case TOK_NOT:
	case TOK_TILDE:
	case TOK_MUL:
	case TOK_AND:
	case TOK_INC:
	case TOK_DEC:
		n = parse_prefix(cx);
		break;
	case TOK_LPAREN:
		parse_ahead(cx);
		n = decl_token(cx, &cx->ahead) ? parse_cast(cx) : parse_postfix(cx);
		break;
	default:
		n = parse_postfix(cx);
	}
	parse_leave(cx);
	return n;
}

/* Return how tightly a binary operator binds; 0: the token is not one. */
static int parse_binding(dt_tok_t kind)
{
	switch (kind) {
	case TOK_MUL:
	case TOK_DIV:
	case TOK_MOD:
		return 11;
	case TOK_ADD:
	case TOK_SUB:
		return 10;
	case TOK_SHL:
	case TOK_SHR:
		return 9;
	case TOK_LT:
	case TOK_LE:
	case TOK_GT:
	case TOK_GE:
		return 8;
	case TOK_EQ:
	case TOK_NE:
		return 7;
	case TOK_AND:
		return 6;
	case TOK_XOR:
		return 5;
	case TOK_OR:
		return 4;
	case TOK_LAND:
		return 3;
	case TOK_LXOR:
		return 2;
	case TOK_LOR:
		return 1;
	default:
		return 0;
	}
}

/*
 * Return whether the current / ends the predicate. Then a body, another clause's semicolon or the
 * end of the text follows.
 */
static bool parse_ends_pred(dt_ctx_t *cx)
{
	char c;

	if (!cx->in_pred || cx->tok.kind != TOK_DIV)
		return false;
	c = lex_peek_char(cx);
	return c == '{' || c == ';' || c == '\0';
}

/* Return whether the tokens behind a * end a type, as in (type *) and (type **). */
static bool parse_ends_type(dt_ctx_t *cx)
{
	if (cx->tok.kind == TOK_MUL)
		return parse_ahead(cx) == TOK_RPAREN || cx->ahead.kind == TOK_MUL;
	return cx->tok.kind == TOK_RPAREN;
}

static dt_node_t *parse_binary(dt_ctx_t *cx, int least)
{
	dt_node_t *left = parse_unary(cx), *right;
	dt_token_t tok;
	int binding;

	while ((binding = parse_binding(cx->tok.kind)) >= least && binding > 0 &&
	       !parse_ends_pred(cx)) {
		tok = cx->tok;
		parse_advance(cx);
		if (tok.kind == TOK_MUL && parse_ends_type(cx))
			parse_check_cast(cx, left);
		right = parse_binary(cx, binding + 1);
		left = ast_op(cx, NODE_BINARY, tok.kind, &tok.loc, left, right, NULL);
	}
	return left;
}

/*
 * Return whether an expression consists of constants only. For an inline, this depends on its
 * value.
 */
static bool parse_is_constant(dt_ctx_t *cx, const dt_node_t *n)
{
	const dt_ident_t *id;

	switch (n->kind) {
	case NODE_INT:
		return true;
	case NODE_IDENT:
		id = n->scope == DIFV_SCOPE_GLOBAL ? ident_lookup(cx, n->scope, n->str) : NULL;
		return id &&
		       (id->kind == IDENT_CONST || (id->kind == IDENT_INLINE && !id->nparams));
	case NODE_UNARY:
		return n->op != TOK_MUL && n->op != TOK_AND && parse_is_constant(cx, n->left);
	case NODE_CAST:
		return parse_is_constant(cx, n->left);
	case NODE_BINARY:
		return parse_is_constant(cx, n->left) && parse_is_constant(cx, n->right);
	default:
		return false;
	}
}

/*
 * Return whether the value of a condition is known now. Then only one of the values of ?: is
 * compiled.
 */
static bool parse_decides(dt_ctx_t *cx, const dt_node_t *test, bool *yes)
{
	const dt_node_t *n;

	if (!parse_is_constant(cx, test))
		return false;
	n = check_value(cx, ast_copy(cx, test));
	*yes = n->value != 0;
	return n->kind == NODE_INT;
}

static dt_node_t *parse_cond(dt_ctx_t *cx)
{
	dt_node_t *test = parse_binary(cx, 1), *yes, *no;
	dt_loc_t loc = cx->tok.loc;
	bool is_yes;

	if (!parse_accept(cx, TOK_QUEST))
		return test;
	parse_enter(cx);
	yes = parse_expr(cx);
	parse_expect(cx, TOK_COLON, "of a conditional expression");
	no = parse_cond(cx);
	parse_leave(cx);
	if (parse_decides(cx, test, &is_yes)) {
		yes = is_yes ? yes : no;
		yes->flags |= NODE_F_CHOSEN;
		return yes;
	}
	return ast_op(cx, NODE_COND, TOK_QUEST, &loc, test, yes, no);
}

dt_node_t *parse_assign(dt_ctx_t *cx)
{
	dt_node_t *left = parse_cond(cx), *right;
	dt_token_t tok = cx->tok;

	if (tok.kind < TOK_ASSIGN || tok.kind > TOK_OR_EQ)
		return left;
	parse_assigned(cx, left);
	parse_enter(cx);
	parse_advance(cx);
	right = parse_assign(cx);
	parse_leave(cx);
	return ast_op(cx, NODE_ASSIGN, tok.kind, &tok.loc, left, right, NULL);
}

static dt_node_t *parse_expr(dt_ctx_t *cx)
{
	dt_node_t *left = parse_assign(cx);
	dt_loc_t loc;

	while (cx->tok.kind == TOK_COMMA) {
		loc = cx->tok.loc;
		parse_advance(cx);
		left = ast_op(cx, NODE_BINARY, TOK_COMMA, &loc, left, parse_assign(cx), NULL);
	}
	return left;
}

int64_t parse_int(dt_ctx_t *cx, dt_tag_t tag, const char *what)
{
	dt_loc_t loc = cx->tok.loc;
	dt_node_t *n = check_expr(cx, parse_cond(cx));

	if (n->kind != NODE_INT)
		dt_error(cx, &loc, tag, "%s must be an integer constant", what);
	return (int64_t)n->value;
}

/* ---- statements ---- */

static dt_node_t *parse_block(dt_ctx_t *cx);

static dt_node_t *parse_body(dt_ctx_t *cx);

static dt_node_t *parse_if(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	dt_node_t *n, *test;

	parse_enter(cx);
	parse_advance(cx);
	test = parse_paren(cx);
	n = ast_op(cx, NODE_IF, TOK_IF, &loc, test, NULL, NULL);
	n->right = parse_body(cx);
	if (parse_accept(cx, TOK_ELSE))
		n->third = parse_body(cx);
	parse_leave(cx);
	return n;
}

static bool parse_is_loop(dt_tok_t kind)
{
	return kind == TOK_WHILE || kind == TOK_FOR || kind == TOK_DO || kind == TOK_GOTO ||
	       kind == TOK_SWITCH || kind == TOK_BREAK || kind == TOK_CONTINUE ||
	       kind == TOK_RETURN;
}

static dt_node_t *parse_statement(dt_ctx_t *cx)
{
	dt_loc_t loc = cx->tok.loc;
	dt_node_t *n;

	if (cx->tok.kind == TOK_IF)
		return parse_if(cx);
	if (parse_is_loop(cx->tok.kind))
		diag_loop(cx);
	n = ast_op(cx, NODE_EXPR, TOK_SEMI, &loc, parse_expr(cx), NULL, NULL);
	if (cx->tok.kind != TOK_RBRACE)
		parse_expect(cx, TOK_SEMI, "after a statement");
	return n;
}

/* Read a statement or a block. Append it to the list **arg. */
static void parse_one(dt_ctx_t *cx, void *arg)
{
	dt_node_t *n = cx->tok.kind == TOK_LBRACE ? parse_block(cx) : parse_statement(cx);

	*(dt_node_t **)arg = n;
}

/* Read statements up to the brace that closes the one at open. The brace stays current. */
static dt_node_t *parse_statements(dt_ctx_t *cx, const dt_loc_t *open)
{
	dt_node_t *list = NULL, **tail = &list;
	dt_loc_t start;

	while (cx->tok.kind != TOK_RBRACE) {
		if (cx->tok.kind == TOK_EOF)
			diag_unexpected(
				cx, "'}' after statements",
				arena_printf(&cx->tmp, "write } for the { of line %u", open->line));
		if (parse_accept(cx, TOK_SEMI))
			continue;
		start = cx->tok.loc;
		if (!parse_try(cx, parse_one, tail, &start, false))
			parse_advance(cx);
		while (*tail)
			tail = &(*tail)->next;
	}
	return list;
}

static dt_node_t *parse_block(dt_ctx_t *cx)
{
	dt_loc_t open = cx->tok.loc;
	dt_node_t *list;

	parse_enter(cx);
	parse_expect(cx, TOK_LBRACE, "before statements");
	list = parse_statements(cx, &open);
	parse_advance(cx);
	parse_leave(cx);
	return list;
}

static dt_node_t *parse_body(dt_ctx_t *cx)
{
	if (parse_accept(cx, TOK_SEMI))
		return NULL;
	return cx->tok.kind == TOK_LBRACE ? parse_block(cx) : parse_statement(cx);
}

/* ---- clauses ---- */

static uint32_t parse_descs(dt_ctx_t *cx, dtrace_probedesc_t **descs, dt_loc_t **locs)
{
	uint32_t n = 0, capacity = 0;
	dt_loc_t loc;
	char *text;

	do {
		if (n > 0)
			cx->lex.pos++; /* the comma */
		text = lex_probe(cx, &loc);
		if (!*text) {
			parse_advance(cx);
			diag_no_desc(cx,
				     n ? "probe description" : "probe description or declaration");
		}
		if (n == capacity) {
			capacity = capacity ? capacity * 2 : 1;
			*descs = arena_grow(&cx->tmp, *descs, n, capacity, sizeof(**descs));
			*locs = arena_grow(&cx->tmp, *locs, n, capacity, sizeof(**locs));
		}
		(*locs)[n] = loc;
		probe_parse(cx, text, &loc, &(*descs)[n++]);
	} while (lex_peek_char(cx) == ',');
	return n;
}

static dt_node_t *parse_predicate(dt_ctx_t *cx)
{
	dt_node_t *pred;

	parse_advance(cx);
	parse_advance(cx);
	cx->lex.header = false;
	cx->in_pred = true;
	pred = parse_expr(cx);
	cx->in_pred = false;
	if (cx->tok.kind != TOK_DIV)
		diag_unexpected(cx, "'/' after the predicate",
				"write / here, and then { statements }");
	return pred;
}

static void parse_clause(dt_ctx_t *cx, dt_item_t *item)
{
	bool plain = true;
	dt_loc_t open;

	cx->lex.header = true;
	item->ndescs = parse_descs(cx, &item->descs, &item->locs);
	if (cx->library)
		dt_error(dt_hint(cx, "remove it: a library has types, inlines, translators, "
				     "providers and pragmas"),
			 item->locs, D_SYNTAX, "a D library cannot have clauses");
	if (lex_peek_char(cx) == '/') {
		cx->part = "predicate";
		item->pred = parse_predicate(cx);
		plain = false;
	}
	cx->lex.header = false;
	if (lex_peek_char(cx) == '{') {
		cx->part = "action list";
		parse_advance(cx);
		open = cx->tok.loc;
		parse_advance(cx);
		item->stmts = parse_statements(cx, &open);
		plain = false;
	}
	if (plain && cx->script)
		diag_no_body(cx, item->locs, item->descs);
}

static void parse_add_item(dt_ctx_t *cx, dt_item_t *item)
{
	*cx->lastitem = item;
	cx->lastitem = &item->next;
}

void parse_keep_text(dt_ctx_t *cx, const char *text)
{
	dt_item_t *item = arena_alloc(&cx->tmp, sizeof(*item));

	item->text = text;
	parse_add_item(cx, item);
}

/* Read a clause, or a declaration, for which *arg becomes true. */
static void parse_item(dt_ctx_t *cx, void *arg)
{
	bool *declares = arg, type;
	char after, *word;
	dt_item_t *item;

	word = lex_word(cx, &after, &type);
	*declares = *word && after != ':' && decl_word(cx, word, type);
	if (*declares) {
		parse_advance(cx);
		external_parse(cx);
	} else {
		item = arena_alloc(&cx->tmp, sizeof(*item));
		parse_clause(cx, item);
		parse_add_item(cx, item);
	}
}

void parse_program(dt_ctx_t *cx)
{
	uint32_t nerrors;
	dt_loc_t start;
	bool declares;

	while (lex_peek_char(cx), cx->lex.pos < cx->lex.end) {
		if (*cx->lex.pos == ';') {
			cx->lex.pos++;
			continue;
		}
		nerrors = cx->nerrors;
		declares = false;
		start = (dt_loc_t){.pos = cx->lex.pos, .file = cx->lex.file, .line = cx->lex.line};
		if (!parse_try(cx, parse_item, &declares, &start, true))
			cx->undeclared |= declares && cx->nerrors > nerrors;
		cx->part = NULL;
	}
	if (cx->nerrors)
		parse_give_up(cx);
}
