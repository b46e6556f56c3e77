/* SPDX-License-Identifier: MIT */
/* verify_program.c - check whether the engine accepts a program. */
#include <stdlib.h>

#include "engine.h"
#include "verify_program.h"

int verify_init(void)
{
	port_user_init(1);
	return dtrace_engine_init();
}

int verify_program(const void *dof, size_t size, char *text, size_t len)
{
	static const struct dtrace_cred root = {.privs = DTRACE_PRIV_ALL};
	dtrace_enable_io_t io = {0};
	dtrace_state_t *state;
	int rc;

	if (dtrace_state_create(&root, NULL, &state) != 0)
		abort();
	rc = dtrace_state_enable(state, dof, size, &io, text, len);
	dtrace_state_destroy(state);
	return rc;
}
