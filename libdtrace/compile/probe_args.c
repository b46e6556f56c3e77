/* SPDX-License-Identifier: MIT */
/* probe_args.c - args[]: the arguments that the probes of a clause have in common. */
#include <string.h>

#include "kernel_probe.h"
#include "compile.h"

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
	/* the kernel's prototypes say which types a system call has */
	set->cx->userland =
		info.dtp_privs && !(info.dtp_privs & (DTRACE_PRIV_KERNEL | DTRACE_PRIV_USER));
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
		/* pointers that a system call has are the program's */
		for (uint32_t i = 0; info.dtp_privs & DTRACE_PRIV_USER && i < info.dtp_argc; i++)
			types[i].type = type_in_process(&set->cx->comp->arena, types[i].type);
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
