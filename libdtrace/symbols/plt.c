/* SPDX-License-Identifier: MIT */
/*
 * plt.c - the stubs of a file's procedure linkage table. Each jumps through a word that a
 * relocation fills in, and the relocation has the name of a function.
 */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <gelf.h>
#include "../list.h"
#include "plt.h"

#define STUB 16 /* bytes of one; 8 in .plt.got where there is no endbr64 */

/* A word that a relocation fills in, and the function. */
struct word {
	uint64_t addr;
	const char *name;
};

struct words {
	struct word *list;
	size_t n;
};

/* Add a word. Without memory it is left out. */
static void word_add(struct words *words, uint64_t addr, const char *name)
{
	struct word *more = dt_list_grow(words->list, words->n, sizeof(*more));

	if (!more)
		return;
	words->list = more;
	more[words->n++] = (struct word){addr, name};
}

/* Add the words of a relocation section that hold addresses of functions. */
static void words_read(struct words *words, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *rels = elf_getdata(scn, NULL), *syms;
	Elf_Scn *symscn = elf_getscn(elf, sh->sh_link);
	GElf_Shdr symsh;
	GElf_Rela rel;
	GElf_Sym sym;

	if (!rels || !symscn || !gelf_getshdr(symscn, &symsh))
		return;
	syms = elf_getdata(symscn, NULL);
	for (int i = 0; syms && gelf_getrela(rels, i, &rel); i++) {
		const char *name;

		if (GELF_R_TYPE(rel.r_info) != R_X86_64_JUMP_SLOT &&
		    GELF_R_TYPE(rel.r_info) != R_X86_64_GLOB_DAT)
			continue;
		if (!gelf_getsym(syms, (int)GELF_R_SYM(rel.r_info), &sym))
			continue;
		name = elf_strptr(elf, symsh.sh_link, sym.st_name);
		if (name && *name != '\0')
			word_add(words, rel.r_offset, name);
	}
}

static int word_cmp(const void *left, const void *right)
{
	const struct word *l = left, *r = right;

	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

/*
 * Set *word to the address through which a stub's jmp *disp(%rip) jumps. Return false if it has
 * none.
 */
static bool stub_word(const uint8_t *code, size_t n, uint64_t addr, uint64_t *word)
{
	int32_t disp;

	for (size_t i = 0; i + 6 <= n; i++)
		if (code[i] == 0xff && code[i + 1] == 0x25) {
			memcpy(&disp, code + i + 2, sizeof(disp));
			*word = addr + i + 6 + (uint64_t)(int64_t)disp;
			return true;
		}
	return false;
}

/* Call func for each stub of a section. */
static void stubs_find(const struct words *words, Elf_Scn *scn, const GElf_Shdr *sh, size_t stub,
		       void (*func)(void *arg, uint64_t addr, uint64_t size, const char *name),
		       void *arg)
{
	Elf_Data *data = elf_getdata(scn, NULL);

	for (size_t at = 0; data && data->d_buf && at + stub <= data->d_size; at += stub) {
		struct word key = {.addr = 0}, *word;

		if (!stub_word((const uint8_t *)data->d_buf + at, stub, sh->sh_addr + at,
			       &key.addr))
			continue;
		word = bsearch(&key, words->list, words->n, sizeof(key), word_cmp);
		if (word)
			func(arg, sh->sh_addr + at, stub, word->name);
	}
}

/* Return the size of a stub in a section, 0 if the section has no stubs. */
static size_t section_stub(const char *name, const GElf_Shdr *sh)
{
	if (strcmp(name, ".plt") == 0 || strcmp(name, ".plt.sec") == 0)
		return STUB;
	if (strcmp(name, ".plt.got") == 0)
		return sh->sh_entsize == STUB ? STUB : 8;
	return 0;
}

void dt_plt_walk(Elf *elf, void (*func)(void *arg, uint64_t addr, uint64_t size, const char *name),
		 void *arg)
{
	struct words words = {.n = 0};
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Ehdr eh;
	GElf_Shdr sh;

	if (!gelf_getehdr(elf, &eh) || eh.e_machine != EM_X86_64 ||
	    elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)))
		if (gelf_getshdr(scn, &sh) && sh.sh_type == SHT_RELA && (sh.sh_flags & SHF_ALLOC))
			words_read(&words, elf, scn, &sh);
	if (words.n > 0)
		qsort(words.list, words.n, sizeof(words.list[0]), word_cmp);
	while (words.n > 0 && (scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		size_t stub = name ? section_stub(name, &sh) : 0;

		if (stub != 0)
			stubs_find(&words, scn, &sh, stub, func, arg);
	}
	free(words.list);
}
