/* SPDX-License-Identifier: MIT */
/* usdt.c - the public functions for dtrace -h, dtrace -G, and lists of sites. */
#include <dtrace/site.h>
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "anchor.h"
#include "dof_decl.h"
#include "header.h"
#include "../libdir.h"
#include "libdtrace.h"
#include "link.h"
#include "object.h"
#include "output_file.h"
#include "../process/mappings.h"
#include "site_list.h"

/* ---- the output ---- */

static int write_all(int fd, const char *data, size_t len)
{
	ssize_t n;

	for (; len; data += n, len -= (size_t)n) {
		n = write(fd, data, len);
		if (n < 0 && errno != EINTR)
			return -1;
		if (n < 0)
			n = 0;
	}
	return 0;
}

/*
 * Return the name of the output, allocated with malloc: -o, or the base name of the provider file
 * with another suffix, in the current folder. Return NULL if there is no memory.
 */
static char *output_name(const struct dtrace_usdt_args *args, const char *suffix)
{
	const char *base, *dot;
	char *name;

	if (args->output)
		return strdup(args->output);
	base = basename(args->input);
	dot = strrchr(base, '.');
	if (asprintf(&name, "%.*s%s", dot && dot != base ? (int)(dot - base) : (int)strlen(base),
		     base, suffix) < 0)
		return NULL;
	return name;
}

static int write_header(struct output_batch *batch, const char *output, const struct bytes *text)
{
	int fd = output_batch_add(batch, output);

	if (fd < 0)
		return -1;
	if (write_all(fd, text->data, text->len))
		return diag_error(batch->diag, "cannot write %s: %s", output, strerror(errno));
	return output_batch_complete(batch, NULL) || output_batch_commit(batch) ? -1 : 0;
}

/* ---- dtrace -h ---- */

static int make_header(const struct dtrace_usdt_args *args, struct diag *diag, const char *output)
{
	struct provider_file file = {0};
	struct output_batch batch;
	struct bytes text = {0};
	int result;

	result = provider_file_read(&file, diag, args->input, args);
	if (!result)
		result = header_text(&file, diag, output, &text);
	if (!result) {
		output_batch_begin(&batch, diag);
		result = write_header(&batch, output, &text);
		output_batch_end(&batch);
	}
	bytes_free(&text);
	provider_file_free(&file);
	return result;
}

/* Refuse to overwrite the provider file. */
static int check_input(const struct dtrace_usdt_args *args, struct diag *diag, const char *output)
{
	struct stat in, out;

	if (!args->input || stat(args->input, &in) || stat(output, &out) || !S_ISREG(in.st_mode) ||
	    in.st_ino != out.st_ino || in.st_dev != out.st_dev)
		return 0;
	return diag_error(diag,
			  "%s is the provider file, and would be lost if the output had its name: "
			  "choose another with -o",
			  args->input);
}

int dtrace_usdt_header(const struct dtrace_usdt_args *args)
{
	struct diag diag = {.out = args->diag ? args->diag : stderr, .verbose = args->verbose};
	char *output;
	int result;

	if (!args->input) {
		diag_error(&diag, "-h needs a provider file: -s FILE");
		return 1;
	}
	output = output_name(args, ".h");
	result = output ? check_input(args, &diag, output) : diag_nomem(&diag);
	if (!result)
		result = make_header(args, &diag, output);
	free(output);
	diag_end(&diag);
	return result ? 1 : 0;
}

/* ---- dtrace -G ---- */

/* Make the DOF of the output: declarations, and a program of ustack helpers. */
static int make_dof(struct link *link, const struct dtrace_usdt_args *args, struct bytes *dof)
{
	void *helpers = NULL;
	size_t size = 0;

	if (dof_decl_write(&link->decls, link->machine->bits, dof))
		return diag_nomem(link->diag);
	if (!link->decls.helpers || !args->helpers)
		return 0;
	if (args->helpers(args->helpers_arg, &helpers, &size))
		return -1;
	bytes_align(dof, 8);
	bytes_add(dof, helpers, size);
	free(helpers);
	return dof->failed ? diag_nomem(link->diag) : 0;
}

/* The visit of drti.o: adds the declarations to a copy and writes it. */
struct drti_visit {
	struct link *link;
	const struct bytes *dof;
	const char *output;
	const char *anchor;
};

static int add_declarations(struct link *link, struct object *object, const struct bytes *dof)
{
	const GElf_Shdr header = {
		.sh_type = SHT_PROGBITS, .sh_flags = SHF_ALLOC | SHF_GNU_RETAIN, .sh_addralign = 8};
	char *copy;

	if (!dof->len)
		return 0;
	copy = malloc(dof->len);
	if (!copy)
		return diag_nomem(link->diag);
	memcpy(copy, dof->data, dof->len);
	object->header.e_ident[EI_OSABI] = ELFOSABI_GNU; /* SHF_GNU_RETAIN is a GNU extension */
	return object_add_section(object, DTRACE_DOF_SECTION, &header, copy, dof->len)
		       ? 0
		       : diag_nomem(link->diag);
}

static int visit_drti(void *context, const struct input *input)
{
	struct drti_visit *visit = context;
	struct link *link = visit->link;
	struct object object;
	int result, fd;

	result = object_open(&object, link->diag, input->name, input->elf, input->image,
			     input->size);
	if (!result && object.machine != link->machine)
		result = diag_error(link->diag, "%s is not an object for %s", input->name,
				    link->machine->name);
	if (!result)
		result = add_declarations(link, &object, visit->dof);
	if (!result && visit->anchor)
		result = object_add_global(&object, visit->anchor, STB_WEAK, SHN_ABS);
	if (!result)
		result = anchor_define(&object, &link->decls);
	if (!result) {
		fd = output_batch_add(link->batch, visit->output);
		result = fd < 0 || object_write(&object, fd, visit->output)
				 ? -1
				 : output_batch_complete(link->batch, NULL);
	}
	object_close(&object);
	return result;
}

/* Make the output from the start-up object, which is among the libraries. */
static int make_object(struct link *link, const struct dtrace_usdt_args *args, const char *output,
		       const struct bytes *dof)
{
	struct drti_visit visit = {link, dof, output, args->anchor};
	char *libdir = args->libdir ? strdup(args->libdir) : libdir_find();
	char *drti = NULL;
	int result;

	if (!libdir || asprintf(&drti, "%s/%s", libdir, link->machine->drti) < 0) {
		free(libdir);
		return diag_nomem(link->diag);
	}
	if (access(drti, R_OK))
		result = diag_error(
			link->diag,
			"cannot open %s: %s (it is what programs for %s need of dtrace, installed "
			"beside its libraries)",
			drti, strerror(errno), link->machine->name);
	else
		result = input_read(link->diag, drti, visit_drti, &visit);
	free(drti);
	free(libdir);
	return result;
}

/* Write only the DOF, for -xlinktype=dof. */
static int make_dof_file(struct link *link, const char *output, const struct bytes *dof)
{
	int fd;

	if (!dof->len)
		return diag_error(link->diag,
				  "%s: there are neither providers nor helpers to "
				  "write",
				  output);
	fd = output_batch_add(link->batch, output);
	if (fd < 0)
		return -1;
	if (write(fd, dof->data, dof->len) != (ssize_t)dof->len)
		return diag_error(link->diag, "cannot write %s: %s", output, strerror(errno));
	return output_batch_complete(link->batch, NULL);
}

static int make_output(struct link *link, const struct dtrace_usdt_args *args, const char *output)
{
	struct bytes dof = {0};
	int result = make_dof(link, args, &dof);

	if (!result)
		result = args->dof ? make_dof_file(link, output, &dof)
				   : make_object(link, args, output, &dof);
	bytes_free(&dof);
	return result;
}

static int path_compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void path_forget(void *path)
{
	free(path);
}

/*
 * Return whether the file was seen before, under any name, and remember it. Files that do not exist
 * are reported when they are opened.
 */
static bool seen_before(void **seen, const char *path)
{
	char *resolved = realpath(path, NULL), **node;

	if (!resolved)
		return false;
	node = tsearch(resolved, seen, path_compare);
	if (node && *node == resolved)
		return false;
	free(resolved);
	return node;
}

static int read_objects(struct link *link, const struct dtrace_usdt_args *args)
{
	void *seen = NULL;
	int i, result = 0;

	for (i = 0; i < args->nobjects && !output_batch_interrupted(); i++) {
		if (seen_before(&seen, args->objects[i]))
			continue;
		if (input_read(link->diag, args->objects[i], link_visit, link))
			result = -1;
	}
	tdestroy(seen, path_forget);
	return result;
}

static int link_all(struct link *link, const struct dtrace_usdt_args *args, const char *output)
{
	if (read_objects(link, args))
		return -1;
	if (!link->machine)
		link->machine = machine_default(link->model);
	if (make_output(link, args, output))
		return -1;
	if (output_batch_interrupted())
		return -1;
	if (!link->nsites && args->nobjects && link->decls.nproviders)
		diag_note(link->diag, "no object has a probe site");
	return output_batch_commit(link->batch);
}

/* Select the machine that -x machine names. */
static int link_named(struct link *link, const char *name)
{
	link->machine = machine_named(name);
	if (!link->machine)
		return diag_error(link->diag,
				  "there are no probes on machine %s: it can be x86_64, i386 or "
				  "aarch64, or a triplet that begins so",
				  name);
	if (link->model && link->model != link->machine->bits)
		return diag_error(link->diag,
				  "machine %s has %d bits, but -%d was given: leave it out", name,
				  link->machine->bits, link->model);
	return 0;
}

static int link_objects(const struct dtrace_usdt_args *args, struct diag *diag, const char *output)
{
	struct output_batch batch;
	struct link link = {
		.diag = diag, .model = args->model, .learn = !args->input, .batch = &batch};
	int result = args->machine ? link_named(&link, args->machine) : 0;

	if (stat(output, &link.output))
		link.output.st_nlink = 0;
	if (!result && args->input)
		result = provider_file_read(&link.decls, diag, args->input, args);
	if (!result) {
		output_batch_begin(&batch, diag);
		result = link_all(&link, args, output);
		output_batch_end(&batch);
	}
	free(link.machine_from);
	provider_file_free(&link.decls);
	return result;
}

int dtrace_usdt_link(const struct dtrace_usdt_args *args)
{
	struct diag diag = {.out = args->diag ? args->diag : stderr, .verbose = args->verbose};
	char *output;
	int result;

	if (!args->input && !args->output) {
		diag_error(&diag, "-G needs a provider file (-s FILE), or the name of the object "
				  "to make (-o FILE)");
		return 1;
	}
	output = output_name(args, ".o");
	result = output ? check_input(args, &diag, output) : diag_nomem(&diag);
	if (!result)
		result = link_objects(args, &diag, output);
	free(output);
	diag_end(&diag);
	return result ? 1 : 0;
}

/* ---- dtrace -G --list ---- */

static int list_each(struct site_list *list, dtrace_usdt_site_f *func, void *arg)
{
	int result = 0;
	size_t i;

	site_list_set_types(list);
	for (i = 0; i < list->nsites && !result; i++)
		result = func(&list->sites[i], arg);
	return result;
}

int dtrace_usdt_list(const struct dtrace_usdt_args *args, dtrace_usdt_site_f *func, void *arg)
{
	struct diag diag = {.out = args->diag ? args->diag : stderr};
	struct site_list list = {.diag = &diag};
	int unread = site_list_read(&list, args), result = list_each(&list, func, arg);

	site_list_free(&list);
	diag_end(&diag);
	return result ? result : unread;
}

/*
 * A file of a process. Sites have the name of the mapping, independent of the path that is opened.
 */
struct mapped {
	struct site_list *list;
	pid_t pid;
	uint64_t last; /* file: it may have several mappings */
	int unread;    /* 1: after a message, there is more than what is listed */
};

/*
 * Return whether the file is an ELF file. Processes also map code of other files: JIT code, or
 * libraries within archives.
 */
static bool is_elf(int fd)
{
	char magic[SELFMAG];

	return pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG);
}

static int list_file(struct mapped *mapped, int fd, const char *path)
{
	struct site_list *list = mapped->list;
	size_t first = list->nsites;
	const char *name = arena_memdup(&list->arena, path, strlen(path));

	if (!name)
		return diag_nomem(list->diag);
	if (input_read_open(list->diag, fd, name, site_list_visit, list))
		mapped->unread = 1;
	for (; first < list->nsites; first++)
		list->sites[first].file = name;
	return 0;
}

static int list_mapping(void *context, const struct dt_mapping *map)
{
	struct mapped *mapped = context;
	int fd = map->ino != mapped->last ? dt_mapping_open(mapped->pid, map) : -1;
	int result = 0;

	if (fd == -1)
		return 0;
	mapped->last = map->ino;
	if (is_elf(fd))
		result = list_file(mapped, fd, map->path);
	close(fd);
	return result;
}

int dtrace_usdt_list_proc(pid_t pid, FILE *out, dtrace_usdt_site_f *func, void *arg)
{
	struct diag diag = {.out = out ? out : stderr};
	struct site_list list = {.diag = &diag};
	struct mapped mapped = {.list = &list, .pid = pid};
	int result = dt_mappings(pid, list_mapping, &mapped) ? -1 : 0;

	if (!result && errno)
		result = diag_error(&diag, "cannot look at process %d: %s", (int)pid,
				    strerror(errno));
	if (!result)
		result = list_each(&list, func, arg);
	site_list_free(&list);
	diag_end(&diag);
	return result < 0 ? 1 : result ? result : mapped.unread;
}
