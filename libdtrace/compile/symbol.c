/* SPDX-License-Identifier: MIT */
/* symbol.c - kernel symbols in expressions: module`name, or `name for a symbol of any module. */
#include <errno.h>
#include <string.h>

#include "check.h"
#include "hint.h"
#include "decl.h"
#include "unsupported.h"
#include "kernel.h"
#include "../symbols/kernel_symbol.h"
#include "../world.h"

/*
 * The address of a per-CPU variable is an offset in the area of each CPU. No other symbol is below.
 */
#define SYMBOL_LOWEST (1ULL << 63)
/* The kernel's array of the offsets of these areas. */
#define SYMBOL_PERCPU "__per_cpu_offset"
/* Prefix of inlines in D libraries that stand for variables of other kernels. */
#define SYMBOL_INLINE "__symbol_"

/* A symbol that a program names. */
typedef struct dt_symbol {
	const char *module; /* where it was found */
	uint64_t address;
	bool is_code;
	const dt_type_t *type; /* NULL: not known */
	uint64_t offsets;      /* address of the array of offsets, if it is per-CPU */
} dt_symbol_t;

static const struct {
	const char *name, *type;
} symbol_known[] = {
#define DT_SYMBOL(symbol, text) {#symbol, text},
#include "symbol.def"
#undef DT_SYMBOL
};

const char *symbol_split(dt_ctx_t *cx, const char *name, const char **module)
{
	const char *quote = strrchr(name, '`');

	*module = quote ? arena_memdup(&cx->tmp, name, (size_t)(quote - name)) : NULL;
	return quote ? quote + 1 : name;
}

static const char *symbol_text(dt_ctx_t *cx, const dt_node_t *n)
{
	return arena_printf(&cx->tmp, "%s`%s", n->str, n->left->str);
}

/* ---- types ---- */

/*
 * Return the type that a declaration of the program or of a D library gives to the module's symbol,
 * or to any symbol.
 */
static const dt_type_t *symbol_declared(dt_ctx_t *cx, const char *module, const char *name)
{
	const dt_type_t *t =
		scope_lookup(&cx->comp->symbols, arena_printf(&cx->tmp, "%s`%s", module, name));

	return t ? t : scope_lookup(&cx->comp->symbols, arena_printf(&cx->tmp, "`%s", name));
}

static const dt_type_t *symbol_well_known(dt_ctx_t *cx, const char *name)
{
	const dt_type_t *t;

	for (size_t i = 0; i < sizeof(symbol_known) / sizeof(symbol_known[0]); i++)
		if (strcmp(symbol_known[i].name, name) == 0) {
			t = decl_type_text(cx, symbol_known[i].type);
			return type_resolve(t)->complete ? t : NULL;
		}
	return NULL;
}

static const dt_type_t *symbol_variable(dt_ctx_t *cx, const dt_symbol_t *s, const char *name)
{
	const dt_type_t *t = symbol_declared(cx, s->module, name);

	if (!t)
		t = kernel_type(cx, s->module, KTYPE_VARIABLE, name);
	if (!t && strcmp(s->module, KERNEL_VMLINUX) == 0)
		t = symbol_well_known(cx, name);
	return t;
}

static const dt_type_t *symbol_function(dt_ctx_t *cx, const dt_symbol_t *s, const char *name)
{
	const dt_type_t *t = symbol_declared(cx, s->module, name);

	if (!t)
		t = kernel_type(cx, s->module, KTYPE_FUNCTION, name);
	return t ? t : type_function(&cx->comp->arena, &type_int, NULL, true);
}

/* ---- finding it ---- */

static void symbol_missing(dt_ctx_t *cx, const dt_node_t *n)
{
	const char *module = dt_world_lacks_kernel(cx->dtp);
	const char *why = module ? "" : dt_kernel_symbols_why(cx->dtp);

	if (module)
		dt_hint(cx, "%s", module);
	else if (*why)
		dt_hint(cx, "run dtrace as root, and see that kptr_restrict is not 2");
	else if (unsupported_symbol(n->left->str))
		dt_hint(cx, "%s", unsupported_symbol(n->left->str));
	else
		hint_symbol(
			dt_hint(cx, "/proc/kallsyms lists the symbols; -x knodefs allows others"),
			n->str, n->left->str);
	dt_error(cx, &n->loc, D_IDENT_UNDEF, "no kernel symbol named %s%s%s%s%s", n->left->str,
		 *n->str ? " in module " : "", n->str, *why ? ": " : "", why);
}

/* Refuse symbols in helpers, which applications carry from one machine and kernel to the next. */
static void symbol_check_helper(dt_ctx_t *cx, const dt_node_t *n)
{
	if (cx->args && cx->args->ndescs && clause_is_helper(cx->args->descs))
		dt_error(cx, &n->loc, D_SYM_BADREF, "%s: a helper cannot use symbols of the kernel",
			 symbol_text(cx, n));
}

/*
 * Find the offsets of the CPUs' copies of a per-CPU variable. A program means the copy of the CPU
 * on which the clause runs.
 */
static void symbol_percpu(dt_ctx_t *cx, const dt_node_t *n, dt_symbol_t *s)
{
	const char *module;
	bool is_code;

	if (!dt_kernel_symbol_find(cx->dtp, KERNEL_VMLINUX, SYMBOL_PERCPU, &s->offsets, &module,
				   &is_code))
		dt_error(dt_hint(cx, "take what arguments and curthread lead to, as in "
				     "curthread->se.cfs_rq; cpu, curcpu and curthread are the "
				     "CPU's own"),
			 &n->loc, D_SYM_BADREF,
			 "%s is a per-CPU variable, and the kernel has no " SYMBOL_PERCPU
			 " that says where the CPU's own is",
			 symbol_text(cx, n));
}

/*
 * Return the inline of a D library for a variable that only other kernels have. Return NULL if
 * there is none, or if the symbols that it reads are not known.
 */
static dt_ident_t *symbol_inline(dt_ctx_t *cx, const dt_node_t *n)
{
	const char *module = kernel_module(n->str);
	dt_ident_t *id;

	if ((*module && strcmp(module, KERNEL_VMLINUX) != 0) || dt_world_lacks_kernel(cx->dtp) ||
	    *dt_kernel_symbols_why(cx->dtp))
		return NULL;
	id = ident_lookup(cx, DIFV_SCOPE_GLOBAL,
			  arena_printf(&cx->tmp, SYMBOL_INLINE "%s", n->left->str));
	return id && id->kind == IDENT_INLINE ? id : NULL;
}

dt_ident_t *symbol_array(dt_ctx_t *cx, const dt_node_t *n)
{
	dt_ident_t *id = n->kind == NODE_SYMBOL ? symbol_inline(cx, n) : NULL;

	return id && id->nparams ? id : NULL;
}

/* Find a symbol. Return false if it does not exist. */
static bool symbol_find(dt_ctx_t *cx, const dt_node_t *n, dt_symbol_t *s)
{
	const char *name = n->left->str;

	symbol_check_helper(cx, n);
	if (!dt_kernel_symbol_find(cx->dtp, kernel_module(n->str), name, &s->address, &s->module,
				   &s->is_code)) {
		if (errno == ENOMEM)
			longjmp(cx->fail, 2);
		return false;
	}
	s->offsets = 0;
	if (s->address < SYMBOL_LOWEST)
		symbol_percpu(cx, n, s);
	s->type = s->is_code ? symbol_function(cx, s, name) : symbol_variable(cx, s, name);
	return true;
}

/*
 * Find a symbol, or report that it is missing. With option knodefs, a missing symbol is an integer
 * at address 0, so that reading it is a fault.
 */
static void symbol_need(dt_ctx_t *cx, const dt_node_t *n, dt_symbol_t *s)
{
	if (symbol_find(cx, n, s))
		return;
	if (!dt_copt(cx->dtp, DT_COPT_KNODEFS))
		symbol_missing(cx, n);
	*s = (dt_symbol_t){.module = n->str, .type = &type_long};
}

/* ---- using it ---- */

static dt_node_t *symbol_sum(dt_ctx_t *cx, dt_node_t *left, dt_node_t *right)
{
	dt_node_t *n = ast_op(cx, NODE_BINARY, TOK_ADD, &left->loc, left, right, NULL);

	n->type = left->type;
	return n;
}

/* Make the expression __per_cpu_offset[cpu] + s->address. */
static dt_node_t *symbol_own(dt_ctx_t *cx, const dt_node_t *n, const dt_symbol_t *s)
{
	dt_node_t *cpu = ast_new(cx, NODE_VAR, &n->loc), *index, *base;

	check_var_node(cpu, scope_lookup(&cx->comp->globals, "cpu"));
	index = ast_op(cx, NODE_BINARY, TOK_MUL, &n->loc, ast_cast(cx, cpu, &type_long),
		       ast_int(cx, &n->loc, sizeof(uint64_t), &type_long), NULL);
	index->type = &type_long;
	base = ast_op(cx, NODE_UNARY, TOK_MUL, &n->loc,
		      symbol_sum(cx,
				 ast_int(cx, &n->loc, s->offsets,
					 type_pointer(&cx->comp->arena, &type_ulong)),
				 index),
		      NULL, NULL);
	base->type = &type_ulong;
	return symbol_sum(cx, base, ast_int(cx, &n->loc, s->address, &type_ulong));
}

static dt_node_t *symbol_pointer(dt_ctx_t *cx, const dt_node_t *n, const dt_symbol_t *s)
{
	const dt_type_t *t = type_pointer(&cx->comp->arena, s->type ? s->type : &type_void);

	kernel_need(cx, &n->loc, symbol_text(cx, n));
	return s->offsets ? ast_cast(cx, symbol_own(cx, n, s), t)
			  : ast_int(cx, &n->loc, s->address, t);
}

dt_node_t *symbol_address(dt_ctx_t *cx, dt_node_t *n)
{
	dt_symbol_t s;

	symbol_need(cx, n, &s);
	return symbol_pointer(cx, n, &s);
}

static dt_node_t *symbol_value(dt_ctx_t *cx, const dt_node_t *n, const dt_symbol_t *s)
{
	dt_node_t *value = symbol_pointer(cx, n, s);

	if (!s->type)
		dt_error(dt_hint(cx, "cast its address, as in *(int *)&%s", symbol_text(cx, n)),
			 &n->loc, D_SYM_NOTYPES, "the type of %s is unknown%s", symbol_text(cx, n),
			 kernel_why(cx));
	if (type_resolve(s->type)->kind == TYPE_FUNCTION)
		return value;
	value = ast_op(cx, NODE_UNARY, TOK_MUL, &n->loc, value, NULL, NULL);
	value->type = s->type;
	value->flags |= NODE_F_SYMBOL;
	value->str = n->left->str;
	return value;
}

dt_node_t *symbol_check(dt_ctx_t *cx, dt_node_t *n)
{
	const dt_type_t *type;
	dt_ident_t *id;
	int64_t value;
	dt_symbol_t s;

	if (symbol_find(cx, n, &s))
		return symbol_value(cx, n, &s);
	if (kernel_enumerator(cx, n->str, n->left->str, &value, &type))
		return ast_int(cx, &n->loc, (uint64_t)value, type);
	id = symbol_inline(cx, n);
	if (id && !id->nparams)
		return inline_check(cx, n, id, NULL);
	symbol_need(cx, n, &s);
	return symbol_value(cx, n, &s);
}
