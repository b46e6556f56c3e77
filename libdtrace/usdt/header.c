/* SPDX-License-Identifier: MIT */
/*
 * header.c - writes the C header of a provider file: dtrace -h.
 *
 * Build systems run sed over this text, so its shape is part of the interface. "#define
 * PROVIDER_PROBE(arg0) \" stands alone on its line, with the body on the next. No other identifier
 * begins with the provider's name in capitals and an underscore. The guard is derived from the name
 * of the file. The macros use sys/sdt.h, which may be included before or after the header.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include "anchor.h"
#include "header.h"

#define HEADER_MAXARGS 12 /* of the macros in sys/sdt.h */

/* Append the name as in a macro: in capitals, with one underscore for two, and for a hyphen. */
static void add_macro_name(struct bytes *text, const char *provider, const char *hyphened)
{
	size_t i, len = strlen(provider);

	for (i = 0; i < len; i++) {
		if (provider[i] == '_' && provider[i + 1] == '_')
			i++;
		bytes_printf(text, "%c", toupper((unsigned char)provider[i]));
	}
	bytes_printf(text, "_");
	for (; *hyphened; hyphened++)
		bytes_printf(text, "%c",
			     *hyphened == '-' ? '_' : toupper((unsigned char)*hyphened));
}

/* Append the name as in C: with two underscores for a hyphen. */
static void add_c_name(struct bytes *text, const char *hyphened)
{
	for (; *hyphened; hyphened++)
		bytes_printf(text, *hyphened == '-' ? "__" : "%c", *hyphened);
}

static void add_guard(struct bytes *text, const char *output)
{
	bytes_printf(text, "_");
	for (output = basename(output); *output; output++)
		bytes_printf(text, "%c",
			     isalnum((unsigned char)*output) ? toupper((unsigned char)*output)
							     : '_');
}

/* Append the type as which the compiler checks argument i. Return false if it cannot check it. */
static bool arg_check(const struct provider_file *file, const struct provider_probe *probe,
		      unsigned int i, struct bytes *text)
{
	return c_type_check(c_type_resolve(&file->typedefs, probe->args[i].type), text);
}

/* Return whether the types of all arguments are known well enough to be checked. */
static bool probe_is_checked(const struct provider_file *file, const struct provider_probe *probe)
{
	unsigned int i;

	for (i = 0; i < probe->nargs; i++)
		if (!arg_check(file, probe, i, NULL))
			return false;
	return true;
}

/* Declare the struct tag of a type that a prototype uses, once. */
static void add_tag(struct c_type type, struct bytes *tags, struct bytes *text)
{
	struct bytes line = {0};

	if (type.kind != C_TYPE_STRUCT || type.pointers != 1 || !strchr(type.base, ' '))
		return;
	bytes_printf(&line, "\n%s;\n", type.base);
	if (line.failed) {
		text->failed = true;
	} else if (!tags->data || !strstr(tags->data, line.data)) {
		bytes_printf(tags, "%s", line.data);
		bytes_printf(text, "%s", line.data + 1);
	}
	bytes_free(&line);
}

static void add_tags(const struct provider_file *file, const struct provider *provider,
		     struct bytes *tags, struct bytes *text)
{
	const struct provider_probe *probe;
	unsigned int i;
	size_t n;

	for (n = 0; n < provider->nprobes; n++) {
		probe = provider->probes[n];
		for (i = 0; i < probe->nargs; i++)
			add_tag(c_type_resolve(&file->typedefs, probe->args[i].type), tags, text);
	}
}

static void add_prototypes(const struct provider_file *file, const struct provider *provider,
			   const struct provider_probe *probe, struct bytes *text)
{
	unsigned int i;

	if (probe_is_checked(file, probe)) {
		bytes_printf(text, "extern void __dtrace_%s___", provider->name);
		add_c_name(text, probe->hyphened);
		for (i = 0; i < probe->nargs; i++) {
			bytes_printf(text, i ? ", " : "(");
			arg_check(file, probe, i, text);
		}
		bytes_printf(text, probe->nargs ? ");\n" : "(void);\n");
	}
	bytes_printf(text, "extern int __dtraceenabled_%s___", provider->name);
	add_c_name(text, probe->hyphened);
	bytes_printf(text, "(void);\n");
}

/* Append "(arg0, arg1)" and the end of the line that a build system may edit. */
static void add_define(const struct provider *provider, const struct provider_probe *probe,
		       const char *suffix, unsigned int nargs, struct bytes *text)
{
	unsigned int i;

	bytes_printf(text, "#define ");
	add_macro_name(text, provider->name, probe->hyphened);
	bytes_printf(text, "%s(", suffix);
	for (i = 0; i < nargs; i++)
		bytes_printf(text, "%sarg%u", i ? ", " : "", i);
	bytes_printf(text, ") \\\n");
}

static void add_macros(const struct provider_file *file, const struct provider *provider,
		       const struct provider_probe *probe, struct bytes *text)
{
	bool checked = probe_is_checked(file, probe);
	unsigned int i;

	add_define(provider, probe, "", probe->nargs, text);
	if (checked)
		bytes_printf(text, "\t_DTRACE_TYPED%u(%s, ", probe->nargs, provider->name);
	else
		bytes_printf(text, "\tDTRACE_PROBE%u(%s, ", probe->nargs, provider->name);
	add_c_name(text, probe->hyphened);
	for (i = 0; i < probe->nargs; i++) {
		if (checked) {
			bytes_printf(text, ", ");
			arg_check(file, probe, i, text);
		}
		bytes_printf(text, ", arg%u", i);
	}
	bytes_printf(text, ")\n");
	add_define(provider, probe, "_ENABLED", 0, text);
	bytes_printf(text, "\t_DTRACE_TYPED_ENABLED(%s, ", provider->name);
	add_c_name(text, probe->hyphened);
	bytes_printf(text, ")\n\n");
}

static void add_provider(const struct provider_file *file, const struct provider *provider,
			 struct bytes *tags, struct bytes *text)
{
	size_t i;

	add_tags(file, provider, tags, text);
	bytes_printf(text, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n");
	for (i = 0; i < provider->nprobes; i++)
		add_prototypes(file, provider, provider->probes[i], text);
	bytes_printf(text, "#ifdef __cplusplus\n}\n#endif\n\n");
	for (i = 0; i < provider->nprobes; i++)
		add_macros(file, provider, provider->probes[i], text);
}

/* The name of a macro, and the probe that it belongs to. */
struct macro {
	char *name;
	const struct provider_probe *probe;
};

static int macro_compare(const void *a, const void *b)
{
	const struct macro *x = a, *y = b;
	int order = strcmp(x->name, y->name);

	return order ? order
		     : (x->probe->line > y->probe->line) - (x->probe->line < y->probe->line);
}

static int macro_add(struct macro *macro, const struct provider *provider,
		     const struct provider_probe *probe, const char *suffix)
{
	struct bytes name = {0};

	add_macro_name(&name, provider->name, probe->hyphened);
	bytes_printf(&name, "%s", suffix);
	*macro = (struct macro){name.data, probe};
	return name.failed ? -1 : 0;
}

/* List the two macros of each probe, and set nmacros to their number. */
static int macros_list(const struct provider_file *file, struct macro *macros, size_t *nmacros)
{
	const struct provider *provider;
	size_t i, n;

	for (i = 0; i < file->nproviders; i++) {
		provider = file->providers[i];
		for (n = 0; n < provider->nprobes; n++) {
			if (macro_add(&macros[(*nmacros)++], provider, provider->probes[n], "") ||
			    macro_add(&macros[(*nmacros)++], provider, provider->probes[n],
				      "_ENABLED"))
				return -1;
		}
	}
	return 0;
}

/* Report two probes with the same macro name: one of them would be lost. */
static int macros_compare(struct diag *diag, struct macro *macros, size_t nmacros)
{
	int result = 0;
	size_t i;

	qsort(macros, nmacros, sizeof(*macros), macro_compare);
	for (i = 1; i < nmacros; i++)
		if (!strcmp(macros[i - 1].name, macros[i].name))
			result = diag_error(diag,
					    "%s:%u: probe %s would be the macro %s, like probe %s "
					    "on line %u: rename one",
					    macros[i].probe->file, macros[i].probe->line,
					    macros[i].probe->name, macros[i].name,
					    macros[i - 1].probe->name, macros[i - 1].probe->line);
	return result;
}

static int check_macros(const struct provider_file *file, struct diag *diag)
{
	size_t count = 0, used = 0, i;
	struct macro *macros;
	int result;

	for (i = 0; i < file->nproviders; i++)
		count += 2 * file->providers[i]->nprobes;
	macros = calloc(count + 1, sizeof(*macros));
	if (!macros)
		return diag_nomem(diag);
	result = macros_list(file, macros, &used) ? diag_nomem(diag)
						  : macros_compare(diag, macros, used);
	for (i = 0; i < used; i++)
		free(macros[i].name);
	free(macros);
	return result;
}

/* Report mistakes that the compiler would only report later, and less clearly. */
static int check_probe(const struct provider_file *file, struct diag *diag,
		       const struct provider_probe *probe)
{
	unsigned int i;

	if (probe->nargs > HEADER_MAXARGS)
		return diag_error(
			diag, "%s:%u: probe %s has %u arguments; sys/sdt.h has macros for %d",
			probe->file, probe->line, probe->name, probe->nargs, HEADER_MAXARGS);
	for (i = 0; i < probe->nargs; i++)
		if (!arg_check(file, probe, i, NULL))
			diag_remark(diag,
				    "%s:%u: type '%s' of probe %s is not known, so the compiler "
				    "will not check its "
				    "arguments",
				    probe->file, probe->line, probe->args[i].type.text,
				    probe->name);
	return 0;
}

static int check_file(const struct provider_file *file, struct diag *diag)
{
	int result = 0;
	size_t i, n;

	for (i = 0; i < file->nproviders; i++)
		for (n = 0; n < file->providers[i]->nprobes; n++)
			if (check_probe(file, diag, file->providers[i]->probes[n]))
				result = -1;
	return result ? result : check_macros(file, diag);
}

/* Make sources with this header request the object of dtrace -G, in case it is in an archive. */
static void add_anchor(const struct provider_file *file, struct bytes *text)
{
	struct bytes name = {0};

	anchor_add_name(file, &name);
	if (name.len)
		bytes_printf(text, "_DTRACE_DECLARED(%s)\n\n", name.data);
	text->failed |= name.failed;
	bytes_free(&name);
}

int header_text(const struct provider_file *file, struct diag *diag, const char *output,
		struct bytes *text)
{
	struct bytes tags = {0};
	size_t i;

	if (check_file(file, diag))
		return -1;
	bytes_printf(text, "/* Made by dtrace -h from %s: changes here will be lost. */\n#ifndef ",
		     basename(file->path));
	add_guard(text, output);
	bytes_printf(text, "\n#define ");
	add_guard(text, output);
	bytes_printf(text, "\n\n#include <sys/sdt.h>\n#ifndef _DTRACE_ENABLED\n"
			   "#error \"sys/sdt.h is another tool's: compile with -I and the folder "
			   "of dtrace's own\"\n#endif\n\n");
	add_anchor(file, text);
	for (i = 0; i < file->nproviders; i++)
		add_provider(file, file->providers[i], &tags, text);
	bytes_printf(text, "#endif\n");
	if (tags.failed)
		text->failed = true;
	bytes_free(&tags);
	return text->failed ? diag_nomem(diag) : 0;
}
