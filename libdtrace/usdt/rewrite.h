/* SPDX-License-Identifier: MIT */
/* rewrite.h - call sites become NOPs, records and notes. */
#ifndef DT_USDT_REWRITE_H
#define DT_USDT_REWRITE_H

#include "sites.h"

/*
 * rewrite_object - change the object in memory: the code of its sites, their relocations (gone),
 * the called functions' symbols (gone), and a section of records and one of notes for each section of
 * code that has sites. Returns 0, or -1 after a message.
 */
int rewrite_object(struct object *object, const struct provider_file *decls,
		   const struct sites *sites);

#endif
