/* SPDX-License-Identifier: MIT */
/* pragma.c - lines that begin with #: pragmas, and lines from the preprocessor. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "compile.h"
#include "hint.h"
#include "kernel.h"
#include "version.h"

/*
 * Return the next word of *text, without its quotes, and move *text behind it. At the end it is "".
 */
static char *pragma_word(char **text)
{
	char *p = *text, *word, quote = '\0';

	while (isspace((unsigned char)*p))
		p++;
	if (*p == '"')
		quote = *p++;
	word = p;
	while (*p && (quote ? *p != quote : !isspace((unsigned char)*p)))
		p++;
	if (*p)
		*p++ = '\0';
	*text = p;
	return word;
}

/* Add a hint with the form of a pragma. */
static dt_ctx_t *pragma_hint(dt_ctx_t *cx, const char *name)
{
	static const struct {
		const char *name, *form;
	} forms[] = {
		{"attributes", "Evolving/Evolving/Common NAME"},
		{"binding", "\"1.0\" NAME"},
		{"depends_on", "provider NAME, module NAME or library FILE.d"},
		{"line", "10 \"FILE\""},
		{"option", "NAME or NAME=VALUE"},
	};

	for (size_t i = 0; i < sizeof(forms) / sizeof(forms[0]); i++)
		if (strcmp(forms[i].name, name) == 0)
			return dt_hint(cx, "write #pragma D %s %s", name, forms[i].form);
	return cx;
}

static void pragma_end(dt_ctx_t *cx, char *text, const dt_loc_t *loc, const char *name)
{
	char *more = pragma_word(&text);

	if (*more)
		dt_error(pragma_hint(cx, name), loc, D_PRAGMA_MALFORM,
			 "#pragma D %s: unexpected '%s'", name, more);
}

/* Return the purpose of an option that has no effect any more when a pragma is read, or NULL. */
static const char *pragma_too_late(dt_ctx_t *cx, const char *option)
{
	static const char *const cpp[] = {"cpp",    "cppargs", "cpphdrs", "cpppath",
					  "define", "incdir",  "stdc",	  "undef"};

	if (strcmp(option, "libdir") == 0 || strcmp(option, "syslibdir") == 0)
		return "D libraries";
	for (size_t i = 0; i < sizeof(cpp) / sizeof(cpp[0]); i++)
		if (strcmp(cpp[i], option) == 0)
			return cx->flags & DTRACE_C_CPP ? NULL : "the preprocessor";
	return NULL;
}

static void pragma_option(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *name = pragma_word(&text), *value = strchr(name, '=');
	const char *late;

	if (!*name)
		dt_error(pragma_hint(cx, "option"), loc, D_PRAGMA_MALFORM,
			 "#pragma D option needs the name of an option");
	if (value)
		*value++ = '\0';
	pragma_end(cx, text, loc, "option");
	late = pragma_too_late(cx, name);
	if (late)
		dt_error(dt_hint(cx, "give it on the command line: %s-x %s%s%s",
				 late[0] == 't' ? "-C " : "", name, value ? "=" : "",
				 value ? value : ""),
			 loc, D_PRAGMA_OPTSET, "option %s is for %s, which come%s before", name,
			 late, late[0] == 't' ? "s" : "");
	if (dtrace_setopt(cx->dtp, name, value) != 0)
		dt_error(cx, loc, D_PRAGMA_OPTSET, "option %s%s%s cannot be set: %s", name,
			 value ? "=" : "", value ? value : "",
			 dtrace_errmsg(cx->dtp, dtrace_errno(cx->dtp)));
}

/* ---- pragmas for names ---- */

/* The pragmas of a name, which may not be defined yet. */
typedef struct dt_pragma {
	const char *name;
	dt_loc_t loc;
	dtrace_attribute_t attr;
	uint32_t version; /* of binding, else 0 */
	const char *part; /* of a provider: which of its attributes; else NULL */
	bool used;
	struct dt_pragma *next;
} dt_pragma_t;

static void pragma_give(dt_pragma_t *p, dt_ident_t *id)
{
	if (p->version)
		id->version = p->version;
	else
		id->attr = p->attr;
	id->attr_given |= !p->version;
	p->used = true;
}

void pragma_apply(dt_ctx_t *cx, dt_ident_t *id)
{
	for (dt_pragma_t *p = cx->pragmas; p; p = p->next)
		if (!p->part && strcmp(p->name, id->name) == 0)
			pragma_give(p, id);
}

/* Return the attributes of a provider for which a word of the pragma stands, or NULL. */
static dtrace_attribute_t *pragma_part(dtrace_pattr_t *attr, const char *part)
{
	const struct {
		const char *name;
		dtrace_attribute_t *attr;
	} parts[] = {
		{"provider", &attr->dtpa_provider}, {"module", &attr->dtpa_mod},
		{"function", &attr->dtpa_func},	    {"name", &attr->dtpa_name},
		{"args", &attr->dtpa_args},
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++)
		if (strcmp(parts[i].name, part) == 0)
			return parts[i].attr;
	return NULL;
}

void pragma_use(dt_ctx_t *cx, const char *word)
{
	dtrace_pattr_t *prov = provider_attributes(cx->comp, word);

	for (dt_pragma_t *p = cx->pragmas; p; p = p->next) {
		if (strcmp(p->name, word) != 0)
			continue;
		if (p->part && prov)
			*pragma_part(prov, p->part) = p->attr;
		p->used = true;
	}
}

void pragma_check_used(dt_ctx_t *cx)
{
	for (const dt_pragma_t *p = cx->pragmas; p; p = p->next)
		if (!p->used)
			dt_error(hint_variable(cx, p->name), &p->loc, D_PRAGMA_UNUSED,
				 "unused #pragma for %s: the program does not define that name",
				 p->name);
}

static dt_pragma_t *pragma_keep(dt_ctx_t *cx, const char *name, const dt_loc_t *loc)
{
	dt_pragma_t *p = arena_alloc(&cx->tmp, sizeof(*p));

	p->name = arena_strdup(&cx->tmp, name);
	p->loc = *loc;
	p->next = cx->pragmas;
	cx->pragmas = p;
	return p;
}

/* Apply a pragma to a name that the program has defined, or keep it until the name is defined. */
static void pragma_on_name(dt_ctx_t *cx, dt_pragma_t *p)
{
	dt_ident_t *id = scope_lookup(&cx->comp->globals, p->name);

	if (id && id->gen != cx->comp->gen)
		dt_error(cx, &p->loc, D_PRAGMA_SCOPE,
			 "the program does not define %s: a pragma cannot change it", p->name);
	if (id)
		pragma_give(p, id);
}

static void pragma_on_provider(dt_ctx_t *cx, dt_pragma_t *p, char *text)
{
	dtrace_pattr_t *prov, some;

	p->name = arena_strdup(&cx->tmp, pragma_word(&text));
	p->part = arena_strdup(&cx->tmp, pragma_word(&text));
	if (!*p->name || !pragma_part(&some, p->part))
		dt_error(dt_hint(cx, "write #pragma D attributes N/D/C provider NAME args"),
			 &p->loc, *p->part ? D_PRAGMA_INVAL : D_PRAGMA_MALFORM,
			 "#pragma D attributes needs the name of a provider, and one of provider, "
			 "module, function, name, args");
	pragma_end(cx, text, &p->loc, "attributes");
	prov = provider_attributes(cx->comp, p->name);
	if (!prov)
		return;
	*pragma_part(prov, p->part) = p->attr;
	p->used = true;
}

static dt_ctx_t *pragma_stability_hint(dt_ctx_t *cx)
{
	return dt_hint(cx,
		       "names and data are Internal Private Obsolete External Unstable Evolving "
		       "Stable Standard, classes Unknown CPU Platform Group ISA Common");
}

static void pragma_attributes(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *attr = pragma_word(&text), *name = pragma_word(&text);
	dt_pragma_t *p;

	if (!*name)
		dt_error(pragma_hint(cx, "attributes"), loc, D_PRAGMA_MALFORM,
			 "#pragma D attributes needs attributes and a name");
	p = pragma_keep(cx, name, loc);
	if (dtrace_str2attr(attr, &p->attr) != 0)
		dt_error(pragma_stability_hint(cx), loc, D_PRAGMA_INVAL,
			 "'%s' is not a stability: Name/Data/Class expected", attr);
	if (strcmp(name, "provider") == 0) {
		pragma_on_provider(cx, p, text);
		return;
	}
	pragma_end(cx, text, loc, "attributes");
	pragma_on_name(cx, p);
}

static void pragma_binding(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *version = pragma_word(&text), *name = pragma_word(&text);
	dt_pragma_t *p;

	if (!*name)
		dt_error(pragma_hint(cx, "binding"), loc, D_PRAGMA_MALFORM,
			 "#pragma D binding needs a version and a name");
	p = pragma_keep(cx, name, loc);
	if (!version_parse(version, &p->version) || !version_known(p->version))
		dt_error(dt_hint(cx, "use the first version that has the name, 1.0 to %s",
				 DT_LANGUAGE_LATEST_TEXT),
			 loc, D_PRAGMA_INVAL, "D has no version '%s'", version);
	pragma_end(cx, text, loc, "binding");
	pragma_on_name(cx, p);
}

/* ---- what a program depends on ---- */

static bool pragma_has_provider(dt_ctx_t *cx, const char *name)
{
	dtrace_probedesc_t desc = {0};
	dtrace_argdesc_t arg;

	strncpy(desc.dtpd_provider, name, sizeof(desc.dtpd_provider) - 1);
	return provider_attributes(cx->comp, name) || dt_probe_args(cx->dtp, &desc, &arg, 0) >= 0 ||
	       errno != ESRCH;
}

/*
 * Return whether the kernel has a module. The kernel itself has several names, some of other
 * systems.
 */
static bool pragma_has_module(dt_ctx_t *cx, const char *name)
{
	if (strcmp(kernel_module(name), KERNEL_VMLINUX) == 0)
		return true;
	return !strchr(name, '/') &&
	       access(arena_printf(&cx->tmp, "/sys/module/%s", name), F_OK) == 0;
}

static bool pragma_has_library(dt_ctx_t *cx, const char *name)
{
	return scope_lookup(&cx->comp->libraries, name);
}

static void pragma_depends_on(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	static const struct {
		const char *class;
		bool (*has)(dt_ctx_t *cx, const char *name);
		const char *hint;
	} classes[] = {
		{"provider", pragma_has_provider, "start the application that has its probes"},
		{"module", pragma_has_module, "load the module with modprobe"},
		{"library", pragma_has_library, "name the directory that it is in by -L"},
	};
	char *class = pragma_word(&text), *name = pragma_word(&text);

	if (!*name)
		dt_error(pragma_hint(cx, "depends_on"), loc, D_PRAGMA_MALFORM,
			 "#pragma D depends_on needs module, provider or library, and a name");
	pragma_end(cx, text, loc, "depends_on");
	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
		if (strcmp(classes[i].class, class) != 0)
			continue;
		if (!classes[i].has(cx, name))
			dt_error(dt_hint(cx, "%s", classes[i].hint), loc, D_PRAGMA_DEPEND,
				 "the program requires %s %s, which is not available", class, name);
		return;
	}
	dt_error(pragma_hint(cx, "depends_on"), loc, D_PRAGMA_INVAL,
		 "invalid class %s for #pragma D depends_on", class);
}

/* ---- lines of other kinds ---- */

static void pragma_error(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	while (isspace((unsigned char)*text))
		text++;
	dt_error(cx, loc, D_PRAGERR, "#error: %s", text);
}

/* Read the pragma [line] NUMBER ["FILE" [FLAGS]]. */
static void pragma_line_number(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *end, *number = pragma_word(&text), *file = pragma_word(&text);
	unsigned long line = strtoul(number, &end, 10);

	if (*end || !isdigit((unsigned char)*number) || line > INT32_MAX)
		dt_error(pragma_hint(cx, "line"), loc, D_PRAGMA_MALFORM,
			 "'%s' is not a line number", number);
	cx->lex.line = (uint32_t)line;
	if (*file == '<') /* the preprocessor's own text, or the program that it was given */
		cx->lex.file = cx->file;
	else if (*file)
		cx->lex.file = arena_strdup(&cx->comp->arena, file);
}

static void pragma_ignore(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	(void)cx;
	(void)text;
	(void)loc;
}

static const struct {
	const char *name;
	void (*func)(dt_ctx_t *cx, char *text, const dt_loc_t *loc);
} pragmas[] = {
	{"attributes", pragma_attributes}, {"binding", pragma_binding},
	{"depends_on", pragma_depends_on}, {"error", pragma_error},
	{"ident", pragma_ignore},	   {"line", pragma_line_number},
	{"option", pragma_option},
};

static dt_ctx_t *pragma_near(dt_ctx_t *cx, const char *name)
{
	const char *names[sizeof(pragmas) / sizeof(pragmas[0]) + 1] = {0};

	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++)
		names[i] = pragmas[i].name;
	return hint_word(cx, name, names);
}

/* Read #pragma D. Pragmas for other programs are ignored. */
static void pragma_d(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *name;

	if (strcmp(pragma_word(&text), "D") != 0)
		return;
	name = pragma_word(&text);
	if (!*name)
		dt_error(cx, loc, D_PRAGMA_MALFORM, "#pragma D needs the name of a pragma");
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++) {
		if (strcmp(pragmas[i].name, name) == 0) {
			pragmas[i].func(cx, text, loc);
			return;
		}
	}
	dt_error(pragma_near(cx, name), loc, D_PRAGMA_INVAL, "no pragma named %s", name);
}

void pragma_line(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *line = text, *word;

	while (isspace((unsigned char)*line))
		line++;
	if (isdigit((unsigned char)*line)) {
		pragma_line_number(cx, line, loc);
		return;
	}
	word = pragma_word(&text);
	if (strcmp(word, "pragma") == 0) {
		if (cx->flags & DTRACE_C_SUGAR && !cx->library)
			parse_keep_text(cx, arena_printf(&cx->tmp, "#pragma %s\n\n", text));
		pragma_d(cx, text, loc);
	} else if (strcmp(word, "error") == 0)
		pragma_error(cx, text, loc);
	else if (strcmp(word, "line") == 0)
		pragma_line_number(cx, text, loc);
	else if (*word && strcmp(word, "ident") != 0)
		dt_error(cx, loc, D_PRAGCTL_INVAL, "#%s needs the preprocessor", word);
}
