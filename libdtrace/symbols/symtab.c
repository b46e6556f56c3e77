/* SPDX-License-Identifier: MIT */
/*
 * symtab.c - functions of an ELF file by file offset, as libdw finds them: in its own symbol table,
 * in a separate debug file that the build ID or .gnu_debuglink names, in .gnu_debugdata, else among
 * the dynamic symbols. Stubs of the procedure linkage table are named "function@plt".
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include "../list.h"
#include "libdw.h"
#include "plt.h"
#include "segment.h"
#include "symtab.h"

struct sym {
	struct dt_function func;
	char *plain; /* its name as in its source; NULL: not needed yet */
};

struct dt_symtab {
	struct sym *syms;
	size_t nsyms;
	struct sym *stubs; /* functions of other files that it calls */
	size_t nstubs;
	struct dt_segments segs;
};

/* Return whether a symbol is a function of the file. */
static bool sym_is_function(const GElf_Sym *sym)
{
	return sym->st_shndx != SHN_UNDEF && (GELF_ST_TYPE(sym->st_info) == STT_FUNC ||
					      GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC);
}

/* Return a symbol as a function. The name is borrowed. */
static struct dt_function sym_function(const GElf_Sym *sym, const char *name, uint64_t addr)
{
	return (struct dt_function){
		.name = name,
		.addr = addr,
		.size = sym->st_size,
		.bind = GELF_ST_BIND(sym->st_info),
		.ifunc = GELF_ST_TYPE(sym->st_info) == STT_GNU_IFUNC,
	};
}

/* Copy the functions of a module. bias: what libdw adds to the file's addresses. */
static void syms_read(struct dt_symtab *tab, Dwfl_Module *module, GElf_Addr bias)
{
	int n = dwfl_module_getsymtab(module);

	tab->syms = calloc(n > 0 ? n : 1, sizeof(*tab->syms));
	for (int i = 0; tab->syms && i < n; i++) {
		struct sym *to = &tab->syms[tab->nsyms];
		GElf_Addr addr;
		GElf_Sym sym;
		const char *name =
			dwfl_module_getsym_info(module, i, &sym, &addr, NULL, NULL, NULL);

		if (!name || *name == '\0' || !sym_is_function(&sym))
			continue;
		*to = (struct sym){sym_function(&sym, strdup(name), addr - bias), NULL};
		if (to->func.name)
			tab->nsyms++;
	}
}

/* Add a stub; a function for dt_plt_walk(). */
static void stub_add(void *arg, uint64_t addr, uint64_t size, const char *name)
{
	struct dt_symtab *tab = arg;
	struct sym *more = dt_list_grow(tab->stubs, tab->nstubs, sizeof(*more));
	char *text;

	if (!more)
		return;
	tab->stubs = more;
	if (asprintf(&text, "%s@plt", name) != -1)
		more[tab->nstubs++] =
			(struct sym){{.name = text, .addr = addr, .size = size}, NULL};
}

static int sym_cmp(const void *left, const void *right)
{
	const struct dt_function *l = &((const struct sym *)left)->func;
	const struct dt_function *r = &((const struct sym *)right)->func;

	if (l->addr != r->addr)
		return l->addr < r->addr ? -1 : 1;
	return l->size < r->size ? -1 : l->size > r->size;
}

/* Read functions, stubs and segments. */
static void symtab_read(struct dt_symtab *tab, Dwfl_Module *module)
{
	GElf_Addr bias = 0;
	Elf *elf = dwfl_module_getelf(module, &bias);

	if (!elf)
		return;
	dt_segments_read(&tab->segs, elf);
	syms_read(tab, module, bias);
	qsort(tab->syms, tab->nsyms, sizeof(*tab->syms), sym_cmp);
	dt_plt_walk(elf, stub_add, tab);
	if (tab->nstubs > 0)
		qsort(tab->stubs, tab->nstubs, sizeof(*tab->stubs), sym_cmp);
}

struct dt_symtab *dt_symtab_open(const char *path, const char *name)
{
	struct dt_symtab *tab = calloc(1, sizeof(*tab));
	int fd = tab ? open(path, O_RDONLY | O_CLOEXEC) : -1;
	Dwfl_Module *module;
	Dwfl *dwfl = dt_dwfl_open(fd, name, &module);

	if (dwfl)
		symtab_read(tab, module);
	dwfl_end(dwfl);
	if (fd != -1)
		return tab;
	free(tab);
	return NULL;
}

static void sym_free(struct sym *sym)
{
	free((char *)sym->func.name);
	free(sym->plain);
}

void dt_symtab_close(struct dt_symtab *tab)
{
	if (!tab)
		return;
	for (size_t i = 0; i < tab->nsyms; i++)
		sym_free(&tab->syms[i]);
	for (size_t i = 0; i < tab->nstubs; i++)
		sym_free(&tab->stubs[i]);
	free(tab->syms);
	free(tab->stubs);
	dt_segments_free(&tab->segs);
	free(tab);
}

/*
 * Return the name as in the source. It is demangled at the first call, which most names never see.
 */
static const char *sym_name(struct sym *sym)
{
	if (!sym->plain)
		sym->plain = dt_demangle(sym->func.name);
	return sym->plain ? sym->plain : sym->func.name;
}

uint64_t dt_symtab_addr(const struct dt_symtab *tab, uint64_t offset)
{
	for (size_t i = 0; i < tab->segs.n; i++) {
		const struct dt_segment *seg = &tab->segs.list[i];

		if (offset - seg->offset < seg->size)
			return offset - seg->offset + seg->addr;
	}
	return offset;
}

/* Return how many symbols begin at addr or before. */
static size_t syms_until(const struct sym *syms, size_t nsyms, uint64_t addr)
{
	return dt_list_until(syms, nsyms, sizeof(*syms), offsetof(struct sym, func.addr), addr);
}

/* Return the last symbol that begins at addr or before, if it contains addr, else NULL. */
static struct sym *syms_find(struct sym *syms, size_t nsyms, uint64_t addr)
{
	size_t n = syms_until(syms, nsyms, addr);
	struct sym *found = n > 0 ? &syms[n - 1] : NULL;

	if (found && found->func.size != 0 && addr - found->func.addr >= found->func.size)
		return NULL;
	return found;
}

const char *dt_symtab_find(struct dt_symtab *tab, uint64_t offset, uint64_t *dist)
{
	uint64_t addr = dt_symtab_addr(tab, offset);
	struct sym *found = syms_find(tab->stubs, tab->nstubs, addr);

	if (!found)
		found = syms_find(tab->syms, tab->nsyms, addr);
	if (!found)
		return NULL;
	*dist = addr - found->func.addr;
	return sym_name(found);
}

size_t dt_symtab_count(const struct dt_symtab *tab)
{
	return tab->nsyms;
}

const struct dt_function *dt_symtab_function(const struct dt_symtab *tab, size_t i)
{
	return &tab->syms[i].func;
}

size_t dt_symtab_until(const struct dt_symtab *tab, uint64_t addr)
{
	return syms_until(tab->syms, tab->nsyms, addr);
}

const char *dt_symtab_plain(struct dt_symtab *tab, size_t i)
{
	return sym_name(&tab->syms[i]);
}
