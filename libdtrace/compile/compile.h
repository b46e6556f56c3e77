/* SPDX-License-Identifier: MIT */
/*
 * compile.h - the compiler as its own files see it, in the order in which a program travels:
 *
 *	cpp.c	-> lex.c (macro.c, pragma.c) -> parse.c (external.c, decl.c, tagged.c, type.c)
 *	-> check.c (binary.c, assign.c, array.c, function.c, translator.c) -> compile.c, action.c
 *	-> codegen.c -> regs.c -> dif_asm.c
 *
 * Functions that take a context do not return on errors, lack of memory among them: dt_error()
 * reports the error, its location and a hint (dt_hint(), hint.c), and compile.c catches it.
 *
 * The compiler's arena has the memory that the handle keeps (types, names), the program's arena has
 * its code, and the context's, which ends with the compilation, has the rest. Results of functions
 * are in one of them.
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
#define DT_TAG(tag, text, hint) tag,
#include "errors.def"
#undef DT_TAG
	D_MAX
} dt_tag_t;

/* The state that the programs of a handle share. */
struct dt_compiler {
	struct arena arena;
	dt_scope_t types;	  /* typedefs, and tags as "struct x" */
	dt_scope_t globals;	  /* dt_ident_t: variables, functions, inlines, enumerators */
	dt_scope_t selfs;	  /* thread-local variables */
	dt_scope_t providers;	  /* dt_provider_t: declared ones */
	dt_scope_t symbols;	  /* dt_type_t: of kernel symbols, as module`name or `name */
	struct dt_kernel *kernel; /* kernel.c; NULL until the first name of the kernel */
	struct dt_translator *translators; /* newest first */
	dt_made_t *made;		   /* of deferred text, newest first */
	uint32_t nextid[3];		   /* next number of a variable, by DIFV_SCOPE_* */
	uint16_t *spills;		   /* variables that registers are spilled to */
	uint32_t nspills;
	uint32_t nguards;     /* variables of ifs made so far */
	uint32_t gen;	      /* number of the compilation */
	dt_scope_t libraries; /* names of the compiled ones */
	bool libs_loaded;
};

/*
 * The outermost level of a program, in the order of its text: clauses, and, for dtrace -d,
 * declarations and pragmas as they are written.
 */
typedef struct dt_item {
	const char *text; /* declaration or pragma; NULL: a clause */
	dtrace_probedesc_t *descs;
	dt_loc_t *locs; /* of descs */
	uint32_t ndescs;
	dt_node_t *pred; /* or NULL */
	dt_node_t *stmts;
	struct dt_item *next;
} dt_item_t;

/* One compilation. */
typedef struct dt_ctx {
	dtrace_hdl_t *dtp;
	struct dt_compiler *comp;
	struct arena tmp;  /* ends with the compilation */
	struct arena *ast; /* where nodes go: tmp, or the compiler's arena */
	jmp_buf fail;
	dt_lexer_t lex;
	dt_token_t tok;	  /* the current token */
	dt_token_t ahead; /* the one after it, if has_ahead */
	bool has_ahead;
	uint32_t depth; /* of nested constructs */
	bool in_pred;	/* a / may end the predicate */
	uint32_t flags; /* DTRACE_C_* */
	dtrace_probespec_t spec;
	int argc;
	char *const *argv;
	uint64_t argused; /* macro arguments used, the first 64 */
	const char *file; /* name of what is compiled, or NULL: the text has none */
	bool script;	  /* it is a file, not words of the command line */
	const char *part; /* current part of a clause, for messages; NULL: none */
	bool library;	  /* a D library is being compiled */
	bool userland;	  /* names of types are those of a process, not the kernel's */
	bool trying;	  /* an error only answers a question, and is not reported */
	const char *hint; /* set by dt_hint for the next error; or NULL */
	char *errors;	  /* syntax errors so far, a line behind another; or NULL */
	uint32_t nerrors;
	bool undeclared;      /* one was in a declaration: other names may be unknown for it */
	bool errtype;	      /* the error is that a name is none of a type */
	char *message;	      /* of the last error ... */
	dt_tag_t errtag;      /* ... and its tag */
	dt_item_t *items;     /* parsed, but not compiled yet */
	dt_item_t **lastitem; /* where the next item goes */
	dtrace_prog_t *prog;
	dt_clause_t **tail;	     /* where the next clause goes */
	dt_scope_t assigned;	     /* global variables that clauses among items assign */
	dt_scope_t locals;	     /* clause-local variables */
	struct dt_pragma *pragmas;   /* pragmas whose name is not defined yet */
	struct dt_clause_args *args; /* the clause's args[], or NULL outside of clauses */
} dt_ctx_t;

/* ---- diag.c ---- */

/*
 * Report an error at loc (NULL: no location), and end the compilation. The hint beside the caret is
 * that of dt_hint(), or else that of the tag in errors.def.
 */
void dt_error(dt_ctx_t *cx, const dt_loc_t *loc, dt_tag_t tag, const char *format, ...)
	__attribute__((format(printf, 4, 5), noreturn));
/*
 * Return the text of the noted errors and of the current one, if there is any. The current error
 * may be the last noted one, which skipping its text has found again.
 */
char *dt_errors(dt_ctx_t *cx);
/* Set the hint of the next error, as in dt_error(dt_hint(cx, ...), ...). Return cx. */
dt_ctx_t *dt_hint(dt_ctx_t *cx, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Return the usual hint of a tag, from errors.def. */
const char *dt_tag_hint(dt_tag_t tag);

/* ---- macro.c ---- */

/*
 * Return the value of $name as a string; NULL if there is no such macro variable. Report an error
 * if the argument was not given.
 */
const char *macro_value(dt_ctx_t *cx, const char *name, const dt_loc_t *loc);
/* Set the hint for a name that is not that of a macro variable. Return cx. */
dt_ctx_t *macro_hint(dt_ctx_t *cx, const char *name);
/* Report script arguments that the program did not use. */
void macro_check_used(dt_ctx_t *cx);

/* ---- pragma.c ---- */

/* Carry out a line that begins with #; text is what follows it. */
void pragma_line(dt_ctx_t *cx, char *text, const dt_loc_t *loc);
/* Give a name that has been defined what earlier pragmas say of it. */
void pragma_apply(dt_ctx_t *cx, dt_ident_t *id);
/* Carry out pragmas of a word that is not the name of a variable, such as translator. */
void pragma_use(dt_ctx_t *cx, const char *word);
/* Report pragmas whose names were never defined. */
void pragma_check_used(dt_ctx_t *cx);

/* ---- cpp.c ---- */

/*
 * Return the output of the preprocessor for text, for the caller to free; NULL after
 * dt_set_error().
 */
char *cpp_run(dtrace_hdl_t *dtp, const char *file, const char *text);

/* ---- parse.c: recursive descent; each function moves cx->tok behind what it reads ---- */

/*
 * Parse the whole text. Declarations take effect at once; clauses become items, for
 * compile_clauses().
 */
void parse_program(dt_ctx_t *cx);
/* Add a declaration or pragma, whose text is in cx->tmp, to the items, for dtrace -d. */
void parse_keep_text(dt_ctx_t *cx, const char *text);
/* Parse an expression without commas at its outermost level. */
dt_node_t *parse_assign(dt_ctx_t *cx);
/*
 * Return the value of an integer constant expression. tag and what are for the error if it is none.
 */
int64_t parse_int(dt_ctx_t *cx, dt_tag_t tag, const char *what);
/* Read the next token. */
void parse_advance(dt_ctx_t *cx);
/* Return the kind of the token after the current one. */
dt_tok_t parse_ahead(dt_ctx_t *cx);
/* Return whether the current token is of a kind, and pass it if it is. */
bool parse_accept(dt_ctx_t *cx, dt_tok_t kind);
/* Pass a token of a kind; another one is an error. where: for the message. */
void parse_expect(dt_ctx_t *cx, dt_tok_t kind, const char *where);
/* Enter what may nest in itself. Too deep nesting is an error. */
void parse_enter(dt_ctx_t *cx);
/* Leave it. */
void parse_leave(dt_ctx_t *cx);

/* ---- decl.c: declarations ---- */

/* Return whether a token begins a type or declaration. */
bool decl_token(dt_ctx_t *cx, const dt_token_t *tok);
/* Return whether a word does. Types of the kernel count only if kernel is set. */
bool decl_word(dt_ctx_t *cx, const char *word, bool kernel);
/* Parse a type without a name, as in casts. */
const dt_type_t *decl_type_name(dt_ctx_t *cx);
/*
 * Return the type that a text names, type_unknown if it is not known. For the types of probes'
 * arguments.
 */
const dt_type_t *decl_type_text(dt_ctx_t *cx, const char *text);

/* Parse a declaration up to its semicolon, which stays the current token. (external.c) */
void external_parse(dt_ctx_t *cx);
/* Report a name that should be that of a type. */
void decl_no_type(dt_ctx_t *cx, const dt_loc_t *loc, const char *name) __attribute__((noreturn));

/* ---- ident.c: names of variables ---- */

/* Enter the built-in variables and functions. */
void ident_builtin(struct dt_compiler *comp);
/*
 * Return whether a global name exists. A clause among the items may assign it, and so declare it
 * when the clause is compiled.
 */
bool ident_exists(dt_ctx_t *cx, const char *name);
/* Return what a name means in a scope (DIFV_SCOPE_*), or NULL. */
dt_ident_t *ident_lookup(dt_ctx_t *cx, int scope, const char *name);
/*
 * Declare a name of a scope. The variable has no number for the engine yet.
 */
dt_ident_t *ident_declare(dt_ctx_t *cx, int scope, const char *name, dt_ident_kind_t kind,
			  const dt_type_t *type);
/* Give a variable its number. Too many variables are an error. */
void ident_number(dt_ctx_t *cx, dt_ident_t *id, const dt_loc_t *loc);
/* Return the aggregation of a name, made if it is new. */
dt_aggvar_t *ident_agg(dt_ctx_t *cx, const char *name);
/* Return the name of an aggregation as it is written in D. */
const char *ident_agg_text(dt_ctx_t *cx, const char *name);

/* ---- function.c: subroutines, actions, aggregating functions ---- */

typedef enum dt_func_class { FUNC_SUBR, FUNC_ACTION, FUNC_AGG } dt_func_class_t;

/*
 * Prototype: a letter for each argument. i integer; a address: pointer, array or string; l address
 * of a lock, with the information whether it spins; 4, 6 address of an IP address; s string; z
 * string or NULL; . anything, which is checked when the call is compiled. Behind | arguments are
 * optional; * at the end: more may follow.
 */
typedef struct dt_func {
	const char *name;
	const char *usage; /* its arguments, for people */
	dt_func_class_t class;
	uint16_t number;	 /* DIF_SUBR_*, DTRACEACT_* or DTRACEAGG_* */
	dt_stmt_kind_t stmt;	 /* of an action */
	const dt_type_t *result; /* type of the value */
	const char *proto;
	bool destructive;
} dt_func_t;

/* Return the function after f, the first for NULL, NULL after the last. */
const dt_func_t *function_next(const dt_func_t *f);
/* Set the hint to call a function with its arguments. Return cx. */
dt_ctx_t *function_hint(dt_ctx_t *cx, const dt_func_t *f);
/* Report a call with fewer arguments than least, or more than most. */
void function_bad_count(dt_ctx_t *cx, const dt_node_t *call, dt_tag_t tag, uint32_t least,
			uint32_t most) __attribute__((noreturn));
/* Check the arguments of a call, which are checked nodes, against the prototype. */
void function_check(dt_ctx_t *cx, dt_node_t *call);
/* Return whether a type is a pointer to a lock that spins. */
bool function_lock_spins(const dt_type_t *t);

/* ---- check.c: types of expressions ---- */

/* Give an expression and all below it their types. Return the node to use in its place. */
dt_node_t *check_expr(dt_ctx_t *cx, dt_node_t *n);
/* Report a call of what is no function; for a function of other DTraces, with the reason. */
void check_no_function(dt_ctx_t *cx, const dt_node_t *n) __attribute__((noreturn));
/* Check the nodes of a list as check_expr() does. */
dt_node_t *check_list(dt_ctx_t *cx, dt_node_t *list);
/*
 * Check an expression that is part of another one: it is no action and no aggregating function.
 * Whether its type fits is checked by the caller; void and type_dynamic fit nowhere.
 */
dt_node_t *check_value(dt_ctx_t *cx, dt_node_t *n);
/* Return n, converted for an assignment to type. what names the object in the message. */
dt_node_t *check_convert(dt_ctx_t *cx, dt_node_t *n, const dt_type_t *type, const char *what);
/*
 * Convert keys to the types of the first use, which sets *types and *ntypes. name is for messages.
 * Return the keys.
 */
dt_node_t *check_keys(dt_ctx_t *cx, dt_node_t *at, dt_node_t *keys, const dt_type_t ***types,
		      uint32_t *ntypes, const char *name);
/* Return whether the value of a checked node may be assigned to an object of a type. */
bool check_fits(const dt_type_t *type, const dt_node_t *n);
/* Return the size of a type in bytes, as a constant. */
dt_node_t *check_sizeof_type(dt_ctx_t *cx, const dt_loc_t *loc, const dt_type_t *t);
/* Return the name of a type, for messages. */
const char *check_type_text(dt_ctx_t *cx, const dt_type_t *t);
/* Return whether a node is the call of an action or aggregating function. */
bool check_is_action(const dt_node_t *n);

/* ---- fold.c: constants ---- */

/* Return the constant that an operator makes of constants, else n. */
dt_node_t *fold(dt_ctx_t *cx, dt_node_t *n);

/* ---- translator.c ---- */

typedef struct dt_translator {
	const dt_type_t *out, *in;
	dt_ident_t *param;
	const dt_deferred_t *head; /* of a D library's: the input, while in is NULL */
	struct dt_xlmember {
		const char *name;
		const dt_type_t *type;
		dt_node_t *body;
		dtrace_attribute_t attr;   /* how stable it is */
		const dt_deferred_t *text; /* of a D library's: while body is NULL */
		struct dt_xlmember *next;
	} * members;
	struct dt_translator *next;
} dt_translator_t;

/* Parse a translator declaration; the current token is the keyword. */
void translator_parse(dt_ctx_t *cx);
/* Return whether there is a translator from in to out, or to what out points to. */
bool translator_exists(dt_ctx_t *cx, const dt_type_t *out, const dt_type_t *in);
/* Return the translator of xlate node x, with all members parsed. */
dt_translator_t *translator_whole(dt_ctx_t *cx, const dt_node_t *x);
/* Return the expression of a member of xlate node x. */
dt_node_t *translator_member(dt_ctx_t *cx, dt_node_t *member, dt_node_t *x);

struct dt_argtype;

/* ---- provider.c: provider declarations; dtrace -h makes headers of them ---- */

/* Parse a provider declaration; the current token is the keyword. */
void provider_parse(dt_ctx_t *cx);
/*
 * Return the attributes of a declared provider, which may be changed; NULL if it is not declared.
 */
dtrace_pattr_t *provider_attributes(struct dt_compiler *comp, const char *name);
/*
 * Set args to the arguments that a declaration gives for a probe, at most max. Return their number,
 * -1 if the probe is not declared.
 */
int provider_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, struct dt_argtype *args, int max);

/* ---- probe_args.c: the arguments of probes ---- */

typedef struct dt_argtype {
	const dt_type_t *type;	 /* as the program sees it */
	const dt_type_t *native; /* as the probe has it, if it is translated */
	bool untold;		 /* there is no translator for it */
	bool untyped;		 /* the provider knows no type: an integer */
} dt_argtype_t;

typedef struct dt_clause_args {
	const dtrace_probedesc_t *descs;
	uint32_t ndescs;
	bool asked; /* the members below are set */
	bool known; /* n is the number of arguments */
	bool multi; /* probes of one description differ in their arguments */
	uint32_t n;
	dt_argtype_t args[DTRACE_USDT_MAXARGS];
	const char *probe; /* for messages */
} dt_clause_args_t;

/*
 * Return the arguments that the probes of the clause have in common. They are looked up by the
 * first call, since there may be many probes.
 */
const dt_clause_args_t *probe_args(dt_ctx_t *cx);

/* ---- compile.c: from a text to its clauses ---- */

/* The source of a compilation. */
typedef struct dt_source {
	const char *file;	 /* or NULL: it is no file's */
	const char *text;	 /* a D library's and its file stay: parts of it are read later */
	dtrace_probespec_t spec; /* what a description of one part names */
	uint32_t flags;		 /* DTRACE_C_* */
	int argc;
	char *const *argv; /* the macro arguments */
	bool library;
} dt_source_t;

/*
 * Compile a text, and set *progp to its program, NULL for a D library and on errors. Return 0; -1
 * with an error in the handle; 1 if a D library depends on what does not exist.
 */
int compile_run(dtrace_hdl_t *dtp, const dt_source_t *src, dtrace_prog_t **progp);
/* Parse a probe description. No probe is made. */
void probe_parse(dt_ctx_t *cx, const char *text, const dt_loc_t *loc, dtrace_probedesc_t *desc);
/* Return a description as text, in the memory of the compilation. */
const char *probe_text(dt_ctx_t *cx, const dtrace_probedesc_t *desc);
/*
 * Make the probes of all clauses among the items, then compile the clauses. No items are left.
 */
void compile_clauses(dt_ctx_t *cx);

/* The prefix of variables that hold the conditions of ifs. */
#define CLAUSE_GUARD "__if"

/* ---- helper.c: clauses of dtrace:helper ---- */

/*
 * Return whether a description is that of a ustack helper, such as dtrace:helper:ustack:. Such a
 * description is not of a probe: the engine runs these clauses of an application to name its
 * frames.
 */
bool clause_is_helper(const dtrace_probedesc_t *desc);
/* Report D_HELPER_ACT at loc if a helper may not have these instructions. */
void helper_check(dt_ctx_t *cx, const dt_loc_t *loc, const dt_difo_t *difo);

/* ---- action.c: statements ---- */

/* dt_clause.does: what the actions of a clause so far are. */
#define DOES_DATA      0x1 /* something is recorded */
#define DOES_SPECULATE 0x2
#define DOES_COMMIT    0x4

/*
 * Compile a statement, which is an action, an aggregation or an expression, to a dt_stmt_t of the
 * clause.
 */
void action_compile(dt_ctx_t *cx, dt_clause_t *clause, dt_node_t *expr);

/* ---- codegen.c ---- */

/* Return code that returns the value of a checked expression. */
dt_difo_t *codegen_difo(dt_ctx_t *cx, dt_node_t *expr);
/* Return code that evaluates a checked expression, and returns nothing. */
dt_difo_t *codegen_effect(dt_ctx_t *cx, dt_node_t *expr);

#endif
