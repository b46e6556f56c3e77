/* SPDX-License-Identifier: MIT */
/* provider_file.c - parses provider files: providers, probes, and the types of their arguments. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <dtrace/ioctl.h>
#include <dtrace/limits.h>
#include "bytes.h"
#include "lexer.h"
#include "preprocess.h"
#include "provider_file.h"

struct parser {
	struct provider_file *file;
	struct diag *diag;
	const char *text, *end; /* what is parsed */
	const struct token *at;
	const struct token *probe; /* name of the current probe */
};

/* ---- providers and probes by name ---- */

/* Return the name as in D: two underscores become a hyphen. */
static const char *hyphenate(struct arena *arena, const char *name)
{
	char *copy = arena_memdup(arena, name, strlen(name)), *to = copy;

	for (; copy && *name; to++) {
		*to = *name == '_' && name[1] == '_' ? '-' : *name;
		name += *name == '_' && name[1] == '_' ? 2 : 1;
	}
	if (copy)
		*to = '\0';
	return copy;
}

static size_t name_hash(const char *name)
{
	size_t hash = 5381;
	char c;

	for (; *name; name++) {
		c = *name;
		if (c == '_' && name[1] == '_') {
			c = '-';
			name++;
		}
		hash = hash * 33 + (unsigned char)c;
	}
	return hash;
}

static bool name_equal(const char *name, const char *hyphened)
{
	for (; *name; name++, hyphened++) {
		if (*name == '_' && name[1] == '_') {
			if (*hyphened != '-')
				return false;
			name++;
		} else if (*name != *hyphened) {
			return false;
		}
	}
	return !*hyphened;
}

/* Return the bucket of the index for a probe of this name. */
static struct provider_probe **provider_bucket(const struct provider *provider, const char *name)
{
	size_t at = name_hash(name);

	for (;; at++) {
		at &= provider->nindex - 1;
		if (!provider->index[at] || name_equal(name, provider->index[at]->hyphened))
			return &provider->index[at];
	}
}

struct provider_probe *provider_find_probe(const struct provider *provider, const char *name)
{
	return provider->nindex ? *provider_bucket(provider, name) : NULL;
}

/* Rebuild the index with at least twice as many buckets as probes. */
static bool provider_reindex(struct provider *provider)
{
	size_t i, nindex = provider->nindex ? provider->nindex * 2 : 16;
	struct provider_probe **index = calloc(nindex, sizeof(*index));

	if (!index)
		return false;
	free(provider->index);
	provider->index = index;
	provider->nindex = nindex;
	for (i = 0; i < provider->nprobes; i++)
		*provider_bucket(provider, provider->probes[i]->hyphened) = provider->probes[i];
	return true;
}

struct provider_probe *provider_add_probe(struct provider_file *file, struct provider *provider,
					  const char *name)
{
	struct provider_probe *probe = provider_find_probe(provider, name), **probes;

	if (probe)
		return probe;
	if ((provider->nprobes + 1) * 2 > provider->nindex && !provider_reindex(provider))
		return NULL;
	probes = array_grow(provider->probes, provider->nprobes, sizeof(struct provider_probe *));
	if (!probes)
		return NULL;
	provider->probes = probes;
	probe = arena_alloc(&file->arena, sizeof(*probe));
	if (!probe)
		return NULL;
	probe->name = arena_memdup(&file->arena, name, strlen(name));
	probe->hyphened = hyphenate(&file->arena, name);
	if (!probe->name || !probe->hyphened)
		return NULL;
	*provider_bucket(provider, name) = probe;
	provider->probes[provider->nprobes++] = probe;
	return probe;
}

struct provider *provider_file_find(const struct provider_file *file, const char *name)
{
	size_t i;

	for (i = 0; i < file->nproviders; i++)
		if (!strcmp(file->providers[i]->name, name))
			return file->providers[i];
	return NULL;
}

struct provider *provider_file_add(struct provider_file *file, const char *name)
{
	struct provider *provider = provider_file_find(file, name), **providers;
	size_t i;

	if (provider)
		return provider;
	providers = array_grow(file->providers, file->nproviders, sizeof(struct provider *));
	if (!providers)
		return NULL;
	file->providers = providers;
	provider = arena_alloc(&file->arena, sizeof(*provider));
	if (!provider)
		return NULL;
	provider->name = arena_memdup(&file->arena, name, strlen(name));
	if (!provider->name)
		return NULL;
	for (i = 0; i < ATTR_COUNT; i++)
		provider->attrs[i] = DOF_ATTR(DTRACE_STABILITY_UNSTABLE, DTRACE_STABILITY_UNSTABLE,
					      DTRACE_CLASS_COMMON);
	file->providers[file->nproviders++] = provider;
	return provider;
}

void provider_file_free(struct provider_file *file)
{
	size_t i;

	for (i = 0; i < file->nproviders; i++) {
		free(file->providers[i]->probes);
		free(file->providers[i]->index);
	}
	free(file->providers);
	free(file->typedefs.entries);
	arena_free(&file->arena);
	memset(file, 0, sizeof(*file));
}

/* ---- the parser ---- */

/* Report an error at a token, with the token's line. */
static int parser_error(struct parser *p, const struct token *token, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

static int parser_error(struct parser *p, const struct token *token, const char *format, ...)
{
	struct bytes text = {0};
	va_list args;

	va_start(args, format);
	bytes_vprintf(&text, format, args);
	va_end(args);
	if (text.failed)
		diag_nomem(p->diag);
	else
		diag_error(p->diag, "%s:%u: %s", token->file, token->line, text.data);
	bytes_free(&text);
	diag_line(p->diag, p->text, p->end, token->at);
	return -1;
}

/* Report that text was expected instead of the token. */
static int parser_error_at(struct parser *p, const struct token *token, const char *text)
{
	if (token->kind == TOKEN_END)
		return parser_error(p, token, "%s, but the file ends", text);
	return parser_error(p, token, "%s, not '%s'", text, token->text);
}

static bool parser_is(const struct parser *p, const char *text)
{
	return p->at->kind != TOKEN_END && !strcmp(p->at->text, text);
}

static int parser_expect(struct parser *p, const char *text, const char *where)
{
	char wanted[80];

	if (parser_is(p, text)) {
		p->at++;
		return 0;
	}
	snprintf(wanted, sizeof(wanted), "expected '%s' %s", text, where);
	return parser_error_at(p, p->at, wanted);
}

/* Return the change of the bracket depth at a token: 1, -1 or 0. */
static int token_depth(const struct token *token)
{
	if (token->kind != TOKEN_PUNCT)
		return 0;
	return strchr("([{", *token->text) ? 1 : strchr(")]}", *token->text) ? -1 : 0;
}

/* Return the token that ends the list item: a comma, or the bracket that closes the list. */
static const struct token *list_item_end(const struct token *at)
{
	int depth = 0;

	for (; at->kind != TOKEN_END; at++) {
		if (!depth && (token_depth(at) < 0 || !strcmp(at->text, ",")))
			break;
		depth += token_depth(at);
	}
	return at;
}

static bool arg_is_void(struct provider_arg arg)
{
	return arg.type.kind == C_TYPE_VOID && !arg.type.pointers;
}

static int parse_arg(struct parser *p, const struct token *end, struct provider_arg *arg)
{
	int result;

	if (p->at == end)
		return parser_error_at(p, p->at, "expected the type of an argument");
	if (!strcmp(p->at->text, "..."))
		return parser_error_at(p, p->at, "a probe's arguments must all be named by type");
	result =
		c_type_parse(&p->file->arena, p->at, (size_t)(end - p->at), &arg->type, &arg->name);
	if (result > 0)
		return parser_error_at(p, p->at,
				       "expected the type of an argument in the syntax of C");
	if (result < 0)
		return diag_nomem(p->diag);
	if (strlen(arg->type.text) >= DTRACE_ARGTYPELEN)
		return parser_error(p, p->at,
				    "the type of this argument has more than %d characters: give "
				    "it a shorter name by typedef",
				    DTRACE_ARGTYPELEN - 1);
	p->at = end;
	return 0;
}

static int args_add(struct parser *p, struct provider_arg **args, unsigned int *nargs,
		    struct provider_arg arg)
{
	if (*nargs >= DTRACE_USDT_MAXARGS)
		return parser_error(p, p->at,
				    "a probe cannot have more than %d arguments: pass a pointer to "
				    "a struct",
				    DTRACE_USDT_MAXARGS);
	if (!*args)
		*args = arena_alloc(&p->file->arena, DTRACE_USDT_MAXARGS * sizeof(**args));
	if (!*args)
		return diag_nomem(p->diag);
	(*args)[(*nargs)++] = arg;
	return 0;
}

/* Parse "(type name, ...)", "()" or "(void)". */
static int parse_args(struct parser *p, struct provider_arg **args, unsigned int *nargs)
{
	struct provider_arg arg;
	bool first = true;

	if (parser_expect(p, "(", "before the arguments of a probe"))
		return -1;
	while (!(first && parser_is(p, ")"))) {
		if (parse_arg(p, list_item_end(p->at), &arg))
			return -1;
		if (!(first && arg_is_void(arg) && parser_is(p, ")")) &&
		    args_add(p, args, nargs, arg))
			return -1;
		first = false;
		if (!parser_is(p, ","))
			break;
		p->at++;
	}
	return parser_expect(p, ")", "after the arguments of a probe");
}

/* Find the native argument of a translated one: by its name, or without a name, by its position. */
static int map_arg(struct parser *p, const struct provider_probe *probe, unsigned int i)
{
	const char *name = probe->xargs[i].name;
	unsigned int j;

	for (j = 0; name && j < probe->nargs; j++)
		if (probe->args[j].name && !strcmp(probe->args[j].name, name))
			return (int)j;
	if (name)
		return parser_error(p, p->probe,
				    "translated argument '%s' of %s is not the name of an argument "
				    "before the ':'",
				    name, probe->name);
	if (i >= probe->nargs)
		return parser_error(p, p->probe,
				    "%s has more translated arguments than arguments: name them",
				    probe->name);
	return (int)i;
}

static int parse_translated_args(struct parser *p, struct provider_probe *probe)
{
	unsigned int i;
	int from;

	if (parser_is(p, ":")) {
		p->at++;
		if (parse_args(p, &probe->xargs, &probe->nxargs))
			return -1;
	} else {
		probe->xargs = probe->args;
		probe->nxargs = probe->nargs;
	}
	probe->map = arena_alloc(&p->file->arena, probe->nxargs + 1);
	if (!probe->map)
		return diag_nomem(p->diag);
	for (i = 0; i < probe->nxargs; i++) {
		from = probe->xargs == probe->args ? (int)i : map_arg(p, probe, i);
		if (from < 0)
			return -1;
		probe->map[i] = (uint8_t)from;
	}
	return 0;
}

/* Parse a probe's name, which may contain hyphens. Return NULL after a message. */
static const char *parse_probe_name(struct parser *p)
{
	struct bytes name = {0};
	const char *copy;

	if (p->at->kind != TOKEN_NAME) {
		parser_error_at(p, p->at, "expected the name of a probe");
		return NULL;
	}
	bytes_printf(&name, "%s", (p->at++)->text);
	while (parser_is(p, "-") &&
	       (p->at[1].kind == TOKEN_NAME || p->at[1].kind == TOKEN_NUMBER)) {
		bytes_printf(&name, "-%s", p->at[1].text);
		p->at += 2;
	}
	copy = name.failed ? NULL : arena_memdup(&p->file->arena, name.data, name.len);
	bytes_free(&name);
	if (!copy)
		diag_nomem(p->diag);
	return copy;
}

static bool same_args(const struct provider_probe *a, const struct provider_probe *b)
{
	unsigned int i;

	if (a->nargs != b->nargs || a->nxargs != b->nxargs)
		return false;
	for (i = 0; i < a->nargs; i++)
		if (strcmp(a->args[i].type.text, b->args[i].type.text))
			return false;
	for (i = 0; i < a->nxargs; i++)
		if (strcmp(a->xargs[i].type.text, b->xargs[i].type.text) || a->map[i] != b->map[i])
			return false;
	return true;
}

/*
 * Add a parsed probe. The same declaration may occur twice: without the preprocessor, both arms of
 * an #ifdef are read.
 */
static int parser_add_probe(struct parser *p, struct provider *provider,
			    const struct provider_probe *parsed)
{
	struct provider_probe *probe = provider_add_probe(p->file, provider, parsed->name);
	const char *hyphened;

	if (!probe)
		return diag_nomem(p->diag);
	if (probe->typed && !same_args(probe, parsed))
		return parser_error(p, p->probe,
				    "probe %s of provider %s is declared again, with other "
				    "arguments than %s%s%u (if the two are the arms of an #if, "
				    "use -C)",
				    parsed->name, provider->name,
				    strcmp(probe->file, p->probe->file) ? probe->file : "on line",
				    strcmp(probe->file, p->probe->file) ? ":" : " ", probe->line);
	if (probe->typed)
		return 0;
	hyphened = probe->hyphened;
	*probe = *parsed;
	probe->hyphened = hyphened;
	probe->typed = true;
	return 0;
}

/* Parse "probe NAME(arguments) [: (translated arguments)];". */
static int parse_probe(struct parser *p, struct provider *provider)
{
	struct provider_probe probe = {.file = p->at->file, .line = p->at->line};

	p->probe = ++p->at;
	probe.name = parse_probe_name(p);
	if (!probe.name)
		return -1;
	if (strlen(probe.name) >= DTRACE_NAMELEN)
		return parser_error(p, p->probe,
				    "the name of probe %s has more than %d characters: shorten it",
				    probe.name, DTRACE_NAMELEN - 1);
	if (parse_args(p, &probe.args, &probe.nargs) || parse_translated_args(p, &probe) ||
	    parser_expect(p, ";", "after a probe"))
		return -1;
	return parser_add_probe(p, provider, &probe);
}

/* The longest provider name: the process number is appended to it. */
#define PROVIDER_NAME_MAX (DTRACE_PROVNAMELEN - 1 - 10)

const char *provider_name_conflict(const char *name)
{
	if (*name && isdigit((unsigned char)name[strlen(name) - 1]))
		return "ends with a digit, and a process id follows it";
	return strcmp(name, "pid") == 0 ? "is that of the probes of functions" : NULL;
}

static int provider_name_check(struct parser *p)
{
	const char *conflict = provider_name_conflict(p->at->text);
	size_t len = strlen(p->at->text);

	if (p->at->kind != TOKEN_NAME)
		return parser_error_at(p, p->at, "expected the name of a provider");
	if (len > PROVIDER_NAME_MAX)
		return parser_error(p, p->at,
				    "the name of provider %s has more than %d characters: shorten "
				    "it",
				    p->at->text, PROVIDER_NAME_MAX);
	if (conflict)
		return parser_error(p, p->at, "the name of provider %s %s: choose another name",
				    p->at->text, conflict);
	return 0;
}

/* Parse "provider NAME { probes };". */
static int parse_provider(struct parser *p)
{
	struct provider *provider;

	p->at++;
	if (provider_name_check(p))
		return -1;
	provider = provider_file_add(p->file, p->at->text);
	if (!provider)
		return diag_nomem(p->diag);
	p->at++;
	if (parser_expect(p, "{", "after the name of a provider"))
		return -1;
	while (!parser_is(p, "}")) {
		if (parser_is(p, ";")) {
			p->at++;
			continue;
		}
		if (!parser_is(p, "probe"))
			return parser_error_at(p, p->at, "expected 'probe' or '}' in a provider");
		if (parse_probe(p, provider))
			return -1;
	}
	p->at++;
	return 0;
}

/*
 * Parse "typedef type name;". If the type is not understood, its name remains unknown; that is no
 * error.
 */
static int parse_typedef(struct parser *p)
{
	struct typedefs *typedefs = &p->file->typedefs;
	const struct token *end = p->at;
	struct typedef_entry entry, *entries;
	int depth = 0, result;

	for (; end->kind != TOKEN_END && (depth || strcmp(end->text, ";")); end++)
		depth += token_depth(end);
	if (end->kind == TOKEN_END)
		return parser_error_at(p, end, "expected ';' after a typedef");
	result = c_type_parse(&p->file->arena, p->at, (size_t)(end - p->at), &entry.type,
			      &entry.name);
	p->at = end + 1;
	if (result || !entry.name)
		return result < 0 ? diag_nomem(p->diag) : 0;
	entries = array_grow(typedefs->entries, typedefs->count, sizeof(*entries));
	if (!entries)
		return diag_nomem(p->diag);
	typedefs->entries = entries;
	entries[typedefs->count++] = entry;
	return 0;
}

/*
 * Skip another declaration, up to the ';' or the brace that ends it. It must not contain a probe.
 */
static int skip_declaration(struct parser *p)
{
	const struct token *start = p->at, *before = NULL;
	int depth = 0;

	for (; p->at->kind != TOKEN_END; before = p->at++) {
		if (!strcmp(p->at->text, "probe") && p->at[1].kind == TOKEN_NAME &&
		    (!before || strchr("{;}", *before->text)))
			return parser_error(p, p->at,
					    "probe %s is not in a 'provider NAME { ... };'",
					    p->at[1].text);
		depth += token_depth(p->at);
		if (depth < 0)
			return parser_error_at(p, p->at, "expected a provider or a declaration");
		if (!depth && strchr(";}", *p->at->text)) {
			p->at++;
			return 0;
		}
	}
	if (depth)
		return parser_error(p, start,
				    "the brackets that begin here are not closed: write the other "
				    "half");
	return 0;
}

static bool parser_at_helper(const struct parser *p)
{
	return parser_is(p, "dtrace") && !strcmp(p->at[1].text, ":") &&
	       p->at[2].kind == TOKEN_NAME && !strcmp(p->at[2].text, "helper");
}

static int parse_file(struct parser *p)
{
	int result = 0;

	while (!result && p->at->kind != TOKEN_END) {
		p->file->helpers |= parser_at_helper(p);
		if (parser_is(p, "provider") && p->at[1].kind == TOKEN_NAME)
			result = parse_provider(p);
		else if (parser_is(p, "typedef"))
			result = parse_typedef(p);
		else
			result = skip_declaration(p);
	}
	return result;
}

/*
 * Report arguments that are structures or the like. This and the next are done at the end, since
 * typedefs may follow the provider that uses them.
 */
static int check_values(const struct provider_file *file, struct diag *diag,
			const struct provider_probe *probe)
{
	struct c_type type;
	unsigned int i;

	for (i = 0; i < probe->nargs; i++) {
		type = c_type_resolve(&file->typedefs, probe->args[i].type);
		if (c_type_value(&file->typedefs, type, 64).kind == VALUE_OTHER)
			return diag_error(diag,
					  "%s:%u: argument %u of probe %s is a %s, which a probe "
					  "cannot take by value: pass a pointer",
					  probe->file, probe->line, i, probe->name,
					  probe->args[i].type.text);
	}
	return 0;
}

/* Replace typedef names by their types. */
static int spell_args(struct provider_file *file, struct diag *diag, struct provider_arg *args,
		      unsigned int nargs)
{
	unsigned int i;

	for (i = 0; i < nargs; i++) {
		args[i].spelled = c_type_spell(&file->arena, &file->typedefs, args[i].type);
		if (!args[i].spelled)
			return diag_nomem(diag);
		if (strlen(args[i].spelled) >= DTRACE_ARGTYPELEN)
			args[i].spelled = args[i].type.text;
	}
	return 0;
}

/* Finish all probes of a file. Report the mistakes of each. */
static int finish_probes(struct provider_file *file, struct diag *diag)
{
	const struct provider_probe *probe;
	int result = 0;
	size_t i, n;

	for (i = 0; i < file->nproviders; i++) {
		for (n = 0; n < file->providers[i]->nprobes; n++) {
			probe = file->providers[i]->probes[n];
			if (check_values(file, diag, probe) ||
			    spell_args(file, diag, probe->args, probe->nargs) ||
			    spell_args(file, diag, probe->xargs, probe->nxargs))
				result = -1;
		}
	}
	return result;
}

/* ---- #pragma D attributes NAME/DATA/CLASS provider PROVIDER WHAT ---- */

static int word_number(const char *word, const char *const *words, int count)
{
	int i;

	for (i = 0; i < count; i++)
		if (!strcasecmp(word, words[i]))
			return i;
	return -1;
}

static int attr_parse(const char *text, dof_attr_t *attr)
{
	static const char *const stabilities[] = {"Internal", "Private",  "Obsolete", "External",
						  "Unstable", "Evolving", "Stable",   "Standard"};
	static const char *const classes[] = {"Unknown", "CPU", "Platform",
					      "Group",	 "ISA", "Common"};
	char name[16], data[16], class[16], rest;
	int n, d, c;

	if (sscanf(text, "%15[A-Za-z]/%15[A-Za-z]/%15[A-Za-z]%c", name, data, class, &rest) != 3)
		return -1;
	n = word_number(name, stabilities, 8);
	d = word_number(data, stabilities, 8);
	c = word_number(class, classes, 6);
	if (n < 0 || d < 0 || c < 0)
		return -1;
	*attr = DOF_ATTR(n, d, c);
	return 0;
}

static int pragma_apply(struct provider_file *file, struct diag *diag, const struct pragma *pragma)
{
	static const char *const whats[] = {"provider", "module", "function", "name", "args"};
	char attrs[64], what[16], name[DTRACE_PROVNAMELEN], part[16];
	struct provider *provider;
	dof_attr_t attr;
	int n;

	n = sscanf(pragma->text, "%63s %15s %63s %15s", attrs, what, name, part);
	if (n < 2 || strcmp(what, "provider"))
		return 0;
	if (attr_parse(attrs, &attr))
		return diag_error(
			diag,
			"%s:%u: expected attributes such as Evolving/Evolving/Common, not '%s'",
			pragma->file, pragma->line, attrs);
	n = n < 4 ? -1 : word_number(part, whats, ATTR_COUNT);
	if (n < 0)
		return diag_error(diag,
				  "%s:%u: expected '#pragma D attributes %s provider NAME' and one "
				  "of provider, "
				  "module, function, name, args",
				  pragma->file, pragma->line, attrs);
	provider = provider_file_find(file, name);
	if (provider)
		provider->attrs[n] = attr;
	else
		diag_remark(diag,
			    "%s:%u: attributes for provider %s, which this file does not declare",
			    pragma->file, pragma->line, name);
	return 0;
}

int provider_file_parse(struct provider_file *file, struct diag *diag, const char *path,
			const char *text, size_t len)
{
	const size_t mark = len >= 3 && !memcmp(text, "\xef\xbb\xbf", 3) ? 3 : 0; /* of UTF-8 */
	struct parser parser = {.file = file, .diag = diag, .text = text, .end = text + len};
	struct lexer lexer;
	int result;
	size_t i;

	file->path = path;
	result = lexer_run(&lexer, &file->arena, diag, path, text + mark, len - mark);
	if (!result) {
		parser.at = lexer.tokens;
		result = parse_file(&parser);
	}
	if (!result)
		result = finish_probes(file, diag);
	for (i = 0; !result && i < lexer.npragmas; i++)
		result = pragma_apply(file, diag, &lexer.pragmas[i]);
	lexer_free(&lexer);
	return result;
}

int provider_file_read(struct provider_file *file, struct diag *diag, const char *path,
		       const struct dtrace_usdt_args *args)
{
	struct bytes text = {0};
	int result;

	result = args->cpp ? preprocess_file(diag, path, args, &text)
			   : preprocess_none(diag, path, &text);
	if (!result)
		result =
			provider_file_parse(file, diag, path, text.data ? text.data : "", text.len);
	bytes_free(&text);
	return result;
}
