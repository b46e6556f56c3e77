/* SPDX-License-Identifier: MIT */
/* rewrite_impl.h - interface between the parts of rewrite_object(). */
#ifndef DT_USDT_REWRITE_IMPL_H
#define DT_USDT_REWRITE_IMPL_H

#include "object.h"
#include "sites.h"

struct rewrite {
	struct object *object;
	const struct provider_file *decls;
	const struct sites *sites;
	uint32_t *section_symbol; /* by section of code: its symbol in the new table; 0: none yet */
	uint32_t *group_of;	  /* by section: the SHT_GROUP it is in, or 0 */
	uint32_t *symbol_map;	  /* by old symbol: new one; 0 for those dropped */
	uint32_t stubs;		  /* section of functions for is-enabled calls; 0: there are none */
	struct bytes *args;	  /* by callee: arguments when called; then when jumped to */
	struct bytes *operands;	  /* the same for notes */
	uint32_t base_section;	  /* that notes name, and is yet to be added; 0: none */
	uint32_t old_base;	  /* symbol of the previous one; 0: none */
	uint32_t base_symbol;	  /* of either, in the new table */
};

/* Return the offset of the stub of a site's is-enabled call in the section of stubs. */
uint64_t rewrite_stub(const struct rewrite *w, const struct site *site);

/*
 * Add the sections of records and notes for each section of code with sites, and the base that
 * notes refer to. The symbols already have their new numbers. Return 0, or -1 after a message.
 */
int rewrite_records(struct rewrite *w);

#endif
