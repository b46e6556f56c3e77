/* SPDX-License-Identifier: MIT */
/*
 * kernel_probe.c - the types of arguments of the kernel's own probes, from the kernel's type
 * information: of the function whose entry or return is a probe of fbt, or of the tracepoint of a
 * probe of sdt.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kernel_probe.h"
#include "kernel.h"

static bool kernel_probe_is_fbt(const dtrace_probedesc_t *desc)
{
	return strcmp(desc->dtpd_provider, "fbt") == 0 &&
	       (strcmp(desc->dtpd_name, "entry") == 0 || strcmp(desc->dtpd_name, "return") == 0);
}

/*
 * Return whether a probe is a tracepoint of the kernel. Probes of sdt with names of other systems
 * have a hyphen in the name, and their types come from the provider.
 */
static bool kernel_probe_is_tracepoint(const dtrace_probedesc_t *desc)
{
	return (strcmp(desc->dtpd_provider, "sdt") == 0 && !strchr(desc->dtpd_name, '-')) ||
	       strcmp(desc->dtpd_provider, "rawtp") == 0;
}

bool kernel_probe_is(const dtrace_probedesc_t *desc)
{
	return kernel_probe_is_fbt(desc) || kernel_probe_is_tracepoint(desc);
}

/*
 * Set types to those of a function's parameters, up to the first struct that is passed by value: it
 * may take several registers or none. Return their number.
 */
static uint32_t kernel_probe_params(const dt_type_t *function, const dt_type_t **types,
				    uint32_t max)
{
	uint32_t n = 0;

	for (const dt_param_t *p = function->params; p && n < max; p = p->next) {
		dt_type_kind_t kind = type_resolve(p->type)->kind;

		if (kind == TYPE_STRUCT || kind == TYPE_UNION || kind == TYPE_FLOAT)
			break;
		types[n++] = p->type;
	}
	return n;
}

/* Set types to those of the arguments of a probe of fbt. Return their number, or -1. */
static int kernel_probe_function(dt_ctx_t *cx, const dtrace_probedesc_t *desc,
				 const dt_type_t **types, uint32_t max)
{
	const dt_type_t *function = kernel_function(cx, desc->dtpd_mod, desc->dtpd_func);
	dt_type_kind_t kind;

	if (!function)
		return -1;
	if (strcmp(desc->dtpd_name, "entry") == 0)
		return (int)kernel_probe_params(function, types, max);
	types[0] = &type_int;
	types[1] = function->base;
	kind = type_resolve(function->base)->kind;
	return kind == TYPE_VOID || kind == TYPE_STRUCT || kind == TYPE_UNION ? 1 : 2;
}

/*
 * Set types to those of the arguments of a tracepoint. The kernel declares a type for its handlers,
 * btf_trace_NAME, a pointer to a function whose first parameter is the handler's own. The few
 * structs that are passed by value fit into a register, whose bits are the argument. Return the
 * number of arguments, or -1.
 */
static int kernel_probe_tracepoint(dt_ctx_t *cx, const dtrace_probedesc_t *desc,
				   const dt_type_t **types, uint32_t max)
{
	const char *name = arena_printf(&cx->tmp, "btf_trace_%s", desc->dtpd_name);
	const dt_type_t *handler = kernel_type(cx, "", KTYPE_NAME, name);
	uint32_t n = 0;

	handler = handler ? type_resolve(handler) : NULL;
	handler = handler && handler->kind == TYPE_POINTER ? type_resolve(handler->base) : NULL;
	if (!handler || handler->kind != TYPE_FUNCTION || !handler->params)
		return -1;
	for (const dt_param_t *p = handler->params->next; p && n < max; p = p->next) {
		dt_type_kind_t kind = type_resolve(p->type)->kind;

		types[n++] = kind == TYPE_STRUCT || kind == TYPE_UNION ? &type_ulong : p->type;
	}
	return (int)n;
}

int kernel_probe_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_type_t **types,
		      uint32_t max)
{
	return kernel_probe_is_tracepoint(desc) ? kernel_probe_tracepoint(cx, desc, types, max)
						: kernel_probe_function(cx, desc, types, max);
}

int dt_kernel_probe_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_argdesc_t *args,
			 int max)
{
	const dt_type_t *types[DTRACE_USDT_MAXARGS];
	jmp_buf *outer = dtp->comp->arena.nomem; /* a program may be being compiled */
	dt_ctx_t *cx;
	volatile int n = -1;

	if (!kernel_probe_is(desc))
		return -1;
	cx = calloc(1, sizeof(*cx));
	if (!cx)
		return -1;
	*cx = (dt_ctx_t){.dtp = dtp, .comp = dtp->comp, .ast = &cx->tmp, .trying = true};
	cx->tmp.nomem = dtp->comp->arena.nomem = &cx->fail;
	if (setjmp(cx->fail) == 0)
		n = kernel_probe_args(cx, desc, types, (uint32_t)max);
	for (int i = 0; i < n; i++) {
		args[i].dtargd_id = desc->dtpd_id;
		args[i].dtargd_ndx = args[i].dtargd_mapping = i;
		args[i].dtargd_xlate[0] = '\0';
		dt_type_name(types[i], args[i].dtargd_native, sizeof(args[i].dtargd_native));
	}
	dtp->comp->arena.nomem = outer;
	arena_free(&cx->tmp);
	free(cx);
	return n;
}
