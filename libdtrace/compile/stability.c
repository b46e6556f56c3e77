/* SPDX-License-Identifier: MIT */
/* stability.c - the stability of a program: that of the least stable object that it names. */
#include <string.h>

#include "compile.h"
#include "stability.h"

const dtrace_attribute_t stability_language = DTRACE_ATTR(STABLE, STABLE, COMMON);

/* Stability of kernel symbols and their types, which the kernel may change at any time. */
static const dtrace_attribute_t stability_kernel = DTRACE_ATTR(PRIVATE, PRIVATE, UNKNOWN);

/* Stability of descriptions without a provider, and of unknown providers. */
const dtrace_pattr_t stability_unknown = {
	.dtpa_provider = DTRACE_ATTR(UNSTABLE, UNSTABLE, COMMON),
	.dtpa_mod = DTRACE_ATTR(UNSTABLE, UNSTABLE, COMMON),
	.dtpa_func = DTRACE_ATTR(UNSTABLE, UNSTABLE, COMMON),
	.dtpa_name = DTRACE_ATTR(UNSTABLE, UNSTABLE, COMMON),
	.dtpa_args = DTRACE_ATTR(UNSTABLE, UNSTABLE, COMMON),
};

static const struct {
	const char *name;
	dtrace_attribute_t attr;
} stability_names[] = {
	{"curthread", DTRACE_ATTR(STABLE, PRIVATE, COMMON)},
	{"ddi_pathname", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"mutex_owned", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"mutex_owner", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"mutex_type_adaptive", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"mutex_type_spin", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"rw_iswriter", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"rw_read_held", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
	{"rw_write_held", DTRACE_ATTR(EVOLVING, EVOLVING, COMMON)},
};

dtrace_attribute_t stability_of_name(const char *name)
{
	for (size_t i = 0; i < sizeof(stability_names) / sizeof(stability_names[0]); i++)
		if (strcmp(stability_names[i].name, name) == 0)
			return stability_names[i].attr;
	return stability_language;
}

static uint8_t stability_lesser(uint8_t a, uint8_t b)
{
	return a < b ? a : b;
}

/* Return the lesser of each of the three parts. */
static dtrace_attribute_t stability_least(dtrace_attribute_t a, dtrace_attribute_t b)
{
	return (dtrace_attribute_t){stability_lesser(a.dtat_name, b.dtat_name),
				    stability_lesser(a.dtat_data, b.dtat_data),
				    stability_lesser(a.dtat_class, b.dtat_class)};
}

/* ---- providers and descriptions ---- */

static bool stability_is_pattern(const char *name)
{
	return !*name || strpbrk(name, "*?[\\");
}

/*
 * Return the attributes of a provider: from a declaration in D, from the device, or, if both do not
 * know it, the least attributes.
 */
static dtrace_pattr_t stability_provider(dtrace_hdl_t *dtp, const char *name)
{
	const dtrace_pattr_t *declared = provider_attributes(dtp->comp, name);
	dtrace_providerdesc_t prov = {0};

	if (declared)
		return *declared;
	strncpy(prov.dtvd_name, name, sizeof(prov.dtvd_name) - 1);
	if (stability_is_pattern(name) || !dtp->world ||
	    dt_world_request(dtp, DTRACEIOC_PROVIDER, &prov) != 0)
		return stability_unknown;
	return prov.dtvd_attr;
}

/* Fields of a description that are empty or patterns do not count. */
dtrace_attribute_t dt_desc_stability(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc)
{
	dtrace_probedesc_t found = *desc;
	dtrace_pattr_t prov;
	dtrace_attribute_t least;

	if (desc->dtpd_id != DTRACE_IDNONE && dtrace_id2desc(dtp, desc->dtpd_id, &found) != 0)
		return stability_unknown.dtpa_provider;
	prov = stability_provider(dtp, found.dtpd_provider);
	least = prov.dtpa_provider;
	if (!stability_is_pattern(found.dtpd_mod))
		least = stability_least(least, prov.dtpa_mod);
	if (!stability_is_pattern(found.dtpd_func))
		least = stability_least(least, prov.dtpa_func);
	if (!stability_is_pattern(found.dtpd_name))
		least = stability_least(least, prov.dtpa_name);
	return least;
}

/* ---- expressions ---- */

/* Return the stability of a built-in variable. The provider gives that of its own variables. */
static dtrace_attribute_t stability_builtin(dt_ctx_t *cx, const dt_ident_t *id)
{
	const char *name = cx->args ? cx->args->descs->dtpd_provider : "";

	switch (id->id) {
	case DIF_VAR_ARGS:
		return stability_provider(cx->dtp, name).dtpa_args;
	case DIF_VAR_PROBEPROV:
		return stability_provider(cx->dtp, name).dtpa_provider;
	case DIF_VAR_PROBEMOD:
		return stability_provider(cx->dtp, name).dtpa_mod;
	case DIF_VAR_PROBEFUNC:
		return stability_provider(cx->dtp, name).dtpa_func;
	case DIF_VAR_PROBENAME:
		return stability_provider(cx->dtp, name).dtpa_name;
	default:
		return id->attr;
	}
}

static const char *stability_kind(const dt_ident_t *id)
{
	switch (id->kind) {
	case IDENT_ASSOC:
		return "associative array";
	case IDENT_BUILTIN_ARRAY:
		return "array";
	case IDENT_FUNC:
		return "function";
	case IDENT_INLINE:
		return "inline";
	default:
		return "scalar";
	}
}

static bool stability_is_less(dtrace_attribute_t a, dtrace_attribute_t b)
{
	return a.dtat_name < b.dtat_name || a.dtat_data < b.dtat_data ||
	       a.dtat_class < b.dtat_class;
}

static void stability_note(dt_ctx_t *cx, const dt_node_t *n, const char *kind, const char *name,
			   dtrace_attribute_t attr, dtrace_attribute_t *least)
{
	char text[64];

	*least = stability_least(*least, attr);
	if (dt_copt(cx->dtp, DT_COPT_AMIN) && !cx->library &&
	    stability_is_less(attr, cx->dtp->amin))
		dt_error(cx, &n->loc, D_ATTR_MIN,
			 "attributes for %s %s (%s) are less than predefined minimum", kind, name,
			 dtrace_attr2str(attr, text, sizeof(text)));
}

/* Handle the names in the node itself. */
static void stability_node(dt_ctx_t *cx, const dt_node_t *n, dtrace_attribute_t *least)
{
	const dt_ident_t *id = n->ident;

	if (n->flags & NODE_F_SYMBOL)
		stability_note(cx, n, "symbol", n->str, stability_kernel, least);
	else if (n->kind == NODE_FUNC)
		stability_note(cx, n, n->func->class == FUNC_ACTION ? "action" : "function",
			       n->func->name, stability_of_name(n->func->name), least);
	else if (id && id->kind != IDENT_PARAM)
		stability_note(cx, n, stability_kind(id), id->name,
			       id->kind == IDENT_BUILTIN || id->kind == IDENT_BUILTIN_ARRAY
				       ? stability_builtin(cx, id)
				       : id->attr,
			       least);
}

void stability_expr(dt_ctx_t *cx, const dt_node_t *n, dtrace_attribute_t *least)
{
	if (!n)
		return;
	stability_node(cx, n, least);
	stability_expr(cx, n->left, least);
	stability_expr(cx, n->right, least);
	stability_expr(cx, n->third, least);
	for (const dt_node_t *a = n->args; a; a = a->next)
		stability_expr(cx, a, least);
}
