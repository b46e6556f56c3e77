/* SPDX-License-Identifier: MIT */
/*
 * provider.c - provider declarations in D programs: they tell the types of args[] before any
 * process has the probes.
 */
#include <ctype.h>
#include <string.h>

#include "compile.h"
#include "decl.h"
#include "stability.h"
#include "diag.h"

typedef struct dt_declared_probe {
	const char *name; /* with - for __ */
	uint32_t nargs;
	const dt_type_t **args;
	struct dt_declared_probe *next;
} dt_declared_probe_t;

typedef struct dt_provider {
	const char *name;
	dtrace_pattr_t attr;
	dt_declared_probe_t *probes;
} dt_provider_t;

static char *provider_probe_name(dt_ctx_t *cx, const char *text)
{
	char *name = arena_strdup(&cx->comp->arena, text), *out = name;

	for (const char *p = name; *p; p++) {
		if (p[0] == '_' && p[1] == '_') {
			*out++ = '-';
			p++;
		} else {
			*out++ = *p;
		}
	}
	*out = '\0';
	return name;
}

static void provider_set_args(dt_ctx_t *cx, dt_declared_probe_t *p, const dt_decl_param_t *params,
			      uint32_t n)
{
	p->nargs = n;
	p->args = arena_alloc(&cx->comp->arena, (n + 1) * sizeof(*p->args));
	for (uint32_t i = 0; params; params = params->next)
		p->args[i++] = params->type;
}

static dt_declared_probe_t *provider_find(const dt_provider_t *prov, const char *name)
{
	for (dt_declared_probe_t *p = prov->probes; p; p = p->next)
		if (strcmp(p->name, name) == 0)
			return p;
	return NULL;
}

/* Read name(types). The name may be a keyword. */
static dt_decl_t provider_parse_proto(dt_ctx_t *cx)
{
	dt_decl_t d;

	if (cx->tok.kind != TOK_IDENT && cx->tok.kind < TOK_KW_FIRST)
		diag_no_name(cx, "name of a probe");
	cx->tok.kind = TOK_IDENT;
	if (parse_ahead(cx) != TOK_LPAREN) {
		parse_advance(cx);
		diag_unexpected(cx, "'(' and the types of the probe's arguments",
				"write probe NAME(); or probe NAME(int, char *);");
	}
	d = decl_declarator(cx, &type_void);
	if (d.nparams > DTRACE_USDT_MAXARGS)
		dt_error(cx, &d.loc, D_PROV_PRARGLEN, "probe %s has more than %d arguments", d.name,
			 DTRACE_USDT_MAXARGS);
	return d;
}

/*
 * Return the argument from which an argument after translation is made: the one of the same name,
 * or, without a name, at the same position.
 */
static const dt_decl_param_t *provider_native(const dt_decl_t *native, const char *name,
					      uint32_t at)
{
	for (const dt_decl_param_t *p = native->params; p; p = p->next)
		if (name ? p->name && strcmp(p->name, name) == 0 : at-- == 0)
			return p;
	return NULL;
}

static void provider_check_xlate(dt_ctx_t *cx, const dt_decl_t *native, const dt_decl_t *xlated)
{
	uint32_t i = 0;

	for (const dt_decl_param_t *x = xlated->params; x; x = x->next, i++) {
		const dt_decl_param_t *p = provider_native(native, x->name, i);

		if (!p)
			dt_error(cx, &xlated->loc, D_PROV_PRXLATOR,
				 "probe %s: argument %u after the colon matches no argument before "
				 "it",
				 native->name, i);
		if (!type_same(x->type, p->type) && !type_assignable(x->type, p->type) &&
		    !translator_exists(cx, x->type, p->type))
			dt_error(cx, &xlated->loc, D_PROV_PRXLATOR,
				 "probe %s, argument %u: there is no translator from %s to %s",
				 native->name, i, check_type_text(cx, p->type),
				 check_type_text(cx, x->type));
	}
}

static bool provider_same_args(const dt_declared_probe_t *a, const dt_declared_probe_t *b)
{
	if (a->nargs != b->nargs)
		return false;
	for (uint32_t i = 0; i < a->nargs; i++)
		if (!type_same(a->args[i], b->args[i]))
			return false;
	return true;
}

/*
 * Add a probe to a provider. If the provider was declared before, the probe must be the same as
 * before; otherwise it must be new.
 */
static void provider_add_probe(dt_ctx_t *cx, dt_provider_t *prov, dt_declared_probe_t *p,
			       bool again, const dt_loc_t *loc)
{
	const dt_declared_probe_t *old = provider_find(prov, p->name);

	if (again && (!old || !provider_same_args(old, p)))
		dt_error(cx, loc, D_PROV_INCOMPAT,
			 "provider %s was declared before without probe %s", prov->name, p->name);
	if (!again && old)
		dt_error(cx, loc, D_PROV_PRDUP, "probe %s is declared twice", p->name);
	if (old)
		return;
	p->next = prov->probes;
	prov->probes = p;
}

/* Read probe name(types) [: (types after translation)]; The latter types are those of args[]. */
static void provider_parse_probe(dt_ctx_t *cx, dt_provider_t *prov, bool again)
{
	dt_declared_probe_t *p = arena_alloc(&cx->comp->arena, sizeof(*p));
	dt_decl_t native, xlated;

	parse_expect(cx, TOK_PROBE, "in a provider");
	native = xlated = provider_parse_proto(cx);
	p->name = provider_probe_name(cx, native.name);
	if (parse_accept(cx, TOK_COLON)) {
		xlated = decl_declarator(cx, &type_void);
		provider_check_xlate(cx, &native, &xlated);
	}
	provider_set_args(cx, p, xlated.params, xlated.nparams);
	provider_add_probe(cx, prov, p, again, &native.loc);
	parse_expect(cx, TOK_SEMI, "after a probe");
}

static dt_provider_t *provider_new(dt_ctx_t *cx, const char *name, const dt_loc_t *loc)
{
	dt_provider_t *prov = arena_alloc(&cx->comp->arena, sizeof(*prov));
	size_t n = strlen(name);

	if (n >= DTRACE_PROVNAMELEN)
		dt_error(cx, loc, D_PROV_BADNAME,
			 "the name of a provider is longer than %d characters",
			 DTRACE_PROVNAMELEN - 1);
	if (isdigit((unsigned char)name[n - 1]))
		dt_error(cx, loc, D_PROV_BADNAME,
			 "the name of a provider cannot end with a digit: the process ID follows "
			 "it");
	prov->attr = stability_unknown;
	prov->name = scope_insert(&cx->comp->providers, &cx->comp->arena, name, prov);
	return prov;
}

void provider_parse(dt_ctx_t *cx)
{
	dt_provider_t *prov;
	bool again;

	parse_advance(cx);
	if (cx->tok.kind != TOK_IDENT)
		diag_no_name(cx, "name of a provider");
	prov = scope_lookup(&cx->comp->providers, cx->tok.str);
	again = prov;
	if (!again)
		prov = provider_new(cx, cx->tok.str, &cx->tok.loc);
	parse_advance(cx);
	parse_expect(cx, TOK_LBRACE, "before the probes");
	while (!parse_accept(cx, TOK_RBRACE))
		provider_parse_probe(cx, prov, again);
	if (cx->tok.kind != TOK_SEMI)
		diag_unexpected(cx, "';' after a provider", "write ; after the }");
	pragma_use(cx, prov->name);
}

dtrace_pattr_t *provider_attributes(struct dt_compiler *comp, const char *name)
{
	dt_provider_t *prov = scope_lookup(&comp->providers, name);

	return prov ? &prov->attr : NULL;
}

/*
 * Return the declared provider to which a description refers by its name and a process number or a
 * star.
 */
static const dt_provider_t *provider_of(dt_ctx_t *cx, const char *pattern)
{
	char name[DTRACE_PROVNAMELEN];
	size_t n = strlen(pattern);

	while (n > 0 && (isdigit((unsigned char)pattern[n - 1]) || pattern[n - 1] == '*'))
		n--;
	memcpy(name, pattern, n);
	name[n] = '\0';
	return scope_lookup(&cx->comp->providers, name);
}

int provider_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, dt_argtype_t *args, int max)
{
	const dt_provider_t *prov = provider_of(cx, desc->dtpd_provider);

	const dt_declared_probe_t *p = prov ? provider_find(prov, desc->dtpd_name) : NULL;

	if (!p)
		return -1;
	for (uint32_t i = 0; i < p->nargs && i < (uint32_t)max; i++)
		args[i] = (dt_argtype_t){.type = p->args[i]};
	return (int)p->nargs;
}
