/* SPDX-License-Identifier: MIT */
/* rewrite.h - turns call sites into NOPs with records and notes. */
#ifndef DT_USDT_REWRITE_H
#define DT_USDT_REWRITE_H

#include "sites.h"

/*
 * Rewrite the object in memory: patch the code of its sites, remove their relocations and the
 * symbols of the callees, and add a section of records and one of notes for each section of code
 * with sites. Return 0, or -1 after a message.
 */
int rewrite_object(struct object *object, const struct provider_file *decls,
		   const struct sites *sites);

#endif
