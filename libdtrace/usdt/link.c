/* SPDX-License-Identifier: MIT */
/* link.c - dtrace -G: checks and rewrites each object. */
#include <stdlib.h>
#include <string.h>
#include "link.h"
#include "object.h"
#include "rewrite.h"
#include "sites.h"

static int link_machine(struct link *link, const struct object *object)
{
	if (link->model && link->model != object->model)
		return diag_error(link->diag,
				  "%s is a %d-bit object, but -%d was given: leave it out, or "
				  "compile with -m%d",
				  object->path, object->model, link->model, link->model);
	if (!link->machine) {
		link->machine = object->machine;
		link->machine_from = strdup(object->path);
		return link->machine_from ? 0 : diag_nomem(link->diag);
	}
	if (link->machine == object->machine)
		return 0;
	if (!link->machine_from)
		return diag_error(link->diag, "%s is an object for %s, but -x machine=%s was given",
				  object->path, object->machine->name, link->machine->name);
	return diag_error(link->diag,
			  "%s is an object for %s, but %s is one for %s: run dtrace -G for each "
			  "machine by itself",
			  object->path, object->machine->name, link->machine_from,
			  link->machine->name);
}

static int lto_error(struct link *link, const char *name, const char *symbol, size_t len)
{
	return diag_error(link->diag,
			  "%s was compiled for optimisation at link time (-flto) and calls %.*s: "
			  "the compiler would make the "
			  "call again when linking; compile it with -fno-lto, or without "
			  "SDT_USE_CALLS (recorded sites need no change)",
			  name, (int)len, symbol);
}

/*
 * Refuse bitcode with calls of probes: it has no code to rewrite. Recorded sites appear when it is
 * linked. Names in bitcode have no terminator.
 */
static int visit_bitcode(struct link *link, const struct input *input)
{
	static const char anything[] = "a probe";
	size_t len;

	if (!sites_callee_in_bytes(input->image, input->size, &len))
		return 0;
	return lto_error(link, input->name, anything, sizeof(anything) - 1);
}

/*
 * Return whether a section has the names of LTO code. GCC keeps symbol names in one section; LLVM
 * has a section of bitcode.
 */
static bool is_lto_section(const char *name)
{
	return !strncmp(name, ".gnu.lto_.symtab", 16) || !strcmp(name, ".llvm.lto");
}

static int check_lto(struct link *link, const struct object *object)
{
	const struct object_section *section;
	const char *symbol;
	uint32_t i;
	size_t len;

	for (i = 1; i < object->nsections; i++) {
		section = &object->sections[i];
		if (!section->data || !is_lto_section(section->name))
			continue;
		symbol = sites_callee_in_bytes(section->data, section->header.sh_size, &len);
		if (symbol)
			return lto_error(link, object->path, symbol, len);
	}
	return 0;
}

static int write_object(struct link *link, struct object *object, const struct input *input)
{
	int fd = output_batch_add(link->batch, input->path);

	if (fd < 0 || object_write(object, fd, input->path))
		return -1;
	link->nrewritten++;
	return output_batch_complete(link->batch, &input->stat);
}

/*
 * Report the first function that calls a probe in an archive's member, which cannot be rewritten.
 */
static int member_error(struct link *link, struct object *object, const struct sites *sites)
{
	const struct site *site = sites->sites;
	char name[FUNCTION_SIZE];

	if (!object_function(object, site->section, site->at.start, name))
		strcpy(name, "?");
	return diag_error(
		link->diag,
		"%s: function %s calls a probe, which has to be rewritten before the object goes "
		"into an archive: run dtrace -G on the objects, then ar",
		object->path, name);
}

static int rewrite_input(struct link *link, struct object *object, const struct input *input,
			 const struct sites *sites)
{
	diag_note(link->diag, "%s: %zu call site%s", input->name, sites->nsites,
		  sites->nsites == 1 ? "" : "s");
	if (input->kind == INPUT_MEMBER)
		return member_error(link, object, sites);
	if (rewrite_object(object, &link->decls, sites))
		return -1;
	return link->batch ? write_object(link, object, input) : 0;
}

static int visit_sites(struct link *link, struct object *object, const struct input *input)
{
	struct sites sites;
	int result;

	result = sites_find(object, &link->decls, link->learn, &sites);
	if (!result && sites.ncallees)
		result = sites.nsites ? rewrite_input(link, object, input, &sites) : 0;
	link->nsites += sites.nsites;
	sites_free(&sites);
	return result;
}

/* Return whether -G has made the object: then it contains drti. */
static bool object_is_output(const struct object *object)
{
	for (uint32_t i = 1; i < object->nsymbols; i++) {
		GElf_Sym symbol;
		uint32_t section;

		object_symbol(object, i, &symbol, &section);
		if (section != SHN_UNDEF &&
		    strcmp(object_symbol_name(object, &symbol), "__dtrace_drti") == 0)
			return true;
	}
	return false;
}

/* Refuse to overwrite an object of the program. An earlier output may be among the objects. */
static int check_output(struct link *link, const struct object *object, const struct input *input)
{
	if (input->kind != INPUT_OBJECT || !link->output.st_nlink ||
	    input->stat.st_ino != link->output.st_ino ||
	    input->stat.st_dev != link->output.st_dev || object_is_output(object))
		return 0;
	return diag_error(link->diag,
			  "%s is an object of the program, and would be lost if the output had its "
			  "name: choose another with -o",
			  input->name);
}

static int visit_object(struct link *link, struct object *object, const struct input *input)
{
	size_t nrecords = 0;

	if (check_output(link, object, input) || link_machine(link, object) ||
	    check_lto(link, object) ||
	    sites_check_records(object, &link->decls, link->learn, &nrecords))
		return -1;
	if (nrecords)
		diag_note(link->diag, "%s: %zu recorded probe site%s", input->name, nrecords,
			  nrecords == 1 ? "" : "s");
	link->nsites += nrecords;
	return visit_sites(link, object, input);
}

int link_visit(void *context, const struct input *input)
{
	struct link *link = context;
	struct object object;
	int result;

	if (input->kind == INPUT_BITCODE)
		return visit_bitcode(link, input);
	result = object_open(&object, link->diag, input->name, input->elf, input->image,
			     input->size);
	if (!result)
		result = visit_object(link, &object, input);
	object_close(&object);
	return result;
}
