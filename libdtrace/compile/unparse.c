/* SPDX-License-Identifier: MIT */
/* unparse.c - trees as text: D again (dtrace -d), or the tree itself (-xtree). */
#include <ctype.h>
#include <inttypes.h>
#include <string.h>

#include "compile.h"
#include "unparse.h"

static const char *const unparse_scopes[] = {"", "self->", "this->"};

static void unparse_string(const char *s, uint32_t len, FILE *fp)
{
	fputc('"', fp);
	for (uint32_t i = 0; i < len; i++) {
		unsigned char c = (unsigned char)s[i];

		if (c == '"' || c == '\\')
			fprintf(fp, "\\%c", c);
		else if (c == '\n')
			fputs("\\n", fp);
		else if (isprint(c))
			fputc(c, fp);
		else
			fprintf(fp, "\\%03o", c);
	}
	fputc('"', fp);
}

static void unparse_expr(const dt_node_t *n, FILE *fp);
static void unparse_operand(const dt_node_t *n, FILE *fp);

/*
 * Print an expression. Put it in parentheses if it has the given operator, which has another
 * meaning there.
 */
static void unparse_unless(dt_tok_t op, const dt_node_t *n, FILE *fp)
{
	(n->kind == NODE_BINARY && n->op == op ? unparse_operand : unparse_expr)(n, fp);
}

static void unparse_list(const char *open, const dt_node_t *list, const char *close, FILE *fp)
{
	fputs(open, fp);
	for (; list; list = list->next) {
		unparse_unless(TOK_COMMA, list, fp);
		fputs(list->next ? ", " : "", fp);
	}
	fputs(close, fp);
}

static void unparse_type(const dt_node_t *n, FILE *fp)
{
	char name[256];

	fputs(dt_type_name(n->type, name, sizeof(name)), fp);
}

/* Print a constant with the suffix of its type. */
static void unparse_int(const dt_node_t *n, FILE *fp)
{
	const dt_type_t *t = n->type ? type_resolve(n->type) : &type_int;
	bool wide = type_storage(t) == 8;

	fprintf(fp, dt_type_signed(t) ? "%" PRId64 : "%" PRIu64, n->value);
	fprintf(fp, "%s%s", dt_type_signed(t) ? "" : "U", wide ? "L" : "");
}

/* Print an operand, in parentheses if it has an operator of its own. */
static void unparse_operand(const dt_node_t *n, FILE *fp)
{
	bool open = n->kind == NODE_BINARY || n->kind == NODE_ASSIGN || n->kind == NODE_COND ||
		    n->kind == NODE_CAST || n->kind == NODE_UNARY;

	fputs(open ? "(" : "", fp);
	unparse_expr(n, fp);
	fputs(open ? ")" : "", fp);
}

static void unparse_cast(const dt_node_t *n, FILE *fp)
{
	if (n->op == TOK_STRINGOF) {
		unparse_list("stringof(", n->left, ")", fp);
		return;
	}
	fputc('(', fp);
	unparse_type(n, fp);
	fputc(')', fp);
	unparse_operand(n->left, fp);
}

/* Print a member. In the tree, p->m is (*p).m. */
static void unparse_member(const dt_node_t *n, FILE *fp)
{
	if (n->op == TOK_ARROW)
		unparse_operand(n->left->left, fp);
	else
		unparse_operand(n->left, fp);
	fprintf(fp, "%s%s", lex_tok_text(n->op), n->str);
}

static void unparse_incdec(const dt_node_t *n, FILE *fp)
{
	if (!n->value)
		fputs(lex_tok_text(n->op), fp);
	unparse_operand(n->left, fp);
	if (n->value)
		fputs(lex_tok_text(n->op), fp);
}

static void unparse_infix(const dt_node_t *n, FILE *fp)
{
	unparse_operand(n->left, fp);
	fprintf(fp, " %s ", lex_tok_text(n->op));
	unparse_operand(n->right, fp);
}

static void unparse_cond(const dt_node_t *n, FILE *fp)
{
	unparse_operand(n->left, fp);
	fputs(" ? ", fp);
	unparse_operand(n->right, fp);
	fputs(" : ", fp);
	unparse_operand(n->third, fp);
}

static void unparse_agg(const dt_node_t *n, FILE *fp)
{
	fprintf(fp, "@%s", strcmp(n->str, "_") == 0 ? "" : n->str);
	if (n->args)
		unparse_list("[", n->args, "]", fp);
}

static void unparse_xlate(const dt_node_t *n, FILE *fp)
{
	fputs("xlate <", fp);
	unparse_type(n, fp);
	unparse_list("> (", n->left, ")", fp);
}

/* Print an expression that has not been checked as D text. */
static void unparse_expr(const dt_node_t *n, FILE *fp)
{
	switch (n->kind) {
	case NODE_INT:
		unparse_int(n, fp);
		break;
	case NODE_STRING:
		unparse_string(n->str, n->len, fp);
		break;
	case NODE_IDENT:
		fprintf(fp, "%s%s", unparse_scopes[n->scope], n->str);
		break;
	case NODE_SYMBOL:
		fprintf(fp, "%s`%s", n->str, n->left->str);
		break;
	case NODE_AGG:
		unparse_agg(n, fp);
		break;
	case NODE_INDEX:
		unparse_operand(n->left, fp);
		unparse_list("[", n->args, "]", fp);
		break;
	case NODE_MEMBER:
		unparse_member(n, fp);
		break;
	case NODE_CALL:
		fputs(n->str, fp);
		unparse_list("(", n->args, ")", fp);
		break;
	case NODE_UNARY:
		fputs(lex_tok_text(n->op), fp);
		unparse_operand(n->left, fp);
		break;
	case NODE_BINARY:
	case NODE_ASSIGN:
		unparse_infix(n, fp);
		break;
	case NODE_INCDEC:
		unparse_incdec(n, fp);
		break;
	case NODE_COND:
		unparse_cond(n, fp);
		break;
	case NODE_CAST:
		unparse_cast(n, fp);
		break;
	case NODE_SIZEOF:
		unparse_list("sizeof (", n->left, ")", fp);
		break;
	case NODE_XLATE:
		unparse_xlate(n, fp);
		break;
	default: /* made by the checks: never asked for */
		break;
	}
}

void unparse_head(const dtrace_probedesc_t *descs, uint32_t n, const dt_node_t *pred, FILE *fp)
{
	char text[DTRACE_FULLNAMELEN];

	for (uint32_t i = 0; i < n; i++)
		fprintf(fp, "%s%s", dtrace_desc2str(&descs[i], text, sizeof(text)),
			i + 1 < n ? ",\n" : "\n");
	if (pred) {
		fputc('/', fp);
		unparse_unless(TOK_DIV, pred, fp);
		fputs("/\n", fp);
	}
	fputs("{\n", fp);
}

void unparse_statement(const dt_node_t *expr, FILE *fp)
{
	bool idle = expr->flags & NODE_F_CHOSEN && expr->kind != NODE_CALL &&
		    expr->kind != NODE_ASSIGN && expr->kind != NODE_INCDEC;

	/* An expression without effect is only allowed as the rest of a ?:. */
	fputs(idle ? "\t1 ? " : "\t", fp);
	unparse_expr(expr, fp);
	fputs(idle ? " : 0;\n" : ";\n", fp);
}

/* ---- trees ---- */

static const char *const tree_kinds[] = {
	[NODE_INT] = "INT",	  [NODE_STRING] = "STRING", [NODE_IDENT] = "IDENT",
	[NODE_SYMBOL] = "SYMBOL", [NODE_AGG] = "AGGREGATE", [NODE_INDEX] = "INDEX",
	[NODE_MEMBER] = "MEMBER", [NODE_CALL] = "FUNC",	    [NODE_UNARY] = "OP1",
	[NODE_BINARY] = "OP2",	  [NODE_ASSIGN] = "OP2",    [NODE_INCDEC] = "OP1",
	[NODE_COND] = "OP3",	  [NODE_CAST] = "CAST",	    [NODE_SIZEOF] = "SIZEOF",
	[NODE_XLATE] = "XLATE",	  [NODE_VAR] = "VARIABLE",  [NODE_FUNC] = "FUNC",
	[NODE_INLINE] = "INLINE", [NODE_EXPR] = "STMT",	    [NODE_IF] = "IF",
};

/* Print the details that distinguish a node from others of its kind. */
static void tree_detail(const dt_node_t *n, FILE *fp)
{
	switch (n->kind) {
	case NODE_INT:
		fprintf(fp, " 0x%" PRIx64, n->value);
		break;
	case NODE_STRING:
		fputc(' ', fp);
		unparse_string(n->str, n->len, fp);
		break;
	case NODE_VAR:
	case NODE_INLINE:
		fprintf(fp, " %s%s", n->kind == NODE_VAR ? unparse_scopes[n->ident->scope] : "",
			n->ident->name);
		break;
	case NODE_FUNC:
		fprintf(fp, " %s", n->func->name);
		break;
	case NODE_UNARY:
	case NODE_BINARY:
	case NODE_ASSIGN:
	case NODE_INCDEC:
	case NODE_COND:
		fprintf(fp, " %s", lex_tok_text(n->op));
		break;
	default:
		if (n->str)
			fprintf(fp, " %s%s", n->kind == NODE_IDENT ? unparse_scopes[n->scope] : "",
				n->str);
	}
}

static void tree_node(const dt_node_t *n, int indent, FILE *fp)
{
	if (!n)
		return;
	fprintf(fp, "%*s%s", indent, "", tree_kinds[n->kind]);
	tree_detail(n, fp);
	if (n->type) {
		fputs(" (", fp);
		unparse_type(n, fp);
		fputc(')', fp);
	}
	fputc('\n', fp);
	tree_node(n->left, indent + 2, fp);
	tree_node(n->right, indent + 2, fp);
	tree_node(n->third, indent + 2, fp);
	for (const dt_node_t *a = n->args; a; a = a->next)
		tree_node(a, indent + 2, fp);
}

void tree_print(dt_ctx_t *cx, const dt_node_t *n, unsigned int pass)
{
	if (!(dt_copt(cx->dtp, DT_COPT_TREE) & pass) || cx->library)
		return;
	fprintf(stderr, "Parse tree (Pass %d):\n", pass == TREE_PARSED ? 1 : 2);
	tree_node(n, 2, stderr);
}
