/* SPDX-License-Identifier: MIT */
/*
 * symtab.c - functions of an ELF file by file offset: from .symtab, of it or of its separate debug
 * file, else from .dynsym.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <gelf.h>
#include "process.h"

#define DEBUGDIR	"/usr/lib/debug/.build-id"

struct sym {
	uint64_t addr, size;
	char *name;
	bool plain;			/* name has been demangled */
};

/* A loadable segment: file offsets to addresses. */
struct seg {
	uint64_t offset, size, addr;
};

struct dt_symtab {
	struct sym *syms;
	size_t nsyms;
	struct seg *segs;
	size_t nsegs;
};

static bool syms_read(struct dt_symtab *tab, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data != NULL && sh->sh_entsize != 0 ? sh->sh_size / sh->sh_entsize : 0;

	tab->syms = calloc(n + 1, sizeof(*tab->syms));
	for (size_t i = 0; tab->syms != NULL && i < n; i++) {
		GElf_Sym sym;
		const char *name;

		if (gelf_getsym(data, i, &sym) == NULL || sym.st_shndx == SHN_UNDEF ||
		    (GELF_ST_TYPE(sym.st_info) != STT_FUNC &&
		     GELF_ST_TYPE(sym.st_info) != STT_GNU_IFUNC))
			continue;
		name = elf_strptr(elf, sh->sh_link, sym.st_name);
		if (name == NULL || *name == '\0')
			continue;
		tab->syms[tab->nsyms] =
			(struct sym){ sym.st_value, sym.st_size, strdup(name), false };
		if (tab->syms[tab->nsyms].name != NULL)
			tab->nsyms++;
	}
	return tab->nsyms > 0;
}

static bool syms_of_type(struct dt_symtab *tab, Elf *elf, uint32_t type)
{
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL; )
		if (gelf_getshdr(scn, &sh) != NULL && sh.sh_type == type)
			return syms_read(tab, elf, scn, &sh);
	return false;
}

static void segs_read(struct dt_symtab *tab, Elf *elf)
{
	size_t n = 0;
	GElf_Phdr ph;

	if (elf_getphdrnum(elf, &n) != 0)
		return;
	tab->segs = calloc(n + 1, sizeof(*tab->segs));
	for (size_t i = 0; tab->segs != NULL && i < n; i++)
		if (gelf_getphdr(elf, i, &ph) != NULL && ph.p_type == PT_LOAD)
			tab->segs[tab->nsegs++] =
				(struct seg){ ph.p_offset, ph.p_filesz, ph.p_vaddr };
}

/* Path of the separate debug file that the build id names. */
static bool debug_path(Elf *elf, char *path, size_t len)
{
	GElf_Shdr sh;

	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(elf, scn)) != NULL; ) {
		Elf_Data *data;
		size_t off = 0, next, name, desc;
		GElf_Nhdr nh;

		if (gelf_getshdr(scn, &sh) == NULL || sh.sh_type != SHT_NOTE ||
		    (data = elf_getdata(scn, NULL)) == NULL)
			continue;
		for (; (next = gelf_getnote(data, off, &nh, &name, &desc)) != 0; off = next) {
			const unsigned char *id = (const unsigned char *)data->d_buf + desc;
			size_t at;

			if (nh.n_type != NT_GNU_BUILD_ID || nh.n_namesz != 4 || nh.n_descsz < 2 ||
			    nh.n_descsz > 64)
				continue;
			at = snprintf(path, len, "%s/%02x/", DEBUGDIR, id[0]);
			for (size_t i = 1; i < nh.n_descsz && at + 8 < len; i++)
				at += snprintf(path + at, len - at, "%02x", id[i]);
			snprintf(path + at, len - at, ".debug");
			return true;
		}
	}
	return false;
}

static bool debug_read(struct dt_symtab *tab, Elf *elf)
{
	char path[256];
	Elf *debug;
	bool ok;
	int fd;

	if (!debug_path(elf, path, sizeof(path)))
		return false;
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd == -1)
		return false;
	debug = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	ok = debug != NULL && syms_of_type(tab, debug, SHT_SYMTAB);
	elf_end(debug);
	close(fd);
	return ok;
}

static void syms_free(struct dt_symtab *tab)
{
	for (size_t i = 0; i < tab->nsyms; i++)
		free(tab->syms[i].name);
	free(tab->syms);
	tab->syms = NULL;
	tab->nsyms = 0;
}

static int sym_cmp(const void *left, const void *right)
{
	const struct sym *l = left, *r = right;

	if (l->addr != r->addr)
		return l->addr < r->addr ? -1 : 1;
	return l->size < r->size ? -1 : l->size > r->size;
}

struct dt_symtab *dt_symtab_open(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct dt_symtab *tab;
	Elf *elf;

	if (fd == -1)
		return NULL;
	elf_version(EV_CURRENT);
	tab = calloc(1, sizeof(*tab));
	elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	if (tab != NULL && elf != NULL && elf_kind(elf) == ELF_K_ELF) {
		segs_read(tab, elf);
		if (!syms_of_type(tab, elf, SHT_SYMTAB)) {
			syms_free(tab);
			if (!debug_read(tab, elf)) {
				syms_free(tab);
				syms_of_type(tab, elf, SHT_DYNSYM);
			}
		}
		qsort(tab->syms, tab->nsyms, sizeof(*tab->syms), sym_cmp);
	}
	elf_end(elf);
	close(fd);
	return tab;
}

void dt_symtab_close(struct dt_symtab *tab)
{
	if (tab == NULL)
		return;
	syms_free(tab);
	free(tab->segs);
	free(tab);
}

/* Names are demangled when they are wanted: most never are. */
static const char *sym_name(struct sym *sym)
{
	char *plain = sym->plain ? NULL : dt_demangle(sym->name);

	sym->plain = true;
	if (plain != NULL) {
		free(sym->name);
		sym->name = plain;
	}
	return sym->name;
}

const char *dt_symtab_find(struct dt_symtab *tab, uint64_t offset, uint64_t *dist)
{
	struct sym *found = NULL;
	uint64_t addr = offset;
	size_t lo = 0, hi = tab->nsyms;

	for (size_t i = 0; i < tab->nsegs; i++)
		if (offset >= tab->segs[i].offset &&
		    offset - tab->segs[i].offset < tab->segs[i].size) {
			addr = offset - tab->segs[i].offset + tab->segs[i].addr;
			break;
		}
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (tab->syms[mid].addr <= addr) {
			found = &tab->syms[mid];
			lo = mid + 1;
		} else {
			hi = mid;
		}
	}
	if (found == NULL || (found->size != 0 && addr - found->addr >= found->size))
		return NULL;
	*dist = addr - found->addr;
	return sym_name(found);
}
