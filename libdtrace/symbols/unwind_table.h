/* SPDX-License-Identifier: MIT */
/*
 * unwind_table.h - the world's unwind tables, made from the .eh_frame of files. (unwind_table.c)
 */
#ifndef DT_UNWIND_TABLE_H
#define DT_UNWIND_TABLE_H

#include <stdbool.h>
#include <libelf.h>
#include <dtrace/unwind.h>

/* The table of a file, as <dtrace/unwind.h> has it. Addresses are the file's, less base. */
struct dt_unwind_table {
	uint64_t base;
	uint32_t *addrs;
	uint16_t *index;
	dtrace_unwind_rule_t *rules;
	uint32_t nrows, nrules;
	unsigned int word; /* bytes of an address */
};

/*
 * Return the table of a file, for the caller to free by dt_unwind_table_free(). Return NULL without
 * memory, or if the file has no .eh_frame, or is not for x86-64 or i386.
 */
struct dt_unwind_table *dt_unwind_table_make(Elf *elf);
/* Return the row of an address, less base; nrows: there is none. */
uint32_t dt_unwind_table_row(const struct dt_unwind_table *table, uint32_t addr);
/* Free a table; NULL is allowed. */
void dt_unwind_table_free(struct dt_unwind_table *table);

#endif
