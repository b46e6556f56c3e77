/* SPDX-License-Identifier: MIT */
/* check.c - dtrace -G --check: compares sites with declarations. */
#include <stdlib.h>
#include <string.h>
#include "libdtrace.h"
#include "provider_file.h"
#include "site_list.h"

/* ---- declarations that files have in them ---- */

static bool same_types(const struct site_types *a, const struct site_types *b)
{
	unsigned int i;

	if (strcmp(a->provider, b->provider) || strcmp(a->name, b->name) ||
	    a->nnatives != b->nnatives)
		return false;
	for (i = 0; i < a->nnatives; i++)
		if (strcmp(a->natives[i], b->natives[i]))
			return false;
	return true;
}

static void write_probe(struct bytes *text, const struct site_types *types)
{
	unsigned int i;

	bytes_printf(text, "\tprobe %s(", types->name);
	for (i = 0; i < types->nnatives; i++)
		bytes_printf(text, "%s%s", i ? ", " : "", types->natives[i]);
	bytes_printf(text, ");\n");
}

/*
 * Write a provider file from the declarations. Several files may declare a probe; it is written
 * once.
 */
static void write_declarations(struct bytes *text, const struct site_list *list)
{
	const struct site_types *types, *before = NULL;
	size_t i;

	for (i = 0; i < list->ntypes; i++, before = types) {
		types = &list->types[i];
		if (before && same_types(types, before))
			continue;
		if (!before || strcmp(types->provider, before->provider))
			bytes_printf(text, "%sprovider %s {\n", before ? "};\n" : "",
				     types->provider);
		write_probe(text, types);
	}
	bytes_printf(text, "%s", before ? "};\n" : "");
}

/* Add the declarations within the files to decls. */
static int check_declared(struct site_list *list, struct provider_file *decls)
{
	struct bytes text = {0};
	int result;

	site_list_set_types(list); /* sorts them */
	write_declarations(&text, list);
	if (text.failed)
		result = diag_nomem(list->diag);
	else
		result = provider_file_parse(decls, list->diag, "declarations of the files",
					     text.data ? (const char *)text.data : "", text.len);
	bytes_free(&text);
	return result;
}

/* Add the declarations of provider files, of which several may declare probes of one provider. */
static int check_inputs(struct site_list *list, struct provider_file *decls,
			const struct dtrace_usdt_args *args)
{
	int i, result = 0;

	for (i = 0; i < args->ninputs && !result; i++)
		result = provider_file_read(decls, list->diag, args->inputs[i], args);
	return result;
}

/* ---- one site ---- */

struct check {
	struct diag *diag;
	const struct provider_file *decls;
	const dtrace_usdt_site_t *site;
	const struct provider_probe *probe;
};

/* An operand of an argument, as SystemTap's notes write it. */
struct written {
	const char *text;
	int len;
	unsigned int size; /* 0: it is not known */
	bool is_float, is_constant;
};

static struct written written_read(const char *text)
{
	struct written w = {.text = text, .len = (int)dtrace_usdt_operand(text)};
	const char *operand;
	char *end;

	w.size = (unsigned int)strtoul(text + (*text == '-'), &end, 10);
	w.is_float = *end == 'f';
	operand = end + w.is_float + 1;
	w.is_constant = operand[-1] == '@' && *operand && strchr("$#-0123456789", *operand) &&
			!memchr(operand, '(', (size_t)(text + w.len - operand));
	return w;
}

static unsigned int written_count(const char *text)
{
	unsigned int count = 0;

	for (; *text; text += dtrace_usdt_operand(text), text += strspn(text, " "))
		count++;
	return count;
}

static const char *site_function(const struct check *c)
{
	return *c->site->func ? c->site->func : "?";
}

static int site_error(const struct check *c, unsigned int i, const struct written *w,
		      const char *why)
{
	return diag_error(c->diag,
			  "%s: function %s: probe %s of provider %s: argument %u is %.*s: "
			  "%s, %s",
			  c->site->file, site_function(c), c->site->name, c->site->provider, i,
			  w->len, w->text, why, c->probe->args[i].type.text);
}

/*
 * Compare argument i with its declared type. The size of a constant is that of its literal, and
 * does not matter.
 */
static int check_argument(const struct check *c, unsigned int i, const struct written *w)
{
	const struct c_type type = c_type_resolve(&c->decls->typedefs, c->probe->args[i].type);
	const struct value_class value = c_type_value(&c->decls->typedefs, type, c->site->model);

	if (!w->size)
		return site_error(c, i, w, "nobody can read it as the declared type");
	if (!c_type_check(type, NULL) || value.kind == VALUE_OTHER || w->is_constant)
		return 0;
	if (w->is_float != (value.kind == VALUE_FLOAT))
		return site_error(c, i, w,
				  w->is_float ? "a floating number, not of the declared type"
					      : "not a floating number of the declared type");
	if (w->size > value.size)
		return site_error(c, i, w, "larger than the declared type");
	if (w->size < value.size && (type.pointers || w->is_float))
		return site_error(c, i, w, "smaller than the declared type");
	return 0;
}

static int check_arguments(const struct check *c)
{
	const char *at = c->site->operands;
	unsigned int i, count = written_count(at);
	int result = 0;

	if (count != c->probe->nargs)
		return diag_error(c->diag,
				  "%s: function %s: probe %s of provider %s has %u "
				  "argument%s here, but %u %s declared",
				  c->site->file, site_function(c), c->site->name, c->site->provider,
				  count, count == 1 ? "" : "s", c->probe->nargs,
				  c->probe->nargs == 1 ? "is" : "are");
	for (i = 0; i < count; i++) {
		const struct written w = written_read(at);

		if (check_argument(c, i, &w))
			result = -1;
		at += w.len + strspn(at + w.len, " ");
	}
	return result;
}

/* Check a site. Providers without a declaration belong to others. */
static int check_site(struct check *c)
{
	const struct provider *provider = provider_file_find(c->decls, c->site->provider);

	if (!provider)
		return 0;
	c->probe = provider_find_probe(provider, c->site->name);
	if (!c->probe)
		return diag_error(c->diag,
				  "%s: function %s: probe %s of provider %s is not "
				  "declared",
				  c->site->file, site_function(c), c->site->name,
				  c->site->provider);
	if (c->site->isenabled || c->site->form == DTRACE_SITE_CALL)
		return 0;
	return check_arguments(c);
}

/* ---- each probe ---- */

static int site_compare(const void *a, const void *b)
{
	const dtrace_usdt_site_t *x = a, *y = b;
	int order = strcmp(x->provider, y->provider);

	return order ? order : strcmp(x->name, y->name);
}

/* Return how many sites a probe has in a sorted list. Is-enabled sites do not count. */
static unsigned int count_sites(const struct site_list *list, const char *provider,
				const char *name)
{
	const dtrace_usdt_site_t wanted = {.provider = provider, .name = name};
	const dtrace_usdt_site_t *end = list->sites + list->nsites, *site;
	unsigned int count = 0;

	site = list->nsites
		       ? bsearch(&wanted, list->sites, list->nsites, sizeof(wanted), site_compare)
		       : NULL;
	while (site && site > list->sites && !site_compare(site - 1, &wanted))
		site--;
	for (; site && site < end && !site_compare(site, &wanted); site++)
		count += !site->isenabled;
	return count;
}

static int check_probe(const struct site_list *list, const struct provider *provider,
		       const struct provider_probe *probe, dtrace_usdt_probe_f *func, void *arg)
{
	dtrace_usdt_probe_t told = {.provider = provider->name, .name = probe->hyphened};
	int result;

	told.nsites = count_sites(list, provider->name, probe->hyphened);
	result = func ? func(&told, arg) : 0;
	if (!told.nsites && !result)
		result = diag_error(list->diag, "probe %s of provider %s has no site", told.name,
				    told.provider);
	return result;
}

static int check_provider(const struct site_list *list, const struct provider *provider,
			  dtrace_usdt_probe_f *func, void *arg)
{
	int result = 0;
	size_t i;

	for (i = 0; i < provider->nprobes && result <= 0; i++)
		result = check_probe(list, provider, provider->probes[i], func, arg) ?: result;
	return result;
}

static int check_sites(struct site_list *list, const struct provider_file *decls,
		       dtrace_usdt_probe_f *func, void *arg)
{
	struct check c = {.diag = list->diag, .decls = decls};
	int result = 0;
	size_t i;

	for (i = 0; i < list->nsites; i++) {
		c.site = &list->sites[i];
		if (check_site(&c))
			result = -1;
	}
	if (list->nsites)
		qsort(list->sites, list->nsites, sizeof(*list->sites), site_compare);
	for (i = 0; i < decls->nproviders && result <= 0; i++)
		result = check_provider(list, decls->providers[i], func, arg) ?: result;
	return result;
}

/* ---- all of it ---- */

static int check_all(struct site_list *list, struct provider_file *decls,
		     const struct dtrace_usdt_args *args, dtrace_usdt_probe_f *func, void *arg)
{
	int result = site_list_read(list, args);

	if (!result)
		result = args->ninputs ? check_inputs(list, decls, args)
				       : check_declared(list, decls);
	if (!result && !decls->nproviders)
		result = diag_error(list->diag, "no probe is declared: give the provider file, -s "
						"FILE");
	return result ? result : check_sites(list, decls, func, arg);
}

int dtrace_usdt_check(const struct dtrace_usdt_args *args, dtrace_usdt_probe_f *func, void *arg)
{
	struct diag diag = {.out = args->diag ? args->diag : stderr};
	struct site_list list = {.diag = &diag};
	struct provider_file decls = {0};
	int result = check_all(&list, &decls, args, func, arg);

	provider_file_free(&decls);
	site_list_free(&list);
	diag_end(&diag);
	return result < 0 ? 1 : result;
}
