/* SPDX-License-Identifier: MIT */
/*
 * probe.c - probe descriptions, and what is known of the arguments of the probes that they match.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

static bool probe_is_id(const char *text)
{
	for (; *text; text++)
		if (!isdigit((unsigned char)*text))
			return false;
	return true;
}

void probe_parse(dt_ctx_t *cx, const char *text, const dt_loc_t *loc, dtrace_probedesc_t *desc)
{
	dtrace_probespec_t spec = cx->flags & DTRACE_C_PSPEC ? cx->spec : DTRACE_PROBESPEC_NAME;

	memset(desc, 0, sizeof(*desc));
	if (probe_is_id(text)) {
		unsigned long id = strtoul(text, NULL, 10);

		if (id == 0 || id > INT32_MAX)
			dt_error(cx, loc, D_PDESC_INVAL, "%s is not the id of a probe", text);
		desc->dtpd_id = (dtrace_id_t)id;
		return;
	}
	if (spec == DTRACE_PROBESPEC_NONE)
		spec = DTRACE_PROBESPEC_NAME;
	if (dtrace_str2desc(cx->dtp, spec, text, desc) != 0)
		dt_error(cx, loc, D_PDESC_INVAL, "%s",
			 dtrace_errmsg(cx->dtp, dtrace_errno(cx->dtp)));
}

static const char *probe_text(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	char buf[DTRACE_FULLNAMELEN];

	return pool_strdup(&cx->tmp, dtrace_desc2str(desc, buf, sizeof(buf)));
}

/* What the probe's provider says of an argument. */
static dt_argtype_t probe_argtype(dt_ctx_t *cx, const dtrace_argdesc_t *arg)
{
	dt_argtype_t t = {.type = decl_type_text(cx, arg->dtargd_native)}, x;

	if (!arg->dtargd_xlate[0])
		return t;
	x.native = t.type;
	x.type = decl_type_text(cx, arg->dtargd_xlate);
	return type_same(x.type, x.native) || !translator_exists(cx, x.type, x.native)
		       ? (dt_argtype_t){.type = x.type}
		       : x;
}

/* The arguments of what one description matches; their number, or -1 if they are not known. */
static int probe_types(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_loc_t *loc,
		       dt_argtype_t *types)
{
	dtrace_argdesc_t args[DTRACE_USDT_MAXARGS];
	int n = provider_args(cx, desc, types, DTRACE_USDT_MAXARGS);
	bool zero_ok = cx->flags & DTRACE_C_ZDEFS || dt_copt(cx->dtp, DT_COPT_ZDEFS);

	if (n > 0 && zero_ok)
		return n;
	errno = 0;
	n = dt_probe_args(cx->dtp, desc, args, DTRACE_USDT_MAXARGS);
	if (n < 0 && errno == ESRCH && !zero_ok)
		dt_error(cx, loc, D_PDESC_ZERO, "probe description %s does not match any probe",
			 probe_text(cx, desc));
	for (int i = 0; i < n && i < DTRACE_USDT_MAXARGS; i++)
		types[i] = probe_argtype(cx, &args[i]);
	if (n <= 0)
		n = provider_args(cx, desc, types, DTRACE_USDT_MAXARGS);
	return n > 0 ? n : -1;
}

/* Where probes differ in an argument's type, it is an integer. */
static void probe_merge(dt_clause_args_t *args, const dt_argtype_t *types, uint32_t n)
{
	if (n < args->n)
		args->n = n;
	for (uint32_t i = 0; i < args->n; i++)
		if (!type_same(args->args[i].type, types[i].type) || args->args[i].native ||
		    types[i].native)
			args->args[i] = (dt_argtype_t){.type = &type_long};
}

void probe_args(dt_ctx_t *cx, const dtrace_probedesc_t *descs, uint32_t ndescs,
		const dt_loc_t *locs, dt_clause_args_t *args)
{
	dt_argtype_t types[DTRACE_USDT_MAXARGS];
	bool known = true;

	memset(args, 0, sizeof(*args));
	args->probe = probe_text(cx, descs);
	for (uint32_t i = 0; i < ndescs; i++) {
		int n = probe_types(cx, &descs[i], &locs[i], i ? types : args->args);

		if (n < 0)
			known = false;
		else if (i == 0)
			args->n = (uint32_t)n;
		else
			probe_merge(args, types, (uint32_t)n);
	}
	args->known = known;
}
