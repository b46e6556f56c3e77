/* SPDX-License-Identifier: MIT */
/*
 * source.c - source lines and inlined functions, as libdw finds them in the debug information of a
 * file, or of the separate file that its build ID or .gnu_debuglink names.
 */
#include <dwarf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "libdw.h"
#include "source.h"
#include "symtab.h"

/* Code of a compilation unit. libdw could find it by .debug_aranges, which clang does not write. */
struct range {
	Dwarf_Addr start, end; /* in the file's own address space */
	Dwarf_Die *unit;
};

struct dt_source {
	Dwfl *dwfl;
	struct range *ranges; /* by address */
	size_t nranges;
};

/* Add the ranges of a unit. */
static void unit_add(struct dt_source *source, Dwarf_Die *unit)
{
	Dwarf_Addr base, start, end;
	struct range *more;
	ptrdiff_t off = 0;

	while ((off = dwarf_ranges(unit, off, &base, &start, &end)) > 0) {
		more = dt_list_grow(source->ranges, source->nranges, sizeof(*more));
		if (!more)
			return;
		source->ranges = more;
		more[source->nranges++] = (struct range){start, end, unit};
	}
}

static int range_cmp(const void *left, const void *right)
{
	const struct range *l = left, *r = right;

	return l->start < r->start ? -1 : l->start > r->start;
}

/*
 * Read the ranges of all units. Return false if there are none. The bias of libdw does not matter:
 * addresses in debug information are the file's own.
 */
static bool units_read(struct dt_source *source, Dwfl_Module *module)
{
	Dwarf_Die *unit = NULL;
	Dwarf_Addr bias;

	while ((unit = dwfl_module_nextcu(module, unit, &bias)))
		unit_add(source, unit);
	if (source->nranges > 0)
		qsort(source->ranges, source->nranges, sizeof(source->ranges[0]), range_cmp);
	return source->nranges > 0;
}

/* Return the unit with the code at addr, or NULL. */
static Dwarf_Die *unit_find(const struct dt_source *source, Dwarf_Addr addr)
{
	size_t n = dt_list_until(source->ranges, source->nranges, sizeof(struct range),
				 offsetof(struct range, start), addr);

	return n > 0 && addr < source->ranges[n - 1].end ? source->ranges[n - 1].unit : NULL;
}

struct dt_source *dt_source_open(const char *path, const char *name)
{
	struct dt_source *source = calloc(1, sizeof(*source));
	Dwfl_Module *module;

	if (!source)
		return NULL;
	source->dwfl = dt_dwfl_open(open(path, O_RDONLY | O_CLOEXEC), name, &module);
	if (source->dwfl && units_read(source, module))
		return source;
	dt_source_close(source);
	return NULL;
}

void dt_source_close(struct dt_source *source)
{
	if (!source)
		return;
	dwfl_end(source->dwfl);
	free(source->ranges);
	free(source);
}

/* The current line. */
struct telling {
	Dwarf_Files *files;
	struct dt_line line;
	dt_line_f *func;
	void *ctx;
};

/* Return a function's name as in its source, for the caller to free; NULL without memory. */
static char *function_name(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	const char *name = NULL;

	if (dwarf_attr_integrate(die, DW_AT_linkage_name, &attr))
		name = dwarf_formstring(&attr);
	if (!name)
		name = dwarf_diename(die);
	return dt_demangle(name ? name : "?");
}

/* Return the value of an attribute, 0 if there is none. */
static uint64_t number(Dwarf_Die *die, unsigned int what)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	if (!dwarf_attr(die, what, &attr) || dwarf_formudata(&attr, &value) != 0)
		return 0;
	return value;
}

/* Report an inlined function, and continue with the line of its call. */
static void tell_inlined(struct telling *t, Dwarf_Die *die)
{
	char *name = function_name(die);
	const char *file;

	t->line.inlined = name;
	if (name)
		t->func(&t->line, t->ctx);
	free(name);
	file = dwarf_filesrc(t->files, number(die, DW_AT_call_file), NULL, NULL);
	t->line.file = file ? basename(file) : "?";
	t->line.number = (int)number(die, DW_AT_call_line);
}

/* Report the inlined functions around die, itself first, up to the function that contains them. */
static void tell_scopes(struct telling *t, Dwarf_Die *die)
{
	Dwarf_Die *scopes = NULL;
	int n = dwarf_getscopes_die(die, &scopes);

	for (int i = 0; i < n && dwarf_tag(&scopes[i]) != DW_TAG_subprogram; i++)
		if (dwarf_tag(&scopes[i]) == DW_TAG_inlined_subroutine)
			tell_inlined(t, &scopes[i]);
	free(scopes);
}

/* Report all functions at pc. */
static void tell(struct telling *t, Dwarf_Die *unit, Dwarf_Addr pc)
{
	Dwarf_Die *scopes = NULL;
	size_t nfiles;

	if (dwarf_getsrcfiles(unit, &t->files, &nfiles) == 0 &&
	    dwarf_getscopes(unit, pc, &scopes) > 0)
		tell_scopes(t, &scopes[0]);
	free(scopes);
	t->line.inlined = NULL;
	t->func(&t->line, t->ctx);
}

bool dt_source_walk(struct dt_source *source, uint64_t addr, dt_line_f *func, void *ctx)
{
	struct telling t = {.func = func, .ctx = ctx};
	Dwarf_Die *unit = unit_find(source, addr);
	Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, addr) : NULL;
	const char *file = line ? dwarf_linesrc(line, NULL, NULL) : NULL;

	if (!file || dwarf_lineno(line, &t.line.number) != 0)
		return false;
	t.line.file = basename(file);
	tell(&t, unit, addr);
	return true;
}
