/* SPDX-License-Identifier: MIT */
/* macro.c - the values of macro variables: $pid, $target, $1 and others. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "hint.h"

static long macro_target(const dt_ctx_t *cx)
{
	return cx->dtp->target;
}

static long macro_egid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getegid();
}
static long macro_euid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)geteuid();
}
static long macro_gid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getgid();
}
static long macro_pgid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getpgrp();
}
static long macro_pid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getpid();
}
static long macro_ppid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getppid();
}
static long macro_sid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getsid(0);
}
static long macro_uid(const dt_ctx_t *cx)
{
	(void)cx;
	return (long)getuid();
}
/* Linux has no projects and tasks: all processes belong to number 0. */
static long macro_zero(const dt_ctx_t *cx)
{
	(void)cx;
	return 0;
}

static const struct {
	const char *name;
	long (*value)(const dt_ctx_t *cx);
} macros[] = {
	{"egid", macro_egid},	{"euid", macro_euid}, {"gid", macro_gid},
	{"pgid", macro_pgid},	{"pid", macro_pid},   {"ppid", macro_ppid},
	{"projid", macro_zero}, {"sid", macro_sid},   {"target", macro_target},
	{"taskid", macro_zero}, {"uid", macro_uid},
};

/* Return an argument of the script. $0 is the script's name. */
static const char *macro_argument(dt_ctx_t *cx, const char *name, const dt_loc_t *loc)
{
	unsigned long n = strtoul(name, NULL, 10);

	if (n < 64)
		cx->argused |= 1ULL << n;
	if (n < (unsigned long)cx->argc)
		return cx->argv[n];
	if (cx->flags & DTRACE_C_DEFARG || dt_copt(cx->dtp, DT_COPT_DEFAULTARGS))
		return loc->pos[1] == '$' ? "" : "0";
	dt_error(dt_hint(cx, "write it after the program, or use -x defaultargs, which makes it 0"),
		 loc, D_MACRO_UNDEF, "macro argument $%s is not given: %d argument%s", name,
		 cx->argc > 0 ? cx->argc - 1 : 0, cx->argc == 2 ? "" : "s");
}

static bool macro_is_number(const char *name)
{
	for (; *name; name++)
		if (!isdigit((unsigned char)*name))
			return false;
	return true;
}

const char *macro_value(dt_ctx_t *cx, const char *name, const dt_loc_t *loc)
{
	if (*name && macro_is_number(name))
		return macro_argument(cx, name, loc);
	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		if (strcmp(macros[i].name, name) == 0)
			return arena_printf(&cx->tmp, "%ld", macros[i].value(cx));
	return NULL;
}

dt_ctx_t *macro_hint(dt_ctx_t *cx, const char *name)
{
	const char *names[sizeof(macros) / sizeof(macros[0]) + 1] = {0};

	for (size_t i = 0; i < sizeof(macros) / sizeof(macros[0]); i++)
		names[i] = arena_printf(&cx->tmp, "$%s", macros[i].name);
	return hint_word(cx, arena_printf(&cx->tmp, "$%s", name), names);
}

void macro_check_used(dt_ctx_t *cx)
{
	if (dt_copt(cx->dtp, DT_COPT_ARGREF))
		return;
	for (int i = 1; i < cx->argc && i < 64; i++)
		if (!(cx->argused & 1ULL << i))
			dt_error(cx, NULL, D_MACRO_UNUSED,
				 "argument '%s' is not used: the program has no $%d", cx->argv[i],
				 i);
}
