/* SPDX-License-Identifier: MIT */
/*
 * kernel_symbol.c - names of kernel addresses, from /proc/kallsyms, read when the first is asked
 * for.
 */
#include <stdlib.h>
#include <string.h>
#include "consume.h"

#define KALLSYMS	"/proc/kallsyms"
#define KERNEL		"vmlinux"	/* what is not in a module */

struct ksym {
	uint64_t addr;
	uint32_t name, module;		/* offsets in text */
};

struct dt_kernel_syms {
	struct ksym *syms;
	size_t nsyms, room;
	char *text;
	size_t textlen, textroom;
	uint32_t module;		/* offset of the module's name that was seen last */
};

/* Keep a name; its offset, or 0 (the kernel's own name) if there is no memory. */
static uint32_t text_add(struct dt_kernel_syms *ks, const char *name)
{
	size_t len = strlen(name) + 1, at = ks->textlen;

	if (ks->textlen + len > ks->textroom) {
		size_t room = ks->textroom * 2 + 65536;
		char *more = realloc(ks->text, room);

		if (more == NULL || room > UINT32_MAX)
			return 0;
		ks->text = more;
		ks->textroom = room;
	}
	memcpy(ks->text + at, name, len);
	ks->textlen += len;
	return at;
}

static uint32_t module_add(struct dt_kernel_syms *ks, const char *module)
{
	if (*module == '\0')
		return 0;
	if (strcmp(ks->text + ks->module, module) != 0)
		ks->module = text_add(ks, module);
	return ks->module;
}

/* A line is "address type name", for modules followed by "[module]". */
static bool line_add(struct dt_kernel_syms *ks, const char *line)
{
	unsigned long long addr;
	char type, name[512], module[128] = "";

	if (sscanf(line, "%llx %c %511s [%127[^]]]", &addr, &type, name, module) < 3 || addr == 0 ||
	    strchr("tTwW", type) == NULL)
		return true;
	if (ks->nsyms == ks->room) {
		size_t room = ks->room * 2 + 4096;
		struct ksym *more = realloc(ks->syms, room * sizeof(*more));

		if (more == NULL)
			return false;
		ks->syms = more;
		ks->room = room;
	}
	ks->syms[ks->nsyms].addr = addr;
	ks->syms[ks->nsyms].module = module_add(ks, module);
	ks->syms[ks->nsyms++].name = text_add(ks, name);
	return true;
}

static int ksym_cmp(const void *left, const void *right)
{
	const struct ksym *l = left, *r = right;

	return l->addr < r->addr ? -1 : l->addr > r->addr;
}

static struct dt_kernel_syms *ksyms_read(void)
{
	struct dt_kernel_syms *ks = calloc(1, sizeof(*ks));
	FILE *fp = fopen(KALLSYMS, "re");
	char *line = NULL;
	size_t room = 0;

	if (ks != NULL) {
		text_add(ks, KERNEL);
		while (fp != NULL && ks->textlen != 0 && getline(&line, &room, fp) > 0 &&
		       line_add(ks, line))
			;
		qsort(ks->syms, ks->nsyms, sizeof(*ks->syms), ksym_cmp);
	}
	free(line);
	if (fp != NULL)
		fclose(fp);
	return ks;
}

bool dt_kernel_symbol(dtrace_hdl_t *dtp, uint64_t addr, const char **module, const char **name,
		      uint64_t *off)
{
	struct dt_kernel_syms *ks;
	size_t lo = 0, hi;

	if (dtp->ksyms == NULL)
		dtp->ksyms = ksyms_read();
	ks = dtp->ksyms;
	if (ks == NULL || ks->nsyms == 0 || addr < ks->syms[0].addr)
		return false;
	for (hi = ks->nsyms; hi - lo > 1; ) {
		size_t mid = lo + (hi - lo) / 2;

		if (ks->syms[mid].addr <= addr)
			lo = mid;
		else
			hi = mid;
	}
	*module = ks->text + ks->syms[lo].module;
	*name = ks->text + ks->syms[lo].name;
	*off = addr - ks->syms[lo].addr;
	return true;
}

void dt_kernel_syms_fini(dtrace_hdl_t *dtp)
{
	struct dt_kernel_syms *ks = dtp->ksyms;

	if (ks == NULL)
		return;
	free(ks->syms);
	free(ks->text);
	free(ks);
	dtp->ksyms = NULL;
}
