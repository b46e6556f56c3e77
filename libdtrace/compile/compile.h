/* SPDX-License-Identifier: MIT */
/*
 * compile.h - the compiler as its own files see it, in the order in which a program travels:
 *
 *	cpp.c	-> lex.c (macro.c, pragma.c) -> parse.c (external.c, decl.c, tagged.c, type.c)
 *	-> check.c (binary.c, assign.c, array.c, function.c, translator.c) -> clause.c, action.c
 *	-> codegen.c -> regs.c -> dif_asm.c -> dof_write.c
 *
 * Errors are found anywhere; dt_error says what, where and what would be right (dt_hint;
 * hint.c) and does not return (compile.c catches it). Memory: what the handle keeps (types, names)
 * is in the compiler's arena, a program's code in the program's, all else in the context's, which
 * ends with the compilation.
 */
#ifndef DT_COMPILE_H
#define DT_COMPILE_H

#include <setjmp.h>

#include "../handle.h"
#include "../arena.h"
#include "ast.h"
#include "format.h"
#include "lex.h"
#include "scope.h"
#include "deferred.h"
#include "type.h"

typedef enum dt_tag {
#define DT_TAG(tag, text, hint)	tag,
#include "errors.def"
#undef DT_TAG
	D_MAX
} dt_tag_t;

/* What a handle's programs share. */
struct dt_compiler {
	struct arena arena;
	dt_scope_t types;		/* typedefs, and tags as "struct x" */
	dt_scope_t globals;		/* dt_ident_t: variables, functions, inlines, enumerators */
	dt_scope_t selfs;		/* thread-local variables */
	dt_scope_t providers;		/* dt_provider_t: declared ones */
	dt_scope_t symbols;		/* dt_type_t: of kernel symbols, as module`name or `name */
	struct dt_kernel *kernel;	/* kernel.c; NULL until the first name of the kernel */
	struct dt_translator *translators;	/* newest first */
	dt_made_t *made;		/* of deferred text, newest first */
	uint32_t nextid[3];		/* next number of a variable, by DIFV_SCOPE_* */
	uint16_t *spills;		/* variables that registers are spilled to */
	uint32_t nspills;
	uint32_t nguards;		/* variables of ifs made so far */
	uint32_t gen;			/* number of the compilation */
	dt_scope_t libraries;		/* names of those that have been compiled */
	bool libs_loaded;
};

/*
 * The outermost level of a program, in the order of its text: clauses, and, for dtrace -d,
 * declarations and pragmas as they are written.
 */
typedef struct dt_item {
	const char *text;		/* declaration or pragma; NULL: a clause */
	dtrace_probedesc_t *descs;
	dt_loc_t *locs;			/* of descs */
	uint32_t ndescs;
	dt_node_t *pred;		/* or NULL */
	dt_node_t *stmts;
	struct dt_item *next;
} dt_item_t;

/* One compilation. */
typedef struct dt_ctx {
	dtrace_hdl_t *dtp;
	struct dt_compiler *comp;
	struct arena tmp;			/* ends with the compilation */
	struct arena *ast;			/* where nodes go: tmp, or the compiler's arena */
	jmp_buf fail;
	dt_lexer_t lex;
	dt_token_t tok;			/* the current token */
	dt_token_t ahead;		/* the one after it, if has_ahead */
	bool has_ahead;
	uint32_t depth;			/* of nested constructs */
	bool in_pred;			/* a / may end the predicate */
	uint32_t flags;			/* DTRACE_C_* */
	dtrace_probespec_t spec;
	int argc;
	char *const *argv;
	uint64_t argused;		/* macro arguments used, the first 64 */
	const char *file;		/* name of what is compiled, or NULL: the text has none */
	bool script;			/* it is a file, not words of the command line */
	const char *region;		/* current part of a clause, for messages; NULL: none */
	bool library;			/* a D library is being compiled */
	bool userland;			/* names of types are those of a process, not the kernel's */
	bool trying;			/* an error only answers a question, and is not reported */
	const char *hint;		/* set by dt_hint for the next error; or NULL */
	char *errors;			/* syntax errors so far, a line behind another; or NULL */
	uint32_t nerrors;
	bool undeclared;		/* one was in a declaration: other names may be unknown for it */
	bool errtype;			/* the error is that a name is none of a type */
	char *message;		/* of the last error ... */
	dt_tag_t errtag;		/* ... and its tag */
	dt_item_t *items;		/* parsed, but not compiled yet */
	dt_item_t **lastitem;		/* where the next item goes */
	dtrace_prog_t *prog;
	dt_clause_t **tail;		/* where the next clause goes */
	dt_scope_t assigned;		/* global variables that clauses among items assign */
	dt_scope_t locals;		/* clause-local variables */
	struct dt_pragma *pragmas;	/* those that wait for their name to be defined */
	struct dt_clause_args *args;	/* the clause's args[], or NULL outside of clauses */
} dt_ctx_t;

/* ---- compile.c ---- */

/* What a compilation adds to, as it was before. */
typedef struct dt_mark {
	uint32_t types, globals, selfs, providers, libraries, symbols;
	struct dt_translator *translators;
	dt_made_t *made;
	dt_aggvar_t **aggvars;
} dt_mark_t;

/* compile_mark, compile_rollback - forget the names and types that are declared in between. */
dt_mark_t compile_mark(dtrace_hdl_t *dtp);
void compile_rollback(dtrace_hdl_t *dtp, const dt_mark_t *m);

/* ---- diag.c ---- */

/*
 * dt_error - report an error at loc (NULL: no location) and end the compilation; does not return.
 * format: the message. The hint beside the caret is that of dt_hint, or else that of the tag in
 * errors.def.
 */
void dt_error(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag, const char *format, ...)
	__attribute__((format(printf, 4, 5), noreturn));
/* dt_hint - set the hint of the next error, as in dt_error(dt_hint(cx, ...), ...). Returns cx. */
dt_ctx_t *dt_hint(dt_ctx_t *cx, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* ---- macro.c ---- */

/*
 * macro_value - value of $name as text; NULL: no such macro. Errors (argument not given) do not
 * return. In the context's memory.
 */
const char *macro_value(dt_ctx_t *cx, const char *name, const dt_loc_t *loc);
/* macro_hint - what to do where a name is none of a macro variable. */
dt_ctx_t *macro_hint(dt_ctx_t *cx, const char *name);
/* macro_check_used - complain of script arguments that the program did not use. */
void macro_check_used(dt_ctx_t *cx);

/* ---- pragma.c ---- */

/* pragma_line - carry out a line that begins with #; text is what follows it. */
void pragma_line(dt_ctx_t *cx, char *text, const dt_loc_t *loc);
/* pragma_apply - a name has been defined: give it what pragmas before said of it. */
void pragma_apply(dt_ctx_t *cx, dt_ident_t *id);
/* pragma_use - likewise a word that is not the name of a variable, such as translator. */
void pragma_use(dt_ctx_t *cx, const char *word);
/* pragma_check_used - complain of pragmas whose names were never defined. */
void pragma_check_used(dt_ctx_t *cx);

/* ---- cpp.c ---- */

/* cpp_run - text after the preprocessor has seen it, malloc'ed; NULL after dt_set_error. */
char *cpp_run(dtrace_hdl_t *dtp, const char *file, const char *text);

/* ---- parse.c: recursive descent; each function leaves cx->tok behind what it read ---- */

/*
 * parse_program - parse the whole text. Declarations take effect at once; clauses become items, for
 * clause_compile_all.
 */
void parse_program(dt_ctx_t *cx);
/*
 * parse_keep_text - add a declaration or pragma (text lives in cx->tmp) to the items, for dtrace
 * -d.
 */
void parse_keep_text(dt_ctx_t *cx, const char *text);
/* parse_assign - an expression without commas at its outermost level. */
dt_node_t *parse_assign(dt_ctx_t *cx);
/* parse_int - integer constant expression; tag and what are for those that are none. */
int64_t parse_int(dt_ctx_t *cx, dt_tag_t tag, const char *what);
void parse_advance(dt_ctx_t *cx);
/* parse_ahead - kind of the token after the current one. */
dt_tok_t parse_ahead(dt_ctx_t *cx);
bool parse_accept(dt_ctx_t *cx, dt_tok_t kind);
void parse_expect(dt_ctx_t *cx, dt_tok_t kind, const char *where);
/* parse_enter, parse_leave - around what may nest in itself. */
void parse_enter(dt_ctx_t *cx);
void parse_leave(dt_ctx_t *cx);

/* ---- decl.c: declarations ---- */

/*
 * decl_token - does that token begin a type or declaration? decl_word - does that word, if a type
 * of the kernel may be meant by it only with kernel?
 */
bool decl_token(dt_ctx_t *cx, const dt_token_t *tok);
bool decl_word(dt_ctx_t *cx, const char *word, bool kernel);
/* decl_type_name - a type without a name, as in casts. */
const dt_type_t *decl_type_name(dt_ctx_t *cx);
/*
 * decl_type_text - type that a text names; type_unknown if it cannot be told. For argument types of
 * probes.
 */
const dt_type_t *decl_type_text(dt_ctx_t *cx, const char *text);

/*
 * external_parse - a declaration up to its semicolon, which stays the current token. (external.c)
 */
void external_parse(dt_ctx_t *cx);
/* decl_no_type - complain of a name that should be a type's. */
void decl_no_type(dt_ctx_t *cx, const dt_loc_t *loc, const char *name) __attribute__((noreturn));

/* ---- ident.c: names of variables ---- */

/* ident_builtin - enter the built-in variables and functions. */
void ident_builtin(struct dt_compiler *comp);
/*
 * ident_exists - does a global name exist? A clause among the items may assign it, and so declare
 * it when the clause is compiled.
 */
bool ident_exists(dt_ctx_t *cx, const char *name);
/* ident_lookup - what a name means in a scope (DIFV_SCOPE_*); NULL if nothing. */
dt_ident_t *ident_lookup(dt_ctx_t *cx, int scope, const char *name);
/*
 * ident_declare - a new name of a global, thread-local or clause-local thing; not a number for the
 * engine.
 */
dt_ident_t *ident_declare(dt_ctx_t *cx, int scope, const char *name, dt_ident_kind_t kind,
			  const dt_type_t *type);
/* ident_number - give a variable its number. */
void ident_number(dt_ctx_t *cx, dt_ident_t *id, const dt_loc_t *loc);
/*
 * ident_agg - the aggregation of that name, made if need be. ident_agg_text - its name as written
 * in D.
 */
dt_aggvar_t *ident_agg(dt_ctx_t *cx, const char *name);
const char *ident_agg_text(dt_ctx_t *cx, const char *name);

/* ---- function.c: subroutines, actions, aggregating functions ---- */

typedef enum dt_func_class { FUNC_SUBR, FUNC_ACTION, FUNC_AGG } dt_func_class_t;

/*
 * Prototype: a letter per argument. i integer; a address: pointer, array or string; l address of a
 * lock, of which the engine is told whether it spins; 4, 6 address of an IP address; s string; z
 * string or NULL; . anything, which who compiles the call checks. After | optional ones; * at the
 * end: any more.
 */
typedef struct dt_func {
	const char *name;
	const char *usage;		/* its arguments, for people */
	dt_func_class_t class;
	uint16_t number;		/* DIF_SUBR_*, DTRACEACT_* or DTRACEAGG_* */
	dt_stmt_kind_t stmt;		/* of an action */
	const dt_type_t *result;	/* type of the value */
	const char *proto;
	bool destructive;
} dt_func_t;

/* function_next - table of all functions: the next after f, or the first; NULL at the end. */
const dt_func_t *function_next(const dt_func_t *f);
/* function_hint - it would be right to call the function with its arguments. */
dt_ctx_t *function_hint(dt_ctx_t *cx, const dt_func_t *f);
/* function_bad_count - complain of a call with fewer arguments than least or more than most. */
void function_bad_count(dt_ctx_t *cx, const dt_node_t *call, dt_tag_t tag, uint32_t least,
			uint32_t most) __attribute__((noreturn));
/* function_check - are these the arguments that the function takes? (checked nodes) */
void function_check(dt_ctx_t *cx, dt_node_t *call);
/* function_lock_spins - is it the type of a pointer to a lock that spins rather than sleeps? */
bool function_lock_spins(const dt_type_t *t);

/* ---- check.c: types of expressions ---- */

/* check_expr - type an expression and all below it; the node to use in its place. */
dt_node_t *check_expr(dt_ctx_t *cx, dt_node_t *n);
/* check_no_function - complain of a call of what is no function; other DTraces' are told why. */
void check_no_function(dt_ctx_t *cx, const dt_node_t *n) __attribute__((noreturn));
/* check_list - likewise the nodes of a list. */
dt_node_t *check_list(dt_ctx_t *cx, dt_node_t *list);
/*
 * check_value - check an expression that is part of another: no action, no aggregating function.
 * Whether its type suits (void and type_dynamic suit nothing) is for the other to see.
 */
dt_node_t *check_value(dt_ctx_t *cx, dt_node_t *n);
/* check_convert - n converted for an assignment to type; what names the place in the message. */
dt_node_t *check_convert(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type, const char *what);
/*
 * check_keys - fit keys to the types of the first use; *types is set by that. what, name: for
 * messages.
 */
dt_node_t *check_keys(dt_ctx_t *cx, dt_node_t *at, dt_node_t *keys, const dt_type_t ***types,
		      uint32_t *ntypes, const char *name);
/* check_fits - may the value of n (checked) be assigned to an object of that type? */
bool check_fits(const dt_type_t *type, const dt_node_t *n);
/* check_sizeof_type - size of a type, as a constant. */
dt_node_t *check_sizeof_type(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *t);
/* check_type_text - name of a type, for messages. In the context's memory. */
const char *check_type_text(dt_ctx_t *cx, const dt_type_t *t);
/* check_is_action - is it the call of an action or aggregating function? */
bool check_is_action(const dt_node_t *n);

/* ---- fold.c: constants ---- */

/* fold - the constant that an operator makes of constants, else n. */
dt_node_t *fold(dt_ctx_t *cx, dt_node_t *n);

/* ---- translator.c ---- */

typedef struct dt_translator {
	const dt_type_t *out, *in;
	dt_ident_t *param;
	const dt_deferred_t *head;	/* of a library's: the input, while in is NULL */
	struct dt_xlmember {
		const char *name;
		const dt_type_t *type;
		dt_node_t *body;
		dtrace_attribute_t attr;	/* how stable it is */
		const dt_deferred_t *text;	/* of a library's: while body is NULL */
		struct dt_xlmember *next;
	} *members;
	struct dt_translator *next;
} dt_translator_t;

/* translator_parse - a translator declaration; the current token is the keyword. */
void translator_parse(dt_ctx_t *cx);
/* translator_exists - is there a translator from in to out, or to what out points to? */
bool translator_exists(dt_ctx_t *cx, const dt_type_t *out, const dt_type_t *in);
/* translator_whole - the translator of xlate node x, all of its members read. */
dt_translator_t *translator_whole(dt_ctx_t *cx, const dt_node_t *x);
/* translator_member - the member str of xlate node x: expression to use. */
dt_node_t *translator_member(dt_ctx_t *cx, dt_node_t *member, dt_node_t *x);

struct dt_argtype;

/* ---- provider.c: provider declarations; who wants their header uses dtrace -h ---- */

/* provider_parse - a provider declaration; the current token is the keyword. */
void provider_parse(dt_ctx_t *cx);
/*
 * provider_attributes - of a declared provider, to be read or changed; NULL if it is not declared.
 */
dtrace_pattr_t *provider_attributes(struct dt_compiler *comp, const char *name);
/*
 * provider_args - arguments that a declaration gives for a probe; their number, or -1 if it is not
 * declared.
 */
int provider_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, struct dt_argtype *args, int max);

/* ---- probe.c: probe descriptions and the arguments of probes ---- */

typedef struct dt_argtype {
	const dt_type_t *type;		/* as the program sees it */
	const dt_type_t *native;	/* as the probe has it, if it is translated */
	bool untold;			/* it would be translated, but there is no translator */
	bool untyped;			/* the provider knows no type: an integer */
} dt_argtype_t;

typedef struct dt_clause_args {
	const dtrace_probedesc_t *descs;
	uint32_t ndescs;
	bool asked;			/* what follows has been found out */
	bool known;			/* n is how many there are */
	bool multi;			/* probes of one description differ in their arguments */
	uint32_t n;
	dt_argtype_t args[DTRACE_USDT_MAXARGS];
	const char *probe;		/* for messages */
} dt_clause_args_t;

/* probe_parse - convert a description from text. Creates no probe. */
void probe_parse(dt_ctx_t *cx, const char *text, const dt_loc_t *loc, dtrace_probedesc_t *desc);
/*
 * probe_create - register the probes of a description of the pid provider, whose module and name
 * become those of its probes. It is an error if a description, of any provider, matches no probe,
 * unless the program allows that (-Z).
 */
void probe_create(dt_ctx_t *cx, dtrace_probedesc_t *desc, const dt_loc_t *loc);
/* probe_args_init - begin a clause that has these descriptions. */
void probe_args_init(const dtrace_probedesc_t *descs, uint32_t ndescs, dt_clause_args_t *args);
/*
 * probe_args - the arguments that the probes of the clause have in common; found out when it is
 * first asked for, since there may be many probes.
 */
const dt_clause_args_t *probe_args(dt_ctx_t *cx);

/* ---- clause.c: clauses to actions ---- */

/*
 * clause_compile_all - create the probes that the clauses among the items ask for, then compile the
 * clauses. No items are left.
 */
void clause_compile_all(dt_ctx_t *cx);

/*
 * clause_is_helper - is it dtrace:helper:ustack: or the like? Those are no probes: applications
 * carry such clauses for the engine to run when it needs to know of them.
 */
bool clause_is_helper(const dtrace_probedesc_t *desc);
/* What the names of variables begin with that stand for the conditions of ifs. */
#define CLAUSE_GUARD	"__if"
/* helper_check - D_HELPER_ACT if a helper may not have that; loc: where it is in the program. */
void helper_check(dt_ctx_t *cx, const dt_loc_t *loc, const dt_difo_t *difo);

/* ---- action.c: statements ---- */

/* dt_clause.does: what the actions of a clause so far are. */
#define DOES_DATA	0x1		/* something is recorded */
#define DOES_SPECULATE	0x2
#define DOES_COMMIT	0x4

/*
 * action_compile - a statement that is an action, an aggregation or an expression becomes a
 * dt_stmt_t of the clause.
 */
void action_compile(dt_ctx_t *cx, dt_clause_t *clause, dt_node_t *expr);

/* ---- codegen.c ---- */

/* codegen_difo - code that returns the value of a checked expression. */
dt_difo_t *codegen_difo(dt_ctx_t *cx, dt_node_t *expr);
/* codegen_effect - code that evaluates it and returns nothing. */
dt_difo_t *codegen_effect(dt_ctx_t *cx, dt_node_t *expr);

#endif
