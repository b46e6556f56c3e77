/* SPDX-License-Identifier: MIT */
/* pragma.c - lines that begin with #: pragmas, and what the preprocessor leaves behind. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "compile.h"

/* The next word of *text, which moves behind it; "" at the end. A quoted word loses its quotes. */
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

static void pragma_option(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *name = pragma_word(&text), *value = strchr(name, '=');

	if (!*name)
		dt_error(cx, loc, D_PRAGMA_MALFORM, "#pragma D option needs the name of an option");
	if (value)
		*value++ = '\0';
	if (dtrace_setopt(cx->dtp, name, value) != 0)
		dt_error(cx, loc, D_PRAGMA_OPTSET, "option %s%s%s cannot be set: %s", name,
			 value ? "=" : "", value ? value : "",
			 dtrace_errmsg(cx->dtp, dtrace_errno(cx->dtp)));
}

static void pragma_attributes(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *attr = pragma_word(&text), *what = pragma_word(&text);
	dtrace_attribute_t parsed;

	if (!*what)
		dt_error(cx, loc, D_PRAGMA_MALFORM,
			 "#pragma D attributes needs attributes and a name");
	if (dtrace_str2attr(attr, &parsed) != 0)
		dt_error(cx, loc, D_PRAGMA_ATTR, "%s are no attributes: Name/Data/Class expected",
			 attr);
}

static void pragma_binding(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *version = pragma_word(&text), *name = pragma_word(&text);

	if (!isdigit((unsigned char)*version) || !*name)
		dt_error(cx, loc, D_PRAGMA_MALFORM, "#pragma D binding needs a version and a name");
}

static bool pragma_has_provider(dt_ctx_t *cx, const char *name)
{
	dtrace_probedesc_t desc = {0};
	dtrace_argdesc_t arg;

	strncpy(desc.dtpd_provider, name, sizeof(desc.dtpd_provider) - 1);
	return dt_probe_args(cx->dtp, &desc, &arg, 0) >= 0 || errno != ESRCH;
}

static void pragma_depends_on(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *class = pragma_word(&text), *name = pragma_word(&text);

	if (!*name || (strcmp(class, "module") != 0 && strcmp(class, "provider") != 0 &&
		       strcmp(class, "library") != 0))
		dt_error(cx, loc, D_PRAGMA_MALFORM,
			 "#pragma D depends_on needs module, provider or library, and a name");
	if (strcmp(class, "provider") == 0 && !pragma_has_provider(cx, name))
		dt_error(cx, loc, D_PRAGMA_DEPEND,
			 "the program depends on provider %s, which is not there", name);
}

static void pragma_error(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	while (isspace((unsigned char)*text))
		text++;
	dt_error(cx, loc, D_PRAGERR, "#error: %s", text);
}

static void pragma_line_number(dt_ctx_t *cx, const char *number, char *text, const dt_loc_t *loc)
{
	char *end, *file = pragma_word(&text);
	unsigned long line = strtoul(number, &end, 10);

	if (*end || end == number || line > INT32_MAX)
		dt_error(cx, loc, D_PRAGMA_MALFORM, "'%s' is no line number", number);
	cx->lex.line = (uint32_t)line;
	if (*file == '<') /* the preprocessor's own text, or the program that it was given */
		cx->lex.file = cx->file;
	else if (*file)
		cx->lex.file = pool_strdup(&cx->comp->pool, file);
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
	{"ident", pragma_ignore},	   {"line", pragma_ignore},
	{"option", pragma_option},
};

/* #pragma D; pragmas of others are theirs. */
static void pragma_d(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *name;

	if (strcmp(pragma_word(&text), "D") != 0)
		return;
	name = pragma_word(&text);
	for (size_t i = 0; i < sizeof(pragmas) / sizeof(pragmas[0]); i++) {
		if (strcmp(pragmas[i].name, name) == 0) {
			pragmas[i].func(cx, text, loc);
			return;
		}
	}
	dt_error(cx, loc, D_PRAGMA_INVAL, "there is no #pragma D %s", name);
}

void pragma_line(dt_ctx_t *cx, char *text, const dt_loc_t *loc)
{
	char *word = pragma_word(&text);

	if (strcmp(word, "pragma") == 0)
		pragma_d(cx, text, loc);
	else if (strcmp(word, "error") == 0)
		pragma_error(cx, text, loc);
	else if (strcmp(word, "line") == 0)
		pragma_line_number(cx, pragma_word(&text), text, loc);
	else if (isdigit((unsigned char)*word))
		pragma_line_number(cx, word, text, loc);
	else if (*word && strcmp(word, "ident") != 0)
		dt_error(cx, loc, D_PRAGCTL_INVAL, "#%s needs the preprocessor: use -C", word);
}
