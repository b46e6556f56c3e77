/* SPDX-License-Identifier: MIT */
/* ast.h - expressions and statements as trees. */
#ifndef DT_AST_H
#define DT_AST_H

#include <dtrace/ioctl.h>

#include "../arena.h"
#include "lex.h"
#include "type.h"

#define AST_MAXDEPTH 1000 /* of a tree; what is deeper is refused */

typedef enum dt_node_kind {
	NODE_INT,    /* value */
	NODE_STRING, /* str, len */
	NODE_IDENT,  /* str; scope says where to look */
	NODE_SYMBOL, /* kernel symbol: str (module or "") and left->str */
	NODE_AGG,    /* str; args: keys */
	NODE_INDEX,  /* left [ args ] */
	NODE_MEMBER, /* left . str */
	NODE_CALL,   /* str ( args ) */
	NODE_UNARY,  /* op left; TOK_AND: address, TOK_MUL: dereference */
	NODE_BINARY, /* left op right */
	NODE_ASSIGN, /* left op right: TOK_ASSIGN or TOK_*_EQ */
	NODE_INCDEC, /* op left; value is 1 if it is postfix */
	NODE_COND,   /* left ? right : third */
	NODE_CAST,   /* (type) left */
	NODE_SIZEOF, /* left */
	NODE_XLATE,  /* xlate <type> (left) */
	/* made by the checks */
	NODE_VAR,    /* ident: a variable; args: keys, or index of args[] */
	NODE_FUNC,   /* func: call of a subroutine or action with args */
	NODE_INLINE, /* ident: use of an inline, or a member of a translator; args */
	/* statements */
	NODE_EXPR, /* left ; */
	NODE_IF	   /* if (left) body: right, else: third; lists of statements */
} dt_node_kind_t;

#define NODE_F_PAREN	 0x1   /* it was written in parentheses, or an aggregation with brackets */
#define NODE_F_SUBSCRIPT 0x2   /* a sum that is an array and a subscript */
#define NODE_F_EXISTS	 0x4   /* the value of __exists( ) */
#define NODE_F_SYMBOL	 0x8   /* a kernel's variable */
#define NODE_F_OLD	 0x40  /* stands for the value before the assignment */
#define NODE_F_CHOSEN	 0x20  /* what a constant condition left of a ?: */
#define NODE_F_ARROW	 0x10  /* a dereference that is part of -> */
#define NODE_F_PROCESS	 0x100 /* an object in memory of the process */
#define NODE_F_BOUNDED	 0x80  /* a subscript below value, in bytes, or the sum is NULL */

typedef struct dt_node {
	dt_node_kind_t kind;
	dt_tok_t op;
	dt_loc_t loc;
	const dt_type_t *type; /* set by the checks, or written (casts) */
	struct dt_node *left, *right, *third;
	struct dt_node *args; /* list by next */
	struct dt_node *next;
	uint32_t depth;
	uint32_t flags; /* NODE_F_* */
	uint64_t value;
	const char *str;
	uint32_t len;
	int scope; /* of NODE_IDENT: DIFV_SCOPE_* */
	struct dt_ident *ident;
	const struct dt_func *func;
	dt_member_t member; /* NODE_MEMBER, checked */
} dt_node_t;

typedef enum dt_ident_kind {
	IDENT_VAR,	     /* variable of the program, scalar in the engine's sense */
	IDENT_ASSOC,	     /* associative array */
	IDENT_BUILTIN,	     /* built-in variable */
	IDENT_BUILTIN_ARRAY, /* args[], regs[], uregs[] */
	IDENT_FUNC,	     /* subroutine, action or aggregating function */
	IDENT_INLINE,
	IDENT_CONST, /* enumerator */
	IDENT_PARAM  /* parameter of an inline, input of a translator */
} dt_ident_kind_t;

typedef struct dt_ident {
	dt_ident_kind_t kind;
	const char *name;
	uint8_t scope;		 /* DIFV_SCOPE_* */
	uint16_t id;		 /* DIF_VAR_* or the program's own number */
	dtrace_attribute_t attr; /* how stable it is */
	bool attr_given;	 /* by a pragma */
	uint32_t version;	 /* DT_LANGUAGE() since which it is known, or 0 */
	uint32_t gen;		 /* number of the compilation that made it */
	bool declared;		 /* by a declaration, not by first use */
	const dt_type_t *type;	 /* NULL until the first assignment */
	const dt_type_t **keys;	 /* of an associative array; NULL until first use */
	uint32_t nkeys;
	int64_t value;			/* of a constant */
	struct dt_node *body;		/* of an inline: inline_body gives it */
	const struct dt_deferred *text; /* of a D library's inline, while body is NULL */
	struct dt_ident **params;
	uint32_t nparams;
	const struct dt_func *func;
	const struct dt_ident *copied; /* of a pointer: to a copy of that variable; or NULL */
	bool stored;		       /* of a pointer: something is stored where it points */
	const dt_type_t *pointer;      /* what an array's strings are to the program, or NULL */
	int reg;		       /* of a parameter: virtual register that holds it */
} dt_ident_t;

struct dt_ctx;

/* Return a node at loc. */
dt_node_t *ast_new(struct dt_ctx *cx, dt_node_kind_t kind, const dt_loc_t *loc);
/*
 * Return a node with operands, of which right and third may be NULL. Too deep a tree is an error.
 */
dt_node_t *ast_op(struct dt_ctx *cx, dt_node_kind_t kind, dt_tok_t op, const dt_loc_t *loc,
		  dt_node_t *left, dt_node_t *right, dt_node_t *third);
/* Give a node its arguments, a list. */
void ast_args(struct dt_ctx *cx, dt_node_t *n, dt_node_t *args);
/* Note that n stands for a tree with child below it. Too deep a tree is an error. */
void ast_deepen(struct dt_ctx *cx, dt_node_t *n, const dt_node_t *child);
/* Return a constant of a type. */
dt_node_t *ast_int(struct dt_ctx *cx, const dt_loc_t *loc, uint64_t value, const dt_type_t *type);
/* Return n converted to type, n itself if it has that type. */
dt_node_t *ast_cast(struct dt_ctx *cx, dt_node_t *n, const dt_type_t *type);
/* Return a copy of a list of unchecked nodes, and of all below them. */
dt_node_t *ast_copy(struct dt_ctx *cx, const dt_node_t *list);
/*
 * Return the pointer of which the checked node n is the translation, since only that can be NULL;
 * return n if it is no translated pointer.
 */
dt_node_t *ast_translated(dt_node_t *n);
/*
 * Return the variable of the program of which the checked node n is a part or, with pointer, to a
 * part of which n points; NULL if there is none.
 */
dt_node_t *ast_root(dt_node_t *n, bool pointer);
/*
 * Return whether the memory of such a variable is a copy wherever the variable is used: only
 * global and clause-local arrays and structures have an address, strings have none.
 */
bool ast_is_copied(const dt_node_t *root);
/* Return the length of a list. */
uint32_t ast_count(const dt_node_t *list);

#endif
