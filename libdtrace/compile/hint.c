/* SPDX-License-Identifier: MIT */
/*
 * hint.c - hints that stand beside an error: how to convert a value, which known name is meant, and
 * which part of a probe description matches nothing.
 */
#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "decl.h"
#include "hint.h"
#include "kernel.h"
#include "unsupported.h"
#include "../pid/pid.h"
#include "../spell.h"
#include "../symbols/kernel_symbol.h"
#include "../world.h"

#define HINT_KERNEL	  2 /* limit: the kernel has so many names that one is always near */
#define HINT_PROBE_FIELDS 4
#define HINT_PROBE_MOST	  100000 /* probes whose names are compared */
#define HINT_PROBE_LISTED 160	 /* characters of the list of providers */
#define HINT_PROBE_PREFIX 3	 /* characters before a * from which on it is clear what is meant */
#define HINT_STRING	  "copyinstr(x) reads a string of the process, lltostr(x) formats a number"

/* ---- values and types that do not suit ---- */

dt_ctx_t *hint_convert(dt_ctx_t *cx, const dt_type_t *from, const dt_type_t *to)
{
	if (type_is_string(from) && type_is_integer(to))
		return dt_hint(cx, "strtoll(x) converts a string to an integer");
	if (type_is_pointer(from) && type_is_integer(to))
		return dt_hint(cx, "cast the pointer: (uintptr_t)x");
	if (type_is_integer(from) && type_is_string(to))
		return dt_hint(cx, HINT_STRING);
	if (type_is_pointer(from) && type_is_string(to))
		return dt_hint(cx, "stringof(x) is the string that a pointer points to");
	if (type_is_scalar(from) && type_is_pointer(to))
		return dt_hint(cx, "cast it: (%s)x", check_type_text(cx, to));
	return hint_scalar(cx, from);
}

dt_ctx_t *hint_both(dt_ctx_t *cx, const dt_type_t *a, const dt_type_t *b)
{
	if ((type_is_string(a) && type_is_integer(b)) || (type_is_integer(a) && type_is_string(b)))
		return dt_hint(cx, "strtoll(x) converts a string to a number, lltostr(x) a number "
				   "to a string");
	if (type_is_string(a) && type_is_string(b))
		return dt_hint(cx, "strings can be compared, and joined by +");
	if (type_is_pointer(a) && type_is_pointer(b))
		return dt_hint(cx, "cast both to integers: (uintptr_t)x");
	if (type_is_pointer(a) && type_is_integer(b))
		return hint_convert(cx, b, a);
	if (type_is_pointer(b) && type_is_integer(a))
		return hint_convert(cx, a, b);
	return hint_scalar(cx, type_is_scalar(a) ? b : a);
}

dt_ctx_t *hint_scalar(dt_ctx_t *cx, const dt_type_t *t)
{
	if (type_is_string(t))
		return dt_hint(cx, "compare the string, as in x != \"\", or take its strlen(x)");
	if (type_is_record(t))
		return dt_hint(cx, "name a member of the %s",
			       type_resolve(t)->kind == TYPE_UNION ? "union" : "struct");
	if (type_is_dynamic(t))
		return dt_hint(
			cx,
			"only printa() reads an aggregation; name an element of an array: x[key]");
	return cx;
}

dt_ctx_t *hint_keys(dt_ctx_t *cx, const char *name, const dt_type_t *const *types, uint32_t n)
{
	const char *text = "";

	for (uint32_t i = 0; i < n; i++)
		text = arena_printf(&cx->tmp, "%s%s%s", text, i ? ", " : "",
				    check_type_text(cx, types[i]));
	if (!n)
		return dt_hint(cx, "it was used without keys before: write %s", name);
	return dt_hint(cx, "it was used as %s[%s] before", name, text);
}

dt_ctx_t *hint_params(dt_ctx_t *cx, const dt_ident_t *id)
{
	const char *text = "";

	for (uint32_t i = 0; i < id->nparams; i++)
		text = arena_printf(&cx->tmp, "%s%s%s %s", text, i ? ", " : "",
				    check_type_text(cx, id->params[i]->type), id->params[i]->name);
	return dt_hint(cx, id->nparams ? "use %s(%s)" : "write %s alone%s", id->name, text);
}

/* ---- unknown names ---- */

static dt_ctx_t *hint_near(dt_ctx_t *cx, const dt_spell_t *n, const char *prefix)
{
	return n->name ? dt_hint(cx, "did you mean %s%s?", prefix, n->name) : cx;
}

/* ---- names of variables and functions ---- */

/* A search in a scope. */
typedef struct dt_name_search {
	dt_ctx_t *cx;
	dt_spell_t spell;
	int scope;
	bool calls; /* look for functions, else for values */
} dt_name_search_t;

static bool hint_is_callable(const dt_ident_t *id)
{
	return id->kind == IDENT_FUNC || (id->kind == IDENT_INLINE && id->nparams);
}

static void hint_try_ident(void *arg, const char *name, void *value)
{
	dt_name_search_t *s = arg;
	const dt_ident_t *id = value;

	if (hint_is_callable(id) == s->calls && !strchr(name, '.') &&
	    ident_lookup(s->cx, s->scope, name) == id)
		spell_try(&s->spell, name);
}

/*
 * Add a hint if a name exists only in newer versions of D than the program asks for. Return whether
 * it does.
 */
static bool hint_newer(dt_ctx_t *cx, const char *name)
{
	const dt_ident_t *id = scope_lookup(&cx->comp->globals, name);

	if (!id)
		return false;
	dt_hint(cx, "D %u.%u has it: select that version, or none", id->version >> 24,
		id->version >> 12 & 0xfff);
	return true;
}

dt_ctx_t *hint_variable(dt_ctx_t *cx, const char *name)
{
	const dt_scope_t *const scopes[] = {&cx->comp->globals, &cx->comp->selfs, &cx->locals};
	static const char *const prefixes[] = {"", "self->", "this->"};
	const char *found = NULL, *prefix = "";
	dt_name_search_t s = {.cx = cx};
	const dt_type_t *type;
	int64_t value;

	if (hint_newer(cx, name))
		return cx;
	if (!cx->userland && !cx->trying && kernel_enumerator(cx, "", name, &value, &type))
		return dt_hint(cx, "write `%s: it is an enumerator of the kernel", name);
	if (strcmp(name, "arg") == 0)
		return dt_hint(cx, "arg0 to arg9 are integers; args[0] has the type of the probe");
	if (strncmp(name, "arg", 3) == 0 && name[3] && !name[3 + strspn(name + 3, "0123456789")])
		return dt_hint(cx, "only arg0 to arg9 are variables: write args[%.6s]", name + 3);
	spell_begin(&s.spell, name);
	for (s.scope = DIFV_SCOPE_GLOBAL; s.scope <= DIFV_SCOPE_LOCAL; s.scope++) {
		scope_each(scopes[s.scope], hint_try_ident, &s);
		if (s.spell.name != found)
			prefix = prefixes[s.scope];
		found = s.spell.name;
	}
	return hint_near(cx, &s.spell, prefix);
}

dt_ctx_t *hint_function(dt_ctx_t *cx, const char *name)
{
	dt_name_search_t s = {.cx = cx, .calls = true};

	if (hint_newer(cx, name))
		return cx;
	spell_begin(&s.spell, name);
	scope_each(&cx->comp->globals, hint_try_ident, &s);
	return hint_near(cx, &s.spell, "");
}

/* ---- types and members ---- */

static void hint_try_type(void *arg, const char *name, void *value)
{
	(void)value;
	if (!strchr(name, ' ')) /* a tag */
		spell_try(arg, name);
}

/* Return the kind of type of which a name is the tag, or NULL. */
static const char *hint_tagged(dt_ctx_t *cx, const char *name)
{
	static const dt_type_kind_t kinds[] = {TYPE_STRUCT, TYPE_UNION, TYPE_ENUM};
	const dt_type_t *t = NULL;

	for (size_t i = 0; !t && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		t = scope_lookup(&cx->comp->types,
				 arena_printf(&cx->tmp, "%s %s", tagged_word(kinds[i]), name));
	if (!t)
		t = kernel_type(cx, "", KTYPE_STRUCT, name);
	if (!t)
		t = kernel_type(cx, "", KTYPE_UNION, name);
	if (!t)
		t = kernel_type(cx, "", KTYPE_ENUM, name);
	return t ? tagged_word(t->kind) : NULL;
}

dt_ctx_t *hint_type(dt_ctx_t *cx, const char *name)
{
	const char *module, *instead, *tagged;
	dt_spell_t n;

	name = symbol_split(cx, name, &module);
	instead = unsupported_type(name);
	if (instead)
		return dt_hint(cx, "Linux has %s instead", instead);
	tagged = hint_tagged(cx, name);
	if (tagged)
		return dt_hint(cx, "did you mean %s %s?", tagged, name);
	spell_begin(&n, name);
	scope_each(&cx->comp->types, hint_try_type, &n);
	for (dt_tok_t word = TOK_KW_FIRST; word < TOK_MAX; word++)
		spell_try(&n, lex_tok_text(word));
	n.limit = n.limit > HINT_KERNEL ? HINT_KERNEL : n.limit;
	if (!n.name)
		kernel_spell(cx, KTYPE_NAME, &n);
	return hint_near(cx, &n, "");
}

/* Try the name of a struct's or a union's tag, which follows the first word of its entry. */
static void hint_try_struct(void *arg, const char *name, void *value)
{
	(void)value;
	if (strncmp(name, "struct ", 7) == 0 && strcmp(name + 7, ((dt_spell_t *)arg)->wanted) != 0)
		spell_try(arg, name + 7);
}

static void hint_try_union(void *arg, const char *name, void *value)
{
	(void)value;
	if (strncmp(name, "union ", 6) == 0 && strcmp(name + 6, ((dt_spell_t *)arg)->wanted) != 0)
		spell_try(arg, name + 6);
}

dt_ctx_t *hint_tag(dt_ctx_t *cx, const dt_type_t *t)
{
	const char *name = type_resolve(t)->name, *instead = name ? unsupported_type(name) : NULL;
	bool is_union = type_resolve(t)->kind == TYPE_UNION;
	dt_spell_t n;

	if (instead)
		return dt_hint(cx, "Linux has %s instead", instead);
	if (!name || !type_is_record(t))
		return cx;
	spell_begin(&n, name);
	scope_each(&cx->comp->types, is_union ? hint_try_union : hint_try_struct, &n);
	n.limit = n.limit > HINT_KERNEL ? HINT_KERNEL : n.limit;
	if (!n.name)
		kernel_spell(cx, is_union ? KTYPE_UNION : KTYPE_STRUCT, &n);
	if (n.name && strcmp(n.name, name) == 0)
		return cx;
	return hint_near(cx, &n, is_union ? "union " : "struct ");
}

dt_ctx_t *hint_symbol(dt_ctx_t *cx, const char *module, const char *name)
{
	dt_spell_t n;

	if (cx->trying)
		return cx;
	spell_begin(&n, name);
	n.limit = n.limit > HINT_KERNEL ? HINT_KERNEL : n.limit;
	dt_kernel_symbol_spell(cx->dtp, kernel_module(module), &n);
	return hint_near(cx, &n, arena_printf(&cx->tmp, "%s`", module));
}

static void hint_try_members(dt_spell_t *n, const dt_type_t *t)
{
	for (const dt_member_t *m = type_members(type_resolve(t)); m; m = m->next) {
		if (m->name)
			spell_try(n, m->name);
		else if (type_is_record(m->type))
			hint_try_members(n, m->type);
	}
}

/* Return the names of all members of a small type, or NULL. */
static const char *hint_members_text(dt_ctx_t *cx, const dt_type_t *t)
{
	const dt_member_t *m = type_members(type_resolve(t));
	const char *text = "";

	for (; m; m = m->next) {
		if (!m->name || strlen(text) + strlen(m->name) > 60)
			return NULL;
		text = arena_printf(&cx->tmp, "%s%s%s", text, *text ? ", " : "", m->name);
	}
	return text;
}

/*
 * Return the path of the member of a socket for which the kernel's sources have a macro such as
 * sk_daddr or inet_dport: it is in the struct sock_common at the socket's beginning. NULL for other
 * names and types.
 */
static const char *hint_socket_macro(dt_ctx_t *cx, const dt_type_t *t, const char *name)
{
	const char *common, *path = "", *rest = strchr(name, '_');
	const dt_member_t *m;
	dt_member_t found;

	for (t = type_resolve(t); !t->name || strcmp(t->name, "sock_common") != 0;
	     t = type_resolve(m->type)) {
		m = type_is_record(t) ? type_members(t) : NULL;
		if (!m || !m->name)
			return NULL;
		path = arena_printf(&cx->tmp, "%s%s.", path, m->name);
	}
	if (!*path || !rest)
		return NULL;
	common = arena_printf(&cx->tmp, "skc%s", rest);
	return type_member(t, common, &found) ? arena_printf(&cx->tmp, "%s%s", path, common) : NULL;
}

dt_ctx_t *hint_member(dt_ctx_t *cx, const dt_type_t *t, const char *name)
{
	const char *all = hint_members_text(cx, t), *tag = type_resolve(t)->name,
		   *instead = tag ? unsupported_member(tag, name) : NULL, *macro;
	dt_spell_t n;

	if (instead)
		return dt_hint(cx, "%s", instead);
	macro = hint_socket_macro(cx, t, name);
	if (macro)
		return dt_hint(cx, "write %s: it is a macro of the kernel", macro);
	spell_begin(&n, name);
	hint_try_members(&n, t);
	if (!n.name && all)
		return dt_hint(cx, "it has %s", all);
	return hint_near(cx, &n, "");
}

dt_ctx_t *hint_agg(dt_ctx_t *cx, const char *name)
{
	dt_spell_t n;

	spell_begin(&n, name);
	for (const dt_aggvar_t *a = cx->dtp->aggvars; a; a = a->next)
		if (a->func)
			spell_try(&n, a->name);
	return hint_near(cx, &n, "@");
}

dt_ctx_t *hint_word(dt_ctx_t *cx, const char *word, const char *const *words)
{
	dt_spell_t n;

	spell_begin(&n, word);
	for (; *words; words++)
		spell_try(&n, *words);
	return hint_near(cx, &n, "");
}

/* ---- probe descriptions that match nothing ---- */

static const char *const hint_probe_words[] = {"provider", "module", "function", "probe"};

static char *hint_probe_field(dtrace_probedesc_t *desc, int i)
{
	char *const fields[] = {desc->dtpd_provider, desc->dtpd_mod, desc->dtpd_func,
				desc->dtpd_name};

	return fields[i];
}

/* Return a description with the fields up to the i-th, the others empty. */
static dtrace_probedesc_t hint_probe_upto(const dtrace_probedesc_t *desc, int i)
{
	dtrace_probedesc_t part = *desc;

	while (++i < HINT_PROBE_FIELDS)
		*hint_probe_field(&part, i) = '\0';
	return part;
}

/* Return the index of the first field with which no probe matches any more. */
static int hint_probe_culprit(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc)
{
	for (int i = 0; i < HINT_PROBE_FIELDS - 1; i++) {
		dtrace_probedesc_t part = hint_probe_upto(desc, i);

		if (dt_probe_args(dtp, &part, NULL, 0) < 0)
			return i;
	}
	return HINT_PROBE_FIELDS - 1;
}

/*
 * Return the length of a name without the process number at its end: that of target, which may be
 * behind digits of the program's name, or all digits.
 */
static size_t hint_probe_base(const char *name, pid_t target)
{
	size_t len = strlen(name), n;
	char number[16];

	n = (size_t)snprintf(number, sizeof(number), "%d", (int)target);
	if (target && len > n && strcmp(name + len - n, number) == 0)
		return len - n;
	while (len && isdigit((unsigned char)name[len - 1]))
		len--;
	return len;
}

/* ---- the names that there are ---- */

/* A search for the nearest name in a field; for providers, also for those that exist. */
typedef struct dt_probe_search {
	dt_spell_t spell;
	char wanted[DTRACE_FUNCNAMELEN];   /* before the first character of a pattern */
	const char *pattern;		   /* that, and what follows; "": it is a name */
	char best[DTRACE_FUNCNAMELEN + 1]; /* the nearest */
	char longer[DTRACE_FUNCNAMELEN];   /* the shortest one that continues wanted */
	int field;
	uint32_t seen;
	bool named;	     /* the field of some probe is not empty */
	bool begun;	     /* some name begins as the pattern does: its rest is to blame */
	pid_t target;	     /* $target, or 0 */
	const char *process; /* of whose providers the list is; "": of all */
	bool elsewhere;	     /* another process has a provider of that name */
	char last[DTRACE_PROVNAMELEN]; /* the provider seen before */
	char providers[HINT_PROBE_LISTED + 8];
} dt_probe_search_t;

/*
 * Compare the first len characters of name. If they are the nearest so far, the program probably
 * means them and tail.
 */
static void hint_probe_compare(dt_probe_search_t *m, const char *name, size_t len, const char *tail)
{
	char start[DTRACE_FUNCNAMELEN];

	snprintf(start, sizeof(start), "%.*s", (int)len, name);
	spell_try(&m->spell, start);
	if (m->spell.name != start)
		return;
	snprintf(m->best, sizeof(m->best), "%s%s", start, tail);
	m->spell.name = m->best;
}

static bool hint_probe_listed(const dt_probe_search_t *m, const char *name)
{
	size_t len = strlen(name);

	for (const char *p = m->providers; (p = strstr(p, name)); p++)
		if ((p == m->providers || p[-1] == ' ') && (p[len] == ',' || !p[len]))
			return true;
	return false;
}

/* Add a provider to the list: one of a process as NAME*, if the list is not that of the process. */
static void hint_probe_list(dt_probe_search_t *m, const char *name)
{
	size_t base = hint_probe_base(name, m->target), used = strlen(m->providers);
	char text[DTRACE_PROVNAMELEN + 1];

	if (*m->process && strcmp(name + base, m->process) != 0)
		return;
	if (*m->process || !name[base])
		snprintf(text, sizeof(text), "%s", name);
	else
		snprintf(text, sizeof(text), "%.*s*", (int)base, name);
	if (hint_probe_listed(m, text) ||
	    (used > 4 && strcmp(m->providers + used - 4, " ...") == 0))
		return;
	if (used + strlen(text) + 2 > HINT_PROBE_LISTED)
		snprintf(m->providers + used, sizeof(m->providers) - used, " ...");
	else
		snprintf(m->providers + used, sizeof(m->providers) - used, "%s%s", used ? ", " : "",
			 text);
}

/*
 * Keep the shortest function whose name continues the one that is wanted: the kernel renames
 * functions in this way, as in kmem_cache_alloc_noprof or do_work.isra.0.
 */
static void hint_probe_continue(dt_probe_search_t *m, const char *name, size_t wanted)
{
	if (wanted < HINT_PROBE_PREFIX || strncmp(name, m->wanted, wanted) != 0 ||
	    (name[wanted] != '.' && strcmp(name + wanted, "_noprof") != 0))
		return;
	if (!*m->longer || strlen(name) < strlen(m->longer))
		snprintf(m->longer, sizeof(m->longer), "%s", name);
}

static int hint_probe_try(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	dt_probe_search_t *m = arg;
	dtrace_probedesc_t probe = *desc;
	const char *name = hint_probe_field(&probe, m->field);
	size_t len = strlen(name), wanted = strlen(m->wanted);
	size_t base = hint_probe_base(name, m->target);

	(void)dtp;
	m->named |= len > 0;
	if (!*m->pattern) {
		hint_probe_compare(m, name, len, "");
		if (m->field == 2)
			hint_probe_continue(m, name, wanted);
	} else if (wanted >= HINT_PROBE_PREFIX) { /* a mistake makes it longer or shorter by one */
		m->begun |= strncmp(name, m->wanted, wanted) == 0;
		for (size_t n = wanted + 1; n >= wanted - 1; n--)
			if (n <= len)
				hint_probe_compare(m, name, n, m->pattern);
	}
	if (m->field == 0) {
		if (base < len && !*m->pattern)
			hint_probe_compare(m, name, base, "*");
		m->elsewhere |= *m->process && base < len &&
				base == hint_probe_base(m->wanted, m->target) &&
				strncmp(name, m->wanted, base) == 0;
		if (strcmp(m->last, name) != 0)
			hint_probe_list(m, name);
		memcpy(m->last, probe.dtpd_provider, sizeof(m->last));
	}
	return ++m->seen == HINT_PROBE_MOST;
}

/* Search the names of a field among the probes that match the fields before it. */
static void hint_probe_search(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, int field,
			      dt_probe_search_t *m)
{
	dtrace_probedesc_t before = hint_probe_upto(desc, field - 1), wanted = *desc;
	const char *name = hint_probe_field(&wanted, field);
	size_t plain = strcspn(name, "*?[\\");

	*m = (dt_probe_search_t){.field = field, .process = "", .target = dtp->target};
	snprintf(m->wanted, sizeof(m->wanted), "%.*s", (int)plain, name);
	m->pattern = name + plain;
	if (field == 0 && !*m->pattern && hint_probe_base(name, dtp->target))
		m->process = name + hint_probe_base(name, dtp->target);
	spell_begin(&m->spell, m->wanted);
	dtrace_probe_iter(dtp, field == 0 ? NULL : &before, hint_probe_try, m);
	m->pattern = m->process = "";
	if (*m->longer) {
		snprintf(m->best, sizeof(m->best), "%s", m->longer);
		m->spell.name = m->best;
	}
	if (m->begun)
		m->spell.name = NULL;
}

/* ---- what to say of them ---- */

/*
 * Return whether a provider is of the pid provider, whose probes are made when a program names
 * them.
 */
static bool hint_probe_is_pid(const char *provider)
{
	return strncmp(provider, "pid", 3) == 0 && provider[3] &&
	       !provider[3 + strspn(provider + 3, "0123456789\\*")];
}

/*
 * Explain that the user has no right to the probes of a provider. Return false if the user has one
 * of the rights (DTRACE_PRIV_*).
 */
static bool hint_probe_right(const dtrace_hdl_t *dtp, const char *provider, uint32_t rights,
			     char *text, size_t len)
{
	if (dtp->conf.dtc_privs & rights)
		return false;
	snprintf(text, len,
		 "probes of the provider %s need the privilege %sdtrace_kernel, which you do not "
		 "have: root grants it in /etc/dtrace/policy, see dtrace-policy(8)",
		 provider, rights & DTRACE_PRIV_USER ? "dtrace_user or " : "");
	return true;
}

/*
 * Explain why a name is no probe of the profile provider, which has all probes within its limits.
 * Return false if the probe is another provider's, or if its name is valid.
 */
static bool hint_probe_timer(const dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
			     size_t len)
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
			 "write a number and a unit, as in %.*s10ms: the units are hz (the "
			 "default), ns, us, ms, s, m, h and d",
			 (int)(number - name), name);
		return true;
	}
	interval = !ns ? 1000000000 / n : n > UINT64_MAX / ns ? UINT64_MAX : n * ns;
	if (interval < DTRACE_INTERVAL_MIN || interval > DTRACE_INTERVAL_MAX)
		snprintf(text, len,
			 "%s is outside of the limits: at most %lluhz, which is every %lluus; at "
			 "least once in %llu days",
			 name, 1000000000 / DTRACE_INTERVAL_MIN, DTRACE_INTERVAL_MIN / 1000,
			 DTRACE_INTERVAL_MAX / 86400000000000);
	else
		return hint_probe_right(dtp, "profile", DTRACE_PRIV_KERNEL | DTRACE_PRIV_USER, text,
					len);
	return true;
}

/*
 * Explain why a name is no probe of kinst, whose probes are made when a program names them. Return
 * false if the probe is another provider's, or if its function or module is the reason.
 */
static bool hint_probe_instruction(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
				   size_t len)
{
	const char *name = desc->dtpd_provider, *reason;
	dtrace_probedesc_t all = *desc;

	if (strcmp(name, "kinst") != 0 && strcmp(name, "instr") != 0)
		return false;
	if (dt_probe_is_broad(desc)) {
		snprintf(text, len,
			 "%s has probes at the instructions of one function at a time: name it, as "
			 "in %s::vfs_read: or %s::vfs_read:0",
			 name, name, name);
		return true;
	}
	if (hint_probe_right(dtp, name, DTRACE_PRIV_KERNEL, text, len))
		return true;
	errno = 0;
	reason = dt_probe_args(dtp, desc, NULL, 0) < 0 ? dt_probe_failure(desc, errno) : NULL;
	if (reason) {
		snprintf(text, len, "%s", reason);
		return true;
	}
	strcpy(all.dtpd_name, "0");
	if (dt_probe_args(dtp, &all, NULL, 0) >= 0 || errno != ESRCH)
		snprintf(text, len,
			 "the name of a probe of %s is an offset in bytes, in decimal, as in "
			 "%s::%s:0",
			 name, name, desc->dtpd_func);
	else
		snprintf(text, len, "no function %s%s%s: /proc/kallsyms has the functions",
			 desc->dtpd_func, *desc->dtpd_mod ? " in " : "", desc->dtpd_mod);
	return true;
}

/*
 * Explain why a probe that the provider has on other systems or kernels is missing here. Return
 * false if it is no such probe.
 */
static bool hint_probe_stable(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
			      size_t len)
{
	const char *reason = unsupported_probe(desc->dtpd_provider, desc->dtpd_name);

	errno = 0;
	if (!reason && dt_probe_args(dtp, desc, NULL, 0) < 0)
		reason = dt_probe_failure(desc, errno);
	if (!reason && strcmp(desc->dtpd_provider, "cpc") == 0)
		reason = "its probes are EVENT-MODE-COUNT, as in page_faults-user-1, where MODE is "
			 "all, "
			 "user or kernel: dtrace -l -P cpc lists events";
	if (reason)
		snprintf(text, len, "%s", reason);
	return reason;
}

/* Return whether a process of that number exists. A pattern may match one. */
static bool hint_probe_runs(const char *number)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%s", number);
	return number[strspn(number, "0123456789")] || access(path, F_OK) == 0;
}

/* Return an advice to use -Z, the last part of a hint; "" if the option is given. */
static const char *hint_probe_z(const dtrace_hdl_t *dtp, const char *advice)
{
	return dtp->copts[DT_COPT_ZDEFS] ? "" : advice;
}

/* Explain that no process of the number at the end of a provider's name has that provider. */
static void hint_probe_process(const dtrace_hdl_t *dtp, const dt_probe_search_t *m,
			       const char *name, char *text, size_t len)
{
	int base = (int)hint_probe_base(name, dtp->target);

	if (*m->providers)
		snprintf(text, len, "process %s has no provider %.*s now: it has %s%s", name + base,
			 base, name, m->providers,
			 hint_probe_z(dtp, "; -Z allows a provider that comes later"));
	else if (m->elsewhere)
		snprintf(
			text, len,
			"no provider %s: other processes have %.*s, write %.*s*::: for all of them",
			name, base, name, base, name);
	else if (hint_probe_runs(name + base))
		snprintf(text, len, "process %s has no provider %.*s now, nor any other%s",
			 name + base, base, name,
			 hint_probe_z(dtp, ": -Z allows a provider that comes later"));
	else
		snprintf(text, len, "no provider %s, and no process %s%s", name, name + base,
			 hint_probe_z(dtp, ": -Z allows a provider that comes later"));
}

/*
 * Write that a provider of the kernel module was meant, if the name is that of one or near it, and
 * why there is no such provider: this world has none, or the user has no right to its probes.
 * Return false if neither is so.
 */
static bool hint_probe_module(dtrace_hdl_t *dtp, const char *name, char *text, size_t len)
{
	uint32_t rights = DTRACE_PRIV_KERNEL;
	dtrace_probedesc_t desc = {0};
	dt_spell_t spell;
	char reason[512];

	spell_begin(&spell, name);
	for (const char *const *provider = dt_module_providers; *provider; provider++)
		spell_try(&spell, *provider);
	if (!spell.name)
		return false;
	snprintf(desc.dtpd_provider, sizeof(desc.dtpd_provider), "%s", spell.name);
	if (strcmp(spell.name, "syscall") == 0)
		rights |= DTRACE_PRIV_USER;
	errno = 0;
	if (dt_probe_args(dtp, &desc, NULL, 0) < 0 && errno == DTRACE_REFUSED_MODULE)
		snprintf(reason, sizeof(reason), "%s", dt_probe_failure(&desc, errno));
	else if (!hint_probe_right(dtp, spell.name, rights, reason, sizeof(reason)))
		return false;
	if (strcmp(spell.name, name) == 0)
		snprintf(text, len, "%s", reason);
	else
		snprintf(text, len, "no provider %s: did you mean %s? %s", name, spell.name,
			 reason);
	return true;
}

/* Explain that a provider does not exist. */
static void hint_probe_provider(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
				size_t len)
{
	const char *name = desc->dtpd_provider, *instead = unsupported_provider(name);
	size_t base = hint_probe_base(name, dtp->target), wanted = strlen(name);
	dt_probe_search_t m;

	hint_probe_search(dtp, desc, 0, &m);
	if (m.spell.name && base == wanted && strncmp(m.best, name, wanted) == 0 &&
	    strcmp(m.best + wanted, "*") == 0)
		snprintf(text, len,
			 "the name of a program's provider ends with its process ID: write %s*::: "
			 "for all processes, %s$target::: for that of -c or -p",
			 name, name);
	else if (instead)
		snprintf(text, len, "this DTrace has no provider %s: %s%s", name,
			 *instead ? instead : "it has ", *instead ? "" : m.providers);
	else if (base < wanted && base && !strpbrk(name, "*?[") && !m.spell.name)
		hint_probe_process(dtp, &m, name, text, len);
	else if (m.spell.name)
		snprintf(text, len, "no provider %s: did you mean %s?", name, m.best);
	else if (hint_probe_module(dtp, name, text, len))
		return;
	else if (strpbrk(name, "*?["))
		snprintf(text, len, "no provider %s: there are %s%s%s", name, m.providers,
			 hint_probe_z(dtp, "; -Z allows a provider that comes later"),
			 dtp->procs ? "" : "; -p finds probes that have only SystemTap's notes");
	else
		snprintf(text, len,
			 "no provider %s: there are %s; a program's provider is %s*::: or, with -c "
			 "or -p, %s$target:::%s",
			 name, m.providers, name, name,
			 hint_probe_z(dtp, "; -Z allows a provider that comes later"));
}

/*
 * Tell the other name of a function of the kernel that has two, if fbt has its probe by that.
 * Return false if it has not.
 */
static bool hint_probe_alias(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
			     size_t len)
{
	dtrace_probedesc_t other = *desc;
	const char *name;

	if (strcmp(desc->dtpd_provider, "fbt") != 0)
		return false;
	for (size_t n = 0; (name = dt_kernel_symbol_alias(dtp, desc->dtpd_func, n)); n++) {
		if (strlen(name) >= sizeof(other.dtpd_func))
			continue;
		strcpy(other.dtpd_func, name);
		if (dt_probe_args(dtp, &other, NULL, 0) < 0)
			continue;
		snprintf(text, len,
			 "the function %s has its probes by its other name: use fbt:%s:%s:%s",
			 desc->dtpd_func, desc->dtpd_mod, name, desc->dtpd_name);
		return true;
	}
	return false;
}

/*
 * Tell what to use if the module that is missing is built into the kernel, or is the name that
 * other tracers have for system calls. Return false if it is neither.
 */
static bool hint_probe_built_in(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
				size_t len)
{
	dtrace_probedesc_t other = *desc;

	if (strcmp(desc->dtpd_provider, "sdt") == 0 && strcmp(desc->dtpd_mod, "syscalls") == 0) {
		snprintf(text, len, "no module syscalls: use syscall:::entry and syscall:::return");
		return true;
	}
	if (strcmp(desc->dtpd_provider, "fbt") != 0 || strpbrk(desc->dtpd_mod, "*?[\\"))
		return false;
	strcpy(other.dtpd_mod, KERNEL_VMLINUX);
	if (!*desc->dtpd_func)
		snprintf(other.dtpd_func, sizeof(other.dtpd_func), "%s_*", desc->dtpd_mod);
	if (dt_probe_args(dtp, &other, NULL, 0) < 0)
		return false;
	snprintf(text, len, "no module %s, perhaps it is built into the kernel: use fbt:%s:%s:%s",
		 desc->dtpd_mod, KERNEL_VMLINUX, other.dtpd_func, desc->dtpd_name);
	return true;
}

/* Write that a description is meant otherwise. Return false if no probe matches the other one. */
static bool hint_probe_other(dtrace_hdl_t *dtp, const char *provider, const char *mod,
			     const char *func, const char *name, char *text, size_t len)
{
	char full[DTRACE_FULLNAMELEN];
	dtrace_probedesc_t other = {0};

	if (strlen(provider) >= sizeof(other.dtpd_provider) ||
	    strlen(mod) >= sizeof(other.dtpd_mod))
		return false;
	strcpy(other.dtpd_provider, provider);
	strcpy(other.dtpd_mod, mod);
	strcpy(other.dtpd_func, func);
	strcpy(other.dtpd_name, name);
	if (dt_probe_args(dtp, &other, NULL, 0) < 0)
		return false;
	snprintf(text, len, "did you mean %s (provider:module:function:name)?",
		 dtrace_desc2str(&other, full, sizeof(full)));
	return true;
}

/* Return whether a provider of the module has that name. */
static bool hint_probe_is_provider(const char *name)
{
	const char *const *provider = dt_module_providers;

	while (*provider && strcmp(*provider, name) != 0)
		provider++;
	return *provider;
}

/*
 * Tell how a probe is named whose fields are in the wrong places: a colon is missing, or there is
 * one too many. Return false if no probe is found so.
 */
static bool hint_probe_shifted(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text,
			       size_t len)
{
	const char *provider = desc->dtpd_provider, *mod = desc->dtpd_mod, *func = desc->dtpd_func,
		   *name = desc->dtpd_name, *first = *mod ? mod : func;

	/* fbt:::vfs_read */
	if (*provider)
		return !*func && *name && hint_probe_is_provider(provider) &&
		       hint_probe_other(dtp, provider, mod, name, "", text, len);
	/* kprobe:vfs_read */
	if (unsupported_provider(first)) {
		snprintf(text, len, "this DTrace has no provider %s%s%s", first,
			 *unsupported_provider(first) ? ": " : "", unsupported_provider(first));
		return true;
	}
	/* syscall:read:entry, sdt:sched:sched_switch, fbt::vfs_read */
	if (hint_probe_is_provider(mod))
		return (*func && (hint_probe_other(dtp, mod, "", func, name, text, len) ||
				  hint_probe_other(dtp, mod, func, "", name, text, len))) ||
		       hint_probe_other(dtp, mod, "", name, "", text, len) ||
		       hint_probe_other(dtp, mod, "", "", name, text, len);
	/* proc:exit, fbt:vfs_read, sched:sched_switch */
	if (*mod || !*func || !*name)
		return false;
	return (hint_probe_is_provider(func) &&
		(hint_probe_other(dtp, func, "", "", name, text, len) ||
		 hint_probe_other(dtp, func, "", name, "", text, len))) ||
	       hint_probe_other(dtp, "sdt", func, "", name, text, len);
}

/* Return the name of a system call without what the kernel's functions have before it. */
static const char *hint_probe_call(const char *name)
{
	static const char *const prefixes[] = {"__x64_sys_", "__ia32_sys_", "__do_sys_", "sys_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(prefixes[0]); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return name + strlen(prefixes[i]);
	return name;
}

/*
 * Tell which probes a function or a system call has. Return false if the description does not name
 * another, or not the function of a call.
 */
static bool hint_probe_boundary(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, int field,
				char *text, size_t len)
{
	const char *call = hint_probe_call(desc->dtpd_func);
	bool calls = strcmp(desc->dtpd_provider, "syscall") == 0;

	if (field == 2 && calls && call != desc->dtpd_func)
		return hint_probe_other(dtp, "syscall", desc->dtpd_mod, call, desc->dtpd_name, text,
					len);
	if (field != 3 || (!calls && strcmp(desc->dtpd_provider, "fbt") != 0))
		return false;
	snprintf(text, len, "no probe %s: those of %s are entry and return", desc->dtpd_name,
		 desc->dtpd_provider);
	return true;
}

char *dtrace_desc_hint(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len)
{
	dtrace_probedesc_t wanted = *desc;
	char call[DTRACE_FUNCNAMELEN];
	const char *name;
	dt_probe_search_t m;
	int field;

	if (desc->dtpd_id != DTRACE_IDNONE) {
		snprintf(text, len, "dtrace -l lists the probe IDs");
		return text;
	}
	if (hint_probe_timer(dtp, desc, text, len) ||
	    hint_probe_instruction(dtp, desc, text, len) || hint_probe_stable(dtp, desc, text, len))
		return text;
	field = hint_probe_culprit(dtp, desc);
	name = hint_probe_field(&wanted, field);
	if (hint_probe_is_pid(desc->dtpd_provider) && !hint_probe_runs(desc->dtpd_provider + 3)) {
		snprintf(text, len, "no process %s: pgrep shows the process ID of a program",
			 desc->dtpd_provider + 3);
	} else if (hint_probe_is_pid(desc->dtpd_provider)) {
		if (!dt_pid_hint(dtp, desc, text, len))
			snprintf(text, len,
				 "the process has no such function now: a stripped file needs its "
				 "debug file%s",
				 hint_probe_z(dtp, "; -Z waits for modules that are mapped later"));
	} else if (field == 0) {
		hint_probe_provider(dtp, desc, text, len);
	} else if (field == 2 && strcmp(desc->dtpd_provider, "syscall") == 0 &&
		   unsupported_call(name, call, sizeof(call))) {
		snprintf(text, len, "Linux has no system call %s: use %s", name, call);
	} else if ((field == 1 && hint_probe_built_in(dtp, desc, text, len)) ||
		   hint_probe_shifted(dtp, desc, text, len) ||
		   hint_probe_boundary(dtp, desc, field, text, len)) {
		return text;
	} else if (field != 2 || !hint_probe_alias(dtp, desc, text, len)) {
		hint_probe_search(dtp, desc, field, &m);
		if (field == 2 && *desc->dtpd_provider && m.seen && !m.named)
			snprintf(text, len, "probes of %s have no function: write %s:%s::%s",
				 desc->dtpd_provider, desc->dtpd_provider, desc->dtpd_mod,
				 desc->dtpd_name);
		else if (m.spell.name)
			snprintf(text, len, "no %s %s: did you mean %s?", hint_probe_words[field],
				 name, m.best);
		else
			snprintf(text, len, "no %s %s: dtrace -l lists the probes%s",
				 hint_probe_words[field], name,
				 hint_probe_z(dtp, ", -Z allows a probe that comes later"));
	}
	return text;
}

/* Note whether the probe is of a system call of 64-bit programs. If so, end the iteration. */
static int hint_call_is_64(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, void *arg)
{
	bool *found = arg;

	(void)dtp;
	found[strcmp(desc->dtpd_mod, "linux32") == 0] = true;
	return found[0];
}

/*
 * A system call that only 32-bit programs have is often a 64-bit call of another system, or a
 * function of the C library.
 */
char *dtrace_desc_remark(dtrace_hdl_t *dtp, const dtrace_probedesc_t *desc, char *text, size_t len)
{
	bool found[2] = {false}; /* of 64-bit programs, of 32-bit ones */
	char full[DTRACE_FULLNAMELEN], call[DTRACE_FUNCNAMELEN];

	if (strcmp(desc->dtpd_provider, "syscall") != 0 || *desc->dtpd_mod || !*desc->dtpd_func ||
	    strpbrk(desc->dtpd_func, "*?["))
		return NULL;
	if (dtrace_probe_iter(dtp, desc, hint_call_is_64, found) < 0 || found[0] || !found[1])
		return NULL;
	dtrace_desc2str(desc, full, sizeof(full));
	if (unsupported_call(desc->dtpd_func, call, sizeof(call)))
		snprintf(text, len, "%s fires in 32-bit programs only: in 64-bit programs, use %s",
			 full, call);
	else
		snprintf(text, len,
			 "%s fires in 32-bit programs only: 64-bit programs have no such call",
			 full);
	return text;
}

dt_ctx_t *hint_probe(dt_ctx_t *cx, const dtrace_probedesc_t *desc)
{
	char text[DTRACE_FULLNAMELEN];

	return dt_hint(cx, "%s", dtrace_desc_hint(cx->dtp, desc, text, sizeof(text)));
}
