/* SPDX-License-Identifier: MIT */
/*
 * probe.c - probe descriptions: from text and to text, and the arguments of the probes that match.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_probe.h"
#include "compile.h"
#include "hint.h"
#include "../pid/pid.h"

/* ---- text ---- */

/* Return whether at is a colon that divides fields. Behind a backslash it is part of a name. */
static bool is_divider(const char *text, const char *at)
{
	return *at == ':' && (at == text || at[-1] != '\\');
}

int dtrace_str2desc(dtrace_hdl_t *dtp, dtrace_probespec_t spec, const char *text,
		    dtrace_probedesc_t *desc)
{
	char *fields[] = {desc->dtpd_provider, desc->dtpd_mod, desc->dtpd_func, desc->dtpd_name};
	static const size_t capacity[] = {DTRACE_PROVNAMELEN, DTRACE_MODNAMELEN, DTRACE_FUNCNAMELEN,
					  DTRACE_NAMELEN};
	const char *end = text + strlen(text);

	memset(desc, 0, sizeof(*desc));
	if (spec == DTRACE_PROBESPEC_NONE)
		return dt_set_errno(dtp, EDT_BADDESC);
	for (int i = spec;; i--) {
		const char *start = end;

		while (start > text && !is_divider(text, start - 1))
			start--;
		if (i < 0)
			return dt_set_error(dtp, EDT_BADDESC,
					    "probe description has too many fields: %s", text);
		if ((size_t)(end - start) >= capacity[i])
			return dt_set_error(dtp, EDT_BADDESC,
					    "field of probe description is too long: %.*s",
					    (int)(end - start), start);
		memcpy(fields[i], start, end - start);
		if (start == text)
			return 0;
		end = start - 1;
	}
}

char *dtrace_desc2str(const dtrace_probedesc_t *desc, char *text, size_t len)
{
	if (desc->dtpd_id != DTRACE_IDNONE)
		snprintf(text, len, "%u", desc->dtpd_id);
	else
		snprintf(text, len, "%s:%s:%s:%s", desc->dtpd_provider, desc->dtpd_mod,
			 desc->dtpd_func, desc->dtpd_name);
	return text;
}

/* ---- a description in a program ---- */

static bool probe_is_id(const char *text)
{
	for (; *text; text++)
		if (!isdigit((unsigned char)*text))
			return false;
	return true;
}

/*
 * Read the number of a probe. If the world can be asked, the probe must exist. Describe it by its
 * number, or by its names where the engines of the world have numbers of their own.
 */
static void probe_parse_id(dt_ctx_t *cx, const char *text, dtrace_probespec_t spec,
			   const dt_loc_t *loc, dtrace_probedesc_t *desc)
{
	unsigned long id = strtoul(text, NULL, 10);
	dtrace_probedesc_t found;

	if (id == 0 || id > INT32_MAX)
		dt_error(dt_hint(cx, "write an ID that dtrace -l shows"), loc, D_PDESC_INVAL,
			 "%s is not a probe ID", text);
	if (spec == DTRACE_PROBESPEC_PROVIDER || spec == DTRACE_PROBESPEC_MOD ||
	    spec == DTRACE_PROBESPEC_FUNC)
		dt_error(cx, loc, D_PDESC_INVAL,
			 "probe ID %s is not the name of a provider, module or function", text);
	if (cx->dtp->world && dtrace_id2desc(cx->dtp, (dtrace_id_t)id, &found) != 0)
		dt_error(dt_hint(cx, "%s",
				 dt_world_numbers(cx->dtp)
					 ? "dtrace -l lists the probe IDs"
					 : "each run of dtrace numbers the probes of programs by "
					   "itself: name the probe by -n instead"),
			 loc, D_PDESC_INVAL, "no probe with ID %s", text);
	if (dt_world_numbers(cx->dtp)) {
		desc->dtpd_id = (dtrace_id_t)id;
		return;
	}
	pid_escape(found.dtpd_provider, desc->dtpd_provider, sizeof(desc->dtpd_provider));
	pid_escape(found.dtpd_mod, desc->dtpd_mod, sizeof(desc->dtpd_mod));
	pid_escape(found.dtpd_func, desc->dtpd_func, sizeof(desc->dtpd_func));
	pid_escape(found.dtpd_name, desc->dtpd_name, sizeof(desc->dtpd_name));
}

/* Set the hint for a pid probe that does not exist, perhaps as its module is not mapped yet. */
static void probe_hint(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const struct dt_pid_error *err)
{
	bool any = !*desc->dtpd_mod || strpbrk(desc->dtpd_mod, "*?[");
	const char *hint = err->hint;

	if (err->fault != DT_PID_LIB && (err->fault != DT_PID_FUNC || !any)) {
		if (*hint)
			dt_hint(cx, "%s", hint);
		return;
	}
	if (!*hint)
		hint = err->fault == DT_PID_LIB ? "/proc/PID/maps shows its modules"
						: dt_tag_hint(D_PROC_FUNC);
	dt_hint(cx, "%s%s -Z waits for modules that are mapped later", hint, *err->hint ? "" : ";");
}

/* Register the probes of the pid provider that a description names. */
static void probe_register(dt_ctx_t *cx, dtrace_probedesc_t *desc, const dt_loc_t *loc)
{
	static const dt_tag_t tags[DT_PID_MAX] = {
		[DT_PID_BADPROV] = D_PROC_BADPROV,   [DT_PID_BADPID] = D_PROC_BADPID,
		[DT_PID_GRAB] = D_PROC_GRAB,	     [DT_PID_LIB] = D_PDESC_ZERO,
		[DT_PID_FUNC] = D_PROC_FUNC,	     [DT_PID_NAME] = D_PROC_NAME,
		[DT_PID_OFF] = D_PROC_OFF,	     [DT_PID_ALIGN] = D_PROC_ALIGN,
		[DT_PID_CREATE] = D_PROC_CREATEFAIL, [DT_PID_MOVED] = D_PROC_CREATEFAIL,
		[DT_PID_NODEV] = D_PROC_NODEV,
	};
	bool later = cx->flags & DTRACE_C_ZDEFS || dt_copt(cx->dtp, DT_COPT_ZDEFS);
	struct dt_pid_error err = {0};

	if (dt_pid_describe(cx->dtp, desc, later, &err) == 0)
		return;
	probe_hint(cx, desc, &err);
	dt_error(cx, loc, tags[err.fault], "%s", err.message);
}

void probe_parse(dt_ctx_t *cx, const char *text, const dt_loc_t *loc, dtrace_probedesc_t *desc)
{
	dtrace_probespec_t spec = cx->flags & DTRACE_C_PSPEC ? cx->spec : DTRACE_PROBESPEC_NAME;

	memset(desc, 0, sizeof(*desc));
	if (probe_is_id(text)) {
		probe_parse_id(cx, text, spec, loc, desc);
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

	return arena_strdup(&cx->tmp, dtrace_desc2str(desc, buf, sizeof(buf)));
}

/*
 * Refuse descriptions that match nothing, unless probes may come later, and those of many functions
 * to a provider that makes probes at the instructions of one: they would also match probes of
 * others.
 */
static void probe_check(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_loc_t *loc)
{
	if (dt_probe_is_broad(desc))
		dt_error(hint_probe(cx, desc), loc, D_PDESC_ZERO,
			 "probe description %s names no function", probe_text(cx, desc));
	if (clause_is_helper(desc) || cx->flags & DTRACE_C_ZDEFS || dt_copt(cx->dtp, DT_COPT_ZDEFS))
		return;
	errno = 0;
	if (dt_probe_args(cx->dtp, desc, NULL, 0) < 0 &&
	    (errno == ESRCH || dt_probe_failure(desc, errno)))
		dt_error(hint_probe(cx, desc), loc, D_PDESC_ZERO,
			 "probe description %s does not match any probes", probe_text(cx, desc));
}

void probe_create(dt_ctx_t *cx, dtrace_probedesc_t *desc, const dt_loc_t *loc)
{
	probe_register(cx, desc, loc);
	probe_check(cx, desc, loc);
}

/* ---- args[] ---- */

void probe_args_init(const dtrace_probedesc_t *descs, uint32_t ndescs, dt_clause_args_t *args)
{
	memset(args, 0, sizeof(*args));
	args->descs = descs;
	args->ndescs = ndescs;
}

/* Return the provider's type of an argument. */
static dt_argtype_t probe_argtype(dt_ctx_t *cx, const dtrace_argdesc_t *arg)
{
	dt_argtype_t t = {0}, x = {0};

	if (!arg->dtargd_native[0])
		return (dt_argtype_t){.type = &type_long, .untyped = true};
	t.type = decl_type_text(cx, arg->dtargd_native);
	if (!arg->dtargd_xlate[0])
		return t;
	x.type = decl_type_text(cx, arg->dtargd_xlate);
	x.native = type_same(x.type, t.type) ? NULL : t.type;
	x.untold = x.native && !translator_exists(cx, x.type, x.native);
	if (x.untold && type_assignable(x.type, x.native))
		x = (dt_argtype_t){.type = x.type};
	return x;
}

static bool probe_argtype_same(const dt_argtype_t *a, const dt_argtype_t *b)
{
	if (a->untold != b->untold || a->untyped != b->untyped || !a->native != !b->native ||
	    (a->native && !type_same(a->native, b->native)))
		return false;
	return type_same(a->type, b->type);
}

/*
 * Merge the types of a probe's arguments with those of earlier probes. If the types of an argument
 * differ, it is an integer.
 */
static void probe_merge(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_argtype_t *types,
			uint32_t n)
{
	dt_clause_args_t *args = cx->args;

	if (!args->known)
		memcpy(args->args, types, n * sizeof(*types));
	if (!args->known || n < args->n) {
		args->n = n;
		args->probe = probe_text(cx, desc);
	}
	for (uint32_t i = 0; i < args->n; i++)
		if (!probe_argtype_same(&args->args[i], &types[i]))
			args->args[i] = (dt_argtype_t){.type = &type_long};
	args->known = true;
}

/* The common properties of the probes of one description, during a walk. */
struct probe_set {
	dt_ctx_t *cx;
	dt_argtype_t types[DTRACE_USDT_MAXARGS];
	uint32_t n;
	bool any;
};

static bool probe_set_has(const struct probe_set *set, const dt_argtype_t *types, uint32_t n)
{
	if (n != set->n)
		return false;
	for (uint32_t i = 0; i < n; i++)
		if (!probe_argtype_same(&set->types[i], &types[i]))
			return false;
	return true;
}

/*
 * Add the types of a probe. Return 1, which ends the iteration, if they differ from those before.
 */
static int probe_set_add(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dt_argtype_t types[DTRACE_USDT_MAXARGS];
	struct probe_set *set = arg;
	dtrace_probeinfo_t info;

	if (dtrace_probe_info(dtp, desc, &info) != 0)
		return 0;
	set->cx->userland = info.dtp_privs && !(info.dtp_privs & DTRACE_PRIV_KERNEL);
	if (kernel_probe_is(desc)) {
		const dt_type_t *known[DTRACE_USDT_MAXARGS];
		int n = kernel_probe_args(set->cx, desc, known, DTRACE_USDT_MAXARGS);

		info.dtp_argc = n < 0 ? DTRACE_MAXARGS : (uint32_t)n;
		for (uint32_t i = 0; i < info.dtp_argc; i++)
			types[i] = n < 0 ? (dt_argtype_t){.type = &type_long, .untyped = true}
					 : (dt_argtype_t){.type = known[i]};
	} else {
		for (uint32_t i = 0; i < info.dtp_argc; i++)
			types[i] = probe_argtype(set->cx, &info.dtp_argv[i]);
	}
	set->cx->userland = false;
	if (set->any && !probe_set_has(set, types, info.dtp_argc)) {
		set->cx->args->multi = true;
		return 1;
	}
	memcpy(set->types, types, info.dtp_argc * sizeof(*types));
	set->n = info.dtp_argc;
	set->any = true;
	return 0;
}

/* Take the existing probes; if there are none, those of a provider declaration. */
static void probe_merge_desc(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	struct probe_set set = {.cx = cx};
	dtrace_probedesc_t named;
	int n = provider_args(cx, desc, set.types, DTRACE_USDT_MAXARGS);

	if (n >= 0) {
		set.n = (uint32_t)n;
		set.any = true;
	} else if (desc->dtpd_id == DTRACE_IDNONE) {
		dtrace_probe_iter(cx->dtp, desc, probe_set_add, &set);
	} else if (dtrace_id2desc(cx->dtp, desc->dtpd_id, &named) == 0) {
		probe_set_add(cx->dtp, &named, &set);
	}
	if (set.any)
		probe_merge(cx, desc, set.types, set.n);
}

const dt_clause_args_t *probe_args(dt_ctx_t *cx)
{
	dt_clause_args_t *args = cx->args;

	if (args->asked)
		return args;
	args->asked = true;
	args->probe = probe_text(cx, args->descs);
	for (uint32_t i = 0; i < args->ndescs; i++)
		probe_merge_desc(cx, &args->descs[i]);
	return args;
}
