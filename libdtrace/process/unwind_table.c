/* SPDX-License-Identifier: MIT */
/*
 * unwind_table.c - unwind tables of files. libdw carries out the programs in .eh_frame; here each
 * range of addresses that it finds becomes a row, and what it says of it a rule, of which a file
 * has few that differ. Where functions begin, .eh_frame_hdr says; static programs have none.
 */
#include <stdlib.h>
#include <string.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <gelf.h>
#include "list.h"
#include "unwind_table.h"

#define REG_FP		6
#define REG_SP		7
#define REG_RA		16
#define PADDING		15		/* bytes between functions where nothing is ever called */
#define RULE_SLOTS	(1u << 17)	/* of the hash of rules: twice as many as there can be */

static const uint8_t kept[DTRACE_UNWIND_NSAVED] = { 3, 6, 12, 13, 14, 15 };

/* A table while it is made. */
struct making {
	struct dt_unwind_table *table;
	Dwarf_CFI *cfi;
	uint32_t *slots;	/* hash of rules: 1 + number, 0: free */
	bool failed;		/* no memory, or too large */
};

/* ---- rows ---- */

static bool rows_grow(struct dt_unwind_table *t)
{
	uint32_t *addrs = dt_list_grow(t->addrs, t->nrows, sizeof(*addrs));
	uint16_t *index = dt_list_grow(t->index, t->nrows, sizeof(*index));

	if (addrs != NULL)
		t->addrs = addrs;
	if (index != NULL)
		t->index = index;
	return addrs != NULL && index != NULL;
}

static uint32_t rule_hash(const dtrace_unwind_rule_t *rule)
{
	const uint8_t *p = (const uint8_t *)rule;
	uint32_t h = 2166136261u;

	for (size_t i = 0; i < sizeof(*rule); i++)
		h = (h ^ p[i]) * 16777619u;
	return (h ^ h >> 15) & (RULE_SLOTS - 1);
}

static bool rule_add(struct making *m, const dtrace_unwind_rule_t *rule)
{
	struct dt_unwind_table *t = m->table;
	dtrace_unwind_rule_t *more;

	if (t->nrules == DTRACE_UNWIND_MAXRULES)
		return false;
	more = dt_list_grow(t->rules, t->nrules, sizeof(*more));
	if (more == NULL)
		return false;
	t->rules = more;
	more[t->nrules++] = *rule;
	return true;
}

/* The number of the rule, added if it is new; -1: there is no room. */
static int rule_number(struct making *m, const dtrace_unwind_rule_t *rule)
{
	uint32_t h = rule_hash(rule);

	while (m->slots[h] != 0) {
		if (memcmp(&m->table->rules[m->slots[h] - 1], rule, sizeof(*rule)) == 0)
			return (int)m->slots[h] - 1;
		h = (h + 1) & (RULE_SLOTS - 1);
	}
	if (!rule_add(m, rule))
		return -1;
	m->slots[h] = m->table->nrules;
	return (int)m->table->nrules - 1;
}

/* From addr on the rule holds; a row that says what the one before says is left out. */
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

/* ---- what libdw says ---- */

/* ops are "register + offset", the register of breg0 .. breg15. */
static bool ops_register(const Dwarf_Op *ops, size_t n, uint8_t *reg, int64_t *off)
{
	if (n == 1 && ops[0].atom >= DW_OP_breg0 && ops[0].atom <= DW_OP_breg15) {
		*reg = ops[0].atom - DW_OP_breg0;
		*off = (int64_t)ops[0].number;
		return true;
	}
	if (n == 1 && ops[0].atom == DW_OP_bregx && ops[0].number < DTRACE_UNWIND_NREGS) {
		*reg = (uint8_t)ops[0].number;
		*off = (int64_t)ops[0].number2;
		return true;
	}
	return false;
}

/* breg7 8, breg16 0, lit15, and, litN, ge, lit3, shl, plus: as linkers describe the stubs of a PLT. */
static bool ops_plt(const Dwarf_Op *ops, size_t n, dtrace_unwind_rule_t *rule)
{
	static const uint8_t atoms[] = { DW_OP_breg7, DW_OP_breg16, DW_OP_lit15, DW_OP_and,
					 0,	      DW_OP_ge,	    DW_OP_lit3,	 DW_OP_shl,
					 DW_OP_plus };

	if (n != sizeof(atoms) || ops[4].atom < DW_OP_lit0 || ops[4].atom > DW_OP_lit15)
		return false;
	for (size_t i = 0; i < n; i++)
		if (i != 4 && ops[i].atom != atoms[i])
			return false;
	rule->dtur_kind = DTRACE_UNWIND_PLT;
	rule->dtur_base = REG_SP;
	rule->dtur_cfa = (int32_t)ops[0].number;
	rule->dtur_arg = ops[4].atom - DW_OP_lit0;
	return true;
}

/* The CFA: false if it is of a form that there is no rule for. */
static bool rule_cfa(dtrace_unwind_rule_t *rule, Dwarf_Op *ops, size_t n)
{
	bool deref = n == 2 && ops[1].atom == DW_OP_deref;
	int64_t off = 0;

	if (ops_plt(ops, n, rule))
		return true;
	if (!ops_register(ops, deref ? 1 : n, &rule->dtur_base, &off) || off != (int32_t)off)
		return false;
	rule->dtur_kind = deref ? DTRACE_UNWIND_DEREF : DTRACE_UNWIND_CFA;
	rule->dtur_cfa = (int32_t)off;
	return true;
}

/* In words, if it can be. */
static int16_t saved_at(int64_t off)
{
	int64_t words = off / 8;

	return off % 8 == 0 && words > DTRACE_UNWIND_SAME && words < DTRACE_UNWIND_LOST ?
		       (int16_t)words :
		       DTRACE_UNWIND_LOST;
}

/* "CFA + offset", with the offset in *off. */
static bool ops_cfa(const Dwarf_Op *ops, size_t n, int64_t *off)
{
	*off = 0;
	if (n == 0 || ops[0].atom != DW_OP_call_frame_cfa)
		return false;
	if (n == 2 && ops[1].atom == DW_OP_plus_uconst)
		*off = (int64_t)ops[1].number;
	return n == 1 || (n == 2 && ops[1].atom == DW_OP_plus_uconst);
}

/* Where the register with the i-th number of kept is. */
static void rule_saved(dtrace_unwind_rule_t *rule, int i, Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	uint8_t reg;
	int64_t off;
	size_t n;

	rule->dtur_saved[i] = DTRACE_UNWIND_LOST;
	if (dwarf_frame_register(frame, kept[i], mem, &ops, &n) != 0)
		return;
	if (n == 0 && ops == NULL) {
		rule->dtur_saved[i] = DTRACE_UNWIND_SAME;
	} else if (ops_cfa(ops, n, &off)) {
		rule->dtur_saved[i] = saved_at(off);
	} else if (n == 2 && ops[0].atom == DW_OP_call_frame_cfa &&	/* libdw puts that before */
		   ops_register(ops + 1, 1, &reg, &off) && reg == REG_FP) {
		rule->dtur_saved[i] = saved_at(off);
		rule->dtur_fromfp |= 1u << i;
	}
}

/* The address of return: just below the CFA, or in a register. */
static bool rule_return(dtrace_unwind_rule_t *rule, Dwarf_Frame *frame)
{
	Dwarf_Op mem[3], *ops;
	int64_t off;
	size_t n;

	if (dwarf_frame_register(frame, REG_RA, mem, &ops, &n) != 0)
		return false;
	if (n == 0) {
		rule->dtur_kind = ops == mem ? DTRACE_UNWIND_END : DTRACE_UNWIND_NONE;
		return true;
	}
	if (n == 1 && ops[0].atom >= DW_OP_reg0 && ops[0].atom <= DW_OP_reg15) {
		rule->dtur_ra = (uint8_t)(1 + ops[0].atom - DW_OP_reg0);
		return true;
	}
	return ops_cfa(ops, n, &off) && off == -8;
}

static dtrace_unwind_rule_t rule_of(Dwarf_Frame *frame, bool signal)
{
	dtrace_unwind_rule_t rule = { .dtur_kind = DTRACE_UNWIND_NONE }, none = rule;
	Dwarf_Op *ops;
	size_t n;

	if (signal)
		return (dtrace_unwind_rule_t){ .dtur_kind = DTRACE_UNWIND_SIGNAL };
	if (dwarf_frame_cfa(frame, &ops, &n) != 0 || !rule_cfa(&rule, ops, n) ||
	    !rule_return(&rule, frame))
		return none;
	if (rule.dtur_kind == DTRACE_UNWIND_END)
		return (dtrace_unwind_rule_t){ .dtur_kind = DTRACE_UNWIND_END };
	if (rule.dtur_kind == DTRACE_UNWIND_NONE)
		return none;
	for (int i = 0; i < (int)DTRACE_UNWIND_NSAVED; i++)
		rule_saved(&rule, i, frame);
	return rule;
}

/* ---- functions ---- */

/* All rows from start up to where libdw knows nothing, or the next function begins. */
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
		rule = rule_of(frame, signal);
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

static void start_add(struct starts *starts, uint64_t addr)
{
	uint64_t *more = dt_list_grow(starts->addrs, starts->n, sizeof(*more));

	if (more == NULL)
		return;
	starts->addrs = more;
	more[starts->n++] = addr;
}

#define INDEX_FORM	"\x01\x1b\x03\x3b"	/* of .eh_frame_hdr, the only one that linkers write */

/* From .eh_frame_hdr, which may lie. */
static void starts_read_index(struct starts *starts, Elf *elf, const GElf_Phdr *ph)
{
	size_t size;
	const char *file = elf_rawfile(elf, &size), *at;
	uint32_t n;
	int32_t off;

	if (file == NULL || ph->p_offset > size || ph->p_filesz > size - ph->p_offset ||
	    ph->p_filesz < 12 || memcmp(file + ph->p_offset, INDEX_FORM, 4) != 0)
		return;
	at = file + ph->p_offset;
	memcpy(&n, at + 8, sizeof(n));
	for (size_t i = 0; i < n && 12 + (i + 1) * 8 <= ph->p_filesz; i++) {
		memcpy(&off, at + 12 + i * 8, sizeof(off));
		start_add(starts, ph->p_vaddr + (uint64_t)(int64_t)off);
	}
}

/* From .eh_frame itself, which all but old compilers write with addresses relative to themselves. */
static void starts_read_section(struct starts *starts, Elf *elf, Elf_Data *data, uint64_t addr)
{
	const unsigned char *ident = (const unsigned char *)elf_getident(elf, NULL);
	Dwarf_Off off = 0, next;
	Dwarf_CFI_Entry entry;
	int32_t rel;

	for (; dwarf_next_cfi(ident, data, true, off, &next, &entry) == 0; off = next) {
		const uint8_t *at = dwarf_cfi_cie_p(&entry) ? NULL : entry.fde.start;

		if (at == NULL || entry.fde.end - at < (ptrdiff_t)sizeof(rel))
			continue;
		memcpy(&rel, at, sizeof(rel));
		start_add(starts, addr + (size_t)(at - (const uint8_t *)data->d_buf) +
					  (uint64_t)(int64_t)rel);
	}
}

static void starts_find_section(struct starts *starts, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t names;
	GElf_Shdr sh;

	if (elf_getshdrstrndx(elf, &names) != 0)
		return;
	while ((scn = elf_nextscn(elf, scn)) != NULL) {
		const char *name = gelf_getshdr(scn, &sh) != NULL ?
					   elf_strptr(elf, names, sh.sh_name) :
					   NULL;
		Elf_Data *data = name != NULL && strcmp(name, ".eh_frame") == 0 ?
					 elf_getdata(scn, NULL) :
					 NULL;

		if (data != NULL && data->d_buf != NULL)
			starts_read_section(starts, elf, data, sh.sh_addr);
	}
}

static int start_cmp(const void *left, const void *right)
{
	uint64_t l = *(const uint64_t *)left, r = *(const uint64_t *)right;

	return l < r ? -1 : l > r;
}

/* Where the file is loaded and its functions begin; false: it is none that can be unwound. */
static bool elf_read(Elf *elf, struct starts *starts, uint64_t *base)
{
	GElf_Ehdr eh;
	GElf_Phdr ph;

	*base = UINT64_MAX;
	if (gelf_getehdr(elf, &eh) == NULL || eh.e_machine != EM_X86_64 ||
	    eh.e_ident[EI_CLASS] != ELFCLASS64)
		return false;
	for (int i = 0; i < eh.e_phnum && gelf_getphdr(elf, i, &ph) != NULL; i++) {
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

static void table_fill(struct making *m, const struct starts *starts)
{
	for (size_t i = 0; i < starts->n && !m->failed; i++)
		if (starts->addrs[i] >= m->table->base)
			function_add(m, starts->addrs[i],
				     i + 1 < starts->n ? starts->addrs[i + 1] : UINT64_MAX);
}

struct dt_unwind_table *dt_unwind_table_make(Elf *elf)
{
	struct making m = { .table = calloc(1, sizeof(*m.table)) };
	struct starts starts = { .n = 0 };

	if (m.table != NULL && elf_read(elf, &starts, &m.table->base)) {
		m.cfi = dwarf_getcfi_elf(elf);
		m.slots = calloc(RULE_SLOTS, sizeof(*m.slots));
	}
	if (m.cfi != NULL && m.slots != NULL)
		table_fill(&m, &starts);
	if (m.cfi != NULL)
		dwarf_cfi_end(m.cfi);
	free(m.slots);
	free(starts.addrs);
	if (!m.failed && m.table != NULL && m.table->nrows > 0)
		return m.table;
	dt_unwind_table_free(m.table);
	return NULL;
}

void dt_unwind_table_free(struct dt_unwind_table *table)
{
	if (table == NULL)
		return;
	free(table->addrs);
	free(table->index);
	free(table->rules);
	free(table);
}
