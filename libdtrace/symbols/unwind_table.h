/* SPDX-License-Identifier: MIT */
/* unwind_table.h - tables for the module made of the .eh_frame of files. (unwind_table.c) */
#ifndef DT_UNWIND_TABLE_H
#define DT_UNWIND_TABLE_H

#include <stdbool.h>
#include <libelf.h>
#include <dtrace/unwind.h>

/* All that a file says, as <dtrace/unwind.h> wants it. Addresses are the file's, less base. */
struct dt_unwind_table {
	uint64_t base;
	uint32_t *addrs;
	uint16_t *index;
	dtrace_unwind_rule_t *rules;
	uint32_t nrows, nrules;
	unsigned int word;	/* bytes of an address */
};

/*
 * dt_unwind_table_make - the table of a file, for the caller to free with dt_unwind_table_free.
 * NULL: it has no .eh_frame, or is not for x86-64 or i386, or ENOMEM.
 */
struct dt_unwind_table *dt_unwind_table_make(Elf *elf);
void dt_unwind_table_free(struct dt_unwind_table *table);

#endif
