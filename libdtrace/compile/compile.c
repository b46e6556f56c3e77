/* SPDX-License-Identifier: MIT */
/*
 * compile.c - a compilation from its beginning to its end. After a failure, the names and types
 * that it declared are forgotten.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"
#include "kernel.h"
#include "library.h"

dt_mark_t compile_mark(dtrace_hdl_t *dtp)
{
	struct dt_compiler *c = dtp->comp;
	dt_mark_t m = {c->types.n,   c->globals.n,   c->selfs.n, c->providers.n, c->libraries.n,
		       c->symbols.n, c->translators, c->made,	 &dtp->aggvars};

	while (*m.aggvars)
		m.aggvars = &(*m.aggvars)->next;
	return m;
}

void compile_rollback(dtrace_hdl_t *dtp, const dt_mark_t *m)
{
	struct dt_compiler *c = dtp->comp;

	scope_rollback(&c->types, m->types);
	scope_rollback(&c->globals, m->globals);
	scope_rollback(&c->selfs, m->selfs);
	scope_rollback(&c->providers, m->providers);
	scope_rollback(&c->libraries, m->libraries);
	scope_rollback(&c->symbols, m->symbols);
	c->translators = m->translators;
	for (; c->made != m->made; c->made = c->made->next)
		*c->made->what = NULL;
	*m->aggvars = NULL;
}

static void compile_program(dt_ctx_t *cx, const char *text)
{
	lex_init(&cx->lex, cx->file, text, strlen(text), cx->flags & DTRACE_C_CTL);
	parse_program(cx);
	clause_compile_all(cx);
	if (!cx->prog->clauses && !(cx->flags & DTRACE_C_EMPTY))
		dt_error(cx, NULL, D_EMPTY, "the program has no clauses");
	pragma_check_used(cx);
	if (cx->library)
		scope_insert(&cx->comp->libraries, &cx->comp->arena, basename(cx->file), cx);
	else
		macro_check_used(cx);
}

/*
 * Give clauses and statements their numbers last: those of programs with errors must not be in the
 * tables.
 */
static int compile_register(dtrace_hdl_t *dtp, dtrace_prog_t *prog)
{
	for (dt_clause_t *c = prog->clauses; c; c = c->next) {
		c->id = ++dtp->nclauses;
		for (uint32_t i = 0; i < c->nstmts; i++) {
			c->stmts[i]->id = dt_stmt_register(dtp, c->stmts[i]);
			if (!c->stmts[i]->id)
				return -1;
		}
	}
	return 0;
}

static int compile_failed(dt_ctx_t *cx, int how)
{
	if (how == 2)
		return dt_set_errno(cx->dtp, ENOMEM);
	if (cx->library && cx->errtag == D_PRAGMA_DEPEND) {
		dt_debug(cx->dtp, "library %s is left out: %s", cx->file, cx->message);
		return 1;
	}
	if (cx->errors && cx->message)
		return dt_set_errmsg(cx->dtp,
				     arena_printf(&cx->tmp, "%s\n%s", cx->errors, cx->message));
	return dt_set_errmsg(cx->dtp, cx->errors ? cx->errors : cx->message);
}

/* Make the context of a program. Return NULL without memory. */
static dt_ctx_t *compile_context(dtrace_hdl_t *dtp, const dt_source_t *src)
{
	dtrace_prog_t *prog = calloc(1, sizeof(*prog));
	dt_ctx_t *cx = calloc(1, sizeof(*cx));

	if (!prog || !cx) {
		free(prog);
		free(cx);
		return NULL;
	}
	*cx = (dt_ctx_t){.dtp = dtp,
			 .comp = dtp->comp,
			 .ast = &cx->tmp,
			 .flags = src->flags,
			 .spec = src->spec,
			 .argc = src->argc,
			 .argv = src->argv,
			 .library = src->library,
			 .lastitem = &cx->items,
			 .prog = prog,
			 .tail = &prog->clauses,
			 .file = src->file,
			 .script = src->file};
	dtp->comp->gen++;
	cx->tmp.nomem = prog->arena.nomem = dtp->comp->arena.nomem = &cx->fail;
	return cx;
}

/* End a compilation. Return the program, or NULL if it failed. */
static dtrace_prog_t *compile_end(dt_ctx_t *cx, int rc)
{
	dtrace_prog_t *prog = cx->prog;

	if (rc || cx->library) {
		dt_prog_destroy(cx->dtp, prog);
		prog = NULL;
	}
	cx->comp->arena.nomem = NULL;
	arena_free(&cx->tmp);
	free(cx);
	return prog;
}

int compile_run(dtrace_hdl_t *dtp, const dt_source_t *src, dtrace_prog_t **progp)
{
	dt_mark_t mark = compile_mark(dtp);
	dt_ctx_t *cx = compile_context(dtp, src);
	int rc;

	*progp = NULL;
	if (!cx)
		return dt_set_errno(dtp, ENOMEM);
	rc = setjmp(cx->fail);
	if (rc == 0)
		compile_program(cx, src->text);
	else
		rc = compile_failed(cx, rc);
	if (rc == 0 && !cx->library)
		rc = compile_register(dtp, cx->prog);
	if (rc)
		compile_rollback(dtp, &mark);
	*progp = compile_end(cx, rc);
	return rc;
}

dtrace_prog_t *dt_compile(dtrace_hdl_t *dtp, const char *file, const char *text,
			  dtrace_probespec_t spec, uint32_t flags, int argc, char *const argv[])
{
	dtrace_prog_t *prog;
	char *cpp = NULL;

	if (!(flags & DTRACE_C_NOLIBS) && !dtp->comp->libs_loaded) {
		dtp->comp->libs_loaded = true;
		if (library_load(dtp) != 0)
			return NULL;
		deferred_libraries_end(dtp->comp);
	}
	if (flags & DTRACE_C_CPP) {
		cpp = cpp_run(dtp, file, text);
		if (!cpp)
			return NULL;
		text = cpp;
	}
	compile_run(dtp, &(dt_source_t){file, text, spec, flags, argc, argv, false}, &prog);
	free(cpp);
	return prog;
}

void dt_prog_destroy(dtrace_hdl_t *dtp, dtrace_prog_t *prog)
{
	for (dt_clause_t *c = prog->clauses; c; c = c->next)
		for (uint32_t i = 0; i < c->nstmts; i++)
			if (c->stmts[i]->id)
				dtp->stmts[c->stmts[i]->id - 1] = NULL;
	arena_free(&prog->arena);
	free(prog);
}

int dt_compiler_init(dtrace_hdl_t *dtp)
{
	struct dt_compiler *c = calloc(1, sizeof(*c));
	jmp_buf nomem;

	if (!c)
		return dt_set_errno(dtp, ENOMEM);
	dtp->comp = c;
	c->arena.nomem = &nomem;
	if (setjmp(nomem) != 0) {
		dt_compiler_fini(dtp);
		return dt_set_errno(dtp, ENOMEM);
	}
	type_declare_builtin(&c->types, &c->arena);
	ident_builtin(c);
	c->arena.nomem = NULL;
	return 0;
}

void dt_compiler_fini(dtrace_hdl_t *dtp)
{
	if (!dtp->comp)
		return;
	kernel_fini(dtp->comp);
	arena_free(&dtp->comp->arena);
	free(dtp->comp);
	dtp->comp = NULL;
	dtp->aggvars = NULL;
}
