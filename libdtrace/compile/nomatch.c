/* SPDX-License-Identifier: MIT */
/* nomatch.c - which part of a probe description is to blame that it matches nothing. */
#include <errno.h>
#include <string.h>

#include "compile.h"
#include "foreign.h"
#include "nearest.h"

#define NOMATCH_FIELDS 4
#define NOMATCH_MOST   100000 /* probes whose names are compared */

static const char *const nomatch_words[] = {"provider", "module", "function", "probe"};

static char *nomatch_field(dtrace_probedesc_t *desc, int i)
{
	char *const fields[] = {desc->dtpd_provider, desc->dtpd_mod, desc->dtpd_func,
				desc->dtpd_name};

	return fields[i];
}

/* The description as far as its field i, the others empty. */
static dtrace_probedesc_t nomatch_upto(const dtrace_probedesc_t *desc, int i)
{
	dtrace_probedesc_t part = *desc;

	while (++i < NOMATCH_FIELDS)
		*nomatch_field(&part, i) = '\0';
	return part;
}

/* The first field with which there is no probe any more. */
static int nomatch_culprit(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	for (int i = 0; i < NOMATCH_FIELDS - 1; i++) {
		dtrace_probedesc_t part = nomatch_upto(desc, i);

		if (dt_probe_args(cx->dtp, &part, NULL, 0) < 0)
			return i;
	}
	return NOMATCH_FIELDS - 1;
}

/* A search for the nearest name in a field. */
typedef struct dt_nomatch {
	dt_ctx_t *cx;
	dt_nearest_t nearest;
	int field;
	uint32_t seen;
} dt_nomatch_t;

static int nomatch_try(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dt_nomatch_t *m = arg;
	dtrace_probedesc_t probe = *desc;
	const char *name = nomatch_field(&probe, m->field);

	(void)dtp;
	nearest_try(&m->nearest, name);
	if (m->nearest.name == name)
		m->nearest.name = pool_strdup(&m->cx->tmp, name);
	return ++m->seen == NOMATCH_MOST;
}

static const char *nomatch_nearest(dt_ctx_t *cx, const dtrace_probedesc_t *desc, int field)
{
	dtrace_probedesc_t before = nomatch_upto(desc, field - 1), wanted = *desc;
	dt_nomatch_t m = {.cx = cx, .field = field};

	nearest_begin(&m.nearest, nomatch_field(&wanted, field));
	dtrace_probe_iter(cx->dtp, &before, nomatch_try, &m);
	return m.nearest.name;
}

/* A provider of the pid provider: its probes are made when they are asked for. */
static bool nomatch_is_pid(const char *provider)
{
	return strncmp(provider, "pid", 3) == 0 && provider[3] &&
	       !provider[3 + strspn(provider + 3, "0123456789\\*")];
}

dt_ctx_t *nomatch_remedy(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	dtrace_probedesc_t wanted = *desc;
	int field = nomatch_culprit(cx, desc);
	const char *name = nomatch_field(&wanted, field), *near;

	if (nomatch_is_pid(desc->dtpd_provider))
		return dt_remedy(cx, "the process has no such function now: -Z waits for what it "
				     "maps later");
	if (field == 0 && foreign_provider(name))
		return dt_remedy(cx,
				 "this DTrace has no provider %s: it has profile, tick and those "
				 "of applications",
				 name);
	near = nomatch_nearest(cx, desc, field);
	if (near)
		return dt_remedy(cx, "there is no %s %s: did you mean %s?", nomatch_words[field],
				 name, near);
	return dt_remedy(cx,
			 "there is no %s %s: dtrace -l lists what there is, -Z allows what comes "
			 "later",
			 nomatch_words[field], name);
}
