/* SPDX-License-Identifier: MIT */
/*
 * boundary.c - arguments of the probes at the entry and the return of functions of the kernel,
 * whose types are those of the function.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "boundary.h"
#include "kernel.h"

bool boundary_is(const dtrace_probedesc_t *desc)
{
	return strcmp(desc->dtpd_provider, "fbt") == 0 &&
	       (strcmp(desc->dtpd_name, "entry") == 0 || strcmp(desc->dtpd_name, "return") == 0);
}

/*
 * The parameters of a function up to the first that is passed by value as a struct: that one may
 * take several registers or none.
 */
static uint32_t boundary_params(const dt_type_t *function, const dt_type_t **types, uint32_t max)
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

int boundary_args(dt_ctx_t *cx, const dtrace_probedesc_t *desc, const dt_type_t **types,
		  uint32_t max)
{
	const dt_type_t *function = kernel_function(cx, desc->dtpd_mod, desc->dtpd_func);
	dt_type_kind_t kind;

	if (!function)
		return -1;
	if (strcmp(desc->dtpd_name, "entry") == 0)
		return (int)boundary_params(function, types, max);
	types[0] = &type_int;
	types[1] = function->base;
	kind = type_resolve(function->base)->kind;
	return kind == TYPE_VOID || kind == TYPE_STRUCT || kind == TYPE_UNION ? 1 : 2;
}

int dt_boundary_args(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, dtrace_argdesc_t *args,
		     int max)
{
	const dt_type_t *types[DTRACE_USDT_MAXARGS];
	jmp_buf *outer = dtp->comp->arena.nomem; /* a program may be being compiled */
	dt_ctx_t *cx;
	volatile int n = -1;

	if (!boundary_is(desc))
		return -1;
	cx = calloc(1, sizeof(*cx));
	if (!cx)
		return -1;
	*cx = (dt_ctx_t){.dtp = dtp, .comp = dtp->comp, .ast = &cx->tmp, .trying = true};
	cx->tmp.nomem = dtp->comp->arena.nomem = &cx->fail;
	if (setjmp(cx->fail) == 0)
		n = boundary_args(cx, desc, types, (uint32_t)max);
	for (int i = 0; i < n; i++) {
		args[i] = (dtrace_argdesc_t){
			.dtargd_id = desc->dtpd_id, .dtargd_ndx = i, .dtargd_mapping = i};
		dt_type_name(types[i], args[i].dtargd_native, sizeof(args[i].dtargd_native));
	}
	dtp->comp->arena.nomem = outer;
	arena_free(&cx->tmp);
	free(cx);
	return n;
}
