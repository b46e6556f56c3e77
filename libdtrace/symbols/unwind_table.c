/* SPDX-License-Identifier: MIT */
/*
 * unwind_table.c - unwind tables of files. libdw executes the programs in .eh_frame. Each range of
 * addresses becomes a row, and its description a rule, of which a file has few that differ. The
 * starts of functions are in .eh_frame_hdr, or, in static programs, in .eh_frame itself.
 */
#include <stdlib.h>
#include <string.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include "../list.h"
#include "unwind_rule.h"
#include "unwind_table.h"

#define PADDING	     15		/* largest gap between functions, in bytes, that holds no code */
#define RULE_BUCKETS (1u << 17) /* of the hash of rules: twice the largest number of rules */

/* A table while it is made. */
struct making {
	struct dt_unwind_table *table;
	const struct dt_unwind_machine *machine;
	Dwarf_CFI *cfi;
	uint32_t *buckets; /* hash of rules: 1 + number, 0: free */
	bool failed;	   /* no memory, or too large */
};

/* ---- rows ---- */

/* Make capacity for one more row. Return false without memory. */
static bool rows_grow(struct dt_unwind_table *t)
{
	uint32_t *addrs = dt_list_grow(t->addrs, t->nrows, sizeof(*addrs));
	uint16_t *index = dt_list_grow(t->index, t->nrows, sizeof(*index));

	if (addrs)
		t->addrs = addrs;
	if (index)
		t->index = index;
	return addrs && index;
}

static uint32_t rule_hash(const dtrace_unwind_rule_t *rule)
{
	const uint8_t *p = (const uint8_t *)rule;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*rule); i++)
		h = (h ^ p[i]) * 16777619u;
	return (h ^ h >> 15) & (RULE_BUCKETS - 1);
}

/* Add a rule. Return false without memory, or if there are too many. */
static bool rule_add(struct making *m, const dtrace_unwind_rule_t *rule)
{
	struct dt_unwind_table *t = m->table;
	dtrace_unwind_rule_t *more;

	if (t->nrules == DTRACE_UNWIND_MAXRULES)
		return false;
	more = dt_list_grow(t->rules, t->nrules, sizeof(*more));
	if (!more)
		return false;
	t->rules = more;
	more[t->nrules++] = *rule;
	return true;
}

/* Return the number of a rule, added if it is new; -1 without memory, or if there are too many. */
static int rule_number(struct making *m, const dtrace_unwind_rule_t *rule)
{
	uint32_t h = rule_hash(rule);

	while (m->buckets[h] != 0) {
		if (memcmp(&m->table->rules[m->buckets[h] - 1], rule, sizeof(*rule)) == 0)
			return (int)m->buckets[h] - 1;
		h = (h + 1) & (RULE_BUCKETS - 1);
	}
	if (!rule_add(m, rule))
		return -1;
	m->buckets[h] = m->table->nrules;
	return (int)m->table->nrules - 1;
}

/* Add a row: from addr on the rule holds. A row equal to the one before is left out. */
static void row_add(struct making *m, uint64_t addr, const dtrace_unwind_rule_t *rule)
{
	struct dt_unwind_table *t = m->table;
	int number = rule_number(m, rule);

	addr -= t->base;
	if (t->nrows > 0 && t->addrs[t->nrows - 1] == addr)
		t->nrows--;
	if (t->nrows > 0 && t->index[t->nrows - 1] == number)
		return;
	if (number == -1 || addr > UINT32_MAX || t->nrows == DTRACE_UNWIND_MAXROWS ||
	    !rows_grow(t)) {
		m->failed = true;
		return;
	}
	t->addrs[t->nrows] = (uint32_t)addr;
	t->index[t->nrows++] = (uint16_t)number;
}

/* ---- functions ---- */

/*
 * Add all rows of a function: from its start to where libdw has no description, or the next
 * function.
 */
static void function_add(struct making *m, uint64_t start, uint64_t next)
{
	static const dtrace_unwind_rule_t none;
	uint64_t addr = start;

	while (addr < next && !m->failed) {
		dtrace_unwind_rule_t rule;
		Dwarf_Frame *frame;
		Dwarf_Addr from, to;
		bool signal;

		if (dwarf_cfi_addrframe(m->cfi, addr, &frame) != 0)
			break;
		dwarf_frame_info(frame, &from, &to, &signal);
		rule = dt_unwind_rule(m->machine, frame, signal);
		free(frame);
		row_add(m, addr, &rule);
		if (to <= addr)
			break;
		addr = to;
	}
	if (addr < next && next - addr > PADDING)
		row_add(m, addr, &none);
}

/* Where functions begin. */
struct starts {
	uint64_t *addrs;
	size_t n;
};

/* Add the start of a function. Without memory it is left out. */
static void start_add(struct starts *starts, uint64_t addr)
{
	uint64_t *more = dt_list_grow(starts->addrs, starts->n, sizeof(*more));

	if (!more)
		return;
	starts->addrs = more;
	more[starts->n++] = addr;
}

#define INDEX_FORM "\x01\x1b\x03\x3b" /* of .eh_frame_hdr: the only form that linkers write */

/* Read the starts in .eh_frame_hdr. Its contents are not trusted. */
static void starts_read_index(struct starts *starts, Elf *elf, const GElf_Phdr *ph)
{
	Elf_Data *data = elf_getdata_rawchunk(elf, (int64_t)ph->p_offset, ph->p_filesz, ELF_T_BYTE);
	const char *at;
	uint32_t n;
	int32_t off;

	if (!data || data->d_size < 12 || memcmp(data->d_buf, INDEX_FORM, 4) != 0)
		return;
	at = data->d_buf;
	memcpy(&n, at + 8, sizeof(n));
	for (size_t i = 0; i < n && 12 + (i + 1) * 8 <= data->d_size; i++) {
		memcpy(&off, at + 12 + i * 8, sizeof(off));
		start_add(starts, ph->p_vaddr + (uint64_t)(int64_t)off);
	}
}

/*
 * Read the starts in .eh_frame. All compilers but old ones write addresses that are relative to
 * themselves.
 */
static void starts_read_section(struct starts *starts, Elf *elf, Elf_Data *data, uint64_t addr)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
	Dwarf_Off off = 0, next;
	Dwarf_CFI_Entry entry;
	int32_t rel;

	for (; dwarf_next_cfi(ident, data, true, off, &next, &entry) == 0; off = next) {
		const uint8_t *at = dwarf_cfi_cie_p(&entry) ? NULL : entry.fde.start;

		if (!at || entry.fde.end - at < (ptrdiff_t)sizeof(rel))
			continue;
		memcpy(&rel, at, sizeof(rel));
		start_add(starts, addr + (size_t)(at - (const uint8_t *)data->d_buf) +
					  (uint64_t)(int64_t)rel);
	}
}

/* Read the starts in the section .eh_frame. */
static void starts_find_section(struct starts *starts, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn))) {
		const char *name =
			gelf_getshdr(scn, &sh) ? elf_strptr(elf, names, sh.sh_name) : NULL;
		Elf_Data *data =
			name && strcmp(name, ".eh_frame") == 0 ? elf_getdata(scn, NULL) : NULL;

		if (data && data->d_buf)
			starts_read_section(starts, elf, data, sh.sh_addr);
	}
}

static int start_cmp(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return l < r ? -1 : l > r;
}

/*
 * Set *base to the lowest address of a file, and read the starts. Return false if there are none.
 */
static bool elf_read(Elf *elf, struct starts *starts, uint64_t *base)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;

	*base = UINT64_MAX;
	if (!gelf_getehdr(elf, &eh))
		return false;
	for (int i = 0; i < eh.e_phnum && gelf_getphdr(elf, i, &ph); i++) {
		if (ph.p_type == PT_LOAD && ph.p_vaddr < *base)
			*base = ph.p_vaddr;
		if (ph.p_type == PT_GNU_EH_FRAME)
			starts_read_index(starts, elf, &ph);
	}
	if (starts->n == 0)
		starts_find_section(starts, elf);
	if (starts->n > 0)
		qsort(starts->addrs, starts->n, sizeof(starts->addrs[0]), start_cmp);
	return starts->n > 0;
}

/* Add the rows of all functions. */
static void table_fill(struct making *m, const struct starts *starts)
{
	for (size_t i = 0; i < starts->n && !m->failed; i++)
		if (starts->addrs[i] >= m->table->base)
			function_add(m, starts->addrs[i],
				     i + 1 < starts->n ? starts->addrs[i + 1] : UINT64_MAX);
}

struct dt_unwind_table *dt_unwind_table_make(Elf *elf)
{
	struct making m = {.table = calloc(1, sizeof(*m.table))};
	struct starts starts = {.n = 0};

	m.machine = dt_unwind_machine(elf);
	if (m.table && m.machine && elf_read(elf, &starts, &m.table->base)) {
		m.table->word = m.machine->word;
		m.cfi = dwarf_getcfi_elf(elf);
		m.buckets = calloc(RULE_BUCKETS, sizeof(*m.buckets));
	}
	if (m.cfi && m.buckets)
		table_fill(&m, &starts);
	if (m.cfi)
		dwarf_cfi_end(m.cfi);
	free(m.buckets);
	free(starts.addrs);
	if (!m.failed && m.table && m.table->nrows > 0)
		return m.table;
	dt_unwind_table_free(m.table);
	return NULL;
}

uint32_t dt_unwind_table_row(const struct dt_unwind_table *table, uint32_t addr)
{
	uint32_t lo = 0, hi = table->nrows;

	while (lo < hi) {
		const uint32_t mid = lo + (hi - lo) / 2;

		if (table->addrs[mid] <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? lo - 1 : table->nrows;
}

void dt_unwind_table_free(struct dt_unwind_table *table)
{
	if (!table)
		return;
	free(table->addrs);
	free(table->index);
	free(table->rules);
	free(table);
}
