/* SPDX-License-Identifier: MIT */
/* helper.c - restrictions of the clauses of dtrace:helper, which a program carries with it. */
#include <string.h>
#include <dtrace/helper_dif.h>
#include "compile.h"

bool clause_is_helper(const dtrace_probedesc_t *desc)
{
	return strcmp(desc->dtpd_provider, "dtrace") == 0 && strcmp(desc->dtpd_mod, "helper") == 0;
}

void helper_check(dt_ctx_t *cx, const dt_loc_t *loc, const dt_difo_t *difo)
{
	for (uint32_t i = 0; i < difo->len; i++) {
		const char *why = dtrace_helper_objection(difo->text[i]);

		if (why)
			dt_error(dt_hint(cx, "a helper reads its process with copyin() and "
					     "copyinstr(), and keeps values in this-> variables"),
				 loc, D_HELPER_ACT, "%s", why);
	}
}
