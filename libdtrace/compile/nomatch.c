/* SPDX-License-Identifier: MIT */
/* nomatch.c - which part of a probe description is to blame that it matches nothing, and what to write. */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "unsupported.h"
#include "spell.h"

#define NOMATCH_FIELDS	4
#define NOMATCH_MOST	100000	/* probes whose names are compared */
#define NOMATCH_LISTED	160	/* characters of the list of providers */
#define NOMATCH_PREFIX	4	/* characters before a * from which on it is clear what is meant */

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
static int nomatch_culprit(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc)
{
	for (int i = 0; i < NOMATCH_FIELDS - 1; i++) {
		dtrace_probedesc_t part = nomatch_upto(desc, i);

		if (dt_probe_args(dtp, &part, NULL, 0) < 0)
			return i;
	}
	return NOMATCH_FIELDS - 1;
}

/* The length of a name without the number of a process at its end. */
static size_t nomatch_base(const char *name)
{
	size_t len = strlen(name);

	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	return len;
}

/* ---- the names that there are ---- */

/* A search for the nearest name in a field; of providers, also for what there is. */
typedef struct dt_nomatch {
	dt_spell_t spell;
	char wanted[DTRACE_FUNCNAMELEN]; /* before the first character of a pattern */
	const char *pattern;		 /* that, and what follows; "": a name is wanted */
	char best[DTRACE_FUNCNAMELEN + 1]; /* the nearest */
	int field;
	uint32_t seen;
	bool begun;			 /* some name begins as the pattern does: its rest is to blame */
	const char *process;		  /* of whose providers the list is; "": of all */
	char last[DTRACE_PROVNAMELEN];	  /* the provider seen before */
	char providers[NOMATCH_LISTED + 8];
} dt_nomatch_t;

/* Compare the first len characters of name; if they are the nearest, what is meant is these and tail. */
static void nomatch_compare(dt_nomatch_t *m, const char *name, size_t len, const char *tail)
{
	char start[DTRACE_FUNCNAMELEN];

	snprintf(start, sizeof(start), "%.*s", (int)len, name);
	spell_try(&m->spell, start);
	if (m->spell.name != start)
		return;
	snprintf(m->best, sizeof(m->best), "%s%s", start, tail);
	m->spell.name = m->best;
}

static bool nomatch_listed(const dt_nomatch_t *m, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = m->providers; (p = strstr(p, name)) != NULL; p++)
		if ((p == m->providers || p[-1] == ' ') && (p[len] == ',' || !p[len]))
			return true;
	return false;
}

/* Add a provider to the list: one of a process as NAME*, if the list is not that of the process. */
static void nomatch_list(dt_nomatch_t *m, const char *name)
{
	size_t base = nomatch_base(name), used = strlen(m->providers);
	char text[DTRACE_PROVNAMELEN + 1];

	if (*m->process && strcmp(name + base, m->process) != 0)
		return;
	if (*m->process || !name[base])
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "%.*s*", (int)base, name);
	if (nomatch_listed(m, text) || (used > 4 && strcmp(m->providers + used - 4, " ...") == 0))
		return;
	if (used + strlen(text) + 2 > NOMATCH_LISTED)
		snprintf(m->providers + used, sizeof(m->providers) - used, " ...");
	else
		snprintf(m->providers + used, sizeof(m->providers) - used, "%s%s", used ? ", " : "",
			 text);
}

static int nomatch_try(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dt_nomatch_t *m = arg;
	dtrace_probedesc_t probe = *desc;
	const char *name = nomatch_field(&probe, m->field);
	size_t len = strlen(name), wanted = strlen(m->wanted), base = nomatch_base(name);

	(void)dtp;
	if (!*m->pattern) {
		nomatch_compare(m, name, len, "");
	} else if (wanted >= NOMATCH_PREFIX) { /* a mistake makes it longer or shorter by one */
		m->begun |= strncmp(name, m->wanted, wanted) == 0;
		for (size_t n = wanted + 1; n >= wanted - 1; n--)
			if (n <= len)
				nomatch_compare(m, name, n, m->pattern);
	}
	if (m->field == 0) {
		if (base < len && !*m->pattern)
			nomatch_compare(m, name, base, "*");
		if (strcmp(m->last, name) != 0)
			nomatch_list(m, name);
		memcpy(m->last, probe.dtpd_provider, sizeof(m->last));
	}
	return ++m->seen == NOMATCH_MOST;
}

/* Search the names of a field among the probes that match the fields before it. */
static void nomatch_search(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, int field,
			   dt_nomatch_t *m)
{
	dtrace_probedesc_t before = nomatch_upto(desc, field - 1), wanted = *desc;
	const char *name = nomatch_field(&wanted, field);
	size_t plain = strcspn(name, "*?[\\");

	*m = (dt_nomatch_t){.field = field, .process = ""};
	snprintf(m->wanted, sizeof(m->wanted), "%.*s", (int)plain, name);
	m->pattern = name + plain;
	if (field == 0 && !*m->pattern && nomatch_base(name))
		m->process = name + nomatch_base(name);
	spell_begin(&m->spell, m->wanted);
	dtrace_probe_iter(dtp, field == 0 ? NULL : &before, nomatch_try, m);
	m->pattern = m->process = "";
	if (m->begun)
		m->spell.name = NULL;
}

/* ---- what to say of them ---- */

/* A provider of the pid provider: its probes are made when they are asked for. */
static bool nomatch_is_pid(const char *provider)
{
	return strncmp(provider, "pid", 3) == 0 && provider[3] &&
	       !provider[3 + strspn(provider + 3, "0123456789\\*")];
}

/*
 * A probe of the profile provider, which has any that is within its limits: its name tells whether it
 * is. False: it is another's, or nothing is wrong with it.
 */
static bool nomatch_timer(const dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len)
{
	static const struct {
		const char *names[2];
		uint64_t ns; /* 0: times a second */
	} units[] = {
		{{"", "hz"}, 0},
		{{"ns", "nsec"}, 1},
		{{"us", "usec"}, 1000},
		{{"ms", "msec"}, 1000000},
		{{"s", "sec"}, 1000000000},
		{{"m", "min"}, 60000000000},
		{{"h", "hour"}, 3600000000000},
		{{"d", "day"}, 86400000000000},
	};
	const char *name = desc->dtpd_name, *number = name + strcspn(name, "-") + 1;
	uint64_t n, interval = 0, ns = UINT64_MAX;
	char *unit;

	if ((strncmp(name, "tick-", 5) != 0 && strncmp(name, "profile-", 8) != 0) ||
	    strpbrk(name, "*?[\\") || *desc->dtpd_mod || *desc->dtpd_func ||
	    (*desc->dtpd_provider && strcmp(desc->dtpd_provider, "profile") != 0))
		return false;
	n = strtoull(number, &unit, 10);
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].names[0], unit) == 0 || strcmp(units[i].names[1], unit) == 0)
			ns = units[i].ns;
	if (!isdigit((unsigned char)*number) || !n || ns == UINT64_MAX) {
		snprintf(text, len,
			 "write a number and a unit, as in %.*s10ms: units are hz, which may be left out, ns, "
			 "us, ms, s, m, h and d", (int)(number - name), name);
		return true;
	}
	interval = !ns ? 1000000000 / n : n > UINT64_MAX / ns ? UINT64_MAX : n * ns;
	if (interval < DTRACE_PROFILE_INTERVAL_MIN || interval > DTRACE_PROFILE_INTERVAL_MAX)
		snprintf(text, len, "%s is beyond the limits: at most %lluhz, which is every %lluus; at least "
				    "once in %llu days",
			 name, 1000000000 / DTRACE_PROFILE_INTERVAL_MIN, DTRACE_PROFILE_INTERVAL_MIN / 1000,
			 DTRACE_PROFILE_INTERVAL_MAX / 86400000000000);
	else if (!(dtp->conf.dtc_privs & (DTRACE_PRIV_KERNEL | DTRACE_PRIV_USER)))
		snprintf(text, len,
			 "probes of the provider profile need the right dtrace_user or dtrace_kernel, which you "
			 "do not have: root gives it in /etc/dtrace/policy, see dtrace-policy(8)");
	else
		return false;
	return true;
}

/* Is there a process of that number? A pattern stands for some. */
static bool nomatch_runs(const char *number)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s", number);
	return number[strspn(number, "0123456789")] || access(path, F_OK) == 0;
}

/* There is no such provider. */
static void nomatch_provider(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len)
{
	const char *name = desc->dtpd_provider;
	size_t base = nomatch_base(name), wanted = strlen(name);
	dt_nomatch_t m;

	nomatch_search(dtp, desc, 0, &m);
	if (m.spell.name && base == wanted && strlen(m.best) == wanted + 1 &&
	    strncmp(m.best, name, wanted) == 0)
		snprintf(text, len,
			 "names of a program's providers end in the number of its process: write %s*::: "
			 "for all, %s$target::: for that of -c or -p", name, name);
	else if (unsupported_provider(name))
		snprintf(text, len, "this DTrace has no provider %s: it has %s", name, m.providers);
	else if (base < wanted && base && !strpbrk(name, "*?[") && !m.spell.name)
		snprintf(text, len, *m.providers ? "process %s has no provider %.*s now: it has %s; -Z allows "
						   "what comes later"
						 : "process %s has no provider %.*s now, nor another one: -Z "
						   "allows what comes later%s",
			 name + base, (int)base, name, m.providers);
	else if (m.spell.name)
		snprintf(text, len, "there is no provider %s: did you mean %s?", name, m.best);
	else if (strpbrk(name, "*?["))
		snprintf(text, len, "there is no provider %s: there are %s; -Z allows what comes later", name,
			 m.providers);
	else
		snprintf(text, len,
			 "there is no provider %s: there are %s; one of a program is %s*::: or, with -c or "
			 "-p, %s$target:::; -Z allows what comes later",
			 name, m.providers, name, name);
}

char *dtrace_desc_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len)
{
	dtrace_probedesc_t wanted = *desc;
	const char *name;
	dt_nomatch_t m;
	int field;

	if (desc->dtpd_id != DTRACE_IDNONE) {
		snprintf(text, len, "dtrace -l lists the numbers that there are");
		return text;
	}
	if (nomatch_timer(dtp, desc, text, len))
		return text;
	field = nomatch_culprit(dtp, desc);
	name = nomatch_field(&wanted, field);
	if (nomatch_is_pid(desc->dtpd_provider) && !nomatch_runs(desc->dtpd_provider + 3)) {
		snprintf(text, len, "there is no process %s: pgrep tells the number of a program's process",
			 desc->dtpd_provider + 3);
	} else if (nomatch_is_pid(desc->dtpd_provider)) {
		snprintf(text, len, "the process has no such function now: -Z waits for what it maps later");
	} else if (field == 0) {
		nomatch_provider(dtp, desc, text, len);
	} else {
		nomatch_search(dtp, desc, field, &m);
		if (m.spell.name)
			snprintf(text, len, "there is no %s %s: did you mean %s?", nomatch_words[field], name,
				 m.best);
		else
			snprintf(text, len,
				 "there is no %s %s: dtrace -l lists what there is, -Z allows what comes later",
				 nomatch_words[field], name);
	}
	return text;
}

dt_ctx_t *nomatch_remedy(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	char text[DTRACE_FULLNAMELEN];

	return dt_remedy(cx, "%s", dtrace_desc_hint(cx->dtp, desc, text, sizeof(text)));
}
