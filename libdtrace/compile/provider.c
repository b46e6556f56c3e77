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
	char *name = pool_strdup(&cx->comp->pool, text), *out = name;

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
	p->args = pool_alloc(&cx->comp->pool, (n + 1) * sizeof(*p->args));
	for (uint32_t i = 0; params; params = params->next)
		p->args[i++] = params->type;
}

/* probe name(types) [: (types after translation)] ; The latter are what args[] is. */
static void provider_parse_probe(dt_ctx_t *cx, dt_provider_t *prov)
{
	dt_declared_probe_t *p = pool_alloc(&cx->comp->pool, sizeof(*p));
	dt_decl_t d;

	parse_expect(cx, TOK_PROBE, "in a provider");
	if (cx->tok.kind != TOK_IDENT)
		parse_unexpected(cx, "name of a probe");
	d = decl_declarator(cx, &type_void);
	if (!d.name || type_resolve(d.type)->kind != TYPE_FUNCTION)
		dt_error(cx, &d.loc, D_DECL_PROBE, "a probe is declared as probe name(types)");
	if (d.nparams > DTRACE_USDT_MAXARGS)
		dt_error(cx, &d.loc, D_DECL_PROBE, "a probe has at most %d arguments",
			 DTRACE_USDT_MAXARGS);
	p->name = provider_probe_name(cx, d.name);
	if (parse_accept(cx, TOK_COLON))
		d = decl_declarator(cx, &type_void);
	provider_set_args(cx, p, d.params, d.nparams);
	parse_expect(cx, TOK_SEMI, "after a probe");
	p->next = prov->probes;
	prov->probes = p;
}

void provider_parse(dt_ctx_t *cx)
{
	dt_provider_t *prov = pool_alloc(&cx->comp->pool, sizeof(*prov));

	parse_advance(cx);
	if (cx->tok.kind != TOK_IDENT)
		parse_unexpected(cx, "name of a provider");
	if (scope_lookup(&cx->comp->providers, cx->tok.str))
		dt_error(cx, &cx->tok.loc, D_PROV_REDECL, "provider %s is declared already",
			 cx->tok.str);
	prov->attr = stability_unknown;
	prov->name = scope_insert(&cx->comp->providers, &cx->comp->pool, cx->tok.str, prov);
	parse_advance(cx);
	parse_expect(cx, TOK_LBRACE, "before the probes");
	while (!parse_accept(cx, TOK_RBRACE))
		provider_parse_probe(cx, prov);
	if (cx->tok.kind != TOK_SEMI)
		parse_unexpected(cx, "';' after a provider");
	pragma_use(cx, prov->name);
}

dtrace_pattr_t *provider_attributes(struct dt_compiler *comp, const char *name)
{
	dt_provider_t *prov = scope_lookup(&comp->providers, name);

	return prov ? &prov->attr : NULL;
}

/* The declared provider that a description means: its name, followed by a process id or a star. */
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

	for (const dt_declared_probe_t *p = prov ? prov->probes : NULL; p; p = p->next) {
		if (strcmp(p->name, desc->dtpd_name) != 0)
			continue;
		for (uint32_t i = 0; i < p->nargs && i < (uint32_t)max; i++)
			args[i] = (dt_argtype_t){.type = p->args[i]};
		return (int)p->nargs;
	}
	return -1;
}
