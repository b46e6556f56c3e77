/* SPDX-License-Identifier: MIT */
/*
 * kernel_symbol.c - symbols of the kernel: names of addresses, and addresses of names. They are
 * read from /proc/kallsyms when the first is asked for, and again when an address has no name and
 * modules have been loaded or unloaded since.
 */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include "kernel_symbol.h"

#define KALLSYMS      "/proc/kallsyms"
#define MODULES	      "/proc/modules"
#define KERNEL	      "vmlinux"	   /* the module of what is in no module */
#define KERNEL_LOWEST (1ULL << 63) /* lower numbers are offsets of per-CPU data */
#define KERNEL_PAGE   12	   /* bits of an address within a page */

struct ksym {
	uint64_t addr;
	uint32_t name, module; /* offsets in text */
	uint32_t line;
	char kind; /* its letter, as of nm */
};

struct dt_kernel_syms {
	struct ksym *syms;
	size_t nsyms, capacity;
	char *text;
	size_t textlen, textcapacity;
	uint32_t module; /* offset of the name of the last module */
	uint32_t *index; /* numbers + 1 of symbols, by hash of the name */
	uint32_t mask;	 /* buckets of the index, less 1 */
	uint32_t hidden; /* symbols whose addresses the user may not see */
	uint32_t loaded; /* the modules that were loaded: modules_loaded() */
	int error;	 /* of the file */
	bool nomem;
	struct dt_kernel_syms *older; /* has names that may still be in use */
};

/* Keep a name. Return its offset, 0 without memory. */
static uint32_t text_add(struct dt_kernel_syms *ks, const char *name)
{
	size_t len = strlen(name) + 1, at = ks->textlen;

	if (ks->textlen + len > ks->textcapacity) {
		size_t capacity = ks->textcapacity * 2 + 65536;
		char *more = capacity <= UINT32_MAX ? realloc(ks->text, capacity) : NULL;

		if (!more) {
			ks->nomem = true;
			return 0;
		}
		ks->text = more;
		ks->textcapacity = capacity;
	}
	memcpy(ks->text + at, name, len);
	ks->textlen += len;
	return at;
}

/* Keep the name of a module, once if it follows itself. Return its offset. */
static uint32_t module_add(struct dt_kernel_syms *ks, const char *module)
{
	if (*module == '\0')
		return 0;
	if (strcmp(ks->text + ks->module, module) != 0)
		ks->module = text_add(ks, module);
	return ks->module;
}

/* Make capacity for one more symbol. Return false without memory. */
static bool syms_grow(struct dt_kernel_syms *ks)
{
	size_t capacity = ks->capacity * 2 + 4096;
	struct ksym *more =
		ks->nsyms < ks->capacity ? ks->syms : realloc(ks->syms, capacity * sizeof(*more));

	if (!more) {
		ks->nomem = true;
		return false;
	}
	if (ks->nsyms == ks->capacity)
		ks->capacity = capacity;
	ks->syms = more;
	return true;
}

/* Return the next word of a line, ended by a NUL, and move *line behind it. */
static char *line_word(char **line)
{
	char *word = *line + strspn(*line, " \t"), *end = word + strcspn(word, " \t\n");

	*line = end + (*end != '\0');
	*end = '\0';
	return word;
}

/* Add the symbol of a line: "address type name", in modules followed by "[module]". */
static void line_add(struct dt_kernel_syms *ks, char *line)
{
	uint64_t addr = strtoull(line, &line, 16);
	char *kind = line_word(&line), *name = line_word(&line), *module = line_word(&line);

	if (*name == '\0')
		return;
	if (addr == 0) {
		ks->hidden++;
		return;
	}
	if (!syms_grow(ks))
		return;
	module += *module == '[';
	module[strcspn(module, "]")] = '\0';
	ks->syms[ks->nsyms] = (struct ksym){.addr = addr,
					    .kind = *kind,
					    .line = (uint32_t)ks->nsyms,
					    .module = module_add(ks, module),
					    .name = text_add(ks, name)};
	ks->nsyms++;
}

static uint32_t name_hash(const char *name)
{
	uint32_t h = 2166136261u;

	while (*name != '\0')
		h = (h ^ (unsigned char)*name++) * 16777619u;
	return h ^ h >> 15;
}

/* Make the index by names. Without memory there is none. */
static void index_make(struct dt_kernel_syms *ks)
{
	uint32_t n = 16, bucket;

	while (n < ks->nsyms * 2)
		n *= 2;
	ks->index = calloc(n, sizeof(*ks->index));
	ks->nomem |= !ks->index;
	ks->mask = n - 1;
	for (size_t i = 0; i < ks->nsyms && !ks->nomem; i++) {
		bucket = name_hash(ks->text + ks->syms[i].name) & ks->mask;
		while (ks->index[bucket] != 0)
			bucket = (bucket + 1) & ks->mask;
		ks->index[bucket] = (uint32_t)i + 1;
	}
}

/* Return whether a symbol is code. */
static bool ksym_is_code(const struct ksym *s)
{
	return strchr("tTwW", s->kind);
}

/* Return whether the compiler or linker has made a name from another one. */
static bool ksym_is_made(const char *name)
{
	static const char *const prefixes[] = {"__pi_", "__cfi_", "__pfx_", "__start_", "__stop_"};

	for (size_t i = 0; i < sizeof(prefixes) / sizeof(*prefixes); i++)
		if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0)
			return true;
	return strchr(name, '.');
}

/*
 * Return how well a symbol names its address: code rather than the end of a section, a name as
 * written in a source, a global name, a name with few underscores before it.
 */
static int ksym_fitness(const char *text, const struct ksym *s)
{
	const char *name = text + s->name;
	int underscores = (int)strspn(name, "_");

	return (ksym_is_code(s) ? 64 : 0) + (ksym_is_made(name) ? 0 : 32) +
	       (isupper((unsigned char)s->kind) && s->kind != 'W' ? 16 : 0) -
	       (underscores < 15 ? underscores : 15);
}

/*
 * Order symbols by address. Of several names of an address the last one is found: the fittest, or
 * the first in the kernel's order.
 */
static int ksym_cmp(const void *left, const void *right, void *text)
{
	const struct ksym *l = left, *r = right;
	int lfit, rfit;

	if (l->addr != r->addr)
		return l->addr < r->addr ? -1 : 1;
	lfit = ksym_fitness(text, l);
	rfit = ksym_fitness(text, r);
	if (lfit != rfit)
		return lfit < rfit ? -1 : 1;
	return l->line > r->line ? -1 : l->line < r->line;
}

/* Read and sort the symbols of the file at path. */
static void ksyms_read(struct dt_kernel_syms *ks, const char *path)
{
	FILE *fp = fopen(path, "re");
	char *line = NULL;
	size_t capacity = 0;

	if (!fp) {
		ks->error = errno;
		return;
	}
	text_add(ks, KERNEL);
	while (!ks->nomem && getline(&line, &capacity, fp) > 0)
		line_add(ks, line);
	if (ks->nsyms != 0)
		qsort_r(ks->syms, ks->nsyms, sizeof(*ks->syms), ksym_cmp, ks->text);
	index_make(ks);
	free(line);
	fclose(fp);
}

/* Return the path of the kernel's symbols. */
static const char *ksyms_path(const dtrace_hdl_t *dtp)
{
	return dtp->kallsyms ? dtp->kallsyms : KALLSYMS;
}

/* Return a number that changes when a module is loaded or unloaded. */
static uint32_t modules_loaded(void)
{
	FILE *fp = fopen(MODULES, "re");
	char name[256], address[32];
	uint32_t sum = 0;

	/* its size, references, users and state are between */
	while (fp && fscanf(fp, "%255s %*s %*s %*s %*s %31s%*[^\n]", name, address) == 2)
		sum += name_hash(name) ^ name_hash(address) << 1;
	if (fp)
		fclose(fp);
	return sum;
}

static void ksyms_free(struct dt_kernel_syms *ks)
{
	while (ks) {
		struct dt_kernel_syms *older = ks->older;

		free(ks->syms);
		free(ks->index);
		free(ks->text);
		free(ks);
		ks = older;
	}
}

/* Return symbols as they are now; there may be none. NULL without memory. */
static struct dt_kernel_syms *ksyms_new(const dtrace_hdl_t *dtp)
{
	struct dt_kernel_syms *ks = calloc(1, sizeof(*ks));

	if (!ks)
		return NULL;
	ks->loaded = modules_loaded();
	ksyms_read(ks, ksyms_path(dtp));
	if (!ks->nomem)
		return ks;
	ksyms_free(ks);
	return NULL;
}

/* Return the symbols, read at the first call; there may be none. NULL without memory. */
static struct dt_kernel_syms *ksyms(dtrace_hdl_t *dtp)
{
	if (!dtp->ksyms)
		dtp->ksyms = ksyms_new(dtp);
	return dtp->ksyms;
}

/* Read the symbols again if other modules are loaded now. Return whether there are others. */
static bool ksyms_renew(dtrace_hdl_t *dtp)
{
	struct dt_kernel_syms *old = dtp->ksyms, *ks;

	if (dtp->kallsyms || modules_loaded() == old->loaded)
		return false;
	ks = ksyms_new(dtp);
	if (!ks)
		return false;
	free(old->syms);
	free(old->index);
	old->syms = NULL;
	old->index = NULL;
	ks->older = old;
	dtp->ksyms = ks;
	return ks->nsyms != 0;
}

const char *dt_kernel_symbols_why(dtrace_hdl_t *dtp)
{
	const struct dt_kernel_syms *ks = ksyms(dtp);

	if (!ks)
		return strerror(ENOMEM);
	if (ks->nsyms != 0)
		return "";
	if (ks->error != 0)
		return strerror(ks->error);
	return ks->hidden != 0 ? "addresses of kernel symbols are shown to root only, and only if "
				 "/proc/sys/kernel/kptr_restrict is not 2"
			       : "there are none in /proc/kallsyms";
}

/*
 * Return the rank of a symbol among those of its name: a global one, then one of the kernel itself.
 */
static int ksym_rank(const struct ksym *s)
{
	return (isupper((unsigned char)s->kind) ? 2 : 0) + (s->module == 0);
}

/* Return the best symbol of a name in a module, or in any for "". NULL if there is none. */
static const struct ksym *ksym_find(const struct dt_kernel_syms *ks, const char *module,
				    const char *name)
{
	const struct ksym *best = NULL, *s;
	uint32_t bucket = name_hash(name) & ks->mask;

	for (; ks->index && ks->index[bucket] != 0; bucket = (bucket + 1) & ks->mask) {
		s = &ks->syms[ks->index[bucket] - 1];
		if (strcmp(ks->text + s->name, name) == 0 &&
		    (*module == '\0' || strcmp(ks->text + s->module, module) == 0) &&
		    (!best || ksym_rank(s) > ksym_rank(best)))
			best = s;
	}
	return best;
}

bool dt_kernel_symbol_find(dtrace_hdl_t *dtp, const char *module, const char *name, uint64_t *addr,
			   const char **inmodule, bool *is_code)
{
	const struct dt_kernel_syms *ks = ksyms(dtp);
	const struct ksym *s = ks ? ksym_find(ks, module, name) : NULL;

	errno = !ks ? ENOMEM : ENOENT;
	if (!s)
		return false;
	*addr = s->addr;
	*inmodule = ks->text + s->module;
	*is_code = ksym_is_code(s);
	return true;
}

const char *dt_kernel_symbol_alias(dtrace_hdl_t *dtp, const char *name, size_t n)
{
	const struct dt_kernel_syms *ks = ksyms(dtp);
	const struct ksym *s = ks ? ksym_find(ks, "", name) : NULL;
	const struct ksym *alias = s;

	while (alias && alias > ks->syms && alias[-1].addr == s->addr)
		alias--;
	for (; alias && alias < ks->syms + ks->nsyms && alias->addr == s->addr; alias++)
		if (ksym_is_code(alias) && strcmp(ks->text + alias->name, name) != 0 && n-- == 0)
			return ks->text + alias->name;
	return NULL;
}

void dt_kernel_symbol_spell(dtrace_hdl_t *dtp, const char *module, dt_spell_t *near)
{
	const struct dt_kernel_syms *ks = ksyms(dtp);

	for (size_t i = 0; ks && i < ks->nsyms; i++)
		if (*module == '\0' || strcmp(ks->text + ks->syms[i].module, module) == 0)
			spell_try(near, ks->text + ks->syms[i].name);
}

/*
 * Return whether what begins with symbol i contains addr. How large the last symbol of a module is,
 * is not known. The kernel leaves a page unused behind each module, and another module may have
 * been behind that: so the symbol ends in its page or in the next one.
 */
static bool ksym_has(const struct dt_kernel_syms *ks, size_t i, uint64_t addr)
{
	bool last = i + 1 == ks->nsyms || ks->syms[i + 1].module != ks->syms[i].module;
	uint64_t start = ks->syms[i].addr;

	return start >= KERNEL_LOWEST &&
	       (!last || (addr >> KERNEL_PAGE) - (start >> KERNEL_PAGE) <= 1);
}

/* Return the number of the symbol that contains addr, or nsyms. */
static size_t ksym_of(const struct dt_kernel_syms *ks, uint64_t addr)
{
	size_t lo = 0, hi;

	if (ks->nsyms == 0 || addr < ks->syms[0].addr)
		return ks->nsyms;
	for (hi = ks->nsyms; hi - lo > 1;) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->syms[mid].addr <= addr)
			lo = mid;
		else
			hi = mid;
	}
	return ksym_has(ks, lo, addr) ? lo : ks->nsyms;
}

bool dt_kernel_symbol(dtrace_hdl_t *dtp, uint64_t addr, const char **module, const char **name,
		      uint64_t *off)
{
	const struct dt_kernel_syms *ks = addr < KERNEL_LOWEST ? NULL : ksyms(dtp);
	size_t i;

	if (!ks)
		return false;
	i = ksym_of(ks, addr);
	if (i == ks->nsyms && ksyms_renew(dtp)) {
		ks = dtp->ksyms;
		i = ksym_of(ks, addr);
	}
	if (i == ks->nsyms)
		return false;
	*module = ks->text + ks->syms[i].module;
	*name = ks->text + ks->syms[i].name;
	*off = addr - ks->syms[i].addr;
	return true;
}

void dt_kernel_syms_fini(dtrace_hdl_t *dtp)
{
	ksyms_free(dtp->ksyms);
	dtp->ksyms = NULL;
}
