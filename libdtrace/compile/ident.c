/* SPDX-License-Identifier: MIT */
/* ident.c - names of variables: built-in ones, and those of programs. */
#include <string.h>

#include "compile.h"
#include "stability.h"
#include "version.h"

static const struct {
	const char *name;
	uint16_t id;
	const dt_type_t *type;
} ident_vars[] = {
	{"arg0", DIF_VAR_ARG0, &type_long},
	{"arg1", DIF_VAR_ARG1, &type_long},
	{"arg2", DIF_VAR_ARG2, &type_long},
	{"arg3", DIF_VAR_ARG3, &type_long},
	{"arg4", DIF_VAR_ARG4, &type_long},
	{"arg5", DIF_VAR_ARG5, &type_long},
	{"arg6", DIF_VAR_ARG6, &type_long},
	{"arg7", DIF_VAR_ARG7, &type_long},
	{"arg8", DIF_VAR_ARG8, &type_long},
	{"arg9", DIF_VAR_ARG9, &type_long},
	{"caller", DIF_VAR_CALLER, &type_ulong},
	{"cpu", DIF_VAR_CPU, &type_int},
	{"curthread", DIF_VAR_CURTHREAD, &type_void_ptr},
	{"epid", DIF_VAR_EPID, &type_uint},
	{"errno", DIF_VAR_ERRNO, &type_int},
	{"execargs", DIF_VAR_EXECARGS, &type_string},
	{"execname", DIF_VAR_EXECNAME, &type_string},
	{"gid", DIF_VAR_GID, &type_uint},
	{"id", DIF_VAR_ID, &type_uint},
	{"ipl", DIF_VAR_IPL, &type_uint},
	{"jailname", DIF_VAR_JAILNAME, &type_string},
	{"jid", DIF_VAR_JID, &type_int},
	{"pid", DIF_VAR_PID, &type_int},
	{"ppid", DIF_VAR_PPID, &type_int},
	{"probefunc", DIF_VAR_PROBEFUNC, &type_string},
	{"probemod", DIF_VAR_PROBEMOD, &type_string},
	{"probename", DIF_VAR_PROBENAME, &type_string},
	{"probeprov", DIF_VAR_PROBEPROV, &type_string},
	{"stackdepth", DIF_VAR_STACKDEPTH, &type_uint},
	{"tid", DIF_VAR_TID, &type_int},
	{"timestamp", DIF_VAR_TIMESTAMP, &type_ulong},
	{"ucaller", DIF_VAR_UCALLER, &type_ulong},
	{"uid", DIF_VAR_UID, &type_uint},
	{"ustackdepth", DIF_VAR_USTACKDEPTH, &type_uint},
	{"vtimestamp", DIF_VAR_VTIMESTAMP, &type_ulong},
	{"walltimestamp", DIF_VAR_WALLTIMESTAMP, &type_long},
	{"zonename", DIF_VAR_ZONENAME, &type_string},
};

static dt_ident_t *ident_enter(struct dt_compiler *comp, dt_scope_t *scope, const char *name,
			       dt_ident_kind_t kind)
{
	dt_ident_t *id = arena_alloc(&comp->arena, sizeof(*id));

	id->kind = kind;
	id->attr = stability_language;
	id->gen = comp->gen;
	id->name = scope_insert(scope, &comp->arena, name, id);
	return id;
}

static void ident_enter_builtin(struct dt_compiler *comp, const char *name, dt_ident_kind_t kind,
				uint16_t number, const dt_type_t *type)
{
	dt_ident_t *id = ident_enter(comp, &comp->globals, name, kind);

	id->id = number;
	id->type = type;
	id->attr = stability_of_name(name);
	id->version = version_of_name(name);
}

static void ident_enter_function(struct dt_compiler *comp, const dt_func_t *f)
{
	dt_ident_t *id = ident_enter(comp, &comp->globals, f->name, IDENT_FUNC);

	id->func = f;
	id->attr = stability_of_name(f->name);
	id->version = version_of_name(f->name);
}

void ident_builtin(struct dt_compiler *comp)
{
	for (size_t i = 0; i < sizeof(ident_vars) / sizeof(ident_vars[0]); i++)
		ident_enter_builtin(comp, ident_vars[i].name, IDENT_BUILTIN, ident_vars[i].id,
				    ident_vars[i].type);
	ident_enter_builtin(comp, "args", IDENT_BUILTIN_ARRAY, DIF_VAR_ARGS, &type_long);
	ident_enter_builtin(comp, "regs", IDENT_BUILTIN_ARRAY, DIF_VAR_REGS, &type_ulong);
	ident_enter_builtin(comp, "uregs", IDENT_BUILTIN_ARRAY, DIF_VAR_UREGS, &type_ulong);
	for (const dt_func_t *f = function_next(NULL); f; f = function_next(f))
		ident_enter_function(comp, f);
	for (int i = 0; i < 3; i++)
		comp->nextid[i] = DIF_VAR_OTHER_UBASE;
}

static dt_scope_t *ident_scope(dt_ctx_t *cx, int scope)
{
	switch (scope) {
	case DIFV_SCOPE_THREAD:
		return &cx->comp->selfs;
	case DIFV_SCOPE_LOCAL:
		return &cx->locals;
	default:
		return &cx->comp->globals;
	}
}

/* Names newer than the version of D that a program asks for are not found. */
dt_ident_t *ident_lookup(dt_ctx_t *cx, int scope, const char *name)
{
	dt_ident_t *id = scope_lookup(ident_scope(cx, scope), name);

	if (id && id->version > dt_copt(cx->dtp, DT_COPT_VERSION) && !cx->library)
		return NULL;
	return id;
}

bool ident_exists(dt_ctx_t *cx, const char *name)
{
	return ident_lookup(cx, DIFV_SCOPE_GLOBAL, name) ||
	       (!cx->library && scope_lookup(&cx->assigned, name));
}

dt_ident_t *ident_declare(dt_ctx_t *cx, int scope, const char *name, dt_ident_kind_t kind,
			  const dt_type_t *type)
{
	dt_ident_t *id = ident_enter(cx->comp, ident_scope(cx, scope), name, kind);

	id->scope = (uint8_t)scope;
	id->type = type;
	if (kind != IDENT_PARAM)
		pragma_apply(cx, id);
	return id;
}

void ident_number(dt_ctx_t *cx, dt_ident_t *id, const dt_loc_t *loc)
{
	if (cx->comp->nextid[id->scope] > DIF_VAR_OTHER_MAX)
		dt_error(cx, loc, D_ID_OFLOW, "too many variables: %s exceeds the limit of %d",
			 id->name, DIF_VAR_OTHER_MAX - DIF_VAR_OTHER_UBASE + 1);
	id->id = (uint16_t)cx->comp->nextid[id->scope]++;
}

dt_aggvar_t *ident_agg(dt_ctx_t *cx, const char *name)
{
	dt_aggvar_t **tail = &cx->dtp->aggvars;
	uint32_t id = 1;

	for (; *tail; tail = &(*tail)->next, id++)
		if (strcmp((*tail)->name, name) == 0)
			return *tail;
	*tail = arena_alloc(&cx->comp->arena, sizeof(**tail));
	(*tail)->name = arena_strdup(&cx->comp->arena, name);
	(*tail)->id = id;
	return *tail;
}

const char *ident_agg_text(dt_ctx_t *cx, const char *name)
{
	return strcmp(name, "_") == 0 ? "@" : arena_printf(&cx->tmp, "@%s", name);
}
