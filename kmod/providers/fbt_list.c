// SPDX-License-Identifier: GPL-2.0-only OR MIT
/*
 * fbt_list.c - the functions of the kernel and its modules, found by exported functions only.
 *
 * sprint_symbol() returns the symbol of an address, with its start and length, so that the first
 * address of the kernel's text leads to all of its symbols. A symbol whose first instruction is the
 * compiler's call for ftrace is a function that ftrace can patch. At the end, ftrace checks all of
 * them. Other symbols of the text are functions, or parts of some. For modules, ftrace's own table
 * of sites serves.
 *
 * The kernel marks functions that must not be probed by NOKPROBE_SYMBOL, which makes a symbol
 * _kbl_addr_NAME: these are found on a second walk. ftrace can trace a few of them, such as those
 * that note returns: a hook of returns there would call itself. The functions by which a kernel
 * with CONFIG_PROVE_RCU checks its locks meanwhile are not marked. Modules have tables of theirs.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>
#include <dtrace/ioctl.h>

#include "hooks/function.h"
#include "hooks/symbol.h"
#include "fbt_list.h"

#define FORBIDDEN_PREFIX "_kbl_addr_"
#define PADDING_PREFIX	 "__pfx_"
#define PADDING_SIZE	 16

/* ---- symbols ---- */

struct fbt_symbol {
	char text[KSYM_SYMBOL_LEN]; /* the name ends where the rest of the text began */
	unsigned long start, size;
};

/* Describe the symbol that contains addr. Return false if there is none. */
static bool symbol_at(struct fbt_symbol *sym, unsigned long addr)
{
	char *plus = symbol_text(sym->text, addr, &sym->start, &sym->size);

	if (!plus)
		return false;
	*plus = '\0';
	return sym->size > 0;
}

/* ---- text ---- */

/*
 * Return where ftrace would patch a function: its first instruction, or the one behind endbr64,
 * which the kernel may have overwritten by a NOP of the same length. 0: nowhere. *called: a call is
 * there, which may be one of ftrace, or a breakpoint, as while a call is being written or removed.
 */
static unsigned long site_of(unsigned long function, bool *called)
{
	static const u8 endbr[4] = {0xf3, 0x0f, 0x1e, 0xfa}, sealed[4] = {0x66, 0x0f, 0x1f, 0x00};
	static const u8 nop[5] = {0x0f, 0x1f, 0x44, 0x00, 0x00};
	u8 text[9] = {0};
	unsigned int at;

	if (copy_from_kernel_nofault(text, (void *)function, sizeof(text)))
		return 0;
	at = !memcmp(text, endbr, sizeof(endbr)) || !memcmp(text, sealed, sizeof(sealed)) ? 4 : 0;
	*called = text[at] == 0xe8 || text[at] == INT3_INSN_OPCODE;
	return *called || !memcmp(text + at, nop, sizeof(nop)) ? function + at : 0;
}

/* ---- a list in the making ---- */

/* Texts one after the other. */
struct text {
	char *chars;
	size_t used, capacity;
};

struct making {
	struct fbt_list *list;
	unsigned int capacity;
	struct text names;
	struct text forbidden;
	unsigned long *doubtful; /* sites with a call, which ftrace is asked about one by one */
	unsigned int ndoubtful, doubtful_capacity;
	struct fbt_btf btf, base; /* types, and those of the kernel, which a module's continue */
	struct fbt_symbol symbol;
};

/* Grow for one element more in an array that grows. */
static bool array_grow(void **array, unsigned int used, unsigned int *capacity, size_t size)
{
	unsigned int more = *capacity ? *capacity * 2 : 1024;
	void *p;

	if (used < *capacity)
		return true;
	p = kvmalloc_array(more, size, GFP_KERNEL_ACCOUNT);
	if (!p)
		return false;
	if (used)
		memcpy(p, *array, used * size);
	kvfree(*array);
	*array = p;
	*capacity = more;
	return true;
}

static bool text_add(struct text *t, const char *s)
{
	size_t n = strlen(s) + 1, capacity = t->capacity ? t->capacity : 16384;
	char *p;

	while (capacity < t->used + n)
		capacity *= 2;
	if (capacity != t->capacity) {
		p = kvmalloc(capacity, GFP_KERNEL_ACCOUNT);
		if (!p)
			return false;
		if (t->used)
			memcpy(p, t->chars, t->used);
		kvfree(t->chars);
		t->chars = p;
		t->capacity = capacity;
	}
	memcpy(t->chars + t->used, s, n);
	t->used += n;
	return true;
}

static int making_add(struct making *m, unsigned long site, const char *name, bool by_kprobe,
		      bool doubtful)
{
	struct fbt_function *f;

	if (strlen(name) >= DTRACE_FUNCNAMELEN)
		return 0;
	if (!array_grow((void **)&m->list->functions, m->list->n, &m->capacity, sizeof(*f)))
		return -ENOMEM;
	f = &m->list->functions[m->list->n];
	*f = (struct fbt_function){.site = (u32)(site - m->list->base),
				   .name = (u32)m->names.used,
				   .same = FBT_NONE,
				   .by_kprobe = by_kprobe,
				   .doubtful = doubtful};
	if (!text_add(&m->names, name))
		return -ENOMEM;
	m->list->n++;
	return 0;
}

static int making_doubt(struct making *m, unsigned long site)
{
	if (!array_grow((void **)&m->doubtful, m->ndoubtful, &m->doubtful_capacity,
			sizeof(*m->doubtful)))
		return -ENOMEM;
	m->doubtful[m->ndoubtful++] = site;
	return 0;
}

/*
 * Return whether a symbol that ftrace cannot patch is listed for kprobes: one of the kernel's text,
 * and not a part of a function, whose name has a dot.
 */
static bool list_has_kprobes(const struct fbt_list *list, unsigned long addr, const char *name)
{
	return addr >= list->text && addr < list->text_end && !strchr(name, '.');
}

/* Add a function that ftrace can patch, if what is called there is one of its functions. */
static int making_add_site(struct making *m, unsigned long site, const char *name, bool called)
{
	int error = called ? making_doubt(m, site) : 0;

	return error ? error : making_add(m, site, name, false, called);
}

/* ---- names that are there twice, and forbidden ones ---- */

/* A hash table of functions by name: chains through next, numbers from 1 on. */
struct index {
	u32 *first, *next;
	unsigned int bits;
};

static u32 *index_bucket(const struct index *x, const char *name)
{
	return &x->first[hash_32(full_name_hash(NULL, name, strlen(name)), x->bits)];
}

/* Return the first function of that name from j on in a chain, 0: there is none. */
static u32 index_match(const struct index *x, const struct fbt_list *list, u32 j, const char *name)
{
	while (j && strcmp(fbt_list_name(list, j - 1), name))
		j = x->next[j];
	return j;
}

#define for_each_named(x, list, name, j)                                \
	for (j = index_match(x, list, *index_bucket(x, name), name); j; \
	     j = index_match(x, list, (x)->next[j], name))

static int index_make(struct index *x, unsigned int n)
{
	x->bits = n > 1 ? ilog2(n) + 1 : 1;
	x->first = kvcalloc(1U << x->bits, sizeof(*x->first), GFP_KERNEL_ACCOUNT);
	x->next = kvcalloc(n + 1, sizeof(*x->next), GFP_KERNEL_ACCOUNT);
	return x->first && x->next ? 0 : -ENOMEM;
}

static void index_free(struct index *x)
{
	kvfree(x->first);
	kvfree(x->next);
}

#define RELAX_SYMBOLS 256

/* Let other tasks run now and then. i: how often a loop has run. */
static void relax(unsigned int i)
{
	if (i % RELAX_SYMBOLS == 0)
		cond_resched();
}

/*
 * Chain functions of the same name that are patched in the same way, from the last to the first of
 * them. Those that ftrace can patch come before others of their name, which have no probes then.
 */
static void list_chain(struct fbt_list *list, struct index *x, bool by_kprobe)
{
	struct fbt_function *f, *same;
	unsigned int i, j;
	u32 *bucket;

	for (i = list->n; i-- > 0;) {
		f = &list->functions[i];
		if (f->by_kprobe != by_kprobe)
			continue;
		bucket = index_bucket(x, fbt_list_name(list, i));
		j = index_match(x, list, *bucket, fbt_list_name(list, i));
		same = j ? &list->functions[j - 1] : NULL;
		if (same && same->by_kprobe != by_kprobe) {
			f->other = true;
		} else if (same && !same->other) {
			same->other = true;
			f->same = j - 1;
		}
		x->next[i + 1] = *bucket;
		*bucket = i + 1;
		relax(i);
	}
}

/* Mark the functions of that name, which is forbidden. x: of all functions. */
static void list_forbid_name(struct fbt_list *list, const struct index *x, const char *name)
{
	u32 j;

	for_each_named(x, list, name, j)
		list->functions[j - 1].same = 0;
}

/* Not marked, but called by rethook_trampoline_handler() with CONFIG_PROVE_RCU. */
static const char *const list_unmarked[] = {
	"rcu_read_lock_any_held",
	"rcu_read_lock_held",
	/* called by the two above */
	"rcu_is_watching",
	"rcu_lockdep_current_cpu_online",
	"rcu_read_lock_held_common",
};

/* Remove functions with a name that is forbidden. x: of nothing yet; empty afterwards. */
static void list_forbid(struct making *m, struct index *x)
{
	struct fbt_list *list = m->list;
	unsigned int i, n = 0;
	const char *name;
	u32 *bucket;

	for (i = 0; i < list->n; i++) {
		bucket = index_bucket(x, fbt_list_name(list, i));
		x->next[i + 1] = *bucket;
		*bucket = i + 1;
		relax(i);
	}
	for (name = m->forbidden.chars; name < m->forbidden.chars + m->forbidden.used;
	     name += strlen(name) + 1)
		list_forbid_name(list, x, name);
	for (i = 0; IS_ENABLED(CONFIG_PROVE_RCU) && i < ARRAY_SIZE(list_unmarked); i++)
		list_forbid_name(list, x, list_unmarked[i]);
	for (i = 0; i < list->n; i++) {
		if (list->functions[i].same == FBT_NONE)
			list->functions[n++] = list->functions[i];
		relax(i);
	}
	list->n = n;
	memset(x->first, 0, sizeof(*x->first) << x->bits);
}

/* ---- asking ftrace ---- */

/*
 * Find the functions that ftrace cannot patch. Those of the kernel may have kprobes; those of
 * modules leave the list.
 */
static int list_filter(struct making *m)
{
	struct fbt_list *list = m->list;
	int good, sure, i, d = 0, g = 0, n = 0;
	struct fbt_function *f;
	unsigned long *sites;

	sites = kvmalloc_array(list->n + 1, sizeof(*sites), GFP_KERNEL_ACCOUNT);
	if (!sites)
		return -ENOMEM;
	good = function_hook_filter(m->doubtful, m->ndoubtful, true);
	if (good < 0)
		goto out;
	/* all but those of the doubtful that are none: both are in order */
	for (i = 0; i < list->n; i++) {
		unsigned long site = fbt_list_site(list, i);

		relax(i);
		f = &list->functions[i];
		while (d < good && m->doubtful[d] < site)
			d++;
		if (f->doubtful && (d == good || m->doubtful[d] != site))
			f->by_kprobe = true;
		if (!f->by_kprobe)
			sites[n++] = site;
	}
	sure = function_hook_filter(sites, n, false);
	good = sure;
	if (sure < 0)
		goto out;
	for (i = 0, n = 0; i < list->n; i++) {
		relax(i);
		f = &list->functions[i];
		if (!f->by_kprobe && g < sure && fbt_list_site(list, i) == sites[g])
			g++;
		else if (list_has_kprobes(list, fbt_list_site(list, i), fbt_list_name(list, i)))
			f->by_kprobe = true;
		else
			continue;
		list->functions[n++] = *f;
	}
	list->n = n;
	good = 0;
out:
	kvfree(sites);
	return good;
}

/* ---- types ---- */

struct widths {
	struct fbt_list *list;
	const struct index *index;
};

/* Note how wide a function's value is. Where types of that name differ, it is not known. */
static void widths_tell(void *arg, const char *name, struct fbt_width width)
{
	struct widths *w = arg;
	u32 i;

	for (i = *index_bucket(w->index, name); i; i = w->index->next[i]) {
		struct fbt_function *f = &w->list->functions[i - 1];

		if (f->other || strcmp(w->list->names + f->name, name))
			continue;
		if (!f->told)
			f->width = width;
		else if (f->width.bytes != width.bytes || f->width.is_signed != width.is_signed)
			f->width.bytes = 0;
		f->told = true;
		break;
	}
}

static int list_types(struct making *m, const struct index *x)
{
	struct widths w = {.list = m->list, .index = x};
	int error;

	if (!m->btf.data)
		return 0;
	error = fbt_btf_returns(&m->btf, m->base.data ? &m->base : NULL, widths_tell, &w);
	return error == -EINVAL ? 0 : error;
}

/* Return the kernel's types. */
static struct fbt_btf kernel_btf(void)
{
	unsigned long start = symbol_address("__start_BTF"), end = symbol_address("__stop_BTF");

	return start && end > start ? (struct fbt_btf){(const void *)start, end - start}
				    : (struct fbt_btf){NULL};
}

/* ---- functions that patch text ---- */

/* Functions that the kernel runs for each site whose text it patches. */
static const char *const list_patchers[] = {
	/* compare the text with what should be there */
	"copy_from_kernel_nofault",
	"copy_from_kernel_nofault_allowed",
	/* find out what the new instruction does */
	"text_poke_queue",
	"text_poke_loc_init",
	"insn_init",
	"insn_decode",
	"insn_get_prefixes",
	"insn_get_opcode",
	"insn_get_modrm",
	"insn_get_sib",
	"insn_get_displacement",
	"insn_get_immediate",
	"inat_get_opcode_attribute",
	"inat_get_escape_attribute",
	/* write it */
	"__text_poke",
	"text_poke_memcpy",
	"perf_event_text_poke",
	/* through a mapping of its own */
	"__get_locked_pte",
	"walk_to_pmd",
	"__pte_offset_map",
	"__pte_offset_map_lock",
	"__rcu_read_lock",
	"__rcu_read_unlock",
	"_raw_spin_lock",
	"_raw_spin_unlock",
	"switch_mm_irqs_off",
	"load_new_mm_cr3",
	"switch_ldt",
	"flush_tlb_mm_range",
	"__cond_resched",
};

static void list_mark_patchers(struct fbt_list *list, const struct index *x)
{
	unsigned int i;
	u32 j;

	for (i = 0; i < ARRAY_SIZE(list_patchers); i++)
		for_each_named(x, list, list_patchers[i], j)
			list->functions[j - 1].patches = true;
}

/* ---- the kernel ---- */

/* Return whether a task may go on, after i symbols, and let others run as relax() does. */
static int making_relax(unsigned int i)
{
	relax(i);
	return i % RELAX_SYMBOLS == 0 && fatal_signal_pending(current) ? -EINTR : 0;
}

/* Take the symbol as a function of the kernel's text. */
static int making_take_function(struct making *m)
{
	const struct fbt_symbol *sym = &m->symbol;
	unsigned long site;
	bool called;

	if (!strncmp(sym->text, PADDING_PREFIX, strlen(PADDING_PREFIX)))
		return 0;
	site = site_of(sym->start, &called);
	if (site)
		return making_add_site(m, site, sym->text, called);
	return list_has_kprobes(m->list, sym->start, sym->text)
		       ? making_add(m, sym->start, sym->text, true, false)
		       : 0;
}

/* Take the symbol if it is the mark of a forbidden function. */
static int making_take_mark(struct making *m)
{
	const char *name = m->symbol.text;

	if (strncmp(name, FORBIDDEN_PREFIX, strlen(FORBIDDEN_PREFIX)))
		return 0;
	return text_add(&m->forbidden, name + strlen(FORBIDDEN_PREFIX)) ? 0 : -ENOMEM;
}

/*
 * Return the end of padding before a function, if addr is at one, or addr. Half of the symbols of
 * text are those of padding.
 */
static unsigned long padding_end(unsigned long addr)
{
	static const u8 nops[PADDING_SIZE] = {[0 ... PADDING_SIZE - 1] = 0x90};
	u8 text[PADDING_SIZE];

	if (copy_from_kernel_nofault(text, (void *)addr, sizeof(text)) ||
	    memcmp(text, nops, sizeof(nops)))
		return addr;
	return addr + PADDING_SIZE;
}

/*
 * Take the symbols from addr up to end, or to the last one of the kernel: functions of its text, or
 * marks, which are in memory that others may write by now.
 */
static int making_walk(struct making *m, unsigned long addr, unsigned long end, bool text)
{
	unsigned int i = 0;
	int error = 0;

	while (!error && addr < end && symbol_at(&m->symbol, addr)) {
		error = text ? making_take_function(m) : making_take_mark(m);
		if (!error)
			error = making_relax(++i);
		addr = m->symbol.start + m->symbol.size;
		if (text)
			addr = padding_end(addr);
	}
	return error;
}

/* Finish a list after all functions have been added. Return 0 or -ENOMEM. */
static int making_end(struct making *m)
{
	struct index x = {0};
	int error = index_make(&x, m->list->n);

	if (error)
		goto out;
	m->list->names = m->names.chars;
	list_forbid(m, &x);
	error = list_filter(m);
	if (!error) {
		list_chain(m->list, &x, false);
		list_chain(m->list, &x, true);
		list_mark_patchers(m->list, &x);
		error = list_types(m, &x);
	}
out:
	index_free(&x);
	return error;
}

static void making_free(struct making *m, int error)
{
	m->list->names = m->names.chars;
	if (error)
		fbt_list_free(m->list);
	kvfree(m->forbidden.chars);
	kvfree(m->doubtful);
	kfree(m);
}

static struct making *making_begin(struct fbt_list *list)
{
	struct making *m = kzalloc(sizeof(*m), GFP_KERNEL_ACCOUNT);

	memset(list, 0, sizeof(*list));
	if (m)
		m->list = list;
	return m;
}

int fbt_list_kernel(struct fbt_list *list)
{
	struct making *m = making_begin(list);
	int error = 0;

	if (!m)
		return -ENOMEM;
	list->text = list->base = symbol_address("_stext");
	list->text_end = symbol_address("_etext");
	if (!list->text || !list->text_end)
		error = -ENOENT;
	m->btf = kernel_btf();
	if (!error)
		error = making_walk(m, list->text, list->text_end, true);
	if (!error) /* the marks are in what is freed after boot, behind all other data */
		error = making_walk(m, symbol_address("_edata") ?: list->text_end, ULONG_MAX,
				    false);
	if (!error && !m->forbidden.used)
		error = -ENOENT;
	if (!error)
		error = making_end(m);
	making_free(m, error);
	return error;
}

/* ---- modules ---- */

/* Return whether a module protects the function at that address from probes. */
static bool module_protects(const struct module *mod, unsigned long function)
{
	unsigned int i;

	if (function - (unsigned long)mod->kprobes_text_start < mod->kprobes_text_size)
		return true;
	for (i = 0; i < mod->num_kprobe_blacklist; i++)
		if (mod->kprobe_blacklist[i] == function)
			return true;
	return false;
}

int fbt_list_module(struct fbt_list *list, struct module *mod, bool coming)
{
	struct making *m = making_begin(list);
	bool called = false;
	unsigned int i;
	int error = 0;

	if (!m)
		return -ENOMEM;
	m->base = kernel_btf();
	/* the kernel frees the types of a module whose start fails, also if it is held */
	if (m->base.data && (coming || mod->state == MODULE_STATE_LIVE))
		fbt_btf_copy(&m->btf, mod->name);
	list->base = mod->num_ftrace_callsites ? mod->ftrace_callsites[0] : 0;
	for (i = 0; i < mod->num_ftrace_callsites; i++)
		list->base = min(list->base, mod->ftrace_callsites[i]);
	for (i = 0; i < mod->num_ftrace_callsites && !error; i++) {
		unsigned long site = mod->ftrace_callsites[i];

		if (within_module_core(site, mod) && symbol_at(&m->symbol, site) &&
		    site_of(site, &called) && !module_protects(mod, m->symbol.start))
			error = making_add_site(m, site, m->symbol.text, called);
	}
	if (!error)
		error = making_end(m);
	kvfree(m->btf.data);
	making_free(m, error);
	return error;
}

void fbt_list_free(struct fbt_list *list)
{
	kvfree(list->functions);
	kvfree(list->names);
	memset(list, 0, sizeof(*list));
}
